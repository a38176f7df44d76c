"""A match belongs to the player that played it, whatever its name and however long the run."""

import json
from pathlib import Path

import pytest
from run_settings import change, falsify, small_config

from evoply import Run
from evoply.cli import main
from evoply.evolution import FinalTest, config_to_toml, individual_player, stored_final_test
from evoply.players import with_options
from evoply.reports import report_html
from evoply.runs import match_of, played_matches
from whole_runs import whole_run

RESULT = {
    "first": "champion@first", "second": "greedy", "wins": 3, "draws": 1, "losses": 2,
    "score": 0.58, "games": 6, "distinct_games": 6, "seed": 5,
}  # fmt: skip


def test_a_match_is_known_by_the_player_without_its_name(finished: Path) -> None:
    with Run.open(finished) as run:
        player = run.champion_player
    other = with_options(player, {"ties": "last"})
    one = match_of(player, RESULT, {"generation": 3})
    assert one == match_of(with_options(player, {}, name="x"), RESULT, {"generation": 3})
    assert one["player_digest"] != match_of(other, RESULT, {})["player_digest"]
    assert one.items() > RESULT.items()


def test_after_a_resume_old_champions_are_told_from_new(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with whole_run(home / "first", small_config(generations=2)) as run:
        run.save_match(RESULT)  # which does not say whose it is
        other = with_options(run.champion_player, {"ties": "last"})
        run.save_match(match_of(other, RESULT, {"generation": 0}))
        run.save_match(match_of(run.champion_player, RESULT, {"generation": 1}))
        assert [one["generation"] for one in played_matches(run).champion] == [1]
        assert [one["generation"] for one in played_matches(run).earlier] == [0]
        assert list(played_matches(run).others) == [RESULT]
        page = report_html(run)
        assert "champion after generation 0" in page
        assert "Other matches" in page
        last = run.last()
        champion = next(one for one in last.hall_of_fame if one != run.champion)
        ending = run.kind.learners.end(run.kind.learners.made(), run.config, last)
        player = individual_player(run.config, champion.tree)
        note = {**json.loads(ending.notes["final_test"]), "champion": str(champion.tree)}
        run.set_meta(
            champion=json.dumps({"generation": 1, "player": player.model_dump(mode="json")}),
            final_test=json.dumps(note),
        )
        assert played_matches(run).champion == ()
        assert [one["generation"] for one in played_matches(run).earlier] == [0, 1]
        page = report_html(run)
        assert "No test matches were played yet" in page
        assert "champion after generation 1" in page
    assert main(["runs", "first", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["matches"], data["other_matches"]) == ([], [RESULT])
    assert [one["generation"] for one in data["earlier_champions"]] == [0, 1]


def test_a_champion_that_stays_is_not_tested_again(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = small_config(generations=1)
    (home.parent / "small.toml").write_text(config_to_toml(config))
    assert main(["evolve", str(home.parent / "small.toml"), "--name", "first", "--json"]) == 0
    first = json.loads(capsys.readouterr().out)
    assert [one["generation"] for one in first["matches"]] == [0, 0]
    assert main(["resume", "first", "--json"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert again["matches"] == first["matches"]
    with Run.open(home / "first") as run:
        assert len(run.matches()) == 2


def test_on_a_tie_the_champion_is_ranked_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from evoply.evolution import evolution_kind

    def tie(config: object, generation: object, **_: object) -> FinalTest:
        ranking = tuple(reversed(generation.hall_of_fame))  # type: ignore[attr-defined]
        return FinalTest(ranking, tuple(0.5 for _ in ranking), 6)

    monkeypatch.setattr(evolution_kind, "final_test", tie)
    with whole_run(tmp_path / "first", small_config()) as run:
        hall = run.last().hall_of_fame
        assert run.champion == hall[-1] != hall[0]
        page = report_html(run)
        stored = stored_final_test(run)
    assert stored is not None
    table = page[page.index("<h2>Hall of fame") :]
    places = [table.index(str(entry.tree)) for entry in hall]
    assert places == sorted(places, reverse=True)


def test_a_final_test_of_somebody_else_is_damage(folder: Path) -> None:

    with Run.open(folder) as run:
        champion = str(run.champion.tree)
    edit = f"UPDATE meta SET value = replace(value, '{champion}', '( + {champion}') WHERE"
    for changed, message in ((falsify, "not in the hall of fame"), (change, "checksum")):
        changed(folder, f"{edit} key = 'final_test'")
        with pytest.raises(ValueError, match=message), Run.open(folder) as run:
            _ = run.champion


def test_a_limit_that_is_reached_already_is_said(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with whole_run(home / "first", small_config()) as run:
        events = run.events()
    assert main(["resume", "first", "--generations", "2"]) == 2
    error = capsys.readouterr().err
    assert "first has 4 generations" in error
    assert "nothing to do; give a larger limit" in error
    with Run.open(home / "first") as run:
        assert (run.events(), run.matches()) == (events, [])
    # Asking again for what is there completes what follows: it is no mistake.
    assert main(["resume", "first", "--generations", "4", "--no-tests"]) == 0
