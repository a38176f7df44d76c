//! The exact value of every move at the root, for whoever wants to know more than which one is the best.
//!
//! A search that only chooses knows bounds of the moves it did not choose. Here every move is searched with a full window,
//! by the searcher of [`super::deepening`] with an order and a table of its own: they change no value, only speed. Where only the
//! best moves are wanted, a move that is below as many others is left at a bound.
//!
//! Reasons: docs/design/search.md.

use std::cmp::Ordering::Equal;
use std::sync::atomic::Ordering;

use super::ordering::MoveOrder;
use super::{Memory, Search, SearchOptions, deepening};
use crate::choice::Lines;
use crate::cpu::{Cpu, Task};
use crate::rules::Game;

/// Entries of the table: what a search of a few million nodes needs.
const TABLE: usize = 1 << 16;

/// From this depth on it pays to rank moves by a search two plies shallower, if only the best are wanted.
const LEAST_DEPTH_TO_RANK: u32 = 3;

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
    every(cpu, search, depth, position, usize::MAX, memory, None)
}

/// The same of so many of the best moves only, and what follows each: the others may have their value or NaN, but those that
/// [`keep_best`] keeps have it.
pub fn best<G: Game, C: Cpu>(
    cpu: C,
    search: &Search<'_, G>,
    depth: u32,
    position: &G,
    most: usize,
    memory: &mut Memory<G>,
) -> Option<(Vec<f64>, Lines<G>)> {
    let mut lines = Vec::new();
    let (values, _) = every(cpu, search, depth, position, most, memory, Some(&mut lines))?;
    Some((values, lines))
}

/// The values of all moves, or of the best, the nodes that it took, and the lines if somebody wants them.
fn every<G: Game, C: Cpu>(
    cpu: C,
    search: &Search<'_, G>,
    depth: u32,
    position: &G,
    most: usize,
    memory: &mut Memory<G>,
    lines: Option<&mut Lines<G>>,
) -> Option<(Vec<f64>, u64)> {
    let uses_table = depth >= LEAST_DEPTH_WITH_TABLE && !search.options.leaves.follow_paths();
    let options = SearchOptions {
        ordering: MoveOrder::Killer,
        table: if uses_table { search.options.table.max(TABLE) } else { 0 },
        leaves: search.options.leaves,
        quiescence: search.options.quiescence,
        guard: search.options.guard,
        ..SearchOptions::to_depth(depth)
    };
    let search = Search { options, orderer: None, selectivity: None, ..*search };
    // A shallow search says which moves are likely to be the best: the sooner these are known, the more others are left out.
    let (first, nodes) = if depth >= LEAST_DEPTH_TO_RANK && most < position.legal_moves().len() {
        self::search(cpu, &search, depth - 2, position, memory)?
    } else {
        (Vec::new(), 0)
    };
    let (values, more) = cpu.call(Whole { cpu, search: &search, position, most, first: &first, memory, lines })?;
    Some((values, nodes + more))
}

/// Make all values but the greatest so many NaN; of equal values the first stay.
pub fn keep_best(values: &mut [f64], most: usize) {
    if most >= values.len() {
        return;
    }
    for place in ranked(values).skip(most).collect::<Vec<_>>() {
        values[place] = f64::NAN;
    }
}

/// The places of values that are numbers, the greatest first, of equal ones the first.
fn ranked(values: &[f64]) -> impl Iterator<Item = usize> {
    let mut places: Vec<usize> = (0..values.len()).filter(|&place| !values[place].is_nan()).collect();
    // The sort is stable, so of equal values the first stays first.
    places.sort_by(|&one, &other| values[other].partial_cmp(&values[one]).unwrap_or(Equal));
    places.into_iter()
}

/// All of it, as a task of its CPU path.
struct Whole<'a, 's, G: Game, C: Cpu> {
    cpu: C,
    search: &'a Search<'s, G>,
    position: &'a G,
    most: usize,
    /// Values of the moves by a shallower search, if there was one.
    first: &'a [f64],
    memory: &'a mut Memory<G>,
    lines: Option<&'a mut Lines<G>>,
}

impl<G: Game, C: Cpu> Task for Whole<'_, '_, G, C> {
    type Output = Option<(Vec<f64>, u64)>;

    #[inline(always)]
    fn run<D: Cpu>(self, _: D) -> Self::Output {
        let Self { cpu, search, position, most, first, memory, mut lines } = self;
        let root = search.rule.root();
        let depth = search.options.depth;
        let mut searcher = deepening::searcher(cpu, search, position, memory);
        let mut values = Vec::new();
        if depth == 1 {
            searcher.horizon.blocks(position, root, |siblings| {
                values.extend_from_slice(siblings.values());
                searcher.tally.nodes += siblings.nodes();
                true
            });
        } else {
            let moves: Vec<_> = position.legal_moves().collect();
            let places = if first.is_empty() { (0..moves.len()).collect() } else { ranked(first).collect::<Vec<_>>() };
            values = vec![f64::NAN; moves.len()];
            if let Some(lines) = lines.as_mut() {
                lines.resize(moves.len(), Vec::new());
            }
            // The greatest values so far, the least of them last.
            let mut greatest: Vec<f64> = Vec::new();
            for place in places {
                let (child, path) = (position.play_unchecked(moves[place]), search.rule.step(root, place));
                // A value equal to the last of them must be known, because the first of equal moves counts.
                let least = greatest.get(most.wrapping_sub(1)).map_or(f64::NEG_INFINITY, |least| least.next_down());
                let value = -searcher.negamax(&child, path, depth - 1, f64::NEG_INFINITY, -least);
                if value > least {
                    values[place] = value;
                    if let Some(lines) = lines.as_mut() {
                        lines[place].extend_from_slice(searcher.line(depth - 1));
                    }
                    let rank = greatest.partition_point(|&known| known >= value);
                    greatest.insert(rank, value);
                }
            }
        }
        (!search.stop.load(Ordering::Relaxed)).then_some((values, searcher.tally.nodes))
    }
}
