"""Pictures of boards: well-formed, complete, and self-contained."""

import re
from xml.etree import ElementTree as ET

import pytest
from game_strategies import positions
from hypothesis import given, settings

from evoply import othello
from evoply.games import SHAPES, drawing, game_rules
from evoply.protocols import Color

SVG = "{http://www.w3.org/2000/svg}"


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ET.fromstring(svg).iter(f"{SVG}text")]


def circles(svg: str, **attributes: str) -> int:
    return sum(
        all(circle.get(name) == value for name, value in attributes.items())
        for circle in ET.fromstring(svg).iter(f"{SVG}circle")
    )


@settings(deadline=None, max_examples=30)
@given(positions)
def test_every_disc_and_legal_move_is_drawn(position: othello.Position) -> None:
    svg = position._repr_svg_()
    radius = f"{0.41 * 44:g}"
    assert circles(svg, r=radius, fill="#14191c") == position.discs(Color.BLACK)
    assert circles(svg, r=radius, fill="#f7f7f2") == position.discs(Color.WHITE)
    assert circles(svg, r="6") == position.mobility()
    assert circles(drawing.board_svg(position, legal=False), r="6") == 0
    labels = texts(svg)
    for index in range(position.shape.side):
        assert chr(ord("a") + index) in labels
        assert str(index + 1) in labels
    assert str(position.discs(Color.WHITE)) in labels


def test_the_picture_needs_nothing_from_elsewhere() -> None:
    svg = drawing.board_svg(othello.Position())
    assert re.findall(r"https?://[^\"]+", svg) == ["http://www.w3.org/2000/svg"]
    assert "script" not in svg
    assert "Black to move" in texts(svg)


def test_last_move_is_marked_on_its_disc() -> None:
    position = othello.Position().play("f5")
    assert circles(drawing.board_svg(position), r="5") == 0
    assert circles(drawing.board_svg(position, last_move=othello.Move.parse("f5")), r="5") == 1
    assert circles(drawing.board_svg(position, last_move=othello.Move.PASS), r="5") == 0


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("XO-- ---- ---- ---- O", "White must pass"),
        ("XXX- ---- ---- ---- O", "Black wins by 3"),
        ("O--- ---- ---- ---X O", "Draw"),
    ],
)
def test_status(text: str, status: str) -> None:
    assert status in texts(drawing.board_svg(othello.Position.parse(text)))


def test_heat_map_colors_by_sign_and_prints_every_number() -> None:
    values = [0.0] * 16
    values[0], values[5], values[10], values[15] = 1.0, -0.25, float("nan"), float("-inf")
    svg = drawing.heat_map_svg(SHAPES[4], values, title="weights & <more>")
    root = ET.fromstring(svg)
    assert root.findtext(f"{SVG}title") == "weights & <more>"
    squares = [rect.get("fill") for rect in root.iter(f"{SVG}rect")][1:]
    assert len(squares) == 16
    assert squares[0] == "#c44a14"
    assert squares[1] == "#f3f1ea"
    assert squares[10] == squares[15] == "#8a8f94"
    assert len({squares[0], squares[1], squares[5], squares[10]}) == 4
    numbers = texts(svg)[8:]
    assert numbers[0] == "1"
    assert numbers[5] == "\N{MINUS SIGN}0.25"
    assert numbers.count("0") == 12
    assert numbers[10] == "nan"


def test_a_caption_stands_below_a_heat_map() -> None:
    bare = ET.fromstring(drawing.heat_map_svg(SHAPES[4], [0.5] * 16))
    said = ET.fromstring(drawing.heat_map_svg(SHAPES[4], [0.5] * 16, caption="own & opponent"))
    line = next(text for text in said.iter(f"{SVG}text") if text.text == "own & opponent")
    assert int(said.get("height", 0)) > int(bare.get("height", 0)) - 1
    bottom = max(float(rect.get("y", 0)) for rect in bare.iter(f"{SVG}rect")) + 44
    assert bottom < float(line.get("y", 0)) < int(said.get("height", 0))


def test_heat_map_of_zeros_and_of_the_wrong_size() -> None:
    assert "#f3f1ea" in drawing.heat_map_svg(SHAPES[4], [0] * 16)
    with pytest.raises(ValueError, match="64 squares, not 16"):
        drawing.heat_map_svg(SHAPES[8], [0] * 16)


def test_moves_are_marked_with_lines_and_rings() -> None:
    position = othello.Position()
    one, two = position.legal_moves[0], position.legal_moves[1]
    plain = drawing.board_svg(position, legal=False)
    svg = drawing.board_svg(position, legal=False, moves=[(one, "#aa0000"), (two, "#00bb00")])
    assert len(svg) > len(plain)
    for color in ("#aa0000", "#00bb00"):
        assert svg.count(color) == 1
    checkers = game_rules("checkers").start()
    jump = drawing.board_svg(checkers, moves=[(checkers.legal_moves[0], '"')])
    root = ET.fromstring(jump)
    assert [one.tag.rpartition("}")[2] for one in root.iter() if one.get("stroke") == '"'] == [
        "polyline",
        "circle",
    ]


def test_game_as_html_lists_the_moves() -> None:
    html = othello.Game.from_transcript("f5d6c3")._repr_html_()
    root = ET.fromstring(html)
    cells = [cell.text for cell in root.iter("td")]
    assert cells == ["1", "f5", "d6", "2", "c3"]
    assert "White to move" in html
    later = othello.Game(othello.Position().play("f5")).play("d6")
    cells = [cell.text for cell in ET.fromstring(later._repr_html_()).iter("td")]
    assert cells == ["1", None, "d6"]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (0.123456, "0.123"),
        (-0.00123, "\N{MINUS SIGN}0.0012"),
        (-3.14159, "\N{MINUS SIGN}3.14"),
        (9999.4, "9999"),
        (-123456, "\N{MINUS SIGN}1.2e5"),
        (1.5e-9, "1.5e-9"),
        (float("-inf"), "\N{MINUS SIGN}inf"),
    ],
)
def test_numbers_of_a_heat_map_fit_their_squares(value: float, text: str) -> None:
    assert texts(drawing.heat_map_svg(SHAPES[4], [value] * 16))[8:] == [text] * 16
