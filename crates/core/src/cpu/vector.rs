//! Words side by side in the registers of a CPU path: eight boards, or the four lines through the squares of one.
//!
//! The compiler turns loops over arrays into vector instructions well, but not always: where it matters, rules are written
//! once over these types, and each path brings its own. On other architectures they are plain arrays.
//!
//! Reasons: docs/design/kernel.md.

use std::ops::{BitAnd, BitOr, Not, Shl, Shr};

use crate::lanes::{Bits, LANES, Lanes};

/// Eight 64-bit words, to and from memory.
pub trait Eight: Vector {
    /// Back to an array.
    fn lanes(self) -> Lanes<u64>;
    /// How many bits are set, as floating-point numbers.
    fn counts(self) -> Lanes<f64>;
    /// Bit i is set if lane i is not 0.
    fn not_zero(self) -> u8;
}

/// 64-bit words side by side. Every operation is done in each lane for itself.
pub trait Vector: Sets {
    /// The same word in every lane.
    #[must_use]
    fn like(self, word: u64) -> Self;
    /// How many bits are set.
    #[must_use]
    fn count_ones(self) -> Self;
    /// Sum modulo 2^64.
    #[must_use]
    fn plus(self, other: Self) -> Self;
    /// Difference modulo 2^64.
    #[must_use]
    fn minus(self, other: Self) -> Self;
    /// Product modulo 2^64.
    #[must_use]
    fn times(self, other: Self) -> Self;
    /// Product of the numbers in the lower halves of the lanes: bits 0 to 31.
    #[must_use]
    fn times_low(self, other: Self) -> Self;
    /// Bits that differ.
    #[must_use]
    fn differences(self, other: Self) -> Self;
    /// `yes` where a lane of `self` is not 0, elsewhere `no`.
    #[must_use]
    fn select(self, yes: Self, no: Self) -> Self;
    /// All ones where a lane of `self` is less than that of `other` (unsigned), elsewhere 0.
    #[must_use]
    fn less(self, other: Self) -> Self;
    /// The place of the bit number `index` of the set bits of each lane, the lowest being number 0; there must be as many, or
    /// none: then it is 64.
    #[must_use]
    fn place_of_bit(self, index: Self) -> Self;
    /// Shift each lane left by its own number of bits; nothing is left after 64.
    #[must_use]
    fn shl_each(self, by: Self) -> Self;
}

/// One square in every lane, or none.
#[derive(Clone, Copy, Debug)]
pub struct Squares<T> {
    /// The sets of it.
    pub sets: T,
    /// Its number, 64 where there is none. Boards of more than 64 squares do without.
    pub numbers: T,
}

impl<T: Vector> Squares<T> {
    /// Of numbers.
    #[inline(always)]
    pub fn numbered(numbers: T) -> Self {
        Self { sets: numbers.like(1).shl_each(numbers), numbers }
    }
}

/// Squares in a row along a board: from one to the next it is so many bits.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    step: u32,
    /// The most squares between two of them.
    between: u32,
    /// The squares above number 0, and those below number 63.
    rays: [u64; 2],
}

impl Line {
    /// Of a board with so many squares in a row.
    pub const fn new(step: u32, size: u32) -> Self {
        let (mut rays, mut distance) = ([0; 2], step);
        while distance < size * step && distance < 64 {
            rays[0] |= 1 << distance;
            rays[1] |= 1 << (63 - distance);
            distance += step;
        }
        Self { step, between: size - 2, rays }
    }

    /// Bits from one square to the next.
    #[inline(always)]
    pub(super) fn step(self) -> u32 {
        self.step
    }

    /// The squares above number 0, and those below number 63.
    #[inline(always)]
    pub(super) fn rays(self) -> [u64; 2] {
        self.rays
    }
}

/// Sets of squares, one or many, as rules see them.
pub trait Sets: Bits {
    /// Sum of each with another as numbers, modulo their width: a bit is carried through a row of squares.
    #[must_use]
    fn sum(self, other: Self) -> Self;

    /// Those squares of each set that lead without a gap from a square upwards along a line. Such a row ends on the board.
    #[inline(always)]
    #[must_use]
    fn row_above(self, square: Squares<Self>, line: Line) -> Self {
        let step = line.step;
        if step == 1 {
            // One is carried to the end of the row.
            return self & !self.sum(square.sets << 1);
        }
        let mut row = self & (square.sets << step);
        row = row | (self & (row << step));
        let twice = self & (self << step);
        for _ in 0..(line.between - 2) / 2 {
            row = row | (twice & (row << (2 * step)));
        }
        row
    }

    /// The same downwards.
    #[inline(always)]
    #[must_use]
    fn row_below(self, square: Squares<Self>, line: Line) -> Self {
        let step = line.step;
        let mut row = self & (square.sets >> step);
        row = row | (self & (row >> step));
        let twice = self & (self >> step);
        for _ in 0..(line.between - 2) / 2 {
            row = row | (twice & (row >> (2 * step)));
        }
        row
    }
}

impl Sets for u64 {
    #[inline(always)]
    fn sum(self, other: Self) -> Self {
        self.wrapping_add(other)
    }
}

impl Sets for u128 {
    #[inline(always)]
    fn sum(self, other: Self) -> Self {
        self.wrapping_add(other)
    }
}

impl Sets for Lanes<u64> {
    #[inline(always)]
    fn sum(self, other: Self) -> Self {
        self.plus(other)
    }
}

impl<T: Vector> Sets for Double<T> {
    #[inline(always)]
    fn sum(self, other: Self) -> Self {
        let low = self.low.plus(other.low);
        // What is less than a summand was carried over: all ones, which is minus one.
        Self { low, high: self.high.plus(other.high).minus(low.less(self.low)) }
    }
}

/// The bit number `index` of a word.
#[inline(always)]
pub(super) fn nth_bit(word: u64, index: u64) -> u64 {
    let rest = (0..index).fold(word, |rest, _| rest & rest.wrapping_sub(1));
    rest & rest.wrapping_neg()
}

/// Four 64-bit words with shifts of their own: the four lines of one board.
pub trait Quad: Copy + BitAnd<Output = Self> + BitOr<Output = Self> + Not<Output = Self> {
    /// Shift each word left by its own number of bits, less than 64.
    #[must_use]
    fn shl_each(self, by: Self) -> Self;
    /// Shift each word right by its own number of bits, less than 64.
    #[must_use]
    fn shr_each(self, by: Self) -> Self;
    /// The union of the four.
    fn union(self) -> u64;
    /// The union of the four, in each of them.
    #[must_use]
    fn everywhere(self) -> Self;
    /// Back to an array.
    fn words(self) -> [u64; 4];
}

impl Eight for Lanes<u64> {
    #[inline(always)]
    fn lanes(self) -> Lanes<u64> {
        self
    }
    #[inline(always)]
    fn counts(self) -> Lanes<f64> {
        // Through i32: the conversion from small whole numbers is one vector instruction.
        self.map(|word| f64::from(word.count_ones() as i32))
    }
    #[inline(always)]
    fn not_zero(self) -> u8 {
        (0..LANES).fold(0, |bits, lane| bits | u8::from(self.0[lane] != 0) << lane)
    }
}

impl Vector for Lanes<u64> {
    #[inline(always)]
    fn like(self, word: u64) -> Self {
        Self::splat(word)
    }
    #[inline(always)]
    fn count_ones(self) -> Self {
        self.map(|word| word.count_ones().into())
    }
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self.zip(other, u64::wrapping_add)
    }
    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        self.zip(other, u64::wrapping_sub)
    }
    #[inline(always)]
    fn times(self, other: Self) -> Self {
        self.zip(other, u64::wrapping_mul)
    }
    #[inline(always)]
    fn times_low(self, other: Self) -> Self {
        self.zip(other, |a, b| u64::from(a as u32) * u64::from(b as u32))
    }
    #[inline(always)]
    fn differences(self, other: Self) -> Self {
        self.zip(other, |a, b| a ^ b)
    }
    #[inline(always)]
    fn select(self, yes: Self, no: Self) -> Self {
        Self::of(|lane| if self.0[lane] == 0 { no.0[lane] } else { yes.0[lane] })
    }
    #[inline(always)]
    fn less(self, other: Self) -> Self {
        self.zip(other, |a, b| if a < b { u64::MAX } else { 0 })
    }
    #[inline(always)]
    fn place_of_bit(self, index: Self) -> Self {
        self.zip(index, |word, index| nth_bit(word, index).trailing_zeros().into())
    }
    #[inline(always)]
    fn shl_each(self, by: Self) -> Self {
        self.zip(by, |word, by| if by < 64 { word << by } else { 0 })
    }
}

/// Four words as an array.
#[derive(Clone, Copy, Debug)]
pub struct Array4([u64; 4]);

impl Array4 {
    #[inline(always)]
    pub(super) fn new(words: [u64; 4]) -> Self {
        Self(words)
    }
    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(u64, u64) -> u64) -> Self {
        let line = |line: usize| f(self.0[line], other.0[line]);
        Self([line(0), line(1), line(2), line(3)])
    }
}

impl BitAnd for Array4 {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        self.zip(other, |a, b| a & b)
    }
}

impl BitOr for Array4 {
    type Output = Self;
    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        self.zip(other, |a, b| a | b)
    }
}

impl Not for Array4 {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Self(self.0.map(|word| !word))
    }
}

impl Quad for Array4 {
    #[inline(always)]
    fn shl_each(self, by: Self) -> Self {
        self.zip(by, |word, by| word << (by & 63))
    }
    #[inline(always)]
    fn shr_each(self, by: Self) -> Self {
        self.zip(by, |word, by| word >> (by & 63))
    }
    #[inline(always)]
    fn union(self) -> u64 {
        self.0.iter().fold(0, |union, word| union | word)
    }
    #[inline(always)]
    fn everywhere(self) -> Self {
        Self([self.union(); 4])
    }
    #[inline(always)]
    fn words(self) -> [u64; 4] {
        self.0
    }
}

/// Twice as many words, in two halves: while one waits for a result, the processor works on the other.
#[derive(Clone, Copy, Debug)]
pub struct Two<T>(pub T, pub T);

macro_rules! both {
    ($self:ident, $f:ident $(, $other:ident)*) => {
        Self($self.0.$f($($other.0),*), $self.1.$f($($other.1),*))
    };
}

impl<T: Bits> BitAnd for Two<T> {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        both!(self, bitand, other)
    }
}

impl<T: Bits> BitOr for Two<T> {
    type Output = Self;
    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        both!(self, bitor, other)
    }
}

impl<T: Bits> Not for Two<T> {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        both!(self, not)
    }
}

impl<T: Bits> Shl<u32> for Two<T> {
    type Output = Self;
    #[inline(always)]
    fn shl(self, by: u32) -> Self {
        Self(self.0 << by, self.1 << by)
    }
}

impl<T: Bits> Shr<u32> for Two<T> {
    type Output = Self;
    #[inline(always)]
    fn shr(self, by: u32) -> Self {
        Self(self.0 >> by, self.1 >> by)
    }
}

impl<T: Vector> Two<Squares<T>> {
    /// The squares of two halves.
    #[inline(always)]
    fn of(square: Squares<Two<T>>) -> Self {
        let Squares { sets, numbers } = square;
        Self(Squares { sets: sets.0, numbers: numbers.0 }, Squares { sets: sets.1, numbers: numbers.1 })
    }
}

impl<T: Vector> Sets for Two<T> {
    #[inline(always)]
    fn sum(self, other: Self) -> Self {
        self.plus(other)
    }
    #[inline(always)]
    fn row_above(self, square: Squares<Self>, line: Line) -> Self {
        let Two(first, second) = Two::of(square);
        Self(self.0.row_above(first, line), self.1.row_above(second, line))
    }
    #[inline(always)]
    fn row_below(self, square: Squares<Self>, line: Line) -> Self {
        let Two(first, second) = Two::of(square);
        Self(self.0.row_below(first, line), self.1.row_below(second, line))
    }
}

impl<T: Vector> Vector for Two<T> {
    #[inline(always)]
    fn like(self, word: u64) -> Self {
        Self(self.0.like(word), self.1.like(word))
    }
    #[inline(always)]
    fn count_ones(self) -> Self {
        both!(self, count_ones)
    }
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        both!(self, plus, other)
    }
    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        both!(self, minus, other)
    }
    #[inline(always)]
    fn times(self, other: Self) -> Self {
        both!(self, times, other)
    }
    #[inline(always)]
    fn times_low(self, other: Self) -> Self {
        both!(self, times_low, other)
    }
    #[inline(always)]
    fn differences(self, other: Self) -> Self {
        both!(self, differences, other)
    }
    #[inline(always)]
    fn select(self, yes: Self, no: Self) -> Self {
        both!(self, select, yes, no)
    }
    #[inline(always)]
    fn less(self, other: Self) -> Self {
        both!(self, less, other)
    }
    #[inline(always)]
    fn place_of_bit(self, index: Self) -> Self {
        both!(self, place_of_bit, index)
    }
    #[inline(always)]
    fn shl_each(self, by: Self) -> Self {
        both!(self, shl_each, by)
    }
}

/// Eight 128-bit words, as their halves.
#[derive(Clone, Copy, Debug)]
pub struct Double<T> {
    /// Bits 0 to 63.
    pub low: T,
    /// Bits 64 to 127.
    pub high: T,
}

impl<T: Vector> BitAnd for Double<T> {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Self { low: self.low & other.low, high: self.high & other.high }
    }
}

impl<T: Vector> BitOr for Double<T> {
    type Output = Self;
    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        Self { low: self.low | other.low, high: self.high | other.high }
    }
}

impl<T: Vector> Not for Double<T> {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Self { low: !self.low, high: !self.high }
    }
}

/// By 1 to 63 bits.
impl<T: Vector> Shl<u32> for Double<T> {
    type Output = Self;
    #[inline(always)]
    fn shl(self, by: u32) -> Self {
        Self { low: self.low << by, high: (self.high << by) | (self.low >> (64 - by)) }
    }
}

/// By 1 to 63 bits.
impl<T: Vector> Shr<u32> for Double<T> {
    type Output = Self;
    #[inline(always)]
    fn shr(self, by: u32) -> Self {
        Self { low: (self.low >> by) | (self.high << (64 - by)), high: self.high >> by }
    }
}
