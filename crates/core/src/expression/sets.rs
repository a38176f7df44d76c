//! Fill and symmetry of eight sets at once.

use crate::bitboard::{Bitboard, Board, Direction, Word};
use crate::cpu::{Cpu, Task};
use crate::geometry::Geometry;
use crate::lanes::{Bits, Lanes};

/// The most bits that [`Bits`] are shifted by at once.
const MOST: u32 = 63;

/// Sets grown through others, in the directions of some bits.
pub(super) struct Filled<'a, B: Board> {
    pub starts: &'a Lanes<B::Word>,
    pub through: &'a Lanes<B::Word>,
    pub bits: u8,
    pub geometry: &'a Geometry<B>,
}

impl<B: Board> Task for Filled<'_, B> {
    type Output = Lanes<B::Word>;
    #[inline(always)]
    fn run<C: Cpu>(self, cpu: C) -> Lanes<B::Word> {
        let spread = |mask| B::Word::splat(cpu, mask);
        let through = B::Word::load(cpu, self.through);
        let mut grown = B::Word::load(cpu, self.starts) & through;
        if !self.geometry.is_whole() {
            let steps = Direction::ALL.map(|direction| self.geometry.step(direction));
            loop {
                let mut next = grown;
                for (place, step) in steps.iter().enumerate() {
                    if self.bits >> place & 1 == 1 {
                        next = next | (step.of(grown, spread) & through);
                    }
                }
                if B::Word::not_zero(next & !grown) == 0 {
                    return B::Word::lanes(grown);
                }
                grown = next;
            }
        }
        // Until no lane grows any more: to those that have stopped it does nothing.
        loop {
            let mut next = grown;
            for direction in Direction::ALL {
                if self.bits >> direction as u8 & 1 == 1 {
                    next = next | (step::<B, _>(grown, direction, spread) & through);
                }
            }
            if B::Word::not_zero(next & !grown) == 0 {
                return B::Word::lanes(grown);
            }
            grown = next;
        }
    }
}

/// Sets under one of the symmetries of the square, as [`crate::bitboard::Bitboard::symmetry`] numbers them.
pub(super) struct Mirrored<'a, B: Board>(pub &'a Lanes<B::Word>, pub u8, pub &'a Geometry<B>);

impl<B: Board> Task for Mirrored<'_, B> {
    type Output = Lanes<B::Word>;
    #[inline(always)]
    fn run<C: Cpu>(self, cpu: C) -> Lanes<B::Word> {
        let Self(sets, index, geometry) = self;
        if !geometry.is_whole() {
            return sets.map(|set| geometry.symmetry(Bitboard(set), index).0);
        }
        let (size, spread) = (B::SIZE, |mask| B::Word::splat(cpu, mask));
        let zero = spread(B::Word::ZERO);
        let mut set = B::Word::load(cpu, sets);
        // Squares of one diagonal, of one row or of one column all go equally far.
        if index & 4 != 0 {
            let mut swapped = zero;
            for right in 0..size {
                let (mut above, mut below) = (B::Word::ZERO, B::Word::ZERO);
                for row in 0..size - right {
                    above = above | (B::Word::ONE << (row * size + row + right));
                    below = below | (B::Word::ONE << ((row + right) * size + row));
                }
                let by = right * (size - 1);
                swapped = swapped | far_left(set & spread(above), by) | far_right(set & spread(below), by);
            }
            set = swapped;
        }
        if index & 2 != 0 {
            let mut row = B::Word::ZERO;
            for column in 0..size {
                row = row | (B::Word::ONE << column);
            }
            set = reversed::<B, _>(set, row, size, zero, spread);
        }
        if index & 1 != 0 {
            set = reversed::<B, _>(set, B::FIRST_FILE, 1, zero, spread);
        }
        B::Word::lanes(set)
    }
}

/// Rows or columns in the opposite order: `first` is the first of them, and `apart` the squares from one to the next.
#[inline(always)]
fn reversed<B: Board, T: Bits>(set: T, first: B::Word, apart: u32, zero: T, spread: impl Fn(B::Word) -> T) -> T {
    let mut found = zero;
    for place in 0..B::SIZE {
        let other = B::SIZE - 1 - place;
        let part = set & spread(first << (place * apart));
        found = found
            | if place < other {
                far_left(part, (other - place) * apart)
            } else {
                far_right(part, (place - other) * apart)
            };
    }
    found
}

/// Every square of sets moved one step, as [`crate::bitboard::Bitboard::shift`] does.
#[inline(always)]
fn step<B: Board, T: Bits>(set: T, direction: Direction, spread: impl Fn(B::Word) -> T) -> T {
    let (rows, columns) = direction.step();
    let staying = match columns {
        1 => set & spread(!B::LAST_FILE),
        -1 => set & spread(!B::FIRST_FILE),
        _ => set,
    };
    let by = rows * B::SIZE as i32 + columns;
    let moved = if by > 0 { staying << by.unsigned_abs() } else { staying >> by.unsigned_abs() };
    moved & spread(B::FULL)
}

#[inline(always)]
fn far_left<T: Bits>(set: T, by: u32) -> T {
    match by {
        0 => set,
        1..=MOST => set << by,
        _ => (set << MOST) << (by - MOST),
    }
}

#[inline(always)]
fn far_right<T: Bits>(set: T, by: u32) -> T {
    match by {
        0 => set,
        1..=MOST => set >> by,
        _ => (set >> MOST) >> (by - MOST),
    }
}
