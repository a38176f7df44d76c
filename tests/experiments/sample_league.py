"""Leagues that were never played: results drawn from planted strengths, with real small players."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import evoply as ep
from evoply._native import Stream
from evoply.experiments import Entrant, LeaguePairing
from evoply.experiments.leagues import LeagueResults, MadePlayer

PLAYERS = {
    "liao": "( + white ( * 10 white_corners ) )",
    "stages": "( white ),50,( white_corners ),50:overlap=20",
    "squares": "swh",
    "firebrand": "firebrand",
    "patterns": "strong:depth=2",
    "online": "online:population=10,generations=1,games=2",
    "edgar": "edgar-like",
    "coin": "material-alternating:depth=2",
    "mobility": "mobility",
    "corners": "( - white_corners black_corners )",
    "leaf": "random-leaf",
    "share": "material-share",
}
REFERENCES = {"random": "random", "greedy": "greedy"}


def league(
    strengths: Mapping[str, float],
    *,
    seeds: Sequence[int] = (1, 2, 3),
    pairs: int = 20,
    spread: float = 60.0,
    references: Mapping[str, float] | None = None,
    key: int = 0,
    conditions: Mapping[str, str] | None = None,
) -> LeagueResults:
    """Return a league of methods with *strengths* on Elo's scale, the same under each condition.

    The player of a seed is *spread* stronger or weaker, normally distributed; lines of reference
    are equally strong in every seed.
    """
    lines = {"random": -300.0, "greedy": -100.0} if references is None else references
    conditions = {"time": "10 ms a move", "depth": "4 plies"} if conditions is None else conditions
    stream = Stream(key, "league")
    pairings = []
    for condition in conditions:
        for seed in seeds:
            drawn = {name: value + spread * _normal(stream) for name, value in strengths.items()}
            pairings += _all_against_all(condition, seed, {**drawn, **lines}, pairs, stream)
    names = [*strengths, *lines]
    known = {**PLAYERS, **REFERENCES}
    made = [
        MadePlayer(
            entrant=name,
            seed=seed,
            player=ep.parse_player(known.get(name, "greedy")),
            **_costs(name, seed) if name in strengths else {},
        )
        for name in names
        for seed in seeds
    ]
    wanted = len(conditions) * len(seeds) * len(names) * (len(names) - 1) // 2
    return LeagueResults(
        name="sample",
        path=Path("leagues/sample"),
        game="othello",
        seeds=tuple(seeds),
        entrants=tuple(
            Entrant(
                name=name,
                title=f"the method {name}" if name in strengths else f"plays as {name}",
                source="Somebody 2001" if name in strengths else "",
                is_ranked=name in strengths,
                counted="work" if name in strengths else "",
                budget=1.5e9 if name in strengths else 0.0,
            )
            for name in names
        ),
        conditions=conditions,
        made=tuple(made),
        pairings=tuple(pairings),
        wanted_players=len(names) * len(seeds),
        wanted_pairings=wanted,
        games_a_pair=2 * pairs,
        budget="3 minutes of two cores",
        facts={"command": "evoply league --name sample", "machine": "2 cores"},
    )


def _costs(name: str, seed: int) -> dict[str, Any]:
    return {
        "run": f"{name}-{seed}",
        "step": 40,
        "games": 20_000.0,
        "work": 1.5e9,
        "seconds": 190.0 + seed,
        "processor_seconds": 170.0 + seed,
        "measure": 0.5 + 0.01 * seed,
        "digest": f"{seed:x}" * 32,
    }


def _all_against_all(
    condition: str, seed: int, drawn: Mapping[str, float], pairs: int, stream: Stream
) -> list[LeaguePairing]:
    names = list(drawn)
    found = []
    for place, first in enumerate(names):
        for second in names[place + 1 :]:
            share = 1 / (1 + 10 ** ((drawn[second] - drawn[first]) / 400))
            points = tuple(float(stream.random() < share) for _ in range(2 * pairs))
            hashes = tuple(stream.below(2**62) for _ in points)
            found.append(LeaguePairing(condition, seed, first, second, points, hashes))
    return found


def _normal(stream: Stream) -> float:
    """Return a draw that is normal to the eye: the sum of twelve uniform draws, less its mean."""
    return sum(stream.random() for _ in range(12)) - 6
