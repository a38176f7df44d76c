"""What rules must do, tried on games of random moves: `evoply game FILE --check`."""

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any

from evoply import _native
from evoply.games import GAMES, game_added
from evoply.games.data import SYMMETRIES, DataGameRules
from evoply.games.squares import squares_in
from evoply.protocols import BoardShape, InvalidMoveError
from evoply.rules.language import Rules
from evoply.rules.moves import rows_after, wrong_after, wrong_squares

__all__ = ["Finding", "check_rules"]

MOST_PLIES = 1000
"""Plies of a random game that are looked at; with rules that name no cap it should end sooner."""
_PLIES_EACH = 300
"""Plies that random games may have on average; there are fewer games if they are longer."""
_LOOKS_EACH = 1000
"""Moves that the checks of single boards look at for each random game, in all mirror images.

What a check costs does not grow with the rules: of larger games it looks at fewer boards.
"""
_PERFT_LEAVES = 3_000_000
_EXCHANGED = MappingProxyType({"same": 0, "turned": 3, "transposed": 4})
"""The kernel's symmetry that turns the board where colours are exchanged, by `colors`."""


@dataclass(frozen=True)
class Finding:
    """One check, and what is wrong: *what - where - what to do*; "" if nothing is."""

    check: str
    wrong: str = ""


def check_rules(rules: Rules, *, games: int = 100, seed: int = 1) -> list[Finding]:
    """Return what the checks find in *games* random games; the same for the same *seed*.

    Long games and boards with many moves are looked at in part, so that it takes seconds. More
    *games* look at more. Raises `RulesError` if the game cannot begin.
    """
    game = rules.game()
    played = _played(game, rules, seed, games)
    positions = [position for positions in played for position in positions]
    some = _sample(positions, rules, games * _LOOKS_EACH)
    checks: list[tuple[str, Callable[[], Iterator[str]]]] = [
        ("random games end", lambda: _ends(rules, played)),
        ("a square holds one piece", lambda: _holds_one(rules, some)),
        ("boards and moves are read back", lambda: _reads_back(game, some)),
        ("a board is over exactly if nobody moves", lambda: _is_over(positions)),
        ("colours can be exchanged", lambda: _exchanges(rules, some)),
        (f"symmetries {rules.symmetries} hold", lambda: _symmetries(rules, game, some)),
    ]
    if rules.clock is not None:
        checks.append(("the clock runs from 0 on", lambda: _clock(positions)))
    if rules.quiet is not None:
        checks.append(("some boards are quiet", lambda: _quiet(rules, positions)))
    return [Finding(name, next(check(), "")) for name, check in checks]


def perft_counts(game: DataGameRules, depths: int) -> list[int]:
    """Return the leaves at each depth from 1 on, at most some millions."""
    counts: list[int] = []
    row = game.start().row
    for depth in range(1, depths + 1):
        counts.append(_native.perft(game.kernel, row, depth))
        if len(counts) > 1 and counts[-1] * max(counts[-1] / max(counts[-2], 1), 1) > _PERFT_LEAVES:
            break
    return counts


def _played(game: DataGameRules, rules: Rules, seed: int, games: int) -> list[list[Any]]:
    """Return the positions of random games, up to the first that goes on for ever."""
    played: list[list[Any]] = []
    plies = 0
    while len(played) < games and plies < games * _PLIES_EACH:
        played.append(_random_game(game, rules, seed, len(played)))
        plies += len(played[-1])
        if _goes_on(rules, played[-1]):
            break
    return played


def _random_game(game: DataGameRules, rules: Rules, seed: int, number: int) -> list[Any]:
    stream, position = _native.Stream(seed, f"check-{number}"), game.start()
    positions: list[Any] = [position]
    most = min(rules.max_plies or MOST_PLIES, MOST_PLIES)
    while len(position.legal_moves) and len(positions) <= most:
        moves = position.legal_moves
        position = position.play(moves[stream.below(len(moves))])
        if wrong_squares(position.row, rules.playable):
            break
        positions.append(position)
    return positions


def _goes_on(rules: Rules, positions: list[Any]) -> bool:
    return rules.max_plies is None and len(positions) > MOST_PLIES


def _sample(positions: list[Any], rules: Rules, most: int) -> list[Any]:
    """Return as many of *positions*, evenly spaced, as checks can look at with *most* moves."""
    images = len(SYMMETRIES[rules.symmetries])
    looks = (1 + images) * sum(len(position.legal_moves) for position in positions)
    return positions[:: -(-looks // most) | 1]  # an odd step, which meets both sides


def _ends(rules: Rules, played: list[list[Any]]) -> Iterator[str]:
    for number, positions in enumerate(played):
        if _goes_on(rules, positions):
            yield (
                f"random game {number} - goes on after {MOST_PLIES} plies - name max_plies, after"
                " which a game is a draw"
            )


def _holds_one(rules: Rules, positions: list[Any]) -> Iterator[str]:
    for position in positions:
        yield from wrong_after(position, rules.moves, rules.playable)


def _reads_back(game: DataGameRules, positions: list[Any]) -> Iterator[str]:
    for position in positions:
        try:
            same = game.parse(str(position)) == position == game.parse(position.text())
        except InvalidMoveError as error:
            yield f"{position.text()} - cannot be read: {error} - choose other symbols"
            return
        if not same:
            yield f"{position.text()} - is read as another board - choose other symbols"
        for move in position.legal_moves:
            if type(move).parse(str(move), position.shape) != move:
                yield f"{move} - is read as another move - report this to evoply"


def _is_over(positions: list[Any]) -> Iterator[str]:
    for position in positions:
        if bool(position.legal_moves) == (position.outcome() is not None):
            yield f"{position.text()} - has moves and an outcome - report this to evoply"


def _clock(positions: list[Any]) -> Iterator[str]:
    if positions[0].clock != 0:
        yield f"{positions[0].text()} - the start has the clock {positions[0].clock:g} - make it 0"
    if all(position.clock == 0 for position in positions):
        yield "the clock - is 0 on every board - count what changes in a game"


def _quiet(rules: Rules, positions: list[Any]) -> Iterator[str]:
    known = GAMES.get(rules.name)
    if known is not None and getattr(known, "rules_digest", "") != rules.digest:
        yield f"name - there is a game called {rules.name} with other rules - take another name"
        return
    with game_added(rules) if known is None else nullcontext():
        values = [rules.quiet.evaluate(position) for position in positions if position.legal_moves]
    if not any(values):
        yield "quiet - no board is - let it hold where nothing is about to happen"


def _exchanges(rules: Rules, positions: list[Any]) -> Iterator[str]:
    index = _EXCHANGED[rules.colors]

    def image(row: Any) -> Any:
        black, white = (_turned(rules.shape, squares, index) for squares in row[:2])
        return white, black, row[2], not row[3]

    for position in positions:
        if not _same_game(position, position.colors_exchanged(), image):
            yield (
                f"{position.text()} - has other moves once the colours are exchanged and the board"
                f" is {rules.colors} - write colors= another of same, turned, transposed"
            )


def _symmetries(rules: Rules, game: DataGameRules, positions: list[Any]) -> Iterator[str]:
    for index in SYMMETRIES[rules.symmetries][1:]:

        def image(row: Any, index: int = index) -> Any:
            return *(_turned(rules.shape, squares, index) for squares in row[:2]), *row[2:4]

        for position in positions:
            other = game.position_from_row((*image(position.row), *position.row[4:]))
            if not _same_game(position, other, image):
                yield (
                    f"{position.text()} - has other moves under symmetry {index} - declare fewer"
                    " symmetries"
                )


def _same_game(position: Any, other: Any, image: Callable[[Any], Any]) -> bool:
    """Return whether *other* goes on as *position* does, whose rows are seen in the *image*."""
    mine, theirs = position.outcome(), other.outcome()
    if (mine is None) != (theirs is None):
        return False
    if mine is not None:
        exchanged = position.turn is not other.turn
        winner = mine.winner.opposite if exchanged and mine.winner else mine.winner
        return bool(winner == theirs.winner)
    after = {image(row) for row in rows_after(position)}
    return after == {row[:4] for row in rows_after(other)}


@cache
def _images(shape: BoardShape, index: int) -> tuple[int, ...]:
    """Return where each square of *shape* goes under the kernel's symmetry *index*, as a bit."""
    images = []
    for square in range(shape.squares):
        row, column = divmod(square, shape.columns)
        row, column = (column, row) if index & 4 else (row, column)
        row = shape.rows - 1 - row if index & 2 else row
        column = shape.columns - 1 - column if index & 1 else column
        images.append(1 << shape.index(row, column))
    return tuple(images)


def _turned(shape: BoardShape, squares: int, index: int) -> int:
    images = _images(shape, index)
    return sum(images[square] for square in squares_in(squares))
