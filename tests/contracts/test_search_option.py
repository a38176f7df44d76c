"""An option of a search is one field: one is added to a copy of the package, which then knows it.

Beside the field it takes the kernel's side, which cannot be compiled here: the places of an option
that is there are counted instead.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from evoply.configs.reference import meaning
from evoply.players import AlphaBeta, ValuingPlayer
from evoply.players.player_kind import options_of, readers
from evoply.players.search_options import SearchOptions

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "python" / "evoply"
BEFORE = "    quiescence: Quiescence = False\n"
FIELD = '''    haste: Annotated[
        int,
        Field(ge=0, le=9, strict=True),
        Option(
            says="It plays {} times as hastily.",
            check_game=check_solver,
            told_as="table",
            native=lambda haste: 10 + haste,
        ),
    ] = 0
    """How hastily it plays."""
'''
SCRIPT = """
import json, sys
import evoply as ep
from evoply.configs.reference import meaning
from evoply.players.player_kind import kernel_arguments

def refused(text, game="othello"):
    try:
        return ep.parse_player(text, game=game).label
    except ValueError as error:
        return str(error)

text = "material:depth=2,table=0,haste=3,endgame=2,ties=random"
player = ep.parse_player(text)
ep.save_player(sys.argv[1], player, game="othello")
print(json.dumps({
    "label": player.model_copy(update={"name": None}).label.partition(":")[2],
    "saved": ep.load_player(sys.argv[1], game="othello") == player,
    "changed": ep.with_options(player, {"haste": 5}).haste,
    "kernel": kernel_arguments(player),
    "plays": ep.match(text, "random", games=4, seed=1).games,
    "explained": ep.explain(player, positions=20).sentence,
    "meaning": meaning(ep.AlphaBeta, "haste"),
    "refused": [
        refused("material:depth=2,haste=10"),
        refused("greedy:haste=3"),
        refused("material:depth=2,haste=3", "checkers"),
        refused("material:depth=2,hase=3"),
    ],
}))
"""


def test_one_field_is_all_that_the_package_needs(tmp_path: Path) -> None:
    copy = tmp_path / "evoply"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    for library in PACKAGE.glob("*.so"):
        (copy / library.name).symlink_to(library)
    edited = copy / "players" / "search_options.py"
    source = edited.read_text(encoding="utf-8")
    assert source.count(BEFORE) == 1
    edited.write_text(source.replace(BEFORE, FIELD + BEFORE), encoding="utf-8")
    told = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path / "hasty.json")],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(told.stdout)
    assert found["label"] == "depth=2,haste=3,endgame=2,ties=random,view=turn"
    assert (found["saved"], found["changed"], found["plays"]) == (True, 5, 4)
    assert found["kernel"] == {
        "depth": 2, "table": 13, "endgame": 2, "ties": "random", "view": "turn"
    }  # fmt: skip
    assert "It plays 3 times as hastily." in found["explained"]
    assert found["meaning"] == "How hastily it plays."
    number, depth, game, unknown = found["refused"]
    assert "haste must be a whole number from 0 to 9, not '10'" in number
    assert "haste is for players that look ahead" in depth
    assert "checkers has no exact solver" in game
    assert "did you mean 'haste'?" in unknown


def test_with_the_kernels_side_it_is_five_places() -> None:
    """`deeper` is what one place of the search looks at; an option may be looked at in more."""
    assert {name for name in places("deeper") if name.endswith((".rs", ".pyi"))} == {
        "crates/core/src/search/mod.rs",
        "crates/core/src/search/deepening.rs",
        "crates/python/src/players.rs",
        "python/evoply/_native.pyi",
    }


def test_no_module_lists_the_options_of_a_search() -> None:
    """Whoever names many of them keeps a list, which somebody would have to remember."""
    names = [name for name in options_of(SearchOptions) if name not in options_of(ValuingPlayer)]
    assert len(names) > 12
    rare = ("temperature", "deeper", "quiescence", "noise", "alternate", "timing", "selective")
    assert set(rare) < set(names)
    for path in PACKAGE.rglob("*.py"):
        module = path.relative_to(PACKAGE).as_posix()
        if module == "players/search_options.py" or module.startswith("studies/"):
            continue
        quoted = [name for name in rare if f'"{name}"' in path.read_text(encoding="utf-8")]
        assert len(quoted) < 3, f"{module} lists {', '.join(quoted)}"


def test_the_page_of_players_explains_them_all() -> None:
    page = (ROOT / "docs" / "players.md").read_text(encoding="utf-8")
    for option in readers(AlphaBeta):
        assert f"\n| `{option}` | " in page
        assert meaning(AlphaBeta, option)


def places(option: str) -> set[str]:
    """Return the sources of kernel, binding and package whose code has the field *option*."""
    field = re.compile(rf"(\.|\b){option}(: bool\b|: false\b| = |\b &&)")
    found = set()
    for path in (*ROOT.glob("crates/*/src/**/*.rs"), *PACKAGE.glob("*.pyi")):
        code = re.sub(r"//.*", "", path.read_text(encoding="utf-8"))
        if field.search(code):
            found.add(path.relative_to(ROOT).as_posix())
    return found
