//! The exact value of every move at the root, for whoever wants to know more than which one is the best.
//!
//! A search that only chooses knows bounds of the moves it did not choose. Here every move is searched with a full window,
//! by the searcher of [`super::deepening`] with an order and a table of its own: they change no value, only speed.
//!
//! Reasons: docs/design/search.md.

use std::sync::atomic::Ordering;

use super::ordering::MoveOrder;
use super::{Memory, Search, SearchOptions, deepening};
use crate::cpu::{Cpu, Task};
use crate::rules::Game;

/// Entries of the table: what a search of a few million nodes needs.
const TABLE: usize = 1 << 16;

/// From this depth on a table is worth its memory.
const LEAST_DEPTH_WITH_TABLE: u32 = 4;

/// The value of every legal move for the side to move, in their order, at a depth and without another limit: those of plain
/// minimax; and the nodes it took. `None` if the search was stopped.
pub fn search<G: Game, C: Cpu>(
    cpu: C,
    search: &Search<'_, G>,
    depth: u32,
    position: &G,
    memory: &mut Memory<G>,
) -> Option<(Vec<f64>, u64)> {
    let uses_table = depth >= LEAST_DEPTH_WITH_TABLE && !search.options.leaves.follow_paths();
    let options = SearchOptions {
        ordering: MoveOrder::Killer,
        table: if uses_table { search.options.table.max(TABLE) } else { 0 },
        leaves: search.options.leaves,
        quiescence: search.options.quiescence,
        ..SearchOptions::to_depth(depth)
    };
    let search = Search { options, orderer: None, selectivity: None, ..*search };
    cpu.call(Whole { cpu, search: &search, position, memory })
}

/// All of it, as a task of its CPU path.
struct Whole<'a, 's, G: Game, C: Cpu> {
    cpu: C,
    search: &'a Search<'s, G>,
    position: &'a G,
    memory: &'a mut Memory<G>,
}

impl<G: Game, C: Cpu> Task for Whole<'_, '_, G, C> {
    type Output = Option<(Vec<f64>, u64)>;

    #[inline(always)]
    fn run<D: Cpu>(self, _: D) -> Self::Output {
        let Self { cpu, search, position, memory } = self;
        let root = search.rule.root();
        let depth = search.options.depth;
        let mut searcher = deepening::searcher(cpu, search, position, memory);
        let mut values = Vec::new();
        if depth == 1 {
            searcher.horizon.blocks(position, root, |siblings| {
                values.extend_from_slice(siblings.values());
                searcher.nodes += siblings.nodes();
                true
            });
        } else {
            for (place, chosen) in position.legal_moves().enumerate() {
                let (child, path) = (position.play_unchecked(chosen), search.rule.step(root, place));
                values.push(-searcher.negamax(&child, path, depth - 1, f64::NEG_INFINITY, f64::INFINITY));
            }
        }
        (!search.stop.load(Ordering::Relaxed)).then_some((values, searcher.nodes))
    }
}
