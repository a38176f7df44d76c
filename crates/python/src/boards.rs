//! Sets of squares made in Python, on boards of any size: whole numbers, a1 is bit 0.

use evoply_core::bitboard::{MAX_SQUARES, Word};
use evoply_core::rules::othello;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::games::set;

/// Run code generic over the board for a size known at run time.
macro_rules! with_board {
    ($size:expr, $board:ident => $body:expr) => {
        match $size {
            4 => {
                type $board = ::evoply_core::bitboard::Size4;
                $body
            }
            6 => {
                type $board = ::evoply_core::bitboard::Size6;
                $body
            }
            8 => {
                type $board = ::evoply_core::bitboard::Size8;
                $body
            }
            10 => {
                type $board = ::evoply_core::bitboard::Size10;
                $body
            }
            other => Err(PyValueError::new_err(format!("no board of size {other}: sizes are 4, 6, 8, 10"))),
        }
    };
}
pub(crate) use with_board;

/// Squares where the owner of `own` may place a disc.
#[pyfunction]
#[pyo3(signature = (size, own, opponent, /))]
pub fn othello_moves(size: u32, own: u128, opponent: u128) -> PyResult<u128> {
    with_board!(size, B => Ok(othello::moves::<B>(set(own)?, set(opponent)?).0.to_u128()))
}

/// Discs that turn when the owner of `own` places a disc on `square`.
#[pyfunction]
#[pyo3(signature = (size, own, opponent, square, /))]
pub fn othello_flips(size: u32, own: u128, opponent: u128, square: u32) -> PyResult<u128> {
    if square >= size.saturating_mul(size).min(MAX_SQUARES as u32) {
        return Err(PyValueError::new_err(format!("no square {square} on a {size}x{size} board")));
    }
    with_board!(size, B => Ok(othello::flips::<B>(set(own)?, set(opponent)?, square).0.to_u128()))
}

/// A set of squares under one of the eight symmetries (bit 2: exchange rows and columns, then bit 1: upside down, then bit
/// 0: left and right exchanged; 3 is the half turn).
#[pyfunction]
#[pyo3(signature = (size, squares, index, /))]
pub fn symmetry(size: u32, squares: u128, index: u8) -> PyResult<u128> {
    if index > 7 {
        return Err(PyValueError::new_err(format!("no symmetry {index}: symmetries are 0 to 7")));
    }
    with_board!(size, B => Ok(set::<B>(squares)?.symmetry(index).0.to_u128()))
}
