"""Analysed games as one HTML page: how well each player chose, graphs, and mistakes on boards."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evoply.files import write_atomically
from evoply.games import game_rules
from evoply.games.drawing import board_svg
from evoply.games.draws import NO_DRAWS
from evoply.protocols import Color
from evoply.reports.charts import Chart, line_chart
from evoply.reports.game_analysis import CERTAIN, Accuracy, AnalysedGame, AnalysedMove, summaries
from evoply.reports.pages import page
from evoply.reports.series import Series

_MOST_GAMES = 8
"""Games with graphs, boards and all moves; of more only a line each is shown."""
_MOST_BOARDS = 3
"""Mistakes of each kind, exact or not, that are shown on boards for each game."""
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
        players=[_player_row(name, summary) for name, summary in summaries(games).items()],
        games=[_game(game) for game in games[:_MOST_GAMES]],
        others=[_short(game) for game in games[_MOST_GAMES:]],
    )


def score_text(score: float | None, *, is_exact: bool) -> str:
    """Return a score as people read it: discs with a sign, values of boards in few digits.

    >>> score_text(4.0, is_exact=True), score_text(0.12345, is_exact=False)
    ('+4', '0.1235')
    """
    if score is None:
        return ""
    if abs(score) >= CERTAIN:
        return "a win" if score > 0 else "a loss"
    return f"{score:+.0f}" if is_exact else f"{round(score, 6) + 0.0:.4g}"


def loss_text(move: AnalysedMove) -> str:
    """Return what a move lost, "" for moves that lost nothing or were no choice."""
    if not move.loss:
        return ""
    if move.is_decisive:
        return "a certain result"
    if not move.exact:
        return f"{move.loss:.4g}"
    return f"{move.loss:.0f} disc{'s' * (move.loss != 1)}"


def share_text(share: float | None) -> str:
    """Return a share in percent, "-" for none."""
    return "-" if share is None else f"{100 * share:.1f} %"


def _player_row(name: str, accuracy: Accuracy) -> Sequence[object]:
    return (
        name,
        f"{accuracy.choices:,}",
        share_text(accuracy.share),
        "" if accuracy.loss is None else f"{accuracy.loss:.4g}",
        str(accuracy.decisive or ""),
        "" if accuracy.exact_loss is None else f"{accuracy.exact_loss:.2f} of {accuracy.exact:,}",
    )


def _short(game: AnalysedGame) -> Sequence[object]:
    names = (game.player(color) for color in Color)
    shares = (share_text(game.accuracy(color).share) for color in Color)
    return (str(game.number), *names, *shares, game.source.in_words())


def _game(game: AnalysedGame) -> Mapping[str, Any]:
    mistakes = sorted(
        (move for move in game.moves if move.loss), key=lambda move: -(move.loss or 0.0)
    )
    drawn = [move for move in mistakes if move.exact][:_MOST_BOARDS]
    drawn += [move for move in mistakes if not move.exact][:_MOST_BOARDS]
    return {
        "number": game.number,
        "names": [game.player(color) for color in Color],
        "result": game.source.in_words(),
        "shares": {color: share_text(game.accuracy(color).share) for color in Color},
        "charts": _charts(game),
        "boards": [_board(game, move) for move in sorted(drawn, key=lambda move: move.ply)],
        "moves": [_move_row(move) for move in game.moves],
    }


def _charts(game: AnalysedGame) -> list[Chart]:
    """Return what the moves were worth to Black: on the player's scale, and exactly in discs."""
    charts = []
    for is_exact, title, y_title in (
        (False, "Value to Black", "on the player's scale"),
        (True, "Final discs, Black ahead", "discs, under perfect play"),
    ):
        moves = [move for move in game.moves if move.loss is not None and move.exact is is_exact]
        if len(moves) > 1:
            series = [
                Series("move played", [_to_black(move, move.score) for move in moves], color=1),
                Series("best move", [_to_black(move, move.best_score) for move in moves], color=0),
            ]
            x = [move.ply for move in moves]
            charts.append(line_chart(title, x, series, y_title, x_title="ply"))
    return charts


def _to_black(move: AnalysedMove, score: float | None) -> float | None:
    if score is None or abs(score) >= CERTAIN:
        return None
    return score if move.color is Color.BLACK else -score


def _board(game: AnalysedGame, move: AnalysedMove) -> tuple[str, str]:
    """Return a caption and the board before a mistake, with the move and a better one."""
    record = game.source.record
    position = record.positions[move.ply - 1]
    best = game_rules(position.game).game(position, (), NO_DRAWS).play(move.best).moves[-1]
    caption = (
        f"Ply {move.ply}: {move.color} played {move.move} "
        f"({score_text(move.score, is_exact=move.exact)}), best {move.best} "
        f"({score_text(move.best_score, is_exact=move.exact)}); it lost {loss_text(move)}."
    )
    if len(move.line) > 1:
        line = " ".join(move.line[:_MOST_LINE]) + " …" * (len(move.line) > _MOST_LINE)
        caption += f" Best line: {line}"
    marks = [(record.moves[move.ply - 1], _PLAYED), (best, _BEST)]
    return caption, board_svg(position, legal=False, moves=marks)


def _move_row(move: AnalysedMove) -> Sequence[str]:
    return (
        str(move.ply),
        str(move.color),
        move.move,
        score_text(move.score, is_exact=move.exact),
        move.best or "",
        score_text(move.best_score, is_exact=move.exact),
        loss_text(move),
        "exact" if move.exact else "",
        " ".join(move.line),
    )
