"""Games over the API: they follow the rules, players answer, and nothing acknowledged is lost."""

import ast
import asyncio
import importlib
import json
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from web_server import HOST, client, command

import evoply as ep
from evoply.games import DATA_GAMES, GAMES, game_added, game_rules
from evoply.games.drawing import COLORS
from evoply.players.searcher import asked as asked_of
from evoply.rules import Rules, step
from evoply.web import GameStore, Rate, ServerLimits
from evoply.web.messages import LEVELS, levels_of
from evoply.web.thinking import read_opponent
from waiting import PATIENCE, children_seconds, cpu_seconds, until, until_it_computes


def _board(cells: str) -> tuple[int, int, int]:
    sets = ("bB", "wW", "BW")
    black, white, kings = (
        sum(1 << square for square, one in enumerate(cells) if one in letters) for letters in sets
    )
    return black, white, kings


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.long] * name.endswith("-10")) for name in GAMES],
)
def test_a_game_over_the_api_is_the_game_of_the_library(name: str, tmp_path: Path) -> None:
    record = game_rules(name).record()
    fast = Rate(1e6, 1e6)  # a long game would otherwise be refused where the machine is quick
    with client(tmp_path, ServerLimits(requests=fast, changes=fast)) as api:
        state = api.post("/api/games", json={"game": name}).json()
        while record.outcome() is None:
            legal = [str(move) for move in record.position.legal_moves]
            assert [move["text"] for move in state["legal"]] == legal
            assert _board(state["cells"]) == record.position.row[:3]
            assert state["turn"] == record.position.turn.value
            move = legal[len(record) * 7 % len(legal)]
            record = record.play(move)
            while record.outcome() is None and record.position.legal_moves.must_pass:
                record = record.play(record.position.legal_moves[0])
            state = api.post(f"/api/games/{state['id']}/moves", json={"move": move}).json()
        assert state["is_over"]
        assert state["legal"] == []
        assert state["transcript"] == str(record)
        winner = record.outcome().winner
        assert state["winner"] == (None if winner is None else winner.value)
        again = api.get(f"/api/games/{state['id']}").json()
        assert again == state
    with client(tmp_path) as api:  # another server, which reads the file
        assert api.get(f"/api/games/{state['id']}").json()["moves"] == state["moves"]


def test_a_player_answers_and_is_taken_back_with_the_move(tmp_path: Path) -> None:
    with client(tmp_path) as api:
        game = api.post("/api/games", json={"white": "greedy", "seed": 1}).json()
        path = f"/api/games/{game['id']}"
        echo = api.post(f"{path}/moves", json={"move": "f5", "ply": 0}).json()
        assert [move["text"] for move in echo["moves"]] == ["f5"]
        state = until(lambda: (s := api.get(path).json())["turn"] == "black" and s)
        assert len(state["moves"]) == 2
        assert state["version"] > echo["version"]
        assert api.post(f"{path}/moves", json={"move": "f5", "ply": 0}).status_code == 409
        assert api.post(f"{path}/moves", json={"move": "a1"}).status_code == 422
        back = api.post(f"{path}/undo", json={}).json()
        assert (back["moves"], back["cells"]) == ([], game["cells"])
        assert api.post(f"{path}/undo", json={}).status_code == 409


def test_both_sides_can_be_left_to_players_and_taken_over(tmp_path: Path) -> None:
    with client(tmp_path) as api:
        game = api.post("/api/games", json={"game": "othello-4"}).json()
        path = f"/api/games/{game['id']}"
        api.post(f"{path}/seats", json={"black": "random", "white": "greedy"})
        assert api.post(f"{path}/moves", json={"move": "a2"}).status_code == 409
        until(lambda: len(api.get(path).json()["moves"]) >= 2)
        state = api.post(f"{path}/seats", json={"black": "person", "white": "person"}).json()
        assert not state["is_thinking"]
        assert state["black"]["player"] == "person"
        state = api.post(f"{path}/moves", json={"move": state["legal"][0]["text"]}).json()
        assert "error" not in state


def test_games_with_the_same_seed_are_the_same(tmp_path: Path) -> None:
    def transcript(api: Any) -> str:
        asked = {"game": "othello-4", "black": "random", "white": "random", "seed": 7}
        path = f"/api/games/{api.post('/api/games', json=asked).json()['id']}"
        state = until(lambda: (s := api.get(path).json())["is_over"] and s)
        return str(state["transcript"])

    with client(tmp_path) as api:
        assert transcript(api) == transcript(api)


@pytest.mark.parametrize(
    ("text", "game", "plies"),
    [
        ("f5d6c3", "othello", 3),
        ("1. F5 d6 2. C3", "othello", 3),
        ("---- -OX- -XO- ---- X", "othello-4", 0),
        ("11-15 23-19", "checkers", 2),
        ("W:W18,K24:B1,12", "checkers", 0),
        ('[GameType "21"]\n1. 11-15 23-19 *', "checkers", 2),
        ("(;GM[Othello]PB[a]PW[b]TY[8]BO[8 ---------------------------O*------*O"
         "--------------------------- *]B[F5]W[D6];)", "othello", 2),
    ],
)  # fmt: skip
def test_what_is_pasted_is_recognised(text: str, game: str, plies: int, tmp_path: Path) -> None:
    with client(tmp_path) as api:
        state = api.post("/api/games", json={"position": text}).json()
        assert (state.get("game"), len(state["moves"])) == (game, plies), state


def test_an_illegal_move_that_is_pasted_is_explained_in_a_line(tmp_path: Path) -> None:
    with client(tmp_path) as api:
        answer = api.post("/api/games", json={"position": "f5d6c3d7"})
    assert answer.status_code == 422
    line = "position: move 4 (d7) at column 7: illegal move d7 for White: legal is d3 f3 f4 g5"
    assert line in answer.text
    assert "a b c d" not in answer.text


def test_a_board_that_was_set_up_is_the_board(tmp_path: Path) -> None:
    with client(tmp_path) as api:
        board = {"cells": ".....wb..bw.....", "turn": "white"}
        state = api.post("/api/games", json={"game": "othello-4", "board": board}).json()
        assert (state["cells"], state["turn"]) == (board["cells"], "white")
        wrong = api.post("/api/games", json={"game": "othello", "board": board})
        assert wrong.status_code == 422
        assert "64" in wrong.json()["error"]


def test_every_copy_reads_back_as_the_same_game(tmp_path: Path) -> None:
    with client(tmp_path) as api:
        for game, moves, forms in (
            ("othello", "f5d6c3d3c4", ("transcript", "ggf", "games")),
            ("checkers", "11-15 23-19 8-11 22-17", ("transcript", "pdn", "games")),
        ):
            state = api.post("/api/games", json={"game": game, "position": moves}).json()
            for form in forms:
                text = api.get(f"/api/games/{state['id']}/copy?form={form}").text
                if form == "games":
                    assert len(json.loads(text)["moves"]) == len(state["moves"])
                    continue
                again = api.post("/api/games", json={"game": game, "position": text}).json()
                assert again["moves"] == state["moves"]
        picture = api.get(f"/api/games/{state['id']}/copy?form=svg").text
        assert picture.startswith("<svg")
        assert ">4</text>" in picture
        wrong = api.get(f"/api/games/{state['id']}/copy?form=ggf")
        assert wrong.status_code == 422


def test_values_are_those_of_analyse(tmp_path: Path) -> None:
    import evoply as ep
    from evoply.reports import Adviser

    record = ep.othello.Game.from_transcript("f5d6c3")
    with client(tmp_path) as api:
        state = api.post("/api/games", json={"position": "f5d6c3"}).json()
        answer = api.post(
            f"/api/games/{state['id']}/values", json={"player": "material:depth=3", "seconds": 1.0}
        ).json()
    choice = ep.analyse(f"material:depth={answer['depth']}", record, every_move=True)
    with Adviser("othello", "material:depth=3") as adviser:
        advice = adviser.values(record, depth=answer["depth"])
    assert advice.raw == choice.moves
    assert [(one["move"], one["value"]) for one in answer["moves"]] == [
        (str(move), worth) for move, worth in advice.moves
    ]
    assert [one["text"] for one in answer["moves"]] == [f"{one:+.1f}" for _, one in advice.moves]
    assert answer["best"] == str(advice.best)
    assert (answer["unit"], answer["exact"]) == ("discs", False)


def test_the_x_ray_is_that_of_the_library(tmp_path: Path) -> None:
    import evoply as ep

    with client(tmp_path) as api:
        asked = {"position": "f5d6c3", "black": "person", "white": "swh"}
        path = f"/api/games/{api.post('/api/games', json=asked).json()['id']}"
        until(lambda: len(api.get(path).json()["moves"]) == 4)
        shown = api.post(f"{path}/xray", json={"ply": 3}).json()
        seen = ep.xray("swh", ep.othello.Game.from_transcript("f5d6c3"))
        assert shown["squares"] == list(seen.squares)
        assert (shown["player"], shown["own"], shown["value"]) == ("swh", "white", seen.value)
        assert [one["adds"] for one in shown["features"]] == [one.adds for one in seen.features]
        tree = api.post(f"{path}/xray", json={"player": "( + white 10 )"}).json()
        assert "<tspan" in tree["tree"]
        assert api.post(f"{path}/xray", json={"player": "random"}).status_code == 409
        assert api.post(f"{path}/xray", json={"ply": 99}).status_code == 409
        nobody = {"position": "f5d6c3", "black": "random"}
        path = f"/api/games/{api.post('/api/games', json=nobody).json()['id']}"
        assert api.post(f"{path}/xray", json={}).json()["player"] == "strong"


def test_the_x_ray_of_an_online_player_shows_what_it_chose_by(tmp_path: Path) -> None:
    import evoply as ep

    player = "online:population=6,generations=1,games=2"
    with client(tmp_path) as api:
        asked = {"position": "f5d6c3", "white": player, "seconds": 10.0, "seed": 4}
        path = f"/api/games/{api.post('/api/games', json=asked).json()['id']}"
        state = until(lambda: (s := api.get(path).json())["turn"] == "black" and s)
        shown = api.post(f"{path}/xray", json={}).json()
        # Later moves begin with the strategy of earlier ones.
        api.post(f"{path}/moves", json={"move": state["legal"][0]["text"]})
        state = until(lambda: (s := api.get(path).json())["turn"] == "black" and s)
        later = api.post(f"{path}/xray", json={}).json()["squares"]
    seat = ep.parse_player(player, game="othello").seat("othello")
    record = ep.othello.Game.from_transcript("f5d6c3")
    choice = asked_of(seat, record, ep.Stream(4, "play", "game"), clock=ep.Clock(move_seconds=10))
    assert str(choice.move) == state["moves"][3]["text"]
    assert shown["squares"] == list(choice.notes["weights"])
    record = ep.othello.Game.from_transcript("".join(one["text"] for one in state["moves"][:5]))
    choice = asked_of(seat, record, ep.Stream(4, "play", "game"), clock=ep.Clock(move_seconds=10))
    assert str(choice.move) == state["moves"][5]["text"]
    assert later == list(choice.notes["weights"])


def test_clocks_run_and_flags_fall(tmp_path: Path) -> None:
    with client(tmp_path) as api:
        state = api.post("/api/games", json={"clock": "0.3"}).json()
        path = f"/api/games/{state['id']}"
        assert 0 < state["black"]["seconds_left"] <= 0.3
        state = until(lambda: (s := api.get(path).json())["is_over"] and s)
        assert state["winner"] == "white"
        assert "flag" in state["result"]
        assert api.post(f"{path}/moves", json={"move": "f5"}).status_code == 409
        long = api.post("/api/games", json={"clock": "100+5"}).json()
        after = api.post(f"/api/games/{long['id']}/moves", json={"move": "f5"}).json()
        assert 104 < after["black"]["seconds_left"] <= 105


def test_a_page_hears_of_every_change(tmp_path: Path) -> None:
    with client(tmp_path) as api:
        state = api.post("/api/games", json={}).json()
        path = f"/api/games/{state['id']}"
        headers = {"origin": f"http://{HOST}", "host": HOST}
        with api.websocket_connect(f"{path}/live", headers=headers) as socket:
            assert socket.receive_json()["moves"] == []
            api.post(f"{path}/moves", json={"move": "f5"})
            assert [move["text"] for move in socket.receive_json()["moves"]] == ["f5"]


PLAYED = """
import sys
from pathlib import Path
from web.web_server import client

with client(Path(sys.argv[1])) as api:
    for path in ("/", "/static/look.css", "/static/app.js", "/api/rules"):
        assert api.get(path).status_code == 200
    game = api.post("/api/games", json={"white": "greedy"}).json()
    assert api.post(f"/api/games/{game['id']}/moves", json={"move": "f5"}).status_code == 200
print(sorted({name.split(".")[1] for name in sys.modules if name.startswith("evoply.")}))
"""


def test_whoever_plays_waits_for_nothing_else(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PLAYED, tmp_path],
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = set(ast.literal_eval(done.stdout))
    assert {"web", "players", "games"} <= loaded
    assert not loaded & {"runs", "evolution", "learning", "reports", "experiments", "studies"}


@pytest.mark.parametrize("row", LEVELS, ids=lambda row: row["player"])
def test_every_level_plays_its_games(row: Any) -> None:
    for game, elo in row["ratings"].items():
        assert (row["player"], elo) in [(level.player, level.elo) for level in levels_of(game)]
        read_opponent(row["player"], game, ServerLimits())


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=6,
)
_FIELDS = (
    "game", "black", "white", "clock", "seconds", "seed", "position", "board", "move", "ply",
    "player", "to_ply", "x",
)  # fmt: skip


def test_no_request_is_answered_with_a_failure(tmp_path: Path) -> None:
    with client(tmp_path) as api:
        game = api.post("/api/games", json={}).json()["id"]

        @given(
            st.dictionaries(st.sampled_from(_FIELDS), _VALUES, max_size=4),
            st.sampled_from(
                ["", *(f"/{game}/{end}" for end in ("moves", "undo", "seats", "values", "xray"))]
            ),
        )
        def try_it(body: dict[str, Any], where: str) -> None:
            answer = api.post(f"/api/games{where}", content=json.dumps(body))
            assert answer.status_code < 500, answer.text
            assert answer.status_code < 400 or answer.json()["error"]

        try_it()


def test_a_player_that_is_no_more_leaves_its_side_to_a_person(tmp_path: Path) -> None:
    with client(tmp_path) as api:
        game = api.post("/api/games", json={"white": "greedy", "black": "person"}).json()["id"]

    async def seat_another() -> None:
        store = GameStore(tmp_path / "web-games.db")
        await store.seat(game, "person", "champion@gone")
        store.close()

    asyncio.run(seat_another())
    with client(tmp_path) as api:
        state = api.get(f"/api/games/{game}").json()
        assert state["white"]["player"] == "person"
        assert "gone" in state["trouble"]
        for move in ("f5", "d6"):
            state = api.post(f"/api/games/{game}/moves", json={"move": move}).json()
        assert len(state["moves"]) == 2
        state = api.post(f"/api/games/{game}/seats", json={"white": "random"}).json()
        assert state["trouble"] is None


def _post(url: str, token: str, body: dict[str, Any]) -> dict[str, Any]:
    request = urllib.request.Request(
        url,
        json.dumps(body).encode(),
        {"authorization": f"Bearer {token}", "content-type": "application/json"},
    )
    with urllib.request.urlopen(request) as answer:
        found: dict[str, Any] = json.load(answer)
    return found


def test_an_acknowledged_move_survives_kill_9(tmp_path: Path) -> None:
    with command(tmp_path) as (process, told):
        url = f"{told['url']}/api/games"
        state = _post(url, told["token"], {"game": "othello"})
        for move in ("f5", "d6", "c3"):
            state = _post(f"{url}/{state['id']}/moves", told["token"], {"move": move})
        process.send_signal(signal.SIGKILL)
        process.wait()
    with client(tmp_path) as api:
        assert api.get(f"/api/games/{state['id']}").json()["moves"] == state["moves"]
        # One server at a time has the file.
        with pytest.raises(ValueError, match="another `evoply web`"), client(tmp_path):
            pass


def test_ctrl_c_ends_it_also_while_a_player_thinks(tmp_path: Path) -> None:
    with command(tmp_path) as (process, told):
        url = f"{told['url']}/api/games"
        _post(url, told["token"], {"black": "material:depth=20", "seconds": 10.0})
        until_it_computes(process.pid, 0.1)
        computed = cpu_seconds(process.pid)
        process.send_signal(signal.SIGINT)
        before = children_seconds()
        assert process.wait(timeout=PATIENCE) == 0
        # In seconds of its own: a loaded machine may keep it waiting.
        assert children_seconds() - before - computed < 8
        assert process.stderr is not None
        assert process.stderr.read() == ""


def test_a_game_from_data_is_gone_on_with_by_its_own_rules(tmp_path: Path) -> None:
    def race(no_move: str) -> Rules:
        return Rules(
            name="hop",
            rows=4,
            columns=4,
            black="1",
            white="4",
            moves=step(ep.board.own, "forward", onto=ep.board.empty),
            no_move=no_move,
        )

    with game_added(race("loses")), client(tmp_path) as api:
        game = api.post("/api/games", json={"game": "hop"}).json()["id"]
        assert api.post(f"/api/games/{game}/moves", json={"move": "a1-a2"}).status_code == 200
    with game_added(race("loses")), client(tmp_path) as api:
        assert len(api.get(f"/api/games/{game}").json()["moves"]) == 1
    with client(tmp_path) as api:
        answer = api.get(f"/api/games/{game}")
        assert answer.status_code == 409
        assert "hop has rules of its own" in answer.json()["error"]
        assert "--game" in answer.json()["error"]
        listed = [found["game"] for found in api.get("/api/games").json()["games"]]
        assert listed == [f"hop@{race('loses').digest[:16]}"]
    with game_added(race("wins")), client(tmp_path) as api:
        answer = api.get(f"/api/games/{game}")
        assert answer.status_code == 409
        assert "other rules there than here" in answer.json()["error"]


def test_a_package_whose_files_are_links_has_its_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Some installers link to the files that they keep elsewhere.
    linked = tmp_path / "static"
    linked.mkdir()
    application = importlib.import_module("evoply.web.application")
    for file in application._STATIC.iterdir():
        (linked / file.name).symlink_to(file)
    (tmp_path / "other.txt").write_text("not for all")
    monkeypatch.setattr(application, "_STATIC", linked)
    with client(tmp_path) as api:
        assert api.get("/static/app.js").status_code == 200
        for path in ("/static/../other.txt", "/static/%2e%2e/other.txt"):
            assert "not for all" not in api.get(path).text


def test_the_page_has_the_colours_of_the_reports(tmp_path: Path) -> None:
    with client(tmp_path) as api:
        look = api.get("/static/look.css").text
        assert all(f"--{name}: {color};" in look for name, color in COLORS.items())
        page = api.get("/").text
        assert "secret" in page
        names = [one["game"] for one in api.get("/api/rules").json()]
        assert names == [*GAMES, *DATA_GAMES]
        assert "/api/games" in api.get("/api/openapi.json").json()["paths"]


@pytest.mark.parametrize("game", [*GAMES, *DATA_GAMES])
def test_every_adviser_values_moves(game: str, tmp_path: Path) -> None:
    with client(tmp_path) as api:
        rules = next(one for one in api.get("/api/rules").json() if one["game"] == game)
        state = api.post("/api/games", json={"game": game, "white": "random"}).json()
        path = f"/api/games/{state['id']}/values"
        answer = api.post(path, json={"player": rules["adviser"]}).json()
        legal = {move["text"] for move in state["legal"]}
        assert {one["move"] for one in answer["moves"]} == legal
        assert api.post(path, json={}).json()["player"] == answer["player"]
