//! Perft over boards instead of games: positions that are the same board up to symmetry have as many leaves below them, so
//! each is kept once, ply by ply, with the number of ways to it.
//!
//! No position is known by a hash, so counts are those of plain [`super::perft`] without any doubt.

use std::mem::size_of;
use std::sync::atomic::{AtomicBool, Ordering};

use super::perft::{count_stoppable, perft};
use super::{Game, Rules};
use crate::bitboard::{Bitboard, Board, Word};
use crate::work::{Stopped, for_each_parallel, for_each_parallel_with};

/// The last plies, which are counted faster than boards are compared.
const PLAIN_PLIES: u32 = 3;
/// Positions whose moves are made at once.
const CHUNK: usize = 4096;

/// A board as the side to move sees it: own, the opponent's, kings.
pub type Key<G> = [<<G as Game>::Board as Board>::Word; 3];

/// A board, one of its positions, and the number of ways to it.
#[derive(Clone, Copy)]
struct Way<G: Game> {
    key: Key<G>,
    position: G,
    ways: u64,
}

/// Rows in the opposite order.
#[inline(always)]
fn upside_down<B: Board>(set: B::Word) -> B::Word {
    let row = B::Word::from_u128((1 << B::SIZE) - 1);
    (0..B::SIZE).fold(B::Word::ZERO, |flipped, number| {
        flipped | (set >> (number * B::SIZE) & row) << ((B::SIZE - 1 - number) * B::SIZE)
    })
}

/// The squares above the main diagonal, by their distance from it.
struct Diagonals<B: Board>(std::marker::PhantomData<B>);

impl<B: Board> Diagonals<B> {
    const ABOVE: [u128; 10] = {
        let (mut above, mut distance) = ([0; 10], 1);
        while distance < B::SIZE {
            let mut row = 0;
            while row + distance < B::SIZE {
                above[distance as usize] |= 1 << (row * B::SIZE + row + distance);
                row += 1;
            }
            distance += 1;
        }
        above
    };
}

/// Rows and columns exchanged: diagonal by diagonal, both sides of the main one at once.
#[inline(always)]
fn transposed<B: Board>(set: B::Word) -> B::Word {
    (1..B::SIZE).fold(set, |set, distance| {
        let above = B::Word::from_u128(Diagonals::<B>::ABOVE[distance as usize]);
        let shift = distance * (B::SIZE - 1);
        let below = above << shift;
        (set & !(above | below)) | (set & above) << shift | (set & below) >> shift
    })
}

#[inline(always)]
fn turned<B: Board>(set: B::Word) -> B::Word {
    set.reversed() >> (8 * size_of::<B::Word>() as u32 - B::SQUARES)
}

/// What positions have in common that are the same board up to symmetry. Where pieces move, forwards matters: a board is
/// then only turned for White.
pub fn key_of<G: Game>(position: &G) -> Key<G> {
    let board = [position.own(), position.opponent(), position.kings()].map(|Bitboard(set)| set);
    if !position.rules().keeps_symmetries() {
        let turn = <G::Board as Board>::Word::from_u128(position.turn() as u128);
        return [board[0], board[1], turn];
    }
    if position.rules().moves_pieces() {
        return if position.turn() == super::Color::Black { board } else { board.map(turned::<G::Board>) };
    }
    let mut least = board;
    for board in [board, board.map(transposed::<G::Board>)] {
        let half = board.map(turned::<G::Board>);
        for image in [board, half, board.map(upside_down::<G::Board>), half.map(upside_down::<G::Board>)] {
            least = least.min(image);
        }
    }
    least
}

/// Leaves at `depth` plies below `position`, counted on `threads` threads with at most about `bytes` of memory. Where they are
/// not enough, boards are kept for fewer plies.
///
/// # Errors
/// [`Stopped`] if `stop` was set before the count was done.
pub fn perft_with_table<G: Game>(
    position: G,
    depth: u32,
    threads: usize,
    bytes: usize,
    stop: &AtomicBool,
) -> Result<u64, Stopped> {
    if depth <= PLAIN_PLIES {
        return perft(position, depth, threads, stop);
    }
    // Old boards, new ones, and these once more while they are brought together.
    let most = bytes / (3 * size_of::<Way<G>>());
    let (mut boards, mut left, mut ended) = (vec![Way { key: key_of(&position), position, ways: 1 }], depth, 0_u64);
    // Step 1. Every board of a ply once, as long as they fit.
    while left > PLAIN_PLIES {
        let Some(next) = one_ply_on(&boards, most, threads, &mut ended, stop)? else { break };
        (boards, left) = (next, left - 1);
    }
    // Step 2. Below each of them.
    let mut leaves = vec![0_u64; boards.len()];
    for_each_parallel(&mut leaves, threads, stop, |index, leaves| {
        let Way { position, ways, .. } = &boards[index];
        *leaves = ways * count_stoppable(*position, left, stop);
    })?;
    Ok(ended + leaves.into_iter().sum::<u64>())
}

/// The boards one ply on, or `None` if they may be more than `most`; games that have ended are counted in `ended`.
fn one_ply_on<G: Game>(
    boards: &[Way<G>],
    most: usize,
    threads: usize,
    ended: &mut u64,
    stop: &AtomicBool,
) -> Result<Option<Vec<Way<G>>>, Stopped> {
    let mut parts: Vec<(usize, Vec<Way<G>>, u64)> =
        (0..boards.len().div_ceil(CHUNK)).map(|_| (0, Vec::new(), 0)).collect();
    let chunk = |index: usize| &boards[index * CHUNK..boards.len().min((index + 1) * CHUNK)];
    for_each_parallel(&mut parts, threads, stop, |index, (count, _, _)| {
        *count = chunk(index).iter().map(|way| way.position.legal_moves().len()).sum();
    })?;
    if parts.iter().map(|(count, ..)| count).sum::<usize>() > most {
        return Ok(None);
    }
    for_each_parallel_with(
        &mut parts,
        threads,
        stop,
        || (),
        |(), index, (_, made, ended)| {
            for &Way { position, ways, .. } in chunk(index) {
                let before = made.len();
                made.extend(position.legal_moves().map(|chosen| {
                    let position = position.play_unchecked(chosen);
                    Way { key: key_of(&position), position, ways }
                }));
                *ended += if made.len() == before { ways * position.rules().ended_leaves() } else { 0 };
            }
            // Most boards that are the same are near each other.
            bring_together(made);
        },
    )?;
    *ended += parts.iter().map(|(.., ended)| ended).sum::<u64>();
    let mut next: Vec<Way<G>> = Vec::with_capacity(parts.iter().map(|(_, made, _)| made.len()).sum());
    for (_, made, _) in parts {
        next.extend(made);
    }
    if stop.load(Ordering::Relaxed) {
        return Err(Stopped);
    }
    bring_together(&mut next);
    Ok(Some(next))
}

/// Sort boards and keep each once, with all ways to it.
fn bring_together<G: Game>(boards: &mut Vec<Way<G>>) {
    boards.sort_unstable_by_key(|way| way.key);
    boards.dedup_by(|later, kept| {
        let is_same = later.key == kept.key;
        kept.ways += if is_same { later.ways } else { 0 };
        is_same
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bitboard::{Size4, Size6, Size8, Size10};
    use crate::stream::Key as Draws;

    fn check_symmetries<B: Board>() {
        for round in 0..200 {
            let mut draws = Draws::new(B::SIZE.into()).child(round).stream();
            let bits = u128::from(draws.bits()) << 50 | u128::from(draws.bits());
            let set = Bitboard::<B>(B::Word::from_u128(bits)) & Bitboard::FULL;
            assert_eq!(upside_down::<B>(set.0), set.symmetry(2).0);
            assert_eq!(turned::<B>(set.0), set.symmetry(3).0);
            assert_eq!(transposed::<B>(set.0), set.symmetry(4).0);
        }
    }

    #[test]
    fn images_are_those_of_the_board() {
        check_symmetries::<Size4>();
        check_symmetries::<Size6>();
        check_symmetries::<Size8>();
        check_symmetries::<Size10>();
    }
}
