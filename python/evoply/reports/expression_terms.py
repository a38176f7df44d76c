"""Terms of evaluators that are board expressions, such as greedy and SWH, in words."""

from __future__ import annotations

from collections.abc import Sequence

from evoply import _native
from evoply.expressions import Expression, number
from evoply.expressions.expression import build
from evoply.games import game_rules
from evoply.games.squares import square_name
from evoply.players import AfterState, AlphaBeta
from evoply.protocols import Row
from evoply.reports.influence import changed_moves, chosen_moves
from evoply.reports.phrases import (
    expression_phrase,
    joined,
    short_formula,
    wanted,
    wanted_value,
)
from evoply.reports.sentence import Influence, constant_sentence, influence_sentence

__all__ = ["explained_expression"]

_MOST_SQUARES = 12


def explained_expression(
    player: AfterState | AlphaBeta,
    expression: Expression,
    rows: Sequence[Row],
    *,
    game: str,
    seed: int,
) -> tuple[str, tuple[Influence, ...], str]:
    """Return the formula, the influence of each term that is added or subtracted, the sentence."""
    rules = game_rules(game)
    places = _places(expression)
    variants = [expression, *(_without(expression, path) for path, _, _ in places)]
    programs = [_native.Program(rules.kernel, variant.to_json(rules.size)) for variant in variants]
    shares = changed_moves(chosen_moves(player, programs, rows, game=game, seed=seed))
    parts = tuple(
        Influence(("" if is_more else "-") + str(term), _wants(term, is_more), share)
        for (_, term, is_more), share in zip(places, shares, strict=True)
        if term.op != "number"
    )
    if not parts:
        return str(expression), (), constant_sentence("every position", player.ties)
    sentence = influence_sentence(parts, left_out="leaving this out", noun="term")
    for _, term, is_more in places:
        if is_more and term.op == "weighted_sum":
            sentence += " " + _weights_sentence(term.arguments[1][0], rules.size)
    return str(expression), parts, sentence


def _places(expression: Expression) -> list[tuple[tuple[int, ...], Expression, bool]]:
    """Return path, term and whether it is added, for each term from left to right."""
    found: list[tuple[tuple[int, ...], Expression, bool]] = []
    waiting: list[tuple[tuple[int, ...], Expression, bool]] = [((), expression, True)]
    while waiting:
        path, part, is_more = waiting.pop()
        if part.op in ("add", "subtract"):
            first, second = part.arguments
            waiting.append(((*path, 1), second, is_more == (part.op == "add")))
            waiting.append(((*path, 0), first, is_more))
        else:
            found.append((path, part, is_more))
    return found


def _without(expression: Expression, path: tuple[int, ...]) -> Expression:
    """Return *expression* with 0 at the end of *path*."""
    parts = [expression]
    for step in path:
        parts.append(parts[-1].arguments[step])
    result: Expression = number(0.0)
    for part, step in zip(reversed(parts[:-1]), reversed(path), strict=True):
        arguments = list(part.arguments)
        arguments[step] = result
        result = build(part.op, *arguments)
    return result


def _wants(term: Expression, is_more: bool) -> str:
    phrase = expression_phrase(term)
    if phrase is not None:
        return wanted(phrase, is_more)
    if term.op == "weighted_sum" and str(term.arguments[0]) in ("own", "opponent"):
        whose = "own" if str(term.arguments[0]) == "own" else "the opponent's"
        return f"{whose} discs on squares of {'high' if is_more else 'low'} weight"
    return wanted_value(f"`{short_formula(str(term))}`", is_more)


def _weights_sentence(weights: Sequence[float], size: int) -> str:
    """Return which squares a table of weights likes best and least."""
    best, worst = max(weights), min(weights)
    return (
        f"The highest weight, {best:g}, is on {_squares(weights, best, size)}; "
        f"the lowest, {worst:g}, on {_squares(weights, worst, size)}."
    )


def _squares(weights: Sequence[float], value: float, size: int) -> str:
    names = [square_name(square, size) for square, one in enumerate(weights) if one == value]
    return joined(names) if len(names) <= _MOST_SQUARES else f"{len(names)} squares"
