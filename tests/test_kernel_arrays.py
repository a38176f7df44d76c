"""Arrays that the kernel takes and gives: however they lie in memory, the same or a clear error."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import evoply
from evoply import _native
from evoply._native import Stream
from evoply.expressions import DIFFERENCES, board, number, outputs_to_json, program_with_parameters
from evoply.games import game_rules
from evoply.learning import PatternConfig

GAME = "othello-6"
STARTS = [game_rules(GAME).start().row, _native.Positions.random(GAME, 1, 7, 4, 4)[0]]
RULES = {
    "clip": True, "key": 5, "first_game": 0, "games": 3, "rule": "td-leaf", "depth": 2,
    "decay": 0.5, "batch": 2, "recorded": 1, "learns": "black",
}  # fmt: skip
PIECES, MOBILITY = DIFFERENCES["pieces"].expression, DIFFERENCES["mobility"].expression
CODES = [_native.legal_moves(GAME, row)[:1] for row in STARTS]


@cache
def sum_of_features() -> _native.Program:
    """Return a program with four parameters."""
    total = number(0.5) * PIECES + number(0.25) * MOBILITY + number(0.125)
    return program_with_parameters(total + number(2.0) * board.t, GAME)


@cache
def tables() -> _native.Program:
    return program_with_parameters(PatternConfig(game=GAME, patterns=["a1 b1 c1"]).value(), GAME)


@cache
def boards() -> _native.Positions:
    return _native.Positions.random(GAME, 4, 5, 4, 12)


def choose(keys: Any) -> Any:
    return boards().choose(_native.Player(GAME, "random"), keys)


def play(black: Any, white: Any, opening_keys: Any, game_keys: Any, start_of: Any) -> Any:
    player = _native.Player(GAME, "random")
    return of_each(
        _native.play(
            *(GAME, [player, player], black, white, opening_keys, game_keys),
            starts=STARTS,
            start_of=start_of,
        )
    )


def replay_all(codes: Any, lengths: Any, start_of: Any) -> Any:
    return of_each(_native.replay_all(GAME, codes, lengths, starts=STARTS, start_of=start_of))


def piece_counts(start_of: Any) -> Any:
    return _native.piece_counts(GAME, CODES, starts=STARTS, start_of=start_of)


def with_parameters(values: Any) -> Any:
    return sum_of_features().with_parameters(values).parameters


def learn_tables(rates: Any) -> Any:
    return _native.learn_tables(tables(), STARTS, key=3, first_game=0, rates=rates)


def fit_tables(labels: Any, pulls: Any) -> Any:
    return _native.fit_tables(tables(), boards(), labels, pulls=pulls, rounds=3, squashes=True)


def learn_games(**arrays: Any) -> Any:
    features = _native.Program(GAME, outputs_to_json([PIECES, MOBILITY], game_rules(GAME).shape))
    pairs = {
        "opponent": (arrays.pop("their_weights"), arrays.pop("their_time_weights")),
        "adaptive": (arrays.pop("sums"), arrays.pop("sizes")),
        "value": (sum_of_features(), arrays.pop("places"), arrays.pop("time_places")),
    }
    return _native.learn_games(GAME, features, STARTS, **arrays, **pairs, **RULES)


def of_each(games: _native.Games | _native.Replayed) -> dict[str, Any]:
    names = (name for name in dir(games) if not name.startswith("_"))
    return {name: getattr(games, name) for name in names}


def floats(*shape: int) -> np.ndarray:
    return np.linspace(0.1, 0.2, int(np.prod(shape))).reshape(shape)


def keys(count: int) -> np.ndarray:
    return Stream(9).keys(count)


CALLS: list[tuple[Callable[..., Any], dict[str, np.ndarray]]] = [
    (choose, {"keys": keys(4)}),
    (
        play,
        {
            "black": np.array([0, 1, 0], np.uint32), "white": np.array([1, 0, 0], np.uint32),
            "opening_keys": keys(3), "game_keys": keys(3),
            "start_of": np.array([0, 1, 1], np.uint32),
        },
    ),
    (
        replay_all,
        {
            "codes": np.concatenate(CODES).astype(np.uint64), "lengths": np.ones(2, np.uint32),
            "start_of": np.array([0, 1], np.uint32),
        },
    ),
    (piece_counts, {"start_of": np.array([0, 1], np.uint32)}),
    (with_parameters, {"values": floats(4)}),
    (learn_tables, {"rates": floats(3)}),
    (fit_tables, {"labels": floats(4), "pulls": 1.0 + floats(len(tables().parameters))}),
    (
        learn_games,
        {
            "weights": floats(2), "time_weights": floats(2, 1), "scales": 1.0 + floats(2),
            "rates": floats(3, 2), "their_weights": floats(2), "their_time_weights": floats(2, 1),
            "sums": floats(2, 2), "sizes": floats(2, 2),
            "places": np.array([0, 1]), "time_places": np.array([[2], [3]]),
        },
    ),
]  # fmt: skip
ARGUMENTS = [
    pytest.param(call, arrays, name, id=f"{call.__name__}-{name}")
    for call, arrays in CALLS
    for name in arrays
]


def spread(array: np.ndarray) -> np.ndarray:
    return np.repeat(np.repeat(array, 2, axis=-1), 3, axis=0)[::3, ..., ::2].reshape(array.shape)


def at_odd_address(array: np.ndarray) -> np.ndarray:
    memory = np.frombuffer(b"\0" + array.tobytes(), np.uint8)
    return memory[1:].view(array.dtype).reshape(array.shape)


def read_only(array: np.ndarray) -> np.ndarray:
    copied = array.copy()
    copied.flags.writeable = False
    return copied


class Sub(np.ndarray):
    """An array of another class."""


SAME: dict[str, Callable[[np.ndarray], Any]] = {
    "spread": lambda array: np.stack([array, array], axis=-1)[..., 0],
    "reversed": lambda array: np.flip(np.flip(array).copy()),
    "by columns": lambda array: np.array(array, order="F"),
    "part": lambda array: np.concatenate([array, array])[len(array) :],
    "read-only": read_only,
    "class": lambda array: array.view(Sub),
    "view": memoryview,
    # What C calls by another name although it is as wide.
    "name": lambda array: array.view({"L": "Q", "l": "q"}.get(array.dtype.char, array.dtype)),
}
REFUSED: dict[str, Callable[[np.ndarray], Any]] = {
    "byte order": lambda array: array.astype(array.dtype.newbyteorder()),
    "address": at_odd_address,
    "float32": lambda array: array.astype(np.float32),
    "int32": lambda array: array.astype(np.int32),
    "kind": lambda array: array.view(
        np.float64 if array.dtype.kind in "iu" and array.itemsize == 8 else f"i{array.itemsize}"
    ),
    "bool": lambda array: array.astype(bool),
    "complex": lambda array: array.astype(complex),
    "objects": lambda array: array.astype(object),
    "texts": lambda array: array.astype(str),
    "no texts": lambda array: np.zeros(array.shape, "S0"),
    "dates": lambda array: np.zeros(array.shape, "M8[s]"),
    "fields": lambda array: np.zeros(array.shape, [("a", array.dtype)]),
    "scalar": lambda array: array.reshape(-1)[0],
    "no dimension": lambda array: np.array(array.reshape(-1)[0]),
    "dimensions": lambda array: array[..., np.newaxis],
    "list": lambda array: array.tolist(),
    "bytes": lambda array: array.tobytes(),
    "text": str,
}


def same(one: Any, other: Any) -> bool:
    """Return whether two answers are equal, arrays of any depth included."""
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(
            one, other, equal_nan=one.dtype.kind == "f"
        )
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    if isinstance(one, tuple | list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other or one != one)


def arrays_in(answer: Any) -> Iterator[np.ndarray]:
    if isinstance(answer, np.ndarray):
        yield answer
    elif isinstance(answer, dict | tuple):
        for part in answer.values() if isinstance(answer, dict) else answer:
            yield from arrays_in(part)


@pytest.mark.parametrize(("call", "arrays", "name"), ARGUMENTS)
def test_how_an_array_lies_in_memory_changes_nothing(call, arrays, name):
    wanted = call(**arrays)
    for change in SAME.values():
        assert same(call(**arrays | {name: change(arrays[name])}), wanted)


@pytest.mark.parametrize(("call", "arrays", "name"), ARGUMENTS)
def test_what_is_no_such_array_is_refused_in_a_sentence(call, arrays, name):
    array = arrays[name]
    needed = f"give a {array.ndim}-dimensional array of {array.dtype}, not an? .+"
    says = {"address": "the array is not aligned in memory: give a copy of it"}
    for kind, change in REFUSED.items():
        with pytest.raises(TypeError) as raised:
            call(**arrays | {name: change(array)})
        assert re.fullmatch(says.get(kind, needed), str(raised.value))


@pytest.mark.parametrize(("call", "arrays", "name"), ARGUMENTS)
def test_an_array_without_entries_is_too_short(call, arrays, name):
    if call is learn_tables:
        assert len(call(np.empty(0))["points"]) == 0
    else:
        with pytest.raises(ValueError, match=r"\d|different lengths|add up|for each"):
            call(**arrays | {name: arrays[name][:0]})


def test_no_games_are_played_by_arrays_without_entries():
    played = play(**{name: array[:0] for name, array in CALLS[1][1].items()})
    assert {len(array) for array in arrays_in(played)} == {0}


@pytest.mark.parametrize(("call", "arrays", "name"), ARGUMENTS)
def test_an_array_that_repeats_its_entries_beyond_all_memory_is_refused(call, arrays, name):
    shape = (2**50, *arrays[name].shape[1:])
    endless = np.broadcast_to(arrays[name][:1], shape)
    with pytest.raises(MemoryError, match="no memory for a copy of"):
        call(**arrays | {name: endless})


@given(
    values=st.lists(st.floats(-1e6, 1e6), min_size=4, max_size=4),
    offset=st.integers(0, 16),
    stride=st.integers(8, 40),
    is_backward=st.booleans(),
)
def test_entries_are_found_at_any_distance(values, offset, stride, is_backward):
    memory = np.zeros(256, np.uint8)
    first = offset + 3 * stride * is_backward
    step = -stride if is_backward else stride
    laid = np.ndarray((4,), np.float64, memory, first, (step,))
    laid[:] = values
    if first % 8:
        with pytest.raises(TypeError, match="not aligned in memory"):
            with_parameters(laid)
    else:
        assert with_parameters(laid).tolist() == laid.tolist() == values


@pytest.mark.parametrize(
    ("call", "arrays"), [pytest.param(*one, id=one[0].__name__) for one in CALLS]
)
def test_results_are_python_s_own(call, arrays):
    begun = {name: array.copy() for name, array in arrays.items()}
    answer = call(**arrays)
    given = list(arrays_in(answer))
    assert given
    for array in given:
        flags = array.flags
        assert flags.owndata
        assert flags.writeable
        assert flags.c_contiguous
        assert flags.aligned
        array.fill(1)
    assert same(arrays, begun)
    assert same(call(**arrays), call(**begun))


def test_each_question_is_answered_by_a_new_array():
    program = sum_of_features()
    program.parameters[:] = 7.0
    assert program.parameters.tolist() == [0.5, 0.25, 0.125, 2.0]
    assert program.evaluate(boards()).shape == (4, 1)
    assert Stream(9).keys(0).shape == (0,)
    with pytest.raises(MemoryError, match="no memory for"):
        Stream(9).keys(2**60)


def test_properties_have_the_types_that_the_stub_tells():
    player, column = _native.Player(GAME, "random"), np.zeros(2, np.uint32)
    games = _native.play(GAME, [player], column, column, keys(2), keys(2), starts=STARTS)
    again = _native.replay_all(GAME, keys(0), column, starts=STARTS)
    stub = Path(evoply.__file__).with_name("_native.pyi").read_text(encoding="utf-8")
    of_class = dict(re.findall(r"^class (\w+):\n(.*?)(?=^\w|^@)", stub, re.MULTILINE | re.DOTALL))
    found = {}
    for made in (games, again, sum_of_features()):
        text = of_class[type(made).__name__]
        for name, kind in re.findall(r"def (\w+)\(self\) -> NDArray\[np\.(\w+)\]", text):
            found[type(made).__name__, name] = kind
            assert getattr(made, name).dtype == np.dtype(getattr(np, kind))
    assert len(found) == 13


def games_changed_meanwhile(count: int) -> tuple[list[int], list[list[int]]]:
    """Play while somebody changes all arrays; what was told, and hashes without and with it."""
    arrays = {
        "black": np.zeros(count, np.uint32), "white": np.zeros(count, np.uint32),
        "opening_keys": keys(count), "game_keys": keys(count),
    }  # fmt: skip
    calm = {name: array.copy() for name, array in arrays.items()}
    said: list[int] = []

    def change(done: int) -> None:
        said.append(done)
        for array in arrays.values():
            array.fill(2**31)

    player = _native.Player(GAME, "random")
    games = _native.play(GAME, [player], **arrays, starts=STARTS, threads=1, progress=change)
    wanted = _native.play(GAME, [player], **calm, starts=STARTS)
    return said, [wanted.hashes.tolist(), games.hashes.tolist()]


def test_whoever_changes_arrays_meanwhile_changes_nothing():
    # Progress is told every twentieth of a second: a fast machine has played by then.
    for doubling in range(6):
        said, (wanted, found) = games_changed_meanwhile(100_000 << doubling)
        assert found == wanted
        if said:
            return
    pytest.fail("nothing was told meanwhile: play more games")
