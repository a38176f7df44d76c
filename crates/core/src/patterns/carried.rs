//! Indices of patterns that are carried along: from a position to its children only the changed squares count.
//!
//! An index is a sum over the pieces on the board: each adds its digit, times the radix to the power of its square's place. So
//! two boards differ by what their different squares add, and any board that is known serves to know another. A search
//! keeps one for every level of its tree, so that a position is reached from its parent; which board was known never shows.

use std::sync::Arc;

use super::Pattern;
use crate::bitboard::{Board, Word};
use crate::lanes::LANES;

/// Indices side by side in one register of the widest machines.
const WIDTH: usize = 32;
type Chunk = [u16; WIDTH];

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
    /// indices. The fifth kind is an opponent's man that becomes an own one.
    added: Vec<Box<[Chunk]>>,
    board: std::marker::PhantomData<B>,
}

/// A kind that is no piece: an opponent's man turned into an own one.
const TURNED: usize = 4;

impl<B: Board> Plan<B> {
    /// How the indices of some patterns change, one copy after the other; `None` if they are too many.
    pub fn new(readings: &[Reading]) -> Option<Self> {
        let count: usize = readings.iter().map(|reading| reading.pattern.copies().len()).sum();
        if count == 0 || count > MOST_CARRIED {
            return None;
        }
        let (chunks, squares) = (count.div_ceil(WIDTH), B::SQUARES as usize);
        let is_turned = readings.iter().any(|reading| reading.pattern.is_turned());
        let views: &[bool] = if is_turned { &[false, true] } else { &[true] };
        let added = views.iter().map(|&own_is_black| {
            let mut added = vec![[0_u16; WIDTH]; 5 * squares * chunks];
            let mut number = 0;
            for Reading { pattern, digits } in readings {
                for copy in pattern.copies() {
                    let mut power = 1_u32;
                    for &square in copy.iter().rev() {
                        let square = pattern.square(square, own_is_black, B::SQUARES - 1) as usize;
                        let mut add = |kind: usize, value: u32| {
                            let chunk = (kind * squares + square) * chunks + number / WIDTH;
                            added[chunk][number % WIDTH] = value as u16;
                        };
                        for (kind, digit) in digits.iter().enumerate() {
                            add(kind, digit * power);
                        }
                        add(TURNED, (digits[0] * power).wrapping_sub(digits[1] * power));
                        power *= pattern.radix();
                    }
                    number += 1;
                }
            }
            added.into_boxed_slice()
        });
        Some(Self { chunks, added: added.collect(), board: std::marker::PhantomData })
    }

    #[inline(always)]
    fn added(&self, own_is_black: bool) -> &[Chunk] {
        &self.added[if self.added.len() == 1 { 0 } else { usize::from(own_is_black) }]
    }

    /// Turn the indices of some pieces into those of others.
    #[inline(always)]
    fn change(&self, own_is_black: bool, from: &Pieces<B>, to: &Pieces<B>, has_kings: bool, indices: &mut [Chunk]) {
        let added = self.added(own_is_black);
        let (mut gained, mut lost) = ([B::Word::ZERO; 4], [B::Word::ZERO; 4]);
        for kind in 0..if has_kings { 4 } else { 2 } {
            gained[kind] = to[kind] & !from[kind];
            lost[kind] = from[kind] & !to[kind];
        }
        if !has_kings {
            // Most changes are discs that turn.
            let (to_own, to_opponent) = (gained[0] & lost[1], gained[1] & lost[0]);
            self.add(added, TURNED, to_own, indices);
            self.subtract(added, TURNED, to_opponent, indices);
            gained = [gained[0] & !to_own, gained[1] & !to_opponent, B::Word::ZERO, B::Word::ZERO];
            lost = [lost[0] & !to_opponent, lost[1] & !to_own, B::Word::ZERO, B::Word::ZERO];
        }
        for kind in 0..if has_kings { 4 } else { 2 } {
            self.add(added, kind, gained[kind], indices);
            self.subtract(added, kind, lost[kind], indices);
        }
    }

    #[inline(always)]
    fn add(&self, added: &[Chunk], kind: usize, squares: B::Word, indices: &mut [Chunk]) {
        self.each(added, kind, squares, indices, u16::wrapping_add);
    }

    #[inline(always)]
    fn subtract(&self, added: &[Chunk], kind: usize, squares: B::Word, indices: &mut [Chunk]) {
        self.each(added, kind, squares, indices, u16::wrapping_sub);
    }

    #[inline(always)]
    fn each(
        &self,
        added: &[Chunk],
        kind: usize,
        mut squares: B::Word,
        indices: &mut [Chunk],
        operation: impl Fn(u16, u16) -> u16,
    ) {
        while squares != B::Word::ZERO {
            let place = (kind * B::SQUARES as usize + squares.trailing_zeros() as usize) * self.chunks;
            squares = squares & squares.wrapping_sub(B::Word::ONE);
            for (chunk, added) in indices.iter_mut().zip(&added[place..place + self.chunks]) {
                for (index, added) in chunk.iter_mut().zip(added) {
                    *index = operation(*index, *added);
                }
            }
        }
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
    lanes: Vec<Chunk>,
    /// How many lanes of the next evaluation are known.
    ready: usize,
}

impl<B: Board> Default for Carried<B> {
    fn default() -> Self {
        let (known, wanted, lanes) = ([Vec::new(), Vec::new()], Vec::new(), Vec::new());
        Self { plan: None, wanted, known, level: 0, top: 0, lanes, ready: 0 }
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
        let empty = Known { pieces: [B::Word::ZERO; 4], indices: vec![[0; WIDTH]; plan.chunks] };
        self.known = [vec![empty.clone()], vec![empty]];
        self.wanted = vec![[[B::Word::ZERO; 4]; 2]];
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
            if place < above {
                known.pieces = rest[0].pieces;
                known.indices.copy_from_slice(&rest[0].indices);
            }
            plan.change(own_is_black, &known.pieces, &target, has_kings, &mut known.indices);
            known.pieces = target;
        }
        // Step 2. The children.
        let known = &self.known[view][level];
        for (lane, indices) in self.lanes.chunks_exact_mut(plan.chunks).enumerate().take(len) {
            let (own, opponent, kings) = children(lane);
            indices.copy_from_slice(&known.indices);
            plan.change(own_is_black, &known.pieces, &pieces::<B>(own, opponent, kings), has_kings, indices);
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
