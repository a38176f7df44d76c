"""The rules in words: every game has some, short, with three tips, and with squares that it has."""

import re

import pytest

from evoply.games import DATA_GAMES, GAMES, game_rules, parse_square
from evoply.games.rules import RulesInWords, rules_in_words, written_rules

TEXTS = list(dict.fromkeys(written_rules().values()))
SQUARE = re.compile(r"\b[a-j](?:10|[1-9])\b")
SENTENCE = re.compile(r"(?<=[.:!?]) ")


def parts(text: RulesInWords) -> tuple[str, ...]:
    return text.aim, text.moves, text.end, *text.tips


def test_every_game_that_comes_with_evoply_has_its_text() -> None:
    assert sorted(written_rules()) == sorted({*GAMES, *DATA_GAMES})


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: text.games[0])
def test_a_text_is_read_in_two_minutes(text: RulesInWords) -> None:
    assert len(text.tips) == len(set(text.tips)) == 3
    assert 30 <= sum(len(part.split()) for part in parts(text)[:3]) <= 150
    assert all(8 <= len(tip.split()) <= 30 for tip in text.tips)
    sentences = [sentence for part in parts(text) for sentence in SENTENCE.split(part)]
    assert all(len(sentence.split()) <= 30 for sentence in sentences)
    assert all(part == part.strip() and part.endswith(".") for part in parts(text))
    assert not any("  " in part or "\n" in part for part in parts(text))


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: text.games[0])
def test_what_a_text_says_is_so(text: RulesInWords) -> None:
    for game in text.games:
        rules = game_rules(game)
        start = rules.start()
        for square in SQUARE.findall(" ".join(parts(text))):
            parse_square(square, rules.shape)
        assert ("Black begins" in text.moves) == (start.turn.value == "black")
        draws = rules.draws
        assert ("three times" in text.end) == (draws.repetitions == 3)
        # A cap that games of this kind never reach is not worth a word.
        assert ("300 plies" in text.end) == (draws.max_plies == 300)
        assert ("80 plies" in text.end) == (draws.quiet_plies == 80)
        assert ("king" in text.moves) == rules.has_kings


def test_games_of_one_text_are_of_one_kind() -> None:
    for text in TEXTS:
        families = {game_rules(game).family.partition("-")[0] for game in text.games}
        assert len(families) == 1, text.games


def test_a_game_without_a_text_is_refused_in_words() -> None:
    with pytest.raises(ValueError, match="no text about 'chess'"):
        rules_in_words("chess")
