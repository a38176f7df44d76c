"""Rows for every game, and for each thing that the kernel does besides search and play.

What is rarely asked for is easily made slower by a change that nobody meant so. Each row's answer
holds all that the kernel found, to the last bit.
"""

import operator
import time
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial, reduce
from typing import Any, TypeVar

import numpy as np
from ingredients import PositionRow, kernel_player, trees_of_size
from numpy.typing import NDArray
from rows import Row, Work, answer_of

from evoply import _native
from evoply.expressions import (
    DIFFERENCES,
    FIREBRAND_FEATURES,
    OTHELLO_PATTERNS,
    PRIMITIVE_SETS,
    board,
    clamp,
    divide,
    number,
    outputs_to_json,
    program_with_parameters,
    sum_of_patterns,
)
from evoply.games import game_rules
from evoply.gp import Tree, lower
from evoply.players import Online, parse_player
from evoply.players.online import evolved
from evoply.protocols import BoardShape

T = TypeVar("T")

GAMES = (
    "othello", "othello-4", "othello-6", "othello-10", "checkers", "lose-checkers", "checkers-10",
)  # fmt: skip
PERFTS = {  # depth, and how often
    "othello-4": (12, 60), "othello-6": (11, 1), "othello-10": (10, 1), "lose-checkers": (10, 1),
    "checkers-10": (8, 1),
}  # fmt: skip
SEARCHES = {  # depth and positions
    "othello": (8, 40), "othello-4": (12, 1000), "othello-6": (10, 40), "othello-10": (6, 40),
    "checkers": (11, 40), "lose-checkers": (11, 40), "checkers-10": (8, 40),
}  # fmt: skip
GAMES_OF_TREES = {  # at one ply and at three
    "othello": (4000, 160), "othello-4": (64_000, 2400), "othello-6": (12_000, 480),
    "othello-10": (1000, 40), "checkers": (6000, 240), "lose-checkers": (4000, 160),
    "checkers-10": (2400, 96),
}  # fmt: skip
CHECKERS_PATTERNS = [
    "b1 d1 f1 h1 c2 e2", "a2 c2 b3 d3 a4 c4", "e2 g2 f3 h3 e4 g4", "b3 d3 a4 c4 b5 d5",
    "f3 h3 e4 g4 f5 h5", "a4 c4 b5 d5 a6 c6", "e4 g4 f5 h5 e6 g6", "b5 d5 a6 c6 b7 d7",
    "a8 c8 e8 g8 d7 f7", "h1 g2 f3 e4 d5 c6",
]  # fmt: skip


def timed(amount: float, work: Callable[[], T], parts: Callable[[T], Iterable[Any]]) -> Work:
    """Return what *work* took of the processor; *parts* of what it gave are the answer."""
    began = time.process_time()
    found = work()
    seconds = time.process_time() - began
    return Work(amount, seconds, answer_of(parts(found)))


def moves_pieces(game: str) -> bool:
    return game_rules(game).moves_pieces


def shape(game: str) -> BoardShape:
    return game_rules(game).shape


@cache
def rows_of(game: str, count: int, least: int, most: int) -> list[PositionRow]:
    """Return positions after *least* to *most* random plies."""
    batch = _native.Positions.random(game, count, 7, least, most)
    return [batch[index] for index in range(len(batch))]


def middle(game: str, count: int) -> list[PositionRow]:
    """Return positions of the first half of a game."""
    return rows_of(
        game, count, *{4: (1, 5), 6: (4, 14), 8: (8, 30), 10: (12, 45)}[shape(game).side]
    )


@cache
def trees_for(game: str, count: int) -> list[Tree]:
    """Return random trees over what was made for the game."""
    name = "liao+mobility"
    if moves_pieces(game):
        name = "benbassat-checkers" + ("-10" if shape(game).side == 10 else "")
    return trees_of_size(count, 50, PRIMITIVE_SETS[name])


@cache
def programs(game: str, count: int) -> list[_native.Program]:
    return lower(trees_for(game, count), game)


def found(analysis: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return what a search found, without the time that it took."""
    return analysis[:5] + analysis[6:]


def perft(game: str, depth: int, times: int) -> Work:
    start = game_rules(game).start().row
    began = time.process_time()
    leaves = sum(_native.perft(game, start, depth, 1) for _ in range(times))
    return Work(leaves, time.process_time() - began, leaves)


def searched(player: _native.Player, rows: list[PositionRow]) -> Work:
    """Choose at every position; the amount is the nodes."""
    began = time.process_time()
    answers = [found(_native.analyse(player, *row, 1)) for row in rows]
    seconds = time.process_time() - began
    return Work(sum(answer[2] for answer in answers), seconds, answer_of(answers))


def search(game: str, options: str = "") -> Work:
    depth, count = SEARCHES[game]
    player = kernel_player(f"material:depth={depth},table=16{options}", game)
    return searched(player, middle(game, count))


def games_between(
    players: list[_native.Player], game: str, games: int, **options: Any
) -> _native.Games:
    """Play games on one thread, each player against others, from random openings."""
    who = np.arange(games, dtype=np.uint32)
    stream = _native.Stream(1, "tasks")
    return _native.play(
        game,
        players,
        who % len(players),
        (who * 7 + 1) % len(players),
        stream.child("opening").keys(games),
        stream.child("game").keys(games),
        starts=[game_rules(game).start().row],
        opening_plies=4,
        draws=(80, 3, 300),
        threads=1,
        **options,
    )


def ends(games: _native.Games) -> list[Any]:
    return [
        games.black_discs, games.white_discs, games.plies, games.hashes, games.winners,
        games.endings,
    ]  # fmt: skip


def games_of_trees(game: str) -> Work:
    """Play games of trees, one ply ahead and three."""
    shallow, deep = GAMES_OF_TREES[game]
    lowered = programs(game, 8)
    near = [_native.Player(game, "after_state", one) for one in lowered]
    far = [_native.Player(game, "alpha_beta", one, depth=3) for one in lowered]

    def play() -> list[Any]:
        return ends(games_between(near, game, shallow)) + ends(games_between(far, game, deep))

    return timed(shallow + deep, play, iter)


@cache
def tables(game: str, games: int = 1500) -> Any:
    """Return what is learned of the tables of a game's patterns in so many games."""
    patterns = CHECKERS_PATTERNS if moves_pieces(game) else list(OTHELLO_PATTERNS)
    parts = [(one, None) for one in patterns]
    total = sum_of_patterns(parts, shape(game), moves_pieces=moves_pieces(game))
    value = program_with_parameters(total, game)
    return value, learned_tables(value, game, games)


def learned_tables(value: _native.Program, game: str, games: int) -> dict[str, Any]:
    return _native.learn_tables(
        value, [game_rules(game).start().row], key=1, first_game=0, rates=np.full(games, 0.004),
        epsilon=0.1, random_plies=9, max_plies=150 if moves_pieces(game) else None,
    )  # fmt: skip


def learn_tables(game: str, games: int) -> Work:
    value, _ = tables(game)
    return timed(games, partial(learned_tables, value, game, games), learned_parts)


def learned_parts(learned: dict[str, Any]) -> Iterator[Any]:
    for name in sorted(learned):
        yield name
        yield learned[name]


def pattern_search(game: str, depth: int, count: int) -> Work:
    """Search with learned tables, as players made of tables do."""
    value, learned = tables(game)
    player = _native.Player(
        game, "alpha_beta", value.with_parameters(learned["parameters"]), view="turn", depth=depth,
        ordering="killer", table=16, quiescence=moves_pieces(game),
    )  # fmt: skip
    return searched(player, middle(game, count))


def strong(game: str, options: str, count: int) -> Work:
    return searched(kernel_player(f"strong:{options}", game), middle(game, count))


def solved(game: str, mode: str, plies: int, count: int) -> Work:
    """Solve endgames with so many plies played; the amount is the nodes."""
    rows = rows_of(game, count, plies, plies)
    began = time.process_time()
    answers = [_native.solve(game, row, mode, table_mib=64, every_move=False) for row in rows]
    seconds = time.process_time() - began
    nodes = sum(answer[2] for answer in answers)
    return Work(nodes, seconds, answer_of(answer[:3] + answer[4:] for answer in answers))


def online(game: str, moves: int, **options: Any) -> Work:
    """Evolve before so many moves, on one thread."""
    player, start = Online(**options), game_rules(game).start()

    def play() -> list[Any]:
        return [evolved(player, start, key, None) for key in range(1, moves + 1)]

    return timed(
        moves, play,
        lambda alphas: ((one.move, one.tree, one.strategy.weights, one.games) for one in alphas),
    )  # fmt: skip


def features_of(game: str) -> tuple[str, ...]:
    if moves_pieces(game):
        return "men", "kings", "mobility"
    rings = [f"ring_{ring}" for ring in range(shape(game).side // 2 + 1, 6)]
    return tuple(name for name in FIREBRAND_FEATURES if name not in rings)


def learned_weights(game: str, games: int, rule: str, **options: Any) -> dict[str, Any]:
    """Learn weights and time weights from games of self-play, a ply ahead."""
    features = [DIFFERENCES[name] for name in features_of(game)]
    outputs = outputs_to_json([feature.expression for feature in features], shape(game))
    count = len(features)
    return _native.learn_games(
        game, _native.Program(game, outputs), [game_rules(game).start().row],
        weights=np.array([0.1 * (-1) ** index for index in range(count)]),
        time_weights=np.ones((count, 1)),
        scales=np.array([feature.scale(shape(game)) for feature in features]), clip=True, key=1,
        first_game=0, games=games, rates=np.full((games, 2), 0.01), rule=rule, epsilon=0.1,
        draws=(80, 3, 150), **options,
    )  # fmt: skip


def learn_weights(game: str, games: int, rule: str, **options: Any) -> Work:
    return timed(games, partial(learned_weights, game, games, rule, **options), learned_parts)


@cache
def value_of(game: str) -> tuple[_native.Program, NDArray[np.int64], NDArray[np.int64]]:
    """Return what is learned as one program, with the places of weights and of time weights."""
    u, terms, marks = number(1.0) - number(2.0) * board.t, [], []
    for index, name in enumerate(features_of(game)):
        feature = DIFFERENCES[name]
        marks.append([-1e6 - 10 * index, -1e6 - 10 * index - 1])
        share = divide(feature.expression, number(feature.scale(shape(game))))
        factor = number(2.0) * board.t + number(marks[-1][1]) * u
        terms.append(number(marks[-1][0]) * clamp(share, -1.0, 1.0) * factor)
    program = program_with_parameters(reduce(operator.add, terms), game)
    found = {value: place for place, value in enumerate(program.parameters.tolist())}
    places = np.array([[found[mark] for mark in row] for row in marks], dtype=np.int64)
    return program, places[:, 0].copy(), places[:, 1:].copy()


def learn_by_search(game: str, games: int) -> Work:
    """Learn from the boards that searches of two plies lead to."""
    options = {"depth": 2, "value": value_of(game), "decay": 0.7}
    return learn_weights(game, games, "td-leaf", **options)


@cache
def codes(game: str, games: int) -> tuple[list[list[int]], NDArray[np.uint64], NDArray[np.uint32]]:
    """Return the moves of random games: of each, one after another, and how many each game has."""
    random = [_native.Player(game, "random")]
    moves = games_between(random, game, games, record_moves=True).moves or []
    every = np.concatenate([np.array(one, np.uint64) for one in moves])
    return moves, every, np.array([len(one) for one in moves], np.uint32)


def replayed(game: str, games: int) -> Work:
    """Play known games over again and count the pieces after every ply."""
    apart, every, lengths = codes(game, games)
    start = [game_rules(game).start().row]

    def play() -> tuple[_native.Replayed, Any]:
        again = _native.replay_all(game, every, lengths, starts=start, threads=1)
        return again, _native.piece_counts(game, apart, starts=start, threads=1)

    return timed(games, play, lambda both: (*replayed_parts(both[0]), *both[1]))


def replayed_parts(games: _native.Replayed) -> list[Any]:
    return [
        games.taken, games.plies, games.black_discs, games.white_discs, games.is_over,
        games.winners, games.codes, games.rows,
    ]  # fmt: skip


def counted(game: str, depth: int, count: int) -> Work:
    """Search in the orders of one experiment; the amount is the nodes."""
    player: Any = parse_player("material:depth=1", game=game)
    program = player.evaluator.program(game)
    began = time.process_time()
    answers = [
        one[:5]
        for row in middle(game, count)
        for order in ("none", "evaluator", "table")
        for one in _native.count_nodes(game, program, row, range(1, depth + 1), order=order)
    ]
    seconds = time.process_time() - began
    return Work(sum(one[3] for one in answers), seconds, answer_of(answers))


def batches(count: int) -> Work:
    """Value boards of every game in batches, and choose at them one ply ahead."""
    keys = _native.Stream(1, "choices").keys(count)
    made = []
    for game in GAMES:
        boards = _native.Positions(game, middle(game, count))
        players = [_native.Player(game, "after_state", one) for one in programs(game, 8)]
        made.append((boards, programs(game, 8), players))

    def value() -> list[Any]:
        values = [one.evaluate(boards) for boards, lowered, _ in made for one in lowered]
        return values + [boards.choose(one, keys) for boards, _, players in made for one in players]

    return timed(len(made) * 8 * count, value, iter)


def single_calls(rounds: int) -> Work:
    """Ask for one position after another, as Python does: the amount is the calls."""
    rows = [(game, row) for game in GAMES for row in middle(game, 40)]
    moves = [(game, row, _native.legal_moves(game, row)[0]) for game, row in rows]

    def ask() -> list[Any]:
        return [
            (
                _native.legal_moves(game, row),
                _native.row_after(game, row, code),
                _native.mobility(game, row, True),
                _native.destinations(game, row, False),
            )
            for _ in range(rounds)
            for game, row, code in moves
        ]

    return timed(4 * rounds * len(moves), ask, lambda answers: answers[: len(moves)])


def lowered(rounds: int) -> Work:
    """Lower trees of 50 nodes for all games; the amount is the trees."""
    games = {game: trees_for(game, 50) for game in GAMES}

    def lower_all() -> list[Any]:
        return [lower(some, game) for _ in range(rounds) for game, some in games.items()]

    return timed(
        50 * rounds * len(games), lower_all,
        lambda all_of_them: (program.operations for some in all_of_them for program in some),
    )  # fmt: skip


def thought(game: str, depth: int, count: int) -> Work:
    """Think about the positions of one game by a search that keeps its table."""
    player = kernel_player(f"material:depth={depth},table=16", game)
    rows = middle(game, count)

    def think() -> list[Any]:
        searcher = _native.Searcher(player, table=16, threads=1)
        return [searcher.think(row, 1, depth=depth)[0] for row in rows]

    began = time.process_time()
    answers = [found(one) for one in think()]
    seconds = time.process_time() - began
    return Work(sum(one[2] for one in answers), seconds, answer_of(answers))


def grown(game: str, options: str, count: int) -> Work:
    """Choose by a tree of playouts at the start and in the middle; the amount is the playouts."""
    player = kernel_player(f"mcts:{options}", game)
    rows = [game_rules(game).start().row, *middle(game, count)]
    return searched(player, rows)


TASKS = {
    **{
        f"perft-{game}": Row("leaves/s", partial(perft, game, *sizes))
        for game, sizes in PERFTS.items()
    },
    **{f"search-{game}": Row("nodes/s", partial(search, game)) for game in SEARCHES},
    **{f"games-{game}": Row("games/s", partial(games_of_trees, game)) for game in GAMES_OF_TREES},
    "quiescence-checkers": Row("nodes/s", partial(search, "checkers", ",quiescence=yes")),
    "pattern-search": Row("nodes/s", partial(pattern_search, "othello", 6, 60)),
    "pattern-search-checkers": Row("nodes/s", partial(pattern_search, "checkers", 10, 40)),
    "selective-search": Row("nodes/s", partial(strong, "othello", "depth=8,selective=1.5", 40)),
    "selective-search-checkers": Row(
        "nodes/s", partial(strong, "checkers", "depth=8,selective=1.5", 40)
    ),
    "endgame-exact": Row("nodes/s", partial(solved, "othello", "exact", 44, 20)),
    "endgame-outcome": Row("nodes/s", partial(solved, "othello", "outcome", 41, 10)),
    "endgame-othello-10": Row("nodes/s", partial(solved, "othello-10", "exact", 82, 20)),
    "mcts-playouts": Row("playouts/s", partial(grown, "othello", "playouts=20000,gather=16", 4)),
    "mcts-values": Row(
        "playouts/s", partial(grown, "othello", "playouts=5000,evaluator=strong", 9)
    ),
    "mcts-checkers": Row(
        "playouts/s", partial(grown, "checkers", "playouts=500,playout=greedy,evaluator=greedy", 9)
    ),
    "online-move": Row("moves/s", partial(online, "othello", 6)),
    "online-move-tree": Row(
        "moves/s", partial(online, "othello", 1, roots="tree", choose="visits", mobility=True)
    ),
    "online-move-checkers": Row("moves/s", partial(online, "checkers", 2)),
    "learn-td-10": Row("games/s", partial(learn_weights, "othello-10", 1000, "td")),
    "learn-td-lambda-checkers": Row(
        "games/s", partial(learn_weights, "checkers", 4000, "td-lambda", decay=0.7)
    ),
    "learn-td-leaf-6": Row("games/s", partial(learn_by_search, "othello-6", 700)),
    "learn-tables": Row("games/s", partial(learn_tables, "othello", 2000)),
    "learn-tables-checkers": Row("games/s", partial(learn_tables, "checkers", 2500)),
    "replay": Row("games/s", partial(replayed, "othello", 40_000)),
    "replay-checkers": Row("games/s", partial(replayed, "checkers", 15_000)),
    "count-nodes": Row("nodes/s", partial(counted, "othello", 7, 10)),
    "count-nodes-10": Row("nodes/s", partial(counted, "othello-10", 5, 20)),
    "batches": Row("boards/s", partial(batches, 4000)),
    "single-calls": Row("calls/s", partial(single_calls, 250)),
    "lowering": Row("trees/s", partial(lowered, 5)),
    "searcher": Row("nodes/s", partial(thought, "othello", 8, 20)),
}
