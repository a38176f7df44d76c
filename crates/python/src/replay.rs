//! Games played over again: one, many at once (`Replayed`), and the pieces along them (`piece_counts`).

use evoply_core::replay::{
    Moves, Replayed as ReplayedGame, piece_counts as count_pieces, replay as replay_game, replay_all as replay_games,
};
use evoply_core::rules::{Color, Game};
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::arena::check_starts;
use crate::games::{Row, position, row};
use crate::interrupt;

/// Play a game over again from `row`, forced passes written or left out: all moves that were played, how many of `codes` are
/// among them, and the last row. Fewer than all of `codes` means that the next is illegal there.
#[pyfunction]
#[pyo3(signature = (game, row, codes, /))]
pub fn replay(game: &str, row: Row, codes: Vec<u64>) -> PyResult<(Vec<u64>, usize, Row)> {
    with_game!(game, G => {
        let replayed = replay_game(Moves { start: position::<G>(row)?, codes: &codes }, |_| ());
        Ok((replayed.codes, replayed.taken, self::row(&replayed.last)))
    })
}

/// The rows at the start and after each move that `replay` plays.
#[pyfunction]
#[pyo3(signature = (game, row, codes, /))]
pub fn rows_along(game: &str, row: Row, codes: Vec<u64>) -> PyResult<Vec<Row>> {
    with_game!(game, G => {
        let mut rows = Vec::with_capacity(codes.len() + 1);
        replay_game(Moves { start: position::<G>(row)?, codes: &codes }, |position| rows.push(self::row(position)));
        Ok(rows)
    })
}

/// A game of any rules after its last move.
struct Known {
    codes: Vec<u64>,
    taken: usize,
    last: Row,
    pieces: [i32; 2],
    is_over: bool,
    winner: i8,
}

fn known<G: Game>(ReplayedGame { codes, taken, last }: ReplayedGame<G>) -> Known {
    let pieces = [Color::Black, Color::White].map(|color| last.pieces(color).len() as i32);
    let outcome = last.outcome();
    let winner = match outcome.and_then(|outcome| outcome.winner) {
        Some(Color::Black) => 1,
        Some(Color::White) => -1,
        None => 0,
    };
    Known { codes, taken, last: row(&last), pieces, is_over: outcome.is_some(), winner }
}

/// What came of games that were played over again; arrays have one entry a game.
#[pyclass(module = "evoply._native", frozen)]
pub struct Replayed(Vec<Known>);

impl Replayed {
    fn column<'py, T: numpy::Element>(&self, py: Python<'py>, value: impl Fn(&Known) -> T) -> Bound<'py, PyArray1<T>> {
        PyArray1::from_vec(py, self.0.iter().map(value).collect())
    }
}

#[pymethods]
impl Replayed {
    /// Moves of those given that were played; if not all, the next is illegal.
    #[getter]
    fn taken<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i32>> {
        self.column(py, |game| game.taken as i32)
    }

    /// Moves played, forced passes included.
    #[getter]
    fn plies<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i32>> {
        self.column(py, |game| game.codes.len() as i32)
    }

    /// Black's pieces after the last.
    #[getter]
    fn black_discs<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i32>> {
        self.column(py, |game| game.pieces[0])
    }

    /// White's pieces after the last.
    #[getter]
    fn white_discs<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i32>> {
        self.column(py, |game| game.pieces[1])
    }

    /// Whether nobody can move any more.
    #[getter]
    fn is_over<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        self.column(py, |game| game.is_over)
    }

    /// Who has won a game that is over: 1 is Black, -1 White, 0 nobody.
    #[getter]
    fn winners<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i8>> {
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
        self.0.iter().map(|game| game.last).collect()
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
    codes: PyReadonlyArray1<'_, u64>,
    lengths: PyReadonlyArray1<'_, u32>,
    starts: Vec<Row>,
    start_of: Option<PyReadonlyArray1<'_, u32>>,
    threads: usize,
) -> PyResult<Replayed> {
    let start_of = start_of.as_ref().map(|start_of| start_of.as_slice()).transpose()?;
    let (mut rest, lengths) = (codes.as_slice()?, lengths.as_slice()?);
    if start_of.is_some_and(|start_of| start_of.len() != lengths.len()) {
        return Err(PyValueError::new_err("start_of needs one entry for each game"));
    }
    check_starts(start_of, starts.len())?;
    if lengths.iter().map(|&length| u64::from(length)).sum::<u64>() != rest.len() as u64 {
        return Err(PyValueError::new_err("the lengths of the games do not add up to the number of codes"));
    }
    with_game!(game, G => {
        let starts = starts.into_iter().map(position::<G>).collect::<PyResult<Vec<_>>>()?;
        let moves = |(game, &length): (usize, &u32)| {
            let (codes, after) = rest.split_at(length as usize);
            rest = after;
            Moves { start: starts[start_of.map_or(0, |start_of| start_of[game] as usize)], codes }
        };
        let games: Vec<_> = lengths.iter().enumerate().map(moves).collect();
        let replayed = interrupt::run(py, |stop| replay_games(&games, threads, stop), |_| Ok(()))?;
        Ok(Replayed(replayed.into_iter().map(known).collect()))
    })
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
    start_of: Option<PyReadonlyArray1<'py, u32>>,
    threads: usize,
) -> PyResult<(Bound<'py, PyArray2<i32>>, Bound<'py, PyArray2<i32>>)> {
    let start_of = start_of.as_ref().map(|start_of| start_of.as_slice()).transpose()?;
    if start_of.is_some_and(|start_of| start_of.len() != moves.len()) {
        return Err(PyValueError::new_err("start_of needs one entry for each game"));
    }
    check_starts(start_of, starts.len())?;
    let counts = with_game!(game, G => {
        let starts = starts.into_iter().map(position::<G>).collect::<PyResult<Vec<_>>>()?;
        let start = |game: usize| starts[start_of.map_or(0, |start_of| start_of[game] as usize)];
        let games: Vec<_> = moves.iter().enumerate().map(|(game, codes)| Moves { start: start(game), codes }).collect();
        interrupt::run(py, |stop| count_pieces(&games, threads, stop), |_| Ok(()))
    })?;
    let counts = counts.map_err(|illegal| PyValueError::new_err(illegal.to_string()))?;
    let array = |values| PyArray1::from_vec(py, values).reshape([moves.len(), counts.columns]);
    Ok((array(counts.black)?, array(counts.white)?))
}
