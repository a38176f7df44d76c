"""Anybody at a board: players from outside the package, by the contract alone."""

import threading
from dataclasses import dataclass, field
from typing import Any

import pytest
from arena_games import pairs_of_two

from evoply import Stream, othello
from evoply.arena import Schedule, Sprt, match, play, round_robin, sprt_match, tournament
from evoply.games import game_rules
from evoply.players import KernelSeat, analyse, parse_player, player_of
from evoply.protocols import Choice, Clock, Color, ForfeitError, IllegalMoveError, Seat


class ToySeat(Seat):
    """Chooses by its stream, and knows who asked it and whether it was closed."""

    def __init__(self, owner: "Toy") -> None:
        self.owner = owner
        self.is_closed = False
        self.threads: set[int] = set()
        self.clocks: list[tuple[int, int]] = []

    def choose(self, game: Any, stream: Stream, clock: Clock) -> Choice:
        assert not self.is_closed
        self.threads.add(threading.get_ident())
        self.clocks.append((len(game), clock.moves))
        moves = game.position.legal_moves
        assert len(moves) > 1
        if game.position.ply >= self.owner.gives_up_at:
            raise ForfeitError("had enough")
        return Choice(moves[stream.below(len(moves))], score=1.0, color=game.position.turn)

    def close(self) -> None:
        self.is_closed = True


@dataclass
class Toy:
    """A player of nobody's package: only the four names of the contract."""

    label: str = "toy"
    reproducible: bool = True
    gives_up_at: int = 1000
    seats: list[ToySeat] = field(default_factory=list)

    def check_fits(self, game: str) -> None:
        if game != "othello-4":
            raise ValueError(f"toys do not play {game}")

    def seat(self, game: str) -> ToySeat:
        self.seats.append(ToySeat(self))
        return self.seats[-1]


def toy_schedule() -> Schedule:
    return pairs_of_two("othello-4", 10, stream=Stream(2, "toys"))


def test_a_player_from_outside_takes_part_in_everything() -> None:
    toy = Toy()
    assert player_of(toy) is toy
    assert isinstance(toy.seat("othello-4"), Seat)
    result = match(toy, "greedy", game="othello-4", games=20)
    assert result.first == "toy"
    assert result.games == 20
    assert round_robin([toy, "greedy"], game="othello-4", games=2).players == ("toy", "greedy")
    assert tournament([toy, "greedy"], game="othello-4").stars
    assert not match(Toy(reproducible=False), "random", game="othello-4", games=2).reproducible
    with pytest.raises(ValueError, match="toys do not play othello"):
        match(toy, "greedy", games=2)
    choice = analyse(toy, game_rules("othello-4").start())
    assert (choice.score, choice.color) == (1.0, Color.BLACK)


def test_every_thread_has_a_seat_of_its_own_and_all_are_closed() -> None:
    toys = Toy(), Toy()
    one = play("othello-4", toys, toy_schedule(), threads=1, record_moves=True)
    four = play("othello-4", toys, toy_schedule(), threads=4, record_moves=True)
    assert one.moves == four.moves
    for toy in toys:
        asked = [seat for seat in toy.seats if seat.threads]
        assert all(len(seat.threads) == 1 for seat in asked)
        assert all(seat.is_closed for seat in toy.seats)
        for ply, own in (clock for seat in asked for clock in seat.clocks):
            assert own == (ply - 2) // 2


def test_a_player_against_itself_has_two_seats() -> None:
    toy = Toy()
    alone = toy_schedule().with_seats(0 * toy_schedule().black, 0 * toy_schedule().white)
    play("othello-4", [toy], alone, threads=1)
    assert sum(bool(seat.threads) for seat in toy.seats) == 2


def test_who_gives_up_loses_that_game() -> None:
    result = match(Toy(gives_up_at=2), "random", game="othello-4", games=20, seed=1, openings=2)
    assert result.losses == 20
    assert result.endings == {"forfeit": 20}
    (lost,) = result.forfeits
    assert (lost.player, lost.opponent, lost.reason, lost.games) == (
        "toy", "random", "had enough", 20,
    )  # fmt: skip
    assert result.reproducible
    results = play("othello-4", [Toy(gives_up_at=2), parse_player("greedy")], toy_schedule())
    assert [one.game for one in results.forfeits] == list(range(20))
    assert set(results.plies.tolist()) == {2, 3}
    sides = {one.color for one in results.forfeits}
    assert sides == set(Color)
    winners = results.winners.tolist()
    assert all(
        winners[one.game] == (-1 if one.color is Color.BLACK else 1) for one in results.forfeits
    )


class Broken(Toy):
    def seat(self, game: str) -> Any:
        seat = super().seat(game)
        seat.choose = lambda *_: 1 / 0  # type: ignore[method-assign]
        return seat


def test_any_other_error_ends_everything_and_closes_all_seats() -> None:
    for threads in (1, 3):
        toys = Broken(), Toy()
        with pytest.raises(ZeroDivisionError):
            play("othello-4", toys, toy_schedule(), threads=threads)
        assert all(seat.is_closed for toy in toys for seat in toy.seats)


class Object:
    """A player in Python that answers in one of three ways."""

    def __init__(self, form: type) -> None:
        self.form = form

    def choose(self, game: othello.Game, stream: Stream, clock: Clock) -> object:
        move = game.position.legal_moves[-1]
        return {str: str(move), Choice: Choice(move, notes={"why": "the last"})}.get(
            self.form, move
        )


def test_a_move_a_text_and_a_choice_are_answers() -> None:
    results = [match(Object(form), "greedy", games=4, seed=2) for form in (str, Choice, object)]
    assert results[0] == results[1] == results[2]
    assert analyse(Object(Choice), game_rules("othello").start()).notes == {"why": "the last"}


def test_players_in_python_are_asked_by_the_thread_of_the_caller() -> None:
    threads = set()

    class Asked(Object):
        def choose(self, game: othello.Game, stream: Stream, clock: Clock) -> object:
            threads.add(threading.get_ident())
            return super().choose(game, stream, clock)

    match(Asked(str), "random", games=4, threads=4)
    assert threads == {threading.get_ident()}


def test_what_is_no_player() -> None:
    class Old:
        def choose(self, position: object) -> object: ...

    for wrong, says in [
        (Old(), r"Old.choose\(position.*choose\(game, stream, clock\), and game.position"),
        (Object, "Object is a class"),
        (42, "neither a player nor a tree.*choose"),
    ]:
        with pytest.raises(TypeError, match=says):
            match(wrong, "random", games=2)


def test_answers_that_are_no_moves_name_the_player() -> None:
    class Wrong:
        label = "wrong one"

        def __init__(self, answer: object) -> None:
            self.answer = answer

        def choose(self, game: othello.Game, stream: Stream, clock: Clock) -> object:
            return self.answer

    for answer in (None, 3, "a1", "zz", Choice("a1"), Choice(None), ["f5"]):
        with pytest.raises(IllegalMoveError, match="wrong one as "):
            match(Wrong(answer), "random", games=2)


def test_sequential_tests_do_not_take_games_of_other_batches_for_repetitions() -> None:
    """Games outside the kernel were once numbered anew in every batch, and equal numbers match."""
    result = sprt_match(Object(str), "random", Sprt(-1, 1), games=400, game="othello-6", seed=1)
    assert result.repeated_pairs < 10
    assert sum(result.pairs) > 190


def test_a_seat_of_the_kernel_draws_from_the_key_of_its_game() -> None:
    seat = parse_player("random").seat("othello")
    assert isinstance(seat, KernelSeat)
    record = game_rules("othello").record()
    stream = Stream.from_key(99)
    chosen = seat.choose(record, stream.child(0, 0), Clock()).move
    assert chosen == seat.choose(record, stream, Clock()).move
    others = {
        str(seat.choose(record, Stream.from_key(key).child(0, 0), Clock()).move)
        for key in range(50)
    }
    assert len(others) == 4


@pytest.mark.parametrize("start", ["f5d6c3d3", "f5f6"])
def test_round_robins_and_tournaments_begin_anywhere(start: str) -> None:
    position = othello.Game.from_transcript(start).position
    options = {"start": position, "openings": None, "seed": 1}
    result = round_robin(["greedy", "swh"], games=2, **options)
    alone = match("greedy", "swh", games=2, **options)
    assert (result.pairings[0].wins, result.pairings[0].losses) == (alone.wins, alone.losses)
    assert tournament(["greedy", "swh"], **options).games
    with pytest.raises(ValueError, match="a position of othello, and the game is othello-6"):
        round_robin(["greedy", "random"], games=2, game="othello-6", start=position)
