"""Learning of pattern tables as a kind of learner: how its runs are shown and packed."""

from dataclasses import replace
from typing import Any

from evoply.learning.learning_kind import seconds_of_games
from evoply.learning.packing import pack
from evoply.learning.pattern_config import PATTERN_LEARNER, PatternConfig, load_pattern_config
from evoply.learning.pattern_learner import PatternLearning, PatternStep
from evoply.learning.replay import replayed
from evoply.players.packed import PackedTables
from evoply.runs.columns import ChampionFacts, LiveFacts
from evoply.runs.kind import Kind
from evoply.sections import Column, Section, counted, share


def _pack(config: PatternConfig, last: PatternStep, **options: Any) -> PackedTables:
    """Return the tables of *last* as a file that ships."""
    about = {"games": last.games, "digest": last.digest}
    return pack(config, last.tables(config), about=about, **options)


def _live(usual: LiveFacts, config: PatternConfig, step: PatternStep) -> LiveFacts:
    """Return *usual* with the size of the tables, and the seconds of the remaining games."""
    left = seconds_of_games(config, step)
    if config.labels is not None:  # they follow the games
        games = config.labels.games - step.labelled
        left = games / config.labels.games_per_step * step.seconds if step.labelled else None
    return replace(
        usual, champion=f"tables of {len(step.entries) // 8:,} entries", seconds_left=left
    )


def _facts(champion: Any, last: PatternStep) -> ChampionFacts:
    """Return the size of the tables."""
    about = {"generation": last.number, "games": last.games}
    title = f"{len(last.entries) // 8:,} table entries, after {last.games:,} games"
    return ChampionFacts(title, about, {"digest": last.digest, "generation": last.number})


def _listings(config: PatternConfig, last: PatternStep) -> list[Section]:
    """Return the patterns, with their numbers of tables."""
    tables = len(config.stages) + 1
    rows = [{"squares": pattern.squares, "tables": tables} for pattern in config.patterns]
    columns = Column("squares", "squares", str), Column("tables", "tables", counted)
    return [Section("Patterns", columns, rows, name="patterns")]


KIND = Kind(
    name=PATTERN_LEARNER,
    learner=PatternLearning(),
    read=load_pattern_config,
    columns=(
        Column("games", "games", "{:,.0f}".format),
        Column("labelled_games", "games with labels", "{:,.0f}".format),
        Column("error", "error", "{:.4f}".format, "error"),
        Column("entries_used", "entries used", share, "entries used"),
        Column("largest_entry", "largest entry", "{:.3f}".format),
        Column("rate", "rate", "{:g}".format),
        Column("black_points", "Black's points", share),
    ),
    facts=_facts,
    live=_live,
    listings=_listings,
    uses={"packed": _pack, "replayed": replayed},
)
