"""Games as messages: what a page or a program needs to know to show one and to play in it."""

import io
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache, lru_cache
from typing import Any

from evoply.games import GameRules, game_rules
from evoply.games.drawing import board_svg
from evoply.games.formats import FORMATS, GamePlayed
from evoply.games.squares import square_name
from evoply.protocols import Cell, Color, Diagram, Ending, GameRecord, Position, Row
from evoply.web.messages import (
    PERSON,
    GameListed,
    GameState,
    LegalMove,
    PlayedMove,
    RoomShown,
    SetUpBoard,
    SideShown,
    title_of,
)
from evoply.web.open_game import RESIGNED, ConflictError, OpenGame
from evoply.web.store import Stored
from evoply.wording import short_name


@cache
def _board(game: str) -> tuple[Cell, ...]:
    return game_rules(game).start().diagram(legal=False).cells


def board_of(position: Position) -> dict[str, Any]:
    """Return the fields of `BoardShown`."""
    rules = game_rules(position.game)
    board, shape = _board(rules.name), rules.shape
    return {
        "rows": shape.rows,
        "columns": shape.columns,
        "labels": [cell.label for cell in board],
        "squares": [
            (cell.label or square_name(square, shape)) if cell.is_playable else ""
            for square, cell in enumerate(board)
        ],
        "drawn": rules.drawn,
        "cells": cells_of(position),
        "turn": position.turn,
    }


def cells_of(position: Position) -> str:
    """Return the board row by row: b and w pieces, B and W kings, a dot empty, a blank no square.

    >>> from evoply.games import game_rules
    >>> cells_of(game_rules("othello-4").start())
    '.....wb..bw.....'
    """
    black, white, kings = position.row[:3]
    symbols = []
    for square, cell in enumerate(_board(position.game)):
        piece = "b" if black >> square & 1 else "w" if white >> square & 1 else ""
        if piece and kings >> square & 1:
            piece = piece.upper()
        symbols.append(piece or ("." if cell.is_playable else " "))
    return "".join(symbols)


def row_of(game: str, board: SetUpBoard) -> Row:
    """Return the kernel's form of *board*; `ValueError` for another number of squares."""
    squares = game_rules(game).shape.squares
    if len(board.cells) != squares:
        raise ValueError(
            f"board: {len(board.cells)} squares - {game} has {squares}, give a character for each"
        )

    def where(pieces: str) -> int:
        return sum(1 << square for square, cell in enumerate(board.cells) if cell in pieces)

    return where("bB"), where("wW"), where("BW"), board.turn == "black", 0, 0


def state_of(game: OpenGame, mine: Color | None = None) -> GameState:
    """Return everything about *game* that its players see; *mine* is a seat in its room."""
    record, position = game.record, game.record.position
    diagram = position.diagram(legal=False)
    rules = game_rules(game.stored.game)
    played = played_by(game)
    texts = {color: side.text for color, side in game.sides.items()}
    is_over = game.playing.is_over
    return GameState(
        id=game.stored.id,
        version=game.version,
        game=rules.name,
        title=rules.title,
        **board_of(position),
        start=cells_of(record.start),
        start_text=record.start.text(),
        status=in_words(played, texts, rules.name) if is_over else diagram.status,
        black=_side(game, Color.BLACK, diagram),
        white=_side(game, Color.WHITE, diagram),
        legal=[] if is_over else LegalMove.all_of(position.legal_moves),
        moves=played_moves(record),
        is_thinking=game.is_thinking,
        is_over=is_over,
        result=in_words(played, texts, rules.name) if is_over else None,
        winner=played.winner,
        trouble=game.trouble,
        clock=game.stored.clock,
        running=game.running,
        transcript=str(record),
        forms=_forms(rules),
        room=None if game.stored.room is None else RoomShown.of(game.stored.room),
        mine=mine,
    )


def played_moves(record: GameRecord, since: int = 0) -> list[PlayedMove]:
    """Return the moves of *record* from ply *since* on, with the board after each."""
    texts, places = list(record.move_texts())[since:], range(since, len(record))
    return [
        PlayedMove(
            text=text,
            color=record.positions[ply].turn,
            path=list(record.moves[ply].path),
            cells=cells_of(record.positions[ply + 1]),
        )
        for ply, text in zip(places, texts, strict=True)
    ]


def line_of(game: OpenGame, ply: int, moves: Iterable[str]) -> GameRecord:
    """Return *game* as it would be with *moves* after *ply* plies; errors name the place."""
    if ply > len(game.record):
        raise ConflictError(f"ply: {ply} - the game has {len(game.record)} plies now")
    record = game.record.first(ply)
    for move in moves:
        try:
            record = record.play(move)
        except ValueError as error:
            raise ValueError(f"moves: {str(error).partition(chr(10))[0]}") from None
    return record


def side_label(text: str, game: str) -> str:
    """Return what the page calls a side's player."""
    return "You" if text == PERSON else short_name(title_of(text, game))


def in_words(played: GamePlayed, texts: Mapping[Color, str], game: str) -> str:
    """Return how a game between the players *texts* ended, in words.

    A side of a person is called by its colour alone.
    """
    black, white = (
        _name(texts[color], color) if texts[color] == PERSON else side_label(texts[color], game)
        for color in (Color.BLACK, Color.WHITE)
    )
    words = replace(played, black=black, white=white).in_words()
    for color in Color:
        name = color.value.capitalize()
        words = words.replace(f"{name} wins as {color}", f"{name} wins")
    return words


def _forms(rules: GameRules) -> list[str]:
    """Return the forms in which a game can be copied."""
    return [form for form in ("transcript", rules.format, "games", "svg") if form]


def _side(game: OpenGame, color: Color, diagram: Diagram) -> SideShown:
    side, position = game.sides[color], game.record.position
    return SideShown(
        player=side.text,
        label=side_label(side.text, game.stored.game),
        pieces=position.pieces(color),
        pieces_in_words=diagram.sides[color].count,
        seconds_left=game.seconds_left(color),
    )


def played_by(game: OpenGame) -> GamePlayed:
    """Return *game* for files, with its players and how it ended."""
    names = {color: _name(side.text, color) for color, side in game.sides.items()}
    playing = game.playing
    return _played(playing.record, names, playing.loser, playing.reason)


def played_as_stored(game: Stored) -> GamePlayed:
    """Return a game of the file as `played_by` does; `ValueError` if it cannot be played here."""
    rules = game_rules(game.game)
    record = rules.game(rules.parse(game.start))
    for move, _, _ in game.moves:
        record = record.play(move)
    names = {color: _name(game.who(color), color) for color in Color}
    loser = None if game.loser is None or record.outcome() is not None else Color(game.loser)
    return _played(record, names, loser, game.reason or "")


def _name(text: str, color: Color) -> str:
    return color.value.capitalize() if text == PERSON else short_name(text)


def _played(
    record: GameRecord, names: Mapping[Color, str], loser: Color | None, reason: str
) -> GamePlayed:
    black, white = names[Color.BLACK], names[Color.WHITE]
    if loser is None:
        return GamePlayed.of(record, black=black, white=white)
    return GamePlayed(
        record,
        black,
        white,
        winner=loser.opposite,
        ending=Ending.FORFEIT,
        # Files have a sign of their own for whoever gives up.
        forfeit=None if reason == RESIGNED else reason,
    )


def listed(game: Stored) -> GameListed:
    """Return *game* as a row of a list; one of other rules is listed without its ending."""
    is_over, result, title = False, None, game.game
    if "@" not in game.game:
        title = game_rules(game.game).title
        is_over, result = _ending(replace(game, moves=()), tuple(move for move, *_ in game.moves))
    labels = {
        color: text if "@" in game.game else _in_list(game, text)
        for color in Color
        for text in [game.who(color)]
    }
    return GameListed.of(
        game,
        title=title,
        black_label=labels[Color.BLACK],
        white_label=labels[Color.WHITE],
        plies=len(game.moves),
        count=sum(move != "pass" for move, *_ in game.moves),
        is_over=is_over,
        result=result,
    )


def _in_list(game: Stored, text: str) -> str:
    return side_label(text, game.game) if game.room is None else "Somebody"


@lru_cache(maxsize=512)
def _ending(game: Stored, moves: tuple[str, ...]) -> tuple[bool, str | None]:
    """Return whether a game with *moves* is over, and how it ended; kept, as lists ask again."""
    played = played_as_stored(replace(game, moves=tuple((move, None, None) for move in moves)))
    if played.ending is None:
        return False, None
    return True, in_words(played, {color: game.who(color) for color in Color}, game.game)


def exported(game: OpenGame, form: str) -> str:
    """Return *game* in one of its `forms`; `ValueError` for any other."""
    if form not in (forms := _forms(game_rules(game.stored.game))):
        raise ValueError(f"form: {form} is not a form of this game - take {', '.join(forms)}")
    if form == "svg":
        record = game.record
        numbers: dict[int, str] = {}
        # Nobody counts passes.
        for number, move in enumerate((move for move in record.moves if move.path), start=1):
            numbers |= {square: str(number) for square in move.path[-1:]}
        last = record.moves[-1] if record.moves else None
        return board_svg(record.position, last_move=last, legal=False, numbers=numbers)
    file = io.BytesIO()
    writer = FORMATS[form].writer(file)
    writer.add(played_by(game))
    writer.close()
    return file.getvalue().decode("utf-8")
