"""Every kind of result stopped after its first game, or its first part: what there is, is shown."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from command_line import Answer, call

from evoply.arena import Forfeit
from evoply.arena.playing import PlayedGame
from evoply.experiments import ExperimentFolder
from evoply.experiments.units import run_unit
from evoply.games import game_rules
from evoply.protocols import Color, TimeControl
from evoply.server import GameServer, Journal, TournamentConditions
from evoply.server.journal import Seated, digest_of

STOPPING = """
asked = 0

class Stopping:
    def choose(self, game, stream, clock=None):
        global asked
        asked += 1
        if asked == {at}:
            raise KeyboardInterrupt
        return game.position.legal_moves[0]
"""
GAMES = ("--game", "othello-4", "--threads", "1", "--quiet")
TOURNAMENT = ("tournament", "python:p.py:Stopping", "greedy", "random", *GAMES)
KINDS = {
    "match": ("match", "python:p.py:Stopping", "greedy", "--games", "100", *GAMES),
    "sprt": ("match", "python:p.py:Stopping", "greedy", "--sprt", "0", "5", *GAMES),
    "round robin": (*TOURNAMENT, "--games", "50", "--html", "page.html"),
    "elimination": (*TOURNAMENT, "--mode", "elimination", "--times", "9", "--html", "page.html"),
}


@pytest.mark.parametrize("at", [1, 3, 60])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("more", [(), ("--json",), ("--save-games", "games.jsonl")])
def test_games_between_players(
    kind: str, at: int, more: Sequence[str], capsys: pytest.CaptureFixture[str]
) -> None:
    # Python keeps a module of a file: each has a name of its own.
    name = f"p{at}{kind[:2]}{len(more)}{more[:1] == ('--json',)}.py"
    Path(name).write_text(STOPPING.format(at=at))
    answer = call(capsys, *(word.replace("p.py", name) for word in KINDS[kind]), *more)
    assert answer.code == 130
    assert "stopped" in answer.err
    if "--json" in more:
        assert answer.data["exit_code"] == 130
    if at == 60:
        assert "stopped after" in answer.err
        assert not more or "--json" in more or Path("games.jsonl").read_text()
        if "--html" in KINDS[kind]:
            assert "Stopped after " in Path("page.html").read_text()


def served(
    played: Sequence[int], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Answer:
    """Serve a tournament of three, whose games *played* are over, and stop it."""
    conditions = TournamentConditions.of("othello-4", TimeControl(5), players=3, games=2)
    journal = Journal.create(Path("t.db"), conditions)
    journal.seat([Seated(name, digest_of(name), 1) for name in ("a", "b", "c")])
    record = game_rules("othello-4").record()
    journal.add_unplayed(
        {game: PlayedGame(record, Forfeit(game, Color.BLACK, "away")) for game in played}
    )
    journal.close()

    async def stop(self: GameServer) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(GameServer, "_play", stop)
    words = ("--port", "0", "--html", "page.html", "--save-games", "games.jsonl", "--json")
    return call(capsys, "serve", "--resume", "t.db", *words)


@pytest.mark.parametrize("played", [[], [0], [0, 1], [0, 1, 4, 5], [0, 1, 2, 3, 4]])
def test_tournaments_over_the_network(
    played: list[int], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = served(played, monkeypatch, capsys)
    assert answer.code == 130
    assert "go on with: evoply serve --resume t.db --save-games games.jsonl" in answer.err
    assert (answer.data["played"], answer.data["planned"]) == (len(played), 6)
    page = Path("page.html").read_text()
    assert f"Stopped: {len(played)} of 6 games are played" in page
    assert ("Standings" in page) == (len(played) > 1)
    assert len(Path("games.jsonl").read_text().splitlines()) == len(played)


@pytest.mark.parametrize("units", [0, 1, 3])
def test_experiments(
    units: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stop(folder: ExperimentFolder, **_: object) -> None:
        for unit in folder.units()[:units]:
            run_unit(unit, folder.experiment)
        raise KeyboardInterrupt

    monkeypatch.setattr("evoply.experiments.run_experiment", stop)
    Path("other.toml").write_text(Path("small.toml").read_text().replace("= 12", "= 10"))
    words = ("--seeds", "2", "--games", "2", "--measure", "score:greedy", "--csv", "tables")
    arguments = ("compare", "small.toml", "other.toml", *words, "--charts", "drawn", "--json")
    answer = call(capsys, *arguments)
    assert answer.code == 130
    assert answer.data["error"].startswith(f"Stopped; {units} of 4 runs are done")
    page = Path("runs/compare-small-against-other/comparison.html")
    assert page.exists() == Path("tables/effects.csv").exists() == (units > 0)


def test_leagues(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("evoply.experiments.leagues.machine.play_league", stop)
    words = ("--budget", "small", "--methods", "liao,firebrand,tuples", "--paces", "reference")
    answer = call(capsys, "league", *words, "--json")
    assert answer.code == 130
    assert answer.data["error"].startswith("Stopped; finished steps")
    assert list(Path("runs").glob("*/league.html"))


@pytest.mark.parametrize("analysed", [0, 1])
def test_analyses(
    analysed: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from evoply.reports import game_analysis

    whole = game_analysis.analyse_games

    def stopping(*arguments: object, **options: object) -> object:
        for _, game in zip(range(analysed), whole(*arguments, **options), strict=False):
            yield game
        raise KeyboardInterrupt

    monkeypatch.setattr("evoply.reports.analyse_games", stopping)
    Path("games.txt").write_text("f5d6c3d3c4f4f6g5e6c5f3\n" * 2)
    arguments = ("analyse", "greedy", "--games", "games.txt", "--html", "page.html", "--json")
    answer = call(capsys, *arguments, "--exact", "none")
    assert answer.code == 130
    assert answer.data["error"] == f"stopped; {analysed} of 2 games are analysed"
    assert len(answer.data["games"]) == analysed
    assert Path("page.html").exists() == bool(analysed)
    assert json.dumps(answer.data)
