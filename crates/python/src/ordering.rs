//! `count_nodes`: what an order of moves saves a plain alpha-beta.

use std::sync::Arc;

use evoply_core::evaluator::Evaluator;
use evoply_core::rules::Game;
use evoply_core::search::ordered::{Count, Order, count};
use evoply_core::work::Stopped;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::expressions::Program;
use crate::games::{Held, Programs, Row, position};
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
        _ => return Err(PyValueError::new_err(format!("order is {order:?}: give none, evaluator or table"))),
    };
    let view = parse_view(view)?;
    with_game!(game, G => {
        let position = position::<G>(row)?;
        if position.is_over() {
            return Err(PyValueError::new_err("the game is over: there is nothing to search"));
        }
        let program = Arc::clone(&G::held::<Programs>(&program.0, "program")?.program);
        let evaluator = Evaluator::<G> { program, view };
        let counts = interrupt::run(
            py,
            |stop| match count(&evaluator, &position, &depths, order, stop) {
                Ok(None) => Err(Stopped),
                Ok(Some(counts)) => Ok(Ok(counts)),
                Err(message) => Ok(Err(message)),
            },
            |_| Ok(()),
        )?;
        let row = |one: Count<_>| {
            (one.depth, G::code(one.chosen), one.value, one.nodes, one.looks, one.elapsed.as_secs_f64())
        };
        counts.map(|counts| counts.into_iter().map(row).collect()).map_err(PyValueError::new_err)
    })
}
