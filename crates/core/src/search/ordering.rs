//! Which moves are looked at first: only speed depends on it, never the value.

use crate::cpu::Cpu;
use crate::lanes::LANES;
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

/// A move that may be looked at: its place in the order of legal moves, and the position after it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate<G: Game> {
    pub index: usize,
    pub chosen: G::Move,
    pub child: G,
}

/// Moves of one position, best first as they are taken.
#[derive(Clone, Debug)]
pub(super) struct Candidates<G: Game> {
    candidates: Vec<Candidate<G>>,
    scores: Vec<f64>,
}

/// The score of a move that was taken.
const TAKEN: f64 = f64::NEG_INFINITY;

impl<G: Game> Default for Candidates<G> {
    fn default() -> Self {
        Self { candidates: Vec::new(), scores: Vec::new() }
    }
}

impl<G: Game> Candidates<G> {
    /// All moves of a position, in their order.
    #[inline(always)]
    pub fn fill(&mut self, cpu: impl Cpu, position: &G) {
        self.candidates.clear();
        let mut expansion = position.expand(cpu);
        let mut moves = G::remaining(&expansion).enumerate();
        loop {
            let children = position.next_children(cpu, &mut expansion);
            for lane in 0..children.len {
                let Some((index, chosen)) = moves.next() else { break };
                self.candidates.push(Candidate { index, chosen, child: position.child(&children, lane) });
            }
            if children.len < LANES {
                break;
            }
        }
        self.scores.clear();
    }

    /// Give every move its score.
    #[inline(always)]
    pub fn score(&mut self, score: impl Fn(G::Move) -> f64) {
        self.scores.clear();
        self.scores.extend(self.candidates.iter().map(|candidate| score(candidate.chosen)));
    }

    /// The scores of the next moves.
    #[inline(always)]
    pub fn add_scores(&mut self, scores: &[f64]) {
        self.scores.extend_from_slice(scores);
    }

    #[inline(always)]
    pub fn len(&self) -> usize {
        self.candidates.len()
    }

    /// Let the move in this place of the order of legal moves come first.
    #[inline(always)]
    pub fn prefer(&mut self, index: u8) {
        if let Some(score) = self.scores.get_mut(usize::from(index)) {
            *score = f64::INFINITY;
        }
    }

    /// The first of the moves with the highest score that was not taken yet.
    #[inline(always)]
    pub fn take_best(&mut self) -> Option<Candidate<G>> {
        let (mut best, mut highest) = (None, TAKEN);
        for (index, &score) in self.scores.iter().enumerate() {
            if score > highest {
                (best, highest) = (Some(index), score);
            }
        }
        let index = best?;
        self.scores[index] = TAKEN;
        Some(self.candidates[index])
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
