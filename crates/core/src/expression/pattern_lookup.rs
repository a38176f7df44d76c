//! Sums of patterns on eight sibling positions at once: entries looked up by indices that were carried along, or square by square.

use super::program::{PatternRead, Program, REGISTERS};
use crate::bitboard::{Board, Word};
use crate::cpu::{Cpu, Task};
use crate::lanes::{LANES, Lanes};
use crate::patterns::incremental::Carried;
use crate::patterns::{Entry, looked_up};

/// Patterns whose tables are at hand at a time.
const AT_HAND: usize = 32;

/// What some patterns say of eight boards, added from left to right.
pub(super) struct Patterned<'a, B: Board> {
    /// At least one.
    pub reads: &'a [PatternRead],
    pub program: &'a Program<B>,
    /// Pieces on each board.
    pub pieces: Lanes<u32>,
    pub own_is_black: bool,
    pub sets: &'a [Lanes<B::Word>; REGISTERS],
    pub carried: &'a Carried<B>,
    /// How many boards have carried indices; 0 if none was asked for.
    pub ready: usize,
}

impl<B: Board> Task for Patterned<'_, B> {
    type Output = Lanes<f64>;
    #[inline(always)]
    fn run<C: Cpu>(self, _: C) -> Lanes<f64> {
        let is_carried = self.ready > 0 && self.reads.iter().all(|read| read.carried.is_some());
        let mut sums = None;
        for reads in self.reads.chunks(AT_HAND) {
            if !is_carried {
                for read in reads {
                    let values = self.square_by_square(read);
                    sums = Some(sums.map_or(values, |sums: Lanes<f64>| sums.zip(values, |sum, value| sum + value)));
                }
            } else if reads.iter().all(|read| read.mixed.is_some()) {
                sums = Some(self.by_indices(sums, reads, Self::mixed_table));
            } else if reads.iter().all(|read| read.mixed.is_none()) {
                sums = Some(self.by_indices(sums, reads, Self::table));
            } else {
                for read in reads {
                    let one = std::slice::from_ref(read);
                    sums = Some(match read.mixed {
                        Some(_) => self.by_indices(sums, one, Self::mixed_table),
                        None => self.by_indices(sums, one, Self::table),
                    });
                }
            }
        }
        sums.unwrap_or(Lanes::splat(0.0))
    }
}

impl<'a, B: Board> Patterned<'a, B> {
    /// The table of a pattern for a number of pieces.
    #[inline(always)]
    fn table(program: &'a Program<B>, read: &'a PatternRead, pieces: u32) -> &'a [f64] {
        &program.tables[read.list as usize][read.pattern.stage(pieces)]
    }

    /// The same of a mixed pattern.
    #[inline(always)]
    fn mixed_table(program: &'a Program<B>, read: &'a PatternRead, pieces: u32) -> &'a [f32] {
        let tables = &program.tables[read.list as usize];
        read.mixed.as_ref().map_or(&[], |mixed| mixed.table(&read.pattern, tables, pieces))
    }

    /// Sums with what some patterns say, at most [`AT_HAND`], whose indices are carried one after the other.
    #[inline(always)]
    fn by_indices<E: Entry + 'a>(
        &self,
        before: Option<Lanes<f64>>,
        reads: &'a [PatternRead],
        table: impl Fn(&'a Program<B>, &'a PatternRead, u32) -> &'a [E],
    ) -> Lanes<f64> {
        let first = usize::from(reads.first().and_then(|read| read.carried).unwrap_or_default());
        let mut tables: [(&[E], usize); AT_HAND] = [(&[], 0); AT_HAND];
        let tables = &mut tables[..reads.len()];
        let mut sums = before.unwrap_or(Lanes::splat(0.0));
        let mut count = None;
        for lane in 0..self.ready.min(LANES) {
            // The boards of siblings have equally many pieces, or nearly so.
            if count != Some(self.pieces.0[lane]) {
                count = Some(self.pieces.0[lane]);
                for (place, read) in tables.iter_mut().zip(reads) {
                    *place = (table(self.program, read, self.pieces.0[lane]), read.pattern.copies().len());
                }
            }
            let mut indices = &self.carried.lane(lane)[first..];
            let mut sum = sums.0[lane];
            for (number, &(table, copies)) in tables.iter().enumerate() {
                let (own, others) = indices.split_at(copies);
                let value = summed(table, own);
                sum = if number == 0 && before.is_none() { value } else { sum + value };
                indices = others;
            }
            sums.0[lane] = sum;
        }
        sums
    }

    /// What a pattern says, its digits read on all boards at once.
    #[inline(always)]
    fn square_by_square(&self, read: &'a PatternRead) -> Lanes<f64> {
        match &read.mixed {
            Some(_) => self.digit_by_digit(read, Self::mixed_table),
            None => self.digit_by_digit(read, Self::table),
        }
    }

    #[inline(always)]
    fn digit_by_digit<E: Entry + 'a>(
        &self,
        read: &'a PatternRead,
        table: impl Fn(&'a Program<B>, &'a PatternRead, u32) -> &'a [E],
    ) -> Lanes<f64> {
        let (pattern, squares) = (&*read.pattern, self.program.geometry.squares());
        let sets = read.sets.map(|register| &self.sets[usize::from(register)]);
        let tables = self.pieces.map(|pieces| table(self.program, read, pieces));
        let mut sums = Lanes([E::default(); LANES]);
        for copy in pattern.copies() {
            let mut indices = Lanes::splat(0_u32);
            for &square in copy {
                let place = B::Word::ONE << pattern.square(square, self.own_is_black, squares - 1);
                let mut digits = Lanes::splat(0_u32);
                for digit in (1..pattern.radix()).rev() {
                    let set = sets[digit as usize - 1];
                    digits = digits.zip(*set, |known, set| if set & place == B::Word::ZERO { known } else { digit });
                }
                indices = indices.zip(digits, |index, digit| index * pattern.radix() + digit);
            }
            for lane in 0..LANES {
                sums.0[lane] = sums.0[lane] + tables.0[lane][indices.0[lane] as usize];
            }
        }
        sums.map(Into::into)
    }
}

/// As [`looked_up`], of nearly all patterns without counting.
#[inline(always)]
fn summed<E: Entry>(table: &[E], indices: &[u16]) -> f64 {
    if let Ok(four) = <&[u16; 4]>::try_from(indices) {
        looked_up(table, four)
    } else if let Ok(eight) = <&[u16; 8]>::try_from(indices) {
        looked_up(table, eight)
    } else {
        looked_up(table, indices)
    }
}
