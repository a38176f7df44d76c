"""Players as one file for other programs: in C, Python or JavaScript, or their formula in LaTeX."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from evoply import _native
from evoply.expressions import Expression, build, number
from evoply.expressions.source_code import SourceText, languages, source_code
from evoply.expressions.written_form import (
    LEFT_OUT,
    FormulaNames,
    formula,
    in_order,
    latex_formula,
    latex_text,
)
from evoply.gp.algebra import simplify
from evoply.gp.algebra.formulas import DIGITS
from evoply.gp.algebra.terms import features
from evoply.players import ValuingPlayer
from evoply.players.grammar import Runs
from evoply.players.player_kind import PlayerKind
from evoply.reports.open_evaluator import Opened, read_opened
from evoply.wording import shorten

_LATEX = "latex"
EXPORTS = (*languages(), _LATEX)
"""What a player can be written as."""
_LONGEST_FORMULA = 600
_WHAT_CAN = "export a tree, a formula, stages or learned weights"
_COMPILED: Mapping[str, str] = MappingProxyType(
    {
        "c": "Compile it with: cc -O2 -ffp-contract=off -o player FILE (any C99; boards of more"
        " than 64 squares need GCC or Clang). As a library: -DEVOPLY_WITHOUT_MAIN; it gives"
        " evoply_value, evoply_value_for and evoply_choose.",
        "python": "It needs Python 3.8 and nothing else; import value and choose, or run it.",
        "javascript": "It needs nothing; evoplyValue and evoplyChoose are for a page or Node.js.",
    }
)


def export(player: object, *, to: str, game: str = "othello", runs: Runs | None = None) -> str:
    r"""Return *player* as the text of one file that needs nothing: in C, Python, JavaScript, LaTeX.

    A program values boards of *game* as the player does, equal to the last bit, and chooses among
    the boards after moves; its head says for which side, and what the player adds, such as a
    search. *to* is "c", "python", "javascript" or "latex", for which the formula is simplified. A
    tree or an expression is taken as `evoply.players.player_of` says, a text as `parse_player`
    does, with *runs* for champions. Raises `ValueError` for a player whose boards have no values of
    one formula, such as one with tables of patterns.

    >>> print(export("( + ( * 2 white ) white )", to="latex"))  # doctest: +ELLIPSIS
    % ( + ( * 2 white ) white ) (othello), exported by ...; own is the side that has just moved
    \begin{align*}
      V ={}& 3 \cdot \mathrm{white}
    \end{align*}
    where
    \begin{itemize}
      \item $\mathrm{white}$: own discs
    \end{itemize}
    """
    if to not in EXPORTS:
        raise ValueError(f"to: {shorten(str(to))!r} - is one of {', '.join(EXPORTS)}")
    chosen, parts = read_opened(player, game, runs)
    if parts is None:
        raise ValueError(f"{_name(chosen)}: it gives boards no values - {_WHAT_CAN}")
    if getattr(parts.model, "second", None) is not None:
        raise ValueError(f"{_name(chosen)}: it has two evaluators - {_WHAT_CAN}")
    if any(node.op == "pattern" for node in in_order([parts.expression])):
        raise ValueError(f"{_name(chosen)}: tables of patterns cannot be exported - {_WHAT_CAN}")
    is_movers = parts.model.view == "turn"
    whom = "the side to move" if is_movers else "the side that has just moved"
    if to == _LATEX:
        return "\n".join(_latex(chosen, parts, whom)) + "\n"
    said = SourceText(list(_head(chosen, parts, to, whom)), whom, is_movers, parts.names)
    return source_code(parts.expression, parts.rules, to, said)


def _name(player: PlayerKind) -> str:
    return shorten(player.label, 80)


def _exported(player: PlayerKind, game: str) -> str:
    return f"{_name(player)} ({game}), exported by evoply {_native.__version__}"


def _head(player: PlayerKind, parts: Opened, to: str, whom: str) -> Iterator[str]:
    """Yield the paragraphs at the beginning of a program."""
    text = formula(parts.expression, parts.names, digits=DIGITS)
    yield f"{_exported(player, parts.game)}."
    yield f"Formula: {shorten(text, _LONGEST_FORMULA)}"
    yield ""
    yield (
        f"Values are for {whom} at the board, and equal to evoply's to the last bit. A board is a"
        f" text such as {parts.rules.start().text()}. It does not say which move led to it: then"
        " there is none, and the board itself is where the player chooses."
    )
    yield (
        "Run without arguments it reads a board a line and prints its value. With `choose BEFORE"
        " AFTER AFTER ...`, the board before a move and those after it, it prints the number of the"
        " best, the first of equals; here the move and the beginning of the choice are known."
    )
    added = list(_added(parts.model, player))
    yield f"What the player adds: {' '.join(added)}" if added else "The player adds nothing."
    yield ""
    yield _COMPILED[to]


def _added(model: ValuingPlayer, player: PlayerKind) -> Iterator[str]:
    """Yield sentences on what a player does beside comparing the values of boards."""
    if model.view == "player" and model.plies_ahead > 1:
        yield "In its search all boards are valued for the side that chooses."
    if model.ties != "first":
        yield f"Of equals it takes another than the first (ties={model.ties})."
    yield from player.habits


def _latex(player: PlayerKind, parts: Opened, whom: str) -> Iterator[str]:
    """Yield the lines of a formula, one term a line, and what its features are in words."""
    names, words = parts.names, parts.words
    form = simplify(parts.expression, names)
    terms = _terms(form.expression, names)
    if any(LEFT_OUT in term for term in terms):
        raise ValueError(f"{_name(player)}: the formula is too long for LaTeX - export it to c")
    comment = _exported(player, parts.game).encode("ascii", "backslashreplace").decode()
    yield f"% {comment}; own is {whom}"
    yield r"\begin{align*}"
    first, *others = terms
    yield rf"  V ={{}}& {first.removeprefix('+ ')}" + r" \\" * bool(others)
    for index, term in enumerate(others, start=1):
        yield rf"  & {{}} {term}" + r" \\" * (index < len(others))
    yield r"\end{align*}"
    measured = features(form.expression, names)
    if measured:
        yield "where"
        yield r"\begin{itemize}"
        for feature in measured:
            said = latex_text(words.phrase(feature) or words.formula(feature))
            yield rf"  \item ${latex_formula(feature, names)}$: {said}"
        yield r"\end{itemize}"
    if form.exceptions:
        yield f"Equal {latex_text('; '.join(form.exceptions))}."


def _terms(expression: Expression, names: FormulaNames) -> list[str]:
    """Return the terms of a sum in LaTeX, each with its sign; a text of one term without a sum."""
    terms: list[str] = []
    waiting: list[tuple[Expression, bool]] = [(expression, False)]
    while waiting:
        node, is_taken_away = waiting.pop()
        is_whole = is_taken_away or node in names.known or names.call(node) is not None
        if node.op in ("add", "subtract") and not is_whole:
            left, right = node.arguments
            waiting += [(right, node.op == "subtract"), (left, False)]
        elif is_taken_away:  # with the brackets that it needs
            terms.append(latex_formula(build("subtract", number(0), node), names)[2:])
        else:
            text = latex_formula(node, names)
            terms.append(f"- {text[1:]}" if text.startswith("-") else f"+ {text}")
    return terms
