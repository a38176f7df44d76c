//! What values boards: a program, the side that it speaks for, and how its values count for the side that chooses.

use std::sync::Arc;

use crate::bitboard::Bitboard;
use crate::cpu::{Cpu, Task};
use crate::expression::evaluation::{Block, Registers};
use crate::expression::program::Program;
use crate::lanes::{LANES, Lanes};
use crate::patterns::incremental::Carried;
use crate::rules::{Children, Color, Game};

/// For whom an evaluator speaks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum View {
    /// `own` is the side to move at the evaluated position.
    Turn,
    /// `own` is the player who is choosing, whoever is to move.
    Player,
}

/// What leaves an evaluator is kept within plus and minus this, far below the value of a won game.
pub const LARGEST_VALUE: f64 = 1e12;

/// A program and the side it speaks for.
#[derive(Clone, Debug)]
pub struct Evaluator<G: Game> {
    /// The rules of the games whose boards it values.
    pub rules: G::Rules,
    /// The program; its first output is the value, unless the options of a search say otherwise.
    pub program: Arc<Program<G::Board>>,
    /// For whom it speaks.
    pub view: View,
}

impl<G: Game> Evaluator<G> {
    /// Make registers ready for its program.
    pub fn load(&self, registers: &mut Registers<G::Board>) {
        registers.load::<G>(self.rules, &self.program);
    }

    /// Refuse a program that has not as many outputs as will be read.
    pub(crate) fn check_outputs(&self, wanted: usize) -> Result<(), String> {
        match self.program.outputs() {
            outputs if outputs == wanted => Ok(()),
            outputs => Err(format!("an evaluator with {outputs} outputs: {wanted} are read here")),
        }
    }
}

/// A value as it leaves a program: kept in bounds, and NaN the worst for the player who is choosing.
#[inline(always)]
pub fn bounded(value: f64, worst: f64) -> f64 {
    if value.is_nan() { worst } else { value.clamp(-LARGEST_VALUE, LARGEST_VALUE) }
}

/// The side an evaluator speaks for at a position after a move of `mover`, when `chooser` is choosing.
#[inline(always)]
pub fn speaks_for(view: View, mover: Color, chooser: Color) -> Color {
    match view {
        View::Turn => mover.opposite(),
        View::Player => chooser,
    }
}

/// What an evaluator reads at positions after moves from `parent`, chosen at a position with `root_ply` and `root_clock`.
#[inline(always)]
pub fn block_of<G: Game>(
    parent: &G,
    children: &Children<G>,
    speaker: Color,
    root_ply: f64,
    root_clock: f64,
) -> Block<G::Board> {
    let (own, opponent) =
        if speaker == parent.turn() { (children.moved, children.to_move) } else { (children.to_move, children.moved) };
    Block {
        own,
        opponent,
        kings: if G::HAS_KINGS { children.kings } else { None },
        moved_to: children.moved_to,
        own_is_black: speaker == Color::Black,
        ply: f64::from(parent.ply().wrapping_add(1)),
        quiet_plies: f64::from(parent.quiet_plies().wrapping_add(1)),
        quiet: if G::HAS_KINGS { children.quiet } else { 0 },
        root_clock,
        root_ply,
    }
}

/// How a value that leaves a program counts for the side that has to choose at some position.
#[derive(Clone, Copy, Debug)]
pub struct Worth {
    /// -1 if the program speaks for the other side.
    sign: f64,
    worst: f64,
}

impl Worth {
    /// For `side`, of what speaks for `speaker` while `chooser` is choosing.
    #[inline(always)]
    pub fn to(side: Color, speaker: Color, chooser: Color) -> Self {
        let worst = if speaker == chooser { -LARGEST_VALUE } else { LARGEST_VALUE };
        Self { sign: if speaker == side { 1.0 } else { -1.0 }, worst }
    }

    /// The values, kept in bounds; NaN is the worst for the player who is choosing, whoever moves.
    #[inline(always)]
    pub fn of_lanes(self, values: Lanes<f64>) -> Lanes<f64> {
        // One step at a time, each for all lanes.
        values
            .map(|value| if value > LARGEST_VALUE { LARGEST_VALUE } else { value })
            .map(|value| if value < -LARGEST_VALUE { -LARGEST_VALUE } else { value })
            .map(|value| if value.is_nan() { self.worst } else { value })
            .map(|value| value * self.sign)
    }
}

/// Make the indices of patterns ready for a block of children, if the program that is loaded has any.
#[inline(always)]
pub fn follow<G: Game>(
    cpu: impl Cpu,
    carried: &mut Carried<G::Board>,
    parent: &G,
    speaker: Color,
    children: &Children<G>,
) {
    if carried.is_used() {
        cpu.call(Follow { carried, parent, speaker, children });
    }
}

/// What [`follow`] does, out of line.
struct Follow<'a, G: Game> {
    carried: &'a mut Carried<G::Board>,
    parent: &'a G,
    speaker: Color,
    children: &'a Children<G>,
}

impl<G: Game> Task for Follow<'_, G> {
    type Output = ();
    #[inline(always)]
    fn run<C: Cpu>(self, cpu: C) {
        let Self { carried, parent, speaker, children } = self;
        let is_mover = speaker == parent.turn();
        let kings = G::HAS_KINGS.then(|| parent.kings().0);
        let before = (parent.pieces(speaker).0, parent.pieces(speaker.opposite()).0, kings);
        let after = |lane: usize| {
            let (moved, to_move) = (children.moved.0[lane], children.to_move.0[lane]);
            let (own, opponent) = if is_mover { (moved, to_move) } else { (to_move, moved) };
            let kings = children.kings.as_ref().map_or(Bitboard::<G::Board>::EMPTY.0, |kings| kings.0[lane]);
            (own, opponent, G::HAS_KINGS.then_some(kings))
        };
        carried.follow(cpu, speaker == Color::Black, before, after, children.len);
    }
}

/// The choice that values belong to: an evaluator may ask whose it is, and where it began.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Beginning {
    /// Who is choosing.
    pub chooser: Color,
    /// Plies played before it.
    pub ply: f64,
    /// The clock there.
    pub clock: f64,
}

impl Beginning {
    /// A choice at a position.
    #[inline(always)]
    pub fn at<G: Game>(position: &G) -> Self {
        Self { chooser: position.turn(), ply: f64::from(position.ply()), clock: position.clock_here() }
    }
}

/// Value the board after every move, which is chosen here.
#[inline(always)]
pub(crate) fn after_state<G: Game>(
    cpu: impl Cpu,
    position: &G,
    expansion: &mut G::Expansion,
    evaluator: &Evaluator<G>,
    registers: &mut Registers<G::Board>,
    values: &mut Vec<f64>,
) {
    after_moves(cpu, position, expansion, Beginning::at(position), evaluator, registers, values);
}

/// Value the board after every move for the side to move, of a choice that began here or before.
#[inline(always)]
pub(crate) fn after_moves<G: Game>(
    cpu: impl Cpu,
    position: &G,
    expansion: &mut G::Expansion,
    beginning: Beginning,
    evaluator: &Evaluator<G>,
    registers: &mut Registers<G::Board>,
    values: &mut Vec<f64>,
) {
    let mover = position.turn();
    let Beginning { chooser, ply, clock } = beginning;
    let speaker = speaks_for(evaluator.view, mover, chooser);
    let worth = Worth::to(mover, speaker, chooser);
    values.clear();
    loop {
        let children = position.next_children(cpu, expansion);
        if children.len == 0 {
            return;
        }
        let block = block_of(position, &children, speaker, ply, clock);
        let mut outputs = [Lanes::splat(0.0)];
        follow(cpu, &mut registers.carried, position, speaker, &children);
        registers.evaluate::<G>(cpu, position.rules(), &evaluator.program, &block, &mut outputs);
        let block_values = worth.of_lanes(outputs[0]);
        values.extend_from_slice(&block_values.0[..children.len]);
        if children.len < LANES {
            return;
        }
    }
}
