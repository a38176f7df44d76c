"""`evoply grade`: the hand-ins of a class tried, played, rated, and a page for each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from evoply.cli import shared_options
from evoply.cli.long_work import give_played, played, progress_bar
from evoply.cli.output import Output, StoppedError
from evoply.cli.saving import saving, say_saved
from evoply.cli.shared_options import USUAL_TERMS, WrittenTerms, only
from evoply.cli.tournament import (
    Entrants,
    Title,
    leave_out_what_fails,
    look_at,
    say_standings,
)
from evoply.wording import shorten

if TYPE_CHECKING:
    from evoply.games.formats import GamePlayed
    from evoply.players.player import PlayerModel
    from evoply.reports.class_pages import Graded

_GAMES = 20
_REFERENCES = ("greedy", "swh", "material:depth=2", "strong:level=3")
_MOST_REFERENCES = 3
_FILE = "class.db"
_AGAIN = "the same command goes on"


def grade(
    folder: Path,
    /,
    *,
    html: Path | None = None,
    against: Annotated[list[str] | None, Parameter(negative="", consume_multiple=False)] = None,
    games: shared_options.Whole = _GAMES,
    conditions: Annotated[
        WrittenTerms, only("openings", "seed", "game", "clock", "threads")
    ] = USUAL_TERMS,
    title: Title = None,
    file: Annotated[Path | None, Parameter(show_default=False)] = None,
    save_games: shared_options.OutputFile = None,
    programs: shared_options.Programs = shared_options.USUAL_PROGRAMS,
    json: shared_options.Json = False,
) -> None:
    """Try, play and rate the hand-ins of a class.

    Every .py file in the folder is a hand-in: a bot. Each is asked for two moves
    first; who fails is named with what to do. The others play a round robin with
    players of reference. All games are kept: the same command goes on after a
    stop, and once somebody has handed in anew it plays only those games again.

    Parameters
    ----------
    folder
        The folder of the hand-ins. Other files and folders in it are passed over.
    html
        Write pages into this folder: index.html for the class, and one for each hand-in.
    against
        A player of reference; may be given several times. Default: greedy, swh and
        strong:level=3, or what else there is in the game.
    games
        Games of every two players; even, because every opening is played with both colours.
    title
        What the table and the pages are called.
    file
        Where all games are kept, default class.db in the folder of --html, or in that of the
        hand-ins.
    save_games
        Write the games into this file at the end, one line of JSON per game; `evoply watch` shows
        them.
    """
    from evoply.arena import round_robin
    from evoply.cli.player_texts import read_players, read_terms

    output = Output(json)
    kept = file or (folder if html is None else html) / _FILE
    found, passed_over = _hand_ins(folder, [path for path in (html, kept) if path is not None])
    if passed_over:
        output.say(f"passed over: {shorten(', '.join(passed_over), 200)}")
    shared_options.prepared_folder(html)
    bots = list(found.texts)
    game, read = read_players([*bots, *(against or ())], conditions.game, programs)
    references = [] if against else _references(game)
    players = [*read, *references]
    terms = read_terms(conditions, game)
    leave_out_what_fails(found, dict(zip(bots, read[: len(bots)], strict=True)), terms)
    left_out = {Path(path).name: reason for path, reason in sorted(found.left_out.items())}
    for name, reason in left_out.items():
        output.say(f"{name} is left out: {reason}")
    staying = [
        player
        for place, player in enumerate(players)
        if place >= len(bots) or bots[place] not in found.left_out
    ]
    hand_ins = _described(staying, left_out)
    by_label = {hand_in.label: hand_in for hand_in in hand_ins}
    whole = games * len(staying) * (len(staying) - 1) // 2

    with saving(save_games) as save, progress_bar("class", whole) as progress:

        def note(played_game: GamePlayed) -> None:
            for label in (played_game.black, played_game.white):
                if label in by_label:
                    by_label[label].note(played_game)
            if save is not None:
                save(played_game)

        try:
            result, is_stopped = played(
                lambda: round_robin(
                    staying,
                    games=games,
                    file=kept,
                    on_change=output.say,
                    on_game=note,
                    progress=progress,
                    **terms,
                )
            )
        except KeyboardInterrupt:
            message = f"stopped before every two players had met; {_AGAIN}"
            raise StoppedError(message, {"file": str(kept)}) from None
        if is_stopped and save is not None:
            save.keep(result.games)
    result = replace(result, title=title, left_out=left_out or None)
    state = result.state(result.games, "games")
    say_standings(output, result)
    say_saved(output, save_games)
    data: dict[str, Any] = {**result.to_dict(), "file": str(kept)}
    if html is not None:
        from evoply.reports.class_pages import INDEX, write_class

        write_class(html, result, hand_ins, state=state.capitalize())
        output.say(f"Pages: {html / INDEX} and one for each of {len(hand_ins):,} hand-ins")
        data["pages"] = {each.label: str(html / each.page) for each in hand_ins}
    output.say(f"Games are kept in {kept}: after a new hand-in {_AGAIN}")
    give_played(output, data, f"{state}; {_AGAIN}" * is_stopped)


def _hand_ins(folder: Path, own: Sequence[Path]) -> tuple[Entrants, list[str]]:
    """Return the bots in *folder*, and what else lies there but is none of our *own* files."""
    if not folder.is_dir():
        raise ValueError(f"there is no folder {folder}: name that of the hand-ins")
    found, passed_over = Entrants([]), []
    ours = {path.absolute() for path in own}
    ours |= {Path(f"{path}{end}") for path in ours for end in ("-wal", "-shm", "-journal")}
    for path in sorted(folder.iterdir()):
        if path.suffix == ".py" and path.is_file():
            before = len(found.texts) + len(found.left_out)
            look_at(str(path), found)
            if before == len(found.texts) + len(found.left_out):
                found.left_out[str(path)] = (
                    "it has no class with a method choose - write one, see docs/players.md#bots"
                )
        elif path.absolute() not in ours and not path.name.startswith((".", "__pycache__")):
            passed_over.append(f"{path.name}/" if path.is_dir() else path.name)
    if not found.texts and not found.left_out:
        raise ValueError(f"{folder}: there is no hand-in in this folder, no .py file")
    return found, passed_over


def _references(game: str) -> list[PlayerModel]:
    """Return players of reference that play *game*, weak ones first."""
    from evoply.players import parse_player

    found: list[PlayerModel] = []
    for text in _REFERENCES:
        if text.startswith("material") and len(found) > 1:
            continue  # where there is a better one
        try:
            found.append(parse_player(text, game=game).model_copy(update={"name": text}))
        except ValueError:
            continue
    return found[:_MOST_REFERENCES]


def _described(staying: Sequence[PlayerModel], left_out: dict[str, str]) -> list[Graded]:
    from evoply.reports.class_pages import Graded

    playing = [Graded(player.label) for player in staying if player.kind == "bot"]
    return [*playing, *(Graded(name, problem) for name, problem in left_out.items())]
