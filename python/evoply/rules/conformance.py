"""What rules must do, tried on games of random moves: `evoply game FILE --check`."""

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

from evoply import _native
from evoply.games import GAMES, game_added
from evoply.games.data import SYMMETRIES, DataGameRules
from evoply.protocols import InvalidMoveError
from evoply.rules.language import Rules

__all__ = ["Finding", "check_rules"]

MOST_PLIES = 1000
"""Plies that a random game may have, if the rules name no cap."""
_PERFT_LEAVES = 3_000_000


@dataclass(frozen=True)
class Finding:
    """One check, and what is wrong: *what - where - what to do*; "" if nothing is."""

    check: str
    wrong: str = ""


def check_rules(rules: Rules, *, games: int = 100, seed: int = 1) -> list[Finding]:
    """Return what the checks find in *games* random games; the same for the same *seed*."""
    game = rules.game()
    played = [_random_game(game, rules, seed, number) for number in range(games)]
    positions = [position for positions in played for position in positions]
    checks: list[tuple[str, Callable[[], Iterator[str]]]] = [
        ("the game can begin", lambda: _begins(game)),
        ("random games end", lambda: _ends(game, rules, played)),
        ("boards and moves are read back", lambda: _reads_back(game, positions)),
        ("a board is over exactly if nobody moves", lambda: _is_over(positions)),
        ("colours can be exchanged", lambda: _exchanges(rules, positions)),
        (f"symmetries {rules.symmetries} hold", lambda: _symmetries(rules, game, positions)),
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


def _random_game(game: DataGameRules, rules: Rules, seed: int, number: int) -> list[Any]:
    stream, position = _native.Stream(seed, f"check-{number}"), game.start()
    positions: list[Any] = [position]
    while len(position.legal_moves) and len(positions) <= (rules.max_plies or MOST_PLIES):
        moves = position.legal_moves
        position = position.play(moves[stream.below(len(moves))])
        positions.append(position)
    return positions


def _begins(game: DataGameRules) -> Iterator[str]:
    if not game.start().legal_moves:
        yield "the start - Black has no move there - change the start or the moves"


def _ends(game: DataGameRules, rules: Rules, played: list[list[Any]]) -> Iterator[str]:
    for number, positions in enumerate(played):
        if rules.max_plies is None and positions[-1].legal_moves:
            yield (
                f"random game {number} - goes on after {MOST_PLIES} plies - name max_plies, after"
                " which a game is a draw"
            )


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
    for position in positions:
        other = position.colors_exchanged()
        if not _same_game(position, other, lambda after: after.colors_exchanged()):
            yield (
                f"{position.text()} - has other moves once the colours are exchanged and the board"
                f" is {rules.colors} - write colors= another of same, turned, transposed"
            )


def _symmetries(rules: Rules, game: DataGameRules, positions: list[Any]) -> Iterator[str]:
    for index in SYMMETRIES[rules.symmetries][1:]:

        def image(position: Any, index: int = index) -> Any:
            row = position.row
            sets = (_turned(rules, squares, index) for squares in row[:2])
            return game.position_from_row((*sets, *row[2:]))

        for position in positions:
            if not _same_game(position, image(position), image):
                yield (
                    f"{position.text()} - has other moves under symmetry {index} - declare fewer"
                    " symmetries"
                )


def _same_game(position: Any, other: Any, image: Callable[[Any], Any]) -> bool:
    """Return whether *other* goes on as *position* does, seen in the mirror *image*."""
    mine, theirs = position.outcome(), other.outcome()
    if (mine is None) != (theirs is None):
        return False
    if mine is not None:
        exchanged = position.turn is not other.turn
        winner = mine.winner.opposite if exchanged and mine.winner else mine.winner
        return bool(winner == theirs.winner)
    after = {image(position.play(move)) for move in position.legal_moves}
    return after == {other.play(move) for move in other.legal_moves}


def _turned(rules: Rules, squares: int, index: int) -> int:
    shape, image = rules.shape, 0
    for square in range(shape.squares):
        if squares >> square & 1:
            row, column = divmod(square, shape.columns)
            row, column = (column, row) if index & 4 else (row, column)
            row = shape.rows - 1 - row if index & 2 else row
            column = shape.columns - 1 - column if index & 1 else column
            image |= 1 << shape.index(row, column)
    return image
