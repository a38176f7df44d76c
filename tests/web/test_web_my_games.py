"""My games: the list of those that were played, resigning, deleting, beginning again, downloads."""

import io
from pathlib import Path
from typing import Any

import pytest
from web_server import HOST, client

import evoply as ep
from evoply.games import game_rules
from evoply.games.formats import FORMATS
from waiting import until

PASS = "d3c3e6d2d1e1b2c1a3"
"""A game of Othello in which Black must pass before the last move."""


def _begun(api: Any, **asked: Any) -> dict[str, Any]:
    found: dict[str, Any] = api.post("/api/games", json=asked).json()
    return found


def test_the_list_says_who_played_and_how_it_ended(tmp_path: Path) -> None:
    with client(tmp_path) as api:
        asked = {"game": "othello-4", "black": "random", "white": "greedy", "seed": 3}
        over = _begun(api, **asked)
        until(lambda: api.get(f"/api/games/{over['id']}").json()["is_over"])
        going = _begun(api, game="othello", white="strong:level=4", position="f5")
        listed = api.get("/api/games").json()
        assert [one["id"] for one in listed["games"]] == [going["id"], over["id"]]
        assert not listed["more"]
        last, first = listed["games"]
        assert (last["title"], last["black_label"]) == ("Othello 8x8", "You")
        assert last["white_label"] == "Casual" == going["white"]["label"]
        assert (last["is_over"], last["result"]) == (False, None)
        state = api.get(f"/api/games/{over['id']}").json()
        assert first["is_over"]
        assert first["result"] == state["result"]
        assert first["plies"] == len(state["moves"])
        # The words agree with the rules, played again here.
        record = game_rules("othello-4").record()
        for move in state["moves"]:
            record = record.play(move["text"])
        winner = record.outcome().winner
        assert (winner is None) == ("draw" in first["result"])
        assert winner is None or f"wins as {winner}" in first["result"]


@pytest.mark.parametrize(
    ("search", "found"),
    [
        ("", "abc"),
        ("casual", "b"),
        ("strong:level=4", "b"),
        ("checkers", "c"),
        ("american", "c"),
        ("8x8 grabs", "a"),
        ("GREEDY", "a"),
        ("othello person", "ab"),
        ("checkers greedy", ""),
        ("100%", ""),
        ("_", ""),
        ("20", "abc"),  # the century they began in
    ],
)
def test_every_word_of_a_search_is_looked_for(search: str, found: str, tmp_path: Path) -> None:
    with client(tmp_path) as api:
        ids = {
            _begun(api, game="othello", white="greedy")["id"]: "a",
            _begun(api, game="othello", white="strong:level=4")["id"]: "b",
            _begun(api, game="checkers", white="person")["id"]: "c",
        }
        listed = api.get("/api/games", params={"search": search}).json()["games"]
        assert sorted(ids[one["id"]] for one in listed) == list(found)
        day = listed[0]["created"][:10] if listed else "1999-12-31"
        dated = api.get("/api/games", params={"search": f"{search} {day}"}).json()["games"]
        assert len(dated) == len(found)


def test_the_list_comes_in_pieces_and_by_game(tmp_path: Path) -> None:
    with client(tmp_path) as api:
        ids = [_begun(api, game="othello-4", position="a2" * (n % 2))["id"] for n in range(33)]
        checkers = _begun(api, game="checkers")["id"]
        first = api.get("/api/games").json()
        assert first["more"]
        second = api.get("/api/games", params={"offset": len(first["games"])}).json()
        assert not second["more"]
        found = [one["id"] for one in (*first["games"], *second["games"])]
        assert found == [checkers, *reversed(ids)]
        only = api.get("/api/games", params={"game": "checkers"}).json()["games"]
        assert [one["id"] for one in only] == [checkers]
        played = api.get("/api/games", params={"played": True}).json()["games"]
        assert [one["id"] for one in played] == [*reversed(ids[1::2])]
        assert api.get("/api/games", params={"game": "chess"}).status_code == 422
        assert api.get("/api/games", params={"offset": -1}).status_code == 422


def test_a_deleted_game_is_gone_and_pages_hear_of_it(tmp_path: Path) -> None:
    headers = {"origin": f"http://{HOST}", "host": HOST}
    with client(tmp_path) as api:
        kept = _begun(api, position="f5d6")
        game = _begun(api, position="f5d6c3")
        path = f"/api/games/{game['id']}"
        with api.websocket_connect(f"{path}/live", headers=headers) as socket:
            assert len(socket.receive_json()["moves"]) == 3
            assert api.delete(path).status_code == 204
            told = socket.receive()
            assert (told["type"], told["code"]) == ("websocket.close", 1008)
            assert "deleted" in told["reason"]
        assert api.get(path).status_code == 404
        assert api.post(f"{path}/moves", json={"move": "d3"}).status_code == 404
        assert api.delete(path).status_code == 404
        assert [one["id"] for one in api.get("/api/games").json()["games"]] == [kept["id"]]
    with client(tmp_path) as api:  # of one that is not in memory, after a restart
        assert api.get(path).status_code == 404
        assert api.delete(f"/api/games/{kept['id']}").status_code == 204
        # Its number in the file may be used again, by a game without its moves.
        assert _begun(api)["moves"] == []
        headers = {"authorization": "Bearer wrong"}
        assert api.delete(f"/api/games/{kept['id']}", headers=headers).status_code == 401


def test_a_game_that_is_thought_about_can_be_deleted(tmp_path: Path) -> None:
    with client(tmp_path) as api:
        game = _begun(api, black="material:depth=20", seconds=10.0)
        assert api.delete(f"/api/games/{game['id']}").status_code == 204
        assert api.get(f"/api/games/{game['id']}").status_code == 404


def test_resigning_loses_the_game(tmp_path: Path) -> None:
    with client(tmp_path) as api:
        path = f"/api/games/{_begun(api, position='f5d6', white='greedy')['id']}"
        refused = api.post(f"{path}/resign", json={"color": "white"})
        assert refused.status_code == 409
        assert "your own side" in refused.json()["error"]
        state = api.post(f"{path}/resign", json={"color": "black"}).json()
        assert (state["is_over"], state["winner"], state["legal"]) == (True, "white", [])
        assert state["result"] == "Grabs what it can wins as White: Black gives up"
        assert api.post(f"{path}/resign", json={"color": "black"}).status_code == 409
        assert api.post(f"{path}/resign", json={"color": "green"}).status_code == 422
        (listed,) = api.get("/api/games").json()["games"]
        assert (listed["is_over"], listed["result"]) == (True, state["result"])
    with client(tmp_path) as api:
        assert api.get(path).json()["result"] == state["result"]
        # Taking a move back takes that back, too.
        assert not api.post(f"{path}/undo", json={}).json()["is_over"]


def test_another_game_begins_with_the_same_players(tmp_path: Path) -> None:
    with client(tmp_path) as api:
        asked = {"position": "f5d6c3", "black": "person", "white": "person", "clock": "60+1"}
        game = _begun(api, **asked)
        path = f"/api/games/{game['id']}"
        rematch = api.post(f"{path}/again", json={}).json()
        assert (rematch["moves"], rematch["clock"]) == ([], "60+1")
        assert rematch["id"] != game["id"]
        branch = api.post(f"{path}/again", json={"ply": 2, "moves": ["c4", "d3"]}).json()
        assert [one["text"] for one in branch["moves"]] == ["f5", "d6", "c4", "d3"]
        assert [one["text"] for one in api.get(path).json()["moves"]] == ["f5", "d6", "c3"]
        assert api.post(f"{path}/again", json={"ply": 9}).status_code == 409
        wrong = api.post(f"{path}/again", json={"ply": 2, "moves": ["a1"]})
        assert wrong.status_code == 422
        assert "moves: " in wrong.json()["error"]


def test_a_pass_is_played_where_another_game_begins(tmp_path: Path) -> None:
    # The page has no square for a pass, so nobody could go on from there.
    with client(tmp_path) as api:
        game = _begun(api, position=PASS)
        passes = [one["text"] for one in game["moves"]].index("pass")
        branch = api.post(f"/api/games/{game['id']}/again", json={"ply": passes}).json()
        assert [one["text"] for one in branch["moves"]][passes:] == ["pass"]
        assert all(one["path"] for one in branch["legal"])


def test_a_line_shows_boards_and_changes_nothing(tmp_path: Path) -> None:
    with client(tmp_path) as api:
        game = _begun(api, position="f5d6c3")
        path = f"/api/games/{game['id']}"
        line = api.post(f"{path}/line", json={"ply": 2, "moves": ["c4", "d3"]}).json()
        branch = _begun(api, position="f5d6c4d3")
        assert line["moves"] == branch["moves"][2:]
        assert api.get(path).json() == game
        assert api.post(f"{path}/line", json={"ply": 4, "moves": []}).status_code == 409


def test_all_games_are_one_file_that_reads_back(tmp_path: Path) -> None:
    with client(tmp_path) as api:
        texts = ["f5", "f5d6", "f5d6c3", "f5d6c3d3"]
        for text in texts * 15:  # more than are read at once
            _begun(api, position=text, white="strong:level=2" if text == "f5d6" else "person")
        _begun(api)  # without a move: left out
        checkers = _begun(api, game="checkers", position="11-15 23-19")
        api.post(f"/api/games/{checkers['id']}/resign", json={"color": "black"})
        answer = api.get("/api/games/download", headers={"authorization": ""})
        assert 'filename="evoply-games.jsonl"' in answer.headers["content-disposition"]
        games = list(FORMATS["games"].read(io.BytesIO(answer.content), None, None, None))
        assert [str(one.record) for one in games[:-1]] == [
            str(ep.othello.Game.from_transcript(text)) for text in texts * 15
        ]
        assert (games[1].black, games[1].white) == ("Black", "strong:level=2")
        last = games[-1]
        assert (last.record.position.game, last.winner) == ("checkers", ep.Color.WHITE)
