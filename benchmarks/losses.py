"""What moves lose, in discs: near the end exactly, in the middle or anywhere by a deep search.

Positions are one of each game of a player against itself after 8 random plies: with 13 empty
squares, with 34 to 45 discs, or anywhere. All players choose on the same positions; each is also
compared with the first, position by position.

    python benchmarks/losses.py strong:depth=1,guard=no strong:depth=1 --positions 4000
    python benchmarks/losses.py strong:depth=3,guard=no strong:depth=3 --from middle --positions 500
    python benchmarks/losses.py strong:level=1 strong:level=2 --from anywhere --positions 500
"""

import argparse
from collections.abc import Mapping

import numpy as np

import evoply as ep
from evoply import _native
from evoply._native import Stream
from evoply.games import game_rules
from evoply.learning.choices import boards_met
from evoply.players import KernelSeat
from evoply.protocols import Position

GAME = "othello"
END = 51
"""So many discs leave 13 empty squares."""
DISCS = {"end": (END, END), "middle": (34, 45), "anywhere": (12, 62)}
JUDGES = {
    "middle": "strong:depth=13,selective=1.5,endgame=16",
    "anywhere": "strong:depth=7,endgame=14",
}
"""Who values the boards after all moves, so that moves are searched one ply deeper."""
PLAYERS = "strong:depth=4,selective=1.5,endgame=10"
Values = Mapping[int, float]


def positions(text: str, count: int, seed: int, part: str) -> list[Position]:
    """Return at most *count* positions, each of another game that has one."""
    rules = game_rules(GAME)
    met = boards_met(
        [ep.parse_player(text, game=GAME)], GAME, games=count * 5 // 4, seed=seed,
        random_moves=0.0, opening_plies=8,
    )  # fmt: skip
    least, most = DISCS[part]
    of_game: dict[int, list[Position]] = {}
    for row, game in zip(met.rows, met.games.tolist(), strict=True):
        if least <= (row[0] | row[1]).bit_count() <= most:
            of_game.setdefault(game, []).append(rules.position_from_row(row))
    draws = Stream(seed, "positions")
    return [found[draws.below(len(found))] for found in of_game.values()][:count]


def judged(position: Position, part: str) -> Values:
    """Return the value of every move, by its code."""
    if (position.row[0] | position.row[1]).bit_count() >= END:
        solution = ep.solve(position, every_move=True)
        return {move.code(position.shape): score for move, score in solution.moves}
    found: dict[int, float] = {}
    for move in position.legal_moves:
        after = position.play(move)
        # A forced move has no value: the position after it has.
        while after.outcome() is None and len(after.legal_moves) == 1:
            after = after.play(after.legal_moves[0])
        if after.outcome() is not None:
            continue
        score = ep.analyse(JUDGES[part], after).score
        assert score is not None  # there are several moves
        is_other = after.turn != position.turn
        found[move.code(position.shape)] = -score if is_other else score
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("players", nargs="+", help="texts of players, or files")
    parser.add_argument("--positions", type=int, default=400)
    parser.add_argument("--from", dest="part", choices=DISCS, default="end", help="usually end")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--games-of", default=PLAYERS, help=f"who plays them; usually {PLAYERS}")
    options = parser.parse_args()
    boards = positions(options.games_of, options.positions, options.seed, options.part)
    values = [judged(board, options.part) for board in boards]
    batch = _native.Positions(GAME, [board.row for board in boards])
    keys = Stream(options.seed, "choices").keys(len(boards))
    first: np.ndarray | None = None
    for text in options.players:
        seat = ep.parse_player(text, game=GAME).seat(GAME)
        if not isinstance(seat, KernelSeat):
            parser.error(f"{text}: give a player that the kernel runs")
        codes, _ = batch.choose(seat.native, keys)
        pairs = zip(values, codes.tolist(), strict=True)
        lost = [max(found.values()) - found.get(code, np.nan) for found, code in pairs]
        losses = np.array(lost)
        line = f"{text}: {mean_of(losses)} discs a move"
        if first is None:
            first = losses
        else:
            share = np.nanmean(losses) / np.nanmean(first) - 1
            line += f"; {share:+.1%} against the first, difference {mean_of(losses - first)}"
        print(f"{line} ({len(boards)} positions, seed {options.seed})", flush=True)


def mean_of(values: np.ndarray) -> str:
    """Return the mean and its 95 % interval."""
    known = values[~np.isnan(values)]
    half = 1.96 * known.std(ddof=1) / len(known) ** 0.5
    return f"{known.mean():.3f} [{known.mean() - half:.3f}, {known.mean() + half:.3f}]"


if __name__ == "__main__":
    main()
