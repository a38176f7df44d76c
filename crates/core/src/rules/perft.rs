//! Perft: the number of leaves of the tree of legal moves, the usual proof that move generation is right.
//!
//! A pass is a ply, a whole multi-jump one move, and captures that differ only in path are different moves. What a game that
//! ended earlier counts is the game's affair: one leaf in Othello, none in checkers, as in their published tables. Draws by
//! repetition or quiet plies do not exist here.

use std::sync::atomic::{AtomicBool, Ordering};

use super::{Game, Rules};
use crate::bitboard::Board;
use crate::cpu::{Cpu, Task, dispatch};
use crate::lanes::LANES;
use crate::work::{Stopped, for_each_parallel};

/// Leaves at `depth` plies below a position, the last two plies counted in bulk.
struct Count<G: Game> {
    position: G,
    depth: u32,
}

impl<G: Game> Task for Count<G> {
    type Output = u64;
    const WORTH_AVX512: bool = G::Board::WORTH_AVX512;
    #[inline(always)]
    fn run<C: Cpu>(self, cpu: C) -> u64 {
        let Self { position, depth } = self;
        let ended = position.rules().ended_leaves();
        // What counts nothing is a game that has ended.
        if depth <= 1 {
            return if depth == 0 { 1 } else { (position.legal_moves().len() as u64).max(ended) };
        }
        if depth == 2 {
            return leaves_of_children(cpu, &position).max(ended);
        }
        let count = |chosen| cpu.call(Count { position: position.play_unchecked(chosen), depth: depth - 1 });
        position.legal_moves().map(count).sum::<u64>().max(ended)
    }
}

/// Two plies at once: the moves of eight children are counted side by side.
#[inline(always)]
fn leaves_of_children<G: Game>(cpu: impl Cpu, position: &G) -> u64 {
    let (mut leaves, mut expansion, rules) = (0.0, position.expand(cpu), position.rules());
    loop {
        let children = position.next_children(cpu, &mut expansion);
        // In a game with passes a side without moves has a forced pass, or the game has ended: one leaf either way.
        let counts = G::mobility_of_lanes(cpu, rules, children.seen(position.turn()));
        leaves += counts.0[..children.len].iter().map(|&count| count.max(rules.ended_leaves() as f64)).sum::<f64>();
        if children.len < LANES {
            return leaves as u64;
        }
    }
}

/// All positions one ply on; a game that has ended stays as it is, marked.
fn one_ply_on<G: Game>(positions: &[(G, bool)]) -> Vec<(G, bool)> {
    let mut next = Vec::new();
    for &(position, over) in positions {
        let before = next.len();
        if !over {
            next.extend(position.legal_moves().map(|chosen| (position.play_unchecked(chosen), false)));
        }
        if next.len() == before {
            next.push((position, true));
        }
    }
    next
}

/// Leaves at `depth` plies below `position`, counted on `threads` threads.
///
/// # Errors
/// [`Stopped`] if `stop` was set before the count was done.
pub fn perft<G: Game>(position: G, depth: u32, threads: usize, stop: &AtomicBool) -> Result<u64, Stopped> {
    if depth == 0 {
        return Ok(1);
    }
    // Step 1. Split into enough positions that every thread stays busy and a stop takes effect soon.
    let mut positions = vec![(position, false)];
    let mut split = 0;
    while positions.len() < 4096 && depth - split > 4 && !stop.load(Ordering::Relaxed) {
        positions = one_ply_on(&positions);
        split += 1;
    }
    // Step 2. Count below each of them.
    let mut leaves = vec![0_u64; positions.len()];
    for_each_parallel(&mut leaves, threads, stop, |index, leaf_count| {
        let (position, over) = positions[index];
        *leaf_count =
            if over { position.rules().ended_leaves() } else { count_stoppable(position, depth - split, stop) };
    })?;
    Ok(leaves.into_iter().sum())
}

/// As [`Count`], looking at `stop` often enough that Ctrl-C acts at once however deep the count is.
pub(super) fn count_stoppable<G: Game>(position: G, depth: u32, stop: &AtomicBool) -> u64 {
    if depth <= 5 {
        return dispatch(Count { position, depth });
    }
    let (mut leaves, mut over) = (0, true);
    for chosen in position.legal_moves() {
        over = false;
        if stop.load(Ordering::Relaxed) {
            return 0;
        }
        leaves += count_stoppable(position.play_unchecked(chosen), depth - 1, stop);
    }
    if over { position.rules().ended_leaves() } else { leaves }
}
