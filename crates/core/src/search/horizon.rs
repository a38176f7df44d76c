//! The last ply: the positions after every move of one position, valued a block of siblings at a time.
//!
//! The blocks belong to the algorithm: whoever asks may stop between blocks, so the number of nodes is the same on every
//! machine.

use super::outcome_value;
use crate::bitboard::Word;
use crate::cpu::Cpu;
use crate::expression::evaluation::Registers;
use crate::lanes::{LANES, Lanes};
use crate::player::{Evaluator, LARGEST_VALUE, block_of, bounded, speaks_for};
use crate::rules::{Children, Color, Game};

/// What values boards for one choice.
pub(super) struct Horizon<'a, G: Game, C: Cpu> {
    cpu: C,
    evaluator: &'a Evaluator<G>,
    registers: &'a mut Registers<G::Board>,
    chooser: Color,
    root_ply: f64,
    root_clock: f64,
}

/// Up to eight children of one position and their values for the side that moved.
pub(super) struct Valued<G: Game> {
    children: Children<G>,
    values: [f64; LANES],
    /// Whether a value is the evaluator's: not all of these games are over.
    pub estimated: bool,
}

impl<G: Game> Valued<G> {
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.children.len
    }

    /// Every move with its value.
    #[inline(always)]
    pub fn iter(&self) -> impl Iterator<Item = (G::Move, f64)> {
        self.children.moves.into_iter().flatten().zip(self.values)
    }
}

impl<'a, G: Game, C: Cpu> Horizon<'a, G, C> {
    /// For a choice at `root`.
    pub fn at(cpu: C, root: &G, evaluator: &'a Evaluator<G>, registers: &'a mut Registers<G::Board>) -> Self {
        Self {
            cpu,
            evaluator,
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
    #[inline(always)]
    pub fn blocks(&mut self, position: &G, mut visit: impl FnMut(&Valued<G>) -> bool) {
        let mover = position.turn();
        let speaker = speaks_for(self.evaluator.view, mover, self.chooser);
        let worst = if speaker == self.chooser { -LARGEST_VALUE } else { LARGEST_VALUE };
        let mut moves = position.legal_moves();
        loop {
            // Step 1. Up to a block of children.
            let children = position.next_children(&mut moves);
            if children.len == 0 {
                return;
            }
            // Step 2. Evaluate them all at once.
            let block = block_of(position, &children, speaker, self.root_ply, self.root_clock);
            let mut outputs = [Lanes::splat(0.0)];
            self.registers.evaluate::<G>(self.cpu, &self.evaluator.program, &block, &mut outputs);
            // Step 3. Which of them may be finished games? Those in which the side to move has nowhere to go.
            let destinations = G::destinations_of_lanes(children.to_move, children.moved);
            // Step 4. Values for the side that moved.
            let mut valued = Valued { children, values: [0.0; LANES], estimated: false };
            for (lane, chosen) in children.moves.into_iter().flatten().enumerate() {
                let may_be_over = destinations.0[lane] == Word::ZERO;
                let finished = if may_be_over { position.play_unchecked(chosen).outcome() } else { None };
                valued.estimated |= finished.is_none();
                valued.values[lane] = match finished {
                    Some(outcome) => outcome_value(outcome, mover),
                    None if speaker == mover => bounded(outputs[0].0[lane], worst),
                    None => -bounded(outputs[0].0[lane], worst),
                };
            }
            if !visit(&valued) || children.len < LANES {
                return;
            }
        }
    }
}
