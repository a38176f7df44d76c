"""`evoply engine` and `pack`: a player for other programs, by a protocol or as tables in a file."""

import sys
from json import dumps
from typing import Annotated, Literal

from cyclopts import Parameter

from evoply.cli.output import Output
from evoply.cli.player_texts import opened_run
from evoply.cli.shared_options import (
    USUAL_PROGRAMS,
    USUAL_TERMS,
    Json,
    Programs,
    Whole,
    WrittenTerms,
    only,
)


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
    from evoply.players.engines.served_game import serve
    from evoply.players.engines.servers import GtpServer, NBoardServer

    server = (GtpServer if protocol == "gtp" else NBoardServer)(read, game, conditions.seed)
    server.board.is_pondering_wanted = ponder
    try:
        serve(server, sys.stdin, sys.stdout)
    finally:
        server.board.close()


# `evoply pack`: learned tables as a file that ships.


def pack(
    run: str,
    file: str,
    /,
    *,
    positions: Whole = 60,
    depth: Whole = 8,
    seed: Whole = 1,
    json: Json = False,
) -> None:
    """Write the pattern tables of a run as the file of the player strong.

    Entries are rounded to thousandths. How well a shallow search foretells a
    deep one is measured on positions from games of the tables against
    themselves; levels that leave searches out need this. The same run and
    options give the same file.

    In JSON: file, bytes, digest, entries, and for every depth that is foretold
    the shallow one and slope, offset and sigma of every stage.

    Parameters
    ----------
    run
        Name or path of a run that learned patterns.
    file
        Where to write to; what was there is replaced.
    positions
        Positions of every stage that are searched.
    depth
        The deepest search that is foretold, 1 to 12: each ply takes about three times as long.
    seed
        A whole number that decides which positions are drawn.
    """
    output = Output(json)
    with opened_run(run) as found:
        from evoply.environment.files import write_atomically
        from evoply.players.packed import LARGEST_PACKED
        from evoply.protocols import RunError

        packed, last = found.kind.uses.get("packed"), found.last()
        if packed is None:
            raise RunError(f"run {found.name} has no tables of patterns, which can be packed")
        if last is None:
            raise RunError(f"run {found.name} has no tables yet: no step is finished")
        tables = packed(found.config, last, positions=positions, depth=depth, seed=seed)
    text = dumps(tables.to_data(), indent=1) + "\n"
    if len(text) > LARGEST_PACKED:
        raise ValueError(
            f"{file}: {len(text):,} bytes, and {LARGEST_PACKED:,} are the most: use fewer stages"
        )
    write_atomically(file, text)
    output.say(f"{file}: {tables.label}, {len(text):,} bytes, digest {tables.digest}")
    cuts = [cut.model_dump(mode="json") for cut in tables.cuts]
    for cut in tables.cuts:
        sigmas = " ".join(f"{sigma:.3f}" for _, _, sigma in cut.lines)
        output.say(f"{cut.depth:2} plies foretold by {cut.shallow}: sigma by stage {sigmas}")
    output.result(
        {
            "file": file,
            "bytes": len(text),
            "digest": tables.digest,
            "entries": len(tables.values),
            "cuts": cuts,
        }
    )
