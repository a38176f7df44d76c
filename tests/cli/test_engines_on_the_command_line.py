"""Engines on the command line: named by text or by a file, and shown in results."""

import io
import sys
from pathlib import Path

import pytest
from command_line import call

from evoply import __version__
from evoply.cli.match import match_table, say_programs
from evoply.cli.output import Output

MOCK = Path(__file__).parents[1] / "players" / "mock_engine.py"


@pytest.fixture
def file(workplace: Path) -> Path:
    file = workplace / "engines.toml"
    file.write_text(
        "".join(
            f'[[engine]]\nname = "{name}"\nprotocol = "{protocol}"\n'
            f"command = ['{sys.executable}', '-P', '{MOCK}', '{protocol}', '{mood}']\n"
            "limits = { start = 60, move = 60 }\n"
            for name, protocol, mood in (
                *((mood, "gtp", mood) for mood in ("good", "illegal", "hang", "other-size")),
                ("spoken", "nboard", "good"),
            )
        )
    )
    return file


def test_a_match_names_kinds_versions_and_forfeits(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ("match", "engine:illegal", "engine:good", "--engines", str(file), "--games", "2")
    data = call(capsys, *arguments, "--json").data
    assert (data["first"], data["second"]) == ("illegal", "good")
    assert data["losses"] == 2
    command = f"{sys.executable} -P {MOCK} gtp"
    assert data["players"] == [
        {"kind": "engine", "engine": f"mock {name}", "version": "1.5",
         "command": f"{command} {name}", "sandbox": None, "forfeits": forfeits}
        for name, forfeits in (("illegal", 2), ("good", 0))
    ]  # fmt: skip
    assert data["forfeits"][0]["reason"] == "played the illegal move 'a1'"
    spoken = ("match", "engine:spoken", "random", "--engines", str(file), "--games", "2")
    # NBoard's name holds the version.
    assert "spoken is mock 1.5 good: " in call(capsys, *spoken).out
    people = call(capsys, *arguments).out
    assert f"good is mock good 1.5: {command} good" in people
    assert "good ran without a sandbox" in people
    assert "the same match may end differently" in people
    (file.parent / "bot.py").write_text(
        "class Bot:\n  def choose(self, game, stream, clock): return game.position.legal_moves[0]\n"
    )
    data = call(capsys, "match", "bot.py", "greedy", "--games", "2", "--json").data
    assert [one["kind"] for one in data["players"]] == ["bot", "after_state"]
    assert data["players"][1] == {
        "kind": "after_state", "version": f"evoply {__version__}", "forfeits": 0,
    }  # fmt: skip
    test = call(capsys, "match", "material", "random", "--sprt", "0", "300", "--json").data
    assert [one["kind"] for one in test["players"]] == ["alpha_beta", "random"]


@pytest.mark.parametrize("mode", ["round-robin", "elimination"])
def test_a_tournament_names_kinds_versions_and_forfeits(
    mode: str, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = (
        "tournament", "engine:good", "greedy", "--engines", str(file), "--games", "2",
        "--mode", mode,
    )  # fmt: skip
    data = call(capsys, *arguments, "--json").data
    command = f"{sys.executable} -P {MOCK} gtp good"
    assert data["about"] == [
        {"player": "good", "kind": "engine", "engine": "mock good", "version": "1.5",
         "command": command, "sandbox": None, "forfeits": 0},
        {"player": "greedy", "kind": "after_state", "version": f"evoply {__version__}",
         "forfeits": 0},
    ]  # fmt: skip
    assert f"good is mock good 1.5: {command}" in call(capsys, *arguments).out


def test_engines_wherever_a_player_is_asked_for(
    file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    known = ("--engines", str(file))
    data = call(
        capsys, "tournament", "engine:good", "greedy", "random", "--games", "2", "--json", *known
    ).data
    assert set(data["players"]) == {"good", "greedy", "random"}
    assert call(capsys, "analyse", "engine:good", "--json", *known).data["move"] == "d3"
    monkeypatch.setattr("sys.stdin", io.StringIO("f5\nundo\nd3\nquit\n"))
    played = call(capsys, "play", "--against", "engine:good", *known)
    assert played.code == 0
    assert "good plays" in played.out
    monkeypatch.setattr("sys.stdin", io.StringIO("boardsize 8\n1 genmove b\nquit\n"))
    offered = call(capsys, "engine", "--protocol", "gtp", "--player", "engine:good", *known)
    assert (offered.code, offered.out) == (0, "=\n\n=1 d3\n\n=\n\n")
    limited = call(
        capsys, "match", "engine:hang", "random", "--games", "2", "--move-limit", "0.3", "--json",
        *known,
    ).data  # fmt: skip
    assert {one["reason"] for one in limited["forfeits"]} == {"no move within 0.3 seconds"}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("match", "engine:godo", "random", "--engines", "engines.toml"), "did you mean 'good'"),
        (("match", "engine:x", "random", "--engines", "engines.toml"), "it has good, illegal"),
        (("match", "engine:good", "random"), "with --engines"),
        (("match", "engine:good", "random", "--engines", "none.toml"), "No such file"),
        (("match", "engine:good", "random", "--engines", "small.toml"), "holds tables [[engine]]"),
        (
            ("match", "engine:good", "random", "--engines", "engines.toml", "--game", "checkers"),
            "engine:good cannot play checkers: no engine that speaks gtp plays checkers",
        ),
        (("match", "engine:gtp:no/program x.json", "random"), "there is no program 'no/program'"),
        (("match", "engine:gtp:no/program x.py", "random"), "there is no program 'no/program'"),
        (
            ("match", "engine:other-size", "random", "--engines", "engines.toml"),
            "mock_engine.py gtp other-size cannot play: refuses boardsize 8: unknown command - try",
        ),
        (
            ("play", "--against", "engine:other-size", "--engines", "engines.toml"),
            "mock_engine.py gtp other-size cannot play: refuses boardsize 8",
        ),
        (("engine", "--protocol", "uci", "--player", "greedy"), "--protocol"),
        (("engine", "--protocol", "gtp"), "--player"),
        (("engine", "--protocol", "gtp", "--player", "nobody"), "nobody"),
        (
            ("engine", "--protocol", "gtp", "--player", "greedy", "--game", "checkers"),
            "no engine plays checkers",
        ),
    ],
)
@pytest.mark.usefixtures("file")
def test_what_is_wrong_is_one_message(
    arguments: tuple[str, ...], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = call(capsys, *arguments)
    assert answer.code == 2
    assert says in " ".join(answer.err.split())
    assert "Traceback" not in answer.err


def test_long_names_of_engines_stay_apart_in_tables() -> None:
    """Commands of two engines often begin alike, and differ in their last options."""
    begin = "engine:gtp:/usr/local/bin/evoply engine --protocol gtp --player strong:"
    row = {
        "games": 2, "wins": 1, "draws": 0, "losses": 1, "score": 0.5, "interval": None,
    }  # fmt: skip
    names = [f"{begin}level=3,endgame={depth}" for depth in (10, 14)]
    for width in (60, 80, 120, 200):
        grid = match_table([{"first": names[0], "second": names[1], **row}], width)
        (first,), (second,) = (list(column.cells) for column in grid.columns[:2])
        assert str(first) != str(second)
        assert str(first).endswith("10")
        assert str(second).endswith("14")
        assert str(first).startswith("en")


@pytest.mark.parametrize(
    ("engine", "version", "shown"),
    [
        ("evoply 0.1.0 swh", "0.1.0", "evoply 0.1.0 swh"),
        ("Edax 4.4, by R. Delorme", "4.4", "Edax 4.4, by R. Delorme"),
        ("Edax-v4.4", "4.4", "Edax-v4.4"),
        ("Edax 4.4", "4", "Edax 4.4 4"),
        ("Zebra", "4.4", "Zebra 4.4"),
        ("", "4.4", "4.4"),
        ("Zebra", "", "Zebra"),
    ],
)
def test_the_version_of_an_engine_is_said_once(
    engine: str, version: str, shown: str, capsys: pytest.CaptureFixture[str]
) -> None:
    say_programs(Output(False), [("x", {"engine": engine, "version": version, "command": "run"})])
    assert capsys.readouterr().out == f"x is {shown}: run\n"
