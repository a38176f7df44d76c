"""`evoply replay`: play a training game of a run again from its key."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from evoply.cli.output import Output
from evoply.cli.shared_options import AnyRun, CodeInRuns, Json, Whole

if TYPE_CHECKING:
    from evoply.evolution import Replay

_NumberFromZero = Annotated[Whole, Parameter(validator=Number(gte=0))]


def replay(
    run: AnyRun = None,
    /,
    *,
    generation: _NumberFromZero,
    game: _NumberFromZero,
    code_in_runs: CodeInRuns = False,
    json: Json = False,
) -> None:
    """Play a training game of a run again.

    Games are not stored: every one comes again from its key, exactly as it was.
    Your own fitness in Python is imported for it, if its file is unchanged.

    Parameters
    ----------
    generation
        Number of the generation; the first is 0.
    game
        Number of the training game within its generation; the first is 0.
    """
    from evoply.cli.board_view import board_text
    from evoply.evolution import check_evolved
    from evoply.evolution import replay as play_again
    from evoply.games import game_rules
    from evoply.kinds import find_run
    from evoply.own_code import code_in_runs_allowed

    output = Output(json)
    with code_in_runs_allowed(code_in_runs), find_run(run) as found:
        check_evolved(found)
        played = play_again(found, generation, game)
    record = played.game
    outcome = record.outcome()
    output.say(f"Game {game} of {played.games:,} of generation {generation}", style="bold")
    output.labelled("Black", played.black)
    output.labelled("White", played.white)
    output.labelled("Counted", _points_text(played))
    if record.start != game_rules(record.start.game).start():
        output.labelled("Start", record.start.text())
    output.labelled("Moves", record.transcript())
    output.labelled("", f"the first {played.opening_plies} plies are random")
    if outcome is not None:
        ending = record.ending()
        rule = "" if ending is None or ending.value == "board" else f" by {ending.value}"
        output.labelled("Result", f"{outcome}{rule}")
    output.people.print(board_text(record, output.people, legal=False))
    output.result(
        {
            "run": str(found.path),
            "generation": generation,
            "game": game,
            "games": played.games,
            "black": played.black,
            "white": played.white,
            "individuals": list(played.individuals),
            "against": list(played.against),
            "opening_plies": played.opening_plies,
            "points": played.points,
            "start": record.start.text(),
            "transcript": record.transcript(),
            "outcome": str(outcome),
            "disc_difference": outcome.disc_difference if outcome else None,
        }
    )


def _points_text(played: Replay) -> str:
    """Return how many points the game was worth, and to whom."""
    counted = _points(played.points, played.individuals)
    if not played.against:
        return counted
    return f"{counted}; {_points(1 - played.points, played.against)}"


def _points(points: float, whose: Sequence[int]) -> str:
    individuals = f"individual{'s' * (len(whose) > 1)} {', '.join(map(str, whose))}"
    return f"{points:g} point{'s' * (points != 1)} for {individuals}"
