"""What `make test-pythons` runs, and on which Pythons; itself it takes minutes."""

import re
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
from commands import STORIES
from conversations import _PARTS
from setting_up.running import Programs, Progress
from setting_up.wrong import WrongError

import pythons
from evoply.cli.commands import COMMANDS
from pythons import Python, chosen, usable

LINES = [shlex.split(line) for story in STORIES.values() for line in story]


def test_every_verb_has_a_command() -> None:
    done = {word for first, *words in LINES for word in (words if first == "talk" else [first])}
    assert COMMANDS.keys() <= done, "give it a short command in tests/pythons/commands.py"
    assert {words[0] for first, *words in LINES if first == "talk"} <= _PARTS.keys()


def listed(version: str, path: str, **more: str) -> dict[str, Any]:
    numbers = zip(("major", "minor", "patch"), map(int, version.split(".")), strict=True)
    usual = {"implementation": "cpython", "variant": "default"}
    return {"version_parts": dict(numbers), "path": path, **usual, **more}


def test_the_newest_of_each_promised_version_is_taken() -> None:
    everything = [
        listed("3.13.0", "/a"),
        listed("3.11.2", "/b"),
        listed("3.11.7", "/c"),
        listed("3.11.7", "/d"),
        listed("3.10.13", "/old"),
        listed("3.15.0", "/new"),
        listed("3.14.1", "/without-gil", variant="freethreaded"),
        listed("3.12.1", "/another", implementation="pypy"),
    ]
    assert usable(everything) == [Python((3, 11, 7), "/c"), Python((3, 13, 0), "/a")]
    assert usable([]) == []


def test_those_that_are_asked_for_are_tried() -> None:
    here = [Python((3, 11, 7), "/c"), Python((3, 13, 0), "/a")]
    assert chosen(here, []) == here
    assert chosen(here, [], only_newest=True) == here[1:]
    assert chosen(here, ["3.11"]) == here[:1]
    with pytest.raises(
        WrongError, match=r"^--python 3\.12 - is not on .* give one of 3\.11, 3\.13$"
    ):
        chosen(here, ["3.12"])


def test_what_a_failing_command_wrote_is_shown_and_other_stories_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stories = {"bad": ("worse", "never"), "mad": ("raise",), "good": ("match", "show 'a b'")}
    monkeypatch.setattr(pythons, "STORIES", stories)
    monkeypatch.setattr(pythons, "_FOLDER", tmp_path / "logs")
    trial = pythons._Trial(
        Python((3, 13, 0), sys.executable), "oldest", tmp_path, Programs(tmp_path), Progress()
    )
    trial._bin.mkdir(parents=True)
    evoply = trial._bin / "evoply"
    evoply.write_text(
        "#!/bin/sh\n"
        'echo "$1:$2 in $PWD"\n'
        'case "$1" in worse) exit 3;; raise) echo "Traceback (most recent call last):";; esac\n'
    )
    evoply.chmod(0o755)
    place = tmp_path / "stories"
    place.mkdir()
    trial._tell_stories(place, list(stories))
    assert sorted(failure.partition(" (all")[0] for failure in trial._failures) == [
        "3.13-oldest, bad: `worse`: exit code 3",
        "3.13-oldest, mad: `raise`: a traceback",
    ]
    said = capsys.readouterr().out
    assert f"worse: in {place / 'bad'}" in said
    assert re.search("raise: in .*\nTraceback", said)
    assert "never" not in said
    assert f"show:a b in {place / 'good'}" in (trial._folder / "good.log").read_text()
