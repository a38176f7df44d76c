"""The API of what there is to read and to solve: the rules of each game in words, and puzzles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, HTTPException, Path

from evoply.games import game_rules
from evoply.games.draws import NO_DRAWS
from evoply.games.how_to_play import rules_in_words
from evoply.players.strong import LEVEL_NAMES, USUAL_LEVEL
from evoply.web.game_views import board_of, played_moves
from evoply.web.messages import ApiAnswer, BoardShown, LegalMove, PlayedMove, wrong
from evoply.when_used import module_when_used

if TYPE_CHECKING:
    from evoply.reports import puzzle_book
else:
    puzzle_book = module_when_used("evoply.reports.puzzle_book")


class RulesText(ApiAnswer):
    """How a game is played, in words."""

    game: str
    title: str
    aim: str
    moves: str
    end: str
    tips: list[str]
    """Three; the first sentence of each says it in short."""
    board: BoardShown
    """The start."""


class PuzzlesListed(ApiAnswer):
    """A game that has puzzles."""

    game: str
    title: str
    count: int


class PuzzleShown(ApiAnswer):
    """A position with one move that is clearly best, and its solution."""

    number: int
    """From 1."""
    position: str
    """As text that `BeginGame.position` reads."""
    board: BoardShown
    legal: list[LegalMove]
    task: str
    best: LegalMove
    line: list[PlayedMove]
    """How the game goes on, the best move first, with the board after each."""
    second: LegalMove
    second_line: list[PlayedMove]
    """How it goes on after the second best move."""
    explanation: str
    difficulty: str
    """How often a weak level finds it, and which level finds it mostly."""


book_router = APIRouter(prefix="/api", tags=["book"], responses=wrong(404, 422))
GameName = Annotated[str, Path(max_length=60, description="A name of `/api/rules`.")]

# Functions without `async` run in a thread: they play lines and read files.


@book_router.get("/rules/{name}")
def rules_text(name: GameName) -> RulesText:
    """Return how a game is played, with three tips."""
    try:
        rules, text = game_rules(name), rules_in_words(name)
    except ValueError as error:
        raise HTTPException(404, str(error)) from None
    return RulesText.of(
        text,
        game=name,
        title=rules.title,
        tips=list(text.tips),
        board=BoardShown(**board_of(rules.start())),
    )


@book_router.get("/puzzles")
def puzzle_list() -> list[PuzzlesListed]:
    """Return the games that have puzzles."""
    return [
        PuzzlesListed(game=game, title=game_rules(game).title, count=len(puzzle_book.puzzles(game)))
        for game in puzzle_book.puzzle_games()
    ]


@book_router.get("/puzzles/{name}")
def puzzles_of(name: GameName) -> list[PuzzleShown]:
    """Return the puzzles of a game with their solutions, the earliest stage of a game first."""
    try:
        found = puzzle_book.puzzles(name)
    except ValueError as error:
        raise HTTPException(404, str(error)) from None
    return [_shown(puzzle) for puzzle in found]


def _shown(puzzle: puzzle_book.Puzzle) -> PuzzleShown:
    start = puzzle.start
    record = game_rules(puzzle.game).game(start, (), NO_DRAWS)
    lines = []
    for texts in (puzzle.line, puzzle.second_line):
        line = record
        for text in texts:
            line = line.play(text)
        lines.append(line)
    best, second = LegalMove.all_of(line.moves[0] for line in lines)
    return PuzzleShown.of(
        puzzle,
        board=BoardShown(**board_of(start)),
        legal=LegalMove.all_of(start.legal_moves),
        task=f"{start.turn} to move: find the best move.",
        best=best,
        line=played_moves(lines[0]),
        second=second,
        second_line=played_moves(lines[1]),
        difficulty=_difficulty(puzzle),
    )


def _difficulty(puzzle: puzzle_book.Puzzle) -> str:
    share = f"L{_level(puzzle.level)[1:]} finds it {puzzle.found} times in {puzzle.draws}"
    if puzzle.solved_by is None:
        return f"{share}, and no level below {_level(USUAL_LEVEL)} in more than half."
    return f"{share}, {_level(puzzle.solved_by)} in more than half."


def _level(number: int) -> str:
    return f"level {number} ({LEVEL_NAMES[number - 1]})"
