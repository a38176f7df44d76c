//! The games behind one interface without generics: what a binding, or any other program, asks of a game known by its name.
//!
//! A [`Kernel`] is a game as a value: `&dyn Kernel` of [`native::Native`] for rules that are compiled, in a crate for each
//! family of games, so that families are compiled side by side and a binding need not compile any. What a kernel makes
//! (programs, players, positions, searchers) is used with the same kernel again; another game's is refused by name.
//!
//! Every call does a batch of work: nothing here is called once a node.

pub mod native;
mod questions;
mod values;

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::Duration;

use crate::analysis::Question;
use crate::arena::Record;
use crate::choice::Ties;
use crate::engine::Limits;
use crate::evaluator::View;
use crate::expression::{Expression, ExpressionError};
use crate::learning::Lessons;
use crate::learning::labels::{Fitted, Plan as FitPlan};
use crate::learning::learner::Coherence;
use crate::learning::settings::Plan;
use crate::learning::tables::{Plan as TablePlan, TableLessons};
use crate::learning::weights::Weights;
use crate::online::Answer as OnlineAnswer;
use crate::replay::PieceCounts;
use crate::rules::Outcome;
use crate::search::ordered::{Count, Order};
use crate::stages::StageClock;
use crate::stream::Key;

pub use questions::{
    Analysed, Answer, Failure, Habits, Known, OnlineQuestion, Row, Schedule, SolveQuestion, Solved, Told, Transcripts,
    Way,
};

/// Games to learn a linear evaluator from.
#[derive(Clone, Debug)]
pub struct LearningQuestion<'a> {
    /// An output a feature.
    pub features: &'a dyn Program,
    /// What deeper searches value boards by, and the places of the weights among its parameters.
    pub value: Option<(&'a dyn Program, Vec<usize>)>,
    /// Where games begin.
    pub starts: &'a [Row],
    /// How games are played and learned from.
    pub plan: Plan,
    /// The weights before the first game.
    pub weights: Weights,
    /// What is known of the changes of every parameter.
    pub coherence: Option<Coherence>,
}

/// Games to learn the tables of a sum of patterns from.
#[derive(Clone, Debug)]
pub struct TableQuestion<'a> {
    /// The sum.
    pub value: &'a dyn Program,
    /// Where games begin.
    pub starts: &'a [Row],
    /// How games are played and learned from.
    pub plan: TablePlan,
}

/// Boards with labels to fit the tables of a sum of patterns to.
#[derive(Clone, Copy, Debug)]
pub struct FitQuestion<'a> {
    /// The sum.
    pub value: &'a dyn Program,
    /// The boards.
    pub boards: &'a dyn Positions,
    /// What each is worth to the side to move.
    pub labels: &'a [f64],
    /// What holds each entry where it is.
    pub pulls: &'a [f64],
    /// How to fit.
    pub plan: FitPlan,
}

/// A lowered expression of one game.
pub trait Program: Any + Send + Sync + std::fmt::Debug {
    /// The game it is for.
    fn game(&self) -> &str;
    /// Number of results.
    fn outputs(&self) -> usize;
    /// Operations done for every evaluation.
    fn operations(&self) -> usize;
    /// The same for the program of each output alone.
    ///
    /// # Errors
    /// One of them cannot be lowered by itself.
    fn operations_by_output(&self) -> Result<Vec<usize>, String>;
    /// Numbers and weights of the expression, if they were kept.
    fn parameters(&self) -> Option<Vec<f64>>;
    /// The program with other parameters.
    ///
    /// # Errors
    /// They are too few, too many, not finite, or were not kept.
    fn with_parameters(&self, values: &[f64]) -> Result<Arc<dyn Program>, String>;
    /// Values at each position, one output after the other; `reference` asks the slow interpreter.
    ///
    /// # Errors
    /// The positions are another game's, or it was stopped.
    fn evaluate(&self, positions: &dyn Positions, reference: bool, stop: &AtomicBool) -> Answer<Vec<f64>>;
}

/// What chooses moves in one game.
pub trait Player: Any + Send + Sync + std::fmt::Debug {
    /// The game it plays.
    fn game(&self) -> &str;
    /// The same player, but its first plies of a game are uniformly random.
    fn with_random_moves(&self, count: u32) -> Arc<dyn Player>;
    /// Whether a choice takes some milliseconds at most.
    fn is_brief(&self) -> bool;
    /// One choice, and what is known about it; `None` if the game is over. `earlier` are positions of the game that could come
    /// again.
    ///
    /// # Errors
    /// A row is no position, or it was stopped.
    fn analyse(&self, row: &Row, earlier: &[Row], question: &Question, stop: &AtomicBool) -> Answer<Option<Analysed>>;
    /// The player as one that stays, with a table of at least so many entries.
    ///
    /// # Errors
    /// The table is too large, or no power of two.
    fn searcher(&self, table: usize) -> Result<Box<dyn Searcher>, String>;
}

/// Positions of one game.
pub trait Positions: Any + Send + Sync + std::fmt::Debug {
    /// The game.
    fn game(&self) -> &str;
    /// How many there are.
    fn len(&self) -> usize;
    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// One of them.
    fn row(&self, index: usize) -> Option<Row>;
    /// The move codes that a player chooses, a key a position, and what each is worth to the side to move: -1 where the game is
    /// over, and NaN where nothing was evaluated. On `threads` threads, 0 for one a core.
    ///
    /// # Errors
    /// The player is another game's, or it was stopped.
    fn choose(&self, player: &dyn Player, keys: &[u64], threads: usize, stop: &AtomicBool) -> Answer<Vec<(i64, f64)>>;
}

/// A player that stays.
pub trait Searcher: Send + Sync {
    /// The game it plays.
    fn game(&self) -> &str;
    /// See [`crate::engine::Engine::think`]; the last value is whether nothing ended the search before its depth. `None` if the game is
    /// over. `earlier` are positions of the game that could come again.
    ///
    /// # Errors
    /// A row is no position.
    fn think(
        &self,
        row: &Row,
        earlier: &[Row],
        question: &Question,
        limits: &Limits,
        stop: &AtomicBool,
        tell: &mut dyn FnMut(Told),
    ) -> Answer<Option<(Analysed, bool)>>;
    /// See [`crate::engine::Engine::solve`].
    ///
    /// # Errors
    /// The row is no position.
    fn solve(
        &self,
        row: &Row,
        question: &Question,
        within: Option<Duration>,
        stop: &AtomicBool,
    ) -> Answer<Option<Analysed>>;
    /// Forget all that was found out.
    fn forget(&self);
}

/// A game, and all that can be done with it.
pub trait Kernel: Send + Sync {
    /// The name that users know it by.
    fn name(&self) -> &str;
    /// Squares of the board.
    fn squares(&self) -> u32;
    /// Whether endgames can be solved exactly.
    fn has_solver(&self) -> bool;

    /// Codes of the legal moves, in order.
    ///
    /// # Errors
    /// The row is no position.
    fn legal_moves(&self, row: &Row) -> Answer<Vec<u64>>;
    /// The position after a legal move.
    ///
    /// # Errors
    /// The row is no position, or the move is illegal.
    fn row_after(&self, row: &Row, code: u64) -> Answer<Row>;
    /// How the game ended, by the board alone; `None` while it goes on.
    ///
    /// # Errors
    /// The row is no position.
    fn outcome(&self, row: &Row) -> Answer<Option<Outcome>>;
    /// Number of legal moves of a side; a forced pass counts 0.
    ///
    /// # Errors
    /// The row is no position.
    fn mobility(&self, row: &Row, is_black: bool) -> Answer<u32>;
    /// Squares where legal moves of a side would end.
    ///
    /// # Errors
    /// The row is no position.
    fn destinations(&self, row: &Row, is_black: bool) -> Answer<u128>;
    /// How far the game has gone where so many pieces stand, men of one side: 0 at the start, 1 at its farthest end.
    fn clock(&self, pieces: u32) -> f64;
    /// How far the game has gone at a position.
    ///
    /// # Errors
    /// The row is no position.
    fn clock_at(&self, row: &Row) -> Answer<f64>;
    /// Leaves of the tree of legal moves; with a table boards that are the same up to symmetry are counted once.
    ///
    /// # Errors
    /// The row is no position, or it was stopped.
    fn perft(
        &self,
        row: &Row,
        depth: u32,
        threads: usize,
        table_bytes: Option<usize>,
        stop: &AtomicBool,
    ) -> Answer<u64>;

    /// Lower an expression; the reference interpreter will read `literal`, if that is another one.
    ///
    /// # Errors
    /// Says what cannot be lowered.
    fn program(
        &self,
        expression: &Expression,
        literal: Option<Expression>,
    ) -> Result<Arc<dyn Program>, ExpressionError>;
    /// Put a player together.
    ///
    /// # Errors
    /// The program is another game's, or something does not go together.
    fn player(&self, program: Option<&dyn Program>, habits: Habits) -> Result<Arc<dyn Player>, String>;
    /// A player that draws one of several programs for every move; see [`crate::stages::Stages`].
    ///
    /// # Errors
    /// As [`Self::player`].
    fn staged(
        &self,
        programs: &[&dyn Program],
        shares: Vec<Vec<f64>>,
        clock: StageClock,
        view: View,
        ties: Ties,
    ) -> Result<Arc<dyn Player>, String>;
    /// Positions of rows.
    ///
    /// # Errors
    /// One row is no position.
    fn positions(&self, rows: &[Row]) -> Result<Arc<dyn Positions>, String>;
    /// See [`crate::arena::random_positions`]; `None` if not all were found.
    ///
    /// # Errors
    /// It was stopped.
    fn random_positions(
        &self,
        count: usize,
        key: Key,
        plies: (u32, u32),
        stop: &AtomicBool,
    ) -> Answer<Option<Arc<dyn Positions>>>;

    /// Play a schedule; `done` counts games meanwhile.
    ///
    /// # Errors
    /// A player is another game's, a start no position, or it was stopped.
    fn play(
        &self,
        players: &[&dyn Player],
        schedule: &Schedule<'_>,
        stop: &AtomicBool,
        done: &AtomicU64,
    ) -> Answer<Vec<Record>>;
    /// Play games over again.
    ///
    /// # Errors
    /// A start is no position, or it was stopped.
    fn replay(&self, games: &Transcripts<'_>, threads: usize, stop: &AtomicBool) -> Answer<Vec<Known>>;
    /// The rows at the start of a game and after each of its moves, as far as they are legal.
    ///
    /// # Errors
    /// The row is no position.
    fn rows_along(&self, start: &Row, codes: &[u64]) -> Answer<Vec<Row>>;
    /// See [`crate::replay::piece_counts`].
    ///
    /// # Errors
    /// A start is no position, a move illegal, or it was stopped.
    fn piece_counts(&self, games: &Transcripts<'_>, threads: usize, stop: &AtomicBool) -> Answer<PieceCounts>;

    /// See [`crate::learning::learn`].
    ///
    /// # Errors
    /// Says what makes no sense, or it was stopped.
    fn learn(&self, question: LearningQuestion<'_>, stop: &AtomicBool, done: &AtomicU64) -> Answer<Lessons>;
    /// See [`crate::learning::tables::learn_tables`].
    ///
    /// # Errors
    /// As [`Self::learn`].
    fn learn_tables(&self, question: TableQuestion<'_>, stop: &AtomicBool, done: &AtomicU64) -> Answer<TableLessons>;
    /// See [`crate::learning::labels::fit_tables`].
    ///
    /// # Errors
    /// As [`Self::learn`].
    fn fit_tables(&self, question: FitQuestion<'_>, stop: &AtomicBool) -> Answer<Fitted>;
    /// See [`crate::online::evolve`].
    ///
    /// # Errors
    /// As [`Self::learn`].
    fn evolve_online(&self, row: &Row, question: &OnlineQuestion<'_>, stop: &AtomicBool) -> Answer<OnlineAnswer<u64>>;
    /// See [`crate::search::ordered::count`].
    ///
    /// # Errors
    /// As [`Self::learn`]; or nodes are not counted in this game.
    fn count_nodes(
        &self,
        program: &dyn Program,
        view: View,
        row: &Row,
        depths: &[u32],
        order: Order,
        stop: &AtomicBool,
    ) -> Answer<Vec<Count<u64>>>;
    /// Solve a position to the end.
    ///
    /// # Errors
    /// The game has no solver, the row is no position, or it was stopped.
    fn solve(&self, row: &Row, question: &SolveQuestion, stop: &AtomicBool) -> Answer<Solved>;
}
