"""Learning of pattern tables as a kind of learner: how its runs are shown and packed."""

from typing import Any

from evoply.learning.learned_kind import GamesDisplay, learned_kind
from evoply.learning.packing import pack
from evoply.learning.pattern_config import PATTERN_LEARNER, PatternConfig
from evoply.learning.pattern_learner import PatternLearning, PatternStep
from evoply.learning.replay import replayed
from evoply.players.packed import PackedTables
from evoply.runs.kind import ChampionFacts, Kind, Listing
from evoply.sections import Column, share

_ONE_MACHINE = (
    "cluster: tables are learned game after game, by one core - leave the cluster out; "
    "`evoply compare --cluster` makes several runs beside one another"
)


def pattern_kind(learner: PatternLearning) -> Kind:
    """Return the kind of *learner*."""
    return learned_kind(
        PATTERN_LEARNER,
        learner,
        _Display(),
        one_machine=_ONE_MACHINE,
        uses={"packed": _pack, "replayed": replayed},
    )


def _pack(config: PatternConfig, last: PatternStep, **options: Any) -> PackedTables:
    """Return the tables of *last* as a file that ships."""
    about = {"games": last.games, "digest": last.digest}
    return pack(config, last.tables(config), about=about, **options)


class _Display(GamesDisplay):
    """The display of tables."""

    table = (
        Column("games", "games", "{:,.0f}".format),
        Column("labelled_games", "games with labels", "{:,.0f}".format),
        Column("error", "error", "{:.4f}".format, "error"),
        Column("entries_used", "entries used", share, "entries used"),
        Column("largest_entry", "largest entry", "{:.3f}".format),
        Column("rate", "rate", "{:g}".format),
        Column("black_points", "Black's points", share),
    )

    def champion_text(self, step: PatternStep) -> str:
        """Return the size of the tables."""
        return f"tables of {len(step.entries) // 8:,} entries"

    def seconds_left(self, config: PatternConfig, step: PatternStep) -> float | None:
        """Return the seconds of the remaining games; None if labels follow them."""
        if config.labels is None:
            return super().seconds_left(config, step)
        if not step.labelled:
            return None
        left = (config.labels.games - step.labelled) / config.labels.games_per_step
        return float(left * step.seconds)

    def champion_facts(self, champion: Any, last: PatternStep, /) -> ChampionFacts:
        """Return the size of the tables."""
        about = {"generation": last.number, "games": last.games}
        entries = f"{len(last.entries) // 8:,} table entries"
        title = f"{entries}, after {last.games:,} games"
        return ChampionFacts(title, about, {"digest": last.digest, "generation": last.number})

    def listings(self, config: PatternConfig, last: PatternStep, /) -> list[Listing]:
        """Return the patterns, with their numbers of tables."""
        tables = len(config.stages) + 1
        data = [{"squares": pattern.squares, "tables": tables} for pattern in config.patterns]
        rows = [(pattern.squares, str(tables)) for pattern in config.patterns]
        return [Listing("patterns", "Patterns", ("squares", "tables"), ("squares",), rows, data)]
