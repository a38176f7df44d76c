"""`evoply learn`: weights that follow the games; `evoply edit`: a weight changed by hand.

`evoply pack`: learned tables as a file that ships.
"""

from __future__ import annotations

import shlex
import sys
from json import dumps
from typing import TYPE_CHECKING, Any

from evoply.cli.options import (
    Cluster,
    Json,
    Overrides,
    RunGame,
    SecondsOrNone,
    Tests,
    Threads,
    Whole,
    WholeOrNone,
)
from evoply.cli.output import Output
from evoply.cli.suggesting import suggested

if TYPE_CHECKING:
    from evoply.runs import Run


def learn(
    config: str,
    /,
    *,
    name: str | None = None,
    seed: Whole | None = None,
    games: WholeOrNone | None = None,
    time_limit: SecondsOrNone | None = None,
    game: RunGame = None,
    features: str | None = None,
    terms: Whole = 25,
    set_: Overrides = None,
    tests: Tests = True,
    threads: Threads = 0,
    cluster: Cluster = None,
    json: Json = False,
) -> None:
    """Learn the weights, or the pattern tables, of a player by play.

    Or, with a config of tuples, evolve which squares such tables look at.

    The weights are kept in a run folder after every few games, so nothing is
    lost when you stop with Ctrl-C: `evoply resume` goes on, `evoply edit`
    changes a weight by hand. At the end the player is shown, plays test
    matches, and a report is written.

    Parameters
    ----------
    config
        A TOML file, or the name of a preset: firebrand, firebrand-8, patterns-8, tuples-3,
        tuples-evolved, tuples, strong, strong-checkers, strong-checkers-10.
    name
        Name of the run folder within runs/ (or $EVOPLY_RUNS). Default: GAME-1, GAME-2, ...
    seed
        A whole number: the same config and seed give the same weights. Default: that of the
        config.
    games
        How many games in all; none: no limit.
    time_limit
        Seconds, looked at between steps; none: no limit.
    features
        champion@RUN: the subtrees that the population of a run of evolution found, the most helpful
        ones; or sets of primitives, separated by commas: their features. In place of those of the
        config. For a config of patterns: the squares that a run of tuples evolved.
    terms
        How many subtrees at most.
    set_
        Any value of the config, as PATH=VALUE; may be given several times.
    tests
        Play test matches and write the report at the end.
    """
    from evoply.cli.driving import drive, for_runs, new_run
    from evoply.configs.keys import read_toml
    from evoply.kinds import KINDS
    from evoply.presets import config_text

    chosen = {"seed": seed, "games": games, "time_limit": time_limit, "game": game}
    overrides = [f"{key}={value}" for key, value in chosen.items() if value is not None]
    overrides = [*(set_ or []), *overrides]
    learner = str(read_toml(config_text(config), config).get("learner"))
    kind = KINDS.get(learner, KINDS["learning"])
    output = Output(json)
    given: dict[str, Any] = {}
    keys = kind.learners.given.config_type.model_fields
    if features is not None and "features" in keys:
        given = _features(features, terms, config, overrides, threads, output)
    elif features is not None and "patterns" in keys:
        given = _tuples(features, overrides)
    elif features is not None:
        raise ValueError(f"--features: {config} finds its squares by itself - leave it out")
    settings = kind.configs.load(config, overrides, **given)
    command = shlex.join(["evoply", *sys.argv[1:]])
    with (
        for_runs(cluster, settings, output) as workers,
        new_run(name, settings, output, command=command) as run,
    ):
        driven = drive(
            run, output, threads=threads, with_tests=tests, command=command, cluster=workers
        )
        output.result(driven)


def _features(
    source: str,
    terms: int,
    config: str,
    overrides: list[str],
    threads: int,
    output: Output,
) -> dict[str, Any]:
    """Return the keys of a config that --features gives: features, and the game they are for."""
    from evoply.kinds import find_run
    from evoply.learning import features_of_population, features_of_sets, load_learning_config

    settings = load_learning_config(config, overrides)
    prefix, at, name = source.partition("@")
    if prefix.strip() != "champion" or not at:
        return {"features": features_of_sets(source.split(","), settings.game)}
    with find_run(name.strip() or None) as run:
        trees, last = run.kind.uses.get("trees"), run.last()
        if trees is None or last is None:
            raise ValueError(f"--features: run {run.name} has no population of evolution")
        output.say(f"Looking at the subtrees of {run.name}, generation {last.number}")
        found = features_of_population(
            trees(run.champion, last),
            run.champion_player,
            game=run.game,
            terms=terms,
            seed=settings.seed,
            threads=threads,
        )
        return {"features": found, "game": _game_of(run, overrides)}


def _tuples(source: str, overrides: list[str]) -> dict[str, Any]:
    """Return the keys of a config of patterns that --features gives: the squares that evolved."""
    from evoply.kinds import find_run

    prefix, at, name = source.partition("@")
    if prefix.strip() != "champion" or not at:
        raise ValueError("--features: for patterns name a run of tuples, as in champion@RUN")
    with find_run(name.strip() or None) as run:
        patterns, last = run.kind.uses.get("patterns"), run.last()
        if patterns is None or last is None:
            raise ValueError(
                f"--features: run {run.name} is no evolution of tuples - name one (champion@RUN)"
            )
        return {"patterns": patterns(run.champion, last), "game": _game_of(run, overrides)}


def _game_of(run: Run, overrides: list[str]) -> str:
    """Return the game of *run*; `ValueError` if another one is asked for."""
    for asked in overrides:
        key, _, game = asked.partition("=")
        if key.strip() == "game" and game.strip().strip("\"'") != run.game:
            raise ValueError(f"game: {game} - run {run.name} is of {run.game}, leave game out")
    return run.game


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
    from evoply.kinds import find_run
    from evoply.protocols import RunError

    output = Output(json)
    with find_run(run) as found:
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
                command=shlex.join(["evoply", *sys.argv[1:]]),
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


def pack(
    run: str,
    file: str,
    /,
    *,
    positions: Whole = 60,
    depth: Whole = 8,
    seed: Whole = 1,
    json: Json = False,
) -> None:
    """Write the pattern tables of a run as the file of the player strong.

    Entries are rounded to thousandths. What a shallow search foretells of a
    deep one is measured on positions from games of the tables against
    themselves: levels that leave out what is foretold need it. The same run
    and options give the same file.

    In JSON: file, bytes, digest, entries, and for every depth that is foretold
    the shallow one and slope, offset and sigma of every stage.

    Parameters
    ----------
    run
        Name or path of a run that learned patterns.
    file
        Where to write to; what was there is replaced.
    positions
        Positions of every stage that are searched.
    depth
        The deepest search that is foretold, 1 to 12: each ply takes about three times as long.
    seed
        Where the positions come from.
    """
    from evoply.files import write_atomically
    from evoply.kinds import find_run
    from evoply.players.packed import LARGEST_PACKED
    from evoply.protocols import RunError

    output = Output(json)
    with find_run(run) as found:
        packed, last = found.kind.uses.get("packed"), found.last()
        if packed is None:
            raise RunError(f"run {found.name} has no tables of patterns, which can be packed")
        if last is None:
            raise RunError(f"run {found.name} has no tables yet: no step is finished")
        tables = packed(found.config, last, positions=positions, depth=depth, seed=seed)
    text = dumps(tables.to_data(), indent=1) + "\n"
    if len(text) > LARGEST_PACKED:
        raise ValueError(
            f"{file}: {len(text):,} bytes, and {LARGEST_PACKED:,} are the most: use fewer stages"
        )
    write_atomically(file, text)
    output.say(f"{file}: {tables.label}, {len(text):,} bytes, digest {tables.digest}")
    cuts = [cut.model_dump(mode="json") for cut in tables.cuts]
    for cut in tables.cuts:
        sigmas = " ".join(f"{sigma:.3f}" for _, _, sigma in cut.lines)
        output.say(f"{cut.depth:2} plies foretold by {cut.shallow}: sigma by stage {sigmas}")
    output.result(
        {
            "file": file,
            "bytes": len(text),
            "digest": tables.digest,
            "entries": len(tables.values),
            "cuts": cuts,
        }
    )
