"""`evoply presets`: the ready-made configs."""

import sys

from evoply.cli.output import Output, table
from evoply.cli.shared_options import Json
from evoply.cli.shell_hints import suggested


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
    columns = ("command", "preset", "what it is")
    listed = table(*columns, left=columns)
    for preset, entry in PRESETS.items():
        listed.add_row(entry.command, preset, entry.title)
    output.people.print(listed)
    show, evolve, learn = (suggested(f"{what} NAME") for what in ("presets", "evolve", "learn"))
    output.say(f"`{show}` prints one; `{evolve}` or `{learn}` runs it.")
    output.result(
        {
            "presets": [
                {"name": preset, "title": entry.title, "command": entry.command}
                for preset, entry in PRESETS.items()
            ]
        }
    )
