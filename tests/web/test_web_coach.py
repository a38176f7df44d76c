"""The coach over the API: hints, choices and reviews are those of the library, and of one draw."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from web_server import client

import evoply as ep
from evoply.games import game_rules
from evoply.players.searcher import asked
from evoply.reports import Adviser
from evoply.reports.adviser import EXACT_EMPTIES
from evoply.reports.game_analysis import analysed_move
from evoply.web import questions
from waiting import until

GAME = "f5d6c3d3c4f4f6f3e6e7d7g6g5c5"


def begun(api: Any, **asked_for: Any) -> str:
    return f"/api/games/{api.post('/api/games', json=asked_for).json()['id']}"


@pytest.mark.parametrize("level", range(1, 5))
def test_a_hint_is_the_advisers_whoever_the_opponent_is(level: int, tmp_path: Path) -> None:
    with client(tmp_path) as api:
        path = begun(api, position=GAME, white=f"strong:level={level}")
        answer = api.post(f"{path}/values", json={}).json()
    assert (answer["player"], answer["unit"]) == ("strong", "discs")
    assert answer["best"] == answer["moves"][0]["move"]
    assert answer["path"] == answer["moves"][0]["path"]
    assert [one["loss"] for one in answer["moves"]] == sorted(
        one["loss"] for one in answer["moves"]
    )
    # The reason speaks for the move of the hint, and against no other one.
    second = answer["moves"][1]
    assert answer["why"].startswith((f"Next is {second['move']} (", f"{second['move']} is worth"))
    assert "errs on purpose" not in answer["why"]


def test_a_move_that_a_weak_level_draws_is_explained_as_that_move(tmp_path: Path) -> None:
    record = ep.othello.Game.from_transcript(GAME)
    with client(tmp_path) as api:
        told = [
            api.post(
                f"{begun(api, position=GAME, white='strong:level=2', seed=seed)}/choice", json={}
            ).json()
            for seed in range(12)
        ]
    for seed, shown in enumerate(told):
        seat = ep.parse_player("strong:level=2", game="othello").seat("othello")
        drawn = asked(seat, record, ep.Stream(seed, "play", "game"), clock=ep.Clock()).move
        assert (shown["move"], shown["is_next"]) == (str(drawn), False)
        assert shown["why"].startswith(f"It plays {drawn} (")
        advice = Adviser("othello", "strong:depth=1").values(record, exact=None)
        if dict(advice.moves)[drawn] < advice.moves[0][1]:
            assert "at its level it errs on purpose" in shown["why"]


def test_if_the_opponent_moves_next_that_is_its_move(tmp_path: Path) -> None:
    with client(tmp_path) as api:
        # The flag of a slow player is far away, so it is asked while it thinks.
        path = begun(api, position=GAME, black="strong:level=3", white="person", seed=5)
        shown = api.post(f"{path}/choice", json={}).json()
        state = until(lambda: (s := api.get(path).json())["turn"] == "white" and s)
        first = len(ep.othello.Game.from_transcript(GAME))
        if shown["is_next"]:
            assert state["moves"][first]["text"] == shown["move"]
        else:  # it has moved already: what is shown is the move in White's place
            assert len(state["moves"]) == first + 1


def test_nobody_but_people_has_no_choice_to_show(tmp_path: Path) -> None:
    with client(tmp_path) as api:
        path = begun(api, position=GAME)
        refused = api.post(f"{path}/choice", json={})
        assert refused.status_code == 409
        assert "nobody plays but people" in refused.json()["error"]
        named = api.post(f"{path}/choice", json={"player": "random"}).json()
        assert "does not say why" in named["why"]


@pytest.mark.parametrize("game", ["othello", "checkers", "othello-6"])
def test_a_review_is_what_the_library_says_of_each_move(game: str, tmp_path: Path) -> None:
    rules, record = game_rules(game), game_rules(game).record()
    while record.outcome() is None and len(record) < 40:
        legal = record.position.legal_moves
        record = record.play(legal[len(record) * 5 % len(legal)])
    with client(tmp_path) as api:
        path = begun(api, game=game, position=str(record))
        whole = api.post(f"{path}/review", json={"depth": 2}).json()
        part = api.post(f"{path}/review", json={"depth": 2, "since": 10, "count": 5}).json()
    assert part["moves"] == whole["moves"][10:15]
    assert len(whole["moves"]) == len(record)
    bounds = {one["grade"]: one["loss"] for one in whole["bounds"]}
    assert list(bounds) == ["inaccuracy", "mistake", "blunder"]
    with Adviser(game) as adviser:
        for shown in whole["moves"]:
            ply = shown["ply"] - 1
            found = analysed_move(adviser, record, ply, exact=EXACT_EMPTIES, depth=2, forced=True)
            assert shown["move"] == found.move
            assert shown["loss"] == found.loss >= 0
            worth = found.best_score
            black = record.positions[ply].turn is ep.Color.BLACK
            assert shown["value"] == (worth if black else adviser.scale.opposite(worth or 0.0))
            least = [grade for grade, loss in bounds.items() if shown["loss"] >= loss]
            assert shown["grade"] == (least[-1] if least else "")
            assert shown["had_choice"] == (len(record.positions[ply].legal_moves) > 1)
            assert rules.is_solvable(record.positions[ply], EXACT_EMPTIES) <= shown["exact"]


def test_a_review_is_kept_with_the_game_as_far_as_its_moves_are(tmp_path: Path) -> None:
    with client(tmp_path) as api:
        path = begun(api, position=GAME)
        assert api.get(f"{path}/review").json() is None
        first = api.post(f"{path}/review", json={"depth": 2, "count": 10}).json()
        assert api.get(f"{path}/review").json() == first
        deeper = api.post(f"{path}/review", json={"depth": 3, "since": 8}).json()
        api.post(f"{path}/review", json={"depth": 1})  # what was seen further stays
        both = {one["ply"]: one for one in [*first["moves"], *deeper["moves"]]}
        assert api.get(f"{path}/review").json()["moves"] == [both[ply] for ply in sorted(both)]
    with client(tmp_path) as api:  # after a restart
        kept = api.get(f"{path}/review").json()
        assert [one["ply"] for one in kept["moves"]] == list(range(1, 15))
        api.post(f"{path}/undo", json={"to_ply": 9})
        left = api.get(f"/api/games/{path.rpartition('/')[2]}").json()["moves"]
        assert api.get(f"{path}/review").json()["moves"] == kept["moves"][: len(left)]
        assert len(left) == 9
        api.delete(path)
        assert api.get(f"{path}/review").status_code == 404


def test_a_beginner_is_told_what_costs_a_beginner_most(tmp_path: Path) -> None:
    with client(tmp_path) as api:
        found = api.post(f"{begun(api, position=GAME)}/review", json={"depth": 1}).json()
        small = api.post(f"{begun(api, game='othello-6')}/review", json={"depth": 1}).json()
    titles = [one["title"] for one in found["levels"]]
    assert titles == ["Beginner", "Novice", "Learner", "Casual", "Hobbyist", "Club player"]
    least = [[bound["loss"] for bound in one["bounds"]] for one in [*found["levels"], found]]
    assert all(bounds == sorted(bounds) for bounds in least)
    assert all(
        a >= b for strict, kind in pairwise(least) for a, b in zip(strict, kind, strict=True)
    )
    assert small["levels"] == []


def test_a_review_that_takes_long_answers_with_what_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(questions, "_LONGEST_REVIEW", -1.0)
    with client(tmp_path) as api:
        path = begun(api, position=GAME)
        assert api.post(f"{path}/review", json={"depth": 2}).json()["moves"] == []
        for wrong in ({"depth": 11}, {"since": -1}, {"count": 0}, {"depths": 3}):
            assert api.post(f"{path}/review", json=wrong).status_code == 422
