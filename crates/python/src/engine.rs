//! `Searcher`: a player that stays, whose search can be stopped, watched and taken up again.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use evoply_core::analysis::Question;
use evoply_core::engine::Limits;
use evoply_core::kernel::{Searcher as KernelSearcher, Told};
use evoply_core::stream::Key;
use pyo3::prelude::*;

use crate::games::{Row, entries, game_over, row as kernel_row, rows, wrong};
use crate::interrupt;
use crate::players::{Analysis, Player, analysis_row};

/// Depth, score for the side to move, nodes, seconds, principal variation.
type Info = (u32, Option<f64>, u64, f64, Vec<u64>);

/// A player that keeps its table, its killers and the search of the latest position from one answer to the next.
#[pyclass(module = "evoply._native", frozen)]
pub struct Searcher {
    held: Box<dyn KernelSearcher>,
    stop: AtomicBool,
    /// Of the exact solver.
    threads: usize,
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
        let searcher = player.0.searcher(entries(table)).map_err(wrong)?;
        Ok(Self { held: searcher, stop: AtomicBool::new(false), threads })
    }

    /// Choose at the position of a row until a limit or a stop; see `analyse` for the arguments and the answer.
    ///
    /// With `depth` the search goes there, whatever the player's own depth and nodes are. No depth is begun after `soft` seconds;
    /// after `hard` seconds the last completed depth answers. `told` hears of each completed depth: depth, score, nodes, seconds,
    /// principal variation. The last value is whether nothing ended the search before its depth.
    #[pyo3(signature = (
        row, game_key, *, moves = 0, depth = None, soft = None, hard = None, best = 0, earlier = vec![],
        told = None
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
        best: usize,
        earlier: Vec<Row>,
        told: Option<Py<PyAny>>,
    ) -> PyResult<(Analysis, bool)> {
        let limits = Limits { depth, soft: duration(soft), hard: duration(hard) };
        let question = Question { game: Key(game_key), moves, best, threads: self.threads };
        let (row, earlier) = (kernel_row(row), rows(earlier));
        let thought = interrupt::run_telling(
            py,
            &self.stop,
            |tell: &mut dyn FnMut(Info)| {
                let mut tell = |news: Told| {
                    if told.is_some() {
                        tell((news.depth, news.score, news.nodes, news.elapsed.as_secs_f64(), news.line));
                    }
                };
                self.held.think(&row, &earlier, &question, &limits, &self.stop, &mut tell)
            },
            |_| Ok(()),
            |py, info| told.as_ref().map_or(Ok(()), |told| told.call1(py, info).map(|_| ())),
        )?;
        let (analysed, is_complete) = thought.ok_or_else(game_over)?;
        Ok((analysis_row(analysed), is_complete))
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
        let question = Question { game: Key(game_key), moves, best: 0, threads: self.threads };
        let row = kernel_row(row);
        let thought = interrupt::run_telling(
            py,
            &self.stop,
            |_: &mut dyn FnMut(())| self.held.solve(&row, &question, duration(within), &self.stop),
            |_| Ok(()),
            |_, ()| Ok(()),
        )?;
        Ok(thought.map(analysis_row))
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
    fn forget(&self, py: Python<'_>) {
        py.detach(|| self.held.forget());
    }

    /// The game it plays.
    #[getter]
    fn game(&self) -> &str {
        self.held.game()
    }
}
