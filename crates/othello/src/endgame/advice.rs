//! What an evaluator says about the order of moves, beside what the board after them says by itself.
//!
//! Nothing is known of an evaluator's unit, so its values count by how far they usually lie apart at one position. It can make a
//! solve faster or slower, and changes no answer.

use super::Endgame;
use super::ordering::{ANSWER, Child, MOST_RANK};
use crate::Othello;
use evoply_core::bitboard::{Bitboard, Board};
use evoply_core::choice::Ties;
use evoply_core::cpu::Cpu;
use evoply_core::evaluator::{Evaluator, LARGEST_VALUE};
use evoply_core::rules::{Color, Game};
use evoply_core::search::{LookAhead, Memory, SearchOptions, every_move};
use evoply_core::stream::Key;

/// Plies that are looked ahead for an order.
const PLIES: u32 = 2;
/// How many answers fewer a move may leave for being better by as much as moves usually differ.
const WEIGHT: f64 = 3.0;

/// An evaluator's order of moves, for the positions of one solve.
#[derive(Debug)]
pub(super) struct Advice<'a, G: Game> {
    ahead: LookAhead<G>,
    /// The position to be solved.
    root: G,
    question: &'a Endgame<'a>,
    /// Points of rank for one of the evaluator's units.
    scale: f64,
}

impl<'a, B: Board> Advice<'a, Othello<B>> {
    /// For a position to be solved; `None` if it is too near its end, or the evaluator has no order to give.
    pub fn new<C: Cpu>(
        cpu: C,
        evaluator: &Evaluator<Othello<B>>,
        root: &Othello<B>,
        question: &'a Endgame<'a>,
    ) -> Option<Self> {
        if (!(root.own() | root.opponent())).len() < question.ask_from {
            return None;
        }
        let ahead = LookAhead::new(evaluator.clone(), None, SearchOptions::to_depth(PLIES)).ok()?;
        let mut advice = Self { ahead, root: *root, question, scale: 0.0 };
        // How far values lie apart: at the position and after each of its moves.
        let mut memory = advice.memory();
        let positions = root.legal_moves().map(|chosen| root.play_unchecked(chosen));
        let (mut apart, mut count) = (0.0, 0_u32);
        for position in positions.chain([*root]).filter(|position| !position.is_over()) {
            let (mut values, _) = advice.values(cpu, &position, &mut memory)?;
            // Games that are over say nothing of the evaluator's unit.
            values.retain(|value| value.abs() <= LARGEST_VALUE);
            let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
            apart += values.iter().map(|value| (value - mean).abs()).sum::<f64>();
            count += values.len() as u32;
        }
        advice.scale = WEIGHT * f64::from(ANSWER) * f64::from(count) / apart;
        advice.scale.is_finite().then_some(advice)
    }

    /// What one thread needs to ask.
    pub fn memory(&self) -> Memory<Othello<B>> {
        let mut memory = Memory::default();
        self.ahead.evaluator().load(&mut memory.registers);
        memory
    }

    /// The value of every legal move, in their order, and the nodes that it took.
    pub fn values<C: Cpu>(
        &self,
        cpu: C,
        position: &Othello<B>,
        memory: &mut Memory<Othello<B>>,
    ) -> Option<(Vec<f64>, u64)> {
        let search = self.ahead.search(position, Key(0), Key(0), Ties::First, self.question.stop);
        every_move::search(cpu, &search, PLIES, position, memory)
    }

    /// Rank the moves of a position, all of them in their order, by what the evaluator says too; the nodes that it took.
    pub fn rank<C: Cpu>(
        &self,
        cpu: C,
        (own, opponent): (Bitboard<B>, Bitboard<B>),
        children: &mut [Child<B>],
        memory: &mut Memory<Othello<B>>,
    ) -> u64 {
        // Whose turn it is, unless somebody passed: an order need not be sure of it.
        let placed = (!(self.root.own() | self.root.opponent())).len() - (!(own | opponent)).len();
        let turn = if placed.is_multiple_of(2) { self.root.turn() } else { self.root.turn().opposite() };
        let (black, white) = if turn == Color::Black { (own, opponent) } else { (opponent, own) };
        let Some(position) = Othello::new(black, white, turn, self.root.ply().wrapping_add(placed)) else { return 0 };
        let Some((values, nodes)) = self.values(cpu, &position, memory) else { return 0 };
        for (child, value) in children.iter_mut().zip(values) {
            let points = (value * self.scale).clamp(f64::from(-MOST_RANK), f64::from(MOST_RANK));
            child.add(points as i32);
        }
        nodes
    }
}
