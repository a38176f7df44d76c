//! `play` and `Games`: schedules of games and what came of them.

use evoply_core::arena::{Pairing, Record};
use evoply_core::kernel::{Player as KernelPlayer, Schedule};
use evoply_core::rules::Color;
use evoply_core::stream::Key;
use pyo3::prelude::*;

use crate::arrays::{Column, Number, column};
use crate::games::{Draws, Row, draw_rules, kernel, rows, wrong};
use crate::interrupt;
use crate::players::Player;

/// What came of a schedule of games; arrays have one entry a game.
#[pyclass(module = "evoply._native", frozen)]
pub struct Games {
    records: Vec<Record>,
    recorded: bool,
}

impl Games {
    fn column<'py, T: Number>(&self, py: Python<'py>, value: impl Fn(&Record) -> T) -> PyResult<Bound<'py, PyAny>> {
        column(py, self.records.iter().map(value))
    }
}

#[pymethods]
impl Games {
    /// Black's pieces at the end.
    #[getter]
    fn black_discs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.column(py, |record| record.black_pieces as i32)
    }

    /// White's pieces at the end.
    #[getter]
    fn white_discs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.column(py, |record| record.white_pieces as i32)
    }

    /// Plies from the start position, openings and passes included.
    #[getter]
    fn plies<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.column(py, |record| record.plies as i32)
    }

    /// Who won: 1 is Black, -1 White, 0 nobody.
    #[getter]
    fn winners<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.column(py, |record| match record.winner {
            Some(Color::Black) => 1_i8,
            Some(Color::White) => -1,
            None => 0,
        })
    }

    /// What ended each game: 0 the board, 1 quiet plies, 2 repetition, 3 the cap.
    #[getter]
    fn endings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.column(py, |record| record.ending as u8)
    }

    /// A hash of the start and all moves of each game.
    #[getter]
    fn hashes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.column(py, |record| record.hash)
    }

    /// The move codes of each game, openings and passes included, if they were recorded.
    #[getter]
    fn moves(&self) -> Option<Vec<Vec<u64>>> {
        self.recorded.then(|| self.records.iter().map(|record| record.moves.clone()).collect())
    }

    /// What each of these moves was worth to the side that made it; NaN where nothing was evaluated.
    #[getter]
    fn values(&self) -> Option<Vec<Vec<f64>>> {
        let of = |record: &Record| record.values.iter().map(|value| value.unwrap_or(f64::NAN)).collect();
        self.recorded.then(|| self.records.iter().map(of).collect())
    }
}

/// Play a schedule: for each game the places of Black and White in `players`, and the keys of its opening and its draws.
///
/// `starts`: rows of the positions before the openings; `start_of` says which of them each game begins at, `None` that all begin
/// at the first. `draws`: quiet plies, repetitions and plies that make a draw; `None` is never.
#[pyfunction]
#[pyo3(signature = (
    game, players, black, white, opening_keys, game_keys, *, starts, start_of = None,
    opening_plies = 8, draws = (None, None, None), threads = 0, record_moves = false, progress = None
))]
#[allow(clippy::too_many_arguments)]
pub fn play(
    py: Python<'_>,
    game: &str,
    players: Vec<Py<Player>>,
    black: Column<u32>,
    white: Column<u32>,
    opening_keys: Column<u64>,
    game_keys: Column<u64>,
    starts: Vec<Row>,
    start_of: Option<Column<u32>>,
    opening_plies: u32,
    draws: Draws,
    threads: usize,
    record_moves: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<Games> {
    let pairings = pairings(
        players.len(),
        [&black.values, &white.values],
        [&opening_keys.values, &game_keys.values],
        starts.len(),
        start_of.as_ref().map(|start_of| &start_of.values[..]),
    )?;
    let (game, starts) = (kernel(game)?, rows(starts));
    let players: Vec<&dyn KernelPlayer> = players.iter().map(|player| &*player.get().0).collect();
    let draws = draw_rules(draws);
    let schedule = Schedule { pairings: &pairings, starts: &starts, opening_plies, record_moves, draws, threads };
    let records = interrupt::run_counting(py, progress, |stop, done| game.play(&players, &schedule, stop, done))?;
    Ok(Games { records, recorded: record_moves })
}

/// Put the columns of a schedule together, checked.
fn pairings(
    players: usize,
    seats: [&[u32]; 2],
    keys: [&[u64]; 2],
    starts: usize,
    start_of: Option<&[u32]>,
) -> PyResult<Vec<Pairing>> {
    let count = seats[0].len();
    let lengths = [seats[1].len(), keys[0].len(), keys[1].len(), start_of.map_or(count, <[u32]>::len)];
    if lengths != [count; 4] {
        return Err(wrong("the columns of a schedule have different lengths"));
    }
    if let Some(&player) = seats.into_iter().flatten().find(|&&player| player as usize >= players) {
        return Err(wrong(format!("there is no player {player}: there are {players}")));
    }
    check_starts(start_of, starts)?;
    let pairing = |game: usize| Pairing {
        black: seats[0][game],
        white: seats[1][game],
        opening: Key(keys[0][game]),
        key: Key(keys[1][game]),
        start: start_of.map_or(0, |start_of| start_of[game]),
    };
    Ok((0..count).map(pairing).collect())
}

/// Refuse places of starts that are not there.
fn check_starts(start_of: Option<&[u32]>, starts: usize) -> PyResult<()> {
    match start_of.unwrap_or(&[0]).iter().find(|&&start| start as usize >= starts) {
        Some(start) => Err(wrong(format!("there is no start {start}: there are {starts}"))),
        None => Ok(()),
    }
}
