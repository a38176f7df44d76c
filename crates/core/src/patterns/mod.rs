//! Patterns: what stands on a few squares, as the index of a table (n-tuples).
//!
//! A [`Pattern`] has one or more lists of squares, its copies, which share its tables: usually the images of one list under the
//! symmetries of a board. A square's digit is 0, or 1 and more for the first of some sets that holds it; the digits of a copy,
//! the first square's the most significant, are its index. There is a table for each stage of the game, by the number of
//! pieces. The value is the sum over the copies in their order. [`incremental`] has the fast way to the indices in a search.
//!
//! The tables of a *mixed* pattern hold for some numbers of pieces. Between two of these numbers an entry is a linear mix of the
//! two tables, so that no value jumps where a stage ends. Mixed entries are single precision numbers and added as such.
//!
//! Source: Buro, "Improving heuristic mini-max search by supervised learning" (2002); Lucas, "Learning to play Othello with
//! n-tuple systems" (2007).

pub mod incremental;

/// The most entries of one table: an index is 16 bits.
pub const MOST_ENTRIES: usize = 1 << 16;
/// The most copies of one pattern.
pub const MOST_COPIES: usize = 128;
/// The most sets that digits tell apart.
pub const MOST_SETS: usize = 4;
/// The most stages.
pub const MOST_STAGES: usize = 64;

/// Squares whose contents are an index, and when its tables change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pattern {
    copies: Box<[Box<[u8]>]>,
    radix: u32,
    turned: bool,
    /// The least number of pieces of every stage but the first.
    stages: Box<[u32]>,
    /// The stage for every number of pieces, up to the first one of the last stage.
    stage_of: Box<[u8]>,
    /// Of mixed tables: the number of pieces for which the first holds alone. Stages are these numbers of the others.
    first: Option<u32>,
}

/// A table as a mix: the number of the one that holds for fewer pieces, and the share of the next one.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Mix {
    /// The table that holds for fewer pieces.
    pub table: usize,
    /// The share of the table after it; 0 where this one holds alone.
    pub share: f64,
}

impl Mix {
    /// The numbers of both tables; of one that holds alone, twice the same.
    #[inline(always)]
    pub fn tables(self) -> (usize, usize) {
        (self.table, if self.share == 0.0 { self.table } else { self.table + 1 })
    }

    /// An entry, from those of both tables.
    #[inline(always)]
    pub fn entry(self, one: f64, next: f64) -> f32 {
        (one + self.share * (next - one)) as f32
    }
}

impl Pattern {
    /// A pattern of so many sets on a board of `board_squares`. With `turned` its squares are read on the board turned half
    /// round when own is White. `stages` are the numbers of pieces from which on the next table holds.
    ///
    /// # Errors
    /// Says what is wrong.
    pub fn new(
        copies: Vec<Vec<u8>>,
        sets: usize,
        turned: bool,
        stages: Vec<u32>,
        board_squares: u32,
    ) -> Result<Self, String> {
        if !(1..=MOST_SETS).contains(&sets) {
            return Err(format!("a pattern tells 1 to {MOST_SETS} sets apart, not {sets}"));
        }
        if copies.is_empty() || copies.len() > MOST_COPIES {
            return Err(format!("a pattern has 1 to {MOST_COPIES} copies, not {}", copies.len()));
        }
        let length = copies[0].len();
        for copy in &copies {
            if copy.len() != length || copy.is_empty() {
                return Err("the copies of a pattern have equally many squares, at least one".into());
            }
            if let Some(square) = copy.iter().find(|&&square| u32::from(square) >= board_squares) {
                return Err(format!("{square} is not a square: squares are 0 to {}", board_squares - 1));
            }
            if (1..length).any(|place| copy[..place].contains(&copy[place])) {
                return Err("a square stands twice in a copy of a pattern".into());
            }
        }
        let radix = sets as u32 + 1;
        let entries = (radix as usize).checked_pow(length as u32);
        if entries.is_none_or(|entries| entries > MOST_ENTRIES) {
            return Err(format!("{length} squares and {sets} sets give more than {MOST_ENTRIES} entries"));
        }
        if stages.len() >= MOST_STAGES || !stages.is_sorted_by(|a, b| a < b) {
            return Err(format!(
                "the stages of a pattern begin at growing numbers of pieces, at most {}",
                MOST_STAGES - 1
            ));
        }
        if stages.iter().any(|&pieces| pieces == 0 || pieces > board_squares) {
            return Err(format!("a stage begins at 1 to {board_squares} pieces"));
        }
        let stage_at = |pieces: u32| stages.iter().filter(|&&least| least <= pieces).count() as u8;
        let stage_of = (0..=stages.last().copied().unwrap_or(0)).map(stage_at).collect();
        let copies = copies.into_iter().map(Vec::into_boxed_slice).collect();
        Ok(Self { copies, radix, turned, stages: stages.into(), stage_of, first: None })
    }

    /// The same pattern with mixed tables: the first holds for `first` pieces and fewer, the others for the numbers where stages
    /// begin.
    ///
    /// # Errors
    /// Says what is wrong.
    pub fn mixed(self, first: u32) -> Result<Self, String> {
        if self.stages.first().is_none_or(|&next| next <= first) {
            return Err("tables that are mixed hold for growing numbers of pieces, at least two".into());
        }
        Ok(Self { first: Some(first), ..self })
    }

    /// Whether entries between two numbers of pieces are mixed.
    pub fn is_mixed(&self) -> bool {
        self.first.is_some()
    }

    /// Whether tables hold for the same numbers of pieces as those of another pattern.
    pub fn has_stages_of(&self, other: &Self) -> bool {
        self.stages == other.stages && self.first == other.first
    }

    /// The tables that are mixed for a number of pieces; where nothing is mixed, that of its stage.
    pub fn mix(&self, pieces: u32) -> Mix {
        let table = self.stage(pieces);
        let share = match (self.first, self.stages.get(table)) {
            (Some(first), Some(&next)) => {
                let first = if table == 0 { first } else { self.stages[table - 1] };
                f64::from(pieces.saturating_sub(first)) / f64::from(next - first)
            }
            _ => 0.0,
        };
        Mix { table, share }
    }

    /// The sum of the entries of some indices for a number of pieces, one after the other.
    pub fn sum(&self, tables: &[Box<[f64]>], pieces: u32, indices: impl Iterator<Item = usize>) -> f64 {
        let mix = self.mix(pieces);
        let (one, next) = (&tables[mix.table], &tables[(mix.table + 1).min(tables.len() - 1)]);
        if self.is_mixed() {
            f64::from(indices.fold(0.0, |sum, index| sum + mix.entry(one[index], next[index])))
        } else {
            indices.fold(0.0, |sum, index| sum + one[index])
        }
    }

    /// The lists of squares that share the tables.
    pub fn copies(&self) -> &[Box<[u8]>] {
        &self.copies
    }

    /// One more than the number of sets.
    pub fn radix(&self) -> u32 {
        self.radix
    }

    /// Whether squares are read on the board turned half round when own is White.
    pub fn is_turned(&self) -> bool {
        self.turned
    }

    /// Entries of each table.
    pub fn entries(&self) -> usize {
        (self.radix as usize).pow(self.copies[0].len() as u32)
    }

    /// The least number of pieces of every stage but the first.
    pub fn stages(&self) -> &[u32] {
        &self.stages
    }

    /// The number of tables.
    pub fn tables(&self) -> usize {
        self.stages.len() + 1
    }

    /// The table for a number of pieces.
    #[inline(always)]
    pub fn stage(&self, pieces: u32) -> usize {
        self.stage_of[(pieces as usize).min(self.stage_of.len() - 1)].into()
    }

    /// A square as it is read: `last` is the last square of the board.
    #[inline(always)]
    pub fn square(&self, square: u8, own_is_black: bool, last: u32) -> u32 {
        if self.turned && !own_is_black { last - u32::from(square) } else { square.into() }
    }

    /// The index of a copy, where `digit` says what stands on a square.
    pub fn index(&self, copy: &[u8], own_is_black: bool, last: u32, digit: impl Fn(u32) -> u32) -> usize {
        let add = |index, &square: &u8| index * self.radix + digit(self.square(square, own_is_black, last));
        copy.iter().fold(0, add) as usize
    }
}

/// The sum of what a table says of some indices, in their order.
#[inline(always)]
pub fn looked_up<'a, E: Entry>(table: &[E], indices: impl IntoIterator<Item = &'a u16>) -> f64 {
    indices.into_iter().fold(E::default(), |sum, &index| sum + table[usize::from(index)]).into()
}

/// A number in a table, which is added to others of its own precision: double, or single in mixed tables.
pub trait Entry: Copy + Default + std::ops::Add<Output = Self> + Into<f64> {}
impl<E: Copy + Default + std::ops::Add<Output = E> + Into<f64>> Entry for E {}

/// The tables of a mixed pattern for each number of pieces, made when they are first asked for.
#[derive(Clone, Debug)]
pub struct MixedTables(std::sync::Arc<[std::sync::OnceLock<Box<[f32]>>]>);

impl MixedTables {
    /// For a board of so many squares.
    pub fn new(squares: u32) -> Self {
        Self((0..=squares).map(|_| std::sync::OnceLock::new()).collect())
    }

    /// The table for a number of pieces, of a pattern with these tables.
    #[inline(always)]
    pub fn table(&self, pattern: &Pattern, tables: &[Box<[f64]>], pieces: u32) -> &[f32] {
        let place = &self.0[(pieces as usize).min(self.0.len() - 1)];
        if let Some(table) = place.get() { table } else { Self::make(place, pattern, tables, pieces) }
    }

    #[cold]
    #[inline(never)]
    fn make<'a>(
        place: &'a std::sync::OnceLock<Box<[f32]>>,
        pattern: &Pattern,
        tables: &[Box<[f64]>],
        pieces: u32,
    ) -> &'a [f32] {
        place.get_or_init(|| {
            let mix = pattern.mix(pieces);
            let (one, next) = (&tables[mix.table], &tables[(mix.table + 1).min(tables.len() - 1)]);
            one.iter().zip(next).map(|(&one, &next)| mix.entry(one, next)).collect()
        })
    }
}
