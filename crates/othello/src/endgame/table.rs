//! The transposition table of the endgame solver: what is known about the final score of positions met before.
//!
//! Positions are kept whole, so an entry is never taken for that of another position. Threads read and write at the same time
//! without locks: what is kept with a position is part of how its words are written, so an entry of which another thread has
//! written a part is taken for none. One table serves one solve.

use std::sync::atomic::{AtomicU64, Ordering};

use evoply_core::bitboard::{Bitboard, Board, Word};
use evoply_core::cpu::prefetch;

/// Words of a bucket, which fills a cache line.
const WORDS: usize = 8;
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

impl Entry {
    #[inline(always)]
    fn word(self) -> u64 {
        u32::from_le_bytes([self.empties, self.lower as u8, self.upper as u8, self.square]).into()
    }

    #[inline(always)]
    fn of_word(word: u64) -> Self {
        let [empties, lower, upper, square] = (word as u32).to_le_bytes();
        Self { lower: lower as i8, upper: upper as i8, square, empties }
    }
}

const FREE: Entry = Entry { lower: i8::MIN, upper: i8::MAX, square: NO_SQUARE, empties: 0 };

/// Entries of positions with the same index: first what is kept with a position, then the position's words.
#[derive(Default, Debug)]
#[repr(align(64))]
struct Bucket([AtomicU64; WORDS]);

/// The table.
#[derive(Debug)]
pub struct ScoreTable<B: Board> {
    buckets: Vec<Bucket>,
    shift: u32,
    board: std::marker::PhantomData<B>,
}

/// Where a position is looked for, in every table.
#[inline(always)]
pub fn hash_of<B: Board>(own: Bitboard<B>, opponent: Bitboard<B>) -> u64 {
    let [own, own_above, opponent, opponent_above] = words_of(own, opponent);
    let fold = |low: u64, high: u64| low ^ high.wrapping_mul(0xd6e8_feb8_6659_fd93);
    let mixed = fold(own, own_above).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        ^ fold(opponent, opponent_above).wrapping_mul(0xc2b2_ae3d_27d4_eb4f).rotate_left(32);
    (mixed ^ (mixed >> 32)).wrapping_mul(0xff51_afd7_ed55_8ccd)
}

#[inline(always)]
fn words_of<B: Board>(own: Bitboard<B>, opponent: Bitboard<B>) -> [u64; 4] {
    let (own, opponent) = (own.0.to_u128(), opponent.0.to_u128());
    [own as u64, (own >> 64) as u64, opponent as u64, (opponent >> 64) as u64]
}

/// A position as it is looked for.
#[derive(Clone, Copy)]
pub struct Key {
    /// What differs on boards of any size comes first.
    words: [u64; 4],
    hash: u64,
}

impl Key {
    /// Of a position whose hash is known.
    #[inline(always)]
    pub fn new<B: Board>(own: Bitboard<B>, opponent: Bitboard<B>, hash: u64) -> Self {
        let [own, own_above, opponent, opponent_above] = words_of(own, opponent);
        Self { words: [own, opponent, own_above, opponent_above], hash }
    }

    /// What the words of a position are mixed with when they are kept with `kept`.
    #[inline(always)]
    fn seal(&self, kept: u64) -> u64 {
        (self.hash ^ kept).wrapping_mul(0x94d0_49bb_1331_11eb)
    }
}

impl<B: Board> ScoreTable<B> {
    /// Words that hold a position.
    const OF_POSITION: usize = if B::SQUARES > 64 { 4 } else { 2 };
    /// Positions in one bucket.
    const PLACES: usize = WORDS / (Self::OF_POSITION + 1);

    /// A table of at most `bytes`, and no larger than a position with `empties` empty squares can use well.
    pub fn new(bytes: usize, empties: u32) -> Self {
        let largest = (bytes / size_of::<Bucket>()).max(2).ilog2();
        let useful = empties.saturating_sub(2).clamp(4, 40);
        let bits = largest.min(useful);
        let mut buckets = Vec::new();
        buckets.resize_with(1 << bits, Bucket::default);
        Self { buckets, shift: 64 - bits, board: std::marker::PhantomData }
    }

    #[inline(always)]
    fn bucket(&self, hash: u64) -> Option<&Bucket> {
        self.buckets.get((hash >> self.shift) as usize)
    }

    /// What a place of a bucket holds, if that is the position.
    #[inline(always)]
    fn read(bucket: &Bucket, place: usize, key: &Key) -> Option<Entry> {
        let at = place * (Self::OF_POSITION + 1);
        let kept = bucket.0[at].load(Ordering::Relaxed);
        let seal = key.seal(kept);
        let differs = (0..Self::OF_POSITION)
            .fold(0, |bits, word| bits | (bucket.0[at + 1 + word].load(Ordering::Relaxed) ^ seal ^ key.words[word]));
        (differs == 0 && kept != 0).then(|| Entry::of_word(kept))
    }

    /// Ask for the memory of what is known about the position with a hash.
    #[inline(always)]
    pub fn prefetch(&self, hash: u64) {
        if let Some(bucket) = self.bucket(hash) {
            prefetch(bucket);
        }
    }

    /// What is known about a position, if anything.
    #[inline(always)]
    pub fn get(&self, key: &Key) -> Option<Entry> {
        let bucket = self.bucket(key.hash)?;
        for place in 0..Self::PLACES {
            if let Some(entry) = Self::read(bucket, place, key) {
                return Some(entry);
            }
        }
        None
    }

    /// Keep that the score of a position was found to be `score`, above `alpha` or at most that.
    ///
    /// `square` is the move that brought it above; without one an older move is kept. The position with the fewest empty
    /// squares makes room.
    #[inline(always)]
    pub fn put(&self, key: &Key, empties: u32, alpha: i32, score: i32, square: u8) {
        self.change(key, empties, |entry| {
            if score > alpha {
                entry.lower = entry.lower.max(score as i8);
                entry.square = square;
            } else {
                entry.upper = entry.upper.min(score as i8);
            }
        });
    }

    /// Keep a move of a position that is to be tried first.
    pub fn suggest(&self, key: &Key, empties: u32, square: u8) {
        self.change(key, empties, |entry| entry.square = square);
    }

    /// Change what is kept of a position.
    #[inline(always)]
    fn change(&self, key: &Key, empties: u32, change: impl FnOnce(&mut Entry)) {
        let Some(bucket) = self.bucket(key.hash) else { return };
        let (mut place, mut entry, mut fewest) = (0, FREE, u8::MAX);
        for candidate in 0..Self::PLACES {
            if let Some(same) = Self::read(bucket, candidate, key) {
                (place, entry) = (candidate, same);
                break;
            }
            let kept = bucket.0[candidate * (Self::OF_POSITION + 1)].load(Ordering::Relaxed);
            let empties = Entry::of_word(kept).empties;
            if empties < fewest {
                (place, fewest) = (candidate, empties);
            }
        }
        entry.empties = empties as u8;
        change(&mut entry);
        let (at, kept) = (place * (Self::OF_POSITION + 1), entry.word());
        let seal = key.seal(kept);
        bucket.0[at].store(kept, Ordering::Relaxed);
        for word in 0..Self::OF_POSITION {
            bucket.0[at + 1 + word].store(key.words[word] ^ seal, Ordering::Relaxed);
        }
    }
}
