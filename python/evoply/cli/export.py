"""`evoply export`: a player as one file for other programs."""

from __future__ import annotations

import sys
from typing import Annotated, Literal

from evoply.cli.output import Output
from evoply.cli.shared_options import USUAL_TERMS, Json, OutputFile, WrittenTerms, only


def export(
    player: str,
    /,
    *,
    to: Literal["c", "python", "javascript", "latex"],
    output: OutputFile = None,
    conditions: Annotated[WrittenTerms, only("game")] = USUAL_TERMS,
    json: Json = False,
) -> None:
    """Write a player as one file for other programs: in C, Python, JavaScript, LaTeX.

    A program values boards as the player does, equal to the last bit, and chooses
    among the boards after moves. It needs nothing: no evoply, no library. Its head
    says for which side the values are, and what the player adds, such as a search.

    In JSON: player, game, to, and the text, or the file as output.

    Parameters
    ----------
    player
        A tree, a formula, stages or learned weights: see `evoply match --help`. Pattern tables
        and players without values of boards, such as bots, cannot be exported.
    to
        The language. In LaTeX it is the simplified formula with its features in words.
    output
        Where to write to. Default: standard output.
    """
    from evoply import reports
    from evoply.cli.player_texts import read_players
    from evoply.environment.files import write_atomically

    game, (chosen,) = read_players([player], conditions.game)
    text = reports.export(chosen, to=to, game=game)
    data = {"player": chosen.label, "game": game, "to": to}
    said = Output(json)
    if output is not None:
        write_atomically(output, text)
        said.say(f"Written: {output}")
        said.result({**data, "output": str(output)})
    elif json:
        said.result({**data, "text": text})
    else:
        sys.stdout.write(text)
