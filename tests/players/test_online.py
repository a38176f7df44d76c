"""The online player: areas, flags, options, what it carries, and the kernel against Python."""

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import slow_online

import evoply as ep
from evoply import _native
from evoply._native import Stream
from evoply.arena import GamesRunner, Schedule
from evoply.games import SHAPES, game_rules
from evoply.gp import Tree
from evoply.players import Online, analyse, parse_player
from evoply.players.online import FLAGS, Scope, Strategy, areas_of, evolved
from evoply.players.searcher import move_stream
from evoply.protocols import Clock

PAPERS_QUADRANT = [[28, 0, 16, 11], [0, 0, 7, 0], [16, 7, 10, 0], [11, 0, 0, 0]]
PAPERS_WEIGHTS = {"A": 28, "B": 0, "C": 16, "D": 11, "E": 0, "F": 7, "G": 0, "H": 10, "I": 0}
TINY = Online(population=5, generations=1, games=2)


def papers_strategy(scope: Scope, *flags: bool) -> Strategy:
    areas = areas_of("othello", scope)
    weights = tuple(PAPERS_WEIGHTS[letter] for letter in areas.letters)
    return Strategy(areas, weights, (flags[0], flags[1], False))


def quadrant(strategy: Strategy) -> list[list[int]]:
    return [list(strategy.board[8 * row : 8 * row + 4]) for row in range(4)]


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Let Python evolve, and return what it is asked, call by call."""
    calls: list[Any] = []

    def online_move(game: str, row: Any, key: int, **settings: Any) -> tuple[Any, ...]:
        answer = slow_online.online_move(game, row, key, **dict(settings))
        calls.append((row, key, settings["alpha"], answer))
        return answer

    monkeypatch.setattr(_native, "online_move", online_move, raising=False)
    return calls


def test_the_papers_quadrant() -> None:
    assert areas_of("othello").letters == "ABDEHIGCF"  # tBH1 to tBH9
    assert quadrant(papers_strategy("quadrant", False, False)) == PAPERS_QUADRANT
    both = quadrant(papers_strategy("quadrant", True, True))
    assert [both[0][0], both[0][3], both[3][0]] == [56, 22, 22]
    assert [both[0][2], both[2][0]] == [32, 32]
    assert [both[1][2], both[2][1], both[2][2]] == [7, 7, 10]
    sizes = [areas_of("othello").of_square.count(area) for area in range(9)]
    assert sizes == [{"A": 4, "E": 4, "H": 4}.get(letter, 8) for letter in "ABDEHIGCF"]
    assert areas_of("othello").of_square.count(-1) == 4
    for scope in ("quadrant", "board"):
        board = papers_strategy(scope, True, True).board
        for index in range(8):  # the same on every board turned or mirrored
            for square in range(64):
                image = _native.symmetry(8, 1 << square, index).bit_length() - 1
                assert board[image] == board[square]


def test_scopes_of_the_flags() -> None:
    assert len(areas_of("othello", "quadrant").edges) == 4 * 8
    assert len(areas_of("othello", "quadrant").corners) == 4 * 3  # the fourth is in the centre
    board, edge8 = areas_of("othello", "board"), areas_of("othello", "edge8")
    assert board.corners == edge8.corners == {0, 7, 56, 63}
    assert (len(board.edges), len(edge8.edges)) == (24, 8)
    assert quadrant(papers_strategy("board", True, True))[0] == [56, 0, 32, 22]
    assert quadrant(papers_strategy("edge8", True, True))[0] == [56, 0, 32, 11]


@pytest.mark.parametrize(
    ("game", "count"), [("othello-4", 2), ("othello-6", 5), ("othello-10", 14), ("checkers", 8),
                        ("lose-checkers", 8), ("checkers-10", 15)],
)  # fmt: skip
def test_areas_of_other_boards(game: str, count: int) -> None:
    areas = areas_of(game)
    size = areas.shape.side
    assert len(areas.letters) == count == max(areas.of_square) + 1
    assert not areas.corners & areas.edges
    for square, area in enumerate(areas.of_square):
        assert areas.of_square[size * size - 1 - square] == area  # a half turn
    if "checkers" in game:
        assert [area >= 0 for area in areas.of_square] == [
            sum(divmod(square, size)) % 2 == 1 for square in range(size * size)
        ]


def test_a_tree_is_decoded_by_its_first_or_last_value() -> None:
    primitives = slow_online.strategies(9, 1, 32)
    tree = slow_online.tree_of(
        [1, 2 + 256 * 28, 0, 3 + 256 * 5, 2 + 256 * 7, 0, 11 + 256, 13 + 256], primitives
    )
    seen = set()
    for seed in range(60):
        player = slow_online.decoded(tree, 9, Stream(seed))
        assert player.weights[1:] == [5, 0, 0, 0, 0, 0, 0, 0]
        assert player.flags == (True, False, True)
        seen.add(player.weights[0])
    assert seen == {28, 7}


def test_texts_options_and_files(tmp_path: Path) -> None:
    player = parse_player("online:population=50,generations=5,preserve_alpha=no,carry=none")
    assert isinstance(player, Online)
    assert (player.population, player.generations, player.games) == (50, 5, 10)
    assert player.preserve_alpha == "no"
    assert Online(preserve_alpha=False) == Online(preserve_alpha="no")  # as files have it
    assert parse_player("frankland2015").identity() == Online(carry="run").identity()
    assert parse_player("frankland-sane").identity() == Online(scope="board").identity()
    strong = parse_player("online-strong:games=95")
    assert isinstance(strong, Online)
    assert (strong.roots, strong.choose, strong.endgame) == ("tree", "visits", 16)
    assert strong.mobility
    assert strong.replies
    assert parse_player(strong.label).identity() == strong.identity()
    assert player.identity()["replies"] is False
    assert strong.identity()["replies"] is True
    changed = player.with_options({"carry": "run", "population": 20})
    assert changed.label == "online:population=20,generations=5,preserve_alpha=no,carry=run"
    (tmp_path / "two.toml").write_text('kind = "online"\npopulation = 7\ntime = 0.5\n')
    timed = parse_player(str(tmp_path / "two.toml"))
    assert isinstance(timed, Online)
    assert timed.label == "online:population=7,time=0.5 (not reproducible)"
    assert not timed.reproducible


def test_notes_say_what_alpha_is(slow: list[Any]) -> None:
    choice = analyse(TINY, ep.othello.Position())
    _, _, _, answer = slow[0]
    assert choice.notes["flags"] == dict(zip(FLAGS, answer[3], strict=True))
    assert choice.notes["generation"] == 1
    assert choice.notes["games"] == choice.nodes == 2 * 5 * 2
    assert len(choice.notes["weights"]) == 64
    tree = slow_online.tree_of(answer[1], slow_online.strategies(9, 1, 32))
    words = choice.notes["tree"].replace("[true]", "[1]").replace("[false]", "[0]")
    assert words == str(tree) or f"( {words} )" == str(tree)
    assert set(choice.notes["areas"]) == set("ABCDEFGHI")
    weights = choice.notes["weights"]
    moves = ep.othello.Position().legal_moves
    assert max(weights[move.square] for move in moves) == weights[choice.move.square]


def asked_along(player: Online, plies: int, *, new_seats: bool) -> list[Any]:
    """Return what *player* evolves as Black of one game against the first legal moves."""
    rules = game_rules("othello-6")
    game, seat = rules.game(rules.start()), player.seat("othello-6")
    stream, own, answers = Stream(3, "game"), 0, []
    while len(game) < plies:
        moves = game.position.legal_moves
        move = moves[0]
        if game.position.turn.value == "black":
            if len(moves) > 1:
                if new_seats:
                    seat = player.seat("othello-6")
                answer = seat.choose(game, move_stream(stream, game), Clock(moves=own))
                answers.append((str(answer.move), answer.notes))
                move = answer.move
            own += 1
        game = game.play(move)
    return answers


def test_alpha_is_carried_within_a_game(slow: list[Any]) -> None:
    in_one = asked_along(TINY, 9, new_seats=False)
    alphas = [(call[2], call[3]) for call in slow]
    assert alphas[0][0] is None
    for (_, before), (carried, _) in itertools.pairwise(alphas):
        assert carried == (before[1], list(before[2]), before[3])
    assert len(alphas) == len(in_one) >= 4
    # A seat that comes to the game late evolves for the moves before, and answers the same.
    assert asked_along(TINY, 9, new_seats=True) == in_one
    slow.clear()
    asked_along(TINY.with_options({"carry": "none"}), 9, new_seats=False)
    assert [call[2] for call in slow] == [None] * len(in_one)


def schedule() -> Schedule:
    start = game_rules("othello-4").start().row
    return Schedule.pairs([0] * 3, [1] * 3, stream=Stream(1), opening_plies=2, start=start)


def played(player: Online, threads: int) -> list[list[int]]:
    with GamesRunner("othello-4", [player, parse_player("random")], threads=threads) as tables:
        return tables.play(schedule(), record_moves=True).moves or []


def test_games_do_not_depend_on_threads(slow: list[Any]) -> None:
    for carry in ("none", "game", "run"):
        player = TINY.with_options({"carry": carry})
        one = played(player, 1)
        calls = list(slow)
        slow.clear()
        assert played(player, 3) == one
        assert len(slow) == len(calls)
        if carry == "run":  # one game after another: every evolution begins with the last alpha
            for (_, _, _, before), (_, _, carried, _) in itertools.pairwise(calls):
                assert carried == (before[1], list(before[2]), before[3])
        slow.clear()


def test_a_new_match_begins_without_alpha(slow: list[Any]) -> None:
    player = TINY.with_options({"carry": "run"})
    played(player, 1)
    count = len(slow)
    played(player, 1)
    assert slow[count][2] is None


def cases() -> Iterator[Any]:
    options: list[dict[str, Any]] = [
        {},
        {"preserve_alpha": "no", "tournament": 2},
        {"preserve_alpha": "crossover", "crossover": 0.5, "mutation": 0.5},
        {"preserve_alpha": "mutation", "crossover": 0.5, "mutation": 0.5},
        {"crossover": 0.1, "mutation": 0.8, "depth": 3},
        {"redraw": "each_use", "choose": "best"},
        {"start": "initial", "scope": "board", "size_limit": 9},
        {"roots": "turns", "choose": "scores", "games": 4},
        {"roots": "halving", "choose": "scores", "redraw": "each_use"},
        {"roots": "tree", "choose": "visits", "games": 12},
        {"roots": "tree", "choose": "scores", "redraw": "each_use", "exploration": 0.1},
        {"mobility": True, "replies": True},
        {"mobility": True, "redraw": "each_use", "mutation": 0.9, "crossover": 0.1},
        {"replies": True, "roots": "tree", "choose": "visits"},
        {"init_size_limit": 20, "lowest": 0, "highest": 3, "generations": 0},
    ]
    games = ("othello-4", "othello-6", "othello", "checkers", "lose-checkers")
    for number, changes in enumerate(options):
        for place, game in enumerate(games):
            # The slow model takes seconds: `make test` asks for one game of each, in turns. The
            # twelfth counts moves for each square: on the large board that alone takes a dozen.
            turn = number - (number == 12)
            marks = () if (place - turn) % 5 == 0 else (pytest.mark.long,)
            yield pytest.param(game, number, changes, id=f"{game}-{number}", marks=marks)
    # The largest boards, as little as tells.
    few = {"population": 4, "generations": 1, "games": 2}
    for game in ("othello-10", "checkers-10"):
        yield pytest.param(game, 1, few, id=f"{game}-few")


@pytest.mark.parametrize(("game", "number", "changes"), list(cases()))
def test_the_kernel_evolves_as_python_does(
    game: str, number: int, changes: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    player = Online(**{"population": 9, "generations": 3, "games": 3, **changes})
    rules = game_rules(game)
    position, draws = rules.start(), Stream(number)
    for _ in range(7 * number):
        if position.outcome() is None:
            moves = position.legal_moves
            position = position.play(moves[draws.below(len(moves))])
    while position.outcome() is None and len(position.legal_moves) < 2:
        position = position.play(position.legal_moves[0])
    if position.outcome() is not None:
        position = rules.start()
    first = evolved(player, position, 11, None)
    second = evolved(player, position, 12, first, threads=2)
    monkeypatch.setattr(_native, "online_move", slow_online.online_move)
    for alpha, key, carried in ((first, 11, None), (second, 12, first)):
        expected = evolved(player, position, key, carried)
        assert (alpha.move, alpha.tree, alpha.strategy) == (
            expected.move, expected.tree, expected.strategy,
        )  # fmt: skip
        assert (alpha.generation, alpha.games) == (expected.generation, expected.games)
        assert alpha.roots == expected.roots


def test_the_kernel_may_use_any_threads_and_ends_in_time() -> None:
    start = game_rules("othello").start()
    one, *others = (evolved(Online(), start, 5, None, threads=threads) for threads in (1, 2, 5))
    for other in others:
        assert (other.move, other.tree, other.strategy) == (one.move, one.tree, one.strategy)
        assert other.games == one.games == 21 * 100 * 10
    timed = evolved(Online(generations=10_000, time=0.05), start, 5, None)
    assert timed.seconds < 1
    assert 0 < timed.games < 21_000_000


def test_the_oracles_offspring_are_pruned_trees(slow: list[Any]) -> None:
    evolved(
        TINY.with_options({"generations": 3, "size_limit": 10}),
        game_rules("othello-4").start(),
        2,
        None,
    )
    primitives = slow_online.strategies(2, 1, 32)
    tree: Tree = slow_online.tree_of(slow[0][3][1], primitives)
    assert slow_online.codes_of(tree) == slow[0][3][1]


def test_evolution_may_train_against_it(slow: list[Any]) -> None:
    opponent = "online:population=3,generations=0,games=1"
    runs = [
        list(
            ep.evolve(
                "quick", game="othello-4", population_size=4, generations=2, threads=threads,
                fitness={"opponents": [{"player": opponent, "pairs": 1}]},
                hall_of_fame={"pairs": 1, "candidates": 1, "sample": 1},
            )
        )
        for threads in (1, 3)
    ]  # fmt: skip
    assert [one.digest for one in runs[0]] == [one.digest for one in runs[1]]
    assert slow
    with pytest.raises(ep.ConfigError, match="cannot be repeated"):
        ep.evolve("quick", fitness={"opponents": [{"player": "online:time=1"}]})


@pytest.mark.parametrize("roots", ["free", "turns", "halving", "tree"])
def test_the_first_moves_of_all_games_are_scored(slow: list[Any], roots: str) -> None:
    choose = "visits" if roots == "tree" else "scores"
    player = Online(population=6, generations=2, games=4, choose=choose, roots=roots)
    alpha = evolved(player, game_rules("othello-4").start(), 4, None)
    games = [count for _, _, count in alpha.roots]
    assert sum(games) == alpha.games == 3 * 6 * 4
    assert all(0 <= points <= 2 * count for _, points, count in alpha.roots)
    if roots == "turns":
        assert games == [18] * 4
    if roots == "halving":  # of 24 games in each generation: 4 moves in turns, then 3, then 2
        assert min(games) in (6, 6 + 8)
        assert max(games) == 6 + 8 + 12
    choice = analyse(player, ep.othello.Position(size=4))
    assert choice.moves[0][0] == choice.move
    assert choice.score == choice.moves[0][1]
    if roots == "tree":
        assert alpha.move == max(alpha.roots, key=lambda root: root[2])[0]
        return
    best = max(alpha.roots, key=lambda root: (root[1] + 1) / (2 * root[2] + 2))
    assert alpha.move == best[0]
    assert choice.score == max(share for _, share in choice.moves)


@pytest.mark.parametrize("changes", [{}, {"mobility": True}, {"replies": True}])
@pytest.mark.parametrize("plies", [6, 8, 9, 10])
def test_a_tree_that_holds_the_rest_of_the_game(
    plies: int, changes: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    rules, draws = game_rules("othello-4"), Stream(plies)
    position = rules.start()
    while position.ply < plies or len(position.legal_moves) < 2:
        moves = position.legal_moves
        position = position.play(moves[draws.below(len(moves))]) if moves else rules.start()
    player = Online(population=8, generations=4, games=40, roots="tree", choose="visits", **changes)
    alpha = evolved(player, position, 3, None)
    solved = {
        move.code(SHAPES[4]): value for move, value in ep.solve(position, every_move=True).moves
    }
    best = max(value > 0 for value in solved.values())
    assert (solved[alpha.move] > 0) is best  # a won position is seen to be won
    monkeypatch.setattr(_native, "online_move", slow_online.online_move)
    expected = evolved(player, position, 3, None)
    assert (alpha.move, alpha.tree, alpha.roots) == (expected.move, expected.tree, expected.roots)


def test_measures_are_weights_that_cost(slow: list[Any]) -> None:
    """A strategy that weighs mobility alone leaves the opponent fewest moves."""
    position = ep.othello.Game.from_transcript("f5d6c3d3c4").position
    settings = {"corners": 0, "edges": 0, "mobility": True, "replies": False}
    model = slow_online.Evolution.__new__(slow_online.Evolution)
    model.areas, model.count, model.settings = (0,) * 64, 1, settings
    player = slow_online.Strategist([0, 1, 0], (False, False, False))
    move = model.chosen_move(position, player, Stream(1))
    counts = {one: len(position.play(one).legal_moves) for one in position.legal_moves}
    assert counts[move] == min(counts.values()) < max(counts.values())
    choice = analyse(TINY.with_options({"mobility": True}), ep.othello.Position())
    assert choice.notes["mobility"] in range(33)
    assert choice.notes["frontier"] in range(33)


def test_the_end_of_a_game_is_exact(slow: list[Any]) -> None:
    player = TINY.with_options({"endgame": 10})
    game = ep.othello.Game.from_transcript("f5d6c3d3c4f4f6f3e6e7")
    small = game_rules("othello-4")
    start = small.game(small.start())
    while len(start.position.legal_moves) < 2 or len(start) < 2:
        start = start.play(start.position.legal_moves[0])
    assert analyse(player, game).notes["games"] > 0  # far from the end
    slow.clear()
    choice = analyse(player, start)
    assert not slow
    solution = ep.solve(start.position)
    assert (choice.move, choice.score) == (solution.move, solution.score)
    assert choice.depth == 16 - 4 - len(start)
    with pytest.raises(ValueError, match="has no exact solver: leave endgame out"):
        player.check_fits("checkers")
    with pytest.raises(ValueError, match="roots=turns is for games from the current position"):
        parse_player("online:roots=turns,start=initial")


def test_under_a_clock_an_evolution_takes_no_more_than_its_share() -> None:
    player = parse_player("online:games=1000,generations=1000,carry=game")
    game = game_rules("othello").record("f5d6c3d3c4")
    seat = player.seat("othello")
    choice = seat.choose(game, Stream(1).child(1, 5), Clock(seconds_left=6.0, moves=2))
    assert 0.01 < choice.seconds < 2
    assert seat.choose(game, Stream(1).child(1, 5), Clock(move_seconds=0.2)).seconds < 2
