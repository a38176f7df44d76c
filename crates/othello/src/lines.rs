//! Lines of discs: where a move may be made, and what it turns, on one board or on many side by side.
//!
//! A run is an unbroken row of opposing discs that begins beside an own disc. Where it ends at an empty square, a disc
//! placed there turns it. So the runs of a position are all that its moves and what they turn depend on: they are found once,
//! for all moves.

use evoply_core::bitboard::{Bitboard, Board, Word};
use evoply_core::cpu::Cpu;
use evoply_core::cpu::vector::{Line, Quad, Sets, Squares, Vector};
use evoply_core::lanes::Bits;

/// The runs on the four lines (along a row, along a column, along the two diagonals): first those that lead from an own disc to
/// higher squares, then those to lower ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Runs<T> {
    up: [T; 4],
    down: [T; 4],
    /// Squares just beyond a run; some are not empty, and some are not on the board.
    ends: T,
}

/// Squares from one to the next on each line.
const fn steps<B: Board>() -> [u32; 4] {
    [1, B::SIZE, B::SIZE - 1, B::SIZE + 1]
}

const fn lines<B: Board>() -> [Line; 4] {
    let [row, column, diagonal, other_diagonal] = steps::<B>();
    let size = B::SIZE;
    [Line::new(row, size), Line::new(column, size), Line::new(diagonal, size), Line::new(other_diagonal, size)]
}

impl<T: Sets> Runs<T> {
    /// The runs of one board or of many; `spread` makes a constant of the board as wide as they are.
    #[inline(always)]
    pub fn of<B: Board>(own: T, opponent: T, spread: impl Fn(B::Word) -> T) -> Self {
        // A run that is closed at both ends never includes an edge file in a direction that crosses files.
        let inner = opponent & spread(!(B::FIRST_FILE | B::LAST_FILE));
        let [row, column, diagonal, other_diagonal] = steps::<B>();
        let a = (run_up_a_row(own, inner), run_down::<B, T>(own, inner, row));
        let b = runs_of_line::<B, T>(own, opponent, column);
        let c = runs_of_line::<B, T>(own, inner, diagonal);
        let d = runs_of_line::<B, T>(own, inner, other_diagonal);
        let (up, down) = ([a.0, b.0, c.0, d.0], [a.1, b.1, c.1, d.1]);
        let row_ends = (a.0 << row) | (a.1 >> row);
        let column_ends = (b.0 << column) | (b.1 >> column);
        let diagonal_ends = (c.0 << diagonal) | (c.1 >> diagonal);
        let other_ends = (d.0 << other_diagonal) | (d.1 >> other_diagonal);
        Self { up, down, ends: row_ends | column_ends | diagonal_ends | other_ends }
    }

    /// Squares where a run ends and that are empty: the squares where the owner of `own` may place a disc.
    #[inline(always)]
    pub fn destinations<B: Board>(&self, own: T, opponent: T, spread: impl Fn(B::Word) -> T) -> T {
        self.ends & !(own | opponent) & spread(B::FULL)
    }
}

impl<T: Sets> Runs<T> {
    /// Discs that turn when a disc is placed on each of `squares`, legal moves of the board of the same lane.
    #[inline(always)]
    pub fn flips<B: Board>(&self, squares: Squares<T>) -> T {
        let [row, column, diagonal, other_diagonal] = const { lines::<B>() };
        // A run that leads up ends below its square.
        let rows = self.up[0].row_below(squares, row) | self.down[0].row_above(squares, row);
        let columns = self.up[1].row_below(squares, column) | self.down[1].row_above(squares, column);
        let diagonals = self.up[2].row_below(squares, diagonal) | self.down[2].row_above(squares, diagonal);
        let others = self.up[3].row_below(squares, other_diagonal) | self.down[3].row_above(squares, other_diagonal);
        rows | columns | diagonals | others
    }
}

/// Numbers from 0 to 31 at every square, bit by bit: a plane holds the squares whose number has that bit.
pub(super) type Planes<T> = [T; 5];

impl<T: Vector> Runs<T> {
    /// The same as [`Self::of`], and at every empty square how many discs a move there turns.
    #[inline(always)]
    pub fn counted<B: Board>(own: T, opponent: T, spread: impl Fn(B::Word) -> T) -> (Self, Planes<T>) {
        let inner = opponent & spread(!(B::FIRST_FILE | B::LAST_FILE));
        let [row, column, diagonal, other_diagonal] = steps::<B>();
        let mut planes = [own.like(0); 5];
        let a = counted_runs_of_line::<B, T>(own, inner, row, &mut planes);
        let b = counted_runs_of_line::<B, T>(own, opponent, column, &mut planes);
        let c = counted_runs_of_line::<B, T>(own, inner, diagonal, &mut planes);
        let d = counted_runs_of_line::<B, T>(own, inner, other_diagonal, &mut planes);
        let runs = Self { up: [a.0, b.0, c.0, d.0], down: [a.1, b.1, c.1, d.1], ends: a.2 | b.2 | c.2 | d.2 };
        (runs, planes)
    }
}

// Functions and not closures: these are compiled into the code of each CPU path without fail.

/// The runs of one line, upwards, downwards, and their ends; their lengths are added to the planes at these.
#[inline(always)]
fn counted_runs_of_line<B: Board, T: Vector>(own: T, through: T, step: u32, planes: &mut Planes<T>) -> (T, T, T) {
    let zero = own.like(0);
    let (mut up, mut up_numbers, mut down, mut down_numbers) = (zero, [zero; 3], zero, [zero; 3]);
    let (mut next_up, mut next_down) = (own, own);
    // The discs of a run have numbers from 1 on.
    for number in 1..B::SIZE - 1 {
        next_up = through & (next_up << step);
        next_down = through & (next_down >> step);
        (up, down) = (up | next_up, down | next_down);
        for bit in 0..3 {
            if number >> bit & 1 == 1 {
                up_numbers[bit] = up_numbers[bit] | next_up;
                down_numbers[bit] = down_numbers[bit] | next_down;
            }
        }
    }
    let [ones, twos, fours] = up_numbers;
    add(planes, [ones << step, twos << step, fours << step]);
    let [ones, twos, fours] = down_numbers;
    add(planes, [ones >> step, twos >> step, fours >> step]);
    (up, down, (up << step) | (down >> step))
}

/// Add numbers of three bits.
#[inline(always)]
fn add<T: Vector>(planes: &mut Planes<T>, [ones, twos, fours]: [T; 3]) {
    let carry = planes[0] & ones;
    planes[0] = planes[0].differences(ones);
    let (differences, both) = (planes[1].differences(twos), planes[1] & twos);
    planes[1] = differences.differences(carry);
    let carry = both | (differences & carry);
    let (differences, both) = (planes[2].differences(fours), planes[2] & fours);
    planes[2] = differences.differences(carry);
    let carry = both | (differences & carry);
    let both = planes[3] & carry;
    planes[3] = planes[3].differences(carry);
    planes[4] = planes[4].differences(both);
}

/// The runs along a row to higher squares: one is carried from the disc before a run to the square beyond it.
#[inline(always)]
fn run_up_a_row<T: Sets>(own: T, through: T) -> T {
    through & !through.sum(through & (own << 1))
}

/// The runs of one line to lower squares through `through`.
#[inline(always)]
fn run_down<B: Board, T: Bits>(own: T, through: T, step: u32) -> T {
    down_in_twos::<B, T>(own, through, step, through & (through >> step))
}

/// The same to higher squares, then to lower ones.
#[inline(always)]
fn runs_of_line<B: Board, T: Bits>(own: T, through: T, step: u32) -> (T, T) {
    let twice = through & (through >> step);
    let mut up = through & (own << step);
    up = up | (through & (up << step));
    let twice_up = twice << step;
    for _ in 0..(B::SIZE - 4) / 2 {
        up = up | (twice_up & (up << (2 * step)));
    }
    (up, down_in_twos::<B, T>(own, through, step, twice))
}

/// Runs to lower squares. From the third on two squares at a time, of which `twice` has the lower one: a run holds at most
/// SIZE - 2 discs.
#[inline(always)]
fn down_in_twos<B: Board, T: Bits>(own: T, through: T, step: u32, twice: T) -> T {
    let mut down = through & (own >> step);
    down = down | (through & (down >> step));
    for _ in 0..(B::SIZE - 4) / 2 {
        down = down | (twice & (down >> (2 * step)));
    }
    down
}

/// The runs of one board of up to 64 squares, line by line.
#[derive(Clone, Copy, Debug)]
pub(super) struct QuadRuns<Q> {
    up: Q,
    down: Q,
}

/// Squares from one to the next on each line, and twice as many.
#[inline(always)]
fn quad_steps<B: Board, C: Cpu>(cpu: C) -> (C::Quad, C::Quad) {
    let [a, b, c, d] = const { steps::<B>() };
    let [a, b, c, d] = [u64::from(a), u64::from(b), u64::from(c), u64::from(d)];
    (cpu.quad([a, b, c, d]), cpu.quad([2 * a, 2 * b, 2 * c, 2 * d]))
}

impl<Q: Quad> QuadRuns<Q> {
    /// The four lines at once; every word of `own` and `opponent` is the whole board.
    #[inline(always)]
    pub fn of<B: Board>(cpu: impl Cpu<Quad = Q>, own: Q, opponent: Q) -> Self {
        let inner = !(B::FIRST_FILE | B::LAST_FILE).to_u128() as u64;
        let (step, two_steps) = quad_steps::<B, _>(cpu);
        let through = opponent & cpu.quad([inner, u64::MAX, inner, inner]);
        let mut up = through & own.shl_each(step);
        let mut down = through & own.shr_each(step);
        up = up | (through & up.shl_each(step));
        down = down | (through & down.shr_each(step));
        let through_up = through & through.shl_each(step);
        let through_down = through & through.shr_each(step);
        for _ in 0..(B::SIZE - 4) / 2 {
            up = up | (through_up & up.shl_each(two_steps));
            down = down | (through_down & down.shr_each(two_steps));
        }
        Self { up, down }
    }

    /// Squares just beyond a run, in every word; see [`Runs`].
    #[inline(always)]
    pub fn ends<B: Board>(&self, cpu: impl Cpu<Quad = Q>) -> Q {
        let (step, _) = quad_steps::<B, _>(cpu);
        self.up.shl_each(step) | self.down.shr_each(step)
    }

    /// Discs that turn when a disc is placed on `square`, a legal move, in every word.
    #[inline(always)]
    pub fn flips<B: Board>(&self, cpu: impl Cpu<Quad = Q>, square: Q) -> Q {
        let (step, two_steps) = quad_steps::<B, _>(cpu);
        let &Self { up, down } = self;
        let mut below = up & square.shr_each(step);
        let mut above = down & square.shl_each(step);
        below = below | (up & below.shr_each(step));
        above = above | (down & above.shl_each(step));
        let up_twice = up & up.shr_each(step);
        let down_twice = down & down.shl_each(step);
        for _ in 0..(B::SIZE - 4) / 2 {
            below = below | (up_twice & below.shr_each(two_steps));
            above = above | (down_twice & above.shl_each(two_steps));
        }
        (below | above).everywhere()
    }
}

/// Four words of a board, one by one: `map` of an array is a call into the library.
#[inline(always)]
fn of_words<W: Word>([a, b, c, d]: [u64; 4]) -> [W; 4] {
    [W::from_u128(a.into()), W::from_u128(b.into()), W::from_u128(c.into()), W::from_u128(d.into())]
}

impl<W: Word> Runs<W> {
    /// The same runs on eight boards side by side.
    #[inline(always)]
    pub fn widen<C: Cpu>(&self, cpu: C) -> Runs<W::Eight<C>> {
        let Self { up: [a, b, c, d], down: [e, f, g, h], ends } = *self;
        Runs {
            up: [W::splat(cpu, a), W::splat(cpu, b), W::splat(cpu, c), W::splat(cpu, d)],
            down: [W::splat(cpu, e), W::splat(cpu, f), W::splat(cpu, g), W::splat(cpu, h)],
            ends: W::splat(cpu, ends),
        }
    }

    /// As [`Self::of`] for one board, with the instructions of a path.
    #[inline(always)]
    pub fn on<B: Board<Word = W>>(cpu: impl Cpu, own: Bitboard<B>, opponent: Bitboard<B>) -> Self {
        if B::SQUARES <= 64 {
            Self::side_by_side::<B, _>(cpu, own, opponent)
        } else {
            Self::of::<B>(own.0, opponent.0, |mask| mask)
        }
    }

    /// The four lines at once.
    #[inline(always)]
    fn side_by_side<B: Board<Word = W>, C: Cpu>(cpu: C, own: Bitboard<B>, opponent: Bitboard<B>) -> Self {
        if !C::VECTORS_PAY {
            return Self::of::<B>(own.0, opponent.0, |mask| mask);
        }
        let own = cpu.quad([own.0.to_u128() as u64; 4]);
        let opponent = cpu.quad([opponent.0.to_u128() as u64; 4]);
        let QuadRuns { up, down } = QuadRuns::of::<B>(cpu, own, opponent);
        let (step, _) = quad_steps::<B, C>(cpu);
        let ends = (up.shl_each(step) | down.shr_each(step)).union();
        Self { up: of_words(up.words()), down: of_words(down.words()), ends: W::from_u128(ends.into()) }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Othello, OthelloRules, flips};
    use evoply_core::arena::random_positions;
    use evoply_core::bitboard::{Bitboard, Board, Size4, Size6, Size8, Size10};
    use evoply_core::cpu::{Cpu, Task, available, on};
    use evoply_core::rules::Game;
    use evoply_core::stream::Key;

    /// All positions after one, made side by side, with the square of the move, and where the other side may move then.
    struct Children<B: Board>(Othello<B>);

    impl<B: Board> Task for Children<B> {
        type Output = Vec<(Othello<B>, B::Word, B::Word)>;
        #[inline(always)]
        fn run<C: Cpu>(self, cpu: C) -> Self::Output {
            let (mut found, mut expansion) = (Vec::new(), self.0.expand(cpu));
            loop {
                let children = self.0.next_children(cpu, &mut expansion);
                if children.len == 0 {
                    return found;
                }
                let replies = Othello::<B>::destinations_of_lanes(cpu, OthelloRules, children.seen(self.0.turn()));
                let of_lane = |lane| (self.0.child(&children, lane), children.moved_to.0[lane], replies.0[lane]);
                found.extend((0..children.len).map(of_lane));
            }
        }
    }

    fn check<B: Board>() {
        let stop = std::sync::atomic::AtomicBool::new(false);
        let plies = 0..=B::SQUARES - 5;
        let positions =
            random_positions::<Othello<B>>(OthelloRules, if cfg!(miri) { 4 } else { 2_000 }, Key::new(3), plies, &stop)
                .unwrap_or_default();
        for position in positions.into_iter().flatten() {
            let one_by_one: Vec<_> = position
                .legal_moves()
                .map(|chosen| {
                    let (child, placed) =
                        (position.play_unchecked(chosen), Othello::<B>::moved_to(OthelloRules, chosen));
                    (child, placed.0, Othello::<B>::destinations(OthelloRules, &child.seen()).0)
                })
                .collect();
            for path in available() {
                assert_eq!(on(path, Children(position)), one_by_one, "{path:?}");
            }
            for square in !(position.own() | position.opponent()) {
                let turns = !flips(position.own(), position.opponent(), square).is_empty();
                let legal = Othello::<B>::destinations(OthelloRules, &position.seen());
                assert_eq!(turns, legal.contains(square));
            }
            assert!((position.own() | position.opponent()) - Bitboard::FULL == Bitboard::EMPTY);
        }
    }

    #[test]
    fn children_side_by_side_are_those_made_one_by_one() {
        check::<Size4>();
        check::<Size6>();
        check::<Size8>();
        check::<Size10>();
    }
}
