//! Boards of any rows and columns, and of any squares in them, in the words of the board types.
//!
//! A [`Board`] is a square board known when the code is compiled. A [`Geometry`] is what a game is really played on: rows and
//! columns that are known only when the game is, counted row by row as everywhere, and the squares of them that can be played.
//! Of a whole square board, as all compiled games have it, it adds nothing.

use crate::bitboard::{Bitboard, Direction};
use crate::board::{Board, Word};
use crate::lanes::Bits;

/// The most bits that [`Bits`] are shifted by at once.
const MOST: u32 = 63;

/// What is played on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Geometry<B: Board> {
    rows: u32,
    columns: u32,
    playable: Bitboard<B>,
    first_column: B::Word,
    last_column: B::Word,
}

/// A step of every square of a set: what stays on its row, and how far it goes in the word.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Step<W> {
    /// The squares that do not leave the board to the side.
    pub staying: W,
    /// Bits towards higher squares; negative towards lower ones.
    pub by: i32,
    /// The squares that can be reached.
    pub playable: W,
}

impl<W: Word> Step<W> {
    /// Every square of a set, of one board or of several, one step further; what leaves the board is gone.
    #[inline(always)]
    pub fn of<T: Bits>(&self, set: T, spread: impl Fn(W) -> T) -> T {
        moved(set & spread(self.staying), self.by) & spread(self.playable)
    }
}

/// Bits moved by some places.
#[inline(always)]
pub fn moved<T: Bits>(set: T, by: i32) -> T {
    let far = by.unsigned_abs();
    match (by >= 0, far > MOST) {
        (true, false) => set << far,
        (false, false) => set >> far,
        (true, true) => (set << MOST) << (far - MOST),
        (false, true) => (set >> MOST) >> (far - MOST),
    }
}

impl<B: Board> Geometry<B> {
    /// The whole board of the type.
    pub const WHOLE: Self = Self {
        rows: B::SIZE,
        columns: B::SIZE,
        playable: Bitboard::FULL,
        first_column: B::FIRST_FILE,
        last_column: B::LAST_FILE,
    };

    /// So many rows and columns, and the squares of them that can be played; `None` if the type has no room for them.
    pub fn new(rows: u32, columns: u32, playable: u128) -> Option<Self> {
        let squares = rows.checked_mul(columns)?;
        if rows == 0 || columns == 0 || squares > B::SQUARES || (squares < 128 && playable >> squares != 0) {
            return None;
        }
        let first_column = (0..rows).fold(B::Word::ZERO, |set, row| set | (B::Word::ONE << (row * columns)));
        let playable = Bitboard(B::Word::from_u128(playable));
        Some(Self { rows, columns, playable, first_column, last_column: first_column << (columns - 1) })
    }

    /// Whether it is the whole board of the type.
    #[inline(always)]
    pub fn is_whole(&self) -> bool {
        self.columns == B::SIZE && self.playable == Bitboard::FULL
    }

    /// Rows.
    pub fn rows(&self) -> u32 {
        self.rows
    }

    /// Columns.
    pub fn columns(&self) -> u32 {
        self.columns
    }

    /// Squares, those that cannot be played among them.
    #[inline(always)]
    pub fn squares(&self) -> u32 {
        self.rows * self.columns
    }

    /// The squares that can be played.
    #[inline(always)]
    pub fn playable(&self) -> Bitboard<B> {
        self.playable
    }

    /// A step so many rows down and columns to the right.
    pub fn offset(&self, (down, right): (i32, i32)) -> Step<B::Word> {
        let mut staying = B::Word::ZERO;
        for column in 0..self.columns as i32 {
            if (0..self.columns as i32).contains(&(column + right)) {
                staying = staying | (self.first_column << column as u32);
            }
        }
        Step { staying, by: down * self.columns as i32 + right, playable: self.playable.0 }
    }

    /// A step in a direction.
    #[inline(always)]
    pub fn step(&self, direction: Direction) -> Step<B::Word> {
        let (down, right) = direction.step();
        let staying = match right {
            1 => !self.last_column,
            -1 => !self.first_column,
            _ => !B::Word::ZERO,
        };
        Step { staying, by: down * self.columns as i32 + right, playable: self.playable.0 }
    }

    /// The squares that can be played and are not in a set.
    #[inline(always)]
    #[must_use]
    pub fn complement(&self, set: Bitboard<B>) -> Bitboard<B> {
        self.playable - set
    }

    /// As [`Bitboard::shift`].
    #[inline(always)]
    #[must_use]
    pub fn shift(&self, set: Bitboard<B>, direction: Direction) -> Bitboard<B> {
        Bitboard(self.step(direction).of(set.0, |mask| mask))
    }

    /// As [`Bitboard::fill`].
    #[must_use]
    pub fn fill(&self, start: Bitboard<B>, through: Bitboard<B>, directions: &[Direction]) -> Bitboard<B> {
        let mut grown = start & through;
        loop {
            let next = directions.iter().fold(grown, |set, &way| set | (self.shift(grown, way) & through));
            if next == grown {
                return grown;
            }
            grown = next;
        }
    }

    /// Where a square goes under a symmetry, as [`Bitboard::symmetry`] numbers them; columns become rows on square boards only.
    pub fn symmetry_of_square(&self, square: u32, index: u8) -> u32 {
        let (mut row, mut column) = (square / self.columns, square % self.columns);
        if index & 4 != 0 && self.rows == self.columns {
            (row, column) = (column, row);
        }
        if index & 2 != 0 {
            row = self.rows - 1 - row;
        }
        if index & 1 != 0 {
            column = self.columns - 1 - column;
        }
        row * self.columns + column
    }

    /// As [`Bitboard::symmetry`]; what comes to a square that cannot be played is gone.
    #[must_use]
    pub fn symmetry(&self, set: Bitboard<B>, index: u8) -> Bitboard<B> {
        let image = set.into_iter().map(|square| self.symmetry_of_square(square, index)).collect::<Bitboard<B>>();
        image & self.playable
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bitboard::{Size4, Size6, Size8, Size10};

    /// A board known when the game is equals the one of a type of its own.
    fn agrees_with<B: Board>() {
        let whole = B::FULL.to_u128();
        let geometry = Geometry::<Size10>::new(B::SIZE, B::SIZE, whole).expect("room for it");
        let wide = |set: Bitboard<B>| Bitboard::<Size10>(set.0.to_u128());
        for i in 0..200 {
            let mut draws = crate::stream::Key::new(u64::from(B::SIZE)).child(i).stream();
            let mut set = || {
                let bits = u128::from(draws.bits()) << 50 | u128::from(draws.bits());
                Bitboard::<B>(B::Word::from_u128(bits & whole))
            };
            let (start, through) = (set(), set());
            for direction in Direction::ALL {
                assert_eq!(geometry.shift(wide(start), direction), wide(start.shift(direction)));
                assert_eq!(Geometry::WHOLE.shift(start, direction), start.shift(direction));
                let offset = geometry.offset(direction.step());
                assert_eq!(offset.of(start.0.to_u128(), |mask| mask), wide(start.shift(direction)).0);
            }
            let ways = &Direction::ALL[(i % 8) as usize..];
            assert_eq!(geometry.fill(wide(start), wide(through), ways), wide(start.fill(through, ways)));
            for index in 0..8 {
                assert_eq!(geometry.symmetry(wide(start), index), wide(start.symmetry(index)));
            }
            assert_eq!(geometry.complement(wide(start)), wide(!start));
        }
    }

    #[test]
    fn squares_agree_with_the_types() {
        agrees_with::<Size4>();
        agrees_with::<Size6>();
        agrees_with::<Size8>();
        agrees_with::<Size10>();
    }

    #[test]
    fn what_has_no_room_is_no_board() {
        assert!(Geometry::<Size8>::new(8, 9, 1).is_none());
        assert!(Geometry::<Size8>::new(5, 5, 1 << 25).is_none());
        assert!(Geometry::<Size8>::new(0, 5, 0).is_none());
        assert!(Geometry::<Size8>::new(7, 9, 1).is_some());
    }

    #[test]
    fn nothing_wraps_round_or_enters_a_hole() {
        let geometry = Geometry::<Size8>::new(3, 4, 0b1111_1011_1111).expect("room for it");
        let all = geometry.playable();
        assert_eq!(geometry.shift(all, Direction::East).0, 0b1110_0010_1110);
        assert_eq!(Bitboard::<Size8>(geometry.offset((1, 2)).of(1, |mask| mask)).0, 0);
        assert_eq!(geometry.offset((-2, 3)).of(0b0001_0000_0000, |mask| mask), 0b1000);
    }
}
