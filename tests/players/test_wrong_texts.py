"""Texts that name no player of their kind: each says in a sentence what is wrong."""

import re

import pytest

from evoply.players import parse_player

HALVES = "( white ),50,( white_corners ),50"
WRONG = {
    # Stages and random starts.
    "( white ):overlap=20": "for stages",
    "greedy:overlap=20": "no option 'overlap'",
    f"{HALVES}:overlap=120": "a percentage from 0 to 100",
    f"{HALVES}:overlap=60": "longer than a stage",
    f"{HALVES}:overlap=20,depth=3": "depth does not go with",
    f"{HALVES}:overlap=20,slide=fast": "linear, logistic",
    "greedy:random_plies=1001": "0 to 1,000",
    "random:random_plies=3": "no options",
    "( white ),50,( white_corners ),40": "add up to 100",
    # online.
    "online:populaton=3": "no option 'populaton'; did you mean 'population'",
    "online:population=1": "population must be a whole number from 2 to 100,000, not '1'",
    "online:games=many": "games must be a whole number",
    "online:scope=half": "scope must be one of quadrant, board, edge8, not 'half'",
    "online:crossover=0.9,mutation=0.2": "is 1.1, more than 1",
    "online:lowest=9,highest=3": "lowest 9 is above highest 3",
    "online-strong:population=100000,generations=10000": (
        "is 10,001,000,000; with roots=tree it is at most 1,000,000,000: lower one"
    ),
    "online:choose=visits": "choose=visits is for roots=tree or roots=halving",
    "online:games": "an option is written key=value",
    "online:games=2,games=3": "option games is given twice",
    # strong.
    "strong:level=0": "level must be a whole number from 1 to 12, not '0' (column 14)",
    "strong:level=13": "level must be a whole number from 1 to 12",
    "strong:levels=1": "no option 'levels'; did you mean 'level'?",
    "strong:level=3,depth=2": "give level or depth, not both",
    "strong:level=2,selective=2": "level 2 values every move exactly: leave selective out",
    "strong:depth=0": "depth must be a whole number from 1 to 60",
    # What leaves are worth.
    "random-leaf:depth=0": "noise is for players that look ahead",
    "material-alternating:depth=0": "second is for players that look ahead",
    "random-leaf:table=10": "a table would remember them: leave table out",
    "material-share:alternate=leaf,table=10": "a table would remember them: leave table out",
    "material:alternate=game": "alternate needs a second evaluator",
    "material-share:noise=3": "noise or a second evaluator, not both",
    "random-leaf:noise=0": "noise must be a whole number from 1 to 1,000",
    # The guard.
    "material:depth=0,guard=yes": "guard is for players that look ahead",
    "material:depth=2,guard=1": "guard must be one of yes, no",
    "strong:guard=maybe": "guard must be one of yes, no",
    # mcts.
    "mcts:playouts=0": "playouts must be a whole number from 1 to 1,000,000,000, not '0'",
    "mcts:playout=greedy": "playout=greedy needs an evaluator: add one, as in evaluator=strong",
    "mcts:playout=none": "playout=none needs an evaluator",
    "mcts:playout=random,evaluator=swh": "playout=random asks no evaluator",
    "mcts:playout=deep": "playout must be one of random, greedy, none, not 'deep'",
    "mcts:epsilon=0.5": "epsilon is for playout=greedy, and this is playout=random",
    "mcts:scale=2,playout=greedy,evaluator=swh": "scale is for playout=none",
    "mcts:evaluator=random": "evaluator random gives boards no values: name a player that does",
    "mcts:evaluator=mcts": "evaluator mcts gives boards no values",
    "mcts:evaluator=online": "evaluator online gives boards no values",
    "mcts:evaluator=swhh": "no player is called 'swhh'; did you mean 'swh'?",
    "mcts:evaluator=swh,playuots=3": "no option 'playuots'; did you mean 'playouts'?",
    "mcts:evaluator=": "no player is called ''",
    "mcts:evaluator=swh:deph=3,playouts=3": "no option 'deph'",
    "mcts:gather=257": "gather must be a whole number from 1 to 256",
    "mcts:depth=3": "no option 'depth'. The options of mcts are playouts, exploration",
}


@pytest.mark.parametrize("text", WRONG)
def test_wrong_texts_say_what_is_wrong(text):
    with pytest.raises(ValueError, match=re.escape(WRONG[text])):
        parse_player(text)
