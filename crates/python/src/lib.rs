//! Python binding of evoply-core: convert, let go of the interpreter, call the core, convert back. No decisions here.
#![forbid(unsafe_code)]
// Python hands over values and gets values back.
#![allow(clippy::needless_pass_by_value)]

mod arena;
mod arrays;
mod endgame;
mod engine;
mod expressions;
mod games;
mod interrupt;
mod learning;
mod online;
mod ordering;
mod players;
mod positions;
mod random;
mod replay;
mod rules;

use pyo3::prelude::*;

#[pymodule]
mod _native {
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::arena::{Games, play};
    #[pymodule_export]
    use super::endgame::solve;
    #[pymodule_export]
    use super::engine::Searcher;
    #[pymodule_export]
    use super::expressions::{PrimitiveSet, Program};
    #[pymodule_export]
    use super::games::add_rules;
    #[pymodule_export]
    use super::learning::{fit_tables, learn_games, learn_tables};
    #[pymodule_export]
    use super::online::online_move;
    #[pymodule_export]
    use super::ordering::count_nodes;
    #[pymodule_export]
    use super::players::{Player, analyse};
    #[pymodule_export]
    use super::positions::Positions;
    #[pymodule_export]
    use super::random::Stream;
    #[pymodule_export]
    use super::replay::{Replayed, piece_counts, replay, replay_all, rows_along};
    #[pymodule_export]
    use super::rules::{
        clock, clock_at, destinations, legal_moves, mobility, othello_flips, othello_moves, outcome, perft, row_after,
        symmetry,
    };

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        let path = evoply_core::cpu::selected().map_err(pyo3::exceptions::PyImportError::new_err)?;
        module.add("cpu", path.name())?;
        let paths: Vec<_> = evoply_core::cpu::built().into_iter().map(evoply_core::cpu::Path::name).collect();
        module.add("paths", pyo3::types::PyTuple::new(module.py(), paths)?)?;
        module.add("rust", env!("EVOPLY_RUST"))?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
