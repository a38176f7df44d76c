"""Two runs as they are, side by side: keys that differ, test results, size and time.

`evoply compare` and the page show the same. What a run is made of is read, and nothing is played.
"""

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evoply.arena.statistics import difference_interval
from evoply.environment.files import read_kept
from evoply.protocols import MALFORMED, RunError
from evoply.protocols.sections import Column, Section, cells_of, share, shares
from evoply.reports.open_evaluator import tree_of
from evoply.runs import Run, played_matches
from evoply.runs.folder import CONFIG
from evoply.wording import short_name, shorten, status_in_words

ONE_SEED_EACH = (
    "One seed each proves nothing about their configs: the next seed may turn a difference round. "
    "The intervals hold for these two players alone."
)
_LONGEST_VALUE = 400

Score = tuple[float, Sequence[float] | None]
"""Points per game, in [0, 1], with the 95 % interval if there is one."""


@dataclass(frozen=True, slots=True)
class ComparedScore:
    """What both champions scored against an opponent, and by how much they differ."""

    opponent: str
    first: Score
    second: Score

    @property
    def difference(self) -> float:
        """How much more the second scored."""
        return self.second[0] - self.first[0]

    @property
    def interval(self) -> tuple[float, float] | None:
        """Its 95 % interval; None if a score has none."""
        return difference_interval(self.second, self.first)


def compared_scores(first: Mapping[str, Score], second: Mapping[str, Score]) -> list[ComparedScore]:
    """Return the scores against the opponents that both have met, in the order of the first."""
    return [
        ComparedScore(opponent, score, second[opponent])
        for opponent, score in first.items()
        if opponent in second
    ]


def scores_of(run: Run) -> dict[str, Score]:
    """Return what the champion of *run* scored in its test matches, by opponent."""
    return {
        short_name(str(match["second"])): (match["score"], match["interval"])
        for match in played_matches(run).champion
    }


def facts_of(run: Run) -> dict[str, str]:
    """Return how far *run* came, how long that took, and how large its champion is, in words."""
    facts = {
        "status": status_in_words(run.status, run.ended_by),
        "length": run.steps_in_words(),
        "time": f"{sum(step.seconds for step in run.steps()):,.1f} s",
    }
    tree = tree_of(run.champion_player) if run.count() else None
    return facts if tree is None else {**facts, "champion": f"{len(tree)} nodes"}


def config_values(folder: Path) -> dict[str, str]:
    """Return the values of the config of the run in *folder* by path, as text; `RunError`."""
    try:
        return dict(_flat(tomllib.loads(read_kept(folder / CONFIG).decode("utf-8"))))
    except (OSError, *MALFORMED) as error:
        raise RunError(f"run {folder.name}: {CONFIG} cannot be read: {error}") from None


def _flat(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield every value in a config by its path; a set of primitives is one value."""
    if isinstance(value, Mapping) and not {"format", "primitives"} <= value.keys():
        for key, item in value.items():
            yield from _flat(item, f"{path}.{key}".lstrip("."))
    elif isinstance(value, Mapping):
        names = " ".join(str(primitive.get("name")) for primitive in value["primitives"])
        yield path, shorten(f"{value.get('name')}: {names}", _LONGEST_VALUE)
    elif isinstance(value, list) and any(isinstance(item, Mapping) for item in value):
        for place, item in enumerate(value):
            yield from _flat(item, f"{path}.{place}")
    elif isinstance(value, list):
        yield path, shorten(", ".join(map(_text, value)) or "none", _LONGEST_VALUE)
    else:
        yield path, shorten(_text(value), _LONGEST_VALUE)


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def differing_keys(first: Mapping[str, str], second: Mapping[str, str]) -> list[str]:
    """Return the paths of the keys in which two configs differ, in their order."""
    return [key for key in dict.fromkeys([*first, *second]) if first.get(key) != second.get(key)]


def sections_of(first: Run, second: Run) -> Iterator[Section]:
    """Yield what differs, the results in test matches, and how both are."""
    names = (first.name, second.name)
    configs = [config_values(run.path) for run in (first, second)]
    keys = differing_keys(*configs)
    missing = "not there"
    rows = [(key, *(config.get(key, missing) for config in configs)) for key in keys]
    nothing = () if rows else ("No key of their configs differs.",)
    yield Section("Keys that differ", cells_of("key", *names), rows, sentences=nothing, name="keys")
    scores = compared_scores(scores_of(first), scores_of(second))
    none = "They have not met the same opponents: `evoply resume RUN` plays the test matches."
    yield Section(
        "Test matches of both champions", _columns(names), scores,
        sentences=() if scores else (none,), name="scores",
    )  # fmt: skip
    facts = [facts_of(run) for run in (first, second)]
    labels: Iterable[str] = dict.fromkeys([*facts[0], *facts[1]])
    yield Section(
        "How they are",
        cells_of("what", *names),
        [(label, *(fact.get(label, "") for fact in facts)) for label in labels],
        name="facts",
    )


def points(difference: float) -> str:
    """Return a difference of scores in points of 100 games, a point for a game.

    >>> points(-0.0312)
    '-3.1'
    """
    return f"{100 * difference:+.1f}"


def _columns(names: Sequence[str]) -> tuple[Column, ...]:
    def written(score: Score) -> str:
        return share(score[0]) if score[1] is None else f"{share(score[0])} ({shares(score[1])})"

    def interval(found: tuple[float, float]) -> str:
        return f"{points(found[0])} to {points(found[1])}"

    return (
        Column("opponent", "opponent", str, look="code"),
        *(
            Column(side, name, written)
            for side, name in zip(("first", "second"), names, strict=True)
        ),
        Column("difference", "second more by", points, look="strong"),
        Column("interval", "95 % interval", interval, look="strong", missing="none"),
    )
