"""A program that leaves a mark if anybody runs it, and what names it."""

import hashlib
from pathlib import Path
from typing import Any

from evoply.web import Trusted, application

MARK = Path("mark")
EVIL = """
with open("mark", "a") as mark:
    mark.write("imported")
P = 1
class Evil:
    reproducible = True
    def __init__(self, player=None): pass
    def choose(self, game, stream, clock): return game.position.legal_moves[0]
def f(tree, stream): return 0.0
"""
ENGINE = {"kind": "engine", "protocol": "gtp", "command": ["sh", "-c", "touch mark"]}
BOT = {"kind": "bot", "path": "evil.py", "class_name": "Evil"}


def sha(path: str | Path) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def pinned(name: str) -> str:
    """Return how a run names something in evil.py; nobody typed it in this process."""
    return f"python:{Path('evil.py').resolve()}:{name}#{sha('evil.py')}"


def page() -> Any:
    return application(Path("games.db"), Trusted(("127.0.0.1:8000",)))
