"""`evoply presets`: the ready-made configs."""

from __future__ import annotations

import sys

from evoply.cli.options import Json
from evoply.cli.output import Output, table
from evoply.cli.suggesting import suggested

__all__ = ["presets"]


def presets(name: str | None = None, /, *, json: Json = False) -> None:
    """List the ready-made configs, or print one with its comments.

    Parameters
    ----------
    name
        The config to print. Default: list them all.
    """
    from evoply.presets import PRESETS, preset_text

    output = Output(json)
    if name is not None:
        text = preset_text(name)
        if not json:
            sys.stdout.write(text)
        output.result({"name": name, "title": PRESETS[name].title, "toml": text})
        return
    listed = table("preset", "what it is", left=("preset", "what it is"))
    for preset, entry in PRESETS.items():
        listed.add_row(preset, entry.title)
    output.people.print(listed)
    one, run = suggested("presets NAME"), suggested("evolve NAME")
    output.say(f"`{one}` prints one; `{run}` runs it.")
    output.result(
        {"presets": [{"name": preset, "title": entry.title} for preset, entry in PRESETS.items()]}
    )
