"""What of a config does not fit together, although each part by itself is right.

Every check reads the parts of a config and yields what is wrong. It reads values that are right
only: a check that needs a key which is wrong itself ends there (`WrongPartError`), so all errors
of a config are reported at once and none twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from evoply import gp
from evoply._native import Stream
from evoply.configs.part import Problem, WrongPartError
from evoply.evolution.breeding.creation import (
    limits_of,
    primitive_set_of,
    random_individuals,
    seed_of,
)
from evoply.evolution.config.breeding import (
    Covariant,
    GreedySelection,
    LengthPenalty,
    RouletteSelection,
    TournamentSelection,
)
from evoply.evolution.config.games import USUAL, start_problems
from evoply.evolution.config.individual import Stages, shape_of
from evoply.evolution.fitness import FITNESS
from evoply.evolution.operators import CROSSOVER, REPRODUCTION
from evoply.evolution.play.opponents import is_certain, player_texts, read_opponent
from evoply.games import game_rules
from evoply.games.draws import NO_DRAWS

if TYPE_CHECKING:
    from evoply.evolution.config.evolution_config import EvolutionConfig

__all__ = ["problems_of"]

TEST_OPPONENTS = frozenset({"swh"})
"""Players that measure a finished champion and are therefore no training opponents."""


def problems_of(config: EvolutionConfig) -> list[Problem]:
    """Return what does not fit together in *config*, which may be `readable` in parts only."""
    problems: list[Problem] = []
    for check in _CHECKS:
        with suppress(WrongPartError):
            for problem in check(config):
                problems.append(problem)  # what was found before a check ends counts
    return problems


def _length(config: EvolutionConfig) -> Iterator[Problem]:
    if config.generations is config.time_limit is config.work_limit is None:
        yield "generations", "set generations, time_limit or work_limit, or the run never ends"


def _sizes(config: EvolutionConfig) -> Iterator[Problem]:
    if config.elitism > config.population_size:
        yield "elitism", f"{config.elitism} is above population_size {config.population_size}"


def _depths(config: EvolutionConfig) -> Iterator[Problem]:
    depth, limit = config.initialisation.max_depth, config.limits.max_depth
    if depth > limit:
        yield "initialisation.max_depth", f"{depth} is above limits.max_depth {limit}"


def _primitives(config: EvolutionConfig) -> Iterator[Problem]:
    primitives = primitive_set_of(config)
    try:
        primitives.native(config.game)
        gp.grow(primitives, 2, Stream(0))
    except ValueError as error:
        yield "primitives", str(error)
        return
    # The smallest trees of the ramp are where it ends when trees are too large: try them.
    depth, nodes = config.initialisation.min_depth, config.limits.max_nodes
    if not config.initialisation.method.startswith("ramped"):
        return
    try:
        shape = shape_of(config.individual, primitives)
    except ValueError as error:
        yield "individual", str(error)
        return
    try:
        random_individuals(
            shape or primitives, "ramped_half_and_half", 2, Stream(0), min_depth=depth,
            max_depth=depth, limits=gp.Limits(max_depth=depth, max_nodes=nodes), duplicates="allow",
        )  # fmt: skip
    except ValueError:
        trees = f"initialisation.min_depth {depth}"
        trees = f"trees of {trees}" if shape is None else f"{len(shape.sets)} trees of {trees} each"
        yield "limits.max_nodes", f"{nodes} is too few for {trees}"


def _seeds(config: EvolutionConfig) -> Iterator[Problem]:
    seeds, size = config.initialisation.seeds, config.population_size
    if len(seeds) > size:
        message = f"{len(seeds)} players are more than population_size {size}"
        yield "initialisation.seeds", message
    primitives, limits = primitive_set_of(config), limits_of(config)
    for index, text in enumerate(seeds):
        try:
            shape = shape_of(config.individual, primitives)
            seed_of(text, config.game, primitives, shape, limits)
        except (ValueError, OSError) as error:
            yield f"initialisation.seeds.{index}", str(error)


def _draws(config: EvolutionConfig) -> Iterator[Problem]:
    if game_rules(config.game).draws == NO_DRAWS:
        message = f"{config.game} has no draws but those of the board: leave it out"
        for name, limit in config.draws:
            if limit != USUAL:
                yield f"draws.{name}", message


def _opponents(config: EvolutionConfig) -> Iterator[Problem]:
    if not config.fitness.opponents:
        message = "at least one is needed: the first generation has no other"
        yield "fitness.opponents", message


def _players(config: EvolutionConfig) -> Iterator[Problem]:
    for path, text in player_texts(config.fitness):
        problem = None
        with suppress(WrongPartError):
            problem = _player_problem(text, config)
        if problem is not None:
            yield f"fitness.{path}", problem


def _player_problem(text: str, config: EvolutionConfig) -> str | None:
    name = text.strip().partition(":")[0].partition("@")[0].strip()
    if name in TEST_OPPONENTS and not config.fitness.allow_test_opponents:
        return (
            f"{name} measures the finished champion; a run that trains against it says nothing "
            "(set fitness.allow_test_opponents = true to do it all the same)"
        )
    if name == "champion":
        return "a config must not depend on another run: write the champion's tree instead"
    try:
        may_differ = not is_certain(read_opponent(text, config.game))
    except (ValueError, OSError) as error:
        return str(error)
    if may_differ and not config.fitness.allow_irreproducible:
        return (
            "a player with a limit in time, a bot or an engine makes a run that cannot be "
            "repeated: limit the nodes instead (or set fitness.allow_irreproducible = true, and "
            "the run is marked)"
        )
    return None


def _scale(config: EvolutionConfig) -> Iterator[Problem]:
    selection, measure = config.selection, config.fitness.measure
    if not isinstance(selection, RouletteSelection | GreedySelection) or selection.scale != "raw":
        return
    reason = ""
    if measure.minimised:
        reason = f"fitness.measure {measure.kind} is minimised"
    elif isinstance(config.parsimony, LengthPenalty | Covariant):
        reason = "parsimony may make fitness negative"
    if reason:
        yield "selection.scale", f'{reason}: {selection.kind} needs scale = "adjusted"'


def _cases(config: EvolutionConfig) -> Iterator[Problem]:
    case = config.cases
    if case is None:
        return
    if config.parsimony is not None:
        yield "parsimony", "changes the fitness, which this selection does not look at"
    measure = config.fitness.measure
    if case in measure.cases:
        return
    if not measure.cases:
        reason = "has no results against each opponent to select by"
        yield "selection.kind", f"fitness.measure {measure.kind} {reason}"
        return
    listed = " or ".join(f'"{one}"' for one in measure.cases)
    others = [kind().kind for kind in FITNESS if case in kind().cases]
    hint = f'; "{case}" are those of {", ".join(others)}' if others else ""
    yield "selection.cases", f"with fitness.measure {measure.kind} a case is {listed}{hint}"


def _demes(config: EvolutionConfig) -> Iterator[Problem]:
    if config.demes is None:
        return
    population, size = config.population_size, config.demes.size
    if population % size:
        message = f"population_size {population} is not a whole number of demes of {size}"
        yield "demes.size", message


def _greedy_demes(config: EvolutionConfig) -> Iterator[Problem]:
    if config.demes is not None and isinstance(config.selection, GreedySelection):
        yield "demes", "greedy over-selection does not work within demes"


def _steady_state(config: EvolutionConfig) -> Iterator[Problem]:
    if config.steady_state is None:
        return
    selection, measure = config.selection, config.fitness.measure
    if not isinstance(selection, TournamentSelection | RouletteSelection | GreedySelection):
        message = f"needs selection by tournament, roulette or greedy, not {selection.kind}"
        yield "steady_state", message
    if measure.is_relative:
        message = f"fitness.measure {measure.kind} compares a whole population at once"
        yield "steady_state", message


def _pairing(config: EvolutionConfig) -> Iterator[Problem]:
    variation, path = config.variation, "variation.recombination"
    if variation.recombination.pairing != "population":
        return
    if variation.recombination.one_way == "never":
        yield f"{path}.one_way", 'pairing = "population" needs "fitter" or "fitter_or_equal"'
    for name, rate in variation.rates.items():
        if rate > 0 and name not in (CROSSOVER, REPRODUCTION, *variation.custom):
            reason = 'with pairing = "population" mutations are in afterwards'
            yield f"variation.{name}", f"is {rate:g}: {reason}"
    if variation.custom:
        yield "variation.custom", 'has no place with pairing = "population"'
    for part in ("demes", "steady_state"):
        if getattr(config, part) is not None:
            yield f"{path}.pairing", f"cannot be combined with {part}"


def _measure(config: EvolutionConfig) -> Iterator[Problem]:
    yield from config.fitness.measure.problems(config)


def _termination(config: EvolutionConfig) -> Iterator[Problem]:
    termination, measure = config.termination, config.fitness.measure
    if termination is None or not termination.good_runs:
        return
    if measure.minimised and termination.fitness <= 0:
        beyond, better = "below", "above 0"
    elif measure.is_share and termination.fitness >= 1:
        beyond, better = "above", "below 1"
    else:
        return
    yield (
        "termination.good_runs",
        f"no run is ever {beyond} fitness {termination.fitness:g}, so good runs would be awaited "
        f"for ever: set termination.fitness {better}, or good_runs = 0",
    )


def _game(config: EvolutionConfig) -> Iterator[Problem]:
    """Yield what needs another game."""
    game, player, individual = game_rules(config.game), config.player, config.individual
    if player.quiescence and not game.has_captures:
        yield "player.quiescence", f"{config.game} has no captures: quiescence is for checkers"
    if player.ties == "advanced" and not game.moves_pieces:
        message = f"pieces of {config.game} stay where they are: advanced is for checkers"
        yield "player.ties", message
    if isinstance(individual, Stages) and individual.clock == "ply" and not game.fills_board:
        message = f"games of {config.game} have no usual length: ply is for Othello"
        yield "individual.clock", message


def _ordering(config: EvolutionConfig) -> Iterator[Problem]:
    kind, player = config.individual.kind, config.player
    if kind == "ordered" and player.ordering != "tree":
        yield "player.ordering", 'must be "tree": the second tree of individuals orders moves'
    elif kind == "ordered" and not player.is_limited:
        message = "an order of moves changes no game without player.work or nodes"
        yield "individual.kind", message
    elif kind != "ordered" and player.ordering == "tree":
        yield "player.ordering", f'tree is for individual.kind = "ordered", not {kind}'


_CHECKS: tuple[Callable[[EvolutionConfig], Iterator[Problem]], ...] = (
    _draws,
    start_problems,
    _primitives,
    _length,
    _sizes,
    _depths,
    _opponents,
    _players,
    _seeds,
    _scale,
    _cases,
    _demes,
    _greedy_demes,
    _steady_state,
    _pairing,
    _measure,
    _termination,
    _game,
    _ordering,
)
