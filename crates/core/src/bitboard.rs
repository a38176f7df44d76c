//! Sets of squares of an n x n board, packed row by row into one machine word.
//!
//! Square a1 is the top left corner and bit 0; b1 is bit 1; a2 is bit n. This module knows geometry, not rules.

use std::fmt::{self, Debug};
use std::ops::{BitAnd, BitOr, Not, Sub};

pub use crate::board::{Board, Direction, MAX_SQUARES, Size4, Size6, Size8, Size10, Word};

/// A set of squares.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Bitboard<B: Board>(pub B::Word);

impl<B: Board> Bitboard<B> {
    /// No square.
    pub const EMPTY: Self = Self(B::Word::ZERO);
    /// Every square of the board.
    pub const FULL: Self = Self(B::FULL);

    /// The set of some bits, checked.
    ///
    /// # Errors
    /// Some are beyond the board.
    pub fn from_bits(bits: u128) -> Result<Self, String> {
        if bits & !B::FULL.to_u128() != 0 {
            return Err(format!("squares outside the {0}x{0} board: {bits:#x}", B::SIZE));
        }
        Ok(Self(B::Word::from_u128(bits)))
    }

    /// The set of one square.
    ///
    /// The square is one of the board: beyond the word the shift has no meaning.
    #[inline(always)]
    pub fn square(square: u32) -> Self {
        Self(B::Word::ONE << square)
    }

    /// Number of squares in the set.
    #[inline(always)]
    pub fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether the set has no square.
    #[inline(always)]
    pub fn is_empty(self) -> bool {
        self.0 == B::Word::ZERO
    }

    /// Whether `square` is in the set.
    #[inline(always)]
    pub fn contains(self, square: u32) -> bool {
        !(self & Self::square(square)).is_empty()
    }

    /// The lowest square of a set that is not empty.
    #[inline(always)]
    pub fn first(self) -> u32 {
        self.0.trailing_zeros()
    }

    /// The set without its lowest square.
    #[inline(always)]
    #[must_use]
    pub fn without_first(self) -> Self {
        Self(self.0 & self.0.wrapping_sub(B::Word::ONE))
    }

    /// Every square moved one step; what leaves the board is gone, nothing wraps round.
    #[inline(always)]
    #[must_use]
    pub fn shift(self, direction: Direction) -> Self {
        let (_, column_step) = direction.step();
        let staying = match column_step {
            1 => self.0 & !B::LAST_FILE,
            -1 => self.0 & !B::FIRST_FILE,
            _ => self.0,
        };
        let moved = match direction {
            Direction::East => staying << 1,
            Direction::SouthWest => staying << (B::SIZE - 1),
            Direction::South => staying << B::SIZE,
            Direction::SouthEast => staying << (B::SIZE + 1),
            Direction::West => staying >> 1,
            Direction::NorthEast => staying >> (B::SIZE - 1),
            Direction::North => staying >> B::SIZE,
            Direction::NorthWest => staying >> (B::SIZE + 1),
        };
        Self(moved & B::FULL)
    }

    /// Grow `self` (its part inside `through`) step by step in `directions` without leaving `through`, until it stops.
    ///
    /// Anchored edge runs, rays and connected regions are all fills.
    #[inline(always)]
    #[must_use]
    pub fn fill(self, through: Self, directions: &[Direction]) -> Self {
        let mut grown = self & through;
        loop {
            let next = directions.iter().fold(grown, |set, &direction| set | (grown.shift(direction) & through));
            if next == grown {
                return grown;
            }
            grown = next;
        }
    }

    /// The set under one of the eight symmetries of the square.
    ///
    /// Bit 2 of `index` exchanges rows and columns, then bit 1 turns the board upside down, then bit 0 exchanges left
    /// and right. 0 is the identity, 3 the half turn.
    #[must_use]
    pub fn symmetry(self, index: u8) -> Self {
        self.into_iter().fold(Self::EMPTY, |set, square| set | Self::square(symmetry_of_square::<B>(square, index)))
    }
}

/// Where `square` goes under symmetry `index` (see [`Bitboard::symmetry`]).
pub fn symmetry_of_square<B: Board>(square: u32, index: u8) -> u32 {
    let (mut row, mut column) = (square / B::SIZE, square % B::SIZE);
    if index & 4 != 0 {
        (row, column) = (column, row);
    }
    if index & 2 != 0 {
        row = B::SIZE - 1 - row;
    }
    if index & 1 != 0 {
        column = B::SIZE - 1 - column;
    }
    row * B::SIZE + column
}

/// A set of squares of a board of a size known at run time under one of the eight symmetries (see [`Bitboard::symmetry`]).
///
/// # Errors
/// There is no board of the size, or the set leaves it.
pub fn symmetry_on(size: u32, squares: u128, index: u8) -> Result<u128, String> {
    fn moved<B: Board>(squares: u128, index: u8) -> Result<u128, String> {
        Bitboard::<B>::from_bits(squares).map(|set| set.symmetry(index).0.to_u128())
    }
    match size {
        4 => moved::<Size4>(squares, index),
        6 => moved::<Size6>(squares, index),
        8 => moved::<Size8>(squares, index),
        10 => moved::<Size10>(squares, index),
        other => Err(format!("no board of size {other}: sizes are 4, 6, 8, 10")),
    }
}

impl<B: Board> BitAnd for Bitboard<B> {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl<B: Board> BitOr for Bitboard<B> {
    type Output = Self;
    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl<B: Board> Sub for Bitboard<B> {
    type Output = Self;
    /// Set difference.
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

impl<B: Board> Not for Bitboard<B> {
    type Output = Self;
    /// The squares of the board that are not in the set.
    #[inline(always)]
    fn not(self) -> Self {
        Self(!self.0 & B::FULL)
    }
}

/// The squares of a set, lowest first.
#[derive(Clone)]
pub struct Squares<B: Board>(Bitboard<B>);

impl<B: Board> Iterator for Squares<B> {
    type Item = u32;
    #[inline(always)]
    fn next(&mut self) -> Option<u32> {
        if self.0.is_empty() {
            return None;
        }
        let square = self.0.first();
        self.0 = self.0.without_first();
        Some(square)
    }
    fn size_hint(&self) -> (usize, Option<usize>) {
        let count = self.0.len() as usize;
        (count, Some(count))
    }
}

impl<B: Board> IntoIterator for Bitboard<B> {
    type Item = u32;
    type IntoIter = Squares<B>;
    #[inline(always)]
    fn into_iter(self) -> Squares<B> {
        Squares(self)
    }
}

impl<B: Board> FromIterator<u32> for Bitboard<B> {
    fn from_iter<I: IntoIterator<Item = u32>>(squares: I) -> Self {
        squares.into_iter().fold(Self::EMPTY, |set, square| set | Self::square(square))
    }
}

impl<B: Board> Debug for Bitboard<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for square in 0..B::SQUARES {
            if square % B::SIZE == 0 {
                writeln!(f)?;
            }
            f.write_str(if self.contains(square) { "x" } else { "." })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The slow, obvious way: move every square by its coordinates.
    fn shift_by_coordinates<B: Board>(set: Bitboard<B>, direction: Direction) -> Bitboard<B> {
        let (row_step, column_step) = direction.step();
        let size = B::SIZE as i32;
        set.into_iter()
            .filter_map(|square| {
                let (row, column) = (square as i32 / size + row_step, square as i32 % size + column_step);
                ((0..size).contains(&row) && (0..size).contains(&column)).then_some((row * size + column) as u32)
            })
            .collect()
    }

    fn check_geometry<B: Board>() {
        let stream = crate::stream::Key::new(u64::from(B::SIZE));
        for i in 0..200 {
            let mut draws = stream.child(i).stream();
            let set = Bitboard::<B>(B::Word::from_u128(u128::from(draws.bits()) << 50 | u128::from(draws.bits())))
                & Bitboard::FULL;
            for direction in Direction::ALL {
                assert_eq!(set.shift(direction), shift_by_coordinates(set, direction));
            }
            for index in 0..8 {
                assert_eq!(set.symmetry(index).len(), set.len());
                let back = if index & 4 != 0 { [0, 2, 1, 3][index as usize & 3] | 4 } else { index };
                assert_eq!(set.symmetry(index).symmetry(back), set);
            }
            assert_eq!(set.len() + (!set).len(), B::SQUARES);
        }
        for square in 0..B::SQUARES {
            for (index, direction) in Direction::ALL.into_iter().enumerate() {
                let start = Bitboard::<B>::square(square);
                let ray = start.fill(Bitboard::FULL, &[direction]) - start;
                assert_eq!(ray.0, B::RAYS[square as usize][index]);
            }
        }
    }

    #[test]
    fn geometry_agrees_with_coordinates() {
        check_geometry::<Size4>();
        check_geometry::<Size6>();
        check_geometry::<Size8>();
        check_geometry::<Size10>();
    }
}
