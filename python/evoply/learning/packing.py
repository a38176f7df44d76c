"""Packing of learned tables into the file that ships: rounded, with cuts and their origin.

Reasons: docs/design/players.md.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evoply import _native
from evoply.expressions import OTHELLO_PATTERNS
from evoply.games import game_rules
from evoply.learning.fitting import PAIRS, fitted_cuts, measured_values
from evoply.learning.labels import search_of_tables
from evoply.learning.pattern_config import PATTERN_LEARNER, PatternConfig, load_pattern_config
from evoply.players.packed import PackedPattern, PackedTables, rounded
from evoply.presets import PRESETS

DEEPEST = max(PAIRS)
POSITIONS = 60
DEPTH = 8


def pack(
    config: PatternConfig,
    parameters: NDArray[np.float64],
    *,
    about: dict[str, Any] | None = None,
    positions: int = POSITIONS,
    depth: int = DEPTH,
    seed: int = 1,
    progress: Callable[[int, int], object] = lambda done, of: None,
) -> PackedTables:
    """Return the tables of *parameters*, learned as *config* says, as a file holds them.

    Cuts are fitted to *positions* positions of every stage, searched to at most *depth* plies.
    *about* holds further facts about the origin of the tables for the file.
    """
    rules = game_rules(config.game)
    if not 1 <= positions <= 100_000:
        raise ValueError(f"positions: {positions:,} is not from 1 to 100,000")
    if not 1 <= depth <= DEEPEST:
        raise ValueError(f"depth: {depth} is not from 1 to {DEEPEST}")
    tables = PackedTables(
        game=config.game,
        made={
            "version": _native.__version__,
            "commands": _commands(config, positions, depth, seed),
            **(about or {}),
            "fitting": {"positions": positions, "depth": depth, "seed": seed},
            "config": config.model_dump(mode="json"),
        },
        patterns=tuple(
            PackedPattern(
                squares=OTHELLO_PATTERNS.get(pattern.squares, pattern.squares),
                symmetries=rules.symmetries if pattern.symmetries is None else pattern.symmetries,
            )
            for pattern in config.patterns
        ),
        stages=config.stages,
        cuts=(),
        entries=rounded(parameters),
        unit="discs" if config.labels is not None and config.counts_discs else "wins",
    )
    # The fit is to the rounded tables, which ship.
    measured = measured_values(
        search_of_tables(config, depth + 1),
        tables.program,
        config.game,
        stages=config.stages,
        positions=positions,
        depth=depth,
        seed=seed,
        progress=progress,
    )
    cuts = fitted_cuts(measured, config.game, config.stages)
    return PackedTables(**{**tables.model_dump(), "cuts": cuts})


def _commands(config: PatternConfig, positions: int, depth: int, seed: int) -> list[str]:
    """Return the commands that make the file again, with the preset if one has this config."""
    presets = [name for name, preset in PRESETS.items() if preset.learner == PATTERN_LEARNER]
    equal = [name for name in presets if load_pattern_config(name) == config]
    return [
        f"evoply learn {equal[0] if equal else 'CONFIG'} --name RUN",
        f"evoply pack RUN FILE --positions {positions} --depth {depth} --seed {seed}",
    ]
