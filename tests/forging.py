"""Folders as somebody makes them who knows evoply: their checksums are right."""

import hashlib
import json
import sqlite3
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import tomli_w

from evoply.environment import Database, checksum
from evoply.runs import schema


@contextmanager
def written(folder: Path) -> Iterator[Database]:
    """Yield the database of a run inside a transaction."""
    connection = sqlite3.connect(folder / "run.db", isolation_level=None)
    database = Database(connection)
    with database.transaction():
        yield database
    connection.close()


def sealed(folder: Path) -> Path:
    """Note the files of a run as if it had begun with them."""
    here = [name for name in ("config.toml", "game.json") if (folder / name).exists()]
    sums = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in here}
    with written(folder) as database:
        schema.write_meta(database, {"files": json.dumps(sums)})
    return folder


def sealed_experiment(folder: Path) -> Path:
    """Write the checksum of an experiment anew."""
    file = folder / "experiment.toml"
    data = tomllib.loads(file.read_text())
    data.pop("checksum", None)
    files = {**data["setups"], **data.get("players", {})}
    texts = {name: (folder / "setups" / name).read_text() for name in files}
    file.write_text(tomli_w.dumps({"checksum": checksum([data, texts]), **data}))
    return folder
