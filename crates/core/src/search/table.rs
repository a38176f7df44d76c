//! The transposition table: what a search already knows of a position.
//!
//! It knows nothing of games or evaluators: a position is a 64-bit key, which whoever searches makes from everything that
//! the position's value depends on. A table [`start`](Table::start)s empty, so that a choice depends on nothing that happened
//! before it; an engine that stays goes [`on`](Table::go_on) with what its earlier searches found.
//!
//! An empty entry is all zeros, so that a new table is memory that the system clears page by page as it is used, and there is
//! none before the first entry is kept. Four entries share a bucket: what is of earlier searches makes room first, then what
//! looked least far ahead.
//!
//! Reasons: docs/design/search.md.

/// What is known of a position for the side to move.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Entry {
    /// The value is at least this.
    pub lower: f64,
    /// The value is at most this; equal to `lower` where it is known.
    pub upper: f64,
    /// Plies looked ahead from the position.
    pub depth: u8,
    /// The best move found, if a move was better than the others: its place in the order of legal moves.
    pub best: Option<u8>,
    /// Whether an evaluator had a say, so that looking deeper could change the value.
    pub estimated: bool,
}

/// An entry as it is kept: its key, the bits of both bounds, and the rest: the age above 32 bits, then the depth, one more
/// than the best move, and whether the value is an estimate, 8, 9 and 1 bits.
type Slot = [u64; 4];

/// Entries that a key may be kept in.
const PLACES: usize = 4;

type Bucket = [Slot; PLACES];

/// A fixed number of entries, in buckets of four; a new one replaces what matters least in its bucket.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// None before the first entry is kept; then at least as many as are in use: a table shrinks without giving memory back.
    buckets: Vec<Bucket>,
    /// How many are in use, a power of two or 0.
    size: usize,
    /// The number of the search, at least 1: the age of its entries.
    age: u32,
    /// The search that found the table empty: what is older counts as empty.
    since: u32,
}

impl Table {
    /// Begin a search with `size` empty entries, a power of two or 0; there are never fewer than a bucket's.
    pub fn start(&mut self, size: usize) {
        self.resize(size);
        self.since = self.age;
    }

    /// Begin a search with what earlier ones left, as far as the table is as large as it was.
    pub fn go_on(&mut self, size: usize) {
        let before = self.size;
        self.resize(size);
        if self.size != before || self.since == 0 {
            self.since = self.age;
        }
    }

    fn resize(&mut self, size: usize) {
        self.size = if size == 0 { 0 } else { size.div_ceil(PLACES).next_power_of_two() };
        // Entries of earlier searches are known by their age, so that nothing has to be wiped.
        self.age = self.age.wrapping_add(1);
        if self.age == 0 {
            self.buckets = Vec::new();
            (self.age, self.since) = (1, 1);
        }
    }

    /// Whether there is a table at all.
    #[inline(always)]
    pub fn is_used(&self) -> bool {
        self.size > 0
    }

    /// What is known of a position.
    #[inline(always)]
    pub fn find(&self, key: u64) -> Option<Entry> {
        let bucket = self.buckets.get(self.index(key)?)?;
        bucket.iter().find(|slot| slot[0] == key && age_of(slot) >= self.since).map(entry_of)
    }

    /// Keep what was found out about a position; at the same depth it adds to what was known.
    #[inline(always)]
    pub fn store(&mut self, key: u64, mut entry: Entry) {
        let Some(index) = self.index(key) else { return };
        if self.buckets.len() < self.size {
            self.allocate();
        }
        let (age, since) = (self.age, self.since);
        let Some(bucket) = self.buckets.get_mut(index) else { return };
        let mut place = 0;
        let mut least = u64::MAX;
        for (other, slot) in bucket.iter().enumerate() {
            let is_known = age_of(slot) >= since;
            if is_known && slot[0] == key {
                place = other;
                let known = entry_of(slot);
                entry.best = entry.best.or(known.best);
                if known.depth == entry.depth {
                    entry.lower = entry.lower.max(known.lower);
                    entry.upper = entry.upper.min(known.upper);
                    entry.estimated |= known.estimated;
                }
                break;
            }
            // Age and depth stand in this order in the upper bits.
            let matters = if is_known { slot[3] >> DEPTH_SHIFT } else { 0 };
            if matters < least {
                (least, place) = (matters, other);
            }
        }
        bucket[place] = slot_of(key, &entry, age);
    }

    /// Get the memory: zeros, of which the system gives out a page when it is first written to.
    #[cold]
    #[inline(never)]
    fn allocate(&mut self) {
        self.buckets = vec![[[0; 4]; PLACES]; self.size];
    }

    #[inline(always)]
    fn index(&self, key: u64) -> Option<usize> {
        Some(key as usize & self.size.checked_sub(1)?)
    }
}

const AGE_SHIFT: u32 = 32;
const DEPTH_SHIFT: u32 = 24;
const BEST_SHIFT: u32 = 8;

#[inline(always)]
fn age_of(slot: &Slot) -> u32 {
    (slot[3] >> AGE_SHIFT) as u32
}

#[inline(always)]
fn slot_of(key: u64, entry: &Entry, age: u32) -> Slot {
    let best = entry.best.map_or(0, |place| u64::from(place) + 1);
    let rest = u64::from(age) << AGE_SHIFT
        | u64::from(entry.depth) << DEPTH_SHIFT
        | best << BEST_SHIFT
        | u64::from(entry.estimated);
    [key, entry.lower.to_bits(), entry.upper.to_bits(), rest]
}

#[inline(always)]
fn entry_of(&[_, lower, upper, rest]: &Slot) -> Entry {
    let best = (rest >> BEST_SHIFT) as u16;
    Entry {
        lower: f64::from_bits(lower),
        upper: f64::from_bits(upper),
        depth: (rest >> DEPTH_SHIFT) as u8,
        best: best.checked_sub(1).map(|place| place as u8),
        estimated: rest & 1 == 1,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::stream::Key;

    const FOUND: Entry = Entry { lower: 1.0, upper: 5.0, depth: 3, best: Some(7), estimated: false };

    #[test]
    fn starts_empty() {
        let mut table = Table::default();
        for size in [8, 0, 4, 16, 8, 1, 2] {
            table.start(size);
            assert_eq!(table.is_used(), size > 0);
            for key in 0..40 {
                assert_eq!(table.find(key), None, "{size}");
            }
            table.store(3, FOUND);
            assert_eq!(table.find(3), (size > 0).then_some(FOUND));
        }
    }

    #[test]
    fn goes_on_until_it_starts_anew() {
        let mut table = Table::default();
        table.go_on(8);
        assert_eq!(table.find(3), None);
        table.store(3, FOUND);
        table.go_on(8);
        assert_eq!(table.find(3), Some(FOUND));
        // Another size puts entries elsewhere.
        table.go_on(16);
        assert_eq!(table.find(3), None);
        table.store(3, FOUND);
        table.start(16);
        assert_eq!(table.find(3), None);
        // The numbers of searches begin anew.
        table.store(3, FOUND);
        table.age = u32::MAX;
        table.go_on(16);
        assert_eq!(table.find(3), None);
        table.store(3, FOUND);
        table.go_on(16);
        assert_eq!(table.find(3), Some(FOUND));
    }

    #[test]
    fn bounds_meet_at_equal_depth() {
        let mut table = Table::default();
        table.start(8);
        table.store(3, FOUND);
        table.store(3, Entry { lower: 2.0, upper: 9.0, best: None, estimated: true, ..FOUND });
        assert_eq!(table.find(3), Some(Entry { lower: 2.0, estimated: true, ..FOUND }));
        table.store(3, Entry { depth: 4, lower: 0.0, upper: 0.0, ..FOUND });
        assert_eq!(table.find(3), Some(Entry { depth: 4, lower: 0.0, upper: 0.0, ..FOUND }));
    }

    #[test]
    fn the_old_and_then_the_shallow_make_room() {
        let mut table = Table::default();
        table.start(4);
        for key in 0..4 {
            table.store(key, Entry { depth: 9 - key as u8, ..FOUND });
        }
        // Full: the shallowest goes.
        table.store(10, Entry { depth: 1, ..FOUND });
        assert_eq!(table.find(3), None);
        table.store(11, Entry { depth: 2, ..FOUND });
        assert_eq!((table.find(10), table.find(2).is_some()), (None, true));
        // In the next search all of these are older than what comes, however deep they are.
        table.go_on(4);
        for key in 20..24 {
            table.store(key, Entry { depth: 1, ..FOUND });
        }
        assert!((20..24).all(|key| table.find(key).is_some()));
        assert!((0..12).all(|key| table.find(key).is_none()));
    }

    #[test]
    fn there_is_no_memory_before_the_first_entry() {
        let mut table = Table::default();
        table.start(1 << 22);
        assert_eq!((table.find(1), table.buckets.capacity()), (None, 0));
        table.store(1, FOUND);
        assert_eq!((table.find(1), table.buckets.len()), (Some(FOUND), 1 << 20));
    }

    /// Against a map that forgets nothing but at every start: what is found is what was kept, and nothing else.
    #[test]
    fn what_is_found_was_kept() {
        let mut draws = Key::new(31).stream();
        let mut table = Table::default();
        let (mut found, mut forgotten) = (0, 0);
        for round in 0..200 {
            let size = [1, 4, 16, 64][round % 4];
            let mut kept: HashMap<u64, Entry> = HashMap::new();
            table.start(size);
            for _ in 0..3 {
                for _ in 0..60 {
                    let key = draws.below(40) << draws.below(3);
                    let bounds = [draws.below(9), draws.below(9)].map(|bound| bound as f64 - 4.0);
                    let entry = Entry {
                        lower: bounds[0].min(bounds[1]),
                        upper: bounds[0].max(bounds[1]),
                        depth: draws.below(200) as u8,
                        best: [None, Some(draws.below(256) as u8)][draws.below(2) as usize],
                        estimated: draws.below(2) == 0,
                    };
                    if let Some(entry) = table.find(key) {
                        assert_eq!(Some(&entry), kept.get(&key));
                        found += 1;
                    } else {
                        forgotten += u32::from(kept.remove(&key).is_some());
                    }
                    table.store(key, entry);
                    kept.insert(key, table.find(key).expect("what was just kept is there"));
                }
                table.go_on(size);
            }
        }
        assert!(found > 1000 && forgotten > 1000, "{found} {forgotten}");
    }

    #[test]
    fn a_bucket_is_two_lines_of_cache() {
        assert_eq!(size_of::<Bucket>(), 128);
    }
}
