"""What makes players as runs: `evoply evolve`, `learn`, `tune`, `edit` a weight, and `resume`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from evoply.cli import shared_options
from evoply.cli.output import Output
from evoply.cli.shared_options import (
    NO_CLUSTER,
    USUAL_RUN,
    USUAL_TERMS,
    AnyRun,
    ClusterOptions,
    Json,
    RunOptions,
    SecondsOrNone,
    Whole,
    WholeOrNone,
    WrittenTerms,
    only,
)
from evoply.cli.shell_hints import suggested

if TYPE_CHECKING:
    from evoply.evolution import EvolutionConfig
    from evoply.runs import Run


def evolve(
    config: str,
    /,
    *,
    seed: shared_options.Whole | None = None,
    population_size: shared_options.Whole | None = None,
    generations: shared_options.WholeOrNone | None = None,
    time_limit: shared_options.SecondsOrNone | None = None,
    game: shared_options.RunGame = None,
    options: shared_options.RunOptions = shared_options.USUAL_RUN,
    cluster: shared_options.ClusterOptions = shared_options.NO_CLUSTER,
    proposals_of: str | None = None,
    json: shared_options.Json = False,
) -> None:
    """Evolve a player.

    Every generation is kept in a run folder, so nothing is lost when you
    stop with Ctrl-C: `evoply resume` goes on. At the end the champion is
    shown, plays test matches, and a report is written.

    A config that says learner = "islands" evolves several populations side by
    side, which exchange their best; one that says survival.kind = "map" fills
    a map with the best players of every kind.

    Parameters
    ----------
    config
        A TOML file, a parameter file of gpjpp (.ini), or the name of a preset
        (see `evoply presets`).
    seed
        A whole number: the same config and seed give the same run. A time limit may end it after
        more or fewer generations. Default: that of the config.
    population_size
        Trees in a generation; of islands, on each; of a map, new ones.
    generations
        How many generations, the random first one included; none: no limit.
    time_limit
        Seconds, looked at between generations; none: no limit.
    proposals_of
        A run whose programs proposed trees: where the same is asked again, its answers are taken,
        and the programs are not needed.
    """
    learner = _learner_of(config)  # a mistyped name is refused before the rest is imported
    from evoply.cli.run_loop import for_runs, with_overrides

    limits = {"generations": generations, "time_limit": time_limit}
    sizes = {"population_size": population_size}
    overrides = with_overrides(options.overrides, seed=seed, **limits, game=game, **sizes)
    output = Output(json)
    driven: dict[str, Any] = {"threads": options.threads, "with_tests": options.tests}
    settings = _settings(learner, config, overrides)
    if proposals_of is not None:
        settings = _with_proposals_of(proposals_of, settings)
    with for_runs(cluster, settings, output) as driven["cluster"]:
        wanted = 0 if settings.termination is None else settings.termination.good_runs
        if not wanted:
            result, _ = _one_run(options.name, settings, output, driven)
            output.result(result)
            return
        results: list[dict[str, Any]] = []
        good = 0
        while good < wanted:
            number = len(results)
            seeded = settings.model_copy(update={"seed": settings.seed + number})
            named = options.name
            if named is not None and number:
                named = f"{named}-{number + 1}"
            result, is_good = _one_run(named, seeded, output, driven)
            results.append(result)
            good += is_good
            output.say(f"Good runs: {good} of {wanted} wanted, after {number + 1:,} runs")
        output.result({"runs": results, "good_runs": good})


def _with_proposals_of(run: str, settings: EvolutionConfig) -> EvolutionConfig:
    """Return *settings* with the answers that the run of this name has."""
    from evoply.cli.player_texts import opened_run
    from evoply.evolution import proposals_of

    with opened_run(run) as found:
        answers = proposals_of(found)
    if not answers:
        raise ValueError(f"--proposals-of: no program proposed anything in the run {found.name}")
    proposals = settings.proposals.model_copy(update={"answers": answers})
    return settings.model_copy(update={"proposals": proposals})


def _learner_of(config: str) -> str:
    """Return what a config says that its learner is; "" if it says nothing."""
    from evoply.configs.keys import read_toml
    from evoply.runs.presets import config_text

    is_pipe = os.path.exists(config) and not os.path.isfile(config)
    # What comes through a pipe is there only once, for whoever makes the run.
    if is_pipe or config.lower().endswith(".ini"):
        return ""
    return str(read_toml(config_text(config), config).get("learner", ""))


def _settings(learner: str, config: str, overrides: list[str]) -> EvolutionConfig:
    """Return the config of evolution or of islands; others import nothing of what one needs."""
    if learner == "islands":
        from evoply.evolution.islands import load_islands_config

        return load_islands_config(config, overrides)
    from evoply.evolution import load_config

    if not config.lower().endswith(".ini"):
        return load_config(config, overrides)
    from evoply.studies.bellin import config_from_ini

    return load_config(config, overrides, ini=config_from_ini)


def _one_run(
    name: str | None,
    settings: EvolutionConfig,
    output: Output,
    driven: dict[str, Any],
) -> tuple[dict[str, Any], bool]:
    """Make one run; return its summary as data, and whether it ended by being good enough."""
    from evoply.cli.run_loop import drive, new_run

    with new_run(name, settings, output) as run:
        result = drive(run, output, **driven)
        last = run.last()
        return result, last is not None and settings.is_good(last.statistics["best"])


# `evoply learn`: weights, or tables of patterns, that follow the games.


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
    from evoply.runs.presets import config_text

    learner = str(read_toml(config_text(config), config).get("learner"))
    from evoply.cli.run_loop import drive, for_runs, new_run, with_overrides
    from evoply.configs.own_code import is_own_code, reading
    from evoply.kinds import KINDS
    from evoply.runs.run import named_kind

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
    from evoply.cli.player_texts import opened_run

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
    from evoply.cli.player_texts import opened_run

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


# `evoply tune`: tune the numbers of a player by games; its formula keeps its form.


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


# `evoply edit`: a weight of a run changed by hand.


def edit(
    run: str,
    feature: str,
    /,
    *,
    weight: float = 0.0,
    time_weight: float = 0.0,
    json: Json = False,
) -> None:
    """Change a weight of a learning run by hand, as a step of its own.

    The step says what was changed, so the history of the weights stays
    whole; `evoply resume` goes on from it.

    Parameters
    ----------
    run
        Name or path of the run.
    feature
        The feature whose weight it is.
    weight
        What is added to the weight.
    time_weight
        What is added to the time weight.
    """
    output = Output(json)
    from evoply.cli.player_texts import opened_run

    with opened_run(run) as found:
        from evoply.cli.run_loop import typed_command
        from evoply.protocols import RunError

        edited = found.kind.uses.get("edited")
        if edited is None:
            raise RunError(f"run {found.name} has no weights of features, which can be edited")
        with found.lock():
            last = found.last()
            if last is None:
                raise RunError(f"run {found.name} has no weights yet: no step is finished")
            step = edited(found.config, last, feature, weight=weight, time_weight=time_weight)
            found.record(
                "edited",
                generation=step.number,
                feature=feature,
                weight=weight,
                time_weight=time_weight,
                command=typed_command(),
            )
            found.save(step)
            found.set_meta(status="stopped")
        before, after = last.statistics, step.statistics
        names = [name for name in after if name.split(" ")[0] == feature]
        for name in names:
            output.say(f"{name}: {before[name]:+.4f} -> {after[name]:+.4f}")
        output.say(f"Go on with: {suggested(f'resume {found.name}')}")
        output.result(
            {
                "run": str(found.path),
                "generation": step.number,
                "digest": step.digest,
                "feature": feature,
                "before": {name: before[name] for name in names},
                "after": {name: after[name] for name in names},
            }
        )


# `evoply resume`: go on with a run that was stopped, or for longer with one that ended.


def resume(
    run: AnyRun = None,
    /,
    *,
    generations: WholeOrNone | None = None,
    games: WholeOrNone | None = None,
    time_limit: SecondsOrNone | None = None,
    allow_other_version: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    options: Annotated[
        RunOptions, only("overrides", "tests", "threads", "code_in_runs")
    ] = USUAL_RUN,
    cluster: ClusterOptions = NO_CLUSTER,
    json: Json = False,
) -> None:
    """Go on with a run, exactly as if it had never stopped.

    A run that has reached a limit goes on if you give it a larger one. If you
    give only the other limit, the one that it has reached no longer counts.
    Without a limit, a run that has ended plays the test matches that are
    missing.

    Your own Python in the run, such as a fitness, is imported from the file
    where it was, if that is unchanged and you give --code-in-runs.

    Parameters
    ----------
    generations
        How many generations in all, including those that are there; none: no limit.
    games
        How many games in all, including those played; none: no limit. Tuning counts generations.
    time_limit
        Seconds in all, including those used so far; none: no limit.
    allow_other_version
        Go on although this version of evoply computes differently from the one before; the run
        notes it.
    """
    limits = {"generations": generations, "games": games, "time_limit": time_limit}
    output = Output(json)
    from evoply.cli.player_texts import opened_run

    opened = opened_run(run)
    from evoply.cli.run_loop import drive, for_runs
    from evoply.runs.kept_learners import with_learner

    with with_learner(opened) as found:
        learner = found.kind.learners.made()
        with found.lock():  # nothing is drawn while another process has it
            given = {key: value for key, value in limits.items() if value is not None}
            if "games" in given and "games" not in found.kind.configs.limits:
                raise ValueError(
                    f"--games: runs of {found.kind.name} have no such limit - give --generations"
                )
            config = _with_limits(found, given)
            if options.overrides:
                config = _changed(found, config, options.overrides)
            count = found.count()
            last = found.last()
            is_finished = last is not None and learner.is_finished(config, last)
            if is_finished and given and generations != count:
                raise ValueError(_nothing_to_do(found, given))
            output.say(f"Run folder: {found.path}, with {found.steps_in_words()} so far")
            if is_finished:
                counts = getattr(config, "counts", "generations")
                output.say(
                    f"It has reached its limit; --{counts} or --time-limit sets a larger one."
                )
            with for_runs(cluster, config, output, found.kind) as workers:
                result = drive(
                    found,
                    output,
                    config=config,
                    threads=options.threads,
                    with_tests=options.tests,
                    allow_other_version=allow_other_version,
                    cluster=workers,
                )
            output.result(result)


def _with_limits(run: Run, limits: dict[str, Any]) -> Any:
    """Return the run's config with other *limits*; a limit that is in their way is lifted."""
    limits = {key: None if value == "none" else value for key, value in limits.items()}
    return run.kind.configs.with_limits(run.config, limits, run.last())


def _changed(run: Run, config: Any, overrides: list[str]) -> Any:
    """Return *config* with *overrides* of keys that decide no step; `ValueError` for others."""
    changed = run.kind.configs.load(config, overrides)
    if run.kind.configs.fixed(changed) != run.kind.configs.fixed(run.config):
        raise ValueError(
            f"--set: {', '.join(sorted(run.kind.configs.limits))} may change when a run goes on, "
            "nothing else - begin another: `evoply evolve runs/NAME/config.toml --set ...`"
        )
    return changed


def _nothing_to_do(run: Run, limits: dict[str, Any]) -> str:
    options = ", ".join(f"--{key.replace('_', '-')} {value}" for key, value in limits.items())
    seconds = sum(step.seconds for step in run.steps())
    return (
        f"{options}: {run.name} has {run.steps_in_words()} in {seconds:,.1f} s "
        "already, so there is nothing to do; give a larger limit, or none of them to play the "
        "test matches that are missing"
    )
