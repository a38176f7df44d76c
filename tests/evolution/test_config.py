"""Configs: reading, writing, overriding, and every error at once with its path."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from evoply.evolution import (
    EvolutionConfig,
    Opponent,
    RouletteSelection,
    TournamentSelection,
    Variation,
    config_from_toml,
    config_to_toml,
    evolve,
    load_config,
)
from evoply.expressions import PRIMITIVE_SETS
from evoply.protocols import ConfigError
from evoply.runs.presets import PRESETS, preset_text


def errors_of(text: str, *overrides: str) -> dict[str, str]:
    with pytest.raises(ConfigError) as caught:
        config_from_toml(text, overrides)
    return dict(caught.value.errors)


def test_a_config_is_immutable() -> None:
    config = EvolutionConfig(generations=3)
    with pytest.raises(ValidationError):
        config.seed = 5


def test_all_wrong_fields_are_reported_at_once_with_their_paths() -> None:
    errors = errors_of(
        """
        game = "othelo"
        population_size = "500"
        sead = 3
        primitives = "lia"
        elitism = true
        [selection]
        kind = "tournament"
        size = 0
        [variation]
        crossover = 0.9
        subtree_mutation = 0.2
        [initialisation]
        max_depth = 19
        [fitness]
        opponents = [{ player = "swh" }, { player = "random", pears = 2 }]
        """
    )
    assert set(errors) == {
        "game",
        "population_size",
        "sead",
        "primitives",
        "elitism",
        "selection.size",
        "variation",
        "fitness.opponents.1.pears",
    }
    assert "othello-6" in errors["game"]
    assert errors["sead"] == "unknown key; did you mean 'seed'?"
    assert "crossover 0.9 + subtree_mutation 0.2" in errors["variation"]


def test_a_table_with_a_mistyped_name_is_looked_into() -> None:
    """Once the user corrected the name, and met the next mistake."""
    errors = errors_of(
        """
        [selecton]
        kind = "turnament"
        [fitness]
        oponents = [{ player = "swh", pairs = "many" }]
        """
    )
    assert errors["selecton"] == "unknown key; did you mean 'selection'?"
    assert "did you mean 'tournament'?" in errors["selecton.kind"]
    assert errors["fitness.oponents.0.pairs"] == "must be a whole number, not 'many'"


def test_then_all_that_does_not_go_together_is_reported_at_once() -> None:
    errors = errors_of(
        """
        elitism = 600
        demes = { size = 7 }
        draws = { quiet_plies = 3 }
        starts = [{ position = "a1" }]
        selection = { kind = "greedy" }
        player = { ties = "advanced" }
        [initialisation]
        max_depth = 19
        seeds = ["greedy"]
        [fitness]
        measure = { kind = "guides", co_play = 0 }
        opponents = [{ player = "swh" }, { player = "( + white )" }]
        """
    )
    assert list(errors) == [
        "draws.quiet_plies",
        "starts.0.position",
        "initialisation.max_depth",
        "generations",
        "elitism",
        "demes.size",
        "fitness.opponents.0.player",
        "fitness.opponents.1.player",
        "initialisation.seeds.0",
        "demes",
        "fitness.measure",
        "player.ties",
    ]
    assert "allow_test_opponents" in errors["fitness.opponents.0.player"]


@pytest.mark.parametrize(
    ("override", "path"),
    [
        ("population_size=1", "population_size"),
        ("population_size=2.5", "population_size"),
        ("time_limit=0", "time_limit"),
        ("time_limit=inf", "time_limit"),
        ("time_limit=nan", "time_limit"),
        ("seed=-1", "seed"),
        ("seed=9223372036854775808", "seed"),
        ("elitism=501", "elitism"),
        ("selection.kind=best", "selection.kind"),
        ("selection={size=0}", "selection.size"),
        ("parsimony={coefficient=1}", "parsimony.kind"),
        ("initialisation.min_depth=7", "initialisation"),
        ("limits.max_depth=5", "initialisation.max_depth"),
        ("player.ties=never", "player.ties"),
        ("fitness.opponents=[]", "fitness.opponents"),
        ("fitness.opponents=3", "fitness.opponents"),
        ("fitness=3", "fitness"),
        ("fitness.earlier_generations={champions=1,recent=2}", "fitness.earlier_generations"),
        ('fitness.opponents=[{player="nobody"}]', "fitness.opponents.0.player"),
        ('fitness.opponents=[{player="( + white"}]', "fitness.opponents.0.player"),
        ('fitness.opponents=[{player="champion@othello-1"}]', "fitness.opponents.0.player"),
        ('fitness.opponents=[{player="swh:ties=last"}]', "fitness.opponents.0.player"),
        ('fitness.opponents=[{player="material:time=1"}]', "fitness.opponents.0.player"),
        ("primitives=3", "primitives"),
        ("primitives={name=3}", "primitives"),
        ("primitives={", "primitives"),
        ("machine.threads=-1", "machine.threads"),
        ("generations=none", "generations"),
        ("population_size.x=1", "population_size"),
        ("population_size.a.b=1", "population_size"),
        ("generations.a.b=1", "generations.a.b"),
        ("fitness.opponents.9.pairs=1", "fitness.opponents.9.pairs"),
        ("seed.x=1", "seed"),
        ("nonsense", "nonsense"),
    ],
)
def test_an_impossible_value_is_named(override: str, path: str) -> None:
    text = 'generations = 3\nfitness.opponents = [{ player = "random" }]'
    assert path in errors_of(text, override)


def test_a_table_without_a_kind_is_of_the_usual_one() -> None:
    text = "generations = 3"
    written = config_from_toml(f"{text}\n[selection]\nsize = 3")
    assert written == config_from_toml(text, ["selection.size=3"])
    assert written.selection == TournamentSelection(size=3)
    assert config_from_toml(text, ["selection.kind=roulette"]).selection.kind == "roulette"
    given = config_from_toml(text, [], {"fitness": {"measure": {}}, "individual": {}})
    assert given == config_from_toml(text)


@pytest.mark.parametrize(
    ("override", "path", "message"),
    [
        ("size=3", "size", "did you mean 'selection.size' or 'demes.size' or "),
        ("popsize=3", "popsize", "did you mean 'population_size'?"),
        ("selection.elitism=3", "selection.elitism", "did you mean 'elitism' at the top"),
        ("selection.sise=3", "selection.sise", "did you mean 'size'?"),
        ("selection.crossovr=3", "selection.crossovr", "did you mean 'variation.crossover'?"),
        ("selection.top_share=0.5", "selection.top_share", "not a key of kind = 'tournament'"),
        ("fitness.opponents.0.pears=3", "fitness.opponents.0.pears", "did you mean 'pairs'?"),
        ("qqq=3", "qqq", "unknown key"),
        ("selection.kind=turnament", "selection.kind", "did you mean 'tournament'?"),
        (
            "selection.kind=turnament",
            "selection.kind",
            "tournament, roulette, greedy, lexicase, pareto, double_tournament, uniform or python",
        ),
        ("player.ties=rndom", "player.ties", "did you mean 'random'?"),
        ("game=othelo-6", "game", "did you mean 'othello-6'? The games are othello"),
    ],
)
def test_a_misspelt_key_or_value_gets_the_one_that_was_meant(
    override: str, path: str, message: str
) -> None:
    text = (
        'generations = 3\nselection.kind = "tournament"\n'
        'fitness.opponents = [{ player = "random" }]'
    )
    assert message in errors_of(text, override)[path]


def test_a_test_opponent_needs_consent() -> None:
    text = 'generations = 3\nfitness.opponents = [{ player = "swh" }]'
    assert "fitness.opponents.0.player" in errors_of(text)
    config = config_from_toml(text, ["fitness.allow_test_opponents=true"])
    assert config.fitness.opponents[0].player == "swh"


def test_the_constructor_reports_like_the_file() -> None:
    with pytest.raises(ConfigError) as caught:
        EvolutionConfig(population_size=1, generations=0)
    assert {path for path, _ in caught.value.errors} == {"population_size", "generations"}
    assert "population_size: " in str(caught.value)


def test_overrides_reach_every_place() -> None:
    config = config_from_toml(
        'fitness.opponents = [{ player = "random" }]',
        [
            "population-size=7",
            "generations=2",
            "game=othello-6",
            "selection.kind=greedy",
            "fitness.opponents.0.pairs=9",
            "variation.crossover=0.5",
        ],
    )
    assert config.population_size == 7
    assert config.game == "othello-6"
    assert config.selection.kind == "greedy"
    assert config.fitness.opponents == (Opponent(player="random", pairs=9),)
    assert config.variation.crossover == 0.5


@pytest.mark.parametrize(
    "name", [name for name, one in PRESETS.items() if one.learner == "evolution"]
)
def test_presets_are_valid_and_round_trip(name: str) -> None:
    config = config_from_toml(preset_text(name))
    assert config_from_toml(config_to_toml(config)) == config
    assert all(opponent.player.split(":")[0] != "swh" for opponent in config.fitness.opponents)
    assert preset_text(name).startswith("# ")


def test_a_set_in_its_json_form_round_trips() -> None:
    primitives = PRIMITIVE_SETS["liao"].to_dict()
    config = EvolutionConfig(generations=1, primitives=primitives)
    assert config_from_toml(config_to_toml(config)) == config


def test_python_parts_and_toml_agree() -> None:
    config = EvolutionConfig(
        generations=4,
        selection=TournamentSelection(size=3),
        variation=Variation(crossover=0.5, reproduction=0.1),
    )
    text = """
    generations = 4
    selection = { kind = "tournament", size = 3 }
    variation = { crossover = 0.5, reproduction = 0.1 }
    """
    assert config_from_toml(text) == config


def test_what_is_no_config_is_told_what_is_wanted() -> None:
    says = (
        "config: None is not a config: give an EvolutionConfig, the path of its file, or the name"
    )
    with pytest.raises(TypeError, match=says):
        load_config(None)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="config: 7 is not a config"):
        next(evolve(7))  # type: ignore[arg-type]


def test_unreadable_files_are_config_errors(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        load_config(tmp_path / "missing.toml")
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigError, match="UTF-8"):
        load_config(tmp_path / "binary.toml")
    (tmp_path / "bad.toml").write_text("a = [")
    with pytest.raises(ConfigError, match="TOML"):
        load_config(tmp_path / "bad.toml")
    (tmp_path / "deep.toml").write_text("a = " + "[" * 100_000)
    with pytest.raises(ConfigError, match="TOML"):
        load_config(tmp_path / "deep.toml")


def test_unknown_presets_are_refused() -> None:
    with pytest.raises(ValueError, match="demo"):
        preset_text("demmo")


def test_what_no_tree_can_fulfil_is_refused_at_once() -> None:
    few = errors_of("generations = 1\nlimits = { max_nodes = 2 }")
    assert few == {"limits.max_nodes": "2 is too few for trees of initialisation.min_depth 2"}
    steep = "generations = 1\ninitialisation = { min_depth = 6 }\nlimits = { max_nodes = 20 }"
    assert set(errors_of(steep)) == {"limits.max_nodes"}
    leaf = "initialisation = { min_depth = 1, max_depth = 1 }\nlimits = { max_nodes = 1 }"
    assert config_from_toml(f"generations = 1\n{leaf}").limits.max_nodes == 1


def test_errors_of_overrides_primitives_and_fields_come_together() -> None:
    text = "generations = 1\nseed = -1\nprimitives = '{\"a\": '\n"
    text += "fitness = { opponents = [{ player = 'random' }] }"
    # seed.x.y once was an AttributeError: a number has no keys to look into.
    assert set(errors_of(text, "seed.x.y=1")) >= {"seed.x.y"}
    found = errors_of(text, "seed.x=1", "fitness.opponents.7.pairs=1")
    assert set(found) == {"seed.x", "fitness.opponents.7.pairs", "seed", "primitives"}
    assert found["primitives"] == "is not valid JSON"


@pytest.mark.parametrize("game", ["game = 3", "game = []"])
def test_a_game_of_the_wrong_type_is_one_error(game: str) -> None:
    assert set(errors_of(f"generations = 1\n{game}")) == {"game"}


def test_values_too_long_too_deep_or_too_many() -> None:
    assert "TOML" in errors_of(f"seed = {'9' * 5000}")["config"]
    assert set(errors_of("generations = 1", f"seed={'9' * 5000}")) == {"seed"}
    assert set(errors_of("generations = 1", "seed=1\nelitism=2")) == {"seed"}
    assert errors_of(".".join("a" * 3000) + " = 1") == {
        "a": "is nested too deeply: use fewer brackets inside one another"
    }
    assert len(errors_of("\n".join(f"k{number} = 1" for number in range(20_000)))) == 20_000


def test_a_byte_order_mark_is_skipped() -> None:
    assert config_from_toml("\ufeffgenerations = 3").generations == 3


@pytest.mark.parametrize(("game", "plies"), [("othello", 8), ("othello-6", 8), ("checkers", 4)])
def test_usual_opening_plies_are_those_of_the_game(game: str, plies: int) -> None:
    primitives = "liao" if game.startswith("othello") else "benbassat-checkers"
    config = EvolutionConfig(game=game, generations=1, primitives=primitives)
    assert config.fitness.opening_plies == "usual"
    assert config.opening_plies == plies
    # A digest holds the number: a config that says it has the same.
    number = EvolutionConfig(
        game=game, generations=1, primitives=primitives, fitness={"opening_plies": plies}
    )
    assert config.resolved_settings() == number.resolved_settings()
    assert config.resolved_settings()["fitness"]["opening_plies"] == plies
    assert config_from_toml(config_to_toml(config)) == config


def test_opening_plies_are_a_number_or_usual() -> None:
    with pytest.raises(ConfigError, match=r"fitness\.opening_plies"):
        EvolutionConfig(generations=1, fitness={"opening_plies": "few"})
    with pytest.raises(ConfigError, match=r"fitness\.opening_plies"):
        EvolutionConfig(generations=1, fitness={"opening_plies": 41})


@pytest.mark.parametrize("name", [name for name in PRESETS if name.startswith("benbassat")])
def test_the_papers_presets_are_as_the_paper_says_or_give_a_reason(name: str) -> None:
    config = config_from_toml(preset_text(name))
    assert config.limits.max_nodes == 300
    assert config.opening_plies == 0
    assert config.variation.afterwards.at_most_one
    assert sum(rate for _, rate in config.variation.afterwards.probabilities) == 0.2
    if not name.endswith("extended"):
        assert "at most 300 nodes" in preset_text(name)


def test_evolve_takes_a_preset_and_keys_of_the_config() -> None:
    small = {"game": "othello-4", "population_size": 8, "generations": 2}
    first, _ = evolve("quick", **small, fitness={"opening_plies": 3}, elitism=2)
    config = first.config
    assert (config.population_size, config.elitism, config.opening_plies) == (8, 2, 3)
    preset = config_from_toml(preset_text("quick"))
    assert config.fitness.opponents == preset.fitness.opponents  # the other keys of the table stay
    assert config.selection == preset.selection
    roulette = {"kind": "roulette", "scale": "adjusted"}
    changed = next(evolve(config, selection=roulette, time_limit=None)).config
    assert changed.selection == RouletteSelection(scale="adjusted")
    assert next(evolve(config, selection=TournamentSelection(size=2))).config.selection.size == 2
    assert next(evolve(config)).digest == first.digest


@pytest.mark.parametrize(
    ("settings", "path", "message"),
    [
        ({"popsize": 3}, "popsize", "did you mean 'population_size'?"),
        ({"fitness": {"sies": "both"}}, "fitness.sies", "did you mean 'sides'?"),
        ({"population_size": "many"}, "population_size", "must be a whole number"),
        ({"elitism": 900}, "elitism", "900 is above population_size"),
        ({"fitness": "much"}, "fitness.measure", "cannot read 'much' as a fitness"),
    ],
)
def test_a_wrong_key_of_evolve_is_the_error_of_a_file(
    settings: dict[str, Any], path: str, message: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        evolve("quick", **settings)
    assert message in dict(caught.value.errors)[path]
    with pytest.raises(ConfigError, match=r"no preset of that name; did you mean 'quick'\?"):
        evolve("qiuck")


def test_a_check_reads_no_default_in_the_place_of_a_wrong_value() -> None:
    # 500, the default of population_size, is no multiple of 7, but nobody asked for it.
    text = "generations = 1\npopulation_size = 'x'\ndemes = { size = 7 }\nelitism = 600"
    assert set(errors_of(text)) == {"population_size"}
    # A default takes part like a written value: demes hold 100.
    assert set(errors_of("generations = 1\npopulation_size = 120\ndemes = {}")) == {"demes.size"}


@pytest.mark.parametrize(
    ("text", "overrides", "message"),
    [
        ('learner = "map-elites"', [], 'leave it out to evolve, and say `survival.kind = "map"`'),
        ('learner = "nonsense"', [], "'nonsense' is no learner - leave it out to evolve"),
        ("learner = 3", [], "3 is no learner - leave it out"),
        ('learner = "evolution"', [], "evolution needs no such line - leave it out"),
        ('learner = "python:climb.py:Climb"', [], "of python:climb.py:Climb: `evoply learn`"),
        ("", ["learner=islands"], "is for the file of a config, which says what kind it is"),
    ],
)
def test_a_line_that_names_a_learner_is_refused_with_what_to_do(
    text: str, overrides: list[str], message: str
) -> None:
    with pytest.raises(ConfigError) as raised:
        config_from_toml(f"{text}\ngenerations = 1", overrides)
    (error,) = raised.value.errors
    assert error[0] == "learner"
    assert message in error[1]
