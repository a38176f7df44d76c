"""Processor time of a move of Othello, in games of a player against itself after 8 random plies.

python benchmarks/move_times.py strong --games 100
python benchmarks/move_times.py strong:level=12 --games 2
"""

import argparse
import time

import numpy as np

import evoply as ep
from evoply import _native
from evoply._native import Stream
from evoply.games import game_rules
from evoply.players import KernelSeat

GAME = "othello"
OPENING = 8


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("player", help="the text of a player, or a file")
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--seed", type=int, default=50)
    options = parser.parse_args()
    seat, rules = ep.parse_player(options.player, game=GAME).seat(GAME), game_rules(GAME)
    if not isinstance(seat, KernelSeat):
        parser.error(f"{options.player}: give a player that the kernel runs")
    seconds: list[float] = []
    for game in range(options.games):
        position, opening, ply = rules.start(), Stream(options.seed, game), 0
        while position.outcome() is None:
            moves = position.legal_moves
            move = moves[opening.below(len(moves))] if ply < OPENING else moves[0]
            if ply >= OPENING and len(moves) > 1:
                key = Stream(1, game, ply).key
                began = time.process_time()
                code = _native.analyse(seat.native, *position.row, key)[0]
                seconds.append(time.process_time() - began)
                move = rules.move_from_code(code)
            position, ply = position.play(move), ply + 1
    times = 1000 * np.array(seconds)
    half, most, nearly_all = np.quantile(times, (0.5, 0.95, 0.99))
    print(
        f"{options.player}: {len(times):,} moves; half take at most {half:.2f} ms, 95 of 100 "
        f"{most:.2f} ms, 99 of 100 {nearly_all:.2f} ms, the longest {times.max():.1f} ms"
    )


if __name__ == "__main__":
    main()
