//! The last ply: the positions after every move of one position, valued a block of siblings at a time.
//!
//! The blocks belong to the algorithm: whoever asks may stop between blocks, so the number of nodes is the same on every
//! machine. With quiescence the last ply is where captures end: a sibling in which the side to move must capture is worth
//! what all its moves say, valued by the same blocks, without a window.
//!
//! Reasons: docs/design/search.md.

use std::sync::atomic::{AtomicBool, Ordering};

use super::leaves::Rule;
use super::{GUARDED, Search, outcome_value};
use crate::bitboard::Word;
use crate::cpu::vector::Eight;
use crate::cpu::{Cpu, Task};
use crate::evaluator::{Evaluator, Worth, block_of, follow, speaks_for};
use crate::expression::Side;
use crate::expression::evaluation::Registers;
use crate::lanes::{LANES, Lanes};
use crate::rules::{Color, Game, Rules};
use crate::stream::Key;

/// What values boards for one choice.
pub(super) struct Horizon<'a, G: Game, C: Cpu> {
    cpu: C,
    evaluator: &'a Evaluator<G>,
    rule: Rule,
    registers: &'a mut Registers<G::Board>,
    /// Whether captures are looked at to their end.
    quiescence: bool,
    /// Whether replies are looked at that end the game, where few pieces are left.
    guard: bool,
    /// How many plies of captures lie behind.
    beyond: u32,
    /// Nodes that may still be counted. Where captures need more, they are given up and one node too many is reported, so that
    /// the search ends at its limit.
    pub room: u64,
    /// Set from outside to give captures up; the values then mean nothing.
    pub stop: &'a AtomicBool,
    chooser: Color,
    root_ply: f64,
    root_clock: f64,
}

/// What makes the values of the lanes from some length on minus infinity.
const BLANKS: [Lanes<f64>; LANES + 1] = {
    let mut blanks = [Lanes([0.0; LANES]); LANES + 1];
    let mut len = 0;
    while len < LANES {
        let mut lane = len;
        while lane < LANES {
            blanks[len].0[lane] = f64::NEG_INFINITY;
            lane += 1;
        }
        len += 1;
    }
    blanks
};

/// The values of up to eight children of one position for the side that moved, in the order of legal moves.
#[derive(Clone, Copy)]
pub(super) struct Valued {
    /// Minus infinity where there is no child.
    values: Lanes<f64>,
    len: usize,
    /// Nodes of the captures behind them.
    behind: u64,
    /// Whether a value is the evaluator's: not all of these games are over.
    pub estimated: bool,
}

impl Valued {
    /// No child.
    pub const NONE: Self = Self { values: BLANKS[0], len: 0, behind: 0, estimated: false };

    #[inline(always)]
    pub fn len(&self) -> usize {
        self.len
    }

    /// How many nodes they count: one each, and those of the captures behind them.
    #[inline(always)]
    pub fn nodes(&self) -> u64 {
        self.len as u64 + self.behind
    }

    /// The values, in the order of legal moves.
    #[inline(always)]
    pub fn values(&self) -> &[f64] {
        &self.values.0[..self.len]
    }

    /// The values, minus infinity where there is no child.
    #[inline(always)]
    pub fn lanes(&self) -> &Lanes<f64> {
        &self.values
    }

    /// The greatest value.
    #[inline(always)]
    pub fn best(&self) -> f64 {
        let greater = |a: f64, b: f64| if a > b { a } else { b };
        let [a, b, c, d, e, f, g, h] = self.values.0;
        greater(greater(greater(a, b), greater(c, d)), greater(greater(e, f), greater(g, h)))
    }

    /// The first place in the block that holds a value.
    pub fn place_of(&self, value: f64) -> usize {
        self.values.0.iter().position(|&found| found == value).unwrap_or(0)
    }
}

impl<'a, G: Game, C: Cpu> Horizon<'a, G, C> {
    /// For a choice at `root`: by the search's evaluator and rule.
    pub fn at(cpu: C, root: &G, search: &Search<'a, G>, registers: &'a mut Registers<G::Board>) -> Self {
        Self::by(search.evaluator, search.rule, cpu, root, search, registers)
    }

    /// For the order of moves in a choice at `root`: by the search's orderer, if it has one.
    pub fn for_order(
        cpu: C,
        root: &G,
        search: &Search<'a, G>,
        registers: Option<&'a mut Registers<G::Board>>,
    ) -> Option<Self> {
        Some(Self::by(search.orderer?, Rule::Output(0), cpu, root, search, registers?))
    }

    fn by(
        evaluator: &'a Evaluator<G>,
        rule: Rule,
        cpu: C,
        root: &G,
        search: &Search<'a, G>,
        registers: &'a mut Registers<G::Board>,
    ) -> Self {
        registers.carried.begin();
        Self {
            cpu,
            evaluator,
            rule,
            registers,
            quiescence: root.rules().has_captures() && search.options.quiescence,
            guard: search.options.guard,
            beyond: 0,
            room: u64::MAX,
            stop: search.stop,
            chooser: root.turn(),
            root_ply: f64::from(root.ply()),
            root_clock: root.clock_here(),
        }
    }

    /// The search enters a position so many plies above its last one.
    #[inline(always)]
    pub fn enter(&mut self, position: &G, level: u32) {
        if self.registers.carried.is_used() {
            let (black, white) = (position.pieces(Color::Black).0, position.pieces(Color::White).0);
            let kings = G::HAS_KINGS.then(|| position.kings().0);
            self.registers.carried.enter(black, white, kings, level as usize);
        }
    }

    /// The CPU path of the search.
    #[inline(always)]
    pub fn cpu(&self) -> C {
        self.cpu
    }

    /// What all moves of a position come to, looking no further than a block of siblings that brought `beta` or more, and
    /// counting no more nodes than `limit`. `path` is the key of the path to `position`.
    #[inline(always)]
    pub fn last_ply(&mut self, position: &G, path: Key, alpha: f64, beta: f64, limit: u64) -> Ply {
        let quiescence = self.quiescence;
        self.room = limit;
        self.cpu.call(LookAtMoves { horizon: self, position, path, quiescence, alpha, beta, limit })
    }

    /// Show `visit` the children of `position`, a block of siblings at a time, until it has seen enough.
    pub fn blocks(&mut self, position: &G, path: Key, mut visit: impl FnMut(&Valued) -> bool) {
        let quiescence = self.quiescence;
        self.cpu.call(Blocks { horizon: self, position, path, quiescence, visit: &mut visit });
    }

    /// As [`Self::blocks`], in the middle of captures too: for what decides no value.
    pub fn blocks_as_they_stand(&mut self, position: &G, path: Key, mut visit: impl FnMut(&Valued) -> bool) {
        self.cpu.call(Blocks { horizon: self, position, path, quiescence: false, visit: &mut visit });
    }

    /// The body of all of these: the longest of all that is compiled for a board. So it is compiled into two tasks and nowhere else.
    #[inline(always)]
    fn blocks_with(&mut self, position: &G, path: Key, quiescence: bool, mut visit: impl FnMut(&Valued) -> bool) {
        let mover = position.turn();
        let speaker = speaks_for(self.evaluator.view, mover, self.chooser);
        let worth = Worth::to(mover, speaker, self.chooser);
        let to_move = if speaker == mover { Side::Opponent } else { Side::Own };
        let (mut expansion, mut before) = (position.expand(self.cpu), 0);
        loop {
            // Step 1. Up to a block of children.
            let children = position.next_children(self.cpu, &mut expansion);
            if children.len == 0 {
                return;
            }
            // Step 2. Evaluate them all at once.
            let block = block_of(position, &children, speaker, self.root_ply, self.root_clock);
            let mut outputs = [Lanes::splat(0.0); 2];
            follow(self.cpu, &mut self.registers.carried, position, speaker, &children);
            self.registers.evaluate::<G>(self.cpu, position.rules(), &self.evaluator.program, &block, &mut outputs);
            let values = self.rule.values(&outputs, path, before);
            let values = worth.of_lanes(values).zip(BLANKS[children.len], |value, blank| value + blank);
            let mut valued = Valued { values, len: children.len, behind: 0, estimated: true };
            // Step 3. Finished games count exactly. They are among those in which the side to move has nowhere to go.
            let stuck = match self.registers.counted_moves(&self.evaluator.program, to_move) {
                Some(counts) => !self.cpu.words(&counts.map(f64::to_bits)).not_zero(),
                None => G::stuck_lanes(self.cpu, position.rules(), children.seen(mover)),
            };
            let all = u8::MAX >> (LANES - children.len);
            let stuck = stuck & all;
            let mut exact = 0;
            if stuck != 0 {
                for lane in 0..children.len {
                    let may_be_over = stuck >> lane & 1 == 1;
                    if let Some(outcome) = if may_be_over { position.child(&children, lane).outcome() } else { None } {
                        valued.values.0[lane] = outcome_value(outcome, mover);
                        exact |= 1 << lane;
                    }
                }
                valued.estimated = exact != all;
            }
            // Step 4. In the middle of captures nothing is valued: they are looked at to their end.
            if G::MAY_CAPTURE && quiescence && self.beyond < G::MOST_RESTLESS {
                self.room = self.room.saturating_sub(children.len as u64);
                let capturing = G::capturing_lanes(self.cpu, position.rules(), children.seen(mover)) & all & !exact;
                if capturing != 0 {
                    for lane in (0..children.len).filter(|lane| capturing >> lane & 1 == 1) {
                        let (child, path) = (position.child(&children, lane), self.rule.step(path, before + lane));
                        let captures = self.captures(&child, path);
                        valued.values.0[lane] = -captures.best;
                        valued.behind += captures.nodes;
                        exact |= u8::from(!captures.estimated) << lane;
                    }
                    valued.estimated = exact != all;
                }
            }
            // Step 5. Few pieces may all go at once: then a reply that wins the game is looked for.
            if self.guard {
                for lane in 0..children.len {
                    if exact >> lane & 1 == 1 || children.moved.0[lane].count_ones() > GUARDED {
                        continue;
                    }
                    let (lost, looked) =
                        self.cpu.call(LookAtReplies { child: &position.child(&children, lane), cpu: self.cpu });
                    valued.behind += looked;
                    if let Some(value) = lost {
                        valued.values.0[lane] = -value;
                        exact |= 1 << lane;
                    }
                }
                valued.estimated = exact != all;
            }
            before += children.len;
            if !visit(&valued) || children.len < LANES {
                return;
            }
        }
    }

    /// What the moves of a position whose side to move must capture say of it.
    fn captures(&mut self, position: &G, path: Key) -> Ply {
        if self.room == 0 || self.stop.load(Ordering::Relaxed) {
            return Ply { best: 0.0, nodes: 1, estimated: true, ..Ply::NONE };
        }
        self.beyond += 1;
        let (alpha, beta, limit) = (f64::NEG_INFINITY, f64::INFINITY, u64::MAX);
        let found = self.cpu.call(LookAtMoves { horizon: self, position, path, quiescence: true, alpha, beta, limit });
        self.beyond -= 1;
        found
    }
}

/// What all moves of one position come to.
pub(super) struct Ply {
    /// The greatest value for the side to move; minus infinity if there is no move.
    pub best: f64,
    /// The number of the first move with that value, if it lies inside the window.
    pub place: usize,
    /// Nodes that were counted.
    pub nodes: u64,
    /// Whether a value is the evaluator's.
    pub estimated: bool,
    /// Whether it would have taken more nodes than the limit.
    pub is_cut_short: bool,
}

impl Ply {
    const NONE: Self = Self { best: f64::NEG_INFINITY, place: 0, nodes: 0, estimated: false, is_cut_short: false };
}

/// The moves of one position with a window, as a task of the CPU path that the whole search runs in.
struct LookAtMoves<'a, 'b, G: Game, C: Cpu> {
    horizon: &'a mut Horizon<'b, G, C>,
    position: &'a G,
    path: Key,
    quiescence: bool,
    alpha: f64,
    beta: f64,
    limit: u64,
}

impl<G: Game, C: Cpu> Task for LookAtMoves<'_, '_, G, C> {
    type Output = Ply;
    #[inline(always)]
    fn run<D: Cpu>(self, _: D) -> Ply {
        let Self { horizon, position, path, quiescence, alpha, beta, limit } = self;
        let (mut ply, mut best_block, mut first, mut before) = (Ply::NONE, Valued::NONE, 0, 0);
        horizon.blocks_with(position, path, quiescence, |siblings| {
            if ply.nodes + siblings.nodes() > limit {
                ply.is_cut_short = true;
                return false;
            }
            ply.nodes += siblings.nodes();
            ply.estimated |= siblings.estimated;
            let best = siblings.best();
            if best > ply.best {
                (ply.best, best_block, first) = (best, *siblings, before);
            }
            before += siblings.len();
            ply.best < beta
        });
        if ply.best > alpha && ply.best < beta {
            ply.place = first + best_block.place_of(ply.best);
        }
        ply
    }
}

/// The blocks of children of one position, as a task of the CPU path that the whole search runs in.
struct Blocks<'a, 'b, G: Game, C: Cpu> {
    horizon: &'a mut Horizon<'b, G, C>,
    position: &'a G,
    path: Key,
    quiescence: bool,
    visit: &'a mut dyn FnMut(&Valued) -> bool,
}

impl<G: Game, C: Cpu> Task for Blocks<'_, '_, G, C> {
    type Output = ();
    #[inline(always)]
    fn run<D: Cpu>(self, _: D) {
        let Self { horizon, position, path, quiescence, visit } = self;
        horizon.blocks_with(position, path, quiescence, visit);
    }
}

/// The replies of a position, until one ends the game and wins it: its value, and how many were looked at.
struct LookAtReplies<'a, G: Game, C: Cpu> {
    child: &'a G,
    cpu: C,
}

impl<G: Game, C: Cpu> Task for LookAtReplies<'_, G, C> {
    type Output = (Option<f64>, u64);
    #[inline(always)]
    fn run<D: Cpu>(self, _: D) -> Self::Output {
        let Self { child, cpu } = self;
        let (side, mut expansion, mut looked) = (child.turn(), child.expand(cpu), 0);
        loop {
            let replies = child.next_children(cpu, &mut expansion);
            looked += replies.len as u64;
            let stuck = G::stuck_lanes(cpu, child.rules(), replies.seen(side));
            for lane in (0..replies.len).filter(|lane| stuck >> lane & 1 == 1) {
                if let Some(outcome) = child.child(&replies, lane).outcome()
                    && outcome.winner == Some(side)
                {
                    return (Some(outcome_value(outcome, side)), looked);
                }
            }
            if replies.len < LANES {
                return (None, looked);
            }
        }
    }
}
