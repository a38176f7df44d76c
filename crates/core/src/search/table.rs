//! The transposition table: what a search already knows of a position.
//!
//! It knows nothing of games or evaluators: a position is a 64-bit key, which whoever searches makes from everything that
//! the position's value depends on. A table is filled by one search and starts empty, so that a choice depends on nothing
//! that happened before it.

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

#[derive(Clone, Copy, Debug)]
struct Slot {
    key: u64,
    lower: f64,
    upper: f64,
    /// The search that filled the slot: one of an earlier search is empty.
    search: u32,
    depth: u8,
    best: Option<u8>,
    estimated: bool,
}

const EMPTY: Slot =
    Slot { key: 0, lower: f64::NEG_INFINITY, upper: f64::INFINITY, search: 0, depth: 0, best: None, estimated: true };

/// A fixed number of entries; a new one replaces what stood in its slot.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// At least as many as are in use: a table shrinks without giving memory back.
    slots: Vec<Slot>,
    size: usize,
    search: u32,
}

impl Table {
    /// Begin a search with `size` empty entries, a power of two or 0.
    pub fn start(&mut self, size: usize) {
        self.size = if size == 0 { 0 } else { size.next_power_of_two() };
        if self.slots.len() < self.size {
            self.slots.clear();
            self.slots.resize(self.size, EMPTY);
        }
        // Entries of earlier searches are known by their number, so that nothing has to be wiped.
        self.search = self.search.wrapping_add(1);
        if self.search == 0 {
            self.slots.fill(EMPTY);
            self.search = 1;
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
        let slot = self.slots.get(self.index(key)?)?;
        let &Slot { lower, upper, depth, best, estimated, .. } = slot;
        (slot.key == key && slot.search == self.search).then_some(Entry { lower, upper, depth, best, estimated })
    }

    /// Keep what was found out about a position; at the same depth it adds to what was known.
    #[inline(always)]
    pub fn store(&mut self, key: u64, mut entry: Entry) {
        let Some(index) = self.index(key) else { return };
        if let Some(known) = self.find(key) {
            entry.best = entry.best.or(known.best);
            if known.depth == entry.depth {
                entry.lower = entry.lower.max(known.lower);
                entry.upper = entry.upper.min(known.upper);
                entry.estimated |= known.estimated;
            }
        }
        if let Some(slot) = self.slots.get_mut(index) {
            let Entry { lower, upper, depth, best, estimated } = entry;
            *slot = Slot { key, lower, upper, search: self.search, depth, best, estimated };
        }
    }

    #[inline(always)]
    fn index(&self, key: u64) -> Option<usize> {
        Some(key as usize & self.size.checked_sub(1)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FOUND: Entry = Entry { lower: 1.0, upper: 5.0, depth: 3, best: Some(7), estimated: false };

    #[test]
    fn starts_empty() {
        let mut table = Table::default();
        for size in [8, 0, 4, 16, 8] {
            table.start(size);
            assert_eq!(table.is_used(), size > 0);
            for key in 0..40 {
                assert_eq!(table.find(key), None, "{size}");
            }
            table.store(3, FOUND);
            assert_eq!(table.find(3), (size > 0).then_some(FOUND));
        }
        // The numbers of searches begin anew.
        table.search = u32::MAX;
        table.store(3, FOUND);
        table.start(8);
        assert_eq!(table.find(3), None);
    }

    #[test]
    fn newer_replaces_older_and_bounds_meet() {
        let mut table = Table::default();
        table.start(8);
        table.store(3, FOUND);
        table.store(3, Entry { lower: 2.0, upper: 9.0, best: None, estimated: true, ..FOUND });
        assert_eq!(table.find(3), Some(Entry { lower: 2.0, estimated: true, ..FOUND }));
        table.store(3, Entry { depth: 4, lower: 0.0, upper: 0.0, ..FOUND });
        assert_eq!(table.find(3), Some(Entry { depth: 4, lower: 0.0, upper: 0.0, ..FOUND }));
        table.store(11, FOUND);
        assert_eq!((table.find(3), table.find(11)), (None, Some(FOUND)));
    }

    #[test]
    fn two_slots_share_a_line_of_cache() {
        assert_eq!(size_of::<Slot>(), 32);
    }
}
