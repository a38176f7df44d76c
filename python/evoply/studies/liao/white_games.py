"""The games of Liao's tables: a hypothesis as White against a player that moves at random.

The rules `reconstruction` are those of the program behind the tables, found by simulation.
It departs from the rules of Othello, so it is not a player of evoply and has its own game loop:

1. Black, the random player, begins. The game is over when neither side can move. A lost turn never
   ends it, except after 60 in a row or 400 turns. White wins with strictly more discs.
2. White values the board after each of its moves, in the order a1, b1, ..., h8, and plays the first
   move with the greatest value above 0. If no value is above 0, the turn is lost.
3. Trees are read by the faulty string machine of the paper's bug report (`legacy_tree`); a / 0 = 1.
4. Black draws a number from 1 to n of its n moves and plays the move after it, counted from 1;
   where there is none, its turn is lost. So the first move is never played.
5. Stages change at shares of (discs - 4) / 60 where White chooses.

The string machine reads its text in the same way on every board, so its computation is itself a
tree: that tree is lowered, and many games are played side by side.
"""

from dataclasses import dataclass, field
from itertools import accumulate

import numpy as np

from evoply import _native
from evoply.arena import Schedule, play
from evoply.expressions import PRIMITIVE_SETS, Constant, Node, PrimitiveSet
from evoply.games.othello import Position
from evoply.games.squares import squares_in
from evoply.gp import Genotype, lower
from evoply.gp.tree import MAX_TREE_NODES, Tree
from evoply.gp.tree_text import MAX_TEXT_LENGTH, TreeSyntaxError
from evoply.players import RandomPlayer, Staged, TreeEvaluator, player_of
from evoply.studies.study import Request
from evoply.studies.verdicts import Figure, share_of_games

# The faulty parser of Liao's course program, as the tree that the program played for a text.
#
# The program evolved trees but played their texts, with a token machine that wrongly skips closing
# brackets: after `)` a following `(` is not recognised, the operand counts 0, and the rest of the
# text is out of step. The behaviour of the machine depends only on the text, so its computation is
# itself a tree, in which a missing operand is the constant 0. Tests compare with it, and the
# reconstruction of the program behind the paper's tables plays it. Source: Liao, "Genetic
# Programming Applied to Board Game Othello", section "Bug Report".

_BRACKETS = ("(", ")", "))", ")))", "))))")
"""The brackets that the machine skips before an operand, each once and in this order."""
_MISSING = Constant(0.0)


@dataclass(frozen=True, slots=True)
class LegacyReading:
    """The tree that the program played for a text.

    *errors* is the number of its "Parse Error" reports; *unread* is the number of tokens that it
    never read, closing brackets at the end included.
    """

    tree: Tree
    errors: int
    unread: int

    @property
    def had_error(self) -> bool:
        """Whether "Parse Error" was reported."""
        return self.errors > 0


def legacy_tree(text: str, primitive_set: PrimitiveSet) -> LegacyReading:
    """Return the tree that the token machine computes for *text* over *primitive_set*.

    Only white space separates tokens. A missing operand at the end of the text, for which the paper
    shows no code, also counts as a parse error. Raises `TreeSyntaxError` for a text or a tree that
    is too long and ValueError for a set with types other than numbers.

    >>> from evoply.expressions import PRIMITIVE_SETS
    >>> reading = legacy_tree("( + ( * white white ) ( * black black ))", PRIMITIVE_SETS["liao"])
    >>> print(reading.tree, reading.had_error)
    ( + ( * white white ) 0 ) True
    """
    if any({node.type, *node.argument_types} != {"number"} for node in primitive_set):
        raise ValueError(f"the legacy parser knows numbers only, not the set {primitive_set.name}")
    if len(text) > MAX_TEXT_LENGTH:
        raise TreeSyntaxError("the text is too long", text, MAX_TEXT_LENGTH + 1)
    tokens = text.split()
    nodes: list[Node] = []
    index = errors = 0
    wanted = 1  # operands still to come
    while wanted:
        # Step 1. Take the next item after the brackets that are skipped.
        item = tokens[index] if index < len(tokens) else ""
        index += 1
        for bracket in _BRACKETS:
            if item == bracket:
                item = tokens[index] if index < len(tokens) else ""
                index += 1
        # Step 2. Add an operator, a terminal, or 0 for a parse error.
        node: Node = _MISSING
        if item in primitive_set:
            node = primitive_set[item]
        errors += node is _MISSING
        nodes.append(node)
        if len(nodes) > MAX_TREE_NODES:
            raise TreeSyntaxError(f"a tree may have at most {MAX_TREE_NODES} nodes", text, 1)
        wanted += node.arity - 1
    return LegacyReading(Tree(primitive_set, tuple(nodes)), errors, max(len(tokens) - index, 0))


RULES = ("plain", "reconstruction")
PRINTED_GAMES = 50
GAME = "othello"
_MOST_LOST = 60
_MOST_TURNS = 400
_BATCH = 1000
"""Games played side by side: positions of one turn are valued together."""


@dataclass(frozen=True, slots=True)
class WhiteResults:
    """The results of games as White."""

    wins: int
    games: int
    distinct: int


def staged_of(text: str, **options: object) -> Staged:
    """Return the player of a hypothesis in the paper's form; surplus operands are ignored."""
    evaluator = TreeEvaluator(tree=text, primitives="liao", lenient="drop")
    return Staged(evaluator=evaluator, **options)  # type: ignore[arg-type]


def games_as_white(
    hypothesis: str | Staged | Genotype,
    *,
    games: int,
    seed: int,
    rules: str = RULES[0],
    threads: int = 0,
) -> WhiteResults:
    """Return the results of *hypothesis* as White against a random Black.

    All hypotheses play with the same keys, so Black plays alike in like positions of a game.
    """
    stream = _native.Stream(seed, "liao")
    if rules == "reconstruction":
        if not isinstance(hypothesis, str):
            raise ValueError("the reconstruction reads the text of a hypothesis")
        return WhiteResults(*play_reconstruction(hypothesis, games=games, stream=stream))
    white = staged_of(hypothesis) if isinstance(hypothesis, str) else player_of(hypothesis)
    schedule = Schedule(
        black=np.zeros(games, dtype=np.uint32),
        white=np.ones(games, dtype=np.uint32),
        opening_keys=stream.child("opening").keys(games),
        game_keys=stream.child("game").keys(games),
        opening_plies=0,
        starts=(Position().row,),
    )
    results = play(GAME, (RandomPlayer(), white), schedule, threads=threads)
    return WhiteResults(
        wins=int((results.white_discs > results.black_discs).sum()),
        games=games,
        distinct=len(np.unique(results.hashes)),
    )


def wins_of_50(
    hypothesis: str | Staged, request: Request, games: int, rules: str = RULES[0]
) -> Figure:
    """Return the wins of a hypothesis in 50 games under *rules*."""
    played = games_as_white(
        hypothesis, games=games, seed=request.seed, rules=rules, threads=request.threads
    )
    return share_of_games(played.wins, played.games, of=PRINTED_GAMES, distinct=played.distinct)


@dataclass(slots=True)
class _Game:
    black: int
    white: int
    stream: _native.Stream
    is_blacks_turn: bool = True
    lost: int = 0
    turns: int = 0
    moves: list[int] = field(default_factory=list)


def play_reconstruction(text: str, *, games: int, stream: _native.Stream) -> tuple[int, int, int]:
    """Return wins of the hypothesis *text* as White, games played, and different games."""
    programs, ends = _stages(text)
    keys = stream.child("reconstruction").keys(games)
    wins = 0
    seen: set[tuple[int, ...]] = set()
    for begin in range(0, games, _BATCH):
        batch = [_new_game(int(key)) for key in keys[begin : begin + _BATCH]]
        going_on = batch
        while going_on:
            _black_turns([game for game in going_on if game.is_blacks_turn])
            going_on = [game for game in going_on if not _is_over(game)]
            _white_turns([g for g in going_on if not g.is_blacks_turn], programs, ends)
            going_on = [game for game in going_on if not _is_over(game)]
        wins += sum(game.white.bit_count() > game.black.bit_count() for game in batch)
        seen.update(tuple(game.moves) for game in batch)
    return wins, games, len(seen)


def _stages(text: str) -> tuple[list[_native.Program], list[float]]:
    """Return the program of each stage and the clock, in percent, at which it ends."""
    parts = [part.strip() for part in text.split(",")]
    percents = [float(part) for part in parts[1::2]] or [100.0]
    trees = [legacy_tree(part, PRIMITIVE_SETS["liao"]).tree for part in parts[::2]]
    return lower(trees, "othello"), list(accumulate(percents))


def _new_game(key: int) -> _Game:
    start = Position()
    return _Game(start.black, start.white, _native.Stream.from_key(key))


def _is_over(game: _Game) -> bool:
    if game.lost >= _MOST_LOST or game.turns >= _MOST_TURNS:
        return True
    return not (
        _native.othello_moves(8, game.black, game.white)
        or _native.othello_moves(8, game.white, game.black)
    )


def _play(game: _Game, square: int | None) -> None:
    """Put a disc, or lose the turn without one, and hand the turn over."""
    game.turns += 1
    game.moves.append(-1 if square is None else square)
    if square is None:
        game.lost += 1
    else:
        game.lost = 0
        game.black, game.white = _after(game, square)
    game.is_blacks_turn = not game.is_blacks_turn


def _after(game: _Game, square: int) -> tuple[int, int]:
    """Return Black's and White's discs after a move of the side whose turn it is."""
    own, other = (game.black, game.white) if game.is_blacks_turn else (game.white, game.black)
    flips = _native.othello_flips(8, own, other, square)
    own, other = own | flips | 1 << square, other & ~flips
    return (own, other) if game.is_blacks_turn else (other, own)


def _black_turns(games: list[_Game]) -> None:
    for game in games:
        legal = list(squares_in(_native.othello_moves(8, game.black, game.white)))
        drawn = 1 + game.stream.below(len(legal)) if legal else 0
        _play(game, legal[drawn] if drawn < len(legal) else None)


def _white_turns(games: list[_Game], programs: list[_native.Program], ends: list[float]) -> None:
    """Let White move in *games*, the boards of each stage valued in one call."""
    by_stage: dict[int, list[_Game]] = {}
    for game in games:
        now = 100 * ((game.black | game.white).bit_count() - 4) / 60
        stage = next((k for k, end in enumerate(ends) if now < end), len(ends) - 1)
        by_stage.setdefault(stage, []).append(game)
    for stage, staged in by_stage.items():
        legal = [
            list(squares_in(_native.othello_moves(8, game.white, game.black))) for game in staged
        ]
        # White is own: it is the side to move in the rows, as the paper's White is the trees' own.
        rows = [
            (*_after(game, square), 0, False, game.turns, 0)
            for game, squares in zip(staged, legal, strict=True)
            for square in squares
        ]
        values = (
            programs[stage].evaluate(_native.Positions("othello", rows))[:, 0]
            if rows
            else np.empty(0)
        )
        begin = 0
        for game, squares in zip(staged, legal, strict=True):
            best, chosen = 0.0, None
            for square, value in zip(
                squares, values[begin : begin + len(squares)].tolist(), strict=True
            ):
                if value > best:
                    best, chosen = value, square
            begin += len(squares)
            _play(game, chosen)
