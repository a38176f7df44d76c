"""Players offered as engines: golden transcripts, nonsense as input, and the games of a match."""

import io
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import evoply as ep
from evoply.games import game_rules
from evoply.players import Engine, EngineLimits, parse_player
from evoply.players.engines.served_game import serve
from evoply.players.engines.servers import (
    GTP_COMMANDS,
    NBOARD_COMMANDS,
    GtpServer,
    NBoardServer,
)
from evoply.players.process_limits import MoveLimit
from evoply.protocols import Choice, Clock, Color, GameRecord
from waiting import PATIENCE

LONG = "EVOPLY_LONG" in os.environ
SERVERS = {"gtp": GtpServer, "nboard": NBoardServer}
GOLDEN = Path(__file__).parents[2] / "testdata" / "engines"
SECONDS = (
    re.compile(r"(^= )\d+\.\d\d$", re.MULTILINE),
    re.compile(r"(nodestats \d+ )[\d.]+"),
    re.compile(r"(=== .*/)[\d.]+$", re.MULTILINE),
)


def answered(protocol: str, lines: str, player: str = "swh:depth=2", game: str = "othello") -> str:
    """Return all that a player says to *lines*, seconds and evoply's version left out."""
    server = SERVERS[protocol](parse_player(player, game=game), game, 1)
    target = io.StringIO()
    serve(server, io.StringIO(lines), target)
    server.board.close()
    text = target.getvalue().replace(ep.__version__, "VERSION")
    for pattern in SECONDS:
        text = pattern.sub(r"\g<1>0", text)
    return text


@pytest.mark.parametrize("protocol", SERVERS)
def test_golden_transcripts(protocol: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines of the other program begin with `> `, ours with `< `; `#` begins a comment."""
    monkeypatch.chdir(GOLDEN)
    lines = (GOLDEN / f"{protocol}.txt").read_text().splitlines()
    asked = [line[2:] for line in lines if line.startswith(">")]
    answers = [line[2:] for line in lines if line.startswith("<")]
    assert answered(protocol, "".join(f"{line}\n" for line in asked)).splitlines() == answers
    commands = GTP_COMMANDS if protocol == "gtp" else NBOARD_COMMANDS
    words = {word for line in asked for word in line.split()[:2]}
    assert set(commands) <= words


def test_a_referee_is_told_discs_time_and_values() -> None:
    lines = "evoply-set_position OOOOOOOO" + "X" * 28 + "O" * 28 + " X\n"
    asked = "final_status_list alive\nfinal_status_list dead\nfinal_status_list seki\n"
    answers = answered("gtp", f"{lines}{asked}evoply-legal_moves\nevoply-move_values\n")
    _, alive, dead, seki, moves, values, _ = answers.split("\n\n")
    black, white = (line.removeprefix("= ").split() for line in alive.splitlines())
    assert (len(black), len(white), {*black} & {*white}) == (28, 36, set())
    assert (white[0], black[0]) == ("a1", "a2")
    assert (dead, seki, moves, values) == ("=", "=", "=", "=")
    for wrong in ("final_status_list", "final_status_list alive dead", "final_status_list Alive"):
        assert "? syntax error: final_status_list" in answered("gtp", f"{wrong}\n")
    server = GtpServer(parse_player("greedy"), "othello", 1)
    first, second = ("".join(server.answers("cputime")).removeprefix("=") for _ in range(2))
    assert 0 < float(first) <= float(second)
    server.board.close()


def test_gogui_finds_commands_that_there_are_and_values_that_are_those_of_the_player() -> None:
    offered = answered("gtp", "gogui-analyze_commands\n").removeprefix("= ").splitlines()[:-1]
    for line in offered:
        kind, label, command = line.split("/")
        assert kind in {"gfx", "plist", "string"}
        assert label
        assert command in GTP_COMMANDS
    said = answered("gtp", "evoply-move_values\ngenmove black\n", "material:depth=3")
    words = said.splitlines()[0].removeprefix("= LABEL ").split()
    values = dict(zip(words[::2], map(float, words[1::2]), strict=True))
    assert set(values) == {"d3", "c4", "f5", "e6"}
    assert values[said.splitlines()[2].removeprefix("= ")] == max(values.values())
    assert answered("gtp", "evoply-move_values\n", "random").startswith("=\n")


def test_gtp_says_who_has_won() -> None:
    """Programs that referee ask for it; the empty squares are the winner's."""
    black = "f5d6c5f4e3f6g5e6e7"  # nine moves: no white disc is left
    moves = [black[index : index + 2] for index in range(0, len(black), 2)]
    lines = "".join(f"play {'bw'[index % 2]} {move}\n" for index, move in enumerate(moves))
    answers = answered("gtp", f"{lines}final_score\nshowboard\n").splitlines()
    assert answers[2 * len(moves)] == "= B+64"
    assert answers[-2] == "The game is over: B+64"
    assert "to move" not in "".join(answers)
    end = "evoply-set_position OOOOOOOO" + "X" * 28 + "O" * 28 + " X\nfinal_score\n"
    assert answered("gtp", end).splitlines()[2] == "= W+8"
    even = "evoply-set_position " + "X" * 32 + "O" * 32 + " X\nfinal_score\n"
    assert answered("gtp", even).splitlines()[2] == "= 0"
    for line, says in (
        ("boardsize", "syntax error: boardsize NUMBER"),
        ("boardsize 8 8", "syntax error: boardsize NUMBER"),
        ("boardsize 7", "unacceptable size"),
        ("time_settings -1 0 0", "-1 is no number of seconds from 0"),
    ):
        assert says in answered("gtp", f"{line}\n")


@pytest.mark.parametrize("protocol", SERVERS)
def test_golden_transcripts_of_time(protocol: str) -> None:
    lines = (GOLDEN / f"{protocol}-time.txt").read_text().splitlines()
    asked = "".join(f"{line[2:]}\n" for line in lines if line.startswith(">"))
    answers = [line[2:] for line in lines if line.startswith("<")]
    assert answered(protocol, asked, "material:depth=8").splitlines() == answers


def test_a_player_is_told_what_each_protocol_says_of_time() -> None:
    """Periods are a limit of each move; its own moves use the time up until somebody says more."""
    server = GtpServer(parse_player("greedy"), "othello", 1)
    board = server.board

    def told(line: str) -> tuple[float | None, float | None]:
        assert next(server.answers(line)).startswith("=")
        clock = board.playing.clocks[Color.BLACK]
        return clock.seconds_left, clock.move_seconds

    assert told("time_settings 60 0 0") == (60, None)
    assert told("time_settings 60 10 5") == (70, None)
    assert told("time_left b 12 0") == (22, None)
    assert told("time_left b 10 5") == (None, 2)
    assert told("time_settings 0 10 4") == (None, 2.5)
    assert told("time_settings 0 10 0") == (None, None)
    assert told("time_settings 60 0 0") == (60, None)
    assert told("reg_genmove b") == (60, None)
    left, _ = told("genmove b")
    assert left is not None
    assert 59 < left < 60
    assert told("clear_board") == (60, None)
    other = NBoardServer(parse_player("greedy"), "othello", 1)
    start = game_rules("othello").start().text().replace("X", "*")
    game = f"(;GM[Othello]TI[01:00/00:02]BO[8 {start}]B[F5/1.5/10]W[D6//0.25];)"
    list(other.answers(f"set game {game}"))
    clocks = other.board.playing.clocks
    assert clocks[Color.BLACK] == Clock(seconds_left=52, increment=2)
    assert clocks[Color.WHITE] == Clock(seconds_left=61.75, increment=2)
    list(other.answers("move C3//60"))
    clocks = other.board.playing.clocks
    assert clocks[Color.BLACK] == Clock(seconds_left=2, increment=2, moves=1)


@pytest.mark.parametrize("end", ["\n", ""])
def test_a_line_of_millions_is_refused_in_the_words_of_the_protocol(end: str) -> None:
    long = "x" * 3_000_000
    says = "the line is too long: at most 100,000 characters are read"
    whole = answered("gtp", f"7 play {long}\n{long}\n# {long}\n8 protocol_version\n9 {long}{end}")
    assert whole == f"?7 {says}\n\n? {says}\n\n=8 2\n\n?9 {says}\n\n"
    whole = answered("nboard", f"set game {long}\nping 3\n{long}{end}")
    assert whole == f"status error: {says}\npong 3\nstatus error: {says}\n"


OTHERS = [
    "black",
    "w",
    "f5",
    "d6",
    "pass",
    "PA",
    "8",
    "6",
    "-1",
    "game",
    "(;GM[Othello]",
    "B[F5]",
    "W[D6]",
    "W[PA]",
    ";)",
    "F5//2.5",
    "F5//x",
    "TI[1:00]",
    "time_left black 1.5 0",
    "1.5",
    "depth",
    "1e999",
    "/etc",
    "\x00",
    "é",
    "[",
    "\\",
    "99999999999999999999999999999999999",
]
BOARD = f"BO[8 {'-' * 27}O*------*O{'-' * 27} *]"
WORDS = st.sampled_from([*GTP_COMMANDS, *NBOARD_COMMANDS, *OTHERS, BOARD])
LINES = st.lists(WORDS, max_size=6).map(" ".join) | st.text(max_size=40)


@pytest.mark.parametrize("protocol", SERVERS)
@given(lines=st.lists(LINES, max_size=20))
def test_nonsense_never_ends_it(protocol: str, lines: list[str]) -> None:
    text = "".join(f"{line}\n" for line in lines if "quit" not in line)
    said = answered(protocol, f"{text}\n99 protocol_version\nping 99\n", "greedy", "othello-6")
    assert ("=99 2\n\n" if protocol == "gtp" else "pong 99\n") in said
    if protocol == "gtp":
        assert all(part.startswith(("=", "?")) for part in said.strip("\n").split("\n\n"))


def at_a_pass() -> GameRecord:
    """Return a game in which the side to move must pass."""
    for seed in range(1000):
        record, stream = game_rules("othello-4").record(), ep.Stream(seed)
        while record.outcome() is None:
            moves = record.position.legal_moves
            if moves.must_pass:
                return record
            record = record.play(moves[stream.below(len(moves))])
    raise AssertionError("nobody ever passed")


def test_passes_are_played_for_who_must_pass() -> None:
    """Whoever has to pass is passed over when the other side is told to move."""
    record = at_a_pass()
    moves = zip(record.positions, record.moves, strict=False)
    setup = "boardsize 4\n" + "".join(f"play {p.turn.value} {move}\n" for p, move in moves)
    passes, other = record.position.turn.value, record.position.turn.opposite.value
    after_pass = answered("gtp", f"{setup}play {passes} pass\nreg_genmove {other}\n", "greedy")
    assert answered("gtp", f"{setup}reg_genmove {other}\n", "greedy")[-7:] == after_pass[-7:]
    assert after_pass[-4:] != "ss\n\n"
    assert answered("gtp", f"{setup}genmove {passes}\n", "greedy").endswith("= pass\n\n")
    undone = answered("gtp", f"{setup}genmove {other}\nundo\ngenmove {passes}\n", "greedy")
    assert undone.endswith("=\n\n= pass\n\n")


def test_after_the_end_it_passes() -> None:
    both = "genmove black\ngenmove white\n" * 40
    said = answered("gtp", f"boardsize 4\n{both}play black pass\n", "greedy")
    assert said.endswith("= pass\n\n= pass\n\n=\n\n")
    assert "?" not in said


def offered(protocol: str, player: str) -> Engine:
    command = (
        *(sys.executable, "-m", "evoply", "engine", "--protocol", protocol),
        *("--player", player),
    )
    limits = EngineLimits(start=60.0, move=60.0)
    return Engine(protocol=protocol, command=command, limits=limits, deterministic=True)


@pytest.mark.parametrize(
    ("protocol", "game"),
    [
        ("gtp", "othello"),
        ("nboard", "othello-6"),
        pytest.param("gtp", "othello-6", marks=pytest.mark.long),
        pytest.param("nboard", "othello", marks=pytest.mark.long),
    ],
)
def test_a_match_over_a_protocol_is_the_match_inside(protocol: str, game: str) -> None:
    """Move by move, passes and openings included."""
    texts = ("material:depth=2", "greedy")
    options = {"game": game, "games": 6 if LONG else 2, "seed": 3, "openings": 6, "threads": 1}
    inside: list[str] = []
    outside: list[str] = []
    ep.match(*texts, **options, on_game=lambda one: inside.append(one.record.transcript()))
    engines = [offered(protocol, text) for text in texts]
    result = ep.match(
        *engines, **options, on_game=lambda one: outside.append(one.record.transcript())
    )
    assert outside == inside
    assert (result.forfeits, result.reproducible) == ((), True)
    assert result.players[0]["version"] == ep.__version__
    start = game_rules(game).record("f5d6c3" if game == "othello" else "d5c5").position
    there, here = (ep.match(one, "greedy", **{**options, "games": 2, "start": start})
                   for one in (engines[0], texts[0]))  # fmt: skip
    assert (there.wins, there.draws, there.forfeits) == (here.wins, here.draws, ())


def test_the_command_speaks_and_ends() -> None:
    def run(text: bytes, *arguments: str) -> "subprocess.CompletedProcess[bytes]":
        command = [sys.executable, "-m", "evoply", "engine", "--player", "greedy", *arguments]
        return subprocess.run(
            command, input=text, capture_output=True, timeout=PATIENCE, check=False
        )

    done = run(b"\xff\xfe\n1 name\n", "--protocol", "gtp")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == b"? unknown command\n\n=1 evoply greedy\n\n"
    done = run(b"ping 3\nquit\nping 4\n", "--protocol", "nboard")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"pong 3\n", b"")
    wrong = run(b"", "--protocol", "gtp", "--game", "checkers", "--json")
    assert wrong.returncode == 2
    assert b"no engine plays checkers" in wrong.stdout
    assert b"Traceback" not in wrong.stderr


@pytest.mark.parametrize("protocol", SERVERS)
def test_a_clock_reaches_the_player_behind_a_protocol(
    protocol: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It divides the time of the game, where without a clock it would look one ply ahead."""
    monkeypatch.setattr(MoveLimit, "patience", lambda *_: PATIENCE)  # machines are busy
    engine = offered(protocol, "material:timing=modern")
    game = game_rules("othello").record("f5d6c3d3c4")
    seat = engine.seat("othello")
    try:
        seat.get_ready()

        def best(seconds: float, value: Callable[[Choice], float], wanted: float) -> Choice:
            """Return the first answer worth so much; of some, because machines are busy."""
            for _ in range(20):
                choice = seat.choose(game, ep.Stream(1), Clock(seconds_left=seconds))
                if value(choice) > wanted:
                    break
            return choice

        short = best(0.2, lambda choice: -choice.seconds, -1)
        assert short.seconds < 1
        if protocol == "nboard":
            wanted = 1000 * short.nodes
            assert best(10.0, lambda choice: choice.nodes, wanted).nodes > wanted
    finally:
        seat.close()


@pytest.mark.parametrize(
    ("protocol", "begin", "go", "reply"),
    [
        ("gtp", ["time_settings 60 0 0"], "genmove b", "play w {}"),
        ("nboard", ["set game (;GM[Othello]TI[01:00]BO[8 {start}];)"], "go", "move {}"),
    ],
)
def test_pondering_ends_at_once_and_is_used(
    protocol: str, begin: list[str], go: str, reply: str
) -> None:
    player = "material:timing=modern"
    server = SERVERS[protocol](parse_player(player), "othello", 1)
    board = server.board
    board.is_pondering_wanted = True
    start = "---------------------------O*------*O--------------------------- *"

    def say(line: str) -> list[str]:
        return list(server.answers(f"{line}\n"))

    for line in begin:
        say(line.format(start=start))
    board.set_clocks(dict.fromkeys(Color, Clock(seconds_left=3)))
    answer = say(go)
    assert answer
    if protocol == "nboard":
        assert board._end_pondering is None  # until the move is said
        say(f"move {board._latest.move}")
    assert board._end_pondering is not None
    expected = board._latest.line[1]
    began = time.process_time()
    say(reply.format(expected))
    assert time.process_time() - began < 5
    assert board._end_pondering is None
    assert board.playing.record.moves[-1] == expected
    choice = board.choice()
    assert choice.move in board.playing.record.position.legal_moves
    board.close()
