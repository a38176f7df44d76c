"""Text of any game: words of transcripts and their locations, and the status line."""

from dataclasses import dataclass

from evoply.protocols import InvalidMoveError, Position

MAX_CHARACTERS = 100_000


@dataclass(frozen=True, slots=True)
class Word:
    """A move in a transcript as it is written, and the index of its first character."""

    text: str
    index: int


def check_length(text: str) -> None:
    """Raise `InvalidMoveError` if *text* is no text, or longer than any board or game."""
    if not isinstance(text, str):
        raise InvalidMoveError(f"a board or a game is read from a text, not from {text!r:.40}")
    if len(text) > MAX_CHARACTERS:
        raise InvalidMoveError(
            f"the text has {len(text):,} characters; at most {MAX_CHARACTERS:,} are read"
        )


def place(text: str, index: int) -> str:
    """Return the location of *index* in *text*, from 1: a column, or a line and a column."""
    line_start = text.rfind("\n", 0, index) + 1
    column = f"column {index - line_start + 1}"
    if "\n" not in text.rstrip("\n"):
        return column
    line = text.count("\n", 0, index) + 1
    return f"line {line}, {column}"


def status(position: Position) -> str:
    """Return the state of a game in a few words: who is to move, must pass, or has won."""
    outcome = position.outcome()
    if outcome is not None:
        return str(outcome).capitalize() if outcome.winner is None else str(outcome)
    if position.legal_moves.must_pass:
        return f"{position.turn} must pass"
    return f"{position.turn} to move"
