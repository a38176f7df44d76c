"""How kernels are built and compared: what is logic in `benchmarks`, without measuring anything."""

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import against
import kernels
import measuring
import numpy as np
import pytest
import worth
from answers import ANSWERS
from rows import answer_of
from tasks import GAMES, TASKS
from workloads import ROWS

from evoply.learning.choices import Choices

ROOT = Path(__file__).parents[1]
BENCHMARKS = ROOT / "benchmarks"
ADAPTER = BENCHMARKS / "adapters" / "commit_8046a21"

PROGRAM = """
import os, sys
from rows import Row, Work, serve
def refuse():
    raise ValueError("no")
serve({
    "amount": Row("x/s", lambda: Work(10, 0.5, 7)), "wrong": Row("x/s", refuse),
    "end": Row("x/s", lambda: os._exit(3)),
})
"""


@pytest.fixture
def side(tmp_path: Path) -> against.Kernel:
    program = tmp_path / "workloads.py"
    program.write_text(PROGRAM)
    return against.Kernel(program, (tmp_path, BENCHMARKS))


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A tree whose kernel somebody has built as released, beside another library of its own."""
    root = tmp_path / "tree"
    for name, text in {
        "Cargo.toml": "[workspace]",
        "Cargo.lock": "",
        "crates/core/src/lib.rs": "fn a() {}",
        "python/evoply/__init__.py": "text = 'first'",
        "python/evoply/games/__init__.py": "",
        "python/evoply/games/old.py": "",
        "python/evoply/_native.abi3.so": "quick",
    }.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return root


def released(root: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Say that this state of the tree's kernel has been built, and return the package."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(root.parent / "cache"))
    folder = kernels.kept() / f"here-{kernels.state(root)}" / "evoply"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "_native.abi3.so").write_text(f"released {kernels.state(root)}")
    return kernels.built_here(root)


def test_a_state_is_that_of_all_sources_of_the_kernel_and_of_nothing_else(tree: Path) -> None:
    states = [kernels.state(tree)]
    for name, text in (
        ("crates/core/src/lib.rs", "fn b() {}"),
        ("crates/new/src/lib.rs", ""),
        ("crates/new/build.rs", ""),
        ("Cargo.toml", "[workspace]\n"),
        ("Cargo.lock", "version = 4"),
        ("rust-toolchain.toml", ""),
    ):
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(text)
        states.append(kernels.state(tree))
    assert len(set(states)) == len(states)
    (tree / "python" / "evoply" / "__init__.py").write_text("text = 'second'")
    (tree / "README.md").write_text("")
    assert kernels.state(tree) == states[-1]
    (tree / "crates/core/src/lib.rs").rename(tree / "crates/core/src/other.rs")
    assert kernels.state(tree) != states[-1]


def test_a_released_build_has_the_python_of_the_tree_and_not_its_library(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = released(tree, monkeypatch)
    library = package / "evoply" / "_native.abi3.so"
    assert library.read_text() == f"released {kernels.state(tree)}"
    assert (tree / "python" / "evoply" / "_native.abi3.so").read_text() == "quick"
    source = tree / "python" / "evoply"
    (source / "__init__.py").write_text("text = 'second'")
    (source / "games" / "new.py").write_text("")
    (source / "games" / "old.py").unlink()
    assert kernels.built_here(tree) == package
    assert sorted(one.name for one in (package / "evoply" / "games").iterdir()) == [
        "__init__.py", "new.py",
    ]  # fmt: skip
    printed = subprocess.run(
        [sys.executable, "-c", "import evoply; print(evoply.text)"],
        env={"PYTHONPATH": str(package)}, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    assert printed == "second\n"


def test_another_state_of_the_kernel_has_another_folder(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = released(tree, monkeypatch)
    text = (before / "evoply" / "_native.abi3.so").read_text()
    (tree / "crates/core/src/lib.rs").write_text("fn c() {}")
    after = released(tree, monkeypatch)
    assert after != before
    assert (before / "evoply" / "_native.abi3.so").read_text() == text
    assert (after / "evoply" / "_native.abi3.so").read_text() != text


@pytest.mark.parametrize(
    ("manifest", "profile"),
    [
        ("[profile.release]\nlto = 'fat'\n", ["--release"]),
        ("[profile.release]\n[profile.dist]\ninherits = 'release'\n", ["--profile", "dist"]),
    ],
)
def test_a_build_is_in_the_profile_of_the_wheels(
    tree: Path, monkeypatch: pytest.MonkeyPatch, manifest: str, profile: list[str]
) -> None:
    (tree / "Cargo.toml").write_text(manifest)
    command = list(map(str, kernels.command_of(tree, Path("target"), Path("made"))))
    assert command[1 : command.index("--locked")] == ["build", "--quiet", *profile]
    monkeypatch.setenv("CARGO_PROFILE_RELEASE_LTO", "off")
    monkeypatch.setenv("EVOPLY_PATHS", "avx2")
    environment = kernels.environment_of_a_build()
    assert "CARGO_PROFILE_RELEASE_LTO" not in environment
    assert environment["EVOPLY_PATHS"] == "all"


def test_a_commit_is_measured_by_its_own_rows_or_by_its_adapter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = "8046a21" + "0" * 33
    program = tmp_path / "commit_8046a21" / "side.py"
    program.parent.mkdir()
    program.write_text("")
    assert against.adapter_of(commit, tmp_path) == program
    assert against.adapter_of("1" * 40, tmp_path) is None

    monkeypatch.setattr(against, "built", lambda commit: tmp_path / commit)
    assert against.kernel_of(commit).program == ADAPTER / "side.py"
    own = tmp_path / ("1" * 40) / "benchmarks" / "workloads.py"
    with pytest.raises(SystemExit, match=r"has no benchmarks/workloads\.py"):
        against.kernel_of("1" * 40)
    own.parent.mkdir(parents=True)
    own.write_text("")
    kernel = against.kernel_of("1" * 40)
    assert kernel.program == own
    assert kernel.folders == (own.parents[1], own.parent)


def test_our_side_is_any_folder_or_the_library_of_the_tree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert against.ours(tmp_path, False).program == BENCHMARKS / "workloads.py"
    (tmp_path / "benchmarks").mkdir()
    (tmp_path / "benchmarks" / "workloads.py").write_text("")
    assert against.ours(tmp_path, False).program == tmp_path / "benchmarks" / "workloads.py"
    assert against.ours(tmp_path / ("8046a21" + "0" * 33), False).program == ADAPTER / "side.py"
    monkeypatch.setattr(against, "built_here", lambda: tmp_path / "released")
    assert against.ours(None, False).folders == (tmp_path / "released",)
    monkeypatch.setattr(against, "library_of_the_tree", lambda: tmp_path / "_native.so")
    assert against.ours(None, True).folders == (ROOT / "python",)
    monkeypatch.setattr(against, "library_of_the_tree", lambda: None)
    with pytest.raises(SystemExit, match="make setup"):
        against.ours(None, True)


def test_a_side_answers_each_row_in_a_line(side: against.Kernel) -> None:
    with against.Side(side) as one:
        assert one.work("amount") == {"amount": 10, "seconds": 0.5, "answer": 7, "ratio": None}
        assert one.work("wrong") == {"error": "no"}
        assert one.work("other") == {"error": "no row is called other"}
        assert "ended" in one.work("end")["error"]
        assert one.work("amount")["answer"] == 7


def test_a_kernel_beside_itself_is_as_fast_and_rows_that_fail_are_said(
    side: against.Kernel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(against, "ROWS", {"amount": ROWS["perft-10"], "end": ROWS["perft-10"]})
    found = against.measured((side, side), ["amount", "end"], 2)
    rows = [against.compared(name, pairs) for name, pairs in found.items()]
    assert rows[0]["before"] == 1
    assert rows[0]["same"]
    assert rows[1] == {"name": "end", "error": "its program ended, see above"}
    assert against.summed_up(rows, 0.98) == (
        "1 rows; equal answers in all of them; none slower than 0.98; not there: 1"
    )


@pytest.mark.parametrize(
    ("before", "highest", "same", "said"),
    [
        (0.97, 0.99, True, "slower than 0.98: one"),
        (0.97, 1.01, True, "none slower than 0.98"),
        (0.99, 0.995, True, "none slower than 0.98"),
        (1.2, 1.3, False, "other answers in one"),
    ],
)
def test_slower_rows_and_other_answers_are_named(
    before: float, highest: float, same: bool, said: str
) -> None:
    row = {"name": "one", "before": before, "middle half": (0.9, highest), "same": same}
    assert said in against.summed_up([row], 0.98)


def test_a_comparison_is_kept_only_where_that_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, elsewhere = tmp_path / "results.json", tmp_path / "elsewhere.json"
    before = {"rows": [{"name": "gp-games-3ply", "before": 2.0}, {"name": "perft-10"}]}
    kept.write_text(json.dumps(before))
    kernel = against.Kernel(tmp_path, (tmp_path,))
    answer = {"amount": 3.0, "seconds": 1.0, "answer": 1, "ratio": None}
    monkeypatch.setattr(measuring, "RESULTS", kept)
    monkeypatch.setattr(against, "RESULTS", kept)
    monkeypatch.setattr(against, "ROOT", tmp_path)
    monkeypatch.setattr(against, "written_to", lambda name: elsewhere)
    monkeypatch.setattr(against, "commit_id", lambda name: "1" * 40)
    monkeypatch.setattr(against, "kernel_of", lambda commit: kernel)
    monkeypatch.setattr(against, "ours", lambda folder, is_quick: kernel)
    monkeypatch.setattr(against.Kernel, "cpu", lambda self, path=None: "baseline")
    monkeypatch.setattr(
        against, "measured", lambda *_: {"gp-games-3ply": [(answer, {**answer, "seconds": 2.0})]}
    )

    def compare(*options: str) -> Any:
        monkeypatch.setattr(sys, "argv", ["against.py", "HEAD", *options])
        against.main()
        return json.loads(kept.read_text())

    assert compare() == before
    assert json.loads(elsewhere.read_text())["rows"][0]["before"] == 2.0
    monkeypatch.setattr(against, "measured", lambda *_: {"gp-games-3ply": [(answer, answer)]})
    changed = compare("--keep")["rows"]
    assert changed[0] == {"name": "gp-games-3ply", "before": 1.0, "before_commit": "1" * 40}
    assert changed[1] == {"name": "perft-10"}
    assert measuring.written_to("results.json", keep=True) == kept


def test_a_row_that_fails_is_said_and_the_others_are_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def row(name: str) -> measuring.Row:
        return measuring.Row(name, "games/s", 12.0, "a peer", 6.0, 2.0)

    def some() -> Iterator[measuring.Row]:
        yield row("two")
        assert "two " in capsys.readouterr().out, "it is printed when it is measured"
        raise ValueError("the answers differ\nhere")

    def without_extra() -> Iterator[measuring.Row]:
        import no_such_extra  # type: ignore[import-not-found]  # noqa: F401

        yield row("three")

    works = {
        "one": lambda: row("one"), "some": some, "nothing here": lambda: None,
        "cluster": without_extra, "last": lambda: row("last"),
    }  # fmt: skip
    file = tmp_path / "results.json"
    assert measuring.bench(works, file) == 1
    *lines, end = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("some - not measured: ValueError: the answers differ - see ")
    assert lines[1].startswith("cluster - not measured: ModuleNotFoundError: No module named")
    assert lines[2].split()[:4] == ["last", "games/s", "12", "6"]
    assert end == f"written to {file}: 3 rows"
    assert names_in(file) == ["one", "two", "last"]

    assert measuring.bench({"one": works["one"]}, file) == 0
    assert names_in(file) == ["one"]


def test_a_bench_that_is_stopped_keeps_what_it_has(tmp_path: Path) -> None:
    def stop() -> None:
        raise KeyboardInterrupt

    row = measuring.Row("one", "s", 1.0, "none", None, None)
    file = tmp_path / "results.json"
    with pytest.raises(KeyboardInterrupt):
        measuring.bench({"one": lambda: row, "stop": stop}, file)
    assert names_in(file) == ["one"]


def names_in(file: Path) -> list[str]:
    return [row["name"] for row in json.loads(file.read_text())["rows"]]


def test_what_a_bench_writes_is_no_file_of_the_repository() -> None:
    committed = subprocess.run(
        ["git", "check-ignore", "--quiet", measuring.written_to("results.json")],
        cwd=ROOT, check=False,
    )  # fmt: skip
    if not (ROOT / ".git").exists():
        pytest.skip("no repository")
    assert committed.returncode == 0


@pytest.mark.parametrize(
    "words",
    [
        ["HEAD", "--quick", "--with", "."],
        ["HEAD", "--quick", "--keep"],
        ["HEAD", "--with", ".", "--keep"],
        ["HEAD", "--cpu", "avx2", "--keep"],
        ["HEAD", "--pairs", "0"],
        ["HEAD", "--rows", "none-such"],
    ],
)
def test_what_makes_no_sense_is_refused(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        against.arguments(words)
    assert ("--keep" if "--keep" in words else words[1]) in capsys.readouterr().err


def test_every_game_has_rows_and_an_older_commit_has_them_all() -> None:
    assert all(
        f"{kind}-{game}" in ROWS for kind in ("answers", "search", "games") for game in GAMES
    )
    assert set(TASKS) | set(ANSWERS) <= set(ROWS)
    for name in ("tasks.py", "answers.py"):
        assert tables_in(ADAPTER / name) == tables_in(BENCHMARKS / name) != []


def tables_in(module: Path) -> list[str]:
    """Return the tables of a module as they are written: names of rows, and sizes of their work."""
    parts = ast.parse(module.read_text(encoding="utf-8")).body
    return [
        ast.unparse(one)
        for one in parts
        if isinstance(one, ast.Assign) and ast.unparse(one.targets[0]).isupper()
    ]


def test_a_row_answers_the_same_every_time() -> None:
    """The smallest row of a game goes through all that the kernel does."""
    program = against.Kernel(BENCHMARKS / "workloads.py", tuple(map(Path, sys.path)))
    with against.Side(program) as one:
        first, second = one.work("answers-othello-4"), one.work("answers-othello-4")
    assert first["answer"] == second["answer"]
    assert first["amount"] == 1


def test_an_answer_holds_every_bit() -> None:
    assert answer_of([0.1, 2]) == answer_of([0.1, 2])
    assert answer_of([0.1]) != answer_of([0.1 + 2**-54])
    assert answer_of([1, 2]) != answer_of([12])
    long = np.arange(2000.0)
    other = long.copy()
    other[1000] += 2**-30
    assert answer_of([(long, 1)]) != answer_of([(other, 1)])


def test_the_worth_of_a_feature_is_what_players_lose_without_it() -> None:
    # Four moves in each position; the second column says what they lose, the third repeats it, the
    # first says nothing of it.
    dice = np.random.default_rng(3)
    count = 200
    lost = dice.permuted(np.tile(np.arange(4.0), (count, 1)), axis=1).ravel()
    position = np.repeat(np.arange(count), 4)
    noise = dice.normal(size=lost.size)
    columns = np.column_stack([noise, -lost, -lost + 1.5 * dice.normal(size=lost.size)])
    choices = Choices([()] * lost.size, -lost, position, position, lost)
    task = worth.Task(choices, choices, columns, columns)
    assert task.chosen([], 1) == [1]
    assert task.chosen([], 1, barred=1) == [2]
    assert task.chosen([0], 2) == [0, 1]
    assert task.lost([1]) == 0 < task.lost([2]) < task.lost([0])
    assert task.improved([0]) == [1]
    assert task.worth([1], 1) == (task.lost([2]), 0)
    assert task.worth([1], 0) == (0, task.lost([0]))
