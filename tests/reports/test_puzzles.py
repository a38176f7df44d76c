"""The puzzles that come with evoply: each has one clear move, which weak players miss."""

from dataclasses import replace
from typing import Any

import pytest
from puzzle_search import (
    DEPTH,
    DRAWS,
    EXACT_EMPTIES,
    LEAST_GAP,
    LEAST_MOVES,
    MOST_FOUND,
    Drawer,
    Judge,
    Prover,
    PuzzleSearch,
    in_order,
    level_beyond_greedy,
    player_at,
)
from puzzle_themes import THEMES, lines_of, theme_of, with_theme

import evoply as ep
from evoply.games import NO_DRAWS, game_rules
from evoply.players import solve
from evoply.protocols import Color, GameRecord, Position
from evoply.reports import Puzzle, puzzles
from evoply.reports.puzzle_book import WIN, puzzle_games, same_up_to_symmetry

ALL = [puzzle for game in puzzle_games() for puzzle in puzzles(game)]
CHEAPER = 8
"""Plies that puzzles are looked at where 12 would take minutes."""
QUICK = 14
"""Plies to an end that a proof sees in a moment."""
IN_PIECES = [puzzle for puzzle in ALL if puzzle.unit == "pieces"]
PROVED = [puzzle for puzzle in ALL if puzzle.unit == "results"]
COUNTED = [puzzle for puzzle in ALL if puzzle.unit != "results"]
EXACT = [puzzle for puzzle in COUNTED if puzzle.is_exact]
EXPECTED = [puzzle for puzzle in ALL if puzzle.unit == "discs" and not puzzle.is_exact]


QUICKLY_PROVED = [puzzle for puzzle in PROVED if puzzle.depth <= QUICK][::5]


def named(puzzle: Puzzle) -> str:
    return f"{puzzle.game}-{puzzle.number}"


def end_of(puzzle: Puzzle, line: tuple[str, ...]) -> GameRecord:
    record: GameRecord = game_rules(puzzle.game).game(puzzle.start, (), NO_DRAWS)
    for move in line:
        record = record.play(move)
    return record


def lead(position: Position, color: Color) -> int:
    return position.pieces(color) - position.pieces(color.opposite)


@pytest.fixture(scope="module")
def judges() -> Any:
    made: dict[str, Judge | Prover] = {one.game: Judge(one.game) for one in COUNTED[::60]}
    made |= {one.game: Prover(one.game) for one in PROVED[::20]}
    yield made
    for judge in made.values():
        judge.close()


def test_there_are_sixty_for_two_games_and_twenty_for_three() -> None:
    counts = {game: len(puzzles(game)) for game in puzzle_games()}
    three = dict.fromkeys(("breakthrough", "connect-four", "gomoku-9"), 20)
    assert counts == {"othello": 60, "checkers": 60, **three}
    # From all parts of a game: early ones, and such that are solved to the end.
    assert 20 <= len(EXACT) <= 45
    assert EXPECTED
    assert ep.puzzles("checkers") == puzzles("checkers")


@pytest.mark.parametrize("game", puzzle_games())
def test_the_easiest_come_first(game: str) -> None:
    known = puzzles(game)
    assert known == in_order(reversed(known))
    assert {one.stars for one in known} <= set(range(1, 6))
    assert len({one.stars for one in known}) > 1
    assert [one.stars for one in known] == sorted(one.stars for one in known)


def test_stars_say_how_seldom_weak_levels_find_it() -> None:
    one = replace(COUNTED[0], draws=200, found=80, solved_by=3)
    stars = [replace(one, found=found).stars for found in (80, 50, 49, 35, 34, 25, 24, 0)]
    assert stars == [1, 1, 2, 2, 3, 3, 4, 4]
    assert replace(one, found=0, solved_by=None).stars == 5
    proved = replace(PROVED[0], draws=200, found=80)
    levels = (1, 2, 3, 4, None)
    assert [replace(proved, solved_by=level).stars for level in levels] == [1, 1, 2, 3, 4]
    assert [replace(proved, solved_by=level, found=24).stars for level in levels] == [2, 2, 3, 4, 5]


@pytest.mark.parametrize("puzzle", ALL, ids=named)
def test_cause_and_theme_are_read_again(puzzle: Puzzle) -> None:
    """The coach says the same again, and the rules of the themes too."""
    assert with_theme(replace(puzzle, cause="", theme="")) == puzzle
    assert puzzle.theme in THEMES[puzzle.unit]
    assert puzzle.cause in puzzle.explanation


def test_a_theme_is_seen_on_the_board() -> None:
    """Each rule by another way than that of the search for puzzles."""
    for puzzle in ALL:
        first, second = lines_of(puzzle)
        board: Any = first.positions[1]
        other = puzzle.color.opposite
        if puzzle.theme == "wedge":
            letter, number = puzzle.best
            near = [f"{letter}{int(number) + way}" for way in (-1, 1)]
            if number in "18":
                near = [f"{chr(ord(letter) + way)}{number}" for way in (-1, 1)]
            assert all(board[square] is other for square in near)
        if puzzle.theme == "king":
            soon = [*first.positions[:5], *second.positions[:5]]
            kings = max(at.text().count("K") for at in soon)
            assert kings > puzzle.position.count("K") or "king" in puzzle.cause
        if puzzle.theme == "sacrifice" and puzzle.unit == "pieces":
            leads = [lead(at, puzzle.color) for at in first.positions]
            assert min(leads) < leads[0] < leads[-1]
        if puzzle.theme in ("defence", "threat"):
            assert (puzzle.value == 0) == (puzzle.theme == "defence")


def test_without_causes_and_lines_nothing_is_guessed() -> None:
    wedge = next(one for one in ALL if one.theme == "wedge")
    assert theme_of(wedge, lines_of(wedge), []) == "wedge"
    corner = next(one for one in ALL if one.theme == "corner" and one.is_exact)
    assert theme_of(corner, lines_of(corner), []) in ("counting", "parity", "quiet move")
    assert theme_of(corner, lines_of(corner), ["order"]) != "corner"


def test_no_position_is_there_twice_up_to_symmetry() -> None:
    for game in puzzle_games():
        known = puzzles(game)
        assert len({same_up_to_symmetry(one.start) for one in known}) == len(known)
        sources = {one.source.rpartition(",")[0] for one in known}
        assert len(sources) == len(known)  # each from another game


@pytest.mark.parametrize("symmetry", range(8))
def test_symmetries_and_colours_make_no_other_position(symmetry: int) -> None:
    position = ep.othello.Game.from_transcript("f5d6c3d3c4").position
    turned = position.symmetry(symmetry)
    assert same_up_to_symmetry(turned) == same_up_to_symmetry(position)
    assert same_up_to_symmetry(turned.colors_exchanged()) == same_up_to_symmetry(position)
    other = ep.othello.Game.from_transcript("f5d6c3d3c5").position
    assert same_up_to_symmetry(other) != same_up_to_symmetry(position)


@pytest.mark.parametrize("puzzle", ALL, ids=named)
def test_a_puzzle_is_as_it_says(puzzle: Puzzle) -> None:
    start: Any = puzzle.start
    assert start.text() == puzzle.position
    texts = [start.short_text(move) for move in start.legal_moves]
    assert len(texts) >= LEAST_MOVES
    assert puzzle.gap >= LEAST_GAP[puzzle.unit]
    assert puzzle.found <= MOST_FOUND * puzzle.draws
    assert puzzle.draws >= 200
    for first, line, value in (
        (puzzle.best, puzzle.line, puzzle.value),
        (puzzle.second, puzzle.second_line, puzzle.second_value),
    ):
        assert first in texts
        assert start.parse_move(line[0]) == start.parse_move(first)
        end = end_of(puzzle, line)
        if puzzle.unit == "pieces" and abs(value) < WIN:
            assert lead(end.position, start.turn) == value
        is_won = puzzle.unit == "results" and value != 0
        if puzzle.is_exact or is_won or abs(value) >= WIN:
            assert end.outcome() is not None
        if puzzle.is_exact or is_won:
            outcome = end.outcome()
            assert outcome is not None
            winner = None if value == 0 else start.turn if value > 0 else start.turn.opposite
            assert outcome.winner == winner
        assert first in puzzle.explanation


@pytest.mark.parametrize("puzzle", EXACT, ids=named)
def test_near_the_end_it_is_solved(puzzle: Puzzle) -> None:
    rules = game_rules(puzzle.game)
    assert rules.is_solvable(puzzle.start, EXACT_EMPTIES)
    (best, value), (second, second_value) = solve(puzzle.start, every_move=True).moves[:2]
    assert (str(best), value) == (puzzle.best, puzzle.value)
    assert (str(second), second_value) == (puzzle.second, puzzle.second_value)


@pytest.mark.parametrize("puzzle", EXPECTED, ids=named)
def test_a_cheaper_search_finds_the_same_move(puzzle: Puzzle, judges: Any) -> None:
    answer = judges[puzzle.game].at(puzzle.start, CHEAPER)
    assert str(answer.best) == puzzle.best
    assert answer.gap >= LEAST_GAP["discs"] - 2


@pytest.mark.parametrize("puzzle", IN_PIECES[::6], ids=named)
def test_pieces_are_counted_twelve_plies_ahead(puzzle: Puzzle, judges: Any) -> None:
    judge, start = judges[puzzle.game], puzzle.start
    answer = judge.at(start, DEPTH)
    assert start.short_text(answer.best) == puzzle.best
    assert (answer.value, answer.second_value) == (puzzle.value, puzzle.second_value)
    assert start.short_text(judge.preferred(start, CHEAPER)) == puzzle.best or CHEAPER < DEPTH


def is_proved(puzzle: Puzzle, prover: Prover) -> None:
    start = puzzle.start
    answer = prover.at(start)
    assert answer is not None
    assert start.short_text(answer.best) == puzzle.best
    assert (answer.value, answer.second_value) == (puzzle.value, puzzle.second_value)
    assert answer.is_exact == puzzle.is_exact


@pytest.mark.parametrize("puzzle", QUICKLY_PROVED, ids=named)
def test_a_search_proves_that_only_one_move_wins_or_holds(puzzle: Puzzle, judges: Any) -> None:
    is_proved(puzzle, judges[puzzle.game])


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("puzzle", [one for one in PROVED if one not in QUICKLY_PROVED], ids=named)
def test_every_proof_is_made_again(puzzle: Puzzle, judges: Any) -> None:
    is_proved(puzzle, judges[puzzle.game])


@pytest.mark.parametrize("puzzle", PROVED, ids=named)
def test_the_end_of_a_won_line_is_forced(puzzle: Puzzle) -> None:
    """Two plies before a win every answer loses at once, as trying them all says."""
    line = lines_of(puzzle).first if puzzle.value > 0 else lines_of(puzzle).second
    winner = puzzle.color if puzzle.value > 0 else puzzle.color.opposite
    for answer in line.positions[-3].legal_moves:
        after = line.positions[-3].play(answer)
        assert any(
            (outcome := after.play(move).outcome()) is not None and outcome.winner is winner
            for move in after.legal_moves
        )


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("puzzle", [*EXPECTED, *IN_PIECES], ids=named)
def test_twelve_plies_say_what_the_file_says(puzzle: Puzzle, judges: Any) -> None:
    judge, start = judges[puzzle.game], puzzle.start
    answer = judge.at(start, DEPTH)
    assert start.short_text(answer.best) == puzzle.best
    assert answer.value == pytest.approx(puzzle.value, abs=0.001)
    assert answer.second_value == pytest.approx(puzzle.second_value, abs=0.001)
    assert start.short_text(judge.preferred(start, DEPTH)) == puzzle.best


@pytest.mark.parametrize("game", puzzle_games())
def test_the_level_is_the_lowest_that_beats_greedy(game: str) -> None:
    level, share = level_beyond_greedy(game)
    assert share > 0.5
    if level > 1:
        below = ep.match(player_at(game, level - 1), "greedy", game=game, games=400, seed=1)
        assert below.wins <= 200
    assert {puzzle.level for puzzle in puzzles(game)} == {level}


@pytest.mark.parametrize("puzzle", ALL[::2], ids=named)
def test_other_draws_of_the_level_miss_it_as_well(puzzle: Puzzle) -> None:
    best = puzzle.start.parse_move(puzzle.best)
    found = Drawer(puzzle.game, puzzle.level, seed=1234).found(puzzle.start, best)
    assert found < DRAWS / 2


def test_an_explanation_is_made_of_the_lines() -> None:
    """Corners, passes and captures are those of the moves; another line has another sentence."""
    exact = EXACT[0]
    turned = replace(
        exact, best=exact.second, second=exact.best, line=exact.second_line,
        second_line=exact.line, value=exact.second_value, second_value=exact.value,
    )  # fmt: skip
    assert turned.explanation.startswith(f"{exact.second} is best")
    for puzzle in ALL:
        told = puzzle.explanation
        mover = str(puzzle.color)
        if puzzle in EXACT and puzzle.second_value < 0:
            assert f"{mover} ends {abs(round(puzzle.second_value))} disc" in told
            assert "behind" in told
        if puzzle.unit == "results":
            assert told.startswith(f"Only {puzzle.best} ")
            assert (" within " in told) == (not puzzle.is_exact)
        else:
            assert ("12 plies ahead" in told) == (not puzzle.is_exact)


@pytest.mark.long
def test_a_search_finds_a_puzzle_again() -> None:
    """The finder at work on the cheap part of a game: what it finds holds what it asks for."""
    search = PuzzleSearch("checkers", seed=5)
    (found,) = search.puzzles(1)
    assert found.gap >= 1
    assert found.found <= MOST_FOUND * DRAWS
    assert search.counts["at least four moves"] > search.counts["missed by the level"] >= 1
    assert found == PuzzleSearch("checkers", seed=5).puzzles(1)[0]


def test_a_game_without_puzzles_is_refused_in_words() -> None:
    with pytest.raises(ValueError, match="did you mean 'othello'"):
        puzzles("otello")
