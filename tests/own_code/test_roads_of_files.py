"""No road by which files, the page and other machines come runs a program, as in `test_roads`."""

import io
import json
import os
import sqlite3
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import tomli_w
from evil_program import BOT, ENGINE, MARK, page, pinned, sha
from fastapi.testclient import TestClient
from own_settings import small_config

import evoply as ep
from evoply.arena.kept_games import kept_in
from evoply.arena.on_cluster import _seat
from evoply.cli import main
from evoply.configs import OwnCode, carried, carried_code
from evoply.configs.own_code import permissions
from evoply.evolution import config_to_toml
from evoply.experiments import (
    Experiment,
    ExperimentFolder,
    estimated_cost,
    find_experiment,
    folder_for,
    run_experiment,
)
from evoply.experiments.leagues import MadePlayer, league_folder, load_league
from evoply.experiments.leagues.portraits import _play_command
from evoply.experiments.running import games_of, pairings_of
from evoply.games import game_added
from evoply.players import parse_player
from evoply.protocols import RunError
from evoply.reports import Adviser
from evoply.rules import read_rules
from evoply.web import ServerLimits
from evoply.web.thinking import read_opponent
from forging import sealed_experiment

pytestmark = pytest.mark.usefixtures("evil")


def rules(**facts: Any) -> dict[str, Any]:
    from evoply.games import GAMES

    return {**GAMES["breakthrough"].written, **facts}


@pytest.mark.parametrize("adviser", ["python:evil.py:Evil", "engine:gtp:sh -c 'touch mark'",
                                     "evil.py:Evil", "champion@sent"])  # fmt: skip
def test_the_adviser_of_rules_is_data(
    run: Path, adviser: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("mine.json").write_text(json.dumps(rules(name="mine", adviser=adviser)))
    monkeypatch.setattr("sys.stdin", io.StringIO("hint\nquit\n"))
    main(["play", "--game=mine.json", "--against=random"])
    assert "Traceback" not in capsys.readouterr().err
    assert not MARK.exists()
    refused = pytest.raises(ValueError, match=r"cannot be named here|cannot be looked up")
    with game_added(read_rules(Path("mine.json"))), refused:
        Adviser("mine")
    assert not MARK.exists()


def experiment(base: str = "quick") -> Path:
    folder = folder_for(
        Experiment(base=base, game="othello-4", seeds=1, games=2, points=0), name="sent"
    )
    return folder.path


@pytest.mark.parametrize("is_sealed", [False, True])
@pytest.mark.parametrize("line", ['game = "python:evil.py:P"', 'learner = "python:evil.py:P"'])
def test_an_experiment_names_no_python_without_its_checksum(
    evil: Path, is_sealed: bool, line: str
) -> None:
    from evoply.experiments import ExperimentFolder

    path = experiment()
    setup = path / "setups" / "1.toml"
    setup.write_text(f"{line}\n{setup.read_text().replace('game = ', '# ')}")
    text = (path / "experiment.toml").read_text()
    if is_sealed:
        sealed_experiment(path)
    else:
        kept = [row for row in text.splitlines() if not row.startswith("checksum")]
        (path / "experiment.toml").write_text("\n".join(kept))
    assert main(["experiment", str(path)]) in (1, 2)
    main(["runs"])
    with pytest.raises(RunError):
        ExperimentFolder.open(path)
    assert not MARK.exists()


@pytest.mark.parametrize("measure", ["score:engine:gtp:sh -c 'touch mark'", "score:evil.py:Evil",
                                     "score:python:evil.py:Evil", "score:evil.json"])  # fmt: skip
def test_the_measure_of_an_experiment_is_data(evil: Path, measure: str) -> None:
    path = experiment()
    data = tomllib.loads((path / "experiment.toml").read_text())
    data["experiment"]["measure"] = measure
    (path / "experiment.toml").write_text(tomli_w.dumps(data))
    sealed_experiment(path)
    assert main(["experiment", str(path)]) in (1, 2)
    assert not MARK.exists()


def test_an_experiment_has_its_setups_beside_it(evil: Path) -> None:
    """Without them nothing would show that the files of its folder are carried."""
    path = experiment()
    data = tomllib.loads((path / "experiment.toml").read_text())
    data["setups"] = {}
    (path / "experiment.toml").write_text(tomli_w.dumps(data))
    sealed_experiment(path)
    with pytest.raises(RunError, match="a setup is a file of setups"):
        find_experiment(path)


def test_a_file_of_ones_own_may_be_called_experiment(evil: Path) -> None:
    Path("experiment.toml").write_text('base = "quick"\n')
    Path("bot.toml").write_text('kind = "bot"\npath = "evil.py"\n')
    assert parse_player("bot.toml", game="othello-4").label == "evil.py"


def test_the_base_of_an_experiment_that_was_begun_is_no_file(evil: Path) -> None:
    path = experiment()
    Path("evil.toml").write_text('game = "python:evil.py:P"\n')
    data = tomllib.loads((path / "experiment.toml").read_text())
    data["experiment"]["base"] = str(Path("evil.toml").resolve())
    (path / "experiment.toml").write_text(tomli_w.dumps(data))
    sealed_experiment(path)
    assert main(["experiment", str(path), "--game=othello-6", "--name=other"]) in (1, 2)
    assert not MARK.exists()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (ENGINE, "does not match any of the expected"),
        (BOT, "does not match any of the expected"),
        ({"kind": "python", "code": "python:evil.py:Evil"}, "without its checksum"),
        ({"kind": "python", "code": "", "repeats": True}, ""),
    ],
)
def test_players_of_a_league_are_data(evil: Path, data: dict[str, Any], message: str) -> None:
    """Python with its checksum is read; it runs where the user names it, too."""
    data = data if message else {**data, "code": pinned("Evil")}
    folder = league_folder("league", game="othello", budget=0.1, seeds=1, games=2, depth=0,
                           methods=("liao", "firebrand", "tuples"), own=("random",),
                           paces="reference")  # fmt: skip
    file = folder.path / "setups" / f"player-{len(folder.players)}.json"
    assert list(folder.players)[-1] == "random"
    file.write_text(json.dumps(data))
    sealed_experiment(folder.path)
    if message:
        with pytest.raises(RunError, match=message):
            load_league("league")
    else:
        load_league("league")
        with pytest.raises(ValueError, match="it may come from somebody else"):
            ExperimentFolder.open(folder.path).players["random"].seat("othello")
    assert main(["league", "--name=league"]) in (1, 2)
    assert not MARK.exists()


@pytest.mark.parametrize("data", [ENGINE, BOT, {"kind": "python", "code": "python:evil.py:P"}])
def test_players_of_other_machines_are_data(evil: Path, data: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="does not match any of the expected"):
        _seat(json.dumps(data), "othello", "othello")


def test_the_name_of_a_player_names_nobody(evil: Path) -> None:
    player = parse_player("greedy").model_copy(update={"name": "python:evil.py:Evil"})
    made = MadePlayer(entrant="line", seed=1, player=player)
    assert _play_command(made, "othello") == ""
    assert str(evil) not in repr(permissions()["named"])


FILES = ["/etc/hostname.json (not reproducible)", "saved.json", "mcts:evaluator=saved.json",
         "mcts:evaluator=saved.json (not reproducible)", "evil.py", "evil.py:Evil", "player.toml",
         "SAVED.JSON:depth=2", "python:evil.py:Evil", " python:evil.py:Evil",
         "engine:gtp:sh -c 'touch mark'", "champion@champion@runs/sent",
         "champion@/etc", "champion@../x", "mcts:evaluator=champion@/etc"]  # fmt: skip


@pytest.mark.parametrize("text", FILES)
def test_the_page_names_no_file(run: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    os.rename("runs/sent", "runs/champion")
    os.makedirs("elsewhere")
    ep.save_player("saved.json", "greedy")
    Path("player.toml").write_text('kind = "engine"\nprotocol = "gtp"\ncommand = ["sh"]\n')
    opened: list[str] = []

    def note(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and isinstance(arguments[0], str | Path):
            opened.append(str(arguments[0]))

    if not hasattr(sys, "_roads_hook"):
        sys._roads_hook = []  # type: ignore[attr-defined]
        sys.addaudithook(lambda event, arguments: [
            hook(event, arguments) for hook in sys._roads_hook])  # type: ignore[attr-defined]  # fmt: skip
    sys._roads_hook.append(note)  # type: ignore[attr-defined]
    try:
        with pytest.raises(ValueError, match=r"cannot be named here|no run is called"):
            read_opponent(text, "othello", ServerLimits())
    finally:
        sys._roads_hook.remove(note)  # type: ignore[attr-defined]
    names = ("saved", "SAVED", "evil", "player.toml", "hostname", "sent")
    assert not [path for path in opened if any(name in path for name in names)]
    assert not MARK.exists()


def test_the_page_makes_no_run_with_a_file(run: Path) -> None:
    from evoply.web.run_forms import config_asked
    from evoply.web.run_messages import StartRun

    ep.save_player("saved.json", "( white )", game="othello-6")
    for settings in (
        {"fitness.opponents": [{"player": "saved.json (not reproducible)"}]},
        {"fitness.opponents": [{"player": json.dumps(ENGINE)}]},
        {"initialisation.seeds": ["saved.json"]},
        {"initialisation.seeds": ["saved.json (not reproducible)"]},
        {"game": "python:evil.py:P"},
        {"game": "evil.json"},
        {"player.code": pinned("Evil")},
        {"variation.operators.x": pinned("f"), "variation.custom.x": 0.1},
    ):
        with pytest.raises(ValueError):  # noqa: PT011 - of many kinds
            config_asked(StartRun(preset="quick", settings=settings), ServerLimits())
    assert not MARK.exists()


def test_an_experiment_that_was_opened_imports_nothing(evil: Path) -> None:
    path = experiment()
    setup = path / "setups" / "1.toml"
    for learner in (pinned("P"), f"python:{os.path.relpath('evil.py')}:P#{sha('evil.py')}"):
        setup.write_text(f'learner = "{learner}"\ngame = "othello-4"\nseed = 1\n')
        sealed_experiment(path)
        with pytest.raises(ValueError, match=r"--code-in-runs|is absolute"):
            run_experiment(find_experiment("sent"), workers=1)
        with pytest.raises(ValueError, match=r"--code-in-runs|is absolute"):
            estimated_cost(find_experiment("sent"))
        assert not MARK.exists()


def test_who_names_a_part_of_a_file_names_no_other(evil: Path) -> None:
    Path("mine.py").write_text(f"import subprocess\ndef f(tree, stream): return 0.0\n# {evil}\n")
    assert OwnCode.from_text("python:mine.py:f").named_by_user().loaded()
    where = f"python:{Path('mine.py').resolve()}"
    for name in ("subprocess", "subprocess.Popen"):
        with pytest.raises(ValueError, match="--code-in-runs"):
            carried_code(f"{where}:{name}#{sha('mine.py')}").loaded()
    with pytest.raises(ValueError, match="a module inside a module"):
        OwnCode.from_text("python:mine.py:subprocess.Popen").named_by_user().loaded()


def test_no_file_takes_the_place_of_a_preset_that_evoply_names(evil: Path) -> None:
    for preset in ("quick", "gpjpp"):
        Path(preset).write_text('game = "python:evil.py:P"\n')
    with TestClient(page(), base_url="http://127.0.0.1:8000") as client:
        assert client.get("/api/presets/quick").status_code == 200
    league_folder("league", game="othello", budget=0.1, seeds=1, games=2, depth=0,
                  methods=("liao", "firebrand", "tuples"), paces="reference")  # fmt: skip
    assert not MARK.exists()


def test_processes_of_evoply_import_nothing_from_here(evil: Path) -> None:
    Path("numbers.py").write_text(Path("evil.py").read_text())
    Path("small.toml").write_text(config_to_toml(small_config()), encoding="utf-8")
    path = experiment("small.toml")
    assert main(["experiment", str(path), "--workers=1"]) == 0
    assert not MARK.exists()


def test_what_a_users_file_reads_is_the_users(run: Path) -> None:
    ep.save_player("saved.json", "greedy")
    Path("reads.py").write_text("import evoply as ep\nP = ep.parse_player('saved.json')\n")
    code = OwnCode.from_text("python:reads.py:P").named_by_user()
    with carried():
        assert code.loaded().label


@pytest.mark.parametrize("kind", ["link", "dangling link", "pipe", "view"])
def test_the_games_of_a_league_are_a_plain_file(evil: Path, kind: str) -> None:
    """A link would be written through, a pipe waited for, and a view may never end."""
    folder = league_folder("league", game="othello", budget=0.1, seeds=1, games=2, depth=0,
                           methods=("liao", "firebrand", "tuples"), paces="reference")  # fmt: skip
    with kept_in(Path("precious.db")):
        before = Path("precious.db").read_bytes()
    games = folder.path / "games.db"
    match kind:
        case "link":
            games.symlink_to(Path("precious.db").resolve())
        case "dangling link":
            games.symlink_to(Path("new.db").resolve())
        case "pipe":
            os.mkfifo(games)
        case "view":
            with games_of(folder):
                pass
            connection = sqlite3.connect(games)
            connection.execute("CREATE VIEW endless AS SELECT 1")
            connection.close()
    with pytest.raises(RunError, match=r"no plain file|views, triggers"), games_of(folder):
        pass
    with pytest.raises(RunError, match=r"no plain file|views, triggers"):
        pairings_of(folder)
    assert Path("precious.db").read_bytes() == before
    assert not Path("new.db").exists()
