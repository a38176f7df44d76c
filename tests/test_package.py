"""What packagers get: metadata, a description whose links lead somewhere, and a whole archive."""

import re
import shutil
import subprocess
import sys
import tarfile
from email import message_from_bytes
from email.message import Message
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LINK = re.compile(r"(!?)\[[^\]]*\]\(([^)]+)\)")
NOT_IN_THE_CLONE = {"PKG-INFO"}


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Return the files of the source archive, as maturin makes it."""
    if shutil.which("cargo") is None:
        pytest.skip("needs cargo")
    folder = tmp_path_factory.mktemp("sdist")
    maturin = Path(sys.executable).with_name("maturin")
    done = subprocess.run(
        [maturin, "sdist", "--out", folder], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    (path,) = folder.iterdir()
    read = {}
    with tarfile.open(path) as opened:
        for member in opened:
            file = opened.extractfile(member)
            if file is not None:
                read[member.name.partition("/")[2]] = file.read()
    return read


@pytest.fixture(scope="module")
def metadata(archive: dict[str, bytes]) -> Message:
    return message_from_bytes(archive["PKG-INFO"])


def test_the_archive_holds_what_builds_tests_and_explains(archive: dict[str, bytes]) -> None:
    for name in (
        "ARCHITECTURE.md", "CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "Cargo.lock",
        "LICENSE", "Makefile", "README.md", "limits.toml", "requirements.lock",
        "requirements-dev.lock", ".ci/run", ".github/workflows/tests.yml",
        "crates/core/tests/kernel/main.rs", "docs/index.md", "docs/pictures/web-play.jpg",
        "setting_up/command.py", "testdata/signature.txt", "tests/conftest.py",
        "tests/test_package.py", "benchmarks/limits.py",
    ):  # fmt: skip
        assert archive[name] == (ROOT / name).read_bytes(), name
    assert not [name for name in archive if "__pycache__" in name or name.endswith(".so")]


def test_the_archive_is_the_repository(archive: dict[str, bytes]) -> None:
    if not (ROOT / ".git").exists() or shutil.which("git") is None:
        pytest.skip("needs a clone and git")
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    tracked = {name for name in listed.stdout.splitlines() if (ROOT / name).exists()}
    assert set(archive) - NOT_IN_THE_CLONE == tracked


def test_the_metadata_say_who_what_and_where(metadata: Message) -> None:
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert metadata["Author"] in citation
    assert {"checkers", "genetic programming", "othello", "reversi"} <= {
        word.strip().lower() for word in metadata["Keywords"].split(",")
    }
    urls = dict(url.split(", ") for url in metadata.get_all("Project-URL", []))
    assert {"Repository", "Documentation", "Changelog", "Issues"} <= set(urls)
    assert all(url.startswith(urls["Repository"]) for url in urls.values())
    classifiers = metadata.get_all("Classifier", [])
    assert "Programming Language :: Python :: 3" in classifiers
    assert not [one for one in classifiers if one.startswith("License ::")]  # PEP 639


def test_every_link_of_the_description_is_whole(metadata: Message) -> None:
    urls = dict(url.split(", ") for url in metadata.get_all("Project-URL", []))
    text = str(metadata.get_payload())
    assert metadata["Description-Content-Type"].startswith("text/markdown")
    links = LINK.findall(text)
    assert len(links) == len(LINK.findall((ROOT / "README.md").read_text(encoding="utf-8")))
    for picture, target in links:
        begin = f"{urls['Repository']}/{'raw' if picture else 'blob'}/main/"
        assert target.startswith(begin)
        assert (ROOT / target.removeprefix(begin).partition("#")[0]).exists()
