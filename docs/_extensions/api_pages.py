"""What pages of the API show of evoply's classes, and how examples look in all pages."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from pydantic import BaseModel
from sphinx.application import Sphinx


def setup(app: Sphinx) -> dict[str, Any]:
    """Register what is done to classes and examples."""
    app.connect("autodoc-skip-member", _skipped)
    app.connect("autodoc-process-signature", _model_signature)
    app.connect("doctree-read", _without_last_blank_line)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _skipped(_: Sphinx, __: str, ___: str, value: object, *rest: object) -> bool | None:
    """Leave out the fields of named tuples: Python's text for them only counts them."""
    return True if str(value.__doc__).startswith("Alias for field number") else None


def _model_signature(
    _: Sphinx, what: str, __: str, value: object, *rest: object
) -> tuple[str, str] | None:
    """Return the fields of a pydantic model with plain defaults; its own text shows internals."""
    if what != "class" or not (isinstance(value, type) and issubclass(value, BaseModel)):
        return None
    fields = [
        name if field.is_required() else f"{name}={_plain(field.default)}"
        for name, field in value.model_fields.items()
    ]
    return f"(*, {', '.join(fields)})", ""


def _plain(default: object) -> str:
    is_plain = default is None or isinstance(default, str | int | float)
    return repr(default) if is_plain else "..."


def _without_last_blank_line(_: Sphinx, document: nodes.document) -> None:
    """Undo the blank line at the end of examples, which doctest needs before the closing fence."""
    for block in document.findall(nodes.literal_block):
        text = block.astext().rstrip()
        block.rawsource = text
        block.children = []
        block += nodes.Text(text)
