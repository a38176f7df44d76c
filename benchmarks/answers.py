"""Rows that do some of everything with a game: what they find counts, not how soon.

A kernel that plays another game, searches other nodes or learns another number in any of the games
has other answers in these rows.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

from rows import Row, Work
from tasks import (
    GAMES,
    codes,
    ends,
    features_of,
    found,
    games_between,
    learned_parts,
    learned_tables,
    learned_weights,
    middle,
    moves_pieces,
    programs,
    replayed_parts,
    rows_of,
    shape,
    timed,
    value_of,
)

from evoply import _native
from evoply.expressions import (
    DIFFERENCES,
    outputs_to_json,
    program_with_parameters,
    sum_of_patterns,
)
from evoply.games import game_rules
from evoply.players import Online
from evoply.players.kernel_seat import ALL_MOVES
from evoply.players.online import evolved


def every_kind(game: str) -> list[_native.Player]:
    """Return players of every kind and option that the kernel has, as far as the game has it."""
    first, second = programs(game, 8)[:2]
    make = partial(_native.Player, game)
    ahead = partial(make, "alpha_beta", first)
    two = outputs_to_json(
        [DIFFERENCES[name].expression for name in features_of(game)[:2]], shape(game)
    )
    players = [
        make("random"),
        make("after_state", first, ties="random", epsilon=0.1),
        make("after_state", second, view="turn", ties="last"),
        ahead(depth=2),
        ahead(depth=3, ordering="refutation"),
        ahead(depth=3, ordering="evaluator", view="turn", ties="random"),
        ahead(depth=4, ordering="hash", table=8),
        ahead(depth=4, ordering="killer", table=8, epsilon=0.05),
        ahead(depth=20, nodes=150, table=8, deeper=True),
        ahead(depth=2, noise=0),
        ahead(depth=2, temperature=1.0),
        make("alpha_beta", _native.Program(game, two), depth=2, alternate="leaf"),
        _native.Player.staged(
            game, [first, second], [[0.5, 0.5]] * (shape(game).squares + 1), ties="random"
        ),
        ahead(depth=2).with_random_moves(3),
    ]
    if moves_pieces(game):
        return [*players, ahead(depth=3, quiescence=True)]
    return [*players, ahead(depth=2, endgame=7)]


def searches(game: str) -> Iterator[Any]:
    """Search with all players, count, and solve where a game can be solved."""
    rows, start = middle(game, 6), game_rules(game).start().row
    yield [_native.perft(game, start, depth, 1) for depth in range(7)]
    yield _native.perft(game, start, 7, 1, 1)
    for player in every_kind(game):
        yield [found(_native.analyse(player, *row, 5, best=ALL_MOVES)) for row in rows]
    if game_rules(game).solver:
        plies = shape(game).squares - 4 - 8
        for row in rows_of(game, 4, plies, plies):
            for mode in ("exact", "outcome"):
                solution = _native.solve(game, row, mode, every_move=True, table_mib=1)
                yield solution[:3] + solution[4:]


def learns(game: str) -> Iterator[Any]:
    """Learn weights by every rule, and tables."""
    yield from learned_parts(learned_weights(game, 10, "td"))
    yield from learned_parts(learned_weights(game, 10, "td-lambda", decay=0.5))
    yield from learned_parts(learned_weights(game, 8, "td", batch=4, outcome="discs"))
    searching = {"depth": 2, "value": value_of(game), "decay": 0.7, "ordering": "killer"}
    yield from learned_parts(learned_weights(game, 4, "td-leaf", **searching))
    squares = [("a2 b1", None), ("a4 b3", None)]
    total = sum_of_patterns(squares, shape(game), moves_pieces=moves_pieces(game))
    value = program_with_parameters(total, game)
    yield from learned_parts(learned_tables(value, game, 20))


def boards(game: str) -> Iterator[Any]:
    """Value boards, and play known games over again."""
    rows, start = middle(game, 6), game_rules(game).start()
    batch = _native.Positions(game, rows)
    for program in programs(game, 8):
        yield program.evaluate(batch)
        yield program.evaluate(batch, True)
    games, every, lengths = codes(game, 40)
    again = _native.replay_all(game, every, lengths, starts=[start.row], threads=1)
    yield from replayed_parts(again)
    one = games[0]
    yield _native.replay(game, start.row, one)
    yield _native.rows_along(game, start.row, one)
    yield [_native.symmetry(shape(game).side, row[0], image) for row in rows for image in range(8)]
    yield [(_native.legal_moves(game, row), _native.mobility(game, row, True)) for row in rows]
    yield evolved(Online(population=10, generations=2), start, 1, None).move


def answers(game: str) -> Work:
    """Do some of everything with a game."""

    def everything() -> list[Any]:
        played = ends(games_between(every_kind(game), game, 64))
        return [*played, *searches(game), *learns(game), *boards(game)]

    return timed(1, everything, iter)


ANSWERS = {f"answers-{game}": Row("times/s", partial(answers, game)) for game in GAMES}
