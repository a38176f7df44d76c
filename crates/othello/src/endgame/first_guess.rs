//! What the score may be, by looking at few moves of each position: where the exact search begins.
//!
//! A question beside the score costs nearly as much as one at the score, so a good guess saves up to two fifths of a solve. And what
//! is found out on the way is true of positions near the end, and says which moves are to be tried first above them.
//!
//! Reasons: docs/design/search.md.

use super::ordering::Child;
use super::question::Mode;
use super::solver::Solver;
use super::table::{Key, NO_SQUARE, hash_of};
use crate::{Othello, moves};
use evoply_core::bitboard::{Bitboard, Board};
use evoply_core::cpu::{Cpu, Task};
use evoply_core::rules::Game;

/// So many plies above the positions that are solved few moves are looked at; fewer nearer the end, but at least the second number.
const PLIES: u32 = 8;
const LEAST_PLIES: u32 = 4;
/// How many moves of each position are looked at.
const BREADTH: usize = 3;

/// What the score may be; 0 where it is not worth the trouble.
pub(super) fn guess<B: Board, C: Cpu>(solver: &mut Solver<'_, B, C>, own: Bitboard<B>, opponent: Bitboard<B>) -> i32 {
    let empties = (!(own | opponent)).len();
    let question = solver.crew.question;
    if empties < question.foretell_from || question.mode == Mode::Outcome {
        return 0;
    }
    let solved = empties.saturating_sub(PLIES).max(question.foretell_from.saturating_sub(LEAST_PLIES));
    solver.close_in((own, opponent), 0, |solver, own, opponent, alpha| {
        solver.cpu.call(Foretell { solver, own, opponent, alpha, solved })
    })
}

/// As [`Solver::exceeds`], but with more than `solved` empty squares only the most promising moves are looked at.
struct Foretell<'a, 'b, B: Board, C: Cpu> {
    solver: &'a mut Solver<'b, B, C>,
    own: Bitboard<B>,
    opponent: Bitboard<B>,
    alpha: i32,
    solved: u32,
}

impl<B: Board, C: Cpu> Task for Foretell<'_, '_, B, C> {
    type Output = i32;
    #[inline(always)]
    fn run<D: Cpu>(self, _: D) -> i32 {
        let Self { solver, own, opponent, alpha, solved } = self;
        let cpu = solver.cpu;
        // Step 1. Near the end everything is looked at, and remembered.
        let empties = (!(own | opponent)).len();
        if empties <= solved || solver.stopped {
            return solver.exceeds(own, opponent, alpha);
        }
        solver.shallow.nodes += 1;
        // Step 2. No move: pass, or the game is over.
        let expansion = Othello::seen_by_mover(own, opponent).expand(cpu);
        if expansion.squares().is_empty() {
            return if moves(opponent, own).is_empty() {
                solver.shallow.final_score(own, opponent)
            } else {
                let (own, opponent, alpha) = (opponent, own, -alpha - 1);
                -cpu.call(Foretell { solver, own, opponent, alpha, solved })
            };
        }
        // Step 3. The most promising moves, of which a suggestion says the best: no bounds are kept, as they need not hold.
        let key = Key::new(own, opponent, hash_of(own, opponent));
        let remembered = solver.table(empties).get(&key).map_or(NO_SQUARE, |entry| entry.square);
        let first = solver.children.0.len();
        solver.children.push(cpu, &solver.shallow.geometry, (own, opponent), expansion, remembered, None);
        if remembered == NO_SQUARE
            && let (Some(advice), Some(memory)) = (&solver.crew.advice, &mut solver.own.memory)
        {
            let children = &mut solver.children.0[first..];
            solver.shallow.nodes += advice.rank(cpu, (own, opponent), children, memory);
        }
        let (mut best, mut best_square) = (i32::MIN, NO_SQUARE);
        for place in first..first + BREADTH {
            let Some(child) = solver.children.pick(place) else { break };
            let Child { own, opponent, square, .. } = child;
            let score = -cpu.call(Foretell { solver, own, opponent, alpha: -alpha - 1, solved });
            if score > best {
                (best, best_square) = (score, square);
            }
            if best > alpha {
                break;
            }
        }
        solver.children.0.truncate(first);
        if !solver.stopped {
            solver.table(empties).suggest(&key, empties, best_square);
        }
        best
    }
}
