"""`evoply distil`: a player as a formula of a few terms that a person can play by."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from evoply.cli.output import Output, say_section
from evoply.cli.shared_options import USUAL_TERMS, Json, OutputFile, Whole, WrittenTerms, only
from evoply.sections import share

if TYPE_CHECKING:
    from evoply.learning import Distilled


def distil(
    player: str,
    /,
    *,
    terms: Whole = 10,
    stages: Whole = 1,
    primitives: str | None = None,
    games: Whole = 500,
    output: OutputFile = None,
    conditions: Annotated[WrittenTerms, only("seed", "game", "threads")] = USUAL_TERMS,
    json: Json = False,
) -> None:
    """Distil a player into a formula of a few terms that a person can play by.

    The player plays itself. Of many readable features evoply chooses the few
    whose weighted sum comes nearest to the player's values. On games that it
    did not learn from, it measures how often formula and player choose the
    same move.

    Parameters
    ----------
    player
        A player whose boards have values, as for `evoply match`, such as champion@patterns.
    terms
        How many terms at most.
    stages
        How many stages of equal length the game has, each with weights of its own.
    primitives
        Sets of primitives whose features the formula may be made of, separated by commas. Default:
        those that fit the game.
    games
        Games that the player plays; one in five is used for the measurement.
    output
        Save the formula as a player into this file.
    """
    from evoply import learning, players, reports
    from evoply.cli.explaining import say_explanation
    from evoply.cli.player_texts import read_players
    from evoply.cli.progress import progress_bar

    game, (teacher,) = read_players([player], conditions.game)
    with progress_bar("boards", 100, is_shown=not json) as progress:
        formula = learning.distil(
            teacher.model_copy(update={"name": player}),
            terms=terms,
            stages=stages,
            game=game,
            primitives=None if primitives is None else primitives.split(","),
            games=games,
            seed=conditions.seed,
            threads=conditions.threads,
            progress=lambda share: progress(round(100 * share)),
        )
    out = Output(json)
    _say(formula, out)
    explained = reports.explain(formula.player, game=game)
    say_explanation(out, explained)
    # No text names a formula, but its file does.
    text = None if output is None else str(output)
    data: dict[str, Any] = {**formula.to_dict(), "player": {**explained.to_dict(), "player": text}}
    if output is not None:
        note = f"{player} distilled into {len(formula.terms)} terms"
        players.save_player(
            output, formula.player, players.Origin(seed=conditions.seed, note=note), game=game
        )
        out.say(f"Written: {output}")
        data["output"] = str(output)
    out.result(data)


def _say(formula: Distilled, output: Output) -> None:
    say_section(formula.shown().sections[0], output)
    output.say(
        f"It chooses the move of {formula.teacher} in {share(formula.agreement)} of "
        f"{formula.held_out:,} positions held out, a random move in {share(formula.by_chance)}"
    )
