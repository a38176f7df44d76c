"""`evoply analyse`: what a player thinks of a position."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from evoply.cli.options import Engines, Game, Json, MoveLimit, Position, Seed
from evoply.cli.output import EndedError, Output, table
from evoply.games import game_rules
from evoply.games.draws import NO_DRAWS
from evoply.wording import short_name

if TYPE_CHECKING:
    from rich.table import Table

    from evoply.protocols import Choice, GameRecord

__all__ = ["analyse", "choice_lines", "moves_table", "value_text"]


def analyse(
    player: str,
    /,
    *,
    game: Game = None,
    position: Position = None,
    seed: Seed = 1,
    move_limit: MoveLimit = None,
    engines: Engines = None,
    json: Json = False,
) -> None:
    """Show what a player would play in a position, and why.

    Values are those of the player, for the side to move. In JSON: game,
    position, player, move, score, view (the side for which the score speaks,
    or null), depth, nodes, seconds, line, moves (every legal move with its
    score, best first; empty if the player does not value moves), and outcome
    if the game is over, else null.

    Parameters
    ----------
    player
        The player: see `evoply match --help`.
    """
    from evoply._native import Stream
    from evoply.cli.board_view import board_text
    from evoply.cli.player_texts import read_players, read_position
    from evoply.players import analyse as ask
    from evoply.protocols import Choice, ForfeitError

    game, (read,) = read_players([player], game, move_limit, engines)
    record = read_position(game, position)
    output = Output(json)
    output.people.print(board_text(record, output.people))
    outcome = record.outcome()
    choice = Choice(None)
    if outcome is not None:
        output.say(f"The game is over: {outcome}.")
    elif record.position.legal_moves.must_pass:
        choice = Choice(record.position.legal_moves[0], line=(record.position.legal_moves[0],))
        output.say(f"{record.position.turn} has no move and must pass.")
    else:
        try:
            choice = ask(read, record, stream=Stream(seed, "analyse"), every_move=True)
        except ForfeitError as error:
            raise EndedError(f"{short_name(read.label)} chooses no move: {error}", {}) from None
        for line in choice_lines(record, short_name(read.label), choice):
            output.say(line)
        made = moves_table(record, choice)
        if made is not None:
            output.people.print(made)
    output.result(
        {
            "game": game,
            "position": str(record.position.text()),
            "player": read.label,
            **choice_data(record, choice),
            "seed": seed,
            "outcome": None if outcome is None else str(outcome),
        }
    )


def choice_data(record: GameRecord, choice: Choice) -> dict[str, Any]:
    """Return a choice as JSON-ready data; its move may be None."""
    return {
        "move": None if choice.move is None else _texts(record, [choice.move])[0],
        "score": choice.score,
        "view": None if choice.color is None else choice.color.value,
        "depth": choice.depth,
        "nodes": choice.nodes,
        "seconds": choice.seconds,
        "line": _texts(record, choice.line),
        "moves": [
            {"move": _texts(record, [move])[0], "score": score} for move, score in choice.moves
        ],
    }


def choice_lines(record: GameRecord, name: str, choice: Choice) -> Iterator[str]:
    """Yield what a player thinks, line by line."""
    move = _texts(record, [choice.move])[0]
    worth = "" if choice.score is None else f": {value_text(choice.score)} for {choice.color}"
    yield f"{name} would play {move}{worth}"
    if choice.depth:
        plies = "1 ply" if choice.depth == 1 else f"{choice.depth} plies"
        nodes = f"{choice.nodes:,} node{'s' * (choice.nodes != 1)}"
        yield f"Looked {plies} ahead, {nodes}, {choice.seconds:.3f} s"
    if len(choice.line) > 1:
        yield f"Line: {' '.join(_texts(record, choice.line))}"
    yield from note_lines(choice)


def note_lines(choice: Choice) -> Iterator[str]:
    """Yield what a choice has to say beside move and value, but for what only a board can show."""
    for key, note in choice.notes.items():
        if key not in ("weights", "tree"):  # a board shows the one, the other is long
            yield f"{key}: {_note_text(note)}"


def moves_table(record: GameRecord, choice: Choice) -> Table | None:
    """Return every legal move with its value, best first; None if there are no values."""
    if not choice.moves:
        return None
    made = table("move", "value", left=("move",))
    for move, score in choice.moves:
        made.add_row(_texts(record, [move])[0], value_text(score))
    return made


def value_text(score: float) -> str:
    """Return a value in few digits.

    >>> value_text(-0.0), value_text(0.123456), value_text(1e15)
    ('0', '0.1235', 'a win')
    """
    if abs(score) >= _CERTAIN:
        return "a win" if score > 0 else "a loss"
    return f"{round(score, 6) + 0.0:.4g}"


def _note_text(note: Any) -> str:
    if isinstance(note, Mapping):
        return ", ".join(f"{key} {_note_text(value)}" for key, value in note.items())
    if isinstance(note, bool):
        return "yes" if note else "no"
    return f"{note:,}" if isinstance(note, int) else f"{note}"


_CERTAIN = 1e14
"""Scores of finished games are beyond it, values of boards never."""


def _texts(record: GameRecord, moves: Sequence[Any]) -> list[str]:
    """Return moves that follow *record*, each in its short form."""
    position = record.position
    # A line may go on where the rules of the game make a draw.
    game = game_rules(position.game).game(position, (), NO_DRAWS)
    for move in moves:
        game = game.play(move)
    return list(game.move_texts())
