//! Register code: what expressions are lowered to, by `lowering`, and what [`super::evaluation`] runs.

use std::sync::Arc;

use super::branches::Branches;
use super::sums::Sums;
use super::{Expression, Node, NodeId, Side, Tables, WhenZero};
use crate::bitboard::Board;
use crate::geometry::Geometry;
use crate::patterns::incremental::Plan;
use crate::patterns::{MixedTables, Pattern};

/// Registers of one type that a program may use: their numbers are one byte, so reading one needs no check.
pub const REGISTERS: usize = 256;

/// A register.
pub type Register = u8;

/// The registers of sets that hold the inputs; the evaluator fills them before the first operation.
pub const INPUT_SETS: u8 = 5;

/// The register of the kings of both sides, empty where the game has none.
pub(super) const KINGS: Register = 4;

/// One operation: what it does, where the result goes (first), and where the arguments are.
#[derive(Clone, Copy, PartialEq, Debug)]
#[allow(missing_docs)] // As the nodes they come from.
pub enum Op<W> {
    ConstantSquares(Register, W),
    TurnedSquares(Register, W, W),
    Intersection(Register, Register, Register),
    Union(Register, Register, Register),
    Difference(Register, Register, Register),
    Complement(Register, Register),
    First(Register, Register),
    /// How far the squares that stay on their rows go: towards higher squares, towards lower ones.
    ShiftUp(Register, Register, u8, W),
    ShiftDown(Register, Register, u8, W),
    Fill(Register, Register, Register, u8),
    Symmetry(Register, Register, u8),
    Destinations(Register, Side),
    SelectSquares(Register, Register, Register, Register),
    ConstantNumber(Register, f64),
    PieceCount(Register),
    Ply(Register),
    QuietPlies(Register),
    Clock(Register),
    RootClock(Register),
    RootPly(Register),
    Count(Register, Register),
    /// `count(a & b)`, the commonest feature, in one step.
    CountIntersection(Register, Register, Register),
    NumberOfMoves(Register, Side),
    WeightedSum(Register, Register, u32, Option<Register>),
    /// The sum of some of the patterns that the program reads, from one on so many, from left to right.
    Patterns(Register, u16, u16),
    Add(Register, Register, Register),
    Subtract(Register, Register, Register),
    Multiply(Register, Register, Register),
    Divide(Register, Register, Register, WhenZero),
    // The same with the result of the operation before in place of one argument.
    AddNewest(Register, Register),
    /// The sum of a number (or the result of the operation before) and `count(a)` or `count(a & b)`, in one step.
    AddCount(Register, Register, Register),
    AddCountToNewest(Register, Register),
    AddCountIntersection(Register, Register, Register, Register),
    AddCountIntersectionToNewest(Register, Register, Register),
    SubtractFromNewest(Register, Register),
    SubtractNewest(Register, Register),
    MultiplyNewest(Register, Register),
    DivideNewest(Register, Register),
    DivideByNewest(Register, Register),
    Minimum(Register, Register, Register),
    Maximum(Register, Register, Register),
    SelectNumber(Register, Register, Register, Register),
    IsBlack(Register),
    ConstantTruth(Register, bool),
    IsOdd(Register, Register),
    IsEmpty(Register, Register),
    Contains(Register, Register, u8),
    Less(Register, Register, Register),
    LessEqual(Register, Register, Register),
    Equal(Register, Register, Register),
    Both(Register, Register, Register),
    Either(Register, Register, Register),
    Negation(Register, Register),
    SelectTruth(Register, Register, Register, Register),
    /// Output number, register.
    OutputNumber(u16, Register),
    OutputTruth(u16, Register),
}

/// A pattern that a program reads.
#[derive(Clone, Debug)]
pub struct PatternRead {
    /// The pattern.
    pub pattern: Arc<Pattern>,
    /// The list of its tables.
    pub list: u32,
    /// The registers of its sets, as many as there are.
    pub(super) sets: [Register; 4],
    /// Where its indices begin among those that are carried; `None` if its sets are not those of the pieces.
    pub carried: Option<u16>,
    /// The tables of a mixed pattern, by the number of pieces.
    pub(super) mixed: Option<MixedTables>,
}

/// Register code for one expression on one board.
#[derive(Clone, Debug)]
pub struct Program<B: Board> {
    /// What it is played on.
    pub(super) geometry: Geometry<B>,
    /// Done once, before the first evaluation: constants in registers of their own.
    pub(super) preamble: Vec<Op<B::Word>>,
    /// Done once a choice and side: what the choosing position decides, in registers of its own.
    pub(super) choice: Vec<Op<B::Word>>,
    /// Done for every block of positions.
    pub(super) body: Vec<Op<B::Word>>,
    pub(super) tables: Vec<Tables>,
    /// The same for weighted sums: eight sets at once.
    pub(super) sums: Vec<Sums<B>>,
    pub(super) patterns: Vec<PatternRead>,
    /// How the indices of patterns change with the board.
    pub(super) plan: Option<Arc<Plan<B>>>,
    /// Where the constant numbers of the expression are, by node.
    pub(super) constants: Vec<(NodeId, Place)>,
    pub(super) outputs: usize,
    pub(super) reads_ply: bool,
    pub(super) reads_quiet_plies: bool,
    pub(super) reads_root: bool,
    /// Whether the body counts moves of own and of the opponent.
    pub(super) counts_moves: [bool; 2],
    /// What takes its place, where the choosing position decides between several.
    pub(super) branches: Option<Box<Branches<Self>>>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    Preamble(usize),
    Body(usize),
}

impl<B: Board> Program<B> {
    /// Whether a value depends on the ply of the evaluated position.
    #[inline(always)]
    pub fn reads_ply(&self) -> bool {
        self.reads_ply
    }

    /// Whether a value depends on the quiet plies before the evaluated position.
    #[inline(always)]
    pub fn reads_quiet_plies(&self) -> bool {
        self.reads_quiet_plies
    }

    /// Whether a value depends on the position where a move is being chosen: on its ply or its clock.
    pub fn reads_root(&self) -> bool {
        self.reads_root
    }

    /// Whether there is something to be done once a choice.
    #[inline(always)]
    pub(super) fn follows_choice(&self) -> bool {
        self.branches.is_some() || !self.choice.is_empty()
    }

    /// Whether every evaluation counts the moves of a side.
    #[inline(always)]
    pub(super) fn counts_moves(&self, side: Side) -> bool {
        self.counts_moves[side as usize]
    }

    /// The patterns, in the order in which they are read.
    pub fn patterns(&self) -> &[PatternRead] {
        &self.patterns
    }

    /// What it is played on.
    pub fn geometry(&self) -> Geometry<B> {
        self.geometry
    }

    /// The lists of weight tables.
    pub fn tables(&self) -> &[Tables] {
        &self.tables
    }

    /// How the indices of its patterns change with the board, if it has any that do.
    pub fn plan(&self) -> Option<&Arc<Plan<B>>> {
        self.plan.as_ref()
    }

    /// Number of operations done for every evaluation, were no branch decided beforehand.
    ///
    /// What is done in one step but written as a count and a sum is two.
    pub fn operations(&self) -> usize {
        let both = |op: &Op<B::Word>| {
            matches!(
                op,
                Op::AddCount(..)
                    | Op::AddCountToNewest(..)
                    | Op::AddCountIntersection(..)
                    | Op::AddCountIntersectionToNewest(..)
            )
        };
        self.body.iter().map(|op| 1 + usize::from(both(op))).sum()
    }

    /// Number of results.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// The program of the same expression with other parameters, without lowering it again: only constants and weight tables
    /// differ. `expression` is what [`Expression::with_parameters`] made of the one that this program was lowered from.
    #[must_use]
    pub fn with_parameters_of(&self, expression: &Expression) -> Self {
        let mut changed = Self {
            tables: expression.tables().to_vec(),
            sums: Sums::all(expression.tables(), self.geometry.squares()),
            branches: self
                .branches
                .as_ref()
                .map(|branches| Box::new(branches.map(|program| program.with_parameters_of(expression)))),
            ..self.clone()
        };
        for read in &mut changed.patterns {
            read.mixed = read.mixed.as_ref().map(|_| MixedTables::new(self.geometry.squares()));
        }
        for &(id, place) in &self.constants {
            let op = match place {
                Place::Preamble(index) => &mut changed.preamble[index],
                Place::Body(index) => &mut changed.body[index],
            };
            if let (Op::ConstantNumber(_, value), Node::ConstantNumber(bits)) = (op, expression.nodes()[id as usize]) {
                *value = f64::from_bits(bits);
            }
        }
        changed
    }
}
