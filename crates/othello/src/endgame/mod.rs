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
mod choosing;
mod first_guess;
mod geometry;
mod ordering;
mod question;
mod shallow;
mod solver;
mod splitting;
pub mod stability;
mod table;
mod workers;

use crate::{Move, Othello};
use evoply_core::bitboard::Board;
use evoply_core::cpu::{Cpu, Task, dispatch};
use evoply_core::evaluator::Evaluator;
use evoply_core::rules::Game;
use evoply_core::work::Stopped;
use ordering::Children;
pub use question::{Endgame, Mode, TABLE_BYTES};
use solver::Solver;
use table::NO_SQUARE;
use workers::Crew;

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
    const WORTH_AVX512: bool = B::WORTH_AVX512;
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

/// [`Solver::ranked`], as a task of the CPU path.
struct Ranked<'a, 'b, B: Board, C: Cpu> {
    solver: &'a Solver<'b, B, C>,
    position: &'a Othello<B>,
}

impl<B: Board, C: Cpu> Task for Ranked<'_, '_, B, C> {
    type Output = Vec<Move>;
    #[inline(always)]
    fn run<D: Cpu>(self, cpu: D) -> Vec<Move> {
        let Self { solver, position } = self;
        let expansion = position.expand(cpu);
        if expansion.squares().is_empty() {
            return position.legal_moves().collect();
        }
        let (geometry, board) = (&solver.shallow.geometry, (position.own(), position.opponent()));
        let mut children = Children(Vec::new());
        children.push(cpu, geometry, board, expansion, NO_SQUARE, None);
        children.sorted_from(0).into_iter().map(|child| Move::Place(child.square)).collect()
    }
}

impl<B: Board, C: Cpu> Solver<'_, B, C> {
    /// The score of the position that the question is about.
    fn score(&mut self, position: &Othello<B>) -> i32 {
        let (own, opponent) = (position.own(), position.opponent());
        let guess = match self.crew.question.guess {
            0 => first_guess::guess(self, own, opponent),
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
        self.cpu.call(Ranked { solver: self, position })
    }

    /// Whether a move brings at least so much.
    fn reaches(&mut self, position: &Othello<B>, chosen: Move, least: i32) -> bool {
        let child = position.play_unchecked(chosen);
        -self.exceeds(child.own(), child.opponent(), -least) >= least
    }

    /// Every legal move with its score, best first; equal ones in the order of legal moves.
    fn every_move(&mut self, position: &Othello<B>) -> Vec<(Move, i32)> {
        let mut moves = self.scores(position);
        evoply_core::sorting::sort_few(&mut moves, |a, b| b.1.cmp(&a.1));
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
}
