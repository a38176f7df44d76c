"""An engine that misbehaves in one way: `mock_engine.py PROTOCOL MOOD`, run as a program.

Moods that play on choose the first legal move and import the rules; the others start quickly.
"""

import os
import re
import subprocess
import sys
import time

SLEEP = "98765.1234"
"""What its children sleep, to be found by."""


class Rules:
    """The game as it was told."""

    def __init__(self) -> None:
        from evoply.games import game_rules

        self.rules = game_rules("othello")
        self.record = self.rules.record()

    def hear(self, line: str) -> None:
        if line.startswith("set game"):
            self.record = self.rules.record()
            for move in re.findall(r"[BW]\[(\w\w)\]", line.partition("*]")[2]):
                self.record = self.record.play(move)
        elif line == "clear_board":
            self.record = self.rules.record()
        elif line.startswith("play"):
            self.record = self.record.play(line.split()[2])

    def move(self) -> str:
        move = self.record.position.legal_moves[0]
        self.record = self.record.play(move)
        return str(move)


def say(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


class Mood:
    """Chooses the first legal move."""

    plays = True
    commands = "play\ngenmove"

    def __init__(self, protocol: str) -> None:
        self.protocol = protocol
        self.number = ""
        self.chosen = 0
        self.rules = Rules() if self.plays else None

    def start(self) -> None:
        """Do what is done before anything is read."""

    def hear(self, line: str) -> None:
        """Do what is done with every line."""

    def choose(self) -> str:
        assert self.rules is not None
        return self.rules.move()

    def answer(self, text: str) -> None:
        if self.protocol == "gtp":
            say(f"={self.number} {text}\n\n")
        else:
            say(f"=== {text}/0.5/0.1\n")

    def pong(self, rest: str) -> None:
        say(f"status !\npong {rest}\n")

    def knows(self, line: str) -> bool:
        """Return whether it understands a line of GTP."""
        return True

    def refuse(self) -> None:
        """Answer a line of GTP that it does not understand."""
        say(f"?{self.number} unknown command\n\n")


class Idle(Mood):
    """Needs no rules."""

    plays = False


class Crash(Idle):
    def choose(self) -> str:
        os.write(2, b"warming up\nsegmentation fault of the mind\n")
        os._exit(11)


class CrashOnce(Mood):
    def choose(self) -> str:
        if self.chosen == 2 and not os.path.exists("crashed"):
            open("crashed", "w").close()
            os._exit(11)
        return super().choose()


class Hang(Idle):
    def choose(self) -> str:
        time.sleep(1000)
        return ""


class Illegal(Idle):
    def choose(self) -> str:
        return "a1"


class WrongPass(Idle):
    def choose(self) -> str:
        return "pass"


class Resign(Idle):
    def choose(self) -> str:
        return "resign"


class Garbage(Idle):
    def choose(self) -> str:
        say("= \x1b[31mwhat? \xff\n\n" if self.protocol == "gtp" else "=== \x1b[31mwhat?\n")
        time.sleep(1000)
        return ""


class Endless(Idle):
    text = b"x" * 65536

    def choose(self) -> str:
        while True:
            os.write(1, self.text)


class Chatter(Endless):
    text = b"nothing\nof note\n" * 4096


class Late(Mood):
    def choose(self) -> str:
        time.sleep(0.8)
        return super().choose()


class Deaf(Mood):
    """Hears nothing after its second move."""

    def choose(self) -> str:
        if self.chosen == 1:
            os.close(0)
            self.answer(super().choose())
            time.sleep(1000)
        return super().choose()


class Zombies(Mood):
    """Leaves dead children behind with every move, and living ones with some."""

    def choose(self) -> str:
        if not os.fork():
            os._exit(0)
        if self.chosen < 10:
            leave_children()
        return super().choose()


class SlowStart(Mood):
    def start(self) -> None:
        time.sleep(0.5)


class Clocked(Mood):
    """Writes down what it hears, knows about time, and is slow to start."""

    commands = "play\ngenmove\ntime_settings\ntime_left"

    def start(self) -> None:
        time.sleep(0.1)

    def hear(self, line: str) -> None:
        with open("heard", "a") as file:
            file.write(f"{line}\n")


class Talkative(Mood):
    """Says more than it is asked, in capitals, with blanks, empty lines and other line ends."""

    def answer(self, text: str) -> None:
        if self.protocol == "gtp":
            more = " (value 2.5)" if len(text) == 2 and text[1].isdigit() else ""
            say(f"thinking of {self.chosen}\r\n\r\n  =  {text.upper()}{more}\r\n \r\n\r\n")
        else:
            say(f"thinking\r\n\r\n===  {text.upper()} -1.00 0.0\r\n")

    def pong(self, rest: str) -> None:
        say(f"\r\n PONG  {rest}\r\n")


class Terse(Mood):
    """Writes no empty lines, and no blank behind the sign."""

    commands = "boardsize play genmove"

    def answer(self, text: str) -> None:
        say(f"={text}\n" if self.protocol == "gtp" else f"==={text.lower()}\n")


class Unnumbered(Mood):
    """Knows neither numbers before commands nor any command that is not needed."""

    def knows(self, line: str) -> bool:
        return line.split()[0] in ("name", "clear_board", "play", "genmove", "quit")


class OtherSize(Idle):
    """Plays on other boards only."""

    commands = "boardsize\nclear_board"

    def knows(self, line: str) -> bool:
        return not line.startswith("boardsize 8")

    def pong(self, rest: str) -> None:
        """Be busy for ever."""


class Stranger(Idle):
    """Speaks another language."""

    def hear(self, line: str) -> None:
        say("hello?\n" if self.protocol == "gtp" else "")

    def answer(self, text: str) -> None:
        """Know nothing of that."""

    def pong(self, rest: str) -> None:
        """Know nothing of that."""


class Refuses(Idle):
    """Understands nothing."""

    def knows(self, line: str) -> bool:
        return False

    def pong(self, rest: str) -> None:
        os._exit(3)


MOODS = {
    "talkative": Talkative,
    "terse": Terse,
    "unnumbered": Unnumbered,
    "other-size": OtherSize,
    "stranger": Stranger,
    "refuses": Refuses,
    "good": Mood,
    "clocked": Clocked,
    "crash": Crash,
    "crash-once": CrashOnce,
    "hang": Hang,
    "illegal": Illegal,
    "wrong-pass": WrongPass,
    "resign": Resign,
    "garbage": Garbage,
    "endless": Endless,
    "chatter": Chatter,
    "late": Late,
    "deaf": Deaf,
    "zombies": Zombies,
    "slow-start": SlowStart,
}


def leave_children() -> None:
    """Start processes that are nobody's children, in sessions of their own, and never wait."""
    child = os.fork()
    if not child:
        os.setsid()
        if os.fork():
            os._exit(0)
        os.setsid()
        os.execvp("sleep", ["sleep", SLEEP])
    os.waitpid(child, 0)
    subprocess.Popen(["sleep", SLEEP], start_new_session=True)


def main(protocol: str, name: str) -> None:
    mood = MOODS[name](protocol)
    mood.start()
    for line in sys.stdin:
        line = line.strip()
        if protocol == "gtp" and line[:1].isdigit():
            mood.number, _, line = line.partition(" ")
        mood.hear(line)
        if protocol == "gtp" and not mood.knows(line):
            mood.refuse()
            continue
        if mood.rules is not None:
            mood.rules.hear(line)
        if line.startswith(("genmove", "go")):
            move = mood.choose()
            mood.chosen += 1
            mood.answer(move)
        elif line == "quit":
            return
        elif protocol == "nboard":
            word, _, rest = line.partition(" ")
            say(f"set myname mock 1.5 {name}\n" if word == "nboard" else "")
            if word == "ping":
                mood.pong(rest)
        else:
            news = {"name": f"mock {name}", "version": "1.5", "list_commands": mood.commands}
            mood.answer(news.get(line, ""))


if __name__ == "__main__":
    main(*sys.argv[1:])
