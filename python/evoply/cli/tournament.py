"""`evoply tournament`: many players, ratings, brackets and stars."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter
from cyclopts.validators import Number
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from evoply.cli import shared_options
from evoply.cli.long_work import give_played, on_cluster, played, progress_and_page
from evoply.cli.match import DOUBTS, say_forfeits, say_programs
from evoply.cli.output import Output, StoppedError, say_section
from evoply.cli.saving import saving, say_report, say_saved
from evoply.cli.shared_options import USUAL_TERMS, WrittenTerms, only
from evoply.cli.shell_hints import suggested
from evoply.configs.config_errors import checked
from evoply.environment.files import read_toml_file
from evoply.protocols import ConfigError
from evoply.protocols.provenance import provenance
from evoply.protocols.sections import Column
from evoply.wording import did_you_mean, named_apart, not_utf8, shorten

if TYPE_CHECKING:
    from evoply.arena import RoundRobin, Standing, Star, Tournament
    from evoply.protocols import Player


_PAIRING_GAMES = 100
_ROUND_GAMES = 20
_LONGEST_TITLE = 100
_TIMES = (
    Column("player", "player", str, look="code"),
    Column("seconds", "seconds a game", lambda seconds: f"{seconds.mean:.3g}"),
    Column("seconds", "at most", lambda seconds: f"{seconds.most:.3g}"),
)


def _check_title(_: Any, title: str | None) -> None:
    if title is None:
        return
    if not title.strip() or not title.isprintable():
        raise ValueError("write one line, without control characters")
    if len(title) > _LONGEST_TITLE:
        raise ValueError(f"it has {len(title):,} characters: write at most {_LONGEST_TITLE}")


Title = Annotated[str | None, Parameter(validator=_check_title, show_default=False)]
Names = Annotated[list[str] | None, Parameter(negative="", consume_multiple=False)]


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class EliminationOptions:
    """Options of --mode elimination."""

    bracket: Annotated[list[str] | None, Parameter(negative="", consume_multiple=False)] = None
    """Elimination: PLAYER=BRACKET puts a player into a bracket (a group); may be given several
    times."""
    opponents: Literal["all", "same", "other"] = "all"
    """Elimination: whom a player meets, all, only the same bracket, or only other ones."""
    threshold: float = 0.6
    """Elimination: a player stays if it wins more than this share of its games, from 0.5 to below
    1."""
    runs: Annotated[
        shared_options.Whole, Parameter(name="--times", validator=Number(gte=1, lte=100_000))
    ] = 1
    """Elimination: how often the tournament is played."""


USUAL_ELIMINATION = EliminationOptions()


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class KeptGamesOptions:
    """Where the games of a tournament are kept."""

    file: Annotated[Path | None, Parameter(show_default=False)] = None
    """Keep every game in this file. After a stop the same command goes on with the games that are
    missing, to the same result."""
    resume: Annotated[Path | None, Parameter(show_default=False)] = None
    """Go on with the games in this file of --file. The bots may be others than before: of a new or
    a changed one all games are played, and of the others none again."""

    def path(self) -> Path | None:
        """Return the file; `ValueError` for two, or if that of --resume is not there."""
        if self.resume is None:
            return self.file
        if self.file is not None:
            raise ValueError("--file and --resume: give one of them")
        if not self.resume.is_file():
            raise ValueError(
                f"--resume {self.resume}: there is no such file - name one of --file, or begin "
                f"with --file {self.resume}"
            )
        return self.resume


NOTHING_KEPT = KeptGamesOptions()


def tournament(
    *players: str,
    mode: Literal["round-robin", "elimination"] = "round-robin",
    games: shared_options.WholeOrDefault = None,
    conditions: Annotated[
        WrittenTerms, only("openings", "seed", "game", "clock", "threads")
    ] = USUAL_TERMS,
    field: Path | None = None,
    elimination: EliminationOptions = USUAL_ELIMINATION,
    title: Title = None,
    kept: KeptGamesOptions = NOTHING_KEPT,
    save_games: shared_options.OutputFile = None,
    html: shared_options.OutputFile = None,
    results_of: Names = None,
    programs: shared_options.Programs = shared_options.USUAL_PROGRAMS,
    cluster: shared_options.ClusterOptions = shared_options.NO_CLUSTER,
    json: shared_options.Json = False,
) -> None:
    """Play a tournament of two or more players and rate them.

    In a round robin everybody plays everybody. In an elimination tournament a
    player meets randomly drawn opponents in every round, and is out unless it
    wins more than 60 % of its games; draws are not wins. With --times the
    tournament is played many times.

    Parameters
    ----------
    players
        Players, as for `evoply match`; a folder stands for all bots (.py files) in it. Each bot is
        asked for two moves first; those that fail are named and left out.
    mode
        Everybody plays everybody, or players who do not win enough are out.
    games
        Round robin: games of every two players, default 100. Elimination: games of a player in a
        round, default 20. An even number, because every opening is played with both colours.
    field
        A TOML file of players: tables [[player]] with the key player, and if you like name, bracket
        and fitness.
    title
        What the table and the page are called.
    save_games
        Write the games into this file at the end, one line of JSON per game; `evoply watch` shows
        them.
    html
        Write a page about it, which opens offline, into this file.
    results_of
        Round robin: a player whose results against everybody the page shows, by its name in the
        table; may be given several times.
    """
    from evoply import arena
    from evoply.cli.player_texts import read_players, read_terms
    from evoply.games import game_rules

    file = kept.path()
    entries = [] if field is None else read_field(field)
    found = entrants(players)
    entries += [Entry.model_construct(player=text) for text in found.texts]
    output = Output(json)
    game, read = read_players([entry.player for entry in entries], conditions.game, programs)
    texts = [entry.player for entry in entries]
    terms = {**read_terms(conditions, game), "file": file}
    leave_out_what_fails(found, dict(zip(texts, read, strict=True)), terms)
    for path, reason in sorted(found.left_out.items()):
        output.say(f"{path} is left out: {reason}")
    staying = [place for place, text in enumerate(texts) if text not in found.left_out]
    entries, texts = [entries[place] for place in staying], [texts[place] for place in staying]
    read = [read[place] for place in staying]
    labels = [entry.name or player.label for entry, player in zip(entries, read, strict=True)]
    is_elimination = mode == "elimination"
    if not is_elimination and elimination != replace(
        USUAL_ELIMINATION, threshold=elimination.threshold
    ):
        raise ValueError("--bracket, --times and --opponents are for --mode elimination")
    chosen = {"chosen": _named(results_of, labels)}
    if is_elimination and results_of:
        raise ValueError("--results-of is for --mode round-robin")
    if cluster.cluster is not None:
        from evoply.arena.on_cluster import check_sendable

        check_sendable(game, read, terms["clock"])
    play: Callable[..., Any]
    if is_elimination:
        brackets = [entry.bracket or "all" for entry in entries]
        _put_into_brackets(brackets, texts, elimination.bracket or [])
        play = partial(
            arena.tournament,
            read,
            names=labels,
            brackets=brackets,
            fitness=[entry.fitness for entry in entries],
            mode=elimination.opponents,
            games=_ROUND_GAMES if games is None else games,
            threshold=elimination.threshold,
            times=elimination.runs,
        )
        bar, kind, whole, unit = "tournaments", "Tournament", elimination.runs, "runs"
    else:
        each = _PAIRING_GAMES if games is None else games
        called = [
            player.model_copy(update={"name": label})
            for player, label in zip(read, labels, strict=True)
        ]
        play = partial(
            arena.round_robin, called, games=each, on_change=output.say if kept.resume else None
        )
        whole = each * len(read) * (len(read) - 1) // 2
        bar, kind, unit = "round robin", "Round robin", "games"
    about = {"title": title, "left_out": found.left_out or None}
    entitled = partial(replace, **about, **({} if is_elimination else chosen))
    with (
        going_on(file),
        on_cluster(cluster, output) as terms["cluster"],
        saving(save_games) as save,
        progress_and_page(
            bar,
            whole,
            html,
            title or f"{kind}: {game_rules(game).title}",
            lambda result, **state: _page(entitled(result), **state),
            lambda done: f"{done:,} of {whole:,} {unit} are played",
        ) as (terms["progress"], terms["on_standings"]),
    ):
        result, is_stopped = played(lambda: play(on_game=save, **terms))
        if is_stopped and save is not None:
            save.keep(result.games)
    result = entitled(result)
    say: Callable[[Output, Any], None] = _say_stars if is_elimination else say_standings
    say(output, result)
    say_saved(output, save_games)
    data = result.to_dict() if json else {}  # a large field has many pairs of players
    state = result.state(getattr(result, unit), unit)
    say_report(output, html, result, state=state.capitalize())
    of = f"{state}: this is the result of those{goes_on_with(file)}"
    give_played(output, data, of * is_stopped)


def _named(names: Sequence[str] | None, labels: Sequence[str]) -> tuple[str, ...]:
    """Return *names*; `ValueError` for one that no player has."""
    known = named_apart(labels)
    for name in names or ():
        if name not in known:
            hint = did_you_mean(name, known)
            raise ValueError(f"--results-of: no player {shorten(name)!r} takes part{hint}")
    return tuple(names or ())


@contextmanager
def going_on(file: Path | None) -> Iterator[None]:
    """Say after Ctrl-C how to go on, if there is a *file*."""
    try:
        yield
    except KeyboardInterrupt:
        if file is None:
            raise
        message = f"stopped before every two players had met{goes_on_with(file)}"
        raise StoppedError(message, {"file": str(file)}) from None


def goes_on_with(file: Path | None) -> str:
    """Return the end of a message that has the command which goes on with *file*."""
    if file is None:
        return "; with --file FILE it could go on"
    command = shlex.split(provenance().command or "")[1:]
    words = ["--resume" if word == "--file" else word for word in command]
    words = [re.sub("^--file=", "--resume=", word) for word in words]
    return f"; go on with: {suggested(shlex.join(words))}"


def _put_into_brackets(brackets: list[str], texts: list[str], options: list[str]) -> None:
    for text in options:
        player, equals, name = text.rpartition("=")
        if not equals or not name.strip():
            raise ValueError(f"--bracket: {shorten(text)!r} is not PLAYER=BRACKET")
        if player not in texts:
            hint = did_you_mean(player, texts)
            raise ValueError(f"--bracket: no player {shorten(player)!r} takes part{hint}")
        for index, entrant in enumerate(texts):
            if entrant == player:
                brackets[index] = name.strip()


def say_standings(output: Output, result: RoundRobin) -> None:
    """Show the table of a round robin, how it was played, and what is doubtful about it."""
    _say_head(output, result.title, result.state(result.games, "games"))
    say_section(result.shown().sections[0], output)
    output.say(
        f"Seed {result.seed}; {result.games:,} games, {result.distinct_games:,} of them different; "
        f"ratings on Elo's scale, their mean 0{_openings(result)}"
    )
    _say_times(output, result.clock, result.standings)
    rated = [standing for standing in result.standings if standing.rating is not None]
    _say_doubts(output, [standing.interval for standing in rated], result)


def _say_head(output: Output, *words: str | None) -> None:
    if any(words):
        output.say(": ".join(filter(None, words)), style="bold")


def _say_stars(output: Output, result: Tournament) -> None:
    _say_head(output, result.title, result.state(result.runs, "runs"))
    say_section(result.shown().sections[0], output)
    if result.runs == 1:
        for number, names in enumerate(result.out[0], start=1):
            output.say(f"out in round {number}: {', '.join(shorten(n, 40) for n in names) or '-'}")
    output.say(
        f"Seed {result.seed}; {result.runs:,} run{'s' * (result.runs > 1)}, {result.games:,} "
        f"games; out unless more than {100 * result.threshold:g} % of a round's games are won"
        f"{_openings(result)}"
    )
    if result.mode == "same":
        output.say("Ratings of different brackets cannot be compared: they never met.")
    _say_times(output, result.clock, result.stars)
    rated = [star for star in result.stars if star.rating is not None]
    _say_doubts(output, [star.rating_interval for star in rated], result)


def _say_times(output: Output, clock: str | None, players: Sequence[Standing | Star]) -> None:
    if clock is None:
        return
    output.table(_TIMES, players)
    output.say(f"Clock {clock}: seconds for a game, and what each move adds")


def _say_doubts(output: Output, intervals: list[Any], result: RoundRobin | Tournament) -> None:
    if None in intervals:
        output.say("Too few different games for some intervals: play more games, with openings.")
    say_programs(output, ((about["player"], about) for about in result.about))
    say_forfeits(output, result.forfeits)
    if not result.reproducible:
        output.say(DOUBTS.format("tournament"))


def _openings(result: RoundRobin | Tournament) -> str:
    return f"; {result.openings}, played with both colours" if result.openings else "; no openings"


def _page(result: RoundRobin | Tournament, **state: Any) -> str:
    from evoply.reports import result_html

    return result_html(result, **state)


# Who takes part in a tournament: players by their texts, folders of bots, and files of fields.

_MOST_BYTES = 4_000_000
_EXAMPLES = {"player": 'player = "greedy"', "name": 'name = "Ann"', "bracket": 'bracket = "one"'}


@dataclass(frozen=True, slots=True)
class Entrants:
    """The texts of players, with the bots of folders in the place of these."""

    texts: list[str]
    left_out: dict[str, str] = field(default_factory=dict)
    """The bots that cannot play, with the reason."""


def entrants(texts: Sequence[str]) -> Entrants:
    """Return *texts* with every folder replaced by the bots in it, in the order of their names.

    A bot is a file whose name ends in .py and that has a class with a method `choose`; other files
    are passed over. Files that are no Python, or have several such classes, are left out, so that
    the others can play. Raises ValueError for a folder without bots.
    """
    found = Entrants([])
    for text in texts:
        if not os.path.isdir(text):
            if text.endswith(("/", os.sep)):
                raise ValueError(
                    f"there is no folder {shorten(text)}: name one that is there, or a player"
                )
            found.texts.append(text)
            continue
        before = len(found.texts), len(found.left_out)
        for path in sorted(path for path in Path(text).glob("*.py") if path.is_file()):
            look_at(str(path), found)
        if before == (len(found.texts), len(found.left_out)):
            raise ValueError(
                f"{text}: there is no bot in this folder, no .py file with a class that has a "
                "method choose"
            )
    return found


def look_at(path: str, found: Entrants) -> None:
    """Add the file to the bots, or to those left out, if it is either."""
    from evoply.players import bot_classes

    try:
        classes = bot_classes(path)
    except ValueError as error:
        found.left_out[path] = f"{str(error).removeprefix(f'{path}: ')} - mend that"
        return
    if len(classes) > 1:
        named = ", ".join(classes[:10])
        found.left_out[path] = (
            f"several classes have a method choose, {named}: let the names of all but one begin"
            " with an underscore"
        )
    elif classes and not_utf8(path):
        found.left_out[path] = "its name is not UTF-8: rename it"
    elif classes:
        found.texts.append(path)


def leave_out_what_fails(
    found: Entrants, players: Mapping[str, Player], terms: Mapping[str, Any]
) -> None:
    """Start each bot once, ask it for two moves, and add those that fail to `left_out`.

    Otherwise their opponents would win every game against them, which says nothing of anybody.
    """
    bots: dict[str, Any] = {
        text: player for text, player in players.items() if getattr(player, "kind", "") == "bot"
    }
    if not bots:
        return
    from evoply.players import trial

    failed = trial(
        bots,
        terms["game"],
        start=terms["start"],
        has_clock=terms["clock"] is not None,
        threads=terms["threads"],
    )
    found.left_out.update(failed)


Text = Annotated[str, Field(min_length=1, max_length=100_000)]
# A name is shown in terminals: control characters in it could do anything there.
Label = Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f-\x9f]*$")]


class Entry(BaseModel):
    """One player of a field: its text, and what the tournament knows about it."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    player: Text
    name: Label | None = None
    bracket: Label | None = None
    fitness: float | None = None


class _FieldFile(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    player: tuple[Entry, ...] = Field(min_length=1)


def _in_words(error: ErrorDetails) -> str:
    path, context = error["loc"], error.get("ctx", {})
    match error["type"]:
        case "missing":
            return f"is missing: write {_EXAMPLES.get(str(path[-1]), 'it')}"
        case "extra_forbidden" if len(path) == 1:
            return "is not a key of a field: write the players as tables [[player]]"
        case "extra_forbidden":
            hint = did_you_mean(str(path[-1]), Entry.model_fields)
            return f"is not a key of a player{hint}: the keys are {', '.join(Entry.model_fields)}"
        case "string_pattern_mismatch":
            return "must be one line without control characters"
        case "string_too_long":
            return f"has more than {context['max_length']:,} characters: write a shorter one"
        case "string_too_short" | "too_short":
            return f"is empty: write {_EXAMPLES.get(str(path[-1]), 'something')}"
        case "tuple_type" | "model_type" | "model_attributes_type" | "dict_type":
            return f"must be a table: write {_EXAMPLES['player']} below a line [[player]]"
        case _:
            kind = "a number" if path[-1] == "fitness" else "a text in quotes"
            return f"must be {kind}, not {shorten(repr(error['input']))}"


def read_field(path: Path) -> list[Entry]:
    """Return the players of the file at *path*; `ConfigError` names every mistake with its path."""
    data = read_toml_file(path, _MOST_BYTES)

    def refusal(error: ValidationError) -> ConfigError:
        return ConfigError(
            [
                (f"{path}: {'.'.join(map(str, detail['loc']))}", _in_words(detail))
                for detail in error.errors(include_url=False)
            ]
        )

    return list(checked(lambda: _FieldFile.model_validate(data), refusal).player)
