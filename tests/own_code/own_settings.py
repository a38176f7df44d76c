"""Small configs of runs with parts in Python."""

from typing import Any

from evoply.evolution import EvolutionConfig


def small_config(**changes: Any) -> EvolutionConfig:
    """Return a config whose generations take a few hundredths of a second."""
    settings: dict[str, Any] = {
        "game": "othello-4",
        "seed": 1,
        "population_size": 10,
        "generations": 3,
        "hall_of_fame": {"size": 2, "candidates": 2, "sample": 2, "pairs": 2, "final_pairs": 2},
    }
    fitness = {"opponents": [{"player": "random", "pairs": 2}], **changes.pop("fitness", {})}
    return EvolutionConfig(**{**settings, **changes, "fitness": fitness})


SHORT = {"measure": "python:parts.py:Short"}
# One worker: each takes as long to start as all these runs take.
SMALL: dict[str, Any] = {
    "seeds": 1, "games": 10, "points": 1, "measure": "score:mobility", "workers": 1,
}  # fmt: skip
