"""Staged players and random starts: the right evaluator at every clock, texts, files, runs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from slow_games import SlowSeat, slow_game, slow_move

from evoply import _native, othello
from evoply.arena import Schedule, match, play, play_game
from evoply.evolution import config_from_toml, evolve
from evoply.games import SHAPES, game_rules
from evoply.gp.algebra import formula_of
from evoply.players import (
    AfterState,
    KernelSeat,
    RandomPlayer,
    RandomStart,
    Staged,
    TreeEvaluator,
    load_player,
    parse_player,
    save_player,
    stage_shares,
    steady_player,
)
from evoply.reports import explain

HALVES = "( white ),50,( white_corners ),50"


def staged_of(text, **options):
    return Staged(evaluator=TreeEvaluator(tree=text, primitives="liao"), **options)


def percentages():
    """Whole percentages that sum to 100."""
    cuts = st.lists(st.integers(1, 99), min_size=0, max_size=6, unique=True).map(sorted)
    return cuts.map(lambda c: [float(b - a) for a, b in zip([0, *c], [*c, 100], strict=True)])


@given(percentages(), st.integers(0, 60), st.sampled_from(["linear", "logistic"]), st.data())
def test_shares_are_probabilities(parts, discs, slide, data):
    overlap = data.draw(st.floats(0, min(parts)))
    shares = stage_shares(parts, discs / 60, overlap, slide)
    assert len(shares) == len(parts)
    assert sum(shares) == pytest.approx(1)
    assert min(shares) >= -1e-12
    assert sum(share > 1e-12 for share in shares) <= 2


@given(percentages(), st.integers(0, 60))
def test_without_overlap_the_clock_decides(parts, discs):
    """Stage k is active while sum(p1..p(k-1)) <= 100 t < sum(p1..pk); the last one to t = 1."""
    wanted, before = len(parts) - 1, 0
    for stage, part in enumerate(parts):
        if before * 60 <= 100 * discs < (before + part) * 60:
            wanted = stage
        before += part
    shares = stage_shares(parts, discs / 60, 0.0)
    assert shares.index(1.0) == wanted
    assert sum(shares) == 1.0


@pytest.mark.parametrize("game", ["othello", "othello-4", "othello-6", "othello-10"])
@pytest.mark.parametrize("options", ["ties=column", "overlap=20,ties=random", "overlap=15"])
def test_the_clock_of_plies_in_the_kernel_is_that_of_python(game, options):
    """Small boards, whose games have passes; with an overlap a stage is drawn for every move."""
    text = "( white ),30,( - black white_corners ),30,( - black white ),40:primitives=liao"
    by_ply = parse_player(f"{text},clock=ply,{options}", game=game)
    late = [row for row in _native.Positions.random(game, 3, 3, 5, 11)]
    check_kernel_games(game, [by_ply, RandomPlayer()], games=6, starts=late)


def test_the_clock_of_plies_is_said_in_texts_and_files(tmp_path):
    by_ply = parse_player(f"{HALVES}:clock=ply")
    assert (by_ply.clock, by_ply.label) == ("ply", f"{HALVES}:clock=ply")
    assert by_ply.model_dump()["clock"] == "ply"
    assert parse_player(f"{HALVES}:overlap=20").model_dump()["clock"] == "pieces"
    steady = by_ply.valuing()
    assert steady.label == "{ ply_stages ( white ) 50 ( white_corners ) 50 }"
    for player in (by_ply, steady, parse_player(f"{HALVES}:overlap=20,clock=ply")):
        save_player(tmp_path / "player.json", player)
        assert load_player(tmp_path / "player.json") == player.self_contained()
        assert parse_player(player.label) == player
    # What evolved says its clock in its text; an overlap takes it over.
    assert parse_player(f"{steady.label}:overlap=20").clock == "ply"
    assert parse_player(f"{steady.label}:overlap=20,clock=pieces").clock == "pieces"
    assert Staged(stages=by_ply.model_dump()["stages"], clock="ply").trees == by_ply.trees
    text = formula_of(steady.evaluator.parsed)
    assert "plies_until_50%" in text


@pytest.mark.parametrize("text", [f"{HALVES}:clock=ply", f"{HALVES}:clock=ply,overlap=5"])
def test_the_clock_of_plies_is_for_boards_that_fill(text):
    with pytest.raises(
        ValueError, match="games of checkers have no usual length: leave clock=ply out"
    ):
        parse_player(text, game="checkers")
    with pytest.raises(ValueError, match="clock must be one of pieces, ply, not 'discs'"):
        parse_player(f"{HALVES}:clock=discs")
    with pytest.raises(ValueError, match="overlap, slide and clock are for stages"):
        parse_player("( white ):clock=ply")
    with pytest.raises(ValueError, match="clocks are pieces, ply"):
        _native.Player.staged("othello", [], [], clock="discs")


def test_sixty_stages_change_with_every_disc():
    for discs in range(60):
        assert stage_shares([100 / 60] * 60, discs / 60, 0.0).index(1.0) == discs


def test_the_slide():
    assert stage_shares([50, 50], 0.40, 20) == (1.0, 0.0)
    assert stage_shares([50, 50], 0.45, 20)[1] == pytest.approx(0.25)
    assert stage_shares([50, 50], 0.60, 20) == (0.0, 1.0)
    early, middle, late = (
        stage_shares([50, 50], clock, 20, "logistic")[1] for clock in (0.42, 0.5, 0.58)
    )
    assert early < 0.1
    assert middle == pytest.approx(0.5)
    assert late > 0.9
    assert stage_shares([50, 50], 0.40, 20, "logistic")[1] == 0.0


@pytest.mark.parametrize("text", [HALVES, "( black ),20,( white_edges ),30,( white ),50"])
@pytest.mark.parametrize("ties", ["first", "last", "random"])
def test_the_kernel_plays_a_staged_player_as_python_does(text, ties):
    """One expression that selects by the clock, against the loop that asks a stage's player."""
    staged = staged_of(text, ties=ties)
    check_kernel_games("othello", [staged, RandomPlayer()], games=10)


def check_kernel_games(game, players, games, starts=()):
    """Compare the kernel's games of two players, both ways round, with those of the oracle."""
    rules = game_rules(game)
    rows = [rules.start().row, *starts]
    schedule = Schedule.pairs(
        [0] * games,
        [1] * games,
        stream=_native.Stream(games, "test"),
        opening_plies=5,
        starts=rows,
        start_of=[pair % len(rows) for pair in range(games)],
    )
    seats = [player.seat(game) for player in players]
    results = play(game, seats, schedule, record_moves=True, threads=2)
    for index, codes in enumerate(results.moves):
        record = slow_game(
            game,
            (players[schedule.black[index]], players[schedule.white[index]]),
            start=rows[schedule.start_of[index]],
            opening_key=int(schedule.opening_keys[index]),
            opening_plies=5,
            game_key=int(schedule.game_keys[index]),
        )
        assert [move.code(rules.shape) for move in record.moves] == codes


SMOOTH = "( white ),30,( - black white_corners ),30,( - black white ),40:primitives=liao"


@pytest.mark.parametrize("game", ["othello", "othello-6", "othello-10", "checkers"])
@pytest.mark.parametrize(
    "options", ["overlap=30", "overlap=20,slide=logistic,ties=random", "overlap=25,view=turn"]
)
def test_the_kernel_draws_stages_as_the_oracle_does(game, options):
    """Move for move, against random moves and each other, with and without random starts."""
    smooth = parse_player(f"{SMOOTH},{options}", game=game)
    late = RandomStart(plies=4, player=smooth)
    starts = [row for row in _native.Positions.random(game, 2, 3, 8, 12)]
    for players in ([smooth, RandomPlayer()], [late, smooth], [late, late]):
        check_kernel_games(game, players, games=4, starts=starts)


@pytest.mark.parametrize("inner", ["greedy", "material:depth=2,ties=random,epsilon=0.2", "swh"])
def test_the_kernel_starts_at_random_as_the_oracle_does(inner):
    late = RandomStart(plies=7, player=parse_player(inner))
    check_kernel_games("othello", [late, parse_player("greedy")], games=6)
    check_kernel_games("othello", [late, RandomStart(plies=3, player=late.player)], games=6)


def test_an_overlap_draws_the_stage_with_its_probability():
    """The two stages choose the first and the last move, so that each choice shows its stage."""
    staged = staged_of("( - white white ),50,( white ),50", overlap=40)
    seat = staged.seat("othello")
    # A position half way to the boundary of the overlap: 28 discs, t = 0.4, P(second) = 0.25.
    rows = _native.Positions.random("othello", 1, 5, 24, 24)
    position = othello.Position.from_row("othello", rows[0])
    assert position.clock == pytest.approx(0.4)
    chosen = [_native.analyse(seat.native, *position.row, key)[0] for key in range(2000)]
    alone = [staged_of(tree).seat("othello") for tree in ("( - white white )", "( white )")]
    moves = [_native.analyse(one.native, *position.row, 0)[0] for one in alone]
    assert moves[0] != moves[1]
    share = np.mean([code == moves[1] for code in chosen])
    assert abs(share - staged.shares(position.clock)[1]) < 4 * np.sqrt(0.25 * 0.75 / 2000)
    assert chosen == [slow_move(staged, position, key).code(SHAPES[8]) for key in range(2000)]


def test_matches_of_staged_players():
    staged = staged_of(HALVES)
    assert match(staged, "random", games=200, seed=1).score > 0.6
    smooth = staged_of(HALVES, overlap=20)
    assert smooth.label == f"{HALVES}:primitives=liao,overlap=20"
    result = match(smooth, "random", games=40, seed=1)
    assert result == match(smooth, "random", games=40, seed=1)
    assert result.reproducible


@pytest.mark.parametrize(
    ("text", "options", "says"),
    [
        ("( white ),50,( black ),40", {}, "but 50 \\+ 40 is 90"),
        ("( white ),50,( black )", {}, "a comma must stand here, before a percentage"),
        ("( white ),half", {}, "a percentage must stand here"),
        ("{ sum ( white ) ( black ) }", {}, "are for stages"),
        ("( white ),0,( black ),100", {}, "percent"),
        (HALVES, {"overlap": 60.0}, "longer than a stage of 50"),
        ("( whit )", {}, "did you mean 'white'"),
    ],
)
def test_what_is_no_staged_player(text, options, says):
    with pytest.raises(ValueError, match=says):
        staged_of(text, **options)


def test_files_hold_stages_one_by_one():
    data = staged_of(HALVES, overlap=10).model_dump(mode="json")
    tree = {"kind": "tree", "primitives": "liao", "division": None, "lenient": None}
    assert data["stages"] == [
        {"evaluator": {**tree, "tree": "( white )"}, "percent": 50.0},
        {"evaluator": {**tree, "tree": "( white_corners )"}, "percent": 50.0},
    ]
    assert data.keys() == {"kind", "name", "stages", "overlap", "slide", "clock", "ties", "view"}


def test_stages_in_files_may_be_formulas_and_fractions():
    tree = {"kind": "tree", "tree": "( white )", "primitives": "liao"}
    formula = parse_player("greedy").evaluator.model_dump(mode="json")
    other = {"kind": "tree", "tree": "{ sum ( white ) ( white_mobility ) }"}
    stages = [(tree, 100 / 3), (formula, 50.0), (other, 50 / 3)]
    data = [{"evaluator": evaluator, "percent": percent} for evaluator, percent in stages]
    mixed = Staged(stages=data, overlap=10)
    assert Staged.model_validate_json(mixed.model_dump_json()) == mixed
    alone = [
        AfterState(evaluator=one)
        for one in (tree, formula, {"kind": "tree", "tree": other["tree"]})
    ]
    for discs, stage in ((6, 0), (40, 1), (60, 2)):
        rows = list(_native.Positions.random("othello", 20, 5, discs - 4, discs - 4))
        for row in rows:
            moves = [
                _native.analyse(one.native("othello"), *row, 1)[0] for one in (mixed, alone[stage])
            ]
            assert moves[0] == moves[1]
    thirds = Staged(stages=[{"evaluator": tree, "percent": 100 / 3}] * 3)
    assert parse_player(thirds.label).evaluator == thirds.evaluator
    with pytest.raises(ValueError, match="percent"):
        Staged(stages=[{"evaluator": tree}])
    with pytest.raises(ValueError, match="stages"):
        Staged(stages="( white )")


def test_a_random_start_ends_where_it_says():
    player = RandomStart(plies=10, player=parse_player("greedy"))
    assert player.label == "greedy:random_plies=10"
    seat = player.seat("othello")
    opponent = parse_player("( white )").seat("othello")
    greedy = parse_player("greedy").seat("othello")
    arguments = {"start": othello.Position(), "opening_key": 1, "opening_plies": 0}
    games = {play_game((seat, opponent), **arguments, game_key=key).moves for key in range(20)}
    assert len(games) == 20
    record = play_game((seat, opponent), **arguments, game_key=3)
    # Ten plies of its own are over when twenty were played.
    for position, move in zip(record.positions[20:], record.moves[20:], strict=False):
        player = greedy if position.turn.value == "black" else opponent
        assert _native.analyse(player.native, *position.row, 3)[0] == move.code(SHAPES[8])
    assert isinstance(RandomStart(plies=0, player=RandomPlayer()).seat("othello"), KernelSeat)
    assert match(RandomStart(plies=4, player=parse_player("swh")), "random", games=20).games == 20


def test_kernel_and_python_games_mix_in_one_schedule():
    texts = ["greedy", "random", "swh"]
    seats = [parse_player(text).seat("othello") for text in texts]
    staged = staged_of(HALVES)
    slow = SlowSeat(staged)
    schedule = Schedule.pairs(
        [0, 0, 3, 1, 2, 3],
        [1, 3, 2, 2, 0, 1],
        stream=_native.Stream(4, "test"),
        opening_plies=6,
        start=othello.Position().row,
    )
    told = []
    mixed = play("othello", [*seats, slow], schedule, progress=told.append)
    alone = play("othello", [*seats, staged.seat("othello")], schedule)
    assert (mixed.black_discs == alone.black_discs).all()
    assert (mixed.plies == alone.plies).all()
    assert told[-1] == len(schedule)


def test_a_text_of_overlapping_stages_is_that_player():
    found = parse_player(f"{HALVES}:primitives=liao,overlap=20,slide=logistic")
    evaluator = TreeEvaluator(tree=HALVES, primitives="liao")
    assert found == Staged(evaluator=evaluator, overlap=20.0, slide="logistic")
    assert isinstance(parse_player(HALVES), AfterState)
    steady = steady_player(found)
    assert steady == parse_player(f"{HALVES}:primitives=liao")


def test_options_change_saved_players(tmp_path):
    path = tmp_path / "smooth.json"
    save_player(path, parse_player(f"{HALVES}:overlap=20"))
    changed = parse_player(f"{path}:overlap=40,random_plies=2")
    assert isinstance(changed, RandomStart)
    assert isinstance(changed.player, Staged)
    assert (changed.plies, changed.player.overlap) == (2, 40.0)
    assert parse_player(f"{path}:random_plies=0") == load_player(path).model_copy(
        update={"name": f"{path}:random_plies=0"}
    )


@pytest.mark.parametrize("text", [f"{HALVES}:overlap=20", "greedy:random_plies=6"])
def test_runs_train_against_them(text):
    settings = f"""
        generations = 2
        population_size = 6
        fitness.opponents = [{{ player = "{text}", games = 4 }}]
    """
    first, last = evolve(config_from_toml(settings))
    assert (first.number, last.number) == (0, 1)
    assert last.digest == list(evolve(config_from_toml(settings)))[-1].digest


def test_explanations_say_what_changes():
    smooth = explain(f"{HALVES}:overlap=20,random_plies=3", positions=50)
    plain = explain(HALVES, positions=50)
    assert smooth.sentence.startswith(plain.sentence)
    assert "overlap by 20 percent" in smooth.sentence
    assert "Its first 3 moves of a game are random" in smooth.sentence
    assert smooth.features == plain.features
