//! Exact Othello endgames: the final score under perfect play, or only who wins.
//!
//! Every search is a null-window question, "can the side to move get more than `alpha`?", whose answer is also a bound
//! of the score (fail-soft). [`solve`] asks a sequence of them that closes in on the score; the transposition tables make
//! each cheaper than the one before: one table for all threads, and for positions with few empty squares a small one of each
//! thread, which stays in the processor's cache. A node is a position that was entered; a pass costs a node of its own where
//! more than four squares are empty, and the full board is none.
//!
//! Scores and lines depend on the question alone. So do nodes with one thread; with more, on who was faster.

mod advice;
pub mod choosing;
mod foretelling;
mod geometry;
mod ordering;
mod question;
mod shallow;
mod splitting;
pub mod stability;
mod table;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use crate::bitboard::{Bitboard, Board};
use crate::cpu::{Cpu, Task, dispatch};
use crate::evaluator::Evaluator;
use crate::rules::Game;
use crate::rules::othello::{Move, Othello, moves};
use crate::work::Stopped;
use ordering::Children;
pub use question::{Endgame, Mode, TABLE_BYTES};
use shallow::Shallow;
use splitting::{Belongings, Crew, Split};
use table::{NO_SQUARE, ScoreTable};

/// Positions with at most this many empty squares are ordered by parity alone and not remembered.
pub const SHALLOW_EMPTIES: u32 = 5;
/// From this number of empty squares on, the positions after all moves are looked up before any is searched.
const LOOK_UP_EMPTIES: u32 = 9;
/// Positions with at most this many empty squares are remembered by each thread for itself.
const NEAR_EMPTIES: u32 = 9;
/// From this number of empty squares on, threads help one another with the moves of a position.
const SPLIT_EMPTIES: u32 = 14;
/// How many nodes pass between two looks at the stop flag.
const NODES_BETWEEN_STOPS: u64 = 1 << 13;
/// The answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Solution {
    /// Final difference for the side to move; 1, 0 or -1 where only the outcome was asked.
    pub score: i32,
    /// Positions entered.
    pub nodes: u64,
    /// Best play to the end of the game, passes included; its first move is the best move. Empty if the game is over.
    ///
    /// Of equally good moves it has the one that leaves the fewest answers, and so on by what the solver's order looks at.
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
    dispatch(Solve { position, question, evaluator: None })
}

/// [`solve`] as a task: for whoever chooses the CPU path.
#[derive(Debug)]
pub struct Solve<'a, B: Board> {
    /// The position.
    pub position: &'a Othello<B>,
    /// What is asked about it.
    pub question: &'a Endgame<'a>,
    /// What knows something about the order of moves, if anything does: it changes no answer.
    pub evaluator: Option<&'a Evaluator<Othello<B>>>,
}

impl<B: Board> Task for Solve<'_, B> {
    type Output = Result<Solution, Stopped>;
    #[inline(always)]
    fn run<C: Cpu>(self, cpu: C) -> Self::Output {
        let crew = Crew::new(cpu, self.position, self.question, self.evaluator);
        let mut solver = Solver::new(cpu, &crew, None);
        let score = solver.score(self.position);
        let line = solver.line(self.position, score);
        let moves = if self.question.every_move { solver.every_move(self.position) } else { Vec::new() };
        if solver.stopped {
            return Err(Stopped);
        }
        Ok(Solution { score, nodes: solver.nodes(), line, moves })
    }
}

/// What one thread does of a solve.
struct Solver<'a, B: Board, C: Cpu> {
    cpu: C,
    crew: &'a Crew<'a, B>,
    /// The node that this thread helps to search, or has helpers at.
    split: Option<Arc<Split>>,
    /// What solves the last squares, and counts the nodes.
    shallow: Shallow<B, C>,
    own: Belongings<B>,
    children: Children<B>,
    next_stop: u64,
    /// Whether to give up: everything, or what the others at a split need no more.
    stopped: bool,
}

impl<'a, B: Board, C: Cpu> Solver<'a, B, C> {
    fn new(cpu: C, crew: &'a Crew<'a, B>, split: Option<Arc<Split>>) -> Self {
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
    fn look_at_stops(&mut self) {
        let question = self.crew.question;
        self.stopped = question.stop.load(Ordering::Relaxed)
            || question.deadline.is_some_and(|deadline| Instant::now() >= deadline)
            || self.split.as_ref().is_some_and(|split| split.is_over());
    }

    /// The largest score.
    const MOST: i32 = B::SQUARES as i32;

    /// The score that was asked for, by null-window questions that close in on it; `ask` answers them.
    fn close_in(
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

    /// The score of the position that the question is about.
    fn score(&mut self, position: &Othello<B>) -> i32 {
        let (own, opponent) = (position.own(), position.opponent());
        let guess = match self.crew.question.guess {
            0 => foretelling::guess(self, own, opponent),
            guess => guess,
        };
        self.close_in((own, opponent), guess, Self::exceeds)
    }

    /// Best play from `position`, whose score (or outcome) is `score`, to the end of the game.
    fn line(&mut self, position: &Othello<B>, mut score: i32) -> Vec<Move> {
        let (mut line, mut position) = (Vec::new(), *position);
        while position.outcome().is_none() && !self.stopped {
            // Step 1. What the move has to reach. A lost game is lost with any move.
            let lost = self.crew.question.mode == Mode::Outcome && score < 0;
            let least = if lost { -Self::MOST } else { score };
            // Step 2. The first move that reaches it, in an order that depends on the position alone.
            let Some(chosen) =
                self.ranked(&position).into_iter().find(|&chosen| self.reaches(&position, chosen, least))
            else {
                break;
            };
            line.push(chosen);
            position = position.play_unchecked(chosen);
            score = -score;
        }
        line
    }

    /// All legal moves, the most promising first.
    fn ranked(&mut self, position: &Othello<B>) -> Vec<Move> {
        let expansion = position.expand(self.cpu);
        if expansion.squares().is_empty() {
            return position.legal_moves().collect();
        }
        let (geometry, board) = (&self.shallow.geometry, (position.own(), position.opponent()));
        let mut children = Children(Vec::new());
        children.push(self.cpu, geometry, board, expansion, NO_SQUARE, None);
        children.sorted_from(0).into_iter().map(|child| Move::Place(child.square)).collect()
    }

    /// Whether a move brings at least so much.
    fn reaches(&mut self, position: &Othello<B>, chosen: Move, least: i32) -> bool {
        let child = position.play_unchecked(chosen);
        -self.exceeds(child.own(), child.opponent(), -least) >= least
    }

    /// Every legal move with its score, best first; equal ones in the order of legal moves.
    fn every_move(&mut self, position: &Othello<B>) -> Vec<(Move, i32)> {
        let mut moves = self.scores(position);
        moves.sort_by_key(|&(_, score)| -score);
        moves
    }

    /// Every legal move with its score, in their order.
    fn scores(&mut self, position: &Othello<B>) -> Vec<(Move, i32)> {
        // Moves of one position are worth much the same: each score is the guess for the next.
        let mut guess = 0;
        let mut score = |chosen| {
            let child = position.play_unchecked(chosen);
            guess = self.close_in((child.own(), child.opponent()), guess, Self::exceeds);
            (chosen, -guess)
        };
        position.legal_moves().map(&mut score).collect()
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
        let mut remembered = NO_SQUARE;
        if let Some(entry) = self.table(empties).get(own, opponent) {
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
        let shared = (empties > NEAR_EMPTIES + 1).then_some(&self.crew.table);
        self.children.push(self.cpu, &self.shallow.geometry, (own, opponent), expansion, remembered, shared);
        let known = if empties >= LOOK_UP_EMPTIES { self.known_answer(first, alpha, empties - 1) } else { None };
        if let Some((score, square)) = known {
            self.children.0.truncate(first);
            self.table(empties).put((own, opponent), empties, alpha, score, square);
            return score;
        }
        // Step 7. Search them, best first, until one exceeds alpha; after the first with others, where it pays.
        let (mut best, mut best_square) = (-Self::MOST - 1, NO_SQUARE);
        let mut place = first;
        while let Some(child) = self.children.pick(place) {
            let score = -self.exceeds(child.own, child.opponent, -alpha - 1);
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
            self.table(empties).put((own, opponent), empties, alpha, best, best_square);
        }
        best
    }

    /// The table for positions with so many empty squares.
    #[inline(always)]
    fn table(&self, empties: u32) -> &ScoreTable<B> {
        if empties <= NEAR_EMPTIES { &self.own.near } else { &self.crew.table }
    }

    /// A score above `alpha` that the table already proves for one of the children from `first` on, and the move.
    #[inline(always)]
    fn known_answer(&self, first: usize, alpha: i32, empties: u32) -> Option<(i32, u8)> {
        let table = self.table(empties);
        self.children.0[first..].iter().find_map(|child| {
            let entry = table.get(child.own, child.opponent)?;
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
