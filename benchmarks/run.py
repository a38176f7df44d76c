"""Ours, a peer, and the ratio, measured in one run on one core.

The rows go to target/bench/results.json, and with --keep to benchmarks/results.json, which the
documentation shows.

A bare time says little on a noisy machine; the ratio to a peer in the same run says more. Rows of
perft check their counts; that games and searches are right is the tests' business.
"""

import argparse
import io
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from statistics import harmonic_mean, median
from typing import Any
from unittest.mock import patch

import data_games
import growth
import numpy as np
import patterns
import peers
import pyspiel
import rust_reversi
import startup
from deap import gp as deap_gp
from ingredients import kernel_player, positions, search_all, tree_players, trees_of_size
from kernels import library_of_the_tree
from measuring import Row, Work, bench, cpu_timed, rate, timed, written_to
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from workloads import ROWS

from evoply import _native
from evoply.arena import Schedule, play
from evoply.expressions import (
    DIFFERENCES,
    FIREBRAND_FEATURES,
    PRIMITIVE_SETS,
    outputs_to_json,
)
from evoply.games import SHAPES, game_rules
from evoply.games.formats import obf, wthor
from evoply.games.othello import Game, Position
from evoply.gp import Limits, lower, subtree_crossover
from evoply.players import SWH_WEIGHTS, KernelSeat, Online, solve
from evoply.players.online import evolved

LIMITS = Limits(max_depth=17, max_nodes=200)


def perft_row() -> Row:
    start = Position()
    seconds = timed(lambda: _native.perft("othello", start.row, 11, 1))
    assert _native.perft("othello", start.row, 11, 1) == 212_258_800
    peer = timed(lambda: peers.perft(rust_reversi.Board(), 7), 1)
    assert peers.perft(rust_reversi.Board(), 7) == 55_092
    ours, theirs = 212_258_800 / seconds, 55_092 / peer
    return Row("perft-11", "leaves/s", ours, "rust_reversi, Python loop", theirs, ours / theirs)


def perft_on_path_row(path: str) -> Row | None:
    """Count the same on another path of this machine, in a process of its own."""
    code = (
        "import time; from evoply import _native; from evoply.games.othello import Position;"
        "s = Position(); f = lambda: _native.perft('othello', s.row, 11, 1);"
        "times = [(time.perf_counter(), f(), time.perf_counter()) for _ in range(3)];"
        "assert times[0][1] == 212_258_800; print(min(c - a for a, _, c in times))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "EVOPLY_CPU": path}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if "EVOPLY_CPU" in done.stderr:
        return None  # The machine has no such path.
    done.check_returncode()
    start = Position()
    best = timed(lambda: _native.perft("othello", start.row, 11, 1))
    seconds = float(done.stdout)
    rate = 212_258_800 / seconds
    return Row(f"perft-11-{path}", "leaves/s", rate, f"our {_native.cpu}", 212_258_800 / best,
               best / seconds)  # fmt: skip


def perft_10_row() -> Row:
    start = Position(10)
    seconds = timed(lambda: _native.perft("othello-10", start.row, 9, 1))
    assert _native.perft("othello-10", start.row, 9, 1) == 3_045_812
    eight = Position()
    peer = timed(lambda: _native.perft("othello", eight.row, 9, 1))
    ours, theirs = 3_045_812 / seconds, 3_005_288 / peer
    return Row("othello-10-perft", "leaves/s", ours, "our 8x8", theirs, ours / theirs)


def checkers_perft_row() -> Row:
    start = game_rules("checkers").start()
    seconds = timed(lambda: _native.perft("checkers", start.row, 11, 1))
    assert _native.perft("checkers", start.row, 11, 1) == 85_242_128
    peer = timed(lambda: peers.checkers_perft(3), 1)
    assert peers.checkers_perft(3) == 302
    ours, theirs = 85_242_128 / seconds, 302 / peer
    return Row("checkers-perft-11", "leaves/s", ours, "pydraughts", theirs, ours / theirs)


def co_play_row(game: str, primitives: str, depth: int) -> Row:
    """Play what a generation of Benbassat and Sipper's plays, on all cores; compare with one."""
    trees = trees_of_size(24, 50, PRIMITIVE_SETS[primitives])
    players = [
        KernelSeat(
            _native.Player(
                game, "alpha_beta", program, depth=depth, view="turn", ties="random",
                ordering="killer",
            )
        )
        for program in lower(trees, game)
    ]  # fmt: skip
    pairs = 24 * 10
    planned = Schedule.pairs(
        np.arange(pairs, dtype=np.uint32) % 24,
        (np.arange(pairs, dtype=np.uint32) * 7 + 5) % 24,
        stream=_native.Stream(1, "benchmark"),
        opening_plies=4,
        start=game_rules(game).start().row,
    )
    rate, alone = (
        2 * pairs / timed(partial(play, game, players, planned, threads=threads))
        for threads in (0, 1)
    )
    return Row(f"co-play-{game}", "games/s", rate, "one thread", alone, rate / alone)


def random_row() -> Row:
    ours, theirs = rate("random-games"), peers.random_games(2)
    return Row("random-games", "games/s", ours, "rust_reversi, Python loop", theirs, ours / theirs)


def gp_games_row(depth: int, seconds: float) -> Row:
    """Play the games of random pairs of trees; the peer takes *seconds* for each pair."""
    name = f"gp-games-{depth}ply"
    ours, pset = rate(name), peers.primitive_set()
    compiled = [deap_gp.compile(peers.deap_text(tree), pset) for tree in trees_of_size(16, 50)]
    pairs = [compiled[at : at + 2] for at in range(0, len(compiled), 2)]
    theirs = harmonic_mean(peers.play_games(pair, depth, seconds) for pair in pairs)
    return Row(name, "games/s", ours, "DEAP + rust_reversi", theirs, ours / theirs)


def peer_boards(rows: list[tuple[int, int, int, bool, int, int]]) -> list[rust_reversi.Board]:
    boards = []
    for black, white, _, black_moves, _, _ in rows:
        board = rust_reversi.Board()
        own, opponent = (black, white) if black_moves else (white, black)
        turn = rust_reversi.Turn.BLACK if black_moves else rust_reversi.Turn.WHITE
        board.set_board(own, opponent, turn)
        boards.append(board)
    return boards


def alphabeta_row(name: str, depth: int, options: str = "") -> Row:
    rows = positions(20)
    plain = kernel_player(f"material:depth={depth},ordering=none")
    player = kernel_player(f"material:depth={depth}{options}")
    for row in rows if options else ():
        # Moves and values are those of the plain search.
        assert _native.analyse(player, *row, 0)[:2] == _native.analyse(plain, *row, 0)[:2]
    boards = peer_boards(rows)
    # Its "depth d" looks d + 1 plies ahead.
    search = rust_reversi.AlphaBetaSearch(rust_reversi.PieceEvaluator(), depth - 1, 10**9)
    peer = cpu_timed(lambda: [search.get_move(board) for board in boards])
    seconds = cpu_timed(lambda: search_all(player, rows))
    rate = search_all(player, rows) / seconds
    return Row(name, "nodes/s", rate, "rust_reversi, equal plies (ratio of times)",
               None, peer / seconds)  # fmt: skip


def weighted_counter_row() -> Row:
    """Search by weighted counts of discs; the peer has the same weights."""
    rows, player = positions(100), kernel_player("swh:depth=5")
    matrix = [[round(100 * w) for w in SWH_WEIGHTS[at : at + 8]] for at in range(0, 64, 8)]
    search = rust_reversi.AlphaBetaSearch(rust_reversi.MatrixEvaluator(matrix), 4, 10**9)
    boards = peer_boards(rows)
    peer = cpu_timed(lambda: [search.get_move(board) for board in boards])
    ratio = peer / cpu_timed(lambda: search_all(player, rows))
    return Row("weighted-counter-search", "nodes/s", rate("weighted-counter-search"),
               "rust_reversi, equal plies (ratio of times)", None, ratio)  # fmt: skip


def staged_row() -> Row:
    """Search with four stages; the ratio is the time a node over that of the dearest of them."""
    runs = [ROWS["staged-search"].work() for _ in range(5)]
    best = max(run.amount / run.seconds for run in runs)
    ratio = median(run.ratio for run in runs if run.ratio is not None)
    return Row("staged-search", "nodes/s", best, "its dearest stage (ratio of times a node)", None,
               ratio)  # fmt: skip


def tree_in_search_row(depth: int) -> Row:
    rows = positions(20)
    trees = trees_of_size(4, 50)

    def rate(players: list[_native.Player]) -> float:
        nodes = sum(search_all(player, rows) for player in players)
        return nodes / timed(lambda: [search_all(player, rows) for player in players])

    material = kernel_player(f"material:depth={depth},ordering=none")
    with_tree, counting = rate(tree_players(trees, depth, ordering="none")), rate([material])
    return Row("tree-in-search", "ns/node", 1e9 / with_tree, "our piece counting (ratio of rates)",
               1e9 / counting, with_tree / counting)  # fmt: skip


def analyse_table_row() -> Row:
    """Choose at depth 1 with a large table, which nothing is kept in; 500 choices."""
    row, count = Position().row, 500
    players = [kernel_player(f"material:depth=1{table}") for table in (",table=20", "")]
    seconds = [timed(partial(search_all, player, [row] * count), 5) for player in players]
    with_table, without = (1e6 * one / count for one in seconds)
    return Row("analyse-table", "us", with_table, "our player without a table", without,
               without / with_table)  # fmt: skip


def threads_row() -> Row:
    runs = [ROWS["threads-2"].work() for _ in range(3)]
    best = min(runs, key=lambda run: run.seconds)
    two, one = best.amount / best.seconds, best.amount / best.seconds / (best.ratio or 1)
    return Row("threads-2", "games/s", two, "one thread", one, two / one)


def solve_threads_row() -> Row:
    """Solve single positions of 20 and 22 empty squares on two threads and on one; by the clock."""
    text = Path(__file__).parents[1].joinpath("testdata", "ffo", "fforum-20-39.obf").read_text()
    positions = [problem.position for problem in obf.read(text)]
    large = [position for position in positions if position.empty.bit_count() in (20, 22)]

    def seconds(threads: int) -> tuple[float, list[int]]:
        solutions = [solve(position, threads=threads) for position in large]
        return sum(solution.seconds for solution in solutions), [one.score for one in solutions]

    # In turns, as the machine may be busier at one time than at another.
    runs = [(seconds(1), seconds(2)) for _ in range(3)]
    assert all(one[1] == two[1] == runs[0][0][1] for one, two in runs)
    one, two = min(run[0][0] for run in runs), min(run[1][0] for run in runs)
    return Row("endgame-threads-2", "s", two, "one thread", one, one / two)


def online_row() -> Row:
    """Evolve before Black's first move at the paper's settings; Python ends with the same alpha."""
    start, player = Position(), Online()
    with patch.object(_native, "online_move", wraps=_native.online_move) as call:
        alpha = evolved(player, start, 1, None)
    seconds = timed(lambda: evolved(player, start, 1, None, threads=0), 10)
    began = time.perf_counter()
    answer = peers.online_alpha(start.row, 1, dict(call.call_args.kwargs))
    peer = time.perf_counter() - began
    assert answer == (list(alpha.tree), list(alpha.strategy.weights), alpha.games)
    return Row("online-move", "ms", seconds * 1e3, "the same in Python over rust_reversi",
               peer * 1e3, peer / seconds)  # fmt: skip


def learning_row() -> Row:
    """Learn FIREBRAND's 11 weights and time weights from whole games of self-play, a ply ahead."""
    features = [DIFFERENCES[name] for name in FIREBRAND_FEATURES]
    outputs = outputs_to_json([feature.expression for feature in features], SHAPES[10])
    program, start = _native.Program("othello-10", outputs), Position(10).row
    scales = [feature.scale(SHAPES[10]) for feature in features]
    begun = [[0.1 * (-1) ** index, 1.0] for index in range(len(features))]

    def learned(games: int) -> NDArray[np.float64]:
        answer = _native.learn_games(
            "othello-10", program, [start], weights=np.array(begun)[:, 0].copy(),
            time_weights=np.array(begun)[:, 1:].copy(), scales=np.array(scales), clip=True, key=1,
            first_game=0, games=games, rates=np.full((games, 2), 0.01), rule="td", epsilon=0.1,
        )  # fmt: skip
        return np.column_stack([answer["weights"], answer["time_weights"]])

    rate = 2000 * 60 / cpu_timed(lambda: learned(2000))
    settings: dict[str, Any] = {
        "weights": begun, "scales": scales, "key": 1, "rates": [(0.01, 0.01)] * 5, "rule": "td",
        "epsilon": 0.1,
    }  # fmt: skip
    began = time.process_time()
    theirs = peers.learned_weights("othello-10", program, start, settings)
    peer = 5 * 60 / (time.process_time() - began)
    assert theirs == learned(5).tolist()
    return Row("td-linear-10", "games/min", rate, "the same in Python over our rules", peer,
               rate / peer)  # fmt: skip


def pattern_rows(scale: int) -> Iterator[Row]:
    """Learn tables of patterns, search with them, and count boards up to symmetry."""
    yield Row(
        "ntuple-selfplay", "games/min", patterns.self_play(10_000 * scale), "none", None, None
    )
    ours, theirs = patterns.search(positions(20), 7)
    yield Row("pattern-search", "nodes/s", ours, "our piece counting", theirs, ours / theirs)
    careful, careless = patterns.guarded(400)
    yield Row("guarded-search", "us", careful, "without the guard", careless, careless / careful)
    boards, plain = patterns.perft_12()
    yield Row("perft-12-table", "s", boards, "our plain count", plain, plain / boards)


def replay_row() -> Row:
    """Read and play the games of a WTHOR file on one core; Python ends with the same discs."""
    games = 10_000
    player, seats = _native.Player("othello", "random"), np.zeros(games, np.uint32)
    keys = _native.Stream(1, "wthor").keys(games)
    moves = _native.play(
        "othello", [player], seats, seats, keys, keys, starts=[Position().row], record_moves=True
    ).moves  # fmt: skip
    file = io.BytesIO()
    wthor.write((Game.from_codes(codes, Position()) for codes in moves or ()), file)
    data = file.getvalue()
    seconds = timed(lambda: wthor.replay(data, threads=1))
    replayed = wthor.replay(data, threads=1)
    few = data[: 16 + 68 * (games // 10)]
    began = time.perf_counter()
    discs = peers.replayed_records(few)
    peer = time.perf_counter() - began
    assert bool(replayed.is_over.all())
    pairs = zip(replayed.black_discs.tolist(), replayed.white_discs.tolist(), strict=True)
    assert discs == list(pairs)[: len(discs)]
    ours, theirs = games / seconds, len(discs) / peer
    return Row("wthor-replay", "games/s", ours, "the same in Python over rust_reversi", theirs,
               ours / theirs)  # fmt: skip


def mcts_rows() -> Iterator[Row]:
    """Grow a tree from Othello's start by random playouts, on one core, as OpenSpiel does."""
    playouts, start = 100_000, Position().row
    theirs = data_games.playouts_of(pyspiel.load_game("othello"), 1000)
    for name, gather in (("mcts-playouts", 16), ("mcts-one-by-one", 1)):
        player = kernel_player(f"mcts:playouts={playouts},gather={gather}")
        ours = playouts / cpu_timed(partial(_native.analyse, player, *start, 1))
        yield Row(name, "playouts/s", ours, "OpenSpiel", theirs, ours / theirs)


def data_game_rows() -> Iterator[Row]:
    """Games whose rules are data, beside the same rules compiled and beside OpenSpiel in C++."""
    for what, ours, theirs, peer in data_games.speeds(50_000):
        yield Row(f"data: {what}", "games/s", ours, peer or "none", theirs if peer else None,
                  ours / theirs if peer else None)  # fmt: skip


def offspring_row() -> Row:
    trees = trees_of_size(100, 50)
    stream = _native.Stream(1, "offspring")
    count = 10_000

    def ours() -> None:
        for index in range(count // 2):
            subtree_crossover(trees[index % 100], trees[(index + 1) % 100], LIMITS, stream)

    pset = peers.primitive_set()
    parents = [deap_gp.PrimitiveTree.from_string(peers.deap_text(tree), pset) for tree in trees]

    def theirs() -> None:
        for index in range(count // 2):
            first = deap_gp.PrimitiveTree(parents[index % 100])
            second = deap_gp.PrimitiveTree(parents[(index + 1) % 100])
            deap_gp.cxOnePoint(first, second)

    our_time, their_time = timed(ours) / count, timed(theirs) / count
    return Row("offspring", "us", our_time * 1e6, "DEAP copy + cxOnePoint (no limits)",
               their_time * 1e6, their_time / our_time)  # fmt: skip


def lowering_row() -> Row:
    trees = trees_of_size(200, 50)
    seconds = timed(lambda: lower(trees, "othello")) / len(trees)
    pset = peers.primitive_set()
    texts = [peers.deap_text(tree) for tree in trees]
    peer = timed(lambda: [deap_gp.compile(text, pset) for text in texts]) / len(trees)
    return Row("lowering", "us/tree", seconds * 1e6, "DEAP compile", peer * 1e6, peer / seconds)


def endgame_row(console: Console, suite: str) -> Row:
    """Solve an FFO suite, every score and move checked; print a line for each position."""
    text = Path(__file__).parents[1].joinpath("testdata", "ffo", f"fforum-{suite}.obf").read_text()
    problems = list(obf.read(text))
    first = int(suite.partition("-")[0])
    repeats = [[solve(problem.position) for problem in problems] for _ in range(3)]
    table = Table("FFO", "empty", "score", "move", "nodes", "s", "nodes/s", title=f"FFO {suite}")
    seconds = 0.0
    for number, (problem, *runs) in enumerate(zip(problems, *repeats, strict=True), start=first):
        best = min(runs, key=lambda solution: solution.seconds)
        assert (best.score, best.nodes) == (problem.score, runs[0].nodes)
        assert best.move in problem.best_moves
        seconds += best.seconds
        table.add_row(
            str(number), str(problem.position.empty.bit_count()), f"{best.score:+}", str(best.move),
            f"{best.nodes:,}", f"{best.seconds:.4f}", f"{best.nodes / best.seconds:,.0f}",
        )  # fmt: skip
    console.print(table)
    return Row(f"endgame-ffo-{suite}", "s", seconds, "none", None, None)


def refuse_the_library_of_the_tree() -> None:
    """End where evoply's library is the one in the tree: that may be a quick build."""
    own = library_of_the_tree()
    if own is not None and own.samefile(_native.__file__):
        sys.exit("python/evoply - has a library that may be a quick build - run `make bench`")


def cluster_rows() -> Iterator[Row]:
    """Compare Dask's workers with the same cores, where `evoply[cluster]` is installed."""
    import dask_rows

    return (Row(*values) for values in dask_rows.rows())


def environment_rows() -> Iterator[Row]:
    """Steps of environments with a random policy, beside those of OpenSpiel and PettingZoo."""
    import environments

    return (Row(*values) for values in environments.rows())


def growth_rows() -> Iterator[Row]:
    """Say what grows with long runs and with many."""
    return (Row(*values) for values in growth.rows())


def startup_rows() -> Iterator[Row]:
    """Say what commands cost before they do anything."""
    return (Row(*values) for values in startup.rows())


def works(*, is_long: bool, console: Console) -> Mapping[str, Work]:
    """Return what measures the rows of each name, in the order of the table."""
    scale = 4 if is_long else 1
    suites = ["1-19", "20-39"] if is_long else ["1-19"]
    return {
        "perft-11": perft_row,
        "perft-11-avx2": partial(perft_on_path_row, "avx2"),
        "perft-11-baseline": partial(perft_on_path_row, "baseline"),
        "othello-10-perft": perft_10_row,
        "checkers-perft-11": checkers_perft_row,
        "random-games": random_row,
        "alphabeta-material": partial(
            alphabeta_row, "alphabeta-material", 9 if is_long else 8, ",ordering=none"
        ),
        "alphabeta-ordered": partial(
            alphabeta_row, "alphabeta-ordered", 10 if is_long else 9, ",ordering=killer,table=18"
        ),
        "tree-in-search": partial(tree_in_search_row, 6),
        "analyse-table": analyse_table_row,
        "weighted-counter-search": weighted_counter_row,
        "staged-search": staged_row,
        "gp-games-1ply": partial(gp_games_row, 1, 0.5 * scale),
        "gp-games-3ply": partial(gp_games_row, 3, scale),
        "gp-games-4ply": partial(gp_games_row, 4, 2 * scale),
        "co-play-othello": partial(co_play_row, "othello", "benbassat", 4),
        "co-play-lose-checkers": partial(co_play_row, "lose-checkers", "benbassat-checkers", 4),
        "co-play-checkers-10": partial(co_play_row, "checkers-10", "benbassat-checkers-10", 3),
        "threads-2": threads_row,
        "endgame-threads-2": solve_threads_row,
        "online-move": online_row,
        "td-linear-10": learning_row,
        "patterns": partial(pattern_rows, scale),
        "wthor-replay": replay_row,
        "mcts": mcts_rows,
        "games from data": data_game_rows,
        "environments": environment_rows,
        "lowering": lowering_row,
        "offspring": offspring_row,
        "dask": cluster_rows,
        "growth": growth_rows,
        "start-up": startup_rows,
        **{f"endgame-ffo-{suite}": partial(endgame_row, console, suite) for suite in suites},
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--long", action="store_true", help="larger counts")
    parser.add_argument(
        "--keep", action="store_true", help="write benchmarks/results.json, for the documentation"
    )
    options = parser.parse_args()
    refuse_the_library_of_the_tree()
    rows = works(is_long=options.long, console=Console(width=120))
    return bench(rows, written_to("results.json", keep=options.keep))


if __name__ == "__main__":
    sys.exit(main())
