"""Reads the texts of players and positions that users write into players and games."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from evoply.cli.shared_options import USUAL_PROGRAMS, Programs, WrittenTerms, named_options
from evoply.games import game_rules
from evoply.wording import did_you_mean, shorten

if TYPE_CHECKING:
    from evoply import kinds, runs
    from evoply.arena import OpeningList, OpeningOrder
    from evoply.players.player import PlayerModel
    from evoply.protocols import GameRecord, Player


# Opens the run that a command names.
#
# The name is looked up before anything is imported that reads runs: the answer to a mistyped name
# is quick. Both functions raise `RunError` that names the places searched.


def opened_run(text: str | None = None) -> kinds.Run:
    """Open the run called *text* or at that path; without a text the newest one."""
    from evoply.runs import run_path

    path = run_path(text)
    from evoply.kinds import Run

    return Run.open(path)


def opened_without_learner(text: str | None = None) -> runs.Run:
    """Open the same run for its name, its game and its champion, which need no learner."""
    from evoply.runs import run_path

    path = run_path(text)
    from evoply.runs import Run

    return Run.open(path)


DEFAULT_GAME = "othello"

_CHAMPION = re.compile(r"\s*champion\s*(?:@(?P<run>[^:]*))?(?P<options>:.*)?", re.DOTALL)
_ENGINE = "engine:"
_SAVED = re.compile(r"\s*(?P<path>.+?\.json)(?::.*)?", re.DOTALL | re.IGNORECASE)


def read_players(
    texts: Sequence[str],
    game: str | None,
    programs: Programs = USUAL_PROGRAMS,
) -> tuple[str, list[PlayerModel]]:
    """Return the game and the players that *texts* name.

    Without a *game* it is that of the champions and saved players among them, else Othello 8x8.
    `champion` alone is that of the newest run. *programs* says how long bots and engines have for a
    move, and describes those named `engine:NAME`. Raises ValueError, also if they play different
    games.
    """
    if game is not None:
        game_rules(game)
    texts = [_full_name(text) for text in texts]
    game = game or _common_game(texts)
    from evoply.players import PlayerTextError, parse_player, read_engines
    from evoply.players.engines import engine_name

    engines = programs.engines
    known = {} if engines is None else read_engines(engines)
    read: list[PlayerModel] = []
    try:
        for text in texts:
            name = engine_name(text)
            if name is None or engines is None:
                read.append(_named(parse_player(text, game=game, runs=_champion_of), text))
                continue
            if name not in known:
                hint = did_you_mean(name, known) or f": it has {', '.join(known)}"
                raise ValueError(f"{engines}: no engine {shorten(name)!r}{hint}")
            read.append(_check_fits(known[name], text, game))
    except PlayerTextError as error:
        raise ValueError(f"{error}{_hint_of_run(texts)}") from error
    return game, [_confined(programs, player) for player in read]


def _named(player: PlayerModel, text: str) -> PlayerModel:
    """Return *player* by the name of its file, if *text* names one.

    Where it is data its label may be a part of a formula, by which nobody finds it again.
    """
    if saved_file(text) is None:
        return player
    from evoply.players.player_kind import LONGEST_NAME

    name = text.strip()
    return player.model_copy(update={"name": name}) if len(name) <= LONGEST_NAME else player


def _champion_of(run: str) -> Player:
    from evoply.runs import resolve_champion

    return resolve_champion(run)


def _check_fits(engine: PlayerModel, text: str, game: str) -> PlayerModel:
    try:
        engine.check_fits(game)
    except ValueError as error:
        raise ValueError(f"{text} cannot play {game}: {error}") from None
    return engine


def _confined(programs: Programs, player: PlayerModel) -> PlayerModel:
    """Return *player* with the limit of a move and the sandbox that were given, if it needs any."""
    if programs.move_limit is not None:
        try:
            player = player.with_move_limit(programs.move_limit)
        except ValueError as error:
            raise ValueError(f"--move-limit: {error}") from None
    if programs.sandbox is not None:
        try:
            player = player.with_sandbox(programs.sandbox)
        except ValueError as error:
            raise ValueError(f"--{error}") from None
    return player


def _full_name(text: str) -> str:
    champion = _CHAMPION.fullmatch(text)
    if champion is None or (champion["run"] or "").strip():
        return text
    with opened_without_learner() as run:
        return f"champion@{run.name}{champion['options'] or ''}"


def _hint_of_run(texts: Sequence[str]) -> str:
    """Return a sentence about the first of *texts* that is the name or path of a run, or ""."""
    from evoply.protocols import RunError

    for text in filter(None, map(str.strip, texts)):
        if "@" in text:
            continue
        try:
            with opened_without_learner(text):
                return f". There is a run {text}: its player is champion@{text}"
        except (RunError, OSError, ValueError):
            continue
    return ""


def _common_game(texts: Sequence[str]) -> str:
    games = {text: own for text in texts if (own := _own_game(text)) is not None}
    if len(set(games.values())) > 1:
        plays = " and ".join(f"{text} plays {game}" for text, game in games.items())
        raise ValueError(f"{plays}: say which game is meant with --game")
    return next(iter(games.values()), DEFAULT_GAME)


def _own_game(text: str) -> str | None:
    champion = _CHAMPION.fullmatch(text)
    if champion is not None:
        from evoply.runs.run_names import champion_parts

        name, _, _ = champion_parts((champion["run"] or "").strip())
        with opened_without_learner(name or None) as run:
            return run.game
    if file := saved_file(text):
        from evoply.players import load_saved_player

        return load_saved_player(file).game
    return None


def run_of_champion(text: str) -> str | None:
    """Return the run whose champion *text* is, "" for the newest; None for other players.

    So it is for a champion as it was earlier, of a cell, or with options.
    """
    champion = _CHAMPION.fullmatch(text)
    if champion is None or champion["options"]:
        return None
    from evoply.runs.run_names import champion_parts

    name, number, cell = champion_parts((champion["run"] or "").strip())
    return None if number or cell else name


def saved_file(text: str) -> str | None:
    """Return the path of the file if *text* names a saved player, else None."""
    saved = None if text.lstrip().startswith(("(", _ENGINE)) else _SAVED.fullmatch(text)
    return None if saved is None else saved["path"]


def read_position(game: str, text: str | None) -> GameRecord:
    """Return the record of *game* that *text* shows: a board, moves or both, GGF, or PDN.

    Without a text it is the start. Raises `InvalidMoveError` or `IllegalMoveError`.
    """
    if text is None:
        return game_rules(game).record()
    from evoply.games.formats import read_pasted

    return read_pasted(game, text)


def read_terms(conditions: WrittenTerms, game: str) -> dict[str, Any]:
    """Return *conditions* as `evoply.match` takes them; `ValueError` names the option."""
    from evoply.arena import conditions_of

    start = read_position(game, conditions.start).position
    openings: object = conditions.openings
    if isinstance(openings, str) and openings not in ("usual", "none"):
        openings = listed_openings(openings, game)
    read = {**conditions.keywords, "game": game, "start": start, "openings": openings}
    with named_options():
        conditions_of(**read)
    return read


def listed_openings(text: str, game: str) -> OpeningList:
    """Return the openings of *game* in the file that *text* names, with or without an order."""
    from evoply.arena import read_openings

    drawn = text.removesuffix(":drawn")
    path = drawn.removesuffix(":in-order")
    order: OpeningOrder = "drawn" if path == drawn else "in-order"
    try:
        return read_openings(path, game=game, order=order)
    except FileNotFoundError:
        raise ValueError(
            f"--openings: {shorten(path)!r} is no whole number, and there is no file of that name "
            "- write a number of plies, none, or a file of openings"
        ) from None
    except ValueError as error:
        raise ValueError(f"--openings: {error}") from None
