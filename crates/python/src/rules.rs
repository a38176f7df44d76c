//! Rules of every game for positions made in Python: sets of squares are whole numbers, a1 is bit 0.

use evoply_core::bitboard::{MAX_SQUARES, symmetry_on};
use evoply_core::rules::{Color, Outcome};
use pyo3::prelude::*;

use crate::games::{Row, failed, kernel, row as kernel_row, tuple, wrong};
use crate::interrupt;

/// Codes of the legal moves, in order.
#[pyfunction]
#[pyo3(signature = (game, row, /))]
pub fn legal_moves(game: &str, row: Row) -> PyResult<Vec<u64>> {
    kernel(game)?.legal_moves(&kernel_row(row)).map_err(failed)
}

/// The row of the position after the legal move `code`.
#[pyfunction]
#[pyo3(signature = (game, row, code, /))]
pub fn row_after(game: &str, row: Row, code: u64) -> PyResult<Row> {
    kernel(game)?.row_after(&kernel_row(row), code).map(tuple).map_err(failed)
}

/// How the game ended: the winner ("black", "white", or none for a draw), and Black's pieces less White's; none while it goes on.
#[pyfunction]
#[pyo3(signature = (game, row, /))]
pub fn outcome(game: &str, row: Row) -> PyResult<Option<(Option<&'static str>, i32)>> {
    let outcome = kernel(game)?.outcome(&kernel_row(row)).map_err(failed)?;
    Ok(outcome.map(|Outcome { winner, difference }| {
        (winner.map(|winner| if winner == Color::Black { "black" } else { "white" }), difference)
    }))
}

/// Number of legal moves that Black or White would have; a forced pass counts 0.
#[pyfunction]
#[pyo3(signature = (game, row, is_black, /))]
pub fn mobility(game: &str, row: Row, is_black: bool) -> PyResult<u32> {
    kernel(game)?.mobility(&kernel_row(row), is_black).map_err(failed)
}

/// How far the game has gone where so many pieces stand: 0 at the start, 1 at its farthest end.
#[pyfunction]
#[pyo3(signature = (game, pieces, /))]
pub fn clock(game: &str, pieces: u32) -> PyResult<f64> {
    Ok(kernel(game)?.clock(pieces))
}

/// How far the game has gone at a position: 0 at the start, 1 at its farthest end.
#[pyfunction]
#[pyo3(signature = (game, row, /))]
pub fn clock_at(game: &str, row: Row) -> PyResult<f64> {
    kernel(game)?.clock_at(&kernel_row(row)).map_err(failed)
}

/// Squares where legal moves of Black or White would end.
#[pyfunction]
#[pyo3(signature = (game, row, is_black, /))]
pub fn destinations(game: &str, row: Row, is_black: bool) -> PyResult<u128> {
    kernel(game)?.destinations(&kernel_row(row), is_black).map_err(failed)
}

/// Leaves of the tree of legal moves at `depth` plies; a game that ended earlier is one leaf in Othello and none in checkers.
/// 0 threads: all cores. With `table_mib` boards that are the same up to symmetry are counted once, in about so much memory.
#[pyfunction]
#[pyo3(signature = (game, row, depth, threads = 0, table_mib = None))]
pub fn perft(
    py: Python<'_>,
    game: &str,
    row: Row,
    depth: u32,
    threads: usize,
    table_mib: Option<u32>,
) -> PyResult<u64> {
    let (game, row) = (kernel(game)?, kernel_row(row));
    let table = table_mib.map(|mib| (mib as usize) << 20);
    interrupt::run(py, |stop| game.perft(&row, depth, threads, table, stop))
}

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
