"""A game from outside the package: the kernel's rules under another name, in a handful of lines."""

import io
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from game_conformance import CHECKS
from rich.console import Console

from evoply import arena, checkers, othello
from evoply.cli import main
from evoply.cli.board_view import board_text
from evoply.evolution import EvolutionConfig, evolve
from evoply.games import GAMES, SHAPES, GameRules, add_game, game_added, game_rules
from evoply.games.formats import pdn
from evoply.players import load_player, parse_player, save_player
from evoply.protocols import BoardShape, Outcome
from evoply.reports import explain

STONES = othello.OthelloRules(
    "stones",
    BoardShape(6, 6),
    "Stones 6x6",
    kernel="othello-6",
    opening_plies=4,
    piece="stone",
    late_ply=28,
)
DRAUGHTS = checkers.CheckersRules(
    "draughts", SHAPES[8], "Draughts", kernel="lose-checkers", piece="stone"
)
TOYS = {"stones": STONES, "draughts": DRAUGHTS}


@pytest.fixture(params=TOYS.values(), ids=TOYS.keys())
def rules(request: pytest.FixtureRequest) -> Iterator[GameRules]:
    with game_added(request.param):
        yield request.param


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__.removeprefix("check_"))
def test_it_does_what_every_game_must(rules: GameRules, check: Callable[..., None]) -> None:
    check(rules=rules)


def test_it_is_played_as_the_game_whose_rules_it_has(rules: GameRules) -> None:
    plies = rules.opening_plies
    ours, theirs = (
        arena.match("greedy", "material:depth=2", game=game, games=8, openings=plies, seed=5)
        for game in (rules.name, rules.kernel)
    )
    assert ours.game == rules.name
    assert replace(ours, game=rules.kernel) == theirs


def test_it_evolves_as_the_game_whose_rules_it_has(rules: GameRules) -> None:
    ours, theirs = (
        list(
            evolve(
                EvolutionConfig(
                    game=game,
                    generations=2,
                    population_size=8,
                    seed=3,
                    fitness={"opening_plies": 6},
                )
            )
        )
        for game in (rules.name, rules.kernel)
    )
    assert len(ours) == 2
    trees = [[str(one.tree) for one in step.individuals] for step in ours]
    assert trees == [[str(one.tree) for one in step.individuals] for step in theirs]
    assert ours[-1].digest != theirs[-1].digest  # the name of the game counts


def test_it_is_drawn(rules: GameRules) -> None:
    game = rules.record()
    game = game.play(game.position.legal_moves[0])
    svg = game.position._repr_svg_()  # type: ignore[attr-defined]
    assert "White to move" in svg
    assert rules.heat_map([0.5] * rules.shape.squares).startswith("<svg")
    console = Console(file=io.StringIO(), force_terminal=False)
    lines = str(board_text(game, console)).splitlines()
    assert len(lines) >= rules.shape.rows + 1
    assert "*" in "".join(lines)
    other = game_rules(rules.kernel).record(game.transcript())
    assert str(board_text(other, console)).splitlines() == lines


def test_the_command_line_knows_it(
    rules: GameRules,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    leaves = []
    for game in (rules.name, rules.kernel):
        assert main(["perft", game, "4", "--json"]) == 0
        leaves.append(json.loads(capsys.readouterr().out)["leaves"])
    assert leaves[0] == leaves[1] > 100
    first = str(rules.start().legal_moves[0])
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{first}\nquit\n"))
    assert main(["play", "--game", rules.name, "--against", "greedy"]) == 0
    assert f"you play {first}" in capsys.readouterr().out
    small = ["--population-size", "8", "--generations", "2", "--no-tests", "--seed", "3"]
    assert main(["evolve", "demo", "--game", rules.name, "--name", "toy", *small]) == 0
    capsys.readouterr()
    assert main(["replay", "runs/toy", "--generation", "1", "--game", "0", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["transcript"]
    assert main(["show", "champion@toy"]) == 0


def test_its_words_are_its_own(rules: GameRules) -> None:
    sentence = str(explain("greedy", game=rules.name, positions=50))
    assert "stone" in sentence
    assert "disc" not in sentence
    assert game_rules(rules.name).title == rules.title


def test_players_are_saved_for_it(rules: GameRules, tmp_path: Path) -> None:
    path = tmp_path / "player.json"
    save_player(path, parse_player("material:depth=2", game=rules.name), game=rules.name)
    assert load_player(path, game=rules.name).label
    with pytest.raises(ValueError, match=f"plays {rules.name}, not"):
        load_player(path, game=rules.kernel)


def test_facts_decide_what_fits() -> None:
    with game_added(STONES), game_added(DRAUGHTS):
        with pytest.raises(ValueError, match="stones has no captures"):
            parse_player("material:depth=2,quiescence=yes", game="stones")
        assert parse_player("material:depth=2,quiescence=yes", game="draughts")
        with pytest.raises(ValueError, match="swh plays othello"):
            parse_player("swh", game="draughts")
        with game_added(replace(othello.OTHELLO["othello"], name="wide-stones")):
            assert parse_player("swh", game="wide-stones").label == "swh"


def test_pdn_keeps_the_rules_of_the_kernel() -> None:
    game = DRAUGHTS.record("11-15 23-19")
    (played,) = pdn.read("".join(pdn.write([game])))
    assert played.record.start.kernel == "lose-checkers"
    assert played.record.transcript() == game.transcript()


def test_a_game_is_there_only_as_long_as_it_was_added() -> None:
    with game_added(STONES):
        assert "stones" in GAMES
    assert "stones" not in GAMES
    with pytest.raises(ValueError, match="unknown game 'stones'"):
        game_rules("stones")


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        (othello.OTHELLO["othello"], "a game called othello already"),
        (replace(STONES, name="Stones!"), "cannot be the name of a game"),
        (replace(STONES, name="-x"), "a letter first"),
    ],
)
def test_what_cannot_be_added_is_refused(rules: GameRules, message: str) -> None:
    before = dict(GAMES)
    with pytest.raises(ValueError, match=message):
        add_game(rules)
    assert dict(GAMES) == before


class Reversed(othello.Position):
    """Who has fewer discs wins: the kernel has no such rules."""

    def outcome(self) -> Outcome | None:
        usual = super().outcome()
        return usual and Outcome(usual.winner and usual.winner.opposite, usual.disc_difference)


class Late(othello.Position):
    clock = 1.0


class NoCorners(othello.Position):
    @property
    def legal_moves(self) -> Any:
        corners = {"a1", "a6", "f1", "f6"}
        return [move for move in super().legal_moves if str(move) not in corners]


class OneMoreDisc(othello.Position):
    def play(self, move: Any, /) -> Any:
        played = super().play(move)
        return played if played.ply < 20 else self._with((played.row[0] | 1, *played.row[1:]))


class DrawnRecord(othello.Game):
    def outcome(self) -> Outcome | None:
        usual = super().outcome()
        return usual and Outcome(None, usual.disc_difference)


@pytest.mark.parametrize(
    ("position", "record", "message"),
    [
        (
            Reversed,
            othello.Game,
            r"other: outcome\(\) of [XO-]{36} [XO] is (Black|White) wins by \d+, and the kernel's"
            r" rules othello-6 say (Black|White) wins by \d+. Training and matches go by",
        ),
        (Late, othello.Game, r"other: clock of [XO-]{36} X is 1.0, and the kernel's rules .* 0.0"),
        (NoCorners, othello.Game, r"legal_moves of [XO-]{36} [XO] is .*, and .* say .*(a|f)(1|6)"),
        (OneMoreDisc, othello.Game, r"play\('..'\) of [XO-]{36} [XO] is X[XO-]{35} [XO], and"),
        (othello.Position, DrawnRecord, r"the record's outcome\(\) of .* is draw, and .* wins by"),
    ],
)
def test_a_game_that_is_not_the_kernels_is_refused(
    position: type, record: type, message: str
) -> None:
    own = type("Own", (record,), {"POSITION": position})
    kind = type("OwnRules", (othello.OthelloRules,), {"RECORD": own})
    with pytest.raises(ValueError, match=message):
        add_game(kind("other", SHAPES[6], "Other", kernel="othello-6"))
    assert "other" not in GAMES


def test_a_game_must_have_rules_of_the_kernel() -> None:
    with pytest.raises(ValueError, match="no rules 'othello' of Othello on 6x6"):
        replace(STONES, kernel="othello")
    with pytest.raises(ValueError, match="write kernel, one of checkers on 8x8"):
        checkers.CheckersRules("draughts", SHAPES[8], "Draughts")
    with pytest.raises(ValueError, match="no rules 'checkers-10' of checkers on 8x8"):
        checkers.CheckersRules("draughts", SHAPES[8], "Draughts", kernel="checkers-10")
