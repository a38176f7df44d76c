"""What tests of studies share: an online player that takes no time."""

from typing import Any

import pytest

from evoply import _native


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Let alpha be what the key says at once, and return the settings that it is asked with."""
    calls: list[dict[str, Any]] = []

    def online_move(game: str, row: Any, key: int, **settings: Any) -> tuple[Any, ...]:
        calls.append(settings)
        draws = _native.Stream.from_key(key)
        moves = _native.legal_moves(game, row)
        weights = [draws.below(33) for _ in range(9)]
        roots = [(code, draws.below(9), 5) for code in moves]
        flags = True, True, False
        return moves[draws.below(len(moves))], [0], weights, flags, 20, 21_000, 0.01, roots

    monkeypatch.setattr(_native, "online_move", online_move, raising=False)
    return calls
