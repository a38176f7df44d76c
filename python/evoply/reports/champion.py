"""The part of the page about the champion: formula, sentence, pictures, influence."""

from __future__ import annotations

import math
from collections.abc import Sequence

from evoply.games import game_rules
from evoply.gp import Individual, tree_svg
from evoply.players import Player, RandomPlayer, TreeEvaluator, steady_player
from evoply.reports.explanation import Explanation
from evoply.reports.html import Html, block, details, element, shortened
from evoply.reports.phrases import percent
from evoply.reports.sentence import Influence
from evoply.reports.squares import square_effects

__all__ = ["champion_section"]

_MOST_DRAWN = 400  # nodes of a tree that is still drawn
_MOST_BARS = 12
_LONGEST_TERM = 90


def champion_section(player: Player, game: str, explanation: Explanation, about: str) -> Html:
    """Return formula, influence, tree and heat map of a champion; *about* it is said first."""
    steady = steady_player(player)
    evaluator = None if isinstance(steady, RandomPlayer) else steady.evaluator
    tree = evaluator.parsed if isinstance(evaluator, TreeEvaluator) else None
    text = player.label if tree is None else str(tree)
    picture = Html() if tree is None else _tree_picture(tree)
    return block(
        element("h2", "Champion"),
        element("p", about, class_="note") if about else Html(),
        element("h3", "Simplified"),
        element("pre", explanation.simplified or ""),
        _exceptions(explanation),
        details("As it was evolved" if tree is not None else "As data", element("pre", text)),
        _influence(
            "Influence of each term",
            f"How often the chosen move changes on {explanation.positions:,} positions of random "
            "games when the term is left out of the simplified form.",
            explanation.terms,
        ),
        _influence(
            "Influence of each feature",
            "The same, when what is measured on the board is replaced by its average.",
            explanation.features,
        ),
        element("div", picture, _heat_map(player, game), class_="pictures"),
    )


def _exceptions(explanation: Explanation) -> Html:
    if not explanation.exceptions:
        return Html()
    count = len(explanation.exceptions)
    agreement = explanation.agreement or 0.0
    summary = (
        f"Protected division: {count} exception{'s' * (count != 1)} "
        f"(same move in {percent(agreement)} of positions)"
    )
    items = (element("li", element("code", text)) for text in explanation.exceptions)
    return details(summary, element("ul", *items))


def _influence(title: str, note: str, parts: Sequence[Influence]) -> Html:
    """Return bars, longest first; those beyond the first twelve are folded away."""
    if not parts:
        return Html()
    ordered = sorted(parts, key=lambda part: -part.share)
    shown = element("div", *map(_bar, ordered[:_MOST_BARS]), class_="influence")
    hidden = ordered[_MOST_BARS:]
    more = (
        details(f"{len(hidden)} more", element("div", *map(_bar, hidden), class_="influence"))
        if hidden
        else Html()
    )
    return block(element("h3", title), element("p", note, class_="note"), shown, more)


def _bar(part: Influence) -> Html:
    wants = f"{part.wants}, for or against" if part.depends else part.wants
    # Where the words hold a formula, the term itself says it already.
    return block(
        element(
            "div",
            shortened(part.text, _LONGEST_TERM),
            element("span", wants, class_="wants") if "`" not in wants else "",
            class_="part",
        ),
        element("span", element("i", style=f"width:{100 * part.share:.2f}%"), class_="bar"),
        element("span", percent(part.share), class_="share"),
    )


def _tree_picture(tree: Individual) -> Html:
    if len(tree) > _MOST_DRAWN:
        return element("p", f"The tree of {len(tree)} nodes is too large for a picture.")
    return element("figure", element("figcaption", "The tree"), Html(tree_svg(tree)), class_="tree")


def _heat_map(player: Player, game: str) -> Html:
    effects = square_effects(player, game)
    finite = [value for value in effects or () if math.isfinite(value)]
    if effects is None or not finite or max(map(abs, finite)) == 0:
        return Html()
    rules = game_rules(game)
    caption = (
        f"What an own {rules.piece} on a square adds, compared with an opponent's there"
        " (mean change)"
    )
    # More digits of small values would not fit the squares.
    exponent = math.floor(math.log10(max(map(abs, finite))))
    digits = (2 if exponent >= 0 else 1) - exponent
    svg = rules.heat_map([round(value, digits) for value in effects])
    return element("figure", element("figcaption", caption), Html(svg), class_="map")
