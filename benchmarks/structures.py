"""How well tables of other patterns and stages fit the same labels of Othello.

Labels come from the tables of `strong`, four plies deep; those of the fresh boards that tell the
errors from eight plies. Every structure begins with the entries of `strong`.

    python benchmarks/structures.py --games 80000 --fresh 1720 --seed 1
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evoply import _native
from evoply._native import Stream
from evoply.expressions import program_with_parameters
from evoply.games import game_rules
from evoply.learning import PatternConfig, load_pattern_config
from evoply.learning.labels import Labelled, fitted, labelled_boards
from evoply.players import strong_tables

GAME = "othello"
LARGER = 3
"""Patterns of ten squares that came last to those of `strong`."""
AT_ONCE = 40_000
STAGES_OF_TWO = tuple(range(6, 64, 2))


@dataclass(frozen=True, slots=True)
class Structure:
    """The patterns of `strong` but for the last ones, in stages, mixed or not."""

    name: str
    left_out: int
    stages: tuple[int, ...]
    mixed: bool


def structures() -> list[Structure]:
    """Return what is compared, one change after another."""
    usual = strong_tables(GAME).stages
    return [
        Structure("fourteen patterns", LARGER, usual, mixed=False),
        Structure("the same, mixed", LARGER, usual, mixed=True),
        Structure("the same in stages of two discs", LARGER, STAGES_OF_TWO, mixed=False),
        Structure("seventeen patterns", 0, usual, mixed=False),
        Structure("seventeen patterns, mixed", 0, usual, mixed=True),
    ]


def config_of(structure: Structure, depth: int, endgame: int) -> PatternConfig:
    """Return the preset `strong` with another structure and other searches."""
    preset = load_pattern_config("strong")
    assert preset.labels is not None
    labels = preset.labels.model_copy(update={"depth": depth, "endgame": endgame, "memory": 1.0})
    changes = {"stages": structure.stages, "mixed": structure.mixed, "labels": labels}
    patterns = preset.patterns[: len(preset.patterns) - structure.left_out]
    return preset.model_copy(update={**changes, "patterns": patterns})


def begun(config: PatternConfig) -> NDArray[np.float64]:
    """Return the entries of `strong` for the structure of *config*."""
    packed, entries, at = strong_tables(GAME), [], 0
    tables, begins = len(packed.stages) + 1, (0, *config.stages)
    stage = np.searchsorted(np.array(packed.stages), begins, side="right")
    for pattern in packed.patterns[: len(config.patterns)]:
        size = 3 ** len(pattern.squares.split())
        known = packed.values[at : at + tables * size].reshape(tables, size)
        entries.append(known[stage].ravel())
        at += tables * size
    return np.concatenate(entries)


def error(program: _native.Program, boards: Labelled) -> float:
    """Return the root of the mean squared error of a program's values."""
    batch = _native.Positions(game_rules(GAME).kernel, boards.rows)
    return float(np.sqrt(np.mean((program.evaluate(batch)[:, 0] - boards.values) ** 2)))


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--games", type=int, default=4_000)
    parser.add_argument("--fresh", type=int, default=100, help="games of fresh boards")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args(arguments)
    usual = config_of(structures()[-1], 4, 14)
    teacher = strong_tables(GAME).program
    stream = Stream(chosen.seed, "structures")
    deep = config_of(structures()[-1], 8, 16)
    fresh = labelled_boards(deep, teacher, games=chosen.fresh, stream=stream.child("fresh"))
    print(f"{len(fresh.rows):,} fresh boards; before: {error(teacher, fresh):.3f} discs")
    parts = [
        labelled_boards(
            usual, teacher, games=min(AT_ONCE, chosen.games - first), stream=stream.child(first)
        )
        for first in range(0, chosen.games, AT_ONCE)
    ]
    print(f"{sum(len(part.rows) for part in parts):,} labels")
    for structure in structures():
        config = config_of(structure, 4, 14)
        entries = begun(config)
        program = program_with_parameters(config.value(), GAME).with_parameters(entries)
        visits = np.zeros(len(entries))
        for part in parts:
            found = fitted(config, program, part, visits, threads=0)
            program, visits = program.with_parameters(found.parameters), found.visits
        print(f"{structure.name}: {len(entries):,} entries, {error(program, fresh):.3f} discs")


if __name__ == "__main__":
    main()
