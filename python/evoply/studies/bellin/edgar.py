"""Learns the table of the Edgar-like player: `python -m evoply.studies.bellin.edgar`.

Edgar, by Astro Teller, was the fixed opponent in the course of Liao and of Bellin & Gasperin
("Genetic Programming and Othello", section 3): a table over move number and square, made from
70,000 games. Its numbers are lost. The player `edgar-like` has the same shape (60 tables of 64
squares, one per ply of the choosing position); it need not play like the original.

The method is self-play with terminal credit. In batches of games the player of the present table
plays itself, one move in ten at random; after each batch the weight of every (ply, square) moves
towards the mean final result of the sides with a disc on that square after their move at that ply:
1 for a win, -1 for a loss, with the sign changed for a disc of the opponent. Weights are averaged
over the four symmetries of the start. The training of the lost original is otherwise unknown.
"""

import argparse
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evoply import _native
from evoply.arena import Schedule, play
from evoply.environment.files import write_atomically
from evoply.expressions import program_with_parameters
from evoply.games.othello import Move, Position
from evoply.players import KernelSeat
from evoply.players.named import weights_by_ply

GAME = "othello"
GAMES = 70_000
PLIES = 60
SQUARES = 64
_BATCH = 1000
_RANDOM_MOVES = 0.1
_SMALLEST_STEP = 0.05
_DECIMALS = 4
_SYMMETRIES = (0, 3, 4, 7)
"""The symmetries that keep the start position."""

Array = NDArray[np.float64]


def learn(
    games: int = GAMES, seed: int = 1, *, progress: Callable[[int], object] | None = None
) -> Array:
    """Return a table of 60 plies by 64 squares learned from *games* games, in [-1, 1].

    The same *games* and *seed* give the same table. *progress* is called with the games played.
    """
    stream = _native.Stream(seed, "edgar")
    tables = np.zeros((PLIES, SQUARES))
    program = program_with_parameters(weights_by_ply(tables.tolist()), GAME)
    for number, begin in enumerate(range(0, games, _BATCH)):
        count = min(_BATCH, games - begin)
        # The same table weighs own discs and those of the opponent.
        present = program.with_parameters(np.tile(tables.ravel(), 2))
        sums, counts = batch_sums(present, count, stream.child("batch", number))
        sums, counts = over_symmetries(sums), over_symmetries(counts)
        means = np.divide(sums, counts, out=tables.copy(), where=counts > 0)
        tables += max(1 / (number + 1), _SMALLEST_STEP) * (means - tables)
        if progress is not None:
            progress(begin + count)
    return tables.round(_DECIMALS)


def batch_sums(program: _native.Program, games: int, stream: _native.Stream) -> tuple[Array, Array]:
    """Return sums of results and numbers of discs for each ply and square of *games* games."""
    native = _native.Player(GAME, "after_state", program, ties="random", epsilon=_RANDOM_MOVES)
    schedule = Schedule(
        black=np.zeros(games, dtype=np.uint32),
        white=np.zeros(games, dtype=np.uint32),
        opening_keys=stream.child("opening").keys(games),
        game_keys=stream.child("game").keys(games),
        opening_plies=0,
        starts=(Position().row,),
    )
    results = play(GAME, [KernelSeat(native)], schedule, record_moves=True)
    outcomes = np.sign(results.black_discs - results.white_discs)
    # One row for each move: ply, result for the mover, mover's discs, the opponent's.
    rows: list[tuple[int, int, int, int]] = []
    for codes, outcome in zip(results.moves or [], outcomes.tolist(), strict=True):
        start = Position()
        sides = [start.black, start.white]
        for ply, code in enumerate(codes):
            mover = ply % 2
            square = Move.from_code(code).square
            if square is None:
                continue
            flips = _native.othello_flips(8, sides[mover], sides[1 - mover], square)
            sides[mover] |= flips | 1 << square
            sides[1 - mover] &= ~flips
            result = -outcome if mover else outcome
            rows.append((min(ply, PLIES - 1), result, sides[mover], sides[1 - mover]))
    plies = np.array([row[0] for row in rows])
    points = np.array([row[1] for row in rows], dtype=np.float64)[:, None]
    own, other = (_bits([row[column] for row in rows]) for column in (2, 3))
    sums, counts = np.zeros((PLIES, SQUARES)), np.zeros((PLIES, SQUARES))
    np.add.at(sums, plies, points * (own - other))
    np.add.at(counts, plies, own + other)
    return sums, counts


def _bits(sets: list[int]) -> Array:
    """Return sets of squares as rows of 64 zeros and ones, from a1."""
    words = np.array(sets, dtype="<u8")
    return np.unpackbits(words.view(np.uint8).reshape(-1, 8), axis=1, bitorder="little").astype(
        np.float64
    )


def over_symmetries(values: Array) -> Array:
    """Return the sums over the symmetries of the start, for every square."""
    total = np.zeros_like(values)
    for index in _SYMMETRIES:
        places = [
            _native.symmetry(8, 1 << square, index).bit_length() - 1 for square in range(SQUARES)
        ]
        total += values[:, places]
    return total


def main() -> None:
    """Learn the table and write it as JSON, with the command that made it."""
    parser = argparse.ArgumentParser(description="Learn the table of the Edgar-like player.")
    parser.add_argument("--games", type=int, default=GAMES)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", type=Path, default=Path("edgar.json"))
    options = parser.parse_args()
    tables = learn(options.games, options.seed, progress=lambda done: print(f"{done:,} games"))
    write_atomically(options.output, table_text(tables, games=options.games, seed=options.seed))


def table_text(tables: Array, *, games: int, seed: int) -> str:
    """Return the file of a table: how it was made, then one line per ply."""
    head = {
        "format": 1,
        "kind": "evoply table by ply and square",
        "about": "An Edgar-like player, learned by self-play with terminal credit; not the "
        "original Edgar, whose numbers are lost. Part of evoply and under its licence.",
        "command": f"python -m evoply.studies.bellin.edgar --games {games} --seed {seed}",
        "games": games,
        "seed": seed,
    }
    opening = json.dumps(head, indent=1)[:-2]
    lines = ",\n".join("  " + json.dumps(row) for row in tables.tolist())
    return f'{opening},\n "tables": [\n{lines}\n ]\n}}\n'


if __name__ == "__main__":
    main()
