//! Games of players that look at destinations, or one move further: side by side and one by one, and against a choice that is
//! written out.

use std::sync::atomic::AtomicBool;

use crate::common::{Tested, random_position_by, scaled};
use evoply_checkers::{Checkers, CheckersRules};
use evoply_core::bitboard::{Bitboard, Board, Direction, Size8};
use evoply_core::cpu::{Cpu, Task, available, on};
use evoply_core::rules::Game;
use evoply_core::rules::draws::DrawRules;
use evoply_core::rules::weighted_games::{Duel, Foresight, Opening, Weights};
use evoply_core::stream::{Key, Stream};
use evoply_othello::{Othello, OthelloRules};

static NEVER: AtomicBool = AtomicBool::new(false);

/// Long games of checkers would take long: every game is cut here.
const CAP: DrawRules = DrawRules { quiet_plies: Some(20), repetitions: Some(3), most_plies: Some(90) };

/// A player with few or many weights, blind or not, and what it thinks of every square.
fn player<B: Board>(draws: &mut Stream, can_see: bool) -> (Weights<B>, Mind) {
    let (kinds, most_pieces) = (1 + draws.below(12), draws.below(3) > 0);
    let mut foresight = Foresight::NONE;
    if can_see {
        let [mobility, frontier] = [0; 2].map(|_| draws.below(5).saturating_sub(1) as u32);
        foresight = Foresight { mobility, frontier, replies: draws.below(3) > 0 };
    }
    let of_square: Vec<u32> = (0..B::SQUARES).map(|_| draws.below(kinds) as u32).collect();
    let squares = |weight| (0..B::SQUARES).filter(|&at| of_square[at as usize] == weight).collect::<Bitboard<B>>();
    let mut parts: Vec<_> = (0..kinds as u32).rev().map(|weight| (weight, squares(weight))).collect();
    (Weights::new(&mut parts, most_pieces, foresight), Mind { of_square, most_pieces, foresight })
}

/// What a player is, as it was drawn.
struct Mind {
    of_square: Vec<u32>,
    most_pieces: bool,
    foresight: Foresight,
}

impl Mind {
    /// What a move to a square is worth; a pass is worth nothing.
    fn weight(&self, to: impl IntoIterator<Item = u32>) -> i64 {
        to.into_iter().map(|square| i64::from(self.of_square[square as usize])).max().unwrap_or(0)
    }

    /// What a move is worth, in eighths of a weight.
    fn value<G: Tested>(&self, position: &G, chosen: G::Move) -> i64 {
        let Foresight { mobility, frontier, replies } = self.foresight;
        let after = position.play_unchecked(chosen);
        let answers: Vec<_> = after.legal_moves().filter(|&one| !G::moved_to(G::usual(), one).is_empty()).collect();
        let is_free = |square: u32| !(after.own() | after.opponent()).contains(square);
        let stands_free = |&square: &u32| {
            let beside = |&direction: &Direction| Bitboard::<G::Board>::square(square).shift(direction);
            Direction::ALL.iter().flat_map(beside).any(is_free)
        };
        let exposed = after.opponent().into_iter().filter(stands_free).count();
        let best_answer = answers.iter().map(|&one| self.weight(G::moved_to(G::usual(), one))).max().unwrap_or(0);
        8 * self.weight(G::moved_to(G::usual(), chosen))
            - i64::from(mobility) * answers.len() as i64
            - i64::from(frontier) * exposed as i64
            - if replies { 8 * best_answer } else { 0 }
    }
}

struct Finish<'a, 'b, G: Game>(&'a Opening<G>, &'a mut [Duel<'b, G>], &'a DrawRules);

impl<G: Tested> Task for Finish<'_, '_, G> {
    type Output = ();
    #[inline(always)]
    fn run<C: Cpu>(self, cpu: C) {
        G::finish_duels(cpu, self.0, self.1, self.2, &NEVER);
    }
}

/// The move by the words of the paper: all moves with their values, sorted out in three steps.
fn chosen<G: Tested>(position: &G, mind: &Mind, draws: &mut Stream) -> Option<G::Move> {
    let value = |&one: &G::Move| mind.value(position, one);
    let left = |&one: &G::Move| position.play_unchecked(one).pieces(position.turn()).len();
    let greatest = position.legal_moves().map(|one| value(&one)).max()?;
    let mut best: Vec<_> = position.legal_moves().filter(|one| value(one) == greatest).collect();
    if mind.most_pieces {
        let most = best.iter().map(left).max();
        best.retain(|one| Some(left(one)) == most);
    }
    let place = if best.len() == 1 { 0 } else { draws.below(best.len() as u64) };
    best.get(place as usize).copied()
}

fn check<G: Tested>(rules: G::Rules, seed: u64, draw_rules: &DrawRules) {
    let mut draws = Key::new(77).child(seed).stream();
    for round in 0..scaled(60) {
        let opening = Opening::new(random_position_by::<G>(rules, &mut draws, 40));
        let players: Vec<_> = (0..6).map(|_| player::<G::Board>(&mut draws, round % 3 == 2)).collect();
        let games = 1 + draws.below(70);
        let given = |game: u64| game.is_multiple_of(5).then_some(game as usize % opening.moves.len());
        let sides = |game: u64| [&players[game as usize % 6], &players[(game / 6) as usize % 6]];
        let key = Key::new(78).child(seed).child(round);
        // Every other round all games begin at positions of their own, some of which are the end.
        let others: Vec<_> = (0..games).map(|_| random_position_by::<G>(rules, &mut draws, 60)).collect();
        let start = |game: u64| (round % 2 == 1).then(|| others[game as usize]);
        let duel = |game: u64| {
            let (players, draws) = (sides(game).map(|side| &side.0), key.child(game).stream());
            match start(game) {
                Some(position) => Duel::at(position, players, draws),
                None => Duel::new(players, draws, given(game)),
            }
        };
        let mut expected = Vec::new();
        for game in 0..games {
            let mut one = duel(game);
            one.finish(&opening, draw_rules, &NEVER);
            // Written out, without rules of draws.
            if *draw_rules == DrawRules::NONE {
                let begin = start(game).unwrap_or(opening.position);
                let (mut position, mut draws) = (begin, key.child(game).stream());
                let mut first = given(game).filter(|_| start(game).is_none()).map(|place| opening.moves[place]);
                loop {
                    let side = sides(game)[usize::from(position.turn() != begin.turn())];
                    let next = first.take().or_else(|| chosen(&position, &side.1, &mut draws));
                    let Some(next) = next else { break };
                    position = position.play_unchecked(next);
                }
                let winner = position.result().winner;
                let points = winner.map_or(1, |winner| if winner == begin.turn() { 2 } else { 0 });
                assert_eq!(one.points, points);
            }
            expected.push((one.points, one.first));
        }
        for path in available() {
            let mut duels: Vec<_> = (0..games).map(duel).collect();
            on(path, Finish(&opening, &mut duels, draw_rules));
            let found: Vec<_> = duels.iter().map(|duel| (duel.points, duel.first)).collect();
            assert_eq!(found, expected, "{path:?}, round {round}");
        }
    }
}

#[test]
fn games_side_by_side_are_those_played_one_by_one() {
    check::<Othello<Size8>>(OthelloRules, 2, &DrawRules::NONE);
    check::<Othello<Size8>>(OthelloRules, 4, &DrawRules { most_plies: Some(30), ..DrawRules::NONE });
    check::<Checkers<Size8>>(CheckersRules::AMERICAN, 5, &CAP);
    check::<Checkers<Size8>>(CheckersRules::LOSING, 6, &CAP);
    every_board! {
        check::<Othello<Size4>>(OthelloRules, 0, &DrawRules::NONE);
        check::<Othello<Size6>>(OthelloRules, 1, &DrawRules::NONE);
        check::<Othello<Size10>>(OthelloRules, 3, &DrawRules::NONE);
        check::<Checkers<Size10>>(CheckersRules::AMERICAN, 7, &CAP);
    }
}
