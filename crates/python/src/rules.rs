//! Rules of every game for positions made in Python: sets of squares are whole numbers, a1 is bit 0.

use evoply_core::bitboard::Word;
use evoply_core::rules::perft::perft as count_leaves;
use evoply_core::rules::perft_table::perft_with_table;
use evoply_core::rules::{Color, Game, Seen};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::games::{Row, position, row};
use crate::interrupt;

/// The board of a position as Black or White sees it, whoever is to move.
fn seen<G: Game>(position: &G, is_black: bool) -> Seen<G::Board> {
    let seen = position.seen();
    if (position.turn() == Color::Black) == is_black { seen } else { seen.from_the_other_side() }
}

/// Codes of the legal moves, in order.
#[pyfunction]
#[pyo3(signature = (game, row, /))]
pub fn legal_moves(game: &str, row: Row) -> PyResult<Vec<u64>> {
    with_game!(game, G => Ok(position::<G>(row)?.legal_moves().map(G::code).collect()))
}

/// The row of the position after the legal move `code`.
#[pyfunction]
#[pyo3(signature = (game, row, code, /))]
pub fn row_after(game: &str, row: Row, code: u64) -> PyResult<Row> {
    with_game!(game, G => {
        let position = position::<G>(row)?;
        let chosen = position.legal_moves().find(|&chosen| G::code(chosen) == code);
        let chosen = chosen.ok_or_else(|| PyValueError::new_err(format!("{code} is no legal move here")))?;
        Ok(self::row(&position.play_unchecked(chosen)))
    })
}

/// Number of legal moves that Black or White would have; a forced pass counts 0.
#[pyfunction]
#[pyo3(signature = (game, row, is_black, /))]
pub fn mobility(game: &str, row: Row, is_black: bool) -> PyResult<u32> {
    with_game!(game, G => Ok(G::mobility(&seen(&position::<G>(row)?, is_black))))
}

/// How far the game has gone where so many pieces stand: 0 at the start, 1 at its farthest end.
#[pyfunction]
#[pyo3(signature = (game, pieces, /))]
pub fn clock(game: &str, pieces: u32) -> PyResult<f64> {
    with_game!(game, G => Ok(<G as Game>::clock(f64::from(pieces))))
}

/// Squares where legal moves of Black or White would end.
#[pyfunction]
#[pyo3(signature = (game, row, is_black, /))]
pub fn destinations(game: &str, row: Row, is_black: bool) -> PyResult<u128> {
    with_game!(game, G => Ok(G::destinations(&seen(&position::<G>(row)?, is_black)).0.to_u128()))
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
    with_game!(game, G => {
        let position = position::<G>(row)?;
        let count = |stop: &_| match table_mib {
            Some(mib) => perft_with_table(position, depth, threads, (mib as usize) << 20, stop),
            None => count_leaves(position, depth, threads, stop),
        };
        interrupt::run(py, count, |_| Ok(()))
    })
}
