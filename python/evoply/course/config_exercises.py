"""The exercises of the course whose answer is a config, and what must hold when each is done.

What a config evolves or learns is looked at for the student's own seed and for two more, so that
luck with a seed is not enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Any

from evoply.arena import match
from evoply.course.checking import GAME, Exercise, NotYetError, Work, at_least
from evoply.evolution import (
    evolve,
    final_test,
    individual_player,
    load_config,
)
from evoply.learning import learn, load_learning_config

if TYPE_CHECKING:
    from evoply.evolution import EvolutionConfig, Generation
    from evoply.evolution.individuals import HallOfFameEntry
    from evoply.learning import LearningConfig, LearningStep

EVOLUTION, BLOAT, COEVOLUTION, WEIGHTS = map(
    Exercise, ("2-evolution", "4-bloat", "5-coevolution", "7-weights")
)
EXERCISES = (EVOLUTION, BLOAT, COEVOLUTION, WEIGHTS)
SEEDS = (101, 102)
"""What works for the seed of a student's config must work for these as well."""
_WITH = f"with those of the seeds {SEEDS[0]} and {SEEDS[1]},"
MOST_GAMES = 150_000
"""Training games of an evolution, at most: some seconds."""
MOST_LEARNING_GAMES = 5000


def score(player: object, opponent: object, games: int = 400) -> float:
    """Return the points per game of *player* on the small board."""
    return match(player, opponent, game=GAME, games=games, seed=2024).score


def config_of(work: Work) -> EvolutionConfig:
    """Return the config of an evolution on the small board."""
    config = load_config(work.path("config.toml"))
    if config.game != GAME:
        raise NotYetError(f'config.toml: game is "{config.game}". Leave it at "{GAME}".')
    return config


def generations(work: Work, seed: int | None = None) -> list[Generation]:
    """Return what the student's config evolves, for its own seed or for another one."""
    config = config_of(work)
    if seed is not None:
        config = config.model_copy(update={"seed": seed})

    def evolved() -> list[Generation]:
        found: list[Generation] = []
        for generation in evolve(config):
            found.append(generation)
            if sum(made.statistics.games for made in found) > MOST_GAMES:
                raise NotYetError(
                    f"config.toml: this evolution plays more than {MOST_GAMES:,} games (at "
                    f"generation {generation.number}). Take a smaller population_size, or fewer "
                    "generations or pairs."
                )
        return found

    return work.once(("evolved", config.seed), evolved)


def last_generations(work: Work) -> list[Generation]:
    """Return the last generation for the seed of the config, and for two others."""
    return [generations(work, seed)[-1] for seed in (None, *SEEDS)]


def champion(work: Work, seed: int | None = None) -> HallOfFameEntry:
    """Return the champion of a run as `evoply evolve` shows it."""
    last = generations(work, seed)[-1]
    return work.once(
        ("champion", last.config.seed), lambda: final_test(last.config, last).ranking[0]
    )


def champion_scores(work: Work, opponent: str) -> float:
    """Return the mean points per game of the champions of three seeds."""
    config = config_of(work)
    trees = [champion(work, seed).tree for seed in (None, *SEEDS)]
    return fmean(score(individual_player(config, tree), opponent) for tree in trees)


# 2. A first evolution


@EVOLUTION.check
def evolves(work: Work) -> None:
    """config.toml evolves on othello-6, in at most 150,000 games."""
    generations(work)


@EVOLUTION.check
def selects_and_varies(work: Work) -> None:
    """Better individuals have more children, and children differ from their parents."""
    config = config_of(work)
    if config.selection.kind == "uniform":
        raise NotYetError(
            'config.toml: selection.kind is "uniform", so a bad player has as many children as a '
            "good one. `evoply config selection` says what else there is."
        )
    made = [generation.census.operators for generation in generations(work)[1:]]
    copies = sum(each.get(name, 0) for each in made for name in ("reproduction", "elite"))
    if not made or copies > 0.5 * sum(sum(each.values()) for each in made):
        raise NotYetError(
            "config.toml: most children are copies of a parent. Raise the rates in [variation]; "
            "what is missing to 1 are copies."
        )


@EVOLUTION.check
def beats_greedy(work: Work) -> None:
    """Its champions score 78 % or more against greedy, for three seeds on average."""
    at_least(
        champion_scores(work, "greedy"),
        0.78,
        f"Your champion, {_WITH}",
        "Give evolution more to choose from (population_size), more time (generations), or harder "
        "selection.",
    )


@EVOLUTION.check
def tells_the_champion(work: Work) -> None:
    """answers.toml tells what your own run found."""
    again = (
        "This config with its seed makes another champion: the same seed gives the same run. Run "
        "`evoply evolve config.toml --name NAME` again, and copy the line that begins with "
        '"Champion of".'
    )
    work.answer("answers.toml", "nodes", again, len(champion(work).tree), 0)
    work.answer("answers.toml", "generation", again, champion(work).generation, 0)


# 4. Selection and bloat

_CHANCES = {"best_of_2": 2, "best_of_7": 7}


@BLOAT.check
def may_grow(work: Work) -> None:
    """config.toml keeps its size: 100 individuals, 30 generations, trees of 500 nodes."""
    config = config_of(work)
    for key, given, least in (
        ("population_size", config.population_size, 100),
        ("generations", config.generations or 0, 30),
        ("limits.max_nodes", config.limits.max_nodes, 500),
        ("limits.max_depth", config.limits.max_depth, 17),
    ):
        if given < least:
            raise NotYetError(
                f"config.toml: {key} is {given}. Put it back to {least}: trees shall be small by "
                "selection, not because larger ones are forbidden."
            )


@BLOAT.check
def trees_are_small(work: Work) -> None:
    """After the last generation a tree has 20 nodes or fewer, for three seeds on average."""
    may_grow(work)
    size = fmean(last.statistics.mean_size for last in last_generations(work))
    if size > 20:
        raise NotYetError(
            f"A tree has {size:.0f} nodes on average. Press harder against size: "
            "`evoply config parsimony`, or another selection (`evoply config selection`)."
        )


@BLOAT.check
def small_trees_play_well(work: Work) -> None:
    """Its champions still score 75 % or more against greedy, for three seeds on average."""
    may_grow(work)
    at_least(
        champion_scores(work, "greedy"),
        0.75,
        f"Your champion, {_WITH}",
        "Small trees are no aim in themselves: press less against size, or select harder.",
    )


@BLOAT.check
def knows_the_pressure(work: Work) -> None:
    """answers.toml has the two chances, and the mean size of your own run."""
    for key, size in _CHANCES.items():
        what = (
            f"It is the chance that the best of 100 is among {size} that are drawn, where each may "
            "be drawn again. To three digits after the point."
        )
        work.answer("answers.toml", key, what, 1 - 0.99**size, 0.0015)
    what = "Your run has another mean size in its last generation: `evoply runs NAME` shows it."
    work.answer("answers.toml", "mean_size", what, generations(work)[-1].statistics.mean_size, 0.1)


# 5. Coevolution

_EVERY = 5


def _champions(work: Work) -> list[Generation]:
    """Return every fifth generation, whose best individuals are looked at."""
    found = generations(work)
    if len(found) < 4 * _EVERY + 1:
        raise NotYetError(f"config.toml: take {4 * _EVERY + 1} generations or more.")
    return found[::_EVERY]


def _against_earlier(champions: Sequence[Any], games: int) -> list[float]:
    return [
        match(champions[-1], earlier, game=GAME, games=games, seed=1).score
        for earlier in champions[:-1]
    ]


@COEVOLUTION.check
def coevolves(work: Work) -> None:
    """config.toml evolves on othello-6, in at most 150,000 games."""
    _champions(work)


@COEVOLUTION.check
def only_among_themselves(work: Work) -> None:
    """Individuals are judged by games among themselves only."""
    kind = config_of(work).fitness.measure.model_dump()
    among = kind["kind"] == "tournament" or (kind.get("co_play", 0) > 0 and not kind["guides"])
    if not among:
        raise NotYetError(
            "config.toml: the fitness counts games against players from outside. Let individuals "
            "play only each other: `evoply config fitness.measure` shows the kinds."
        )


@COEVOLUTION.check
def against_earlier_is_right(work: Work) -> None:
    """against_earlier(champions, games) in progress.py is right."""
    given = work.function("progress.py", "against_earlier", 2)
    for champions in (["random", "greedy", "mobility"], ["mobility", "greedy"]):
        call, true = f"against_earlier({champions}, 40)", _against_earlier(champions, 40)
        answer = given(list(champions), 40)
        if not isinstance(answer, list | tuple) or list(answer) != true:
            raise NotYetError(
                f"{call} gives {answer!r:.80}, and {true} is right: the points per game of the "
                "last one against each of those before it, in their order, played as its text says."
            )


@COEVOLUTION.check
def progress_was_measured(work: Work) -> None:
    """progress.toml has the progress of this very config."""
    only_among_themselves(work)
    if not (work.folder / "progress.toml").is_file():
        raise NotYetError(
            "There is no progress.toml yet. Run `python progress.py`, which writes it."
        )
    answers, found = work.answers("progress.toml"), _champions(work)
    for key, true in (
        ("fitness", [made.statistics.best for made in found]),
        ("against_earlier", _against_earlier([made.best for made in found], 200)),
    ):
        if answers.get(key) != true:
            raise NotYetError(
                f"{key} in progress.toml is not what config.toml gives now. Once your function is "
                "right, run `python progress.py` again."
            )


@COEVOLUTION.check
def coevolution_leads_somewhere(work: Work) -> None:
    """The best of the last generation beat those of the first, and greedy, whom they never met."""
    only_among_themselves(work)
    _champions(work)
    runs = [generations(work, seed) for seed in (None, *SEEDS)]
    for who, scores in (
        ("greedy", [score(run[-1].best, "greedy") for run in runs]),
        ("those of generation 0", [score(run[-1].best, run[0].best) for run in runs]),
    ):
        at_least(
            fmean(scores),
            0.6,
            f"Against {who} your best one, {_WITH}",
            "Let each individual play more games among its own, or evolve more generations.",
        )


# 7. Learned weights


def learning_config(work: Work) -> LearningConfig:
    """Return the config of learning on the small board."""
    config = load_learning_config(work.path("config.toml"))
    if config.game != GAME:
        raise NotYetError(f'config.toml: game is "{config.game}". Leave it at "{GAME}".')
    if not 1 <= (config.games or 0) <= MOST_LEARNING_GAMES:
        raise NotYetError(f"config.toml: take {MOST_LEARNING_GAMES:,} games or fewer.")
    return config


def learned(work: Work, seed: int | None = None) -> LearningStep:
    """Return the last step of what the student's config learns."""
    config = learning_config(work)
    if seed is not None:
        config = config.model_copy(update={"seed": seed})
    return work.once(("learned", config.seed), lambda: list(learn(config))[-1])


@WEIGHTS.check
def learns(work: Work) -> None:
    """config.toml learns on othello-6 from at most 5,000 games."""
    learned(work)


@WEIGHTS.check
def has_features(work: Work) -> None:
    """There are two features or more, each with a weight."""
    if len(learning_config(work).features) < 2:
        raise NotYetError(
            "config.toml: add a name to `features`. docs/learning.md has the table of all names."
        )


@WEIGHTS.check
def learned_weights_play_well(work: Work) -> None:
    """The learned player scores 76 % or more against greedy, and 62 % against mobility."""
    for opponent, least in (("greedy", 0.76), ("mobility", 0.62)):
        steps = [learned(work, seed) for seed in (None, *SEEDS)]
        at_least(
            fmean(score(step.champions[0], opponent) for step in steps),
            least,
            f"Against {opponent} your player, {_WITH}",
            "Try other features. More of them are not always better: each has its own noise.",
        )


@WEIGHTS.check
def tells_the_weights(work: Work) -> None:
    """answers.toml tells what your own run learned."""
    config, step = learning_config(work), learned(work)
    weights = {each.name: step.statistics[each.name] for each in config.features}
    heaviest = max(weights, key=lambda name: abs(weights[name]))
    given = work.answers("answers.toml").get("heaviest")
    run = "`evoply learn config.toml --name NAME` prints the weights of your run."
    if given != heaviest:
        raise NotYetError(f'answers.toml says heaviest = "{given}". Another is heavier. {run}')
    work.answer("answers.toml", "weight", run, weights[heaviest], 0.0006)


@WEIGHTS.check
def step_by_hand(work: Work) -> None:
    """You can do a step of learning by hand."""
    what = "Take the rule in task.md: new weight = old weight + rate * error * feature."
    work.answer("answers.toml", "by_hand", what, 0.47, 1e-6)
