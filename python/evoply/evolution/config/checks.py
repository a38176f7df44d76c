"""Checks of the parts of a config that do not fit together, although each by itself is right.

Every check takes the parts that it compares, and yields problems with their paths.

Reasons: docs/design/evolution.md.
"""

from collections.abc import Iterator, Sequence

from evoply import gp
from evoply._native import Stream
from evoply.configs.part import Problem
from evoply.evolution.breeding.first_generation import random_individuals, seed_of
from evoply.evolution.config.breeding import (
    Covariant,
    Demes,
    IndividualShape,
    Initialisation,
    LengthPenalty,
    Parsimony,
    Refit,
    SizeLimits,
    Stages,
    SteadyState,
    Termination,
    Variation,
    shape_of,
)
from evoply.evolution.config.game_settings import (
    USUAL,
    Draws,
    EarlierGenerations,
    PlayerSettings,
    Start,
    start_row,
)
from evoply.evolution.fitness.contract import FitnessKind
from evoply.evolution.map_elites.axes import axis_problems
from evoply.evolution.operators import CROSSOVER, REPRODUCTION
from evoply.evolution.play.opponents import Sides, is_certain, read_opponent
from evoply.evolution.selections import (
    DescribedSurvival,
    MapSurvival,
    NoveltySurvival,
    Selection,
    Survival,
    selection_method,
    steady_kinds,
    survival_method,
)
from evoply.expressions import PrimitiveSet
from evoply.games import game_rules
from evoply.players.player_kind import View, unfit

_MOST_COMPARED = 5000
"""Individuals of novelty search."""


def draws(game: str, limits: Draws) -> Iterator[Problem]:
    """Yield an error for each limit on draws in a game that ends by itself."""
    if not game_rules(game).has_draw_rules:
        for name, limit in limits:
            if limit != USUAL:
                message = f"{game} has no draws but those of the board: leave it out"
                yield f"draws.{name}", message


def starts(game: str, positions: Sequence[Start]) -> Iterator[Problem]:
    """Yield an error for each start that is not a position of the game, or where it is over."""
    for index, start in enumerate(positions):
        try:
            start_row(game, start.position)
        except ValueError as error:
            yield f"starts.{index}.position", str(error)


def trees(
    game: str,
    primitives: PrimitiveSet,
    individual: IndividualShape,
    initialisation: Initialisation,
    limits: SizeLimits,
) -> Iterator[Problem]:
    """Yield what prevents trees: primitives of another game, or limits that are too small."""
    if initialisation.max_depth > limits.max_depth:
        message = f"{initialisation.max_depth} is above limits.max_depth {limits.max_depth}"
        yield "initialisation.max_depth", message
    try:
        primitives.native(game)
        gp.grow(primitives, 2, Stream(0))
    except ValueError as error:
        yield "primitives", str(error)
        return
    if individual.kind == "terms" and limits.oversized == "prune":
        yield "limits.oversized", "terms are never over the limits: leave it out"
    # The smallest trees of the ramp are where it ends when trees are too large: try them.
    depth, nodes = initialisation.min_depth, limits.max_nodes
    if not initialisation.method.startswith("ramped"):
        return
    try:
        shape = shape_of(individual, primitives)
    except ValueError as error:
        yield "individual", str(error)
        return
    try:
        random_individuals(
            shape or primitives, "ramped_half_and_half", 2, Stream(0), min_depth=depth,
            max_depth=depth, limits=gp.Limits(max_depth=depth, max_nodes=nodes), duplicates="allow",
        )  # fmt: skip
    except ValueError:
        least = f"trees of initialisation.min_depth {depth}"
        least = least if shape is None else f"{len(shape.sets)} {least} each"
        yield "limits.max_nodes", f"{nodes} is too few for {least}"


def length(*limits: float | None) -> Iterator[Problem]:
    """Yield an error if a run has no limit."""
    if limits.count(None) == len(limits):
        ends = "set generations, games, work_limit or time_limit"
        yield "generations", f"{ends}, or the run never ends"


def sizes(population: int, elitism: int, demes: Demes | None) -> Iterator[Problem]:
    """Yield an error if the elite or the demes do not fit the population."""
    if elitism > population:
        yield "elitism", f"{elitism} is above population_size {population}"
    if demes is not None and population % demes.size:
        message = f"population_size {population} is not a whole number of demes of {demes.size}"
        yield "demes.size", message


def seeds(
    game: str,
    primitives: PrimitiveSet,
    individual: IndividualShape,
    texts: Sequence[str],
    limits: SizeLimits,
    population: int,
) -> Iterator[Problem]:
    """Yield an error for each player that cannot be in the first population."""
    if len(texts) > population:
        message = f"{len(texts)} players are more than population_size {population}"
        yield "initialisation.seeds", message
    for index, text in enumerate(texts):
        try:
            shape = shape_of(individual, primitives)
            seed_of(text, game, primitives, shape, limits.of_trees)
        except (ValueError, OSError) as error:
            yield f"initialisation.seeds.{index}", str(error)


def selection(
    chosen: Selection, parsimony: Parsimony | None, measure: FitnessKind
) -> Iterator[Problem]:
    """Yield an error if parents are drawn in proportion to a fitness that may be negative.

    Also yield one if parsimony changes a fitness that selection by single cases ignores.
    """
    if chosen.looks_at is not None and parsimony is not None:
        yield "parsimony", "changes the fitness, which this selection does not look at"
    if getattr(chosen, "scale", "") != "raw":
        return
    reason = ""
    if measure.minimised:
        reason = f"fitness.measure {measure.kind} is minimised"
    elif isinstance(parsimony, LengthPenalty | Covariant):
        reason = "parsimony may make fitness negative"
    if reason:
        yield "selection.scale", f'{reason}: {chosen.kind} needs scale = "adjusted"'


def groups(
    demes: Demes | None, steady_state: SteadyState | None, chosen: Selection, measure: FitnessKind
) -> Iterator[Problem]:
    """Yield an error for a selection that does not work within demes or in a steady state."""
    method = selection_method(chosen)
    if demes is not None and not method.in_demes:
        yield "demes", f"selection {chosen.kind} does not work within demes"
    if steady_state is None:
        return
    if method.worst is None:
        *kinds, last = steady_kinds()
        message = f"needs selection by {', '.join(kinds)} or {last}, not {chosen.kind}"
        yield "steady_state", message
    if measure.is_relative:
        message = f"fitness.measure {measure.kind} compares a whole population at once"
        yield "steady_state", message


def survival(
    chosen: Survival,
    mating: Selection,
    parsimony: Parsimony | None,
    demes: Demes | None,
    steady_state: SteadyState | None,
) -> Iterator[Problem]:
    """Yield what cannot be combined with parents and offspring that compete."""
    if survival_method(chosen).function is None:
        return
    if chosen.looks_at is not None and parsimony is not None and mating.looks_at is None:
        yield "parsimony", "changes the fitness, which this survival does not look at"
    cases = {"selection": mating.looks_at, "survival": chosen.looks_at}
    if None not in cases.values() and len(set(cases.values())) > 1:
        listed = " and ".join(f"{name} at {case}" for name, case in cases.items())
        yield "survival.kind", f"both must look at the same cases, not {listed}"
    for name, part in (("demes", demes), ("steady_state", steady_state)):
        if part is not None:
            yield name, f"has no place with survival {chosen.kind}, which takes all together"


def places(
    chosen: Survival, elitism: int, game: str, limits: SizeLimits, population: int
) -> Iterator[Problem]:
    """Yield what is wrong with the map, if survival has one."""
    if not isinstance(chosen, DescribedSurvival):
        return
    problems = axis_problems(chosen.axes, chosen.voronoi_cells, game, limits.max_nodes)
    for path, message in problems:
        yield f"survival.{path}", message
    if isinstance(chosen, NoveltySurvival) and population > _MOST_COMPARED:
        message = f"{population:,} are more than {_MOST_COMPARED:,}, and novelty compares all"
        yield "population_size", f"{message} with all - give fewer"
    if isinstance(chosen, MapSurvival) and elitism > 1:
        yield "elitism", f"{elitism}: on a map the best of each cell live on - leave it out"


def pairing(
    variation: Variation, demes: Demes | None, steady_state: SteadyState | None
) -> Iterator[Problem]:
    """Yield what cannot be combined with crossover among all selected individuals."""
    path = "variation.recombination"
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
    for name, part in (("demes", demes), ("steady_state", steady_state)):
        if part is not None:
            yield f"{path}.pairing", f"cannot be combined with {name}"


def commands(variation: Variation, steady_state: SteadyState | None) -> Iterator[Problem]:
    """Yield what does not go with programs that propose trees."""
    for name in variation.commands:
        if name not in variation.custom:
            yield f"variation.custom.{name}", "is missing: how often the program's trees are taken"
        if steady_state is not None:
            reason = "a program is asked once a generation, which steady_state does not have"
            yield f"variation.operators.{name}", f"{reason} - leave one of them out"


def refit(
    settings: Refit | None,
    game: str,
    individual: IndividualShape,
    population: int,
    elitism: int,
    steady_state: SteadyState | None,
    view: View,
) -> Iterator[Problem]:
    """Yield what prevents that numbers are fitted to a teacher."""
    if settings is None:
        return
    if individual.kind != "terms":
        yield "refit", f'is for individual.kind = "terms", not {individual.kind}'
    if steady_state is not None:
        yield "refit", "cannot be combined with steady_state"
    if view != "player":
        yield "refit", f'needs player.view = "player", whose boards it fits, not {view!r}'
    if settings.best + elitism > population:
        message = f"{settings.best} and elitism {elitism} are above population_size {population}"
        yield "refit.best", message
    named = {"teacher": settings.teacher}
    named |= {f"players.{index}": text for index, text in enumerate(settings.players)}
    for key, text in named.items():
        try:
            player = read_opponent(text, game)
        except (ValueError, OSError) as error:
            yield f"refit.{key}", str(error)
            continue
        if key == "teacher" and player.valuing() is None:
            yield "refit.teacher", f"{player.label} has no values of boards: name one that searches"
        elif not is_certain(player):
            yield f"refit.{key}", f"{player.label} may play otherwise next time: name another"


def archive(settings: EarlierGenerations, sides: Sides) -> Iterator[Problem]:
    """Yield an error if champions of one colour were to play one another."""
    if settings.archive != "hall_of_fame" and sides != "both":
        message = f"its champions play both colours: leave fitness.sides = {sides!r} out"
        yield "fitness.earlier_generations.archive", message


def termination(end: Termination | None, measure: FitnessKind) -> Iterator[Problem]:
    """Yield an error if good runs are awaited that cannot happen."""
    if end is None or not end.good_runs:
        return
    wanted = end.fitness
    if measure.minimised and wanted <= 0:
        beyond, better = "below", "above 0"
    elif measure.is_share and wanted >= 1:
        beyond, better = "above", "below 1"
    else:
        return
    yield (
        "termination.good_runs",
        f"no run is ever {beyond} fitness {wanted:g}, so good runs would be awaited "
        f"for ever: set termination.fitness {better}, or good_runs = 0",
    )


def player(game: str, individual: IndividualShape, settings: PlayerSettings) -> Iterator[Problem]:
    """Yield an error for each option of a player that needs another game or other individuals."""
    yield from ((f"player.{option}", problem) for option, problem in unfit(settings, game))
    if (
        isinstance(individual, Stages)
        and individual.clock == "ply"
        and game_rules(game).length is None
    ):
        message = f"games of {game} have no usual length: leave ply out"
        yield "individual.clock", message
    if individual.kind == "ordered" and settings.ordering != "tree":
        yield "player.ordering", 'must be "tree": the second tree of individuals orders moves'
    elif individual.kind == "ordered" and not settings.is_limited:
        message = "an order of moves changes games only with player.work or player.nodes: set one"
        yield "individual.kind", message
    elif individual.kind != "ordered" and settings.ordering == "tree":
        message = f'tree is for individual.kind = "ordered", not {individual.kind}'
        yield "player.ordering", message
