"""Games whose rules are data, against the slow player of the same rules and the native games."""

import os

import pytest
from slow_rules import SlowRules

import evoply as ep
from evoply import _native
from evoply.arena import Schedule, play
from evoply.expressions import board, is_empty, squares
from evoply.games import DATA_GAMES, GAMES, game_added, game_rules
from evoply.games.data import DataGameRules
from evoply.players import parse_player
from evoply.rules import Rules, RulesError, check_rules, place, read_rules, slide, step
from evoply.rules.shipped.reversed_othello import othello

DATA = DATA_GAMES
LONG = "EVOPLY_LONG" in os.environ
GAMES_EACH = 250_000 if LONG else 10_000
WIDE = ("clobber", "gomoku-10")
"""Games of so many moves that the slow rules take seconds for another ply."""
FEW = {"hex-9": 3, "gomoku-9": 3, "gomoku-10": 3, "reversed-othello": 6, "ataxx": 3}


def queens() -> Rules:
    """Rules with slides, captures by a knight's step, holes and a turned board."""
    return Rules(
        name="queens",
        rows=6,
        columns=7,
        playable=~(1 << 17) & (1 << 42) - 1,
        black="b1 d1",
        white="b6 f6",
        moves=(
            step(board.own, [(1, 2), (-2, 1), "forward_left"], onto=board.opponent),
            slide(board.own, "any", through=board.empty, onto=board.empty | board.opponent),
        ),
        wins=is_empty(board.opponent) | ~is_empty(board.own & squares("farthest_rank")),
        max_plies=60,
    )


def walk(rules: Rules, kernel: str, seed: int) -> int:
    """Play a random game both ways, comparing all; return its plies."""
    slow, stream, ply = SlowRules(rules), _native.Stream(seed, rules.name), 0
    here = slow.start()
    while True:
        row = slow.row(here, ply)
        legal = slow.legal(here)
        assert _native.legal_moves(kernel, row) == legal
        outcome = _native.outcome(kernel, row)
        assert (outcome is None) == bool(legal)
        if outcome is not None:
            assert outcome == (slow.winner(here), len(here.black) - len(here.white))
            return ply
        passes = legal == [rules.shape.squares]
        assert _native.mobility(kernel, row, row[3]) == (0 if passes else len(legal))
        code = legal[stream.below(len(legal))]
        here, ply = slow.play(here, code), ply + 1
        assert _native.row_after(kernel, row, code) == slow.row(here, ply)
        if rules.max_plies is not None and ply >= rules.max_plies:
            return ply


@pytest.mark.parametrize("name", DATA)
def test_random_games_are_those_of_the_slow_rules(name: str) -> None:
    game = GAMES[name]
    assert isinstance(game, DataGameRules)
    rules = read_rules(dict(game.written))
    assert sum(walk(rules, game.kernel, seed) for seed in range(FEW.get(name, 12))) > 10


@pytest.mark.parametrize("name", DATA)
def test_perft_is_that_of_the_slow_rules(name: str) -> None:
    game = GAMES[name]
    assert isinstance(game, DataGameRules)
    slow = SlowRules(read_rules(dict(game.written)))
    depth = 2 if game.shape.squares > 40 else 3
    if name in WIDE and not LONG:
        depth -= 1
    for plies in range(depth + 1):
        counted = _native.perft(game.kernel, game.start().row, plies)
        assert counted == slow.perft(slow.start(), plies)
        assert _native.perft(game.kernel, game.start().row, plies + 1, table_mib=8) == (
            _native.perft(game.kernel, game.start().row, plies + 1)
        )


def test_slides_holes_and_long_steps_are_those_of_the_slow_rules() -> None:
    rules = queens()
    game = rules.game()
    assert sum(walk(rules, game.kernel, seed) for seed in range(8)) > 20
    slow = SlowRules(rules)
    assert _native.perft(game.kernel, game.start().row, 3) == slow.perft(slow.start(), 3)
    wrong = [finding for finding in check_rules(rules, games=20) if finding.wrong]
    # The hole is not in the middle, and the knight's steps are not turned.
    assert [finding.check for finding in wrong] == ["colours can be exchanged"]


def test_counts_of_others() -> None:
    # Tic-tac-toe: games that last so long (Schaefer 2002); connect four: OEIS A212693 counts
    # positions, these are leaves; breakthrough: OpenSpiel's moves from its start.
    counts = {
        "tic-tac-toe": [9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872],
        "connect-four": [7, 49, 343, 2401, 16807, 117649, 823536],
        "breakthrough": [22, 484],
    }
    for name, expected in counts.items():
        game = GAMES[name]
        row = game.start().row
        found = [_native.perft(game.kernel, row, depth + 1) for depth in range(len(expected))]
        assert found == expected, name


@pytest.mark.parametrize("size", [4, 6, 8, 10])
def test_othello_as_data_is_othello(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    native = "othello" if size == 8 else f"othello-{size}"
    rules = othello(size, "data-othello", "Othello as data")
    assert rules.game().kernel == native  # the same rules are played by the compiled ones
    monkeypatch.setenv("EVOPLY_RULES", "data")
    data = rules.game().kernel
    assert data != native
    start = GAMES[native].start()
    assert rules.game().start().row == start.row
    depth = 9 if size == 4 else 6
    for plies in range(1, depth + 1):
        expected = _native.perft(native, start.row, plies)
        assert _native.perft(data, start.row, plies) == expected
    # Random positions are made by games of random moves.
    for kernel in (data, native):
        batch = _native.Positions.random(kernel, 200, 7, 0, 60 if size > 4 else 8)
        rows = [batch[index] for index in range(200)]
        if kernel == data:
            first = rows
    assert first == rows
    assert [_native.legal_moves(data, row) for row in first] == [
        _native.legal_moves(native, row) for row in first
    ]


def test_a_wrong_rule_says_what_to_do() -> None:
    with pytest.raises(RulesError, match="moves - there are 0 rules - write 1 to 16"):
        Rules(name="none", rows=4, columns=4, moves=())


def test_a_name_with_other_rules_is_refused() -> None:
    mine = Rules(name="breakthrough", rows=4, columns=4, moves=(place(board.empty),))
    with (
        pytest.raises(ValueError, match="breakthrough with other rules: take another name"),
        game_added(mine),
    ):
        pass


@pytest.mark.parametrize("size", [4, 6, 8, 10])
def test_matches_and_searches_as_data_are_those_of_othello(
    size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVOPLY_RULES", "data")
    native = "othello" if size == 8 else f"othello-{size}"
    with game_added(othello(size, "data-othello", "Othello as data")):
        for first, second in (
            ("random", "greedy"),
            ("mobility:depth=3", "material:depth=2"),
            ("material:depth=4,ordering=hash,table=12,ties=random", "mobility"),
        ):
            scores = []
            for game in (native, "data-othello"):
                result = ep.match(first, second, game=game, games=20, seed=5)
                scores.append((result.wins, result.draws, result.losses))
            assert scores[0] == scores[1]


def test_evolution_as_data_is_that_of_othello(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVOPLY_RULES", "data")
    found = []
    with game_added(othello(6, "data-othello", "Othello as data")):
        for game in ("othello-6", "data-othello"):
            config = ep.EvolutionConfig(
                game=game,
                seed=2,
                population_size=30,
                generations=3,
                primitives="liao+mobility",
                fitness={"opponents": [{"player": "greedy", "pairs": 3}], "opening_plies": 6},
            )
            steps = list(ep.evolve(config))
            found.append([[(str(i), i.fitness) for i in step.individuals] for step in steps])
    assert found[0] == found[1]


@pytest.mark.parametrize("size", [4, 6, 8, 10])
def test_many_random_games_as_data_are_those_of_othello(
    size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVOPLY_RULES", "data")
    native = "othello" if size == 8 else f"othello-{size}"
    found = []
    with game_added(othello(size, "data-othello", "Othello as data")):
        for game in (native, "data-othello"):
            games = Schedule.pairs(
                [0] * (GAMES_EACH // 2),
                [1] * (GAMES_EACH // 2),
                stream=_native.Stream(3, "many"),
                opening_plies=6,
                start=game_rules(game).start().row,
            )
            found.append(play(game, [parse_player("random").seat(game)] * 2, games))
    one, other = found
    assert len(one.plies) == GAMES_EACH
    for name in ("plies", "black_points", "black_discs", "white_discs"):
        assert (getattr(one, name) == getattr(other, name)).all(), name
