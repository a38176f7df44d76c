"""Bots: the games of the kernel, forfeits for whatever goes wrong, and nothing left behind."""

import gc
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from bot_files import BAD, DRAWING, FIRST, FORKS, HANGS, SLEEP, SLOW_FILE

import evoply as ep
from evoply import Stream
from evoply.arena import Schedule, play
from evoply.games import game_rules
from evoply.players import Bot, bot_classes, bots, parse_player, save_player
from evoply.protocols import Clock, ForfeitError
from waiting import PATIENCE, until

GAME = "othello-4"
READINGS = 100 if "EVOPLY_LONG" in os.environ else 25

THROUGH = """
import evoply as ep

class Through:
    '''Asks a player of the kernel, so that its games must be those of the kernel.'''

    def __init__(self):
        self.asked = 0

    def choose(self, game, stream, clock):
        assert clock.move_seconds == 30.0
        assert clock.moves == (len(game) - 4) // 2
        assert self.asked <= clock.moves
        self.asked += 1
        seat = ep.parse_player("material:depth=2,ties=random", game=game.position.game).seat(
            game.position.game
        )
        return seat.choose(game, stream, clock)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    tmp_path.chmod(0o777)  # the bots of root are nobody, and some of them leave a file here
    return tmp_path


@pytest.fixture
def long_loading(monkeypatch: pytest.MonkeyPatch) -> None:
    """A short limit for moves is none for loading the file, which takes long on a busy machine."""
    process = bots._BotProcess
    wait_until_loaded = process.wait_until_loaded
    monkeypatch.setattr(
        process, "wait_until_loaded", lambda one, _: wait_until_loaded(one, PATIENCE)
    )


def written(name: str, text: str, **fields: object) -> Bot:
    Path(name).write_text(text)
    return Bot(path=name, **fields)


def left_behind(folder: Path) -> list[str]:
    """Return the command lines of processes of bots in *folder*, or that these started."""
    found = []
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = process.read_bytes().replace(b"\0", b" ").decode(errors="replace")
            cwd = os.readlink(process.parent / "cwd")
        except OSError:
            continue
        if SLEEP in line or ("bot_process" in line and cwd == str(folder)):
            found.append(line)
    return found


@pytest.mark.parametrize("game", ["othello-6", "checkers"])
def test_a_bot_that_asks_the_kernel_plays_the_games_of_the_kernel(folder: Path, game: str) -> None:
    bot = written("through.py", THROUGH, move_limit=30.0)
    text = "material:depth=2,ties=random"
    options = {"game": game, "games": 6, "seed": 4, "openings": 4}
    through = ep.match(bot, "random", **options)
    kernel = ep.match(text, "random", **options)
    assert through.forfeits == ()
    assert (through.wins, through.draws, through.endings) == (
        kernel.wins,
        kernel.draws,
        kernel.endings,
    )


class First:
    def choose(self, game: object, stream: object, clock: object) -> object:
        return game.position.legal_moves[0]  # type: ignore[attr-defined]


def test_mixed_games_do_not_depend_on_threads(folder: Path) -> None:
    first, drawing = written("first.py", FIRST), written("drawing.py", DRAWING)
    smooth = parse_player("( white ),50,( black ),50:overlap=40", game=GAME)
    players = [parse_player("greedy", game=GAME), first, drawing, First(), smooth]
    pairs = [(one, other) for one in range(5) for other in range(one, 5)]
    schedule = Schedule.pairs(
        [one for one, _ in pairs],
        [other for _, other in pairs],
        stream=Stream(7, "test"),
        opening_plies=2,
        start=game_rules(GAME).start().row,
    )
    told: list[int] = []
    results = [
        play(GAME, players, schedule, threads=threads, record_moves=True, progress=told.append)
        for threads in (1, 3)  # each thread has processes of its own
    ]
    for other in results[1:]:
        assert other.moves == results[0].moves
        assert np.array_equal(other.winners, results[0].winners)
        assert np.array_equal(other.hashes, results[0].hashes)
    assert told[-1] == len(schedule)
    # A bot and an object that choose alike play alike, from the same keys.
    twin = play(GAME, [players[0], First(), drawing, first, smooth], schedule, record_moves=True)
    assert twin.moves == results[0].moves
    assert not left_behind(folder)


@pytest.mark.usefixtures("long_loading")
def test_a_tournament_with_every_kind_of_bad_bot(folder: Path) -> None:
    for name, (text, _) in BAD.items():
        Path(f"{name}.py").write_text(text)
    Path("forks.py").write_text(FORKS)
    good = [f"good{number}" for number in range(3)]
    for number, name in enumerate(good):
        Path(f"{name}.py").write_text(DRAWING if number % 2 else FIRST)
    names = [*BAD, "forks", *good]
    limits = {"hangs": 0.4}
    players = [
        Bot(path=f"{name}.py", name=name, move_limit=limits.get(name, PATIENCE)) for name in names
    ]
    result = ep.round_robin([*players, "random"], game=GAME, games=2, seed=3, openings=2)
    assert result.games == 156
    lost = {(one.player, one.opponent): one for one in result.forfeits}
    for name, (_, reason) in BAD.items():
        for other in [*good, "forks", "random"]:
            one = lost[name, other]
            assert reason in one.reason
            assert one.by_time == (name == "hangs")
        standing = next(one for one in result.standings if one.player == name)
        against_bad = sum(lost[pair].games for pair in lost if pair[1] == name)
        # It has points only from those who forfeited to it.
        assert standing.points == against_bad
    assert {player for player, _ in lost} == set(BAD)
    assert not result.reproducible
    assert result.to_dict()["forfeits"][0].keys() >= {"player", "opponent", "reason", "games"}
    assert not left_behind(folder)


def test_the_next_game_after_a_failure_is_played(folder: Path) -> None:
    """It hangs, dies or raises in its second game as White, by the record alone."""
    text = """
import os, time

class Moody:
    def choose(self, game, stream, clock):
        mood = game.position.legal_moves[0].square % 3 if game.position.ply > 6 else 1
        if mood == 0:
            raise ValueError("\\x1b[31mred\\nlines")
        if mood == 2:
            os._exit(1)
        return game.position.legal_moves[-1]
"""
    result = ep.match(written("moody.py", text), "random", game=GAME, games=20, openings=0, seed=0)
    reasons = {one.reason for one in result.forfeits}
    assert reasons == {"raised ValueError: ?[31mred lines (line 8)", "its process died"}
    assert 0 < sum(one.games for one in result.forfeits) < 20
    again = ep.match(
        Bot(path="moody.py"), "random", game=GAME, games=20, openings=0, seed=0, threads=1
    )
    assert again == result


def test_files_that_take_too_long_or_fail_to_load(folder: Path) -> None:
    slow = written("slow.py", SLOW_FILE, move_limit=0.2)
    broken = written("broken.py", f"{FIRST}\nraise OSError('no table')\n")
    picky = written(
        "picky.py", "class Picky:\n def __init__(self, size): ...\n choose = 1\n" + FIRST
    )
    for bot, reason in [
        (slow, "importing its file took more than 0.2 seconds"),
        (broken, "its file could not be read: OSError: no table (line 6)"),
        (picky.model_copy(update={"class_name": "Picky"}), "has no method choose"),
    ]:
        result = ep.match(bot, "random", game=GAME, games=2)
        assert result.losses == 2
        assert all(reason in one.reason for one in result.forfeits), result.forfeits
    assert not left_behind(folder)


@pytest.mark.usefixtures("long_loading")
def test_a_seat_says_why_and_comes_back(folder: Path) -> None:
    seat = written("hangs.py", HANGS, move_limit=0.2).seat("othello")
    record = game_rules("othello").record()
    for _ in range(2):
        with pytest.raises(ForfeitError, match=r"no move within 0\.2 seconds"):
            seat.choose(record, Stream(1), Clock())
    seat.close()
    seat.close()
    with pytest.raises(ForfeitError):
        seat.choose(record, Stream(1), Clock())
    assert not left_behind(folder)


RUN = """
import sys, evoply as ep
bot = ep.Bot(path=sys.argv[1], move_limit=1000.0, limits={"sandbox": "off"})  # it leaves files
ep.match(bot, bot, games=8)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_nothing_is_left_when_evoply_is_stopped(folder: Path, number: signal.Signals) -> None:
    Path("hangs.py").write_text(
        FORKS.replace("class Forks", HANGS + "\nclass Forks(Hangs)")
        .replace(
            "        return game.position.legal_moves[0]\n",
            "        super().choose(game, stream, clock)\n",
        )
        .replace("ply < 6", "ply < 60")
    )
    process = subprocess.Popen([sys.executable, "-c", RUN, "hangs.py"], stderr=subprocess.PIPE)
    until(Path("hangs.py.asked").exists)
    assert left_behind(folder)
    process.send_signal(number)
    _, error = process.communicate(timeout=PATIENCE)  # 0.1 s where nothing else runs
    if number == signal.SIGINT:
        assert b"KeyboardInterrupt" in error
        assert not left_behind(folder)
    until(lambda: not left_behind(folder))


def test_which_class_is_the_bot(folder: Path) -> None:
    text = "class _Base:\n  def choose(self, game, stream, clock): ...\n"
    text += "class Base(_Base): ...\nclass One(Base): ...\nclass Other: ...\n"
    Path("one.py").write_text(text)
    assert bot_classes("one.py") == ["One"]
    assert parse_player("one.py").label == "one.py"
    assert parse_player("one.py:Base").label == "one.py:Base"
    Path("two.py").write_text(FIRST + DRAWING)
    for name, says in [
        ("two.py", "several classes have a method choose, First, Drawing: say which"),
        ("two.py:Frist", "no class 'Frist'; did you mean 'First'"),
        ("one.py:depth=3", "'depth=3' names no class"),
        ("none.py", "there is no such file"),
        ("wrong.py", "wrong.py: line 2: "),
        ("empty.py", "no class with a method choose"),
    ]:
        Path("wrong.py").write_text("\nclass :")
        Path("empty.py").write_text("")
        with pytest.raises(ValueError, match=says):
            parse_player(name)
    with pytest.raises(ValueError, match="no such file"):
        ep.match(Bot(path="none.py"), "random", games=2)


def test_bots_are_no_saved_players_and_train_nobody(folder: Path) -> None:
    bot = written("first.py", FIRST)
    with pytest.raises(ValueError, match="cannot be saved"):
        save_player("bot.json", bot)
    Path("bot.toml").write_text('kind = "bot"\npath = "first.py"\nmove_limit = 2.5\n')
    assert parse_player("bot.toml").move_limit == 2.5
    with pytest.raises(ValueError, match="is a bot"):
        ep.explain(bot)


GREEDY_FOR_RESOURCES = {
    "processes": (
        "os.fork() or time.sleep(1000)",
        # whoever sees it first, the keeper or the system
        ("its process died: it started more than 8 processes", "raised BlockingIOError"),
        {"processes": 8},
    ),
    "cpu": ("", "its process died: it used 1 seconds of processor time", {"cpu": 1}),
    # A busy machine may take more than a second to fill half a gigabyte.
    "memory": ("held.append(bytearray(2**24))", "raised MemoryError", {"cpu": 20, "memory": 512}),
}
"""What is done for ever, by the limit that ends it, and the limits of the bot."""


@pytest.mark.skipif(sys.platform != "linux", reason="the keeper counts processes on Linux")
@pytest.mark.parametrize("limit", GREEDY_FOR_RESOURCES)
def test_limits_of_a_bot(folder: Path, limit: str) -> None:
    act, reason, limits = GREEDY_FOR_RESOURCES[limit]
    text = f"""
import os, time

class Greedy:
    def choose(self, game, stream, clock):
        held = []
        while True:
            {act or "pass"}
"""
    bot = written("resources.py", text, move_limit=60.0, limits=limits)
    result = ep.match(bot, "random", game=GAME, games=2, threads=1)
    assert result.losses == 2
    assert all(one.reason.startswith(reason) for one in result.forfeits), result.forfeits
    assert not left_behind(folder)
    again = Bot(**bot.model_dump())
    assert again == bot
    with pytest.raises(ValueError, match=r"limits\.cpu"):
        Bot(path="resources.py", limits={"cpu": 0})


@pytest.mark.skipif(os.getuid() != 0, reason="only root becomes somebody else")
@pytest.mark.parametrize("is_below", [True, False])
def test_the_bot_of_root_is_nobody_and_plays(folder: Path, is_below: bool) -> None:
    """In a folder below one that is root's alone, as the interpreter may be, or in that itself."""
    folder.chmod(0o755 if is_below else 0o700)
    folder.parent.chmod(0o700)
    Path("helper.py").write_text("PLACE = 0\n")
    text = """
import os
import statistics
import numpy
from helper import PLACE
import evoply as ep

class Nobody:
    def choose(self, game, stream, clock):
        import colorsys, wave  # found only now
        from evoply.players import parse_player
        assert os.getresuid() == (65534,) * 3 and os.getgroups() == []
        for path in (__file__ + ".new", "/root/new"):
            try:
                open(path, "w")
            except PermissionError:
                continue
            raise AssertionError(path)
        parse_player("greedy", game=game.position.game)
        return game.position.legal_moves[PLACE]
"""
    if not is_below:
        text = text.replace("from helper import PLACE", "PLACE = 0")  # not its own file
    bot = written("nobody.py", text, move_limit=60.0)
    result = ep.match(bot, "random", game=GAME, games=4, openings=2)
    assert result.forfeits == ()
    first = ep.match(written("first.py", FIRST), "random", game=GAME, games=4, openings=2)
    assert (result.wins, result.draws) == (first.wins, first.draws)


def test_threads_read_bots_at_the_same_time(tmp_path: Path) -> None:
    class Garbage:
        def __init__(self) -> None:
            self.me = self  # left to the collector, which runs while a tree is built

        def __del__(self) -> None:
            time.sleep(0)  # and lets other threads go on

    def read(_: int) -> list[str]:
        Garbage()
        return bot_classes(file)

    lines = [f"        x{number} = [{number}, (3, {{5: 6}})][0]" for number in range(300)]
    file = tmp_path / "bot.py"
    head = ["class Bot:", "    def choose(self, game, stream, clock):"]
    file.write_text("\n".join([*head, *lines, "        return None"]))
    interval, thresholds = sys.getswitchinterval(), gc.get_threshold()
    sys.setswitchinterval(1e-6)
    gc.set_threshold(50)
    try:
        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(read, range(READINGS))) == [["Bot"]] * READINGS
    finally:
        sys.setswitchinterval(interval)
        gc.set_threshold(*thresholds)


CLOCKED = """
import time
time.sleep(0.1)  # loading is over before the clocks start

class Clocked:
    is_first = True

    def choose(self, game, stream, clock):
        move_seconds = {limit}
        assert clock.move_seconds == move_seconds, clock
        assert (clock.seconds_left == 400) is self.is_first, clock
        assert 200 < clock.seconds_left < 410, clock
        assert clock.increment == 0.25, clock
        self.is_first = False
        return game.position.legal_moves[0]
"""


def test_a_bot_sees_the_clock_of_the_game(folder: Path) -> None:
    options = {"game": GAME, "games": 2, "seed": 1, "clock": "400+0.25"}
    bot = written("usual.py", CLOCKED.format(limit=None))
    assert ep.match(bot, "random", **options).forfeits == ()
    bot = written("given.py", CLOCKED.format(limit=2.0), move_limit=2.0)
    result = ep.match(bot, "random", **options)
    assert result.forfeits == ()
    assert not result.reproducible


@pytest.mark.usefixtures("long_loading")
def test_a_bot_that_hangs_loses_when_its_clock_runs_out(folder: Path) -> None:
    result = ep.match(written("hangs.py", HANGS), "random", game=GAME, games=2, seed=1, clock="0.3")
    assert result.losses == 2
    (why,) = result.forfeits
    assert (why.reason, why.by_time) == ("its clock of 0.3 ran out", True)
    given = written("given.py", HANGS, move_limit=0.2)
    result = ep.match(given, "random", game=GAME, games=2, seed=1, clock="60")
    assert result.forfeits[0].reason == "no move within 0.2 seconds"
    assert not left_behind(folder)
