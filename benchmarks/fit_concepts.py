"""Fits what the concepts of a game are worth, and writes the file of weights beside them.

Pairs of moves with the difference of their values come from random games, and from games of two
levels of `strong`: the best move against the second, against another one, and against the move that
was played. Weights are at least 0, by least squares, in stages. A third of the games is held out;
R2 is theirs. The placebo is the share of those pairs that get a cause with their moves exchanged.

    python benchmarks/fit_concepts.py othello --seed 1
    python benchmarks/fit_concepts.py checkers --seed 1
    python benchmarks/fit_concepts.py facts --seed 1
"""

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

import evoply.reports
from evoply._native import Stream
from evoply.arena import match
from evoply.games import game_rules
from evoply.games.position import NO_DRAWS
from evoply.protocols import GameRecord
from evoply.reports.adviser import Adviser
from evoply.reports.causes import LINE_PLIES, cause_between, difference_of
from evoply.reports.concept_tables import unweighted
from evoply.reports.concepts import Concepts
from evoply.reports.expected_lines import ExpectedLines

FOLDER = Path(evoply.reports.__file__).parent
POSITIONS = 2400
_HELD_OUT = 3
"""One game in so many is held out."""
_RIDGE = 3.0
"""Pulls weights of what is rare to 0."""
_APART = 7
"""A position in so many plies of a game, so that its positions differ."""


@dataclass(frozen=True, slots=True)
class Fit:
    """How the weights of a table of concepts are fitted."""

    games: tuple[str, ...]
    depth: int
    """Plies that the adviser looks ahead."""
    levels: tuple[str, str]
    """Who plays the games."""
    most: float
    """Larger differences of values count as this."""
    exact: int | None = None
    """Empty squares from which it solves."""
    bounds: tuple[int, ...] = ()
    """Where stages begin, as in `Concepts`."""


FITS = {
    "othello": Fit(("othello",), 6, ("strong:level=3", "strong:level=6"), 25.0, 12, (40, 20, 12)),
    "facts": Fit(
        ("breakthrough-6", "connect-four", "gomoku-9", "hex-9", "ataxx", "clobber"),
        3,
        ("material:depth=1,epsilon=0.3", "material:depth=2,epsilon=0.1"),
        3.0,
    ),
    "checkers": Fit(("checkers",), 6, ("strong:level=2", "strong:level=5"), 2.0),
}


@dataclass(frozen=True, slots=True)
class Pair:
    """Two moves at a position, the first of which is better."""

    game: str
    number: int
    """Of the game that the position is from."""
    source: str
    """"random" or "played"."""
    kind: str
    """What the worse move is: "second", "another" or "mistake"."""
    lines: ExpectedLines
    difference: float
    """How much better the first is: discs, or as `causes.difference_of` says."""


def fit_of(game: str) -> Fit:
    """Return how the weights for *game* are fitted."""
    return next((fit for fit in FITS.values() if game in fit.games), FITS["facts"])


Array = NDArray[np.float64]


def pairs(game: str, seed: int, count: int) -> Iterator[Pair]:
    """Yield the pairs of *count* positions, half of them of random games."""
    draws = Stream(seed, "concepts", game)
    sources = [*_random_positions(game, draws.child(0), count // 2)]
    sources += _played_positions(game, seed, count - count // 2)
    with Adviser(game) as adviser:
        for at, (number, source, record, played) in enumerate(sources):
            yield from _pairs_at(adviser, record, played, number, source, draws.child(1, at))


def _random_positions(
    game: str, draws: Stream, count: int
) -> Iterator[tuple[int, str, GameRecord, Any]]:
    rules = game_rules(game)
    number = 0
    while number < count:
        one = draws.child(number)
        most = max(rules.late_ply, 12)
        plies = 4 + one.below(most - 4)
        record: GameRecord = rules.game(rules.start(), (), NO_DRAWS)
        while record.outcome() is None and len(record) < plies:
            moves = record.position.legal_moves
            record = record.play(moves[one.below(len(moves))])
        yield number, "random", rules.game(record.position, (), NO_DRAWS), None
        number += 1


def _played_positions(
    game: str, seed: int, count: int
) -> Iterator[tuple[int, str, GameRecord, Any]]:
    rules = game_rules(game)
    saved: list[Any] = []
    first, second = fit_of(game).levels
    match(first, second, game=game, games=max(2, count // 4 * 2), seed=seed, on_game=saved.append)
    left = count
    for number, played in enumerate(saved):
        record = played.record
        for ply in range(6 + number % _APART, len(record), _APART):
            if not left:
                return
            left -= 1
            start = rules.game(record.positions[ply], (), NO_DRAWS)
            yield 1_000_000 + number, "played", start, record.moves[ply]


def _pairs_at(
    adviser: Adviser, record: GameRecord, played: Any, number: int, source: str, draws: Stream
) -> Iterator[Pair]:
    if record.outcome() is not None or len(record.position.legal_moves) < 3:
        return
    fit = fit_of(adviser.game)
    advice = adviser.values(record, depth=fit.depth, exact=fit.exact)
    moves = [move for move, _ in advice.moves]
    others = {"second": moves[1], "another": moves[2 + draws.below(len(moves) - 2)]}
    if played is not None and played not in (moves[0], *others.values()):
        others["mistake"] = played
    for kind, move in others.items():
        found = ExpectedLines.search(adviser, record, advice, (moves[0], move), None)
        lines = None if found is None else found.longer(adviser, LINE_PLIES, None)
        gain = difference_of(advice, moves[0], move)
        is_mistake = played is not None and move == played
        if lines is not None:
            named = "mistake" if is_mistake else kind
            yield Pair(adviser.game, number, source, named, lines, gain)


Tables = Mapping[str, Concepts]
"""The concepts of each game that is fitted together."""


def names_of(tables: Tables) -> list[str]:
    """Return the names of all concepts of *tables*."""
    return list(dict.fromkeys(name for one in tables.values() for name in one.concepts))


def table(tables: Tables, data: Sequence[Pair]) -> tuple[Array, Array, NDArray[np.int64]]:
    """Return the differences of the concepts of *data*, those of the values, and the stages.

    A concept that a game lacks does not differ there.
    """
    places = {name: at for at, name in enumerate(names_of(tables))}
    rows = np.zeros((len(data), len(places)))
    targets, stages = [], []
    for row, pair in zip(rows, data, strict=True):
        concepts = tables[pair.game]
        lines = concepts.read(pair.lines)
        row[[places[name] for name in concepts.concepts]] = concepts.differences(*lines)
        targets.append(min(pair.difference, fit_of(pair.game).most))
        stages.append(concepts.stage(pair.lines.first.positions[0]))
    return rows, np.array(targets), np.array(stages)


def fit_weights(rows: Array, targets: Array, ridge: float = _RIDGE) -> Array:
    """Return weights of at least 0, by least squares."""
    pull = ridge * np.eye(rows.shape[1])
    found: Array = nnls(np.vstack([rows, pull]), np.append(targets, np.zeros(len(pull))))[0]
    return found


def fit(tables: Tables, data: Sequence[Pair]) -> dict[str, list[float]]:
    """Return the weights of all concepts of *tables* by stage."""
    rows, targets, stages = table(tables, data)
    bounds = next(iter(tables.values())).bounds
    by_stage = [
        fit_weights(rows[stages == stage], targets[stages == stage])
        for stage in range(len(bounds) + 1)
    ]
    return {
        name: [float(f"{weights[at]:.3g}") for weights in by_stage]
        for at, name in enumerate(names_of(tables))
    }


def r2(tables: Tables, data: Sequence[Pair], weights: Mapping[str, Sequence[float]]) -> float:
    """Return how much of the differences *weights* explain: 1 for all, 0 for none."""
    rows, targets, stages = table(tables, data)
    by_stage = np.array([weights[name] for name in names_of(tables)]).T
    expected = (rows * by_stage[stages]).sum(axis=1)
    return 1.0 - float(((targets - expected) ** 2).sum() / (targets**2).sum())


def held_out(pair: Pair) -> bool:
    """Return whether the game of *pair* is one of those that no weight is fitted on."""
    return pair.number % _HELD_OUT == 0


def fitted_file(
    name: str, seed: int, count: int, told: Callable[[str], object] = print
) -> dict[str, Any]:
    """Return what the file of weights of *name* holds."""
    how = FITS[name]
    found = {game: unweighted(game, how.bounds) for game in how.games}
    tables = {game: one for game, one in found.items() if one is not None}
    data = [pair for game in how.games for pair in pairs(game, seed, count // len(how.games))]
    told(f"{len(data)} pairs")
    learned = [pair for pair in data if not held_out(pair)]
    others = [pair for pair in data if held_out(pair)]
    weights = fit(tables, learned)
    parts = {"all": others}
    for key in ("random", "played"):
        parts[key] = [pair for pair in others if pair.source == key]
    for key in ("second", "another", "mistake"):
        parts[key] = [pair for pair in others if pair.kind == key]
    if len(how.games) > 1:
        for key in how.games:
            parts[key] = [pair for pair in others if pair.game == key]
    # Where nothing differs there is nothing to explain.
    seen = {key: some for key, some in parts.items() if any(pair.difference for pair in some)}
    measured = {key: r2(tables, some, weights) for key, some in seen.items()}
    known = {game: replace(one, weights=weights) for game, one in tables.items()}
    causes, exchanged = (
        [cause_between(known[pair.game], lines_of(pair), pair.difference) for pair in others]
        for lines_of in (lambda pair: pair.lines, lambda pair: ExpectedLines(*pair.lines[::-1]))
    )
    return {
        "pairs": len(data),
        "held_out": len(others),
        "r2": {key: round(value, 3) for key, value in measured.items()},
        "share_with_a_cause": round(float(np.mean([bool(one.causes) for one in causes])), 3),
        "placebo": round(float(np.mean([bool(one.causes) for one in exchanged])), 3),
        "bounds": list(how.bounds),
        "weights": weights,
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("game", choices=list(FITS))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--positions", type=int, default=POSITIONS)
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where the file goes")
    asked = parser.parse_args()
    command = f"python benchmarks/fit_concepts.py {asked.game} --seed {asked.seed}"
    if asked.positions != POSITIONS:
        command += f" --positions {asked.positions}"
    print(command)
    begun = time.process_time()
    data = {
        "command": command,
        "seed": asked.seed,
        "positions": asked.positions,
        **fitted_file(asked.game, asked.seed, asked.positions),
    }
    file = asked.folder / f"concepts-{asked.game}.json"
    file.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    print(json.dumps({key: data[key] for key in data if key != "weights"}, indent=1))
    print(f"{time.process_time() - begun:.0f} s\n{file}", file=sys.stderr)


if __name__ == "__main__":
    main()
