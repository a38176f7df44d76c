import time

import pytest

from evoply import _native, othello
from evoply.players import solve


def brute_force(position: othello.Position) -> int:
    """Return the official score for the side to move by plain minimax."""
    if not position.legal_moves:
        difference = position.official_difference()
        assert difference is not None
        return difference if position.turn.value == "black" else -difference
    return max(-brute_force(position.play(move)) for move in position.legal_moves)


@pytest.mark.parametrize("game", ["othello-4", "othello-6", "othello", "othello-10"])
def test_solutions_are_those_of_minimax(game: str) -> None:
    size = othello.OTHELLO[game].shape.side
    plies = size * size - 9
    batch = _native.Positions.random(game, 40, 5, plies, plies + 5)
    for index in range(len(batch)):
        position = othello.Position.from_row(game, batch[index])
        if position.empty.bit_count() > 5:
            continue
        score = brute_force(position)
        solution = solve(position, every_move=True)
        assert solution.score == score
        assert solve(position, mode="outcome").score == (score > 0) - (score < 0)
        assert solution.move == solution.line[0] == othello.Game(position, solution.line).moves[0]
        assert othello.Game(position, solution.line).outcome() is not None
        expected = {move: -brute_force(position.play(move)) for move in position.legal_moves}
        assert dict(solution.moves) == expected


def test_a_limit_in_seconds_ends_with_a_sentence_or_with_the_answer() -> None:
    began = time.process_time()
    with pytest.raises(TimeoutError, match=r"0\.2 were not enough for 60 empty squares: give more"):
        solve(othello.Position(), seconds=0.2)
    with pytest.raises(TimeoutError, match=r"give more$"):
        solve(othello.Position(), mode="outcome", seconds=1e-9)
    assert time.process_time() - began < 20
    near = othello.Position.parse("XXXX XOXO XOO- O--- X")
    assert solve(near, seconds=1e300).score == solve(near).score == 10
    for wrong in (0, -1.0, float("nan"), float("inf")):
        with pytest.raises(ValueError, match=r"seconds: .* is not a limit: give a number above 0"):
            solve(near, seconds=wrong)


def test_threads_change_no_answer() -> None:
    position = othello.Position.parse(
        "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X"
    )
    alone = solve(position, every_move=True)
    for threads in (0, 2, 3, 4):
        together = solve(position, every_move=True, threads=threads)
        assert (together.score, together.line) == (alone.score, alone.line)
        assert together.moves == alone.moves
    for wrong in (-1, 1025):
        with pytest.raises(ValueError, match=r"threads: .* - give a whole number from 0 to 1024"):
            solve(position, threads=wrong)


def test_a_finished_game_has_no_move() -> None:
    position = othello.Position(4, black=1)
    solution = solve(position)
    assert (solution.score, solution.move, solution.line) == (16, None, ())
    assert solve(position, empties_to_winner=False).score == 1


def test_nodes_are_reproducible() -> None:
    position = othello.Position.parse(
        "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X"
    )
    first, second = solve(position), solve(position)
    assert first.nodes == second.nodes > 1000


def test_an_unknown_mode_is_an_error() -> None:
    with pytest.raises(ValueError, match="modes are exact, outcome"):
        solve(othello.Position(4), mode="fast")  # type: ignore[arg-type]
