"""Engines as players: whatever they do, the right result in time, and nothing left behind."""

import os
import re
import shlex
import shutil
import sys
import time
from pathlib import Path

import pytest
from mock_engine import SLEEP

import evoply as ep
from evoply.games import game_rules
from evoply.players import Engine, EngineLimits, parse_player, read_engines, save_player
from evoply.players.engines import engine_name
from evoply.players.process_limits import MoveLimit
from evoply.protocols import Clock, ConfigError, ForfeitError
from programs import needs
from waiting import PATIENCE

LONG = "EVOPLY_LONG" in os.environ
MOCK = Path(__file__).with_name("mock_engine.py")
LIMIT = 0.6
RHINO = shutil.which("gtp-rhino", path=f"/usr/games:{os.environ['PATH']}")

LOST = {
    "crash": "its process died: segmentation fault of the mind, for the second time in this game",
    "hang": f"no move within {LIMIT} seconds",
    "illegal": "played the illegal move 'a1'",
    "garbage": "wrote something else than its answer: ",
    "endless": "wrote something else than its answer: a line without an end",
    "chatter": "wrote something else than its answer: ",
    "deaf": "does not read its standard input any more, for the second time in this game",
    "late": f"no move within {LIMIT} seconds",
    "wrong-pass": "played the illegal move 'pass'",
    "resign": "resigned",
}
"""Moods of the mock that lose whatever they play, and why."""
WELL = ("zombies", "slow-start", "crash-once", "talkative", "terse", "unnumbered")
BY_TIME = ("hang", "late")


def mock(mood: str, protocol: str, **limits: float) -> Engine:
    command = (sys.executable, "-P", str(MOCK), protocol, mood)
    return Engine(protocol=protocol, command=command, name=mood, limits=EngineLimits(**limits))


def left_behind() -> list[str]:
    """Return the command lines of mocks, of keepers and of what mocks started, in this folder."""
    lines = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if os.readlink(process / "cwd") == os.getcwd():
                line = (process / "cmdline").read_bytes().replace(b"\0", b" ")
                lines.append(line.decode(errors="replace"))
        except OSError:
            continue
    return [line for line in lines if SLEEP in line or MOCK.name in line]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("protocol", ["gtp", "nboard"])
@pytest.mark.parametrize("mood", LOST)
def test_a_bad_engine_loses_its_games_and_leaves_nothing(mood: str, protocol: str) -> None:
    games = 50 if LONG else 2
    engine = mock(mood, protocol, move=LIMIT if mood in BY_TIME else PATIENCE, start=PATIENCE)
    result = ep.match(engine, "random", games=games, seed=2, openings=4)
    assert result.losses == games
    assert all(LOST[mood] in one.reason for one in result.forfeits), result.forfeits
    assert all(one.by_time == (mood in BY_TIME) for one in result.forfeits)
    about = result.to_dict()["players"][0]
    assert (about["kind"], about["version"], about["forfeits"]) == ("engine", "1.5", games)
    assert about["engine"] in (f"mock {mood}", f"mock 1.5 {mood}")
    assert MOCK.name in about["command"]
    assert not left_behind()


@pytest.mark.parametrize("protocol", ["gtp", "nboard"])
@pytest.mark.parametrize("mood", WELL)
def test_who_only_behaves_oddly_plays_on(mood: str, protocol: str) -> None:
    games = 20 if LONG else 2
    engine = mock(mood, protocol, move=PATIENCE, start=PATIENCE)
    threads = 0 if LONG else 1  # each has processes of its own
    result = ep.match(engine, "random", games=games, seed=2, openings=4, threads=threads)
    assert result.forfeits == ()
    first = ep.match(First(), "random", games=games, seed=2, openings=4)
    assert (result.wins, result.losses) == (first.wins, first.losses)
    assert (mood == "crash-once") == Path("crashed").exists()
    assert not left_behind()


@pytest.mark.parametrize(
    ("mood", "protocol", "says"),
    [
        ("refuses", "gtp", "does not speak GTP: it refuses name: unknown command"),
        ("refuses", "nboard", "its process died"),
        ("other-size", "gtp", "refuses boardsize 8: unknown command"),
        ("other-size", "nboard", "was not ready in time"),
        ("stranger", "gtp", "was not ready in time"),
        ("stranger", "nboard", "was not ready in time"),
        ("slow-start", "gtp", "was not ready in time"),
    ],
)
def test_an_engine_that_cannot_play_is_refused_before_its_games(
    mood: str, protocol: str, says: str
) -> None:
    """It lost all of them by forfeit, which said something of its opponent."""
    start = 0.4 if "in time" in says else PATIENCE
    engine = mock(mood, protocol, start=start)
    played: list[object] = []
    for call in (
        lambda: ep.match(engine, "random", games=2, on_game=played.append),
        lambda: ep.round_robin(["random", engine, "greedy"], games=2),
    ):
        with pytest.raises(ValueError, match=rf"the engine .*{mood} cannot play: {says} - try its"):
            call()
    assert not played
    assert not left_behind()


class First:
    def choose(self, game: object, stream: object, clock: object) -> object:
        return game.position.legal_moves[0]  # type: ignore[attr-defined]


def heard(protocol: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return what an engine hears of a game's first two moves under a clock."""
    monkeypatch.setattr(MoveLimit, "patience", lambda *_: PATIENCE)  # machines are busy
    seat = mock("clocked", protocol, start=PATIENCE).seat("othello")
    record = game_rules("othello").record()
    seat.get_ready()
    for left in (75.9, 0.62):
        clock = Clock(seconds_left=left, increment=2.5)
        record = record.play(seat.choose(record, ep.Stream(1), clock).move)
        record = record.play(record.position.legal_moves[0])
    seat.close()
    return Path("heard").read_text().splitlines()


def test_gtp_is_told_the_time_where_it_knows_the_commands(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [line for line in heard("gtp", monkeypatch) if line.startswith(("time", "genmove"))]
    assert lines == [
        "time_settings 75 0 0",
        "time_left black 75 0",
        "genmove black",
        "time_left black 0 0",
        "genmove black",
    ]
    Path("heard").unlink()
    seat = mock("good", "gtp", start=PATIENCE).seat("othello")
    record = game_rules("othello").record()
    assert seat.choose(record, ep.Stream(1), Clock(seconds_left=9.0)).move  # it knows none
    seat.close()


def test_nboard_is_told_the_time_with_the_game(monkeypatch: pytest.MonkeyPatch) -> None:
    games = [line for line in heard("nboard", monkeypatch) if line.startswith("set game")]
    assert [re.search(r"TI\[([^]]*)\]", line)[1] for line in games] == [  # type: ignore[index]
        "01:15/00:02",
        "00:00.62/00:02",
    ]


@pytest.mark.parametrize("protocol", ["gtp", "nboard"])
def test_openings_from_a_file_are_moves_for_an_engine(protocol: str, tmp_path: Path) -> None:
    """So one that speaks GTP, and begins at the usual start, plays them, too."""
    listed = tmp_path / "openings.txt"
    listed.write_text("f5d6c3d3c4\nf5f6e6f4\n", encoding="utf-8")
    options = {"games": 4, "seed": 2, "openings": ep.read_openings(listed), "threads": 1}
    engine = mock("good", protocol, move=PATIENCE, start=PATIENCE)
    result = ep.match(engine, "random", **options)
    assert result.forfeits == ()
    first = ep.match(First(), "random", **options)
    assert (result.wins, result.losses) == (first.wins, first.losses)


@pytest.mark.parametrize("protocol", ["gtp", "nboard"])
def test_the_clock_of_a_game_is_the_limit_unless_another_is_given(protocol: str) -> None:
    """And nothing counts before the game begins, such as the start of the process."""
    options = {"games": 2, "seed": 2, "openings": 4}
    lost = ep.match(mock("hang", protocol, start=PATIENCE), "random", **options, clock="0.4")
    assert lost.losses == 2
    (why,) = lost.forfeits
    assert (why.reason, why.by_time) == ("its clock of 0.4 ran out", True)
    lost = ep.match(
        mock("hang", protocol, start=PATIENCE, move=0.3), "random", **options, clock="60"
    )
    assert lost.forfeits[0].reason == "no move within 0.3 seconds"
    well = ep.match(mock("clocked", protocol, start=PATIENCE), "random", **options, clock="20")
    assert well.forfeits == ()
    assert 0 < well.players[0]["seconds"]["most"] < 20
    assert not left_behind()


@pytest.mark.parametrize("mood", [*(mood for mood in LOST if mood != "deaf"), "slow-start"])
def test_every_answer_comes_in_time(mood: str) -> None:
    """Within the limit and half a second; of some tries, because machines are busy."""
    record = game_rules("othello").record()
    limits = {"start": 0.3} if mood == "slow-start" else {"start": PATIENCE}
    seconds: list[float] = []
    while not seconds or (seconds[-1] >= LIMIT + 0.5 and len(seconds) < 20):
        seat = mock(mood, "gtp", move=LIMIT, **limits).seat("othello")
        began = time.monotonic()
        if mood != "slow-start":
            seat.get_ready()
        ready = time.monotonic()
        with pytest.raises(ForfeitError) as error:
            seat.choose(record, ep.Stream(1), Clock())
        seconds.append(time.monotonic() - ready)
        if mood == "crash":  # it is started once more, which has a limit of its own
            seconds[-1] -= ready - began
        seat.close()
        if mood == "slow-start":
            assert (str(error.value), error.value.by_time) == ("was not ready in time", True)
    assert min(seconds) < LIMIT + 0.5
    assert not left_behind()


def test_an_engine_that_died_is_told_the_game_again() -> None:
    """And loses when it dies again in the same game, but plays in the next one."""
    seat = mock("deaf", "gtp", move=PATIENCE, start=PATIENCE).seat("othello")
    for number in (1, 2):
        stream = ep.Stream(number)
        record = game_rules("othello").record("f5d6c3d3")
        for _ in range(3):  # the third is asked of the second process, which knows all moves
            record = record.play(seat.choose(record, stream, Clock()).move)
            record = record.play(record.position.legal_moves[-1])
        record = record.play(seat.choose(record, stream, Clock()).move)
        record = record.play(record.position.legal_moves[-1])
        with pytest.raises(ForfeitError, match="for the second time in this game"):
            seat.choose(record, stream, Clock())
    seat.close()
    with pytest.raises(ForfeitError, match="was sent away"):
        seat.choose(record, stream, Clock())
    assert not left_behind()


def test_texts_and_files_of_engines(folder: Path) -> None:
    program = shlex.quote(sys.executable)
    player = parse_player(f"engine:gtp:{program} my.py 'a b'")
    assert player.command == (sys.executable, "my.py", "a b")
    assert not player.reproducible
    assert parse_player(player.label) == player
    assert (engine_name("engine:x"), engine_name("greedy"), engine_name("engine:gtp:x")) == (
        "x", None, None,
    )  # fmt: skip
    Path("engines.toml").write_text(
        f"""
        [[engine]]
        name = "one"
        protocol = "nboard"
        command = "{sys.executable} -c pass"
        options = {{ depth = 4, fast = true }}
        limits = {{ move = 2.5, memory = 512 }}

        [[engine]]
        name = "two"
        protocol = "gtp"
        command = ["{sys.executable}"]
        deterministic = true
        """
    )
    engines = read_engines("engines.toml")
    assert list(engines) == ["one", "two"]
    assert engines["one"].options == {"depth": 4, "fast": True}
    assert engines["one"].limits == EngineLimits(move=2.5, memory=512)
    assert (engines["two"].reproducible, engines["two"].label) == (True, "two")
    assert engines["one"].with_move_limit(3.0).limits.move == 3.0
    Path("player.toml").write_text(f'kind = "engine"\nprotocol = "gtp"\ncommand = "{program}"\n')
    assert parse_player("player.toml").command == (sys.executable,)
    with pytest.raises(ValueError, match="cannot be saved"):
        save_player("x.json", engines["two"])
    with pytest.raises(ValueError, match="is an engine"):
        ep.explain(engines["two"])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("engine:gtp:no/such/program -x", "there is no program 'no/such/program'"),
        ("engine:gpt:x", "no protocol 'gpt'; did you mean 'gtp'"),
        ("engine:mine", "no engine 'mine' is known here"),
        ("engine:gtp:", "the command is missing"),
        ("engine:gtp:x 'y", "No closing quotation"),
        ("engine:nboard:sh \x07", "without control characters"),
    ],
)
def test_texts_that_name_no_engine(text: str, says: str) -> None:
    with pytest.raises(ValueError, match=re.escape(says)):
        parse_player(text)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "holds tables"),
        ("[engine]\nname = 'x'", "holds tables"),
        ("x = ", "not TOML"),
        (
            "[[engine]]\nname = 'x'\nprotocol = 'uci'\ncommand = 'sh'",
            "protocol: must be 'gtp' or 'nboard'",
        ),
        ("[[engine]]\nname = 'gtp'\nprotocol = 'gtp'\ncommand = 'sh'", "engine.0.name"),
        ("[[engine]]\nprotocol = 'gtp'\ncommand = 'sh'", "engine.0.name"),
        ("[[engine]]\nname = 'x'\nprotocol = 'gtp'\ncommand = ''", "command: must not be empty"),
        ("[[engine]]\nname = 'x'\nprotocol = 'gtp'\ncommand = '\"'", "No closing quotation"),
        (
            "[[engine]]\nname = 'x'\nprotocol = 'gtp'\ncommand = 'sh'\nlimits = {move = 0}",
            "engine.0.limits.move",
        ),
        (
            "[[engine]]\nname = 'x'\nprotocol = 'gtp'\ncommand = 'sh'\noptions = {x = \"a\\n\"}",
            "engine.0.options: x must be one line",
        ),
        (
            "[[engine]]\nname = 'x'\nprotocol = 'gtp'\ncommand = 'sh'\noptions = {'a b' = 3}",
            "engine.0.options: 'a b' is not an option's name",
        ),
        (
            "[[engine]]\nname = 'x'\nprotocol = 'gtp'\ncommand = 'sh'\noptions = {x = [3]}",
            "engine.0.options: x must be a text, a number, true or false",
        ),
        ("[[engine]]\nname = 'x'\nprotocol = 'gtp'", "engine.0.command: is missing"),
    ],
)
def test_files_that_describe_no_engines(text: str, says: str) -> None:
    Path("engines.toml").write_text(text)
    with pytest.raises(ConfigError, match=re.escape(says)):
        read_engines("engines.toml")


def test_checkers_and_other_starts_are_refused() -> None:
    with pytest.raises(ValueError, match="no engine that speaks gtp plays checkers"):
        mock("good", "gtp").check_fits("checkers")
    start = game_rules("othello").record("f5d6").position
    with pytest.raises(ValueError, match="begins every game at the start position"):
        ep.match(mock("good", "gtp", start=PATIENCE), "random", games=2, start=start, threads=1)
    assert not left_behind()


@needs("gtp-rhino", is_there=RHINO is not None)
@pytest.mark.parametrize("games", [4, pytest.param(200, marks=pytest.mark.long)])
def test_a_match_with_gtp_rhino(games: int) -> None:
    text = f"engine:gtp:{RHINO} -b 0 -m 1"
    result = ep.match(text, "greedy", games=games, seed=1)
    assert (result.games, result.forfeits) == (games, ())
    assert result.score > 0.6
    about = result.players[0]
    assert (about["engine"], about["command"]) == ("GTP GRhino", f"{RHINO} -b 0 -m 1")
    assert re.match(r"\d", about["version"])
    assert not result.reproducible
    timed = ep.match(text, "greedy", games=2, seed=1, clock="30")
    assert timed.forfeits == ()
