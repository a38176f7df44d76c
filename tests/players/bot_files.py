"""Bots for tests, good and bad, as the text of their files."""

import os

SLEEP = f"98765.{os.getpid():08}"
"""What children of bots sleep, to be found by; other tests on this machine find theirs."""

FIRST = """
class First:
    def choose(self, game, stream, clock):
        return game.position.legal_moves[0]
"""

DRAWING = """
class Drawing:
    '''Draws its move, and prints what nobody is to read.'''

    def choose(self, game, stream, clock):
        print('{"number": 1, "move": 0}')
        moves = game.position.legal_moves
        return str(moves[stream.below(len(moves))])
"""

RAISES = """
class Raises:
    def choose(self, game, stream, clock):
        raise RuntimeError("no idea")
"""

HANGS = """
import time

class Hangs:
    def choose(self, game, stream, clock):
        open(__file__ + ".asked", "w").close()
        time.sleep(1000)
"""

DIES = """
import os

class Dies:
    def choose(self, game, stream, clock):
        os._exit(3)
"""

FORKS = f"""
import os, subprocess

class Forks:
    '''Leaves processes behind that are nobody's children and in sessions of their own.'''

    def choose(self, game, stream, clock):
        if game.position.ply < 6:
            child = os.fork()
            if not child:
                os.setsid()
                if os.fork():
                    os._exit(0)
                os.setsid()
                os.execvp("sleep", ["sleep", "{SLEEP}"])
            os.waitpid(child, 0)
            subprocess.Popen(["sleep", "{SLEEP}"], start_new_session=True)
        return game.position.legal_moves[0]
"""

GARBAGE = """
import os

class Garbage:
    '''Writes to every descriptor there is.'''

    def choose(self, game, stream, clock):
        for descriptor in range(1, 20):
            try:
                os.write(descriptor, b"\\\\x00\\\\xff no answer \\\\n")
            except OSError:
                pass
        return game.position.legal_moves[0]
"""

ENDLESS = """
import os

class Endless:
    '''Writes a line without an end to every descriptor there is.'''

    def choose(self, game, stream, clock):
        while True:
            for descriptor in range(1, 10):
                try:
                    os.write(descriptor, b"x" * 65536)
                except OSError:
                    pass
"""

NONSENSE = """
class Nonsense:
    def choose(self, game, stream, clock):
        return {"a": object()}
"""

ILLEGAL = """
class Illegal:
    def choose(self, game, stream, clock):
        return "a1" if game.position.game == "othello" else "b2"
"""

LEAVES = """
import sys

class Leaves:
    def choose(self, game, stream, clock):
        sys.exit("good bye")
"""

SLOW_FILE = """
import time
time.sleep(1000)

class Slow:
    def choose(self, game, stream, clock): ...
"""

BAD = {
    "raises": (RAISES, "raised RuntimeError: no idea (line 4)"),
    "hangs": (HANGS, "no move within"),
    "dies": (DIES, "its process died"),
    "garbage": (GARBAGE, "wrote something else than its answer"),
    "endless": (ENDLESS, "wrote something else than its answer"),
    "nonsense": (NONSENSE, "is not a move"),
    "illegal": (ILLEGAL, "played the illegal move b2"),
    "leaves": (LEAVES, "raised SystemExit: good bye"),
}
"""Bots that lose whatever they play, and why."""
