"""Games as messages: what a page or a program needs to know to show one and to play in it."""

import io
from functools import cache

from evoply.formats import FORMATS, GamePlayed
from evoply.games import GameRules, game_rules
from evoply.games.drawing import board_svg
from evoply.games.squares import square_name
from evoply.protocols import Cell, Color, Diagram, Ending, Position, Row
from evoply.web.messages import GameState, LegalMove, PlayedMove, SetUpBoard, SideShown
from evoply.web.open_game import OpenGame


@cache
def _board(game: str) -> tuple[Cell, ...]:
    return game_rules(game).start().diagram(legal=False).cells


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


def state_of(game: OpenGame) -> GameState:
    """Return everything about *game* that its players see."""
    record, position = game.record, game.record.position
    diagram = position.diagram(legal=False)
    rules, board = game_rules(game.stored.game), _board(game.stored.game)
    played = played_by(game)
    is_over = game.playing.is_over
    return GameState(
        id=game.stored.id,
        version=game.version,
        game=rules.name,
        title=rules.title,
        rows=rules.shape.rows,
        columns=rules.shape.columns,
        labels=[cell.label for cell in board],
        squares=[
            (cell.label or square_name(square, rules.shape)) if cell.is_playable else ""
            for square, cell in enumerate(board)
        ],
        drawn=rules.drawn,
        cells=cells_of(position),
        start=cells_of(record.start),
        start_text=record.start.text(),
        turn=position.turn,
        status=played.in_words() if is_over else diagram.status,
        black=_side(game, Color.BLACK, diagram),
        white=_side(game, Color.WHITE, diagram),
        legal=[]
        if is_over
        else [LegalMove(text=str(move), path=list(move.path)) for move in position.legal_moves],
        moves=[
            PlayedMove(
                text=text,
                color=before.turn,
                path=list(move.path),
                cells=cells_of(after),
            )
            for text, move, before, after in zip(
                record.move_texts(),
                record.moves,
                record.positions,
                record.positions[1:],
                strict=False,
            )
        ],
        is_thinking=game.is_thinking,
        is_over=is_over,
        result=played.in_words() if is_over else None,
        winner=played.winner,
        trouble=game.trouble,
        clock=game.stored.clock,
        running=game.running,
        transcript=str(record),
        forms=_forms(rules),
    )


def _forms(rules: GameRules) -> list[str]:
    """Return the forms in which a game can be copied."""
    return [form for form in ("transcript", rules.format, "games", "svg") if form]


def _side(game: OpenGame, color: Color, diagram: Diagram) -> SideShown:
    side, position = game.sides[color], game.record.position
    return SideShown(
        player=side.text,
        label=side.label,
        pieces=position.pieces(color),
        pieces_in_words=diagram.sides[color].count,
        seconds_left=game.seconds_left(color),
    )


def played_by(game: OpenGame) -> GamePlayed:
    """Return *game* for files, with its players and how it ended."""
    names = {
        color: side.label if side.player is not None else color.value.capitalize()
        for color, side in game.sides.items()
    }
    playing = game.playing
    if playing.loser is None:
        return GamePlayed.of(game.record, black=names[Color.BLACK], white=names[Color.WHITE])
    return GamePlayed(
        game.record,
        names[Color.BLACK],
        names[Color.WHITE],
        winner=playing.loser.opposite,
        ending=Ending.FORFEIT,
        forfeit=playing.reason,
    )


def exported(game: OpenGame, form: str) -> str:
    """Return *game* in one of its `forms`; `ValueError` for any other."""
    if form not in (forms := _forms(game_rules(game.stored.game))):
        raise ValueError(f"form: {form} is not a form of this game - take {', '.join(forms)}")
    if form == "svg":
        record = game.record
        numbers: dict[int, str] = {}
        for ply, move in enumerate(record.moves, start=1):
            numbers |= {square: str(ply) for square in move.path[-1:]}
        last = record.moves[-1] if record.moves else None
        return board_svg(record.position, last_move=last, legal=False, numbers=numbers)
    file = io.BytesIO()
    writer = FORMATS[form].writer(file)
    writer.add(played_by(game))
    writer.close()
    return file.getvalue().decode("utf-8")
