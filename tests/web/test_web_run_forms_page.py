"""What the page makes of a config's JSON Schema, against the configs that come of its values."""

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest

from evoply.evolution import load_config
from evoply.kinds import KINDS
from evoply.runs.presets import PRESETS
from evoply.web import ServerLimits
from evoply.web.run_forms import config_asked
from evoply.web.run_messages import StartRun
from web_browser import NEEDS_BROWSER

pytestmark = NEEDS_BROWSER
Sections = Callable[..., list[dict[str, Any]]]

_SECTIONS = """async ([preset, kinds]) => {
    const { sectionsOf, withKind } = await import("/static/schema.js");
    const form = await (await fetch(`/api/presets/${preset}`)).json();
    let values = form.values;
    for (const [table, kind] of Object.entries(kinds)) {
        values = withKind(values, form.values, table.split("."), kind);
    }
    return sectionsOf(form.config_schema, values);
}"""


@pytest.fixture(scope="module")
def sections(chromium: Any, address: str) -> Iterator[Sections]:
    """Give what reads the sections of a preset's form, with other kinds of tables, in a page."""
    with chromium() as browser:
        page = browser.new_page()
        page.goto(address)

    @cache
    def read(preset: str, **kinds: str | None) -> list[dict[str, Any]]:
        with chromium():
            found: list[dict[str, Any]] = page.evaluate(_SECTIONS, [preset, kinds])
        return found

    yield read
    with chromium():
        page.close()


def keys_of(sections: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [key for section in sections for key in section["keys"]]


@pytest.mark.parametrize("preset", PRESETS)
def test_a_form_that_nobody_changes_asks_for_the_preset(preset: str, sections: Sections) -> None:
    keys = keys_of(sections(preset))
    assert len({key["path"] for key in keys}) == len(keys) > 10
    config = KINDS[PRESETS[preset].learner].configs.load(preset)
    values = {key["path"]: key["value"] for key in keys}
    assert config_asked(StartRun(preset=preset, settings=values), ServerLimits()) == config
    lists = {name for name, value in config if isinstance(value, tuple)}
    assert lists <= {key["path"] for key in keys if key["columns"]}
    for key in keys:
        assert key["description"]
        assert "enum" not in key or key["value"] in (None, *key["enum"])
        if isinstance(key["value"], int | float):
            assert key.get("minimum", key["value"]) <= key["value"]
            assert key["value"] <= key.get("maximum", key["value"])


def test_another_kind_of_a_table_has_its_own_keys(sections: Sections) -> None:
    keys = keys_of(sections("quick", selection="roulette", parsimony="tarpeian"))
    values = {key["path"]: key["value"] for key in keys}
    assert values["selection.kind"] == "roulette"
    assert "selection.size" not in values
    assert {key["path"] for key in keys if key.get("isKind")} == {
        "individual.kind", "selection.kind", "survival.kind", "parsimony.kind",
        "fitness.measure.kind",
    }  # fmt: skip
    config = config_asked(StartRun(preset="quick", settings=values), ServerLimits())
    expected = load_config(
        "quick", settings={"selection": {"kind": "roulette"}, "parsimony": {"kind": "tarpeian"}}
    )
    assert config == expected
    assert sections("quick", selection="tournament", parsimony=None) == sections("quick")


def test_a_list_has_the_cells_of_its_rows(sections: Sections) -> None:
    (key,) = (key for key in keys_of(sections("quick")) if key["path"] == "fitness.opponents")
    assert [(one["path"], one["value"], one["isRequired"]) for one in key["columns"]] == [
        ("fitness.opponents.0.player", None, True),
        ("fitness.opponents.0.pairs", 5, False),
        ("fitness.opponents.0.games", None, False),
    ]


def test_a_table_that_a_preset_has_not_is_empty(sections: Sections) -> None:
    (section,) = (one for one in sections("quick") if one["title"] == "tuning")
    assert {key["path"] for key in section["keys"]} >= {"tuning.generations", "tuning.pairs"}
    assert {key["value"] for key in section["keys"]} == {None}
    pairs = [key["range"] for key in section["keys"] if key["path"].endswith("pairs")]
    assert all("if left empty" in one for one in pairs)


@pytest.mark.parametrize(
    ("path", "range_", "least"),
    [
        ("population_size", "2 to 5,000", 2),  # the server begins no larger ones
        ("seed", "0 to 2^63 - 1", 0),
        ("time_limit", "above 0", None),
        ("elitism", "0 or more", 0),
        ("selection.kind", "", None),
        ("initialisation.seeds", "at most 100,000 long", None),
    ],
)
def test_limits_are_said_in_words(
    path: str, range_: str, least: float | None, sections: Sections
) -> None:
    (key,) = (key for key in keys_of(sections("quick")) if key["path"] == path)
    assert (key["range"], key.get("minimum")) == (range_, least)
