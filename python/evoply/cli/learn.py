"""`evoply learn`: weights, or tables of patterns, that follow the games."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evoply.cli import shared_options
from evoply.cli.opened_run import opened_run
from evoply.cli.output import Output

if TYPE_CHECKING:
    from evoply.runs import Run


def learn(
    config: str,
    /,
    *,
    seed: shared_options.Whole | None = None,
    games: shared_options.WholeOrNone | None = None,
    time_limit: shared_options.SecondsOrNone | None = None,
    game: shared_options.RunGame = None,
    features: str | None = None,
    terms: shared_options.Whole = 25,
    options: shared_options.RunOptions = shared_options.USUAL_RUN,
    cluster: shared_options.ClusterOptions = shared_options.NO_CLUSTER,
    json: shared_options.Json = False,
) -> None:
    """Learn the weights, or the pattern tables, of a player by play.

    Or, with a config of tuples, evolve which squares such tables look at. A
    config that says learner = "python:FILE.py:NAME" runs your own learner.

    The weights are kept in a run folder. Ctrl-C loses at most the games of a
    few seconds, or the games of a step that give labels: `evoply resume` goes
    on, `evoply edit` changes a weight by hand. At the end the player is shown,
    plays test matches, and a report is written.

    Parameters
    ----------
    config
        A TOML file, or the name of a preset: firebrand, firebrand-8, patterns-8, tuples-3,
        tuples-evolved, tuples, strong, strong-checkers, strong-checkers-10.
    seed
        A whole number: the same config and seed give the same weights. A time limit may end the
        run after more or fewer games. Default: that of the config.
    games
        How many games in all; none: no limit.
    time_limit
        Seconds, looked at between steps; none: no limit.
    features
        Features to learn with, instead of those of the config. champion@RUN takes the most helpful
        subtrees that the population of a run of evolution found. Names of sets of primitives,
        separated by commas, take the features of these sets. For a config of patterns, champion@RUN
        takes the squares that a run of tuples evolved.
    terms
        With --features champion@RUN: how many subtrees at most.
    """
    from evoply.configs.keys import read_toml
    from evoply.presets import config_text

    learner = str(read_toml(config_text(config), config).get("learner"))
    from evoply.cli.run_loop import drive, for_runs, new_run, with_overrides
    from evoply.kinds import KINDS
    from evoply.own_code import is_own_code, reading
    from evoply.runs.finding_kinds import named_kind

    overrides = with_overrides(
        options.overrides, seed=seed, games=games, time_limit=time_limit, game=game
    )
    is_own = is_own_code(learner)
    with reading(config):
        kind = named_kind(KINDS, learner) if is_own else KINDS.get(learner, KINDS["learning"])
    output = Output(json)
    chosen: dict[str, Any] = {}
    keys = getattr(kind.learners.given.config_type, "model_fields", {})
    if games is not None and "games" not in keys and "generations" in keys:
        raise ValueError(f"--games: {config} counts generations - use --set generations=N")
    if features is not None and "features" in keys:
        chosen = _features(features, terms, config, overrides, options.threads, output)
    elif features is not None and "patterns" in keys:
        chosen = _tuples(features, overrides)
    elif features is not None:
        raise ValueError(f"--features: {config} finds its squares by itself - leave it out")
    settings = kind.configs.load(config, overrides, **chosen)
    with (
        for_runs(cluster, settings, output, kind) as workers,
        new_run(options.name, settings, output, kind) as run,
    ):
        output.result(
            drive(run, output, threads=options.threads, with_tests=options.tests, cluster=workers)
        )


def _features(
    source: str,
    terms: int,
    config: str,
    overrides: list[str],
    threads: int,
    output: Output,
) -> dict[str, Any]:
    """Return the keys of a config that --features gives: features, and the game they are for."""
    from evoply.learning import features_of_population, features_of_sets, load_learning_config

    settings = load_learning_config(config, overrides)
    prefix, at, name = source.partition("@")
    if prefix.strip() != "champion" or not at:
        return {"features": features_of_sets(source.split(","), settings.game)}
    with opened_run(name.strip() or None) as run:
        trees, last = run.kind.uses.get("trees"), run.last()
        if trees is None or last is None:
            raise ValueError(f"--features: run {run.name} has no population of evolution")
        output.say(f"Looking at the subtrees of {run.name}, generation {last.number}")
        subtrees = features_of_population(
            trees(run.champion, last),
            run.champion_player,
            game=run.game,
            terms=terms,
            seed=settings.seed,
            threads=threads,
        )
        return {"features": subtrees, "game": _game_of(run, overrides)}


def _tuples(source: str, overrides: list[str]) -> dict[str, Any]:
    """Return the keys of a config of patterns that --features gives: the squares that evolved."""
    prefix, at, name = source.partition("@")
    if prefix.strip() != "champion" or not at:
        raise ValueError("--features: for patterns name a run of tuples, as in champion@RUN")
    with opened_run(name.strip() or None) as run:
        patterns, last = run.kind.uses.get("patterns"), run.last()
        if patterns is None or last is None:
            raise ValueError(
                f"--features: run {run.name} is not an evolution of tuples - name one: champion@RUN"
            )
        return {"patterns": patterns(run.champion, last), "game": _game_of(run, overrides)}


def _game_of(run: Run, overrides: list[str]) -> str:
    """Return the game of *run*; `ValueError` if another one is asked for."""
    for override in overrides:
        key, _, game = override.partition("=")
        if key.strip() == "game" and game.strip().strip("\"'") != run.game:
            raise ValueError(f"game: {game} - run {run.name} is of {run.game}, leave game out")
    return run.game
