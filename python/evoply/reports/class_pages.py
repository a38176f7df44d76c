"""Pages of a class: one with the standings of all hand-ins, and one for each of them.

They open offline, and link to each other by relative names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import quote

from evoply.arena import RoundRobin, Standing
from evoply.games import game_rules
from evoply.games.drawing import board_svg
from evoply.games.formats import GamePlayed
from evoply.protocols import Color
from evoply.protocols.sections import (
    Column,
    LinkedCell,
    Page,
    Picture,
    Section,
    between,
    counted,
    share,
    value_in,
)
from evoply.reports.pages import write_result
from evoply.wording import signed

INDEX = "index.html"
_BOARDS = 6
"""Boards of a lost game."""
_NOTE = (
    "A rating says who wins how often: of two players 100 points apart the better one scores 64 %, "
    "at 400 points 91 %. The interval holds the true rating in 19 of 20 cases, so two whose "
    "intervals overlap may be equally strong."
)


@dataclass(slots=True)
class Graded:
    """What a page needs to know of a hand-in besides the result."""

    label: str
    """Its name in the result: that of its file."""
    problem: str = ""
    """Why it could not take part, and what to do."""
    forfeited: dict[str, GamePlayed] = field(default_factory=dict)
    """The first game that it forfeited for each reason."""
    lost: GamePlayed | None = None
    """A game that it lost on the board."""

    @property
    def page(self) -> str:
        """The name of its page."""
        stem = Path(self.label).stem
        return f"{stem}-bot.html" if stem.lower() == "index" else f"{stem}.html"

    def note(self, game: GamePlayed) -> None:
        """Keep *game* if the page can show it."""
        color = Color.BLACK if game.black == self.label else Color.WHITE
        if game.winner is not color.opposite:
            return
        if game.forfeit is not None:
            self.forfeited.setdefault(game.forfeit, game)
        elif self.lost is None:
            self.lost = game


def write_class(
    folder: Path, result: RoundRobin, hand_ins: Sequence[Graded], *, state: str = ""
) -> None:
    """Write the page of the class and those of all *hand_ins* into *folder*."""
    for hand_in in hand_ins:
        write_result(_page_of(hand_in, result, hand_ins), folder / hand_in.page, state=state)
    write_result(_class_page(result, hand_ins), folder / INDEX, state=state)


def _class_page(result: RoundRobin, hand_ins: Sequence[Graded]) -> Page:
    shown = result.shown()
    standings, *others = shown.sections
    pages = {hand_in.label: hand_in.page for hand_in in hand_ins}

    def link(row: Standing | Mapping[str, str]) -> LinkedCell:
        label = str(value_in(row, "player"))
        return LinkedCell(label, quote(pages[label]) if label in pages else "")

    columns = [
        Column("player", "player", str, read=link, look="link")
        if column.name == "player"
        else column
        for column in standings.columns
    ]
    title = result.title or f"Class: {game_rules(result.game).title}"
    facts = {"hand-ins": counted(len(hand_ins)), **shown.facts}
    return Page(title, [replace(standings, columns=columns, note=_NOTE), *others], facts)


def _page_of(hand_in: Graded, result: RoundRobin, hand_ins: Sequence[Graded]) -> Page:
    standing = next((row for row in result.standings if row.player == hand_in.label), None)
    back = Column("", "", str, read=lambda row: row, look="link")
    sections = [
        Section("What to try next", points=[*_next(hand_in, result, standing, hand_ins)]),
        Section("Results", _RESULTS, [*_results(hand_in, result)]),
        Section(
            "Games that it gave away",
            _FORFEITS,
            [*_forfeits(hand_in, result)],
            "Where it stood when that happened first.",
            pictures=[_last_board(hand_in, game) for game in hand_in.forfeited.values()],
        ),
    ]
    if hand_in.lost is not None:
        sections.append(_lost(hand_in, hand_in.lost))
    sections.append(Section("", (back,), [LinkedCell("All results", INDEX)]))
    title = f"{hand_in.label}: {result.title or game_rules(result.game).title}"
    return Page(title, sections, {} if standing is None else _facts(standing, result))


def _facts(standing: Standing, result: RoundRobin) -> dict[str, str]:
    rating, interval = standing.rating, standing.interval
    return {
        "place": f"{standing.rank} of {len(result.standings)}",
        "rating": "none: it won no game and gave all away" if rating is None else signed(rating),
        "95 % interval": between(signed)(interval) if interval else "",
        "score": share(standing.score) if standing.games else "",
        "games": counted(standing.games),
    }


_RESULTS = (
    Column("opponent", "opponent", str, look="code"),
    Column("won", "won", counted),
    Column("drawn", "drawn", counted),
    Column("lost", "lost", counted),
    Column("score", "score", share, look="strong"),
)


def _results(hand_in: Graded, result: RoundRobin) -> Iterator[dict[str, object]]:
    """Yield how it fared against each opponent, the best of them first."""
    for met in result.results_of(hand_in.label):
        row = {"won": met.wins, "drawn": met.draws, "lost": met.losses, "score": met.score}
        yield {"opponent": result.players[met.second], **row}


_FORFEITS = (
    Column("reason", "why", str),
    Column("games", "games", counted),
    Column("where", "first", str),
)


def _forfeits(hand_in: Graded, result: RoundRobin) -> Iterator[dict[str, object]]:
    for reason, game in hand_in.forfeited.items():
        games = sum(
            lost.games
            for lost in result.forfeits
            if (lost.player, lost.reason) == (hand_in.label, reason)
        )
        other = game.white if game.black == hand_in.label else game.black
        where = f"at move {_moves(game, len(game.record)) + 1} against {other}"
        yield {"reason": reason, "games": games, "where": where}


def _moves(game: GamePlayed, ply: int) -> int:
    """Return how many moves were played in the first *ply* plies; passes are none."""
    return sum(not move.is_pass for move in game.record.moves[:ply])


def _last_board(hand_in: Graded, game: GamePlayed) -> Picture:
    return _board(
        game, len(game.record), f"It is the turn of {hand_in.label} ({_side(hand_in, game)})."
    )


def _side(hand_in: Graded, game: GamePlayed) -> str:
    return "Black" if game.black == hand_in.label else "White"


def _board(game: GamePlayed, ply: int, caption: str) -> Picture:
    last = next((move for move in game.record.moves[:ply][::-1] if not move.is_pass), None)
    svg = board_svg(game.record.positions[ply], legal=False, last_move=last)
    return Picture(svg, caption, kind="board")


def _lost(hand_in: Graded, game: GamePlayed) -> Section:
    """Return a lost game: boards on its way, and all moves."""
    plies = len(game.record)
    first = min(game.opening_plies, plies)
    chosen = sorted({first + (plies - first) * part // (_BOARDS - 1) for part in range(_BOARDS)})
    pictures = [_board(game, ply, f"After {_moves(game, ply)} moves") for ply in chosen]
    other = game.white if game.black == hand_in.label else game.black
    note = f"It was {_side(hand_in, game)} against {other}: {game.in_words()}."
    return Section(
        "A game that it lost",
        note=note,
        pictures=pictures,
        parts=[Section("", text=" ".join(game.record.move_texts()), folded="All moves")],
    )


def _next(
    hand_in: Graded,
    result: RoundRobin,
    standing: Standing | None,
    hand_ins: Sequence[Graded],
) -> Iterator[str]:
    """Yield what is worth trying, the most urgent first."""
    if hand_in.problem:
        yield f"It did not take part: {hand_in.problem}."
        yield f"See whether it plays: `evoply match {hand_in.label} random --games 2`."
        return
    for lost in _forfeits(hand_in, result):
        yield f"Mend this first: it gave away {lost['games']} games. {lost['reason']}."
    if standing is None or not standing.games:
        return
    labels = {each.label for each in hand_ins}
    references = [row for row in _results(hand_in, result) if row["opponent"] not in labels]
    harder = [row for row in references if float(str(row["score"])) <= 0.5]
    if harder:
        aim = harder[-1]
        points = share(float(str(aim["score"])))
        yield (
            f"The next aim: more than half of the points against `{aim['opponent']}`; now it is "
            f"{points}. Try it: `evoply match {hand_in.label} {aim['opponent']} --games 100`."
        )
    elif references:
        has_levels = any(str(row["opponent"]).startswith("strong:") for row in references)
        harder_one = "strong:level=6" if has_levels else "material:depth=6"
        yield (
            "It beats every player of reference. Try a stronger one: "
            f"`evoply match {hand_in.label} {harder_one} --games 20`."
        )
    if hand_in.lost is not None:
        play = f"`evoply play --against {hand_in.label}`"
        yield f"Look at the lost game below, and play against it: {play}."
