"""The list of all keys of a config, against the models and against configs themselves."""

import tomllib
from functools import cache

import pytest
from pydantic import BaseModel

from evoply.configs.config_errors import has_key
from evoply.configs.reference import (
    ConfigKey,
    ConfigSection,
    config_sections,
    matching_sections,
)
from evoply.evolution import EvolutionConfig, config_from_toml
from evoply.runs.presets import PRESETS, preset_text


@cache
def keys() -> list[tuple[ConfigSection, ConfigKey]]:
    return [(section, key) for section in config_sections(EvolutionConfig) for key in section.keys]


def described(path: str, kind: str | None = None) -> ConfigKey:
    return next(key for section, key in keys() if key.path == path and kind in (None, section.kind))


def paths_of(data: object, before: str = "") -> set[str]:
    """Return the paths of all values of a TOML text, every place in a list being 0."""
    if isinstance(data, dict):
        return {path for key, value in data.items() for path in paths_of(value, f"{before}.{key}")}
    if isinstance(data, list) and data and isinstance(data[0], dict):
        return {path for value in data for path in paths_of(value, f"{before}.0")}
    return {before.removeprefix(".")}


def test_every_key_exists_and_says_what_it_is_for() -> None:
    for section, key in keys():
        assert has_key(key.path, EvolutionConfig), key.path
        assert key.meaning, key.path
        assert key.path.rpartition(".")[0] == section.path
    names = [(section.path, section.kind, key.path) for section, key in keys()]
    assert len(names) == len(set(names)) > 100


def test_every_key_of_the_presets_is_listed() -> None:
    listed = {key.path for _, key in keys()}
    evolved = [name for name, preset in PRESETS.items() if preset.learner == "evolution"]
    for preset in evolved:
        assert paths_of(tomllib.loads(preset_text(preset))) <= listed, preset


def test_defaults_are_those_of_a_config_that_says_nothing() -> None:
    data = EvolutionConfig(generations=1).model_dump(mode="json")
    checked = 0
    for section, key in keys():
        value: object = data
        for part in key.path.split("."):
            value = value.get(part, ...) if isinstance(value, dict) else ...
        if value is ... or key.is_single_table or key.path == "generations":
            continue
        if section.kind in (None, _kind_in(data, section.path)) and not key.has_keys:
            assert key.default == value, key.path
            checked += 1
    assert checked > 60


def _kind_in(data: dict[str, object], path: str) -> object:
    value: object = data
    for part in path.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value.get("kind") if isinstance(value, dict) else None


@pytest.mark.parametrize(
    ("path", "kind", "type_", "range_", "default"),
    [
        ("population_size", None, "whole number", "2 to 1,000,000", "500"),
        ("seed", None, "whole number", "0 to 2^63 - 1", "1"),
        ("time_limit", None, "number", "above 0", "not set"),
        ("selection.top_share", "greedy", "number", "above 0, below 1", "not set"),
        ("selection.kind", None, "text", '"tournament", "roulette", "greedy", "lexicase", '
         '"pareto", "double_tournament", "uniform" or "python"', '"tournament"'),
        ("termination.fitness", None, "number", "", "must be given"),
        ("initialisation.seeds", None, "list of texts", "at most 100,000 long", "[]"),
        ("fitness.opponents", None, "list of tables", "at most 1,000 long",
         '[{ player = "random", pairs = 5 }, { player = "greedy", pairs = 5 }]'),
        ("limits", None, "table", "", ""),
        ("demes", None, "table", "", "not set"),
    ],
)  # fmt: skip
def test_a_key(path: str, kind: str | None, type_: str, range_: str, default: str) -> None:
    key = described(path, kind)
    assert (key.type, key.range, key.default_text) == (type_, range_, default)


def test_a_default_reads_back() -> None:
    lines = [f"{key.path} = {key.default_text}" for section, key in keys()
             if not section.kind and "0" not in key.path and key.default is not None
             and not key.is_single_table and not key.path.startswith(("parsimony", "demes",
             "steady_state", "termination", "tuning", "refit"))]  # fmt: skip
    assert config_from_toml("\n".join([*lines, "generations = 2"])) == EvolutionConfig(
        generations=2
    )


def found(text: str) -> list[str]:
    return [
        key.path for section in matching_sections(text, EvolutionConfig) for key in section.keys
    ]


def test_a_key_is_looked_for_by_path_then_by_kind_then_by_name() -> None:
    assert found("population-size") == ["population_size"]
    assert found("fitness.opponents.3.pairs") == ["fitness.opponents.0.pairs"]
    assert found("fitness.opponents")[0] == "fitness.opponents"
    assert all(path.startswith("fitness") for path in found("fitness"))
    assert found("lexicase") == [
        "selection.cases", "selection.epsilon", "selection.down_sampling",
    ]  # fmt: skip
    assert found("size") == [
        "selection.size", "selection.size", "demes.size", "fitness.earlier_generations.size",
        "hall_of_fame.size",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "meant"),
    [("selektion", "'selection'"), ("selection.sice", "'size'"), ("", ""), ("0", "")],
)
def test_what_is_no_key(text: str, meant: str) -> None:
    with pytest.raises(ValueError, match=r"(not a|has no) key") as caught:
        matching_sections(text, EvolutionConfig)
    assert meant in str(caught.value)


def test_a_key_without_a_meaning_is_an_error() -> None:
    class Silent(BaseModel):
        size: int = 3

    with pytest.raises(ValueError, match=r"Silent\.size has no docstring"):
        config_sections(Silent)
