//! What is asked about the end of a game.

use std::sync::atomic::AtomicBool;
use std::time::Instant;

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
    /// How many threads search (0: one a core); the answer is the same.
    pub threads: usize,
    /// What the score is believed to be: a good guess saves time, and the answer is the same. With 0 one is made.
    pub guess: i32,
    /// From this number of empty squares on the score is guessed by looking at few moves first: below, that takes longer than it saves.
    pub foretell_from: u32,
    /// From this number of empty squares on an evaluator, if there is one, says which moves these are.
    pub ask_from: u32,
    /// When to give up.
    pub deadline: Option<Instant>,
    /// Set from outside to give up.
    pub stop: &'a AtomicBool,
}

impl<'a> Endgame<'a> {
    /// The question with the official score and the usual table.
    pub fn new(mode: Mode, stop: &'a AtomicBool) -> Self {
        Self {
            mode,
            empties_to_winner: true,
            every_move: false,
            table_bytes: TABLE_BYTES,
            threads: 1,
            guess: 0,
            foretell_from: 12,
            ask_from: 19,
            deadline: None,
            stop,
        }
    }
}
