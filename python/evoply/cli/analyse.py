"""`evoply analyse`: what a player thinks of a position, or of the moves of games."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice, repeat
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from evoply.cli import shared_options
from evoply.cli.long_work import ending_early, give
from evoply.cli.output import EndedError, JsonList, Output, rows_table, say_section
from evoply.cli.saving import say_report
from evoply.cli.shared_options import USUAL_TERMS, WrittenTerms, only
from evoply.games import game_rules
from evoply.games.position import NO_DRAWS
from evoply.protocols import CERTAIN
from evoply.protocols.sections import Column
from evoply.wording import short_name

if TYPE_CHECKING:
    from rich.table import Table

    from evoply.cli.convert import Notes
    from evoply.games.formats import GamePlayed, Refused
    from evoply.protocols import Choice, GameRecord
    from evoply.reports.game_analysis import Analysis

_FILES_OF_PLAYERS = (".json", ".toml", ".py")
_MOST_EXACT = 20
_MOST_MOVES = 1000


def _check_exact(_: Any, value: int | str) -> None:
    if value != "none" and not 0 <= int(value) <= _MOST_EXACT:
        raise ValueError(f"{value} is not a number from 0 to {_MOST_EXACT}, or none")


def _check_multi(_: Any, value: int) -> None:
    if not 0 <= value <= _MOST_MOVES:
        raise ValueError(f"{value} is not a number of moves from 0 to {_MOST_MOVES}")


def analyse(
    player: str,
    /,
    *,
    conditions: Annotated[WrittenTerms, only("game", "start", "threads", "seed")] = USUAL_TERMS,
    multi: Annotated[int, Parameter(validator=_check_multi)] = 0,
    games: Path | None = None,
    exact: Annotated[shared_options.WholeOrNone, Parameter(validator=_check_exact)] = 16,
    html: shared_options.OutputFile = None,
    programs: shared_options.Programs = shared_options.USUAL_PROGRAMS,
    json: shared_options.Json = False,
) -> None:
    """Show what a player would play in a position, or what it thinks of the moves of games.

    Values are those of the player, for the side to move.

    In JSON: game, position, player, move, score, view (the side for which the
    score speaks, or null), depth, nodes, seconds, line, moves (every legal
    move with its score and line, best first, or with --multi the best; empty if
    the player does not value moves), and outcome if the game is over, else null.

    With --games every move is compared with the best one. Worths are then in
    discs in Othello, in points of a game elsewhere (1 is a win, 0.5 a draw). A
    player's accuracy is the share of its choices that lost nothing; good moves
    lose less than 2 discs, or less than 5 % of a point.

    In JSON: player, exact, players (the accuracy of each) and games, each with
    its unit and moves: ply, color, move, score, best, best_score, loss, line,
    exact, depth, grade, reason (why the best move is better, for a move with a
    grade) and played_line. Moves of random openings and moves without a choice
    have null there.

    Parameters
    ----------
    player
        The player: see `evoply match --help`.
    multi
        Value only so many of the best moves, which takes less time. 0: every legal move.
    games
        Analyse the games in this file: what `evoply match --save-games` wrote, or any other format
        that `evoply convert` reads.
    exact
        With --games, in Othello: from so many empty squares on solve the position after each move,
        so that what a move lost is known exactly. At most 20; none: never.
    html
        With --games: write a page with graphs and mistakes on boards, which opens offline.
    """
    output = Output(json)
    if games is None:
        if html is not None:
            raise ValueError(
                "--html: say which games: `evoply analyse PLAYER --games FILE --html PAGE`"
            )
        if Path(player).is_file() and Path(player).suffix not in _FILES_OF_PLAYERS:
            raise ValueError(
                f"{player} - is no player - of a file of games say who looks at them: "
                f"`evoply analyse PLAYER --games {player}`"
            )
        _analyse_position(player, conditions, multi, programs, output)
        return
    for option, is_given in (("position", conditions.start is not None), ("multi", multi)):
        if is_given:
            raise ValueError(f"--{option}: is for one position; leave it out with --games")
    solved_from = None if exact == "none" else int(exact)
    _analyse_games(player, games, conditions, solved_from, html, programs, output)


def _analyse_position(
    player: str,
    conditions: WrittenTerms,
    multi: int,
    programs: shared_options.Programs,
    output: Output,
) -> None:
    from evoply import players
    from evoply._native import Stream
    from evoply.cli.board_view import board_text
    from evoply.cli.player_texts import read_players, read_position
    from evoply.protocols import Choice, ForfeitError

    game, (read,) = read_players([player], conditions.game, programs)
    record = read_position(game, conditions.start)
    output.people.print(board_text(record, output.people))
    outcome = record.outcome()
    choice = Choice(None)
    if outcome is not None:
        output.say(f"The game is over: {outcome}.")
    elif record.position.legal_moves.must_pass:
        choice = Choice(record.position.legal_moves[0], line=(record.position.legal_moves[0],))
        output.say(f"{record.position.turn} has no move and must pass.")
    else:
        try:
            wanted: dict[str, Any] = {"multi": multi} if multi else {"every_move": True}
            stream = Stream(conditions.seed, "analyse")
            choice = players.analyse(read, record, stream=stream, **wanted)
        except ForfeitError as error:
            raise EndedError(f"{short_name(read.label)} chooses no move: {error}", {}) from None
        for line in choice_lines(record, short_name(read.label), choice):
            output.say(line)
        moves = moves_table(record, choice)
        if moves is not None:
            output.people.print(moves)
    output.result(
        {
            "game": game,
            "position": str(record.position.text()),
            "player": read.label,
            **choice_data(record, choice),
            "seed": conditions.seed,
            "outcome": None if outcome is None else str(outcome),
        }
    )


def _analyse_games(
    player: str,
    path: Path,
    conditions: WrittenTerms,
    exact: int | None,
    html: Path | None,
    programs: shared_options.Programs,
    output: Output,
) -> None:
    from evoply.cli.long_work import progress_bar
    from evoply.cli.player_texts import read_players
    from evoply.reports import analyse_games, page_of_games
    from evoply.reports.game_analysis import Analysis

    seed, threads = conditions.seed, conditions.threads
    found = _games_of(path, conditions.game)
    game, (judge,) = read_players([player], conditions.game or found.names[0], programs)
    others = found.others(game)
    found.notes.refused.extend(others)
    count = found.names.count(game)
    if not count:
        raise ValueError(f"--games: {path}: {others[0]}; leave --game out")
    analysed, data = Analysis(), JsonList() if output.is_json else None
    with (
        progress_bar("Analysing", count) as progress,
        ending_early() as early,
    ):
        try:
            games = islice(found.again(game), count)
            for played in analyse_games(judge, games, exact=exact, seed=seed, threads=threads):
                analysed.add(played)
                if data is not None:
                    data.append(played.to_dict())
                progress(analysed.games)
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None
    _show_games(output, analysed)
    if html is not None and analysed.games:
        say_report(output, html, page_of_games(analysed, judge.label, exact=exact))
    found.notes.tell()
    answer = {
        "file": str(path),
        "player": judge.label,
        "exact": exact,
        "seed": seed,
        "players": {name: summary.to_dict() for name, summary in analysed.players.items()},
        "games": data,
        **found.notes.to_dict(),
    }
    done = f"stopped; {analysed.games:,} of {count:,} games are analysed"
    give(output, answer, done * early.is_stopped)


@dataclass(frozen=True, slots=True)
class _Found:
    """The games of a file, which is read again for each use: they would fill the memory."""

    read: Callable[[], Iterable[GamePlayed]]
    notes: Notes
    names: list[str]
    """Which game each of them is, at least one."""

    def again(self, name: str) -> Iterator[GamePlayed]:
        """Yield those that are of the game *name*."""
        return (played for played in self.read() if _name_of(played) == name)

    def others(self, name: str) -> list[Refused]:
        """Return those that are of other games."""
        from evoply.games.formats import Refused

        return [
            Refused(number, f"game {number}", f"is one of {other}, not of {name}")
            for number, other in enumerate(self.names, start=1)
            if other != name
        ]


def _name_of(played: GamePlayed) -> str:
    return str(played.record.position.game)


def _games_of(path: Path, game: str | None) -> _Found:
    """Return the games of a file, at least one, and what is to be said of them."""
    from evoply.cli.convert import Notes, games_in

    notes = Notes()
    try:
        games = games_in(str(path), notes, game=game)
        if path.is_file():
            names = [_name_of(played) for played in games]
            found = _Found(lambda: games_in(str(path), Notes(), game=game), notes, names)
        else:  # a pipe can be read once
            whole = list(games)
            found = _Found(lambda: whole, notes, [*map(_name_of, whole)])
    except ValueError as error:
        raise ValueError(f"--games: {error}") from None
    if not found.names:
        why = str(notes.refused[0]) if notes.refused else "there are no games in this file"
        raise ValueError(f"--games: {path}: {why}")
    return found


def _show_games(output: Output, analysed: Analysis) -> None:
    from evoply.protocols.sections import chosen
    from evoply.reports.pages import (
        MOVES,
        PLAYERS_IN_SHORT,
        bounds_text,
        players_of,
        unit_text,
    )

    scale = analysed.scale
    if scale is None:
        return
    if analysed.games == 1:
        (game,) = analysed.whole
        names = "ply side move worth best best_worth loss start"
        output.table(chosen(MOVES, names), [(game, move) for move in game.moves])
    else:
        _show_mistakes(output, analysed)
    say_section(replace(players_of(analysed), columns=PLAYERS_IN_SHORT), output)
    output.say(f"A worth is {unit_text(scale)}, for the side to move.")
    if scale.bounds:
        output.say(f"By what a move loses it is: {bounds_text(scale)}; a good move loses less.")


def _show_mistakes(output: Output, analysed: Analysis) -> None:
    from evoply.protocols.sections import chosen
    from evoply.reports.pages import MOVES

    if analysed.mistakes:
        output.say(f"The largest of {analysed.mistakes:,} mistakes:")
        columns = chosen(MOVES, "game ply player move worth best best_worth loss")
        output.table(columns, analysed.largest)


def choice_data(record: GameRecord, choice: Choice) -> dict[str, Any]:
    """Return a choice as JSON-ready data; its move may be None."""
    return {
        "move": None if choice.move is None else _texts(record, [choice.move])[0],
        "score": choice.score,
        "view": None if choice.color is None else choice.color.value,
        "depth": choice.depth,
        "nodes": choice.nodes,
        "seconds": choice.seconds,
        "line": _texts(record, choice.line),
        "moves": [
            {"move": _texts(record, [move])[0], "score": score, "line": _texts(record, line)}
            for (move, score), line in _with_lines(choice)
        ],
    }


def choice_lines(record: GameRecord, name: str, choice: Choice) -> Iterator[str]:
    """Yield what a player thinks, line by line."""
    move = _texts(record, [choice.move])[0]
    worth = "" if choice.score is None else f": {value_text(choice.score)} for {choice.color}"
    yield f"{name} would play {move}{worth}"
    if choice.depth:
        plies = "1 ply" if choice.depth == 1 else f"{choice.depth} plies"
        nodes = f"{choice.nodes:,} node{'s' * (choice.nodes != 1)}"
        yield f"Looked {plies} ahead, {nodes}, {choice.seconds:.3f} s"
    if len(choice.line) > 1:
        yield f"Line: {' '.join(_texts(record, choice.line))}"
    yield from note_lines(choice)


def note_lines(choice: Choice) -> Iterator[str]:
    """Yield the notes of a choice as lines, without those that only a board can show."""
    for key, note in choice.notes.items():
        if key not in ("weights", "tree"):  # a board shows the one, the other is long
            yield f"{key}: {_note_text(note)}"


def moves_table(record: GameRecord, choice: Choice) -> Table | None:
    """Return every legal move with its value, best first; None if there are no values."""
    if not choice.moves:
        return None
    columns = [
        Column("move", "move", str, read=lambda row: _texts(record, [row[0][0]])[0]),
        Column("value", "value", value_text, read=lambda row: row[0][1]),
    ]
    moves = list(_with_lines(choice))
    if any(len(line) > 1 for _, line in moves):
        columns.append(
            Column("line", "line", str, read=lambda row: " ".join(_texts(record, row[1])))
        )
    return rows_table(columns, moves)


def _with_lines(choice: Choice) -> Iterator[tuple[tuple[Any, float], Sequence[Any]]]:
    """Yield each move with its value and its line, which a player from outside may not tell."""
    yield from zip(choice.moves, chain(choice.lines, repeat(())), strict=False)


def value_text(score: float) -> str:
    """Return a value in few digits.

    >>> value_text(-0.0), value_text(0.123456), value_text(1e15)
    ('0', '0.1235', 'a win')
    """
    if abs(score) >= CERTAIN:
        return "a win" if score > 0 else "a loss"
    return f"{round(score, 6) + 0.0:.4g}"


def _note_text(note: Any) -> str:
    if isinstance(note, Mapping):
        return ", ".join(f"{key} {_note_text(value)}" for key, value in note.items())
    if isinstance(note, bool):
        return "yes" if note else "no"
    return f"{note:,}" if isinstance(note, int) else f"{note}"


def _texts(record: GameRecord, moves: Sequence[Any]) -> list[str]:
    position = record.position
    # A line may go on where the rules of the game make a draw.
    game = game_rules(position.game).game(position, (), NO_DRAWS)
    for move in moves:
        game = game.play(move)
    return list(game.move_texts())
