"""Parameter files of gpjpp: every parameter, its defaults, and what is wrong with a line."""

from pathlib import Path

import pytest

from evoply import load_config
from evoply.evolution import EvolutionConfig, config_from_toml, evolve
from evoply.protocols import ConfigError
from evoply.runs.presets import preset_text
from evoply.studies.bellin import config_from_ini


def test_the_gpjpp_preset_has_its_defaults() -> None:
    config = config_from_toml(preset_text("gpjpp"))
    defaults = config_from_ini("ComplexityAffectsFitness = false")
    assert config == defaults
    assert (config.population_size, config.generations, config.elitism) == (500, 51, 0)
    assert (config.limits.max_depth, config.limits.max_nodes) == (17, 200)
    assert config.initialisation.max_depth == 6
    small = {**config.model_dump(), "population_size": 40, "game": "othello-6", "generations": 3}
    generations = list(evolve(EvolutionConfig(**small)))
    assert all(one.fitness <= 0 for one in generations[-1].individuals)
    assert generations[0].statistics.diversity == 1.0


def test_every_parameter_of_gpjpp_is_read(tmp_path: Path) -> None:
    text = """
    [GPVariables]
    PopulationSize = 40 ; a comment
    numberofgenerations=7
    CreationType=RampedGrow
    MaximumDepthForCreation=5
    MaximumDepthForCrossover=9
    MaximumComplexity=80
    SelectionType=1
    TournamentSize=4
    CrossoverProbability=80.0
    CreationProbability=50
    SwapMutationProbability=10%
    ShrinkMutationProbability=5
    TerminationFitness=12.5
    GoodRuns=3
    UseADFs=FALSE
    TestDiversity=0
    ComplexityAffectsFitness=TRUE
    CheckpointGens=5
    DemeticGrouping=true
    DemeSize=10
    DemeticMigProbability=75
    AddBestToNewPopulation=1
    SteadyState=0
    PrintDetails=1
    PrintPopulation=1
    PrintExpression=1
    PrintTree=0
    TreeFontSize=9
    """
    path = tmp_path / "othello.ini"
    path.write_text(text)
    config = load_config(path, ["game=othello-6", "seed=9"])
    assert (config.game, config.seed, config.population_size) == ("othello-6", 9, 40)
    assert (config.generations, config.elitism) == (7, 1)
    settings = config.initialisation
    assert (settings.method, settings.max_depth, settings.duplicates) == ("ramped_full", 5, "allow")
    assert config.selection.model_dump() == {"kind": "tournament", "size": 4, "two_best": True}
    assert config.variation.crossover == 0.8
    assert config.variation.creation == pytest.approx(0.1)
    assert config.variation.afterwards.probabilities == (
        ("swap_mutation", 0.1),
        ("shrink_mutation", 0.05),
    )
    assert config.termination is not None
    assert (config.termination.fitness, config.termination.good_runs) == (12.5, 3)
    assert config.parsimony is not None
    assert config.demes is not None
    assert (config.demes.size, config.demes.migration) == (10, 0.75)
    assert (config.limits.max_depth, config.limits.max_nodes) == (9, 80)
    greedy = config_from_ini("SelectionType=greedy\nDemeticGrouping=1\nSteadyState=1")
    assert greedy.demes is None
    assert greedy.steady_state is not None
    assert greedy.selection.kind == "greedy"
    defining = config_from_ini("UseADFs = 1", ["population_size=20", "generations=2"])
    assert defining.individual.kind == "adf"
    assert str(list(evolve(defining))[-1].best.tree).startswith("{ adf (")


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("\nPopulationSise = 3", 2, "did you mean 'PopulationSize'"),
        ("PopulationSize = many", 1, "not a whole number"),
        ("CreationType = 5", 1, "4 or RampedGrow"),
        ("UseADFs = maybe", 1, "0, 1, true or false"),
        ("CrossoverProbability = 101", 1, "from 0 to 100"),
        ("TerminationFitness = nan", 1, "not a number"),
        ("SteadyState", 1, "not of the form"),
        ("GoodRuns = 1\n\ngoodruns = 2", 3, "before in line 1"),
        ("# defaults\nGoodRuns = 5", 2, "awaited for ever"),
    ],
)
def test_a_wrong_line_of_a_parameter_file_is_named(text: str, line: int, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        config_from_ini(text, name="x.ini")
    where, found = caught.value.errors[0]
    assert where == f"x.ini, line {line}"
    assert message in found
