"""The part of the page about the champion: formula, sentence, pictures, influence."""

from __future__ import annotations

import math
from collections.abc import Sequence

from evoply.evolution import HallOfFameEntry, individual_player
from evoply.games import game_rules
from evoply.gp import Individual, tree_svg
from evoply.reports.explanation import Explanation, explain
from evoply.reports.html import Html, block, details, element, shortened
from evoply.reports.phrases import percent
from evoply.reports.sentence import Influence
from evoply.reports.squares import square_effects
from evoply.runs import Run

__all__ = ["champion_section", "explained_champion"]

_MOST_DRAWN = 400  # nodes of a tree that is still drawn
_MOST_BARS = 12
_LONGEST_TERM = 90


def explained_champion(run: Run, entry: HallOfFameEntry) -> Explanation:
    """Return the explanation of a member of the hall of fame."""
    return explain(individual_player(run.config, entry.tree), game=run.config.game)


def champion_section(run: Run, entry: HallOfFameEntry, explanation: Explanation) -> Html:
    """Return formula, influence, tree and heat map of the champion."""
    tree = entry.tree
    about = (
        f"{len(tree)} nodes on {tree.depth} levels; entered the hall of fame in generation "
        f"{entry.generation}. In a tree, white means the player's own colour, whichever it plays."
    )
    return block(
        element("h2", "Champion"),
        element("p", about, class_="note"),
        element("h3", "Simplified"),
        element("pre", explanation.simplified or ""),
        _exceptions(explanation),
        details("As it was evolved", element("pre", str(tree))),
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
        element("div", _tree_picture(tree), _heat_map(run, tree), class_="pictures"),
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


def _heat_map(run: Run, tree: Individual) -> Html:
    game = run.config.game
    effects = square_effects(individual_player(run.config, tree), game)
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
