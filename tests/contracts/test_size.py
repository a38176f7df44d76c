"""No package grows unseen: what is larger than `limits.toml` allows says why in its commit."""

import tomllib
from pathlib import Path

from house import ROOT, Size, modules, size_of, sizes

LONGEST = 620
"""Lines of a module; a noun that takes more is two."""


def test_no_package_is_larger_than_its_limit() -> None:
    limits = tomllib.loads((ROOT / "limits.toml").read_text(encoding="utf-8"))["lines"]
    found = sizes()
    assert found.keys() == limits.keys()
    larger = [
        f"{package} - {today:,} {what}, and limits.toml allows {limits[package][what]:,} - make it "
        "smaller, or raise the limit in a commit whose message says why"
        for package, size in found.items()
        for what, today in size._asdict().items()
        if today > limits[package][what]
    ]
    assert not larger, "\n".join(larger)


def test_no_module_is_longer_than_a_noun() -> None:
    longer = {name for name, path in modules().items() if size_of(path).lines > LONGEST}
    assert longer == set()


def test_what_is_code(tmp_path: Path) -> None:
    path = tmp_path / "player.py"
    path.write_text(
        '"""Docstring,\n\nof three lines."""\n\nfrom random import (\n    choice,\n)\n\n'
        "# A comment.\n__all__ = [\n    'f',\n]\n\n\ndef f(of):\n"
        "    'Docstring.'\n    return choice(\n        of\n    )  # code\n"
    )
    assert size_of(path) == Size(lines=19, code=4, files=1)
