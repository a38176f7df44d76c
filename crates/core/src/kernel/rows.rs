//! Positions as rows, and values of a game known by its name.

use std::any::Any;

use super::Row;
use crate::bitboard::{Bitboard, Word};
use crate::rules::{Color, Game, Setup};

/// The value behind a value of the game of this name.
pub(super) fn own<'a, T: Any>(name: &str, value: &'a dyn Any, game: &str, what: &str) -> Result<&'a T, String> {
    let found = if game == name { value.downcast_ref() } else { None };
    found.ok_or_else(|| format!("a {what} for {game} cannot be used in {name}"))
}

/// The position of a row, checked.
pub(super) fn position<G: Game>(rules: G::Rules, row: &Row) -> Result<G, String> {
    let &Row { black, white, kings, black_to_move, ply, quiet_plies } = row;
    let [black, white, kings] = [Bitboard::from_bits(black)?, Bitboard::from_bits(white)?, Bitboard::from_bits(kings)?];
    let turn = if black_to_move { Color::Black } else { Color::White };
    let setup = Setup { black, white, kings, turn, ply, quiet_plies };
    G::from_setup(rules, &setup)
}

/// The row of a position.
pub(super) fn row<G: Game>(position: &G) -> Row {
    let Setup { black, white, kings, turn, ply, quiet_plies } = position.setup();
    let (black, white, kings) = (black.0.to_u128(), white.0.to_u128(), kings.0.to_u128());
    Row { black, white, kings, black_to_move: turn == Color::Black, ply, quiet_plies }
}
