"""The long evolutions of a study: in memory, or as runs that are kept and gone on with."""

from collections.abc import Callable
from dataclasses import dataclass

from evoply.evolution import EvolutionConfig, Generation, evolve
from evoply.files import runs_directory
from evoply.kinds import Run
from evoply.protocols import RunError, RunNameError
from evoply.runs import advance, checked_name
from evoply.studies.study import Request


@dataclass(frozen=True, slots=True)
class KeptEvolution:
    """A whole evolution: its last generation, and what its tables and charts need of the others."""

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

    If the request keeps its evolutions, this one is the run `KEEP-NAME`: what is there of it is not
    made again, and it can be watched and stopped as any run. `RunError` if it was stopped so, or if
    it has another config. Kept or not, the result is the same.
    """
    if request.keep:
        return _kept(
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


def _kept(
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
        # Not all of a run that somebody has gone on with counts, nor is one whole that somebody
        # has ended early by another limit.
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
