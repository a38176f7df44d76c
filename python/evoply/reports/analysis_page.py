"""Analysed games as one HTML page: how well each player chose, graphs, and mistakes on boards."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evoply.files import write_atomically
from evoply.games import game_rules
from evoply.games.drawing import board_svg
from evoply.games.draws import NO_DRAWS
from evoply.protocols import CERTAIN, Color
from evoply.reports.charts import Chart, line_chart
from evoply.reports.game_analysis import Accuracy, AnalysedGame, AnalysedMove, summaries
from evoply.reports.pages import page
from evoply.reports.scale import Scale
from evoply.reports.series import Series

_MOST_GAMES = 8
"""Games with graphs, boards and all moves; of more only a line each is shown."""
_MOST_BOARDS = 6
"""Mistakes that are shown on boards for each game."""
_MOST_LINE = 8
_PLAYED, _BEST = "#f2a33a", "#59d18c"


def write_analysis(
    games: Sequence[AnalysedGame], judge: str, path: str | os.PathLike[str], *, exact: int | None
) -> Path:
    """Write the page about *games* to *path*, whole or not at all, and return the path.

    Raises `OSError` if it cannot be written.
    """
    write_atomically(Path(path), analysis_html(games, judge, exact=exact))
    return Path(path)


def analysis_html(games: Sequence[AnalysedGame], judge: str, *, exact: int | None) -> str:
    """Return the page about *games* that the player called *judge* looked at."""
    is_exact = any(move.exact for game in games for move in game.moves)
    names = {game.source.record.position.game for game in games}
    titles = ", ".join(game_rules(name).title for name in sorted(names))
    return page(
        "analysis.html",
        title=f"Games analysed: {titles}",
        facts={
            "games": f"{len(games):,}",
            "moves": f"{sum(len(game.moves) for game in games):,}",
            "exact from": f"{exact} empty" if is_exact else "",
        },
        judge=judge,
        is_exact=is_exact,
        bounds=bounds_text(games[0].scale) if games else "",
        unit=unit_text(games[0].scale) if games else "",
        players=[
            _player_row(name, summary, games[0].scale) for name, summary in summaries(games).items()
        ],
        games=[_game(game) for game in games[:_MOST_GAMES]],
        others=[_short(game) for game in games[_MOST_GAMES:]],
    )


def loss_text(move: AnalysedMove, scale: Scale) -> str:
    """Return what a move lost, "" for moves that lost nothing or were no choice."""
    return scale.difference_text(move.loss, is_exact=move.exact) if move.loss else ""


def score_text(score: float | None, move: AnalysedMove, scale: Scale) -> str:
    """Return one of the worths of *move*, "" for none."""
    return "" if score is None else scale.text(score, is_exact=move.exact)


def bounds_text(scale: Scale) -> str:
    """Return what a move loses at least to be called a mistake, in words."""
    return ", ".join(f"{name} from {scale.difference_text(least)}" for name, least in scale.bounds)


def unit_text(scale: Scale) -> str:
    """Return what worths are, in words."""
    return {
        "discs": "the final difference in discs",
        "points": "the expected points: 100 % is a certain win, 50 % a draw",
        "none": "on the player's own scale",
    }[scale.unit]


def share_text(share: float | None) -> str:
    """Return a share in percent, "-" for none."""
    return "-" if share is None else f"{100 * share:.1f} %"


def _player_row(name: str, accuracy: Accuracy, scale: Scale) -> Sequence[object]:
    return (
        name,
        f"{accuracy.choices:,}",
        share_text(accuracy.share),
        share_text(accuracy.good / accuracy.choices if accuracy.choices else None),
        "" if accuracy.loss is None else scale.difference_text(accuracy.loss),
        *([] if scale.bounds else [str(accuracy.decisive or "")]),
    )


def _short(game: AnalysedGame) -> Sequence[object]:
    names = (game.player(color) for color in Color)
    shares = (share_text(game.accuracy(color).share) for color in Color)
    return (str(game.number), *names, *shares, game.source.in_words())


def _game(game: AnalysedGame) -> Mapping[str, Any]:
    mistakes = sorted(
        (move for move in game.moves if move.loss), key=lambda move: -(move.loss or 0.0)
    )
    drawn = mistakes[:_MOST_BOARDS]
    return {
        "number": game.number,
        "names": [game.player(color) for color in Color],
        "result": game.source.in_words(),
        "shares": {color: share_text(game.accuracy(color).share) for color in Color},
        "charts": _charts(game),
        "boards": [_board(game, move) for move in sorted(drawn, key=lambda move: move.ply)],
        "moves": [_move_row(move, game.scale) for move in game.moves],
    }


def _charts(game: AnalysedGame) -> list[Chart]:
    """Return the curve of the game: what the moves were worth to Black."""
    moves = [move for move in game.moves if move.loss is not None]
    if len(moves) < 2:
        return []
    series = [
        Series("move played", [_to_black(move, move.score, game.scale) for move in moves], color=1),
        Series(
            "best move", [_to_black(move, move.best_score, game.scale) for move in moves], color=0
        ),
    ]
    x = [move.ply for move in moves]
    y_title = {"discs": "discs", "points": "points"}.get(game.scale.unit, "on the player's scale")
    return [line_chart("Worth to Black", x, series, y_title, x_title="ply")]


def _to_black(move: AnalysedMove, score: float | None, scale: Scale) -> float | None:
    if score is None or abs(score) >= CERTAIN:
        return None
    return score if move.color is Color.BLACK else scale.opposite(score)


def _board(game: AnalysedGame, move: AnalysedMove) -> tuple[str, str]:
    """Return a caption and the board before a mistake, with the move and a better one."""
    record = game.source.record
    position = record.positions[move.ply - 1]
    best = game_rules(position.game).game(position, (), NO_DRAWS).play(move.best).moves[-1]
    caption = (
        f"Ply {move.ply}: {move.color} played {move.move} "
        f"({score_text(move.score, move, game.scale)}), best {move.best} "
        f"({score_text(move.best_score, move, game.scale)}); it lost "
        f"{loss_text(move, game.scale)}{f', {_article(move.grade)}' if move.grade else ''}."
    )
    if len(move.line) > 1:
        line = " ".join(move.line[:_MOST_LINE]) + " …" * (len(move.line) > _MOST_LINE)
        caption += f" Best line: {line}"
    marks = [(record.moves[move.ply - 1], _PLAYED), (best, _BEST)]
    return caption, board_svg(position, legal=False, moves=marks)


def _article(grade: str) -> str:
    return f"{'an' if grade[0] == 'i' else 'a'} {grade}"


def _move_row(move: AnalysedMove, scale: Scale) -> Sequence[str]:
    return (
        str(move.ply),
        str(move.color),
        move.move,
        score_text(move.score, move, scale),
        move.best or "",
        score_text(move.best_score, move, scale),
        loss_text(move, scale),
        move.grade,
        "exact" if move.exact else "",
        " ".join(move.line),
    )
