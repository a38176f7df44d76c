//! Which moves are looked at first: only speed depends on it, never the value.

use crate::cpu::Cpu;
use crate::lanes::LANES;
use crate::rules::Game;

/// Which moves are looked at first. Where there is a table, its best move comes before all others, except in `None`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ordering {
    /// The order of legal moves.
    None,
    /// The best move that the table knows, then the order of legal moves.
    Hash,
    /// The best board after the move; the evaluations count as nodes.
    Evaluator,
    /// The board after the move that another program, which says nothing of values, finds best; its evaluations count as
    /// nodes.
    Program,
    /// Moves that leave the opponent few replies; moves that cut off sibling positions may leave some more.
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
    waiting: Vec<Candidate<G>>,
    scores: Vec<f64>,
    /// How many moves the opponent has after each, if they were counted.
    replies: Vec<f64>,
}

/// The score of a move that was taken.
const TAKEN: f64 = f64::NEG_INFINITY;

impl<G: Game> Default for Candidates<G> {
    fn default() -> Self {
        Self { waiting: Vec::new(), scores: Vec::new(), replies: Vec::new() }
    }
}

impl<G: Game> Candidates<G> {
    /// All moves of a position, in their order, without scores; `count`: count the opponent's replies too.
    #[inline(always)]
    pub fn fill(&mut self, cpu: impl Cpu, position: &G, count: bool) {
        self.waiting.clear();
        self.scores.clear();
        self.replies.clear();
        let mut expansion = position.expand(cpu);
        let mut moves = G::remaining(&expansion).enumerate();
        loop {
            let children = position.next_children(cpu, &mut expansion);
            for lane in 0..children.len {
                let Some((index, chosen)) = moves.next() else { break };
                self.waiting.push(Candidate { index, chosen, child: position.child(&children, lane) });
            }
            if count {
                let replies = G::mobility_of_lanes(cpu, children.seen(position.turn()));
                self.replies.extend_from_slice(&replies.0[..children.len]);
            }
            if children.len < LANES {
                break;
            }
        }
    }

    /// Prefer moves that leave few replies, which were counted, and killers.
    #[inline(always)]
    pub fn score_by_replies(&mut self, killers: &Killers, depth: u32) {
        let score =
            |(candidate, replies): (&Candidate<G>, &f64)| killers.bonus(depth, G::code(candidate.chosen)) - replies;
        self.scores.extend(self.waiting.iter().zip(&self.replies).map(score));
    }

    /// Leave the moves in their order.
    #[inline(always)]
    pub fn score_alike(&mut self) {
        self.scores.resize(self.waiting.len(), 0.0);
    }

    /// The scores of the next moves.
    #[inline(always)]
    pub fn add_scores(&mut self, scores: &[f64]) {
        self.scores.extend_from_slice(scores);
    }

    #[inline(always)]
    pub fn len(&self) -> usize {
        self.waiting.len()
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
        Some(self.waiting[index])
    }
}

/// Moves that cut off: the two latest by remaining depth.
#[derive(Clone, Debug)]
pub(super) struct Killers {
    latest: Vec<[Option<u64>; 2]>,
}

impl Killers {
    /// For depths up to `depth`.
    pub fn new(depth: u32) -> Self {
        Self { latest: vec![[None; 2]; depth as usize + 1] }
    }

    /// Remember that a move cut off.
    #[inline(always)]
    pub fn add(&mut self, depth: u32, code: u64) {
        let [first, second] = &mut self.latest[depth as usize];
        if *first != Some(code) {
            (*second, *first) = (*first, Some(code));
        }
    }

    /// How many replies more a killer may leave than another move and still come first.
    #[inline(always)]
    pub fn bonus(&self, depth: u32, code: u64) -> f64 {
        let [first, second] = self.latest[depth as usize];
        match Some(code) {
            code if code == first => 6.0,
            code if code == second => 3.0,
            _ => 0.0,
        }
    }
}
