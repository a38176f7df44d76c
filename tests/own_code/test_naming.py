"""Texts that name Python: read, pinned, imported, and found for an object."""

import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from evoply.configs import OwnCode, carried, carried_code, code_in_runs_allowed, own_code
from evoply.configs.own_code import pinned_text, text_of, without_places
from evoply.gp import point_mutation


def inside() -> Any:
    class Local:
        def method(self) -> None: ...

    return Local()


def loaded(text: str) -> object:
    return OwnCode.from_text(text).named_by_user().loaded()


@pytest.mark.parametrize(
    "text",
    ["python:", "python:x.py", "python:x.py:", "parts.py:Short", "python:a b:c", "python:x.py:3a",
     "python:x-y:f", "python:(argument):f", "python:(lambda):f", f"python:{'x' * 5000}.py:f"],
)  # fmt: skip
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"names no Python: write python:FILE\.py:NAME"):
        OwnCode.from_text(text)


@pytest.mark.parametrize("where", [r"C:\lab\x.py", "dir/a:b.py", "package.module"])
def test_a_text_comes_back(where: str) -> None:
    for checksum in ("", "0" * 64):
        code = OwnCode(where, "Outer.inner", checksum)
        assert OwnCode.from_text(str(code)) == code


def test_pinning_reads_the_file_and_imports_nothing(home: Path, imports: Callable[[], int]) -> None:
    text = pinned_text("python:parts.py:Short")
    assert text.startswith(f"python:{home}/parts.py:Short#")
    assert pinned_text(text) == text
    assert imports() == 0
    assert loaded(text).__name__ == "Short"  # type: ignore[attr-defined]
    assert loaded("python:parts.py:brevity").__name__ == "brevity"  # type: ignore[attr-defined]
    assert imports() == 1


def test_another_content_is_another_file_and_never_takes_its_place(home: Path) -> None:
    text = pinned_text("python:parts.py:brevity")
    first = loaded(text)
    file = home / "parts.py"
    before, time = file.read_text(), file.stat().st_mtime_ns
    # Of the same length and time: what Python keeps compiled would be the old one.
    file.write_text(before.replace("-len(tree)", "+len(tree)"))
    os.utime(file, ns=(time, time))
    assert loaded(text) is first  # what goes on is not disturbed
    assert loaded("python:parts.py:brevity")([1], None) == 1  # type: ignore[operator]
    own_code._module.cache_clear()
    with pytest.raises(ValueError, match="is not the file that was named: its SHA-256 begins"):
        loaded(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("python:no.py:f", "there is no such file at"),
        ("python:no_such_module:f", "no module of this name has a file"),
        ("python:sys:exit", "no module of this name has a file"),
        ("python:parts.py:Shrt", r"there is no 'Shrt'; did you mean 'Short'\?"),
        ("python:parts.py:Short.nothing", "there is no 'nothing'"),
        ("python:parts.py:breakthrough", r"there is no 'breakthrough' - it has \w+"),
    ],
)
def test_what_is_not_there_is_named(home: Path, text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        loaded(text)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("x = (", "line 1, raised SyntaxError"),
        ("\n1 / 0", "line 2, raised ZeroDivisionError"),
        ("import sys\nsys.exit(3)", "line 2, raised SystemExit"),
    ],
)
def test_an_error_in_the_file_is_said_with_its_line(home: Path, source: str, message: str) -> None:
    (home / "bad.py").write_text(source)
    with pytest.raises(ValueError, match=message):
        loaded("python:bad.py:f")
    assert not [name for name in sys.modules if "own code bad" in name]


def test_a_module_of_a_package_is_found_without_importing_the_package(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = home / "lab_package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "ops.py").write_text("from evoply.gp import point_mutation\ndef own(): ...\n")
    monkeypatch.syspath_prepend(str(home))
    text = pinned_text("python:lab_package.ops:own")
    assert "lab_package" not in sys.modules
    function = loaded(text)
    assert text_of(function) == text


def test_the_file_may_import_its_neighbours(home: Path) -> None:
    (home / "lab_neighbour.py").write_text("value = 7\n")
    (home / "uses.py").write_text("import lab_neighbour\nf = lab_neighbour.value\n")
    assert loaded("python:uses.py:f") == 7
    assert str(home) not in sys.path


def test_objects_are_named_where_they_are_global(home: Path) -> None:
    text = pinned_text("python:parts.py:brevity")
    function = loaded(text)
    assert text_of(function) == text
    assert OwnCode.from_text(text).loaded() is function
    row = loaded("python:parts.py:ROW")
    assert OwnCode.from_text(text_of(row)).name == "ROW"
    assert text_of(point_mutation).startswith("python:evoply.gp.variation:point_mutation#")


def test_what_has_no_name_is_an_argument_of_this_process(
    home: Path, elsewhere: Callable[[], None]
) -> None:
    prompt = ModuleType("__main__")
    typed = type("Typed", (), {"__module__": "__main__"})
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "__main__", prompt)
        parts = {
            "it is a lambda": lambda tree, stream: 1.0,
            "it was typed at a prompt or in a notebook, or is no global of a file": typed,
            "it is no global of a file": OwnCode("a.py", "b"),
            "it is defined inside a function": partial(inside().method, 3),
        }
        texts = {why: text_of(part) for why, part in parts.items()}
        assert texts == {why: text_of(part) for why, part in parts.items()}
    for why, text in texts.items():
        code = OwnCode.from_text(text)
        assert str(code) == text == pinned_text(text)
        assert code.loaded() is parts[why]
        with pytest.raises(ValueError, match=rf"cannot be named: {why} - .*python:FILE\.py:NAME"):
            code.file()
    elsewhere()
    for why, text in texts.items():
        # Nobody comes to an object by writing its text: it says what was given, and runs nothing.
        with pytest.raises(ValueError, match=f"given as an argument, and {why} - write it into"):
            OwnCode.from_text(pinned_text(text)).loaded()
        with code_in_runs_allowed(), carried(), pytest.raises(ValueError, match="as an argument"):
            OwnCode.from_text(text).named_by_user().loaded()
        with pytest.raises(ValueError, match="cannot be named"):
            OwnCode.from_text(text).source()


def test_two_functions_of_one_source_are_two_texts_and_one_identity() -> None:
    def weighted(weight: float) -> Callable[[float], float]:
        return lambda size: weight * size

    one, other = weighted(1), weighted(2)
    codes = [OwnCode.from_text(text_of(part)) for part in (one, other, one)]
    assert codes[0] == codes[2] != codes[1]
    assert [code.loaded()(3) for code in codes] == [3, 6, 3]
    assert len({code.identity for code in codes}) == 1
    assert len({text_of(partial(one, size)) for size in (1, 2)}) == 2


def test_code_that_only_a_run_names_runs_only_if_somebody_says_so(home: Path) -> None:
    (home / "sent.py").write_text("f = 3\n")
    code = OwnCode.from_text(f"python:{home / 'sent.py'}:f").pinned()
    with pytest.raises(ValueError, match=r"sent\.py.* only a run, .* names this.*--code-in-runs"):
        code.loaded()
    assert pinned_text(str(code)) == str(code)  # as configs that are read again do
    with pytest.raises(ValueError, match="--code-in-runs"):
        code.loaded()
    with code_in_runs_allowed(is_allowed=False), pytest.raises(ValueError, match="--code-in-runs"):
        code.loaded()
    with code_in_runs_allowed():
        assert code.loaded() == 3
    assert code.loaded() == 3  # threads may outlive the block


def test_what_is_carried_names_python_only_with_its_checksum(home: Path) -> None:
    (home / "carried.py").write_text("f = 3\n")
    text = "python:carried.py:f"
    with carried():
        for read in (pinned_text, lambda text: OwnCode.from_text(text).named_by_user()):
            with pytest.raises(ValueError, match="without its checksum"):
                read(text)
    with pytest.raises(ValueError, match="without its checksum"):
        carried_code(text)
    pinned = str(OwnCode.from_text(text).pinned())
    with carried():
        assert pinned_text(pinned) == pinned
        OwnCode.from_text(pinned).named_by_user()
    with pytest.raises(ValueError, match="--code-in-runs"):
        carried_code(pinned).loaded()
    with carried(with_programs=False), pytest.raises(ValueError, match="cannot be named here"):
        pinned_text(pinned)
    assert loaded(text) == 3


def test_digests_know_content_and_no_place(home: Path) -> None:
    text = pinned_text("python:parts.py:Short")
    (home / "elsewhere.py").write_text((home / "parts.py").read_text())
    other = pinned_text("python:elsewhere.py:Short")
    data = {"measure": [{"code": text}], "seed": 3}
    assert without_places(data) == without_places({"measure": [{"code": other}], "seed": 3})
    assert str(home) not in str(without_places(data))
