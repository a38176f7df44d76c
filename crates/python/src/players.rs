//! `Player` and `Positions`: choosing moves.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use evoply_core::analysis::{Analysis as KernelAnalysis, Question};
use evoply_core::arena::random_positions;
use evoply_core::choice::Ties;
use evoply_core::cpu::dispatch;
use evoply_core::evaluator::{Evaluator, View};
use evoply_core::player::{Choose, Chooser, Player as KernelPlayer, Workspace};
use evoply_core::rules::Game;
use evoply_core::search::leaves::{Leaves, Noise, Per};
use evoply_core::search::ordering::MoveOrder;
use evoply_core::search::selective::{Line, Selectivity};
use evoply_core::search::{LookAhead, SearchOptions};
use evoply_core::stages::{StageClock, Stages};
use evoply_core::stream::Key;
use evoply_core::work::{Stopped, for_each_parallel_with};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;

use crate::expressions::Program;
use crate::games::{Any, Batches, Held, Players, Programs, Row, position, row};
use crate::interrupt;

/// The most positions of one batch.
const MOST_POSITIONS: usize = 10_000_000;

/// Sigmas, stages, and for every depth the shallow one and a line for each stage.
type Selective = (f64, Vec<u32>, Vec<(u32, u32, Vec<Line>)>);

/// What chooses a move: a kind, an evaluator and its options.
#[pyclass(module = "evoply._native", frozen)]
pub struct Player(pub Any<Players>);

/// Read the name of a view.
pub fn parse_view(view: &str) -> PyResult<View> {
    match view {
        "turn" => Ok(View::Turn),
        "player" => Ok(View::Player),
        _ => Err(PyValueError::new_err(format!("unknown view {view:?}: views are turn, player"))),
    }
}

fn parse_ties(ties: &str) -> PyResult<Ties> {
    match ties {
        "first" => Ok(Ties::First),
        "last" => Ok(Ties::Last),
        "random" => Ok(Ties::Random),
        "column" => Ok(Ties::Column),
        "advanced" => Ok(Ties::Advanced),
        _ => Err(PyValueError::new_err(format!(
            "unknown tie rule {ties:?}: tie rules are first, last, random, column, advanced"
        ))),
    }
}

pub fn parse_ordering(ordering: &str) -> PyResult<MoveOrder> {
    match ordering {
        "none" => Ok(MoveOrder::None),
        "hash" => Ok(MoveOrder::Hash),
        "evaluator" => Ok(MoveOrder::Evaluator),
        "tree" => Ok(MoveOrder::Program),
        "refutation" => Ok(MoveOrder::Refutation),
        "killer" => Ok(MoveOrder::Killer),
        _ => Err(PyValueError::new_err(format!(
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
        (None, Some(other)) => Err(PyValueError::new_err(format!(
            "unknown alternation {other:?}: a coin is thrown for each game, move, leaf"
        ))),
        (Some(_), Some(_)) => Err(PyValueError::new_err("noise and alternate do not go together")),
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
        quiescence = false, endgame = 0, temperature = None, selective = None
    ))]
    #[allow(clippy::too_many_arguments)]
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
        endgame: u32,
        temperature: Option<f64>,
        selective: Option<Selective>,
    ) -> PyResult<Self> {
        let (view, ties, given) = (
            parse_view(view)?,
            parse_ties(ties)?,
            (ordering != "usual").then(|| parse_ordering(ordering)).transpose()?,
        );
        let ordering = given.unwrap_or(MoveOrder::None);
        let leaves = parse_leaves(noise, alternate)?;
        if kind != "alpha_beta" && (leaves != Leaves::Plain || quiescence || endgame > 0) {
            return Err(PyValueError::new_err(
                "noise, alternate, quiescence and endgame are for players that look ahead",
            ));
        }
        if kind != "alpha_beta" && (temperature.is_some() || selective.is_some()) {
            return Err(PyValueError::new_err("temperature and selective are for players that look ahead"));
        }
        if ordering == MoveOrder::Program && leaves.outputs() == 2 {
            return Err(PyValueError::new_err("ordering tree and alternate do not go together"));
        }
        let table = if table == 0 { 0 } else { 1_usize.checked_shl(table).unwrap_or(usize::MAX) };
        let time = milliseconds.map(Duration::from_millis);
        let options = SearchOptions { depth, nodes, time, ordering, table, deeper, leaves, quiescence, endgame };
        let options = if given.is_none() { options.with_usual_order() } else { options };
        with_game!(game, G => {
            let compiled = || -> PyResult<_> {
                let program = program.ok_or_else(|| PyValueError::new_err(format!("kind {kind:?} needs a program")))?;
                G::held::<Programs>(&program.0, "program")
            };
            let whole = || -> PyResult<Evaluator<G>> { Ok(Evaluator { program: Arc::clone(&compiled()?.program), view }) };
            // Two programs, so that a leaf does not pay for the ordering, nor the ordering for values.
            let output = |number: usize| -> PyResult<Evaluator<G>> {
                let compiled = compiled()?;
                if compiled.program.outputs() != 2 {
                    return Err(PyValueError::new_err("ordering tree needs a program with two outputs"));
                }
                Ok(Evaluator { program: compiled.output(number)?, view })
            };
            let further = |ahead: LookAhead<G>| -> Result<LookAhead<G>, String> {
                let ahead = match selective {
                    Some((sigmas, stages, cuts)) => ahead.with_selectivity(Selectivity::new(sigmas, stages, cuts)?)?,
                    None => ahead,
                };
                match temperature {
                    Some(temperature) => ahead.with_temperature(temperature),
                    None => Ok(ahead),
                }
            };
            let chooser = match kind {
                "random" => Ok(Chooser::Random),
                "after_state" => Ok(Chooser::AfterState(whole()?)),
                "alpha_beta" if ordering == MoveOrder::Program => {
                    LookAhead::new(output(0)?, Some(output(1)?), options).and_then(further).map(Chooser::AlphaBeta)
                }
                "alpha_beta" => {
                    LookAhead::new(whole()?, None, options).and_then(further).map(Chooser::AlphaBeta)
                }
                _ => Err(format!("unknown kind {kind:?}: kinds are random, after_state, alpha_beta")),
            };
            let player = chooser.and_then(|chooser| KernelPlayer::new(chooser, ties)?.with_epsilon(epsilon));
            player.map(|player| Self(G::wrap(player))).map_err(PyValueError::new_err)
        })
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
        let clock = match clock {
            "pieces" => StageClock::Pieces,
            "ply" => StageClock::Plies,
            _ => return Err(PyValueError::new_err(format!("unknown clock {clock:?}: clocks are pieces, ply"))),
        };
        let (view, ties) = (parse_view(view)?, parse_ties(ties)?);
        with_game!(game, G => {
            let evaluator = |program: &Py<Program>| -> PyResult<Evaluator<G>> {
                let program = Arc::clone(&G::held::<Programs>(&program.get().0, "program")?.program);
                Ok(Evaluator { program, view })
            };
            let evaluators = programs.iter().map(evaluator).collect::<PyResult<_>>()?;
            let player = Stages::new(evaluators, shares, clock).map(Chooser::Staged);
            let player = player.and_then(|chooser| KernelPlayer::new(chooser, ties)).map_err(PyValueError::new_err)?;
            Ok(Self(G::wrap(player)))
        })
    }

    /// The same player, but its first `count` plies of a game, forced ones included, are uniformly random.
    #[pyo3(signature = (count, /))]
    fn with_random_moves(&self, count: u32) -> PyResult<Self> {
        with_game!(self.0.game(), G => {
            let player = G::held::<Players>(&self.0, "player")?.clone();
            Ok(Self(G::wrap(player.with_random_moves(count))))
        })
    }

    /// The game it plays.
    #[getter]
    fn game(&self) -> &'static str {
        self.0.game()
    }
}

/// A batch of positions of one game.
#[pyclass(module = "evoply._native", frozen)]
pub struct Positions(pub Any<Batches>);

impl Positions {
    pub fn len(&self) -> usize {
        with_held!(&self.0, positions => positions.len())
    }
}

#[pymethods]
impl Positions {
    /// Rows of (Black's pieces, White's, kings of both, whether Black moves, plies played, quiet plies).
    #[new]
    #[pyo3(signature = (game, rows, /))]
    fn new(game: &str, rows: Vec<Row>) -> PyResult<Self> {
        with_game!(game, G => {
            let positions = rows.into_iter().map(position::<G>).collect::<PyResult<_>>()?;
            Ok(Self(G::wrap(positions)))
        })
    }

    /// Positions that are not over, each after a uniform number of random plies between the two bounds, drawn again while the
    /// game is over by then.
    #[staticmethod]
    #[pyo3(signature = (game, count, key, least_plies, most_plies))]
    fn random(py: Python<'_>, game: &str, count: usize, key: u64, least_plies: u32, most_plies: u32) -> PyResult<Self> {
        if least_plies > most_plies {
            return Err(PyValueError::new_err(format!("{least_plies} to {most_plies} plies is no range")));
        }
        if count > MOST_POSITIONS {
            return Err(PyValueError::new_err(format!("{count} positions are over the limit of {MOST_POSITIONS}")));
        }
        with_game!(game, G => {
            let found = interrupt::run(
                py,
                |stop| random_positions::<G>(count, Key(key), least_plies..=most_plies, stop),
                |_| Ok(()),
            )?;
            let positions: Option<Vec<_>> = found.into_iter().collect();
            positions.map(|positions| Self(G::wrap(positions))).ok_or_else(|| {
                PyValueError::new_err(format!(
                    "no game of {game} that goes on was found after {least_plies} to {most_plies} plies"
                ))
            })
        })
    }

    fn __len__(&self) -> usize {
        self.len()
    }

    /// The row of a position.
    fn __getitem__(&self, index: usize) -> PyResult<Row> {
        with_held!(&self.0, positions => positions.get(index).map(row)).ok_or_else(|| PyIndexError::new_err(index))
    }

    /// The move codes a player chooses, one key a position; a position that is over gives -1.
    #[pyo3(signature = (player, keys))]
    fn choose<'py>(
        &self,
        py: Python<'py>,
        player: &Player,
        keys: PyReadonlyArray1<'py, u64>,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let keys = keys.as_slice()?;
        if keys.len() != self.len() {
            return Err(PyValueError::new_err(format!("{} keys for {} positions", keys.len(), self.len())));
        }
        let codes = with_game!(self.0.game(), G => {
            let (positions, player) = (G::held::<Batches>(&self.0, "position")?, G::held::<Players>(&player.0, "player")?);
            interrupt::run(
                py,
                |stop| {
                    let mut codes = vec![-1_i64; positions.len()];
                    let ready = || {
                        let mut workspace = Workspace::default();
                        player.prepare(&mut workspace);
                        workspace
                    };
                    for_each_parallel_with(&mut codes, 0, stop, ready, |workspace, index, code| {
                        let (position, key) = (&positions[index], Key(keys[index]));
                        workspace.begin(key);
                        let choice = dispatch(Choose { player, position, key, workspace, stop });
                        *code = choice.map_or(-1, |choice| G::code(choice.chosen) as i64);
                    })?;
                    Ok(codes)
                },
                |_| Ok(()),
            )
        })?;
        Ok(PyArray1::from_vec(py, codes))
    }
}

/// Move, score for the side to move, nodes, principal variation, depth, seconds, values of all moves, and whether the values are
/// final differences of discs under best play.
pub type Analysis = (u64, Option<f64>, u64, Vec<u64>, u32, f64, Vec<(u64, f64)>, bool);

/// An analysis as Python gets it.
pub fn analysis_row<G: Game>(analysis: KernelAnalysis<G>) -> Analysis {
    let choice = analysis.choice;
    let line = std::iter::once(choice.chosen).chain(choice.continuation).map(G::code).collect();
    let (code, seconds) = (G::code(choice.chosen), analysis.elapsed.as_secs_f64());
    let values = analysis.values.into_iter().map(|(chosen, value)| (G::code(chosen), value)).collect();
    (code, choice.score, choice.nodes, line, choice.depth, seconds, values, choice.is_exact)
}

/// What a player chooses at a position that is not over, and what is known about it.
///
/// `game_key` is the key of the game; the draws are those of the side to move at this ply. `moves` is how many plies of its own
/// the side to move has played in it, forced ones included. With `every_move` every legal move comes with its exact value for the
/// side to move, if the player values moves here; the choice, its nodes and seconds are those without. The exact solver of a player
/// uses so many `threads` (0: one a core), which change its nodes and nothing else.
#[pyfunction]
#[pyo3(signature = (
    player, black, white, kings, black_to_move, ply, quiet_plies, game_key, *, moves = 0, every_move = false,
    threads = 1
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
    every_move: bool,
    threads: usize,
) -> PyResult<Analysis> {
    with_game!(player.0.game(), G => {
        let player = G::held::<Players>(&player.0, "player")?;
        let position = position::<G>((black, white, kings, black_to_move, ply, quiet_plies))?;
        let question = Question { game: Key(game_key), moves, every_move, threads };
        let answer = |stop: &AtomicBool| {
            let analysis = player.analyse(&position, &question, stop);
            if stop.load(Relaxed) { Err(Stopped) } else { Ok(analysis) }
        };
        let is_brief = player.is_brief();
        let analysis =
            if is_brief { interrupt::run_briefly(answer) } else { interrupt::run(py, answer, |_| Ok(())) }?;
        let analysis = analysis.ok_or_else(|| PyValueError::new_err("the game is over: there is no move to choose"))?;
        Ok(analysis_row(analysis))
    })
}
