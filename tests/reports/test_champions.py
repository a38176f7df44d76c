"""What is said of nine champions that are kept as files, and whether it holds when played out."""

import tomllib
from functools import cache
from pathlib import Path

import pytest
from tests.reports.statements import Told, statements

from evoply.players import ValuingPlayer, parse_player
from evoply.reports import explain

KEPT = Path(__file__).parents[2] / "testdata" / "champions.toml"
CHAMPIONS = tomllib.loads(KEPT.read_text(encoding="utf-8"))


@cache
def told(name: str) -> Told:
    kept = CHAMPIONS[name]
    player = parse_player(kept["player"], game=kept["game"])
    assert isinstance(player, ValuingPlayer)
    explanation = explain(player, game=kept["game"], threads=1)
    tree = player.evaluator.individual
    assert tree is not None
    return Told(player, explanation, tree.trees[0].primitive_set)


@pytest.mark.parametrize("name", CHAMPIONS)
def test_a_champion_reads_as_it_was_judged(name: str) -> None:
    assert told(name).explanation.sentence == CHAMPIONS[name]["reading"]


@pytest.mark.parametrize("name", CHAMPIONS)
def test_every_statement_holds_when_it_is_played_out(name: str) -> None:
    found = statements(told(name))
    assert len(found) >= 4
    assert [statement for statement in found if not statement.holds] == []
