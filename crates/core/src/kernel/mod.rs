//! The games behind one interface without generics: what a binding, or any other program, asks of a game known by its name.
//!
//! A [`Kernel`] is a game as a value: `&dyn Kernel` of [`native::Native`] for rules that are compiled, in a crate for each
//! family of games, so that families are compiled side by side and a binding need not compile any. What a kernel makes
//! (programs, players, positions, searchers) is used with the same kernel again; another game's is refused by name.
//!
//! Every call does a batch of work: nothing here is called once a node.

mod learning;
pub mod native;
mod play;
mod rows;
mod values;

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::Duration;

use crate::analysis::Question;
use crate::arena::{Pairing, Record};
use crate::choice::Ties;
use crate::engine::Limits;
use crate::evaluator::View;
use crate::expression::{Expression, ExpressionError};
use crate::learning::Lessons;
use crate::learning::learner::Coherence;
use crate::learning::settings::Plan;
use crate::learning::tables::{Plan as TablePlan, TableLessons};
use crate::learning::weights::Weights;
use crate::online::strategy::Sight;
use crate::online::{Answer as OnlineAnswer, Settings as OnlineSettings};
use crate::replay::PieceCounts;
use crate::rules::draws::DrawRules;
use crate::search::SearchOptions;
use crate::search::ordered::{Count, Order};
use crate::search::selective::Selectivity;
use crate::stages::StageClock;
use crate::stream::Key;
use crate::work::Stopped;

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// What was asked makes no sense; says why.
    Wrong(String),
    /// It was stopped.
    Stopped,
}

impl From<String> for Failure {
    fn from(message: String) -> Self {
        Self::Wrong(message)
    }
}

impl From<&str> for Failure {
    fn from(message: &str) -> Self {
        Self::Wrong(message.into())
    }
}

impl From<Stopped> for Failure {
    fn from(_: Stopped) -> Self {
        Self::Stopped
    }
}

/// What a question gives.
pub type Answer<T> = Result<T, Failure>;

/// A position colour by colour, for boards of any size: bit 0 is a1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Row {
    /// Black's pieces.
    pub black: u128,
    /// White's pieces.
    pub white: u128,
    /// Kings of both.
    pub kings: u128,
    /// Whether Black moves.
    pub black_to_move: bool,
    /// Plies played before.
    pub ply: u32,
    /// Plies since something irreversible happened.
    pub quiet_plies: u32,
}

/// What a player does with its program.
#[derive(Clone, Debug)]
pub enum Way {
    /// It has none and moves at random.
    Random,
    /// It values the boards after its moves.
    AfterState,
    /// It looks ahead.
    AlphaBeta {
        /// How.
        options: SearchOptions,
        /// What cuts searches short, if anything does.
        selectivity: Option<Selectivity>,
        /// How likely worse moves are drawn.
        temperature: Option<f64>,
    },
}

/// A player but for its program.
#[derive(Clone, Debug)]
pub struct Habits {
    /// What it does with its program.
    pub way: Way,
    /// Whom the program speaks for.
    pub view: View,
    /// Which of equal moves it takes.
    pub ties: Ties,
    /// How likely a move is random.
    pub epsilon: f64,
}

/// Games to be played.
#[derive(Clone, Debug)]
pub struct Schedule<'a> {
    /// Who plays whom.
    pub pairings: &'a [Pairing],
    /// The positions before the openings.
    pub starts: &'a [Row],
    /// Uniformly random plies before the players begin.
    pub opening_plies: u32,
    /// Whether moves are kept.
    pub record_moves: bool,
    /// When a game is drawn.
    pub draws: DrawRules,
    /// 0: one a core.
    pub threads: usize,
}

/// Games known by their moves.
#[derive(Clone, Debug)]
pub struct Transcripts<'a> {
    /// The codes of each game's moves.
    pub games: &'a [&'a [u64]],
    /// The positions before their first moves.
    pub starts: &'a [Row],
    /// Which of these each game has; `None`: the first.
    pub start_of: Option<&'a [u32]>,
}

impl Transcripts<'_> {
    /// Refuse places of starts that are not there, or not one for each game.
    ///
    /// # Errors
    /// Says which.
    pub fn check(&self) -> Result<(), String> {
        if self.start_of.is_some_and(|start_of| start_of.len() != self.games.len()) {
            return Err("start_of needs one entry for each game".into());
        }
        match self.start_of.unwrap_or(&[0]).iter().find(|&&start| start as usize >= self.starts.len()) {
            Some(start) => Err(format!("there is no start {start}: there are {}", self.starts.len())),
            None => Ok(()),
        }
    }
}

/// A game that was played over again.
#[derive(Clone, Debug)]
pub struct Known {
    /// The moves that were played, forced passes put in where they were left out.
    pub codes: Vec<u64>,
    /// How many of the moves given are among them.
    pub taken: usize,
    /// The position after the last.
    pub last: Row,
    /// Black's and White's pieces there.
    pub pieces: [u32; 2],
    /// Whether nobody can move there.
    pub is_over: bool,
    /// Who has won a game that is over: 1 is Black, -1 White, 0 nobody.
    pub winner: i8,
}

/// What is known about one choice, moves as codes; see [`crate::choice::Choice`].
#[derive(Clone, PartialEq, Debug)]
pub struct Analysed {
    /// The move.
    pub chosen: u64,
    /// Its value for the side to move.
    pub score: Option<f64>,
    /// Positions entered and leaves valued.
    pub nodes: u64,
    /// The best line, the move first.
    pub line: Vec<u64>,
    /// Plies looked ahead.
    pub depth: u32,
    /// From question to answer.
    pub elapsed: Duration,
    /// Every move with its value, if that was asked.
    pub values: Vec<(u64, f64)>,
    /// Whether the score is the final difference under best play.
    pub is_exact: bool,
}

/// What a search tells of a completed depth.
#[derive(Clone, PartialEq, Debug)]
pub struct Told {
    /// The depth.
    pub depth: u32,
    /// The value for the side to move.
    pub score: Option<f64>,
    /// Positions entered and leaves valued.
    pub nodes: u64,
    /// From question to now.
    pub elapsed: Duration,
    /// The best line.
    pub line: Vec<u64>,
}

/// A question to the exact solver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SolveQuestion {
    /// Whether only the winner counts.
    pub outcome_only: bool,
    /// Whether empty squares count for the winner.
    pub empties_to_winner: bool,
    /// Whether every move gets its score.
    pub every_move: bool,
    /// Memory for the transposition table.
    pub table_bytes: usize,
    /// 0: one a core.
    pub threads: usize,
}

/// What the exact solver answers, moves as codes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Solved {
    /// Final difference for the side to move; 1, 0 or -1 where only the winner counts.
    pub score: i32,
    /// Positions entered.
    pub nodes: u64,
    /// Best play to the end.
    pub line: Vec<u64>,
    /// Every move with its score, if that was asked.
    pub moves: Vec<(u64, i32)>,
}

/// How strategies are evolved before a move, but for the position.
#[derive(Clone, Debug)]
pub struct OnlineQuestion<'a> {
    /// The area of every square, if it has one.
    pub areas: &'a [Option<usize>],
    /// Corners of the board.
    pub corners: u128,
    /// Edges of the board.
    pub edges: u128,
    /// What else strategies see.
    pub sight: Sight,
    /// How they evolve.
    pub settings: &'a OnlineSettings,
    /// Where all draws come from.
    pub key: Key,
    /// Who is alpha at the beginning: nodes of the tree, weights, flags; `None`: a random one.
    pub alpha: Option<(Vec<u32>, Vec<u32>, [bool; 3])>,
}

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
    /// One choice, and what is known about it; `None` if the game is over.
    ///
    /// # Errors
    /// The row is no position, or it was stopped.
    fn analyse(&self, row: &Row, question: &Question, stop: &AtomicBool) -> Answer<Option<Analysed>>;
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
    /// The move codes that a player chooses, a key a position; -1 where the game is over.
    ///
    /// # Errors
    /// The player is another game's, or it was stopped.
    fn choose(&self, player: &dyn Player, keys: &[u64], stop: &AtomicBool) -> Answer<Vec<i64>>;
}

/// A player that stays.
pub trait Searcher: Send + Sync {
    /// The game it plays.
    fn game(&self) -> &str;
    /// See [`crate::engine::Engine::think`]; the last value is whether nothing ended the search before its depth. `None` if the game is
    /// over.
    ///
    /// # Errors
    /// The row is no position.
    fn think(
        &self,
        row: &Row,
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
    fn learn_tables(
        &self,
        value: &dyn Program,
        starts: &[Row],
        plan: TablePlan,
        stop: &AtomicBool,
        done: &AtomicU64,
    ) -> Answer<TableLessons>;
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
