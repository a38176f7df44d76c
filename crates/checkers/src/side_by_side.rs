//! Eight boards at once: on which of them a side can go, and how many moves it has.
//!
//! Captures of one jump, which are most of them, are counted on all boards together; a board where a piece may jump on is
//! looked at by itself.

use super::moves::{dark, step};
use super::side::Side;
use evoply_core::bitboard::{Board, Word};
use evoply_core::cpu::{Cpu, Task};
use evoply_core::lanes::{LANES, Lanes};
use evoply_core::rules::SeenLanes;

/// The view of one side of eight boards; `AHEAD` and `AHEAD + 1` are the diagonals along which its men go.
struct Sides<B: Board, C: Cpu, const AHEAD: usize> {
    own: <B::Word as Word>::Eight<C>,
    opponent: <B::Word as Word>::Eight<C>,
    /// Kings of this side.
    kings: <B::Word as Word>::Eight<C>,
    empty: <B::Word as Word>::Eight<C>,
    has_kings: bool,
}

impl<B: Board, C: Cpu, const AHEAD: usize> Sides<B, C, AHEAD> {
    #[inline(always)]
    fn new(cpu: C, seen: &SeenLanes<'_, B>) -> Self {
        let (own, opponent) = (B::Word::load(cpu, seen.own), B::Word::load(cpu, seen.opponent));
        let dark = B::Word::splat(cpu, B::Word::from_u128(dark(B::SIZE)));
        let kings = match seen.kings {
            Some(kings) => B::Word::load(cpu, kings) & own,
            None => B::Word::splat(cpu, B::Word::ZERO),
        };
        let has_kings = B::Word::not_zero::<C>(kings) != 0;
        Self { own, opponent, kings, empty: dark & !(own | opponent), has_kings }
    }

    /// Pieces of `from` that can step along a diagonal.
    #[inline(always)]
    fn steppers(&self, from: <B::Word as Word>::Eight<C>, diagonal: usize) -> <B::Word as Word>::Eight<C> {
        from & step::<B, _>(self.empty, 3 - diagonal)
    }

    /// Pieces of `from` that can jump along a diagonal.
    #[inline(always)]
    fn jumpers(&self, from: <B::Word as Word>::Eight<C>, diagonal: usize) -> <B::Word as Word>::Eight<C> {
        let back = 3 - diagonal;
        from & step::<B, _>(self.opponent & step::<B, _>(self.empty, back), back)
    }

    /// Pieces of `from` that can go along a diagonal.
    #[inline(always)]
    fn movers(&self, from: <B::Word as Word>::Eight<C>, diagonal: usize) -> <B::Word as Word>::Eight<C> {
        self.steppers(from, diagonal) | self.jumpers(from, diagonal)
    }

    /// Boards on which the side can move.
    #[inline(always)]
    fn can_move(&self) -> u8 {
        let mut movers = self.movers(self.own, AHEAD) | self.movers(self.own, AHEAD + 1);
        if self.has_kings {
            movers = movers | self.movers(self.kings, 2 - AHEAD) | self.movers(self.kings, 3 - AHEAD);
        }
        B::Word::not_zero::<C>(movers)
    }

    /// Boards on which the side can capture.
    #[inline(always)]
    fn can_capture(&self) -> u8 {
        let mut jumpers = self.jumpers(self.own, AHEAD) | self.jumpers(self.own, AHEAD + 1);
        if self.has_kings {
            jumpers = jumpers | self.jumpers(self.kings, 2 - AHEAD) | self.jumpers(self.kings, 3 - AHEAD);
        }
        B::Word::not_zero::<C>(jumpers)
    }

    /// The number of moves on each board.
    #[inline(always)]
    fn number_of_moves(&self, seen: &SeenLanes<'_, B>) -> Lanes<f64> {
        // Step 1. First jumps, and where they end.
        let (left, right) = (self.jumpers(self.own, AHEAD), self.jumpers(self.own, AHEAD + 1));
        let mut jumping = left | right;
        let mut back = None;
        if self.has_kings {
            let (left, right) = (self.jumpers(self.kings, 2 - AHEAD), self.jumpers(self.kings, 3 - AHEAD));
            jumping = jumping | left | right;
            back = Some((left, right));
        }
        let jumping = B::Word::not_zero::<C>(jumping);
        // Step 2. No capture anywhere: steps.
        let mut counts = Self::count_both(self.steppers(self.own, AHEAD), self.steppers(self.own, AHEAD + 1));
        if self.has_kings {
            let (left, right) = (self.steppers(self.kings, 2 - AHEAD), self.steppers(self.kings, 3 - AHEAD));
            counts = sum(counts, Self::count_both(left, right));
        }
        if jumping == 0 {
            return counts;
        }
        // Step 3. Where there is one, captures are compulsory. Those of one jump are as many as first jumps.
        let mut jumps = Self::count_both(left, right);
        let mut on = self.going_on(left, AHEAD) | self.going_on(right, AHEAD + 1);
        if let Some((left, right)) = back {
            jumps = sum(jumps, Self::count_both(left, right));
            on = on | self.going_on(left, 2 - AHEAD) | self.going_on(right, 3 - AHEAD);
        }
        let on = B::Word::not_zero::<C>(on);
        for lane in 0..LANES {
            if on >> lane & 1 == 1 {
                counts.0[lane] = f64::from(Side::new(&seen.lane(lane)).number_of_moves());
            } else if jumping >> lane & 1 == 1 {
                counts.0[lane] = jumps.0[lane];
            }
        }
        counts
    }

    /// How many squares two sets have together on each board, each set by itself.
    #[inline(always)]
    fn count_both(a: <B::Word as Word>::Eight<C>, b: <B::Word as Word>::Eight<C>) -> Lanes<f64> {
        sum(B::Word::counts::<C>(a), B::Word::counts::<C>(b))
    }

    /// Pieces that could jump again after a first jump along a diagonal. The square that a piece
    /// left counts as occupied: a second jump could reach it only over the piece just taken, which is no target any more.
    #[inline(always)]
    fn going_on(&self, jumpers: <B::Word as Word>::Eight<C>, diagonal: usize) -> <B::Word as Word>::Eight<C> {
        let landed = step::<B, _>(step::<B, _>(jumpers, diagonal), diagonal);
        let on = self.jumpers(landed, AHEAD) | self.jumpers(landed, AHEAD + 1);
        if !self.has_kings {
            return on;
        }
        let kings = step::<B, _>(step::<B, _>(jumpers & self.kings, diagonal), diagonal);
        on | self.jumpers(kings, 2 - AHEAD) | self.jumpers(kings, 3 - AHEAD)
    }
}

// Functions and not closures: these are compiled into the code of each CPU path without fail.

#[inline(always)]
fn sum(a: Lanes<f64>, b: Lanes<f64>) -> Lanes<f64> {
    a.zip(b, |a, b| a + b)
}

/// Bit i is set if the side can move on board i.
#[inline(always)]
pub(super) fn can_move<B: Board, C: Cpu>(cpu: C, seen: SeenLanes<'_, B>) -> u8 {
    if seen.own_is_black {
        Sides::<B, C, 2>::new(cpu, &seen).can_move()
    } else {
        Sides::<B, C, 0>::new(cpu, &seen).can_move()
    }
}

/// Bit i is set if the side can capture, and so must, on board i.
#[inline(always)]
pub(super) fn can_capture<B: Board, C: Cpu>(cpu: C, seen: SeenLanes<'_, B>) -> u8 {
    if seen.own_is_black {
        Sides::<B, C, 2>::new(cpu, &seen).can_capture()
    } else {
        Sides::<B, C, 0>::new(cpu, &seen).can_capture()
    }
}

/// The number of moves of the side on each board: long, and with calls of its own where pieces jump on.
pub(super) struct NumberOfMoves<'a, B: Board>(pub SeenLanes<'a, B>);

impl<B: Board> Task for NumberOfMoves<'_, B> {
    type Output = Lanes<f64>;
    #[inline(always)]
    fn run<C: Cpu>(self, cpu: C) -> Lanes<f64> {
        let Self(seen) = self;
        if seen.own_is_black {
            Sides::<B, C, 2>::new(cpu, &seen).number_of_moves(&seen)
        } else {
            Sides::<B, C, 0>::new(cpu, &seen).number_of_moves(&seen)
        }
    }
}

/// Where moves of the side end on each board.
pub(super) struct Destinations<'a, B: Board>(pub SeenLanes<'a, B>);

impl<B: Board> Task for Destinations<'_, B> {
    type Output = Lanes<B::Word>;
    #[inline(always)]
    fn run<C: Cpu>(self, _: C) -> Lanes<B::Word> {
        let Self(seen) = self;
        Lanes::of(|lane| Side::new(&seen.lane(lane)).destinations().0)
    }
}
