"""Helpers for messages: shortening, spelling out what controls a terminal, suggestions, numbers.

This module knows nothing of evoply.
"""

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any

_LONGEST_NAME = 60
_LONGEST_FORMULA = 48
_LONGEST_COMPARED = 100  # comparing takes time with the square of the length

_CONTROLS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 without tab and end of line, DEL, C1
    "\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"  # direction of writing, ends of lines
    "\ud800-\udfff]"  # no characters: Python's stand-ins for bytes that are not UTF-8
)
"""What tells a terminal what to do, turns round what stands beside it, or is no text at all."""
_NOT_UTF8 = re.compile(r"""[^\s/"']*[\ud800-\udfff][^\s/"']*""")

_MUST_BE: Mapping[str, str] = MappingProxyType(
    {
        "missing": "is missing",
        "extra_forbidden": "unknown key",
        "string_type": "must be a text",
        "string_unicode": "is not UTF-8: rename the file",
        "string_too_short": "must have at least {min_length} characters",
        "string_too_long": "must have at most {max_length} characters",
        "too_short": "must have at least {min_length} entries",
        "too_long": "must have at most {max_length} entries",
        **dict.fromkeys(("int_type", "int_parsing", "int_from_float"), "must be a whole number"),
        **dict.fromkeys(("float_type", "float_parsing"), "must be a number"),
        **dict.fromkeys(("bool_type", "bool_parsing"), "must be true or false"),
        **dict.fromkeys(("list_type", "tuple_type"), "must be a list"),
        **dict.fromkeys(
            ("dict_type", "mapping_type", "model_type", "model_attributes_type"), "must be a table"
        ),
    }
)
"""What a wrong field must be, by the type of pydantic's error."""


def must_be(error: Mapping[str, Any]) -> str:
    """Return what is wrong with a field, from one of pydantic's errors, in words of a file.

    >>> must_be({"type": "int_parsing", "msg": "Input should be a valid integer, unable to parse"})
    'must be a whole number'
    """
    template, context = _MUST_BE.get(error["type"]), error.get("ctx", {})
    if template is not None:
        return "must not be empty" if context.get("min_length") == 1 else template.format(**context)
    return str(error["msg"]).removeprefix("Value error, ").replace("Input should", "must")


def shorten(text: str, limit: int = 40) -> str:
    """Return *text* in at most *limit* characters, so that a message never floods the screen.

    >>> shorten("white + black", 10)
    'white +...'
    """
    return text if len(text) <= limit else f"{text[: limit - 3]}..."


def keep_ends(text: str, limit: int = 40) -> str:
    """Return *text* in at most *limit* characters; of a longer one both ends.

    Names in a table often begin alike, and differ at the end.

    >>> keep_ends("engine:gtp:edax -l 10", 16), keep_ends("engine:gtp:edax -l 12", 16)
    ('engin...ax -l 10', 'engin...ax -l 12')
    """
    end = limit // 2
    return text if len(text) <= limit else f"{text[: limit - end - 3]}...{text[-end:]}"


def printable(text: str) -> str:
    r"""Return *text* with each character that controls a terminal spelled out, as Python does.

    Ends of lines and tabs stay.

    >>> print(printable("Ada \x1b[31m"))
    Ada \x1b[31m
    """
    return _CONTROLS.sub(_spelled, text)


def _spelled(found: re.Match[str]) -> str:
    # The system's names of files are bytes, and Python keeps those that are not UTF-8 so.
    byte = ord(found[0]) - 0xDC00
    return f"\\x{byte:02x}" if 0x80 <= byte < 0x100 else ascii(found[0])[1:-1]


def not_utf8(text: str) -> str:
    r"""Return the sentence about the first name in *text* that is not UTF-8; "" if all of it is.

    >>> not_utf8("cannot write b\udcf6se.toml")
    'b\\xf6se.toml - is not UTF-8 - rename it'
    """
    found = _NOT_UTF8.search(text)
    return f"{printable(found[0])} - is not UTF-8 - rename it" if found else ""


def json_line(data: Any) -> str:
    """Return *data* as one line of JSON that a terminal can show.

    What controls a terminal is escaped, which the reader of the JSON undoes.
    """
    text = json.dumps(data, ensure_ascii=False)
    return _CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def short_formula(text: str) -> str:
    """Return *text* cut to what a sentence can hold."""
    return text if len(text) <= _LONGEST_FORMULA else text[: _LONGEST_FORMULA - 1].rstrip() + "…"


def short_name(label: str) -> str:
    """Return the label of a player as it is shown: a tree may be a million characters long.

    Its options stay, as long as they are short themselves; of longer ones both ends do.

    >>> short_name(f"( + white {'( + white ' * 50}10 ):depth=4")
    '( + white ( + white ( + white ( + white ( + white ( + whi...:depth=4'
    >>> short_name("engine:gtp:evoply engine --protocol gtp --player strong:level=3,endgame=14")
    'engine:gtp:evoply engine --protoco...ayer strong:level=3,endgame=14'
    """
    name, colon, options = label.partition(":")
    return f"{shorten(name, _LONGEST_NAME)}{colon}{keep_ends(options, _LONGEST_NAME)}"


def did_you_mean(name: str, choices: Iterable[str], *, most: int = 1) -> str:
    """Return "; did you mean 'CHOICE'?" for the choices nearest to *name*, "" if none is near.

    >>> did_you_mean("gready", ["random", "greedy"])
    "; did you mean 'greedy'?"
    >>> did_you_mean("mobilty", ["mobility", "strong", "mobile"], most=3)
    "; did you mean 'mobility' or 'mobile'?"
    """
    near = get_close_matches(name[:_LONGEST_COMPARED], list(choices), n=most)
    *others, last = map(repr, near) if near else ("",)
    before = f"{', '.join(others)} or " if others else ""
    return f"; did you mean {before}{last}?" if near else ""


def unknown_attribute(owner: str, name: str, names: Iterable[str]) -> AttributeError:
    """Return the error for an attribute *name* that *owner* has not, with the nearest of *names*.

    >>> raise unknown_attribute("the board", "onw", ["own", "empty"])
    Traceback (most recent call last):
    AttributeError: the board has no attribute 'onw'; did you mean 'own'?
    """
    hint = "" if name.startswith("_") else did_you_mean(name, names)
    # With a name and no object Python shows no suggestion of its own beside it.
    return AttributeError(f"{owner} has no attribute {name!r}{hint}", name=name)


def signed(value: float) -> str:
    """Return *value* as a whole number with its sign; 0 is +0, whatever it was rounded from.

    >>> signed(12.4), signed(-0.3)
    ('+12', '+0')
    """
    text = f"{value:+.0f}"
    return "+0" if text == "-0" else text


def span(interval: tuple[float, float] | None, otherwise: str) -> str:
    """Return an interval of ratings as text, *otherwise* for none.

    >>> span((-12.2, 0.2), "none"), span((83.1, math.inf), "none")
    ('-12 to +0', '+83 or more')
    """
    return otherwise if interval is None else ends_in_words(*interval, signed)


def ends_in_words(low: float, high: float, text: Callable[[float], str]) -> str:
    """Return an interval with its ends as *text*; an infinite end is open.

    >>> ends_in_words(-math.inf, 2.0, str)
    '2.0 or less'
    """
    if math.isinf(low) or math.isinf(high):
        one_sided = f"{text(high)} or less" if math.isinf(low) else f"{text(low)} or more"
        return "anything" if math.isinf(low) and math.isinf(high) else one_sided
    return f"{text(low)} to {text(high)}"


def named_apart(labels: Sequence[str]) -> tuple[str, ...]:
    """Return *labels*, with numbers after those that are there more than once.

    >>> named_apart(["a", "b", "a"])
    ('a', 'b', 'a (2)')
    """
    seen: dict[str, int] = {}
    names = []
    for label in labels:
        seen[label] = seen.get(label, 0) + 1
        names.append(label if seen[label] == 1 else f"{label} ({seen[label]})")
    return tuple(names)


_STATUS = {
    "new": "not started",
    "running": "still running",
    "paused": "paused",
    "finished": "finished",
    "limit": "finished",
    "stopped": "stopped, can be resumed",
}
_OTHER_ENDS = {
    "time_limit": "time limit",
    "work_limit": "work limit",
    "termination": "fitness reached",
}


def status_in_words(status: str, ended_by: str = "") -> str:
    """Return what `Run.status` and `Run.ended_by` say in words.

    >>> status_in_words("limit", "work_limit"), status_in_words("limit", "budget.games")
    ('finished (work limit)', 'finished (budget of games)')
    """
    words = _STATUS.get(status, status)
    if not ended_by or words != "finished":
        return words
    end = _OTHER_ENDS.get(ended_by, ended_by.replace("budget.", "budget of "))
    return f"{words} ({end})"
