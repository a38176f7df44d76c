"""A user's way through checkers: played, matched, evolved, looked at, and the mistakes on it."""

import io
import os
from html import escape
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from command_line import Answer, call
from rich.console import Console

from evoply import checkers
from evoply.cli.board_view import board_text
from evoply.players import Origin, parse_player, save_player

SVG = "{http://www.w3.org/2000/svg}"
SMALL = (
    "--population-size", "8", "--set", "player.depth=1", "--set", "limits.max_nodes=25",
    "--set", "hall_of_fame.final_pairs=2", "--set", "hall_of_fame.pairs=2",
)  # fmt: skip


def play(
    capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch, typed: str, *arguments: str
) -> Answer:
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    return call(capsys, "play", "--seed", "1", *arguments)


def test_a_game_with_every_command(
    capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed = "help\nmoves\n11-15\nhint\nundo\n11-15\nboard\nquit\n"
    answer = play(capsys, monkeypatch, typed, "--game", "lose-checkers", "--against", "greedy")
    assert answer.code == 0
    assert "Type a move such as 9-13" in answer.out
    assert "9-13 9-14 10-14 10-15 11-15 11-16 12-16" in answer.out
    assert answer.out.count("you play 11-15") == 2
    assert "is best" in answer.out
    assert "says few-pieces:depth=6, looking 4 plies ahead" in answer.out
    assert answer.out.count("   b Black 12 men, 0 kings   w White 12 men, 0 kings") >= 4
    assert "--game lose-checkers --color black --seed 1 --position '11-15 " in answer.out


def test_wrong_moves_are_explained(
    capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    position = ("--game", "checkers", "--position", "B:W19,27:BK15,1", "--against", "greedy")
    answer = play(capsys, monkeypatch, "f5\n15-33\n1-5\n15x24\n15-18\n15x31\n", *position)
    assert answer.code == 2
    assert "cannot read 'f5' as a move: write 11-15 for a step" in answer.out
    assert "there is no square 33 on 8x8: squares are 1 to 32" in answer.out
    for move in ("1-5", "15-18"):
        assert f"{move} is not legal here: a capture is compulsory; legal: 15x24x31" in answer.out
    assert "15x24 is not legal here: this capture goes on; legal: 15x24x31" in answer.out
    assert "you play 15x24x31" in answer.out
    assert "neither a legal move nor a command: 5" in answer.err
    free = ("--game", "checkers", "--position", "B:W32:B1", "--against", "greedy")
    assert "1-7 is not" not in play(capsys, monkeypatch, "1-9\n", *free).out
    assert "5-9 is not legal here; legal: 1-5 1-6" in play(capsys, monkeypatch, "5-9\n", *free).out


@pytest.mark.parametrize(
    ("game", "winner", "points"), [("checkers", "black", 1.0), ("lose-checkers", "white", 0.0)]
)
def test_the_end_of_a_game_counts_no_pieces(
    capsys: pytest.CaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    game: str,
    winner: str,
    points: float,
) -> None:
    position = ("--game", game, "--position", "B:W18,26:B14,1,2", "--against", "greedy")
    answer = play(capsys, monkeypatch, "14x30\n", *position)
    words = "You win" if points else "You lose"
    assert f"The game is over: {winner.capitalize()} wins. {words}.\n" in answer.out
    data = play(capsys, monkeypatch, "14x30\n", *position, "--json").data
    assert (data["winner"], data["points"], data["ending"]) == (winner, points, "board")
    assert checkers.Game.from_transcript(data["transcript"], game).outcome() is not None


def test_a_draw_names_its_rule(
    capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    moves = "1-6 32-27 6-1 27-32 1-6 32-27 6-1"
    answer = play(
        capsys, monkeypatch, "27-32\n", "--game", "checkers", "--color", "white",
        "--position", f"B:WK32:BK1 {moves}", "--against", "greedy",
    )  # fmt: skip
    assert answer.code == 0
    assert "The game is over: draw by repetition. You draw." in answer.out


@pytest.mark.parametrize(
    ("position", "says"),
    [
        ("W:W18,K24:B1,33", "no square 33 on 8x8"),
        ("W:W18,X24:B1", "cannot read 'X24' as a piece: write 12, or K12"),
        ("W:W18,K24", "cannot read the position 'W:W18,K24'"),
        ("W:W18,18:B1", "square 18 holds more than one piece"),
        ("B:W1:B2", "square 1 holds a white man on the last row"),
        ("B:W32-21:B1", "the squares 32-21 run backwards"),
        ("W:W18, K24:B1 18-1", "move 1 (18-1) at column 15"),
        ("11-15 22-19", "move 2 (22-19) at column 7: illegal move"),
        ("11-15 e4", "cannot read 'e4' at column 7"),
    ],
)
def test_a_position_that_cannot_be_says_what_is_wrong(
    capsys: pytest.CaptureFixture, position: str, says: str
) -> None:
    for command in (["play", "--against", "greedy"], ["perft", "2"], ["match", "greedy", "random"]):
        game = ["checkers"] if command[0] == "perft" else ["--game", "checkers"]
        answer = call(capsys, command[0], *game, *command[1:], "--position", position)
        assert answer.code == 2
        assert says in " ".join(answer.err.split())
        assert "Traceback" not in answer.err


def test_a_position_of_another_game_says_so(capsys: pytest.CaptureFixture) -> None:
    position = "W:W18,K24:B1,12"
    answer = call(capsys, "play", "--against", "greedy", "--position", position)
    assert answer.code == 2
    assert "--game checkers, lose-checkers or checkers-10" in " ".join(answer.err.split())
    assert "has no exact solver" in " ".join(call(capsys, "solve", position).err.split())
    data = call(capsys, "perft", "lose-checkers", "2", "--position", position, "--json").data
    start = checkers.Position.parse(position, "lose-checkers")
    assert data["leaves"] == sum(len(start.play(move).legal_moves) for move in start.legal_moves)


def test_perft_of_the_large_board(capsys: pytest.CaptureFixture) -> None:
    assert call(capsys, "perft", "checkers-10", "5", "--json").data["leaves"] == 88_900
    assert "88,900 leaves" in call(capsys, "perft", "checkers-10", "5").out


def test_a_match_and_its_draws(capsys: pytest.CaptureFixture) -> None:
    arguments = ("match", "material-kings:depth=2", "random", "--game", "checkers-10")
    answer = call(capsys, *arguments, "--games", "20", "--quiet")
    assert answer.code == 0
    assert "10 openings of 4 random plies" in answer.out
    data = call(capsys, *arguments, "--games", "20", "--json").data
    assert data["game"] == "checkers-10"
    assert data["wins"] + data["draws"] + data["losses"] == 20 == sum(data["endings"].values())
    assert data["score"] > 0.5
    answer = call(capsys, "match", "swh", "random", "--game", "checkers")
    assert answer.code == 2
    assert "swh plays othello" in answer.err


def test_a_run_from_a_preset_to_its_champion(
    capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch, workplace: Path
) -> None:
    """Evolve, resume, list, replay, report, show, play, match."""
    arguments = ("evolve", "benbassat-10", *SMALL, "--set", 'fitness.measure={kind="points"}')
    assert call(capsys, *arguments, "--generations", "2", "--name", "ten").code == 0
    answer = call(capsys, "resume", "ten", "--generations", "3", "--no-tests")
    assert answer.code == 0
    assert "generation 2:" in answer.out
    data = call(capsys, "runs", "ten", "--json").data
    assert [entry["number"] for entry in data["generations"]] == [0, 1, 2]

    answer = call(capsys, "replay", "ten", "--generation", "2", "--game", "3")
    assert answer.code == 0
    result = next(line for line in answer.out.splitlines() if line.startswith("Result"))
    assert result.split(maxsplit=1)[1] in {
        "Black wins", "White wins", "draw", "draw by repetition", "draw by quiet plies",
        "draw by cap",
    }  # fmt: skip
    replayed = call(capsys, "replay", "ten", "--generation", "2", "--game", "3", "--json").data
    game = checkers.Game.from_transcript(replayed["transcript"], "checkers-10")
    assert str(game.outcome()) == replayed["outcome"]

    page = (workplace / "runs/ten/report.html").read_text()
    assert "American checkers 10x10" in page
    assert "nan</text>" not in page
    champion = call(capsys, "show", "champion@ten", "--json").data
    assert escape(champion["tree"]) in page
    assert "champion@ten, checkers-10" in call(capsys, "show", "champion@ten").out
    answer = play(capsys, monkeypatch, "quit\n", "--against", "champion@ten")
    assert "You are Black against champion@ten" in answer.out
    assert "50w" in answer.out
    answer = call(capsys, "match", "champion@ten", "random", "--games", "4", "--json")
    assert answer.data["game"] == "checkers-10"


def test_a_guided_run_of_lose_checkers(capsys: pytest.CaptureFixture) -> None:
    arguments = ("evolve", "benbassat-lose-checkers", *SMALL, "--no-tests", "--name", "lose")
    measure = ("--set", "fitness.measure=2ab1+1Co", "--generations", "2")
    assert call(capsys, *arguments, *measure).code == 0
    guided = call(capsys, "replay", "lose", "--generation", "1", "--game", "0", "--json").data
    assert "random-leaf:depth=1" in (guided["black"], guided["white"])
    assert guided["against"] == []
    last = str(guided["games"] - 1)
    co_played = call(capsys, "replay", "lose", "--generation", "1", "--game", last, "--json").data
    assert len(co_played["individuals"]) == len(co_played["against"]) == 1
    answer = call(capsys, "replay", "lose", "--generation", "1", "--game", str(guided["games"]))
    assert answer.code == 1
    assert f"has games 0 to {last}" in " ".join(answer.err.split())
    marks = call(capsys, "runs", "lose", "--json").data
    assert marks["reproducible"] is True
    answer = call(capsys, "show", "lose")
    assert answer.code == 2
    assert "There is a run lose: its player is champion@lose" in " ".join(answer.err.split())
    assert "champion@" not in call(capsys, "show", "nothing").err.partition("a .json")[2]


def test_presets_say_what_they_are_for(capsys: pytest.CaptureFixture) -> None:
    out = call(capsys, "presets").out
    assert "lose checkers, counting kings" in out
    assert "10x10 checkers, counting kings" in out


def test_help_speaks_of_checkers(capsys: pytest.CaptureFixture) -> None:
    assert "Othello and checkers" in call(capsys, "--help").out
    for name in ("evolve", "play", "match", "tournament", "show", "perft"):
        examples = call(capsys, name, "--help").out.partition("Examples:")[2]
        assert "checkers" in examples, name


def test_words_about_players_of_checkers(capsys: pytest.CaptureFixture) -> None:
    def words(*arguments: str) -> str:
        sentence: str = call(capsys, "show", *arguments, "--json").data["sentence"]
        return sentence

    assert "own pieces" in words("greedy", "--game", "checkers")
    assert "own discs" in words("greedy")
    for tree, wants in (
        ("( Plus 1 FriendlyManCount )", "many own men"),
        ("( Minus 0 EnemyKingCount )", "few kings of the opponent"),
    ):
        written = f"{tree}:primitives=benbassat-checkers-extended"
        assert wants in words(written, "--game", "checkers")
    guide = words("random-leaf:depth=2", "--game", "lose-checkers")
    assert "first of its legal moves" not in guide
    assert "adds a random draw from 0 to 1" in guide
    assert "For every move a coin may choose count(own_men) + " in words(
        "material-kings:depth=2", "--game", "checkers"
    )


def test_a_heat_map_shows_dark_squares_by_their_numbers(
    capsys: pytest.CaptureFixture, workplace: Path
) -> None:
    arguments = ("show", "material-kings", "--game", "checkers-10", "--heat-map", "map.svg")
    assert call(capsys, *arguments).code == 0
    root = ET.fromstring((workplace / "map.svg").read_text())
    *texts, caption = [text.text for text in root.iter(f"{SVG}text")]
    assert caption == "What an own piece adds, compared with an opponent's"
    assert sorted(int(text or "") for text in texts) == sorted([2] * 50 + list(range(1, 51)))
    assert len(list(root.iter(f"{SVG}rect"))) == 2 + 50


def test_a_colored_board_shows_whose_pieces_are_counted() -> None:
    console = Console(
        file=io.TextIOWrapper(io.BytesIO(), "utf-8"), force_terminal=True, color_system="truecolor"
    )
    text = board_text(checkers.Game.from_transcript("W:W18,K24:B1,12"), console)
    parts = {text.plain[span.start : span.end]: str(span.style) for span in text.spans}
    # They differ in shape as well: a copy of the text has no colours.
    discs = [parts[" ● "], parts[" ○ "]]
    assert ["rgb(10,10,10)" in style for style in discs] == [True, False]
    assert "2 men, 0 kings" in text.plain
    assert "1 man, 1 king" in text.plain
    assert "♔" in text.plain


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_no_saved_player(capsys: pytest.CaptureFixture, workplace: Path) -> None:
    save_player("saved.json", parse_player("greedy", game="checkers"), Origin(), game="checkers")
    assert call(capsys, "match", "saved.json", "random", "--games", "2").code == 0
    os.mkfifo("pipe.json")
    answer = call(capsys, "match", "pipe.json", "random", "--games", "2")
    assert answer.code == 2
    assert "pipe.json: this is a pipe, which cannot be read twice" in answer.err
