"""What evoply answers is what it answered: a change of words or figures is a decision."""

import pytest
from tests.goldens.goldens import differences, golden, place_of, stories, told, told_as_json

OFTEN = ("resumed",)
"""Stories that are told in every run of tests; the others take minutes together."""
STORIES = stories()


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[] if name in OFTEN else pytest.mark.long) for name in STORIES],
)
def test_a_story_is_told_as_it_was(name: str) -> None:
    found = differences(name, golden(name, STORIES[name]))
    assert not found, "\n".join(found)


def test_a_resumed_run_is_told_as_a_straight_one() -> None:
    text = place_of("resumed").read_text(encoding="utf-8")
    for table in ("generations", "individuals", "hall_of_fame"):
        resumed, straight = (
            text.split(f"# {name}/{table}.csv\n")[1]
            .partition("\n#")[0]
            .partition("\n\n")[0]
            .strip()
            for name in ("evolved", "straight")
        )
        assert resumed == straight


def test_times_and_layout_are_left_out() -> None:
    assert told("\u2502 3.2 s \u2502  12 %\n\n") == ["TIME 12 %"]
    assert told_as_json({"seconds": 3.0, "best": 0.5, "of": [{"time": 1}]}) == {
        "seconds": "-",
        "best": 0.5,
        "of": [{"time": "-"}],
    }
    assert told_as_json(-66.0435703842049) == told_as_json(-66.04357038420488) == -66.04357038


def test_a_change_is_seen() -> None:
    text = place_of("resumed").read_text(encoding="utf-8")
    assert differences("resumed", text) == []
    found = differences("resumed", text.replace("generation 3:", "generation 4:"))
    assert any(line.startswith("+generation 4:") for line in found)
