"""How many places of the package know one thing of each kind: what ARCHITECTURE.md promises.

To add such a thing is to touch these places and no others. Counted are modules that name it, not
a package's `__init__`, which hands names on, nor presets, papers' studies and lists of examples.
"""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "python" / "evoply"
SHOWS = ("__init__.py",)
ABOUT = ("presets/", "studies/", "cli/commands.py")

PLACES = {
    # an operator: its function and its row
    "hoist_mutation": {"gp/variation.py", "evolution/operators.py"},
    # a selection and a survival: the function in `gp`, and keys, function and row in one table
    "double_tournament_selection": {"gp/selection.py", "evolution/selections.py"},
    "DoubleTournamentSelection": {"evolution/selections.py"},
    "pareto_survival": {"gp/selection.py", "evolution/selections.py"},
    "ParetoSurvival": {"evolution/selections.py"},
    # who lives on where survival is a map needs places: its keys are a part of the config
    "best_of_cells": {"evolution/selections.py"},
    "MapSurvival": {
        "evolution/selections.py",
        "evolution/config/checks.py",
        "evolution/config/evolution_config.py",
    },
    # a kind of fitness: its class, and its row
    "TournamentFitness": {"evolution/fitness/tournament.py", "evolution/fitness/measures.py"},
    "GuideFitness": {"evolution/fitness/guides.py", "evolution/fitness/measures.py"},
    # a kind of player: its module, and its row
    "Bot": {
        "players/bots.py",
        "players/player.py",
        "field/openspiel.py",  # OpenSpiel's word for whatever plays there
    },
    "Mcts": {"players/mcts.py", "players/player.py"},
    "Online": {"players/online.py", "players/player.py"},
    "Engine": {"players/engines/engine_player.py", "players/player.py"},
    # a learner of evoply's own: its module, which runs know by a row of `kinds.py`
    "TupleEvolution": {"learning/tuples.py"},
    "PatternLearning": {
        "learning/pattern_learner.py",
        "learning/tuples.py",  # whose individuals learn as patterns do
    },
    "evolution_kind": {"kinds.py"},
    # a game: its modules
    "CheckersRules": {"games/checkers.py"},
}


def modules_with(word: str) -> set[str]:
    """Return the modules of the package whose code, not their prose, names *word*."""
    pattern = re.compile(rf"\b{word}\b")
    names = set()
    for path in PACKAGE.rglob("*.py"):
        name = path.relative_to(PACKAGE).as_posix()
        if path.name in SHOWS or name.startswith(ABOUT):
            continue
        code = re.sub(r'""".*?"""', "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        if pattern.search(re.sub(r"#.*", "", code)):
            names.add(name)
    return names


@pytest.mark.parametrize("word", PLACES)
def test_nothing_else_in_the_package_names_it(word: str) -> None:
    assert modules_with(word) == PLACES[word]


def test_a_learner_of_evoplys_own_is_a_module_and_a_row() -> None:
    names = "TUPLES_LEARNER|TupleEvolution|TuplesConfig|TuplesStep|evolve_tuples"
    pattern = re.compile(rf"\b({names})\b|[\"']tuples[\"']")
    found = {
        path.relative_to(PACKAGE).as_posix()
        for path in [*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.pyi")]
    }
    touched = {name for name in found if pattern.search((PACKAGE / name).read_text("utf-8"))}
    needed = {"learning/tuples.py", "kinds.py"}
    # If it shall have public names, a preset, and keys that `evoply config` explains.
    more = {"learning/__init__.pyi", "runs/presets/__init__.py", "cli/runs.py"}
    assert touched == needed | more


def test_the_tables_have_their_rows() -> None:
    assert "TournamentFitness," in (PACKAGE / "evolution/fitness/measures.py").read_text()
    assert '"lose-checkers"' in (PACKAGE / "games/checkers.py").read_text()


def test_the_page_of_the_house_promises_the_same() -> None:
    page = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    counts = {"operator": 2, "selection, survival": 2, "fitness": 2, "player": 2, "learner": 1}
    for thing, count in {**counts, "game": 7}.items():
        assert f"| {thing} | {count} |" in page
