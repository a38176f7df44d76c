"""The exercises of the course whose answer is Python, and what must hold when each is done."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from statistics import stdev

from evoply import _native
from evoply.arena import match
from evoply.course.checking import GAME, Exercise, NotYetError, Work, at_least, number
from evoply.expressions.expression import Number
from evoply.games.othello import Position
from evoply.games.squares import squares_in
from evoply.players import parse_player

FEATURE, NOISE, SEARCH, BOT = map(Exercise, ("1-feature", "3-noise", "6-search", "8-bot"))
EXERCISES = (FEATURE, NOISE, SEARCH, BOT)


def positions(size: int, count: int, seed: int) -> list[Position]:
    """Return positions of random games on a board of *size*, each from a game of its own."""
    found: list[Position] = []
    for place in range(count):
        stream, position = _native.Stream(seed, place), Position(size)
        for _ in range(stream.below(size * size - 4)):
            if not (moves := position.legal_moves):
                break
            position = position.play(moves[stream.below(len(moves))])
        found.append(position)
    return found


# 1. A feature


def open_squares(position: Position) -> int:
    """Return how many empty squares lie beside a disc of the opponent, by looking at each."""
    shape, opponent = position.shape, set(squares_in(position.opponent))
    return sum(
        any(
            shape.index(row + down, column + right) in opponent
            for down in (-1, 0, 1)
            for right in (-1, 0, 1)
            if (row + down, column + right) in shape
        )
        for row, column in (divmod(square, shape.columns) for square in squares_in(position.empty))
    )


def _same_count(counted: Callable[[Position], float], name: str) -> None:
    for position in [*positions(6, 60, 1), *positions(8, 40, 2)]:
        given, true = counted(position), open_squares(position)
        if given != true:
            raise NotYetError(
                f"In the position below, {name} gives {given:g}, and {true} is right: so many "
                f"empty squares lie beside a disc of the opponent. The last line says who moves; "
                f"the other side is the opponent.\n{position}"
            )


@FEATURE.check
def feature_is_a_number(work: Work) -> None:
    """`feature` in feature.py is an expression that gives a number."""
    feature = work.python("feature.py", "feature")
    if not isinstance(feature, Number):
        raise NotYetError(
            f"`feature` is {feature!r:.80}. Wrap a set of squares in count(...), which makes a "
            "number of it."
        )


@FEATURE.check
def feature_is_right(work: Work) -> None:
    """`feature` is right in 100 positions of random games."""
    feature_is_a_number(work)
    _same_count(work.python("feature.py", "feature").evaluate, "`feature`")


@FEATURE.check
def slow_is_right(work: Work) -> None:
    """slow(position) is right in the same positions."""
    slow = work.function("feature.py", "slow", 1)
    _same_count(lambda position: number(slow(position), "slow(position)"), "slow(position)")


# 3. Fitness and noise

_MATCH = 20
_EXAMPLES = ((0.5, 0.7, 0.6, 0.6), (0.25, 0.5, 1.0), (0.4,) * 5)


def standard_error(scores: Sequence[float]) -> float:
    """Return the standard error of the mean of *scores*."""
    return stdev(scores) / math.sqrt(len(scores))


def games_needed(scores: Sequence[float], games: int, wanted: float) -> int:
    """Return how many games a match takes for a standard deviation of *wanted*.

    *scores* are those of matches of *games* games each.
    """
    return math.ceil(stdev(scores) ** 2 * games / wanted**2 - 1e-9)


def best_of_equals(players: int, games: int) -> float:
    """Return the best score of *players* players, all random ones, against a random one."""
    return max(
        match("random", "random", game=GAME, games=games, seed=seed).score
        for seed in range(1, players + 1)
    )


def _near(given: object, true: float, call: str) -> None:
    if abs(number(given, call) - true) > 1e-6 + 1e-6 * abs(true):
        raise NotYetError(f"{call} gives {given}, and {true:.6g} is right.")


@NOISE.check
def standard_error_is_right(work: Work) -> None:
    """standard_error(scores) in noise.py is right."""
    given = work.function("noise.py", "standard_error", 1)
    for scores in _EXAMPLES:
        _near(given(list(scores)), standard_error(scores), f"standard_error({list(scores)})")


@NOISE.check
def games_needed_is_right(work: Work) -> None:
    """games_needed(scores, games, wanted) is right."""
    given = work.function("noise.py", "games_needed", 3)
    for scores, (games, wanted) in zip(_EXAMPLES, ((20, 0.01), (6, 0.05), (10, 0.1)), strict=True):
        call = f"games_needed({list(scores)}, {games}, {wanted})"
        _near(given(list(scores), games, wanted), games_needed(scores, games, wanted), call)


@NOISE.check
def best_of_equals_is_right(work: Work) -> None:
    """best_of_equals(players, games) is right."""
    given = work.function("noise.py", "best_of_equals", 2)
    for players in (1, 8):
        call = f"best_of_equals({players}, {_MATCH})"
        _near(given(players, _MATCH), best_of_equals(players, _MATCH), call)


@NOISE.check
def noise_was_measured(work: Work) -> None:
    """noise.toml has what noise.py measured."""
    if not (work.folder / "noise.toml").is_file():
        raise NotYetError("There is no noise.toml yet. Run `python noise.py`, which writes it.")
    answers = work.answers("noise.toml")
    scores = answers.get("scores")
    true = [
        match("mobility", "greedy", game=GAME, games=_MATCH, seed=seed).score
        for seed in range(1, 31)
    ]
    if scores != true:
        raise NotYetError(
            "The scores in noise.toml are not those of the 30 matches. Run `python noise.py` again."
        )
    for key, value in (
        ("standard_error", standard_error(true)),
        ("games_needed", games_needed(true, _MATCH, 0.01)),
        ("best_of_equals", best_of_equals(50, _MATCH)),
    ):
        again = (
            "It does not follow from the games. Once your functions are right, run "
            "`python noise.py` again."
        )
        work.answer("noise.toml", key, again, value, 1e-6)


@NOISE.check
def half_the_error_is_right(work: Work) -> None:
    """HALF_THE_ERROR says how many times as many games halve the standard error."""
    given = work.python("noise.py", "HALF_THE_ERROR")
    if number(given, "HALF_THE_ERROR") != 4:
        raise NotYetError(
            f"HALF_THE_ERROR is {given}. Try it: what does games_needed give for 0.02, and for "
            "0.01?"
        )


# 6. Search


def disc_lead(position: Position) -> int:
    """Return the lead in discs of the side to move."""
    return position.own.bit_count() - position.opponent.bit_count()


def _looked_ahead(position: Position, depth: int, value: Callable[[Position], float]) -> float:
    moves = position.legal_moves
    if depth == 0 or not moves:
        return value(position)
    return max(-_looked_ahead(position.play(move), depth - 1, value) for move in moves)


def _check_depth(work: Work, found: Sequence[Position], depths: Sequence[int], where: str) -> None:
    search = work.function("search.py", "search", 3)
    for position in found:
        for depth in depths:
            given = number(search(position, depth, disc_lead), "search(position, depth, value)")
            true = _looked_ahead(position, depth, disc_lead)
            if given != true:
                raise NotYetError(
                    f"{where}, search(position, {depth}, value) gives {given:g}, and {true:g} is "
                    f"right, if value is the lead in discs.\n{position}"
                )


@SEARCH.check
def depth_0_is_right(work: Work) -> None:
    """Without looking ahead, search gives the value of the position itself."""
    _check_depth(work, positions(6, 10, 3), (0,), "In the position below")


@SEARCH.check
def depth_1_is_right(work: Work) -> None:
    """One ply ahead it gives the best of the own moves."""
    _check_depth(work, positions(6, 20, 3), (1,), "In the position below")


@SEARCH.check
def depths_are_right(work: Work) -> None:
    """Two and three plies ahead it reckons with the answers."""
    _check_depth(work, positions(6, 12, 3), (2, 3), "In the position below")


@SEARCH.check
def ends_are_right(work: Work) -> None:
    """Passes, and games that end sooner than search looks, are no trouble."""
    found = [late for late in positions(4, 60, 4) if late.empty.bit_count() <= 6]
    _check_depth(work, found[:20], (4,), "In the late position below, of a small board")


@SEARCH.check
def cuts(work: Work) -> None:
    """What cannot matter is left out: at most half of the positions are valued."""
    search, asked = work.function("search.py", "search", 3), 0

    def counted(position: Position) -> int:
        nonlocal asked
        asked += 1
        return disc_lead(position)

    some = positions(6, 8, 5)
    for position in some:
        if search(position, 4, counted) != _looked_ahead(position, 4, disc_lead):
            raise NotYetError(
                f"Four plies ahead it is wrong here.\n{position}\nIf the checks above hold, "
                "it leaves out too much."
            )
    mine, asked = asked, 0
    for position in some:
        _looked_ahead(position, 4, counted)
    if mine > asked / 2:
        raise NotYetError(
            f"Four plies ahead it values {mine:,} positions; looking at everything takes {asked:,}."
            " Stop looking at a position as soon as alpha is not below beta."
        )


# 8. A bot

_GAMES = 20
_SECONDS = 1.0


def bot_score(work: Work, opponent: str) -> float:
    """Return the points per game of the student's bot, which runs in a process of its own."""
    bot = parse_player(str(work.path("bot.py"))).with_move_limit(_SECONDS)
    results = {
        other: work.once(other, partial(match, bot, other, game="othello", games=_GAMES, seed=8))
        for other in ("random", "greedy")
    }
    forfeits = [f"{each}." for result in results.values() for each in result.forfeits]
    if forfeits:
        raise NotYetError(
            f"{' '.join(forfeits)} task.md says what `choose` gets, and what it returns within "
            f"{_SECONDS:g} second."
        )
    return results[opponent].score


@BOT.check
def is_a_bot(work: Work) -> None:
    """bot.py has a bot."""
    parse_player(str(work.path("bot.py")))


@BOT.check
def bot_plays(work: Work) -> None:
    """All games end without a mistake: 20 against random, 20 against greedy, a second a move."""
    bot_score(work, "random")


@BOT.check
def bot_beats_random(work: Work) -> None:
    """Against random the bot scores 80 % or more."""
    at_least(bot_score(work, "random"), 0.8, "Your bot", "hints.md says what is worth looking at.")


@BOT.check
def bot_beats_greedy(work: Work) -> None:
    """Against greedy the bot scores 65 % or more."""
    to_do = "greedy takes as many discs as it can. Think of what a corner is worth."
    at_least(bot_score(work, "greedy"), 0.65, "Your bot", to_do)
