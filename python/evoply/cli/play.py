"""`evoply play`: play against a player in the terminal; `evoply game`: rules that are data."""

from __future__ import annotations

import secrets
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter
from cyclopts.validators import Number

from evoply.cli import shared_options
from evoply.cli.games_in_files import names_rules, rules_added, typed_game
from evoply.cli.output import EndedError, Output, StoppedError
from evoply.cli.shared_options import USUAL_TERMS, WrittenTerms, named_options, only
from evoply.cli.shell_hints import suggested
from evoply.wording import short_name

if TYPE_CHECKING:
    from evoply.cli.terminal_game import TerminalGame
    from evoply.protocols import GameRecord, Outcome


LARGEST_SEED = 2**63


def play(
    *,
    against: str | None = None,
    conditions: Annotated[WrittenTerms, only("game", "start", "clock")] = USUAL_TERMS,
    color: Literal["black", "white", "random"] = "black",
    seed: shared_options.Whole | None = None,
    programs: shared_options.Programs = shared_options.USUAL_PROGRAMS,
    json: shared_options.Json = False,
) -> None:
    """Play against a player.

    Legal moves are marked on the board. Type a square such as f5, in checkers a
    move such as 11-15 or 15x24, or several in one line, which are played all or
    not at all; or moves, hint, undo, board, help, quit. Without a terminal the
    moves are read from standard input.

    Parameters
    ----------
    against
        The player: see `evoply match --help`. Default: the newest run's champion, else greedy.
    color
        Your side. Black begins.
    seed
        A whole number that decides the opponent's random choices. Default: another each time.
    """
    from evoply import _native
    from evoply.cli.board_view import board_text
    from evoply.cli.player_texts import DEFAULT_GAME, read_players, read_position
    from evoply.cli.terminal_game import TerminalGame
    from evoply.protocols import Color, GameInProgress

    if seed is None:
        seed = secrets.randbits(32)
    if not 0 <= seed < LARGEST_SEED:
        raise ValueError(f"--seed: {seed} is not a number from 0 to 2^63 - 1")
    if against is None:  # a position is one of Othello 8x8 unless it is said whose
        usual = None if conditions.start is None else DEFAULT_GAME
        against = _default_opponent(conditions.game or usual)
    game, (opponent,) = read_players([against], conditions.game, programs)
    if color == "random":
        color = ("black", "white")[_native.Stream(seed, "play", "color").below(2)]
    with named_options():
        control = conditions.control
    output = Output(json)
    session = TerminalGame(
        output.people,
        opponent,
        against,
        Color(color),
        GameInProgress.begin(read_position(game, conditions.start), control),
        seed,
    )
    output.say(
        f"You are {Color(color)} against {short_name(opponent.label)}. Type help for the commands."
    )
    try:
        session.play()
    except KeyboardInterrupt:
        output.say()
        raise StoppedError(f"Stopped. {_how_to_go_on(session)}", _result(session)) from None
    finally:
        session.close()
    output.say()
    if not session.is_left:
        output.people.print(board_text(session.game, output.people, legal=False))
    output.say(_ending_text(session))
    if session.refused and not session.is_interactive:
        raise EndedError(
            f"lines that were neither a legal move nor a command: {session.refused}",
            _result(session),
        )
    output.result(_result(session))


def _default_opponent(game: str | None) -> str:
    """Return the newest champion, of *game* if that is given, or greedy."""
    from evoply.runs import list_runs

    for run in reversed(list_runs()):
        if run.error is None and run.generations and game in (None, run.game):
            return f"champion@{run.name}"
    return "greedy"


def _ending_text(session: TerminalGame) -> str:
    playing = session.playing
    if playing.loser is not None:
        who, what = f"{short_name(session.opponent.label)} forfeits", "win"
        if playing.loser is session.color:
            who, what = "You forfeit", "lose"
        return f"{who}: {playing.reason}. You {what}.\nMoves: {session.game}"
    outcome = session.game.outcome()
    if outcome is None:
        return _how_to_go_on(session)
    words = {1.0: "You win", 0.5: "You draw", 0.0: "You lose"}
    how = _how_it_ended(session.game, outcome)
    return (
        f"The game is over: {how}. {words[outcome.points(session.color)]}.\nMoves: {session.game}"
    )


def _how_it_ended(game: GameRecord, outcome: Outcome) -> str:
    ending = game.ending()
    if ending is None or ending.value == "board":
        return str(outcome)
    return f"{outcome} by {ending.value}"


def _how_to_go_on(session: TerminalGame) -> str:
    if not session.game.moves:
        return "No move was played."
    game = session.game.position.game
    command = suggested(
        f"play --against {shlex.quote(session.against)} --game {typed_game(game)} "
        f"--color {session.color.value} --seed {session.seed}"
        f"{'' if session.playing.control is None else f' --clock {session.playing.control}'}"
        f" --position '{session.game}'"
    )
    return f"Moves so far: {session.game}\nGo on with: {command}"


def _result(session: TerminalGame) -> dict[str, Any]:
    from evoply.protocols import Ending

    playing, outcome = session.playing, session.game.outcome()
    ending = session.game.ending()
    winner = outcome.winner if outcome else None
    points = outcome.points(session.color) if outcome else None
    if playing.loser is not None:
        winner, ending = playing.loser.opposite, Ending.FORFEIT
        points = float(winner is session.color)
    return {
        "game": session.game.position.game,
        "against": session.opponent.label,
        "color": session.color.value,
        "seed": session.seed,
        "transcript": str(session.game),
        "finished": playing.is_over,
        "winner": winner.value if winner else None,
        "ending": None if ending is None else ending.value,
        "points": points,
        "disc_difference": outcome.disc_difference if outcome else None,
        "forfeit": None if playing.loser is None else playing.reason,
        "clock": None if playing.control is None else str(playing.control),
        "seconds_left": session.seconds_left,
    }


# `evoply game`: check rules that are data, play by them, count their moves, write their JSON.


_play = play
"""The command under a name that is no option of `game`."""


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
    from evoply.environment.files import write_atomically
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
        _play(against="greedy", conditions=shared_options.WrittenTerms(game=made.name))
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
