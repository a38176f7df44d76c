"""evoply without its extras: matches, evolution and what shows them need none of their packages."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
MODULES = {"vl-convert-python": "vl_convert"}
"""Modules of packages that are called otherwise."""
NAME = re.compile(r"[\w-]+")
COMMANDS = (
    ("match", "greedy", "random", "--games", "4", "--game", "othello-4"),
    ("tournament", "greedy", "random", "swh", "--games", "20"),
    ("match", "greedy", "random", "--sprt", "0", "100"),
    ("evolve", "small.toml", "--name", "one"),
    ("runs",),
    ("runs", "one"),
    ("resume", "one", "--generations", "4"),
    ("show", "champion@one"),
    ("analyse", "champion@one", "--game", "othello-4"),
    ("play", "--help"),
    ("report", "one"),
    ("export", "champion@one", "--to", "python"),
    ("reproduce", "liao", "--table", "1", "--scale", "smoke"),
    ("doctor",),
)
RUN = '''
import json, sys

class Others:
    """A finder that does not see some packages."""
    def __init__(self, finder):
        self.finder = finder
    def __getattr__(self, name):
        return getattr(self.finder, name)
    def find_spec(self, name, path=None, target=None):
        is_barred = name.partition(".")[0] in barred
        return None if is_barred else self.finder.find_spec(name, path, target)

barred, commands = json.loads(sys.argv[1])
sys.meta_path[:] = map(Others, sys.meta_path)
from evoply.cli import main
for words in commands:
    print("=", main(words), " ".join(words), file=sys.stderr, flush=True)
'''


def packages_of_extras() -> list[str]:
    """Return the modules that only extras bring."""
    extras = PROJECT["optional-dependencies"]
    own = {NAME.match(one)[0] for one in PROJECT["dependencies"]}  # type: ignore[index]
    users = [extras[name] for name in extras if name not in ("all", "build", "dev", "bench")]
    names = {NAME.match(one)[0] for group in users for one in group}  # type: ignore[index]
    return sorted(MODULES.get(name, name.replace("-", "_")) for name in names - own)


def run_without_extras(commands: Any) -> "subprocess.CompletedProcess[str]":
    asked = json.dumps([packages_of_extras(), commands])
    return subprocess.run([sys.executable, "-c", RUN, asked], capture_output=True, text=True)


def test_what_most_people_do_needs_no_extra() -> None:
    assert {"scipy", "vl_convert", "pandas", "pyarrow", "fastapi"} <= set(packages_of_extras())
    done = run_without_extras(COMMANDS)
    codes = [line.split(" ", 2)[1:] for line in done.stderr.splitlines() if line.startswith("= ")]
    assert codes == [["0", " ".join(words)] for words in COMMANDS], done.stderr
    page = Path("runs/one/report.html").read_text(encoding="utf-8")
    assert "<p>No picture: the package vl_convert - is not installed - <code>" in page
    assert "<table" in page


@pytest.mark.parametrize(
    ("base", "table", "key", "value"),
    [
        (
            "small.toml",
            "fitness.earlier_generations",
            "archive",
            '{champions = 2, archive = "nash"}',
        ),
        ("map-elites", "survival", "voronoi_cells", '{kind = "map", voronoi_cells = 9}'),
    ],
)
def test_what_needs_an_extra_later_says_so_before_a_run(
    base: str, table: str, key: str, value: str
) -> None:
    words = ["evolve", base, "--name", "one", "--set", f"{table}={value}"]
    done, key = run_without_extras([words]), f"{table}.{key}"
    assert f"evoply: {key}: the package scipy - is not installed - " in done.stderr
    assert not Path("runs/one").exists()


@pytest.mark.parametrize(
    ("package", "code"),
    [
        ("vl_convert", "from evoply.reports.charts import line_chart, Series; "
         "line_chart('t', [0, 1], [Series('a', [0, 1])], 'y').svg()"),
        ("scipy", "import evoply.experiments.setup_statistics"),
    ],
)  # fmt: skip
def test_python_says_what_to_install(package: str, code: str) -> None:
    barred = f"import sys; sys.modules[{package!r}] = None; {code}"
    done = subprocess.run([sys.executable, "-c", barred], capture_output=True, text=True)
    last = done.stderr.splitlines()[-1]
    assert last.startswith(f"ModuleNotFoundError: the package {package} - is not installed - `")
    assert "pip install" in last or "make setup" in last


def test_the_extra_of_all_names_the_others() -> None:
    extras = PROJECT["optional-dependencies"]
    (everything,) = extras["all"]
    named = set(everything.partition("[")[2].rstrip("]").split(","))
    assert named == set(extras) - {"all", "build", "dev", "bench", "notebooks"}
