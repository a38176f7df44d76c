import os
from pathlib import Path

import pytest
from clone import Clone, make_clone

# `make` and what it calls are for systems like Unix.
collect_ignore_glob = ["test_*.py"] if os.name == "nt" else []


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    folder = tmp_path / "a clone"
    folder.mkdir()
    return make_clone(folder)
