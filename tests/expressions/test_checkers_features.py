"""Features of checkers against boards that are read square by square."""

import pytest

import evoply as ep
from evoply import _native
from evoply.expressions import PRIMITIVE_SETS
from evoply.games import game_rules
from evoply.learning import features_of_sets
from evoply.protocols import Color

GAMES = [
    ("checkers", "checkers-positional"),
    ("checkers-10", "checkers-positional-10"),
    ("lose-checkers", "lose-checkers-forcing"),
]
STEPS = [(1, 1), (1, -1), (-1, 1), (-1, -1)]


def positions(game):
    rules = game_rules(game)
    drawn = [
        _native.Positions.random(rules.kernel, 80, 5, *plies) for plies in ((0, 30), (40, 120))
    ]
    return [rules.position_from_row(batch[i]) for batch in drawn for i in range(len(batch))]


class Side:
    """A side of a board as sets of (row, column), seen so that its men go down the rows."""

    def __init__(self, board, color):
        self.size = board.shape.side
        mine, theirs = (board.black, board.white)[:: 1 if color is Color.BLACK else -1]
        self.turned = color is not Color.BLACK
        self.kings = self.cells(mine & board.kings)
        self.men = self.cells(mine & ~board.kings)
        self.other_kings = self.cells(theirs & board.kings)
        self.other_men = self.cells(theirs & ~board.kings)
        self.pieces = self.men | self.kings
        self.others = self.other_men | self.other_kings

    def cells(self, squares):
        size = self.size
        cells = {divmod(square, size) for square in range(size * size) if squares >> square & 1}
        return {(size - 1 - r, size - 1 - c) for r, c in cells} if self.turned else cells

    def is_empty(self, cell):
        inside = all(0 <= one < self.size for one in cell)
        return inside and cell not in self.pieces and cell not in self.others

    def before(self, cell):
        """All squares that a man on *cell* might ever stand on, were the board empty."""
        reached, waiting = set(), [cell]
        while waiting:
            row, column = waiting.pop()
            for step in (-1, 1):
                one = (row + 1, column + step)
                if max(one) < self.size and min(one) >= 0 and one not in reached:
                    reached.add(one)
                    waiting.append(one)
        return reached

    def is_stuck(self, cell):
        for down, right in STEPS:
            near = (cell[0] + down, cell[1] + right)
            far = (cell[0] + 2 * down, cell[1] + 2 * right)
            if self.is_empty(near) or (near in self.others and self.is_empty(far)):
                return False
        return True

    def could_be_taken(self, cell):
        for down, right in STEPS:
            taker = (cell[0] - down, cell[1] - right)
            # The men of the other go up the rows.
            moves = taker in self.other_kings or (taker in self.other_men and down < 0)
            if moves and self.is_empty((cell[0] + down, cell[1] + right)):
                return True
        return False

    def features(self, moves):
        middle = range(self.size // 4, self.size - self.size // 4)
        system = [cell for cell in self.pieces | self.others if cell[1] % 2]
        return {
            "men": len(self.men),
            "kings": len(self.kings),
            "advancement": sum(row for row, _ in self.men),
            "back_row": sum(row == 0 for row, _ in self.men),
            "centre": sum(row in middle and column in middle for row, column in self.pieces),
            "runaway_men": sum(not self.before(cell) & self.others for cell in self.men),
            "trapped_kings": sum(self.is_stuck(cell) for cell in self.kings),
            "has_the_move": len(system) % 2,
            "must_be_taken": sum(self.could_be_taken(cell) for cell in self.pieces),
            "mobility": moves,
        }


@pytest.mark.parametrize(("game", "name"), GAMES)
def test_features_are_those_of_the_board(game, name):
    boards = positions(game)
    chosen = PRIMITIVE_SETS[name]
    seen = dict.fromkeys((one.name for one in chosen.terminals), 0)
    for board in boards:
        rules = game_rules(game)
        for own in Color:
            sides = {"own": Side(board, own), "opponent": Side(board, own.opposite)}
            colors = {"own": own, "opponent": own.opposite}
            expected = {}
            for side, view in sides.items():
                moves = _native.mobility(rules.kernel, board.row, colors[side] is Color.BLACK)
                for feature, value in view.features(moves).items():
                    expected[f"{side}_{feature}"] = value
            for side, other in (("own", "opponent"), ("opponent", "own")):
                must = expected[f"{other}_must_be_taken"] > 0
                expected[f"{side}_must_take"] = must
                expected[f"{side}_forced_replies"] = must * expected[f"{side}_mobility"]
            for primitive in chosen.terminals:
                if primitive.name in expected:
                    value = primitive.expression.evaluate(board, own)
                    assert value == expected[primitive.name], (primitive.name, str(board), own)
                    seen[primitive.name] += value != 0
    # Nothing is 0 on all boards: what is tested happens.
    rare = {"clock", "own_trapped_kings", "opponent_trapped_kings"} if "10" in name else {"clock"}
    assert all(seen[one] for one in seen if one not in rare), seen


def test_who_must_take_has_captures_only():
    must = PRIMITIVE_SETS["lose-checkers-forcing"]["own_must_take"].expression
    for board in positions("lose-checkers"):
        before = (board.black | board.white).bit_count()
        captures = [
            (after.black | after.white).bit_count() < before
            for after in (board.play(move) for move in board.legal_moves)
        ]
        if captures:
            assert all(captures) == bool(must.evaluate(board))
            assert any(captures) == all(captures)


@pytest.mark.parametrize(("game", "name"), GAMES)
def test_weights_are_learned_on_every_game(game, name):
    features = features_of_sets([name], game)
    config = ep.LearningConfig(game=game, games=30, games_per_step=30, features=features)
    *_, last = ep.learn(config)
    assert any(row[0] != 0 for row in last.weights)
    assert last.champions[0].seat(game) is not None


def test_a_formula_of_checkers_is_distilled():
    formula = ep.distil("greedy", game="checkers", terms=3, games=30)
    assert formula.agreement > formula.by_chance
    assert "opponent_men" in {part for term in formula.terms for part in term.name.split(" - ")}
