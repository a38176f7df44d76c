"""`evoply why`: which terms of a player's evaluator decided its move."""

from typing import Annotated

from evoply.cli.output import Output, rows_table
from evoply.cli.shared_options import USUAL_TERMS, Json, WrittenTerms, only
from evoply.sections import Column
from evoply.wording import short_name


def why(
    player: str,
    /,
    *,
    conditions: Annotated[WrittenTerms, only("start", "game")] = USUAL_TERMS,
    json: Json = False,
) -> None:
    """Say why a player chooses its move.

    The player expects a line of moves after its move, and another one after
    the second-best move. The command compares what the parts of its evaluator
    add on the boards at the ends of these two lines; tables are added up by
    regions of the board. The sentence names the two parts that decided, in
    discs or in points of a game; the table has all of them on the player's own
    scale. They add up to both values but for a constant.

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
        output.people.print(rows_table(columns, found.reasons))
    output.result(found.to_dict())
