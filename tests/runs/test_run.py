"""Run folders: what is written reads back, and everything that can be wrong is said clearly."""

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from run_settings import change, falsify, small_config

from evoply import Run, find_run
from evoply.arena import match
from evoply.evolution import (
    Fitness,
    Opponent,
    evolve,
    final_test,
    individual_player,
    replay,
    stored_final_test,
)
from evoply.learning import load_learning_config
from evoply.players import parse_player, save_player
from evoply.reports import status_in_words
from evoply.runs import RunError, advance, list_runs, new_run_path, resolve_champion
from forging import sealed


def test_generations_read_back_equal(tmp_path: Path) -> None:
    config = small_config()
    with Run.create(tmp_path / "a", config) as run:
        made = []
        for generation in evolve(config):
            run.save(generation)
            made.append(generation)
            assert run.last() == generation
        assert list(run.whole_steps()) == made
        assert run.digests() == [generation.digest for generation in made]
        assert run.champion == made[-1].hall_of_fame[0]
        test = final_test(config, made[-1])
        ending = run.kind.learners.end(run.kind.learners.made(), config, made[-1])
        run.end(made[-1].number, ending)
        assert run.champion == test.champion
        assert run.champion_player == individual_player(config, test.champion.tree)
    with Run.open(tmp_path / "a") as run:
        assert run.config == config
        assert list(run.whole_steps()) == made
        stored = stored_final_test(run)
        assert [entry["fitness"] for entry in stored["ranking"]] == list(test.fitness)


def test_meta_events_and_matches(finished: Path) -> None:
    with Run.open(finished) as run:
        assert run.status == "finished"
        assert run.command == "evoply evolve x.toml"
        assert run.created.startswith("20")
        assert [event["kind"] for event in run.events()] == ["started", "ended"]
        assert run.name == "run"


def test_matches_are_kept(tmp_path: Path) -> None:
    with Run.create(tmp_path / "a", small_config()) as run:
        for name in ("greedy", "( black )"):
            run.save_match(match(name, "random", game="othello-6", games=2).to_dict())
        assert [kept["first"] for kept in run.matches()] == ["greedy", "( black )"]


def test_an_existing_folder_is_refused_and_left_alone(finished: Path) -> None:
    with pytest.raises(RunError, match="exists already"):
        Run.create(finished, small_config())
    with Run.open(finished) as run:
        assert run.count() == 4


def test_a_run_that_cannot_be_created_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RunError, match="cannot be created"):
        Run.create(tmp_path / "file" / "run", small_config())
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_generations_must_follow_one_another(tmp_path: Path) -> None:
    with Run.create(tmp_path / "a", small_config()) as run:
        generations = list(evolve(small_config()))
        with pytest.raises(RunError, match="the next one is 0"):
            run.save(generations[1])
        run.save(generations[0])
        with pytest.raises(RunError, match="the next one is 1"):
            run.save(generations[0])
        with pytest.raises(RunError, match="no step 7"):
            run.generation(7)


def test_missing_folders(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="does not exist"):
        Run.open(tmp_path / "nothing")
    (tmp_path / "empty").mkdir()
    with pytest.raises(RunError, match=r"no config\.toml"):
        Run.open(tmp_path / "empty")


def test_what_watchers_read_again_is_parsed_once(
    finished: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Run.open(finished) as run:
        known = run.last()

    def parse(*_: Any) -> None:
        pytest.fail("every tree was known")

    def digest(_: Any) -> None:
        pytest.fail("nobody compares it")

    monkeypatch.setattr("evoply.gp.parse_individual", parse)
    monkeypatch.setattr("evoply.evolution.generation.digest_of", digest)
    with Run.open(finished) as run:
        assert run.last() == known
        assert run.last() is run.last()


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        ("no database", r"no run\.db"),
        ("text", "damaged"),
        ("empty", "damaged"),
        ("cut", "damaged"),
        ("other database", "damaged"),
        ("newer", "newer evoply"),
        ("config", r"config\.toml was changed"),
        ("config syntax", "TOML"),
    ],
)
def test_damaged_folders(folder: Path, damage: str, message: str) -> None:
    database = folder / "run.db"
    match damage:
        case "no database":
            database.unlink()
        case "text":
            database.write_text("this is no database" * 100)
        case "empty":
            database.write_text("")
        case "cut":
            database.write_bytes(database.read_bytes()[:5000])
        case "other database":
            database.unlink()
            sqlite3.connect(database).execute("CREATE TABLE x (y)").connection.close()
        case "newer":
            falsify(folder, "UPDATE meta SET value = '99' WHERE key = 'format'")
        case "config":
            (folder / "config.toml").write_text("population_size = 'many'")
        case "config syntax":
            (folder / "config.toml").write_text("population_size = ")
            sealed(folder)
    with pytest.raises(RunError, match=message):
        read_everything(folder)


def read_everything(folder: Path) -> None:
    with Run.open(folder) as run:
        run.last()
        list(run.whole_steps())


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE steps SET state = edited(state, '$.individuals[0].fitness', 0.0625)"
        " WHERE number = 3",
        "UPDATE steps SET state = edited(state, '$.hall_of_fame[0].points', 99.0) WHERE number = 3",
        "UPDATE steps SET fields = json_set(fields, '$.added.archive[1][0].tree', '( white )')"
        " WHERE number = 1",
    ],
)
def test_what_the_next_generation_comes_from_is_compared_twice(
    finished: Path, tmp_path: Path, statement: str
) -> None:
    for number, (changed, message) in enumerate([(change, "checksum"), (falsify, "digest")]):
        folder = tmp_path / f"copy-{number}"
        shutil.copytree(finished, folder)
        changed(folder, statement)
        with Run.open(folder) as run, pytest.raises(RunError, match=message):
            list(advance(run, config=small_config(generations=5)))


def test_names_and_the_newest_run(home: Path) -> None:
    with pytest.raises(RunError, match="no run"):
        find_run()
    assert list_runs() == []
    assert new_run_path("othello-6") == home / "othello-6-1"
    Run.create(new_run_path("othello-6"), small_config()).close()
    assert new_run_path("othello-6") == home / "othello-6-2"
    Run.create(home / "zebra", small_config()).close()
    Run.create(home / "apple", small_config(game="othello-4")).close()
    (home / "junk").mkdir()
    with find_run() as run:
        assert run.name == "apple"
    with find_run("zebra") as run:
        assert run.name == "zebra"
    with find_run(str(home / "othello-6-1")) as run:
        assert run.name == "othello-6-1"
    with pytest.raises(RunError, match="zebra"):
        find_run("zebro")
    summaries = list_runs()
    assert [summary.name for summary in summaries] == ["junk", "othello-6-1", "zebra", "apple"]
    assert summaries[0].error is not None
    assert summaries[-1].game == "othello-4"
    assert summaries[-1].status == "new"


def test_champions_are_players(home: Path) -> None:
    with Run.create(home / "one", small_config()) as run:
        with pytest.raises(RunError, match="no champion yet"):
            resolve_champion("one")
        list(advance(run))
        champion = run.champion
    for text in ("one", "champion@one", "", str(home / "one")):
        player = resolve_champion(text)
        assert str(champion.tree) in player.model_dump_json()
        played = match(player, "random", games=4, game="othello-6")
        assert played.wins + played.draws + played.losses == 4


def test_a_run_can_go_on_for_longer_but_not_otherwise(folder: Path) -> None:
    longer = small_config(generations=6, machine={"threads": 1})
    with Run.open(folder) as run:
        assert [generation.number for generation in advance(run, config=longer)] == [4, 5]
        assert run.digests() == [generation.digest for generation in evolve(longer)]
        with pytest.raises(RunError, match="its own config"):
            next(advance(run, config=small_config(seed=6)))


def test_another_signature_is_refused_unless_allowed(folder: Path) -> None:
    with Run.open(folder) as run:
        mine = run.signature
        run.set_meta(signature="0123456789abcdef", version="0.0.1")
        with pytest.raises(RunError, match=r"0\.0\.1.*0123456789abcdef"):
            list(advance(run))
        list(advance(run, allow_other_version=True))
        assert run.signature == mine
        resumed = [event for event in run.events() if event["kind"] == "resumed"]
        assert resumed[-1]["signature"] == mine


def test_leaving_the_loop_early_stops_the_run(tmp_path: Path) -> None:
    with Run.create(tmp_path / "a", small_config()) as run:
        steps = advance(run)
        next(steps)
        steps.close()
        assert run.status == "stopped"
        assert run.count() == 1


def test_an_opponent_from_a_file_is_kept_in_the_folder(tmp_path: Path) -> None:
    file = tmp_path / "opponent.json"
    save_player(
        file, parse_player("( - white black ):ties=last", game="othello-6"), game="othello-6"
    )
    fitness = Fitness(opponents=(Opponent(player=str(file), pairs=2),))
    config = small_config(fitness=fitness, generations=2)
    expected = [generation.digest for generation in evolve(config)]
    with Run.create(tmp_path / "a", config) as run:
        file.unlink()
        assert [generation.digest for generation in advance(run)] == expected
    with Run.open(tmp_path / "a") as run:
        assert run.digests() == expected
        assert replay(run, 0, 0).points in (0.0, 0.5, 1.0)


def test_a_used_up_time_limit_is_the_status(tmp_path: Path) -> None:
    config = small_config(generations=None, time_limit=1e-6)
    with Run.create(tmp_path / "a", config) as run:
        assert len(list(advance(run))) == 1
        assert (run.status, run.ended_by) == ("limit", "time_limit")
        assert list(advance(run)) == []
        longer = small_config(generations=3)
        assert [generation.number for generation in advance(run, config=longer)] == [1, 2]
        assert (run.status, run.ended_by) == ("finished", "generations")


@pytest.mark.parametrize(
    ("limits", "ended_by", "words"),
    [
        ({"generations": 1}, "generations", "finished (generations)"),
        ({"generations": 9, "work_limit": 1}, "work_limit", "finished (work limit)"),
        ({"generations": 9, "time_limit": 1e-6}, "time_limit", "finished (time limit)"),
        # The seed decides the first; the clock only came to the same end.
        ({"work_limit": 1, "time_limit": 1e-6}, "work_limit", "finished (work limit)"),
        (
            {"generations": 9, "termination": {"fitness": -1.0}},
            "termination",
            "finished (fitness reached)",
        ),
    ],
)
def test_a_run_says_which_limit_ended_it(
    tmp_path: Path, limits: dict[str, Any], ended_by: str, words: str
) -> None:
    """A run ended by its work limit said "finished (time limit)"."""
    with Run.create(tmp_path / "a", small_config(**{"generations": None, **limits})) as run:
        assert run.ended_by == ""
        assert len(list(advance(run))) == 1
        assert run.ended_by == ended_by
        assert status_in_words(run.status, run.ended_by) == words
        generations = advance(run, config=small_config(generations=3))
        next(generations)
        assert run.ended_by == ""  # it goes on
        generations.close()


def test_learning_says_which_limit_ended_it(tmp_path: Path) -> None:
    """A run of learning that its time limit ended was just "finished"."""
    for limits, ends in (
        ({"time_limit": 1e-6}, ("limit", "time_limit")),
        ({"games": 10}, ("finished", "games")),
    ):
        settings = {"games_per_step": 10, "games": None, **limits}
        config = load_learning_config("firebrand-8", settings=settings)
        with Run.create(tmp_path / ends[1], config) as run:
            assert len(list(advance(run))) == 1 + (ends[1] == "games")
            assert (run.status, run.ended_by) == ends


def test_a_closed_run_says_how_to_read_it(finished: Path) -> None:
    with Run.open(finished) as run:
        champion = run.champion
    readings: list[Callable[[], object]] = [
        lambda: run.champion,
        lambda: run.status,
        lambda: run.generation(0),
        lambda: list(run.whole_steps()),
        lambda: run.table("SELECT * FROM generations"),
        lambda: run.save_match({}),
        lambda: next(advance(run)),
    ]
    for reading in readings:
        with pytest.raises(RunError, match=r"is closed: .*Run\.open\('"):
            reading()
    run.close()
    with Run.open(finished) as again:
        assert again.champion == champion
