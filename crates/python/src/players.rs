//! `Player` and `Positions`: choosing moves.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use evoply_core::analysis::Question;
use evoply_core::choice::{Drawing, Ties};
use evoply_core::evaluator::View;
use evoply_core::kernel::{Analysed, Habits, Player as KernelPlayer, Program as KernelProgram, Way};
use evoply_core::mcts::{Leaf, MctsOptions};
use evoply_core::search::SearchOptions;
use evoply_core::search::leaves::{Leaves, Noise, Per};
use evoply_core::search::ordering::MoveOrder;
use evoply_core::search::selective::{Line, Selectivity};
use evoply_core::stages::StageClock;
use evoply_core::stream::Key;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;

use crate::arrays::{Column, column};
use crate::expressions::Program;
use crate::games::{Draws, Row, draw_rules, entries, game_over, kernel, named, row as kernel_row, rows, tuple, wrong};
use crate::interrupt;
use crate::positions::Positions;

/// The most positions of one batch.
const MOST_POSITIONS: usize = 10_000_000;

/// Sigmas, stages, and for every depth the shallow one and a line for each stage.
type Selective = (f64, Vec<u32>, Vec<(u32, u32, Vec<Line>)>);

/// What chooses a move: a kind, an evaluator and its options.
#[pyclass(module = "evoply._native", frozen)]
pub struct Player(pub Arc<dyn KernelPlayer>);

/// Read the name of a view.
pub fn parse_view(view: &str) -> PyResult<View> {
    named("view", view, &[("turn", View::Turn), ("player", View::Player)])
}

fn parse_ties(ties: &str) -> PyResult<Ties> {
    let names = [
        ("first", Ties::First),
        ("last", Ties::Last),
        ("random", Ties::Random),
        ("column", Ties::Column),
        ("advanced", Ties::Advanced),
    ];
    named("tie rule", ties, &names)
}

pub fn parse_ordering(ordering: &str) -> PyResult<MoveOrder> {
    match ordering {
        "none" => Ok(MoveOrder::None),
        "hash" => Ok(MoveOrder::Hash),
        "evaluator" => Ok(MoveOrder::Evaluator),
        "tree" => Ok(MoveOrder::Program),
        "refutation" => Ok(MoveOrder::Refutation),
        "killer" => Ok(MoveOrder::Killer),
        _ => Err(wrong(format!(
            "unknown ordering {ordering:?}: orderings are usual, none, hash, evaluator, refutation, killer, tree"
        ))),
    }
}

/// What positions at the horizon are worth: `noise` is 0 for uniform draws, else the greatest whole number drawn.
fn parse_leaves(noise: Option<u32>, alternate: Option<&str>) -> PyResult<Leaves> {
    match (noise, alternate) {
        (None, None) => Ok(Leaves::Plain),
        (Some(0), None) => Ok(Leaves::Noisy(Noise::Uniform)),
        (Some(most), None) => Ok(Leaves::Noisy(Noise::Whole(most))),
        (None, Some("game")) => Ok(Leaves::Alternating(Per::Game)),
        (None, Some("move")) => Ok(Leaves::Alternating(Per::Move)),
        (None, Some("leaf")) => Ok(Leaves::Alternating(Per::Leaf)),
        (None, Some(other)) => {
            Err(wrong(format!("unknown alternation {other:?}: a coin is thrown for each game, move, leaf")))
        }
        (Some(_), Some(_)) => Err(wrong("noise and alternate do not go together")),
    }
}

#[pymethods]
impl Player {
    /// `kind`: random, `after_state` or `alpha_beta`; the last two need a program with one output. The options from
    /// `depth` on are those of `alpha_beta`; the table has two to the power of `table` entries, 0 is none; the
    /// ordering `usual` is killers or refutations where they pay and change no choice. What alternates has a program with two outputs, and so has the ordering `tree`:
    /// the second orders moves. `selective` is how many sigmas outside the window are far, the pieces that stages begin with, and
    /// for every depth that is foretold the depth that foretells it, with slope, offset and sigma for every stage.
    #[new]
    #[pyo3(signature = (
        game, kind, program = None, *, view = "player", ties = "first", epsilon = 0.0, depth = 1, nodes = None,
        milliseconds = None, ordering = "usual", table = 0, deeper = false, noise = None, alternate = None,
        quiescence = false, guard = false, endgame = 0, presses_on = false, temperature = None, overlooks = 0.0,
        selective = None
    ))]
    #[allow(clippy::too_many_arguments, clippy::fn_params_excessive_bools)] // The options of a search, as Python names them.
    fn new(
        game: &str,
        kind: &str,
        program: Option<&Program>,
        view: &str,
        ties: &str,
        epsilon: f64,
        depth: u32,
        nodes: Option<u64>,
        milliseconds: Option<u64>,
        ordering: &str,
        table: u32,
        deeper: bool,
        noise: Option<u32>,
        alternate: Option<&str>,
        quiescence: bool,
        guard: bool,
        endgame: u32,
        presses_on: bool,
        temperature: Option<f64>,
        overlooks: f64,
        selective: Option<Selective>,
    ) -> PyResult<Self> {
        let (view, ties, given) = (
            parse_view(view)?,
            parse_ties(ties)?,
            (ordering != "usual").then(|| parse_ordering(ordering)).transpose()?,
        );
        let ordering = given.unwrap_or(MoveOrder::None);
        let leaves = parse_leaves(noise, alternate)?;
        if kind != "alpha_beta" && (leaves != Leaves::Plain || quiescence || guard || endgame > 0) {
            return Err(wrong("noise, alternate, quiescence, guard and endgame are for players that look ahead"));
        }
        if kind != "alpha_beta" && (temperature.is_some() || selective.is_some()) {
            return Err(wrong("temperature and selective are for players that look ahead"));
        }
        if ordering == MoveOrder::Program && leaves.outputs() == 2 {
            return Err(wrong("ordering tree and alternate do not go together"));
        }
        let table = entries(table);
        let time = milliseconds.map(Duration::from_millis);
        let options = SearchOptions {
            depth,
            nodes,
            time,
            ordering,
            table,
            deeper,
            leaves,
            quiescence,
            guard,
            endgame,
            presses_on,
        };
        let options = if given.is_none() { options.with_usual_order() } else { options };
        let way = match kind {
            "random" => Way::Random,
            "after_state" => Way::AfterState,
            "alpha_beta" => {
                let selectivity = selective.map(|(sigmas, stages, cuts)| Selectivity::new(sigmas, stages, cuts));
                let drawing = temperature.map(|temperature| Drawing { temperature, overlooks });
                Way::AlphaBeta { options, selectivity: selectivity.transpose().map_err(wrong)?, drawing }
            }
            _ => return Err(wrong(format!("unknown kind {kind:?}: kinds are random, after_state, alpha_beta"))),
        };
        let game = kernel(game)?;
        if program.is_none() && kind != "random" {
            return Err(wrong(format!("kind {kind:?} needs a program")));
        }
        let habits = Habits { way, view, ties, epsilon };
        game.player(program.map(|program| &*program.0), habits).map(Self).map_err(wrong)
    }

    /// A player that looks one ply ahead with one of several programs with one output each, drawn for every move.
    ///
    /// `shares` has a row for every count of `clock` (`pieces` on the board, or `ply`) from none to the number of squares: how
    /// likely each program chooses there; later plies are like the last. The draw comes from the child "stage" of the move's
    /// key, and only where no share is 1.
    #[staticmethod]
    #[pyo3(signature = (game, programs, shares, *, clock = "pieces", view = "player", ties = "first"))]
    fn staged(
        game: &str,
        programs: Vec<Py<Program>>,
        shares: Vec<Vec<f64>>,
        clock: &str,
        view: &str,
        ties: &str,
    ) -> PyResult<Self> {
        let clocks = [("pieces", StageClock::Pieces), ("ply", StageClock::Plies), ("board", StageClock::Board)];
        let clock = named("clock", clock, &clocks)?;
        let (view, ties) = (parse_view(view)?, parse_ties(ties)?);
        let programs: Vec<&dyn KernelProgram> = programs.iter().map(|program| &*program.get().0).collect();
        kernel(game)?.staged(&programs, shares, clock, view, ties).map(Self).map_err(wrong)
    }

    /// A player that grows a tree of positions by playouts (UCT), with a program of one output; the values of moves are shares of
    /// points.
    ///
    /// `playout`: `random` (games of random moves), `greedy` (both sides take the best board after their move, a random one of
    /// equals, and with probability `epsilon` any move) or `none` (a leaf is worth the logistic function of its value by `scale`).
    /// `playouts` of a choice: 1000 unless time is limited. `draws`: quiet plies, repetitions (not seen) and plies at which games
    /// are drawn.
    #[staticmethod]
    #[pyo3(signature = (
        game, program, *, view = "player", playouts = None, exploration = 1.0, playout = "random", epsilon = 0.0,
        scale = 1.0, gather = 1, milliseconds = None, endgame = 0, draws = (None, None, None)
    ))]
    #[allow(clippy::too_many_arguments)]
    fn mcts(
        game: &str,
        program: &Program,
        view: &str,
        playouts: Option<u32>,
        exploration: f64,
        playout: &str,
        epsilon: f64,
        scale: f64,
        gather: u32,
        milliseconds: Option<u64>,
        endgame: u32,
        draws: Draws,
    ) -> PyResult<Self> {
        let leaves = [("random", Leaf::Random), ("greedy", Leaf::Greedy { epsilon }), ("none", Leaf::Value)];
        let leaf = named("playout", playout, &leaves)?;
        let time = milliseconds.map(Duration::from_millis);
        let options =
            MctsOptions { playouts, exploration, leaf, scale, gather, time, endgame, draws: draw_rules(draws) };
        let habits = Habits { way: Way::Mcts(options), view: parse_view(view)?, ties: Ties::First, epsilon: 0.0 };
        kernel(game)?.player(Some(&*program.0), habits).map(Self).map_err(wrong)
    }

    /// The same player, but its first `count` plies of a game, forced ones included, are uniformly random.
    #[pyo3(signature = (count, /))]
    fn with_random_moves(&self, count: u32) -> Self {
        Self(self.0.with_random_moves(count))
    }

    /// The game it plays.
    #[getter]
    fn game(&self) -> &str {
        self.0.game()
    }
}

/// Codes of moves, and their values.
type Choices<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>);

#[pymethods]
impl Positions {
    /// Rows of (Black's pieces, White's, kings of both, whether Black moves, plies played, quiet plies).
    #[new]
    #[pyo3(signature = (game, rows, /))]
    fn new(game: &str, rows: Vec<Row>) -> PyResult<Self> {
        kernel(game)?.positions(&self::rows(rows)).map(Self).map_err(wrong)
    }

    /// Positions that are not over, each after a uniform number of random plies between the two bounds, drawn again while the
    /// game is over by then.
    #[staticmethod]
    #[pyo3(signature = (game, count, key, least_plies, most_plies))]
    fn random(py: Python<'_>, game: &str, count: usize, key: u64, least_plies: u32, most_plies: u32) -> PyResult<Self> {
        if least_plies > most_plies {
            return Err(wrong(format!("{least_plies} to {most_plies} plies is no range")));
        }
        if count > MOST_POSITIONS {
            return Err(wrong(format!("{count} positions are over the limit of {MOST_POSITIONS}")));
        }
        let kernel = kernel(game)?;
        let plies = (least_plies, most_plies);
        let found = interrupt::run(py, |stop| kernel.random_positions(count, Key(key), plies, stop))?;
        found.map(Self).ok_or_else(|| {
            wrong(format!("no game of {game} that goes on was found after {least_plies} to {most_plies} plies"))
        })
    }

    fn __len__(&self) -> usize {
        self.len()
    }

    /// The row of a position.
    fn __getitem__(&self, index: usize) -> PyResult<Row> {
        self.0.row(index).map(tuple).ok_or_else(|| PyIndexError::new_err(index))
    }

    /// The move codes a player chooses, one key a position, and their values for the side to move; a position that is over gives
    /// -1, and NaN is no value.
    #[pyo3(signature = (player, keys, *, threads = 0))]
    fn choose<'py>(
        &self,
        py: Python<'py>,
        player: &Player,
        keys: Column<u64>,
        threads: usize,
    ) -> PyResult<Choices<'py>> {
        let keys = &keys.values;
        if keys.len() != self.len() {
            return Err(wrong(format!("{} keys for {} positions", keys.len(), self.len())));
        }
        let chosen = interrupt::run(py, |stop| self.0.choose(&*player.0, keys, threads, stop))?;
        let codes = column(py, chosen.iter().map(|&(code, _)| code))?;
        Ok((codes, column(py, chosen.into_iter().map(|(_, value)| value))?))
    }
}

/// Move, score for the side to move, nodes, principal variation, depth, seconds, values of all moves with their lines, and whether
/// the values are final differences of discs under best play.
pub type Analysis = (u64, Option<f64>, u64, Vec<u64>, u32, f64, Vec<(u64, f64, Vec<u64>)>, bool);

/// An analysis as Python gets it.
pub fn analysis_row(analysed: Analysed) -> Analysis {
    let Analysed { chosen, score, nodes, line, depth, elapsed, values, is_exact } = analysed;
    (chosen, score, nodes, line, depth, elapsed.as_secs_f64(), values, is_exact)
}

/// What a player chooses at a position that is not over, and what is known about it.
///
/// `game_key` is the key of the game; the draws are those of the side to move at this ply. `moves` is how many plies of its own
/// the side to move has played in it, forced ones included. The `best` moves come with their exact values for the
/// side to move, if the player values moves here; the choice, its nodes and seconds are those without. The exact solver of a player
/// uses so many `threads` (0: one a core), which change its nodes and nothing else. `earlier` has the rows of earlier positions of
/// the game that could come again, which a player that presses on avoids.
#[pyfunction]
#[pyo3(signature = (
    player, black, white, kings, black_to_move, ply, quiet_plies, game_key, *, moves = 0, best = 0,
    threads = 1, earlier = vec![]
))]
#[allow(clippy::too_many_arguments)] // A row and what it takes to ask about it.
pub fn analyse(
    py: Python<'_>,
    player: &Player,
    black: u128,
    white: u128,
    kings: u128,
    black_to_move: bool,
    ply: u32,
    quiet_plies: u32,
    game_key: u64,
    moves: u32,
    best: usize,
    threads: usize,
    earlier: Vec<Row>,
) -> PyResult<Analysis> {
    let row = kernel_row((black, white, kings, black_to_move, ply, quiet_plies));
    let question = Question { game: Key(game_key), moves, best, threads };
    let earlier = rows(earlier);
    let answer = |stop: &AtomicBool| player.0.analyse(&row, &earlier, &question, stop);
    let analysis = if player.0.is_brief() { interrupt::run_briefly(answer) } else { interrupt::run(py, answer) }?;
    analysis.map(analysis_row).ok_or_else(game_over)
}
