//! Sets of squares made in Python, on boards of any size: whole numbers, a1 is bit 0.

use evoply_core::bitboard::{MAX_SQUARES, symmetry_on};
use pyo3::prelude::*;

use crate::games::wrong;

/// Squares where the owner of `own` may place a disc.
#[pyfunction]
#[pyo3(signature = (size, own, opponent, /))]
pub fn othello_moves(size: u32, own: u128, opponent: u128) -> PyResult<u128> {
    evoply_othello_kernel::moves_on(size, own, opponent).map_err(wrong)
}

/// Discs that turn when the owner of `own` places a disc on `square`.
#[pyfunction]
#[pyo3(signature = (size, own, opponent, square, /))]
pub fn othello_flips(size: u32, own: u128, opponent: u128, square: u32) -> PyResult<u128> {
    if square >= size.saturating_mul(size).min(MAX_SQUARES as u32) {
        return Err(wrong(format!("no square {square} on a {size}x{size} board")));
    }
    evoply_othello_kernel::flips_on(size, own, opponent, square).map_err(wrong)
}

/// A set of squares under one of the eight symmetries (bit 2: exchange rows and columns, then bit 1: upside down, then bit
/// 0: left and right exchanged; 3 is the half turn).
#[pyfunction]
#[pyo3(signature = (size, squares, index, /))]
pub fn symmetry(size: u32, squares: u128, index: u8) -> PyResult<u128> {
    if index > 7 {
        return Err(wrong(format!("no symmetry {index}: symmetries are 0 to 7")));
    }
    symmetry_on(size, squares, index).map_err(wrong)
}
