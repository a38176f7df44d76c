"""Nothing outside games, formats and studies asks which game it is: facts are on `GameRules`."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import evoply
from evoply.games import GAMES

PACKAGE = Path(evoply.__file__).parent
MODULES = sorted(
    path
    for path in PACKAGE.rglob("*.py")
    if path.relative_to(PACKAGE).parts[0] not in ("games", "formats", "studies")
)
FAMILIES = {"OTHELLO", "CHECKERS"}
NAMES = {*GAMES, "othello-", "checkers-"}
TABLES = NAMES - {"othello-6"}
"""What no table may be keyed by; a preset is called as a game is."""


def switches(text: str) -> Iterator[str]:
    """Yield what in the source *text* asks which game it is."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.expr | ast.stmt | ast.pattern) and is_switch(node):
            yield f"line {node.lineno}: {ast.unparse(node)[:80]}"


def is_switch(node: ast.AST) -> bool:
    match node:
        case ast.ImportFrom(names=names):
            return not FAMILIES.isdisjoint(name.name for name in names)
        case ast.Attribute(attr=attribute):
            return attribute in FAMILIES
        case ast.Compare(left=left, comparators=others):
            return any(map(names_a_game, (left, *others)))
        case ast.Dict(keys=keys):
            return any(isinstance(key, ast.Constant) and key.value in TABLES for key in keys)
        case ast.MatchValue(value=value):
            return names_a_game(value)
        case ast.Call(func=ast.Name(id="isinstance") | ast.Attribute(attr="startswith"), args=args):
            return any(map(names_a_game, args))
    return False


def names_a_game(node: ast.AST) -> bool:
    """Whether an expression has the name of a game, or a module of one game, in it."""
    return any(
        (isinstance(one, ast.Constant) and one.value in NAMES)
        or (isinstance(one, ast.Name) and one.id in ("othello", "checkers"))
        for one in ast.walk(node)
    )


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_module_asks_which_game_it_is(path: Path) -> None:
    assert list(switches(path.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize(
    "text",
    [
        "from evoply.games.othello import OTHELLO",
        "x = game in checkers.CHECKERS",
        "x = 1 if game == 'othello-4' else 2",
        "x = game not in ('checkers', 'checkers-10')",
        "plies = {'othello-4': 8}.get(game, 50)",
        "x = isinstance(position, checkers.Position)",
        "x = game.startswith('othello-')",
        "match game:\n    case 'lose-checkers':\n        pass",
    ],
)
def test_a_switch_would_be_seen(text: str) -> None:
    assert list(switches(text))
