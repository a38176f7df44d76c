"""The players and conditions of a match or tournament, read and checked."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Unpack

import numpy as np

from evoply._native import Stream
from evoply.arena.game_terms import MOST_THREADS, GameTerms, Openings, Terms
from evoply.arena.playing import Tables
from evoply.arena.schedule import Schedule, checked_whole
from evoply.arena.tally import Tally
from evoply.games import game_rules
from evoply.games.draws import DrawRules
from evoply.players import data_of, parse_player, player_of
from evoply.protocols import Cluster, Player, Row, TimeControl
from evoply.wording import did_you_mean, shorten

MOST_GAMES = 10_000_000
MOST_OPENING_PLIES = 1000


def opening_plies(game: str, openings: Openings) -> int:
    """Return the random plies that *openings* asks for; `ValueError` names it if it is wrong."""
    if openings == "usual":
        return game_rules(game).opening_plies
    plies = 0 if openings in ("none", None) else openings
    try:
        return checked_whole("openings", plies, MOST_OPENING_PLIES)  # type: ignore[arg-type]
    except ValueError as error:
        raise ValueError(f"{error}, or none") from None


def even_games(games: int) -> int:
    """Return *games*; `ValueError` unless it is an even number of them, and not too many."""
    games = checked_whole("games", games, MOST_GAMES)
    if not games or games % 2:
        raise ValueError(
            f"games: {games} is not an even number from 2 to {MOST_GAMES}: "
            "every opening is played twice, with colours swapped"
        )
    return games


@dataclass(frozen=True, slots=True)
class Conditions:
    """The checked conditions of games; `conditions_of` makes them."""

    game: str
    seed: int
    opening_plies: int
    start: Row
    draws: DrawRules | None
    clock: TimeControl | None
    threads: int
    cluster: Cluster | None

    def pairs(
        self, first: Sequence[int] | Any, second: Sequence[int] | Any, stream: Stream
    ) -> Schedule:
        """Return two games with colours swapped for each pair of players; see `Schedule.pairs`."""
        return Schedule.pairs(
            np.asarray(first, dtype=np.uint32),
            np.asarray(second, dtype=np.uint32),
            stream=stream,
            opening_plies=self.opening_plies,
            start=self.start,
            draws=self.draws,
        )


def conditions_of(**terms: Unpack[GameTerms]) -> Conditions:
    """Return the conditions that `Terms` describes; `ValueError` or TypeError names what is wrong.

    >>> conditions_of(game="othello-6", clock="150+2").clock
    TimeControl(seconds=150.0, increment=2.0)
    """
    given = Terms(**terms)
    game, clock = given.game or "othello", given.control
    rules = game_rules(game)
    seed = checked_whole("seed", given.seed, 2**64 - 1)
    plies = opening_plies(game, given.openings)
    threads = checked_whole("threads", given.threads, MOST_THREADS)
    start: Any = given.start or rules.start()
    if isinstance(start, str):
        from evoply.formats import read_pasted  # few write one

        try:
            start = read_pasted(game, start).position
        except ValueError as error:
            raise ValueError(f"start: {error}") from None
    if not hasattr(start, "row"):
        raise TypeError(f"start: {shorten(repr(start))} is not a position: give one of the game")
    if start.game != game:
        raise ValueError(
            f"start: this is a position of {start.game}, and the game is {game}: change one of them"
        )
    draws = _draw_rules(given.draws, game)
    return Conditions(game, seed, plies, start.row, draws, clock, threads, given.cluster)


def _draw_rules(draws: DrawRules | str | None, game: str) -> DrawRules | None:
    """Return rules about draws that are given as such or as a text; `ValueError` names them."""
    if not isinstance(draws, str):
        return draws
    rules = game_rules(game)
    if not rules.has_draw_rules:
        raise ValueError(f"draws: {game} has no draws but those of the board")
    try:
        return DrawRules.parse(draws, rules.draws)
    except ValueError as error:
        raise ValueError(f"draws: {error}") from None


@dataclass(frozen=True, slots=True, eq=False)
class Field:
    """Players, read and checked, and the conditions of all their games."""

    conditions: Conditions
    players: tuple[Player, ...]
    learned: dict[int, Mapping[str, Any]] = field(default_factory=dict)
    """What seats learned about the players, by their indices."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the players."""
        return tuple(player.label for player in self.players)

    @property
    def reproducible(self) -> bool:
        """Whether every player repeats its moves in the same game; never true with a clock."""
        return self.conditions.clock is None and all(player.reproducible for player in self.players)

    @contextmanager
    def tables(self) -> Iterator[Tables]:
        """Give tables at which the players sit; close all seats at the end of the block."""
        tables = Tables(
            self.conditions.game,
            self.players,
            threads=self.conditions.threads,
            clock=self.conditions.clock,
            cluster=self.conditions.cluster,
        )
        try:
            yield tables
        finally:
            tables.close()
            self.learned.update(tables.about)

    def about(
        self, tally: Tally, names: Sequence[str] | None = None
    ) -> tuple[Mapping[str, Any], ...]:
        """Return `kind`, `version` and `forfeits` of each player, and what its seats learned.

        With a clock, `seconds` are added: `mean` and `most` of a game. With *names*, each player
        has its name as `player`. Facts from seats, such as the version of an engine, are known
        after `tables` has ended.
        """
        return tuple(
            {
                **({} if names is None else {"player": names[index]}),
                "kind": "python",
                "version": None,
                **(model.about() if (model := data_of(player)) else {}),
                **self.learned.get(index, {}),
                "forfeits": tally.games_of(index),
                **(
                    {}
                    if self.conditions.clock is None
                    else {"seconds": tally.time_of(index).to_dict()}
                ),
            }
            for index, player in enumerate(self.players)
        )


def circumstances(conditions: Conditions, tally: Tally, *, reproducible: bool) -> dict[str, Any]:
    """Return the fields of `Circumstances`; *reproducible* says whether all players are."""
    return {
        "game": conditions.game,
        "opening_plies": conditions.opening_plies,
        "seed": conditions.seed,
        "clock": None if conditions.clock is None else str(conditions.clock),
        "reproducible": reproducible and tally.are_reproducible,
        "forfeits": tally.lost,
    }


def field_of(
    players: Sequence[object],
    *,
    runs: Callable[[str], Player] | None = None,
    **terms: Unpack[GameTerms],
) -> Field:
    """Return the field of *players*; `ValueError` or TypeError names the argument that is wrong.

    A text is read by `parse_player`, with *runs* for champions, and is then the player's label.
    """
    if isinstance(players, str) or not isinstance(players, Iterable):
        raise TypeError(f"players: give a list of players, not {shorten(repr(players))}")
    for name in terms.keys() - GameTerms.__annotations__.keys():
        hint = did_you_mean(name, [*GameTerms.__annotations__, "games", "times", "progress"])
        raise TypeError(f"no argument is called {name!r}{hint}")
    conditions = conditions_of(**terms)
    return Field(conditions, tuple(_read(player, conditions.game, runs) for player in players))


def _read(player: object, game: str, runs: Callable[[str], Player] | None) -> Player:
    if isinstance(player, str):
        return parse_player(player, game=game, runs=runs).model_copy(update={"name": player})
    known = player_of(player)
    known.check_fits(game)
    return known
