//! Board expressions: a small typed language from positions to numbers.
//!
//! An [`Expression`] is a list of nodes in which arguments come before their users, so it has no cycles and needs no
//! recursion. [`json`] reads the documented text form, [`primitives`] put trees together from named expressions,
//! [`program`] lowers to register code, [`evaluation`] runs that code on eight sibling positions at once, and [`mod@reference`] is
//! the short, slow interpreter that says what every operation means.

pub mod evaluation;
pub mod json;
pub mod primitives;
pub mod program;
pub mod reference;

use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

use crate::bitboard::Direction;

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
    ConstantSquares {
        squares: u128,
        turned: bool,
    },
    Intersection(NodeId, NodeId),
    Union(NodeId, NodeId),
    Difference(NodeId, NodeId),
    Complement(NodeId),
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
                [Some((a, Some(Squares))), Some((b, Some(Squares))), None]
            }
            Self::Complement(a)
            | Self::Shift(a, _)
            | Self::Symmetry(a, _)
            | Self::Count(a)
            | Self::IsOdd(a)
            | Self::IsEmpty(a)
            | Self::Contains(a, _)
            | Self::WeightedSum(a, _, None) => [Some((a, Some(Squares))), None, None],
            Self::WeightedSum(a, _, Some(b)) => [Some((a, Some(Squares))), Some((b, Some(Number))), None],
            Self::Add(a, b)
            | Self::Subtract(a, b)
            | Self::Multiply(a, b)
            | Self::Divide(a, b, _)
            | Self::Minimum(a, b)
            | Self::Maximum(a, b)
            | Self::Less(a, b)
            | Self::LessEqual(a, b)
            | Self::Equal(a, b) => [Some((a, Some(Number))), Some((b, Some(Number))), None],
            Self::Both(a, b) | Self::Either(a, b) => [Some((a, Some(Truth))), Some((b, Some(Truth))), None],
            Self::Negation(a) => [Some((a, Some(Truth))), None, None],
            Self::Select(a, b, c) => [Some((a, Some(Truth))), Some((b, None)), Some((c, None))],
            _ => [None; 3],
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
            Self::Shift(a, direction) => Self::Shift(rename(a), direction),
            Self::Fill(a, b, directions) => Self::Fill(rename(a), rename(b), directions),
            Self::Symmetry(a, index) => Self::Symmetry(rename(a), index),
            Self::Count(a) => Self::Count(rename(a)),
            Self::WeightedSum(a, tables, selector) => Self::WeightedSum(rename(a), tables, selector.map(&mut rename)),
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
            | Self::ConstantSquares { .. }
            | Self::Intersection(..)
            | Self::Union(..)
            | Self::Difference(..)
            | Self::Complement(_)
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

/// Weight tables of one weighted sum: one or more, each with a weight for every square, row by row from a1.
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
    /// every weighted sum, table by table and square by square, in the order in which their nodes were written.
    pub fn parameters(&self) -> Option<Vec<f64>> {
        if !self.keeps_parameters {
            return None;
        }
        let mut parameters = Vec::new();
        for &node in &self.nodes {
            match node {
                Node::ConstantNumber(bits) => parameters.push(f64::from_bits(bits)),
                Node::WeightedSum(_, list, _) => {
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
                Node::WeightedSum(_, list, _) => {
                    // Every sum has a list of its own.
                    let tables = &mut changed.tables[*list as usize];
                    *tables = tables.iter().map(|table| values.by_ref().take(table.len()).collect()).collect();
                }
                _ => {}
            }
        }
        Ok(changed)
    }

    /// The lists of weight tables, as [`Node::WeightedSum`] numbers them.
    pub fn tables(&self) -> &[Tables] {
        &self.tables
    }
}

/// What a builder does with the nodes it is given.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Care {
    /// Every distinct node once, and arithmetic on constants done.
    #[default]
    Short,
    /// The same, but no constant or weight table is shared, computed with or left out.
    Parameters,
    /// Every node as it is given.
    Literal,
}

/// Puts an expression together, every distinct node once and arithmetic on constants done.
#[derive(Default)]
pub struct Builder {
    expression: Expression,
    known: HashMap<Node, NodeId, BuildHasherDefault<QuickHasher>>,
    care: Care,
}

impl Builder {
    /// A builder that keeps every node just as it is given: what the reference interpreter reads.
    pub fn literal() -> Self {
        Self { care: Care::Literal, ..Self::default() }
    }

    /// A builder that shares equal nodes, but leaves every constant and weight table by itself, so that each can be replaced:
    /// [`Expression::with_parameters`].
    pub fn keeping_parameters() -> Self {
        let expression = Expression { keeps_parameters: true, ..Expression::default() };
        Self { expression, care: Care::Parameters, ..Self::default() }
    }

    /// Add a node, or find the equal one that is there.
    ///
    /// # Errors
    /// The expression is too large, or an argument has the wrong type.
    pub fn node(&mut self, node: Node) -> Result<NodeId, ExpressionError> {
        let node = if self.care == Care::Short { self.fold(node) } else { node };
        let stands_alone = match self.care {
            Care::Short => false,
            Care::Parameters => matches!(node, Node::ConstantNumber(_)),
            Care::Literal => true,
        };
        if let Some(&known) = self.known.get(&node)
            && !stands_alone
        {
            return Ok(known);
        }
        let types = &self.expression.types;
        for (argument, expected) in node.arguments() {
            let found = types[argument as usize];
            if expected.is_some_and(|expected| expected != found) {
                let expected = expected.map_or_else(String::new, |t| t.to_string());
                return Err(ExpressionError(format!("{node:?} needs {expected}, node {argument} gives {found}")));
            }
        }
        if let Node::Select(_, yes, no) = node
            && types[yes as usize] != types[no as usize]
        {
            return Err(ExpressionError(format!("{node:?} chooses between different types")));
        }
        if self.expression.nodes.len() == MAX_NODES {
            return Err(ExpressionError(format!("the expression needs more than {MAX_NODES} operations")));
        }
        let id = self.expression.nodes.len() as NodeId;
        self.expression.types.push(node.type_given(types));
        self.expression.nodes.push(node);
        self.known.insert(node, id);
        Ok(id)
    }

    /// Arithmetic on two constants is a constant: the same operation on the same bits.
    fn fold(&self, node: Node) -> Node {
        let constant = |id: NodeId| match self.expression.nodes[id as usize] {
            Node::ConstantNumber(bits) => Some(f64::from_bits(bits)),
            _ => None,
        };
        let both = |a, b| Some((constant(a)?, constant(b)?));
        let value = match node {
            Node::Add(a, b) => both(a, b).map(|(a, b)| a + b),
            Node::Subtract(a, b) => both(a, b).map(|(a, b)| a - b),
            Node::Multiply(a, b) => both(a, b).map(|(a, b)| a * b),
            _ => None,
        };
        value.map_or(node, |value| Node::ConstantNumber(value.to_bits()))
    }

    /// Add a list of weight tables, or find the equal one; where parameters are kept, one list a weighted sum.
    pub fn tables(&mut self, tables: Tables) -> u32 {
        let same = |known: &Tables| {
            Arc::ptr_eq(known, &tables)
                || (known.len() == tables.len()
                    && known.iter().flatten().map(|w| w.to_bits()).eq(tables.iter().flatten().map(|w| w.to_bits())))
        };
        let lists = &mut self.expression.tables;
        let known = if self.care == Care::Parameters { None } else { lists.iter().position(same) };
        let index = known.unwrap_or(lists.len());
        if index == lists.len() {
            lists.push(tables);
        }
        index as u32
    }

    /// What a node that was added gives.
    pub fn type_of(&self, node: NodeId) -> Type {
        self.expression.type_of(node)
    }

    /// The expression whose results are `outputs`.
    pub fn finish(mut self, outputs: Vec<NodeId>) -> Expression {
        self.expression.outputs = outputs;
        self.expression
    }
}

/// A quick hash for small keys of our own making (the multiply-and-rotate of rustc's `FxHasher`).
#[derive(Default)]
pub struct QuickHasher(u64);

impl Hasher for QuickHasher {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(byte.into());
        }
    }
    fn write_u8(&mut self, value: u8) {
        self.write_u64(value.into());
    }
    fn write_u32(&mut self, value: u32) {
        self.write_u64(value.into());
    }
    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0.rotate_left(5) ^ value).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
    fn write_u128(&mut self, value: u128) {
        self.write_u64(value as u64);
        self.write_u64((value >> 64) as u64);
    }
    fn write_isize(&mut self, value: isize) {
        self.write_u64(value as u64);
    }
    fn write_usize(&mut self, value: usize) {
        self.write_u64(value as u64);
    }
    fn finish(&self) -> u64 {
        // The table uses the low bits; the good ones are high.
        self.0.rotate_left(26)
    }
}
