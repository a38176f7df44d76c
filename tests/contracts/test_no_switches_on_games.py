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
MODULES_OF_GAMES = {"othello", "checkers"}
FAMILIES = {"OTHELLO", "CHECKERS"}
NAMES = {*GAMES, "othello-", "checkers-"}
TABLES = NAMES - {"othello-6"}
"""What no table may be keyed by; a preset is called as a game is."""


def switches(text: str) -> Iterator[str]:
    """Yield what in the source *text* asks which game it is."""
    nodes = list(ast.walk(ast.parse(text)))
    known = frozenset().union(*map(of_one_game, nodes))
    for node in nodes:
        if isinstance(node, ast.expr | ast.stmt | ast.pattern) and is_switch(node, known):
            yield f"line {node.lineno}: {ast.unparse(node)[:80]}"


def of_one_game(node: ast.AST) -> frozenset[str]:
    """Return the names, as they are known here, that an import takes from a module of one game."""
    match node:
        case ast.ImportFrom(module="evoply.games", names=names):
            return frozenset(
                one.asname or one.name for one in names if one.name in MODULES_OF_GAMES
            )
        case ast.ImportFrom(module=str(module), names=names):
            if module.removeprefix("evoply.games.") in MODULES_OF_GAMES:
                return frozenset(one.asname or one.name for one in names)
    return frozenset()


def is_switch(node: ast.AST, known: frozenset[str] = frozenset()) -> bool:
    match node:
        case ast.ImportFrom(names=names):
            return not FAMILIES.isdisjoint(name.name for name in names)
        case ast.Attribute(attr=attribute):
            return attribute in FAMILIES
        case ast.Compare(left=left, comparators=others):
            return any(names_a_game(one, known) for one in (left, *others))
        case ast.Dict(keys=keys):
            return any(isinstance(key, ast.Constant) and key.value in TABLES for key in keys)
        case ast.MatchValue(value=value):
            return names_a_game(value, known)
        case ast.Call(func=ast.Name(id="isinstance") | ast.Attribute(attr="startswith"), args=args):
            return any(names_a_game(one, known) for one in args)
    return False


def names_a_game(node: ast.AST, known: frozenset[str]) -> bool:
    """Whether an expression has the name of a game, or a module of one game, in it."""
    return any(
        (isinstance(one, ast.Constant) and one.value in NAMES)
        or (isinstance(one, ast.Name) and one.id in {*MODULES_OF_GAMES, *known})
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
        "from evoply.games.othello import Position as Board\nx = isinstance(position, Board)",
        "from evoply.games.checkers import Position\nx = type(position) is Position",
        "from evoply.games import othello as rules\nx = isinstance(position, rules.Position)",
        "match game:\n    case 'lose-checkers':\n        pass",
    ],
)
def test_a_switch_would_be_seen(text: str) -> None:
    assert list(switches(text))
