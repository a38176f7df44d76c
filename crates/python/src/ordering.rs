//! `count_nodes`: what an order of moves saves a plain alpha-beta.

use evoply_core::search::ordered::{Count, Order};
use pyo3::prelude::*;

use crate::expressions::Program;
use crate::games::{Row, kernel, row as kernel_row, wrong};
use crate::interrupt;
use crate::players::parse_view;

/// Depth, move, value for its side, nodes, boards valued only to order moves, seconds.
type CountRow = (u32, u64, f64, u64, u64, f64);

/// Search a position to each of `depths` in turn by plain alpha-beta, with full windows; only the order of moves differs.
///
/// `order`: none, evaluator (the best board after the move first) or table (the move that was best when the position was
/// searched last first; 2 to the power of `table` entries, kept from one depth to the next).
#[pyfunction]
#[pyo3(signature = (game, program, row, depths, /, *, order = "none", table = 16, view = "turn"))]
#[allow(clippy::too_many_arguments)]
pub fn count_nodes(
    py: Python<'_>,
    game: &str,
    program: &Program,
    row: Row,
    depths: Vec<u32>,
    order: &str,
    table: u32,
    view: &str,
) -> PyResult<Vec<CountRow>> {
    let order = match order {
        "none" => Order::None,
        "evaluator" => Order::Evaluator,
        "table" => Order::Table(1_usize.checked_shl(table).unwrap_or(usize::MAX)),
        _ => return Err(wrong(format!("order is {order:?}: give none, evaluator or table"))),
    };
    let view = parse_view(view)?;
    let (game, row) = (kernel(game)?, kernel_row(row));
    let counts = interrupt::run(py, |stop| game.count_nodes(&*program.0, view, &row, &depths, order, stop))?;
    let row = |count: Count<u64>| {
        (count.depth, count.chosen, count.value, count.nodes, count.looks, count.elapsed.as_secs_f64())
    };
    Ok(counts.into_iter().map(row).collect())
}
