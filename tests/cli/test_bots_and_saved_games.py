"""Bots, saved games, `watch` and `analyse` on the command line."""

import io
import json
from pathlib import Path

import pytest
from command_line import call, ended, shown_in_terminal, start

from evoply.arena import match
from evoply.cli.saving import saving
from evoply.environment import without_checksum
from evoply.games import game_rules
from evoply.games.formats import GamePlayed, saved
from waiting import until

FIRST = """
class First:
    def choose(self, game, stream, clock):
        print("a line of the bot's own")
        return game.position.legal_moves[0]
"""
RAISES = """
class Raises:
    def choose(self, game, stream, clock):
        raise KeyError("no move")
"""
RAISES_LATE = """
class Late:
    def choose(self, game, stream, clock):
        if game.position.ply > 8:
            raise KeyError("no move")
        return game.position.legal_moves[0]
"""
HANGS = """
import time

class Hangs:
    def choose(self, game, stream, clock):
        open("asked", "w").close()
        time.sleep(1000)
"""


def test_a_folder_of_bots_in_a_tournament(
    workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = workplace / "students"
    folder.mkdir()
    for name, text in {"ann": FIRST, "bob": RAISES_LATE, "notes": "x = 1\n"}.items():
        (folder / f"{name}.py").write_text(text)
    arguments = ("tournament", "students", "greedy", "--game", "othello-6", "--games", "2")
    answer = call(capsys, *arguments, "--json", "--html", "round-robin.html")
    assert answer.code == 0, answer.err
    assert set(answer.data["players"]) == {"ann.py", "bob.py", "greedy"}
    lost = [{**one, "reason": one["reason"][:16]} for one in answer.data["forfeits"]]
    assert lost == [
        {"player": "bob.py", "opponent": other, "reason": "raised KeyError:", "games": 2,
         "by_time": False}
        for other in ("ann.py", "greedy")
    ]  # fmt: skip
    assert "bob.py forfeited 4 games against ann.py, greedy: raised KeyError" in answer.err
    # Games that were only given away say nothing of how anybody plays.
    ratings = {one["player"]: one["rating"] for one in answer.data["standings"]}
    assert ratings.pop("bob.py") is None
    assert sum(ratings.values()) == pytest.approx(0)
    table = answer.err.partition("Seed")[0]
    assert "4: raised KeyError: 'no move' (line 5)" in " ".join(table.split())
    # What holds for several is one line.
    assert answer.err.count(" ran without a sandbox") == 1
    assert "ann.py, bob.py ran without a sandbox" in answer.err
    ordered = call(capsys, *arguments, "--mode", "elimination", "--html", "elimination.html")
    assert "bob.py forfeited" in ordered.out
    for mode in ("round-robin", "elimination"):
        page = Path(f"{mode}.html").read_text()
        assert "Forfeited games" in page
        assert "raised KeyError" in page
    (workplace / "field.toml").write_text('[[player]]\nplayer = "students/ann.py"\nname = "Ann"\n')
    data = call(capsys, "tournament", "greedy", "--field", "field.toml", "--games", "2", "--json")
    assert data.data["players"] == ["Ann", "greedy"]


def test_bots_that_cannot_be_loaded_are_named_and_the_others_play(
    workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = workplace / "students"
    folder.mkdir()
    hand_ins = {
        "ann": FIRST,
        "bea": "class Bea\n",
        "cem": "import no_such_module\n" + FIRST,
        "dan": FIRST + RAISES,
        "eva": "x = (\n",
        "fay": FIRST.replace(", stream, clock", ""),
        "gus": RAISES,
        "hal": FIRST.replace("def choose", "def __init__(self, depth): ...\n\n    def choose"),
        "ida": FIRST.replace("game.position.legal_moves[0]", "'a1'"),
    }
    for name, text in hand_ins.items():
        (folder / f"{name}.py").write_text(text)
    arguments = ("tournament", "students", "random", "--game", "othello-4", "--games", "4")
    answer = call(capsys, *arguments, "--json", "--html", "page.html", "--title", "7b & others")
    assert answer.code == 0, answer.err
    assert answer.data["title"] == "7b & others"
    page = Path("page.html").read_text()
    assert "<title>7b &amp; others</title>" in page
    assert sorted(answer.data["players"]) == ["ann.py", "random"]
    reasons = {
        "bea": "line 1: expected ':'",
        "cem": "ModuleNotFoundError: No module named 'no_such_module' (line 1)",
        "dan": "several classes have a method choose",
        "eva": "line 1: '(' was never closed",
        "fay": "choose takes 2 arguments, and is given 4 - write `def choose(self, game, stream,",
        "gus": "raised KeyError: 'no move' (line 4) - mend that, and look whether it plays: evoply",
        "hal": "its class is made without arguments, and wants some - give every argument",
        "ida": "played the illegal move a1 - return one of game.position.legal_moves",
    }
    assert {Path(path).stem for path in answer.data["left_out"]} == set(reasons)
    for name, reason in reasons.items():
        assert f"students/{name}.py is left out: " in answer.err
        assert reason in answer.data["left_out"][f"students/{name}.py"]
        assert f"students/{name}.py</code></td>" in page
    assert page.count("left out: ") == len(reasons)
    assert "left_out" not in call(capsys, *arguments[:1], "greedy", *arguments[2:], "--json").data
    (folder / "ann.py").unlink()
    nobody = call(capsys, *arguments)
    assert nobody.code == 2
    assert "students/eva.py is left out: line 1" in nobody.out
    assert "players: 1 given" in nobody.err


def test_a_match_of_bots_says_who_forfeited_and_why(
    workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (workplace / "bob.py").write_text(RAISES)
    answer = call(capsys, "match", "bob.py", "random", "--games", "2", "--json")
    assert answer.code == 0
    assert (answer.data["losses"], answer.data["endings"]) == (2, {"forfeit": 2})
    assert answer.data["forfeits"][0]["player"] == "bob.py"
    (workplace / "slow.py").write_text(HANGS)
    workplace.chmod(0o777)  # the bots of root are nobody
    slow = call(capsys, "match", "slow.py", "random", "--games", "2", "--move-limit", "0.3")
    assert "slow.py forfeited 2 games against random: no move within 0.3 seconds" in slow.out
    assert "the same match may end differently" in slow.out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("match", "none.py", "random"), "none.py: there is no such file"),
        (("match", "two.py", "random"), "several classes have a method choose, First, Raises"),
        (("match", "two.py:Second", "random"), "no class 'Second'"),
        (("match", "wrong.py", "random"), "wrong.py: line 1: "),
        (("match", "two.py:First", "random", "--move-limit", "0"), "--move-limit: 0 is not"),
        (("match", "greedy", "random", "--watch", "--sprt", "0", "9"), "--watch"),
        (("tournament", "empty", "random"), "there is no bot in this folder"),
        (("tournament", "none/", "random"), "there is no folder none/: name one that is there"),
        (("analyse", "two.py:Raises"), "chooses no move: raised KeyError"),
        (("show", "two.py:First"), "is a bot"),
        (("watch", "nothing"), "nothing: there is no such file"),
        (("watch", "two.py"), "two.py: line 2: "),
        (("watch", "empty"), "empty: is a folder: name a file"),
        (("watch", "wrong.jsonl"), "wrong.jsonl: line 1: this is not a saved game: no JSON at col"),
    ],
)
def test_what_cannot_be_played(
    arguments: tuple[str, ...], says: str, workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (workplace / "two.py").write_text(FIRST + RAISES)
    (workplace / "wrong.py").write_text("class")
    (workplace / "empty").mkdir()
    (workplace / "wrong.jsonl").write_text("f5d6c3\n")
    answer = call(capsys, *arguments)
    assert answer.code == 2
    assert says in answer.err
    assert "Traceback" not in answer.err


@pytest.mark.parametrize("game", ["othello-6", "checkers"])
def test_saved_games_are_read_back(
    game: str, workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ("match", "greedy", "random", "--game", game, "--games", "12", "--json")
    result = call(capsys, *arguments, "--save-games", "games.jsonl").data
    again = call(capsys, *arguments).data
    assert result.pop("made_by")["command"] != again.pop("made_by")["command"]
    assert result == again
    lines = Path("games.jsonl").read_text().splitlines()
    assert len(lines) == 12
    points = 0.0
    for line, played in zip(lines, saved.read("\n".join(lines)), strict=True):
        data = json.loads(line)
        assert played.to_dict() == without_checksum(data)
        outcome = played.record.position.outcome()
        if data["result"]["ending"] == "board":
            assert outcome is not None
            assert outcome.winner is played.winner
        side = "black" if data["players"]["black"] == "greedy" else "white"
        points += data["result"]["points"][side]
        assert data["result"]["plies"] == len(played.record.moves) == len(data["moves"])
    assert points == result["wins"] + result["draws"] / 2
    shown = call(capsys, "watch", "games.jsonl")
    assert shown.code == 0
    assert shown.out.count("(Black) against") == 12
    one = call(capsys, "watch", "games.jsonl", "--game", "3", "--json")
    assert one.data["games"] == [{"number": 3, **without_checksum(json.loads(lines[3]))}]
    assert call(capsys, "watch", "games.jsonl", "--game", "12").code == 2
    tested = call(
        capsys, "match", "material:depth=2", "random", "--game", game, "--sprt", "0", "300",
        "--save-games", "test.jsonl", "--json",
    ).data  # fmt: skip
    assert len(Path("test.jsonl").read_text().splitlines()) >= tested["games"]


def test_games_are_saved_wholly_or_not_at_all(
    workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = call(capsys, "match", "random", "random", "--save-games", "no/such/folder.jsonl")
    assert answer.code == 2
    assert "no/such" in answer.err
    process = start(
        "match", "material:depth=6", "swh", "--games", "10000", "--save-games", "games.jsonl",
        cwd=workplace,
    )  # fmt: skip
    said = ended(process, lambda: until(lambda: any(workplace.glob(".games.jsonl*"))))
    assert process.returncode == 130, said
    assert not any(workplace.glob("*games.jsonl*"))


def test_a_match_is_watched_in_a_terminal(workplace: Path) -> None:
    code, text = shown_in_terminal(
        "match", "greedy", "random", "--game", "othello-4", "--watch", "--delay", "0",
        "--openings", "2", cwd=workplace,
    )  # fmt: skip
    assert code == 0
    assert text.count("(Black) against") == 2
    assert "ply 5 of" in text
    assert "wins as" in text or "a draw" in text
    assert "score" in text


def test_ctrl_c_while_a_bot_hangs(workplace: Path) -> None:
    (workplace / "hangs.py").write_text(HANGS)
    workplace.chmod(0o777)  # the bots of root are nobody
    # Its bots leave a file, which the sandbox would refuse.
    options = ("--games", "8", "--json", "--sandbox", "off")
    process = start("match", "hangs.py", "hangs.py", *options, cwd=workplace)
    out, err = ended(process, lambda: until((workplace / "asked").exists))
    assert process.returncode == 130
    assert json.loads(out) == {"error": "stopped", "exit_code": 130}
    assert "Traceback" not in err


KEYS = {
    "game", "position", "player", "move", "score", "view", "depth", "nodes", "seconds", "line",
    "moves", "seed", "outcome",
}  # fmt: skip


def test_what_a_player_thinks(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("analyse", "material:depth=3", "--position", "f5d6c3d3")
    data = call(capsys, *arguments, "--json").data
    assert set(data) == KEYS
    assert (data["view"], data["depth"], data["line"][0]) == ("black", 3, data["move"])
    first = data["moves"][0]
    assert (first["move"], first["score"], len(first["line"])) == (data["move"], data["score"], 3)
    for one in data["moves"]:
        assert one["line"][0] == one["move"]
    scores = [one["score"] for one in data["moves"]]
    assert scores == sorted(scores, reverse=True)
    rules = game_rules("othello")
    record = rules.record("f5d6c3d3")
    assert {one["move"] for one in data["moves"]} == {str(m) for m in record.position.legal_moves}
    for move in data["line"]:
        record = record.play(move)
    people = call(capsys, *arguments).out
    assert f"material:depth=3 would play {data['move']}: " in people
    assert "for Black" in people
    assert "Looked 3 plies ahead" in people


def test_what_a_player_does_not_think(capsys: pytest.CaptureFixture[str]) -> None:
    data = call(capsys, "analyse", "random", "--game", "checkers", "--json").data
    assert (data["score"], data["view"], data["moves"], data["depth"]) == (None, None, [], 0)
    passes = call(
        capsys, "analyse", "greedy", "--game", "othello-4", "--position", "OOO- -XX- OXX- -X-X X",
        "--json",
    )  # fmt: skip
    assert "Black has no move and must pass" in passes.err
    assert (passes.data["move"], passes.data["line"], passes.data["score"]) == (
        "pass", ["pass"], None,
    )  # fmt: skip
    over = call(
        capsys, "analyse", "greedy", "--game", "othello-4", "--position", "XXXX XXXX XXXX XXXX X",
        "--json",
    ).data  # fmt: skip
    assert over["move"] is None
    assert over["outcome"] == "Black wins by 16"


def test_captures_are_written_as_they_are_read(capsys: pytest.CaptureFixture[str]) -> None:
    position = "W:W31,K22:B18,10,7"
    data = call(
        capsys,
        "analyse",
        "material:depth=3",
        "--game",
        "checkers",
        "--position",
        position,
        "--json",
    ).data
    record = game_rules("checkers").record(position)
    for one in data["moves"]:
        record.play(one["move"])
    for move in data["line"]:
        record = record.play(move)
    assert len(record) == len(data["line"]) >= 1


def test_a_person_plays_a_bot(
    workplace: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (workplace / "first.py").write_text(FIRST)
    monkeypatch.setattr("sys.stdin", io.StringIO("hint\nf5\nundo\nd3\nquit\n"))
    answer = call(capsys, "play", "--against", "first.py", "--seed", "1")
    assert answer.code == 0
    assert "is best" in answer.out  # the adviser is asked, not the bot
    assert "first.py plays c3" in answer.out
    assert "--against first.py" in answer.out
    (workplace / "bob.py").write_text(RAISES)
    monkeypatch.setattr("sys.stdin", io.StringIO("hint\nf5\nf6\n"))
    lost = call(capsys, "play", "--against", "bob.py", "--json")
    assert lost.code == 0
    assert (lost.data["winner"], lost.data["ending"], lost.data["finished"]) == (
        "black", "forfeit", True,
    )  # fmt: skip
    assert "is best" in lost.err


def test_a_person_plays_whoever_changes_with_the_game(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("f5\nquit\n"))
    text = "( white ),50,( black ),50:overlap=20,random_plies=2"
    answer = call(capsys, "play", "--against", text, "--seed", "1")
    assert answer.code == 0
    assert " plays " in answer.out


def test_a_saved_game_holds_whole_players(workplace: Path, capsys: pytest.CaptureFixture) -> None:
    """What is saved reads back, however long the tree is."""
    tree = "( + white " * 20 + "white" + " )" * 20
    arguments = ("--games", "2", "--save-games", "games.jsonl", "--json")
    answer = call(capsys, "match", tree, "greedy", *arguments)
    game = json.loads((workplace / "games.jsonl").read_text().splitlines()[0])
    assert game["players"]["black"] == answer.data["first"] == tree
    shown = call(capsys, "watch", "games.jsonl", "--delay", "0").out
    assert tree not in shown
    assert "( + white ( + white" in shown


def test_watch_tells_of_games_that_cannot_be_read_and_shows_the_others(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("three.txt").write_text("f5d6\nf5f5\nf5d6c3\n")
    answer = call(capsys, "watch", "three.txt", "--json")
    assert [one["moves"] for one in answer.data["games"]] == [["f5", "d6"], ["f5", "d6", "c3"]]
    assert [one["place"] for one in answer.data["refused"]] == ["line 2"]
    assert "left out: line 2: " in answer.err
    last = call(capsys, "watch", "three.txt", "--game", "1", "--json")
    assert [one["number"] for one in last.data["games"]] == [1]


def test_saved_games_can_be_cut_to_those_that_count(tmp_path: Path) -> None:
    """Ctrl-C may come after a game was written and before its pair was whole."""
    games: list[GamePlayed] = []
    match("greedy", "random", games=6, seed=1, on_game=games.append)
    with saving(tmp_path / "games.jsonl") as save:
        assert save is not None
        for game in games[:5]:
            save(game)
        save.keep(4)
    with (tmp_path / "games.jsonl").open("rb") as file:
        assert list(saved.read(file)) == games[:4]
