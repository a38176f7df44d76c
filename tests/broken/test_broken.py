"""Every mechanism that `make broken` breaks can still be broken, and what it says is so."""

import re
from pathlib import Path

import pytest

from broken import LIST, ROOT, Mechanism, main, mechanisms

MECHANISMS = mechanisms()


def test_there_are_forty_with_names_of_their_own() -> None:
    assert len({mechanism.name for mechanism in MECHANISMS}) == len(MECHANISMS) >= 40


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda mechanism: mechanism.name)
def test_a_mechanism_can_be_broken(mechanism: Mechanism) -> None:
    """If not, what it breaks was changed, or the test that sees it: renew it in the list."""
    broken = mechanism.broken((ROOT / mechanism.file).read_text(encoding="utf-8"))
    if mechanism.file.endswith(".py"):
        compile(broken, mechanism.file, "exec")
    assert mechanism.seen_by
    for test in mechanism.seen_by:
        file, _, name = test.partition("::")
        assert f"def {name.partition('[')[0]}" in (ROOT / file).read_text(encoding="utf-8"), test


SUM = """
[[mechanism]]
name = "{name}"
file = "python/sums.py"
old = "{old}"
new = "{new}"
seen_by = ["tests/test_sums.py"]
"""


def test_what_is_seen_and_what_is_not_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # which takes most of the time
    files = {
        "python/sums.py": "def double(x):\n    return x + x\n",
        "tests/test_sums.py": "import sums\n\n\ndef test_it():\n    assert sums.double(2) == 4\n",
        "pyproject.toml": '[tool.pytest.ini_options]\nmarkers = ["long"]\n',
        LIST: SUM.format(name="it is nothing", old="x + x", new="0")
        + SUM.format(name="it is a square", old="x + x", new="x * x")
        + SUM.format(name="it is no Python", old="x + x", new="x +")
        + SUM.format(name="it was changed", old="2 * x", new="0")
        + SUM.format(name="it is skipped", old="x + x", new="0").replace('sums.py"]', 'none.py"]'),
        "tests/test_none.py": "import pytest\n\n\n@pytest.mark.skip\ndef test_it(): pass\n",
        "tests/conftest.py": "def pytest_terminal_summary(terminalreporter):\n"
        "    if 'skipped' in terminalreporter.stats: print('skipped: 1 needs a browser')\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert main([], tmp_path) == 1
    said = capsys.readouterr().out
    assert re.search(
        r"^ 1  it is nothing  +\d\.\d  tests/test_sums\.py::test_it$", said, re.MULTILINE
    )
    assert "it is a square - is not seen - write a test that sees it" in said
    assert "it is no Python - does not apply - what it breaks was changed: renew it" in said
    assert "it is skipped - is not tested - its tests are skipped here" in said
    assert "it was changed - does not apply - " in said
    assert "1 of 5 seen" in said
    assert main(["--only", "nothing"], tmp_path) == 0
    assert "1 of 1 seen" in capsys.readouterr().out
    assert {name: (tmp_path / name).read_text() for name in files} == files
    (tmp_path / "python/sums.py").write_text("def double(x):\n    return x\n")
    assert main([], tmp_path) == 1
    assert "pytest ends with 1 - mend that first" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["--only", "99"], tmp_path)
