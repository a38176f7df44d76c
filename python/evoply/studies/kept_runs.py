"""The long evolutions of a study, in memory or as kept runs that can be continued.

Reasons: docs/design/runs.md.
"""

from collections.abc import Callable
from dataclasses import dataclass

from evoply.environment.files import runs_directory
from evoply.evolution import EvolutionConfig, Generation, evolve
from evoply.kinds import Run
from evoply.protocols import RunError, RunNameError
from evoply.runs import advance, checked_name
from evoply.studies.study import Request


@dataclass(frozen=True, slots=True)
class KeptEvolution:
    """A whole evolution: its last generation, and the data of the others for tables and charts."""

    last: Generation
    curve: tuple[float, ...]
    """Points per fresh game of the best of each generation."""
    games: int


def evolution(
    config: EvolutionConfig,
    name: str,
    request: Request,
    each: Callable[[], object] = lambda: None,
) -> KeptEvolution:
    """Return the evolution of *config*, calling *each* after every generation.

    If the request keeps its evolutions, this one is the run `KEEP-NAME`: its existing generations
    are not made again, and it can be watched and stopped like any run. Raises `RunError` if it was
    stopped, or has another config. Kept or not, the result is the same.
    """
    if request.keep:
        return _continue_run(
            config, checked_name(f"{request.keep}-{name}", field="keep"), request.threads, each
        )
    curve: list[float] = []
    games = 0
    last: Generation | None = None
    for last in evolve(config, threads=request.threads):
        curve.append(last.statistics.best_fresh)
        games += last.statistics.games
        each()
    assert last is not None  # a first generation is always made
    return KeptEvolution(last, tuple(curve), games)


def _continue_run(
    config: EvolutionConfig, name: str, threads: int, each: Callable[[], object]
) -> KeptEvolution:
    path = runs_directory() / name
    try:
        opened = Run.open(path)
    except RunNameError:
        opened = Run.create(path, config, command="evoply reproduce")
    with opened as run:
        if run.config != config:
            raise RunError(
                f"keep: run {name} was made with other settings (another table, scale or seed) - "
                "choose another name, or delete that run"
            )
        # A run that somebody continued has generations too many; one that somebody ended early by
        # another limit has too few.
        count = config.generations
        assert count is not None  # a study has no other limit
        for _ in range(min(run.count(), count)):
            each()
        if run.count() < count:
            for _ in advance(run, config=config, threads=threads):
                each()
        if run.count() < count:  # by a request that was left in its folder
            raise RunError(f"keep: run {name} was stopped - the same request goes on with it")
        rows = run.rows()[:count]
        curve = tuple(float(row["best_fresh"]) for row in rows)
        games = int(sum(row["games"] for row in rows))
        return KeptEvolution(run.generation(count - 1), curve, games)
