"""Pruning: games against the whole player, the rule, and what is left out by it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import evoply as ep
from evoply.arena import StoppedWithResultError
from evoply.expressions import Number, board, count, divide, less, select, squares
from evoply.expressions.written_form import FormulaNames
from evoply.learning import AgainstWhole, Pruned, played_against_whole, prune
from evoply.learning.equivalence import LOOKS, Differences, is_hopeless, is_shown
from evoply.learning.pruning import NoTermsError
from evoply.learning.staged_sums import StagedSum
from evoply.players import AlphaBeta, ExpressionEvaluator, ValuingPlayer

DISCS = count(board.own) - count(board.opponent)
CORNERS = count(board.own & squares("corners"))
ANYTHING = FormulaNames({})
CHECKERS = "benbassat-checkers-extended"
# One ply ahead; corners hold it up, and few moves of the opponent help.
PLAYER = (
    "( + ( - ( * 20.3 white_corners ) ( * 1.9 black_mobility ) ) ( * 0.003 white_near_corners ) )"
    ":primitives=liao+mobility"
)
SMALL = {"game": "othello-6", "games": 60_000, "against": ["greedy"], "seed": 3}


def valuing(value: Number) -> ValuingPlayer:
    """Return the player one ply ahead by *value*."""
    return AlphaBeta(
        evaluator=ExpressionEvaluator(expression=value.to_dict()), view="player", depth=1
    )


# Games against the whole player.


def test_points_against_the_whole_are_those_of_matches_but_for_the_openings() -> None:
    few = -1 * DISCS
    (played,) = played_against_whole(
        valuing(DISCS), [few], game="othello-6", games=2000, seed=1, threads=1
    )
    result = ep.match(valuing(few), valuing(DISCS), game="othello-6", games=2000, seed=5, threads=1)
    assert played.points == pytest.approx(result.score, abs=0.04)
    assert played.high - played.low < 0.06


def test_what_decides_nothing_scores_half_and_is_known_to() -> None:
    same, none = played_against_whole(
        valuing(DISCS), [2 * DISCS + 1, count(board.empty) + 0], game="othello-6", games=400, seed=3
    )
    assert same == AgainstWhole(0.5, same.low, same.high, 400)
    assert 0.49 < same.low < 0.5 < same.high < 0.51  # all pairs are even, not by luck
    assert none.points != 0.5


def test_variants_do_not_depend_on_others_or_threads() -> None:
    variants = [DISCS * board.t, count(board.own), DISCS - 3 * count(board.empty) * DISCS]
    conditions: dict[str, Any] = {"game": "othello-6", "games": 100, "seed": 2}
    together = played_against_whole(valuing(DISCS), variants, threads=2, **conditions)
    alone = [
        played_against_whole(valuing(DISCS), [variant], threads=1, **conditions)
        for variant in variants
    ]
    assert [*together] == [found for (found,) in alone]


def test_too_few_games_say_nothing() -> None:
    (played,) = played_against_whole(valuing(DISCS), [DISCS], game="othello", games=10, seed=1)
    assert (played.low, played.high) == (0.0, 1.0)
    with pytest.raises(ValueError, match="games: 9 is not an even number"):
        played_against_whole(valuing(DISCS), [DISCS], game="othello", games=9, seed=1)


# The rule: as a slow oracle, whole tests are simulated.


def drawn(rng: np.random.Generator, cost: float, pairs: int) -> Differences:
    """Return pairs of games of a player that loses *cost* points a game."""
    games = rng.random((pairs, 2)) < 0.5 - cost
    hashes = rng.integers(0, 2**63, (pairs, 2), dtype=np.uint64)
    return Differences(games.mean(axis=1) - 0.5, np.full(pairs, 0.5), hashes)


def passes(rng: np.random.Generator, cost: float, pairs: int, within: float) -> bool:
    """Return whether a test of so many pairs is passed at one of its looks."""
    found: Differences | None = None
    for look in range(LOOKS):
        done = 0 if found is None else len(found.values)
        more = drawn(rng, cost, pairs * 2**look // 2 ** (LOOKS - 1) - done)
        found = more if found is None else found + more
        if is_shown(found, within):
            return True
    return False


def test_a_player_that_is_weaker_by_as_much_passes_in_one_of_twenty_tests() -> None:
    rng = np.random.default_rng(1)
    wrong = [passes(rng, 0.05, 800, 0.05) for _ in range(600)]
    assert 0.01 < np.mean(wrong) < 0.05 + 2 * np.sqrt(0.05 * 0.95 / 600)
    assert np.mean([passes(rng, 0.0, 800, 0.05) for _ in range(100)]) > 0.9


def test_tests_without_hope_would_rarely_pass() -> None:
    rng = np.random.default_rng(2)
    ended = passed = 0
    for _ in range(400):
        found = drawn(rng, 0.03, 100)
        if is_hopeless(found, 0.05, 800):
            ended += 1
            passed += is_shown(found + drawn(rng, 0.03, 700), 0.05)
    assert ended > 10
    assert passed <= ended / 4


def test_pairs_that_repeat_themselves_show_nothing() -> None:
    even = Differences(np.zeros(400), np.full(400, 0.5), np.zeros((400, 2), dtype=np.uint64))
    assert not is_shown(even, 0.5)
    assert not is_hopeless(even, 0.01, 400)
    different = Differences(even.values, even.usual, np.arange(800, dtype=np.uint64).reshape(-1, 2))
    assert is_shown(different, 0.01)


# Sums: every change is compared with the value itself.


def values(value: Number) -> list[float]:
    """Return a value at positions of a random game."""
    record, found = ep.othello.Position(size=6), []
    while record.outcome() is None:
        found.append(float(value.evaluate(record)))
        record = record.play(record.legal_moves[len(found) % len(record.legal_moves)])
    return found


STAGED = select(
    less(board.root_t, 0.3),
    2 * count(board.own) - CORNERS * (DISCS + 3),
    select(less(board.root_t, 0.7), 2 * DISCS, divide(CORNERS, board.ply, "zero") - DISCS),
)


def test_a_sum_is_the_value_that_it_was_taken_from() -> None:
    taken = StagedSum.of(STAGED, ANYTHING)
    assert len(taken.conditions) == 2
    assert values(taken.value) == pytest.approx(values(STAGED))
    own = next(part for part in taken.weights if part.text == "count(own)")
    assert taken.weights[own] == (2.0, 2.0, -1.0)
    assert own not in taken.without([own]).weights
    assert taken.without([own], 0).weights[own] == (0.0, 2.0, -1.0)
    less_own = select(less(board.root_t, 0.3), STAGED - 2 * count(board.own), STAGED)
    assert values(taken.without([own], 0).value) == pytest.approx(values(less_own))


@pytest.mark.parametrize("kept", [0, 1])
def test_stages_are_merged_with_the_weights_of_either(kept: int) -> None:
    taken = StagedSum.of(STAGED, ANYTHING)
    merged = taken.merged(0, kept)
    assert merged.conditions == taken.conditions[1:]
    stage = STAGED.arguments[1 + kept]  # the first stage, and what comes after it
    assert values(merged.value)[:8] == pytest.approx(values(stage)[:8])
    assert values(merged.value)[-2:] == pytest.approx(values(STAGED)[-2:])


@pytest.mark.parametrize("largest", [10, 20, 40, 100])
def test_rounding_leaves_no_weight_at_nothing_and_products_their_step(largest: int) -> None:
    value = 61.3 * CORNERS - 0.21 * count(board.empty) + 0.02 * CORNERS * DISCS - 14.8 * DISCS
    taken = StagedSum.of(value, ANYTHING)
    rounded = taken.rounded(largest)
    assert rounded.weights.keys() == taken.weights.keys()
    scale = rounded.weights[next(iter(taken.weights))][0] / 61.3
    for part, (weight,) in rounded.weights.items():
        wanted = scale * taken.weights[part][0]
        assert weight != 0
        assert weight * wanted > 0
        if part.is_product:
            assert abs(weight - wanted) <= abs(wanted) / 4
        elif abs(wanted) > 0.5:
            assert weight.is_integer()
            assert abs(weight - wanted) <= 1


def test_round_numbers_stay_and_have_no_common_divisor() -> None:
    taken = StagedSum.of(4 * CORNERS - 6 * DISCS, ANYTHING)
    assert taken.rounded().weights != taken.weights
    assert [row for row in taken.rounded().weights.values()] == [(2.0,), (-3.0,), (3.0,)]
    half = StagedSum.of(2 * CORNERS - 0.25 * CORNERS * DISCS, ANYTHING)
    assert half.rounded() == half


def test_opposites_are_found_whatever_the_order_of_factors() -> None:
    mine = count(board.own & squares("corners")) * count(board.own)
    theirs = count(board.opponent) * count(board.opponent & squares("corners"))
    taken = StagedSum.of(mine - theirs + count(board.empty), ANYTHING)
    ((first, second),) = taken.opposites()
    assert {taken.weights[first], taken.weights[second]} == {(1.0,), (-1.0,)}


# Whole players.


@pytest.fixture(scope="module")
def pruned() -> Pruned:
    """A player of two terms that matter and one that does nothing."""
    return prune(PLAYER, threads=1, **SMALL)


def test_what_does_nothing_goes_and_what_holds_it_up_stays(pruned: Pruned) -> None:
    assert {term.name for term in pruned.terms} == {"white_corners", "black_mobility"}
    assert pruned.left_out[0].name == "white_near_corners"
    assert pruned.terms[0].lost is not None
    assert pruned.terms[0].lost > 0.1
    assert pruned.terms[0].low is not None
    assert pruned.terms[0].low < pruned.terms[0].lost < (pruned.terms[0].high or 0)
    assert pruned.compared[0].opponent == pruned.whole
    assert pruned.games < 1.5 * SMALL["games"]


def test_it_is_as_strong_on_openings_of_other_seeds(pruned: Pruned) -> None:
    result = ep.match(pruned.player, PLAYER, game="othello-6", games=3000, seed=77, threads=1)
    assert result.score > 0.48


def test_numbers_become_round_and_features_keep_their_names(pruned: Pruned) -> None:
    assert pruned.left_out[-1].name == "whole numbers up to 10"
    assert {term.weights for term in pruned.terms} == {(10.0,), (-1.0,)}
    assert pruned.formula == "10 * white_corners - black_mobility"
    assert "white_corners" in pruned.player.evaluator.label


def test_the_result_does_not_depend_on_threads(pruned: Pruned) -> None:
    told: list[tuple[float, int]] = []
    again = prune(PLAYER, threads=2, progress=lambda *done: told.append(done), **SMALL)
    assert again == pruned
    assert told == sorted(told)
    assert told[-1] == (1.0, pruned.games)
    assert prune(PLAYER, threads=1, **{**SMALL, "seed": 4}).compared != pruned.compared


def test_with_few_games_nothing_is_left_out() -> None:
    found = prune(PLAYER, game="othello-6", games=2000, threads=1)
    assert found.left_out == found.compared == ()
    assert found.games == 0
    assert found.player == ep.parse_player(PLAYER, game="othello-6").valuing()
    assert len(found.terms) == 3


def test_a_player_becomes_as_short_as_asked_whatever_that_costs() -> None:
    found = prune(PLAYER, most=1, threads=1, **SMALL)
    alone = {"white_corners": "( white_corners )", "black_mobility": "( - 0 black_mobility )"}
    scores = {
        name: sum(
            ep.match(f"{tree}:primitives=liao+mobility", rival, game="othello-6", games=1000).score
            for rival in (PLAYER, "greedy")
        )
        for name, tree in alone.items()
    }
    assert [term.name for term in found.terms] == [max(scores, key=scores.__getitem__)]
    assert found.left_out[0].name == "white_near_corners"
    whole, greedy = found.compared
    assert whole.high < -0.03
    assert greedy.whole > greedy.pruned
    assert found.games < 1.1 * SMALL["games"]
    assert prune(PLAYER, most=1, threads=2, **SMALL) == found
    assert len(prune(PLAYER, most=2, **{**SMALL, "games": 100}).terms) == 2


def test_a_short_player_is_pruned_as_usual(pruned: Pruned) -> None:
    assert prune(PLAYER, most=3, threads=1, **SMALL) == pruned


def test_what_costs_more_than_a_point_stays() -> None:
    found = prune("( + white_corners white_edges ):primitives=othello-access", threads=1, **SMALL)
    assert found.left_out == ()
    assert "and no change is shown to be free in" in str(found)


def test_equal_stages_become_one() -> None:
    text = "{ phases ( * 2 white_corners ) 50 ( * 2.01 white_corners ) 50 }"
    found = prune(f"{text}:primitives=othello-access", threads=1, **SMALL)
    assert "stage 1 as one with stage 2" in [change.name for change in found.left_out]
    assert found.stages == ("weight",)
    assert found.formula == "white_corners"


@pytest.mark.parametrize(
    ("game", "player"),
    [
        ("checkers", f"( Plus FriendlyManCount EnemyKingCount ):primitives={CHECKERS}"),
        ("connect-four", "( + own_threes ( * 0.00001 own_twos ) ):primitives=any-game"),
        ("othello-6", "mobility"),
    ],
)
def test_players_of_other_forms_and_games(game: str, player: str) -> None:
    found = prune(player, game=game, games=4000, seed=1, threads=1)
    assert found.terms
    assert found.player.valuing() is not None
    assert ep.match(found.player, "random", game=game, games=20, threads=1).score > 0.3


def test_after_ctrl_c_there_is_what_was_left_out_by_then() -> None:
    def stop(done: float, games: int) -> None:
        if 0.4 <= done < 1:
            raise KeyboardInterrupt

    with pytest.raises(StoppedWithResultError) as stopped:
        prune(PLAYER, threads=1, progress=stop, **SMALL)
    result: Pruned = stopped.value.result
    assert [change.name for change in result.left_out] == ["white_near_corners"]
    assert result.compared == ()
    assert [term.lost for term in result.terms] == [None, None]
    assert ep.match(result.player, "random", game="othello-6", games=20, threads=1).score > 0.4


@pytest.mark.parametrize(
    ("player", "why"),
    [
        ("random", "no values of boards to prune"),
        ("mcts", "no values of boards to prune"),
        ("random-leaf", "leaves are worth chance values"),
    ],
)
def test_players_without_terms_are_refused(player: str, why: str) -> None:
    with pytest.raises(NoTermsError, match=why):
        prune(player, games=4000)


def test_wrong_settings_are_named() -> None:
    with pytest.raises(ValueError, match="within: 0 is no number of points"):
        prune("mobility", within=0)
    with pytest.raises(ValueError, match="most: 0 is no number of terms"):
        prune("mobility", most=0)
    with pytest.raises(ValueError, match="nobody"):
        prune("mobility", against=["nobody"])
