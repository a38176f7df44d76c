"""The kernel: rules, board expressions, search and game loops, compiled from Rust."""

from collections.abc import Callable, Sequence
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

__version__: str
__all__ = [
    "Games",
    "Player",
    "Positions",
    "PrimitiveSet",
    "Program",
    "Replayed",
    "Searcher",
    "Stream",
    "__version__",
    "add_rules",
    "analyse",
    "clock",
    "clock_at",
    "count_nodes",
    "cpu",
    "destinations",
    "fit_tables",
    "learn_games",
    "learn_tables",
    "legal_moves",
    "mobility",
    "online_move",
    "othello_flips",
    "othello_moves",
    "outcome",
    "paths",
    "perft",
    "piece_counts",
    "play",
    "replay",
    "replay_all",
    "row_after",
    "rows_along",
    "rust",
    "solve",
    "symmetry",
]
_Row = tuple[int, int, int, bool, int, int]
_Analysis = tuple[
    int, float | None, int, list[int], int, float, list[tuple[int, float, list[int]]], bool
]
cpu: str
"""The CPU path in use: baseline, avx2 or avx512; the environment variable EVOPLY_CPU forces one."""
paths: tuple[str, ...]
"""The CPU paths that are built into this library, slowest first."""
rust: str
"""The version of the compiler that built this library."""

@final
class Stream:
    """Draws from one key of the tree of keys."""

    def __new__(cls, seed: int, /, *path: int | str) -> Stream: ...
    @staticmethod
    def from_key(key: int, /) -> Stream: ...
    @property
    def key(self) -> int: ...
    @property
    def parent(self) -> int | None: ...
    def child(self, *path: int | str) -> Stream: ...
    def keys(self, count: int, /) -> NDArray[np.uint64]: ...
    def bits(self) -> int: ...
    def below(self, bound: int, /) -> int: ...
    def random(self) -> float: ...

def othello_moves(size: int, own: int, opponent: int, /) -> int: ...
def othello_flips(size: int, own: int, opponent: int, square: int, /) -> int: ...
def symmetry(size: int, squares: int, index: int, /) -> int: ...
def legal_moves(game: str, row: _Row, /) -> list[int]: ...
def row_after(game: str, row: _Row, code: int, /) -> _Row: ...
def add_rules(name: str, rules: str, /) -> None: ...
def outcome(game: str, row: _Row, /) -> tuple[str | None, int] | None: ...
def mobility(game: str, row: _Row, is_black: bool, /) -> int: ...
def clock(game: str, pieces: int, /) -> float: ...
def clock_at(game: str, row: _Row, /) -> float: ...
def destinations(game: str, row: _Row, is_black: bool, /) -> int: ...
def perft(
    game: str, row: _Row, depth: int, threads: int = 0, table_mib: int | None = None
) -> int: ...
def solve(
    game: str,
    row: _Row,
    mode: str = "exact",
    *,
    empties_to_winner: bool = True,
    every_move: bool = False,
    table_mib: int = 256,
    threads: int = 1,
    milliseconds: int | None = None,
) -> tuple[int, int | None, int, float, list[int], list[tuple[int, int]]]: ...

@final
class Program:
    """A compiled board expression for one game."""

    def __new__(
        cls, game: str, expression: str, /, *, keep_parameters: bool = False
    ) -> Program: ...
    @property
    def game(self) -> str: ...
    @property
    def parameters(self) -> NDArray[np.float64]: ...
    def with_parameters(self, values: NDArray[np.float64], /) -> Program: ...
    @property
    def outputs(self) -> int: ...
    @property
    def operations(self) -> int: ...
    def operations_by_output(self) -> list[int]: ...
    def evaluate(self, positions: Positions, reference: bool = False) -> NDArray[np.float64]: ...

@final
class PrimitiveSet:
    """Named expressions with arguments, ready to lower trees over them."""

    def __new__(cls, game: str, expressions: Sequence[str], /) -> PrimitiveSet: ...
    def lower(
        self,
        codes: Sequence[Sequence[int]],
        constants: Sequence[Sequence[float]],
        /,
        trees: int = 1,
    ) -> list[Program]: ...

@final
class Player:
    """What chooses a move: a kind, an evaluator and its options."""

    def __new__(
        cls,
        game: str,
        kind: str,
        program: Program | None = None,
        *,
        view: str = "player",
        ties: str = "first",
        epsilon: float = 0.0,
        depth: int = 1,
        nodes: int | None = None,
        milliseconds: int | None = None,
        ordering: str = "usual",
        table: int = 0,
        deeper: bool = False,
        noise: int | None = None,
        alternate: str | None = None,
        quiescence: bool = False,
        guard: bool = False,
        endgame: int = 0,
        presses_on: bool = False,
        temperature: float | None = None,
        overlooks: float = 0.0,
        selective: tuple[
            float,
            Sequence[int],
            Sequence[tuple[int, int, Sequence[Sequence[float]]]],
        ]
        | None = None,
    ) -> Player: ...
    @staticmethod
    def staged(
        game: str,
        programs: Sequence[Program],
        shares: Sequence[Sequence[float]],
        *,
        clock: str = "pieces",
        view: str = "player",
        ties: str = "first",
    ) -> Player: ...
    @staticmethod
    def mcts(
        game: str,
        program: Program,
        *,
        view: str = "player",
        playouts: int | None = None,
        exploration: float = 1.0,
        playout: str = "random",
        epsilon: float = 0.0,
        scale: float = 1.0,
        gather: int = 1,
        milliseconds: int | None = None,
        endgame: int = 0,
        draws: tuple[int | None, int | None, int | None] = ...,
    ) -> Player: ...
    def with_random_moves(self, count: int, /) -> Player: ...
    @property
    def game(self) -> str: ...

@final
class Searcher:
    """A player that keeps its table, its killers and the search of its latest position."""

    def __new__(cls, player: Player, /, *, table: int = 0, threads: int = 1) -> Searcher: ...
    def think(
        self,
        row: _Row,
        game_key: int,
        *,
        moves: int = 0,
        depth: int | None = None,
        soft: float | None = None,
        hard: float | None = None,
        best: int = 0,
        earlier: Sequence[_Row] = ...,
        told: Callable[[int, float | None, int, float, list[int]], object] | None = None,
    ) -> tuple[_Analysis, bool]: ...
    def solve(
        self, row: _Row, game_key: int, *, moves: int = 0, within: float | None = None
    ) -> _Analysis | None: ...
    def ready(self) -> None: ...
    def stop(self) -> None: ...
    def forget(self) -> None: ...
    @property
    def game(self) -> str: ...

@final
class Positions:
    """A batch of positions of one game."""

    def __new__(cls, game: str, rows: Sequence[_Row], /) -> Positions: ...
    @staticmethod
    def random(game: str, count: int, key: int, least_plies: int, most_plies: int) -> Positions: ...
    def __len__(self) -> int: ...
    def __getitem__(self, index: int, /) -> _Row: ...
    def choose(
        self, player: Player, keys: NDArray[np.uint64], *, threads: int = 0
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]: ...

@final
class Games:
    """What came of a schedule of games; arrays have one entry a game."""

    @property
    def black_discs(self) -> NDArray[np.int32]: ...
    @property
    def white_discs(self) -> NDArray[np.int32]: ...
    @property
    def plies(self) -> NDArray[np.int32]: ...
    @property
    def hashes(self) -> NDArray[np.uint64]: ...
    @property
    def winners(self) -> NDArray[np.int8]: ...
    @property
    def endings(self) -> NDArray[np.uint8]: ...
    @property
    def moves(self) -> list[list[int]] | None: ...
    @property
    def values(self) -> list[list[float]] | None: ...

def analyse(
    player: Player,
    black: int,
    white: int,
    kings: int,
    black_to_move: bool,
    ply: int,
    quiet_plies: int,
    game_key: int,
    *,
    moves: int = 0,
    best: int = 0,
    threads: int = 1,
    earlier: Sequence[_Row] = ...,
) -> _Analysis: ...
def count_nodes(
    game: str,
    program: Program,
    row: _Row,
    depths: Sequence[int],
    /,
    *,
    order: str = "none",
    table: int = 16,
    view: str = "turn",
) -> list[tuple[int, int, float, int, int, float]]:
    """Search to each of *depths* in turn by plain alpha-beta; only the order of moves differs.

    *order*: none, evaluator (the best board after the move first, at every level but the last) or
    table (the move that was best when the position was searched last, first; 2 ** *table* entries,
    kept from one depth to the next). For each depth: the depth, the code of the first best move,
    its value for the side to move, nodes (positions entered and leaves valued), boards valued only
    to order moves, seconds. Moves and values are the same in every order.
    """

def play(
    game: str,
    players: Sequence[Player],
    black: NDArray[np.uint32],
    white: NDArray[np.uint32],
    opening_keys: NDArray[np.uint64],
    game_keys: NDArray[np.uint64],
    *,
    starts: Sequence[_Row],
    start_of: NDArray[np.uint32] | None = None,
    opening_plies: int = 8,
    draws: tuple[int | None, int | None, int | None] = ...,
    threads: int = 0,
    record_moves: bool = False,
    progress: Callable[[int], object] | None = None,
) -> Games: ...

@final
class Replayed:
    """What came of games that were played over again; arrays have one entry a game."""

    @property
    def taken(self) -> NDArray[np.int32]: ...
    @property
    def plies(self) -> NDArray[np.int32]: ...
    @property
    def black_discs(self) -> NDArray[np.int32]: ...
    @property
    def white_discs(self) -> NDArray[np.int32]: ...
    @property
    def is_over(self) -> NDArray[np.bool_]: ...
    @property
    def winners(self) -> NDArray[np.int8]: ...
    @property
    def codes(self) -> list[list[int]]: ...
    @property
    def rows(self) -> list[_Row]: ...

def replay(game: str, row: _Row, codes: Sequence[int], /) -> tuple[list[int], int, _Row]: ...
def rows_along(game: str, row: _Row, codes: Sequence[int], /) -> list[_Row]: ...
def replay_all(
    game: str,
    codes: NDArray[np.uint64],
    lengths: NDArray[np.uint32],
    *,
    starts: Sequence[_Row],
    start_of: NDArray[np.uint32] | None = None,
    threads: int = 0,
) -> Replayed: ...
def piece_counts(
    game: str,
    moves: Sequence[Sequence[int]],
    *,
    starts: Sequence[_Row],
    start_of: NDArray[np.uint32] | None = None,
    threads: int = 0,
) -> tuple[NDArray[np.int32], NDArray[np.int32]]: ...
def learn_tables(
    value: Program,
    starts: Sequence[_Row],
    /,
    *,
    key: int,
    first_game: int,
    rates: NDArray[np.float64],
    epsilon: float = 0.0,
    random_plies: int = 0,
    outcome: str = "sign",
    max_plies: int | None = None,
    draws: tuple[int | None, int | None, int | None] = ...,
    recorded: int | None = None,
    progress: Callable[[int], object] | None = None,
) -> dict[str, Any]:
    """Play games by a sum of patterns and change its tables: TD(0), one ply ahead.

    *value* is a sum of patterns over pieces, with its parameters kept; squashed to -1 to 1 it is
    what a board is worth to the side to move. Both sides play by it, a move in
    *epsilon* is random, and a game begins with 0 to *random_plies* random plies. At its turn a side
    values all its moves, finished games as what they are. The board after the last move before,
    seen by who made it, should have been worth what the best move says now, and in the end the
    outcome; each entry of that board changes by rate * error * (1 - worth²). *rates*: one a game.

    The answer has `parameters` and for each game `starts`, `points` and `discs` of Black, `plies`,
    `squared_errors`, `updates`, `explored`; `moves` are those of the game number *recorded*, as
    codes; `failed` is the game and the ply at which an entry left the numbers, or None. The same
    arguments give the same answer on every machine.
    """

def fit_tables(
    value: Program,
    boards: Positions,
    labels: NDArray[np.float64],
    /,
    *,
    pulls: NDArray[np.float64],
    rounds: int,
    squashes: bool,
    threads: int = 0,
) -> dict[str, Any]:
    """Fit the tables of a sum of patterns to *labels* of *boards* by least squares.

    *value* is as for `learn_tables`; its patterns have the same stages. A label is the worth of a
    board to the side to move: from -1 to 1 if *squashes*, else on the scale of the sum. What is
    made small is the sum of the squared errors, and of the square of how far each entry moves times
    its pull. At most *rounds* rounds of conjugate gradients.

    The answer has `moves`, how far each entry goes; `visits`, how often the boards had it, of mixed
    tables by the square of a board's share; and `errors`: for each board the label less what the
    tables said before. The same arguments give the same answer
    on every machine, with any number of *threads* (0: one a core).
    """

def learn_games(
    game: str,
    features: Program,
    starts: Sequence[_Row],
    /,
    *,
    weights: NDArray[np.float64],
    time_weights: NDArray[np.float64],
    scales: NDArray[np.float64],
    clip: bool,
    key: int,
    first_game: int,
    games: int,
    rates: NDArray[np.float64],
    rule: str,
    decay: float = 0.0,
    learns: str = "both",
    opponent: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None,
    epsilon: float = 0.0,
    depth: int = 1,
    value: tuple[Program, NDArray[np.int64], NDArray[np.int64]] | None = None,
    ordering: str = "none",
    table: int = 0,
    backed_up: bool = False,
    outcome: str = "sign",
    batch: int = 1,
    threads: int = 1,
    max_plies: int | None = None,
    draws: tuple[int | None, int | None, int | None] = ...,
    adaptive: tuple[NDArray[np.float64], ...] | None = None,
    every: int = 1,
    recorded: int | None = None,
    progress: Callable[[int], object] | None = None,
) -> dict[str, Any]:
    """Play games and change the weights of a linear evaluator by what is seen in them.

    *features* gives a number a feature, own minus opponent for the side to move; divided by the
    scale, and within -1 and 1 if *clip*, it is F_i. A board is worth the sum of
    (w_i F_i) (2T + sum of O_ik (1 - 2T)^k), T its clock. *rates* has a row a game, of weights and
    of time weights. *value*: the same as a program with parameters, for searches of more than one
    ply, and the places of weights and time weights among them. The opponent plays by its own
    weights and never explores; without it both sides play by the weights that learn.

    At its turn a side learns first, from the error of what it thought before (*rule*: td, td-lambda
    or td-leaf) and then moves. A pass belongs to the reply of the other side. *max_plies* counts
    from the start, the third of *draws* is the ply of the position. *adaptive*: sums of changes
    and of their sizes; a parameter then learns at its rate times |sum| / size. Games of a *batch*
    begin alike and what they learn is added in their order.

    The answer has `weights`, `time_weights` and `adaptive` in the shapes of the arguments;
    `history` (times, features, 1 + degree), written down after *every* so many games; and with an
    entry a game `starts` (places), `points` (Black's 1, 0.5 or 0), `discs` (Black's minus White's),
    `plies` (from the start, passes included), `squared_errors` (their sum), `updates`, `clipped`
    (features beyond their scale, on all boards but the first) and `explored` (moves drawn instead
    of chosen). `failed` is the game and ply at which a weight was no finite number within 1e6:
    everything else is then as it was before that game; else None. `ValueError` says which argument
    is wrong.
    Sources: Almgren, Berglund & Milstein (FIREBRAND); Sutton (1988); Baxter, Tridgell &
    Weaver (1998); Beal & Smith (1999).
    """

def online_move(
    game: str,
    row: _Row,
    key: int,
    *,
    areas: Sequence[int],
    corners: int,
    edges: int,
    population: int,
    generations: int,
    games: int,
    tournament: int,
    crossover: float,
    mutation: float,
    min_depth: int,
    max_depth: int,
    size_limit: int,
    init_size_limit: int,
    lowest: int,
    highest: int,
    preserve_alpha: str,
    start: str,
    redraw: bool,
    choose: str,
    roots: str = "free",
    exploration: float = 0.5,
    mobility: bool = False,
    replies: bool = False,
    draws: tuple[int | None, int | None, int | None],
    alpha: tuple[Sequence[int], Sequence[int], tuple[bool, bool, bool]] | None = None,
    milliseconds: int | None = None,
    threads: int = 1,
) -> tuple[
    int,
    list[int],
    list[int],
    tuple[bool, bool, bool],
    int,
    int,
    float,
    list[tuple[int, int, int]],
]: ...
