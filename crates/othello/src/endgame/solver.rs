//! The search of one thread: null-window questions about positions, answered exactly.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use super::ordering::{Child, Children};
use super::question::Mode;
use super::shallow::Shallow;
use super::table::{Key, NO_SQUARE, ScoreTable, hash_of};
use super::workers::{Belongings, Crew, Split};
use crate::{Othello, moves};
use evoply_core::bitboard::{Bitboard, Board};
use evoply_core::cpu::{Cpu, Task};
use evoply_core::rules::Game;

/// Positions with at most this many empty squares are ordered by parity alone and not remembered.
const SHALLOW_EMPTIES: u32 = 5;
/// From this number of empty squares on, the positions after all moves are looked up before any is searched.
const LOOK_UP_EMPTIES: u32 = 9;
/// Positions with at most this many empty squares are remembered by each thread for itself.
const NEAR_EMPTIES: u32 = 9;
/// From this number of empty squares on, threads help one another with the moves of a position.
const SPLIT_EMPTIES: u32 = 14;
/// How many nodes pass between two looks at the stop flag.
const NODES_BETWEEN_STOPS: u64 = 1 << 13;

/// What one thread does of a solve.
pub(super) struct Solver<'a, B: Board, C: Cpu> {
    pub cpu: C,
    pub crew: &'a Crew<'a, B>,
    /// The node that this thread helps to search, or has helpers at.
    pub split: Option<Arc<Split>>,
    /// What solves the last squares, and counts the nodes.
    pub shallow: Shallow<B, C>,
    pub own: Belongings<B>,
    pub children: Children<B>,
    next_stop: u64,
    /// Whether to give up: everything, or what the others at a split need no more.
    pub stopped: bool,
}

impl<'a, B: Board, C: Cpu> Solver<'a, B, C> {
    pub fn new(cpu: C, crew: &'a Crew<'a, B>, split: Option<Arc<Split>>) -> Self {
        let empties_to_winner = crew.question.empties_to_winner;
        let mut solver = Self {
            cpu,
            crew,
            split,
            shallow: Shallow { cpu, empties_to_winner, geometry: crew.geometry.clone(), nodes: 0 },
            own: crew.belongings(),
            children: Children(Vec::with_capacity(512)),
            next_stop: NODES_BETWEEN_STOPS,
            stopped: false,
        };
        solver.look_at_stops();
        solver
    }

    /// Find out whether to give up.
    pub fn look_at_stops(&mut self) {
        let question = self.crew.question;
        self.stopped = question.stop.load(Ordering::Relaxed)
            || question.deadline.is_some_and(|deadline| Instant::now() >= deadline)
            || self.split.as_ref().is_some_and(|split| split.is_over());
    }

    /// The largest score.
    pub const MOST: i32 = B::SQUARES as i32;

    /// The score that was asked for, by null-window questions that close in on it; `ask` answers them.
    pub fn close_in(
        &mut self,
        (own, opponent): (Bitboard<B>, Bitboard<B>),
        guess: i32,
        ask: impl Fn(&mut Self, Bitboard<B>, Bitboard<B>, i32) -> i32,
    ) -> i32 {
        // Step 1. Begin with the outcome, whether it is more than a draw, or with what is believed: is it at least that?
        let (mut lower, mut upper) = (-Self::MOST, Self::MOST);
        let exact = self.crew.question.mode == Mode::Exact;
        let mut alpha = if exact && guess != 0 { (guess - 1).clamp(lower, upper - 1) } else { 0 };
        let mut step = 1;
        while lower < upper && !self.stopped {
            // Step 2. Ask; the answer is a bound.
            let score = ask(self, own, opponent, alpha);
            if score > alpha {
                lower = lower.max(score);
            } else {
                upper = upper.min(score);
            }
            if self.crew.question.mode == Mode::Outcome && (lower > 0 || upper < 0) {
                break;
            }
            // Step 3. Go on from that bound, in growing steps, but never past the middle of what is left.
            let most = ((upper - lower) / 2).max(1);
            let by = step.min(most);
            alpha = if score > alpha { score - 1 + by } else { score - by };
            alpha = alpha.max(lower).min(upper - 1);
            step = (step * 2).min(most);
        }
        match self.crew.question.mode {
            Mode::Exact => lower,
            Mode::Outcome => i32::from(lower > 0) - i32::from(upper < 0),
        }
    }

    /// A score of `own`, who moves: above `alpha` a lower bound of the true one, otherwise an upper bound.
    #[inline(always)]
    pub fn exceeds(&mut self, own: Bitboard<B>, opponent: Bitboard<B>, alpha: i32) -> i32 {
        let hash = hash_of(own, opponent);
        self.cpu.call(Exceeds { solver: self, own, opponent, hash, alpha })
    }

    /// [`Self::exceeds`] after a move.
    #[inline(always)]
    fn child_exceeds(&mut self, child: &Child<B>, alpha: i32) -> i32 {
        let &Child { own, opponent, hash, .. } = child;
        self.cpu.call(Exceeds { solver: self, own, opponent, hash, alpha })
    }

    /// The body of [`Self::exceeds`], compiled for the CPU path of the search.
    #[inline(always)]
    fn node(&mut self, own: Bitboard<B>, opponent: Bitboard<B>, hash: u64, alpha: i32) -> i32 {
        // Step 1. Few empty squares: nothing to remember.
        let empties = (!(own | opponent)).len();
        if empties <= SHALLOW_EMPTIES {
            return self.shallow.score(own, opponent, alpha);
        }
        // Step 2. Count, and give up if asked to.
        self.shallow.nodes += 1;
        if self.shallow.nodes >= self.next_stop {
            self.next_stop = self.shallow.nodes + NODES_BETWEEN_STOPS;
            self.look_at_stops();
        }
        if self.stopped {
            return alpha;
        }
        // Step 3. Can the score exceed alpha at all, with the discs that the opponent will keep?
        if let Some(most) = Shallow::<B, C>::stability_cut(own, opponent, empties, alpha) {
            return most;
        }
        // Step 4. Transposition table.
        let (key, mut remembered) = (Key::new(own, opponent, hash), NO_SQUARE);
        if let Some(entry) = self.table(empties).get(&key) {
            if i32::from(entry.lower) > alpha {
                return entry.lower.into();
            }
            if i32::from(entry.upper) <= alpha {
                return entry.upper.into();
            }
            remembered = entry.square;
        }
        // Step 5. No move: pass, or the game is over.
        let expansion = Othello::seen_by_mover(own, opponent).expand(self.cpu);
        if expansion.squares().is_empty() {
            return if moves(opponent, own).is_empty() {
                self.shallow.final_score(own, opponent)
            } else {
                -self.exceeds(opponent, own, -alpha - 1)
            };
        }
        // Step 6. Rank the moves; a position after one of them may be known well enough to answer.
        let first = self.children.0.len();
        let below = if empties > NEAR_EMPTIES + 1 { &self.crew.table } else { &self.own.near };
        let below = (empties > SHALLOW_EMPTIES + 1).then_some(below);
        self.children.push(self.cpu, &self.shallow.geometry, (own, opponent), expansion, remembered, below);
        let known = if empties >= LOOK_UP_EMPTIES { self.known_answer(first, alpha, empties - 1) } else { None };
        if let Some((score, square)) = known {
            self.children.0.truncate(first);
            self.table(empties).put(&key, empties, alpha, score, square);
            return score;
        }
        // Step 7. Search them, best first, until one exceeds alpha; after the first with others, where it pays.
        let (mut best, mut best_square) = (-Self::MOST - 1, NO_SQUARE);
        let mut place = first;
        while let Some(child) = self.children.pick(place) {
            let score = -self.child_exceeds(&child, -alpha - 1);
            if score > best {
                (best, best_square) = (score, child.square);
            }
            place += 1;
            if best > alpha || self.stopped {
                break;
            }
            if empties >= SPLIT_EMPTIES && self.children.0.len() > place + 1 && self.crew.has_idle() {
                (best, best_square) = self.split(place, alpha, (best, best_square));
                break;
            }
        }
        self.children.0.truncate(first);
        // Step 8. Remember.
        if !self.stopped {
            self.table(empties).put(&key, empties, alpha, best, best_square);
        }
        best
    }

    /// The table for positions with so many empty squares.
    #[inline(always)]
    pub fn table(&self, empties: u32) -> &ScoreTable<B> {
        if empties <= NEAR_EMPTIES { &self.own.near } else { &self.crew.table }
    }

    /// A score above `alpha` that the table already proves for one of the children from `first` on, and the move.
    #[inline(always)]
    fn known_answer(&self, first: usize, alpha: i32, empties: u32) -> Option<(i32, u8)> {
        let table = self.table(empties);
        self.children.0[first..].iter().find_map(|child| {
            let entry = table.get(&Key::new(child.own, child.opponent, child.hash))?;
            (-i32::from(entry.upper) > alpha).then_some((-i32::from(entry.upper), child.square))
        })
    }
}

/// One node, as a task of the CPU path that the whole search runs in.
struct Exceeds<'a, 'b, B: Board, C: Cpu> {
    solver: &'a mut Solver<'b, B, C>,
    own: Bitboard<B>,
    opponent: Bitboard<B>,
    hash: u64,
    alpha: i32,
}

impl<B: Board, C: Cpu> Task for Exceeds<'_, '_, B, C> {
    type Output = i32;
    #[inline(always)]
    fn run<D: Cpu>(self, _: D) -> i32 {
        self.solver.node(self.own, self.opponent, self.hash, self.alpha)
    }
}
