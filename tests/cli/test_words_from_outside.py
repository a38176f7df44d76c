"""What comes from outside never commands the terminal, and files and JSON keep it as it was."""

import json
import subprocess
from pathlib import Path

import pytest
from command_line import call, shown_in_terminal

from evoply.wording import printable

TITLE, COLOR, BELL, TURNED, EIGHT_BITS = "\x1b]0;T\x07", "\x1b[35m", "\a", "\u202e", "\x9b35m"
HOSTILE = f"A{TITLE}{COLOR}{BELL}\b{TURNED}{EIGHT_BITS}Z"
SPELLED = r"A\x1b]0;T\x07\x1b[35m\x07\x08\u202e\x9b35mZ"
CONTROLS = {*"\x1b\a\b\x9b", TURNED}
IN_A_FILE = HOSTILE.replace("]", r"\]")  # GGF ends a text with a bracket


def ggf(moves: str = "B[F5]W[D6]B[C3]") -> str:
    return f"(;GM[Othello]PC[{IN_A_FILE}]PB[{IN_A_FILE}]PW[bob]RE[?]TY[8]{moves};)\n"


def test_each_control_character_is_spelled_out() -> None:
    every = "".join(map(chr, range(0xA0))) + "\u2028\u2066\u200f é中👩‍🚀"
    shown = printable(every)
    assert all(c.isprintable() for c in shown if c not in "\n\t\u200d")
    assert shown.endswith(r"\u2028\u2066\u200f é中👩‍🚀")
    assert printable(HOSTILE) == SPELLED


@pytest.mark.parametrize(
    "arguments",
    ["watch games.ggf", "watch games.pdn", "analyse swh:depth=1 --games games.ggf", "runs"],
)
def test_commands_spell_out_what_files_and_folders_say(
    arguments: str, workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _prepare(workplace)
    answer = call(capsys, *arguments.split())
    assert answer.code == 0
    assert "Z" in answer.out
    # The reader of PDN leaves control characters out.
    assert r"\x1b]0;T\x07" in answer.out.replace("\n", "") or "pdn" in arguments
    assert not CONTROLS & set(answer.out + answer.err)


@pytest.mark.parametrize(
    "arguments",
    [
        ("watch", "games.ggf"),
        ("runs",),
        ("analyse", "swh:depth=1", "--games", "games.ggf"),
        ("convert", "games.ggf", "-", "--to", "ggf"),
        ("match", HOSTILE, "greedy"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_a_terminal_is_not_commanded(arguments: tuple[str, ...], workplace: Path) -> None:
    _prepare(workplace)
    _, shown = shown_in_terminal(*arguments, cwd=workplace, columns=300, stdin=subprocess.DEVNULL)
    assert r"0;T\x07\x1b[35m" in shown
    assert not CONTROLS - {"\x1b"} & set(shown)  # rich's own colours begin with it
    assert "\x1b]" not in shown
    assert COLOR not in shown


@pytest.mark.parametrize(
    "arguments",
    [
        ("match", HOSTILE, "greedy"),
        ("runs", HOSTILE),
        ("show", f"champion@{HOSTILE}"),
        ("watch", HOSTILE),
        ("convert", HOSTILE, "x.txt"),
        ("config", HOSTILE),
        (HOSTILE,),
        ("runs", f"--{HOSTILE}"),
        ("evolve", "wrong.toml"),
        ("watch", "bad.ggf"),
    ],
    ids=lambda arguments: printable(" ".join(arguments)),
)
def test_errors_spell_out_what_they_quote(
    arguments: tuple[str, ...], workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    quoted = json.dumps(HOSTILE)
    (workplace / "wrong.toml").write_text(f"game = {quoted}\n{quoted} = 1\n", encoding="utf-8")
    (workplace / "bad.ggf").write_text(ggf("B[F5]W[\x1b[35m]"), encoding="utf-8")
    answer = call(capsys, *arguments)
    assert answer.code in (1, 2)
    assert answer.err
    assert not CONTROLS & set(answer.out + answer.err)


def test_json_is_true_and_cannot_command_a_terminal(
    workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _prepare(workplace)
    shown = call(capsys, "watch", "games.ggf", "--json")
    assert not CONTROLS & set(shown.out)
    assert shown.data["games"][0]["players"]["black"] == HOSTILE
    assert "\\u202e" in shown.out
    listed = call(capsys, "runs", "--json").data
    assert [run["name"] for run in listed["runs"]] == [_FOLDER]


def test_files_keep_the_true_text(workplace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _prepare(workplace)
    assert call(capsys, "convert", "games.ggf", "games.jsonl").code == 0
    saved = json.loads((workplace / "games.jsonl").read_text(encoding="utf-8"))
    assert saved["players"]["black"] == HOSTILE
    through = call(capsys, "convert", "games.jsonl", "-", "--to", "games")
    assert json.loads(through.out)["players"]["black"] == HOSTILE


_FOLDER = HOSTILE.replace("/", "")


def _prepare(folder: Path) -> None:
    (folder / "games.ggf").write_bytes(ggf().encode())
    quoted = HOSTILE.replace('"', "")
    (folder / "games.pdn").write_bytes(f'[Black "{quoted}"]\n\n1. 11-15 23-19 1-0\n'.encode())
    run = folder / "runs" / _FOLDER
    run.mkdir(parents=True)
    (run / "config.toml").write_text("nothing")
    (run / "run.db").write_bytes(b"")
