//! Putting expressions together: equal parts shared, arithmetic on constants done, or neither.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

use super::{Expression, ExpressionError, MAX_NODES, Node, NodeId, Tables, Type};
use crate::patterns::Pattern;

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

    /// Add a list of weight tables, or find the equal one; where parameters are kept, one list a weighted sum or pattern.
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

    /// Add a pattern, or find the equal one.
    pub fn pattern(&mut self, pattern: Pattern) -> u32 {
        let patterns = &mut self.expression.patterns;
        let index = patterns.iter().position(|known| **known == pattern).unwrap_or(patterns.len());
        if index == patterns.len() {
            patterns.push(Arc::new(pattern));
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
