"""`evoply watch`: saved games move by move in the terminal, or a tournament as it is played."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from evoply.cli.games_in_files import rules_added
from evoply.cli.output import Output
from evoply.cli.shared_options import Delay, Json, Password, Whole

_ADDRESS = re.compile(r"[^/\\]+:[0-9]+")


def watch(
    file: str,
    /,
    *,
    game: Annotated[Whole | None, Parameter(validator=Number(gte=0))] = None,
    rules: str | None = None,
    delay: Delay = 0.5,
    password: Password = None,
    json: Json = False,
) -> None:
    """Show saved games, move by move, or a tournament as it is played.

    Without a terminal the moves and the last board of every game are printed;
    in a tournament, when the game is over.

    In JSON: file; games (those that were shown, as they are saved, each with
    its number); refused (number, place and reason of each game that cannot be
    read); doubts (what games say twice and not alike).

    Parameters
    ----------
    file
        What `evoply match --save-games` wrote, or any other format that `evoply convert` reads;
        or, if there is no such file, HOST:PORT of an `evoply serve`.
    game
        Show only the game of this number; the first is 0.
    rules
        A file of rules, if the game is one of your own.
    password
        The password of the server; it is never sent.
    """
    from evoply.cli.board_view import show_game
    from evoply.cli.convert import Notes, games_in

    if rules is not None:
        rules_added(rules)
    output = Output(json)
    if not Path(file).exists() and _ADDRESS.fullmatch(file):
        from evoply.cli.watching_live import watch_live

        watch_live(file, output, game=game, password=password)
        return
    shown = []
    notes = Notes()
    for number, played in enumerate(games_in(file, notes)):
        if game is None or number == game:
            show_game(played, output.people, delay, title=f"Game {number}")
            shown.append({"number": number, **played.to_dict()})
        if number == game:
            break
    if not shown and (game is None or notes.refused):
        why = notes.refused[0] if notes.refused else "there are no games in it"
        raise ValueError(f"{file}: {why}")
    if not shown:
        raise ValueError(f"--game: there is no game {game} in {file}; the first is 0")
    notes.tell()
    output.result({"file": file, "games": shown, **notes.to_dict()})
