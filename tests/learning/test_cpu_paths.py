"""What is learned is the same on every CPU path that is built and that this machine supports."""

import json
import os
import platform
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import test_labels
import test_native_rules
import test_pattern_learning

from evoply import _native
from evoply.learning import PatternConfig, learn_patterns
from programs import reason

PATHS = ("baseline", "avx2", "avx512")
BUILT = getattr(_native, "paths", PATHS)
OTHERS = [path for path in PATHS if path != _native.cpu]


def what_is_learned() -> dict[str, Any]:
    """Return what is learned on the path in use: by the rules, of tables, and from labels."""
    models = [
        test_native_rules.slow(
            game, rule=rule, depth=depth, games=3, epsilon=0.1, decay=0.5, draws=(20, 3, 60)
        )
        for game in test_native_rules.GAMES
        for rule in test_native_rules.KERNELS
        for depth in (1, 2)
    ]
    return {
        "rules": [test_native_rules.plain(test_native_rules.native(model)) for model in models],
        **{
            tests.__name__: [step.digest for step in learn_patterns(PatternConfig(**tests.SMALL))]
            for tests in (test_pattern_learning, test_labels)
        },
    }


@cache
def learned_here() -> str:
    return json.dumps(what_is_learned())


def on_path(path: str, code: str) -> "subprocess.CompletedProcess[str]":
    """Run *code* in a process of its own, on a path."""
    return subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, sys.argv[1]); {code}",
         str(Path(__file__).parent)],
        env={**os.environ, "EVOPLY_CPU": path}, capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("path", OTHERS)
def test_every_cpu_path_learns_the_same(path: str) -> None:
    if path not in BUILT:
        pytest.skip(reason("other CPU paths"))
    code = "import json, test_cpu_paths; print(json.dumps(test_cpu_paths.what_is_learned()))"
    done = on_path(path, code)
    if done.returncode and f"EVOPLY_CPU is {path}: this machine does not have it" in done.stderr:
        pytest.skip(f"path {path} is not supported by this machine")
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == learned_here()


@pytest.mark.long
@pytest.mark.skipif(
    platform.machine() not in ("x86_64", "AMD64"), reason="other machines have one path"
)
def test_there_are_paths_to_compare() -> None:
    others = [path for path in OTHERS if path in BUILT]
    others = [path for path in others if on_path(path, "import evoply._native").returncode == 0]
    assert others, f"only {_native.cpu} is here: EVOPLY_PATHS=all make setup builds all paths"
