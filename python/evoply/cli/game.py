"""`evoply game`: check rules that are data, play by them, count their moves, write their JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter
from cyclopts.validators import Number

from evoply.cli import shared_options
from evoply.cli.games_in_files import names_rules, rules_added
from evoply.cli.output import EndedError, Output


def game(
    rules: str,
    /,
    *,
    check: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    play: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    perft: Annotated[
        shared_options.Whole | None, Parameter(validator=Number(gte=1, lte=20))
    ] = None,
    write: Path | None = None,
    games: Annotated[shared_options.Whole, Parameter(validator=Number(gte=1, lte=100_000))] = 100,
    seed: Annotated[shared_options.Whole, Parameter(validator=Number(gte=0, lt=2**63))] = 1,
    json: shared_options.Json = False,
) -> None:
    """Check the rules of a game from data, play by them, or write their JSON.

    Parameters
    ----------
    rules
        A Python file that makes evoply.rules.Rules, their JSON, or the name of a game that is data.
    check
        Try the rules on random games: games end, boards are read back, symmetries hold.
    play
        Play against greedy in the terminal.
    perft
        Count the leaves of the tree of legal moves up to so many plies.
    write
        Write the rules as JSON.
    games
        Random games of --check.
    seed
        A whole number that decides them.
    """
    from evoply.files import write_atomically
    from evoply.rules import check_rules
    from evoply.rules.conformance import perft_counts

    made = chosen_rules(rules)
    known = made.game()
    output = Output(json)
    start = known.start()
    result: dict[str, Any] = {"game": made.name, "title": made.title, "digest": made.digest}
    output.say(f"{made.title} on {made.shape}, rules {made.digest[:16]}")
    output.say(f"{start}\n{len(start.legal_moves)} moves: {start.legal_moves}")
    wrong = []
    if check:
        findings = check_rules(made, games=games, seed=seed)
        for finding in findings:
            output.say(f"{'ok   ' if not finding.wrong else 'wrong'} {finding.check}")
        wrong = [f"{finding.check}: {finding.wrong}" for finding in findings if finding.wrong]
        result["checks"] = {finding.check: finding.wrong for finding in findings}
    if check or perft:
        counts = perft_counts(known, perft or 4)
        for depth, leaves in enumerate(counts, start=1):
            output.say(f"perft {depth}: {leaves:,}")
        result["perft"] = counts
    if write is not None:
        import json as json_module

        text = json_module.dumps(made.to_dict(), indent=1, ensure_ascii=False)
        write_atomically(write, f"{text}\n")
        output.say(f"Written to {write}")
        result["written"] = str(write)
    if wrong:
        raise EndedError("\n".join(wrong), result)
    if play:
        from evoply.cli.play import play as play_game

        play_game(against="greedy", conditions=shared_options.WrittenTerms(game=made.name))
        return
    output.result(result)


def chosen_rules(text: str) -> Any:
    """Return the rules of a file, or of a game that is data by its name."""
    from evoply.games import game_rules
    from evoply.games.data import DataGameRules
    from evoply.rules import read_rules

    if names_rules(text):
        return rules_added(text)
    known = game_rules(text)
    if not isinstance(known, DataGameRules):
        raise ValueError(f"{text}: its rules are compiled, not data: name a file or another game")
    return read_rules(dict(known.written))
