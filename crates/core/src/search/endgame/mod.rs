//! Exact Othello endgames: the final score under perfect play, or only who wins.
//!
//! Every search is a null-window question, "can the side to move get more than `alpha`?", whose answer is also a bound
//! of the score (fail-soft). [`solve`] asks a sequence of them that closes in on the score; the transposition table makes
//! each cheaper than the one before. A node is a position that was entered, also in the shallow searches that order moves;
//! a pass costs a node of its own where more than four squares are empty, and the full board is none.
//!
//! The solver is single-threaded and knows no evaluator: nodes depend on the question alone, not on the machine.

pub mod choosing;
mod geometry;
mod ordering;
mod shallow;
pub mod stability;
mod table;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::bitboard::{Bitboard, Board};
use crate::cpu::{Cpu, Task, dispatch};
use crate::rules::Game;
use crate::rules::othello::{Move, Othello, moves};
use crate::work::Stopped;
use geometry::Geometry;
use ordering::Children;
use shallow::Shallow;
use table::{NO_SQUARE, ScoreTable};

/// Positions with at most this many empty squares are ordered by parity alone and not remembered.
pub const SHALLOW_EMPTIES: u32 = 6;
/// From this number of empty squares on, the positions after all moves are looked up before any is searched.
const LOOK_UP_EMPTIES: u32 = 9;
/// How many nodes pass between two looks at the stop flag.
const NODES_BETWEEN_STOPS: u64 = 1 << 14;
/// Memory for the transposition table unless told otherwise.
pub const TABLE_BYTES: usize = 256 << 20;

/// What is asked about a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// The final score.
    Exact,
    /// Who wins.
    Outcome,
}

/// A question to the solver.
#[derive(Clone, Copy, Debug)]
pub struct Endgame<'a> {
    /// What is asked.
    pub mode: Mode,
    /// Whether empty squares count for the winner (the official score) or for nobody.
    pub empties_to_winner: bool,
    /// Whether every legal move is to get its score, not only the best one.
    pub every_move: bool,
    /// Memory for the transposition table, in bytes.
    pub table_bytes: usize,
    /// When to give up.
    pub deadline: Option<Instant>,
    /// Set from outside to give up.
    pub stop: &'a AtomicBool,
}

impl<'a> Endgame<'a> {
    /// The question with the official score and the usual table.
    pub fn new(mode: Mode, stop: &'a AtomicBool) -> Self {
        Self { mode, empties_to_winner: true, every_move: false, table_bytes: TABLE_BYTES, deadline: None, stop }
    }
}

/// The answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Solution {
    /// Final difference for the side to move; 1, 0 or -1 where only the outcome was asked.
    pub score: i32,
    /// Positions entered.
    pub nodes: u64,
    /// Best play to the end of the game, passes included; its first move is the best move. Empty if the game is over.
    ///
    /// Where only the outcome was asked, the moves keep it, and the loser's are arbitrary.
    pub line: Vec<Move>,
    /// The score of every legal move, best first, if that was asked.
    pub moves: Vec<(Move, i32)>,
}

/// Solve a position.
///
/// # Errors
/// [`Stopped`] if the stop flag was set before the answer was found, or its time was over.
pub fn solve<B: Board>(position: &Othello<B>, question: &Endgame<'_>) -> Result<Solution, Stopped> {
    dispatch(Solve { position, question })
}

/// [`solve`] as a task: for whoever chooses the CPU path.
#[derive(Debug)]
pub struct Solve<'a, B: Board> {
    /// The position.
    pub position: &'a Othello<B>,
    /// What is asked about it.
    pub question: &'a Endgame<'a>,
}

impl<B: Board> Task for Solve<'_, B> {
    type Output = Result<Solution, Stopped>;
    #[inline(always)]
    fn run<C: Cpu>(self, cpu: C) -> Self::Output {
        let mut solver = Solver::new(cpu, self.position, self.question);
        let score = solver.close_in(self.position.own(), self.position.opponent());
        let line = solver.line(self.position, score);
        let moves = if self.question.every_move { solver.every_move(self.position) } else { Vec::new() };
        if solver.stopped {
            return Err(Stopped);
        }
        Ok(Solution { score, nodes: solver.shallow.nodes, line, moves })
    }
}

/// One solve.
struct Solver<'a, B: Board, C: Cpu> {
    cpu: C,
    question: &'a Endgame<'a>,
    /// What solves the last squares, and counts the nodes.
    shallow: Shallow<B, C>,
    table: ScoreTable<B>,
    children: Children<B>,
    next_stop: u64,
    stopped: bool,
}

impl<'a, B: Board, C: Cpu> Solver<'a, B, C> {
    fn new(cpu: C, position: &Othello<B>, question: &'a Endgame<'a>) -> Self {
        let empties = (!(position.own() | position.opponent())).len();
        let empties_to_winner = question.empties_to_winner;
        Self {
            cpu,
            question,
            shallow: Shallow { cpu, empties_to_winner, geometry: Box::new(Geometry::new()), nodes: 0 },
            table: ScoreTable::new(question.table_bytes, empties),
            children: Children(Vec::with_capacity(512)),
            next_stop: NODES_BETWEEN_STOPS,
            stopped: question.stop.load(Ordering::Relaxed),
        }
    }

    /// The largest score.
    const MOST: i32 = B::SQUARES as i32;

    /// The score that was asked for, by null-window questions that close in on it.
    fn close_in(&mut self, own: Bitboard<B>, opponent: Bitboard<B>) -> i32 {
        // Step 1. Begin with the outcome: is it more than a draw?
        let (mut lower, mut upper) = (-Self::MOST, Self::MOST);
        let mut alpha = 0;
        let mut step = 1;
        while lower < upper && !self.stopped {
            // Step 2. Ask; the answer is a bound.
            let score = self.exceeds(own, opponent, alpha);
            if score > alpha {
                lower = lower.max(score);
            } else {
                upper = upper.min(score);
            }
            if self.question.mode == Mode::Outcome && (lower > 0 || upper < 0) {
                break;
            }
            // Step 3. Go on from that bound, in growing steps.
            alpha = if score > alpha { score - 1 + step } else { score - step };
            alpha = alpha.max(lower).min(upper - 1);
            step *= 2;
        }
        match self.question.mode {
            Mode::Exact => lower,
            Mode::Outcome => i32::from(lower > 0) - i32::from(upper < 0),
        }
    }

    /// Best play from `position`, whose score (or outcome) is `score`, to the end of the game.
    fn line(&mut self, position: &Othello<B>, mut score: i32) -> Vec<Move> {
        let (mut line, mut position) = (Vec::new(), *position);
        while position.outcome().is_none() && !self.stopped {
            // Step 1. What the move has to reach. A lost game is lost with any move.
            let lost = self.question.mode == Mode::Outcome && score < 0;
            let least = if lost { -Self::MOST } else { score };
            // Step 2. The first move that reaches it, the remembered one first.
            let remembered =
                self.table.get(position.own(), position.opponent()).map_or(NO_SQUARE, |entry| entry.square);
            let mut legal: Vec<Move> = position.legal_moves().collect();
            legal.sort_by_key(|&chosen| chosen != Move::Place(remembered));
            let Some(&chosen) = legal.iter().find(|&&chosen| self.reaches(&position, chosen, least)) else { break };
            line.push(chosen);
            position = position.play_unchecked(chosen);
            score = -score;
        }
        line
    }

    /// Whether a move brings at least so much.
    fn reaches(&mut self, position: &Othello<B>, chosen: Move, least: i32) -> bool {
        let child = position.play_unchecked(chosen);
        -self.exceeds(child.own(), child.opponent(), -least) >= least
    }

    /// Every legal move with its score, best first; equal ones in the order of legal moves.
    fn every_move(&mut self, position: &Othello<B>) -> Vec<(Move, i32)> {
        let score = |chosen| {
            let child = position.play_unchecked(chosen);
            (chosen, -self.close_in(child.own(), child.opponent()))
        };
        let mut moves: Vec<_> = position.legal_moves().map(score).collect();
        moves.sort_by_key(|&(_, score)| -score);
        moves
    }

    /// A score of `own`, who moves: above `alpha` a lower bound of the true one, otherwise an upper bound.
    #[inline(always)]
    fn exceeds(&mut self, own: Bitboard<B>, opponent: Bitboard<B>, alpha: i32) -> i32 {
        self.cpu.call(Exceeds { solver: self, own, opponent, alpha })
    }

    /// The body of [`Self::exceeds`], compiled for the CPU path of the search.
    #[inline(always)]
    fn node(&mut self, own: Bitboard<B>, opponent: Bitboard<B>, alpha: i32) -> i32 {
        // Step 1. Few empty squares: nothing to remember.
        let empties = (!(own | opponent)).len();
        if empties <= SHALLOW_EMPTIES {
            return self.shallow.score(own, opponent, alpha);
        }
        // Step 2. Count, and give up if asked to.
        self.shallow.nodes += 1;
        if self.shallow.nodes >= self.next_stop {
            self.next_stop = self.shallow.nodes + NODES_BETWEEN_STOPS;
            self.stopped |= self.question.stop.load(Ordering::Relaxed)
                || self.question.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        }
        if self.stopped {
            return alpha;
        }
        // Step 3. Can the score exceed alpha at all, with the discs that the opponent will keep?
        if let Some(most) = Shallow::<B, C>::stability_cut(own, opponent, empties, alpha) {
            return most;
        }
        // Step 4. Transposition table.
        let mut remembered = NO_SQUARE;
        if let Some(entry) = self.table.get(own, opponent) {
            if i32::from(entry.lower) > alpha {
                return entry.lower.into();
            }
            if i32::from(entry.upper) <= alpha {
                return entry.upper.into();
            }
            remembered = entry.square;
        }
        // Step 5. No move: pass, or the game is over.
        let legal = moves(own, opponent);
        if legal.is_empty() {
            return if moves(opponent, own).is_empty() {
                self.shallow.final_score(own, opponent)
            } else {
                -self.exceeds(opponent, own, -alpha - 1)
            };
        }
        // Step 6. Rank the moves; a position after one of them may be known well enough to answer.
        let first = self.children.0.len();
        self.children.push(&self.shallow.geometry, (own, opponent), legal, remembered);
        let known = if empties >= LOOK_UP_EMPTIES { self.known_answer(first, alpha) } else { None };
        if let Some((score, square)) = known {
            self.children.0.truncate(first);
            self.table.put((own, opponent), empties, alpha, score, square);
            return score;
        }
        // Step 7. Search them, best first, until one exceeds alpha.
        let (mut best, mut best_square) = (-Self::MOST - 1, NO_SQUARE);
        let mut place = first;
        while let Some(child) = self.children.pick(place) {
            let score = -self.exceeds(child.own, child.opponent, -alpha - 1);
            if score > best {
                (best, best_square) = (score, child.square);
            }
            if best > alpha {
                break;
            }
            place += 1;
        }
        self.children.0.truncate(first);
        // Step 8. Remember.
        if !self.stopped {
            self.table.put((own, opponent), empties, alpha, best, best_square);
        }
        best
    }

    /// A score above `alpha` that the table already proves for one of the children from `first` on, and the move.
    #[inline(always)]
    fn known_answer(&self, first: usize, alpha: i32) -> Option<(i32, u8)> {
        self.children.0[first..].iter().find_map(|child| {
            let entry = self.table.get(child.own, child.opponent)?;
            (-i32::from(entry.upper) > alpha).then_some((-i32::from(entry.upper), child.square))
        })
    }
}

/// One node, as a task of the CPU path that the whole search runs in.
struct Exceeds<'a, 'b, B: Board, C: Cpu> {
    solver: &'a mut Solver<'b, B, C>,
    own: Bitboard<B>,
    opponent: Bitboard<B>,
    alpha: i32,
}

impl<B: Board, C: Cpu> Task for Exceeds<'_, '_, B, C> {
    type Output = i32;
    #[inline(always)]
    fn run<D: Cpu>(self, _: D) -> i32 {
        self.solver.node(self.own, self.opponent, self.alpha)
    }
}
