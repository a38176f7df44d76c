//! The last ply: the positions after every move of one position, valued a block of siblings at a time.
//!
//! The blocks belong to the algorithm: whoever asks may stop between blocks, so the number of nodes is the same on every
//! machine. With quiescence the last ply is where captures end: a sibling in which the side to move must capture is worth
//! what all its moves say, valued by the same blocks, without a window.
//!
//! Reasons: docs/design/search.md.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::leaves::Rule;
use super::{GUARDED, Search, WIN, outcome_value};
use crate::bitboard::Word;
use crate::cpu::vector::Eight;
use crate::cpu::{Cpu, Task};
use crate::evaluator::{Evaluator, Worth, block_of, follow, speaks_for};
use crate::expression::Side;
use crate::expression::evaluation::Registers;
use crate::lanes::{LANES, Lanes};
use crate::rules::{Color, Game, Rules};
use crate::stream::Key;

/// How many nodes pass between two looks at the clock.
const NODES_BETWEEN_LOOKS: u64 = 1 << 10;

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

    /// Show `visit` the children of `position`, a block of siblings at a time, until it has seen enough.
    pub fn blocks(&mut self, position: &G, path: Key, visit: impl FnMut(&Valued) -> bool) {
        self.blocks_of(position, None, path, visit);
    }

    /// The same of a position whose moves may be at hand.
    pub fn blocks_of(
        &mut self,
        position: &G,
        expansion: Option<&mut G::Expansion>,
        path: Key,
        mut visit: impl FnMut(&Valued) -> bool,
    ) {
        let quiescence = self.quiescence;
        self.cpu.call(Blocks { horizon: self, position, expansion, path, quiescence, visit: &mut visit });
    }

    /// As [`Self::blocks`], in the middle of captures too: for what decides no value.
    pub fn blocks_as_they_stand(&mut self, position: &G, path: Key, mut visit: impl FnMut(&Valued) -> bool) {
        let visit = &mut visit;
        self.cpu.call(Blocks { horizon: self, position, expansion: None, path, quiescence: false, visit });
    }

    /// The body of all of these, the longest code that is compiled for a board: three tasks have it, and nothing else.
    #[inline(always)]
    fn blocks_with(
        &mut self,
        position: &G,
        expansion: &mut G::Expansion,
        path: Key,
        quiescence: bool,
        mut visit: impl FnMut(&Valued) -> bool,
    ) {
        let mover = position.turn();
        let speaker = speaks_for(self.evaluator.view, mover, self.chooser);
        let worth = Worth::to(mover, speaker, self.chooser);
        let to_move = if speaker == mover { Side::Opponent } else { Side::Own };
        let mut before = 0;
        loop {
            // Step 1. Up to a block of children.
            let children = position.next_children(self.cpu, expansion);
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
    fn captures(&mut self, position: &G, path: Key) -> Captures {
        self.cpu.call(LookAtCaptures { horizon: self, position, path })
    }
}

/// What all captures of one position come to.
struct Captures {
    /// The greatest value for the side that captures.
    best: f64,
    nodes: u64,
    /// Whether a value is the evaluator's.
    estimated: bool,
}

/// The captures of one position, as a task of the CPU path that the whole search runs in.
struct LookAtCaptures<'a, 'b, G: Game, C: Cpu> {
    horizon: &'a mut Horizon<'b, G, C>,
    position: &'a G,
    path: Key,
}

impl<G: Game, C: Cpu> Task for LookAtCaptures<'_, '_, G, C> {
    type Output = Captures;
    #[inline(always)]
    fn run<D: Cpu>(self, _: D) -> Captures {
        let Self { horizon, position, path } = self;
        if horizon.room == 0 || horizon.stop.load(Ordering::Relaxed) {
            return Captures { best: 0.0, nodes: 1, estimated: true };
        }
        let mut found = Captures { best: f64::NEG_INFINITY, nodes: 0, estimated: false };
        horizon.beyond += 1;
        let mut expansion = position.expand(horizon.cpu);
        horizon.blocks_with(position, &mut expansion, path, true, |siblings| {
            let best = siblings.best();
            found.best = if best > found.best { best } else { found.best };
            found.nodes += siblings.nodes();
            found.estimated |= siblings.estimated;
            true
        });
        horizon.beyond -= 1;
        found
    }
}

/// What a search has counted, and when it ends.
pub(super) struct Tally<'a> {
    /// Positions entered and leaves valued.
    pub nodes: u64,
    pub node_limit: u64,
    pub deadline: Option<Instant>,
    next_look: u64,
    /// Set from outside to stop.
    stop: &'a AtomicBool,
    pub stopped: bool,
    /// Whether a value since this was last reset is an evaluator's.
    pub estimated: bool,
}

impl<'a> Tally<'a> {
    /// Of a search that has counted so many nodes, without limits.
    pub fn new(nodes: u64, stop: &'a AtomicBool) -> Self {
        Self {
            nodes,
            node_limit: u64::MAX,
            deadline: None,
            next_look: NODES_BETWEEN_LOOKS,
            stop,
            stopped: false,
            estimated: false,
        }
    }

    /// Give up at `deadline`, if there is one; the clock is looked at soon.
    pub fn look_at(&mut self, deadline: Option<Instant>) {
        self.deadline = deadline;
        self.next_look = self.nodes;
    }

    /// Count the position that is entered, or give up: whether the search goes on.
    #[inline(always)]
    pub fn count(&mut self) -> bool {
        if self.stopped || self.nodes >= self.node_limit {
            self.stopped = true;
            return false;
        }
        self.nodes += 1;
        if self.nodes >= self.next_look {
            self.next_look = self.nodes + NODES_BETWEEN_LOOKS;
            self.stopped = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        }
        self.stopped |= self.stop.load(Ordering::Relaxed);
        !self.stopped
    }
}

/// A position with nothing but the last ply below it, as a task of the CPU path that the whole search runs in: its value for the
/// side to move, exact inside (alpha, beta) and a bound outside. It looks no further than a block that brought `beta` or more.
pub(super) struct LastPly<'a, 'b, G: Game, C: Cpu> {
    pub horizon: &'a mut Horizon<'b, G, C>,
    pub tally: &'a mut Tally<'b>,
    /// The best move, if the value is exact.
    pub line: &'a mut Vec<G::Move>,
    pub position: &'a G,
    pub path: Key,
    pub alpha: f64,
    pub beta: f64,
}

impl<G: Game, C: Cpu> Task for LastPly<'_, '_, G, C> {
    type Output = f64;
    #[inline(always)]
    fn run<D: Cpu>(self, _: D) -> f64 {
        let Self { horizon, tally, line, position, path, alpha, beta } = self;
        // Step 1. Count, or give up.
        if !tally.count() {
            return 0.0;
        }
        horizon.enter(position, 1);
        horizon.room = tally.node_limit - tally.nodes;
        line.clear();
        // Step 2. The moves.
        let (mut best, mut best_block, mut first, mut before) = (f64::NEG_INFINITY, Valued::NONE, 0, 0);
        let quiescence = horizon.quiescence;
        let mut expansion = position.expand(horizon.cpu);
        horizon.blocks_with(position, &mut expansion, path, quiescence, |siblings| {
            if tally.nodes + siblings.nodes() > tally.node_limit {
                tally.stopped = true;
                return false;
            }
            tally.nodes += siblings.nodes();
            tally.estimated |= siblings.estimated;
            let value = siblings.best();
            if value > best {
                (best, best_block, first) = (value, *siblings, before);
            }
            before += siblings.len();
            best < beta
        });
        // What captures said that were given up means nothing.
        tally.stopped |= position.rules().has_captures() && tally.stop.load(Ordering::Relaxed);
        if best > alpha && best < beta {
            line.extend(position.legal_moves().nth(first + best_block.place_of(best)));
        }
        // Step 3. No move at all: the game is over and its value exact.
        if best == f64::NEG_INFINITY && !tally.stopped {
            return value_of_end(position);
        }
        best
    }
}

/// The value of a position without moves for the side to move.
pub(super) fn value_of_end<G: Game>(position: &G) -> f64 {
    position.outcome().map_or(-WIN, |outcome| outcome_value(outcome, position.turn()))
}

/// The blocks of children of one position, as a task of the CPU path that the whole search runs in.
struct Blocks<'a, 'b, G: Game, C: Cpu> {
    horizon: &'a mut Horizon<'b, G, C>,
    position: &'a G,
    /// Its moves, if they are at hand; none was made yet.
    expansion: Option<&'a mut G::Expansion>,
    path: Key,
    quiescence: bool,
    visit: &'a mut dyn FnMut(&Valued) -> bool,
}

impl<G: Game, C: Cpu> Task for Blocks<'_, '_, G, C> {
    type Output = ();
    #[inline(always)]
    fn run<D: Cpu>(self, _: D) {
        let Self { horizon, position, expansion, path, quiescence, visit } = self;
        let mut own;
        let expansion = if let Some(expansion) = expansion {
            expansion
        } else {
            own = position.expand(horizon.cpu);
            &mut own
        };
        horizon.blocks_with(position, expansion, path, quiescence, visit);
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
