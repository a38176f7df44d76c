//! Which moves are looked at first: only speed depends on it, never the value.

use crate::rules::{Color, Game};

/// Which moves are looked at first. Where there is a table, its best move comes before all others, except in `None`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ordering {
    /// The order of legal moves.
    None,
    /// The best move that the table knows, then the order of legal moves.
    Hash,
    /// The best board after the move; the evaluations count as nodes.
    Evaluator,
    /// Moves that cut off sibling positions, then those that cut off most.
    Killer,
}

/// Moves of one position, best first as they are taken.
#[derive(Clone, Debug)]
pub(super) struct Candidates<G: Game> {
    moves: Vec<G::Move>,
    scores: Vec<f64>,
}

/// The score of a move that was taken.
const TAKEN: f64 = f64::NEG_INFINITY;

impl<G: Game> Default for Candidates<G> {
    fn default() -> Self {
        Self { moves: Vec::new(), scores: Vec::new() }
    }
}

impl<G: Game> Candidates<G> {
    #[inline(always)]
    pub fn clear(&mut self) {
        self.moves.clear();
        self.scores.clear();
    }

    #[inline(always)]
    pub fn push(&mut self, chosen: G::Move, score: f64) {
        self.moves.push(chosen);
        self.scores.push(score);
    }

    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.moves.is_empty()
    }

    /// Let the move with this code come first.
    #[inline(always)]
    pub fn prefer(&mut self, code: u8) {
        if let Some(index) = self.moves.iter().position(|&chosen| G::code(chosen) == code) {
            self.scores[index] = f64::INFINITY;
        }
    }

    /// The first of the moves with the highest score that was not taken yet.
    #[inline(always)]
    pub fn take_best(&mut self) -> Option<G::Move> {
        let (mut best, mut highest) = (None, TAKEN);
        for (index, &score) in self.scores.iter().enumerate() {
            if score > highest {
                (best, highest) = (Some(index), score);
            }
        }
        let index = best?;
        self.scores[index] = TAKEN;
        Some(self.moves[index])
    }
}

/// Moves that cut off: two by remaining depth, and how much each move of a side did anywhere.
#[derive(Clone, Debug)]
pub(super) struct Killers {
    latest: Vec<[Option<u8>; 2]>,
    history: Vec<[u32; 256]>,
}

impl Killers {
    /// For depths up to `depth`.
    pub fn new(depth: u32) -> Self {
        Self { latest: vec![[None; 2]; depth as usize + 1], history: vec![[0; 256]; 2] }
    }

    /// Remember that a move cut off.
    #[inline(always)]
    pub fn add(&mut self, side: Color, depth: u32, code: u8) {
        let [first, second] = &mut self.latest[depth as usize];
        if *first != Some(code) {
            (*second, *first) = (*first, Some(code));
        }
        let done = &mut self.history[side as usize][usize::from(code)];
        *done = done.saturating_add(depth * depth);
    }

    /// How promising a move is.
    #[inline(always)]
    pub fn score(&self, side: Color, depth: u32, code: u8) -> f64 {
        let [first, second] = self.latest[depth as usize];
        match Some(code) {
            code if code == first => 2e12,
            code if code == second => 1e12,
            _ => f64::from(self.history[side as usize][usize::from(code)]),
        }
    }
}
