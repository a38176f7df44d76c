"""`evoply replay`: play a training game of a run again from its key."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter
from cyclopts.validators import Number

from evoply.cli.output import Output
from evoply.cli.player_texts import opened_run
from evoply.cli.shared_options import AnyRun, CodeInRuns, Json, Whole

if TYPE_CHECKING:
    from evoply.evolution import Replay
    from evoply.learning.learner import LessonReplay
    from evoply.protocols import GameRecord
    from evoply.runs import Run

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
    Of a run that learned by play, the number of a generation is that of a step.

    Parameters
    ----------
    generation
        Number of the generation, the first being 0, or of the step, the first with games being 1.
    game
        Number of the training game within it; the first is 0.
    """
    output = Output(json)
    with opened_run(run) as found:
        from evoply.evolution import check_evolved
        from evoply.evolution import replay as play_again

        lesson = found.kind.uses.get("replayed")
        if lesson is not None:
            _show_lesson(output, found, lesson(found, generation, game))
            return
        check_evolved(found)
        played = play_again(found, generation, game)
    record = played.game
    output.say(f"Game {game} of {played.games:,} of generation {generation}", style="bold")
    output.labelled("Black", played.black)
    output.labelled("White", played.white)
    output.labelled("Counted", _points_text(played))
    _say_moves(output, record, f"the first {played.opening_plies} plies are random")
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
            **_record_data(record),
        }
    )


def _show_lesson(output: Output, run: Run, played: LessonReplay) -> None:
    record, colors = played.game, [str(color) for color in played.learners]
    output.say(
        f"Game {played.number} of {played.games:,} of step {played.step}, "
        f"game {played.game_of_run:,} of the run",
        style="bold",
    )
    output.labelled("Learns", " and ".join(colors))
    output.labelled("Points", f"{played.points:g} for Black")
    drawn = f"{played.explored} move{'s' * (played.explored != 1)} drawn at random"
    _say_moves(output, record, drawn)
    output.result(
        {
            "run": str(run.path),
            "step": played.step,
            "game": played.number,
            "games": played.games,
            "game_of_run": played.game_of_run,
            "learners": colors,
            "points": played.points,
            "explored": played.explored,
            **_record_data(record),
        }
    )


def _record_data(record: GameRecord) -> dict[str, Any]:
    outcome = record.outcome()
    return {
        "start": record.start.text(),
        "transcript": record.transcript(),
        "outcome": str(outcome),
        "disc_difference": outcome.disc_difference if outcome else None,
    }


def _say_moves(output: Output, record: GameRecord, note: str) -> None:
    from evoply.cli.board_view import board_text
    from evoply.games import game_rules

    if record.start != game_rules(record.start.game).start():
        output.labelled("Start", record.start.text())
    output.labelled("Moves", record.transcript())
    output.labelled("", note)
    outcome = record.outcome()
    if outcome is not None:
        ending = record.ending()
        rule = "" if ending is None or ending.value == "board" else f" by {ending.value}"
        output.labelled("Result", f"{outcome}{rule}")
    output.people.print(board_text(record, output.people, legal=False))


def _points_text(played: Replay) -> str:
    counted = _points(played.points, played.individuals)
    if not played.against:
        return counted
    return f"{counted}; {_points(1 - played.points, played.against)}"


def _points(points: float, whose: Sequence[int]) -> str:
    individuals = f"individual{'s' * (len(whose) > 1)} {', '.join(map(str, whose))}"
    if not whose:
        individuals = "a tree that did not live on"
    return f"{points:g} point{'s' * (points != 1)} for {individuals}"
