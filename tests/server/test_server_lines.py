"""The lines of the protocol: what is read, what is refused and why, thousands of damaged ones."""

import os
import string
from collections.abc import Callable

import pytest

from evoply import Stream
from evoply.server import (
    LONGEST_NOTICE,
    LONGEST_REQUEST,
    NOTICES,
    REQUESTS,
    Line,
    LineError,
    parse_address,
    read_notice,
    read_request,
)
from evoply.server.connection import is_name, plain, plain_name

LINES = 1_000_000 if "EVOPLY_LONG" in os.environ else 10_000

GOOD_REQUESTS = {
    "HELLO evoply 1 ada": {"version": "1", "name": "ada"},
    "HELLO evoply 1 a.b_c-d@e+f 16": {"version": "1", "name": "a.b_c-d@e+f", "games": "16"},
    f"PROOF {'0f' * 32}": {"code": "0f" * 32},
    "BACK abcdefghij_-": {"token": "abcdefghij_-"},
    "WATCH": {},
    "MOVE 12 f5": {"game": "12", "move": "f5"},
    "MOVE 0 22x15x8": {"game": "0", "move": "22x15x8"},
    "PASS 3": {"game": "3"},
    "RESIGN 3": {"game": "3"},
    "RESIGN 3 no move within 10 seconds": {"game": "3", "text": "no move within 10 seconds"},
    "HELP": {},
    "PONG": {},
    "QUIT": {},
}
GOOD_NOTICES = {
    "HELLO evoply 1 othello-10 150+0.5": {"version": "1", "name": "othello-10", "clock": "150+0.5"},
    f"HELLO evoply 1 othello 5 {'0f' * 16}": {
        "version": "1",
        "name": "othello",
        "clock": "5",
        "challenge": "0f" * 16,
    },
    "WELCOME ada abcdefghij": {"name": "ada", "token": "abcdefghij"},
    "INFO waiting for 1 more": {"text": "waiting for 1 more"},
    "COLOR 3 black bob 8": {"game": "3", "color": "black", "opponent": "bob", "plies": "8"},
    "GAME 3 ada bob 0": {"game": "3", "black": "ada", "white": "bob", "plies": "0"},
    "MOVE 3 f5": {"game": "3", "move": "f5"},
    "PASS 3": {"game": "3"},
    "TIME 3 150.000 -0.125": {"game": "3", "black": "150.000", "white": "-0.125"},
    "TURN 3 e6 f4 c3": {"game": "3", "moves": "e6 f4 c3"},
    "END 3 draw board a draw": {"game": "3", "winner": "draw", "ending": "board", "text": "a draw"},
    "SCORE ada 2.5 4": {"name": "ada", "points": "2.5", "games": "4"},
    "ERROR move no": {"code": "move", "text": "no"},
    "PING": {},
    "BYE the tournament is over": {"text": "the tournament is over"},
}


@pytest.mark.parametrize("text", GOOD_REQUESTS)
@pytest.mark.parametrize("end", ["\n", "\r\n", ""])
def test_what_a_client_may_say(text: str, end: str) -> None:
    line = read_request(f"{text}{end}".encode())
    assert line == Line(text.split()[0], GOOD_REQUESTS[text])
    word, blank, rest = text.partition(" ")
    assert read_request(f"  {word.lower()}{blank}{blank}{rest}{end}".encode()) == line


@pytest.mark.parametrize("text", GOOD_NOTICES)
def test_what_a_server_may_say(text: str) -> None:
    assert read_notice(f"{text}\n".encode()) == Line(text.split()[0], GOOD_NOTICES[text])


def test_every_kind_of_line_is_tried() -> None:
    assert {text.split()[0] for text in GOOD_REQUESTS} == set(REQUESTS)
    assert {text.split()[0] for text in GOOD_NOTICES} == set(NOTICES)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (b"", "no line begins with ''"),
        (b"MOV 3 f5", "did you mean 'MOVE'"),
        (b"GET / HTTP/1.1", "no line begins with 'GET'"),
        (b"MOVE f5", "write MOVE GAME MOVE"),
        (b"MOVE 3 f5 d6", "write MOVE GAME MOVE"),
        (b"MOVE -1 f5", "write MOVE GAME MOVE"),
        (b"MOVE 1e3 f5", "write MOVE GAME MOVE"),
        (b"MOVE 9999999999 f5", "write MOVE GAME MOVE"),
        ("MOVE ٣ f5".encode(), "byte 5 is not ASCII"),
        ("HELLO evoply 1 Bö".encode(), "not ASCII"),
        (b"HELLO evoply 1 two words", "write HELLO evoply VERSION NAME [GAMES]"),
        (b"HELLO evoply 1 " + b"x" * 41, "write HELLO"),
        (b"HELLO chess 1 ada", "write HELLO"),
        (b"MOVE 3 f5\x00", "cannot be printed"),
        (b"MOVE 3\tf5", "cannot be printed"),
        (b"\x1b[2J", "cannot be printed"),
        (b"PROOF 00", "write PROOF CODE"),
        (b"WATCH me", "write WATCH"),
        (b"x" * (LONGEST_REQUEST + 1), "at most 500 bytes"),
    ],
)
def test_a_wrong_line_is_told_what_would_be_right(line: bytes, says: str) -> None:
    with pytest.raises(LineError) as raised:
        read_request(line)
    message = str(raised.value)
    assert says in message
    assert len(message) < 300
    assert plain(message).isprintable()


def damaged(text: bytes, stream: Stream) -> bytes:
    """Return *text* with up to five bytes changed, put in, taken out or doubled."""
    data = bytearray(text)
    for _ in range(1 + stream.below(5)):
        place = stream.below(len(data) + 1)
        match stream.below(5):
            case 0 if place < len(data):
                data[place] = stream.below(256)
            case 1:
                data.insert(place, stream.below(256))
            case 2 if place < len(data):
                del data[place]
            case 3:
                data[place:place] = data[: stream.below(len(data) + 1)]
            case _:
                data.insert(place, ord(string.printable[stream.below(100)]))
    return bytes(data)


def answer(read: Callable[[bytes], Line], data: bytes) -> tuple[Line | None, str]:
    """Return the line in *data*, or None and why there is none."""
    try:
        return read(data), ""
    except LineError as error:
        return None, str(error)


@pytest.mark.timeout(3600)
def test_damaged_lines_are_read_or_refused_in_a_sentence() -> None:
    stream = Stream(5, "damaged lines")
    kinds = [
        (read_request, list(GOOD_REQUESTS), REQUESTS, LONGEST_REQUEST),
        (read_notice, list(GOOD_NOTICES), NOTICES, LONGEST_NOTICE),
    ]
    refused = 0
    for number in range(LINES):
        read, good, forms, longest = kinds[number % 2]
        data = damaged(good[stream.below(len(good))].encode(), stream)
        line, said = answer(read, data)
        if line is None:
            refused += 1
            assert "\n" not in said
            assert len(said) < 500
            assert plain(said).isascii()
            continue
        assert line.word in forms
        assert len(data) <= longest
        # What was read is as plain as it must be wherever it goes next.
        for field in line.fields.values():
            assert field.isascii()
            assert field.isprintable()
        if "game" in line.fields:
            assert 0 <= line.game < 10**9
    assert LINES / 4 < refused < LINES


def test_texts_of_all_kinds_become_plain() -> None:
    stream = Stream(6, "texts")
    for _ in range(1000):
        text = "".join(chr(stream.below(0x3000)) for _ in range(stream.below(500)))
        made = plain(text)
        assert made.isascii()
        assert made == "" or made.isprintable()
        assert len(made) <= 300
        assert is_name(plain_name(text))


@pytest.mark.parametrize(
    "text", ["", "localhost", ":80", "a:b", "a:0", "a:65536", "a b:1", "::1:7"]
)
def test_addresses_that_are_none(text: str) -> None:
    with pytest.raises(ValueError, match="write HOST:PORT"):
        parse_address(text)
