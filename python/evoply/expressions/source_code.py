"""Board expressions as programs in other languages: one file that needs nothing.

A language is a file of `languages/`: a text for each operation, helper functions that are written
where an expression uses them, and the whole file with its boards and its `main`. Values are those
of the kernel to the last bit: the same doubles in the same order. This module knows no players.

Reasons: docs/design/expressions.md.
"""

from __future__ import annotations

import re
import textwrap
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from evoply.expressions.expression import Expression
from evoply.expressions.operations import (
    DIRECTIONS,
    NODE_KINDS,
    OFFSETS,
    OPERATIONS,
    ExpressionError,
    bits,
    named_squares,
)
from evoply.expressions.written_form import FormulaNames, in_order, to_dict
from evoply.games import GameRules
from evoply.protocols import BoardShape, Color

_FOLDER = Path(__file__).with_name("languages")
_LONGEST = 44
"""Characters of a part that is written where it is used; a longer one gets a name."""
_ONE_WORD = 64
"""Squares that a word of 64 bits holds."""
_INDENT = "    "
_CALL = re.compile(r"\w+\(")
_PLACEHOLDER = re.compile(r"\$([a-z_]+)")


@dataclass(frozen=True, slots=True)
class SourceText:
    """What a program says and does beside the value itself."""

    head: Sequence[str]
    """Paragraphs of the comment at the beginning."""
    whom: str
    """The side that the value is for, in words."""
    is_movers: bool
    """Whether own is the side to move at the board, and so not the side that chose the move."""
    names: FormulaNames
    """What parts of the expression are called."""


def languages() -> tuple[str, ...]:
    """Return the names of the programming languages."""
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.toml")))


def source_code(expression: Expression, rules: GameRules, language: str, said: SourceText) -> str:
    """Return the program that values boards of the game *rules* by *expression*.

    Raises `ExpressionError` if the language has no words for the game or for an operation.
    """
    known = _read(language)
    family = known["games"].get(rules.family)
    if family is None:
        raise ExpressionError(
            f"{rules.name}: its boards and rules are not written in {language} - name a game of"
            f" {' or '.join(known['games'])}"
        )
    writer = _Writer(known, rules.shape)
    body, value = writer.written(expression, said.names)
    mover = "board.black_moves"
    parts = {
        "head": "\n".join(_comment(known["comment"], said.head)),
        "body": "\n".join(body),
        "value": value,
        "tables": "\n\n".join(writer.tables()),
        "whom": said.whom,
        "own_is_black": mover if said.is_movers else known["operations"]["negation"].format(mover),
        "chooser_is_black": mover if said.is_movers else "root.black_moves",
        "worth": "-value" if said.is_movers else "value",
        "parse": family["parse"].strip(),
        "clock": family["clock"],
        "imports": family.get("imports", ""),
        "example": rules.start().text(),
        **writer.facts(rules),
    }
    whole = known["whole"]["text"]
    helpers = {**known["helpers"], **family["helpers"]}
    used = _used(helpers, "\n".join([parts["body"], value, parts["parse"], whole]))
    gap = "\n" * (known["blank_lines"] + 1)
    parts["helpers"] = gap.join(_filled(helpers[name].strip(), parts) for name in used)
    most = known["blank_lines"] + 2
    return re.sub(rf"\n{{{most},}}", gap, _filled(whole, parts)).strip() + "\n"


@cache
def _read(language: str) -> Mapping[str, Any]:
    text = (_FOLDER / f"{language}.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def _comment(sign: str, paragraphs: Sequence[str]) -> Iterator[str]:
    """Yield the lines of a comment; what could end it, or is no ASCII, is written otherwise."""
    for paragraph in paragraphs:
        plain = paragraph.encode("ascii", "backslashreplace").decode().replace("\\", "/")
        for line in textwrap.wrap(plain, 96, break_on_hyphens=False) or [""]:
            yield (sign + line).rstrip()


def _filled(text: str, parts: Mapping[str, str]) -> str:
    return _PLACEHOLDER.sub(lambda match: parts[match[1]], text)


def _used(helpers: Mapping[str, str], text: str) -> list[str]:
    """Return the names of the helpers that *text* uses and those that these use, in order."""
    found: set[str] = set()
    waiting = [text]
    while waiting:
        words = set(re.findall(r"([A-Za-z_]\w*)\(", waiting.pop()))
        new = [name for name in helpers if name in words and name not in found]
        found.update(new)
        waiting += [helpers[name] for name in new]
    return [name for name in helpers if name in found]


class _Writer:
    """Writes the parts of an expression for boards of one shape in one language."""

    def __init__(self, known: Mapping[str, Any], shape: BoardShape) -> None:
        self._known = known
        self._shape = shape
        self._tables: dict[str, tuple[str, Sequence[Sequence[float]]]] = {}

    def facts(self, rules: GameRules) -> dict[str, str]:
        """Return what the whole file says of the board."""
        shape = rules.shape
        start = sum(map(rules.start().pieces, Color))
        every = bits(range(shape.squares))
        is_wide = shape.squares > _ONE_WORD
        word = (
            "/* Only GCC and Clang have words of 128 bits. */\n"
            "__extension__ typedef unsigned __int128 squares;\n"
            "#define SET(high, low) ((squares)(high) << 64 | (low))"
        )
        return {
            "rows": str(shape.rows),
            "columns": str(shape.columns),
            "start": f"{start}.0",
            "all": self._set(every),
            "dark": self._set(named_squares(shape, "dark")),
            "word": word if is_wide else "typedef uint64_t squares;",
            "by": ", ".join(str(down * shape.columns + right) for down, right in OFFSETS.values()),
            "staying": "\n".join(
                f"{_INDENT}{self._set(self._staying(direction))}," for direction in DIRECTIONS
            ),
        }

    def written(self, expression: Expression, names: FormulaNames) -> tuple[list[str], str]:
        """Return the lines of a function and the value that it returns."""
        named = {part: names.known[part] for part in in_order([expression]) if part in names.known}
        data = to_dict([expression, *named], self._shape)
        rows, (root, *places) = data["nodes"], data["outputs"]
        called = dict(zip(places, named.values(), strict=True))
        readers = self._readers(rows, root)
        types = _types(rows)
        lines: list[str] = []
        texts: dict[int, str] = {}
        for index in sorted(readers):
            text = self._text(rows[index], texts)
            is_word = rows[index][0] == "number" or "(" not in text
            is_short = len(text) <= _LONGEST and readers[index] < 2 and index not in called
            if index != root and not (is_word or is_short):
                kind = types[index]
                name = f"{_word(called.get(index, kind))}_{index}"
                of_type = self._known["types"][kind]
                line = self._known["local"].format(type=of_type, name=name, text=_bare(text))
                lines.append(_INDENT + line)
                text = name
            texts[index] = text
        value = _bare(texts[root])
        if types[root] == "truth":
            select = self._known["operations"]["select"]
            value = select.format(texts[root], self._number(1.0), self._number(0.0))
        return lines, value

    def _readers(self, rows: Sequence[Sequence[Any]], root: int) -> Counter[int]:
        """Return how often each row is read that the *root* needs."""
        readers = Counter([root])
        for index in range(root, -1, -1):
            if index in readers:
                readers.update(_operands(rows[index]))
        return readers

    def _text(self, row: Sequence[Any], texts: Mapping[int, str]) -> str:
        op, *arguments = row
        kinds = OPERATIONS[op].arguments
        if not kinds:
            return f"at.{op}"
        if op in ("number", "truth", "squares", "squares_turned"):
            return self._constant(op, arguments[0])
        operands = [texts[index] for index in _operands(row)]
        if op == "weighted_sum":
            return self._weighted_sum(arguments[1], operands)
        pairs = zip(kinds, arguments, strict=True)
        literals = [argument for kind, argument in pairs if kind not in NODE_KINDS]
        if op == "shift":
            literals = [literals[0].upper()]
        elif op == "fill":
            literals = [bits(map(DIRECTIONS.index, literals[0]))]
        elif op in ("divide", "destinations", "number_of_moves"):
            op = f"{op} {literals[0]}"
        form = self._form(op)
        if _CALL.match(form):
            operands = list(map(_bare, operands))
        return form.format(*operands, *literals)

    def _constant(self, op: str, value: Any) -> str:
        if op == "number":
            return self._number(float(value))
        if op == "truth":
            return str(self._known["truth"][value])
        if op == "squares":
            return self._set(bits(value))
        turned = bits(self._shape.squares - 1 - square for square in value)
        return self._form(op).format(self._set(bits(value)), self._set(turned))

    def _form(self, op: str) -> str:
        forms = self._known["operations"]
        if op not in forms:
            raise ExpressionError(f"{op.partition(' ')[0]}: this operation cannot be exported")
        return str(forms[op])

    def _weighted_sum(self, tables: Sequence[Sequence[float]], operands: Sequence[str]) -> str:
        name = self._tables.setdefault(str(tables), (f"TABLE_{len(self._tables)}", tables))[0]
        if len(operands) == 1:
            return self._form("weighted_sum").format(operands[0], name)
        form = self._form("weighted_sum selected")
        return form.format(operands[0], name, operands[1], len(tables) - 1)

    def tables(self) -> Iterator[str]:
        """Yield the tables that what was written reads."""
        for name, tables in self._tables.values():
            rows = "\n".join(
                self._known["row"].format(", ".join(map(self._number, table))) for table in tables
            )
            yield self._known["table"].format(
                name=name, count=len(tables), squares=self._shape.squares, rows=rows
            )

    def _number(self, value: float) -> str:
        text = str(value)
        infinite: Mapping[str, str] = self._known["infinite"]
        written = infinite.get(text, text)
        return f"({written})" if written.startswith("-") else written

    def _set(self, squares: int) -> str:
        form = self._known["set"]
        if self._shape.squares > _ONE_WORD:
            form = self._known.get("wide_set", form)
        return str(form.format(squares, squares >> 64, squares & (1 << 64) - 1))

    def _staying(self, direction: str) -> int:
        """Return the squares from which a step in *direction* stays on the board."""
        down, right = OFFSETS[direction]
        places = ((*divmod(square, self._shape.columns), square) for square in self._squares)
        return bits(
            square for row, column, square in places if (row + down, column + right) in self._shape
        )

    @property
    def _squares(self) -> range:
        return range(self._shape.squares)


def _operands(row: Sequence[Any]) -> list[int]:
    """Return the rows that *row* reads, in order."""
    kinds = OPERATIONS[row[0]].arguments
    return [
        argument
        for kind, argument in zip(kinds, row[1:], strict=True)
        if kind in NODE_KINDS and argument is not None
    ]


def _types(rows: Sequence[Sequence[Any]]) -> list[str]:
    """Return the type of each row; that of a choice is that of what is chosen."""
    types: list[str] = []
    for row in rows:
        result = OPERATIONS[row[0]].result
        types.append(types[row[2]] if result == "any" else result)
    return types


def _word(name: str) -> str:
    """Return *name* as a part of a name in programs."""
    word = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_")[:40]
    return word if word[:1].isalpha() else f"part_{word}".rstrip("_")


def _bare(text: str) -> str:
    """Return *text* without brackets around the whole of it."""
    if not text.startswith("("):
        return text
    depth = 0
    for place, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return text[1:-1] if place == len(text) - 1 else text
    return text
