"""Markdown from plain values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence


def code(text: str) -> str:
    """Return *text* as code."""
    return f"`{text}`"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; bars in cells are escaped."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(
        "| " + " | ".join(" ".join(cell.replace("|", "\\|").split()) for cell in line) + " |"
        for line in lines
    )


def fence(language: str, text: str) -> str:
    """Return *text* as a block of code."""
    return f"````{language}\n{text.rstrip()}\n````"


def meanings(lines: Iterable[str], names: Iterable[str]) -> Mapping[str, str]:
    """Return the texts of lines `name: meaning`; ValueError unless every name has just one."""
    found: dict[str, str] = {}
    for line in lines:
        if not line.strip():
            continue
        name, colon, meaning = line.partition(":")
        if not colon or name.strip() in found:
            raise ValueError(f"not a line of the form name: meaning, or given twice: {line!r}")
        found[name.strip()] = meaning.strip()
    wrong = set(found) ^ set(names)
    if wrong:
        raise ValueError(f"without a meaning, or unknown: {', '.join(sorted(wrong))}")
    return found
