"""The online player, which evolves strategies before each of its moves, and strategies.

From the position at hand a population of strategies plays games to their end, each against the best
so far, *alpha*; trees of weights are crossed and mutated for some generations; then alpha chooses
the move and the population is thrown away. The kernel does all of it in one call. Source: Frankland
& Pillay, "Evolving Game Playing Strategies for Othello" (CEC 2015).

Reasons: docs/design/players.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from evoply import _native
from evoply._native import Stream
from evoply.games import game_rules
from evoply.games.squares import is_dark
from evoply.gp.tree import bracketed
from evoply.players.endgame import solve
from evoply.players.player_kind import NamedKind, Option
from evoply.players.search_options import MAX_TIME, check_solver
from evoply.players.timing import time_left
from evoply.protocols import BoardShape, Choice, Clock, Color, GameRecord, Position, Seat

# Strategies of an online player: a weight for each area of the board, and three flags.
#
# A strategy values a move by the square where it ends and by nothing else, unless options of the
# player let it see the board after the move. An area is the set of squares that the symmetries of
# the board exchange. In Othello the four centre squares, which are filled from the start, are in no
# area.
#
# Source: Frankland & Pillay, "Evolving Game Playing Strategies for Othello" (CEC 2015). Its figure
# of the nine areas is lost. Here they are the unordered pairs of row and column in a 4x4 quadrant,
# the corner being (1, 1), without the centre.

Scope = Literal["quadrant", "board", "edge8"]
"""The squares whose weights the first two flags double: the corners and edges of a quadrant, as in
the one example of the paper; those of the board; or the corners of the board and the eight squares
two away from them along an edge."""

FLAGS = ("corners", "edges", "most_pieces")
"""The flags, in the paper tCnrH, tEdgH and tCntH. The first two double the weights of corners and
of edges; with the third the move that leaves most own pieces wins a tie."""

MEASURES = ("mobility", "frontier")
"""The optional measures, as terminals tMobH and tFrnH: what each legal move that the opponent has
after a move costs, and each own piece beside an empty square, in eighths of a weight."""

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_PAPERS_ORDER = "ABDEHIGCF"
"""The areas of tBH1 to tBH9."""


@dataclass(frozen=True)
class Areas:
    """The areas of one board."""

    shape: BoardShape
    of_square: tuple[int, ...]
    """The area of every square, row by row; -1 for squares in none."""
    letters: str
    """The letter of every area, in the order of the terminals tBH1, tBH2, ..."""
    corners: frozenset[int]
    """Squares whose weight the first flag doubles."""
    edges: frozenset[int]
    """Squares whose weight the second flag doubles; no corner is one."""


@dataclass(frozen=True)
class Strategy:
    """A strategy as it was decoded from a tree."""

    areas: Areas
    weights: tuple[int, ...]
    """The weight of every area; 0 for one that the tree does not name."""
    flags: tuple[bool, bool, bool]
    """In the order of `FLAGS`."""
    measures: tuple[int, ...] = ()
    """In the order of `MEASURES`; none if strategies have none."""

    @cached_property
    def board(self) -> tuple[int, ...]:
        """What a move to each square is worth, row by row; 0 for squares in no area."""
        corners, edges, _ = self.flags
        return tuple(
            (0 if area < 0 else self.weights[area])
            * (
                1
                + (
                    (corners and square in self.areas.corners)
                    or (edges and square in self.areas.edges)
                )
            )
            for square, area in enumerate(self.areas.of_square)
        )


def tree_text(codes: Sequence[int], areas: Areas) -> str:
    """Return as text a tree that the kernel gives as codes in prefix order.

    The number of a node is its code plus 256 times its value. Codes 0 and 1 are fArg2 and fArg3,
    which have two and three operands. Then come the areas with their weights, the flags with 0 or
    1, and the measures with their weights.

    >>> tree_text([0, 2 + 256 * 28, 11 + 256], areas_of("othello"))
    '( fArg2 tBH1[28] tCnrH[true] )'
    """
    names = ["fArg2", "fArg3", *(f"tBH{index + 1}" for index in range(len(areas.letters)))]
    flags = range(len(names), len(names) + 3)
    names += ["tCnrH", "tEdgH", "tCntH", "tMobH", "tFrnH"]
    words: list[tuple[str, int]] = []
    for node in codes:
        value, code = divmod(node, 256)
        if code < 2:
            words.append((names[code], code + 2))
        else:
            text = ("false", "true")[value] if code in flags else value
            words.append((f"{names[code]}[{text}]", 0))
    return bracketed(words)


@lru_cache(maxsize=64)
def areas_of(game: str, scope: Scope = "quadrant") -> Areas:
    """Return the areas of *game*'s board, and what the flags double in *scope*.

    In checkers an area has the dark squares that half a turn of the board and the reversal of a row
    exchange. A quadrant has no corner there, so *scope* changes nothing.

    >>> areas = areas_of("othello")
    >>> [areas.letters[areas.of_square[square]] for square in (0, 1, 2, 3, 9, 10, 11, 18, 19)]
    ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I']
    """
    rules = game_rules(game)
    shape, is_whole = rules.shape, len(rules.symmetries) == 8
    keys: list[tuple[int, int] | None] = []
    middle = (shape.rows - 1) // 2, (shape.columns - 1) // 2
    for square in range(shape.squares):
        row, column = divmod(square, shape.columns)
        row = min(row, shape.rows - 1 - row)
        if is_whole:
            key = row, min(column, shape.columns - 1 - column)
            keys.append(None if key == middle else (min(key), max(key)))
        else:
            file = min(column // 2, middle[1] - column // 2)
            keys.append((row, file) if is_dark(square, shape) else None)
    known = sorted({key for key in keys if key is not None})
    letters = _LETTERS[: len(known)]
    order = _PAPERS_ORDER if sorted(_PAPERS_ORDER) == list(letters) else letters
    number = {key: order.index(letter) for key, letter in zip(known, letters, strict=True)}
    corners, edges = _corners_and_edges(shape, quadrant=is_whole and scope == "quadrant")
    in_area = {square for square, key in enumerate(keys) if key is not None}
    if scope == "edge8" and is_whole:
        edges = {square for square, key in enumerate(keys) if key == (0, 2)}
    return Areas(
        shape=shape,
        of_square=tuple(-1 if key is None else number[key] for key in keys),
        letters=order,
        corners=frozenset(corners & in_area),
        edges=frozenset(edges & in_area),
    )


def _corners_and_edges(shape: BoardShape, *, quadrant: bool) -> tuple[set[int], set[int]]:
    """Return the corners and the other border squares of the board, or of its four quadrants."""
    rows, columns = (
        {0, side // 2 - 1, side // 2, side - 1} if quadrant else {0, side - 1}
        for side in (shape.rows, shape.columns)
    )
    corners = {shape.index(row, column) for row in rows for column in columns}
    border = {
        square
        for square in range(shape.squares)
        if square // shape.columns in rows or square % shape.columns in columns
    }
    return corners, border - corners


def _in_words(value: Any) -> Any:
    return {True: "yes", False: "no"}.get(value, value) if isinstance(value, bool) else value


_NOT_TOLD = {"kind", "name", "depth", "carry", "redraw", "scope", "endgame", "time"}
"""Fields that the kernel gets in another form, or not at all; the others are its arguments."""


class Online(NamedKind):
    """Evolves strategies before each of its moves; see the docstring of the module.

    The defaults are the paper's. Offspring from neither crossover nor mutation are copies.
    """

    names: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            "online": "evolves strategies before each move (Frankland & Pillay); many options",
            "frankland2015": "online with the settings of the paper: alpha stays for all games",
            "frankland-sane": "online, doubling corners and edges of the board, not of quadrants",
            "online-strong": "online made stronger: a tree of positions, mobility, replies",
        }
    )
    changes: ClassVar[Mapping[str, Mapping[str, Any]]] = MappingProxyType(
        {
            "frankland2015": {"carry": "run"},
            "frankland-sane": {"scope": "board"},
            "online-strong": {
                "roots": "tree",
                "choose": "visits",
                "mobility": True,
                "replies": True,
                "endgame": 16,
            },
        }
    )

    kind: Literal["online"] = "online"
    population: int = Field(default=100, ge=2, le=100_000)
    """Strategies in a generation."""
    generations: int = Field(default=20, ge=0, le=10_000)
    """Generations after the random generation."""
    games: int = Field(default=10, ge=1, le=1000)
    """Games of each strategy against alpha, with alternating sides."""
    tournament: int = Field(default=4, ge=1, le=1000)
    """The number of strategies from which the one with most points becomes a parent."""
    crossover: float = Field(default=0.8, ge=0, le=1)
    """How often two parents exchange subtrees."""
    mutation: float = Field(default=0.1, ge=0, le=1)
    """How often a subtree is replaced by a random one: the only source of new weights."""
    depth: int = Field(default=6, ge=1, le=10)
    """Levels of the deepest random tree; the shallowest has two."""
    size_limit: int = Field(default=64, ge=1, le=4096)
    """Nodes of an offspring; larger ones are pruned."""
    init_size_limit: int = Field(default=4096, ge=1, le=4096)
    """Nodes of a random tree."""
    lowest: int = Field(default=1, ge=0, le=10_000)
    """The smallest weight of an area."""
    highest: int = Field(default=32, ge=0, le=10_000)
    """The largest weight of an area."""
    preserve_alpha: Annotated[
        Literal["yes", "no", "crossover", "mutation"], BeforeValidator(_in_words)
    ] = "yes"
    """Which operators have alpha as a parent: of every crossover and of half of all mutations, of
    one of the two, or of none."""
    carry: Literal["none", "game", "run"] = "game"
    """How long alpha is kept: for one move, one game, or all games of a match, which are then
    played one after another."""
    start: Literal["current", "initial"] = "current"
    """Where the games of evolution begin: at the position at hand, or at the start."""
    redraw: Literal["once", "each_use"] = "once"
    """When the draw is made whether the first or the last of several weights of an area counts."""
    scope: Scope = "quadrant"
    """Which squares the flags double: the corners and edges of a quadrant or of the board, or the
    board's corners and the eight squares two away from them."""
    choose: Literal["alpha", "best", "scores", "visits"] = "alpha"
    """How the move is chosen: by alpha, by the strategy with most points in the last generation, as
    the first move with the best score in all games of the evolution, or as that of most games."""
    roots: Literal["free", "turns", "halving", "tree"] = "free"
    """What decides the first move of a game: the strategy; all legal moves in turns; or ever fewer
    of them, those with the best score so far. With `tree`, all moves within a tree of positions
    are decided by it, and it grows by a leaf with every game (UCT)."""
    exploration: float = Field(default=0.5, ge=0, le=1000)
    """The factor of UCB1's second term in that tree: larger values explore more."""
    mobility: bool = False
    """Whether strategies also weigh the opponent's legal moves after a move, and own pieces beside
    empty squares: two more terminals, tMobH and tFrnH."""
    replies: bool = False
    """Whether strategies look one ply further: the value of a move is its own less that of the
    opponent's best reply by the same weights."""
    endgame: Annotated[int, Option(check_game=check_solver)] = Field(default=0, ge=0, le=20)
    """The number of empty squares from which moves are exact instead of evolved, in Othello."""
    time: float | None = Field(default=None, ge=0.001, le=MAX_TIME, title="number of seconds")
    """Seconds for a move, after which alpha chooses; not reproducible."""

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if self.crossover + self.mutation > 1 + 1e-9:
            total = self.crossover + self.mutation
            raise ValueError(f"crossover + mutation is {total:g}, more than 1: lower one of them")
        if self.roots != "free" and self.start == "initial":
            raise ValueError(f"roots={self.roots} is for games from the current position")
        games = self.games_before_move
        if self.roots == "tree" and games > 1_000_000_000:
            raise ValueError(
                f"population x (generations + 1) x games is {games:,}; with roots=tree it is at "
                "most 1,000,000,000: lower one of them"
            )
        if self.choose == "visits" and self.roots not in ("halving", "tree"):
            raise ValueError("choose=visits is for roots=tree or roots=halving")
        if self.lowest > self.highest:
            raise ValueError(f"lowest {self.lowest} is above highest {self.highest}")
        return self

    @property
    def games_before_move(self) -> int:
        return self.population * (self.generations + 1) * self.games

    def seat(self, game: str) -> OnlineSeat:
        """Return a seat, which keeps alpha as long as *carry* says."""
        return OnlineSeat(self, game)


@dataclass(frozen=True, slots=True)
class Alpha:
    """The best strategy of an evolution, with its tree and the cost of the evolution."""

    move: int
    """The kernel's code of the move that it chooses."""
    tree: tuple[int, ...]
    """Its nodes in prefix order, each a code and 256 times a value, as the kernel writes them."""
    strategy: Strategy
    generation: int
    """The last generation that was completed; 0 is the random one."""
    games: int
    seconds: float
    roots: tuple[tuple[int, int, int], ...]
    """Every first move of its games, as the kernel's code, with its points (2 for a win, 1 for a
    draw) and games."""

    @property
    def carried(self) -> tuple[list[int], list[int], tuple[bool, bool, bool]]:
        """The data that the kernel takes for the next move."""
        weights = [*self.strategy.weights, *self.strategy.measures]
        return list(self.tree), weights, self.strategy.flags

    @property
    def notes(self) -> dict[str, Any]:
        """The notes of a choice: values of moves to each square, row by row, and other facts."""
        return {
            "weights": list(self.strategy.board),
            "areas": dict(
                sorted(zip(self.strategy.areas.letters, self.strategy.weights, strict=True))
            ),
            "flags": dict(zip(FLAGS, self.strategy.flags, strict=True)),
            **dict(zip(MEASURES, self.strategy.measures, strict=False)),
            "tree": tree_text(self.tree, self.strategy.areas),
            "generation": self.generation,
            "games": self.games,
        }


@dataclass(eq=False)
class OnlineSeat(Seat):
    """The seat of an online player.

    Its choice depends only on the game, although alpha is carried along: for the middle of a game
    that it did not play, it evolves for its earlier moves first.
    """

    player: Online
    game: str
    threads: int = 1
    """Threads of one evolution (0: all cores), which change no result: a match plays games on all
    cores already."""
    _known: tuple[Any, Alpha] | None = field(init=False, default=None)
    """The last evolution, preceded by its arguments."""

    def __post_init__(self) -> None:
        """Share the seat between games if alpha is carried through the run."""
        self.is_shared = self.player.carry == "run"

    def use_all_cores(self) -> None:
        """Evolve on all cores from now on."""
        self.threads = 0

    def choose(self, game: GameRecord, stream: Stream, clock: Clock, /) -> Choice:
        """Return alpha's choice, with its weights, flags and cost as notes."""
        position = game.position
        if game_rules(self.game).is_solvable(position, self.player.endgame):
            return _solve(position)
        player = _limit_time(self.player, clock, position)
        carried = self._first_alpha(player, game, stream, clock)
        alpha = self._alpha(player, game, len(game), stream, carried)
        move_from_code = game_rules(self.game).move_from_code
        choice = Choice(
            move=move_from_code(alpha.move),
            depth=1,
            nodes=alpha.games,
            seconds=alpha.seconds,
            notes=alpha.notes,
        )
        if self.player.choose not in ("scores", "visits"):
            return choice
        # The share of points, shrunk to the middle for few games, as the kernel ranks them.
        scored = [
            (code, (points + 1) / (2 * games + 2), games) for code, points, games in alpha.roots
        ]
        by = 2 if self.player.choose == "visits" else 1
        ranked = sorted(scored, key=lambda root: -root[by])
        moves = tuple((move_from_code(code), share) for code, share, _ in ranked)
        return replace(choice, score=ranked[0][1], color=position.turn, moves=moves)

    def close(self) -> None:
        """Forget alpha."""
        self._known = None

    def _first_alpha(
        self, player: Online, game: GameRecord, stream: Stream, clock: Clock
    ) -> Alpha | None:
        """Return the alpha with which this evolution begins; None for a random one."""
        if player.carry == "none":
            return None
        if player.carry == "run":
            return None if self._known is None else self._known[1]
        parent, turn = stream.parent, game.position.turn
        plies = [ply for ply in range(len(game)) if game.positions[ply].turn is turn]
        plies = plies[len(plies) - clock.moves :] if clock.moves else []
        plies = [ply for ply in plies if len(game.positions[ply].legal_moves) > 1]
        if parent is None or not plies:
            return None
        if self._known is not None and self._known[0] == _question(game, plies[-1], parent):
            return self._known[1]
        alpha = None
        for ply in plies if player.reproducible else ():
            position = game.positions[ply]
            draws = Stream.from_key(parent).child(int(turn is Color.WHITE), position.ply)
            alpha = self._alpha(player, game, ply, draws, alpha)
        return alpha

    def _alpha(
        self, player: Online, game: GameRecord, ply: int, stream: Stream, carried: Alpha | None
    ) -> Alpha:
        position = game.positions[ply]
        alpha = evolved(player, position, stream.key, carried, threads=self.threads)
        self._known = _question(game, ply, stream.parent), alpha
        return alpha


def _limit_time(player: Online, clock: Clock, position: Position) -> Online:
    """Return *player* with at most its share of the time left on *clock*."""
    if clock.seconds_left is None and clock.move_seconds is None:
        return player
    left = time_left(clock, position)
    # An evolution ends a little late, and later on a busy machine: the last moves need time, too.
    share = 0.8 * left.usable / (1 if clock.seconds_left is None else left.moves)
    return player.model_copy(update={"time": max(min(share, player.time or MAX_TIME), 0.0)})


def evolved(
    player: Online, position: Position, key: int, carried: Alpha | None, *, threads: int = 1
) -> Alpha:
    """Return the alpha of one evolution at *position*, which has several legal moves."""
    rules = game_rules(position.game)
    areas = areas_of(position.game, player.scope)
    code, tree, weights, flags, generation, games, seconds, roots = _native.online_move(
        rules.kernel,
        position.row,
        key,
        areas=areas.of_square,
        corners=_bits(areas.corners),
        edges=_bits(areas.edges),
        min_depth=min(2, player.depth),
        max_depth=player.depth,
        redraw=player.redraw == "each_use",
        **player.model_dump(exclude=_NOT_TOLD),
        draws=rules.draws.limits,
        alpha=None if carried is None else carried.carried,
        milliseconds=None if player.time is None else round(player.time * 1000),
        threads=threads,
    )
    count = len(areas.letters)
    strategy = Strategy(areas, tuple(weights[:count]), flags, tuple(weights[count:]))
    return Alpha(code, tuple(tree), strategy, generation, games, seconds, tuple(roots))


def _solve(position: Position) -> Choice:
    """Return a best move of *position* under perfect play to the end."""
    solution = solve(position)
    return Choice(
        move=solution.move,
        score=float(solution.score),
        color=position.turn,
        depth=game_rules(position.game).moves_left(position) or 0,
        nodes=solution.nodes,
        seconds=solution.seconds,
        line=solution.line,
    )


def _question(game: GameRecord, ply: int, parent: int | None) -> Any:
    return parent, game.start, game.moves[:ply]


def _bits(squares: frozenset[int]) -> int:
    return sum(1 << square for square in squares)
