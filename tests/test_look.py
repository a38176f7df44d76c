"""What players, sets of primitives and generations show in a notebook."""

import pytest

from evoply.evolution import EvolutionConfig, evolve
from evoply.expressions import PRIMITIVE_SETS, board, count
from evoply.players import AfterState, ExpressionEvaluator, parse_player
from evoply.protocols import Section, cells_of, html_of


def test_tables_are_escaped_and_whole() -> None:
    html = html_of(Section("<b>", cells_of("<u>", "y"), [("<i>", "1"), ("x", "2")]))
    for tag in ("<b>", "<i>", "<u>"):
        assert tag not in html
    assert html.count("<tr>") == html.count("</tr>") == 3


@pytest.mark.parametrize("text", ["random", "material:depth=4", "( + white 10 ):epsilon=0.1"])
def test_players_show_what_they_are(text: str) -> None:
    player = parse_player(text)
    assert text in repr(player)
    assert len(repr(player)) < 200
    assert "<table" in player._repr_html_()


def test_a_name_is_no_markup() -> None:
    player = AfterState(name="<b>", evaluator=ExpressionEvaluator(expression=count(board.own)))
    assert "<b>" not in player._repr_html_()
    assert "count(own)" in player._repr_html_()


def test_sets_of_primitives_show_their_expressions() -> None:
    primitives = PRIMITIVE_SETS["liao"].with_constants(0, 1)
    assert "constants from 0 to 1" in primitives._repr_html_()
    assert "count(own &amp; corners)" in primitives._repr_html_()
    assert repr(primitives).startswith("<PrimitiveSet liao: + - * /")


def test_a_generation_shows_its_numbers() -> None:
    config = EvolutionConfig(game="othello-4", population_size=10, generations=1, seed=1)
    generation = next(iter(evolve(config)))
    assert repr(generation) == "<Generation 0 of 10 individuals>"
    html = generation._repr_html_()
    assert str(generation.champion) in html
    assert generation.digest[:16] in html
