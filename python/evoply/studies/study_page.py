"""What is shown of a result of a study: its table, and a page that needs no network."""

from evoply import _native
from evoply.sections import Column, Page, Section, chosen, counted
from evoply.studies.study import Result, Study


def _printed(figure: float | str) -> str:
    return figure if isinstance(figure, str) else f"{figure:g}"


_COLUMNS = (
    Column("name", "", str, look="code", longest=60),
    Column("paper", "paper", _printed, look="whole", missing=""),
    Column("ours", "here", "{:.4g}".format, look="strong", missing="not measured"),
    Column("interval_text", "95 % interval", "{}".format, look="whole", missing=""),
    Column("n", "n", counted, missing=""),
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
    names = "name paper ours interval_text n verdict reason"
    return Section(
        "Beside the paper" if has_paper else "Figures",
        chosen(_COLUMNS, names if has_paper else "name ours interval_text n remark"),
        result.rows,
        f"Figures are {result.unit}, with 95 % intervals.{_VERDICTS * has_paper}",
        look="study",
        longest=70,
    )
