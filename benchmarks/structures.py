"""How well tables of other patterns and stages fit the same labels of Othello.

Labels come from the tables of `strong`, four plies deep; those of the fresh boards that tell the
errors from eight plies. Every structure begins with the entries of `strong` where it has the same
patterns, and zeros elsewhere.

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
from evoply.learning.configs import PatternSettings
from evoply.learning.labels import Labelled, fitted, labelled_boards
from evoply.players import strong_tables

GAME = "othello"
LARGER = (
    "a1 b1 c1 d1 a2 b2 c2 a3 b3 a4", "a1 b1 c1 d1 e1 a2 b2 a3 a4 a5",
    "a1 c1 d1 e1 f1 h1 c2 d2 e2 f2",
)  # fmt: skip
"""Patterns of ten squares beside those of `strong`."""
AT_ONCE = 40_000
STAGES_OF_TWO = tuple(range(6, 64, 2))


@dataclass(frozen=True, slots=True)
class Structure:
    """The patterns of `strong` and others, in stages, mixed or not."""

    name: str
    others: tuple[str, ...]
    stages: tuple[int, ...]
    mixed: bool


def structures() -> list[Structure]:
    """Return what is compared, one change after another."""
    usual = strong_tables(GAME).stages
    return [
        Structure("fourteen patterns", (), usual, mixed=False),
        Structure("the same, mixed", (), usual, mixed=True),
        Structure("the same in stages of two discs", (), STAGES_OF_TWO, mixed=False),
        Structure("seventeen patterns", LARGER, usual, mixed=False),
        Structure("seventeen patterns, mixed", LARGER, usual, mixed=True),
    ]


def config_of(structure: Structure, depth: int, endgame: int) -> PatternConfig:
    """Return the preset `strong` with another structure and other searches."""
    preset = load_pattern_config("strong")
    assert preset.labels is not None
    labels = preset.labels.model_copy(update={"depth": depth, "endgame": endgame, "memory": 1.0})
    changes = {"stages": structure.stages, "mixed": structure.mixed, "labels": labels}
    others = tuple(PatternSettings(squares=squares) for squares in structure.others)
    return preset.model_copy(update={**changes, "patterns": preset.patterns + others})


def begun(config: PatternConfig) -> NDArray[np.float64]:
    """Return entries for the structure of *config*, those of `strong` where it has them."""
    packed, entries, known = strong_tables(GAME), [], {}
    at, tables = 0, len(packed.stages) + 1
    for pattern in packed.patterns:
        size = 3 ** len(pattern.squares.split())
        known[pattern.squares] = packed.values[at : at + tables * size].reshape(tables, size)
        at += tables * size
    begins = (0, *config.stages)
    stage = np.searchsorted(np.array(packed.stages), begins, side="right")
    for squares in (pattern.squares for pattern in packed.patterns):
        entries.append(known[squares][stage].ravel())
    whole = np.concatenate(entries)
    return np.pad(whole, (0, sum(config.entries_of_tables()) * len(begins) - len(whole)))


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
