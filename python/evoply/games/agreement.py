"""Whether the rules of a game from outside say what the kernel's rules say, on random games.

The kernel trains and plays matches by its own rules; records and pictures ask the position in
Python. If both differed, results and records would contradict each other without a word.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from evoply import _native
from evoply.games.rules import GameRules
from evoply.protocols import Color, Outcome, Row
from evoply.when_used import module_when_used

if TYPE_CHECKING:
    import numpy as np
else:
    np = module_when_used("numpy")

_GAMES = 100
_WHOLE = 8
"""Games of which each position is looked at, not the last alone: Python is slow."""
_WINNERS = {1: Color.BLACK, 0: None, -1: Color.WHITE}


def check_agrees(rules: GameRules) -> None:
    """Raise `ValueError` that names the position if *rules* differ from the kernel's.

    Looks at what 100 games of random moves come to, and at legal moves, the positions after them,
    the clock and the outcome at every ply of the first 8. Rules that differ more rarely pass.
    """
    start = rules.start()
    stream = _native.Stream(0, "games of a game from outside")
    one = np.zeros(_GAMES, dtype=np.uint32)
    games = _native.play(
        rules.kernel,
        [_native.Player(rules.kernel, "random")],
        one,
        one,
        stream.child("openings").keys(_GAMES),
        stream.child("games").keys(_GAMES),
        starts=[start.row],
        opening_plies=0,
        draws=rules.draws.limits,
        record_moves=True,
    )
    assert games.moves is not None  # they were asked for
    for number, codes in enumerate(games.moves):
        rows = _native.rows_along(rules.kernel, start.row, codes)
        if number < _WHOLE:
            _compare_plies(rules, rows, codes)
        black, white = int(games.black_discs[number]), int(games.white_discs[number])
        said = Outcome(_WINNERS[int(games.winners[number])], black - white)
        last = rules.position_from_row(rows[-1])
        if not _native.legal_moves(rules.kernel, last.row):
            _compare(rules, last, "outcome()", last, said)
        if number < _WHOLE:  # draws by rule are known to the record alone
            _compare(rules, last, "the record's outcome()", rules.game(start, codes), said)


def _compare_plies(rules: GameRules, rows: Sequence[Row], codes: Sequence[int]) -> None:
    """Compare what is asked at each of *rows*, which the moves *codes* lead along."""
    for row, code, after in zip(rows, codes, rows[1:], strict=False):
        position = rules.position_from_row(row)
        for what, here, kernel in _asked(rules, position):
            if here != kernel:
                _refuse(rules, position, what, _words(here), _words(kernel))
        _compare(rules, position, "outcome()", position, None)
        move = rules.move_from_code(code)
        played = position.play(move)
        if played.row != after:
            wanted = rules.position_from_row(after)
            _refuse(rules, position, f"play({str(move)!r})", played.text(), wanted.text())


def _asked(rules: GameRules, position: Any) -> Iterator[tuple[str, Any, Any]]:
    codes = _native.legal_moves(rules.kernel, position.row)
    yield "legal_moves", list(position.legal_moves), [rules.move_from_code(code) for code in codes]
    yield "clock", position.clock, _native.clock_at(rules.kernel, position.row)


def _compare(
    rules: GameRules, position: Any, what: str, asked: Any, kernel: Outcome | None
) -> None:
    """Compare the outcome of *asked*, a position or a record, with the *kernel*'s."""
    here = asked.outcome()
    if here != kernel:
        if kernel is not None and isinstance(here, Outcome):
            kernel = replace(kernel, by_count=here.by_count)
        _refuse(rules, position, what, _words(here), _words(kernel))


def _refuse(rules: GameRules, position: Any, what: str, here: str, kernel: str) -> None:
    raise ValueError(
        f"{rules.name}: {what} of {position.text()} is {here}, and the kernel's rules"
        f" {rules.kernel} say {kernel}. Training and matches go by the kernel: take out what"
        " differs, or write the rules in Rust (docs/add-a-game.md)"
    )


def _words(value: Any) -> str:
    if isinstance(value, list):
        return " ".join(map(str, value)) or "none"
    return "that the game goes on" if value is None else str(value)
