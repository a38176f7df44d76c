"""Players explained, and made easier to read: `evoply show`, `why`, `distil` and `prune`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter
from rich.table import Table

from evoply.cli.long_work import give_played, played, progress_bar, share_bar
from evoply.cli.output import Output, say_listing, say_section
from evoply.cli.shared_options import (
    USUAL_TERMS,
    Json,
    OutputFile,
    Whole,
    WrittenTerms,
    named_options,
    only,
)
from evoply.protocols.sections import Column, share
from evoply.wording import short_name, shorten

if TYPE_CHECKING:
    from pathlib import Path

    from evoply.learning import Distilled, Pruned
    from evoply.players import Player
    from evoply.reports import Explanation
    from evoply.runs import Run


_MOST_PARTS = 8
_MOST_EXCEPTIONS = 3
_LONGEST = 72
"""Characters of a part or an exception that is still easy to read."""


_NARROW = 60
"""Columns of a terminal in which a part and what it is worth have room, and no more."""


def say_explanation(output: Output, explained: Explanation, *, with_parts: bool = True) -> None:
    """Print everything an explanation says; last the expression in full, which may be long.

    Without *with_parts* it leaves out the table of parts, for who shows one already.
    """
    if explained.simplified is not None:
        output.labelled("Simplified", explained.simplified)
    for exception in explained.exceptions[:_MOST_EXCEPTIONS]:
        where = exception if len(exception) <= _LONGEST else exception.split(", where it is")[0]
        output.labelled("", shorten(where, 2 * _LONGEST))
    more = len(explained.exceptions) - _MOST_EXCEPTIONS
    if more > 0:
        output.labelled("", f"and {more} more such place{'s' * (more > 1)}")
    output.labelled("In words", explained.sentence)
    if explained.reading:
        output.labelled("", explained.reading)
    if with_parts:
        _say_parts(output, explained)
    if explained.tree is not None:
        output.labelled("Expression", explained.tree)


def strength_of(run: Run) -> tuple[str, dict[str, Any]]:
    """Return the end of a line on how strong the champion of *run* is, and the same as data.

    Both are empty if that was not measured.
    """
    measured = run.strength
    if measured is None:
        return "", {}
    from evoply.reports.run_page import strength_sentence

    return f"; {strength_sentence(measured)}", {"strength": {**measured}}


def say_pruned(output: Output, run: Run) -> dict[str, Any]:
    """Print what the champion of *run* is without what it can do without; return it as data."""
    pruned = run.pruned
    if pruned is None:
        return {}
    name, score = f"champion@{run.name}@pruned", pruned["compared"][0]["pruned"]
    output.labelled("Pruned", pruned["formula"])
    output.labelled("", f"{share(score)} against the whole champion; it plays as {name}")
    return {"pruned": {**pruned, "player": name}}


def _say_parts(output: Output, explained: Explanation) -> None:
    parts = explained.parts
    if not parts:
        return
    from evoply.reports.influences import lost_text

    missing = "left out" if explained.parts_are_terms else "held at its average"
    games = explained.games
    measured = f"moves changed of {explained.positions:,} boards"
    if games:
        measured = f"points lost to itself in 100 games (of {games:,} played), {measured}"
    output.say(f"Measured    what is {missing}: {measured}")
    is_narrow = output.people.width < _NARROW
    grid = Table.grid(padding=(0, 2))
    grid.add_column(justify="right", no_wrap=True, width=None if is_narrow else 20)
    grid.add_column(justify="right", no_wrap=True)
    grid.add_column(overflow="fold")
    grid.add_column(no_wrap=True)
    first = parts[:_MOST_PARTS]
    # What is in the way costs less than nothing, so it comes last; it is no small part.
    shown = [*first, *(part for part in parts[_MOST_PARTS:] if part.role == "in the way")]
    for part in shown:
        text = part.text if len(part.text) <= _LONGEST else shorten(part.text, _LONGEST)
        grid.add_row(lost_text(part), share(part.share), text, part.role)
    if rest := len(parts) - len(shown):
        grid.add_row("", "", f"and {rest} smaller one{'s' * (rest > 1)}", "")
    if is_narrow:  # a formula must not break within words
        grid.columns = [grid.columns[0], grid.columns[2]]
    output.people.print(grid)


# `evoply show`: what a player is made of, in text, words and pictures.


def show(
    player: str,
    /,
    *,
    svg: OutputFile = None,
    latex: OutputFile = None,
    heat_map: OutputFile = None,
    conditions: Annotated[WrittenTerms, only("game")] = USUAL_TERMS,
    json: Json = False,
) -> None:
    """Show what a player does: formula, words, tree, pictures.

    The command also measures each part: what the player loses to itself in
    1,000 games if this part is left out, and how often it would choose another
    move on 1,000 positions. Deeper players play fewer games, or none.

    Parameters
    ----------
    player
        A player, as for `evoply match`.
    svg
        Draw the tree into this SVG file.
    latex
        Write the tree, for LaTeX's package forest, into this file.
    heat_map
        Draw what each square is worth to the player into this SVG file: the value with an own disc
        there less the value with a disc of the opponent (for a weight, twice the weight).
    """
    from evoply.cli.player_texts import opened_without_learner, read_players, run_of_champion
    from evoply.environment.files import write_atomically

    game, (chosen,) = read_players([player], conditions.game)
    from evoply.reports import explain
    from evoply.reports.explanation import kept_games
    from evoply.reports.open_evaluator import tree_of

    of_run, kept, strong = run_of_champion(player), None, ("", dict[str, Any]())
    if of_run is not None:
        with opened_without_learner(of_run or None) as run:
            kept, strong = kept_games(run), strength_of(run)
    explained = explain(chosen, game=game, kept=kept)
    tree = tree_of(chosen)
    pictures: dict[str, Any] = {}
    for name, path in (("svg", svg), ("latex", latex), ("heat_map", heat_map)):
        if path is not None:
            write_atomically(path, _picture(name, chosen, player, game))
            pictures[name] = str(path)
    output = Output(json)
    output.say(f"{short_name(chosen.label)}, {game}{strong[0]}", style="bold")
    say_explanation(output, explained)
    pruned: dict[str, Any] = {}
    if of_run is not None:
        with opened_without_learner(of_run or None) as run:
            pruned = say_pruned(output, run)
    if tree is not None:
        from evoply.gp import tree_text

        output.say()
        output.say(tree_text(tree))
    for path in pictures.values():
        output.say(f"Written: {path}")
    data = {**explained.to_dict(), **strong[1], **pruned, **pictures}
    if tree is not None:
        data |= {"nodes": len(tree), "depth": tree.depth}
    output.result(data)


def _picture(name: str, player: Player, text: str, game: str) -> str:
    from evoply.games import game_rules
    from evoply.gp import latex, tree_svg
    from evoply.reports import square_effects
    from evoply.reports.open_evaluator import tree_of

    if name == "heat_map":
        values = square_effects(player, game=game)
        if values is None:
            raise ValueError(
                f"--heat-map: {shorten(player.label)} does not value squares: name a player that "
                "does, such as swh"
            )
        rules = game_rules(game)
        caption = f"What an own {rules.piece} adds, compared with an opponent's"
        return str(rules.heat_map(values, caption))
    tree = tree_of(player)
    if tree is None:
        what = "draw" if name == "svg" else "write"
        raise ValueError(
            f"--{name}: {shorten(text)} has no tree to {what}: name a tree or an evolved player"
        )
    return tree_svg(tree) if name == "svg" else latex(tree) + "\n"


# `evoply why`: which terms of a player's evaluator decided its move.


def why(
    player: str,
    /,
    *,
    conditions: Annotated[WrittenTerms, only("start", "game")] = USUAL_TERMS,
    json: Json = False,
) -> None:
    """Say why a player chooses its move.

    The player expects a line of moves after its move, and another one after
    the second-best move. For `strong`, and for the adviser of a game, the sentence
    says what these moves do on the board: at most two causes, with figures. A
    formula is its own reason: the sentence names the two parts of it that decided,
    in discs or in points of a game. The table has what all parts add at the ends of
    both lines, tables by regions of the board. They add up to both values but for a
    constant.

    Parameters
    ----------
    player
        A player that values boards, as for `evoply match`.
    """
    from evoply import reports
    from evoply.cli.player_texts import read_players, read_position

    game, (chosen,) = read_players([player], conditions.game)
    found = reports.why(chosen, read_position(game, conditions.start))
    output = Output(json)
    output.say(f"{short_name(chosen.label)}, {game}, {found.color} to move", style="bold")
    output.say(found.sentence)
    if found.second is not None:
        output.labelled("Expected", " ".join(found.best_line))
        output.labelled("or else", " ".join(found.second_line))
    if found.reasons:
        columns = (
            Column("best", found.best, "{:.4g}".format),
            Column("second", found.second or "", "{:.4g}".format),
            Column("difference", "difference", "{:.4g}".format),
            Column("text", "term", str),
        )
        output.table(columns, found.reasons)
    output.result(found.to_dict())


# `evoply distil`: a player as a formula of a few terms that a person can play by.


def distil(
    player: str,
    /,
    *,
    terms: Whole = 10,
    stages: Whole = 1,
    products: bool = False,
    primitives: str | None = None,
    games: Whole = 500,
    output: OutputFile = None,
    conditions: Annotated[WrittenTerms, only("seed", "game", "threads")] = USUAL_TERMS,
    json: Json = False,
) -> None:
    """Distil a player into a formula of a few terms that a person can play by.

    The player plays itself. Of many readable features evoply chooses the few
    by which moves lose least, by the player's values. On games that it did
    not learn from, it measures how often the formula chooses the player's
    move, and how much its moves lose.

    Parameters
    ----------
    player
        A player whose boards have values, as for `evoply match`, such as champion@patterns.
    terms
        How many terms at most. What one side has less what the other has is one term here, and two
        where `evoply readability` counts.
    stages
        How many stages of equal length the game has, each with weights of its own.
    products
        Whether a term may be a product of two features.
    primitives
        Sets of primitives whose features the formula may be made of, separated by commas; facts is
        that of the game's rules. Default: those that fit the game.
    games
        Games that the player plays; one in five is used for the measurement.
    output
        Save the formula as a player into this file.
    """
    from evoply import learning
    from evoply.cli.player_texts import read_players

    game, (teacher,) = read_players([player], conditions.game)
    wrong = named_options("terms", "stages", "primitives", "games")
    with wrong, progress_bar("boards", 100, is_shown=not json) as progress:
        formula = learning.distil(
            teacher.model_copy(update={"name": player}),
            terms=terms,
            stages=stages,
            products=products,
            game=game,
            primitives=None if primitives is None else primitives.split(","),
            games=games,
            seed=conditions.seed,
            threads=conditions.threads,
            progress=lambda share: progress(round(100 * share)),
        )
    out = Output(json)
    _say(formula, out)
    note = f"{player} distilled into {len(formula.terms)} terms"
    out.result(_made(out, formula, game, note, output))


def _made(
    out: Output, made: Distilled | Pruned, game: str, note: str, file: Path | None
) -> dict[str, Any]:
    """Explain the player that was made, save it in *file* if there is one, and return its data."""
    from evoply import learning, players, reports

    explained = reports.explain(made.player, game=game)
    say_explanation(out, explained, with_parts=isinstance(made, learning.Distilled))
    # No text names it, but its file does.
    text = None if file is None else str(file)
    data: dict[str, Any] = {**made.to_dict(), "player": {**explained.to_dict(), "player": text}}
    if file is not None:
        origin = players.Origin(seed=made.seed, note=note)
        players.save_player(file, made.player, origin, game=game)
        out.say(f"Written: {file}")
        data["output"] = str(file)
    return data


def _say(formula: Distilled, output: Output) -> None:
    say_section(formula.shown().sections[0], output)
    output.say(
        f"It chooses the move of {formula.teacher} in {share(formula.agreement)} of "
        f"{formula.held_out:,} positions held out, a random move in {share(formula.by_chance)}"
    )
    output.say(
        f"Its moves lose {formula.lost:.3g} there on average by the values of {formula.teacher}, "
        f"random ones {formula.lost_by_chance:.3g}"
    )


# `evoply prune`: a player without the terms that it can do without.


def prune(
    player: str,
    /,
    *,
    within: float = 0.01,
    most: Whole | None = None,
    against: Annotated[list[str] | None, Parameter(negative="")] = None,
    games: Whole = 200_000,
    output: OutputFile = None,
    conditions: Annotated[WrittenTerms, only("seed", "game", "threads")] = USUAL_TERMS,
    json: Json = False,
) -> None:
    """Leave out what a player can do without, and round its numbers.

    The player's value is simplified and taken apart into terms. One after
    another, the terms that cost least are left out while games show that the
    player stays within a point of the whole one: against the whole player
    itself, and against other opponents on the same openings. Then its numbers
    are rounded by the same rule. Ctrl-C keeps what was left out by then, which
    is not tested on fresh openings.

    Parameters
    ----------
    player
        A player whose boards have values, as for `evoply match`, such as champion@first.
    within
        Points a game that all changes together may cost, 0.01 for one of a hundred.
    most
        Terms to be left. Those of a longer player that cost least go whatever they cost, and
        nothing is rounded: evoply tune brings some of it back.
    against
        An opponent beside the whole player; may be given several times. Default: material, one ply
        deeper than the player.
    games
        How many games at most, in all. With few games nothing can be shown, and nothing is left
        out.
    output
        Save the pruned player into this file.
    """
    from evoply import learning
    from evoply.cli.player_texts import read_players

    game, (whole, *rivals) = read_players([player, *(against or [])], conditions.game)
    with named_options("within", "most", "games"), share_bar("pruning") as show:
        pruned, is_stopped = played(
            lambda: learning.prune(
                whole.model_copy(update={"name": player}),
                within=within,
                most=most,
                against=rivals or None,
                game=game,
                games=games,
                seed=conditions.seed,
                threads=conditions.threads,
                progress=lambda done, count: show(done, f"{count:,} games"),
            )
        )
    out = Output(json)
    first, *others = pruned.shown().sections
    say_section(first, out)
    for section in others:
        if section.rows:
            say_listing(section, out)
    out.say()
    out.say(pruned.summary)
    stopped = f"stopped after {pruned.games:,} games"
    if not pruned.is_tested:
        stopped += ": what was left out is not tested on fresh openings"
    note = f"{player} pruned to {len(pruned.terms)} terms" + f", {stopped}" * is_stopped
    data = _made(out, pruned, game, note, output)
    give_played(out, data, stopped * is_stopped)
