"""What patterns cost: tables learned from self-play, searches with them, boards counted by perft.

Each function returns our figure and the peer's; that both do the same is checked.
"""

import time
from collections.abc import Callable, Sequence
from typing import Any

from ingredients import kernel_player

from evoply import _native
from evoply.games.othello import Position
from evoply.learning import (
    PatternConfig,
    PatternLearning,
    learn_patterns,
    load_pattern_config,
    pattern_player,
)

Row = tuple[int, int, int, bool, int, int]


def _cpu_seconds(work: Callable[[], Any], repeats: int = 3) -> tuple[float, Any]:
    times, answer = [], None
    for _ in range(repeats):
        began = time.process_time()
        answer = work()
        times.append(time.process_time() - began)
    return min(times), answer


def _player(config: PatternConfig, games: int, depth: int, options: dict[str, Any]) -> Any:
    *_, last = learn_patterns(config, games=games, games_per_step=games)
    return pattern_player(config, last.parameters, depth=depth).model_copy(update=options)


def self_play(games: int) -> float:
    """Return games per minute of learning the preset's tables, after as many to warm up."""
    config = load_pattern_config("patterns-8", [f"games_per_step={games}"])
    learner = PatternLearning()
    warm = learner.after(config, learner.first(config))
    seconds, _ = _cpu_seconds(lambda: learner.after(config, warm))
    return games * 60 / seconds


def guarded(count: int) -> tuple[float, float]:
    """Return microseconds for a choice of `strong` four plies ahead, with its guard and without."""
    batch = _native.Positions.random("othello", count, 5, 4, 50)
    rows = [batch[index] for index in range(count)]

    def cost(guard: str) -> float:
        player = kernel_player(f"strong:depth=4,guard={guard}")
        seconds, _ = _cpu_seconds(lambda: [_native.analyse(player, *row, 0)[0] for row in rows])
        return seconds / count * 1e6

    return cost("yes"), cost("no")


def search(rows: Sequence[Row], depth: int) -> tuple[float, float]:
    """Return nodes per second by pattern tables, and by piece counting, deepening with a table."""
    options = {"ordering": "killer", "table": 18}
    config = load_pattern_config("patterns-8")
    patterns = _player(config, 5000, depth, options).native("othello")
    counting = kernel_player(f"material:depth={depth},ordering=killer,table=18")

    def rate(player: _native.Player) -> float:
        seconds, nodes = _cpu_seconds(
            lambda: sum(_native.analyse(player, *row, 0)[2] for row in rows)
        )
        return float(nodes / seconds)

    return rate(patterns), rate(counting)


def perft_12() -> tuple[float, float]:
    """Return seconds of perft(12) with a table and without, one thread each."""
    start = Position().row
    plain, leaves = _cpu_seconds(lambda: _native.perft("othello", start, 12, 1), 1)
    boards, counted = _cpu_seconds(lambda: _native.perft("othello", start, 12, 1, 1024), 1)
    assert leaves == counted == 1_939_886_636
    return boards, plain
