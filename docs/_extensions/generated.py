"""Directives that take tables, help texts and pictures from evoply itself, so none goes stale.

Every directive writes Markdown or SVG while the documentation is built. Where a page adds the
meaning of each entry, an entry without a meaning, or a meaning without an entry, is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar

import pictures
import tables
from docutils import nodes
from pydantic import BaseModel
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective


class FromMarkdown(SphinxDirective):
    """Puts the Markdown that a function makes of the directive's text into the page."""

    optional_arguments = 1
    final_argument_whitespace = True
    has_content = True
    make: ClassVar[Callable[[str, list[str]], str]]

    def run(self) -> list[nodes.Node]:
        try:
            text = type(self).make(" ".join(self.arguments), list(self.content))
        except ValueError as error:
            raise self.error(str(error)) from None
        return self.parse_text_to_nodes(text)


class Picture(SphinxDirective):
    """Draws one of evoply's pictures, the directive's content below it as a caption."""

    required_arguments = 1
    final_argument_whitespace = True
    has_content = True
    draw: ClassVar[Callable[[str], str]]

    def run(self) -> list[nodes.Node]:
        try:
            svg = type(self).draw(self.arguments[0])
        except ValueError as error:
            raise self.error(str(error)) from None
        figure = nodes.container(classes=["picture"])
        figure += nodes.raw("", svg, format="html")
        if self.content:
            caption = nodes.container(classes=["picture-caption"])
            caption += self.parse_content_to_nodes()
            figure += caption
        return [figure]


_TEXTS: Mapping[str, Callable[[str, list[str]], str]] = {
    "command-help": tables.command_help,
    "config-keys": tables.config_keys,
    "named-players": tables.named_players,
    "online-options": tables.online_options,
    "strong-options": tables.strong_options,
    "strong-levels": tables.strong_levels,
    "operations": tables.operations,
    "preset": tables.preset,
    "presets": tables.presets,
    "primitive-sets": tables.primitive_sets,
    "run-tables": tables.run_tables,
    "square-sets": tables.named_square_sets,
}
_PICTURES: Mapping[str, Callable[[str], str]] = {
    "board": pictures.board,
    "heat-map": pictures.heat_map,
    "squares": pictures.squares,
    "tree": pictures.tree,
}


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directives."""
    for name, directive in _directives():
        app.add_directive(name, directive)
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


def _directives() -> Iterable[tuple[str, type[SphinxDirective]]]:
    for name, make in _TEXTS.items():
        yield name, type("Text", (FromMarkdown,), {"make": staticmethod(make)})
    for name, draw in _PICTURES.items():
        yield name, type("Drawing", (Picture,), {"draw": staticmethod(draw)})
