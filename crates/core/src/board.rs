//! Board sizes as types, the words that hold their squares, and directions.
//!
//! Square a1 is the top left corner and bit 0; b1 is bit 1; a2 is bit n. This module knows geometry, not sets.

use std::fmt::Debug;
use std::hash::Hash;

use crate::cpu::Cpu;
use crate::cpu::vector::{Double, Eight, Sets, Squares, Vector};
use crate::lanes::{LANES, Lanes};

/// The machine word that holds a board: `u64` up to 8x8, `u128` for 10x10.
pub trait Word: Sets + Eq + Ord + Hash + Debug + Default + Send + Sync + 'static {
    /// No bit set.
    const ZERO: Self;
    /// Bit 0 set.
    const ONE: Self;
    /// Only the highest bit set.
    const HIGHEST: Self;
    /// How many bits are set.
    fn count_ones(self) -> u32;
    /// Index of the lowest set bit; the width of the word if there is none.
    fn trailing_zeros(self) -> u32;
    /// Number of zero bits above the highest set bit; the width of the word if there is none.
    fn leading_zeros(self) -> u32;
    /// The bits in the opposite order.
    #[must_use]
    fn reversed(self) -> Self;
    /// Addition modulo the width.
    #[must_use]
    fn wrapping_add(self, other: Self) -> Self;
    /// Subtraction modulo the width.
    #[must_use]
    fn wrapping_sub(self, other: Self) -> Self;
    /// Bits moved towards higher squares, by their number in the word; those that leave it come in again at the other end.
    #[must_use]
    fn rotated(self, by: u32) -> Self;
    /// Widen to 128 bits.
    fn to_u128(self) -> u128;
    /// Narrow from 128 bits, dropping what does not fit.
    fn from_u128(bits: u128) -> Self;

    /// Eight of them in the registers of a CPU path.
    type Eight<C: Cpu>: Sets;
    /// Eight words from memory.
    fn load<C: Cpu>(cpu: C, words: &Lanes<Self>) -> Self::Eight<C>;
    /// The same word eight times.
    fn splat<C: Cpu>(cpu: C, word: Self) -> Self::Eight<C>;
    /// Back to an array.
    fn lanes<C: Cpu>(wide: Self::Eight<C>) -> Lanes<Self>;
    /// How many bits are set in each.
    fn counts<C: Cpu>(wide: Self::Eight<C>) -> Lanes<f64>;
    /// Bit i is set if lane i is not 0.
    fn not_zero<C: Cpu>(wide: Self::Eight<C>) -> u8;
    /// The eight lowest squares of a set, one a lane, in order; lanes for which there is none mean nothing.
    fn first_squares<C: Cpu>(cpu: C, set: Self) -> Squares<Self::Eight<C>>;
    /// How many bits are set in each, to reckon with.
    fn numbers_of_bits<C: Cpu>(wide: Self::Eight<C>) -> C::Eight;
    /// The words of the lanes that are all ones; 0 where a lane is 0.
    fn only<C: Cpu>(wide: Self::Eight<C>, lanes: C::Eight) -> Self::Eight<C>;
    /// The set of a square in each lane, by its number; of none where the word has no such bit.
    fn of_numbers<C: Cpu>(cpu: C, numbers: C::Eight) -> Self::Eight<C>;
    /// The place of bit number `indices` of the set bits of each, the lowest being number 0; a word with fewer gives what means
    /// nothing.
    fn nth_bits<C: Cpu>(cpu: C, wide: Self::Eight<C>, indices: C::Eight) -> C::Eight;
    /// Bits 0 to 63 of each.
    fn lower_half<C: Cpu>(wide: Self::Eight<C>) -> C::Eight;
    /// Those where a lane is not 0, elsewhere bits 64 to 127, if there are any.
    fn half<C: Cpu>(wide: Self::Eight<C>, is_lower: C::Eight) -> C::Eight;
}

macro_rules! word {
    ($type:ty, { $($wide:item)* }) => {
        impl Word for $type {
            const ZERO: Self = 0;
            const ONE: Self = 1;
            const HIGHEST: Self = 1 << (<$type>::BITS - 1);
            #[inline(always)]
            fn count_ones(self) -> u32 {
                <$type>::count_ones(self)
            }
            #[inline(always)]
            fn trailing_zeros(self) -> u32 {
                <$type>::trailing_zeros(self)
            }
            #[inline(always)]
            fn leading_zeros(self) -> u32 {
                <$type>::leading_zeros(self)
            }
            #[inline(always)]
            fn reversed(self) -> Self {
                <$type>::reverse_bits(self)
            }
            #[inline(always)]
            fn wrapping_add(self, other: Self) -> Self {
                <$type>::wrapping_add(self, other)
            }
            #[inline(always)]
            fn wrapping_sub(self, other: Self) -> Self {
                <$type>::wrapping_sub(self, other)
            }
            #[inline(always)]
            fn rotated(self, by: u32) -> Self {
                self.rotate_left(by)
            }
            #[inline(always)]
            fn to_u128(self) -> u128 {
                self as u128
            }
            #[inline(always)]
            fn from_u128(bits: u128) -> Self {
                bits as Self
            }
            $($wide)*
        }
    };
}

word!(u64, {
    type Eight<C: Cpu> = C::Eight;
    #[inline(always)]
    fn load<C: Cpu>(cpu: C, words: &Lanes<Self>) -> C::Eight {
        cpu.words(words)
    }
    #[inline(always)]
    fn splat<C: Cpu>(cpu: C, word: Self) -> C::Eight {
        cpu.splat(word)
    }
    #[inline(always)]
    fn lanes<C: Cpu>(wide: C::Eight) -> Lanes<Self> {
        wide.lanes()
    }
    #[inline(always)]
    fn counts<C: Cpu>(wide: C::Eight) -> Lanes<f64> {
        wide.counts()
    }
    #[inline(always)]
    fn not_zero<C: Cpu>(wide: C::Eight) -> u8 {
        wide.not_zero()
    }
    #[inline(always)]
    fn first_squares<C: Cpu>(cpu: C, set: Self) -> Squares<C::Eight> {
        Squares::numbered(cpu.places_of_first_bits(set))
    }
    #[inline(always)]
    fn numbers_of_bits<C: Cpu>(wide: C::Eight) -> C::Eight {
        wide.count_ones()
    }
    #[inline(always)]
    fn only<C: Cpu>(wide: C::Eight, lanes: C::Eight) -> C::Eight {
        wide & lanes
    }
    #[inline(always)]
    fn of_numbers<C: Cpu>(cpu: C, numbers: C::Eight) -> C::Eight {
        cpu.splat(1).shl_each(numbers)
    }
    #[inline(always)]
    fn nth_bits<C: Cpu>(_: C, wide: C::Eight, indices: C::Eight) -> C::Eight {
        wide.place_of_bit(indices)
    }
    #[inline(always)]
    fn lower_half<C: Cpu>(wide: C::Eight) -> C::Eight {
        wide
    }
    #[inline(always)]
    fn half<C: Cpu>(wide: C::Eight, _: C::Eight) -> C::Eight {
        wide
    }
});

word!(u128, {
    type Eight<C: Cpu> = Double<C::Eight>;
    #[inline(always)]
    fn load<C: Cpu>(cpu: C, words: &Lanes<Self>) -> Double<C::Eight> {
        Double {
            low: cpu.words(&words.map(|word| word as u64)),
            high: cpu.words(&words.map(|word| (word >> 64) as u64)),
        }
    }
    #[inline(always)]
    fn splat<C: Cpu>(cpu: C, word: Self) -> Double<C::Eight> {
        Double { low: cpu.splat(word as u64), high: cpu.splat((word >> 64) as u64) }
    }
    #[inline(always)]
    fn lanes<C: Cpu>(wide: Double<C::Eight>) -> Lanes<Self> {
        wide.low.lanes().zip(wide.high.lanes(), |low, high| u128::from(low) | u128::from(high) << 64)
    }
    #[inline(always)]
    fn counts<C: Cpu>(wide: Double<C::Eight>) -> Lanes<f64> {
        wide.low.count_ones().plus(wide.high.count_ones()).lanes().map(|count| f64::from(count as i32))
    }
    #[inline(always)]
    fn not_zero<C: Cpu>(wide: Double<C::Eight>) -> u8 {
        (wide.low | wide.high).not_zero()
    }
    #[inline(always)]
    fn first_squares<C: Cpu>(cpu: C, set: Self) -> Squares<Double<C::Eight>> {
        let (mut rest, mut bits) = (set, Lanes::splat(0));
        for lane in 0..LANES {
            bits.0[lane] = rest & rest.wrapping_neg();
            rest &= rest.wrapping_sub(1);
        }
        let sets = Self::load(cpu, &bits);
        Squares { sets, numbers: sets }
    }
    #[inline(always)]
    fn numbers_of_bits<C: Cpu>(wide: Double<C::Eight>) -> C::Eight {
        wide.low.count_ones().plus(wide.high.count_ones())
    }
    #[inline(always)]
    fn only<C: Cpu>(wide: Double<C::Eight>, lanes: C::Eight) -> Double<C::Eight> {
        Double { low: wide.low & lanes, high: wide.high & lanes }
    }
    #[inline(always)]
    fn of_numbers<C: Cpu>(cpu: C, numbers: C::Eight) -> Double<C::Eight> {
        // A shift by 64 or more leaves nothing, and so does one by less than 0.
        let one = cpu.splat(1);
        Double { low: one.shl_each(numbers), high: one.shl_each(numbers.minus(cpu.splat(64))) }
    }
    #[inline(always)]
    fn nth_bits<C: Cpu>(cpu: C, wide: Double<C::Eight>, indices: C::Eight) -> C::Eight {
        // Each bit is in the lower or in the upper half.
        let below = wide.low.count_ones();
        let is_lower = indices.less(below);
        let half = is_lower.select(wide.low, wide.high);
        half.place_of_bit(indices.minus(below & !is_lower)).plus(cpu.splat(64) & !is_lower)
    }
    #[inline(always)]
    fn lower_half<C: Cpu>(wide: Double<C::Eight>) -> C::Eight {
        wide.low
    }
    #[inline(always)]
    fn half<C: Cpu>(wide: Double<C::Eight>, is_lower: C::Eight) -> C::Eight {
        is_lower.select(wide.low, wide.high)
    }
});

/// The most squares that a board of any game here has (10x10).
pub const MAX_SQUARES: usize = 100;

/// A board size, as a type, so that every mask and table is a constant of the code that uses it.
pub trait Board: Copy + Eq + Ord + Hash + Debug + Default + Send + Sync + 'static {
    /// The word that holds a set of its squares.
    type Word: Word;
    /// Rows and columns.
    const SIZE: u32;
    /// Number of squares.
    const SQUARES: u32 = Self::SIZE * Self::SIZE;
    /// Whether hot code is worth a copy for AVX-512 (see [`crate::cpu::Task::WORTH_AVX512`]): 4x4 is quick enough.
    const WORTH_AVX512: bool = Self::SIZE >= 6;
    /// Every square.
    const FULL: Self::Word;
    /// The column a.
    const FIRST_FILE: Self::Word;
    /// The last column.
    const LAST_FILE: Self::Word;
    /// `RAYS[square][direction]`: the squares seen from `square` in the order of [`Direction::ALL`].
    const RAYS: &'static [[Self::Word; 8]; MAX_SQUARES];
}

const fn ray(size: i32, square: i32, direction: Direction) -> u128 {
    let (row_step, column_step) = direction.step();
    let (mut row, mut column) = (square / size + row_step, square % size + column_step);
    let mut bits = 0;
    while row >= 0 && row < size && column >= 0 && column < size {
        bits |= 1 << (row * size + column);
        row += row_step;
        column += column_step;
    }
    bits
}

macro_rules! board {
    ($(#[$doc:meta])* $name:ident, $word:ty, $size:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
        pub struct $name;
        impl Board for $name {
            type Word = $word;
            const SIZE: u32 = $size;
            const FULL: $word = (u128::MAX >> (128 - $size * $size)) as $word;
            const FIRST_FILE: $word = {
                let (mut bits, mut row): ($word, u32) = (0, 0);
                while row < $size {
                    bits |= 1 << (row * $size);
                    row += 1;
                }
                bits
            };
            const LAST_FILE: $word = Self::FIRST_FILE << ($size - 1);
            const RAYS: &'static [[$word; 8]; MAX_SQUARES] = &{
                let mut rays = [[0; 8]; MAX_SQUARES];
                let mut square = 0;
                while square < $size * $size {
                    let mut index = 0;
                    while index < 8 {
                        rays[square][index] = ray($size, square as i32, Direction::ALL[index]) as $word;
                        index += 1;
                    }
                    square += 1;
                }
                rays
            };
        }
    };
}
board!(
    /// The 4x4 board.
    Size4, u64, 4
);
board!(
    /// The 6x6 board.
    Size6, u64, 6
);
board!(
    /// The 8x8 board.
    Size8, u64, 8
);
board!(
    /// The 10x10 board.
    Size10, u128, 10
);

/// A step on the board. North is towards row 1, the top; east towards the last column.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub enum Direction {
    East,
    SouthWest,
    South,
    SouthEast,
    West,
    NorthEast,
    North,
    NorthWest,
}

impl Direction {
    /// All eight; the first four go to higher bits, the last four are their opposites.
    pub const ALL: [Self; 8] = [
        Self::East,
        Self::SouthWest,
        Self::South,
        Self::SouthEast,
        Self::West,
        Self::NorthEast,
        Self::North,
        Self::NorthWest,
    ];

    /// (rows down, columns to the right) of one step.
    pub const fn step(self) -> (i32, i32) {
        match self {
            Self::East => (0, 1),
            Self::SouthWest => (1, -1),
            Self::South => (1, 0),
            Self::SouthEast => (1, 1),
            Self::West => (0, -1),
            Self::NorthEast => (-1, 1),
            Self::North => (-1, 0),
            Self::NorthWest => (-1, -1),
        }
    }

    /// Read the short compass name used in expressions: `n`, `ne`, `e`, `se`, `s`, `sw`, `w`, `nw`.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "e" => Self::East,
            "sw" => Self::SouthWest,
            "s" => Self::South,
            "se" => Self::SouthEast,
            "w" => Self::West,
            "ne" => Self::NorthEast,
            "n" => Self::North,
            "nw" => Self::NorthWest,
            _ => return None,
        })
    }
}
