"""What is learned on every CPU path that this machine has."""

import subprocess
import sys


def digests_on_cpu_paths(code: str) -> set[str]:
    """Return what *code* prints, on each path in a process of its own."""
    digests = set()
    for path in ("baseline", "avx2", "avx512"):
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=False,
            env={"EVOPLY_CPU": path, "PYTHONPATH": ":".join(sys.path)},
        )  # fmt: skip
        if done.returncode == 0:
            digests.add(done.stdout)
        else:
            assert path != "baseline", done.stderr
    return digests
