"""The games of a schedule one by one, with who played them and how they ended."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evoply.arena.schedule import Results, Schedule
from evoply.formats.played import GamePlayed
from evoply.games import game_rules
from evoply.games.draws import NO_DRAWS
from evoply.protocols import Color, Ending

_WINNERS = {1: Color.BLACK, -1: Color.WHITE, 0: None}


def games_played(
    game: str, labels: Sequence[str], schedule: Schedule, results: Results
) -> Iterator[GamePlayed]:
    """Yield the games of a schedule whose moves were recorded."""
    rules = game_rules(game)
    reasons = {one.game: one.reason for one in results.forfeits}
    for place, codes in enumerate(results.moves or ()):
        yield GamePlayed(
            black=labels[int(schedule.black[place])],
            white=labels[int(schedule.white[place])],
            record=rules.game(rules.position_from_row(schedule.start_row(place)), codes, NO_DRAWS),
            winner=_WINNERS[int(results.winners[place])],
            ending=list(Ending)[int(results.endings[place])],
            opening_plies=schedule.opening_plies,
            key=int(schedule.game_keys[place]),
            opening_key=int(schedule.opening_keys[place]),
            forfeit=reasons.get(place),
        )
