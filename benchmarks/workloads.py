"""The work that a kernel is timed at, and the same for every kernel that is compared.

`run.py` times it beside peers. Run as a program it is one side of `against.py`, with the evoply of
its own commit, and speaks the protocol of `rows`: the program follows the names of evoply, while
the names of rows and their work stay as they are. A row may be added; an older commit has it by a
file in `adapters`.
"""

import time
from functools import cache

import numpy as np
from answers import ANSWERS
from ingredients import kernel_player, positions, search_all, tree_players, trees_of_size
from rows import Row, Work, serve
from tasks import TASKS

from evoply import _native
from evoply.arena import Schedule, play
from evoply.expressions import PRIMITIVE_SETS
from evoply.games import game_rules
from evoply.gp import lower
from evoply.players import KernelSeat

PAIRS = 8  # of trees: one pair can be off by a factor of 3


def schedule(games: int) -> Schedule:
    """Return games between the first two players, each opening with both colours."""
    pairs = games // 2
    return Schedule.pairs(
        np.zeros(pairs, dtype=np.uint32),
        np.ones(pairs, dtype=np.uint32),
        stream=_native.Stream(1, "benchmark"),
        opening_plies=8,
        start=game_rules("othello").start().row,
    )


def _games(pairs: list[list[_native.Player]], games: int, threads: int = 1) -> Work:
    """Play *games* for each pair; wall time if there are threads."""
    clock = time.process_time if threads == 1 else time.perf_counter
    planned, answer = schedule(games), 0
    seats = [[KernelSeat(player) for player in pair] for pair in pairs]
    began = clock()
    for pair in seats:
        answer += int(play("othello", pair, planned, threads=threads).black_discs.sum())
    return Work(games * len(pairs), clock() - began, answer)


@cache
def _pairs(depth: int) -> list[list[_native.Player]]:
    players = tree_players(trees_of_size(2 * PAIRS, 50), depth)
    return [players[at : at + 2] for at in range(0, len(players), 2)]


def _nodes(players: list[_native.Player], count: int) -> Work:
    """Search from *count* positions with every player."""
    rows = positions(count)
    began = time.process_time()
    nodes = sum(search_all(player, rows) for player in players)
    return Work(nodes, time.process_time() - began, nodes)


def _random_games() -> Work:
    player = _native.Player("othello", "random")
    return _games([[player, player]], 200_000)


def _perft(game: str, depth: int) -> Work:
    start = game_rules(game).start().row
    began = time.process_time()
    leaves = _native.perft(game, start, depth, 1)
    return Work(leaves, time.process_time() - began, leaves)


def _trees_in_search() -> Work:
    trees = trees_of_size(2 * PAIRS, 50)[::2]
    return _nodes(tree_players(trees, 6, ordering="none"), 6)


def _staged_search() -> Work:
    """Search with four trees of 50 nodes, one for each quarter of the game, and with each alone."""
    trees = trees_of_size(4, 50)
    options = ":depth=5,primitives=liao+mobility"
    staged = _nodes([kernel_player(",25,".join(map(str, trees)) + ",25" + options)], 60)
    alone = [_nodes([kernel_player(f"{tree}{options}")], 60) for tree in trees]
    dearest = max(one.seconds / one.amount for one in alone)
    ratio = staged.seconds / staged.amount / dearest
    return Work(staged.amount, staged.seconds, staged.answer, ratio)


def _threads() -> Work:
    pair = _pairs(1)[:1]
    one, two = _games(pair, 20_000), _games(pair, 20_000, 2)
    return Work(two.amount, two.seconds, two.answer, one.seconds / two.seconds)


def _co_play(threads: int) -> Work:
    trees = trees_of_size(16, 50, PRIMITIVE_SETS["benbassat-checkers"])
    players = [
        _native.Player("lose-checkers", "alpha_beta", program, depth=4, view="turn", ties="random",
                       ordering="killer")
        for program in lower(trees, "lose-checkers")
    ]  # fmt: skip
    who = np.arange(160, dtype=np.uint32)
    planned = Schedule.pairs(
        who % 16,
        (who * 7 + 5) % 16,
        stream=_native.Stream(1, "benchmark"),
        opening_plies=4,
        start=game_rules("lose-checkers").start().row,
    )
    seats = [KernelSeat(player) for player in players]
    began = time.perf_counter()
    played = play("lose-checkers", seats, planned, threads=threads)
    return Work(320, time.perf_counter() - began, int(played.plies.sum()))


def _co_play_on_two() -> Work:
    one, two = _co_play(1), _co_play(2)
    return Work(two.amount, two.seconds, two.answer, one.seconds / two.seconds)


ROWS = {
    "perft-10": Row("leaves/s", lambda: _perft("othello", 10)),
    "checkers-perft-10": Row("leaves/s", lambda: _perft("checkers", 10)),
    "random-games": Row("games/s", _random_games),
    "alphabeta-material": Row("nodes/s", lambda: _nodes([kernel_player("material:depth=8")], 20)),
    "alphabeta-ordered": Row(
        "nodes/s", lambda: _nodes([kernel_player("material:depth=9,ordering=killer,table=18")], 20)
    ),
    "tree-in-search": Row("nodes/s", _trees_in_search),
    # Without an order of moves both kernels visit the same nodes.
    "weighted-counter-search": Row(
        "nodes/s", lambda: _nodes([kernel_player("swh:depth=5,ordering=none")], 100)
    ),
    "staged-search": Row("nodes/s", _staged_search, "time a node, of that of its dearest stage"),
    "gp-games-1ply": Row("games/s", lambda: _games(_pairs(1), 2_000)),
    "gp-games-3ply": Row("games/s", lambda: _games(_pairs(3), 60)),
    "gp-games-4ply": Row("games/s", lambda: _games(_pairs(4), 16)),
    "threads-2": Row("games/s", _threads, "of one thread"),
    "co-play-lose-checkers": Row("games/s", _co_play_on_two, "of one thread"),
    **TASKS,
    **ANSWERS,
}


if __name__ == "__main__":
    serve(ROWS)
