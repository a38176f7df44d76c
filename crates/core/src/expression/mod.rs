//! Board expressions: a small typed language from positions to numbers.
//!
//! An [`Expression`] is a list of nodes in which arguments come before their users, so it has no cycles and needs no
//! recursion. [`json`] reads the documented text form, [`primitives`] put trees together from named expressions,
//! `lowering` makes register code of them, a [`program`], [`evaluation`] runs that code on eight sibling positions at once, and [`mod@reference`] is
//! the short, slow interpreter that says what every operation means.

mod block;
mod branches;
mod builder;
pub mod evaluation;
pub mod json;
mod lowering;
mod order;
mod pattern_lookup;
pub mod primitives;
pub mod program;
pub mod reference;
mod sets;
mod sums;

use std::fmt;
use std::sync::Arc;

use crate::bitboard::Direction;
use crate::patterns::Pattern;

pub use builder::Builder;

/// What a node gives.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// A set of squares.
    Squares,
    /// An IEEE double.
    Number,
    /// True or false.
    Truth,
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Squares => "squares",
            Self::Number => "number",
            Self::Truth => "truth",
        })
    }
}

/// Whose pieces or moves: the side the expression speaks for, or the other one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Side {
    /// The side the expression speaks for.
    Own,
    /// The other side.
    Opponent,
}

/// What a division by zero gives.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum WhenZero {
    /// 1, as Koza does.
    One,
    /// 0.
    Zero,
    /// The numerator.
    Numerator,
    /// What IEEE 754 says: an infinity or NaN.
    Ieee,
}

/// A node's place in its expression.
pub type NodeId = u32;

/// One operation. Numbers are kept as bits so that nodes can be compared and hashed: -0.0 and 0.0 differ.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)] // The JSON form in the documentation describes every operation.
pub enum Node {
    // Squares.
    Pieces(Side),
    Men(Side),
    Kings(Side),
    EmptySquares,
    MovedTo,
    /// Known only inside rules.
    MovedFrom,
    ConstantSquares {
        squares: u128,
        turned: bool,
    },
    Intersection(NodeId, NodeId),
    Union(NodeId, NodeId),
    Difference(NodeId, NodeId),
    Complement(NodeId),
    /// The lowest square of a set.
    First(NodeId),
    Shift(NodeId, Direction),
    /// Start, through, and one bit for each direction of [`Direction::ALL`].
    Fill(NodeId, NodeId, u8),
    Symmetry(NodeId, u8),
    Destinations(Side),
    // Numbers.
    ConstantNumber(u64),
    PieceCount,
    Ply,
    QuietPlies,
    Clock,
    RootClock,
    RootPly,
    Count(NodeId),
    NumberOfMoves(Side),
    /// Set, index of a list of tables, and the number that selects one of them.
    WeightedSum(NodeId, u32, Option<NodeId>),
    /// Up to four sets, the number of a pattern, and that of its list of tables.
    Pattern([Option<NodeId>; 4], u32, u32),
    Add(NodeId, NodeId),
    Subtract(NodeId, NodeId),
    Multiply(NodeId, NodeId),
    Divide(NodeId, NodeId, WhenZero),
    Minimum(NodeId, NodeId),
    Maximum(NodeId, NodeId),
    // Truths.
    IsBlack,
    ConstantTruth(bool),
    IsOdd(NodeId),
    IsEmpty(NodeId),
    Contains(NodeId, u8),
    Less(NodeId, NodeId),
    LessEqual(NodeId, NodeId),
    Equal(NodeId, NodeId),
    Both(NodeId, NodeId),
    Either(NodeId, NodeId),
    Negation(NodeId),
    // Any type.
    Select(NodeId, NodeId, NodeId),
    /// An argument of a primitive; never in an expression that is evaluated.
    Argument(u8, Type),
}

impl Node {
    /// The nodes this one reads, in order, and the types it needs them to have. `Select` takes any type twice: `None`.
    pub fn arguments(self) -> impl Iterator<Item = (NodeId, Option<Type>)> {
        use Type::{Number, Squares, Truth};
        let list = match self {
            Self::Intersection(a, b) | Self::Union(a, b) | Self::Difference(a, b) | Self::Fill(a, b, _) => {
                [Some((a, Some(Squares))), Some((b, Some(Squares))), None, None]
            }
            Self::Complement(a)
            | Self::First(a)
            | Self::Shift(a, _)
            | Self::Symmetry(a, _)
            | Self::Count(a)
            | Self::IsOdd(a)
            | Self::IsEmpty(a)
            | Self::Contains(a, _)
            | Self::WeightedSum(a, _, None) => [Some((a, Some(Squares))), None, None, None],
            Self::WeightedSum(a, _, Some(b)) => [Some((a, Some(Squares))), Some((b, Some(Number))), None, None],
            Self::Add(a, b)
            | Self::Subtract(a, b)
            | Self::Multiply(a, b)
            | Self::Divide(a, b, _)
            | Self::Minimum(a, b)
            | Self::Maximum(a, b)
            | Self::Less(a, b)
            | Self::LessEqual(a, b)
            | Self::Equal(a, b) => [Some((a, Some(Number))), Some((b, Some(Number))), None, None],
            Self::Both(a, b) | Self::Either(a, b) => [Some((a, Some(Truth))), Some((b, Some(Truth))), None, None],
            Self::Negation(a) => [Some((a, Some(Truth))), None, None, None],
            Self::Select(a, b, c) => [Some((a, Some(Truth))), Some((b, None)), Some((c, None)), None],
            Self::Pattern(sets, ..) => sets.map(|set| set.map(|set| (set, Some(Squares)))),
            _ => [None; 4],
        };
        list.into_iter().flatten()
    }

    /// The same operation on other nodes: `rename` is called for every argument, in order.
    #[must_use]
    pub fn renamed(self, mut rename: impl FnMut(NodeId) -> NodeId) -> Self {
        match self {
            Self::Intersection(a, b) => Self::Intersection(rename(a), rename(b)),
            Self::Union(a, b) => Self::Union(rename(a), rename(b)),
            Self::Difference(a, b) => Self::Difference(rename(a), rename(b)),
            Self::Complement(a) => Self::Complement(rename(a)),
            Self::First(a) => Self::First(rename(a)),
            Self::Shift(a, direction) => Self::Shift(rename(a), direction),
            Self::Fill(a, b, directions) => Self::Fill(rename(a), rename(b), directions),
            Self::Symmetry(a, index) => Self::Symmetry(rename(a), index),
            Self::Count(a) => Self::Count(rename(a)),
            Self::WeightedSum(a, tables, selector) => Self::WeightedSum(rename(a), tables, selector.map(&mut rename)),
            Self::Pattern(sets, pattern, tables) => {
                Self::Pattern(sets.map(|set| set.map(&mut rename)), pattern, tables)
            }
            Self::Add(a, b) => Self::Add(rename(a), rename(b)),
            Self::Subtract(a, b) => Self::Subtract(rename(a), rename(b)),
            Self::Multiply(a, b) => Self::Multiply(rename(a), rename(b)),
            Self::Divide(a, b, when_zero) => Self::Divide(rename(a), rename(b), when_zero),
            Self::Minimum(a, b) => Self::Minimum(rename(a), rename(b)),
            Self::Maximum(a, b) => Self::Maximum(rename(a), rename(b)),
            Self::IsOdd(a) => Self::IsOdd(rename(a)),
            Self::IsEmpty(a) => Self::IsEmpty(rename(a)),
            Self::Contains(a, square) => Self::Contains(rename(a), square),
            Self::Less(a, b) => Self::Less(rename(a), rename(b)),
            Self::LessEqual(a, b) => Self::LessEqual(rename(a), rename(b)),
            Self::Equal(a, b) => Self::Equal(rename(a), rename(b)),
            Self::Both(a, b) => Self::Both(rename(a), rename(b)),
            Self::Either(a, b) => Self::Either(rename(a), rename(b)),
            Self::Negation(a) => Self::Negation(rename(a)),
            Self::Select(a, b, c) => Self::Select(rename(a), rename(b), rename(c)),
            leaf => leaf,
        }
    }

    /// What the node gives, knowing what earlier nodes give.
    fn type_given(self, types: &[Type]) -> Type {
        match self {
            Self::Pieces(_)
            | Self::Men(_)
            | Self::Kings(_)
            | Self::EmptySquares
            | Self::MovedTo
            | Self::MovedFrom
            | Self::ConstantSquares { .. }
            | Self::Intersection(..)
            | Self::Union(..)
            | Self::Difference(..)
            | Self::Complement(_)
            | Self::First(_)
            | Self::Shift(..)
            | Self::Fill(..)
            | Self::Symmetry(..)
            | Self::Destinations(_) => Type::Squares,
            Self::IsBlack
            | Self::ConstantTruth(_)
            | Self::IsOdd(_)
            | Self::IsEmpty(_)
            | Self::Contains(..)
            | Self::Less(..)
            | Self::LessEqual(..)
            | Self::Equal(..)
            | Self::Both(..)
            | Self::Either(..)
            | Self::Negation(_) => Type::Truth,
            Self::Select(_, chosen, _) => types[chosen as usize],
            Self::Argument(_, given) => given,
            _ => Type::Number,
        }
    }
}

/// Why something is not an expression. Made to be read by the person who wrote it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExpressionError(pub String);

impl fmt::Display for ExpressionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ExpressionError {}

/// Weight tables: of a weighted sum one or more, each with a weight for every square, row by row from a1; of a pattern one for
/// every stage.
pub type Tables = Arc<[Box<[f64]>]>;

/// The most nodes an expression may have, as read and as put together from a tree.
pub const MAX_NODES: usize = 4096;

/// A checked expression with one or more outputs.
#[derive(Clone, Debug, Default)]
pub struct Expression {
    nodes: Vec<Node>,
    types: Vec<Type>,
    outputs: Vec<NodeId>,
    tables: Vec<Tables>,
    patterns: Vec<Arc<Pattern>>,
    /// Whether every number that was written is there by itself, to be replaced by another.
    keeps_parameters: bool,
}

impl Expression {
    /// Nodes, arguments before their users.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// What the node gives.
    pub fn type_of(&self, node: NodeId) -> Type {
        self.types[node as usize]
    }

    /// The nodes that are results.
    pub fn outputs(&self) -> &[NodeId] {
        &self.outputs
    }

    /// The expression of one of its outputs alone.
    ///
    /// # Panics
    /// There is no such output.
    #[must_use]
    pub fn output(&self, number: usize) -> Self {
        Self { outputs: vec![self.outputs[number]], ..self.clone() }
    }

    /// The parameters, of an expression that keeps them ([`Builder::keeping_parameters`]): every constant number and all weights of
    /// every weighted sum and pattern, table by table and entry by entry, in the order in which their nodes were written.
    pub fn parameters(&self) -> Option<Vec<f64>> {
        if !self.keeps_parameters {
            return None;
        }
        let mut parameters = Vec::new();
        for &node in &self.nodes {
            match node {
                Node::ConstantNumber(bits) => parameters.push(f64::from_bits(bits)),
                Node::WeightedSum(_, list, _) | Node::Pattern(_, _, list) => {
                    parameters.extend(self.tables[list as usize].iter().flatten());
                }
                _ => {}
            }
        }
        Some(parameters)
    }

    /// The same expression with other parameters, in the order of [`Self::parameters`].
    ///
    /// # Errors
    /// It does not keep its parameters, or they are not as many, or one is not a finite number.
    pub fn with_parameters(&self, parameters: &[f64]) -> Result<Self, ExpressionError> {
        let Some(present) = self.parameters() else {
            return Err(ExpressionError("no parameters were kept when this expression was read".into()));
        };
        if parameters.len() != present.len() {
            return Err(ExpressionError(format!("{} values for {} parameters", parameters.len(), present.len())));
        }
        if let Some(place) = parameters.iter().position(|value| !value.is_finite()) {
            return Err(ExpressionError(format!("parameter {place} is not a finite number: {}", parameters[place])));
        }
        let mut changed = self.clone();
        let mut values = parameters.iter().copied();
        for node in &mut changed.nodes {
            match node {
                Node::ConstantNumber(bits) => *bits = values.next().unwrap_or_default().to_bits(),
                Node::WeightedSum(_, list, _) | Node::Pattern(_, _, list) => {
                    // Every sum has a list of its own.
                    let tables = &mut changed.tables[*list as usize];
                    *tables = tables.iter().map(|table| values.by_ref().take(table.len()).collect()).collect();
                }
                _ => {}
            }
        }
        Ok(changed)
    }

    /// The patterns, as [`Node::Pattern`] numbers them.
    pub fn patterns(&self) -> &[Arc<Pattern>] {
        &self.patterns
    }

    /// The lists of weight tables, as [`Node::WeightedSum`] and [`Node::Pattern`] number them.
    pub fn tables(&self) -> &[Tables] {
        &self.tables
    }
}
