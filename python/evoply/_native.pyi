"""The kernel: rules, board expressions, search and game loops, compiled from Rust."""

from collections.abc import Callable, Sequence
from typing import final

import numpy as np
from numpy.typing import NDArray

__version__: str
__all__ = [
    "Games",
    "Player",
    "Positions",
    "PrimitiveSet",
    "Program",
    "Stream",
    "__version__",
    "analyse",
    "clock",
    "cpu",
    "destinations",
    "legal_moves",
    "mobility",
    "online_move",
    "othello_flips",
    "othello_moves",
    "perft",
    "piece_counts",
    "play",
    "row_after",
    "solve",
    "symmetry",
]
_Row = tuple[int, int, int, bool, int, int]
cpu: str
"""The CPU path in use: baseline, avx2 or avx512; the environment variable EVOPLY_CPU forces one."""

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
def mobility(game: str, row: _Row, is_black: bool, /) -> int: ...
def clock(game: str, pieces: int, /) -> float: ...
def destinations(game: str, row: _Row, is_black: bool, /) -> int: ...
def perft(game: str, row: _Row, depth: int, threads: int = 0) -> int: ...
def solve(
    game: str,
    row: _Row,
    mode: str = "exact",
    *,
    empties_to_winner: bool = True,
    every_move: bool = False,
    table_mib: int = 256,
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
        ordering: str = "none",
        table: int = 0,
        deeper: bool = False,
        noise: int | None = None,
        alternate: str | None = None,
        quiescence: bool = False,
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
    def with_random_moves(self, count: int, /) -> Player: ...
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
    def choose(self, player: Player, keys: NDArray[np.uint64]) -> NDArray[np.int64]: ...

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
    every_move: bool = False,
) -> tuple[int, float | None, int, list[int], int, float, list[tuple[int, float]]]: ...
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
def piece_counts(
    game: str,
    moves: Sequence[Sequence[int]],
    *,
    starts: Sequence[_Row],
    start_of: NDArray[np.uint32] | None = None,
    threads: int = 0,
) -> tuple[NDArray[np.int32], NDArray[np.int32]]: ...
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
    preserve_alpha: bool,
    start: str,
    redraw: bool,
    choose: str,
    roots: str = "free",
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
