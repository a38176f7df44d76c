//! Indices of patterns that are carried along: from a position to its children only the changed squares count.
//!
//! An index is a sum over the pieces on the board: each adds its digit, times the radix to the power of its square's place. So
//! two boards differ by what their different squares add, and any board that is known serves to know another. A search
//! keeps one for every level of its tree, so that a position is reached from its parent; which board was known never shows.
//!
//! Indices are added four to a word. A sum of words is the sum of their indices as numbers with digits of 16 bits: what one
//! index carries over to the next on the way has come back in the end, when each of them fits its place again.
//!
//! Reasons: docs/design/search.md.

use std::sync::Arc;

use super::Pattern;
use crate::bitboard::{Board, Word};
use crate::cpu::Cpu;
use crate::cpu::vector::{Eight, Vector};
use crate::lanes::{LANES, Lanes};

/// Indices in one word.
const IN_WORD: usize = 4;
/// Indices side by side in one register of the widest machines.
const WIDTH: usize = IN_WORD * LANES;
type Chunk = Lanes<u64>;

/// Nothing to add to any index.
const NOTHING: Chunk = Lanes([0; LANES]);

/// The most copies of all patterns of a program together whose indices are carried.
pub const MOST_CARRIED: usize = 1024;
const MOST_LEVELS: usize = 160;

/// Own men, the opponent's men, own kings, the opponent's kings; without kings the first two.
type Pieces<B> = [<B as Board>::Word; 4];

/// A pattern and, for every kind of pieces, the digit that it has there.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The pattern.
    pub pattern: Arc<Pattern>,
    /// Of own men, the opponent's men, own kings, the opponent's kings.
    pub digits: [u32; 4],
}

/// How indices change with the pieces on the board, for all patterns of a program.
#[derive(Debug)]
pub struct Plan<B: Board> {
    chunks: usize,
    /// For own White and own Black, if that matters, else once: kind by kind and square by square what a piece adds to all
    /// indices. The fifth kind is an opponent's man that becomes an own one. Beyond the last square there is nothing.
    added: Vec<Box<[Chunk]>>,
    board: std::marker::PhantomData<B>,
}

/// A kind that is no piece: an opponent's man turned into an own one.
const TURNED: usize = 4;

impl<B: Board> Plan<B> {
    /// How the indices of some patterns change, one copy after the other, on a board whose last square is `last`; `None`
    /// if they are too many.
    pub fn new(readings: &[Reading], last: u32) -> Option<Self> {
        let count: usize = readings.iter().map(|reading| reading.pattern.copies().len()).sum();
        if count == 0 || count > MOST_CARRIED {
            return None;
        }
        let chunks = count.div_ceil(WIDTH);
        let is_turned = readings.iter().any(|reading| reading.pattern.is_turned());
        let views: &[bool] = if is_turned { &[false, true] } else { &[true] };
        let added = views.iter().map(|&own_is_black| {
            let mut added = vec![NOTHING; (TURNED + 1) * Self::ROWS * chunks];
            let mut number = 0;
            for Reading { pattern, digits } in readings {
                for copy in pattern.copies() {
                    let (chunk, word, shift) = (number / WIDTH, number % WIDTH / IN_WORD, 16 * (number % IN_WORD));
                    let mut power = 1_u32;
                    for &square in copy.iter().rev() {
                        let square = pattern.square(square, own_is_black, last) as usize;
                        for (kind, digit) in digits.iter().enumerate() {
                            let row = (kind * Self::ROWS + square) * chunks;
                            added[row + chunk].0[word] |= u64::from(digit * power) << shift;
                        }
                        power *= pattern.radix();
                    }
                    number += 1;
                }
            }
            let (kinds, turned) = added.split_at_mut(TURNED * Self::ROWS * chunks);
            for (place, turned) in turned.iter_mut().enumerate() {
                *turned = kinds[place].zip(kinds[Self::ROWS * chunks + place], u64::wrapping_sub);
            }
            added.into_boxed_slice()
        });
        Some(Self { chunks, added: added.collect(), board: std::marker::PhantomData })
    }

    /// Rows of each kind: one for every square, and an empty one.
    const ROWS: usize = B::SQUARES as usize + 1;

    #[inline(always)]
    fn added(&self, own_is_black: bool) -> &[Chunk] {
        &self.added[if self.added.len() == 1 { 0 } else { usize::from(own_is_black) }]
    }

    /// The indices of some pieces from those of others.
    #[inline(always)]
    #[allow(clippy::too_many_arguments)] // Two boards, two lists, and how they are seen.
    fn change<C: Cpu>(
        &self,
        cpu: C,
        own_is_black: bool,
        has_kings: bool,
        (from, before): (&Pieces<B>, &[Chunk]),
        (to, after): (&Pieces<B>, &mut [Chunk]),
    ) {
        let differences = Differences::<B>::between(from, to, has_kings);
        let rows = Rows { added: self.added(own_is_black), chunks: self.chunks };
        let (mut first, chunks) = (0, self.chunks.min(before.len()).min(after.len()));
        while first + 2 <= chunks {
            let [one, other] = rows.sums(cpu, &differences, first, [&before[first], &before[first + 1]]);
            (after[first], after[first + 1]) = (one, other);
            first += 2;
        }
        if first < chunks {
            [after[first]] = rows.sums(cpu, &differences, first, [&before[first]]);
        }
    }
}

/// The squares on which two boards differ, kind by kind.
struct Differences<B: Board> {
    gained: Pieces<B>,
    lost: Pieces<B>,
    /// Men that change sides; of games without kings, where most changes are of this kind.
    to_own: B::Word,
    to_opponent: B::Word,
    has_kings: bool,
}

impl<B: Board> Differences<B> {
    #[inline(always)]
    fn between(from: &Pieces<B>, to: &Pieces<B>, has_kings: bool) -> Self {
        let (mut gained, mut lost) = ([B::Word::ZERO; 4], [B::Word::ZERO; 4]);
        for kind in 0..if has_kings { 4 } else { 2 } {
            gained[kind] = to[kind] & !from[kind];
            lost[kind] = from[kind] & !to[kind];
        }
        let (mut to_own, mut to_opponent) = (B::Word::ZERO, B::Word::ZERO);
        if !has_kings {
            (to_own, to_opponent) = (gained[0] & lost[1], gained[1] & lost[0]);
            (gained[0], gained[1]) = (gained[0] & !to_own, gained[1] & !to_opponent);
            (lost[0], lost[1]) = (lost[0] & !to_opponent, lost[1] & !to_own);
        }
        Self { gained, lost, to_own, to_opponent, has_kings }
    }
}

/// What pieces add to the indices.
struct Rows<'a> {
    added: &'a [Chunk],
    chunks: usize,
}

// Functions and not closures: these are compiled into the code of each CPU path without fail.
impl Rows<'_> {
    /// Some indices, the first of which are in chunk `first`, with differences added.
    #[inline(always)]
    fn sums<B: Board, C: Cpu, const CHUNKS: usize>(
        &self,
        cpu: C,
        differences: &Differences<B>,
        first: usize,
        before: [&Chunk; CHUNKS],
    ) -> [Chunk; CHUNKS] {
        let Differences { gained, lost, to_own, to_opponent, has_kings } = differences;
        let mut sums = [cpu.splat(0); CHUNKS];
        for chunk in 0..CHUNKS {
            sums[chunk] = cpu.words(before[chunk]);
        }
        if !has_kings {
            self.add::<B, C, CHUNKS, false>(cpu, TURNED, *to_own, first, &mut sums);
            self.add::<B, C, CHUNKS, true>(cpu, TURNED, *to_opponent, first, &mut sums);
        }
        for kind in 0..if *has_kings { 4 } else { 2 } {
            self.add::<B, C, CHUNKS, false>(cpu, kind, gained[kind], first, &mut sums);
            self.add::<B, C, CHUNKS, true>(cpu, kind, lost[kind], first, &mut sums);
        }
        let mut after = [NOTHING; CHUNKS];
        for chunk in 0..CHUNKS {
            after[chunk] = sums[chunk].lanes();
        }
        after
    }

    /// Add the pieces of a kind on some squares, or take them away.
    #[inline(always)]
    fn add<B: Board, C: Cpu, const CHUNKS: usize, const LOST: bool>(
        &self,
        cpu: C,
        kind: usize,
        mut squares: B::Word,
        first: usize,
        sums: &mut [C::Eight; CHUNKS],
    ) {
        while squares != B::Word::ZERO {
            // Two at a time, as how many there are is hard to predict. After the last square comes the empty row.
            for _ in 0..2 {
                let square = squares.trailing_zeros().min(B::SQUARES) as usize;
                squares = squares & squares.wrapping_sub(B::Word::ONE);
                let row = (kind * Plan::<B>::ROWS + square) * self.chunks + first;
                let row = &self.added[row..row + CHUNKS];
                for chunk in 0..CHUNKS {
                    let added = cpu.words(&row[chunk]);
                    sums[chunk] = if LOST { sums[chunk].minus(added) } else { sums[chunk].plus(added) };
                }
            }
        }
    }
}

#[inline(always)]
fn unpack(chunk: &Chunk, indices: &mut [u16; WIDTH]) {
    for number in 0..LANES {
        // Four stores in a row, which the compiler makes one of: in a loop they stay four.
        let (word, first) = (chunk.0[number], number * IN_WORD);
        indices[first] = word as u16;
        indices[first + 1] = (word >> 16) as u16;
        indices[first + 2] = (word >> 32) as u16;
        indices[first + 3] = (word >> 48) as u16;
    }
}

/// A board whose indices are known.
#[derive(Clone, Debug)]
struct Known<B: Board> {
    pieces: Pieces<B>,
    indices: Vec<Chunk>,
}

/// The boards that are known in one thread, and the indices of a block of siblings.
#[derive(Clone, Debug)]
pub struct Carried<B: Board> {
    plan: Option<Arc<Plan<B>>>,
    /// The boards of the line that is being searched, as Black and White see them; the deepest level is 0.
    wanted: Vec<[Pieces<B>; 2]>,
    /// What is known at each level, to White and to Black.
    known: [Vec<Known<B>>; 2],
    level: usize,
    top: usize,
    /// Indices that are being made.
    made: Vec<Chunk>,
    lanes: Vec<[u16; WIDTH]>,
    /// How many lanes of the next evaluation are known.
    ready: usize,
}

impl<B: Board> Default for Carried<B> {
    fn default() -> Self {
        let (known, wanted) = ([Vec::new(), Vec::new()], Vec::new());
        Self { plan: None, wanted, known, level: 0, top: 0, made: Vec::new(), lanes: Vec::new(), ready: 0 }
    }
}

/// A board as one side sees it, kind by kind.
#[inline(always)]
fn pieces<B: Board>(own: B::Word, opponent: B::Word, kings: Option<B::Word>) -> Pieces<B> {
    match kings {
        Some(kings) => [own & !kings, opponent & !kings, own & kings, opponent & kings],
        None => [own, opponent, B::Word::ZERO, B::Word::ZERO],
    }
}

impl<B: Board> Carried<B> {
    /// Begin with a program's patterns, or without any.
    pub fn load(&mut self, plan: Option<&Arc<Plan<B>>>) {
        let is_same = match (&self.plan, plan) {
            (Some(old), Some(new)) => Arc::ptr_eq(old, new),
            (None, None) => true,
            _ => false,
        };
        if is_same {
            return;
        }
        *self = Self { plan: plan.cloned(), ..Self::default() };
        let Some(plan) = plan else { return };
        // An empty board has index 0 everywhere.
        let empty = Known { pieces: [B::Word::ZERO; 4], indices: vec![NOTHING; plan.chunks] };
        self.known = [vec![empty.clone()], vec![empty]];
        self.wanted = vec![[[B::Word::ZERO; 4]; 2]];
        self.made = vec![NOTHING; plan.chunks];
        self.lanes = vec![[0; WIDTH]; LANES * plan.chunks];
    }

    /// Whether there is anything to carry.
    #[inline(always)]
    pub fn is_used(&self) -> bool {
        self.plan.is_some()
    }

    /// A search begins: its root is the top.
    #[inline(always)]
    pub fn begin(&mut self) {
        (self.level, self.top) = (0, 0);
    }

    /// A search enters a position so many plies above its last one; the one before it on its line, a level above, was entered
    /// before. Black and White own the first two sets.
    #[inline(always)]
    pub fn enter(&mut self, black: B::Word, white: B::Word, kings: Option<B::Word>, level: usize) {
        let level = level.min(MOST_LEVELS);
        while self.wanted.len() <= level {
            self.wanted.push([[B::Word::ZERO; 4]; 2]);
            let [for_white, for_black] = &mut self.known;
            for_white.push(for_white[0].clone());
            for_black.push(for_black[0].clone());
        }
        self.wanted[level] = [pieces::<B>(white, black, kings), pieces::<B>(black, white, kings)];
        (self.level, self.top) = (level, self.top.max(level));
    }

    /// Make the indices of a block of siblings ready for its evaluation: `own` and `opponent` of their parent, as the side that
    /// is spoken for sees it, and of the siblings.
    #[inline(always)]
    pub fn follow(
        &mut self,
        cpu: impl Cpu,
        own_is_black: bool,
        parent: (B::Word, B::Word, Option<B::Word>),
        children: impl Fn(usize) -> (B::Word, B::Word, Option<B::Word>),
        len: usize,
    ) {
        let Some(plan) = self.plan.take() else { return };
        let (view, has_kings) = (usize::from(own_is_black), parent.2.is_some());
        // Step 1. The parent. What was not entered, such as a position in the middle of captures, comes below the last that was.
        let wanted = pieces::<B>(parent.0, parent.1, parent.2);
        let level = if self.wanted[self.level][view] == wanted {
            self.level
        } else {
            let (black, white) = if own_is_black { (parent.0, parent.1) } else { (parent.1, parent.0) };
            let before = self.level;
            self.enter(black, white, parent.2, 0);
            self.level = before;
            0
        };
        let mut above = level;
        while above < self.top && self.known[view][above].pieces != self.wanted[above][view] {
            above += 1;
        }
        // The highest board goes on from what stood in its own place.
        for place in (level..=above).rev() {
            let target = self.wanted[place][view];
            if self.known[view][place].pieces == target {
                continue;
            }
            let (below, rest) = self.known[view].split_at_mut(place + 1);
            let known = &mut below[place];
            let (pieces, indices) = match rest.first() {
                Some(parent) if place < above => (&parent.pieces, &parent.indices),
                _ => (&known.pieces, &known.indices),
            };
            plan.change(cpu, own_is_black, has_kings, (pieces, indices), (&target, &mut self.made));
            known.pieces = target;
            std::mem::swap(&mut known.indices, &mut self.made);
        }
        // Step 2. The children.
        let known = &self.known[view][level];
        for lane in 0..len.min(LANES) {
            let (own, opponent, kings) = children(lane);
            let child = pieces::<B>(own, opponent, kings);
            let before = (&known.pieces, &*known.indices);
            plan.change(cpu, own_is_black, has_kings, before, (&child, &mut self.made));
            for chunk in 0..plan.chunks {
                unpack(&self.made[chunk], &mut self.lanes[lane * plan.chunks + chunk]);
            }
        }
        (self.ready, self.plan) = (len, Some(plan));
    }

    /// How many boards of the block that is evaluated now have indices; they are used up.
    #[inline(always)]
    pub fn take_ready(&mut self) -> usize {
        std::mem::take(&mut self.ready)
    }

    /// All indices of one board of the block.
    #[inline(always)]
    pub fn lane(&self, lane: usize) -> &[u16] {
        let chunks = self.lanes.len() / LANES;
        self.lanes[lane * chunks..][..chunks].as_flattened()
    }
}
