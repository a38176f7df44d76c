"""Every player that a command tells as JSON is a text that `evoply match` takes, or null.

Comparisons tell of setups alone; for leagues see `tests/experiments/test_league_page.py`.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command_line import SMALL_CONFIG, call

from evoply.cli import main
from evoply.cli.player_texts import read_players

NAMES = (
    "player",
    "players",
    "first",
    "second",
    "champion",
    "teacher",
    "opponent",
    "against",
    "judge",
    "whole",
)
"""The keys under which players stand."""
TINY = ("--generations", "2", "--pairs", "2", "--against", "greedy")
COMMANDS = (
    ("distil", "edgar-like", "--stages", "2", "--games", "5"),
    ("distil", "edgar-like", "--stages", "2", "--games", "5", "--output", "other.json"),
    ("distil", "champion@weights", "--games", "10"),
    ("prune", "formula.json", "--games", "100"),
    ("tune", "formula.json", *TINY, "--no-tests"),
    ("tune", "champion@first", *TINY),
    ("learn", "patterns-8", "--games", "20", "--no-tests"),
    ("learn", "firebrand-8", "--games", "10", "--features", "champion@first", "--no-tests"),
    ("evolve", "small.toml"),
    ("resume", "first", "--generations", "4"),
    ("edit", "weights", "pieces", "--weight", "0.5"),
    *(("show", one) for one in ("formula.json", "champion@first", "champion@weights")),
    ("match", "formula.json", "formula.json:depth=2", "--games", "2"),
    ("match", "champion@weights:epsilon=0.1", "( white ):epsilon=0.1,ties=random", "--games", "2"),
    ("match", "strong:level=1", "formula.json", "--games", "2"),
    ("tournament", "formula.json", "swh", "champion@weights", "--games", "2"),
    ("tournament", "formula.json", "swh", "--mode", "elimination", "--games", "2"),
    ("analyse", "formula.json", "--position", "f5d6c3"),
    ("analyse", "formula.json", "--games", "games.jsonl"),
    ("why", "formula.json", "--position", "f5d6c3"),
    ("runs", "first"),
    ("runs", "weights"),
    ("runs",),
    ("pack", "tables", "packed.json", "--positions", "1", "--depth", "3"),
)


def players_in(data: Any, key: str = "") -> Iterator[str]:
    """Yield the texts that stand under a key of players, at any depth."""
    if isinstance(data, dict):
        for name, part in data.items():
            yield from players_in(part, name)
    elif isinstance(data, list):
        for part in data:
            yield from players_in(part, key)
    elif isinstance(data, str) and key in NAMES:
        yield data


@pytest.fixture(scope="module")
def things(tmp_path_factory: Any) -> Path:
    """A folder with runs, a saved formula and games."""
    folder: Path = tmp_path_factory.mktemp("things")
    (folder / "small.toml").write_text(SMALL_CONFIG)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for command in (
            ("evolve", "small.toml", "--name", "first", "--no-tests"),
            ("learn", "firebrand-8", "--games", "20", "--name", "weights", "--no-tests"),
            ("learn", "patterns-8", "--games", "9", "--name", "tables", "--no-tests"),
            ("distil", "edgar-like", "--stages", "2", "--games", "5", "--output", "formula.json"),
            ("match", "formula.json", "swh", "--games", "2", "--save-games", "games.jsonl"),
        ):
            assert main(list(command)) == 0, command
    return folder


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_it_is_a_text_that_match_takes(
    things: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    monkeypatch.chdir(things)
    answer = call(capsys, *command, "--json")
    assert answer.code == 0, answer.err
    data = answer.data
    if command[0] == "why":  # whose second is a move
        del data["second"]
    texts = list(players_in(data))
    assert texts or command[0] in ("edit", "pack") or command == ("runs",)
    for text in texts:
        (player,) = read_players([text], None)[1]
        assert player.label == text


def test_a_cell_and_a_generation_play_the_game_of_their_run(
    tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    limits = ("--population-size", "20", "--generations", "2", "--no-tests", "--name", "cells")
    made = call(capsys, "evolve", "map-elites", "--game", "othello-6", *limits)
    assert made.code == 0, made.err
    assert call(capsys, "runs", "cells", "--csv", "tables").code == 0
    with (tmp_path / "tables" / "elites.csv").open(newline="") as rows:
        *_, last = csv.DictReader(rows)
    cell = last["cell"]
    for text in (f"champion@cells@{cell}", f"champion@cells@1@{cell}", "champion@cells@0"):
        game, (player,) = read_players([f"{text}:depth=2"], None)
        assert (game, player.label) == ("othello-6", f"{text}:depth=2")
