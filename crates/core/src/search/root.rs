//! The moves at the root of a search: which are known to be the best, and which of them is chosen.

use crate::choice::Ties;
use crate::rules::Game;
use crate::sorting::{places_in_order, sort_few};
use crate::stream::Stream;

/// A move at the root: its number in the order of legal moves, and its rank among equal ones.
#[derive(Clone, Copy)]
pub(super) struct RootMove<G: Game> {
    pub index: usize,
    pub chosen: G::Move,
    rank: u64,
}

/// The moves at the root, and the best of them so far.
#[derive(Clone)]
pub(super) struct Root<G: Game> {
    /// In the order in which they are searched.
    pub moves: Vec<RootMove<G>>,
    ties: Ties,
    pub best: Best<G>,
}

/// The best value so far and the moves that are known to have it, each with the line after it.
#[derive(Clone)]
pub(super) struct Best<G: Game> {
    pub value: f64,
    pub equals: Vec<(RootMove<G>, Vec<G::Move>)>,
}

impl<G: Game> Best<G> {
    /// Nothing is known yet.
    pub const NONE: Self = Self { value: f64::NEG_INFINITY, equals: Vec::new() };
}

impl<G: Game> Root<G> {
    pub fn new(position: &G, ties: Ties) -> Self {
        let ranked = |(index, chosen)| RootMove { index, chosen, rank: ties.rank(position, index, chosen) };
        Self { moves: position.legal_moves().enumerate().map(ranked).collect(), ties, best: Best::NONE }
    }

    /// Search the moves with the greatest `scores` first, of equal ones the first; the scores are in the order of legal moves.
    pub fn sort(&mut self, scores: &[f64]) {
        sort_few(&mut self.moves, |a, b| scores[b.index].total_cmp(&scores[a.index]));
    }

    /// Search the move that is known to be the best before the others.
    pub fn bring_best_forward(&mut self) {
        let best = self.best.equals.first().map(|(equal, _)| equal.index);
        if let Some(place) = self.moves.iter().position(|one| Some(one.index) == best) {
            self.moves[..=place].rotate_right(1);
        }
    }

    /// Above which value a move counts: one that may be chosen if it only equals the best needs an exact value then.
    pub fn floor(&self, one: &RootMove<G>) -> f64 {
        if self.counts_if_equal(one) { self.best.value.next_down() } else { self.best.value }
    }

    /// Whether a move would count if it were only as good as the best so far.
    fn counts_if_equal(&self, one: &RootMove<G>) -> bool {
        self.ties == Ties::Random || self.best.equals.iter().all(|(equal, _)| one.rank < equal.rank)
    }

    /// Take note of a move's value. One that equals the best is exact if the move counts.
    pub fn offer(&mut self, one: RootMove<G>, value: f64, line: &[G::Move]) {
        let counts = self.counts_if_equal(&one);
        if value > self.best.value {
            self.best.equals.clear();
            self.best.value = value;
        } else if value < self.best.value || !counts {
            return;
        }
        self.best.equals.push((one, line.to_vec()));
    }

    /// One of the moves with the best value, by the rule for ties, and the line after it; `None` if there is none.
    pub fn pick(self, stream: &mut Stream) -> Option<(G::Move, Vec<G::Move>)> {
        let mut equals = self.best.equals;
        let order = places_in_order(equals.len(), &|a, b| equals[a].0.rank.cmp(&equals[b].0.rank));
        let place = if self.ties == Ties::Random { stream.below(equals.len() as u64) as usize } else { 0 };
        let (equal, line) = equals.swap_remove(*order.get(place)?);
        Some((equal.chosen, line))
    }
}
