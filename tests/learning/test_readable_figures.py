"""The figures of docs/readable-players.toml: each command again at a smaller size, and measured.

A figure that is far off fails: too high, too, since then the page is old. How much weaker what a
smaller command makes may be stands beside the command.
"""

import shlex
import tomllib
from pathlib import Path
from typing import Any

import pytest

import evoply as ep
from evoply.arena import yardsticks
from evoply.cli import main

FIGURES = tomllib.loads(
    (Path(__file__).parents[2] / "docs" / "readable-players.toml").read_text(encoding="utf-8")
)["players"]
GAMES = 1000
NOISE = 0.047
"""Three standard errors of a score of so many games."""


@pytest.mark.parametrize("row", FIGURES, ids=lambda row: row["player"])
def test_every_figure_has_its_interval_and_every_command_a_smaller_one(row: Any) -> None:
    assert list(row["figures"]) == [each.player for each in yardsticks("othello")]
    for score, low, high in row["figures"].values():
        assert 0 <= low <= score <= high <= 100
        assert high - low < 6
    assert bool(row.get("make")) == bool(row.get("smaller"))
    assert len(row.get("make", ())) == len(row.get("smaller", ()))


@pytest.mark.long
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("row", FIGURES, ids=lambda row: row["player"])
def test_a_quoted_figure_comes_again(
    row: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EVOPLY_RUNS", str(tmp_path / "runs"))
    for command in row.get("smaller", ()):
        program, *arguments = shlex.split(command)
        assert program == "evoply"
        assert main(arguments) == 0
    found = ep.measure([row["player"]], games=GAMES, seed=7)
    less = row.get("less", 0) / 100
    wrong = {
        each.opponent: f"{each.score:.1%}, and {low:g} to {high:g} % are quoted"
        for each in found.rows
        for _, low, high in [row["figures"][each.opponent]]
        if not low / 100 - less - NOISE < each.score < high / 100 + NOISE
    }
    assert not wrong
