//! The documented text form of expressions: `{"format": 1, "nodes": [[op, arguments...], ...], "outputs": [...]}`.
//!
//! A node argument is the place of an earlier node in the list. Errors name the node.

use serde_json::Value;

use super::{Builder, Expression, ExpressionError, MAX_NODES, Node, NodeId, Side, Tables, Type, WhenZero};
use crate::bitboard::Direction;

/// The newest version of the form that this code reads.
pub const FORMAT: u64 = 1;

/// The longest text that is read.
pub const MAX_TEXT: usize = 4 << 20;

fn error<T>(message: impl Into<String>) -> Result<T, ExpressionError> {
    Err(ExpressionError(message.into()))
}

/// Read an expression for a board of `squares` squares into `builder`.
///
/// # Errors
/// Says which node is wrong and how.
pub fn parse(text: &str, squares: u32, mut builder: Builder) -> Result<Expression, ExpressionError> {
    if text.len() > MAX_TEXT {
        return error(format!("an expression of {} bytes is over the limit of {MAX_TEXT}", text.len()));
    }
    let value: Value = serde_json::from_str(text).map_err(|problem| ExpressionError(format!("not JSON: {problem}")))?;
    match value["format"].as_u64() {
        Some(FORMAT) => {}
        Some(newer) if newer > FORMAT => {
            return error(format!("format {newer} is newer than this version reads ({FORMAT})"));
        }
        _ => return error(format!("an expression says \"format\": {FORMAT}")),
    }
    let Some(nodes) = value["nodes"].as_array() else { return error("\"nodes\" is not a list") };
    if nodes.len() > MAX_NODES {
        return error(format!("{} nodes are over the limit of {MAX_NODES}", nodes.len()));
    }
    let mut ids = Vec::with_capacity(nodes.len());
    for (index, node) in nodes.iter().enumerate() {
        let id = Reader { builder: &mut builder, ids: &ids, squares, node }.read();
        ids.push(id.map_err(|ExpressionError(message)| ExpressionError(format!("node {index}: {message}")))?);
    }
    let Some(outputs) = value["outputs"].as_array() else { return error("\"outputs\" is not a list") };
    if outputs.is_empty() || outputs.len() > MAX_NODES {
        return error(format!("an expression has 1 to {MAX_NODES} outputs, not {}", outputs.len()));
    }
    let outputs = outputs.iter().map(|output| earlier(&ids, output)).collect::<Result<Vec<_>, _>>()?;
    Ok(builder.finish(outputs))
}

fn earlier(ids: &[NodeId], value: &Value) -> Result<NodeId, ExpressionError> {
    value
        .as_u64()
        .and_then(|index| ids.get(usize::try_from(index).ok()?).copied())
        .ok_or_else(|| ExpressionError(format!("{value} is not the number of an earlier node")))
}

/// JSON has no infinities and no NaN: they are the texts "inf", "-inf", "nan".
fn number(value: &Value) -> Result<f64, ExpressionError> {
    match value.as_str() {
        Some("inf") => Ok(f64::INFINITY),
        Some("-inf") => Ok(f64::NEG_INFINITY),
        Some("nan") => Ok(f64::NAN),
        _ => value.as_f64().ok_or_else(|| ExpressionError(format!("{value} is not a number"))),
    }
}

fn direction(value: &Value) -> Result<Direction, ExpressionError> {
    value
        .as_str()
        .and_then(Direction::from_name)
        .ok_or_else(|| ExpressionError(format!("{value} is not a direction: n, ne, e, se, s, sw, w, nw")))
}

/// Reads one node.
struct Reader<'a> {
    builder: &'a mut Builder,
    ids: &'a [NodeId],
    squares: u32,
    node: &'a Value,
}

impl Reader<'_> {
    fn read(&mut self) -> Result<NodeId, ExpressionError> {
        let Some(list) = self.node.as_array().filter(|list| !list.is_empty()) else {
            return error("a node is a list that begins with the name of an operation");
        };
        let Some(name) = list[0].as_str() else { return error(format!("{} is not the name of an operation", list[0])) };
        let (node, length) = self.operation(name)?;
        if list.len() != length + 1 {
            return error(format!("{name} takes {length} arguments, not {}", list.len() - 1));
        }
        self.builder.node(node)
    }

    /// The operation and the number of its arguments.
    fn operation(&mut self, name: &str) -> Result<(Node, usize), ExpressionError> {
        Ok(match name {
            "own" => (Node::Pieces(Side::Own), 0),
            "opponent" => (Node::Pieces(Side::Opponent), 0),
            "own_men" => (Node::Men(Side::Own), 0),
            "opponent_men" => (Node::Men(Side::Opponent), 0),
            "own_kings" => (Node::Kings(Side::Own), 0),
            "opponent_kings" => (Node::Kings(Side::Opponent), 0),
            "empty" => (Node::EmptySquares, 0),
            "moved_to" => (Node::MovedTo, 0),
            "squares" => (Node::ConstantSquares { squares: self.square_list(1)?, turned: false }, 1),
            "squares_turned" => (Node::ConstantSquares { squares: self.square_list(1)?, turned: true }, 1),
            "and" => (Node::Intersection(self.id(1)?, self.id(2)?), 2),
            "or" => (Node::Union(self.id(1)?, self.id(2)?), 2),
            "minus" => (Node::Difference(self.id(1)?, self.id(2)?), 2),
            "not" => (Node::Complement(self.id(1)?), 1),
            "shift" => (Node::Shift(self.id(1)?, direction(&self.node[2])?), 2),
            "fill" => (Node::Fill(self.id(1)?, self.id(2)?, self.directions(3)?), 3),
            "symmetry" => (Node::Symmetry(self.id(1)?, self.whole(2, 8)? as u8), 2),
            "destinations" => (Node::Destinations(self.side(1)?), 1),
            "number" => (Node::ConstantNumber(number(&self.node[1])?.to_bits()), 1),
            "pieces" => (Node::PieceCount, 0),
            "ply" => (Node::Ply, 0),
            "quiet_plies" => (Node::QuietPlies, 0),
            "t" => (Node::Clock, 0),
            "root_t" => (Node::RootClock, 0),
            "root_ply" => (Node::RootPly, 0),
            "count" => (Node::Count(self.id(1)?), 1),
            "number_of_moves" => (Node::NumberOfMoves(self.side(1)?), 1),
            "weighted_sum" => (self.weighted_sum()?, 3),
            "add" => (Node::Add(self.id(1)?, self.id(2)?), 2),
            "subtract" => (Node::Subtract(self.id(1)?, self.id(2)?), 2),
            "multiply" => (Node::Multiply(self.id(1)?, self.id(2)?), 2),
            "divide" => (Node::Divide(self.id(1)?, self.id(2)?, self.when_zero(3)?), 3),
            "minimum" => (Node::Minimum(self.id(1)?, self.id(2)?), 2),
            "maximum" => (Node::Maximum(self.id(1)?, self.id(2)?), 2),
            "is_black" => (Node::IsBlack, 0),
            "truth" => (Node::ConstantTruth(self.truth(1)?), 1),
            "is_odd" => (Node::IsOdd(self.id(1)?), 1),
            "is_empty" => (Node::IsEmpty(self.id(1)?), 1),
            "contains" => (Node::Contains(self.id(1)?, self.whole(2, self.squares.into())? as u8), 2),
            "less" => (Node::Less(self.id(1)?, self.id(2)?), 2),
            "less_equal" => (Node::LessEqual(self.id(1)?, self.id(2)?), 2),
            "equal" => (Node::Equal(self.id(1)?, self.id(2)?), 2),
            "both" => (Node::Both(self.id(1)?, self.id(2)?), 2),
            "either" => (Node::Either(self.id(1)?, self.id(2)?), 2),
            "negation" => (Node::Negation(self.id(1)?), 1),
            "select" => (Node::Select(self.id(1)?, self.id(2)?, self.id(3)?), 3),
            "argument" => (Node::Argument(self.whole(1, 16)? as u8, self.type_name(2)?), 2),
            _ => return error(format!("there is no operation {name:?}")),
        })
    }

    fn id(&self, at: usize) -> Result<NodeId, ExpressionError> {
        earlier(self.ids, &self.node[at])
    }

    fn whole(&self, at: usize, bound: u64) -> Result<u64, ExpressionError> {
        match self.node[at].as_u64() {
            Some(value) if value < bound => Ok(value),
            _ => error(format!("{} is not a whole number from 0 to {}", self.node[at], bound - 1)),
        }
    }

    fn truth(&self, at: usize) -> Result<bool, ExpressionError> {
        self.node[at].as_bool().ok_or_else(|| ExpressionError(format!("{} is not true or false", self.node[at])))
    }

    fn square_list(&self, at: usize) -> Result<u128, ExpressionError> {
        let Some(list) = self.node[at].as_array() else { return error("squares are a list of whole numbers") };
        list.iter().try_fold(0, |set, value| match value.as_u64() {
            Some(square) if square < self.squares.into() => Ok(set | 1 << square),
            _ => error(format!("{value} is not a square: squares are 0 to {}", self.squares - 1)),
        })
    }

    fn directions(&self, at: usize) -> Result<u8, ExpressionError> {
        let Some(list) = self.node[at].as_array() else { return error("directions are a list of names") };
        list.iter().try_fold(0, |bits, value| Ok(bits | 1 << direction(value)? as u8))
    }

    fn side(&self, at: usize) -> Result<Side, ExpressionError> {
        match self.node[at].as_str() {
            Some("own") => Ok(Side::Own),
            Some("opponent") => Ok(Side::Opponent),
            _ => error(format!("{} is not a side: \"own\" or \"opponent\"", self.node[at])),
        }
    }

    fn when_zero(&self, at: usize) -> Result<WhenZero, ExpressionError> {
        Ok(match self.node[at].as_str() {
            Some("one") => WhenZero::One,
            Some("zero") => WhenZero::Zero,
            Some("numerator") => WhenZero::Numerator,
            Some("ieee") => WhenZero::Ieee,
            _ => return error(format!("{} is not a division convention: one, zero, numerator, ieee", self.node[at])),
        })
    }

    fn type_name(&self, at: usize) -> Result<Type, ExpressionError> {
        match self.node[at].as_str() {
            Some("squares") => Ok(Type::Squares),
            Some("number") => Ok(Type::Number),
            Some("truth") => Ok(Type::Truth),
            _ => error(format!("{} is not a type: squares, number, truth", self.node[at])),
        }
    }

    fn weighted_sum(&mut self) -> Result<Node, ExpressionError> {
        let set = self.id(1)?;
        let Some(lists) = self.node[2].as_array().filter(|lists| !lists.is_empty() && lists.len() <= 256) else {
            return error("a weighted sum has a list of 1 to 256 tables");
        };
        let read_table = |table: &Value| -> Result<Box<[f64]>, ExpressionError> {
            match table.as_array() {
                Some(weights) if weights.len() == self.squares as usize => weights.iter().map(number).collect(),
                _ => error(format!("a table has one weight for each of the {} squares", self.squares)),
            }
        };
        let tables: Tables = lists.iter().map(read_table).collect::<Result<Vec<_>, _>>()?.into();
        let selector = if self.node[3].is_null() { None } else { Some(self.id(3)?) };
        Ok(Node::WeightedSum(set, self.builder.tables(tables), selector))
    }
}
