//! The transposition table of the endgame solver: what is known about the final score of positions met before.
//!
//! Positions are kept whole, so an entry is never taken for that of another position. One table serves one solve.

use crate::bitboard::{Bitboard, Board, Word};

/// Positions in one bucket, which fills a cache line on boards up to 8x8.
const PLACES: usize = 3;
/// No move.
pub const NO_SQUARE: u8 = u8::MAX;

/// What is known about a position: its score lies between two bounds, for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The score is at least this.
    pub lower: i8,
    /// The score is at most this.
    pub upper: i8,
    /// The square of the best move found, or [`NO_SQUARE`].
    pub square: u8,
    /// Empty squares of the position; 0 marks a free place.
    empties: u8,
}

const FREE: Entry = Entry { lower: i8::MIN, upper: i8::MAX, square: NO_SQUARE, empties: 0 };

#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Bucket<W> {
    own: [W; PLACES],
    opponent: [W; PLACES],
    entries: [Entry; PLACES],
}

/// The table.
#[derive(Debug)]
pub struct ScoreTable<B: Board> {
    buckets: Vec<Bucket<B::Word>>,
    shift: u32,
}

impl<B: Board> ScoreTable<B> {
    /// A table of at most `bytes`, and no larger than a position with `empties` empty squares can use well.
    pub fn new(bytes: usize, empties: u32) -> Self {
        let size = size_of::<Bucket<B::Word>>();
        let largest = (bytes / size).max(2).ilog2();
        let useful = empties.saturating_sub(2).clamp(4, 40);
        let bits = largest.min(useful);
        let free = Bucket { own: [B::Word::ZERO; PLACES], opponent: [B::Word::ZERO; PLACES], entries: [FREE; PLACES] };
        Self { buckets: vec![free; 1 << bits], shift: 64 - bits }
    }

    #[inline(always)]
    fn index(&self, own: Bitboard<B>, opponent: Bitboard<B>) -> usize {
        let fold = |set: Bitboard<B>| {
            let bits = set.0.to_u128();
            bits as u64 ^ ((bits >> 64) as u64).wrapping_mul(0xd6e8_feb8_6659_fd93)
        };
        let mixed = fold(own).wrapping_mul(0x9e37_79b9_7f4a_7c15)
            ^ fold(opponent).wrapping_mul(0xc2b2_ae3d_27d4_eb4f).rotate_left(32);
        ((mixed ^ (mixed >> 32)).wrapping_mul(0xff51_afd7_ed55_8ccd) >> self.shift) as usize
    }

    /// What is known about a position, if anything.
    #[inline(always)]
    pub fn get(&self, own: Bitboard<B>, opponent: Bitboard<B>) -> Option<Entry> {
        let bucket = self.buckets.get(self.index(own, opponent))?;
        for place in 0..PLACES {
            if bucket.own[place] == own.0 && bucket.opponent[place] == opponent.0 {
                let entry = bucket.entries[place];
                return (entry.empties > 0).then_some(entry);
            }
        }
        None
    }

    /// Keep that the score of a position was found to be `score`, above `alpha` or at most that.
    ///
    /// `square` is the move that brought it above; without one an older move is kept. The position with the fewest empty
    /// squares makes room.
    #[inline(always)]
    pub fn put(&mut self, position: (Bitboard<B>, Bitboard<B>), empties: u32, alpha: i32, score: i32, square: u8) {
        let (own, opponent) = position;
        let index = self.index(own, opponent);
        let Some(bucket) = self.buckets.get_mut(index) else { return };
        let same = (0..PLACES).find(|&place| bucket.own[place] == own.0 && bucket.opponent[place] == opponent.0);
        let place = same.unwrap_or_else(|| {
            (1..PLACES).fold(0, |least, place| {
                if bucket.entries[place].empties < bucket.entries[least].empties { place } else { least }
            })
        });
        let mut entry = if same.is_some() { bucket.entries[place] } else { FREE };
        entry.empties = empties as u8;
        if score > alpha {
            entry.lower = entry.lower.max(score as i8);
            entry.square = square;
        } else {
            entry.upper = entry.upper.min(score as i8);
        }
        bucket.own[place] = own.0;
        bucket.opponent[place] = opponent.0;
        bucket.entries[place] = entry;
    }
}
