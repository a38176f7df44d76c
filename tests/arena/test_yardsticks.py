"""Yardsticks: the same opponents for all, two of which must agree, and scores that say nothing."""

from dataclasses import replace
from statistics import fmean
from typing import Any

import pytest

import evoply as ep
from evoply.arena import StoppedWithResultError, Strength, YardstickScore, measure, yardsticks
from evoply.games.formats import GamePlayed
from evoply.players import NAMED_PLAYERS
from evoply.protocols import Color


@pytest.mark.parametrize("game", ["othello", "othello-6", "checkers", "connect-four"])
def test_every_game_has_two_opponents_or_more(game: str) -> None:
    found = yardsticks(game)
    assert len(found) >= 2
    for each in found:
        assert ep.parse_player(each.player, game=game).reproducible


def test_a_score_is_that_of_a_match_with_the_same_noise() -> None:
    found = measure(["by-hand"], games=40, seed=3)
    rows = found.of("by-hand")
    for opponent, noise in (("swh", ":epsilon=0.1"), ("strong:depth=1", "")):
        alone = ep.match(f"by-hand{noise}", f"{opponent}{noise}", games=40, seed=3)
        assert (rows[opponent].score, rows[opponent].interval) == (alone.score, alone.interval)
    assert [row.noise for row in rows.values()] == [0.1, 0.1, 0, 0, 0, 0]
    assert found.to_dict()["rows"][0]["player"] == "by-hand"


def test_the_side_that_began_has_its_share() -> None:
    points: list[float] = []

    def count(game: GamePlayed) -> None:
        points.append(0.5 if game.winner is None else float(game.winner is Color.BLACK))

    result = ep.match("greedy", "random", games=40, seed=1, on_game=count)
    assert result.beginner == pytest.approx(fmean(points)) != result.score


def row(player: str, opponent: str, score: float, beginner: float = 0.5) -> YardstickScore:
    interval = (score - 0.02, score + 0.02)
    return YardstickScore(player, opponent, score, interval, 2000, beginner, 0.0)


def table(*rows: YardstickScore) -> Strength:
    return Strength("othello", 1, rows)


def test_two_opponents_decide_and_one_does_not() -> None:
    """78.8 % against swh and 42.5 % against another champion: no order follows from swh alone."""
    rows = [row("a", "swh", 0.79), row("a", "x", 0.6), row("a", "y", 0.5)]
    others = [row("b", "swh", 0.7), row("b", "x", 0.5), row("b", "y", 0.5)]
    assert table(*rows, *others).sentences == ("a is stronger than b: so say swh, x.",)
    rows[1] = row("a", "x", 0.5)
    assert table(*rows, *others).sentences == (
        "a and b: fewer than two opponents tell them apart.",
    )
    rows[1] = row("a", "x", 0.45)
    assert table(*rows, *others).sentences == (
        "a and b have different weaknesses: swh for the first, x for the second.",
    )
    assert table(*rows, *others).better_against("a", "b") == (["swh"], ["x"])


def test_an_interval_at_the_end_is_shown_by_its_ends_and_decides_by_the_near_one() -> None:
    (lost,) = (
        each for each in measure(["random"], games=10).rows if each.opponent == "strong:depth=1"
    )
    assert (lost.score, lost.interval[0]) == (0, 0)
    assert str(lost) == f"0.0 (0.0 to {100 * lost.interval[1]:.1f})"
    assert str(row("a", "x", 0.5)) == "50.0 ± 2.0"
    near = replace(row("a", "x", 0.98), interval=(0.96, 1.0))
    far = replace(row("b", "x", 0.92), interval=(0.85, 0.95))
    assert table(near, far).better_against("a", "b") == (["x"], [])
    assert table(near, far).better_against("b", "a") == ([], ["x"])


def test_an_opponent_does_not_tell_itself_from_another() -> None:
    found = table(row("a", "a", 0.5), row("a", "x", 0.5), row("b", "a", 0.3), row("b", "x", 0.3))
    assert found.better_against("a", "b") == (["x"], [])


def test_a_score_that_hangs_on_the_colour_is_named() -> None:
    by_colour = row("a", "material:depth=3", 0.505, beginner=0.97)
    assert by_colour.is_by_colour
    assert not row("a", "swh", 0.8, beginner=0.7).is_by_colour
    assert not row("a", "swh", 0.5, beginner=0.55).is_by_colour
    (said,) = table(by_colour).sentences
    assert "the side that begins has 97.0 %" in said
    assert "ties=random" in said


class First:
    """A player in Python that takes the first move, and cannot be told to err."""

    def choose(self, game: Any, stream: object, clock: object, /) -> Any:
        return game.position.legal_moves[0]


def test_a_program_is_measured_as_it_is_and_plays_a_tenth_of_the_games() -> None:
    found = measure([First()], against=["greedy", First()], games=40)
    assert {each.noise for each in found.rows} == {0.0}
    assert [each.games for each in found.rows][-2:] == [40, 4]


def test_ctrl_c_keeps_the_rows_that_are_whole() -> None:
    def stop(done: int, total: int) -> None:
        assert total == 240
        if done > 60:
            raise KeyboardInterrupt

    with pytest.raises(StoppedWithResultError) as stopped:
        measure(["by-hand"], games=40, progress=stop)
    assert [each.opponent for each in stopped.value.result.rows] == ["swh"]


READABLE = ["by-hand", "demo-1", "demo-2", "readable-5", "readable-12", "readable-40"]


@pytest.mark.parametrize("name", READABLE)
def test_readable_players_are_texts_that_play_and_show_their_formula(name: str) -> None:
    named = NAMED_PLAYERS[name]
    player = ep.parse_player(f"{name}:epsilon=0.1")
    plain = ep.parse_player(named.text).with_options({"epsilon": 0.1})
    assert player.label == f"{name}:epsilon=0.1"
    same = [ep.match(one, "greedy", games=20, seed=1).wins for one in (player, plain)]
    assert same[0] == same[1]
    assert "white_risky_x" in str(ep.explain(name, games=0).to_dict()["simplified"])
    with pytest.raises(ValueError, match=f"{name} plays othello"):
        ep.parse_player(name, game="othello-6")


@pytest.mark.parametrize("players", [[], (), "by-hand"])
def test_what_is_no_list_of_players_is_refused(players: object) -> None:
    with pytest.raises(ValueError, match=r"players: .* is no list of players - name one"):
        ep.measure(players, games=2)  # type: ignore[arg-type]


def test_few_games_say_nothing_of_colour() -> None:
    found = ep.measure(["by-hand"], games=10)
    assert not any(row.is_by_colour for row in found.rows)
