"""Time for a whole game."""

import pytest

from evoply.protocols import Color, GameClock, TimeControl


@pytest.mark.parametrize(
    ("text", "control"),
    [
        ("150", TimeControl(150)),
        ("150+2", TimeControl(150, 2)),
        (" 0.5+0.25 ", TimeControl(0.5, 0.25)),
    ],
)
def test_a_text_is_read_and_written(text: str, control: TimeControl) -> None:
    assert TimeControl.from_text(text) == control
    assert TimeControl.from_text(str(control)) == control


@pytest.mark.parametrize(
    "text", ["", "x", "1+", "+1", "-1", "1e3", "nan", "1+-1", "٣", "0", "0+1", "86401", "1+86401"]
)
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="clock: "):
        TimeControl.from_text(text)


def test_a_side_loses_exactly_when_more_is_taken_than_was_left() -> None:
    clock = GameClock(TimeControl(10, 1))
    assert clock.spend(Color.BLACK, 4)
    assert clock.left == {Color.BLACK: 7, Color.WHITE: 10}
    assert clock.spend(Color.BLACK, 7)
    assert not clock.spend(Color.BLACK, 1.001)
    assert clock.left[Color.WHITE] == 10
