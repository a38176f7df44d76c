"""`evoply replay`: play a training game of a run again from its key."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from evoply.cli.options import Json
from evoply.cli.output import Output

__all__ = ["replay"]

_NumberFromZero = Annotated[int, Parameter(validator=Number(gte=0))]


def replay(
    run: str,
    /,
    *,
    generation: _NumberFromZero,
    game: _NumberFromZero,
    json: Json = False,
) -> None:
    """Play a training game of a run again.

    Games are not stored: every one comes again from its key, exactly as it was.

    Parameters
    ----------
    run
        Name or path of the run.
    generation
        Number of the generation; the first is 0.
    game
        Number of the training game within its generation; the first is 0.
    """
    from evoply.runs import find_run
    from evoply.runs import replay as play_again

    output = Output(json)
    with find_run(run) as found:
        played = play_again(found, generation, game)
    record = played.game
    outcome = record.outcome()
    places = ", ".join(map(str, played.individuals))
    output.say(f"Game {game} of {played.games:,} of generation {generation}", style="bold")
    output.labelled("Black", played.black)
    output.labelled("White", played.white)
    output.labelled("Counted", f"{played.points:g} points for individual {places}")
    output.labelled("Moves", record.transcript())
    output.labelled("", f"the first {played.opening_plies} plies are random")
    output.labelled("Result", str(outcome))
    output.say(str(record.position))
    output.result(
        {
            "run": str(found.path),
            "generation": generation,
            "game": game,
            "games": played.games,
            "black": played.black,
            "white": played.white,
            "individuals": list(played.individuals),
            "opening_plies": played.opening_plies,
            "points": played.points,
            "transcript": record.transcript(),
            "outcome": str(outcome),
            "disc_difference": outcome.disc_difference if outcome else None,
        }
    )
