"""`evoply tune`: tune the numbers of a player by games; its formula keeps its form."""

from typing import Annotated, Any, Literal

from cyclopts import Parameter

from evoply.cli.output import Output
from evoply.cli.shared_options import (
    Game,
    Json,
    RunName,
    SecondsOrNone,
    Seed,
    Tests,
    Threads,
    Whole,
    WholeOrNone,
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
    name: RunName = None,
    seed: Seed = 1,
    game: Game = None,
    tests: Tests = True,
    threads: Threads = 0,
    json: Json = False,
) -> None:
    """Tune the numbers of a player by CMA-ES, on games against training opponents.

    What the player looks at stays, how much each part counts changes. Now and
    then the mean of the search is tested on games of its own; the champion is
    the best in these tests. Every generation is kept in a run folder: Ctrl-C
    keeps the best so far, `evoply resume` goes on. Needs evoply[tune].

    Parameters
    ----------
    player
        A player whose boards have values, as for `evoply match`, such as champion@first.
    against
        An opponent of training; may be given several times. Default: the player as it is, the same
        one ply deeper, greedy and mobility.
    parameters
        terms: each term of the simplified formula has a number; constants: the numbers that are
        there.
    generations
        How many generations of CMA-ES, the player as it was among them; none: no limit. Default:
        61, or none with a time limit.
    time_limit
        Seconds, looked at between generations; none: no limit.
    pairs
        Openings that each vector of numbers plays against each opponent, both ways. Default: 50.
    """
    from evoply.cli.player_texts import read_players
    from evoply.cli.run_loop import drive, new_run
    from evoply.learning import TuningConfig

    limits = {"generations": generations, "time_limit": time_limit}
    game, (chosen, *opponents) = read_players([player, *(against or [])], game)
    settings: dict[str, Any] = {
        key: None if value == "none" else value
        for key, value in (*limits.items(), ("pairs", pairs))
        if value is not None
    }
    config = TuningConfig.for_player(
        chosen, game, seed=seed, parameters=parameters, opponents=opponents or None, **settings
    )
    output = Output(json)
    with new_run(name, config, output) as run:
        output.result(drive(run, output, threads=threads, with_tests=tests))
