"""`evoply config`: what the command says about the keys of a config."""

import json
from pathlib import Path

import pytest
from command_line import call


def test_alone_it_shows_the_top_level(capsys: pytest.CaptureFixture) -> None:
    answer = call(capsys, "config")
    assert answer.code == 0
    assert "population_size = 500  # whole number, 2 to 1,000,000\n" in answer.out
    assert "    Trees in a generation.\n" in answer.out
    assert "selection.size" not in answer.out
    assert "`evoply config --list` shows all of them" in answer.out


def test_a_table_is_shown_for_each_of_its_kinds(capsys: pytest.CaptureFixture) -> None:
    out = call(capsys, "config", "selection").out
    assert '[selection] kind = "lexicase"\n' in out
    assert "selection.size = 7  # whole number, 1 to 10,000\n" in out
    assert "demes" not in out
    assert out == call(capsys, "config", "--list", "selection").out


def test_every_key_as_json(capsys: pytest.CaptureFixture) -> None:
    keys = call(capsys, "config", "--list", "--json").data["keys"]
    assert len(keys) > 100
    names = {"path", "kind", "type", "default", "required", "range", "meaning"}
    assert all(set(key) == names for key in keys)
    assert {
        "path": "demes.size",
        "kind": None,
        "type": "whole number",
        "default": 100,
        "required": False,
        "range": "2 or more",
        "meaning": "Individuals of a deme; the population is a whole number of demes.",
    } in keys


def test_listed_keys_can_be_set(workplace: Path, capsys: pytest.CaptureFixture) -> None:
    keys = call(capsys, "config", "player", "--json").data["keys"]
    settings = [
        f"--set={key['path']}={json.dumps(key['default'])}"
        for key in keys
        if key["default"] is not None and key["type"] != "table"
    ]
    assert len(settings) >= 5
    assert call(capsys, "evolve", "small.toml", "--no-tests", *settings).code == 0


def test_lines_fit_the_width_and_end_with_no_space(capsys: pytest.CaptureFixture) -> None:
    lines = call(capsys, "config", "--list").out.splitlines()
    assert len(lines) > 300
    assert [line for line in lines if line != line.rstrip()] == []
    assert max(map(len, lines)) <= 160
