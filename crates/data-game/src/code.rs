//! Straight code of rules: sets and truths, of one board or of eight at once.
//!
//! The same code runs on both: a [`Machine`] says what a set of squares is. What each operation means is what the reference
//! interpreter of expressions says.

use evoply_core::bitboard::{Bitboard, Board, Word};
use evoply_core::cpu::vector::Two;
use evoply_core::cpu::{Cpu, Task};
use evoply_core::expression::WhenZero;
use evoply_core::expression::reference::divide;
use evoply_core::geometry::{Geometry, Step, moved};
use evoply_core::lanes::{Bits, LANES, Lanes};

/// Sets, and truths, that code may keep at once.
pub(crate) const REGISTERS: usize = 32;

pub(crate) type Register = u8;

/// The registers of sets that hold the inputs: own, the opponent's, the squares moved from and to.
pub(crate) const INPUTS: u8 = 4;

/// Behind them are all squares that can be played, and no square.
pub(crate) const PLAYABLE: Register = INPUTS;
pub(crate) const NOTHING: Register = INPUTS + 1;

/// The first register that holds anything else.
pub(crate) const FREE: Register = INPUTS + 2;

/// A bit a board.
pub(crate) type Truths = u16;

/// What sets of squares are: one word, or eight, or twice as many.
pub(crate) trait Machine<W: Word>: Copy {
    type Set: Bits;
    /// Groups of up to eight boards.
    const GROUPS: usize;
    fn spread(self, word: W) -> Self::Set;
    /// Which boards have a square; one board is number 0.
    fn not_zero(self, set: Self::Set) -> Truths;
    /// The sets of some boards, empty ones for the others.
    fn only(self, set: Self::Set, boards: Truths) -> Self::Set;
    /// A function of the set of each board.
    fn each(self, set: Self::Set, f: impl Fn(W) -> W) -> Self::Set;
    /// How many squares the sets of a group have.
    fn counts(self, set: &Self::Set, group: usize) -> Lanes<f64>;
}

/// One board.
#[derive(Clone, Copy)]
pub(crate) struct One;

impl<W: Word> Machine<W> for One {
    type Set = W;
    const GROUPS: usize = 1;
    #[inline(always)]
    fn spread(self, word: W) -> W {
        word
    }
    #[inline(always)]
    fn not_zero(self, set: W) -> Truths {
        u16::from(set != W::ZERO)
    }
    #[inline(always)]
    fn only(self, set: W, boards: Truths) -> W {
        if boards & 1 == 1 { set } else { W::ZERO }
    }
    #[inline(always)]
    fn each(self, set: W, f: impl Fn(W) -> W) -> W {
        f(set)
    }
    fn counts(self, set: &W, _: usize) -> Lanes<f64> {
        Lanes::splat(f64::from(set.count_ones()))
    }
}

/// Eight boards in the registers of a CPU path.
#[derive(Clone, Copy)]
pub(crate) struct Wide<C: Cpu>(pub C);

impl<W: Word, C: Cpu> Machine<W> for Wide<C> {
    type Set = W::Eight<C>;
    const GROUPS: usize = 1;
    #[inline(always)]
    fn spread(self, word: W) -> Self::Set {
        W::splat(self.0, word)
    }
    #[inline(always)]
    fn not_zero(self, set: Self::Set) -> Truths {
        W::not_zero(set).into()
    }
    #[inline(always)]
    fn only(self, set: Self::Set, boards: Truths) -> Self::Set {
        let is_one_of_them = Lanes::of(|lane| if boards >> lane & 1 == 1 { !W::ZERO } else { W::ZERO });
        set & W::load(self.0, &is_one_of_them)
    }
    #[inline(always)]
    fn each(self, set: Self::Set, f: impl Fn(W) -> W) -> Self::Set {
        W::load(self.0, &W::lanes(set).map(f))
    }
    fn counts(self, set: &Self::Set, _: usize) -> Lanes<f64> {
        self.0.call(Counts::<W, C>(set))
    }
}

/// Two groups of eight boards: while one waits for a result, the other has work to do, and operations are read half as often.
#[derive(Clone, Copy)]
pub(crate) struct Wider<C: Cpu>(pub C);

impl<W: Word, C: Cpu> Machine<W> for Wider<C> {
    type Set = Two<W::Eight<C>>;
    const GROUPS: usize = 2;
    #[inline(always)]
    fn spread(self, word: W) -> Self::Set {
        Two(W::splat(self.0, word), W::splat(self.0, word))
    }
    #[inline(always)]
    fn not_zero(self, set: Self::Set) -> Truths {
        u16::from(W::not_zero(set.0)) | u16::from(W::not_zero(set.1)) << LANES
    }
    #[inline(always)]
    fn only(self, set: Self::Set, boards: Truths) -> Self::Set {
        let one = Wide(self.0);
        Two(Machine::<W>::only(one, set.0, boards), Machine::<W>::only(one, set.1, boards >> LANES))
    }
    #[inline(always)]
    fn each(self, set: Self::Set, f: impl Fn(W) -> W) -> Self::Set {
        let one = Wide(self.0);
        Two(Machine::<W>::each(one, set.0, &f), Machine::<W>::each(one, set.1, &f))
    }
    fn counts(self, set: &Self::Set, group: usize) -> Lanes<f64> {
        Machine::<W>::counts(Wide(self.0), if group == 0 { &set.0 } else { &set.1 }, 0)
    }
}

/// How many squares sets have, as a task of the CPU path.
struct Counts<'a, W: Word, C: Cpu>(&'a W::Eight<C>);

impl<W: Word, C: Cpu> Task for Counts<'_, W, C> {
    type Output = Lanes<f64>;
    #[inline(always)]
    fn run<D: Cpu>(self, _: D) -> Lanes<f64> {
        W::counts(*self.0)
    }
}

/// A number that truths compare. Rules seldom have one, so it is a tree.
#[derive(Clone, Debug)]
pub(crate) enum Number {
    Constant(f64),
    Count(Register),
    Add(Box<[Number; 2]>),
    Subtract(Box<[Number; 2]>),
    Multiply(Box<[Number; 2]>),
    Divide(Box<[Number; 2]>, WhenZero),
    Minimum(Box<[Number; 2]>),
    Maximum(Box<[Number; 2]>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Comparison {
    Less,
    LessEqual,
    Equal,
}

/// A fill in one direction.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Ray<W> {
    pub start: Register,
    pub through: Register,
    /// What is added to the result.
    pub with: Register,
    /// Whether the start is first moved a step in that direction.
    pub is_moved: bool,
    /// Whether a line may have more than eight squares.
    pub is_long: bool,
    pub by: u32,
    /// The squares that a step can reach.
    pub reached: W,
}

/// One operation: where the result goes comes first.
#[derive(Clone, Debug)]
pub(crate) enum Op<W> {
    Constant(Register, W),
    Intersection(Register, Register, Register),
    Union(Register, Register, Register),
    Difference(Register, Register, Register),
    /// What is shifted, what it is intersected with, what is added; how far, and what stays on its row.
    // Ways up and down are ways of their own, so that nothing is asked in the loop.
    ShiftUp(Register, Register, Register, Register, u32, W),
    ShiftDown(Register, Register, Register, Register, u32, W),
    /// A step farther than a shift of the machine.
    ShiftFar(Register, Register, Step<W>),
    RayUp(Register, Ray<W>),
    RayDown(Register, Ray<W>),
    Fill(Register, Register, Register, Box<[Step<W>]>),
    Symmetry(Register, Register, u8),
    First(Register, Register),
    Select(Register, Register, Register, Register),
    // Truths, a bit a board.
    IsEmpty(Register, Register),
    IsOdd(Register, Register),
    Negation(Register, Register),
    Both(Register, Register, Register),
    Either(Register, Register, Register),
    Compare(Register, Comparison, Number, Number),
}

/// Where a result is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Output {
    Set(Register),
    Truth(Register),
    /// A truth that does not depend on the board.
    Always(bool),
    /// The number of the code.
    Number,
}

#[derive(Clone, Debug)]
pub(crate) struct Code<B: Board> {
    pub(crate) geometry: Geometry<B>,
    pub(crate) ops: Box<[Op<B::Word>]>,
    pub(crate) outputs: Box<[Output]>,
    /// What [`Output::Number`] is, made of sets that were found.
    pub(crate) number: Option<Number>,
    /// Where sets stay that other code finds there.
    pub(crate) kept: Box<[Register]>,
}

/// The most sets that code keeps for other code.
pub(crate) const MOST_KEPT: usize = 8;

/// What a fill found before, and of what: a later one of sets that have only grown since begins with it.
#[derive(Clone, Copy)]
pub(crate) struct Filled<S> {
    start: S,
    through: S,
    grown: S,
}

impl<S: Copy> Filled<S> {
    /// Nothing.
    pub fn new(nothing: S) -> Self {
        Self { start: nothing, through: nothing, grown: nothing }
    }
}

/// What code has found.
pub(crate) struct Found<S> {
    sets: [S; REGISTERS],
    truths: [Truths; REGISTERS],
}

impl<B: Board> Code<B> {
    /// Run it on own pieces, the opponent's, and the squares moved from and to.
    #[inline(always)]
    pub fn run<M: Machine<B::Word>>(&self, machine: M, inputs: [M::Set; INPUTS as usize]) -> Found<M::Set> {
        let mut found = Found::new(machine.spread(B::Word::ZERO));
        self.run_into(machine, inputs, &mut found, &mut []);
        found
    }

    /// The same on one board, compiled once: for whatever is asked seldom.
    #[inline(never)]
    pub fn run_once(&self, inputs: [B::Word; INPUTS as usize]) -> Found<B::Word> {
        self.run(One, inputs)
    }

    /// The same, into what an earlier run may have left: code writes before it reads, and to clear the registers costs
    /// as much as a dozen operations. `filled` is what the first fills of this code have found before, on whichever boards.
    #[inline(always)]
    #[allow(clippy::too_many_lines)] // One line an operation.
    pub fn run_into<M: Machine<B::Word>>(
        &self,
        machine: M,
        inputs: [M::Set; INPUTS as usize],
        found: &mut Found<M::Set>,
        filled: &mut [Filled<M::Set>],
    ) {
        let mut filled = filled.iter_mut();
        let spread = |word| machine.spread(word);
        found.sets[..INPUTS as usize].copy_from_slice(&inputs);
        found.sets[usize::from(PLAYABLE)] = spread(self.geometry.playable().0);
        found.sets[usize::from(NOTHING)] = spread(B::Word::ZERO);
        macro_rules! at {
            ($register:expr) => {
                found.sets[usize::from($register) % REGISTERS]
            };
        }
        macro_rules! truth {
            ($register:expr) => {
                found.truths[usize::from($register) % REGISTERS]
            };
        }
        // Reaches of one step, of two, of four, and of eight where a line is that long (Kogge and Stone 1973).
        macro_rules! ray {
            ($to:expr, $ray:expr, $shift:tt) => {{
                let Ray { start, through, with, is_moved, is_long, by, reached } = $ray;
                let (start, through) = (at!(start), at!(through));
                let mut passed = through & spread(reached);
                let mut grown = if is_moved { passed & (start $shift by) } else { start & through };
                grown = grown | (passed & (grown $shift by));
                passed = passed & (passed $shift by);
                grown = grown | (passed & (grown $shift (2 * by)));
                passed = passed & (passed $shift (2 * by));
                grown = grown | (passed & (grown $shift (4 * by)));
                if is_long {
                    passed = passed & (passed $shift (4 * by));
                    grown = grown | (passed & ((grown $shift (4 * by)) $shift (4 * by)));
                }
                at!($to) = grown | at!(with);
            }};
        }
        for op in &self.ops {
            match *op {
                Op::Constant(to, squares) => at!(to) = spread(squares),
                Op::Intersection(to, a, b) => at!(to) = at!(a) & at!(b),
                Op::Union(to, a, b) => at!(to) = at!(a) | at!(b),
                Op::Difference(to, a, b) => at!(to) = at!(a) & !at!(b),
                Op::ShiftUp(to, a, into, with, by, staying) => {
                    at!(to) = (((at!(a) & spread(staying)) << by) & at!(into)) | at!(with);
                }
                Op::ShiftDown(to, a, into, with, by, staying) => {
                    at!(to) = (((at!(a) & spread(staying)) >> by) & at!(into)) | at!(with);
                }
                Op::ShiftFar(to, a, ref step) => at!(to) = step.of(at!(a), spread),
                Op::RayUp(to, ray) => ray!(to, ray, <<),
                Op::RayDown(to, ray) => ray!(to, ray, >>),
                Op::Fill(to, start, through, ref steps) => {
                    let (start, through) = (at!(start), at!(through));
                    let mut grown = start & through;
                    let before = filled.next();
                    if let Some(before) = &before {
                        let shrunk = machine.not_zero((before.start & !start) | (before.through & !through));
                        grown = grown | if shrunk == 0 { before.grown } else { machine.only(before.grown, !shrunk) };
                    }
                    loop {
                        let mut next = grown;
                        for step in steps {
                            // What was reached just now goes on at once: the result is the same, and sooner there.
                            next = next | (moved(next & spread(step.staying), step.by) & through);
                        }
                        if machine.not_zero(next & !grown) == 0 {
                            break;
                        }
                        grown = next;
                    }
                    if let Some(before) = before {
                        *before = Filled { start, through, grown };
                    }
                    at!(to) = grown;
                }
                Op::Symmetry(to, a, index) => {
                    at!(to) = machine.each(at!(a), |set| self.geometry.symmetry(Bitboard(set), index).0);
                }
                Op::First(to, a) => at!(to) = machine.each(at!(a), |set| set & !set.wrapping_sub(B::Word::ONE)),
                Op::Select(to, truth, yes, no) => {
                    let truth = truth!(truth);
                    at!(to) = machine.only(at!(yes), truth) | machine.only(at!(no), !truth);
                }
                Op::IsEmpty(to, a) => truth!(to) = !machine.not_zero(at!(a)),
                Op::IsOdd(to, a) => {
                    truth!(to) = truths(M::GROUPS, |group| {
                        machine.counts(&found.sets[usize::from(a)], group).map(|count| count % 2.0 == 1.0)
                    });
                }
                Op::Negation(to, a) => truth!(to) = !truth!(a),
                Op::Both(to, a, b) => truth!(to) = truth!(a) & truth!(b),
                Op::Either(to, a, b) => truth!(to) = truth!(a) | truth!(b),
                Op::Compare(to, comparison, ref a, ref b) => {
                    truth!(to) = truths(M::GROUPS, |group| {
                        let counts = |register: Register| machine.counts(&found.sets[usize::from(register)], group);
                        value(a, &counts).zip(value(b, &counts), |a, b| match comparison {
                            Comparison::Less => a < b,
                            Comparison::LessEqual => a <= b,
                            Comparison::Equal => a == b,
                        })
                    });
                }
            }
        }
    }

    /// The number of the code, of sets that it has found on the boards of the first group; 0 if it has none.
    pub fn number<M: Machine<B::Word>>(&self, machine: M, found: &Found<M::Set>) -> Lanes<f64> {
        let counts = |register: Register| machine.counts(&found.sets[usize::from(register)], 0);
        self.number.as_ref().map_or(Lanes::splat(0.0), |number| value(number, &counts))
    }
}

impl<S: Copy> Found<S> {
    /// Registers that hold nothing.
    #[inline(always)]
    pub fn new(nothing: S) -> Self {
        Self { sets: [nothing; REGISTERS], truths: [0; REGISTERS] }
    }

    /// A result that is a set.
    #[inline(always)]
    pub fn set(&self, output: Output) -> S {
        match output {
            Output::Set(register) => self.sets[usize::from(register) % REGISTERS],
            Output::Truth(_) | Output::Always(_) | Output::Number => self.sets[0],
        }
    }

    /// Put what some code has kept where it keeps it.
    #[inline(always)]
    pub fn keep<B: Board>(&mut self, code: &Code<B>, place: usize, set: S) {
        self.sets[usize::from(code.kept[place]) % REGISTERS] = set;
    }

    /// What some code has kept for others.
    #[inline(always)]
    pub fn kept<B: Board>(&self, code: &Code<B>, place: usize) -> S {
        self.sets[usize::from(code.kept[place]) % REGISTERS]
    }

    /// A result that is a truth, a bit a board.
    #[inline(always)]
    pub fn truth(&self, output: Output) -> Truths {
        match output {
            Output::Truth(register) => self.truths[usize::from(register) % REGISTERS],
            Output::Always(true) => Truths::MAX,
            Output::Always(false) | Output::Set(_) | Output::Number => 0,
        }
    }
}

/// Truths of the boards of each group.
fn truths(groups: usize, of: impl Fn(usize) -> Lanes<bool>) -> Truths {
    (0..groups).fold(0, |truths, group| {
        let holds = of(group);
        (0..LANES).fold(truths, |truths, lane| truths | Truths::from(holds.0[lane]) << (group * LANES + lane))
    })
}

fn value(number: &Number, counts: &impl Fn(Register) -> Lanes<f64>) -> Lanes<f64> {
    let pair = |numbers: &[Number; 2]| (value(&numbers[0], counts), value(&numbers[1], counts));
    let both = |numbers: &[Number; 2], f: fn(f64, f64) -> f64| {
        let (a, b) = pair(numbers);
        a.zip(b, f)
    };
    match number {
        Number::Constant(value) => Lanes::splat(*value),
        Number::Count(register) => counts(*register),
        Number::Add(numbers) => both(numbers, |a, b| a + b),
        Number::Subtract(numbers) => both(numbers, |a, b| a - b),
        Number::Multiply(numbers) => both(numbers, |a, b| a * b),
        Number::Divide(numbers, when_zero) => {
            let (a, b) = pair(numbers);
            a.zip(b, |a, b| divide(a, b, *when_zero))
        }
        Number::Minimum(numbers) => both(numbers, |a, b| if a < b { a } else { b }),
        Number::Maximum(numbers) => both(numbers, |a, b| if a > b { a } else { b }),
    }
}
