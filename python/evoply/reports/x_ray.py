"""The x-ray of a player: what it sees on one board, and what that is worth to it.

Everything is measured on the board at hand, by the player's own evaluator: what each feature is,
what it adds to the value, what each node of a tree comes to, what each square is worth. For a
player that evolves a strategy before each of its moves, it shows that strategy.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evoply import _native
from evoply._native import Stream
from evoply.expressions import Constant
from evoply.games import GameRules, game_rules
from evoply.gp import Genotype, tree_svg
from evoply.gp.algebra.terms import TIMES
from evoply.players import PlayerKind, model_of
from evoply.players.grammar import Runs, read_player_of
from evoply.players.searcher import asked, record_of
from evoply.players.strong import Strong, strong_tables
from evoply.protocols import Choice, Clock, Color, GameRecord, Position, Row
from evoply.protocols.sections import JsonData
from evoply.reports.open_evaluator import Opened, Value, is_drawn, read_opened, square_values
from evoply.reports.scale import scale_of
from evoply.reports.value_parts import regions_of_strong
from evoply.wording import short_name

_FLAGS: Mapping[str, str] = {
    "corners": "whether corners count double",
    "edges": "whether edges count double",
    "most_pieces": "whether of equally good moves it takes the one that leaves it most pieces",
}
_MEASURES: Mapping[str, str] = {
    "mobility": "what each legal move of the opponent's after a move costs, in eighths",
    "frontier": "what each own piece beside an empty square costs, in eighths",
}
_SQUARES = (
    "Half of what the value differs by between an own {piece} on the square and an opponent's, all "
    "else as it is."
)


@dataclass(frozen=True, slots=True)
class FeatureSeen(JsonData):
    """What a player measures on the board, and what comes of it."""

    text: str
    """As a formula."""
    words: str
    """In words."""
    value: Value
    """What it is on this board."""
    adds: float | None = None
    """What it adds to the board's value, all its terms together; None where it goes into the value
    together with others, or where the value is no sum."""


@dataclass(frozen=True, slots=True)
class XRay(JsonData):
    """What a player sees on a board."""

    player: str
    game: str
    position: str
    own: Color
    """The side whose pieces are own; all numbers are for this side."""
    value: float | None
    """What the board is worth to *own*; None for a player that values moves only."""
    sentence: str
    squares: tuple[float | None, ...]
    """A number for each square, row by row, as *squares_are* says; None where no piece can be."""
    squares_are: str
    features: tuple[FeatureSeen, ...]
    """What is measured, what adds most first."""
    rest: float | None = None
    """What all else adds: constants, and features that are multiplied; None if nothing adds."""
    tree: Genotype | None = field(default=None, metadata={"as_text": True})
    """The individual of a player that is one."""
    tree_values: tuple[tuple[Value, ...] | None, ...] = ()
    """What each node of each of its branches comes to, a set of squares its number of squares; None
    for an intron, and for a branch that is not in use."""
    note: str = ""
    """What else decides its moves, and how it came about."""

    def svg(self) -> str | None:
        """Return the tree with the value of each node as a picture; None if there is none."""
        if self.tree is None or not is_drawn(self.tree):
            return None
        if not self.tree_values:
            return tree_svg(self.tree)
        texts = [
            None
            if values is None
            else [
                "" if value is None or isinstance(node, Constant) else value_text(value, node.type)
                for value, node in zip(values, tree.nodes, strict=True)
            ]
            for values, tree in zip(self.tree_values, self.tree.trees, strict=True)
        ]
        return tree_svg(self.tree, values=texts)

    def __str__(self) -> str:
        rows = [
            f"{value_text(feature.value):>10} "
            f"{'' if feature.adds is None else f'{feature.adds:+.4g}':>10}  {feature.words}"
            for feature in self.features
        ]
        head = f"{short_name(self.player)}: {self.sentence[0].lower()}{self.sentence[1:]}"
        return "\n".join([head, *rows, *([self.note] if self.note else [])])

    def _repr_svg_(self) -> str | None:
        return self.svg()


def xray(
    player: object,
    game: Any,
    *,
    color: Color | None = None,
    stream: Stream | None = None,
    clock: Clock | None = None,
    choices: Mapping[int, Choice] | None = None,
    runs: Runs | None = None,
) -> XRay:
    """Return what *player* sees at the end of *game*, a record or a position, playing *color*.

    A player is taken as `evoply.analyse` does, with *runs* for champions; one that begins with
    random moves or has overlapping stages is shown by its steady part. *color* is by default the
    side to move; it matters to evaluators in which own is who chooses. A player that evolves before
    each move does so here, for the last choice of that color, with draws from *stream*, the stream
    of the game (default: a fixed one), in the time that *clock* gives; or it has chosen already,
    and *choices* has its choices by the plies played before. Raises `ValueError` for a player that
    has nothing inside: random ones, bots, engines.

    >>> import evoply as ep
    >>> seen = ep.xray("greedy", ep.othello.Game.from_transcript("f5d6c4"))
    >>> seen.sentence
    'To it this board is worth -0.1 discs for White (-3 on its own scale, as all numbers below).'
    >>> [(one.words, one.value, one.adds) for one in seen.features]
    [('discs of the opponent', 5.0, -5.0), ('own discs', 2.0, 2.0)]
    """
    record = record_of(game)
    name = record.position.game
    color = record.position.turn if color is None else color
    model = model_of(read_player_of(player, name, runs))
    if isinstance(model, Strong):
        model.check_fits(name)
        return _of_strong(model, record.position)
    whole, parts = read_opened(model, name, runs)
    if parts is not None:
        return _of_evaluator(whole, parts, record.position, color)
    return _of_choice(
        whole, record, color, stream or Stream(0, "analyse"), clock or Clock(), choices or {}
    )


class _StrongBoards(NamedTuple):
    """Tables that come with evoply, as what values boards for their side to move."""

    game: str

    @property
    def rules(self) -> GameRules:
        return game_rules(self.game)

    def values(self, rows: Sequence[Row]) -> NDArray[np.float64]:
        """Return what the tables say of *rows*."""
        batch = _native.Positions(self.rules.kernel, rows)
        found: NDArray[np.float64] = strong_tables(self.game).program.evaluate(batch)[:, 0]
        return found


def _of_strong(player: Strong, position: Position) -> XRay:
    """Return what tables say of each region; own is the side to move."""
    boards, row = _StrongBoards(position.game), position.row
    value = float(boards.values([row])[0])
    sums = regions_of_strong(position.game).sums(row)
    shown = [FeatureSeen(words, words, None, adds) for words, adds in sums.items()]
    shown.sort(key=lambda feature: -abs(feature.adds or 0.0))
    return XRay(
        player=player.label,
        game=position.game,
        position=position.text(),
        own=position.turn,
        value=value,
        sentence=_sentence(value, player, position, position.turn),
        squares=square_values(boards, row),
        squares_are=_SQUARES.format(piece=boards.rules.piece),
        features=tuple(shown),
        rest=0.0,
        note=" ".join(player.habits),
    )


def _sentence(value: float, player: PlayerKind, position: Position, own: Color) -> str:
    scale = scale_of(player, position.game)
    text = value_text(value)
    if scale.unit == "none" or not math.isfinite(value):
        return f"To it this board is worth {text} for {own}."
    worth = scale.text(scale.worth(value, position))
    unit = "discs" if scale.unit == "discs" else "of a point"
    is_own = scale.unit == "discs" and scale.factor(position) == 1.0
    other = "" if is_own else f" ({text} on its own scale, as all numbers below)"
    return f"To it this board is worth {worth} {unit} for {own}{other}."


def _of_evaluator(whole: PlayerKind, parts: Opened, position: Position, color: Color) -> XRay:
    row = parts.row(position, color)
    own = Color.BLACK if row[3] else Color.WHITE
    now = parts.at(row)
    value, seen, words = float(now.values([row])[0]), now.seen(row), now.words
    adds, left = now.added(seen)
    shown = [
        FeatureSeen(words.formula(part), words.feature(part).strip("`"), number, add)
        for part, number, add in zip(now.features, seen.features, adds, strict=True)
        if part.op not in TIMES or add is not None
    ]
    shown.sort(key=lambda feature: -abs(feature.adds or 0.0))
    return XRay(
        player=whole.label,
        game=parts.game,
        position=position.text(),
        own=own,
        value=value,
        sentence=_sentence(value, whole, position, own),
        squares=square_values(now, row),
        squares_are=_SQUARES.format(piece=parts.rules.piece),
        features=tuple(shown),
        rest=left,
        tree=parts.tree,
        tree_values=parts.node_values(row),
        note=" ".join(whole.habits),
    )


def _of_choice(
    whole: PlayerKind,
    record: GameRecord,
    color: Color,
    stream: Stream,
    clock: Clock,
    choices: Mapping[int, Choice],
) -> XRay:
    """Return the weights that *whole* says it chose by, at the last choice of *color*."""
    nothing = ValueError(f"{whole.label}: this player values nothing that can be shown")
    if not whole.games_before_move:
        raise nothing
    rules = game_rules(record.position.game)
    places = [
        plies
        for plies, position in enumerate(record.positions)
        if position.turn is color and len(position.legal_moves) > 1
    ]
    if not places:
        raise ValueError(f"{whole.label}: {color} has had no choice in this game yet")
    plies = places[-1]
    moves = [move.code(rules.shape) for move in record.moves[:plies]]
    before = rules.game(record.start, moves)
    if plies in choices:
        notes = choices[plies].notes
    else:
        seat = whole.seat(rules.name)
        try:
            notes = asked(seat, before, stream, clock=clock).notes
        finally:
            seat.close()
    weights = notes.get("weights")
    if not isinstance(weights, Sequence) or len(weights) != rules.shape.squares:
        raise nothing
    cells = before.position.diagram(legal=False).cells
    shown = [
        *(FeatureSeen(flag, _FLAGS.get(flag, flag), note) for flag, note in notes["flags"].items()),
        *(
            FeatureSeen(name, text, notes[name])
            for name, text in _MEASURES.items()
            if name in notes
        ),
    ]
    return XRay(
        player=whole.label,
        game=before.position.game,
        position=before.position.text(),
        own=color,
        value=None,
        sentence=f"It weighs where a move ends; these weights it evolved for {color}'s move "
        f"{plies + 1}.",
        squares=tuple(
            float(weight) if cell.is_playable else None
            for weight, cell in zip(weights, cells, strict=True)
        ),
        squares_are="What a move to the square is worth to the strategy that it evolved.",
        features=tuple(shown),
        note=f"Evolved in {notes['generation']:,} generations, {notes['games']:,} games: "
        f"{notes['tree']}",
    )


def value_text(value: Value, kind: str = "number") -> str:
    """Return a value as people read it; of *kind* "squares" it is a number of squares.

    >>> value_text(2.0), value_text(True), value_text(1.0, "squares"), value_text(float("inf"))
    ('2', 'yes', '1 square', 'infinite')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if kind == "squares":
        return f"{value:g} square{'' if value == 1 else 's'}"
    if math.isnan(value):
        return "no number"
    if math.isinf(value):
        return "infinite" if value > 0 else "-infinite"
    return f"{value + 0.0:.4g}"
