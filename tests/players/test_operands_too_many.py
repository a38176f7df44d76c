"""Texts with an operand too many, as Liao's Table 2 prints one, read in two ways on demand."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evoply.players import TreeEvaluator, parse_player

THREE_OPERANDS = "( + white ( + white_corners black_near_corners ) white )"


def read(text: str, lenient: str | None, primitives: str = "liao") -> str:
    return str(TreeEvaluator(tree=text, primitives=primitives, lenient=lenient).parsed)


def test_both_readings_of_table_2():
    assert read(THREE_OPERANDS, "drop") == "( + white ( + white_corners black_near_corners ) )"
    joined = "( + ( + white ( + white_corners black_near_corners ) ) white )"
    assert read(THREE_OPERANDS, "variadic") == joined
    assert parse_player(f"{THREE_OPERANDS}:lenient=variadic").label == joined
    with pytest.raises(ValueError, match="takes 2 operands; this is operand 3"):
        read(THREE_OPERANDS, None)


def test_inside_repeatedly_and_in_several_trees():
    text = "( - ( + 10 10 ( * 2 white white ) 10 ) 1 2 3 )"
    joined = "( - ( - ( - ( + ( + ( + 10 10 ) ( * ( * 2 white ) white ) ) 10 ) 1 ) 2 ) 3 )"
    for form in ("{}", "{},40,( black ),60", "{{ phases {} 50 ( black ) 50 }}", "{{ sum {} }}"):
        assert read(form.format(text), "drop") == form.format("( - ( + 10 10 ) 1 )")
        assert read(form.format(text), "variadic") == form.format(joined)
    definitions = "{{ adf ( ADF0 white black ) ADF0/2 {} }}"
    written = definitions.format("( + ARG0 ARG1 ARG0 )")
    assert read(written, "drop") == definitions.format("( + ARG0 ARG1 )")


@given(st.text("( )+-*/10whitebkᵃ\x00\n.", max_size=60), st.sampled_from(["drop", "variadic"]))
def test_a_text_that_was_right_stays_what_it_was(text, lenient):
    try:
        right = read(text, None)
    except ValueError:
        return
    assert read(text, lenient) == right


@pytest.mark.parametrize("lenient", ["drop", "variadic"])
def test_long_texts_are_refused_quickly(lenient):
    start = time.process_time()
    for text in (
        "( + white black " + "white " * 10**5,
        "( + white " * 3000 + "white white " * 7000 + " )" * 3000,
    ):
        with pytest.raises(ValueError, match=r"at most|takes 2 operands"):
            read(text, lenient)
    assert time.process_time() - start < 2


def test_another_leniency_is_refused():
    with pytest.raises(ValueError, match="lenient"):
        read("( white )", "most")
