//! From expressions to code for one colour: what depends on the colour alone is known here.

use std::collections::HashMap;

use evoply_core::bitboard::{Bitboard, Board, Word};
use evoply_core::expression::{Expression, Node, NodeId, Side};
use evoply_core::geometry::Geometry;

use crate::code::{Comparison, INPUTS};

/// A value on the way to code: its place in the list.
pub(crate) type Id = u32;

/// How a value comes about.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Made<W> {
    Input(u8),
    Constant(W),
    Intersection(Id, Id),
    Union(Id, Id),
    Difference(Id, Id),
    /// Rows down, columns to the right.
    Shift(Id, (i32, i32)),
    Fill(Id, Id, u8),
    Symmetry(Id, u8),
    First(Id),
    Select(Id, Id, Id),
    IsEmpty(Id),
    IsOdd(Id),
    Negation(Id),
    Both(Id, Id),
    Either(Id, Id),
    /// The number of a comparison.
    Compare(usize),
}

impl<W> Made<W> {
    pub fn gives_truth(&self) -> bool {
        matches!(
            self,
            Self::IsEmpty(_)
                | Self::IsOdd(_)
                | Self::Negation(_)
                | Self::Both(..)
                | Self::Either(..)
                | Self::Compare(_)
        )
    }
}

/// A number before registers are known.
#[derive(Clone, Debug)]
pub(crate) enum Figure {
    Constant(f64),
    Count(Id),
    Pair(Node, Box<[Figure; 2]>),
}

/// What a node of an expression comes to.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Set(Id),
    Truth(Id),
    Always(bool),
    Number(Box<Figure>),
}

/// Whether two steps never take back what the other does.
fn go_on((down, right): (i32, i32), (then_down, then_right): (i32, i32)) -> bool {
    down * then_down >= 0 && right * then_right >= 0
}

/// Makes code for one colour.
pub(crate) struct Maker<'a, B: Board> {
    pub geometry: &'a Geometry<B>,
    expression: &'a Expression,
    own_is_black: bool,
    pub made: Vec<Made<B::Word>>,
    known: HashMap<Made<B::Word>, Id>,
    pub comparisons: Vec<(Comparison, Figure, Figure)>,
    /// Nodes seen by the side and by the other one.
    seen: HashMap<(NodeId, bool), Value>,
}

impl<'a, B: Board> Maker<'a, B> {
    pub fn new(geometry: &'a Geometry<B>, expression: &'a Expression, own_is_black: bool) -> Self {
        let mut maker = Self {
            geometry,
            expression,
            own_is_black,
            made: Vec::new(),
            known: HashMap::new(),
            comparisons: Vec::new(),
            seen: HashMap::new(),
        };
        (0..INPUTS).for_each(|input| {
            maker.put(Made::Input(input));
        });
        maker
    }

    fn put(&mut self, made: Made<B::Word>) -> Id {
        let constant = |id: Id| match self.made[id as usize] {
            Made::Constant(word) => Some(word),
            _ => None,
        };
        let both = |a, b| Some((constant(a)?, constant(b)?));
        // Two shifts are one, unless the square between may be missing.
        let made = match made {
            Made::Shift(a, offset) => match self.made[a as usize] {
                Made::Shift(a, first) if self.has_all_squares() && go_on(first, offset) => {
                    Made::Shift(a, (first.0 + offset.0, first.1 + offset.1))
                }
                _ => made,
            },
            _ => made,
        };
        let folded = match made {
            Made::Intersection(a, b) => both(a, b).map(|(a, b)| a & b),
            Made::Union(a, b) => both(a, b).map(|(a, b)| a | b),
            Made::Difference(a, b) => both(a, b).map(|(a, b)| a & !b),
            Made::Shift(_, (down, right))
                if down.unsigned_abs() >= self.geometry.rows() || right.unsigned_abs() >= self.geometry.columns() =>
            {
                Some(B::Word::ZERO)
            }
            Made::Shift(a, offset) => constant(a).map(|set| self.geometry.offset(offset).of(set, |mask| mask)),
            _ => None,
        };
        let made = folded.map_or(made, Made::Constant);
        if let Some(&id) = self.known.get(&made) {
            return id;
        }
        let id = self.made.len() as Id;
        self.made.push(made);
        self.known.insert(made, id);
        id
    }

    fn has_all_squares(&self) -> bool {
        self.geometry.playable().len() == self.geometry.squares()
    }

    /// A set of squares that never changes.
    pub fn constant(&mut self, squares: Bitboard<B>) -> Id {
        self.put(Made::Constant(squares.0))
    }

    pub fn intersection(&mut self, a: Id, b: Id) -> Id {
        self.put(Made::Intersection(a, b))
    }

    pub fn difference(&mut self, a: Id, b: Id) -> Id {
        self.put(Made::Difference(a, b))
    }

    pub fn shift(&mut self, set: Id, offset: (i32, i32)) -> Id {
        self.put(Made::Shift(set, offset))
    }

    fn negation(&mut self, value: &Value) -> Result<Value, String> {
        Ok(match value {
            Value::Always(holds) => Value::Always(!holds),
            Value::Truth(id) => Value::Truth(self.put(Made::Negation(*id))),
            _ => return Err("not takes a truth".into()),
        })
    }

    /// Whether one of two truths holds.
    pub fn either(&mut self, a: Value, b: Value) -> Result<Value, String> {
        Ok(match (a, b) {
            (Value::Always(true), _) | (_, Value::Always(true)) => Value::Always(true),
            (Value::Always(false), other) | (other, Value::Always(false)) => other,
            (Value::Truth(a), Value::Truth(b)) => Value::Truth(self.put(Made::Either(a, b))),
            _ => return Err("or takes truths".into()),
        })
    }

    /// The set that an output of the expression is, as the side sees it or, `swapped`, the other one.
    pub fn set(&mut self, node: NodeId, swapped: bool) -> Result<Id, String> {
        match self.value(node, swapped)? {
            Value::Set(id) => Ok(id),
            _ => Err("this is to be a set of squares".into()),
        }
    }

    /// What a node comes to.
    pub fn value(&mut self, node: NodeId, swapped: bool) -> Result<Value, String> {
        // Arguments stand before their users, so a loop over those before it is enough; only needed ones are made.
        let mut needed = vec![false; node as usize + 1];
        needed[node as usize] = true;
        for id in (0..=node).rev() {
            if needed[id as usize] {
                self.expression.nodes()[id as usize].arguments().for_each(|(a, _)| needed[a as usize] = true);
            }
        }
        for id in (0..=node).filter(|&id| needed[id as usize]) {
            if !self.seen.contains_key(&(id, swapped)) {
                let value = self.make(id, swapped)?;
                self.seen.insert((id, swapped), value);
            }
        }
        Ok(self.seen[&(node, swapped)].clone())
    }

    #[allow(clippy::too_many_lines)] // One line an operation.
    fn make(&mut self, node: NodeId, swapped: bool) -> Result<Value, String> {
        let own_is_black = self.own_is_black != swapped;
        let seen = |this: &Self, id: NodeId| this.seen[&(id, swapped)].clone();
        let set = |this: &Self, id: NodeId| match seen(this, id) {
            Value::Set(id) => id,
            _ => 0,
        };
        let figure = |this: &Self, id: NodeId| match seen(this, id) {
            Value::Number(number) => *number,
            _ => Figure::Constant(0.0),
        };
        let input = |side| Id::from((side == Side::Opponent) != swapped);
        let playable = Made::Constant(self.geometry.playable().0);
        let number = |figure| Ok(Value::Number(Box::new(figure)));
        let operation = self.expression.nodes()[node as usize];
        let made = match operation {
            Node::Pieces(side) => return Ok(Value::Set(input(side))),
            Node::MovedFrom => return Ok(Value::Set(2)),
            Node::MovedTo => return Ok(Value::Set(3)),
            Node::EmptySquares => {
                let all = self.put(playable);
                let rest = self.put(Made::Difference(all, 0));
                Made::Difference(rest, 1)
            }
            Node::ConstantSquares { squares, turned } => {
                let squares = Bitboard::<B>(B::Word::from_u128(squares)) & self.geometry.playable();
                let squares = if turned && !own_is_black { self.geometry.symmetry(squares, 3) } else { squares };
                Made::Constant(squares.0)
            }
            Node::Intersection(a, b) => Made::Intersection(set(self, a), set(self, b)),
            Node::Union(a, b) => Made::Union(set(self, a), set(self, b)),
            Node::Difference(a, b) => Made::Difference(set(self, a), set(self, b)),
            Node::Complement(a) => {
                let all = self.put(playable);
                Made::Difference(all, set(self, a))
            }
            Node::Shift(a, direction) => Made::Shift(set(self, a), direction.step()),
            Node::Fill(a, b, directions) => Made::Fill(set(self, a), set(self, b), directions),
            Node::Symmetry(a, index) => Made::Symmetry(set(self, a), index),
            Node::First(a) => Made::First(set(self, a)),
            Node::IsEmpty(a) => Made::IsEmpty(set(self, a)),
            Node::IsOdd(a) => Made::IsOdd(set(self, a)),
            Node::Contains(a, square) => {
                let square = self.constant(Bitboard::square(square.into()));
                let common = self.intersection(set(self, a), square);
                let empty = Value::Truth(self.put(Made::IsEmpty(common)));
                return self.negation(&empty);
            }
            Node::IsBlack => return Ok(Value::Always(own_is_black)),
            Node::ConstantTruth(holds) => return Ok(Value::Always(holds)),
            Node::Negation(a) => {
                let value = seen(self, a);
                return self.negation(&value);
            }
            Node::Either(a, b) => {
                let (a, b) = (seen(self, a), seen(self, b));
                return self.either(a, b);
            }
            Node::Both(a, b) => match (seen(self, a), seen(self, b)) {
                (Value::Always(false), _) | (_, Value::Always(false)) => return Ok(Value::Always(false)),
                (Value::Always(true), other) | (other, Value::Always(true)) => return Ok(other),
                (Value::Truth(a), Value::Truth(b)) => Made::Both(a, b),
                _ => return Err("and takes truths".into()),
            },
            Node::Select(condition, yes, no) => match (seen(self, condition), seen(self, yes), seen(self, no)) {
                (Value::Always(holds), yes, no) => return Ok(if holds { yes } else { no }),
                (Value::Truth(condition), Value::Set(yes), Value::Set(no)) => Made::Select(condition, yes, no),
                (Value::Truth(condition), yes, no) => {
                    let (Value::Truth(_) | Value::Always(_)) = yes else {
                        return Err("select between numbers is not known in rules: select truths or sets".into());
                    };
                    let other = self.put(Made::Negation(condition));
                    let [a, b] = [(condition, yes), (other, no)].map(|(when, value)| match value {
                        Value::Truth(id) => Value::Truth(self.put(Made::Both(when, id))),
                        Value::Always(true) => Value::Truth(when),
                        _ => Value::Always(false),
                    });
                    return self.either(a, b);
                }
                _ => return Err("select takes a truth first".into()),
            },
            Node::ConstantNumber(bits) => return number(Figure::Constant(f64::from_bits(bits))),
            Node::PieceCount => {
                let pieces = self.put(Made::Union(0, 1));
                return number(Figure::Count(pieces));
            }
            Node::Count(a) => return number(Figure::Count(set(self, a))),
            Node::Add(a, b)
            | Node::Subtract(a, b)
            | Node::Multiply(a, b)
            | Node::Divide(a, b, _)
            | Node::Minimum(a, b)
            | Node::Maximum(a, b) => {
                return number(Figure::Pair(operation, Box::new([figure(self, a), figure(self, b)])));
            }
            Node::Less(a, b) | Node::LessEqual(a, b) | Node::Equal(a, b) => {
                let comparison = match operation {
                    Node::Less(..) => Comparison::Less,
                    Node::LessEqual(..) => Comparison::LessEqual,
                    _ => Comparison::Equal,
                };
                self.comparisons.push((comparison, figure(self, a), figure(self, b)));
                Made::Compare(self.comparisons.len() - 1)
            }
            other => return Err(format!("{other:?} is not known in rules")),
        };
        let id = self.put(made);
        Ok(if made.gives_truth() { Value::Truth(id) } else { Value::Set(id) })
    }
}
