from pathlib import Path

import pytest
from clone import Clone, make_clone


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    folder = tmp_path / "a clone"
    folder.mkdir()
    return make_clone(folder)
