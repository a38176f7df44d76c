"""Games looked at move by move, beside questions about single positions and the solver."""

import json
import os
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from evoply import Stream, analyse, match
from evoply.cli import main
from evoply.games import game_rules
from evoply.games.formats import GamePlayed
from evoply.players import parse_player, solve
from evoply.protocols import Clock, Color, Ending, GameRecord
from evoply.reports import (
    AnalysedGame,
    AnalysedMove,
    Scale,
    analyse_games,
    game_analysis,
    page_of_games,
    result_html,
)
from evoply.reports.game_analysis import Analysis, accuracy_of

EVIL = "<script>alert(1)</script>"


def played(game: str, count: int = 4) -> list[GamePlayed]:
    saved: list[GamePlayed] = []
    match("greedy", "random", game=game, games=count, seed=3, on_game=saved.append)
    return saved


@pytest.mark.parametrize(
    ("game", "player"), [("othello-6", "mobility:depth=2"), ("checkers", "material:depth=3")]
)
def test_every_choice_is_what_a_question_about_its_position_says(game: str, player: str) -> None:
    for one in analyse_games(parse_player(player), played(game), exact=None):
        record = one.source.record
        assert [move.ply for move in one.moves] == list(range(1, len(record) + 1))
        assert [move.move for move in one.moves] == list(record.move_texts())
        for place, move in enumerate(one.moves):
            position = record.positions[place]
            assert move.color is position.turn
            is_choice = place >= one.source.opening_plies and len(position.legal_moves) > 1
            assert (move.score is not None) == is_choice
            if not is_choice:
                assert (move.best, move.loss, move.line) == (None, None, ())
                continue
            asked = analyse(player, position, every_move=True)
            values = {found: one.scale.worth(value, position) for found, value in asked.moves}
            assert move.score == values[record.moves[place]]
            assert move.best_score == max(values.values())
            assert move.loss == move.best_score - move.score >= 0
            assert not move.exact
            assert move.grade == one.scale.grade(move.loss)
            rest = game_rules(game).game(position)
            best = rest.play(move.best).moves[-1]
            assert values[best] == move.best_score
            assert move.line[0] == move.best


def test_the_end_of_othello_is_exact() -> None:
    count = 0
    for one in analyse_games(parse_player("mobility"), played("othello-6"), exact=9):
        for place, move in enumerate(one.moves):
            position = one.source.record.positions[place]
            assert move.exact == (move.loss is not None and position.empty.bit_count() <= 9)
            if not move.exact:
                continue
            count += 1
            after = solve(position.play(one.source.record.moves[place]))
            assert move.score == -after.score
            assert move.best_score == solve(position).score
    assert count > 10


def test_the_result_depends_on_no_threads_and_keeps_order() -> None:
    games = played("othello-6", 12)
    player = parse_player("material:depth=2,ties=random")
    one, two, three = (
        [each.to_dict() for each in analyse_games(player, games, threads=threads)]
        for threads in (1, 2, 5)
    )
    assert one == two == three
    assert [each["number"] for each in one] == list(range(12))
    assert json.loads(json.dumps(one, allow_nan=False)) == one


def test_it_stops_between_positions() -> None:
    stop = threading.Event()
    games = analyse_games(parse_player("mobility"), played("othello-6", 12), threads=2, stop=stop)
    assert next(games).number == 0
    stop.set()
    assert len(list(games)) < 11


def test_players_that_value_nothing_are_refused() -> None:
    games = played("othello-6", 2)
    with pytest.raises(ValueError, match="random does not say what moves are worth"):
        list(analyse_games(parse_player("random"), games, exact=None))

    class First:
        """Chooses the first move."""

        def choose(self, game: GameRecord, stream: Stream, clock: Clock) -> object:
            return game.position.legal_moves[0]

    with pytest.raises(ValueError, match="does not say what moves are worth"):
        list(analyse_games(First(), games))
    with pytest.raises(ValueError, match="a weighted sum has 64 weights"):
        list(analyse_games(parse_player("swh"), games))


def moves(*losses: float | None, exact: bool = False) -> list[AnalysedMove]:
    return [
        AnalysedMove(1, Color.BLACK, "f5")
        if loss is None
        else AnalysedMove(
            1, Color.BLACK, "f5", -loss, "d6", 0.0, ("d6",), exact, 2, DISCS.grade(loss)
        )
        for loss in losses
    ]


DISCS = Scale("discs", 64)


def test_accuracy_is_the_share_of_choices_that_lose_nothing() -> None:
    mean = accuracy_of([*moves(None, 0.0, 0.0, 3.0, 1e15), *moves(1.0, 0.0, 4.0, exact=True)])
    assert (mean.choices, mean.best, mean.good, mean.exact, mean.decisive) == (7, 3, 4, 3, 1)
    assert (mean.share, mean.loss) == (3 / 7, 8 / 6)
    nothing = accuracy_of(moves(None))
    assert (nothing.choices, nothing.share, nothing.loss) == (0, None, None)
    game = game_rules("othello").record("f5d6")
    both = AnalysedGame(0, GamePlayed(game, "same", "same"), tuple(moves(0.0, 1.0)), DISCS)
    assert Analysis.of([both, both]).players["same"].choices == 4


def test_of_many_games_only_the_first_are_kept_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    games = [replace(one, black=f"player {number % 3}") for number, one in enumerate(
        played("othello-6", 14)
    )]  # fmt: skip
    monkeypatch.setattr(game_analysis, "MOST_IN_SHORT", 4)
    analysed = list(analyse_games(parse_player("material"), games, exact=4))
    seen = Analysis.of(iter(analysed))
    assert seen.whole == analysed[:8]
    assert seen.in_short == [one.in_short() for one in analysed[8:12]]
    assert (seen.games, seen.moves) == (14, sum(len(one.moves) for one in analysed))
    assert seen.is_exact
    # The slow way: from all moves at once.
    mistakes = [(one, move) for one in analysed for move in one.moves if move.loss]
    assert seen.mistakes == len(mistakes) > 10
    assert seen.largest == sorted(mistakes, key=lambda pair: -pair[1].loss)[:10]
    own: dict[str, list[AnalysedMove]] = {}
    for one in analysed:
        for move in one.moves:
            own.setdefault(one.player(move.color), []).append(move)
    assert seen.players == {name: accuracy_of(each) for name, each in own.items()}
    shares = [accuracy.share for accuracy in seen.players.values()]
    assert shares == sorted(shares, reverse=True)
    html = result_html(page_of_games(seen, "material", exact=4))
    assert html == result_html(page_of_games(analysed, "material", exact=4))
    assert "2 more are in the result as JSON" in html


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes in folders here")
def test_games_of_a_pipe_are_those_of_a_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file is read twice, which a pipe cannot be."""
    file, pipe = tmp_path / "games.txt", tmp_path / "pipe"
    file.write_text("f5d6c3\nf5f6\nnonsense\n")
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_text(file.read_text()))
    writer.start()
    said = []
    for path in (file, pipe):
        assert main(["analyse", "mobility", "--games", str(path), "--json"]) == 0
        data = json.loads(capsys.readouterr().out)
        said.append({key: value for key, value in data.items() if key not in ("file", "made_by")})
    writer.join()
    assert said[0] == said[1]
    assert len(said[0]["games"]) == 2
    assert len(said[0]["refused"]) == 1


@pytest.mark.parametrize(
    ("loss", "grade"),
    [(1.9, ""), (2.0, "inaccuracy"), (4.9, "inaccuracy"), (5.0, "mistake"), (10.0, "blunder")],
)
def test_a_grade_says_how_much_a_move_lost(loss: float, grade: str) -> None:
    assert DISCS.grade(loss) == grade
    points = Scale("points", 64)
    assert [points.grade(share) for share in (0.04, 0.05, 0.1, 0.2)] == [
        "", "inaccuracy", "mistake", "blunder"
    ]  # fmt: skip
    assert Scale("none", 64).grade(loss) == ""


def test_the_page_shows_mistakes_and_escapes_names() -> None:
    games = [
        replace(one, black=EVIL, ending=Ending.FORFEIT, forfeit=EVIL)
        for one in played("othello", 20)
    ]
    analysed = list(analyse_games(parse_player("material:depth=2"), games, exact=10))
    html = result_html(page_of_games(analysed, EVIL, exact=10))
    assert "<script" not in html
    assert EVIL.replace("<", "&lt;").replace(">", "&gt;") in html
    assert len(html) < 1_000_000
    assert html.count("Largest mistakes") == 8
    assert "Further games" in html
    worst = max((move for move in analysed[0].moves if move.exact), key=lambda move: move.loss or 0)
    assert f"Ply {worst.ply}: {worst.color} played {worst.move} ({worst.score:+.0f})" in html
    assert result_html(page_of_games(analysed, EVIL, exact=10)) == html


def test_the_page_of_checkers() -> None:
    analysed = list(analyse_games(parse_player("material:depth=3"), played("checkers", 2)))
    html = result_html(page_of_games(analysed, "material", exact=14))
    assert "Games analysed: American checkers" in html
    assert "Final discs" not in html


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, page = tmp_path / "games.jsonl", tmp_path / "page.html"
    assert main(["match", "mobility", "random", "--games", "4", "--game", "othello-6",
                    "--save-games", str(file)]) == 0  # fmt: skip
    capsys.readouterr()
    call = ["analyse", "mobility:depth=2", "--games", str(file)]
    assert main([*call, "--html", str(page), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert list(data["players"]) == ["mobility", "random"]
    assert len(data["games"]) == 4
    keys = {"ply", "color", "move", "score", "best", "best_score", "loss", "line", "exact",
            "depth", "grade", "reason", "played_line"}  # fmt: skip
    assert set(data["games"][0]["moves"][0]) == keys
    assert data["players"]["random"]["accuracy"] < data["players"]["mobility"]["accuracy"]
    assert "How well they chose" in page.read_text()
    assert main(call) == 0
    text = capsys.readouterr().out
    assert "mistakes:" in text
    assert "best moves" in text
    one = tmp_path / "one.txt"
    one.write_text("f5d6c3d3c4\n")
    assert main(["analyse", "swh:depth=2", "--games", str(one), "--exact", "none"]) == 0
    assert len([line for line in capsys.readouterr().out.splitlines() if "Black" in line]) == 4
    one.write_text("f5d6\n11-15 23-19\n")
    assert main(["analyse", "swh", "--games", str(one), "--exact", "none", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert [[move["move"] for move in game["moves"]] for game in data["games"]] == [["f5", "d6"]]
    assert [one["reason"] for one in data["refused"]] == ["is one of checkers, not of othello"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--games", "missing.txt"], "missing.txt: there is no such file"),
        (["--games", "empty.txt"], "there are no games in this file"),
        (["--games", "bad.txt"], "bad.txt: line 1: move 1 (a1)"),
        (["--games", "good.txt", "--position", "f5"], "--position: is for one position"),
        (["--games", "good.txt", "--exact", "21"], "21 is not a number from 0 to 20, or none"),
        (["--games", "good.txt", "--html", "no/page.html"], "no/page.html"),
        (["--html", "page.html"], "--html: say which games"),
    ],
)
def test_wrong_use_says_what_is_wrong(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in (("empty", "\n"), ("bad", "a1\n"), ("good", "f5d6\n")):
        (tmp_path / f"{name}.txt").write_text(text)
    assert main(["analyse", "mobility", *arguments]) in (1, 2)
    said = " ".join(capsys.readouterr().err.replace("│", " ").split())
    assert message in said
    assert "Traceback" not in said


def test_what_is_done_is_shown_when_it_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stopped(*arguments: object, **options: object) -> object:
        yield from list(analyse_games(*arguments, **options))[:1]  # type: ignore[arg-type]
        raise KeyboardInterrupt

    monkeypatch.setattr("evoply.reports.analyse_games", stopped)
    (tmp_path / "games.txt").write_text("f5d6c3\nf5f6\n")
    assert main(["analyse", "mobility", "--games", str(tmp_path / "games.txt"), "--json"]) == 130
    data = json.loads(capsys.readouterr().out)
    assert data["error"] == "stopped; 1 of 2 games are analysed"
    assert len(data["games"]) == 1
