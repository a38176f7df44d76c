"""The table of all studies, and the page of a study."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from evoply import _native
from evoply.protocols.sections import Column, Page, Section, chosen
from evoply.runs import checked_name
from evoply.studies.bellin import BELLIN
from evoply.studies.benbassat import BENBASSAT
from evoply.studies.firebrand import FIREBRAND
from evoply.studies.frankland import FRANKLAND
from evoply.studies.liao import LIAO
from evoply.studies.study import SCALES, PaperExperiment, Reproduction, Request, Result, Study
from evoply.wording import did_you_mean

STUDIES: Mapping[str, Study] = MappingProxyType(
    {study.name: study for study in (LIAO, FRANKLAND, BELLIN, BENBASSAT, FIREBRAND)}
)


def find_study(name: str) -> Study:
    """Return the study called *name*; `ValueError` lists all names."""
    if name not in STUDIES:
        hint = did_you_mean(name, STUDIES) or "."
        raise ValueError(f"no study is called {name!r}{hint} There are {', '.join(STUDIES)}")
    return STUDIES[name]


def reproduce(
    study: str | Study,
    table: str,
    request: Request = Request(),  # noqa: B008
) -> Result:
    """Run a table or experiment of a study, one of `STUDIES` by its name or any other.

    The same request gives the same result.

    If *table* stands for several experiments, and in experiments that take long, `request.shown` is
    called with the results so far, for people who watch.

    Raises `ValueError` for an unknown study, table, scale or rules.

    >>> result = reproduce("liao", "1")
    >>> result.rows[1].name, result.rows[1].paper, result.rows[1].verdict
    ('( white_corners )', 1.0, 'differs')
    """
    study = find_study(study) if isinstance(study, str) else study
    parts = study.parts(table)
    if request.scale not in SCALES:
        raise ValueError(f"scale: {request.scale!r} is not one of {', '.join(SCALES)}")
    if request.games % 2 or request.games < 0:
        raise ValueError(f"games: {request.games} is not even: every opening is played twice")
    requests = [_complete(study, part, request) for part in parts]
    results: list[Result] = []
    for number, (experiment, full) in enumerate(zip(parts, requests, strict=True)):
        results.append(experiment.run(_step(full, table, number, len(parts), tuple(results))))
        if len(results) < len(parts):
            request.shown(_join(table, results))
    return results[0] if table == parts[0].name else _join(table, results)


def _complete(study: Study, experiment: PaperExperiment, request: Request) -> Reproduction:
    if (request.opponent or request.games) and not experiment.takes_opponent:
        raise ValueError(
            f"table {experiment.name} of {study.name} has opponents and games of its own"
        )
    if request.keep and not experiment.keeps:
        raise ValueError(
            f"keep: table {experiment.name} of {study.name} has no long evolutions - leave keep out"
        )
    if request.keep:
        checked_name(request.keep, field="keep")
    return study.asked(experiment.name, request)


def _step(
    request: Reproduction, table: str, number: int, steps: int, earlier: Sequence[Result]
) -> Reproduction:
    """Return *request* with its reports scaled to one of several steps of *table*."""
    if steps == 1:
        return request

    def show(result: Result) -> None:
        request.shown(_join(table, [*earlier, result]))

    return replace(request.part(number, steps), shown=show)


def _join(table: str, results: Sequence[Result]) -> Result:
    """Return the results of several experiments as one, called *table*."""
    return replace(
        results[0],
        table=table,
        title=f"{table}: {' and '.join(result.title for result in results)}",
        rows=tuple(row for result in results for row in result.rows),
        notes=tuple(dict.fromkeys(note for result in results for note in result.notes)),
        charts=tuple(chart for result in results for chart in result.charts),
    )


# What is shown of a result of a study: its table, and a page that needs no network.


def _printed(figure: float | str) -> str:
    return figure if isinstance(figure, str) else f"{figure:g}"


_COLUMNS = (
    Column("name", "", str, look="code", longest=60),
    Column("paper", "paper", _printed, look="whole", missing=""),
    Column("ours", "here", "{:.4g}".format, look="strong", missing="not measured"),
    Column("interval_text", "95 % interval", "{}".format, look="whole", missing=""),
    Column("n_text", "n", "{}".format, look="whole", missing=""),
    Column("unit", "unit", str, look="faint", is_listed=False),
    Column("verdict", "verdict", str, look="verdict"),
    Column("reason", "why, as far as is known", str, look="faint", is_listed=False),
    Column("remark", "remark", str, look="faint", is_listed=False, read=lambda row: row.reason),
)
_VERDICTS = (
    " The verdict is computed, never written: matches, if the whole 95 % interval of the "
    "difference between our figure and the printed one is within a margin, 2 points in 100 of the "
    "scale or else 5 % of the printed figure, which has the uncertainty of its own number of "
    "games; not told apart, if it is not, but holds 0; too few runs to say, if our interval holds "
    "nearly anything; same direction, if our whole interval lies on the same side of the reference "
    "(an even score, or no gain) as the printed figure; else differs. Where the paper makes a "
    "claim without a number, our whole interval, from at least five runs, must lie where the claim "
    "says (matches) or elsewhere (differs)."
)


def page_of_study(result: Result, study: Study) -> Page:
    """Return the page about a result of *study*."""
    return Page(
        f"{study.authors}: {result.title}",
        [
            Section("", sentences=result.notes, charts=result.charts),
            table_of(result),
            Section("Run it again", text=result.command),
            Section("What the paper leaves open, and how it is read here", points=study.choices),
            Section("Where the paper contradicts itself", points=study.contradictions),
        ],
        {
            "table": result.table,
            "scale": result.scale,
            "seed": str(result.seed),
            "rules": result.rules,
            "evoply": _native.__version__,
        },
        study.paper,
    )


def table_of(result: Result) -> Section:
    """Return the figures of *result*, beside those of the paper if it has any."""
    has_paper = any(row.paper is not None for row in result.rows)
    units = dict.fromkeys(row.unit for row in result.rows)
    names = "name paper ours interval_text n_text verdict reason"
    names = names if has_paper else "name ours interval_text n_text remark"
    return Section(
        "Beside the paper" if has_paper else "Figures",
        chosen(_COLUMNS, names + " unit" * (len(units) > 1)),
        result.rows,
        f"Figures are {' or '.join(units)}, with 95 % intervals.{_VERDICTS * has_paper}",
        look="study",
        longest=70,
    )
