//! Games that teach: `learn_games` the weights of a linear evaluator, `learn_tables` the tables of patterns; and labels that do,
//! `fit_tables`.

use evoply_core::kernel::{FitQuestion, LearningQuestion, TableQuestion};
use evoply_core::learning::labels::Plan as FitPlan;
use evoply_core::learning::learner::Coherence;
use evoply_core::learning::settings::{Learns, Plan, RuleKind, Worth};
use evoply_core::learning::tables::Plan as TablePlan;
use evoply_core::learning::weights::{Scaling, Weights};
use evoply_core::learning::{Lesson, Lessons};
use evoply_core::rules::Color;
use evoply_core::stream::Key;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{Column, Matrix, Number, array, column};
use crate::expressions::Program;
use crate::games::{Draws, Row, draw_rules, entries, kernel, rows as kernel_rows, wrong};
use crate::interrupt;
use crate::players::parse_ordering;
use crate::positions::Positions;

/// Weights and time weights.
type Pair = (Column<f64>, Matrix<f64>);

/// The evaluator as one expression, and the places of weights and time weights among its parameters.
type ValueProgram = (Py<Program>, Column<i64>, Matrix<i64>);

/// Play games and change the weights of a linear evaluator by what they say of it.
///
/// `features`: a program with an output a feature, own minus opponent for the side to move. `rates`: a row a game. See the stub for
/// the meaning of all.
#[pyfunction]
#[pyo3(signature = (
    game, features, starts, /, *, weights, time_weights, scales, clip, key, first_game, games, rates, rule, decay = 0.0,
    learns = "both", opponent = None, epsilon = 0.0, depth = 1, value = None, ordering = "none", table = 0, backed_up = false,
    outcome = "sign", batch = 1, threads = 1, max_plies = None, draws = (None, None, None), adaptive = None, every = 1,
    recorded = None, progress = None
))]
#[allow(clippy::too_many_arguments, clippy::fn_params_excessive_bools)]
pub fn learn_games<'py>(
    py: Python<'py>,
    game: &str,
    features: &Program,
    starts: Vec<Row>,
    weights: Column<f64>,
    time_weights: Matrix<f64>,
    scales: Column<f64>,
    clip: bool,
    key: u64,
    first_game: u64,
    games: usize,
    rates: Matrix<f64>,
    rule: &str,
    decay: f64,
    learns: &str,
    opponent: Option<Pair>,
    epsilon: f64,
    depth: u32,
    value: Option<ValueProgram>,
    ordering: &str,
    table: u32,
    backed_up: bool,
    outcome: &str,
    batch: usize,
    threads: usize,
    max_plies: Option<u32>,
    draws: Draws,
    adaptive: Option<(Matrix<f64>, Matrix<f64>)>,
    every: u64,
    recorded: Option<u64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let rows = joined("time_weights", &weights, &time_weights)?;
    let coherence = adaptive.map(|(sums, sizes)| {
        let list = |name: &str, array: Matrix<f64>| {
            let wanted = [rows.rows.len() / rows.width, rows.width];
            if array.shape != wanted {
                return Err(wrong(format!("adaptive: {name} have shape {:?}: give {wanted:?}", array.shape)));
            }
            Ok(array.values)
        };
        Ok::<_, PyErr>(Coherence { sums: list("sums", sums)?, sizes: list("absolute sums", sizes)? })
    });
    if rates.shape != [games, 2] {
        return Err(wrong(format!("rates have shape {:?}: give {:?}, two for each game", rates.shape, [games, 2])));
    }
    let rates = rates.values.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect();
    let opponent = opponent.map(|(weights, times)| joined("opponent", &weights, &times)).transpose()?;
    if opponent.as_ref().is_some_and(|opponent| opponent.width != rows.width) {
        return Err(wrong("opponent: its time weights are of another degree than time_weights: give as many"));
    }
    let value = match &value {
        None => None,
        Some((program, places, times)) => Some((&*program.get().0, joined_places(places, times, rows.width)?)),
    };
    let plan = Plan {
        scaling: Scaling { scales: scales.values, clip },
        key: Key(key),
        first_game,
        rates,
        rule: rule_named(rule, decay)?,
        learns: learns_named(learns)?,
        opponent,
        epsilon,
        depth,
        ordering: parse_ordering(ordering)?,
        table: entries(table),
        backed_up,
        worth: worth_named(outcome)?,
        batch,
        threads,
        draws: draw_rules(draws),
        most_plies: max_plies,
        every,
        recorded,
    };
    let (game, starts, coherence) = (kernel(game)?, kernel_rows(starts), coherence.transpose()?);
    let question = LearningQuestion { features: &*features.0, value, starts: &starts, plan, weights: rows, coherence };
    let lessons = interrupt::run_counting(py, progress, |stop, done| game.learn(question, stop, done))?;
    answer(py, &lessons)
}

/// Rows of what belongs to a weight and what belongs to its time weights.
fn rows<T: Copy>(weights: &Column<T>, times: &Matrix<T>) -> Vec<T> {
    let degree = times.shape[1];
    let row =
        |(index, &weight)| std::iter::once(weight).chain(times.values[index * degree..][..degree].iter().copied());
    weights.values.iter().enumerate().flat_map(row).collect()
}

fn joined(name: &str, weights: &Column<f64>, times: &Matrix<f64>) -> PyResult<Weights> {
    let ([count], [rows_of_times, degree]) = (weights.shape, times.shape);
    if count != rows_of_times {
        return Err(wrong(format!("{name}: {rows_of_times} rows of time weights for {count} weights: give one each")));
    }
    Ok(Weights { rows: rows(weights, times), width: degree + 1 })
}

/// The places of weights and time weights; one below 0 is refused as one that no parameter has.
fn joined_places(weights: &Column<i64>, times: &Matrix<i64>, width: usize) -> PyResult<Vec<usize>> {
    let (shape, wanted) = (times.shape, [weights.shape[0], width - 1]);
    if shape != wanted {
        return Err(wrong(format!("value: places of time weights have shape {shape:?}: give {wanted:?}")));
    }
    Ok(rows(weights, times).into_iter().map(|place| usize::try_from(place).unwrap_or(usize::MAX)).collect())
}

fn rule_named(name: &str, decay: f64) -> PyResult<RuleKind> {
    match name {
        "td" => Ok(RuleKind::Td),
        "td-lambda" => Ok(RuleKind::TdLambda(decay)),
        "td-leaf" => Ok(RuleKind::TdLeaf(decay)),
        _ => Err(wrong(format!("rule is {name:?}: rules are td, td-lambda, td-leaf"))),
    }
}

fn learns_named(name: &str) -> PyResult<Learns> {
    match name {
        "both" => Ok(Learns::Both),
        "black" => Ok(Learns::Only(Color::Black)),
        "white" => Ok(Learns::Only(Color::White)),
        "alternate" => Ok(Learns::Alternate),
        _ => Err(wrong(format!("learns is {name:?}: give both, black, white or alternate"))),
    }
}

fn worth_named(name: &str) -> PyResult<Worth> {
    match name {
        "sign" => Ok(Worth::Sign),
        "discs" => Ok(Worth::Pieces),
        _ => Err(wrong(format!("outcome is {name:?}: give sign or discs"))),
    }
}

/// The answer as Python reads it.
fn answer<'py>(py: Python<'py>, lessons: &Lessons) -> PyResult<Bound<'py, PyDict>> {
    let Lessons { weights, coherence, history, games, failed } = lessons;
    let (width, count) = (weights.width, weights.rows.len() / weights.width);
    let part = |from: usize, to: usize| {
        weights.rows.chunks_exact(width).flat_map(|row| row[from..to].iter().copied()).collect::<Vec<_>>()
    };
    let matrix = |list: &[f64]| array(py, list, [count, width]);
    let answer = PyDict::new(py);
    answer.set_item("weights", column(py, part(0, 1))?)?;
    answer.set_item("time_weights", array(py, &part(1, width), [count, width - 1])?)?;
    let adaptive = coherence.as_ref().map(|Coherence { sums, sizes }| Ok::<_, PyErr>((matrix(sums)?, matrix(sizes)?)));
    answer.set_item("adaptive", adaptive.transpose()?)?;
    let past: Vec<f64> = history.iter().flatten().copied().collect();
    answer.set_item("history", array(py, &past, [history.len(), count, width])?)?;
    set_lessons(&answer, games)?;
    set_column(&answer, "clipped", games, |game| game.clipped)?;
    answer.set_item("failed", *failed)?;
    Ok(answer)
}

/// Play games by a sum of patterns and change its tables by what they say of it. See the stub for the meaning of all.
#[pyfunction]
#[pyo3(signature = (
    value, starts, /, *, key, first_game, rates, epsilon = 0.0, random_plies = 0, outcome = "sign", max_plies = None,
    draws = (None, None, None), recorded = None, progress = None
))]
#[allow(clippy::too_many_arguments)]
pub fn learn_tables<'py>(
    py: Python<'py>,
    value: &Program,
    starts: Vec<Row>,
    key: u64,
    first_game: u64,
    rates: Column<f64>,
    epsilon: f64,
    random_plies: u32,
    outcome: &str,
    max_plies: Option<u32>,
    draws: Draws,
    recorded: Option<u64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let plan = TablePlan {
        key: Key(key),
        first_game,
        rates: rates.values,
        epsilon,
        random_plies,
        worth: worth_named(outcome)?,
        draws: draw_rules(draws),
        most_plies: max_plies,
        recorded,
    };
    let (game, starts) = (kernel(value.0.game())?, kernel_rows(starts));
    let question = TableQuestion { value: &*value.0, starts: &starts, plan };
    let lessons = interrupt::run_counting(py, progress, |stop, done| game.learn_tables(question, stop, done))?;
    let answer = PyDict::new(py);
    answer.set_item("parameters", column(py, lessons.parameters)?)?;
    set_lessons(&answer, &lessons.games)?;
    answer.set_item("failed", lessons.failed)?;
    Ok(answer)
}

/// Fit the tables of a sum of patterns to labels of boards. See the stub for the meaning of all.
#[pyfunction]
#[pyo3(signature = (value, boards, labels, /, *, pulls, rounds, squashes, threads = 0))]
#[allow(clippy::too_many_arguments)]
pub fn fit_tables<'py>(
    py: Python<'py>,
    value: &Program,
    boards: &Positions,
    labels: Column<f64>,
    pulls: Column<f64>,
    rounds: u32,
    squashes: bool,
    threads: usize,
) -> PyResult<Bound<'py, PyDict>> {
    let (game, labels, pulls) = (kernel(value.0.game())?, labels.values, pulls.values);
    let plan = FitPlan { rounds, squashes, threads };
    let question = FitQuestion { value: &*value.0, boards: &*boards.0, labels: &labels, pulls: &pulls, plan };
    let fitted = interrupt::run(py, |stop| game.fit_tables(question, stop))?;
    let answer = PyDict::new(py);
    answer.set_item("moves", column(py, fitted.moves)?)?;
    answer.set_item("visits", column(py, fitted.visits)?)?;
    answer.set_item("errors", column(py, fitted.errors)?)?;
    Ok(answer)
}

/// What came of every game.
fn set_lessons(answer: &Bound<'_, PyDict>, games: &[Lesson]) -> PyResult<()> {
    set_column(answer, "starts", games, |game| game.start)?;
    set_column(answer, "points", games, |game| game.points)?;
    set_column(answer, "discs", games, |game| game.difference)?;
    set_column(answer, "plies", games, |game| game.plies)?;
    set_column(answer, "squared_errors", games, |game| game.squared_errors)?;
    set_column(answer, "updates", games, |game| game.updates)?;
    set_column(answer, "explored", games, |game| game.explored)?;
    answer.set_item("moves", games.iter().find(|game| !game.moves.is_empty()).map(|game| game.moves.clone()))
}

/// An entry a game.
fn set_column<T: Number>(
    answer: &Bound<'_, PyDict>,
    name: &str,
    games: &[Lesson],
    value: impl Fn(&Lesson) -> T,
) -> PyResult<()> {
    answer.set_item(name, column(answer.py(), games.iter().map(value))?)
}
