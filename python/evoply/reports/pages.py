"""Pages from the templates in `templates/`, and those of analysed games.

A page loads nothing: style and pictures are inside, there is no script, and its content security
policy forbids the rest.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING

from evoply.environment.files import write_atomically
from evoply.games import game_rules
from evoply.games.drawing import board_svg
from evoply.games.position import NO_DRAWS
from evoply.protocols import CERTAIN, Color
from evoply.protocols.provenance import provenance
from evoply.protocols.sections import (
    Column,
    Page,
    Picture,
    Section,
    Shown,
    cells_of,
    chosen,
    counted,
    pieces_css,
    share,
)
from evoply.reports.charts import Chart, Series, charts_of, line_chart
from evoply.reports.scale import Scale

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

    from evoply.reports.game_analysis import AnalysedGame, AnalysedMove, Analysis


# Analysed games as one HTML page: how well each player chose, graphs, and mistakes on boards.

_MOST_BOARDS = 6
"""Mistakes that are shown on boards for each game."""
_MOST_LINE = 8
_SHORT_LINE = 6
_PLAYED, _BEST = "#f2a33a", "#59d18c"


def page_of_games(
    games: Iterable[AnalysedGame] | Analysis, judge: str, *, exact: int | None
) -> Page:
    """Return the page about *games* that the player called *judge* looked at.

    The first have graphs, boards and all moves; of the others there is a line each.
    """
    from evoply.reports.game_analysis import Analysis  # only pages of games need the coach

    seen = games if isinstance(games, Analysis) else Analysis.of(games)
    titles = ", ".join(game_rules(name).title for name in sorted(seen.names))
    solved = "; near the end the solver gives it exactly, under perfect play" * seen.is_exact
    bounds = bounds_text(seen.scale) if seen.scale else ""
    return Page(
        f"Games analysed: {titles}",
        [
            players_of(seen),
            *map(_game, seen.whole),
            _further(seen),
        ],
        {
            "games": f"{seen.games:,}",
            "moves": f"{seen.moves:,}",
            "exact from": f"{exact} empty" if seen.is_exact else "",
        },
        f"Every move beside the best one, in the eyes of `{judge}`. A move's worth is "
        f"{unit_text(seen.scale) if seen.scale else ''}, for the side to move{solved}. Moves of "
        "random openings and moves without a choice are not counted."
        + f" By what a move loses it is: {bounds}; a good move loses less."
        * bool(bounds),
    )


def players_of(seen: Analysis) -> Section:
    """Return how well each player chose in games, which have one scale."""
    scale = seen.scale
    rows = [(name, accuracy, scale) for name, accuracy in seen.players.items()]
    is_certain = scale is not None and not scale.bounds
    columns = _PLAYERS if is_certain else _PLAYERS[:-1]
    return Section("How well they chose", columns, rows)


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


_PLAYERS = (
    Column("player", "player", str, read=itemgetter(0), look="code", longest=123),
    Column("choices", "choices", counted, read=lambda row: row[1].choices),
    Column("share", "best moves", share, read=lambda row: row[1].share, look="strong"),
    Column("good", "good moves", share, read=lambda row: row[1].good_share),
    Column("loss", "mean loss", lambda row: row[2].difference_text(row[1].loss), missing="",
        read=lambda row: None if row[1].loss is None else row),
    Column("decisive", "certain results given away", lambda count: str(count or ""),
        read=lambda row: row[1].decisive),
)  # fmt: skip

PLAYERS_IN_SHORT = (
    *_PLAYERS[:-1],
    Column("exact", "exact", counted, read=lambda row: row[1].exact),
)
"""The columns of a terminal, which does not say of each move whether it is exact."""


def _moved(name: str, label: str, text: Callable[[AnalysedMove, Scale], str | None]) -> Column:
    return Column(name, label, "{}".format, missing="", read=lambda row: text(row[1], row[0].scale))


MOVES = (
    _moved("ply", "ply", lambda move, _: str(move.ply)),
    Column("side", "side", str, read=lambda row: str(row[1].color)),
    Column("player", "player", str, read=lambda row: row[0].player(row[1].color), look="code"),
    Column("move", "move", str, read=lambda row: row[1].move),
    _moved("worth", "worth", lambda move, scale: score_text(move.score, move, scale)),
    Column("best", "best", str, read=lambda row: row[1].best or ""),
    _moved("best_worth", "its worth", lambda move, scale: score_text(move.best_score, move, scale)),
    Column("loss", "loss", str, read=lambda row: loss_text(row[1], row[0].scale)),
    Column("grade", "", str, read=lambda row: row[1].grade),
    Column("exact", "", str, read=lambda row: "exact" if row[1].exact else ""),
    Column("line", "best line", str, read=lambda row: " ".join(row[1].line)),
    Column("reason", "why", str, read=lambda row: row[1].reason),
    Column("game", "game", counted, read=lambda row: row[0].number),
    Column("start", "line", str, read=lambda row: " ".join(row[1].line[:_SHORT_LINE])),
)
"""The columns of moves of analysed games; those of a table are chosen by name."""


def _game(game: AnalysedGame) -> Section:
    black, white = (
        f"`{game.player(color)}` ({color.value.capitalize()}, {game.best_moves(color)} best moves)"
        for color in Color
    )
    mistakes = sorted(
        (move for move in game.moves if move.loss), key=lambda move: -(move.loss or 0.0)
    )
    drawn = sorted(mistakes[:_MOST_BOARDS], key=lambda move: move.ply)
    boards = Section(
        "Largest mistakes",
        note="The ring in orange is the move played, the one in green a best one." * bool(drawn),
        pictures=[_board(game, move) for move in drawn],
    )
    columns = chosen(MOVES, "ply side move worth best best_worth loss grade exact reason line")
    moves = [(game, move) for move in game.moves]
    return Section(
        f"Game {game.number}",
        note=f"{black} against {white}: {game.source.in_words()}",
        charts=_charts(game),
        parts=[
            boards,
            Section("", columns, moves, folded="All moves", look="numbers"),
        ],
    )


def _further(seen: Analysis) -> Section:
    names = [color.value.capitalize() for color in Color]
    columns = cells_of(
        "game", *names, *(f"best moves, {name}" for name in names), "result",
        **dict.fromkeys(names, "code"),
    )  # fmt: skip
    left = seen.games - len(seen.whole) - len(seen.in_short)
    note = f"{left:,} more are in the result as JSON (`--json`)." if left else ""
    return Section("Further games", columns, seen.in_short, note, longest=40)


def _charts(game: AnalysedGame) -> list[Chart]:
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


def _board(game: AnalysedGame, move: AnalysedMove) -> Picture:
    record = game.source.record
    position = record.positions[move.ply - 1]
    best = game_rules(position.game).game(position, (), NO_DRAWS).play(move.best).moves[-1]
    caption = (
        f"Ply {move.ply}: {move.color} played {move.move} "
        f"({score_text(move.score, move, game.scale)}), best {move.best} "
        f"({score_text(move.best_score, move, game.scale)}); it lost "
        f"{loss_text(move, game.scale)}{f', {_article(move.grade)}' if move.grade else ''}."
    )
    caption += f" Why: {move.reason}." if move.reason else ""
    if len(move.line) > 1:
        line = " ".join(move.line[:_MOST_LINE]) + " …" * (len(move.line) > _MOST_LINE)
        caption += f" Best line: {line}"
    marks = [(record.moves[move.ply - 1], _PLAYED), (best, _BEST)]
    return Picture(board_svg(position, legal=False, moves=marks), caption, kind="board")


def _article(grade: str) -> str:
    return f"{'an' if grade[0] == 'i' else 'a'} {grade}"


_LONG_CODE = 120
"""Characters of code within a text before the rest is folded away."""


def result_html(result: Shown | Page, *, state: str = "", goes_on: bool = False) -> str:
    """Return the page about *result*.

    *state* says how far unfinished work has come; if it *goes_on*, an opened page reloads itself
    every few seconds.
    """
    shown = result if isinstance(result, Page) else result.shown()
    template = _environment().get_template("page.html")
    return template.render(shown=shown, state=state, goes_on=goes_on, made_by=provenance())


def write_result(result: Shown | Page, path: str | os.PathLike[str], *, state: str = "") -> Path:
    """Write the page about *result* to *path*, whole or not at all, and return the path.

    *state* says how far work came that was stopped. Raises `OSError` if it cannot be written.
    """
    write_atomically(Path(path), result_html(result, state=state))
    return Path(path)


@lru_cache(maxsize=1)
def _environment() -> Environment:
    # Imported here: a command that writes no page should not wait for it.
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("evoply.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["pieces_css"] = Markup(pieces_css())
    environment.filters |= {"coded": _coded, "charts": charts_of, "drawn": _drawn}
    return environment


def _drawn(picture: Chart) -> Markup:
    """Return the picture for a page; without the package that draws it, what to install."""
    from markupsafe import Markup

    try:
        return Markup(picture.svg())
    except ModuleNotFoundError as error:
        return Markup("<p>No picture: {}</p>").format(_coded(str(error)))


def _coded(text: str, longest: int = _LONG_CODE) -> Markup:
    """Return *text* with what stands between backticks as code, folded where it is too long."""
    from markupsafe import Markup, escape

    def code(found: re.Match[str]) -> str:
        whole = f"<code>{found[1]}</code>"
        if len(found[1]) <= longest:
            return whole
        start = f"<code>{re.sub('&[^;]*$', '', found[1][:longest])}…</code>"
        return f'<details class="long"><summary>{start}</summary>{whole}</details>'

    return Markup(re.sub("`([^`]+)`", code, str(escape(text))))
