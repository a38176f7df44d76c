"""A player that stays, and players that leave the end of the game to the exact solver."""

import math
import threading

import pytest

from evoply import Searcher, Stream, _native, analyse, explain, othello
from evoply.games import game_rules
from evoply.players import KernelSeat, load_player, parse_player, save_player, solve
from evoply.protocols import Choice, Clock, Color
from waiting import PATIENCE

GAME = othello.Game.from_transcript("f5d6c3d3c4f4f6")
ENDGAME = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X"


@pytest.mark.parametrize(
    ("text", "game"),
    [
        ("material:ties=random", "othello"),
        ("swh:depth=1,table=8,ties=column", "othello"),
        ("( - black_mobility white ):depth=2", "othello"),
        ("material:depth=3,noise=uniform", "othello-6"),
        ("material:quiescence=yes,depth=2,ties=advanced", "checkers"),
        ("greedy", "lose-checkers"),
        ("random", "othello-10"),
    ],
)
def test_at_equal_depth_it_chooses_what_its_player_chooses(text: str, game: str) -> None:
    """Whatever it was asked before: here a game of both sides, each position twice."""
    rules = game_rules(game)
    stream, draws = Stream(5, "games"), Stream(5, "moves", game)
    record = rules.record()
    with Searcher(text, game=game, table=6, stream=stream) as searcher:
        while record.outcome() is None and len(record) < 24:
            for depth in (draws.below(2) + 1, draws.below(3) + 2):
                found = searcher.think(record, depth=depth, every_move=True)
                if not found.depth:
                    continue
                plain = parse_player(text, game=game)
                if hasattr(plain, "depth"):
                    plain = plain.model_copy(update={"depth": found.depth})
                asked = analyse(plain, record, stream=stream, every_move=True)
                assert (found.move, found.score, found.moves) == (
                    asked.move,
                    asked.score,
                    asked.moves,
                )
            moves = record.position.legal_moves
            record = record.play(moves[draws.below(len(moves))])


def test_it_tells_of_each_depth_and_a_stop_keeps_the_last() -> None:
    heard: list[Choice] = []
    with Searcher("material") as searcher:

        def told(choice: Choice) -> None:
            heard.append(choice)
            assert searcher.info == choice
            if choice.depth == 5:
                searcher.stop()

        choice = searcher.think(GAME, depth=60, told=told)
        assert [one.depth for one in heard[:5]] == [1, 2, 3, 4, 5]
        # The search may have been a depth further before it heard of the stop.
        assert choice.depth == heard[-1].depth >= 5
        assert (choice.move, choice.score, choice.line) == (
            heard[-1].move,
            heard[-1].score,
            heard[-1].line,
        )
        assert choice.color is Color.WHITE
        seconds = [one.seconds for one in heard]
        assert seconds == sorted(seconds)
        assert choice.line[0] == choice.move
        again = searcher.think(GAME, soft=0.0)
        assert (again.depth, again.move) == (choice.depth, choice.move)
        searcher.forget()
        assert searcher.info is None
        assert searcher.think(GAME, hard=0.0).depth == 1


def test_a_stop_from_another_thread_and_one_without_a_search() -> None:
    with Searcher("material") as searcher:
        searcher.stop()
        begun = threading.Event()
        found: list[Choice] = []

        def think() -> None:
            found.append(searcher.think(GAME, depth=60, told=lambda choice: begun.set()))

        thread = threading.Thread(target=think)
        thread.start()
        assert begun.wait(PATIENCE)
        searcher.stop()
        thread.join(PATIENCE)
        assert not thread.is_alive()
        assert 1 <= found[0].depth < 60
        oracle = analyse(f"material:depth={found[0].depth}", GAME) if found[0].depth < 8 else None
        assert oracle is None or oracle.move == found[0].move


def test_pondering_goes_on_until_the_next_question() -> None:
    with Searcher("material") as searcher:
        choice = searcher.think(GAME, depth=5)
        after = GAME.play(choice.move)
        begun = threading.Event()
        search = searcher._search

        def watched(*arguments: object, **options: object) -> Choice:
            return search(*arguments, **{**options, "told": lambda choice: begun.set()})  # type: ignore[arg-type]

        searcher._search = watched  # type: ignore[method-assign]
        searcher.ponder(after)
        assert begun.wait(PATIENCE)
        del searcher._search
        expected = after.play(choice.line[1])
        pondered = searcher.think(expected, soft=0.0)
        assert pondered.depth >= 1
        oracle = parse_player(f"material:depth={pondered.depth}")
        assert pondered.depth > 7 or pondered.move == analyse(oracle, expected).move
        # Without anything to go by it guesses; a second question ends the first.
        searcher.forget()
        searcher.ponder(after)
        searcher.ponder(after)
    assert searcher._pondering is None


def test_an_error_of_who_is_told_ends_the_search() -> None:
    def told(choice: Choice) -> None:
        raise RuntimeError("enough")

    with Searcher("material") as searcher:
        with pytest.raises(RuntimeError, match="enough"):
            searcher.think(GAME, depth=60, told=told)
        assert searcher.think(GAME, depth=3).depth >= 3


def test_what_it_refuses() -> None:
    searcher = Searcher("material")
    for options, message in (
        ({"depth": 0}, "depth: 0"),
        ({"depth": 61}, "depth: 61"),
        ({"soft": -1.0}, "soft: -1"),
        ({"hard": math.nan}, "hard: nan"),
    ):
        with pytest.raises(ValueError, match=message):
            searcher.think(GAME, **options)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="this searcher plays othello, and was asked about"):
        searcher.think(game_rules("checkers").record())
    with pytest.raises(ValueError, match="table: 23"):
        Searcher("material", table=23)
    with pytest.raises(ValueError, match="only a player that evoply's kernel runs can stay"):
        Searcher("online")
    with pytest.raises(ValueError, match="cannot play"):
        Searcher("material:quiescence=yes")
    over = othello.Position.parse("X" * 64 + " X")
    with pytest.raises(ValueError, match="the game is over"):
        searcher.think(over)


def test_a_seat_goes_on_from_move_to_move_under_a_clock() -> None:
    """The second answer has nothing left to find out to the depth of the first."""
    seat = parse_player("material:depth=6").seat("othello")
    assert isinstance(seat, KernelSeat)
    stream, clock = Stream(1, "clock").child(1, GAME.position.ply), Clock(seconds_left=1000.0)
    first, second = (seat.choose(GAME, stream, clock) for _ in range(2))
    assert first.depth == second.depth == 6
    assert (first.move, first.score, first.nodes) == (second.move, second.score, second.nodes)
    assert first.move == seat.choose(GAME, stream, Clock()).move


def test_the_exact_solver_chooses_where_a_player_says_so() -> None:
    position = othello.Position.parse(ENDGAME)
    solution = solve(position, every_move=True)
    best = [move for move, score in solution.moves if score == solution.score]
    for ties in ("first", "last", "random", "column"):
        choice = analyse(f"material:endgame=14,ties={ties}", position, every_move=True)
        assert choice.move in best
        assert (choice.score, choice.depth, choice.notes) == (solution.score, 14, {"exact": True})
        assert {move: score for move, score in choice.moves} == dict(solution.moves)
        assert len(choice.line) >= 14
        early = analyse(f"material:endgame=13,ties={ties}", position)
        assert (early.depth, dict(early.notes)) == (1, {})
    timed = parse_player("material:time=1000,endgame=20")
    assert analyse(timed, position).score == solution.score
    nodes = parse_player("material:nodes=10,endgame=20")
    assert analyse(nodes, position).score == solution.score
    for timing in ("modern", "firebrand"):
        seat = parse_player(f"material:timing={timing},endgame=14").seat("othello")
        game = game_rules("othello").game(position)
        chosen = seat.choose(game, Stream(1, "end"), Clock(seconds_left=1000.0))
        assert (chosen.score, chosen.depth) == (solution.score, 14)


def test_threads_of_the_solver_change_no_answer() -> None:
    """Strong has an evaluator that says what the solver tries first, and 16 empties are split."""
    record = game_rules("othello").record()
    stream = Stream(3, "until 16 are empty")
    while record.position.empty.bit_count() > 16:
        moves = record.position.legal_moves
        record = record.play(moves[stream.below(len(moves))])
    player = parse_player("strong:depth=2,endgame=16")
    exact = solve(record.position)
    answers = []
    for threads in (0, 1, 3):
        with Searcher(player, threads=threads) as searcher:
            answers.append(searcher.think(record))
    seat = player.seat("othello")
    seat.use_all_cores()
    assert isinstance(seat, KernelSeat)
    assert seat.threads == 0
    answers.append(analyse(player, record))
    assert len({(choice.move, choice.line, choice.score) for choice in answers}) == 1
    assert answers[0].score == exact.score
    assert all(choice.notes == {"exact": True} for choice in answers)
    with pytest.raises(ValueError, match="threads: 1025 - give a whole number from 0 to 1024"):
        Searcher(player, threads=1025)


def test_endgame_is_an_option_like_others(tmp_path) -> None:
    player = parse_player("material:depth=4,endgame=16")
    assert player.label == "material:depth=4,endgame=16"
    assert parse_player(player.label).model_dump() == player.model_dump()
    save_player(tmp_path / "exact.json", player, game="othello")
    assert load_player(tmp_path / "exact.json", game="othello").endgame == 16
    assert parse_player("material:depth=4").model_dump()["endgame"] == 0
    said = explain(player, game="othello", positions=20).sentence
    assert "When at most 16 squares are empty it plays perfectly." in said
    with pytest.raises(ValueError, match="checkers has no exact solver: leave endgame out"):
        parse_player("material:depth=2,endgame=10", game="checkers")
    with pytest.raises(ValueError, match="endgame must be a whole number from 0 to 30"):
        parse_player("material:endgame=31")
    with pytest.raises(ValueError, match="endgame is for players that look ahead"):
        parse_player("greedy:endgame=3")
    program = parse_player("material").evaluator.program("checkers")
    with pytest.raises(ValueError, match="endgame asks a solver of Othello"):
        _native.Player("checkers", "alpha_beta", program, endgame=3)
