"""Every kind of run, edited and gone on with, in every form: the same columns and cells in all."""

import csv
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from run_settings import small_config

from evoply import Run
from evoply.cli import main
from evoply.evolution.islands import IslandsConfig
from evoply.kinds import KINDS
from evoply.learning import LearningConfig, PatternConfig, TuningConfig, TuplesConfig
from evoply.players import parse_player
from evoply.reports import write_report
from evoply.runs import advance
from whole_runs import broken_run


@dataclass(frozen=True)
class Count:
    game: str = "othello-4"
    seed: int = 1
    steps: int = 3


@dataclass(frozen=True)
class Counted:
    """A step whose statistics are not those of the one before."""

    number: int
    seconds: float = 0.0

    @property
    def digest(self) -> str:
        return f"step {self.number}"

    @property
    def statistics(self) -> Mapping[str, float]:
        return {"always": 1.5, **({"late": self.number / 4} if self.number == 2 else {})}

    @property
    def champions(self) -> tuple[Any, ...]:
        return (parse_player("greedy", game="othello-4"),)


class Counting:
    config_type = Count

    def first(self, config: Count, /) -> Counted:
        return Counted(0)

    def after(self, config: Count, step: Counted, /) -> Counted:
        return Counted(step.number + 1)

    def is_finished(self, config: Count, step: Counted, /) -> bool:
        return step.number + 1 >= config.steps

    def dump(self, step: Counted, /) -> Any:
        return asdict(step)

    def load(self, config: Count, data: Any, /) -> Counted:
        return Counted(**data)


CLIMB = {
    "population_size": 8,
    "fitness": {"opponents": [{"player": "random", "pairs": 1}], "opening_plies": 2},
    "hall_of_fame": {"size": 2, "candidates": 1, "sample": 1, "pairs": 1, "final_pairs": 1},
}
CONFIGS: dict[str, Any] = {
    "evolution": small_config(generations=3),
    "islands": IslandsConfig(
        game="othello-4",
        generations=3,
        islands={"count": 2, "every": 1, "migrants": 1, "test_pairs": 1},
        **CLIMB,
    ),
    "map": small_config(
        generations=3, selection={"kind": "uniform"}, survival={"kind": "map", "pairs": 1}
    ),
    "learning": LearningConfig(
        game="othello-6", features=["corners", "mobility"], games=30, games_per_step=10,
        time_weights={"degree": 1},
    ),
    "curriculum": LearningConfig(
        game="othello-6", features=["corners", "mobility"], games=40, games_per_step=10,
        curriculum={"order": "end-first", "blanks": [6, 12], "games": 25},
        time_weights={"degree": 1, "after": 15},
    ),
    "patterns": PatternConfig(
        game="othello-6", patterns=["a1 b1 c1", "c1 d1"], games=30, games_per_step=10
    ),
    "labels": PatternConfig(
        game="othello-6", patterns=["a1 b1 c1", "c1 d1"], games=10, games_per_step=10,
        labels={"depth": 2, "endgame": 6, "games": 20, "games_per_step": 8},
    ),
    "tuples": TuplesConfig(
        game="othello-6", generations=3, population_size=4, tuples=2, longest=3,
        lessons={"games": 20}, pairs=1, test_pairs=1,
    ),
    "tuning": TuningConfig.for_player(
        "( + white white_corners )", "othello-6", opponents=["random"], generations=3, pairs=1,
        population_size=4, test_every=2, test_pairs=1,
    ),
    "own": Count(),
}  # fmt: skip


def test_every_kind_of_evoply_is_here() -> None:
    assert CONFIGS.keys() - {"map", "curriculum", "labels", "own"} == KINDS.keys()


@pytest.mark.parametrize("name", CONFIGS)
def test_a_run_that_was_broken_off_ends_as_an_unbroken_one(name: str, tmp_path: Path) -> None:
    learner = Counting() if name == "own" else None
    whole = Run.create(tmp_path / "whole", CONFIGS[name], learner=learner)
    at = {"labels": 2}.get(name, 1)  # within what labels teach
    with whole, broken_run(tmp_path / "run", CONFIGS[name], at=at, learner=learner) as run:
        list(advance(whole))
        assert run.count() > at + 1
        assert run.digests() == whole.digests()
        assert len(set(run.digests())) == run.count()
        assert run.champion_player == whole.champion_player
        assert run.status == whole.status == "finished"


def is_cell(value: Any, cell: Any) -> bool:
    """Return whether *cell* of a table is *value*; a gap may be nan."""
    if value is None:
        return cell is None or (isinstance(cell, float) and np.isnan(cell))
    return bool(cell == value)


@pytest.mark.parametrize("name", CONFIGS)
def test_all_forms_of_a_run_have_the_columns_of_all_its_rows(
    name: str, home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from pyarrow.parquet import read_table

    learner = Counting() if name == "own" else None
    with Run.create(home / "run", CONFIGS[name], learner=learner) as run:
        steps = advance(run)
        next(steps)
        write_report(run)  # of a run that was stopped after its first step
        next(steps)
        steps.close()
    if name == "learning":
        assert main(["edit", "run", "corners", "--weight", "0.5", "--time-weight", "0.5"]) == 0
    with Run.open(home / "run", learner=learner) as run:
        assert [*advance(run)]
        names = run.table_names()
        tables = {name: run.rows(name) for name in names if name != "matches"}
        for table, rows in tables.items():
            for column, cells in run.to_arrays(table).items():
                assert all(
                    is_cell(row[column], cell) for row, cell in zip(rows, cells, strict=True)
                )
            assert [*run.to_dataframe(table).columns] == [*rows[0]] == [*run.to_arrays(table)]
    capsys.readouterr()
    folders = "--csv", str(tmp_path / "out"), "--parquet", str(tmp_path / "out")
    assert main(["runs", "run", *folders, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)["generations"]
    for table, rows in tables.items():
        with open(tmp_path / "out" / f"{table}.csv", newline="", encoding="utf-8") as file:
            written = [*csv.DictReader(file)]
        assert [*written[0]] == [*rows[0]]
        texts = [
            {key: "" if cell is None else str(cell) for key, cell in row.items()} for row in rows
        ]
        assert written == texts
        parquet = read_table(tmp_path / "out" / f"{table}.parquet")
        assert parquet.to_pylist() == rows
    assert [row["digest"] for row in said] == [row["digest"] for row in tables["generations"]]
    if name == "learning":
        assert [row["by_hand"] for row in tables["generations"]] == [None, None, 1.0, None, None]
    if name == "own":
        assert [row["late"] for row in tables["generations"]] == [None, None, 0.5]


def test_a_run_without_a_step_has_nothing_to_write(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Run.create(home / "new", small_config()).close()
    assert main(["runs", "new", "--csv", str(home / "out")]) == 1
    answer = capsys.readouterr()
    assert "new has no generation yet: there is nothing to write" in answer.err
    assert answer.out == ""
    assert not (home / "out").exists()
