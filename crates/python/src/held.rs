//! Kernel values of any board size, as one Python class each.

use std::sync::Arc;

use evoply_core::bitboard::{Board, Size4, Size6, Size8, Size10};
use evoply_core::expression::Expression;
use evoply_core::expression::program::Program;
use evoply_core::player::Player;
use evoply_core::rules::othello::Othello;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// A lowered expression with the expression it came from.
#[derive(Clone)]
pub struct Compiled<B: Board> {
    pub program: Arc<Program<B>>,
    pub expression: Arc<Expression>,
}

/// One kernel value for each board size.
#[derive(Clone)]
pub enum Any<A, B, C, D> {
    Four(A),
    Six(B),
    Eight(C),
    Ten(D),
}

pub type AnyProgram = Any<Compiled<Size4>, Compiled<Size6>, Compiled<Size8>, Compiled<Size10>>;
pub type AnyPlayer =
    Any<Player<Othello<Size4>>, Player<Othello<Size6>>, Player<Othello<Size8>>, Player<Othello<Size10>>>;
pub type AnyPositions = Any<Vec<Othello<Size4>>, Vec<Othello<Size6>>, Vec<Othello<Size8>>, Vec<Othello<Size10>>>;

impl<A, B, C, D> Any<A, B, C, D> {
    /// The name of the game that a value is for.
    pub fn game(&self) -> &'static str {
        match self {
            Self::Four(_) => "othello-4",
            Self::Six(_) => "othello-6",
            Self::Eight(_) => "othello",
            Self::Ten(_) => "othello-10",
        }
    }
}

/// A board size that values can be wrapped for and unwrapped to.
pub trait Held: Board {
    fn wrap_program(program: Compiled<Self>) -> AnyProgram;
    fn wrap_player(player: Player<Othello<Self>>) -> AnyPlayer;
    fn wrap_positions(positions: Vec<Othello<Self>>) -> AnyPositions;
    fn program(any: &AnyProgram) -> PyResult<&Compiled<Self>>;
    fn player(any: &AnyPlayer) -> PyResult<&Player<Othello<Self>>>;
    fn positions(any: &AnyPositions) -> PyResult<&Vec<Othello<Self>>>;
}

fn other_game<T>(what: &str, found: &str, wanted: &str) -> PyResult<T> {
    Err(PyValueError::new_err(format!("a {what} for {found} cannot be used in {wanted}")))
}

macro_rules! held {
    ($board:ident, $variant:ident, $game:literal) => {
        impl Held for $board {
            fn wrap_program(program: Compiled<Self>) -> AnyProgram {
                Any::$variant(program)
            }
            fn wrap_player(player: Player<Othello<Self>>) -> AnyPlayer {
                Any::$variant(player)
            }
            fn wrap_positions(positions: Vec<Othello<Self>>) -> AnyPositions {
                Any::$variant(positions)
            }
            fn program(any: &AnyProgram) -> PyResult<&Compiled<Self>> {
                if let Any::$variant(value) = any { Ok(value) } else { other_game("program", any.game(), $game) }
            }
            fn player(any: &AnyPlayer) -> PyResult<&Player<Othello<Self>>> {
                if let Any::$variant(value) = any { Ok(value) } else { other_game("player", any.game(), $game) }
            }
            fn positions(any: &AnyPositions) -> PyResult<&Vec<Othello<Self>>> {
                if let Any::$variant(value) = any { Ok(value) } else { other_game("position", any.game(), $game) }
            }
        }
    };
}
held!(Size4, Four, "othello-4");
held!(Size6, Six, "othello-6");
held!(Size8, Eight, "othello");
held!(Size10, Ten, "othello-10");

/// Run code generic over the board with the value inside an [`Any`].
macro_rules! with_held {
    ($any:expr, $value:ident => $body:expr) => {
        match $any {
            $crate::held::Any::Four($value) => $body,
            $crate::held::Any::Six($value) => $body,
            $crate::held::Any::Eight($value) => $body,
            $crate::held::Any::Ten($value) => $body,
        }
    };
}
pub(crate) use with_held;
