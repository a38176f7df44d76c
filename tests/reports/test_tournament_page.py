"""The page of a tournament: what it says of how its games were decided."""

import evoply as ep
from evoply.reports import result_html


def test_a_tournament_that_time_decides_says_so_once_for_each_thing() -> None:
    """Once the mark stood twice behind a player, and was broken in the middle of its word."""
    played = ep.round_robin(["material:time=0.01", "greedy"], game="othello-4", games=2)
    html = result_html(played)
    assert "material:time=0.01 (not reproducible)" in html
    assert "(not reproducible) (not reproducible)" not in html
    assert f">{played.seed} (not reproducible)" not in html
    assert "reproducible" in html.partition("Standings")[0]
    steady = result_html(ep.round_robin(["material", "greedy"], game="othello-4", games=2))
    assert "reproducible" not in steady.partition("Standings")[0]
