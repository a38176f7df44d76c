"""What a kind of learner is: four contracts of at most eight members each."""

from __future__ import annotations

import pytest
from house import members

from evoply.kinds import KINDS
from evoply.runs.columns import table


@pytest.mark.parametrize("contract", ["Configs", "Learners", "Store", "Display", "Kind"])
def test_a_contract_fits_on_a_page(contract: str) -> None:
    assert members("evoply.runs.kind", contract) <= 8


@pytest.mark.parametrize("name", KINDS)
def test_a_kind_is_called_as_its_row(name: str) -> None:
    kind = KINDS[name]
    assert (kind.name, kind.is_built_in) == (name, True)
    assert {"time_limit"} <= kind.configs.limits
    assert kind.made_by(kind.learners.given) == kind


def test_a_run_without_steps_has_an_empty_table() -> None:
    kind = KINDS["tuning"]
    head, cells = table(kind.display.columns(None, {}), [])
    assert head[0] == "generation"
    assert head[-2:] == ("seconds", "digest")
    assert cells == []
