"""Notebooks of the documentation: executed and stored with small outputs, and read as pages.

`make notebooks` executes them all anew. Everything in them has a seed, so the outputs are the same
each time: a test compares them. A cell with the tag `parameters` says how much is done.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from html import escape
from json import loads
from pathlib import Path
from typing import Any

from docutils import nodes
from myst_parser.parsers.sphinx_ import MystParser

FOLDER = Path(__file__).parents[1] / "notebooks"
_SHOWN = ("text/html", "image/svg+xml", "text/plain")
"""Of what a cell shows in several forms only the first of these is kept."""
_SECONDS = 300


def executed(path: Path, parameters: Mapping[str, Any] | None = None) -> Any:
    """Return the notebook of *path*, executed with other *parameters*, in a folder of its own.

    Raises nbclient's CellExecutionError, with the traceback, if a cell fails.
    """
    # Only here: the documentation is built without them.
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    for cell in [one for one in notebook.cells if "parameters" in one.metadata.get("tags", ())]:
        changes = "".join(f"\n{name} = {value!r}" for name, value in (parameters or {}).items())
        cell.source += changes
    with tempfile.TemporaryDirectory() as folder:
        client = NotebookClient(
            notebook,
            timeout=_SECONDS,
            resources={"metadata": {"path": folder}},
            coalesce_streams=True,
            extra_arguments=["--log-level=ERROR"],
        )
        client.execute(env={**os.environ, "EVOPLY_RUNS": str(Path(folder) / "runs")})
    for number, cell in enumerate(notebook.cells, 1):
        cell.id = f"cell-{number}"
        if cell.cell_type == "code":
            cell.metadata.pop("execution", None)
            cell.outputs = [_small(one) for one in cell.outputs]
    # Which Python it was says nothing of the content.
    notebook.metadata = {"kernelspec": notebook.metadata["kernelspec"]}
    return notebook


def shown(notebook: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return what the cells of a notebook show: the form and the text of each output."""
    found = []
    for cell in notebook["cells"]:
        for output in cell.get("outputs", ()):
            if output["output_type"] == "stream":
                found.append(("text/plain", _text(output["text"])))
            else:
                found += [(form, _text(text)) for form, text in output["data"].items()]
    return found


def markdown_of(notebook: Mapping[str, Any], name: str) -> str:
    """Return the page of a notebook in Markdown, *name* being its file."""
    parts = []
    for cell in notebook["cells"]:
        source = _text(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        for form, text in shown({"cells": [cell]}):
            inner = f"<pre>{escape(text.rstrip())}</pre>" if form == "text/plain" else text
            parts.append(f'``````{{raw}} html\n<div class="output">{inner}</div>\n``````')
    parts.append(f"{{download}}`This page as a notebook <{name}>`")
    return "\n\n".join(parts) + "\n"


class NotebookParser(MystParser):
    """Reads a notebook as the Markdown that it would be."""

    supported = ("notebook",)

    def parse(self, inputstring: str, document: nodes.document) -> None:
        name = Path(document["source"]).name
        super().parse(markdown_of(loads(inputstring), name), document)


def setup(app: Any) -> dict[str, Any]:
    """Register notebooks as sources of pages."""
    app.add_source_suffix(".ipynb", "notebook")
    app.add_source_parser(NotebookParser)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def notebook_files() -> Iterator[Path]:
    """Yield the notebooks of the documentation."""
    yield from sorted(FOLDER.glob("*.ipynb"))


def _small(output: Any) -> Any:
    if "data" in output:
        form = next(one for one in _SHOWN if one in output["data"])
        output.data, output.metadata = {form: output["data"][form]}, {}
    return output


def _text(text: str | list[str]) -> str:
    return text if isinstance(text, str) else "".join(text)


if __name__ == "__main__":
    import nbformat

    names = sys.argv[1:]
    for file in notebook_files():
        if not names or file.stem in names:
            nbformat.write(executed(file), file)
            print(f"{file.stem}: {file.stat().st_size / 1000:.0f} KB")
