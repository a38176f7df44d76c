//! `online_move`: strategies evolved before a move.

use std::time::{Duration, Instant};

use evoply_core::kernel::OnlineQuestion;
use evoply_core::online::strategy::Sight;
use evoply_core::online::{Answer, Decision, Individual, Roots, Settings};
use evoply_core::stream::Key;
use pyo3::prelude::*;

use crate::games::{Draws, Row, draw_rules, kernel, row as kernel_row, wrong};
use crate::interrupt;

/// Nodes of a tree, weights of the areas, flags.
type Alpha = (Vec<u32>, Vec<u32>, (bool, bool, bool));

/// The move, alpha's tree, weights and flags, the last generation that was played out, games, seconds; every legal move with
/// the points and games of its side.
type Found = (u64, Vec<u32>, Vec<u32>, (bool, bool, bool), u64, u64, f64, Vec<(u64, u64, u64)>);

/// Evolve strategies at a position, and choose a move by them.
///
/// `areas`: of every square, -1 for none; `corners`, `edges`: sets of squares. A node of a tree is its code and 256 times its
/// value. `alpha`: whoever is it at the beginning, otherwise one of the random individuals.
#[pyfunction]
#[pyo3(signature = (
    game, row, key, *, areas, corners, edges, population, generations, games, tournament, crossover, mutation, min_depth,
    max_depth, size_limit, init_size_limit, lowest, highest, preserve_alpha, start, redraw, choose, roots = "free", exploration = 0.5,
    mobility = false, replies = false, draws, alpha = None, milliseconds = None, threads = 1
))]
#[allow(clippy::too_many_arguments, clippy::fn_params_excessive_bools)]
pub fn online_move(
    py: Python<'_>,
    game: &str,
    row: Row,
    key: u64,
    areas: Vec<i32>,
    corners: u128,
    edges: u128,
    population: usize,
    generations: u64,
    games: usize,
    tournament: usize,
    crossover: f64,
    mutation: f64,
    min_depth: usize,
    max_depth: usize,
    size_limit: usize,
    init_size_limit: usize,
    lowest: u32,
    highest: u32,
    preserve_alpha: &str,
    start: &str,
    redraw: bool,
    choose: &str,
    roots: &str,
    exploration: f64,
    mobility: bool,
    replies: bool,
    draws: Draws,
    alpha: Option<Alpha>,
    milliseconds: Option<u64>,
    threads: usize,
) -> PyResult<Found> {
    let (alpha_crosses, alpha_mutates) = named(
        preserve_alpha,
        "preserve_alpha",
        &[("yes", (true, true)), ("no", (false, false)), ("crossover", (true, false)), ("mutation", (false, true))],
    )?;
    let settings = Settings {
        population,
        generations,
        games,
        tournament,
        crossover,
        mutation,
        depths: (min_depth, max_depth),
        size_limit,
        init_size_limit,
        lowest,
        highest,
        alpha_crosses,
        alpha_mutates,
        from_initial: named(start, "start", &[("current", false), ("initial", true)])?,
        redraw,
        decision: named(
            choose,
            "choose",
            &[
                ("alpha", Decision::Alpha),
                ("best", Decision::Best),
                ("scores", Decision::Scores),
                ("visits", Decision::Visits),
            ],
        )?,
        roots: named(
            roots,
            "roots",
            &[("free", Roots::Free), ("turns", Roots::Turns), ("halving", Roots::Halving), ("tree", Roots::Tree)],
        )?,
        exploration,
        draws: draw_rules(draws),
        time: milliseconds.map(Duration::from_millis),
        threads,
    };
    let began = Instant::now();
    let areas: Vec<_> = areas.iter().map(|&area| usize::try_from(area).ok()).collect();
    let alpha = alpha.map(|(nodes, weights, flags)| (nodes, weights, [flags.0, flags.1, flags.2]));
    let sight = Sight { measures: mobility, replies };
    let question = OnlineQuestion { areas: &areas, corners, edges, sight, settings: &settings, key: Key(key), alpha };
    let (game, row) = (kernel(game)?, kernel_row(row));
    let answer = interrupt::run(py, |stop| game.evolve_online(&row, &question, stop))?;
    Ok(found(answer, began.elapsed()))
}

/// The value of an option that has names.
fn named<T: Copy>(text: &str, option: &str, values: &[(&str, T)]) -> PyResult<T> {
    values.iter().find(|(name, _)| *name == text).map(|&(_, value)| value).ok_or_else(|| {
        let names: Vec<_> = values.iter().map(|(name, _)| *name).collect();
        wrong(format!("{option} is {}, not {text:?}", names.join(", ")))
    })
}

fn found(answer: Answer<u64>, elapsed: Duration) -> Found {
    let Answer { chosen, alpha: Individual { tree, strategy }, generation, games, roots } = answer;
    let nodes = tree.nodes().iter().map(|node| node.0).collect();
    let [corners, edges, most_pieces] = strategy.flags;
    let roots = roots.into_iter().map(|(code, score)| (code, score.points, score.games)).collect();
    let flags = (corners, edges, most_pieces);
    (chosen, nodes, strategy.weights, flags, generation, games, elapsed.as_secs_f64(), roots)
}
