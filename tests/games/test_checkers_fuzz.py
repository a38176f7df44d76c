"""Damaged text of checkers: a million inputs are read, written and read again, or refused.

What is refused must say where: the square, the row or the words of a position, the words of a
move, line and column of a game. Inputs are valid texts with a few random edits, so that many get
far into the readers. No input may take long: whole tests have a time limit.
"""

import os
import re
from collections.abc import Callable, Sequence

import pytest
from game_strategies import played

from evoply import checkers
from evoply._native import Stream
from evoply.games.formats import GamePlayed, pdn
from evoply.protocols import IllegalMoveError, InvalidMoveError

INPUTS = 1_000_000 if "EVOPLY_LONG" in os.environ else 10_000
SEED = 20_110_712

ERRORS = (InvalidMoveError, IllegalMoveError)
CHARACTERS = '0123456789-x:.,KBW[]{}();$%*/!? \n\r\t"\\bwX×–１Kk\x00\u2028é'
WORDS = (
    *("11-15", "22x18", "15x22", "1x10x19", "99-1", "0-0", "1-0", "0-1", "1/2-1/2", "*"),
    *("1.", "2..."),
    *("{c}", "{", "}", "(", ")", "$1", "$", "!?", ";", "; x\n", "%\n", "\n% x\n", "[", "]", '"'),
    *('[Event "x"]', '[FEN "B:W1:B2"]', '[FEN "W:WK30:BK3:H79:F9"]', '[GameType "20"]'),
    *('[Variant "checkers-10"]', '[DrawRules "max_plies=1"]', '[Result "1-0"]', "[FEN"),
    *("B:W18:B1", "W:", ":B", ":W", ":H80", ":F2", "K12", "1-12", ",,", "Black to move", "\n\n"),
    *("b", "W", ". ", "- ", "-", "x", "9" * 30, "(" * 101, " " * 50),
)

NUMBER = re.compile(r"[0-9]+")

# Where an error may point. A game's errors give line and column, its length apart.
IN_POSITION = re.compile(
    r"square \d+|squares \d+-\d+ run|row \d+|\d+ rows?,|cannot read '.*' as a piece"
    r"|cannot read the position|has \d+ pieces|at most [\d,]+ are read",
    re.DOTALL,
)
IN_MOVE = re.compile(r"cannot read ['\"]|along the squares \d|can be \d|illegal move \d", re.DOTALL)
IN_GAME = re.compile(r"at (line \d+, )?column \d+|at most [\d,]+ are read")


def edited(text: str, corpus: Sequence[str], stream: Stream) -> str:
    """Return *text* with one to three random edits, or in one case of twenty with none."""
    for _ in range(stream.below(20) and 1 + stream.below(2) + stream.below(2)):
        begin = stream.below(len(text) + 1)
        end = min(begin + stream.below(6), len(text))
        match stream.below(12):
            case 0:
                new = ""
            case 1:
                new = CHARACTERS[stream.below(len(CHARACTERS))]
            case 2:
                new = f" {WORDS[stream.below(len(WORDS))]} "
            case 3:
                new = WORDS[stream.below(len(WORDS))]
            case 4:
                new = text[begin:end] * 2
            case 5:
                other = corpus[stream.below(len(corpus))]
                start = stream.below(len(other) + 1)
                new = other[start : start + 1 + stream.below(12)]
            case 6:
                end = begin
                new = " \n"[stream.below(2)]
            case 7 | 8:
                # Behind the next blank, so that no word is broken.
                begin = end = text.find(" ", begin) + 1
                new = f"{('{c}', '$1', ';x', '(1-5)', '!?')[stream.below(5)]}\n"
            case _:
                # Another square, most often one that exists.
                found = NUMBER.search(text, begin)
                begin, end = found.span() if found else (begin, begin)
                new = str(1 + stream.below(33))
        text = text[:begin] + new + text[end:]
    return text


def corpus_of_games() -> list[checkers.Game]:
    """Return games of every kind and stage, also from positions and already over."""
    stream = Stream(SEED, "corpus")
    games = []
    for number in range(120):
        rules = list(checkers.CHECKERS.values())[number % len(checkers.CHECKERS)]
        game = played(rules, [stream.below(1 << 16) for _ in range(stream.below(90))])
        # Few moves after a start of its own: the same readers, in less time.
        begin = max(0, len(game) - stream.below(8))
        games.append(
            checkers.Game(game.positions[begin], game.moves[begin:]) if number % 3 else game
        )
        games.append(checkers.Game(game.start, game.moves[: stream.below(8)]))
    return games


GAMES = corpus_of_games()


def name_of(number: int) -> str:
    return list(checkers.CHECKERS)[number % len(checkers.CHECKERS)]


def read_position(text: str, game: str) -> None:
    position = checkers.Position.parse(text, game)
    assert checkers.Position.parse(position.text(), game) == position
    assert checkers.Position.parse(str(position), game) == position


def read_move(text: str, game: str) -> None:
    move = checkers.Move.parse(text, checkers.CHECKERS[game].shape)
    assert checkers.Move.parse(str(move), move.shape) == move
    assert checkers.Move.from_code(move.code(move.shape), move.shape) == move


def read_legal_move(text: str, game: str) -> None:
    """Read "POSITION MOVE", so that an edit may fall on either."""
    board, _, words = text.partition(" ")
    try:
        position = checkers.Position.parse(board, game)
    except ERRORS:
        position = checkers.CHECKERS[game].start()
    move = position.parse_move(words)
    assert move in position.legal_moves
    assert position.parse_move(position.short_text(move)) == move


def read_game(text: str, game: str) -> None:
    record = checkers.Game.from_transcript(text, game)
    assert checkers.Game.from_transcript(str(record), game) == record


def read_pdn(text: str, game: str) -> None:
    games = list(pdn.read(text, game))
    # What is written names every game but American checkers, whatever was expected while reading.
    again = list(pdn.read("".join(pdn.write(games)), "checkers"))
    assert again == games
    for one, other in zip(games, again, strict=True):
        assert one.record.start.row == other.record.start.row
        assert one.record.outcome() == other.record.outcome()


Reader = Callable[[str, str], None]


def fuzz(
    reader: Reader, corpus: Sequence[str], place: re.Pattern[str], inputs: int
) -> tuple[int, int]:
    """Read *inputs* edited texts; return how many were read and how many were refused."""
    stream = Stream(SEED, reader.__name__)
    read = 0
    for number in range(inputs):
        text = edited(corpus[stream.below(len(corpus))], corpus, stream)
        try:
            reader(text, name_of(stream.below(9)))
            read += 1
        except ERRORS as error:
            message = str(error)
            assert place.search(message), f"{text!r}: {message}"
            assert len(message) < 1500, f"{text!r}: {message}"
        except AssertionError as error:
            raise AssertionError(f"input {number}, {text!r}: {error}") from error
        except Exception as error:
            raise AssertionError(f"input {number}, {text!r}: {error!r}") from error
    return read, inputs - read


POSITIONS = [position.text() for game in GAMES for position in game.positions[::6]]
DIAGRAMS = [str(position) for game in GAMES for position in game.positions[::9]]
MOVES = [str(move) for game in GAMES for move in game.moves]
IN_PLACE = [
    f"{position.text()} {move}"
    for game in GAMES
    for position in game.positions[::6]
    for move in position.legal_moves
]
TRANSCRIPTS = [str(game) for game in GAMES] + [
    "1. 11-15 22-18 2. 15x22 {takes} 25x18 (26x17 9-13) *",
    "W:W18:B14,1 18x9 ; over\n% a line\n1-0",
]
PDN = [
    "".join(pdn.write([GamePlayed.of(game, tags={"Event": 'A "B" \\ C'} if number % 5 else {})]))
    for number, game in enumerate(GAMES)
]
PDN += [one + other for one, other in zip(PDN[::7], PDN[3::7], strict=False)]


@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    ("reader", "corpus", "place", "share"),
    [
        (read_position, POSITIONS, IN_POSITION, 25),
        (read_position, DIAGRAMS, IN_POSITION, 10),
        (read_move, MOVES, IN_MOVE, 25),
        (read_legal_move, IN_PLACE, IN_MOVE, 15),
        (read_game, TRANSCRIPTS, IN_GAME, 15),
        (read_pdn, PDN, IN_GAME, 10),
    ],
    ids=["positions", "diagrams", "moves", "legal moves", "games", "pdn"],
)
def test_damaged_text_is_read_or_refused_with_its_place(
    reader: Reader, corpus: Sequence[str], place: re.Pattern[str], share: int
) -> None:
    read, refused = fuzz(reader, corpus, place, INPUTS * share // 100)
    # Both ends of the readers were reached.
    assert read > INPUTS * share // 100 // 20
    assert refused > INPUTS * share // 100 // 20


MANY = 200_000


@pytest.mark.parametrize(
    "text",
    [
        *(part * MANY for part in ("(", "()", "{", "[", "\n", "\n%", "{}", "1. ", "9", "$1")),
        "* " * INPUTS,  # each is a game
        *(part * MANY for part in ("11-", "11-11", "B:", "B:W1:", ",", "K", "b ", "11-15 ")),
        '[A "' + "\\" * MANY,
        '[FEN "' + "W" * MANY + '"]',
        '[A "x"]' * MANY,
        '[DrawRules "repetitions=99999"][FEN "B:WK32:BK1"]' + " 1-6 32-27 6-1 27-32" * 2_500,
    ],
    ids=lambda text: text[:20],
)
def test_long_texts_take_no_long_time(text: str) -> None:
    for reader in (
        checkers.Move.parse,
        checkers.Position.parse,
        checkers.Position().parse_move,
        checkers.Game.from_transcript,
    ):
        with pytest.raises(ERRORS):
            reader(text)
    message = "read"
    try:
        for _ in pdn.read(text):
            pass
    except ERRORS as error:
        message = str(error)
    assert len(message) < 1500
