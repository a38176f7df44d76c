"""Elimination tournaments: a player that does not win enough games of a round is out.

Source: Bellin & Gasperin, "Genetic Programming and Othello", section 5: seven brackets of evolved
players, a player that fails to win more than 60 % of the games of a round is out, opponents drawn
from all players, from the own bracket or from the others. Comments say what is chosen here because
the paper leaves it open.

Every round puts somebody out: each game has at most one winner, so the win rates, weighted by
games, average at most 50 %, and not all can exceed a threshold of 50 % or more. With equal numbers
of games, at most the share 0.5 / threshold of the field survives: five sixths at 60 %.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from evoply import _native
from evoply.arena.pairs import PairsPlayed
from evoply.arena.schedule import Results
from evoply.permutations import derangement

Meetings = Literal["all", "same", "other"]
"""Whom a player meets: all players, only those of its own bracket, or only those of others."""

Play = Callable[[NDArray[np.intp], NDArray[np.intp], _native.Stream], Results]
"""Plays pairs of games between first and second players, with keys from a stream."""


@dataclass(frozen=True, slots=True)
class Round:
    """One round: who played in it, and with which result."""

    players: tuple[int, ...]
    wins: tuple[int, ...]
    """Games won by each of *players*, including games for which others drew it."""
    games: tuple[int, ...]
    survivors: tuple[int, ...]

    def rate(self, player: int) -> float:
        """Return the share of its games that a player of this round won; draws are not wins."""
        index = self.players.index(player)
        return self.wins[index] / self.games[index]


@dataclass(frozen=True, slots=True, eq=False)
class Elimination:
    """One run of a tournament; players are indices into the list of players."""

    rounds: tuple[Round, ...]
    """In mode "same" all rounds of the first bracket, then those of the next."""
    ranks: tuple[float, ...]
    """Each player's rank from 1, in mode "same" in its bracket; equal players share their mean."""
    champions: tuple[int, ...]
    """The last player, or in mode "same" that of every bracket."""
    finalists: tuple[int, ...]
    """The players of the last round, or in mode "same" of the last round of each bracket."""
    played: PairsPlayed


def eliminate(
    brackets: Sequence[int],
    play: Play,
    stream: _native.Stream,
    *,
    mode: Meetings = "all",
    games: int = 20,
    threshold: float = 0.6,
) -> Elimination:
    """Play rounds until one player is left, or in mode "same" one of each bracket.

    `brackets[i]` is the bracket of player i. In a round every player meets *games* / 2 opponents,
    each with both colours of one opening, and others may draw it too; all of these games count. It
    stays if it wins more than the share *threshold* of them; draws are not wins. If nobody would
    stay, or those who stay have no opponents (mode "other"), the tournament is over, and the
    players of the round are ranked by the share they won. Equal players share a rank, and the
    champion among them is drawn. Raises `ValueError` for a threshold that is not from 0.5 to below
    1, because a round might then put nobody out, and for an odd number of games.
    """
    if not 0.5 <= threshold < 1:
        raise ValueError(f"threshold: must be at least 0.5 and below 1, not {threshold:g}")
    if games < 2 or games % 2:
        raise ValueError(f"games: {games} per player and round is not an even number from 2 up")
    everybody = list(range(len(brackets)))
    fields = [everybody]
    if mode == "same":
        fields = [
            [p for p in everybody if brackets[p] == bracket] for bracket in sorted(set(brackets))
        ]
    ranks = [0.0] * len(brackets)
    rounds: list[Round] = []
    champions: list[int] = []
    finalists: list[int] = []
    played: list[PairsPlayed] = []
    for number, field in enumerate(fields):
        keys = stream.child("field", number)
        played_rounds, pairs = _rounds(field, brackets, play, keys, mode, games // 2, threshold)
        order = _order(field, played_rounds)
        rank = 1
        for group in order:
            for player in group:
                ranks[player] = rank + (len(group) - 1) / 2
            rank += len(group)
        champions.append(order[0][keys.child("champion").below(len(order[0]))])
        finalists += played_rounds[-1].players if played_rounds else field
        rounds += played_rounds
        played += pairs
    return Elimination(
        rounds=tuple(rounds),
        ranks=tuple(ranks),
        champions=tuple(champions),
        finalists=tuple(finalists),
        played=PairsPlayed.joined(played),
    )


def _rounds(
    field: list[int],
    brackets: Sequence[int],
    play: Play,
    stream: _native.Stream,
    mode: Meetings,
    opponents: int,
    threshold: float,
) -> tuple[list[Round], list[PairsPlayed]]:
    rounds: list[Round] = []
    played: list[PairsPlayed] = []
    while len(field) > 1:
        keys = stream.child("round", len(rounds))
        first, second = drawn_pairs(field, brackets, mode, opponents, keys.child("draw"))
        if not len(first):
            break
        results = play(first, second, keys)
        played.append(PairsPlayed.of(first, second, results))
        wins, games = _wins(first, second, results, len(brackets))
        staying = tuple(p for p in field if wins[p] > threshold * games[p])
        rounds.append(
            Round(tuple(field), tuple(wins[field].tolist()), tuple(games[field].tolist()), staying)
        )
        field = list(staying)
    return rounds, played


def _order(field: Sequence[int], rounds: Sequence[Round]) -> list[list[int]]:
    """Return groups of equal players, best first: by the round they left in, then by win rate."""
    if not rounds:
        return [list(field)]
    left_in: dict[int, tuple[int, float]] = {}
    for number, played_round in enumerate(rounds):
        for player in played_round.players:
            stays = player in played_round.survivors and len(played_round.survivors) == 1
            left_in[player] = (number + stays, played_round.rate(player))
    keys = sorted({left_in[player] for player in field}, reverse=True)
    return [[player for player in field if left_in[player] == key] for key in keys]


def drawn_pairs(
    field: Sequence[int],
    brackets: Sequence[int],
    mode: Meetings,
    opponents: int,
    stream: _native.Stream,
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return who meets whom: *opponents* pairs for each player of *field*.

    Where all may meet, the opponents come from that many random permutations without fixed points,
    so that every player is drawn equally often and all play the same number of games. In mode
    "other" each opponent is drawn independently and uniformly from the other brackets; the arrays
    are empty if there is only one bracket.
    """
    players = np.array(field, dtype=np.intp)
    own = np.array([brackets[player] for player in field])
    if len(players) < 2 or (mode == "other" and len(set(own.tolist())) < 2):
        return players[:0], players[:0]
    drawn = []
    for _ in range(opponents):
        if mode == "other":
            allowed = [players[own != bracket] for bracket in own]
            drawn.append([int(others[stream.below(len(others))]) for others in allowed])
        else:
            drawn.append(players[derangement(len(players), stream)].tolist())
    return np.tile(players, opponents), np.array(drawn, dtype=np.intp).reshape(-1)


def _wins(
    first: NDArray[np.intp], second: NDArray[np.intp], results: Results, count: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return games won and games played of each of *count* players."""
    black = results.black_points
    ones = np.concatenate([black[0::2] == 1, black[1::2] == 0])
    others = np.concatenate([black[0::2] == 0, black[1::2] == 1])
    wins = np.bincount(np.tile(first, 2), weights=ones, minlength=count)
    wins += np.bincount(np.tile(second, 2), weights=others, minlength=count)
    games = 2 * (np.bincount(first, minlength=count) + np.bincount(second, minlength=count))
    return wins.astype(np.int64), games.astype(np.int64)
