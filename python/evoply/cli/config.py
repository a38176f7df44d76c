"""`evoply config`: every key of a config, with its meaning, type, range and default."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from evoply.cli.output import Output
from evoply.cli.shared_options import Json
from evoply.cli.shell_hints import suggested

if TYPE_CHECKING:
    from evoply.configs.reference import ConfigKey, ConfigSection

_INDENT = "    "


def config(
    key: str | None = None,
    /,
    *,
    list_: Annotated[bool, Parameter(name="--list", negative="", show_default=False)] = False,
    learner: Literal["evolution", "islands", "learning", "patterns", "tuples"] = "evolution",
    json: Json = False,
) -> None:
    """Say what can be written in a config: every key, what it is for, and its default.

    Parameters
    ----------
    key
        Show this key and all below it, such as selection; or every key of this name, such as
        size. Default: the keys of the top level.
    list_
        Show the keys of all tables.
    learner
        Which configs: evolution or islands for those of `evoply evolve`; learning, patterns
        or tuples for those of `evoply learn`.
    """
    from evoply.configs.reference import config_sections, matching_sections
    from evoply.kinds import KINDS

    output = Output(json)
    model = KINDS[learner].learners.given.config_type
    sections = config_sections(model) if key is None else matching_sections(key, model)
    is_overview = key is None and not list_
    if is_overview:
        sections = sections[:1]
    for section in sections:
        _show(output, section)
    if is_overview:
        option = "" if learner == "evolution" else f" --learner {learner}"
        of_table, of_all = suggested(f"config KEY{option}"), suggested(f"config --list{option}")
        output.say()
        output.say(f"`{of_table}` shows the keys of a table; `{of_all}` shows all of them.")
    keys = [
        {"path": key.path, "kind": section.kind, **key.to_dict()}
        for section in sections
        for key in section.keys
    ]
    output.result({"keys": keys})


def _show(output: Output, section: ConfigSection) -> None:
    if section.path:
        output.say()
        output.say(section.title, style="bold")
        for paragraph in section.meaning.split("\n\n") if section.meaning else ():
            output.say(_wrap(output, paragraph, indent=""))
    for key in section.keys:
        output.say(_headline(key))
        output.say(_wrap(output, key.meaning, indent=_INDENT))


def _wrap(output: Output, text: str, *, indent: str) -> str:
    return fill(
        " ".join(text.split()),
        width=output.people.width,
        initial_indent=indent,
        subsequent_indent=indent,
    )


def _headline(key: ConfigKey) -> str:
    """Return a key with its default as a config writes it, and what else it may be."""
    if key.is_required or key.default is None:
        return f"{key.path}  # {key.value}; {key.default_text}"
    if key.is_single_table:
        return f"{key.path}  # {key.value}"
    return f"{key.path} = {key.default_text}  # {key.value}"
