//! The games that the kernel knows, by name: a table that can grow while the process runs.

use std::sync::{LazyLock, PoisonError, RwLock};

use evoply_core::kernel::{Failure, Kernel, Row as KernelRow};
use evoply_core::rules::draws::DrawRules;
use pyo3::exceptions::{PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;

/// The table. Each family of games is a crate of its own.
static GAMES: LazyLock<RwLock<Vec<&'static dyn Kernel>>> = LazyLock::new(|| {
    RwLock::new(evoply_othello_kernel::kernels().into_iter().chain(evoply_checkers_kernel::kernels()).collect())
});

/// The game of a name.
pub fn kernel(name: &str) -> PyResult<&'static dyn Kernel> {
    let games = GAMES.read().unwrap_or_else(PoisonError::into_inner);
    games.iter().find(|game| game.name() == name).copied().ok_or_else(|| {
        let names: Vec<_> = games.iter().map(|game| game.name()).collect();
        PyValueError::new_err(format!("unknown game {name:?}: games are {}", names.join(", ")))
    })
}

/// Add the game of a name and the written form of its rules; the same name stands for the same rules for as long as the process
/// runs.
#[pyfunction]
#[pyo3(signature = (name, rules, /))]
pub fn add_rules(name: &str, rules: &str) -> PyResult<()> {
    let mut games = GAMES.write().unwrap_or_else(PoisonError::into_inner);
    if games.iter().all(|game| game.name() != name) {
        games.push(evoply_data_game_kernel::kernel(name, rules).map_err(wrong)?);
    }
    Ok(())
}

/// A position as Python gives it: Black's pieces, White's, kings of both, whether Black moves, plies, quiet plies.
pub type Row = (u128, u128, u128, bool, u32, u32);

/// A row as the kernel takes it.
pub fn row((black, white, kings, black_to_move, ply, quiet_plies): Row) -> KernelRow {
    KernelRow { black, white, kings, black_to_move, ply, quiet_plies }
}

/// Rows as the kernel takes them.
pub fn rows(rows: Vec<Row>) -> Vec<KernelRow> {
    rows.into_iter().map(row).collect()
}

/// A row as Python takes it.
pub fn tuple(row: KernelRow) -> Row {
    (row.black, row.white, row.kings, row.black_to_move, row.ply, row.quiet_plies)
}

/// When games are drawn, as Python gives it: quiet plies, repetitions, plies; `None` is never.
pub type Draws = (Option<u32>, Option<u32>, Option<u32>);

/// The same as the kernel takes it.
pub fn draw_rules((quiet_plies, repetitions, most_plies): Draws) -> DrawRules {
    DrawRules { quiet_plies, repetitions, most_plies }
}

/// Two to the power of `table`, the entries of a table; 0 is none.
pub fn entries(table: u32) -> usize {
    if table == 0 { 0 } else { 1_usize.checked_shl(table).unwrap_or(usize::MAX) }
}

/// The value of a name among those that a thing has.
pub fn named<T: Copy>(what: &str, name: &str, values: &[(&str, T)]) -> PyResult<T> {
    values.iter().find(|(known, _)| *known == name).map(|&(_, value)| value).ok_or_else(|| {
        let names: Vec<_> = values.iter().map(|(name, _)| *name).collect();
        wrong(format!("unknown {what} {name:?}: {what}s are {}", names.join(", ")))
    })
}

/// That nothing can be chosen at the end.
pub fn game_over() -> PyErr {
    wrong("the game is over: there is no move to choose")
}

/// What is wrong, as Python hears of it.
pub fn wrong(message: impl Into<String>) -> PyErr {
    PyValueError::new_err(message.into())
}

/// Why there is no answer, as Python hears of it.
pub fn failed(failure: Failure) -> PyErr {
    match failure {
        Failure::Wrong(message) => wrong(message),
        Failure::Stopped => PyKeyboardInterrupt::new_err("stopped"),
    }
}
