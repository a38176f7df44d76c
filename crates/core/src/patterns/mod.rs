//! Patterns: what stands on a few squares, as the index of a table (n-tuples).
//!
//! A [`Pattern`] has one or more lists of squares, its copies, which share its tables: usually the images of one list under the
//! symmetries of a board. A square's digit is 0, or 1 and more for the first of some sets that holds it; the digits of a copy,
//! the first square's the most significant, are its index. There is a table for each stage of the game, by the number of
//! pieces. The value is the sum over the copies in their order. [`incremental`] has the fast way to the indices in a search.
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
        Ok(Self { copies, radix, turned, stages: stages.into(), stage_of })
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
pub fn looked_up<'a>(table: &[f64], indices: impl IntoIterator<Item = &'a u16>) -> f64 {
    indices.into_iter().fold(0.0, |sum, &index| sum + table[usize::from(index)])
}
