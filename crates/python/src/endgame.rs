//! The exact endgame solver for positions made in Python.

use std::time::{Duration, Instant};

use evoply_core::kernel::{SolveQuestion, Solved};
use pyo3::exceptions::PyTimeoutError;
use pyo3::prelude::*;

use crate::games::{Row, kernel, named, row as kernel_row};
use crate::interrupt;

/// Score for the side to move, best move, nodes, seconds, best line, score of every move if asked for.
type Answer = (i32, Option<u64>, u64, f64, Vec<u64>, Vec<(u64, i32)>);

/// Solve a position of Othello to the end: `exact` finds the final difference for the side to move, `outcome` 1, 0 or -1.
///
/// The best move is `None` if the game is over. `table_mib` bounds the memory of the transposition table, `milliseconds` the
/// time, beyond which a `TimeoutError` is raised. Any number of `threads` (0: one a core) gives the same score, line and moves.
#[pyfunction]
#[pyo3(signature = (
    game, row, mode = "exact", *, empties_to_winner = true, every_move = false, table_mib = 256,
    threads = 1, milliseconds = None
))]
#[allow(clippy::too_many_arguments)]
pub fn solve(
    py: Python<'_>,
    game: &str,
    row: Row,
    mode: &str,
    empties_to_winner: bool,
    every_move: bool,
    table_mib: usize,
    threads: usize,
    milliseconds: Option<u64>,
) -> PyResult<Answer> {
    let outcome_only = named("mode", mode, &[("exact", false), ("outcome", true)])?;
    let table_bytes = table_mib.saturating_mul(1 << 20);
    let question = SolveQuestion { outcome_only, empties_to_winner, every_move, table_bytes, threads };
    let (game, row) = (kernel(game)?, kernel_row(row));
    let began = Instant::now();
    let Solved { score, nodes, line, moves } = interrupt::run_watched(
        py,
        |stop| game.solve(&row, &question, stop),
        |_| match milliseconds {
            Some(most) if began.elapsed() >= Duration::from_millis(most) => {
                Err(PyTimeoutError::new_err("the time was over before the position was solved"))
            }
            _ => Ok(()),
        },
    )?;
    Ok((score, line.first().copied(), nodes, began.elapsed().as_secs_f64(), line, moves))
}
