"""`evoply solve`: perfect play in Othello endgames, for one position or a file of them."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from evoply.cli.long_work import ending_early, give, say_estimate
from evoply.cli.output import Output
from evoply.cli.shared_options import USUAL_TERMS, Json, TimeLimit, WrittenTerms, only
from evoply.protocols import IllegalMoveError, InvalidMoveError
from evoply.protocols.sections import Column, counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evoply.cli.convert import Notes
    from evoply.games.formats import GamePlayed
    from evoply.games.formats.obf import Problem
    from evoply.players.endgame import Solution
    from evoply.protocols import GameRecord, Move

_ENDINGS = (".json",)
"""A text that ends in one of these, or as a format does, names a file, even a missing one."""


def solve(
    position: Annotated[str, Parameter(allow_leading_hyphen=True)],
    /,
    *,
    mode: Literal["exact", "outcome"] = "exact",
    every_move: Annotated[
        bool, Parameter(name="--every-move", negative="", show_default=False)
    ] = False,
    conditions: Annotated[WrittenTerms, only("threads")] = USUAL_TERMS,
    time_limit: TimeLimit = None,
    json: Json = False,
) -> None:
    """Find the score of an Othello endgame under perfect play.

    Scores are for the side to move, and the winner gets the empty squares. On
    8x8 up to 24 empty squares take seconds. After Ctrl-C or --time-limit the
    command shows what is solved by then. Lines of a file that cannot be read or
    solved are left out and listed with their place.

    Parameters
    ----------
    position
        A board such as '---- -OX- -XO- ---- X', a board with moves, moves from the start of 8x8,
        GGF, SGF, a file of positions (.obf) whose scores are shown beside ours, or any other file
        that `evoply convert` reads: the last position of each game.
    mode
        exact finds the score, outcome only who wins: 1, 0 or -1.
    every_move
        Find the score of every legal move.
    """
    from evoply.cli.long_work import progress_bar
    from evoply.players.endgame import solve as solve_position

    problems, notes = _read(position)
    output = Output(json)
    say_estimate(f"solve {position}", sum(_estimate(problem, mode) for problem in problems))
    results: list[dict[str, Any]] = []
    with (
        progress_bar("Solving", len(problems), is_shown=len(problems) > 1) as progress,
        ending_early(time_limit) as early,
    ):
        for number, problem in enumerate(problems, start=1):
            solution = solve_position(
                problem.position, mode=mode, every_move=every_move, threads=conditions.threads
            )
            results.append(_result(problem, solution, mode))
            progress(number)
    repeats = conditions.threads == 1
    if results:
        _show(output, results)
        if not repeats:
            output.say("nodes: not reproducible with several threads; --threads 1 repeats them")
    notes.tell()
    left = len(problems) - len(results)
    answer = {
        "mode": mode,
        "positions": results,
        "nodes_reproducible": repeats,
        "unsolved": left,
        **notes.to_dict(),
    }
    if early.is_late:
        output.say(
            f"The limit of {time_limit:g} s was reached: {left:,} of {len(problems):,} positions "
            "are unsolved"
        )
    stopped = f"stopped; {left:,} of {len(problems):,} positions unsolved"
    give(output, answer, stopped * early.is_stopped)


def _estimate(problem: Problem, mode: str) -> float:
    """Return roughly how many seconds a position takes; like positions differ by much.

    Measured on the FFO test's positions 1 to 42: a tenth of a second for 18 empty squares, and
    five times as long for two more; who wins takes about a tenth of that.
    """
    seconds = 0.1 * 5 ** min((problem.position.empty.bit_count() - 18) / 2, 400)
    return float(seconds if mode == "exact" else seconds / 10)


def _read(text: str) -> tuple[Sequence[Problem], Notes]:
    """Return the positions of a file, or the one that *text* shows, and what is to be said."""
    from evoply.cli.convert import Notes
    from evoply.games.formats import format_of_name

    if os.path.isfile(text) or text.lower().endswith(_ENDINGS) or format_of_name(text):
        return _of_file(text)
    return (_pasted(text),), Notes()


def _of_file(name: str) -> tuple[Sequence[Problem], Notes]:
    from evoply.cli.convert import Notes, games_in
    from evoply.games.formats import Refused

    notes = Notes()
    problems: list[Problem] = []
    for game in games_in(name, notes):
        number = len(problems) + len(notes.refused) + 1
        try:
            problems.append(_problem(game, "it"))
        except ValueError as error:
            notes.refused.append(Refused(number, f"game {number}", str(error)))
    if not problems:
        why = notes.refused[0] if notes.refused else "there is no position in this file"
        raise ValueError(f"{name}: {why}")
    return problems, notes


def _problem(game: GamePlayed | GameRecord, what: str) -> Problem:
    """Return the last position of *game*; `ValueError` names its game if that has no solver."""
    from evoply.games import game_rules
    from evoply.games.formats.obf import Problem
    from evoply.games.formats.sources import as_played

    played = as_played(game)
    name: str = played.record.position.game
    if not game_rules(name).solver:
        raise ValueError(f"{what} is one of {name}, which has no exact solver")
    return Problem.of(played)


def _pasted(text: str) -> Problem:
    from evoply.games import GAMES
    from evoply.games.formats import ggf, read_pasted, sgf
    from evoply.games.formats.obf import Problem
    from evoply.games.othello import Game, Position

    if sgf.is_sgf(text):
        return _problem(next(sgf.read(text)), "this game")
    if ggf.is_ggf(text):
        return _problem(next(ggf.read(text)), "this game")
    if ":" in text.partition(";")[0]:
        raise ValueError("this is a position of checkers, which has no exact solver")
    try:
        if any(character.isdigit() for character in text):
            return Problem(Game.from_transcript(text).position)
        return Problem(Position.parse(text))
    except InvalidMoveError:
        # A board without a side to move, with labels, or a line of OBF, of any size.
        for name in (name for name, rules in GAMES.items() if rules.solver):
            with suppress(InvalidMoveError, IllegalMoveError):
                return _problem(read_pasted(name, text), "this game")
        raise


def _result(problem: Problem, solution: Solution, mode: str) -> dict[str, Any]:
    result: dict[str, Any] = {
        "position": problem.position.text(),
        "empties": problem.position.empty.bit_count(),
        "score": solution.score,
        "move": None if solution.move is None else str(solution.move),
        "line": [str(move) for move in solution.line],
        "nodes": solution.nodes,
        "seconds": round(solution.seconds, 6),
    }
    if solution.moves:
        result["moves"] = [{"move": str(move), "score": score} for move, score in solution.moves]
    if problem.score is not None:
        result["file_score"] = problem.score
        result["file_moves"] = [str(move) for move in problem.best_moves]
        result["agrees"] = _agrees(problem, solution.score, solution.move, mode)
    return result


def _agrees(problem: Problem, score: int, move: Move | None, mode: str) -> bool:
    """Return whether the file gives the score, and the move is among those that reach it."""

    def in_mode(known: int) -> int:
        return known if mode == "exact" else (known > 0) - (known < 0)

    known = dict(problem.scores)
    best = problem.score
    return (
        best is not None
        and score == in_mode(best)
        and (move is None or move not in known or in_mode(known[move]) == score)
    )


def _in_file(result: dict[str, Any]) -> str | None:
    known = result.get("file_score")
    return None if known is None else f"{known:+} {' '.join(result['file_moves'])}"


_IN_FILE = ("file_score", "agrees")
_SOLVED = (
    Column("number", "", counted),
    Column("empties", "empty", counted),
    Column("score", "score", "{:+}".format),
    Column("move", "move", "{}".format),
    Column("file_score", "file", str, read=_in_file),
    Column("agrees", "agrees", lambda agrees: "yes" if agrees else "NO"),
    Column("nodes", "nodes", counted),
    Column("seconds", "seconds", "{:.3f}".format),
)


def _show(output: Output, results: Sequence[dict[str, Any]]) -> None:
    is_compared = any("agrees" in result for result in results)
    columns = [column for column in _SOLVED if is_compared or column.name not in _IN_FILE]
    rows = [{**result, "number": number} for number, result in enumerate(results, start=1)]
    output.table(columns, rows)
    if len(results) == 1:
        output.labelled("line", " ".join(results[0]["line"]) or "the game is over")
    else:
        nodes = sum(result["nodes"] for result in results)
        seconds = sum(result["seconds"] for result in results)
        rate = nodes / max(seconds, 1e-9) / 1e6
        output.say(f"{nodes:,} nodes in {seconds:.3f} s, {rate:.1f} M nodes/s")
    for result in results:
        if "moves" in result:
            scored = " ".join(f"{entry['move']}:{entry['score']:+}" for entry in result["moves"])
            output.labelled("moves", scored)
    if is_compared:
        wrong = sum(result.get("agrees") is False for result in results)
        output.say(f"{wrong} of {len(results)} differ from the file." if wrong else "All agree.")
