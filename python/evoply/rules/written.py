"""Rules as JSON, which needs no Python: written, read, and known by a digest.

`docs/games-as-data.md` describes the form. All squares are numbers, row by row from a1; the sets
and truths of all rules share one expression, and a rule names an output of it.
"""

from __future__ import annotations

from typing import Any

from evoply.expressions import ExpressionError, build, written_form
from evoply.expressions.operations import short
from evoply.games.data import DECIDES, TOLD
from evoply.games.squares import squares_in
from evoply.protocols import BoardShape
from evoply.rules.moves import MOST, Offset, Placing, RuleOfMoves, RulesError, Sliding, Stepping

__all__ = ["FORMAT", "fields_of", "written"]

FORMAT = 1
FACTS = (
    "name",
    "title",
    "piece",
    "symbols",
    "symmetries",
    "colors",
    "opening_plies",
    "max_plies",
    "repetitions",
    "drawn",
    "adviser",
    "about",
)
_ENDS = ("wins", "loses", "draws")
_KINDS = (Placing, Stepping, Sliding)


def written(rules: Any) -> dict[str, Any]:
    """Return the JSON form of *rules*, `Rules`."""
    outputs: list[Any] = []

    def output(expression: Any) -> int | None:
        if expression is None:
            return None
        outputs.append(expression)
        return len(outputs) - 1

    moves = [
        {
            "kind": move.KIND,
            **{name: output(chosen) for name, chosen in move.sets.items()},
            **(
                {"offsets": [[o.down, o.right, o.turned] for o in move.offsets]}
                if move.offsets
                else {}
            ),
            "own": output(move.own),
            "opponent": output(move.opponent),
        }
        for move in rules.moves
    ]
    ends = {end: output(getattr(rules, end)) for end in _ENDS}
    told = {name: output(getattr(rules, name)) for name in TOLD if getattr(rules, name) is not None}
    playable = rules.playable
    return {
        "format": FORMAT,
        **{fact: getattr(rules, fact) for fact in FACTS},
        "symbols": list(rules.symbols),
        "rows": rules.rows,
        "columns": rules.columns,
        "playable": None if playable is None else list(squares_in(playable)),
        "start": {side: list(squares_in(getattr(rules, side))) for side in ("black", "white")},
        "moves": moves,
        "ends": ends,
        **told,
        "no_move": rules.no_move,
        "both_pass": rules.both_pass,
        "expression": written_form.to_dict(outputs, BoardShape(rules.rows, rules.columns)),
    }


def fields_of(data: Any) -> dict[str, Any]:
    """Return the arguments of `Rules` that a JSON form holds; raise `RulesError` if it is none."""
    data = _checked(data)
    try:
        outputs = written_form.from_dict(data["expression"], lambda op, args: build(op, *args))
    except ExpressionError as error:
        raise RulesError(f"expression - {error} - see the form of board expressions") from None

    def output(place: object, rule: str) -> Any:
        if place is None:
            return None
        if type(place) is not int or not 0 <= place < len(outputs):
            raise RulesError(
                f"{rule} - {short(place)} - write the number of an output of the expression, from 0"
                f" to {len(outputs) - 1}"
            )
        return outputs[place]

    fields = {
        name: data[name]
        for name in (*FACTS, "rows", "columns", "no_move", "both_pass")
        if name in data
    }
    moves = data["moves"]
    if not isinstance(moves, list):
        raise RulesError(f"moves - are {short(moves)} - write a list")
    fields["moves"] = tuple(_move(number, move, output) for number, move in enumerate(moves, 1))
    ends, start = data.get("ends", {}), data.get("start", {})
    for name, table in (("ends", ends), ("start", start)):
        if not isinstance(table, dict):
            raise RulesError(f"{name} - is {short(table)} - write a table")
    fields.update({end: output(ends.get(end), end) for end in _ENDS})
    fields.update({name: output(data.get(name), name) for name in TOLD})
    fields.update({side: start.get(side, []) for side in ("black", "white")})
    fields["playable"] = data.get("playable")
    if isinstance(fields.get("symbols"), list):
        fields["symbols"] = tuple(fields["symbols"])
    return fields


def _checked(data: object) -> dict[str, Any]:
    """Return the table of a JSON form, with the parts that rules have."""
    if not isinstance(data, dict):
        raise RulesError(f"rules - are {short(data)} - write a table")
    known = {*DECIDES, *TOLD, *FACTS}
    unknown = sorted(str(name) for name in set(data) - known)
    if unknown:
        raise RulesError(f"{unknown[0][:40]} - is no part of rules - leave it out")
    if data.get("format") != FORMAT:
        raise RulesError(
            f"format - is {short(data.get('format'))} - this version reads format {FORMAT}"
        )
    missing = [
        name for name in ("name", "rows", "columns", "moves", "expression") if name not in data
    ]
    if missing:
        raise RulesError(f"{missing[0]} - is missing - write it")
    return data


def _move(number: int, move: object, output: Any) -> RuleOfMoves:
    written = move.get("kind") if isinstance(move, dict) else None
    kind = next((kind for kind in _KINDS if written == kind.KIND), None)
    if kind is None or not isinstance(move, dict):
        known = ", ".join(kind.KIND for kind in _KINDS)
        raise RulesError(f"move {number} - its kind - write one of {known}")
    unknown = sorted(
        str(name) for name in set(move) - {"kind", "offsets", "own", "opponent", *kind.SETS}
    )
    if unknown:
        raise RulesError(f"move {number} - {unknown[0][:40]} is no part of it - leave it out")
    rule = f"move {number}"
    sets = {
        "from_" if name == "from" else name: output(move.get(name), f"{rule}, {name}")
        for name in kind.SETS
    }
    offsets = move.get("offsets", [])
    is_read = isinstance(offsets, list) and all(map(_is_offset, offsets))
    if not is_read or bool(offsets) != (kind is not Placing):
        raise RulesError(
            f"{rule}, offsets - {short(offsets)} - write [rows down, columns to the right, whether"
            " they are turned for White] for each direction of a step or slide"
        )
    effects = {name: output(move.get(name), f"{rule}, {name}") for name in ("own", "opponent")}
    directions = tuple(Offset(*offset) for offset in offsets)
    # A board has some hundreds. The kernel looks at each with each, and a file may repeat one
    # ten thousands of times.
    if len({*directions}) < len(directions):
        raise RulesError(f"{rule}, offsets - one is there twice - write each direction once")
    return kind(offsets=directions, **effects, **sets)


def _is_offset(offset: object) -> bool:
    if not isinstance(offset, list) or list(map(type, offset)) != [int, int, bool]:
        return False
    down, right, _ = offset
    return bool(0 < max(abs(down), abs(right)) <= MOST)
