"""The parts of a config that say how games are played: by whom, from where, and until when.

Reasons: docs/design/evolution.md.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, model_validator

from evoply.configs.own_code import Code
from evoply.configs.part import Part
from evoply.games import game_rules
from evoply.games.position import DrawRules
from evoply.players import AfterState, AlphaBeta
from evoply.players.mcts import MOST_PLAYOUTS
from evoply.players.player_kind import Ties, View
from evoply.players.search_options import MAX_DEPTH, NODES_OR_WORK, Nodes, Quiescence, Work
from evoply.protocols import Row

USUAL = "usual"
_NEVER = "never"
_MOST = 1_000_000


class PlayerSettings(Part):
    """How a tree plays: with no `depth`, `nodes` or `work` it only compares boards after a move."""

    ties: Ties = "first"
    """Which of equally good moves is played; `advanced` is for checkers."""
    view: View = "player"
    """Whose squares are own: those of who chooses, or of the side to move at that board."""
    depth: int = Field(default=0, ge=0, le=20)
    """Plies looked ahead by alpha-beta, the move itself included; 0 is the after-state player, or
    with `nodes` or `work` as deep as they allow."""
    nodes: Nodes = None
    """Positions that a search may look at for a move; None for no limit."""
    work: Work = None
    """The same limit in positions times operations of the individual's program: a larger tree sees
    fewer positions, so that its size costs strength."""
    ordering: Literal["usual", "none", "evaluator", "killer", "tree"] = "usual"
    """Which moves a search looks at first: only speed depends on it, and no digest; with `nodes` or
    `work` how deep it looks. `tree`: as the second tree of individuals of kind `ordered` says;
    `usual`: `killer` from four plies on and `refutation` with three, where that changes no move."""
    quiescence: Quiescence = False
    """In checkers: no board is valued in the middle of a capture; captures beyond the depth are
    looked at to their end."""
    guard: bool = False
    """Whether it sees replies that end the game and win it, while it has at most eight pieces: in
    Othello those that take all. See `guard` of players that search. Without a depth it looks ahead
    by one ply."""
    playouts: int | None = Field(default=None, ge=1, le=MOST_PLAYOUTS, strict=True)
    """Playouts of a move, for a Monte Carlo tree search that the individual guides (`mcts`;
    Benbassat & Sipper 2014); None for a player without."""
    playout: Literal["greedy", "none"] = "greedy"
    """How such a search asks the individual. `greedy`: both sides of a playout take the best board
    after their move; `none`: its value of a leaf is squashed into points, and nothing is played."""
    playout_epsilon: float = Field(default=0.1, ge=0, le=1, title="probability")
    """The probability of a random move in greedy playouts."""
    code: Code | None = None
    """Your own player in Python, `python:FILE.py:NAME`: NAME is called with the player that an
    individual is, which values boards, and returns who plays."""

    @property
    def plies(self) -> int:
        """Plies looked ahead at most; 0 for a player that does not search."""
        return self.depth or (MAX_DEPTH if self.is_limited else int(self.guard))

    @property
    def is_limited(self) -> bool:
        """Whether a limit other than the depth may end a search."""
        return self.nodes is not None or self.work is not None

    @property
    def kind(self) -> type[AfterState | AlphaBeta]:
        """The kind of player that an individual is."""
        return AlphaBeta if self.plies else AfterState

    @property
    def options(self) -> dict[str, Any]:
        """Options of its player beside the evaluator."""
        depth = {"depth": self.plies} if self.plies else {}
        fields = self.kind.model_fields  # looked up once: that is slow
        return {key: value for key, value in self if key in fields} | depth

    @model_validator(mode="after")
    def _counts_in_one_way(self) -> PlayerSettings:
        if self.nodes is not None and self.work is not None:
            raise ValueError(NODES_OR_WORK)
        return self

    @property
    def tree_search(self) -> dict[str, Any] | None:
        """Options of the Monte Carlo tree search beside its evaluator; None if there is none."""
        if self.playouts is None:
            return None
        greedy = {"epsilon": self.playout_epsilon} if self.playout == "greedy" else {}
        return {"playouts": self.playouts, "playout": self.playout, **greedy}

    @model_validator(mode="after")
    def _searches_in_one_way(self) -> PlayerSettings:
        for key, is_used in (
            ("playout", self.playouts is not None),
            ("playout_epsilon", self.playouts is not None and self.playout == "greedy"),
        ):
            if not is_used and getattr(self, key) != type(self).model_fields[key].default:
                raise ValueError(f"{key} is for greedy playouts - set playouts, or leave it out")
        if self.playouts is not None and (self.plies or self.code is not None):
            raise ValueError(
                "playouts are a search other than depth, nodes, work and guard, and than code of "
                "yours - leave one of them out"
            )
        return self

    @model_validator(mode="after")
    def _options_need_a_search(self) -> PlayerSettings:
        for option, is_used in (
            ("ordering", self.ordering not in ("usual", "none")),
            ("quiescence", self.quiescence),
        ):
            if is_used and not self.plies:
                raise ValueError(f"{option} is for a depth of 1 and more")
        return self


def _limit(least: int) -> AfterValidator:
    def check(limit: int | str) -> int | str:
        if limit not in (USUAL, _NEVER) and (isinstance(limit, str) or not least <= limit <= _MOST):
            raise ValueError(f"must be a number from {least} to {_MOST:,}, '{USUAL}' or '{_NEVER}'")
        return limit

    return AfterValidator(check)


class Draws(Part):
    """When a game is drawn although the board would let it go on; for checkers.

    Each is a number, `never`, or `usual`: what is usual in the game.
    """

    quiet_plies: Annotated[int | str, _limit(1)] = USUAL
    """Plies without a capture or a move of a man."""
    repetitions: Annotated[int | str, _limit(2)] = USUAL
    """At which occurrence the same board with the same side to move ends the game."""
    max_plies: Annotated[int | str, _limit(1)] = USUAL
    """Plies of the whole game."""

    def rules(self, game: str) -> DrawRules:
        """Return the rules for *game*."""
        usual = game_rules(game).draws
        return DrawRules(
            quiet_plies=_resolve_limit(self.quiet_plies, usual.quiet_plies),
            repetitions=_resolve_limit(self.repetitions, usual.repetitions),
            max_plies=_resolve_limit(self.max_plies, usual.max_plies),
        )


def _resolve_limit(limit: int | str, usual: int | None) -> int | None:
    if isinstance(limit, int):
        return limit
    return usual if limit == USUAL else None


class Start(Part):
    """A position at which games of training and of tests begin."""

    position: str = Field(min_length=1, max_length=10_000)
    """A board or moves, as `--position` takes them."""
    weight: float = Field(default=1.0, gt=0)
    """Its share of all openings is this by the sum of all weights."""

    @model_validator(mode="before")
    @classmethod
    def _positions_are_starts(cls, start: Any) -> Any:
        if isinstance(start, str):
            return {"position": start}
        return {"position": start.text()} if hasattr(start, "row") else start


class Opponent(Part):
    """A fixed opponent of the whole population: a player text and its number of games."""

    player: str = Field(min_length=1, max_length=100_000)
    """A player as text, such as `greedy` or `material:depth=2`."""
    pairs: int = Field(default=5, ge=1, le=100_000)
    """Random openings a generation; each is played twice with colours swapped."""
    games: int | None = Field(default=None, ge=1, le=200_000)
    """Games of training instead of `pairs`, also an odd number of them, as papers play."""


class EarlierGenerations(Part):
    """Champions of earlier generations as opponents, drawn anew each generation."""

    champions: int = Field(default=0, ge=0, le=1000)
    """How many are drawn (fewer while fewer exist)."""
    recent: int = Field(default=0, ge=0, le=1000)
    """How many of them are the newest; the others are drawn from the archive."""
    pairs: int = Field(default=4, ge=1, le=100_000)
    """Opening pairs against each. In `nash` and `pareto` a new champion plays as many against each
    member of the archive."""
    archive: Literal["hall_of_fame", "nash", "pareto"] = "hall_of_fame"
    """`hall_of_fame`: all earlier champions alike. `nash`: the mixture of them that none beats
    (Ficici & Pollack 2003). `pareto`: those who tell champions apart (de Jong 2007)."""
    size: int = Field(default=20, ge=2, le=1000)
    """Members of such an archive at most, of `nash` and `pareto`."""
    layers: int = Field(default=2, ge=1, le=100)
    """Layers of champions that `pareto` tells apart."""

    @model_validator(mode="after")
    def _recent_are_champions(self) -> EarlierGenerations:
        if self.recent > self.champions:
            raise ValueError(f"recent {self.recent} is above champions {self.champions}")
        return self

    @model_validator(mode="after")
    def _has_an_archive(self) -> EarlierGenerations:
        for key, of in (("size", ("nash", "pareto")), ("layers", ("pareto",))):
            if (
                self.archive not in of
                and getattr(self, key) != type(self).model_fields[key].default
            ):
                raise ValueError(f"{key} is for archive = {' and '.join(of)}, not {self.archive}")
        if self.archive != "hall_of_fame" and self.champions == 0:
            raise ValueError(
                f"archive {self.archive} has no use if champions are 0 - set champions"
            )
        return self


@lru_cache(maxsize=256)
def start_row(game: str, text: str) -> Row:
    """Return the position *text* at which games of *game* begin, as the kernel writes it.

    Raises ValueError if *text* is not such a position.
    """
    rules = game_rules(game)
    position = rules.read(text).position
    if position.game != game or position.shape != rules.shape:
        raise ValueError(f"this is a position of {position.game}, not of {game}")
    if position.outcome() is not None:
        raise ValueError("the game is over at this position: no move is left to evolve for")
    row: Row = position.row
    return row
