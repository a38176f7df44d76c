//! Which moves are looked at first: only speed depends on it, never the value.
//!
//! Reasons: docs/design/search.md.

use crate::cpu::Cpu;
use crate::lanes::{LANES, Lanes};
use crate::rules::{Children, Game};

/// Which moves are looked at first. Where there is a table, its best move comes before all others, except in `None`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MoveOrder {
    /// The order of legal moves.
    None,
    /// The best move that the table knows, then the order of legal moves.
    Hash,
    /// The best board after the move; the evaluations count as nodes.
    Evaluator,
    /// The best board after the move by another program, which says nothing of values; its evaluations count as nodes.
    Program,
    /// At the root the best board after the move, whose evaluations count as nodes; elsewhere the moves that cut off sibling
    /// positions, if they are among the next eight. Searches with limits or a table do as in `Hash`.
    Refutation,
    /// Moves that leave the opponent few replies; moves that cut off sibling positions may leave some more.
    Killer,
}

/// Moves of one position, best first as they are taken.
#[derive(Clone, Debug)]
pub(super) struct Candidates<G: Game> {
    moves: Vec<G::Move>,
    /// The positions after them, eight by eight.
    blocks: Vec<Children<G>>,
    /// What speaks for each move, in the upper bits, and its place counted backwards in the lower ones, so that no two are
    /// equal and of moves with equal scores the first is the greatest.
    ranks: Vec<Lanes<u64>>,
}

/// The rank of a move that was taken, or of none: below all others.
const TAKEN: u64 = 0;

/// Bits of a rank that hold the place of the move.
const PLACE: u64 = 0xFFFF;

/// The lower bits of the ranks of the first block: the places, counted backwards.
const LOWER_BITS: Lanes<u64> =
    Lanes([PLACE, PLACE - 1, PLACE - 2, PLACE - 3, PLACE - 4, PLACE - 5, PLACE - 6, PLACE - 7]);
/// Which lanes of a block hold a move, by how many moves are left for it.
const HELD: [Lanes<u64>; LANES + 1] = {
    let mut held = [Lanes([0; LANES]); LANES + 1];
    let mut len = 0;
    while len <= LANES {
        let mut lane = 0;
        while lane < len {
            held[len].0[lane] = u64::MAX;
            lane += 1;
        }
        len += 1;
    }
    held
};

/// Minus a number of replies this is a float whose bits, read as a whole number, are as many fewer: ranks are compared as whole
/// numbers, and fewer replies rank higher.
const MANY_REPLIES: f64 = ((1_u64 << 52) + (1 << 30)) as f64;

impl<G: Game> Default for Candidates<G> {
    fn default() -> Self {
        Self { moves: Vec::new(), blocks: Vec::new(), ranks: Vec::new() }
    }
}

impl<G: Game> Candidates<G> {
    /// All moves of a position, in their order, not yet ranked.
    #[inline(always)]
    pub fn fill(&mut self, cpu: impl Cpu, position: &G) {
        self.moves.clear();
        self.blocks.clear();
        self.ranks.clear();
        let mut expansion = position.expand(cpu);
        self.moves.extend(G::remaining(position.rules(), &expansion));
        while self.blocks.len() * LANES < self.moves.len() {
            self.blocks.push(position.next_children(cpu, &mut expansion));
        }
    }

    /// Prefer moves that leave few replies, and killers.
    #[inline(always)]
    pub fn rank_by_replies(&mut self, cpu: impl Cpu, position: &G, killers: &Killers, depth: u32) {
        for index in 0..self.blocks.len() {
            let replies = G::mobility_of_lanes(cpu, position.rules(), self.blocks[index].seen(position.turn()));
            self.rank_block(replies.map(|replies| (MANY_REPLIES - replies).to_bits() << PLACE.count_ones()));
        }
        for (killer, bonus) in killers.at(depth) {
            if let Some(place) = self.moves.iter().position(|&chosen| G::code(position.rules(), chosen) == killer) {
                self.ranks[place / LANES].0[place % LANES] += bonus << PLACE.count_ones();
            }
        }
    }

    /// Leave the moves in their order.
    #[inline(always)]
    pub fn rank_alike(&mut self) {
        for _ in 0..self.blocks.len() {
            self.rank_block(Lanes::splat(1 << PLACE.count_ones()));
        }
    }

    /// Prefer the greatest values; these are those of the next block.
    #[inline(always)]
    pub fn rank_by_values(&mut self, values: &Lanes<f64>) {
        // The bits of a float sort as the float does, once those of negative ones are turned round.
        let bits = values.map(f64::to_bits);
        self.rank_block(bits.map(|bits| (bits ^ ((bits as i64 >> 63) as u64 | 1 << 63)) & !PLACE));
    }

    #[inline(always)]
    fn rank_block(&mut self, scores: Lanes<u64>) {
        let first = self.ranks.len() * LANES;
        let ranks = scores.zip(LOWER_BITS, |score, lower| score | (lower - first as u64));
        let len = (self.moves.len() - first).min(LANES);
        self.ranks.push(ranks.zip(HELD[len], |rank, held| rank & held));
    }

    #[inline(always)]
    pub fn len(&self) -> usize {
        self.moves.len()
    }

    /// Let the move in this place of the order of legal moves come first.
    #[inline(always)]
    pub fn prefer(&mut self, place: u8) {
        let place = usize::from(place);
        if let Some(ranks) = self.ranks.get_mut(place / LANES)
            && place < self.moves.len()
        {
            ranks.0[place % LANES] |= !PLACE;
        }
    }

    /// The place, in the order of legal moves, of the best move that was not taken yet.
    #[inline(always)]
    pub fn take_best(&mut self) -> Option<usize> {
        let mut best = Lanes::splat(TAKEN);
        for ranks in &self.ranks {
            best = best.zip(*ranks, u64::max);
        }
        let [a, b, c, d, e, f, g, h] = best.0;
        let best = a.max(b).max(c.max(d)).max(e.max(f).max(g.max(h)));
        if best == TAKEN {
            return None;
        }
        let place = (PLACE - (best & PLACE)) as usize;
        self.ranks[place / LANES].0[place % LANES] = TAKEN;
        Some(place)
    }

    /// The move in a place.
    #[inline(always)]
    pub fn chosen(&self, place: usize) -> G::Move {
        self.moves[place]
    }

    /// The position after the move in a place.
    #[inline(always)]
    pub fn child(&self, position: &G, place: usize) -> G {
        position.child(&self.blocks[place / LANES], place % LANES)
    }
}

/// Moves that cut off: the two latest by remaining depth.
#[derive(Clone, Debug)]
pub(crate) struct Killers {
    latest: Vec<[u64; 2]>,
}

/// The code of no move.
const NONE: u64 = u64::MAX;

/// How many replies more a killer may leave than another move and still come first: the latest, and the one before.
const BONUS: [u64; 2] = [6, 3];

impl Killers {
    /// For depths up to `depth`.
    pub fn new(depth: u32) -> Self {
        Self { latest: vec![[NONE; 2]; depth as usize + 1] }
    }

    /// The same, for depths up to `depth` too.
    pub fn go_on(&mut self, depth: u32) {
        self.latest.resize(self.latest.len().max(depth as usize + 1), [NONE; 2]);
    }

    /// Remember that a move cut off.
    #[inline(always)]
    pub fn add(&mut self, depth: u32, code: u64) {
        let [first, second] = &mut self.latest[depth as usize];
        if *first != code {
            (*second, *first) = (*first, code);
        }
    }

    /// The codes of the killers of a depth, each with its bonus; of no move where there is none yet.
    #[inline(always)]
    fn at(&self, depth: u32) -> [(u64, u64); 2] {
        let [first, second] = self.latest[depth as usize];
        [(first, BONUS[0]), (second, BONUS[1])]
    }
}
