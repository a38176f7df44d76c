"""The folders of a course: writes one, and finds the exercises in one."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Literal, NamedTuple

from evoply.wording import did_you_mean


class Outline(NamedTuple):
    """What an exercise is about, and whether its answer is code or a config."""

    title: str
    kind: Literal["code", "config"]


EXERCISES = {
    "1-feature": Outline("a feature", "code"),
    "2-evolution": Outline("a first evolution", "config"),
    "3-noise": Outline("fitness and noise", "code"),
    "4-bloat": Outline("selection and bloat", "config"),
    "5-coevolution": Outline("coevolution", "config"),
    "6-search": Outline("search", "code"),
    "7-weights": Outline("learned weights", "config"),
    "8-bot": Outline("a bot", "code"),
}
"""The exercises by the names of their folders, in the order of the course."""
_FILES = Path(__file__).with_name("files")


def new_course(folder: Path, solutions: Path | None = None) -> None:
    """Write the course to *folder*, and its solutions to another one.

    Both are written whole or not at all. Raises `ValueError` if one is there already, or if the
    solutions would lie in the students' folder.
    """
    wanted = {folder: "student"}
    if solutions is not None:
        if folder.resolve() in (solutions.resolve(), *solutions.resolve().parents):
            raise ValueError(
                f"--solutions: {solutions} lies in the students' folder - name one outside of it"
            )
        wanted[solutions] = "teacher"
    for path in wanted:
        if os.path.lexists(path):
            raise ValueError(f"{path} is there already - name a new folder, or move this one away")
    with ExitStack() as stack:
        made = {path: stack.enter_context(_copied(wanted[path], path)) for path in wanted}
        for path, copy in made.items():
            os.rename(copy, path)


@contextmanager
def _copied(name: str, path: Path) -> Iterator[Path]:
    """Yield a copy of one of the sources beside *path*; what is not renamed is removed."""
    copy = path.absolute().parent / f".{path.name}.{secrets.token_hex(8)}.tmp"
    try:
        try:
            for source in (_FILES / name).rglob("*.*"):
                if source.suffix in (".md", ".py", ".toml"):
                    target = copy / source.relative_to(_FILES / name)
                    target.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(source, target)  # its rights are those of any new file
        except OSError as error:  # it names the copy
            raise OSError(error.errno, error.strerror or str(error), str(path)) from None
        yield copy
    finally:
        shutil.rmtree(copy, ignore_errors=True)


def exercises_in(folder: Path) -> dict[str, Path]:
    """Return the folders of the exercises that *folder* has, by name; or the one that it is.

    Raises `ValueError` if there is none.
    """
    if not folder.is_dir():
        what = "is a file" if folder.exists() else "there is no such folder"
        raise ValueError(f"{folder}: {what} - name the folder of an exercise, or of the course")
    found = {name: folder / name for name in EXERCISES if (folder / name).is_dir()}
    name = folder.resolve().name
    if not found and name in EXERCISES:
        found = {name: folder}
    if not found:
        hint = did_you_mean(name, EXERCISES)
        raise ValueError(
            f"{folder}: this is no exercise, and has none - go to the folder of one, such as "
            f"{next(iter(EXERCISES))}{hint}; `evoply course new FOLDER` writes them"
        )
    return found
