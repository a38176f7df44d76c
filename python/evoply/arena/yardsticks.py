"""Yardsticks: the opponents against which all readable players of a game are measured alike.

One opponent misleads: a player may know its weakness, or the side that begins may win whoever it
is. So there are several, at least two must agree before one player counts as stronger than another,
and every score says how much the side that began had of it. `yardsticks.toml` has the opponents.
"""

import math
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import Any, ClassVar

from evoply.arena.conditions import even_games
from evoply.arena.game_terms import OpeningList, Openings
from evoply.arena.matches import match
from evoply.arena.stopping import StoppedWithResultError
from evoply.games import game_rules
from evoply.players import data_of, parse_player, with_options
from evoply.players.grammar import read_player_of
from evoply.protocols import Player
from evoply.protocols.sections import Column, JsonData, Page, Section, Shown, share
from evoply.wording import named_apart, short_name

_FEWEST_AGREEING = 2
"""Opponents that must agree before a player counts as stronger."""
_SHARE_OF_PROGRAMS = 0.1
_FEWEST_BY_COLOUR = 100
"""Of fewer games colour says nothing: chance may have given them to who began."""
_EVEN = 0.1
"""How far the share of the side that begins may be from a half, whatever the score is."""
_LOPSIDED = 0.25
"""An interval whose sides differ by more of its width is shown by its ends."""


@dataclass(frozen=True, slots=True)
class Yardstick:
    """An opponent that measures."""

    player: str
    noise: float = 0.0
    """The share of random moves of both sides."""
    share: float = 1.0
    """The share of the games that are played against it."""


@cache
def _panels() -> Mapping[str, Any]:
    path = Path(__file__).with_name("yardsticks.toml")
    return tomllib.loads(path.read_text(encoding="utf-8"))


def yardsticks(game: str) -> tuple[Yardstick, ...]:
    """Return the opponents that measure players of *game*, those of them that play it.

    >>> [each.player for each in yardsticks("othello")][:3]
    ['swh', 'mobility', 'strong:depth=1']
    """
    panel = _panels().get(game_rules(game).kernel, _panels()["any"])
    known = (Yardstick(**each) for each in panel["opponents"])
    return tuple(each for each in known if _plays(each.player, game))


def _plays(text: str, game: str) -> bool:
    try:
        parse_player(text, game=game)
    except ValueError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class YardstickScore(JsonData):
    """The score of a player against one opponent."""

    also: ClassVar = ("is_by_colour",)
    player: str
    opponent: str
    score: float
    """Points a game in [0, 1]."""
    interval: tuple[float, float] | None
    """95 % interval of the score; None with too few distinct games."""
    games: int
    beginner: float
    """Points a game of the side that began, whoever that was."""
    noise: float
    """The share of random moves of both sides."""

    @property
    def is_by_colour(self) -> bool:
        """Whether who began decided more than who played."""
        beginning = abs(self.beginner - 0.5)
        if self.games < _FEWEST_BY_COLOUR:
            return False
        return beginning > _EVEN and beginning > abs(self.score - 0.5)

    @property
    def sides(self) -> tuple[float, float]:
        """How far the interval goes below the score and above it; infinite without one."""
        low, high = self.interval or (-math.inf, math.inf)
        return self.score - low, high - self.score

    def __str__(self) -> str:
        below, above = self.sides
        points = f"{100 * self.score:.1f}"
        if self.interval is None:
            return points
        if abs(above - below) > _LOPSIDED * (above + below):
            return f"{points} ({{:.1f}} to {{:.1f}})".format(*(100 * end for end in self.interval))
        return f"{points} ± {50 * (above + below):.1f}"


@dataclass(frozen=True, slots=True)
class Strength(JsonData, Shown):
    """How strong players are against the yardsticks of their game."""

    also: ClassVar = ("sentences",)
    game: str
    seed: int
    rows: tuple[YardstickScore, ...]
    """Player by player, in the order of the opponents."""
    opening_list: Mapping[str, Any] | None = field(default=None, metadata={"if_any": True})
    """As `Circumstances` has it."""

    @property
    def players(self) -> tuple[str, ...]:
        """The measured players, in the order of the arguments."""
        return tuple(dict.fromkeys(row.player for row in self.rows))

    @property
    def opponents(self) -> tuple[str, ...]:
        """The opponents, in order."""
        return tuple(dict.fromkeys(row.opponent for row in self.rows))

    def of(self, player: str) -> dict[str, YardstickScore]:
        """Return what was measured of *player*, by opponent."""
        return {row.opponent: row for row in self.rows if row.player == player}

    def mean(self, player: str) -> float:
        """Return the mean score of *player* over all opponents."""
        return fmean(row.score for row in self.of(player).values())

    def better_against(self, first: str, second: str) -> tuple[list[str], list[str]]:
        """Return the opponents against whom *first* is surely better, and those for *second*.

        Surely: the difference of both scores is outside its 95 % interval, made of the sides of
        theirs that face each other (Newcombe 1998). A player that is an
        opponent itself has half the points there, whatever it is worth, so that does not count.
        """
        better: tuple[list[str], list[str]] = ([], [])
        others = self.of(second)
        for opponent, row in self.of(first).items():
            other = others[opponent]
            ends = (0, 1) if row.score > other.score else (1, 0)
            doubt = math.hypot(
                *(each.sides[end] for each, end in zip((row, other), ends, strict=True))
            )
            is_sure = abs(row.score - other.score) > doubt
            if is_sure and opponent not in (first, second):
                better[row.score < other.score].append(opponent)
        return better

    @property
    def sentences(self) -> tuple[str, ...]:
        """Who is stronger than who, and which scores say little."""
        return (*self._orders(), *self._doubts())

    def _orders(self) -> Iterator[str]:
        ranked = sorted(self.players, key=self.mean, reverse=True)
        for first, second in pairwise(ranked):
            won, lost = self.better_against(first, second)
            names = f"{short_name(first)} and {short_name(second)}"
            if len(won) >= _FEWEST_AGREEING and not lost:
                yield (
                    f"{short_name(first)} is stronger than {short_name(second)}: so say "
                    f"{', '.join(map(short_name, won))}."
                )
            elif won and lost:
                yield (
                    f"{names} have different weaknesses: {', '.join(map(short_name, won))} for the "
                    f"first, {', '.join(map(short_name, lost))} for the second."
                )
            else:
                yield f"{names}: fewer than two opponents tell them apart."

    def _doubts(self) -> Iterator[str]:
        for row in self.rows:
            if row.is_by_colour:
                yield (
                    f"{short_name(row.player)} against {short_name(row.opponent)}: the side that "
                    f"begins has {share(row.beginner)} of the points - colour decides more than "
                    "play here, so draw ties (ties=random), or take another opponent."
                )

    def shown(self) -> Page:
        """Return the table: players by opponents, in percent."""

        def against(opponent: str) -> Column:
            return Column("", short_name(opponent), read=lambda row: row.get(opponent), format=str)

        noisy = [row.opponent for row in self.rows if row.noise]
        columns = (
            Column("", "player", str, look="code", read=lambda row: row["player"]),
            *(against(opponent) for opponent in self.opponents),
            Column("", "mean", "{:.1f}".format, read=lambda row: row["mean"], look="strong"),
        )
        rows = [
            {
                "player": player,
                "mean": 100 * self.mean(player),
                **{opponent: str(row) for opponent, row in self.of(player).items()},
            }
            for player in self.players
        ]
        note = "Points in percent, with half the width of the 95 % interval or its ends" + (
            f"; against {', '.join(dict.fromkeys(noisy))} both sides play some moves at random."
            if noisy
            else "."
        )
        title = "Strength of readable players"
        return Page(title, [Section(title, columns, rows, note, self.sentences)])


def measure(
    players: Sequence[object],
    *,
    game: str = "othello",
    against: Sequence[object] = (),
    opponents: Sequence[Yardstick] | None = None,
    games: int = 2000,
    openings: Openings = "usual",
    seed: int = 1,
    threads: int = 0,
    runs: Callable[[str], Player] | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Strength:
    """Measure *players* against the yardsticks of *game*, and against the players *against*.

    *opponents* are the yardsticks, if not all of the game are.
    Each plays *games* games with each opponent, from random openings with both colours, the same
    openings for all players; a tenth of them against a program, such as an engine. Openings come
    from *seed*, and from other keys than those of training. Players and *openings* are those of
    `match`, and *runs* finds champions; *progress* gets the games that are done, and all. Raises
    ValueError as `match` does. Ctrl-C raises a `StoppedWithResultError` with the rows that are
    whole.

    >>> found = measure(["by-hand"], games=20)
    >>> found.rows[0].opponent, found.rows[0].noise, found.players
    ('swh', 0.1, ('by-hand',))
    """
    if isinstance(players, str) or not players:
        raise ValueError(
            f"players: {players!r} is no list of players - name one in brackets at least"
        )
    games = even_games(games)
    chosen = yardsticks(game) if opponents is None else opponents
    panel = [
        *((each, parse_player(each.player, game=game)) for each in chosen),
        *(_of_user(player, game, runs) for player in against),
    ]
    measured = [read_player_of(player, game, runs) for player in players]
    names = named_apart([player.label for player in measured])
    counts = [max(2, round(games * each.share / 2) * 2) for each, _ in panel]
    listed = openings.facts if isinstance(openings, OpeningList) else None
    total, done, rows = len(measured) * sum(counts), 0, list[YardstickScore]()
    for name, player in zip(names, measured, strict=True):
        for (each, opponent), count in zip(panel, counts, strict=True):

            def tell(finished: int, before: int = done) -> None:
                if progress is not None:
                    progress(before + finished, total)

            noise = each.noise if _errs(player) and _errs(opponent) else 0.0
            try:
                result = match(
                    _noisy(player, noise),
                    _noisy(opponent, noise),
                    game=game,
                    games=count,
                    openings=openings,
                    seed=seed,
                    threads=threads,
                    progress=tell,
                )
            except KeyboardInterrupt:
                if not rows:
                    raise
                raise StoppedWithResultError(Strength(game, seed, tuple(rows), listed)) from None
            done += count
            rows.append(
                YardstickScore(
                    player=name,
                    opponent=each.player,
                    score=result.score,
                    interval=result.interval,
                    games=result.games,
                    beginner=result.beginner,
                    noise=noise,
                )
            )
    return Strength(game, seed, tuple(rows), listed)


def _of_user(
    source: object, game: str, runs: Callable[[str], Player] | None
) -> tuple[Yardstick, Player]:
    player = read_player_of(source, game, runs)
    model = data_of(player)
    is_program = model is None or not model.is_portable
    return Yardstick(player.label, share=_SHARE_OF_PROGRAMS if is_program else 1.0), player


def _errs(player: Player) -> bool:
    """Whether *player* can be told to play some of its moves at random."""
    try:
        _noisy(player, 0.5)
    except (ValueError, TypeError):
        return False
    return True


def _noisy(player: Player, noise: float) -> Player:
    return with_options(player, {"epsilon": noise}) if noise else player
