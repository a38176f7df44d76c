//! The exact endgame solver for positions made in Python.

use std::time::{Duration, Instant};

use evoply_core::rules::Game;
use evoply_core::rules::othello::Othello;
use evoply_core::search::endgame::{Endgame, Mode, solve as solve_position};
use pyo3::exceptions::{PyTimeoutError, PyValueError};
use pyo3::prelude::*;

use crate::boards::with_board;
use crate::games::{Row, position};
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
    let mode = match mode {
        "exact" => Mode::Exact,
        "outcome" => Mode::Outcome,
        _ => return Err(PyValueError::new_err(format!("unknown mode {mode:?}: modes are exact, outcome"))),
    };
    let table_bytes = table_mib.saturating_mul(1 << 20);
    let size = match game {
        "othello" => 8,
        "othello-4" => 4,
        "othello-6" => 6,
        "othello-10" => 10,
        _ => return Err(PyValueError::new_err(format!("{game} has no endgame solver: Othello has one"))),
    };
    with_board!(size, B => {
        let position = position::<Othello<B>>(row)?;
        let began = Instant::now();
        let solution = interrupt::run(
            py,
            |stop| solve_position(&position, &Endgame { empties_to_winner, every_move, table_bytes, threads, ..Endgame::new(mode, stop) }),
            |_| match milliseconds {
                Some(most) if began.elapsed() >= Duration::from_millis(most) => {
                    Err(PyTimeoutError::new_err("the time was over before the position was solved"))
                }
                _ => Ok(()),
            },
        )?;
        let seconds = began.elapsed().as_secs_f64();
        let line: Vec<u64> = solution.line.into_iter().map(Othello::<B>::code).collect();
        let moves = solution.moves.into_iter().map(|(chosen, score)| (Othello::<B>::code(chosen), score)).collect();
        Ok((solution.score, line.first().copied(), solution.nodes, seconds, line, moves))
    })
}
