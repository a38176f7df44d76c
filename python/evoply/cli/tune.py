"""`evoply tune`: tune the numbers of a player by games; its formula keeps its form."""

from typing import Annotated, Any, Literal

from cyclopts import Parameter

from evoply.cli.output import Output
from evoply.cli.shared_options import (
    USUAL_RUN,
    USUAL_TERMS,
    Json,
    RunOptions,
    SecondsOrNone,
    Whole,
    WholeOrNone,
    WrittenTerms,
    only,
)


def tune(
    player: str,
    /,
    *,
    against: Annotated[list[str] | None, Parameter(negative="")] = None,
    parameters: Literal["terms", "constants"] = "terms",
    generations: WholeOrNone | None = None,
    time_limit: SecondsOrNone | None = None,
    pairs: Whole | None = None,
    conditions: Annotated[WrittenTerms, only("seed", "game")] = USUAL_TERMS,
    options: Annotated[RunOptions, only("name", "tests", "threads", "code_in_runs")] = USUAL_RUN,
    json: Json = False,
) -> None:
    """Tune the numbers of a player by CMA-ES, on games against training opponents.

    Tuning keeps what the player looks at and changes how much each part
    counts. CMA-ES is a search for better numbers. Now and then its mean plays
    test games of its own; the champion is the best player of these tests.
    Every generation is kept in a run folder: Ctrl-C keeps the best so far,
    `evoply resume` goes on. Needs evoply[tune].

    Parameters
    ----------
    player
        A player whose boards have values, as for `evoply match`, such as champion@first.
    against
        An opponent of training; may be given several times. Default: the player as it is, the same
        one ply deeper, greedy and mobility.
    parameters
        What is tuned. terms: a factor for each term of the simplified formula; constants: the
        numbers that the player already has. Borders of stages and numbers inside features stay.
    generations
        How many generations of CMA-ES, the player as it is counting as one; none: no limit.
        Default: 61, or none with a time limit.
    time_limit
        Seconds, looked at between generations; none: no limit.
    pairs
        How many openings each candidate plays against each opponent, with both colours. Default:
        50.
    """
    from evoply.cli.player_texts import read_players

    limits = {"generations": generations, "time_limit": time_limit}
    game, (chosen, *opponents) = read_players([player, *(against or [])], conditions.game)
    from evoply.cli.run_loop import drive, new_run
    from evoply.learning import TuningConfig

    settings: dict[str, Any] = {
        key: None if value == "none" else value
        for key, value in (*limits.items(), ("pairs", pairs))
        if value is not None
    }
    config = TuningConfig.for_player(
        chosen,
        game,
        seed=conditions.seed,
        parameters=parameters,
        opponents=opponents or None,
        **settings,
    )
    output = Output(json)
    with new_run(options.name, config, output) as run:
        output.result(drive(run, output, threads=options.threads, with_tests=options.tests))
