"""Readable text of a board expression, as one would write it in Python."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from evoply.expressions.operations import NODE_KINDS, OPERATIONS
from evoply.expressions.written_form import Node, in_order

MAX_CHARACTERS = 2000

_INFIX: Mapping[str, str] = MappingProxyType(
    {
        "and": "&",
        "or": "|",
        "minus": "-",
        "both": "and",
        "either": "or",
        "add": "+",
        "subtract": "-",
        "multiply": "*",
        "less": "<",
        "less_equal": "<=",
        "equal": "==",
    }
)

_PIECES: Mapping[str, str] = MappingProxyType({"own": "own discs", "opponent": "opponent discs"})

# Operands on the left that need no brackets: a + b - c is read from the left, as it is computed.
_CHAINS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "and": ("and",),
        "or": ("or",),
        "both": ("both",),
        "either": ("either",),
        "add": ("add", "subtract"),
        "subtract": ("add", "subtract"),
        "multiply": ("multiply",),
    }
)


def formula(expression: Node) -> str:
    """Return *expression* as text; parts longer than 2,000 characters are shown as "...".

    Text is built once per node, so an expression that shares its parts a million fold stays short.
    """
    texts: dict[int, str] = {}
    for node in in_order([expression]):
        text = _text(node, texts)
        texts[id(node)] = text if len(text) <= MAX_CHARACTERS else "..."
    return _bare(texts[id(expression)])


def _text(node: Node, texts: dict[int, str]) -> str:
    words = [
        texts[id(argument)] if kind in NODE_KINDS and argument is not None else _literal(argument)
        for kind, argument in zip(OPERATIONS[node.op].arguments, node.arguments, strict=True)
    ]
    if node.op in _INFIX:
        if node.arguments[0].op in _CHAINS.get(node.op, ()):
            words[0] = _bare(words[0])
        return f"({words[0]} {_INFIX[node.op]} {words[1]})"
    if node.op == "weighted_sum" and node.arguments[2] is None:
        return f"weights of {_PIECES.get(words[0], words[0])}"
    if node.op in ("number", "truth", "named_squares"):
        return words[0]
    if node.op == "argument":
        return f"argument_{words[0]}"
    if node.op == "not":
        return f"~{words[0]}"
    if node.op == "negation":
        return f"not({_bare(words[0])})"
    return f"{node.op}({', '.join(_bare(word) for word in words)})" if words else node.op


def _literal(value: Any) -> str:
    if isinstance(value, tuple) and value and isinstance(value[0], tuple):
        return f"{len(value)} x {len(value[0])} weights"
    if isinstance(value, tuple):
        return f"[{' '.join(str(item) for item in value)}]"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(value).removesuffix(".0")
    return str(value)


def _bare(text: str) -> str:
    """Drop the outer brackets of *text* if they belong together."""
    if not (text.startswith("(") and text.endswith(")")):
        return text
    depth = 0
    for place, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0 and place < len(text) - 1:
            return text
    return text[1:-1]
