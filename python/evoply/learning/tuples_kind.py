"""Evolution of tuples as a kind of learner: how its runs are shown."""

from typing import Any

from evoply.learning.learned_kind import learned_kind
from evoply.learning.tuples import TupleEvolution, TuplesStep
from evoply.learning.tuples_config import TUPLES_LEARNER, TuplesConfig
from evoply.runs.kind import ChampionFacts, Kind, Listing
from evoply.runs.plain_display import PlainDisplay
from evoply.sections import Column, share

_ONE_MACHINE = (
    "cluster: tuples evolve on the cores of one machine - leave the cluster out; "
    "`evoply compare --cluster` makes several runs beside one another"
)


def tuples_kind(learner: TupleEvolution) -> Kind:
    """Return the kind of *learner*."""
    return learned_kind(
        TUPLES_LEARNER,
        learner,
        _Display(),
        one_machine=_ONE_MACHINE,
        uses={"patterns": lambda champion, last: list(last.champion)},
    )


class _Display(PlainDisplay):
    """The display of tuples."""

    word = "generation"

    table = (
        Column("best", "best against the others", share, "best"),
        Column("against_champion", "against the champion", share, "against the champion"),
        Column("squares", "squares a tuple", "{:.1f}".format, "squares a tuple"),
        Column("distinct_tuples", "distinct tuples", "{:,.0f}".format),
        Column("games", "games", "{:,.0f}".format),
    )

    def champion_text(self, step: TuplesStep) -> str:
        """Return the champion's tuples."""
        return f"{len(step.champion)} tuples: {', '.join(step.champion)}"

    def champion_facts(self, champion: Any, last: TuplesStep, /) -> ChampionFacts:
        """Return the number of tuples, and the generation of the champion."""
        about = {"generation": last.born, "tuples": list(last.champion)}
        title = f"{len(last.champion)} tuples, from generation {last.born} of {last.number + 1}"
        return ChampionFacts(title, about, {"digest": last.digest, "generation": last.number})

    def listings(self, config: TuplesConfig, last: TuplesStep, /) -> list[Listing]:
        """Return the champion's tuples, which configs of patterns understand."""
        data = [{"squares": squares} for squares in last.champion]
        rows = [(squares, str(len(squares.split()))) for squares in last.champion]
        title = "The champion's tuples"
        return [Listing("tuples", title, ("squares", "how many"), ("squares",), rows, data)]
