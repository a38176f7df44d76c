//! What every operation means: one position, one node after the other, nothing shared, nothing clever.
//!
//! The oracle for [`super::evaluation`]. Written to be read.
//!
//! Reasons: docs/design/expressions.md.

use super::{Expression, Node, NodeId, Side, Tables, Type, WhenZero};
use crate::bitboard::{Bitboard, Board, Direction, Word};
use crate::patterns::Pattern;
use crate::rules::{Color, Game, Seen};

/// What an expression can read: a board as one side sees it, and the counters around it.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<B: Board> {
    /// Pieces of the side the expression speaks for.
    pub own: Bitboard<B>,
    /// Pieces of the other side.
    pub opponent: Bitboard<B>,
    /// Kings of both sides.
    pub kings: Bitboard<B>,
    /// Squares of the move just made; empty where there was none.
    pub moved_to: Bitboard<B>,
    /// Whether the side the expression speaks for is Black.
    pub own_is_black: bool,
    /// Plies played before the evaluated position.
    pub ply: f64,
    /// Plies since something irreversible happened; 0 where the game does not count them.
    pub quiet_plies: f64,
    /// The clock of the position where the player chooses.
    pub root_clock: f64,
    /// The ply of the position where the player chooses.
    pub root_ply: f64,
}

impl<B: Board> Inputs<B> {
    /// What is read where a position stands, by the side to move, who is choosing.
    pub fn at<G: Game<Board = B>>(position: &G) -> Self {
        Self {
            own: position.own(),
            opponent: position.opponent(),
            kings: position.kings(),
            moved_to: Bitboard::EMPTY,
            own_is_black: position.turn() == Color::Black,
            ply: f64::from(position.ply()),
            quiet_plies: f64::from(position.quiet_plies()),
            root_clock: position.clock_here(),
            root_ply: f64::from(position.ply()),
        }
    }

    fn seen(&self, side: Side) -> Seen<B> {
        let own = Seen { own: self.own, opponent: self.opponent, kings: self.kings, own_is_black: self.own_is_black };
        if side == Side::Own { own } else { own.from_the_other_side() }
    }
}

#[derive(Clone, Copy)]
enum Value<B: Board> {
    Squares(Bitboard<B>),
    Number(f64),
    Truth(bool),
}

/// The table that a selector means: its floor, kept inside the range; NaN means the first.
fn selected_table(tables: &Tables, selector: f64) -> &[f64] {
    // `as` takes the floor of a positive number, keeps to the range, and makes NaN zero.
    &tables[(selector as usize).min(tables.len() - 1)]
}

/// Weights of the squares of a set: each row from a to the right, the rows from 1 down.
fn weighted_sum<B: Board>(set: Bitboard<B>, weights: &[f64]) -> f64 {
    set.into_iter().fold(0.0, |sum, square| sum + weights[square as usize])
}

/// What the copies of a pattern say, one after the other.
fn pattern_value<B: Board>(
    pattern: &Pattern,
    tables: &Tables,
    pieces: u32,
    sets: &[Bitboard<B>],
    own_is_black: bool,
    last: u32,
) -> f64 {
    let digit = |square| sets.iter().position(|set| set.contains(square)).map_or(0, |place| place as u32 + 1);
    let indices = pattern.copies().iter().map(|copy| pattern.index(copy, own_is_black, last, digit));
    pattern.sum(tables, pieces, indices)
}

/// Division by the named convention.
#[inline(always)]
pub fn divide(a: f64, b: f64, when_zero: WhenZero) -> f64 {
    match when_zero {
        WhenZero::Ieee => a / b,
        _ if b != 0.0 => a / b,
        WhenZero::One => 1.0,
        WhenZero::Zero => 0.0,
        WhenZero::Numerator => a,
    }
}

/// The value of every output; truths count as 0 and 1.
///
/// # Panics
/// If an output is a set of squares, or it reads what only rules know, or the expression still has arguments of a primitive in it.
pub fn evaluate<G: Game>(rules: G::Rules, expression: &Expression, inputs: &Inputs<G::Board>) -> Vec<f64> {
    let mut values: Vec<Value<G::Board>> = Vec::with_capacity(expression.nodes().len());
    for &node in expression.nodes() {
        let value = value_of::<G>(rules, node, expression, inputs, &values);
        values.push(value);
    }
    let number = |&id: &NodeId| match values[id as usize] {
        Value::Number(value) => value,
        Value::Truth(truth) => f64::from(u8::from(truth)),
        Value::Squares(_) => panic!("a set of squares is not a number"),
    };
    expression.outputs().iter().map(number).collect()
}

fn value_of<G: Game>(
    rules: G::Rules,
    node: Node,
    expression: &Expression,
    inputs: &Inputs<G::Board>,
    values: &[Value<G::Board>],
) -> Value<G::Board> {
    let squares = |id: NodeId| match values[id as usize] {
        Value::Squares(set) => set,
        _ => panic!("node {id} is not a set of squares"),
    };
    let number = |id: NodeId| match values[id as usize] {
        Value::Number(value) => value,
        _ => panic!("node {id} is not a number"),
    };
    let truth = |id: NodeId| match values[id as usize] {
        Value::Truth(truth) => truth,
        _ => panic!("node {id} is not a truth"),
    };
    let board = G::geometry(rules);
    let pieces = || f64::from((inputs.own | inputs.opponent).len());
    match node {
        Node::Pieces(side) => Value::Squares(inputs.seen(side).own),
        Node::Men(side) => Value::Squares(inputs.seen(side).own - inputs.kings),
        Node::Kings(side) => Value::Squares(inputs.seen(side).own & inputs.kings),
        Node::EmptySquares => Value::Squares(board.complement(inputs.own | inputs.opponent)),
        Node::MovedTo => Value::Squares(inputs.moved_to),
        Node::ConstantSquares { squares, turned } => {
            let set = Bitboard(Word::from_u128(squares));
            Value::Squares(if turned && !inputs.own_is_black { board.symmetry(set, 3) } else { set })
        }
        Node::Intersection(a, b) => Value::Squares(squares(a) & squares(b)),
        Node::Union(a, b) => Value::Squares(squares(a) | squares(b)),
        Node::Difference(a, b) => Value::Squares(squares(a) - squares(b)),
        Node::Complement(a) => Value::Squares(board.complement(squares(a))),
        Node::First(a) => Value::Squares(squares(a) - squares(a).without_first()),
        Node::Shift(a, direction) => Value::Squares(board.shift(squares(a), direction)),
        Node::Fill(start, through, bits) => {
            let directions: Vec<_> = Direction::ALL.into_iter().filter(|&d| bits >> d as u8 & 1 == 1).collect();
            Value::Squares(board.fill(squares(start), squares(through), &directions))
        }
        Node::Symmetry(a, index) => Value::Squares(board.symmetry(squares(a), index)),
        Node::Destinations(side) => Value::Squares(G::destinations(rules, &inputs.seen(side))),
        Node::ConstantNumber(bits) => Value::Number(f64::from_bits(bits)),
        Node::PieceCount => Value::Number(pieces()),
        Node::Ply => Value::Number(inputs.ply),
        Node::QuietPlies => Value::Number(inputs.quiet_plies),
        Node::Clock => Value::Number(G::clock(rules, &inputs.seen(Side::Own))),
        Node::RootClock => Value::Number(inputs.root_clock),
        Node::RootPly => Value::Number(inputs.root_ply),
        Node::Count(a) => Value::Number(f64::from(squares(a).len())),
        Node::NumberOfMoves(side) => Value::Number(f64::from(G::mobility(rules, &inputs.seen(side)))),
        Node::WeightedSum(a, list, selector) => Value::Number(weighted_sum(
            squares(a),
            selected_table(&expression.tables()[list as usize], selector.map_or(0.0, number)),
        )),
        Node::Pattern(sets, pattern, list) => {
            let sets: Vec<_> = sets.into_iter().flatten().map(squares).collect();
            let pieces = (inputs.own | inputs.opponent).len();
            let (pattern, tables) = (&expression.patterns()[pattern as usize], &expression.tables()[list as usize]);
            Value::Number(pattern_value(pattern, tables, pieces, &sets, inputs.own_is_black, board.squares() - 1))
        }
        Node::Add(a, b) => Value::Number(number(a) + number(b)),
        Node::Subtract(a, b) => Value::Number(number(a) - number(b)),
        Node::Multiply(a, b) => Value::Number(number(a) * number(b)),
        Node::Divide(a, b, when_zero) => Value::Number(divide(number(a), number(b), when_zero)),
        Node::Minimum(a, b) => Value::Number(if number(a) < number(b) { number(a) } else { number(b) }),
        Node::Maximum(a, b) => Value::Number(if number(a) > number(b) { number(a) } else { number(b) }),
        Node::IsBlack => Value::Truth(inputs.own_is_black),
        Node::ConstantTruth(value) => Value::Truth(value),
        Node::IsOdd(a) => Value::Truth(squares(a).len() % 2 == 1),
        Node::IsEmpty(a) => Value::Truth(squares(a).is_empty()),
        Node::Contains(a, square) => Value::Truth(squares(a).contains(square.into())),
        Node::Less(a, b) => Value::Truth(number(a) < number(b)),
        Node::LessEqual(a, b) => Value::Truth(number(a) <= number(b)),
        Node::Equal(a, b) => Value::Truth(number(a) == number(b)),
        Node::Both(a, b) => Value::Truth(truth(a) && truth(b)),
        Node::Either(a, b) => Value::Truth(truth(a) || truth(b)),
        Node::Negation(a) => Value::Truth(!truth(a)),
        Node::Select(condition, yes, no) => values[(if truth(condition) { yes } else { no }) as usize],
        Node::MovedFrom => panic!("only rules know where a move came from"),
        Node::Argument(index, _) => panic!("argument {index} of a primitive has no value"),
    }
}

/// Whether an expression can be evaluated: numbers or truths come out, and no argument of a primitive is left open.
///
/// # Errors
/// Says what is in the way.
pub fn check_complete(expression: &Expression) -> Result<(), super::ExpressionError> {
    for node in expression.nodes() {
        if let Node::Argument(index, _) = node {
            return Err(super::ExpressionError(format!("argument {index} of a primitive is left open")));
        }
        if *node == Node::MovedFrom {
            return Err(super::ExpressionError("only rules know moved_from: a feature has moved_to".into()));
        }
    }
    for &output in expression.outputs() {
        if expression.type_of(output) == Type::Squares {
            return Err(super::ExpressionError(
                "an evaluator gives a number or a truth, not a set of squares: use count".into(),
            ));
        }
    }
    Ok(())
}
