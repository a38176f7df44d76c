"""Openings from files: every format, in order or drawn, both colours, and what is refused."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

import evoply as ep
from evoply.arena import OpeningList, read_openings
from evoply.arena.conditions import conditions_of
from evoply.arena.openings import MOST_OPENINGS

LINES = ("f5d6c3d3", "f5f6e6f4", "f5d6c5", "f5f4e3", "f5d6c4")


@pytest.fixture
def listed(tmp_path: Path) -> Path:
    path = tmp_path / "openings.txt"
    path.write_text("# five\n" + "\n".join(LINES) + "\n", encoding="utf-8")
    return path


def positions() -> list[Any]:
    return [ep.othello.Game.from_transcript(line).position for line in LINES]


def starts(openings: OpeningList, **options: Any) -> list[str]:
    """Return where the games of a match begin, one after the other."""
    begun: list[str] = []
    options = {"games": 20, "seed": 1, **options}
    ep.match(
        "greedy", "random", openings=openings,
        on_game=lambda game: begun.append(beginning(game)), **options,
    )  # fmt: skip
    return begun


def beginning(game: Any) -> str:
    """Return where the players of a game began."""
    return str(game.record.positions[game.opening_plies].text())


def test_the_openings_are_where_lines_end(listed: Path) -> None:
    found = read_openings(listed)
    assert list(found.rows) == [position.row for position in positions()]
    assert found.facts == {
        "positions": 5,
        "order": "drawn",
        "sha256": hashlib.sha256(listed.read_bytes()).hexdigest(),
    }
    assert "rows" not in repr(found)


def test_in_order_each_is_played_with_both_colours_and_then_again(listed: Path) -> None:
    begun = starts(read_openings(listed, order="in-order"))
    texts = [position.text() for position in positions()]
    assert begun == [text for text in [*texts, *texts] for _ in range(2)]


def test_drawn_each_comes_once_before_any_comes_again(listed: Path) -> None:
    openings = read_openings(listed)
    texts = {position.text() for position in positions()}
    orders = set()
    for seed in range(1, 13):
        begun = starts(openings, seed=seed, games=10)
        assert begun[::2] == begun[1::2]
        assert set(begun) == texts
        orders.add(tuple(begun[::2]))
        assert begun == starts(openings, seed=seed, games=10, threads=1)
    assert len(orders) > 5


def test_the_result_says_which_list(listed: Path) -> None:
    openings = read_openings(listed)
    result = ep.match("greedy", "random", openings=openings, games=10)
    data = result.to_dict()
    assert (data["openings"], data["opening_list"]) == (0, openings.facts)
    assert "opening_list" not in ep.match("greedy", "random", games=10).to_dict()
    assert str(listed) not in json.dumps(data)
    page = " ".join(result.usual_facts.values())
    assert "a list of 5 (drawn by the seed" in page
    assert openings.sha256[:12] in page


def test_games_are_kept_from_the_usual_start_on(listed: Path) -> None:
    games: list[Any] = []
    openings = read_openings(listed, order="in-order")
    ep.match("greedy", "random", openings=openings, games=4, on_game=games.append)
    assert [game.opening_plies for game in games] == [4, 4, 4, 4]
    assert [str(game.record)[:8] for game in games] == [LINES[0]] * 2 + [LINES[1]] * 2
    assert all(game.record.start == ep.othello.Position() for game in games)


class Outside:
    """Greedy, outside the kernel, that looks at what it is told of the game."""

    def __init__(self) -> None:
        self.seat = ep.parse_player("greedy").seat("othello")
        self.told: list[Any] = []

    def choose(self, game: Any, stream: Any, clock: Any) -> Any:
        self.told.append(game)
        return self.seat.choose(game, stream, clock)


def test_players_outside_the_kernel_are_told_the_moves_and_play_the_same(listed: Path) -> None:
    openings = read_openings(listed)
    outside = Outside()
    options: dict[str, Any] = {"openings": openings, "games": 10, "seed": 4, "threads": 1}
    theirs, ours = (ep.match(one, "random", **options) for one in (outside, "greedy"))
    assert (theirs.wins, theirs.draws, theirs.losses) == (ours.wins, ours.draws, ours.losses)
    assert theirs.distinct_games == ours.distinct_games
    assert {game.start for game in outside.told} == {ep.othello.Position()}
    begins = tuple(LINES)
    assert all(str(game).startswith(begins) for game in outside.told)


def test_every_meeting_of_a_round_robin_has_the_same_openings(listed: Path) -> None:
    openings = read_openings(listed)
    begun: dict[frozenset[str], list[str]] = {}

    def keep(game: Any) -> None:
        pair = frozenset((game.black, game.white))
        begun.setdefault(pair, []).append(beginning(game))

    result = ep.round_robin(
        ["greedy", "random", "swh"], openings=openings, games=6, on_game=keep
    )  # fmt: skip
    one, *others = begun.values()
    assert len(others) == 2
    assert others == [one, one]
    assert len(set(one)) == 3
    assert result.to_dict()["opening_list"] == openings.facts


def test_elimination_and_sequential_tests_take_a_list(listed: Path) -> None:
    openings = read_openings(listed)
    assert ep.tournament(["greedy", "random"], openings=openings, seed=1).to_dict()["opening_list"]
    tested = ep.sprt_match("swh", "random", ep.Sprt(0, 100), openings=openings, games=400)
    assert tested.games
    assert tested.to_dict()["opening_list"]["positions"] == 5


def test_a_kept_tournament_goes_on_with_the_same_list_only(listed: Path, tmp_path: Path) -> None:
    kept, players = tmp_path / "games.db", ["greedy", "random"]
    whole = ep.round_robin(players, openings=read_openings(listed), games=10, file=kept)
    again = ep.round_robin(players, openings=read_openings(listed), games=10, file=kept)
    assert again.to_dict() == whole.to_dict()
    listed.write_text("\n".join(LINES[:4]), encoding="utf-8")
    with pytest.raises(ValueError, match="list of openings - "):
        ep.round_robin(players, openings=read_openings(listed), games=10, file=kept)
    with pytest.raises(ValueError, match="list of openings - "):
        ep.round_robin(players, games=10, file=kept, openings="none")


FORMATS = {
    "board.obf": "".join(f"{position.text()};\n" for position in positions()),
    "games.ggf": "(;GM[Othello]PC[x]PB[a]PW[b]RE[?]TI[0]TY[8]BO[8 -------- -------- -------- "
    "---O*--- ---*O--- -------- -------- -------- *]B[F5]W[D6]B[C3]W[D3];)\n",
}


@pytest.mark.parametrize("name", FORMATS)
def test_other_formats_are_read(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(FORMATS[name], encoding="utf-8")
    assert read_openings(path).rows[0] == positions()[0].row


def test_saved_games_give_their_random_plies(tmp_path: Path) -> None:
    from evoply.games.formats import FORMATS as ALL

    games: list[Any] = []
    ep.match("greedy", "random", games=4, on_game=games.append)
    path = tmp_path / "games.jsonl"
    with path.open("wb") as file:
        writer = ALL["games"].writer(file)
        for game in games:
            writer.add(game)
    rows = read_openings(path).rows
    assert [*rows] == [game.record.positions[8].row for game in games]


def test_checkers_has_lists_too(tmp_path: Path) -> None:
    path = tmp_path / "openings.txt"
    path.write_text("11-15 23-19\n9-13 21-17\n", encoding="utf-8")
    openings = read_openings(path, game="lose-checkers", order="in-order")
    assert len(openings.rows) == 2
    assert ep.match("random", "random", game="lose-checkers", openings=openings, games=4).games == 4


@pytest.mark.parametrize(
    ("content", "wrong"),
    [
        ("", "there is no opening in it"),
        ("# nothing\n\n", "there is no opening in it"),
        ("f5d6\nf5d7\n", "line 2: "),
        ("f5d6\n\n11-15 23-19\n", "line 3: "),
        ("f5d6\nf5d6c5f4e3f6g5e6e7\n", "line 2: the game is over"),
        ("hello\n", "line 1: "),
        ("\0\1\2", "line 1: "),
    ],
)  # fmt: skip
def test_what_is_wrong_is_refused_with_its_line(content: str, wrong: str, tmp_path: Path) -> None:
    path = tmp_path / "openings.txt"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ValueError, match=r"openings\.txt: ") as error:
        read_openings(path)
    assert wrong in str(error.value)


def test_a_huge_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from evoply.arena import openings

    path = tmp_path / "openings.txt"
    path.write_text("f5d6\n" * 12, encoding="utf-8")
    monkeypatch.setattr(openings, "MOST_OPENINGS", 10)
    with pytest.raises(ValueError, match="line 11: there are more than 10"):
        read_openings(path)
    monkeypatch.setattr(openings, "_MOST_BYTES", 59)
    with pytest.raises(ValueError, match="has more than 59 bytes"):
        read_openings(path)
    assert MOST_OPENINGS >= 10_784
    with pytest.raises(ValueError, match="no plain file"):
        read_openings(tmp_path)


def test_a_list_fits_its_game_and_no_start(listed: Path) -> None:
    openings = read_openings(listed)
    with pytest.raises(ValueError, match="openings: they are of othello, and the game is "):
        conditions_of(game="othello-6", openings=openings)
    with pytest.raises(ValueError, match="openings: they say where games begin"):
        conditions_of(openings=openings, start="f5")
    with pytest.raises(ValueError, match="no order 'backwards'"):
        read_openings(listed, order="backwards")  # type: ignore[arg-type]


def test_a_path_is_no_openings(listed: Path) -> None:
    """Conditions may come from somebody else: they name no file."""
    with pytest.raises(ValueError, match=r"openings: .* is not a whole number"):
        conditions_of(openings=str(listed))  # type: ignore[arg-type]
