//! The games, once: whatever takes the name of a game runs code generic over it, and a kernel value of any game is one Python
//! class.

use std::sync::{Arc, Mutex};

use evoply_core::bitboard::{Bitboard, Board, Word};
use evoply_core::engine::Engine;
use evoply_core::expression::Expression;
use evoply_core::expression::program::Program;
use evoply_core::player::Player;
use evoply_core::rules::{Color, Game, Setup};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Hand the table of games to a macro: a variant of [`Any`], the name, the type. A new game is a line here.
macro_rules! for_games {
    ($apply:ident $arguments:tt) => {
        $apply! {
            $arguments
            Othello: "othello" = ::evoply_core::rules::othello::Othello<::evoply_core::bitboard::Size8>;
            Othello4: "othello-4" = ::evoply_core::rules::othello::Othello<::evoply_core::bitboard::Size4>;
            Othello6: "othello-6" = ::evoply_core::rules::othello::Othello<::evoply_core::bitboard::Size6>;
            Othello10: "othello-10" = ::evoply_core::rules::othello::Othello<::evoply_core::bitboard::Size10>;
            Checkers: "checkers" = ::evoply_core::rules::checkers::Checkers<::evoply_core::rules::checkers::American>;
            LoseCheckers: "lose-checkers" =
                ::evoply_core::rules::checkers::Checkers<::evoply_core::rules::checkers::Losing>;
            Checkers10: "checkers-10" =
                ::evoply_core::rules::checkers::Checkers<::evoply_core::rules::checkers::American10>;
        }
    };
}

/// A kind of kernel value that there is of every game.
pub trait Kind {
    type Of<G: Game>;
}

/// A lowered expression with the expression it came from.
#[derive(Clone)]
pub struct Compiled<B: Board> {
    pub program: Arc<Program<B>>,
    pub expression: Arc<Expression>,
}

impl<B: Board> Compiled<B> {
    /// The program of one output alone.
    pub fn output(&self, number: usize) -> PyResult<Arc<Program<B>>> {
        if self.program.outputs() == 1 {
            return Ok(Arc::clone(&self.program));
        }
        Program::new(&self.expression.output(number))
            .map(Arc::new)
            .map_err(|error| PyValueError::new_err(error.to_string()))
    }
}

/// Programs for the boards of a game.
pub struct Programs;

impl Kind for Programs {
    type Of<G: Game> = Compiled<G::Board>;
}

/// Players of a game.
pub struct Players;

impl Kind for Players {
    type Of<G: Game> = Player<G>;
}

/// Players of a game that stay.
pub struct Engines;

impl Kind for Engines {
    /// Boxed, because registers are aligned beyond what Python gives its objects.
    type Of<G: Game> = Box<Mutex<Engine<G>>>;
}

/// Batches of positions of a game.
pub struct Batches;

impl Kind for Batches {
    type Of<G: Game> = Vec<G>;
}

/// A game that values can be wrapped for and unwrapped to.
pub trait Held: Game {
    /// The name that users know it by.
    const NAME: &'static str;
    fn wrap<K: Kind>(value: K::Of<Self>) -> Any<K>;
    fn find<K: Kind>(any: &Any<K>) -> Option<&K::Of<Self>>;

    /// The value, if it is for this game.
    fn held<'a, K: Kind>(any: &'a Any<K>, what: &str) -> PyResult<&'a K::Of<Self>> {
        Self::find(any).ok_or_else(|| {
            PyValueError::new_err(format!("a {what} for {} cannot be used in {}", any.game(), Self::NAME))
        })
    }
}

macro_rules! hold {
    (() $($variant:ident: $name:literal = $game:ty;)*) => {
        /// A value of one of the games.
        pub enum Any<K: Kind> {
            $($variant(K::Of<$game>),)*
        }

        impl<K: Kind> Any<K> {
            /// The name of the game that the value is for.
            pub fn game(&self) -> &'static str {
                match self {
                    $(Self::$variant(_) => $name,)*
                }
            }
        }

        /// The error of a name that no game has.
        pub fn unknown_game(name: &str) -> PyErr {
            let names = [$($name),*].join(", ");
            PyValueError::new_err(format!("unknown game {name:?}: games are {names}"))
        }

        $(
            impl Held for $game {
                const NAME: &'static str = $name;
                fn wrap<K: Kind>(value: K::Of<Self>) -> Any<K> {
                    Any::$variant(value)
                }
                fn find<K: Kind>(any: &Any<K>) -> Option<&K::Of<Self>> {
                    if let Any::$variant(value) = any { Some(value) } else { None }
                }
            }
        )*
    };
}
for_games!(hold());

/// Run code generic over the game for a name known at run time.
macro_rules! with_game {
    ($name:expr, $game:ident => $body:expr) => {
        for_games!(match_name ($name, $game => $body))
    };
}

macro_rules! match_name {
    (($found:expr, $alias:ident => $body:expr) $($variant:ident: $name:literal = $game:ty;)*) => {
        match $found {
            $($name => {
                type $alias = $game;
                $body
            })*
            other => Err($crate::games::unknown_game(other)),
        }
    };
}

/// Run code generic over the game with the value inside an [`Any`].
macro_rules! with_held {
    ($any:expr, $value:ident => $body:expr) => {
        for_games!(match_held ($any, $value => $body))
    };
}

macro_rules! match_held {
    (($any:expr, $value:ident => $body:expr) $($variant:ident: $name:literal = $game:ty;)*) => {
        match $any {
            $($crate::games::Any::$variant($value) => $body,)*
        }
    };
}

/// A position as Python gives it: Black's pieces, White's, kings of both, whether Black moves, plies, quiet plies.
pub type Row = (u128, u128, u128, bool, u32, u32);

/// A set of squares of a board, checked.
pub fn set<B: Board>(bits: u128) -> PyResult<Bitboard<B>> {
    if bits & !B::FULL.to_u128() != 0 {
        return Err(PyValueError::new_err(format!("squares outside the {0}x{0} board: {bits:#x}", B::SIZE)));
    }
    Ok(Bitboard(B::Word::from_u128(bits)))
}

/// The position of a row, checked.
pub fn position<G: Game>((black, white, kings, black_to_move, ply, quiet_plies): Row) -> PyResult<G> {
    let turn = if black_to_move { Color::Black } else { Color::White };
    let setup = Setup { black: set(black)?, white: set(white)?, kings: set(kings)?, turn, ply, quiet_plies };
    G::from_setup(&setup).map_err(PyValueError::new_err)
}

/// The row of a position.
pub fn row<G: Game>(position: &G) -> Row {
    let Setup { black, white, kings, turn, ply, quiet_plies } = position.setup();
    (black.0.to_u128(), white.0.to_u128(), kings.0.to_u128(), turn == Color::Black, ply, quiet_plies)
}
