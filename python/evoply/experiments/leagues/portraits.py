"""Portraits of the champions of a league: how large, how readable, and a picture.

Sizes are counted, and pictures measured, on the player as data. Every player has a portrait: of one
that has no values of boards it says so in words.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from evoply.configs.own_code import carried
from evoply.experiments.design import Condition, Entrant
from evoply.experiments.leagues.encounters import LeagueResults, MadePlayer
from evoply.experiments.leagues.standings import LeagueStandings
from evoply.expressions import Expression
from evoply.expressions.written_form import in_order
from evoply.games import game_rules
from evoply.gp import Forest, Genotype, branches, tree_svg
from evoply.gp.algebra import Simplified, simplify
from evoply.gp.algebra.terms import terms_of
from evoply.players import (
    AfterState,
    AlphaBeta,
    PlayerKind,
    ValuingPlayer,
    data_of,
    parse_player,
    player_of,
    strong_tables,
)
from evoply.players.player_kind import sentences
from evoply.players.strong import Strong
from evoply.protocols import Player
from evoply.protocols.sections import Picture
from evoply.reports.explanation import explain
from evoply.reports.influences import Influence
from evoply.reports.open_evaluator import is_drawn, opened, positions_with_choice, square_effects
from evoply.reports.part_words import joined
from evoply.reports.value_parts import RegionTables, regions_of_strong
from evoply.wording import short_name

_POSITIONS = 200
"""Positions of random games on which parts are measured."""
_MOST_PARTS = 100
"""A formula of more terms is not measured term by term."""
_EVEN = 1e-9
"""Squares that differ by less, relative to their size, make no picture."""
_WRONG = (ValueError, TypeError, ArithmeticError, RecursionError)
"""What parts of a player raise that cannot be measured; the rest of its portrait stays."""


@dataclass(frozen=True, slots=True)
class Portrait:
    """How large a player is, and what it looks like."""

    label: str
    size: str
    """Such as "31 nodes" or "12 tables, 110,000 entries"; "" if nothing was made."""
    needs: str
    """What one needs to read it, such as "a formula of 14 terms"; it can go on "one needs"."""
    nodes: int = 0
    """Nodes of its trees."""
    weights: int = 0
    """Weights of squares, each table of them counted once."""
    entries: int = 0
    """Entries of the tables of patterns."""
    terms: int = 0
    """Terms of its simplified formulas, constants left out; 0 for patterns."""
    sentence: str = ""
    """What it wants and how it plays."""
    parts: tuple[Influence, ...] = ()
    """Its terms or regions, the most influential first; a region has no words."""
    shares_are: str = ""
    """What the shares of *parts* are, in a sentence."""
    pictures: tuple[Picture, ...] = ()


def portrait(player: Player, game: str) -> Portrait:
    """Return the portrait of *player* in *game*; it never fails, whatever the player is.

    It takes about a second at most; terms are measured one ply ahead, on 200 positions.

    >>> from evoply.players import parse_player
    >>> portrait(parse_player("swh"), "othello").needs
    '64 weights'
    """
    model = data_of(player_of(player))
    if model is None:
        return Portrait(short_name(player.label), "", "its program: it is an object in Python")
    try:
        valuing = model.valuing()
    except _WRONG:
        valuing = None
    if valuing is None:
        return _without_values(model)
    if isinstance(model, Strong):
        return _of_strong(model, valuing, game)
    return _of_values(model, valuing, game)


def _without_values(model: PlayerKind) -> Portrait:
    sentence = " ".join(model.habits)
    label = short_name(model.label)
    if model.games_before_move:
        many = f"{model.games_before_move:,}"
        needs = f"nothing that stays: it plays {many} games by itself before each move"
        return Portrait(label, "", needs, sentence=sentence)
    if not model.is_portable:
        return Portrait(label, "", "its program: only that knows what it wants", sentence=sentence)
    needs = "a sentence" if sentence else "how it searches: it has no values of boards"
    return Portrait(label, "", needs, sentence=sentence)


def _of_strong(model: Strong, valuing: ValuingPlayer, game: str) -> Portrait:
    if model.game != game:
        return _without_values(model)
    packed = strong_tables(game)
    tables = len(packed.patterns) * (len(packed.stages) + 1)
    parts = _regions(regions_of_strong(game), game)
    return _of_tables(model, valuing, game, tables, len(packed.values), parts)


def _of_values(model: PlayerKind, valuing: ValuingPlayer, game: str) -> Portrait:
    expression, individual = valuing.evaluator.value, valuing.evaluator.individual
    patterns = [node for node in in_order([expression]) if node.op == "pattern"]
    if patterns:
        entries = [np.frombuffer(table, "<f8") for node in patterns for table in node.arguments[7]]
        parts = _pattern_parts(patterns, game)
        sizes = len(entries), sum(map(len, entries))
        return _of_tables(model, valuing, game, *sizes, parts)
    tables = _weight_tables(expression)
    weights = sum(map(len, tables))
    forms = _simplified(valuing, game)
    terms = sum(_count_terms(form) for form in forms)
    size = []
    if individual is not None:
        size.append(_many(len(individual), "node"))
    if weights:
        size.append(_many(weights, "weight"))
    sentence, parts = _explained(model, valuing, game, terms)
    return Portrait(
        label=short_name(model.label),
        size=", ".join(size) or (_many(terms, "term") if terms else ""),
        needs=_needs_of_formulas(individual, forms, [len(table) for table in tables])
        + _or_second(valuing),
        nodes=0 if individual is None else len(individual),
        weights=weights,
        terms=terms,
        sentence=sentence,
        parts=parts,
        shares_are="How often the move that is chosen one ply ahead changes without the part."
        if parts
        else "",
        pictures=(*_tree_pictures(individual), *_square_pictures(valuing, game)),
    )


def _of_tables(
    model: PlayerKind,
    valuing: ValuingPlayer,
    game: str,
    tables: int,
    entries: int,
    parts: tuple[Influence, ...],
) -> Portrait:
    size = f"{_many(tables, 'table')}, {entries:,} entries"
    return Portrait(
        label=short_name(model.label),
        size=size,
        needs=size.replace(", ", " with ", 1) + _or_second(valuing),
        entries=entries,
        sentence=_habits(model),
        parts=parts,
        shares_are="How much of all that its tables add and subtract comes from the region, on "
        "average."
        if parts
        else "",
        pictures=tuple(_square_pictures(valuing, game)),
    )


def _needs_of_formulas(
    individual: Genotype | None, forms: Sequence[Simplified], tables: Sequence[int]
) -> str:
    if tables:
        count = f"{len(tables):,} tables of " if len(tables) > 1 else ""
        is_alike = len(set(tables)) == 1
        number = f"{count}{_many(tables[0], 'weight')}" if is_alike else f"{sum(tables):,} weights"
        # A sum of tables of weights is these tables; anything else is a formula around them.
        is_sum = sum(_count_terms(form) for form in forms) <= 2
        return number if is_sum else f"{_needs_of_formulas(individual, forms, ())}, with {number}"
    if not forms:
        return "a formula that cannot be simplified"
    texts = [_formula_text(form) for form in forms]
    if len(texts) == 1:
        return texts[0]
    if isinstance(individual, Forest) and individual.role == "ordered":
        return f"{texts[0]}; and for the order of moves {texts[1]}"
    terms = joined([f"{_count_terms(form):,}" for form in forms])
    return f"{len(forms)} formulas of {terms} terms, one for each part of the game"


def _formula_text(form: Simplified) -> str:
    terms = _count_terms(form)
    if not terms:
        return "nothing: all boards have the same value to it"
    return f"a formula of {_many(terms, 'term')} and {_many(form.size, 'symbol')}"


def _or_second(valuing: ValuingPlayer) -> str:
    if not isinstance(valuing, AlphaBeta) or valuing.second is None:
        return ""
    try:
        return f"; or by the toss of a coin {_formula_text(simplify(valuing.second.value))}"
    except _WRONG:
        return "; or by the toss of a coin another formula"


def _simplified(valuing: ValuingPlayer, game: str) -> list[Simplified]:
    individual = valuing.evaluator.individual
    try:
        if isinstance(individual, Forest) and (individual.is_timed or individual.role == "ordered"):
            return [simplify(tree) for tree in branches(individual)]
        if individual is not None:
            return [simplify(individual)]
        return [simplify(valuing.evaluator.value, opened(valuing, game).names)]
    except _WRONG:
        return []


def _count_terms(form: Simplified) -> int:
    terms = terms_of(form.expression, form.names)
    return sum(not term.is_constant for term in terms)


def _weight_tables(expression: Expression) -> list[tuple[float, ...]]:
    tables = [
        tuple(table)
        for node in in_order([expression])
        if node.op == "weighted_sum"
        for table in node.arguments[1]
    ]
    return list(dict.fromkeys(tables))


def _explained(
    model: PlayerKind, valuing: ValuingPlayer, game: str, terms: int
) -> tuple[str, tuple[Influence, ...]]:
    """Return what a player wants and what its terms decide, one ply ahead."""
    habits = _habits(model)
    if terms > _MOST_PARTS:
        return habits, ()
    near = AfterState(evaluator=valuing.evaluator, ties=valuing.ties, view=valuing.view)
    try:
        found = explain(near, game=game, positions=_POSITIONS)
    except _WRONG:
        return habits, ()
    return f"{found.sentence} {habits}".strip(), found.parts


def _habits(model: PlayerKind) -> str:
    return " ".join(sentences(model) if isinstance(model, ValuingPlayer) else model.habits)


def _pattern_parts(patterns: Sequence[Expression], game: str) -> tuple[Influence, ...]:
    tables = [
        (node, [np.frombuffer(table, "<f8") for table in node.arguments[7]]) for node in patterns
    ]
    try:
        return _regions(RegionTables(tables, game), game)
    except _WRONG:
        return ()


def _regions(regions: RegionTables, game: str) -> tuple[Influence, ...]:
    """Return each region with its share of all that is added, over boards of random games."""
    sums: dict[str, float] = {}
    for row in positions_with_choice(game, _POSITIONS, 0):
        for region, value in regions.sums(row).items():
            sums[region] = sums.get(region, 0.0) + abs(value)
    whole = sum(sums.values())
    if not whole:
        return ()
    parts = [Influence(region, "", value / whole) for region, value in sums.items()]
    return tuple(sorted(parts, key=lambda part: -part.share))


def _tree_pictures(individual: Genotype | None) -> Iterator[Picture]:
    if individual is None:
        return
    if is_drawn(individual):
        yield Picture(tree_svg(individual), "The tree, as it was evolved", "tree")


def _square_pictures(valuing: ValuingPlayer, game: str) -> Iterator[Picture]:
    """Give a board whose squares say what they are worth; none if all are worth the same."""
    try:
        effects = square_effects(valuing, game, positions=_POSITIONS)
    except _WRONG:
        return
    finite = [value for value in effects or () if math.isfinite(value)]
    if effects is None or not finite:
        return
    if max(finite) - min(finite) <= _EVEN * max(map(abs, finite)):
        return
    rules = game_rules(game)
    caption = (
        f"What an own {rules.piece} on a square adds to the value, compared with an opponent's "
        f"there: the mean over {_POSITIONS} boards of random games"
    )
    # Three digits of the largest are enough, and more of the small ones would not fit the squares.
    digits = 2 - math.floor(math.log10(max(map(abs, finite))))
    shown = [round(value, digits) if math.isfinite(value) else value for value in effects]
    yield Picture(rules.heat_map(shown), caption, "map")


def _many(count: int, noun: str) -> str:
    """Return a number of things.

    >>> _many(1, "term"), _many(1200, "term")
    ('1 term', '1,200 terms')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def terms_of_methods(results: LeagueResults) -> dict[str, float]:
    """Return the number of terms of each method's players, the median over seeds.

    Methods of which some player has no formula that is read, such as tables of patterns, are left
    out.
    """
    counts: dict[str, list[int]] = {}
    unread = set()
    for made in results.made:
        terms = count_terms(made.player, results.game)
        if terms is None:
            unread.add(made.entrant)
        else:
            counts.setdefault(made.entrant, []).append(terms)
    return {name: median(each) for name, each in counts.items() if name not in unread}


def count_terms(player: Player, game: str) -> int | None:
    """Return how many terms the formulas of *player* have, each weight of a square as one.

    None if it has none: it has no values of boards, or tables of patterns.

    >>> from evoply.players import parse_player
    >>> count_terms(parse_player("swh"), "othello"), count_terms(parse_player("random"), "othello")
    (64, None)
    """
    model = data_of(player_of(player))
    try:
        valuing = None if model is None else model.valuing()
    except _WRONG:
        return None
    if valuing is None or isinstance(model, Strong):
        return None
    expression = valuing.evaluator.value
    forms = _simplified(valuing, game)
    if not forms or any(node.op == "pattern" for node in in_order([expression])):
        return None
    tables = _weight_tables(expression)
    # Both sides' sums of weights are one term each, and stand for the weights.
    terms = sum(map(_count_terms, forms))
    return max(0, terms - 2) + sum(map(len, tables)) if tables else terms


# The champions of a league: of each method the player that its training says is the best.

_LONGEST_COMMAND = 200


@dataclass(frozen=True, slots=True)
class LeagueChampion:
    """The best player of a method, as the page shows it."""

    entrant: Entrant
    made: MadePlayer
    portrait: Portrait
    why: str
    """Why this player of its method."""
    command: str
    """The command to play it; "" if there is none."""


def champions_of(
    results: LeagueResults, standings: Mapping[Condition, LeagueStandings]
) -> list[LeagueChampion]:
    """Return the best player of each method by its training, in the order of the first ranking.

    Games of the league do not choose it: they would, in part, choose who was lucky in them.
    """
    order = [row.entrant for found in [*standings.values()][:1] for row in found.methods]
    place = {name: index for index, name in enumerate(order)}
    methods = sorted(
        (entrant for entrant in results.entrants if entrant.is_ranked),
        key=lambda entrant: place.get(entrant.name, len(place)),
    )
    found = []
    for entrant in methods:
        own = [made for made in results.made if made.entrant == entrant.name]
        if not own:
            continue
        measured = [made for made in own if made.measure is not None]
        best = max(measured or own[:1], key=lambda made: made.measure or 0.0)
        drawn = portrait(best.player, results.game)
        found.append(
            LeagueChampion(entrant, best, drawn, _why(best, own), _play_command(best, results.game))
        )
    return found


def _why(best: MadePlayer, own: Sequence[MadePlayer]) -> str:
    if not best.run:
        return "The same player for every seed."
    if len(own) == 1:
        return f"The player of seed {best.seed}."
    if best.measure is None:
        return f"The player of seed {best.seed}, the first: its training measures no strength."
    return (
        f"The player of seed {best.seed}, the best of {len(own)} by its training measure "
        f"({best.measure:.4g})."
    )


def player_text(made: MadePlayer, game: str) -> str | None:
    """Return the text by which `evoply match` takes a player; None if there is none."""
    if made.run:
        return f"champion@{made.run}"
    label = made.player.label
    try:
        with carried():  # the name of a player is whatever its maker wrote
            return label if parse_player(label, game=game).label == label else None
    except ValueError:
        return None


def _play_command(made: MadePlayer, game: str) -> str:
    """Return the command to play against a player; "" if no text names it."""
    text = player_text(made, game)
    if text is None or (not made.run and len(text) > _LONGEST_COMMAND):
        return ""
    of_game = "" if made.run else f"--game {game} "
    return f"evoply play {of_game}--against {shlex.quote(text)}"
