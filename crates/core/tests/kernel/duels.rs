//! Games of players that look at destinations alone: side by side and one by one, and against a choice that is written out.

use std::sync::atomic::AtomicBool;

use crate::common::{random_position_of, scaled};
use evoply_core::bitboard::{Bitboard, Board, Size4, Size6, Size8, Size10};
use evoply_core::cpu::{Cpu, Task, available, on};
use evoply_core::rules::Game;
use evoply_core::rules::checkers::{American, American10, Checkers, Losing};
use evoply_core::rules::draws::DrawRules;
use evoply_core::rules::duels::{Duel, Duels, Opening, Weights};
use evoply_core::rules::othello::Othello;
use evoply_core::stream::{Key, Stream};

static NEVER: AtomicBool = AtomicBool::new(false);

/// Long games of checkers would take long: every game is cut here.
const CAP: DrawRules = DrawRules { quiet_plies: Some(20), repetitions: Some(3), most_plies: Some(90) };

/// A player with few or many weights, and what it thinks of every square.
fn player<B: Board>(draws: &mut Stream) -> (Weights<B>, Vec<u32>, bool) {
    let (kinds, most_pieces) = (1 + draws.below(12), draws.below(3) > 0);
    let of_square: Vec<u32> = (0..B::SQUARES).map(|_| draws.below(kinds) as u32).collect();
    let squares = |weight| (0..B::SQUARES).filter(|&at| of_square[at as usize] == weight).collect::<Bitboard<B>>();
    let mut parts: Vec<_> = (0..kinds as u32).rev().map(|weight| (weight, squares(weight))).collect();
    (Weights::new(&mut parts, most_pieces), of_square, most_pieces)
}

struct Finish<'a, 'b, G: Game>(&'a Opening<G>, &'a mut [Duel<'b, G::Board>], &'a DrawRules);

impl<G: Duels> Task for Finish<'_, '_, G> {
    type Output = ();
    #[inline(always)]
    fn run<C: Cpu>(self, cpu: C) {
        G::finish_duels(cpu, self.0, self.1, self.2, &NEVER);
    }
}

/// The move by the words of the paper: all moves with their values, sorted out in three steps.
fn chosen<G: Game>(position: &G, of_square: &[u32], most_pieces: bool, draws: &mut Stream) -> Option<G::Move> {
    let value = |&one: &G::Move| G::moved_to(one).into_iter().next().map_or(0, |square| of_square[square as usize]);
    let left = |&one: &G::Move| position.play_unchecked(one).pieces(position.turn()).len();
    let greatest = position.legal_moves().map(|one| value(&one)).max()?;
    let mut best: Vec<_> = position.legal_moves().filter(|one| value(one) == greatest).collect();
    if most_pieces {
        let most = best.iter().map(left).max();
        best.retain(|one| Some(left(one)) == most);
    }
    let place = if best.len() == 1 { 0 } else { draws.below(best.len() as u64) };
    best.get(place as usize).copied()
}

fn check<G: Duels>(seed: u64, rules: &DrawRules) {
    let mut draws = Key::new(77).child(seed).stream();
    for round in 0..scaled(60) {
        let opening = Opening::new(random_position_of::<G>(&mut draws, 40));
        let players: Vec<_> = (0..6).map(|_| player::<G::Board>(&mut draws)).collect();
        let games = 1 + draws.below(70);
        let given = |game: u64| game.is_multiple_of(5).then_some(game as usize % opening.moves.len());
        let sides = |game: u64| [&players[game as usize % 6], &players[(game / 6) as usize % 6]];
        let key = Key::new(78).child(seed).child(round);
        let duel = |game: u64| Duel::new(sides(game).map(|side| &side.0), key.child(game).stream(), given(game));
        let mut expected = Vec::new();
        for game in 0..games {
            let mut one = duel(game);
            one.finish(&opening, rules, &NEVER);
            // Written out, without rules of draws.
            if *rules == DrawRules::NONE {
                let (mut position, mut draws) = (opening.position, key.child(game).stream());
                let mut first = given(game).map(|place| opening.moves[place]);
                loop {
                    let side = sides(game)[usize::from(position.turn() != opening.position.turn())];
                    let next = first.take().or_else(|| chosen(&position, &side.1, side.2, &mut draws));
                    let Some(next) = next else { break };
                    position = position.play_unchecked(next);
                }
                let winner = position.result().winner;
                let points = winner.map_or(1, |winner| if winner == opening.position.turn() { 2 } else { 0 });
                assert_eq!(one.points, points);
            }
            expected.push((one.points, one.first));
        }
        for path in available() {
            let mut duels: Vec<_> = (0..games).map(duel).collect();
            on(path, Finish(&opening, &mut duels, rules));
            let found: Vec<_> = duels.iter().map(|duel| (duel.points, duel.first)).collect();
            assert_eq!(found, expected, "{path:?}, round {round}");
        }
    }
}

#[test]
fn games_side_by_side_are_those_played_one_by_one() {
    check::<Othello<Size4>>(0, &DrawRules::NONE);
    check::<Othello<Size6>>(1, &DrawRules::NONE);
    check::<Othello<Size8>>(2, &DrawRules::NONE);
    check::<Othello<Size10>>(3, &DrawRules::NONE);
    check::<Othello<Size8>>(4, &DrawRules { most_plies: Some(30), ..DrawRules::NONE });
    check::<Checkers<American>>(5, &CAP);
    check::<Checkers<Losing>>(6, &CAP);
    check::<Checkers<American10>>(7, &CAP);
}
