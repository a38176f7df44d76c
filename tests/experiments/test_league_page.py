"""The page of a league: everything is on it, for everybody, whatever is missing."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from sample_league import league

import evoply as ep
from evoply.experiments.leagues import League, LeagueResults, MadePlayer, standings_of
from evoply.experiments.leagues.portraits import champions_of, player_text
from evoply.reports import result_html
from web_browser import NEEDS_BROWSER, nothing_keeps_anybody_out

USUAL_LOOKS = (("even", 390, "dark"), ("extreme", 1280, "light"))
"""Each page in one of them; long runs have both in all."""
STRENGTHS = {"liao": 60.0, "squares": 0.0, "online": -60.0}


def standings(results: LeagueResults) -> dict[str, Any]:
    return {condition: standings_of(results, condition) for condition in results.conditions}


def html_of(results: LeagueResults) -> str:
    return result_html(League.of(results), state=results.missing)


class Reader(HTMLParser):
    """Reads the words of a page, and the cells of its tables."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.words: list[str] = []
        self.cells: list[dict[str, str | None]] = []
        self._is_hidden = False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._is_hidden = tag in ("style", "title")
        if tag == "td":
            self.cells.append(dict(attrs))

    def handle_data(self, data: str) -> None:
        if not self._is_hidden:
            self.words += data.split()

    @property
    def text(self) -> str:
        return " ".join(self.words)


@pytest.fixture(scope="module")
def results() -> LeagueResults:
    return league(STRENGTHS)


@pytest.fixture(scope="module")
def html(results: LeagueResults) -> str:
    return html_of(results)


def test_it_has_every_part_once_and_equal_time_first(html: str) -> None:
    heads = re.findall(r"<h2>(.*?)</h2>", html)
    assert heads == [
        "At equal time: 10 ms a move",
        "At equal depth: 4 plies",
        "Methods",
        "Cost",
        "Champions",
        "What was played",
    ]
    assert html.count("<h3>Nash averages") == html.count("<h3>All against all") == 2
    assert html.count('aria-label="Ratings, at equal') == 2


def test_what_was_played_has_names_and_values_without_empty_heads(html: str) -> None:
    assert '<table class="cards plain">' in html.partition("<h2>What was played</h2>")[2]


def test_it_says_what_its_terms_mean_once(html: str) -> None:
    text = Reader(html).text
    for said in ("A rating says how strong", "A 95 % interval holds", "The Nash average does not"):
        assert text.count(said) == 1, said


def test_ratings_are_those_of_the_standings(results: LeagueResults, html: str) -> None:
    text = Reader(html).text
    for found in standings(results).values():
        for row in found.standings:
            assert f"{row.rating:+.0f}" in text
            low, high = row.interval
            assert f"{low:+.0f} to {high:+.0f}" in text
        assert f"line of reference: plays as {found.standings[-1].entrant}" in text


def test_the_crosstable_has_a_cell_for_each_two_with_games_and_interval(
    results: LeagueResults, html: str
) -> None:
    cells = [cell for cell in Reader(html).cells if "--tint" in (cell.get("style") or "")]
    assert len(cells) == 2 * 5 * 4
    tips = [cell["title"] for cell in cells]
    for found in standings(results).values():
        met = found.of("liao", "online")
        low, high = met.interval
        assert (
            f"liao against online: {100 * met.score:.1f} % in {met.games} games, "
            f"95 % interval: {100 * low:.1f} to {100 * high:.1f} %"
        ) in tips
    assert {cell["class"] for cell in cells} == {"above", "below"}


def test_methods_have_source_budget_cost_size_and_what_one_needs(html: str) -> None:
    text = Reader(html).text
    assert "Somebody 2001 1,500 million units of work 172 20,000 64 weights" in text
    assert "a formula of 2 terms and 5 symbols" in text
    assert "nothing that stays: it plays" in text


def test_costs_are_those_of_every_player_and_unequal_ones_are_marked(
    results: LeagueResults, html: str
) -> None:
    text = Reader(html).text
    assert "method mean seed 1 seed 2 seed 3 liao 172.0 171.0 172.0 173.0" in text
    said = "The dearest player took 1.01 times as long as the cheapest."
    assert text.count(said) == 1
    dear = replace(results.made[0], processor_seconds=1.16 * 171)
    unequal = replace(results, made=(dear, *results.made[1:]))
    assert unequal.cost_ratio == pytest.approx(1.16)
    text = Reader(html_of(unequal)).text
    said = (
        "1.16 times as long as the cheapest: more than 1.15, so the methods did not cost the same."
    )
    assert text.count(said) == 2  # above all else, and beside the costs
    assert results.marks == ()
    busy = replace(results, busy=("The machine was busy.",))
    assert "The machine was busy." in Reader(html_of(busy)).text
    assert League.of(busy).to_dict()["marks"] == ["The machine was busy."]


def test_strength_stands_beside_the_number_of_terms(results: LeagueResults) -> None:
    found = League.of(results)
    terms = {row.entrant: row.terms for row in found.standings["time"].standings}
    assert (terms["liao"], terms["squares"], terms["online"]) == (2, 64, None)
    text = Reader(html_of(results)).text
    at = text.partition("Strength at a number of terms, at equal time: 10 ms a move")[2]
    assert "2 liao 2 +" in at.partition("Nash averages")[0]


def test_figures_at_the_floor_are_marked() -> None:
    text = Reader(html_of(_extreme(league({"liao": 0.0, "squares": 0.0, "online": 0.0})))).text
    assert "greedy at least +" in text
    assert "squares 0.0 % at most -" in text


def test_champions_are_the_best_of_their_training_and_can_be_played(
    results: LeagueResults, html: str
) -> None:
    found = champions_of(results, standings(results))
    ranking = [row.entrant for row in standings(results)["time"].methods]
    assert [champion.entrant.name for champion in found] == ranking
    assert {champion.made.seed for champion in found} == {3}
    assert "the best of 3 by its training measure (0.53)" in found[0].why
    text = Reader(html).text
    assert "evoply play --against champion@liao-3" in text
    assert html.count('<figure class="tree">') == 1
    assert html.count('<figure class="map">') == 2


def test_a_player_that_is_made_of_nothing_is_played_by_its_text() -> None:
    results = league(STRENGTHS)
    made = tuple(replace(player, run="", measure=None) for player in results.made)
    found = champions_of(replace(results, made=made), standings(results))
    commands = {champion.entrant.name: champion.command for champion in found}
    assert commands["squares"] == "evoply play --game othello --against swh"
    assert commands["liao"] == (
        "evoply play --game othello --against '( + white ( * 10 white_corners ) )'"
    )
    assert {champion.why for champion in found} == {"The same player for every seed."}


def test_training_without_a_measure_chooses_nobody(results: LeagueResults) -> None:
    made = tuple(replace(player, measure=None) for player in results.made)
    found = champions_of(replace(results, made=made), standings(results))
    assert {champion.made.seed for champion in found} == {1}
    assert all("measures no strength" in champion.why for champion in found)


def test_every_player_is_listed_with_its_digest(results: LeagueResults, html: str) -> None:
    text = Reader(html).text
    for made in results.made:
        if made.digest:
            assert f"{made.entrant} {made.seed} " in text
            assert made.digest[:16] in text


@pytest.mark.parametrize("left", [0, 7, 25])
def test_an_unfinished_league_says_what_is_missing(results: LeagueResults, left: int) -> None:
    some = replace(results, pairings=results.pairings[:left], made=results.made[:left])
    said = f"{len(some.made)} of 15 players are made, and {left} of 60 pairings"
    assert said in Reader(html_of(some)).text
    assert League.of(some).to_dict()["finished"] is False
    assert "Unfinished" in League.of(some)._repr_html_()


def test_a_method_without_games_under_a_condition_is_no_line_of_reference(
    results: LeagueResults,
) -> None:
    some = replace(
        results,
        pairings=tuple(
            game
            for game in results.pairings
            if game.condition == "time" or "online" not in (game.first, game.second)
        ),
    )
    text = Reader(html_of(some)).text
    assert "line of reference: the method online" not in text
    assert "Without a game under this condition: online." in text
    depth = text.partition("At equal depth")[2].partition("Methods")[0]
    assert "the method online" not in depth


def test_a_finished_league_says_nothing_of_the_kind(html: str) -> None:
    assert "Unfinished" not in html
    assert "Only seed" not in html


def test_with_one_seed_the_page_says_whose_chance_the_intervals_hold() -> None:
    html = html_of(league(STRENGTHS, seeds=(4,)))
    assert html.count("Only seed 4 has ratings") == 2
    assert "endlessly many seeds" not in html


def test_one_condition_alone_has_a_page() -> None:
    html = html_of(league(STRENGTHS, conditions={"depth": "4 plies"}))
    assert "At equal time" not in html
    assert Reader(html).text.count("A rating says how strong") == 1
    assert re.search(r"<dt>reproducible</dt><dd>yes</dd>", html)


def test_names_and_players_are_escaped(results: LeagueResults) -> None:
    evil = "<script>alert(1)</script>"
    entrants = tuple(
        entrant.model_copy(update={"title": evil, "source": evil}) for entrant in results.entrants
    )
    strange = replace(results, name=evil, entrants=entrants, facts={"machine": evil})
    html = html_of(strange)
    assert "<script" not in html
    assert "&lt;script&gt;" in html
    assert "<script" not in League.of(strange)._repr_html_()


def test_the_same_results_give_the_same_page(results: LeagueResults, html: str) -> None:
    assert html_of(results) == html


def test_a_chart_has_lines_of_reference_apart_and_on_their_rows(html: str) -> None:
    charts = re.findall(r"<figure class=\"chart\">.*?</figure>", html, re.DOTALL)
    assert len(charts) == 2
    assert all("lines of reference" in chart and "methods" in chart for chart in charts)


def test_a_notebook_shows_ratings_and_their_chart(results: LeagueResults) -> None:
    shown = League.of(results)._repr_html_()
    assert shown.count("<figure") == 2
    assert "At equal time: 10 ms a move" in shown
    best = standings(results)["time"].methods[0]
    assert f"{best.rating:+.0f}" in shown


def test_data_are_json_and_whole(results: LeagueResults) -> None:
    data = json.loads(json.dumps(League.of(results).to_dict()))
    assert data["finished"] is True
    assert [*data["standings"]] == ["time", "depth"]
    assert len(data["players"]) == 15
    assert data["players"][0] == {
        "entrant": "liao",
        "seed": 1,
        "player": "champion@liao-1",
        "run": "liao-1",
        "step": 40,
        "games": 20_000.0,
        "work": 1.5e9,
        "seconds": 191.0,
        "processor_seconds": 171.0,
        "measure": 0.51,
        "digest": "1" * 32,
    }
    assert data["entrants"][0]["is_ranked"] is True


def test_a_player_is_a_text_that_match_takes_or_none(results: LeagueResults) -> None:
    formula = ep.distil("edgar-like", terms=2, stages=3, games=10).player
    tree = ep.parse_player("( + white white_corners ):primitives=othello-access")
    made = [replace(results.made[0], player=player, run="") for player in (formula, tree)]
    assert [player_text(one, "othello") for one in made] == [None, tree.label]
    assert ep.parse_player(tree.label) == tree
    without_run = replace(results, made=tuple(made))
    data = League.of(without_run).to_dict()
    assert [one["player"] for one in data["players"]] == [None, tree.label]


def test_a_large_tree_is_folded_away(results: LeagueResults) -> None:
    tree = "white"
    for _ in range(40):
        tree = f"( + {tree} white_corners )"
    made = tuple(
        replace(player, player=ep.parse_player(tree)) if player.entrant == "liao" else player
        for player in results.made
    )
    html = html_of(replace(results, made=made))
    folded = html.partition("<summary>Pictures</summary>")[2].partition("</details>")[0]
    assert '<figure class="tree">' in folded


@NEEDS_BROWSER
@pytest.mark.parametrize(
    ("scores", "width", "scheme"),
    [
        pytest.param(*look, marks=[] if look in USUAL_LOOKS else [pytest.mark.long])
        for look in product(("even", "extreme"), (390, 1280), ("dark", "light"))
    ],
)
def test_everybody_can_read_it(
    scores: str,
    width: int,
    scheme: str,
    browser: Any,
    results: LeagueResults,
    html: str,
    tmp_path: Path,
) -> None:
    """In light and dark, on a phone and on a desk; also scores as far from even as they can be."""
    if scores == "extreme":
        html = html_of(_extreme(results))
    (tmp_path / "league.html").write_text(html, encoding="utf-8")
    context = browser.new_context(viewport={"width": width, "height": 860}, color_scheme=scheme)
    page = context.new_page()
    wrong: list[str] = []
    page.on("console", lambda said: wrong.append(said.text))
    page.goto((tmp_path / "league.html").as_uri())
    nothing_keeps_anybody_out(page, width)
    assert wrong == []
    context.close()


def _extreme(results: LeagueResults) -> LeagueResults:
    """Return *results* with one more player, where the first of two has won all or nothing."""
    return replace(
        results,
        made=(*results.made, MadePlayer("liao", 9, results.made[0].player)),
        pairings=tuple(
            replace(game, points=(float(game.first < game.second),) * len(game.points))
            for game in results.pairings
        ),
    )
