"""`evoply show`: what a player is made of, in text, words and pictures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from evoply.cli.options import Game, Json
from evoply.cli.output import Output
from evoply.wording import short_name, shorten

if TYPE_CHECKING:
    from evoply.gp import Genotype
    from evoply.players import Player


def show(
    player: str,
    /,
    *,
    svg: Path | None = None,
    latex: Path | None = None,
    heat_map: Path | None = None,
    game: Game = None,
    json: Json = False,
) -> None:
    """Show what a player does: formula, words, tree, pictures.

    The words come with what was measured: how often the chosen move changes
    on 1,000 positions when a part is left out.

    Parameters
    ----------
    player
        A player, as for `evoply match`.
    svg
        Draw the tree into this SVG file.
    latex
        Write the tree, for LaTeX's package forest, into this file.
    heat_map
        Draw what each square is worth to the player into this SVG file: what an own disc adds
        there, compared with one of the opponent (for weights twice the weight).
    """
    from evoply.cli.explaining import say_explanation
    from evoply.cli.player_texts import read_players
    from evoply.files import check_writable
    from evoply.reports import explain
    from evoply.reports.opened import tree_of

    for path in (svg, latex, heat_map):
        if path is not None:
            check_writable(path)
    game, (chosen,) = read_players([player], game)
    explained = explain(chosen, game=game)
    tree = tree_of(chosen)
    pictures: dict[str, Any] = {}
    if svg is not None:
        pictures["svg"] = _draw_tree(tree, player, svg)
    if latex is not None:
        pictures["latex"] = _write_latex(tree, player, latex)
    if heat_map is not None:
        pictures["heat_map"] = _draw_heat_map(chosen, game, heat_map)
    output = Output(json)
    output.say(f"{short_name(chosen.label)}, {game}", style="bold")
    say_explanation(output, explained)
    if tree is not None:
        from evoply.gp import tree_text

        output.say()
        output.say(tree_text(tree))
    for path in pictures.values():
        output.say(f"Written: {path}")
    data = {**explained.to_dict(), **pictures}
    if tree is not None:
        data |= {"nodes": len(tree), "depth": tree.depth}
    output.result(data)


def _draw_tree(tree: Genotype | None, name: str, path: Path) -> str:
    from evoply.files import write_atomically
    from evoply.gp import tree_svg

    if tree is None:
        raise ValueError(
            f"--svg: {shorten(name)} has no tree to draw: name a tree or an evolved player"
        )
    write_atomically(path, tree_svg(tree))
    return str(path)


def _write_latex(tree: Genotype | None, name: str, path: Path) -> str:
    from evoply.files import write_atomically
    from evoply.gp import latex

    if tree is None:
        raise ValueError(
            f"--latex: {shorten(name)} has no tree to write: name a tree or an evolved player"
        )
    write_atomically(path, latex(tree) + "\n")
    return str(path)


def _draw_heat_map(player: Player, game: str, path: Path) -> str:
    from evoply.files import write_atomically
    from evoply.games import game_rules
    from evoply.reports import square_effects

    values = square_effects(player, game=game)
    if values is None:
        raise ValueError(
            f"--heat-map: {shorten(player.label)} does not value squares: name a player that does, "
            "such as swh"
        )
    rules = game_rules(game)
    caption = f"What an own {rules.piece} adds, compared with an opponent's"
    write_atomically(path, rules.heat_map(values, caption))
    return str(path)
