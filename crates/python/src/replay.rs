//! Games played over again: one, many at once (`Replayed`), and the pieces along them (`piece_counts`).

use evoply_core::kernel::{Known, Transcripts};
use pyo3::prelude::*;

use crate::arrays::{Column, Number, array, column};
use crate::games::{Row, failed, kernel, row as kernel_row, rows, tuple, wrong};
use crate::interrupt;

/// Play a game over again from `row`, forced passes written or left out: all moves that were played, how many of `codes` are
/// among them, and the last row. Fewer than all of `codes` means that the next is illegal there.
#[pyfunction]
#[pyo3(signature = (game, row, codes, /))]
pub fn replay(game: &str, row: Row, codes: Vec<u64>) -> PyResult<(Vec<u64>, usize, Row)> {
    let (game, starts) = (kernel(game)?, [kernel_row(row)]);
    let games = Transcripts { games: &[&codes], starts: &starts, start_of: None };
    let replayed = interrupt::run_briefly(|stop| game.replay(&games, 1, stop))?;
    let Known { codes, taken, last, .. } = replayed.into_iter().next().ok_or_else(|| wrong("no game was given"))?;
    Ok((codes, taken, tuple(last)))
}

/// The rows at the start and after each move that `replay` plays.
#[pyfunction]
#[pyo3(signature = (game, row, codes, /))]
pub fn rows_along(game: &str, row: Row, codes: Vec<u64>) -> PyResult<Vec<Row>> {
    let rows = kernel(game)?.rows_along(&kernel_row(row), &codes).map_err(failed)?;
    Ok(rows.into_iter().map(tuple).collect())
}

/// What came of games that were played over again; arrays have one entry a game.
#[pyclass(module = "evoply._native", frozen)]
pub struct Replayed(Vec<Known>);

impl Replayed {
    fn column<'py, T: Number>(&self, py: Python<'py>, value: impl Fn(&Known) -> T) -> PyResult<Bound<'py, PyAny>> {
        column(py, self.0.iter().map(value))
    }
}

#[pymethods]
impl Replayed {
    /// Moves of those given that were played; if not all, the next is illegal.
    #[getter]
    fn taken<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.column(py, |game| game.taken as i32)
    }

    /// Moves played, forced passes included.
    #[getter]
    fn plies<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.column(py, |game| game.codes.len() as i32)
    }

    /// Black's pieces after the last.
    #[getter]
    fn black_discs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.column(py, |game| game.pieces[0] as i32)
    }

    /// White's pieces after the last.
    #[getter]
    fn white_discs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.column(py, |game| game.pieces[1] as i32)
    }

    /// Whether nobody can move any more.
    #[getter]
    fn is_over<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.column(py, |game| u8::from(game.is_over))?.call_method1("astype", ("bool",))
    }

    /// Who has won a game that is over: 1 is Black, -1 White, 0 nobody.
    #[getter]
    fn winners<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.column(py, |game| game.winner)
    }

    /// The moves of each game, forced passes included.
    #[getter]
    fn codes(&self) -> Vec<Vec<u64>> {
        self.0.iter().map(|game| game.codes.clone()).collect()
    }

    /// The row after the last move of each game.
    #[getter]
    fn rows(&self) -> Vec<Row> {
        self.0.iter().map(|game| tuple(game.last)).collect()
    }
}

/// Play games over again, forced passes written or left out.
///
/// `codes`: the moves of all games, one game after the other; `lengths`: how many each has; `starts` and `start_of` as in `play`.
#[pyfunction]
#[pyo3(signature = (game, codes, lengths, *, starts, start_of = None, threads = 0))]
#[allow(clippy::too_many_arguments)]
pub fn replay_all(
    py: Python<'_>,
    game: &str,
    codes: Column<u64>,
    lengths: Column<u32>,
    starts: Vec<Row>,
    start_of: Option<Column<u32>>,
    threads: usize,
) -> PyResult<Replayed> {
    let start_of = start_of.as_ref().map(|start_of| &start_of.values[..]);
    let (mut rest, lengths) = (&codes.values[..], &lengths.values);
    if lengths.iter().map(|&length| u64::from(length)).sum::<u64>() != rest.len() as u64 {
        return Err(wrong("the lengths of the games do not add up to the number of codes"));
    }
    let codes = |&length: &u32| {
        let (codes, after) = rest.split_at(length as usize);
        rest = after;
        codes
    };
    let games: Vec<_> = lengths.iter().map(codes).collect();
    let (game, starts) = (kernel(game)?, rows(starts));
    let games = Transcripts { games: &games, starts: &starts, start_of };
    interrupt::run(py, |stop| game.replay(&games, threads, stop)).map(Replayed)
}

/// Black's and White's pieces at the start and after each ply of games that are known by their moves: a row for each game,
/// all as long as the longest game needs; after its end a game keeps its last counts.
///
/// `moves`: the codes of each game's moves, passes included; `starts` and `start_of` as in `play`.
#[pyfunction]
#[pyo3(signature = (game, moves, *, starts, start_of = None, threads = 0))]
#[allow(clippy::type_complexity)]
pub fn piece_counts<'py>(
    py: Python<'py>,
    game: &str,
    moves: Vec<Vec<u64>>,
    starts: Vec<Row>,
    start_of: Option<Column<u32>>,
    threads: usize,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    let start_of = start_of.as_ref().map(|start_of| &start_of.values[..]);
    let (game, starts) = (kernel(game)?, rows(starts));
    let games: Vec<_> = moves.iter().map(Vec::as_slice).collect();
    let games = Transcripts { games: &games, starts: &starts, start_of };
    let counts = interrupt::run(py, |stop| game.piece_counts(&games, threads, stop))?;
    let array = |values: &[i32]| array(py, values, [moves.len(), counts.columns]);
    Ok((array(&counts.black)?, array(&counts.white)?))
}
