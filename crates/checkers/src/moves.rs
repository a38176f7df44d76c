//! Moves, and the diagonals along which they go.
//!
//! All pieces stand on dark squares, and a diagonal step over the edge of a board of even size ends on a light one, so no
//! shift here needs a mask against wrapping: every result is intersected with a set of dark squares.

use evoply_core::bitboard::{Bitboard, Board};
use evoply_core::lanes::Bits;

/// The four diagonals in the order of the squares they lead to: north-west, north-east, south-west, south-east.
pub(super) const DIAGONALS: usize = 4;

/// The dark squares: the second of the top row, and every other one from there.
pub(super) const fn dark(size: u32) -> u128 {
    let (mut bits, mut square) = (0, 0);
    while square < size * size {
        if (square / size + square % size) % 2 == 1 {
            bits |= 1 << square;
        }
        square += 1;
    }
    bits
}

/// Every square moved one step along a diagonal; squares that leave the board become light ones or bits beyond it.
#[inline(always)]
pub(super) fn step<B: Board, T: Bits>(set: T, diagonal: usize) -> T {
    match diagonal {
        0 => set >> (B::SIZE + 1),
        1 => set >> (B::SIZE - 1),
        2 => set << (B::SIZE - 1),
        _ => set << (B::SIZE + 1),
    }
}

/// What a step along a diagonal adds to the number of a square.
#[inline(always)]
pub(super) fn stride<B: Board>(diagonal: usize) -> i32 {
    let size = B::SIZE as i32;
    [-size - 1, -size + 1, size - 1, size + 1][diagonal]
}

/// A legal move: a step of one square, or all the jumps that one piece makes in a turn.
///
/// Packed in one number whose order is the order of legal moves: the square it starts from, the diagonals of its path
/// from the first (two bits each, sixteen at most, as many pieces as one piece can take on 10x10), then the number of jumps,
/// 0 for a step. The last part never decides: no legal path is the beginning of another.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Move(u64);

/// Bits of the number of jumps.
const JUMPS_BITS: u32 = 5;
/// Bits of the path.
const PATH_BITS: u32 = 32;

impl Move {
    #[inline(always)]
    pub(super) fn step(from: u32, diagonal: usize) -> Self {
        Self(u64::from(from) << (PATH_BITS + JUMPS_BITS) | (diagonal as u64) << (PATH_BITS + JUMPS_BITS - 2))
    }

    #[inline(always)]
    pub(super) fn standing(from: u32) -> Self {
        Self(u64::from(from) << (PATH_BITS + JUMPS_BITS))
    }

    /// The move with one jump more.
    #[inline(always)]
    pub(super) fn jump(self, diagonal: usize) -> Self {
        Self((self.0 | (diagonal as u64) << (PATH_BITS + JUMPS_BITS - 2 - 2 * self.jumps())) + 1)
    }

    /// The move as a number below 2^44, in the order of legal moves.
    #[inline(always)]
    pub fn code(self) -> u64 {
        self.0
    }

    /// The square that the piece leaves.
    #[inline(always)]
    pub fn from(self) -> u32 {
        (self.0 >> (PATH_BITS + JUMPS_BITS)) as u32
    }

    /// How many pieces it takes; 0 for a step.
    #[inline(always)]
    pub fn jumps(self) -> u32 {
        (self.0 & ((1 << JUMPS_BITS) - 1)) as u32
    }

    #[inline(always)]
    fn diagonal(self, index: u32) -> usize {
        (self.0 >> (PATH_BITS + JUMPS_BITS - 2 - 2 * index)) as usize & 3
    }

    /// The squares that the piece comes to, in order, and that of the piece it jumps over on the way to each; none for a
    /// step.
    #[inline(always)]
    pub fn path<B: Board>(self) -> impl Iterator<Item = (u32, Option<u32>)> {
        let jumps = self.jumps();
        let mut at = self.from() as i32;
        (0..jumps.max(1)).map(move |index| {
            let stride = stride::<B>(self.diagonal(index));
            let over = (jumps > 0).then_some((at + stride) as u32);
            at += if jumps > 0 { 2 * stride } else { stride };
            (at as u32, over)
        })
    }

    /// The square that the piece comes to in the end, and those of the pieces that it takes.
    #[inline(always)]
    pub fn effect<B: Board>(self) -> (u32, Bitboard<B>) {
        if self.jumps() == 0 {
            return ((self.from() as i32 + stride::<B>(self.diagonal(0))) as u32, Bitboard::EMPTY);
        }
        let (mut to, mut captured) = (self.from(), Bitboard::EMPTY);
        for (square, over) in self.path::<B>() {
            to = square;
            if let Some(over) = over {
                captured = captured | Bitboard::square(over);
            }
        }
        (to, captured)
    }

    /// The square that the piece comes to in the end.
    #[inline(always)]
    pub fn to<B: Board>(self) -> u32 {
        self.effect::<B>().0
    }

    /// The squares of the pieces that it takes.
    #[inline(always)]
    pub fn captured<B: Board>(self) -> Bitboard<B> {
        self.effect::<B>().1
    }
}
