//! The moves at the root of a search: which are known to be the best, and which of them is chosen.

use crate::player::Ties;
use crate::rules::Game;
use crate::stream::Stream;

/// The moves at the root, numbered in the order of legal moves, and what the current depth found.
pub(super) struct Root<G: Game> {
    /// In the order in which they are looked at.
    pub moves: Vec<(usize, G::Move)>,
    ties: Ties,
    pub found: Found<G>,
}

/// The best value so far and the moves that are known to have it, each with the line after it.
#[derive(Clone)]
pub(super) struct Found<G: Game> {
    pub best: f64,
    pub equals: Vec<(usize, Vec<G::Move>)>,
}

impl<G: Game> Root<G> {
    pub fn new(position: &G, ties: Ties) -> Self {
        Self {
            moves: position.legal_moves().enumerate().collect(),
            ties,
            found: Found { best: f64::NEG_INFINITY, equals: Vec::new() },
        }
    }

    /// Whether a move would count if it were only as good as the best so far.
    pub fn counts_if_equal(&self, index: usize) -> bool {
        let mut equals = self.found.equals.iter().map(|&(equal, _)| equal);
        match self.ties {
            Ties::First => equals.all(|equal| index < equal),
            Ties::Last => equals.all(|equal| index > equal),
            Ties::Random => true,
        }
    }

    /// Take note of a move's value. One that equals the best is exact if the move counts.
    pub fn offer(&mut self, index: usize, value: f64, line: &[G::Move]) {
        let counts = self.counts_if_equal(index);
        if value > self.found.best {
            self.found.equals.clear();
            self.found.best = value;
        } else if value < self.found.best || !counts {
            return;
        }
        self.found.equals.push((index, line.to_vec()));
    }

    /// One of the moves with the best value, by the rule for ties, and the line after it; `None` if there is none.
    pub fn pick(self, stream: &mut Stream) -> Option<(usize, Vec<G::Move>)> {
        let mut equals = self.found.equals;
        equals.sort_unstable_by_key(|&(index, _)| index);
        let index = match self.ties {
            Ties::First => 0,
            Ties::Last => equals.len().checked_sub(1)?,
            Ties::Random => stream.below(equals.len() as u64) as usize,
        };
        equals.into_iter().nth(index)
    }
}
