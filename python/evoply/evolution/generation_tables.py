"""The tables of a run of evolution: its generations, individuals and halls of fame as rows.

Rows are read from stored steps and compared with checksums. For questions in SQL the same tables
are views, whose numbers SQLite reads by itself.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, asdict, dataclass, fields
from functools import partial
from typing import Any

from evoply import gp
from evoply.evolution.config.evolution_config import EvolutionConfig
from evoply.evolution.generation_statistics import Census, FreshResult, Seconds, Statistics
from evoply.runs.columns import Row
from evoply.runs.kept_steps import dumped, loaded
from evoply.runs.schema import StepRow
from evoply.runs.steps_store import StepTables

_SECONDS = tuple(field.name for field in fields(Seconds))
_ADDED = ("dead_introns", "live_introns", "median_fresh")
"""The numbers of its census that a row of a generation has."""


def _statistics(config: EvolutionConfig) -> list[str]:
    """Return the names of the statistics that every generation has; some only with a map."""
    has_map = config.map is not None
    return [field.name for field in fields(Statistics) if has_map or field.default is MISSING]


@dataclass(frozen=True, slots=True)
class _Beside:
    """The fields of a generation that stand beside its state."""

    champion: str
    fresh: tuple[FreshResult, ...]
    timing: Seconds
    census: Census


def _beside(step: StepRow) -> _Beside:
    found: _Beside = loaded(_Beside, step.fields)
    return found


def _row(config: EvolutionConfig, step: StepRow) -> dict[str, Any]:
    """Return the row of a generation, with all its numbers by name; errors of damaged data."""
    stored = _beside(step)
    timing = asdict(stored.timing)
    return {
        "number": step.number,
        "digest": step.digest,
        "seed": config.seed,
        "fresh": json.dumps([asdict(result) for result in stored.fresh]),
        **{name: float(step.statistics[name]) for name in _statistics(config)},
        **{
            f"seconds_{name}": None if name == "left" and value is None else float(value)
            for name, value in timing.items()
        },
        "champion_tree": stored.champion,
        **{name: getattr(stored.census, name) for name in _ADDED},
    }


def _drawn(step: StepRow) -> dict[str, Any]:
    """Return its census, which has further numbers for charts."""
    return dumped(_beside(step).census)


def _individuals(number: int, state: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for position, each in enumerate(state["individuals"]):
        yield {
            "generation": number,
            "position": position,
            "fitness": each["fitness"],
            "origin": each["origin"],
            "parents": json.dumps(each["parents"], separators=(",", ":")),
            "tree": each["tree"],
        }


def _hall_of_fame(number: int, state: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for rank, entry in enumerate(state["hall_of_fame"]):
        yield {
            "generation": number,
            "rank": rank,
            "entered": entry["generation"],
            "points": entry["points"],
            "games": entry["games"],
            "fitness": entry["points"] / entry["games"],
            "tree": entry["tree"],
        }


def _elites(
    config: EvolutionConfig, number: int, state: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    """Yield the rows of those who stand on the map; axes are numbered from 1."""
    primitives = config.primitive_set
    for elite in state["individuals"]:
        place = elite["place"]
        if place is not None:
            yield {
                "generation": number,
                "cell": "-".join(map(str, place["cell"])),
                "tree": elite["tree"],
                "nodes": len(gp.parse_individual(elite["tree"], primitives)),
                "fitness": elite["fitness"],
                "origin": elite["origin"],
                "born": place["born"],
                **{f"axis_{axis}": value for axis, value in enumerate(place["description"], 1)},
            }


Rows = Callable[[int, Any], Iterator[dict[str, Any]]]


def _lists(config: EvolutionConfig) -> Mapping[str, Rows]:
    """Return what lists the rows of the other tables, by name."""
    lists: dict[str, Rows] = {"individuals": _individuals, "hall_of_fame": _hall_of_fame}
    if config.map is not None:
        lists["elites"] = partial(_elites, config)
    return lists


def _views(config: EvolutionConfig) -> dict[str, str]:
    """Return the SELECTs of the tables by name."""
    numbers = [(name, f"statistics, '$.{name}'") for name in _statistics(config)]
    numbers += [(f"seconds_{name}", f"fields, '$.timing.{name}'") for name in _SECONDS]
    reals = (f"CAST(json_extract({path}) AS REAL) AS {name}" for name, path in numbers)
    return {
        "generations": f"SELECT number, digest, {config.seed} AS seed,"
        " json_extract(fields, '$.champion') AS champion, json_extract(fields, '$.fresh') AS fresh,"
        f" {', '.join(reals)} FROM steps",
        "individuals": _view("individuals", "position", "tree fitness origin parents"),
        "hall_of_fame": _view("hall_of_fame", "rank", "tree entered points games"),
    }


def _view(name: str, place: str, columns: str) -> str:
    keys = {"entered": "generation"}
    cells = (f"json_extract(value, '$.{keys.get(it, it)}') AS {it}" for it in columns.split())
    return (
        f"SELECT number AS generation, key AS {place}, {', '.join(cells)}"
        f" FROM steps, json_each(unzipped(state), '$.{name}')"
    )


_HIDDEN = ("seed", "champion", "fresh", "champion_tree")


def _data(row: Row) -> dict[str, Any]:
    """Return the *row* of a generation for programs."""
    data = {name: value for name, value in row.items() if name not in _HIDDEN}
    return {**data, "champion": row["champion_tree"]}


TABLES = StepTables(
    beside=tuple(field.name for field in fields(_Beside)),
    grows=("archive",),
    row=_row,
    drawn=_drawn,
    lists=_lists,
    views=_views,
    data=_data,
)
