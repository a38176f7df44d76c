"""Atomic writes of small files, reads with a size limit, checksums, and the folder of runs.

Reasons: docs/design/runs.md.
"""

import errno
import hashlib
import json
import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

DATABASE, EXPERIMENT_FILE = "run.db", "experiment.toml"
"""The files that mark the folder of a run, and that of an experiment or a league, which is a folder
of runs."""
SETUPS = "setups"
"""The folder with the setups of an experiment and its ready players, beside its file."""

MOST_KEPT = 10_000_000
"""Bytes of a text file in the folder of a run, at most."""


def runs_directory() -> Path:
    """Return the folder of runs: the variable EVOPLY_RUNS, or `runs` in the current directory."""
    return Path(os.environ.get("EVOPLY_RUNS") or "runs")


def lies_in_run(path: str | Path) -> bool:
    """Return whether *path* lies in the folder of a run, an experiment or a league.

    Such a folder may come from somebody else. A file of the user's own may be called
    experiment.toml, too: an experiment that was begun has setups beside it.
    """
    path = Path(path)
    folders = {*path.absolute().parents, *path.resolve().parents}  # a link leads out, or in
    return any(
        (folder / DATABASE).is_file()
        or ((folder / EXPERIMENT_FILE).is_file() and (folder / SETUPS).is_dir())
        for folder in folders
    )


def write_atomically(path: str | Path, content: str | bytes) -> None:
    """Write *content* to *path*: the file then holds all of it, or is as it was before.

    Text is written as UTF-8. A device or a pipe, such as /dev/stdout, is written to and stays what
    it is; a link is followed, but one in the folder of a run is replaced. Raises `OSError` that
    names *path* if it cannot be written; nothing is left behind then.
    """
    with writing_atomically(path) as file:
        if isinstance(content, bytes):
            file.buffer.write(content)
        else:
            file.write(content)


@contextmanager
def writing_atomically(path: str | Path) -> Iterator[TextIO]:
    """Yield a file to write to; it replaces *path* at the end, unless an error ends the writing.

    A path that cannot be written to raises `OSError` at once; otherwise as `write_atomically`.
    """
    path = Path(path)
    try:
        with _open_for_writing(path) as file:
            yield file
    except OSError as error:
        # The system's error names the temporary file, or no file.
        raise OSError(error.errno, error.strerror or str(error), str(path)) from None


def read_toml_file(path: str | Path, most: int) -> dict[str, Any]:
    """Return the keys of the TOML file at *path*, of at most *most* bytes.

    Such files may name programs, so one that lies in the folder of a run is refused. Raises
    `ConfigError`, which names the file.
    """
    import tomllib  # most commands read no such file

    from evoply.protocols import ConfigError

    if lies_in_run(path):
        raise ConfigError(
            [
                (
                    str(path),
                    "lies in the folder of a run, which may come from somebody else - look at it, "
                    "and copy it elsewhere",
                )
            ]
        )
    try:
        # Some editors begin a file with a byte order mark, which UTF-8 does not need.
        return tomllib.loads(read_limited(path, most).removeprefix("\ufeff"))
    except OSError as error:
        problem = error.strerror or str(error)
    except RecursionError:
        problem = "is nested too deeply: use fewer brackets inside one another"
    except ValueError as error:
        problem = f"not TOML: {error}"
    raise ConfigError([(str(path), problem)])


def check_writable(path: str | Path) -> None:
    """Raise the `OSError` that `write_atomically` would raise for *path*; nothing is changed.

    Long work calls this first, so that its answer is not lost to a wrong path.
    """
    path = Path(path)
    try:
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if path.exists() and not path.is_file() and not lies_in_run(path):
            with path.open("ab"):
                return
        temporary = _beside(path.resolve())
        try:
            temporary.open("xb").close()
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from None


@contextmanager
def _open_for_writing(path: Path) -> Iterator[TextIO]:
    is_plain = path.is_file() and not path.is_symlink()
    is_strange = os.path.lexists(path) and not is_plain and lies_in_run(path)
    if path.exists() and not path.is_file() and not is_strange:
        with path.open("w", encoding="utf-8", newline="\n") as file:
            yield file
        return
    path = path.absolute() if is_strange else path.resolve()
    temporary = _beside(path)
    # Ctrl-C may come at any moment, even between making the file and the next line.
    try:
        with temporary.open("x", encoding="utf-8", newline="\n") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def read_limited(path: str | Path, limit: int) -> str:
    """Return the UTF-8 text of the file at *path*, of at most *limit* bytes.

    Raises `OSError` if it cannot be read and `ValueError` if it is longer or not UTF-8;
    the caller puts the name of the file in front of the latter's message.
    """
    with Path(path).open("rb") as file:
        content = file.read(limit + 1)
    if len(content) > limit:
        raise ValueError(f"is larger than {limit:,} bytes")
    return _utf_8(content)


def _utf_8(content: bytes) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"is not UTF-8 text: byte {error.start}") from None


def read_kept(path: str | Path, limit: int = MOST_KEPT) -> bytes:
    """Return the content of a file of a run, which may come from somebody else.

    Nothing is waited for and no more read than fits: raises `OSError` unless it is a plain file of
    at most *limit* bytes.
    """
    path = Path(path)
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "this is no plain file", str(path))
    with path.open("rb") as file:
        content = file.read(limit + 1)
    if len(content) > limit:
        raise OSError(errno.EFBIG, f"this is larger than {limit:,} bytes", str(path))
    return content


def read_kept_text(path: str | Path, limit: int = MOST_KEPT) -> str:
    """Return such a file as text; `ValueError` if it is not UTF-8."""
    return _utf_8(read_kept(path, limit))


def checksum(content: object) -> str:
    """Return the SHA-256, in hexadecimal, of *content* as canonical JSON.

    >>> checksum({"b": 1, "a": 2}) == checksum({"a": 2, "b": 1})
    True
    """
    return hashlib.sha256(canonical(content)).hexdigest()


def canonical(content: object) -> bytes:
    """Return *content* as canonical JSON: with sorted keys, without spaces, in ASCII.

    >>> canonical({"b": 1, "a": 2})
    b'{"a":2,"b":1}'
    """
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return text.encode("ascii")


def with_checksum(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return *content* and, under the key checksum, its own `checksum`."""
    return {**content, "checksum": checksum(content)}


def without_checksum(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content that `with_checksum` was given; `ValueError` if it was another.

    >>> without_checksum(with_checksum({"seed": 1}))
    {'seed': 1}
    """
    content = {name: value for name, value in data.items() if name != "checksum"}
    if data.get("checksum") != checksum(content):
        raise ValueError("the checksum is wrong: the file is damaged or was edited")
    return content


def _beside(path: Path) -> Path:
    """Return an unused name beside *path*: a rename is atomic only within one file system."""
    return path.parent / f".{path.name}.{secrets.token_hex(8)}.tmp"


def _sync_folder(folder: Path) -> None:
    """Make the rename itself durable, where the system lets a folder be opened."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:  # Windows
        return
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
