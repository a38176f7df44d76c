"""Time for a whole game."""

import pytest

from evoply.protocols import TimeControl


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
