//! The last ply: the positions after every move of one position, valued a block of siblings at a time.
//!
//! The blocks belong to the algorithm: whoever asks may stop between blocks, so the number of nodes is the same on every
//! machine.

use super::leaves::Rule;
use super::{Search, outcome_value};
use crate::cpu::Cpu;
use crate::cpu::wide::Eight;
use crate::expression::Side;
use crate::expression::evaluation::Registers;
use crate::lanes::{LANES, Lanes};
use crate::player::{Evaluator, Worth, block_of, speaks_for};
use crate::rules::{Color, Game};
use crate::stream::Key;

/// What values boards for one choice.
pub(super) struct Horizon<'a, G: Game, C: Cpu> {
    cpu: C,
    evaluator: &'a Evaluator<G>,
    rule: Rule,
    registers: &'a mut Registers<G::Board>,
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
    /// Whether a value is the evaluator's: not all of these games are over.
    pub estimated: bool,
}

impl Valued {
    /// No child.
    pub const NONE: Self = Self { values: BLANKS[0], len: 0, estimated: false };

    #[inline(always)]
    pub fn len(&self) -> usize {
        self.len
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
    /// For a choice at `root`.
    pub fn at(cpu: C, root: &G, search: &Search<'a, G>, registers: &'a mut Registers<G::Board>) -> Self {
        Self {
            cpu,
            evaluator: search.evaluator,
            rule: search.rule,
            registers,
            chooser: root.turn(),
            root_ply: f64::from(root.ply()),
            root_clock: G::clock(f64::from((root.own() | root.opponent()).len())),
        }
    }

    /// The CPU path of the search.
    #[inline(always)]
    pub fn cpu(&self) -> C {
        self.cpu
    }

    /// Show `visit` the children of `position`, a block of siblings at a time, until it has seen enough.
    ///
    /// `path` is the key of the path to `position`.
    #[inline(always)]
    pub fn blocks(&mut self, position: &G, path: Key, mut visit: impl FnMut(&Valued) -> bool) {
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
            self.registers.evaluate::<G>(self.cpu, &self.evaluator.program, &block, &mut outputs);
            let values = self.rule.values(&outputs, path, before);
            before += children.len;
            let values = worth.of_lanes(values).zip(BLANKS[children.len], |value, blank| value + blank);
            let mut valued = Valued { values, len: children.len, estimated: true };
            // Step 3. Finished games count exactly. They are among those in which the side to move has nowhere to go.
            let stuck = match self.registers.counted_moves(&self.evaluator.program, to_move) {
                Some(counts) => !self.cpu.words(&counts.map(f64::to_bits)).not_zero(),
                None => G::stuck_lanes(self.cpu, children.seen(mover)),
            };
            let stuck = stuck & (u8::MAX >> (LANES - children.len));
            if stuck != 0 {
                valued.estimated = false;
                for lane in 0..children.len {
                    let may_be_over = stuck >> lane & 1 == 1;
                    match if may_be_over { position.child(&children, lane).outcome() } else { None } {
                        Some(outcome) => valued.values.0[lane] = outcome_value(outcome, mover),
                        None => valued.estimated = true,
                    }
                }
            }
            if !visit(&valued) || children.len < LANES {
                return;
            }
        }
    }
}
