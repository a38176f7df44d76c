from pathlib import Path

import pytest

from evoply.games.formats import obf
from evoply.protocols import InvalidMoveError

FFO = Path(__file__).parents[2] / "testdata" / "ffo" / "fforum-1-19.obf"
BOARD = "XXXX XOXO XOO- O--- X"


def parse_obf(text: str) -> tuple[obf.Problem, ...]:
    return tuple(obf.read(text))


def test_the_ffo_suite_is_read_whole() -> None:
    problems = parse_obf(FFO.read_text())
    assert len(problems) == 19
    assert [problem.position.empty.bit_count() for problem in problems] == [14] * 7 + [15] * 5 + [
        16
    ] * 7
    assert all(len(problem.scores) == len(problem.position.legal_moves) for problem in problems)
    assert (problems[3].score, list(map(str, problems[3].best_moves))) == (0, ["h8", "a5"])


def test_comments_blank_lines_and_missing_scores() -> None:
    (problem,) = parse_obf(f"% a file\n\n{BOARD};;  % no scores\n")
    assert (problem.scores, problem.score, problem.best_moves) == ((), None, ())
    assert parse_obf("") == ()


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("XX X", "it has 3 of the characters"),
        (f"{BOARD}; b4", "'b4' as a move and its score"),
        (f"{BOARD}; b4:much", "'b4:much'"),
        (f"{BOARD}; z9:+2", "z9"),
        (f"{BOARD}; a1:+2", "a1 is not legal"),
    ],
)
def test_errors_name_the_line(line: str, says: str) -> None:
    with pytest.raises(InvalidMoveError, match="line 2: ") as error:
        parse_obf(f"% one\n{line}")
    assert says in str(error.value)


def test_positions_with_scores_are_written_again() -> None:
    text = "".join(obf.write(problem.game() for problem in obf.read(FFO.read_text())))
    assert parse_obf(text) == parse_obf(FFO.read_text())
    assert text.splitlines()[0].startswith(FFO.read_text()[:66])
