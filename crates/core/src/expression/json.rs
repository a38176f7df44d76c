//! The documented text form of expressions: `{"format": 1, "nodes": [[op, arguments...], ...], "outputs": [...]}`.
//!
//! A node argument is the place of an earlier node in the list. Errors name the node.

use serde_json::Value;

use super::{Builder, Expression, ExpressionError, MAX_NODES, Node, NodeId, Side, Tables, Type, WhenZero};
use crate::bitboard::Direction;
use crate::patterns::Pattern;

/// The newest version of the form that this code reads.
pub const FORMAT: u64 = 1;

/// The longest text that is read.
pub const MAX_TEXT: usize = 96 << 20;

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

fn byte(value: &Value) -> Option<u8> {
    value.as_u64().and_then(|value| u8::try_from(value).ok())
}

fn direction(value: &Value) -> Result<Direction, ExpressionError> {
    value
        .as_str()
        .and_then(Direction::from_name)
        .ok_or_else(|| ExpressionError(format!("{value} is not a direction: n, ne, e, se, s, sw, w, nw")))
}

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
            "moved_from" => (Node::MovedFrom, 0),
            "squares" => (Node::ConstantSquares { squares: self.square_list(1)?, turned: false }, 1),
            "squares_turned" => (Node::ConstantSquares { squares: self.square_list(1)?, turned: true }, 1),
            "and" => (Node::Intersection(self.id(1)?, self.id(2)?), 2),
            "or" => (Node::Union(self.id(1)?, self.id(2)?), 2),
            "minus" => (Node::Difference(self.id(1)?, self.id(2)?), 2),
            "not" => (Node::Complement(self.id(1)?), 1),
            "first" => (Node::First(self.id(1)?), 1),
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
            "pattern" => (self.pattern()?, 8),
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

    /// Four sets or `null`, copies, whether squares are turned, where stages begin, and a table for each stage. After the word
    /// "mixed" there is a number for every table: of the pieces for which it holds as it is.
    fn pattern(&mut self) -> Result<Node, ExpressionError> {
        let mut sets = [None; 4];
        for (place, set) in sets.iter_mut().enumerate() {
            *set = if self.node[place + 1].is_null() { None } else { Some(self.id(place + 1)?) };
        }
        let count = sets.iter().flatten().count();
        if sets[count..].iter().any(Option::is_some) {
            return error("the sets of a pattern come before what is null");
        }
        let wholes = |list: Option<&[Value]>, what: &str| match list {
            Some(list) if list.len() <= 128 => list
                .iter()
                .map(byte)
                .collect::<Option<Vec<u8>>>()
                .ok_or_else(|| ExpressionError(format!("{what} are whole numbers"))),
            _ => error(format!("{what} are a list")),
        };
        let Some(copies) = self.node[5].as_array() else {
            return error("the copies of a pattern are lists of squares");
        };
        let copies = copies
            .iter()
            .map(|copy| wholes(copy.as_array().map(Vec::as_slice), "squares"))
            .collect::<Result<Vec<_>, _>>()?;
        let (first, stages) = match self.node[7].as_array().map(Vec::as_slice) {
            Some([word, first, rest @ ..]) if word == "mixed" => (
                Some(
                    byte(first)
                        .ok_or_else(|| ExpressionError("the first number of pieces is a whole number".into()))?,
                ),
                Some(rest),
            ),
            list => (None, list),
        };
        let stages = wholes(stages, "the beginnings of stages")?.into_iter().map(u32::from).collect();
        let mut pattern = Pattern::new(copies, count, self.truth(6)?, stages, self.squares).map_err(ExpressionError)?;
        if let Some(first) = first {
            pattern = pattern.mixed(first.into()).map_err(ExpressionError)?;
        }
        let Some(lists) = self.node[8].as_array().filter(|lists| lists.len() == pattern.tables()) else {
            return error(format!("this pattern has {} tables, one for each stage", pattern.tables()));
        };
        let tables = lists.iter().map(|table| entries(table, pattern.entries())).collect::<Result<Vec<_>, _>>()?;
        let (pattern, tables) = (self.builder.pattern(pattern), self.builder.tables(tables.into()));
        Ok(Node::Pattern(sets, pattern, tables))
    }
}

/// A table of a pattern: a list of numbers; or all of them as bytes, the lowest first, in base64; or 0, if all of them are.
fn entries(table: &Value, count: usize) -> Result<Box<[f64]>, ExpressionError> {
    let values: Vec<f64> = match table {
        Value::Number(zero) if zero.as_u64() == Some(0) => vec![0.0; count],
        Value::Array(list) if list.len() == count => list.iter().map(number).collect::<Result<_, _>>()?,
        Value::String(text) => {
            let bytes = base64(text).ok_or_else(|| ExpressionError("a table is no base64".into()))?;
            let (values, rest) = bytes.as_chunks();
            if values.len() != count || !rest.is_empty() {
                return error(format!("a table of this pattern has {count} entries of 8 bytes"));
            }
            values.iter().map(|&value| f64::from_le_bytes(value)).collect()
        }
        _ => return error(format!("a table of this pattern has {count} entries, as a list or in base64, or is 0")),
    };
    match values.iter().find(|value| !value.is_finite()) {
        Some(value) => error(format!("an entry of a table is {value}, which is not finite")),
        None => Ok(values.into()),
    }
}

/// The bytes of a text in base64, which is padded.
fn base64(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| {
        Some(match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        })
    };
    let padding = text.bytes().rev().take_while(|&byte| byte == b'=').count();
    if !text.len().is_multiple_of(4) || padding > 2 {
        return None;
    }
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    for group in text.as_bytes()[..text.len() - padding].chunks(4) {
        let mut word = 0_u32;
        for place in 0..4 {
            word = word << 6 | u32::from(group.get(place).map_or(Some(0), |&byte| digit(byte))?);
        }
        bytes.extend_from_slice(&word.to_be_bytes()[1..group.len()]);
    }
    Some(bytes)
}
