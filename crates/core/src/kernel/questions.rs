//! What a kernel is asked and what it answers, without generics: plain values.

use std::time::Duration;

use crate::arena::Pairing;
use crate::choice::{Drawing, Ties};
use crate::evaluator::View;
use crate::mcts::MctsOptions;
use crate::online::Settings as OnlineSettings;
use crate::online::strategy::Sight;
use crate::rules::draws::DrawRules;
use crate::search::SearchOptions;
use crate::search::selective::Selectivity;
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
        /// How a move is drawn, if not the best is taken.
        drawing: Option<Drawing>,
    },
    /// It grows a tree of playouts.
    Mcts(MctsOptions),
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
    /// Every move with its value and its best line, the move first, if that was asked.
    pub values: Vec<(u64, f64, Vec<u64>)>,
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
