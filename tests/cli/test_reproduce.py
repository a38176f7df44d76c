"""The command that runs studies."""

from dataclasses import replace
from pathlib import Path

import pytest
from command_line import call

from evoply.studies import STUDIES, Request, Result, reproduce


def test_alone_it_lists_the_studies(capsys: pytest.CaptureFixture) -> None:
    said = call(capsys, "reproduce").out
    data = call(capsys, "reproduce", "--json").data
    assert [one["study"] for one in data["studies"]] == list(STUDIES)
    for one in data["studies"]:
        assert one["study"] in said
        for table in one["tables"]:
            assert table["title"] in " ".join(said.split())
            assert list(table["seconds"]) == ["smoke", "small", "paper"]
    only = call(capsys, "reproduce", "liao", "--json").data
    assert [one["study"] for one in only["studies"]] == ["liao"]


def test_a_table_is_that_of_the_library(capsys: pytest.CaptureFixture) -> None:
    arguments = ("reproduce", "liao", "--table", "1", "--seed", "5")
    data = call(capsys, *arguments, "--json").data
    made_by = data.pop("made_by")
    assert made_by["command"] == "evoply reproduce liao --table 1 --seed 5 --json"
    assert data == reproduce("liao", "1", Request(seed=5)).to_dict()
    answer = call(capsys, *arguments, "--html", "page.html")
    assert "same direction" in answer.out
    assert "( white ),75,( white_corners ),25" in answer.out
    assert "Again: evoply reproduce liao --table 1" in answer.out
    assert "Where the paper contradicts itself" in Path("page.html").read_text()


def test_the_command_of_a_result_gives_it_again(capsys: pytest.CaptureFixture) -> None:
    data = call(capsys, "reproduce", "bellin", "--experiment", "E1", "--json").data
    assert data["table"] == "E1"
    again = call(capsys, *data["command"].split()[1:], "--json").data
    del data["made_by"], again["made_by"]  # the commands themselves differ
    assert again == data


def test_figures_boards_and_names_of_several_tables(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    for name in "34":
        sizes = STUDIES["firebrand"].experiment(name).sizes
        monkeypatch.setitem(sizes, "stage", (4, 250, 250))
    arguments = ("reproduce", "firebrand", "--game", "othello", "--seed", "3")
    data = call(capsys, *arguments, "--figure", "3", "--json").data
    again = call(capsys, *arguments, "--table", "3", "--json", "--charts", "drawn").data
    del data["made_by"], again["made_by"]
    assert data == again
    drawn = sorted(Path("drawn").iterdir())
    assert {path.read_bytes()[:4] for path in drawn} == {b"<svg", b"%PDF"}
    assert data["command"].endswith("--table 3 --scale smoke --seed 3 --game othello")
    assert "starts to converge: below 1" in call(capsys, *arguments, "--experiment", "X2").out
    assert "X2 is 3 and 4" in " ".join(call(capsys, "reproduce", "firebrand").out.split())
    groups = call(capsys, "reproduce", "firebrand", "--json").data["studies"][0]["groups"]
    assert groups["X3"] == ["1", "5"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("lioa",), "did you mean 'liao'"),
        (("liao", "--table", "7"), "no table '7'"),
        (("liao", "--table", "1", "--scale", "huge"), "--scale"),
        (("liao", "--table", "1", "--rules", "real"), "no rules 'real'"),
        (("liao", "--table", "1", "--seed", "-1"), "--seed"),
        (("liao", "--table", "1", "--game", "othello-6"), "'othello-6'; leave it out"),
        (("firebrand", "--figure", "8"), "no table '8'"),
        (("firebrand", "--experiment", "X9"), "no table 'X9'"),
        (("firebrand", "--figure", "3", "--game", "checkers"), "othello-10 and othello"),
        (("firebrand", "--figure", "3", "--opponent", "random"), "opponents and games of its own"),
        (("firebrand", "--table", "strength", "--games", "3"), "games: 3 is not even"),
    ],
)
def test_wrong_use(arguments: tuple[str, ...], says: str, capsys: pytest.CaptureFixture) -> None:
    answer = call(capsys, "reproduce", *arguments)
    assert answer.code == 2
    assert says in " ".join(answer.err.split())
    assert "Traceback" not in answer.err


def test_a_page_that_cannot_be_written(capsys: pytest.CaptureFixture) -> None:
    answer = call(capsys, "reproduce", "liao", "--table", "1", "--html", "no/page.html")
    assert answer.code == 2
    assert "no/page.html" in answer.err
    assert not answer.out


def test_ctrl_c_keeps_the_rows_that_are_whole(capsys, monkeypatch):
    def interrupted(study, table, request):
        reproduce(study, table, replace(request, progress=lambda done, total: stop(request)))

    def stop(request):
        if told:
            raise KeyboardInterrupt
        told.append(reproduce("liao", "1", Request(seed=request.seed)))
        request.shown(told[0])

    told: list[Result] = []
    monkeypatch.setattr("evoply.studies.reproduce", interrupted)
    answer = call(capsys, "reproduce", "liao", "--table", "1", "--seed", "5", "--json")
    assert answer.code == 130
    assert answer.data["complete"] is False
    assert answer.data["rows"] == told[0].to_dict()["rows"]
    assert answer.data["error"] == "stopped: these rows are whole"
