"""The champions of a league: of each method the player that its training says is the best."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evoply.experiments.design import Condition, Entrant
from evoply.leagues.league_data import LeagueResults, MadePlayer
from evoply.leagues.portraits import Portrait, portrait
from evoply.leagues.standings import LeagueStandings
from evoply.own_code import carried
from evoply.players import parse_player

_LONGEST_COMMAND = 200


@dataclass(frozen=True, slots=True)
class LeagueChampion:
    """The best player of a method, as the page shows it."""

    entrant: Entrant
    made: MadePlayer
    portrait: Portrait
    why: str
    """Why this player of its method."""
    command: str
    """The command to play it; "" if there is none."""


def champions_of(
    results: LeagueResults, standings: Mapping[Condition, LeagueStandings]
) -> list[LeagueChampion]:
    """Return the best player of each method by its training, in the order of the first ranking.

    Games of the league do not choose it: they would, in part, choose who was lucky in them.
    """
    order = [row.entrant for found in [*standings.values()][:1] for row in found.methods]
    place = {name: index for index, name in enumerate(order)}
    methods = sorted(
        (entrant for entrant in results.entrants if entrant.is_ranked),
        key=lambda entrant: place.get(entrant.name, len(place)),
    )
    found = []
    for entrant in methods:
        own = [made for made in results.made if made.entrant == entrant.name]
        if not own:
            continue
        measured = [made for made in own if made.measure is not None]
        best = max(measured or own[:1], key=lambda made: made.measure or 0.0)
        drawn = portrait(best.player, results.game)
        found.append(
            LeagueChampion(entrant, best, drawn, _why(best, own), _play_command(best, results.game))
        )
    return found


def _why(best: MadePlayer, own: Sequence[MadePlayer]) -> str:
    if not best.run:
        return "The same player for every seed."
    if len(own) == 1:
        return f"The player of seed {best.seed}."
    if best.measure is None:
        return f"The player of seed {best.seed}, the first: its training measures no strength."
    return (
        f"The player of seed {best.seed}, the best of {len(own)} by its training measure "
        f"({best.measure:.4g})."
    )


def player_text(made: MadePlayer, game: str) -> str | None:
    """Return the text by which `evoply match` takes a player; None if there is none."""
    if made.run:
        return f"champion@{made.run}"
    label = made.player.label
    try:
        with carried():  # the name of a player is whatever its maker wrote
            return label if parse_player(label, game=game).label == label else None
    except ValueError:
        return None


def _play_command(made: MadePlayer, game: str) -> str:
    """Return the command to play against a player; "" if no text names it."""
    text = player_text(made, game)
    if text is None or (not made.run and len(text) > _LONGEST_COMMAND):
        return ""
    of_game = "" if made.run else f"--game {game} "
    return f"evoply play {of_game}--against {shlex.quote(text)}"
