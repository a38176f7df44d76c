"""What is exported values boards as the kernel does, to the last bit, and chooses as the player."""

import importlib.util
import itertools
import math
import shutil
import struct
import subprocess
import sys
from functools import cache, reduce
from operator import add
from pathlib import Path

import pytest

import evoply as ep
from evoply import _native
from evoply.expressions import (
    CONVENTIONS,
    DIRECTIONS,
    PRIMITIVE_SETS,
    Expression,
    board,
    build,
    clamp,
    number,
    select,
)
from evoply.expressions.operations import NODE_KINDS, OPERATIONS, SIDES
from evoply.expressions.written_form import in_order
from evoply.games import game_rules
from evoply.gp import expression_of, ramped_half_and_half
from evoply.players import AfterState, ExpressionEvaluator
from evoply.protocols import Color, InvalidMoveError
from evoply.reports.exports import EXPORTS
from evoply.reports.open_evaluator import read_opened

BOARDS = {"c": 10_000, "python": 5_000, "javascript": 1_000}
"""Boards that are valued, over all players."""
NOT_EXPORTED = {"pattern", "argument", "moved_from"}
SPECIAL = [0.0, -0.0, 1.0, -2.5, 0.1, 3.0, 1e30, -1e308, 5e-324, math.inf, -math.inf, math.nan]
NAMED = [
    ("othello", "swh"),
    ("othello", "edgar-like"),
    ("othello", "firebrand"),
    ("othello-10", "firebrand"),
    ("othello", "readable-40"),
    ("othello-6", "( white ),40,( / black_mobility ( - white 5 ) ),60:clock=ply"),
    ("othello", "( - ( * 10 white_corners ) black ):division=numerator,view=turn"),
    ("checkers", "material:depth=3"),
    ("lose-checkers", "mobility"),
    ("checkers-10", "mobility:depth=2"),
]


class Draws:
    """Random draws for tests."""

    def __init__(self, seed):
        stream = ep.Stream(seed, "export")
        self.below, self.random = stream.below, stream.random

    def choice(self, of):
        return of[self.below(len(of))]

    def sample(self, of, count):
        rest = list(of)
        return [rest.pop(self.below(len(rest))) for _ in range(count)]


def game_of(name):
    """Return a game for which a set of primitives is made."""
    family = "checkers" if "checkers" in name else "othello"
    size = next((end for end in ("-6", "-10") if name.endswith(end)), "")
    return family + size


def of_set(name):
    """Return a value of all numbers of a set, and of a random tree with its functions."""
    chosen = PRIMITIVE_SETS[name]
    terminals = [one.expression for one in chosen.terminals if one.parameter is None]
    numbers = [one for one in terminals if one.type == "number"]
    numbers += [select(one, number(0.7), number(-0.3)) for one in terminals if one.type == "truth"]
    numbers += [build("count", one) for one in terminals if one.type == "squares"]
    weights = [0.1 * (index + 1) for index in range(len(numbers))]
    trees = ramped_half_and_half(chosen, 4, ep.Stream(7, "export", 1), max_depth=5)
    parts = [weight * one for weight, one in zip(weights, numbers, strict=True)]
    return reduce(add, [*parts, *(clamp(expression_of(tree), -1e6, 1e6) for tree in trees)])


def of_every_operation(game, seed):
    """Return a value made of every operation that can be exported, on the board of *game*."""
    draw, squares = Draws(seed), game_rules(game).shape.squares
    pools = {"squares": [board.own], "number": [board.pieces], "truth": [board.is_black]}
    literals = {
        "square": lambda: draw.below(squares),
        "square list": lambda: draw.sample(range(squares), 5),
        "set name": lambda: draw.choice(["corners", "class_b", "farthest_rank", "nearest_rank"]),
        "direction": lambda: draw.choice(DIRECTIONS),
        "directions": lambda: draw.sample(DIRECTIONS, 3),
        "symmetry": lambda: draw.below(8),
        "side": lambda: draw.choice(SIDES),
        "value": lambda: draw.choice(SPECIAL),
        "tables": lambda: [[2 * draw.random() - 1 for _ in range(squares)] for _ in range(3)],
        "convention": lambda: draw.choice(CONVENTIONS),
        "boolean": lambda: draw.random() < 0.5,
    }
    operations = sorted(set(OPERATIONS) - NOT_EXPORTED) * 3
    for op in draw.sample(operations, len(operations)):
        any_type = draw.choice(sorted(pools))
        arguments = [
            draw.choice(pools[{"any": any_type, "selector": "number"}.get(kind, kind)])
            if kind in NODE_KINDS
            else literals[kind]()
            for kind in OPERATIONS[op].arguments
        ]
        if op == "weighted_sum" and draw.random() < 0.3:
            arguments[-1] = None
        made = build(op, *arguments)
        pools[made.type].append(made)
    numbers = [*pools["number"], *(build("count", one) for one in pools["squares"])]
    numbers += [select(one, number(1), number(0.1)) for one in pools["truth"]]
    parts = [clamp(one, -1e6, 1e6) * (2 * draw.random() - 1) for one in numbers]
    return reduce(add, parts)


@cache
def players(to="c"):
    """Return every player that is compared, with its game; of a slow language fewer."""
    of_game: dict[str, list[Expression]] = {}
    for name in PRIMITIVE_SETS:
        of_game.setdefault(game_of(name), []).append(of_set(name))
    sets = [(game, reduce(add, values)) for game, values in of_game.items()]
    games = ("othello-4", "othello-6", "othello", "othello-10", "checkers", "checkers-10")
    every = [(game, of_every_operation(game, seed)) for game in games for seed in range(2)]
    truth = ("othello", build("is_odd", board.own))
    return (
        [*NAMED[:4], *every[::2], truth] if to == "javascript" else [*NAMED, *sets, *every, truth]
    )


@cache
def boards(game, count, seed):
    """Return boards of random games, as their texts have them."""
    rules = game_rules(game)
    most = 100 if rules.has_kings else rules.shape.squares - 4
    drawn = _native.Positions.random(rules.kernel, count, seed, 0, most)
    texts = [rules.position_from_row(drawn[index]).text() for index in range(count)]
    if rules.has_kings:  # the counters are written, too, in some
        texts[::3] = [f"{text}:H{index % 9}:F{index}" for index, text in enumerate(texts[::3])]
    return [rules.parse(text) for text in texts], texts


def from_the_kernel(player, game, positions):
    """Return the kernel's values for the side for which the player values boards."""
    _, parts = read_opened(player, game)
    values = [0.0] * len(positions)
    for color in Color:
        view = parts.model.view == "turn"
        chosen = [i for i, at in enumerate(positions) if (at.turn is color) == view]
        found = parts.expression.evaluate_all([positions[i] for i in chosen], color)
        for index, value in zip(chosen, found.tolist(), strict=True):
            values[index] = value
    return values


def bits(value):
    return "nan" if math.isnan(value) else struct.pack("<d", value)


class Programs:
    """Exported players as commands, compiled where that is needed."""

    def __init__(self, folder):
        self.folder = folder
        self.count = 0

    def made(self, player, game, to):
        """Return the command of a player in a language."""
        self.count += 1
        ending = {"c": "c", "python": "py", "javascript": "js"}[to]
        path = self.folder / f"player{self.count}.{ending}"
        path.write_text(ep.export(player, to=to, game=game), encoding="ascii")
        if to == "python":
            return [sys.executable, str(path)]
        if to == "javascript":
            return ["node", str(path)]
        compiler = next(filter(shutil.which, ("cc", "gcc", "clang")))
        options = ["-O1", "-Wall", "-Wextra", "-pedantic", "-Werror", "-Wno-unused-parameter"]
        subprocess.run([compiler, *options, "-o", path.with_suffix(""), path, "-lm"], check=True)
        return [str(path.with_suffix(""))]


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    return Programs(tmp_path_factory.mktemp("exported"))


def said(command, text):
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=60)
    assert done.stderr == ""
    assert done.returncode == 0
    return [float(line) for line in done.stdout.splitlines()]


def imported(path):
    """Return an exported file in Python as a module."""
    spec = importlib.util.spec_from_file_location(Path(path).stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node.js here")
LANGUAGES = ("c", "python", pytest.param("javascript", marks=needs_node))


@pytest.mark.parametrize("to", LANGUAGES)
def test_values_are_the_kernels_to_the_last_bit(to, programs):
    each = math.ceil(BOARDS[to] / len(players(to)))
    for index, (game, player) in enumerate(players(to)):
        positions, texts = boards(game, each, index)
        wanted = from_the_kernel(player, game, positions)
        command = programs.made(player, game, to)
        if to == "python":
            value = imported(command[1]).value
            found = [value(text) for text in texts]
        else:
            found = said(command, "".join(f"{text}\n" for text in texts))
        differ = [
            (game, str(player)[:80], text, one, other)
            for text, one, other in zip(texts, wanted, found, strict=True)
            if bits(one) != bits(float(other))
        ]
        assert not differ, differ[0]


def test_every_operation_is_among_them():
    found = {
        node.op
        for game, player in players()
        for node in in_order([read_opened(player, game)[1].expression])
    }
    assert found >= set(OPERATIONS) - NOT_EXPORTED


def after_state(value, view="player"):
    return AfterState(evaluator=ExpressionEvaluator(expression=value), view=view)


# What a board alone does not say is known after a move.
OF_THE_MOVE = (
    build("count", board.moved_to.neighbours() & board.own) + 0.1 * board.root_ply * board.t
    - board.quiet_plies + board.ply * board.root_t
)  # fmt: skip


@pytest.mark.parametrize(
    ("game", "player"),
    [
        ("othello", "swh"),
        ("othello", "mobility:view=turn"),
        ("othello-6", after_state(OF_THE_MOVE)),
        ("othello", after_state(build("divide", OF_THE_MOVE, number(0), "ieee"))),
        ("checkers", after_state(OF_THE_MOVE, "turn")),
        ("lose-checkers", "mobility"),
    ],
)
@pytest.mark.parametrize("to", ["c", "python"])
def test_chosen_is_what_the_player_chooses(game, player, to, programs):
    command = programs.made(player, game, to)
    choose = imported(command[1]).choose if to == "python" else None
    chosen = 0
    for position in boards(game, 60, 5)[0]:
        moves = list(position.legal_moves)
        if len(moves) < 2:
            continue
        after = [position.play(move).text() for move in moves]
        before = position.text() if position.quiet_plies == 0 else f"{position.text()}:H1"
        position = game_rules(game).parse(before)
        if choose is not None:
            number_chosen = choose(before, after)
        else:
            number_chosen = int(said([*command, "choose", before, *after], "")[0]) - 1
        assert moves[number_chosen] == ep.analyse(player, position).move
        chosen += 1
    assert chosen > 20


WRONG = {
    "othello": [
        "", "X", "-" * 64, "-" * 65, "-" * 64 + " Y", "-" * 63 + " X", "X" * 66, "-" * 9000,
    ],
    "checkers": [
        "", "B", "B:W1", "B:W1:W2", "B:W0:B1", "B:W33:B1", "B:W1:B1", "B:W5-2:B1", "B:W1,:B2",
        "B:WK:B2", "B:W1:B2:H", "B:W1:B2:F1234567890", "X:W1:B2", "B:W1:B2 and more", "B:W1,1:B2",
        "B:W99999999999999999999:B1", "B:W1-:B2", "B:W1:B9", "B:W9:B32",
        "B:W20-32:B1", "B:W" + "1," * 4000,
    ],
}  # fmt: skip


@pytest.mark.parametrize("to", LANGUAGES)
@pytest.mark.parametrize("game", list(WRONG))
def test_what_is_no_board_is_told_with_its_line(game, to, programs):
    command = programs.made("mobility", game, to)
    good = game_rules(game).start().text()
    texts = WRONG[game] if to != "javascript" else WRONG[game][:3]
    for text in texts:
        done = subprocess.run(command, input=f"{good}\n{text}\n", capture_output=True, text=True)
        assert (done.returncode, len(done.stdout.splitlines())) == (2, 1), text
        assert done.stderr == f"line 2 - is no board - write one such as {good}\n"
        with pytest.raises(InvalidMoveError):
            game_rules(game).parse(text)
    for arguments in (["choose", good, good], ["choose", good], ["choose", good, "X"], [good]):
        done = subprocess.run([*command, *arguments], capture_output=True, text=True)
        assert (done.returncode, done.stdout) == (2, "")
        assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("game", ["othello-6", "checkers"])
def test_texts_with_a_mistake_are_read_as_evoply_reads_them_or_refused(game, programs):
    draw, rules = Draws(3), game_rules(game)
    value = imported(programs.made("mobility:view=turn", game, "python")[1]).value
    (command,) = programs.made("mobility:view=turn", game, "c")
    mobility = read_opened("mobility", game)[1].expression
    read = 0
    for text, _ in itertools.product(boards(game, 20, 2)[1], range(10)):
        place = draw.below(len(text))
        changed = text[:place] + draw.choice("XO-BWK:,123 ") + text[place + draw.below(2) :]
        done = subprocess.run([command], input=changed, capture_output=True, text=True)
        assert done.returncode in (0, 2)
        try:
            found = value(changed)
        except ValueError:
            assert done.returncode == 2, changed
            continue
        read += 1
        assert float(done.stdout) == found == mobility.evaluate(rules.parse(changed)), changed
    assert read > 10


@pytest.mark.parametrize(
    ("player", "game", "words"),
    [
        ("random", "othello", "random: it gives boards no values - export a tree"),
        ("mcts:playouts=9", "othello", "it gives boards no values"),
        (
            build("pattern", board.own, None, None, None, [["a1"]], False, [], [[0.0, 1.0]]),
            "othello",
            "tables of patterns cannot be exported - export a tree",
        ),
        ("material-kings", "checkers", "material-kings: it has two evaluators"),
        ("mobility", "hex-9", "hex-9: its boards and rules are not written in c - name a game of"),
    ],
)
def test_what_cannot_be_written_is_refused_by_name(player, game, words):
    with pytest.raises(ValueError, match=words):
        ep.export(player, to="c", game=game)


def test_an_unknown_language_is_told():
    with pytest.raises(ValueError, match=r"to: 'pascal' - is one of c, javascript, python, latex"):
        ep.export("swh", to="pascal")


def test_the_head_says_what_the_player_adds():
    text = ep.export("swh:depth=4,guard=yes,ties=random", to="c")
    head = " ".join(line.removeprefix("// ") for line in text.splitlines() if line[:2] == "//")
    assert "It looks 4 plies ahead" in head
    assert "ties=random" in head
    assert "With few pieces it sees replies that win the game at once." in head
    assert "the side that has just moved" in head
    assert "the side to move at the board" in ep.export("material", to="python").replace(
        "\n# ", " "
    )


def test_a_name_ends_no_comment():
    wild = '*/ \u2028 ??/ \\ """ \' é'
    player = ep.parse_player("swh").model_copy(update={"name": wild})
    for to in EXPORTS:
        text = ep.export(player, to=to)
        assert text.isascii()
        sign = {"python": "#", "latex": "%"}.get(to, "//")
        assert text.splitlines()[0].startswith(f"{sign} */")


def test_introns_are_not_written():
    tree = "( NullJ ( MultERC[2.5] Mobility ) EnemyManCount )"
    text = ep.export(f"{tree}:primitives=benbassat", to="c")
    body = text.partition("static double evaluate")[2].partition("}")[0]
    assert "2.5 * Mobility" in body
    assert "at.opponent)" not in body.replace("(at.own, at.opponent", "")
    assert "// Formula: 2.5 * Mobility\n" in text


def test_latex_has_a_term_a_line_and_words():
    text = ep.export("( - ( / white ( - black 3 ) ) ( * 4 white_mobility ) )", to="latex")
    assert r"V ={}& - 4 \cdot \mathrm{white\_mobility} \\" in text
    assert r"& {} - \frac{\mathrm{white}}{3 - \mathrm{black}}" in text
    assert r"\item $\mathrm{white\_mobility}$: own legal moves" in text
    assert "Equal except where black = 3" in text
    assert text.count("{") == text.count("}")


def test_latex_of_a_game_from_data_needs_no_program():
    assert r"\begin{align*}" in ep.export("mobility", to="latex", game="hex-9")


def test_a_program_alone_needs_no_evoply(programs, tmp_path):
    """It runs where evoply cannot be imported, and imports nothing but the standard library."""
    path = Path(programs.made("readable-12", "othello", "python")[1])
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(path)], input=f"{game_rules('othello').start().text()}\n",
        capture_output=True, text=True, cwd=tmp_path,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert isinstance(ep.board.own, Expression)
