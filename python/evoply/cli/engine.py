"""`evoply engine`: a player as an engine, for other programs that speak GTP or NBoard."""

import sys
from typing import Annotated, Literal

from cyclopts import Parameter

from evoply.cli.shared_options import USUAL_PROGRAMS, USUAL_TERMS, Programs, WrittenTerms, only


def engine(
    *,
    protocol: Literal["gtp", "nboard"],
    player: str,
    conditions: Annotated[WrittenTerms, only("game", "seed")] = USUAL_TERMS,
    programs: Programs = USUAL_PROGRAMS,
    ponder: Annotated[bool, Parameter(name="--ponder", negative="", show_default=False)] = False,
    json: Annotated[
        bool,
        Parameter(
            name="--json",
            negative="",
            show_default=False,
            help="Say what is wrong with the options as one JSON object. Afterwards standard "
            "output belongs to the protocol.",
        ),
    ] = False,
) -> None:
    """Offer a player as an engine.

    Other programs start this command and speak with it over standard input and
    output: NBoard, Quarry, match programs, and evoply itself. It ends with
    `quit`, or when its input ends. Boards of other sizes are played over GTP
    (boardsize) and NBoard (the game's BO) if the player can play them.

    Parameters
    ----------
    protocol
        What the other program speaks.
    player
        The player: see `evoply match --help`. Its depth and limits are its own, whatever the
        other program asks for; of time it takes no more than the other program gives it.
    ponder
        In games with a clock think while the other side is to move, too; any line ends that.
    """
    from evoply.cli.player_texts import read_players

    game, (read,) = read_players([player], conditions.game, programs)
    from evoply.players.engines.gtp_server import GtpServer
    from evoply.players.engines.nboard_server import NBoardServer
    from evoply.players.engines.served_player import serve

    server = (GtpServer if protocol == "gtp" else NBoardServer)(read, game, conditions.seed)
    server.board.is_pondering_wanted = ponder
    try:
        serve(server, sys.stdin, sys.stdout)
    finally:
        server.board.close()
