"""`evoply presets`: the ready-made configs."""

import sys

from evoply.cli.output import Output, rows_table
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
    from evoply.sections import cells_of

    rows = [(entry.command, preset, entry.title) for preset, entry in PRESETS.items()]
    output.people.print(rows_table(cells_of("command", "preset", "what it is"), rows))
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
