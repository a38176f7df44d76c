//! Perft of checkers: a whole multi-jump is one move, captures that differ only in path are different moves, and a game
//! that ended earlier is no leaf: the convention of the published tables (OEIS A133046).

use std::sync::atomic::{AtomicBool, Ordering};

use super::{Checkers, Variant};
use crate::cpu::{Cpu, Task, dispatch};
use crate::work::{Stopped, for_each_parallel};

/// Leaves at `depth` plies below a position, the last ply counted in bulk.
struct Count<V: Variant> {
    position: Checkers<V>,
    depth: u32,
}

impl<V: Variant> Task for Count<V> {
    type Output = u64;
    #[inline(always)]
    fn run<C: Cpu>(self, cpu: C) -> u64 {
        let Self { position, depth } = self;
        let side = position.side_to_move();
        if depth <= 1 {
            return if depth == 0 { 1 } else { side.number_of_moves().into() };
        }
        let mut leaves = 0;
        side.for_each_move(|chosen| {
            let child = position.play_unchecked(chosen);
            leaves += match depth {
                2 => child.side_to_move().number_of_moves().into(),
                _ => cpu.call(Count { position: child, depth: depth - 1 }),
            };
        });
        leaves
    }
}

/// Leaves at `depth` plies below `position`, counted on `threads` threads (0: one a core).
///
/// # Errors
/// [`Stopped`] if `stop` was set before the count was done.
pub fn perft<V: Variant>(position: Checkers<V>, depth: u32, threads: usize, stop: &AtomicBool) -> Result<u64, Stopped> {
    // Step 1. Split into enough positions that every thread stays busy and a stop takes effect soon.
    let mut positions = vec![position];
    let mut split = 0;
    while positions.len() < 4096 && depth > split + 4 && !positions.is_empty() && !stop.load(Ordering::Relaxed) {
        positions = positions
            .iter()
            .flat_map(|position| position.legal_moves().map(|chosen| position.play_unchecked(chosen)))
            .collect();
        split += 1;
    }
    // Step 2. Count below each of them.
    let mut leaves = vec![0_u64; positions.len()];
    for_each_parallel(&mut leaves, threads, stop, |index, leaf_count| {
        *leaf_count = count_stoppable(positions[index], depth - split, stop);
    })?;
    Ok(leaves.into_iter().sum())
}

/// As [`Count`], looking at `stop` often enough that Ctrl-C acts at once however deep the count is.
fn count_stoppable<V: Variant>(position: Checkers<V>, depth: u32, stop: &AtomicBool) -> u64 {
    if depth <= 6 {
        return dispatch(Count { position, depth });
    }
    let mut leaves = 0;
    for chosen in position.legal_moves() {
        if stop.load(Ordering::Relaxed) {
            return 0;
        }
        leaves += count_stoppable(position.play_unchecked(chosen), depth - 1, stop);
    }
    leaves
}
