//! Weighted sums of eight sets at once.
//!
//! The lanes of a block are siblings: their sets differ in few squares. So a sum goes once over the squares that any of them
//! has, in the reference's order, and each lane adds the weight or does not. Where the weights are few and every sum of them
//! is exact, the order does not matter, and the squares of each weight are counted instead.

use super::Tables;
use crate::bitboard::{Bitboard, Board, Word};
use crate::cpu::Cpu;
use crate::lanes::{LANES, Lanes};

/// Up to so many distinct weights counting takes less time than adding them square by square.
const MOST_CLASSES: usize = 12;

/// Sums of whole multiples of this, none greater than its inverse, are exact: 100 of them need 47 bits.
const UNIT: f64 = 1.0 / (1 << 20) as f64;

/// The tables of one weighted sum, ready for eight sets at once.
#[derive(Clone, Debug)]
pub(super) struct Sums<B: Board>(Vec<Sum<B>>);

#[derive(Clone, Debug)]
enum Sum<B: Board> {
    /// The squares of each weight.
    Counted(Vec<(f64, B::Word)>),
    /// Weights in halves of 64 squares, so that none is looked up outside the table, and the squares where they are not 0.
    Added(Box<[[f64; 64]; 2]>, [u64; 2]),
}

impl<B: Board> Sums<B> {
    /// The sums of every list of tables on a board of so many squares; none of a list that has no weight for each square, as those of patterns.
    pub fn all(lists: &[Tables], squares: u32) -> Vec<Self> {
        let is_of_squares = |tables: &Tables| tables.iter().all(|table| table.len() == squares as usize);
        let sums_of = |tables: &Tables| {
            if is_of_squares(tables) { tables.iter().map(|table| Sum::new(table)).collect() } else { Vec::new() }
        };
        lists.iter().map(|tables| Self(sums_of(tables))).collect()
    }

    /// The table in use for a selector: its floor, kept inside the range; NaN means the first.
    #[inline(always)]
    fn index(&self, selector: f64) -> usize {
        (selector as usize).min(self.0.len() - 1)
    }
}

impl<B: Board> Sum<B> {
    fn new(table: &[f64]) -> Self {
        let (mut classes, mut weights, mut weighty) = (Vec::<(f64, B::Word)>::new(), [[0.0; 64]; 2], [0; 2]);
        for (square, &weight) in table.iter().enumerate() {
            weights[square / 64][square % 64] = weight;
            // A sum that begins with 0 is never -0, so neither zero changes it.
            if weight != 0.0 {
                weighty[square / 64] |= 1 << (square % 64);
                let bit = Bitboard::<B>::square(square as u32).0;
                match classes.iter_mut().find(|(known, _)| *known == weight) {
                    Some((_, squares)) => *squares = *squares | bit,
                    None => classes.push((weight, bit)),
                }
            }
        }
        let is_exact = |&(weight, _): &(f64, B::Word)| weight.abs() <= 1.0 / UNIT && (weight / UNIT).fract() == 0.0;
        if classes.len() <= MOST_CLASSES && classes.iter().all(is_exact) {
            Self::Counted(classes)
        } else {
            Self::Added(Box::new(weights), weighty)
        }
    }

    #[inline(always)]
    fn of<C: Cpu>(&self, cpu: C, sets: &Lanes<B::Word>) -> Lanes<f64> {
        let mut sums = Lanes::splat(0.0);
        match self {
            Self::Counted(classes) => {
                let sets = B::Word::load(cpu, sets);
                for &(weight, squares) in classes {
                    let counts = B::Word::counts(sets & B::Word::splat(cpu, squares));
                    sums = sums.zip(counts, |sum, count| sum + count * weight);
                }
            }
            Self::Added(weights, weighty) => {
                for half in 0..B::SQUARES.div_ceil(64) as usize {
                    let words = sets.map(|set| (set.to_u128() >> (64 * half)) as u64);
                    let mut squares = words.0.iter().fold(0, |all, word| all | word) & weighty[half];
                    while squares != 0 {
                        let square = squares.trailing_zeros() & 63;
                        squares &= squares - 1;
                        let weight = weights[half][square as usize];
                        // Adding 0 changes nothing, as no sum is -0: so no sum waits for the choice.
                        let added = words.map(|word| if word & (1 << square) == 0 { 0.0 } else { weight });
                        sums = sums.zip(added, |sum, added| sum + added);
                    }
                }
            }
        }
        sums
    }
}

/// The sums of eight sets, each with the table that its selector chooses.
pub(super) struct SumsOf<'a, B: Board> {
    pub sums: &'a Sums<B>,
    pub sets: &'a Lanes<B::Word>,
    /// None means the first.
    pub selector: Option<&'a Lanes<f64>>,
}

impl<B: Board> SumsOf<'_, B> {
    #[inline(always)]
    pub fn on(self, cpu: impl Cpu) -> Lanes<f64> {
        let Self { sums, sets, selector } = self;
        let Some(selector) = selector else { return sums.0[0].of(cpu, sets) };
        let index = selector.map(|selector| sums.index(selector));
        let mut found = sums.0[index.0[0]].of(cpu, sets);
        // What selects is nearly always the same for all siblings.
        for lane in 1..LANES {
            if index.0[lane] != index.0[lane - 1] {
                let others = sums.0[index.0[lane]].of(cpu, sets);
                found.0[lane..].copy_from_slice(&others.0[lane..]);
            }
        }
        found
    }
}
