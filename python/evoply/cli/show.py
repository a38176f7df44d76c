"""`evoply show`: what a player is made of, in text, words and pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from evoply.cli.output import Output
from evoply.cli.shared_options import USUAL_TERMS, Json, OutputFile, WrittenTerms, only
from evoply.wording import short_name, shorten

if TYPE_CHECKING:
    from evoply.players import Player


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

    The command also measures each part: how often the player would choose
    another move on 1,000 positions if this part were left out.

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
    from evoply.cli.explaining import say_explanation
    from evoply.cli.player_texts import read_players
    from evoply.files import write_atomically

    game, (chosen,) = read_players([player], conditions.game)
    from evoply.reports import explain
    from evoply.reports.open_evaluator import tree_of

    explained = explain(chosen, game=game)
    tree = tree_of(chosen)
    pictures: dict[str, Any] = {}
    for name, path in (("svg", svg), ("latex", latex), ("heat_map", heat_map)):
        if path is not None:
            write_atomically(path, _picture(name, chosen, player, game))
            pictures[name] = str(path)
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
