//! Patterns on eight sibling positions at once: entries looked up by indices that were carried along, or square by square.

use super::program::{PatternRead, Program};
use crate::bitboard::{Board, Word};
use crate::cpu::{Cpu, Task};
use crate::lanes::{LANES, Lanes};
use crate::patterns::incremental::Carried;
use crate::patterns::{Entry, looked_up};

/// What a pattern says of eight boards.
pub(super) struct Patterned<'a, B: Board> {
    pub read: &'a PatternRead,
    pub program: &'a Program<B>,
    /// Pieces on each board.
    pub pieces: Lanes<u32>,
    pub own_is_black: bool,
    pub sets: [&'a Lanes<B::Word>; 4],
    pub carried: &'a Carried<B>,
    /// How many boards have carried indices; 0 if none was asked for.
    pub ready: usize,
}

impl<B: Board> Task for Patterned<'_, B> {
    type Output = Lanes<f64>;
    #[inline(always)]
    fn run<C: Cpu>(self, _: C) -> Lanes<f64> {
        let (pattern, tables) = (&*self.read.pattern, &*self.program.tables[self.read.list as usize]);
        match &self.read.mixed {
            Some(mixed) => self.of_tables(|pieces| mixed.table(pattern, tables, pieces)),
            None => self.of_tables(|pieces| &*tables[pattern.stage(pieces)]),
        }
    }
}

impl<B: Board> Patterned<'_, B> {
    /// The sums of the entries, where `table_for` has the table for a number of pieces.
    #[inline(always)]
    fn of_tables<'t, E: Entry + 't>(self, table_for: impl Fn(u32) -> &'t [E]) -> Lanes<f64> {
        let Self { read, program, pieces, own_is_black, sets, carried, ready } = self;
        let pattern = &*read.pattern;
        let mut sums = Lanes::splat(0.0);
        // Step 1. Where the indices are known, they are only looked up.
        if let Some(first) = read.carried
            && ready > 0
        {
            // The boards of siblings have equally many pieces, or nearly so.
            let (mut count, mut table) = (pieces.0[0], table_for(pieces.0[0]));
            for lane in 0..ready.min(LANES) {
                if pieces.0[lane] != count {
                    (count, table) = (pieces.0[lane], table_for(pieces.0[lane]));
                }
                let indices = &carried.lane(lane)[usize::from(first)..][..pattern.copies().len()];
                sums.0[lane] = summed(table, indices);
            }
            return sums;
        }
        // Step 2. Otherwise square by square, on all boards at once.
        let (tables, mut added) = (pieces.map(table_for), Lanes([E::default(); LANES]));
        for copy in pattern.copies() {
            let mut indices = Lanes::splat(0_u32);
            for &square in copy {
                let place = B::Word::ONE << pattern.square(square, own_is_black, program.geometry.squares() - 1);
                let mut digits = Lanes::splat(0_u32);
                for digit in (1..pattern.radix()).rev() {
                    let set = sets[digit as usize - 1];
                    digits = digits.zip(*set, |known, set| if set & place == B::Word::ZERO { known } else { digit });
                }
                indices = indices.zip(digits, |index, digit| index * pattern.radix() + digit);
            }
            for lane in 0..LANES {
                added.0[lane] = added.0[lane] + tables.0[lane][indices.0[lane] as usize];
            }
        }
        added.map(Into::into)
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
