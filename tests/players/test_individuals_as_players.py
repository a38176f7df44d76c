"""Every kind of tree as a player: text, saved file, explanation, evolution, seeds."""

import json

import pytest

import evoply as ep
from evoply import _native
from evoply.expressions import PRIMITIVE_SETS, definition_sets, liao
from evoply.gp import Forest, TreeError, parse_individual, parse_tree
from evoply.players import load_player, parse_player, save_player, seed_individual

TEXTS = [
    ("( IfTrue ( NOTG IsEmptySquare[c4] true ) ( MultERC[2.5] Mobility ) ManCount )", "benbassat"),
    ("( Plus CornerCount ( NullJ Mobility 0 ) )", "benbassat-extended"),
    ("( + ( B1 ( * white white_corners ) ) ( - 2.5 black ) )", "bellin"),
    ("( - aa ( B01 ( B0 BB ) ) )", "bellin-noops"),
    ("( - ( count ( and own ( beside empty ) ) ) ( count ( reach corners own ) ) )", "squares"),
    ("( white ),75,( white_corners ),25", "liao"),
    ("{ sum ( white ) ( * 10 white_corners ) }", "liao"),
    ("{ phases ( white ) 50 ( white_corners ) 50 }", "liao"),
    ("{ adf ( ADF0 white ( ADF0 10 black ) ) ADF0/2 ( - ARG0 ARG1 ) }", "liao"),
]


@pytest.mark.parametrize(("text", "name"), TEXTS)
def test_players_of_every_kind_play_and_are_saved(text, name, tmp_path):
    player = parse_player(f"{text}:primitives={name},depth=2")
    assert player.depth == 2
    result = ep.match(player, "random", games=20, seed=1)
    assert result.games == 20
    path = tmp_path / "player.json"
    save_player(path, player)
    loaded = load_player(path)
    assert str(loaded.evaluator.parsed) == text
    again = ep.match(loaded, "random", games=20, seed=1)
    assert (again.wins, again.draws, again.losses) == (result.wins, result.draws, result.losses)


@pytest.mark.parametrize(("text", "name"), TEXTS)
def test_explanations_are_of_what_is_computed(text, name):
    explanation = ep.explain(f"{text}:primitives={name}", positions=60)
    assert explanation.tree == text
    assert explanation.sentence.startswith("It ")
    assert "NullJ" not in explanation.simplified
    assert "B0" not in explanation.simplified
    assert json.dumps(explanation.to_dict())


def test_a_staged_player_is_its_stages():
    """Stages go by the board where the player chooses: all moves of a choice meet one tree."""
    staged = parse_player("( white ),50,( black ),50:primitives=liao")
    early = parse_player("( white ):primitives=liao")
    late = parse_player("( black ):primitives=liao")
    position, stream = ep.othello.Position(), ep.Stream(3)
    while moves := list(position.legal_moves):
        discs = (position.own | position.opponent).bit_count()
        meant = early if discs < 34 else late
        batch = _native.Positions("othello", [position.row])
        keys = stream.keys(1)
        chosen, expected = (batch.choose(one.native("othello"), keys)[0] for one in (staged, meant))
        assert chosen == expected
        position = position.play(moves[stream.below(len(moves))])


@pytest.mark.parametrize("name", ["benbassat-6", "bellin", "squares", "letters-6"])
def test_every_set_evolves(name):
    config = ep.EvolutionConfig(
        game="othello-6",
        primitives=name,
        population_size=20,
        generations=3,
        seed=5,
        variation={
            "crossover": 0.5,
            "subtree_mutation": 0.2,
            "point_mutation": 0.2,
            "constant_mutation": 0.1,
        },
    )
    generations = list(ep.evolve(config))
    assert len(generations) == 3
    again = list(ep.evolve(config))
    assert [one.digest for one in generations] == [one.digest for one in again]


def test_forests_are_players_in_python():
    primitives = PRIMITIVE_SETS["liao"]
    forest = Forest("sum", (parse_tree("( white )", primitives),) * 2)
    assert ep.match(forest, "random", games=4, seed=1).games == 4
    adf = parse_individual(
        "{ adf ( ADF0 white ) ADF0/1 ( * ARG0 ARG0 ) }", definition_sets(primitives, (1,))
    )
    player = ep.players.player_of(adf)
    assert player.evaluator.primitives == "liao"
    assert str(player.evaluator.parsed) == str(adf)
    mixed = Forest(
        "sum", (parse_tree("( white )", primitives), parse_tree("( white )", liao(edges=24)))
    )
    with pytest.raises(ValueError, match="different sets"):
        ep.players.player_of(mixed)


def test_seeds_come_from_saved_players(tmp_path):
    primitives = PRIMITIVE_SETS["liao"]
    path = tmp_path / "seed.json"
    save_player(path, parse_player("( white ),50,( + white 2.5 ),50:primitives=liao"))
    bigger = PRIMITIVE_SETS["liao+mobility"]
    seed = seed_individual(path, bigger)
    assert isinstance(seed, Forest)
    assert seed.trees[0].primitive_set is bigger
    with pytest.raises(TreeError, match="needs white_mobility, which the set liao lacks"):
        seed_individual(parse_player("( white_mobility )"), primitives)
    with pytest.raises(TreeError, match="/ does not mean the same in liao"):
        seed_individual(parse_player("( / white black ):division=zero"), primitives)
    with pytest.raises(TreeError, match="has no tree, so it cannot be a seed"):
        seed_individual(parse_player("swh"), primitives)
    with pytest.raises(TreeError, match="weighs leaves by their place in another way"):
        seed_individual(parse_player("( white )"), PRIMITIVE_SETS["bellin"])
    typed = parse_player("( MultERC[2] Mobility ):primitives=benbassat")
    assert str(seed_individual(typed, PRIMITIVE_SETS["benbassat-extended"])) == (
        "( MultERC[2] Mobility )"
    )
