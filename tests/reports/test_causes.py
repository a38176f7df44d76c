"""Causes: what a strong player would say of two moves, and what must not be said."""

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_records import record_after

import evoply as ep
from evoply.games import DATA_GAMES, GAMES, game_rules
from evoply.games.position import NO_DRAWS
from evoply.protocols import GameRecord
from evoply.reports import causes
from evoply.reports.adviser import Advice, Adviser
from evoply.reports.causes import (
    LINE_PLIES,
    CauseFound,
    cause_between,
    cause_of,
    difference_of,
    gives_causes,
)
from evoply.reports.concept_tables import TABLES, concepts_of
from evoply.reports.concepts import fitted
from evoply.reports.expected_lines import ExpectedLines
from evoply.reports.othello_concepts import regions, stable
from evoply.reports.reasons import reasons_of

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def at(game: str, text: str) -> GameRecord:
    rules = game_rules(game)
    record: GameRecord = rules.game(rules.parse(text), (), NO_DRAWS)
    return record


def asked(
    game: str, text: str, moves: tuple[str, str], **options: Any
) -> tuple[Adviser, Advice, CauseFound]:
    """Return the cause between two moves, by the game's adviser."""
    record = at(game, text)
    adviser = Adviser(game)
    advice = adviser.values(record, depth=DEPTHS[game])
    known = {record.position.short_text(move): move for move in record.position.legal_moves}
    found = cause_of(adviser, record, advice, *(known[move] for move in moves), **options)
    assert found is not None
    return adviser, advice, found


DEPTHS = {"othello": 6, "checkers": 6, "connect-four": 3, "breakthrough-6": 3}

SAID = json.loads((Path(__file__).with_name("causes.json")).read_text(encoding="utf-8"))
"""By game and concept: a position where it is the cause, and one where it would mislead."""
CASES = [(game, name) for game, cases in SAID.items() for name in cases]


@pytest.mark.parametrize(("game", "name"), CASES)
def test_a_concept_is_said_where_it_is_the_cause(game: str, name: str) -> None:
    case = SAID[game][name]["said"]
    _, _, found = asked(game, case["position"], (case["better"], case["worse"]))
    said = next(cause for cause in found.causes if cause.concept == name)
    assert said.adds > 0
    assert said.words in found.text
    assert found.text == case["text"]


@pytest.mark.parametrize(
    ("game", "name"), [case for case in CASES if "misleads" in SAID[case[0]][case[1]]]
)
def test_it_is_not_said_for_a_move_that_has_more_of_it_and_is_worse(game: str, name: str) -> None:
    case = SAID[game][name]["misleads"]
    _, _, found = asked(game, case["position"], (case["better"], case["worse"]))
    concepts = concepts_of(game)
    assert concepts is not None
    lines = ExpectedLines(
        *(played(game, case["position"], line) for line in (found.better_line, found.worse_line))
    )
    better, worse = concepts.read(lines)
    more = concepts.count(name, worse, better) - concepts.count(name, better, worse)
    assert more * concepts.concepts[name].sign >= concepts.concepts[name].least
    assert all(cause.concept != name or cause.adds < 0 for cause in found.causes)
    exchanged = ExpectedLines(lines.second, lines.first)
    assert cause_between(concepts, exchanged, found.difference).causes == ()


def played(game: str, text: str, moves: tuple[str, ...]) -> GameRecord:
    record = at(game, text)
    for move in moves:
        record = record.play(move)
    return record


def test_every_concept_that_is_said_has_a_position() -> None:
    for game in ("othello", "checkers"):
        concepts = concepts_of(game)
        assert concepts is not None
        said = {name for name, one in concepts.concepts.items() if one.words}
        assert said == set(SAID[game])


@pytest.mark.parametrize("name", [table.name for table in TABLES])
def test_weights_are_those_of_the_concepts_and_none_speaks_against_its_sign(name: str) -> None:
    data = fitted(name)
    games = [game for game in (*GAMES, *DATA_GAMES) if game_rules(game).concepts == name]
    assert games
    for game in games:
        concepts = concepts_of(game)
        assert concepts is not None
        assert set(concepts.concepts) <= set(data["weights"])
    assert all(weight >= 0 for row in data["weights"].values() for weight in row)
    assert all(len(row) == len(data["bounds"]) + 1 for row in data["weights"].values())
    assert f"fit_concepts.py {name} --seed {data['seed']}" in data["command"]
    assert data["placebo"] < data["share_with_a_cause"] / 4


@pytest.mark.parametrize("game", ["othello", "othello-6", "checkers", "connect-four"])
@settings(max_examples=8)
@given(choices=st.lists(st.integers(0, 30), max_size=45))
def test_printed_counts_are_those_of_the_boards(game: str, choices: list[int]) -> None:
    record = record_after(game, choices)
    if record.outcome() is not None or len(record.position.legal_moves) < 2:
        return
    judge = benchmark("judge_causes")
    with Adviser(game) as adviser:
        advice = adviser.values(record, depth=3)
        best, worst = advice.moves[0][0], advice.moves[-1][0]
        lines = ExpectedLines.search(adviser, record, advice, (best, worst), None)
        assert lines is not None
        longer = lines.longer(adviser, LINE_PLIES, None)
        assert longer is not None
        concepts = concepts_of(game)
        assert concepts is not None
        found = cause_between(concepts, longer, difference_of(advice, best, worst))
        pair = judge.Pair(game, 0, "random", "another", longer, found.difference)
        assert judge.wrong_counts(concepts, pair, found)[1] == 0
        assert len([cause for cause in found.causes if cause.adds > 0]) <= 2
        assert bool(found.text) is bool(found.causes)


def test_small_differences_have_no_reason_and_equal_moves_are_called_equal() -> None:
    start = ep.othello.Position().text()
    _, _, mirrored = asked("othello", start, ("d3", "c4"))
    assert mirrored.is_mirrored
    assert mirrored.text == "d3 and c4 are mirror images"
    adviser, advice, _ = asked("othello", start, ("d3", "c4"))
    why = reasons_of(adviser, at("othello", start), advice)
    assert why.hint == "c4 is worth the same: d3 and c4 are mirror images."
    record = ep.othello.Game.from_transcript("f5d6c3d3c4f4f6f3e6e7d7g6")
    with Adviser("othello") as adviser:
        advice = adviser.values(record, depth=6)
        pairs = list(zip(advice.moves, advice.moves[1:], strict=False))
        (best, _), (worse, _) = next(pair for pair in pairs if 0.1 < pair[0][1] - pair[1][1] < 0.5)
        found = cause_of(adviser, record, advice, best, worse)
    assert found is not None
    assert found.causes == ()
    assert found.text.startswith("no single reason (0.")
    assert found.text.endswith(" discs)")


def test_what_names_an_answer_is_tested_by_a_search_without_it() -> None:
    case = SAID["othello"]["urgent"]["said"]
    adviser, advice, found = asked("othello", case["position"], (case["better"], case["worse"]))
    lines = ExpectedLines(
        *(
            played("othello", case["position"], line)
            for line in (found.better_line, found.worse_line)
        )
    )
    answer = causes.tested_answer(adviser, lines, advice.depth, found.difference)
    assert answer is not None
    after = lines.second.positions[1]
    known = {after.short_text(move): move for move in after.legal_moves}
    with Adviser("othello") as other:
        values = other.values(at("othello", after.text()), depth=advice.depth - 1).moves
    assert known[answer.move] == values[0][0]
    assert answer.gain == pytest.approx(values[0][1] - values[1][1])
    concepts = concepts_of("othello")
    assert concepts is not None
    # An answer without which nothing changes is not named, one that is half of it is.
    weak = type(answer)(case["better"], 0.0, is_only=False)
    said = cause_between(concepts, lines, found.difference, answer=weak)
    assert all(cause.concept != "urgent" for cause in said.causes)
    strong = type(answer)(case["better"], found.difference, is_only=True)
    said = cause_between(concepts, lines, found.difference, answer=strong)
    assert said.causes[0].family == "answer"


def test_clauses_about_counts_can_begin_with_the_worse_move() -> None:
    case = SAID["othello"]["safe_answers"]["said"]
    moves = (case["better"], case["worse"])
    texts = [asked("othello", case["position"], moves, first=one)[2] for one in ("better", "worse")]
    first, second = (found.causes[0] for found in texts)
    assert first.words.startswith(f"{moves[0]} leaves ")
    assert second.words.startswith(f"{moves[1]} leaves ")
    assert (first.better, first.worse) == (second.better, second.worse)


def test_hint_why_and_review_give_one_cause() -> None:
    case = SAID["othello"]["safe_answers"]["said"]
    record = at("othello", case["position"])
    with Adviser("othello", "strong:depth=6") as adviser:
        advice = adviser.values(record)
        hint = reasons_of(adviser, record, advice)
        known = {position: move for move, position in hint_texts(record).items()}
        found = cause_of(adviser, record, advice, known[hint.best], known[hint.second or ""])
    assert found is not None
    assert hint.causes == found.causes
    assert hint.hint.endswith(f"{found.text}.")
    why = ep.why("strong:depth=6", record)
    assert (why.best, why.second) == (hint.best, hint.second)
    assert why.causes
    assert "the edge from" not in why.sentence


def hint_texts(record: GameRecord) -> dict[Any, str]:
    return {move: record.position.short_text(move) for move in record.position.legal_moves}


def test_why_asks_the_solver_near_the_end() -> None:
    board = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X"
    record = at("othello", board)
    found = ep.why("strong:depth=2", record)
    assert found.worth == ep.solve(record.position).score
    assert "with best play" in found.sentence
    assert found.reasons == ()
    assert len(found.best_line) > LINE_PLIES


def test_a_formula_stays_its_own_reason() -> None:
    record = ep.othello.Game.from_transcript("f5d6c4")
    assert ep.why("greedy", record).causes == ()
    with Adviser("othello", "swh:depth=2") as adviser:
        assert not gives_causes(adviser)
    for game in ("othello", "checkers", "connect-four"):
        with Adviser(game) as adviser:
            assert gives_causes(adviser)
    with Adviser("lose-checkers") as adviser:  # nobody fitted concepts for it
        assert not gives_causes(adviser)


@settings(max_examples=10)
@given(choices=st.lists(st.integers(0, 30), min_size=30, max_size=54))
def test_where_fewer_pieces_win_no_pieces_are_praised(choices: list[int]) -> None:
    record = record_after("reversed-othello", choices)
    if record.outcome() is not None or len(record.position.legal_moves) < 2:
        return
    with Adviser("reversed-othello") as adviser:
        advice = adviser.values(record, depth=5)
        found = cause_of(adviser, record, advice, advice.moves[0][0], advice.moves[-1][0])
    assert advice.scale.unit == "none"
    assert found is not None
    assert {cause.family for cause in found.causes} <= {"wins"}


def test_stable_discs_are_told_by_whose_they_are() -> None:
    case = SAID["othello"]["stable_at_last"]["said"]
    _, _, found = asked("othello", case["position"], (case["better"], case["worse"]))
    ends = [
        played("othello", case["position"], line[:6]).position
        for line in (found.better_line, found.worse_line)
    ]
    held = [stable(end, ep.Color.BLACK).bit_count() for end in ends]
    better, worse = case["better"], case["worse"]
    assert f"Black has {held[0]} stable discs after {better}, {held[1]} after {worse}" in found.text


def test_the_corner_is_named_rather_than_the_discs_that_it_makes_stable() -> None:
    start = "X---O-O--X--O-OX--X-OOOO---XOXO--X-OXXO--XOXOXOO-XXXXXO-OXXX-O-- O"
    _, _, found = asked("othello", start, ("h1", "a6"))
    assert "h1 takes the corner, which Black gets after a6" in found.text
    assert "stable" not in found.text


def test_an_answer_that_the_better_move_allows_too_is_no_reason() -> None:
    start = "-----------X--------X-X---XOOX---XXXX-----XXOO---OX------------- O"
    assert all("c3" in str(at("othello", start).play(m).position.legal_moves) for m in ("b4", "f2"))
    _, _, found = asked("othello", start, ("b4", "f2"), is_tested=True)
    assert "allows c3" not in found.text


def test_near_the_end_moves_and_open_discs_are_no_reasons() -> None:
    concepts = concepts_of("othello")
    assert concepts is not None
    told = 0
    for number in range(12):
        record = record_after("othello", list(range(number, number + 50)))
        legal = record.position.legal_moves
        if len(legal) < 2 or sum(map(record.position.pieces, ep.Color)) < 64 - 12:
            continue
        lines = ExpectedLines(
            *(at("othello", record.position.text()).play(move) for move in legal[:2])
        )
        better, worse = concepts.read(lines)
        for one, other in ((better, worse), (worse, better)):
            for difference in (2.0, 8.0):
                records = ExpectedLines(one.record, other.record)
                for cause in cause_between(concepts, records, difference).causes:
                    assert cause.family != "frontier"
                    assert concepts.concepts[cause.concept].late == 0
                told += 1
    assert told > 8


def test_regions_and_stable_discs() -> None:
    position = game_rules("othello").parse("-XXXXXX-" + "X" * 8 + "O" * 40 + "-OOOOOO- X")
    assert sorted(region.bit_count() for region in regions(position)) == [1, 1, 1, 1]
    # A full row is not enough without full columns and diagonals.
    assert stable(position, ep.Color.BLACK).bit_count() < position.black.bit_count()
    full = game_rules("othello").parse("X" * 32 + "O" * 32 + " X")
    assert stable(full, ep.Color.BLACK) == full.black
    corner = game_rules("othello").parse("XX" + "-" * 61 + "O X")
    assert stable(corner, ep.Color.BLACK) == 3
    assert stable(corner, ep.Color.WHITE) == 1 << 63
    assert stable(ep.othello.Position(), ep.Color.BLACK) == 0


@given(choices=st.lists(st.integers(0, 30), min_size=20, max_size=60))
def test_stable_discs_stay(choices: list[int]) -> None:
    record = record_after("othello", choices)
    for before, after in zip(record.positions, record.positions[1:], strict=False):
        for color in ep.Color:
            held = stable(before, color)
            assert held & ~(after.black if color is ep.Color.BLACK else after.white) == 0


def benchmark(name: str) -> ModuleType:
    """Return a module of the benchmarks, which import each other by name."""
    if name in sys.modules:
        return sys.modules[name]
    sys.path.insert(0, str(BENCHMARKS))
    try:
        spec = importlib.util.spec_from_file_location(name, BENCHMARKS / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(BENCHMARKS))
    return module


def test_the_fit_can_be_repeated() -> None:
    found = benchmark("fit_concepts").fitted_file("checkers", 1, 360, told=lambda _: None)
    kept = fitted("checkers")
    assert found["r2"]["all"] > 0.3
    assert found["weights"]["won"][0] == pytest.approx(kept["weights"]["won"][0], abs=0.5)
    assert found["weights"]["pieces"][0] > 0
    assert found["placebo"] < 0.1
    again = benchmark("fit_concepts").fitted_file("checkers", 1, 360, told=lambda _: None)
    assert found == again
