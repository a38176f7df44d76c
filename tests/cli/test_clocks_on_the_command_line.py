"""--clock of matches, tournaments and games against a person."""

import io
import os
from pathlib import Path

import pytest
from command_line import call, terminal

from evoply.cli.terminal_game import TerminalGame
from evoply.games import game_rules
from evoply.players import parse_player
from evoply.protocols import Choice, Clock, Color, GameInProgress, Seat, TimeControl
from waiting import read_until

SMALL = ("--game", "othello-4", "--games", "2", "--quiet")


def test_a_match_has_a_clock(capsys: pytest.CaptureFixture) -> None:
    answer = call(capsys, "match", "greedy", "material:depth=2", *SMALL, "--clock", "5+0.5")
    assert answer.code == 0
    assert "Clock 5+0.5; time used by greedy: " in answer.out
    assert "may end differently" in answer.out
    data = call(capsys, "match", "greedy", "random", *SMALL, "--clock", "5", "--json").data
    assert (data["clock"], data["reproducible"]) == ("5", False)
    assert all(0 <= one["seconds"]["mean"] <= one["seconds"]["most"] for one in data["players"])
    data = call(capsys, "match", "greedy", "random", *SMALL, "--json").data
    assert (data["clock"], data["reproducible"]) == (None, True)
    test = call(
        capsys, "match", "greedy", "random", *SMALL, "--clock", "5", "--sprt", "0", "9", "--json"
    )
    assert test.data["clock"] == "5"


def test_a_tournament_has_a_clock(capsys: pytest.CaptureFixture) -> None:
    players = ("greedy", "random", *SMALL, "--clock", "5")
    answer = call(capsys, "tournament", *players)
    assert "seconds a game" in answer.out
    assert "Clock 5: seconds for a game" in answer.out
    data = call(capsys, "tournament", *players, "--json").data
    assert data["clock"] == "5"
    assert data["standings"][0]["seconds"]["most"] < 5
    data = call(capsys, "tournament", *players, "--mode", "elimination", "--json").data
    assert data["stars"][0]["seconds"]["most"] < 5


@pytest.mark.parametrize("command", ["match greedy random", "tournament greedy random", "play"])
def test_a_clock_of_no_time_is_refused(command: str, capsys: pytest.CaptureFixture) -> None:
    for wrong in ("soon", "0", "-1", "1e3", "1+", "nan"):
        answer = call(capsys, *command.split(), f"--clock={wrong}")
        assert answer.code == 2
        assert "--clock: " in answer.err
        assert "give " in answer.err


class Waiting:
    """Standard input of a person, and a clock that runs while the person thinks."""

    def __init__(self, *typed: tuple[float, str]) -> None:
        self.typed = list(typed)
        self.time = 50.0

    def now(self) -> float:
        return self.time

    def readline(self) -> str:
        if not self.typed:
            return ""
        seconds, line = self.typed.pop(0)
        self.time += seconds
        return f"{line}\n"

    def isatty(self) -> bool:
        return False


class Answering(Seat):
    """Plays the first legal move after some seconds of the same clock."""

    label = "answering"
    reproducible = True

    def __init__(self, waiting: Waiting, seconds: float) -> None:
        self.waiting, self.seconds = waiting, seconds
        self.clocks: list[Clock] = []

    def check_fits(self, game: str) -> None:
        pass

    def seat(self, game: str) -> "Answering":
        return self

    def choose(self, game: object, stream: object, clock: Clock) -> Choice:
        self.clocks.append(clock)
        self.waiting.time += self.seconds
        return Choice(game.position.legal_moves[0])  # type: ignore[attr-defined]

    def close(self) -> None:
        pass


def session(
    waiting: Waiting, seconds: float, monkeypatch: pytest.MonkeyPatch
) -> tuple[TerminalGame, Answering, str]:
    from rich.console import Console

    monkeypatch.setattr("sys.stdin", waiting)
    screen = io.StringIO()
    opponent = Answering(waiting, seconds)
    game = TerminalGame(
        Console(file=screen, width=100),
        opponent,
        "answering",
        Color.BLACK,
        GameInProgress.begin(game_rules("othello").record(), TimeControl(60, 2)),
        1,
        now=waiting.now,
    )
    game.play()
    return game, opponent, screen.getvalue()


def test_a_person_has_a_clock_too(monkeypatch: pytest.MonkeyPatch) -> None:
    waiting = Waiting((5, "moves"), (7, "f5"), (10, "undo"), (1, "f5"))
    game, opponent, screen = session(waiting, 3.0, monkeypatch)
    assert game.is_left
    assert "Clocks: Black 1:00, White 1:00" in screen
    # Taking back a move gives no time back.
    assert game.seconds_left == {"black": 60 - 12 + 2 - 11 + 2, "white": 60 - 3 + 2 - 3 + 2}
    assert [clock.seconds_left for clock in opponent.clocks] == [60, 59]
    assert opponent.clocks[0].increment == 2
    assert "Clocks: Black 0:50, White 0:59" in screen


def test_a_persons_flag_falls(monkeypatch: pytest.MonkeyPatch) -> None:
    game, _, screen = session(Waiting((20, "f5"), (43, "d6")), 0.0, monkeypatch)
    assert (game.playing.loser, game.playing.reason) == (
        Color.BLACK,
        "the flag has fallen (clock 60+2)",
    )
    assert "d6" not in screen.rsplit("plays", 1)[1].split("\n")[0]
    assert game.seconds_left == {"black": 0, "white": 62}
    # To the last instant is in time.
    game, _, _ = session(Waiting((20, "f5"), (42, "d3")), 0.0, monkeypatch)
    assert game.playing.loser is None


def test_the_opponents_flag_falls(monkeypatch: pytest.MonkeyPatch) -> None:
    game, _, _ = session(Waiting((0, "f5"), (0, "d3")), 60.5, monkeypatch)
    assert (game.playing.loser, game.playing.reason) == (
        Color.WHITE,
        "the flag has fallen (clock 60+2)",
    )
    assert len(game.game) == 1


def test_a_flag_falls_while_nothing_is_typed(
    capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading) as source, os.fdopen(writing, "w"):
        monkeypatch.setattr("sys.stdin", source)
        answer = call(capsys, "play", "--against", "greedy", "--clock", "0.3", "--json")
    assert answer.code == 0
    assert (answer.data["winner"], answer.data["ending"]) == ("white", "forfeit")
    assert (answer.data["points"], answer.data["finished"]) == (0.0, True)
    assert answer.data["forfeit"] == "the flag has fallen (clock 0.3)"
    assert answer.data["seconds_left"]["black"] == 0
    assert "You forfeit: the flag has fallen" in answer.err


def test_a_flag_falls_at_the_prompt_of_a_terminal(tmp_path: Path) -> None:
    command = ("play", "--against", "greedy", "--clock", "2")
    with terminal(*command, cwd=tmp_path) as (leader, process):
        assert "Clocks: " in read_until(leader, "(you, 0:0")
        os.write(leader, b"f")  # half of a move
        assert "You lose" in read_until(leader, "Moves: ")
    assert process.returncode == 0


def test_the_way_to_go_on_has_the_clock(
    capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("f5\n"))
    answer = call(capsys, "play", "--against", "greedy", "--seed", "1", "--clock", "60+1")
    assert "--seed 1 --clock 60+1 --position 'f5" in answer.out
    assert parse_player("greedy").reproducible
