//! `Searcher`: a player that stays, whose search can be stopped, watched and taken up again.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use evoply_core::analysis::Question;
use evoply_core::engine::{Engine, Limits, Thought};
use evoply_core::rules::Game;
use evoply_core::stream::Key;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::games::{Any, Engines, Held, Players, Row, position};
use crate::interrupt;
use crate::players::{Analysis, Player, analysis_row};

/// Depth, score for the side to move, nodes, seconds, principal variation.
type Info = (u32, Option<f64>, u64, f64, Vec<u64>);

/// A player that keeps its table, its killers and the search of the latest position from one answer to the next.
#[pyclass(module = "evoply._native", frozen)]
pub struct Searcher {
    held: Any<Engines>,
    stop: AtomicBool,
    /// Of the exact solver.
    threads: usize,
}

/// An engine whose search came to grief forgets nothing that matters: its table holds only what is true.
fn locked<T>(engine: &Mutex<T>) -> MutexGuard<'_, T> {
    engine.lock().unwrap_or_else(PoisonError::into_inner)
}

/// So many seconds; what is no time at all is none, and what is too long no limit.
fn duration(seconds: Option<f64>) -> Option<Duration> {
    let seconds = seconds?.max(0.0);
    Duration::try_from_secs_f64(seconds).ok()
}

#[pymethods]
impl Searcher {
    /// With at least two to the power of `table` entries where values may be kept; 0: as many as the player has. The exact solver of
    /// the player uses so many `threads` (0: one a core).
    #[new]
    #[pyo3(signature = (player, /, *, table = 0, threads = 1))]
    fn new(player: &Player, table: u32, threads: usize) -> PyResult<Self> {
        let table = if table == 0 { 0 } else { 1_usize.checked_shl(table).unwrap_or(usize::MAX) };
        with_game!(player.0.game(), G => {
            let player = G::held::<Players>(&player.0, "player")?.clone();
            let engine = Engine::new(player, table).map_err(PyValueError::new_err)?;
            Ok(Self { held: G::wrap(Box::new(Mutex::new(engine))), stop: AtomicBool::new(false), threads })
        })
    }

    /// Choose at the position of a row until a limit or a stop; see `analyse` for the arguments and the answer.
    ///
    /// With `depth` the search goes there, whatever the player's own depth and nodes are. No depth is begun after `soft` seconds;
    /// after `hard` seconds the last completed depth answers. `told` hears of each completed depth: depth, score, nodes, seconds,
    /// principal variation. The last value is whether nothing ended the search before its depth.
    #[pyo3(signature = (
        row, game_key, *, moves = 0, depth = None, soft = None, hard = None, every_move = false, told = None
    ))]
    #[allow(clippy::too_many_arguments)]
    fn think(
        &self,
        py: Python<'_>,
        row: Row,
        game_key: u64,
        moves: u32,
        depth: Option<u32>,
        soft: Option<f64>,
        hard: Option<f64>,
        every_move: bool,
        told: Option<Py<PyAny>>,
    ) -> PyResult<(Analysis, bool)> {
        let limits = Limits { depth, soft: duration(soft), hard: duration(hard) };
        let question = Question { game: Key(game_key), moves, every_move, threads: self.threads };
        with_game!(self.held.game(), G => {
            let engine = G::held::<Engines>(&self.held, "engine")?;
            let position = position::<G>(row)?;
            let thought = interrupt::run_telling(
                py,
                &self.stop,
                |tell: &mut dyn FnMut(Info)| {
                    let mut tell = |choice: &evoply_core::choice::Choice<G>, elapsed: Duration| {
                        if told.is_some() {
                            let line = std::iter::once(&choice.chosen).chain(&choice.continuation);
                            let line = line.map(|&chosen| G::code(chosen)).collect();
                            tell((choice.depth, choice.score, choice.nodes, elapsed.as_secs_f64(), line));
                        }
                    };
                    Ok(locked(engine).think(&position, &question, &limits, &self.stop, &mut tell))
                },
                |_| Ok(()),
                |py, info| told.as_ref().map_or(Ok(()), |told| told.call1(py, info).map(|_| ())),
            )?;
            let Thought { analysis, is_complete } = thought.ok_or_else(game_over)?;
            Ok((analysis_row(analysis), is_complete))
        })
    }

    /// What the exact solver chooses, if the player asks it there and it answers within so many seconds.
    #[pyo3(signature = (row, game_key, *, moves = 0, within = None))]
    fn solve(
        &self,
        py: Python<'_>,
        row: Row,
        game_key: u64,
        moves: u32,
        within: Option<f64>,
    ) -> PyResult<Option<Analysis>> {
        let question = Question { game: Key(game_key), moves, every_move: false, threads: self.threads };
        with_game!(self.held.game(), G => {
            let engine = G::held::<Engines>(&self.held, "engine")?;
            let position = position::<G>(row)?;
            let thought = interrupt::run_telling(
                py,
                &self.stop,
                |_: &mut dyn FnMut(())| Ok(locked(engine).solve(&position, &question, duration(within), &self.stop)),
                |_| Ok(()),
                |_, ()| Ok(()),
            )?;
            Ok(thought.map(|thought| analysis_row(thought.analysis)))
        })
    }

    /// Take back a stop: whoever starts a search says so before anybody can stop it.
    fn ready(&self) {
        self.stop.store(false, Ordering::Relaxed);
    }

    /// End the search that runs, and every later one at its first ply, until `ready`; from any thread.
    fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Forget all that was found out.
    fn forget(&self, py: Python<'_>) -> PyResult<()> {
        with_game!(self.held.game(), G => {
            let engine = G::held::<Engines>(&self.held, "engine")?;
            py.detach(|| locked(engine).forget());
            Ok(())
        })
    }

    /// The game it plays.
    #[getter]
    fn game(&self) -> &'static str {
        self.held.game()
    }
}

fn game_over() -> PyErr {
    PyValueError::new_err("the game is over: there is no move to choose")
}
