//! Perft: the number of leaves of the tree of legal moves, the usual proof that move generation is right.
//!
//! A pass is a ply, and a game that ended earlier counts as one leaf: the convention of the published Othello tables.

use std::sync::atomic::{AtomicBool, Ordering};

use super::Game;
use super::othello::{Othello, flips, moves};
use crate::bitboard::{Bitboard, Board, Word};
use crate::cpu::{Cpu, Task, dispatch};
use crate::lanes::{LANES, Lanes};
use crate::work::{Stopped, for_each_parallel};

/// Leaves at `depth` plies below a position, the last ply counted in bulk.
struct Count<B: Board> {
    own: Bitboard<B>,
    opponent: Bitboard<B>,
    depth: u32,
}

impl<B: Board> Task for Count<B> {
    type Output = u64;
    #[inline(always)]
    fn run<C: Cpu>(self, cpu: C) -> u64 {
        let Self { own, opponent, depth } = self;
        let count = |own, opponent, depth| cpu.call(Count { own, opponent, depth });
        let squares = moves(own, opponent);
        if depth == 1 {
            // A forced pass is one leaf, and so is a game that has ended.
            return u64::from(squares.len().max(1));
        }
        if squares.is_empty() {
            return if moves(opponent, own).is_empty() { 1 } else { count(opponent, own, depth - 1) };
        }
        if depth == 2 {
            return leaves_below_children(own, opponent, squares);
        }
        let mut leaves = 0;
        for square in squares {
            let flipped = flips(own, opponent, square);
            leaves += count(opponent - flipped, own | flipped | Bitboard::square(square), depth - 1);
        }
        leaves
    }
}

/// Two plies at once: the moves of eight children are counted side by side.
#[inline(always)]
fn leaves_below_children<B: Board>(own: Bitboard<B>, opponent: Bitboard<B>, mut squares: Bitboard<B>) -> u64 {
    let mut leaves = 0;
    while !squares.is_empty() {
        let (mut to_move, mut waiting) = (Lanes::splat(B::Word::ZERO), Lanes::splat(B::Word::ZERO));
        let children = squares.len().min(LANES as u32);
        for lane in 0..children as usize {
            let square = squares.first();
            squares = squares.without_first();
            let flipped = flips(own, opponent, square);
            to_move.0[lane] = (opponent - flipped).0;
            waiting.0[lane] = (own | flipped | Bitboard::square(square)).0;
        }
        // A child that must pass or is over is one leaf, and an empty lane has no move.
        let counts = Othello::<B>::destinations_of_lanes(to_move, waiting).map(Word::count_ones);
        leaves += counts.0[..children as usize].iter().map(|&count| u64::from(count.max(1))).sum::<u64>();
    }
    leaves
}

/// Positions `depth` plies below `position`, passes counting as plies; a game that ended earlier stays as it is.
fn frontier<B: Board>(position: Othello<B>, depth: u32, into: &mut Vec<(Othello<B>, bool)>) {
    let mut over = true;
    if depth > 0 {
        for chosen in position.legal_moves() {
            over = false;
            frontier(position.play_unchecked(chosen), depth - 1, into);
        }
    }
    if over {
        into.push((position, depth > 0));
    }
}

/// Leaves at `depth` plies below `position`, counted on `threads` threads.
///
/// # Errors
/// [`Stopped`] if `stop` was set before the count was done.
pub fn perft<B: Board>(position: Othello<B>, depth: u32, threads: usize, stop: &AtomicBool) -> Result<u64, Stopped> {
    if depth == 0 {
        return Ok(1);
    }
    // Step 1. Split into enough positions that every thread stays busy and a stop takes effect soon.
    let split = depth.saturating_sub(6).min(5);
    let mut positions = Vec::new();
    frontier(position, split, &mut positions);
    // Step 2. Count below each of them.
    let mut leaves = vec![0_u64; positions.len()];
    for_each_parallel(&mut leaves, threads, stop, |index, leaf_count| {
        let (position, over) = positions[index];
        *leaf_count = if over { 1 } else { count_stoppable(position, depth - split, stop) };
    })?;
    Ok(leaves.into_iter().sum())
}

/// As [`Count`], looking at `stop` often enough that Ctrl-C acts at once however deep the count is.
fn count_stoppable<B: Board>(position: Othello<B>, depth: u32, stop: &AtomicBool) -> u64 {
    if depth <= 6 {
        return dispatch(Count { own: position.own(), opponent: position.opponent(), depth });
    }
    let (mut leaves, mut over) = (0, true);
    for chosen in position.legal_moves() {
        over = false;
        if stop.load(Ordering::Relaxed) {
            return 0;
        }
        leaves += count_stoppable(position.play_unchecked(chosen), depth - 1, stop);
    }
    if over { 1 } else { leaves }
}
