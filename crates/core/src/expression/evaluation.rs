//! Register code on eight sibling positions at once.
//!
//! Every operation is a short loop over lanes that the compiler turns into vector instructions. Lanes do not know of each
//! other, so a lane that holds no position does no harm. The meaning is that of [`super::reference`], bit for bit.

use super::Side;
use super::WhenZero;
pub use super::block::Block;
use super::branches::MOST_BRANCHES;
use super::pattern_lookup::Patterned;
use super::program::{KINGS, Op, Program, REGISTERS};
use super::reference::divide;
use super::sets::{Filled, Mirrored};
use super::sums::SumsOf;
use crate::bitboard::{Board, Word};
use crate::cpu::{self, Cpu, Path, Task};
use crate::lanes::Lanes;
use crate::patterns::incremental::Carried;
use crate::rules::Game;

type Sets<B> = Lanes<<B as Board>::Word>;
type Numbers = Lanes<f64>;
/// All ones or all zeros.
type Truths = Lanes<u64>;

/// The registers of one program in one thread.
#[derive(Clone, Debug)]
pub struct Registers<B: Board> {
    sets: Box<[Sets<B>; REGISTERS]>,
    numbers: Box<[Numbers; REGISTERS]>,
    truths: Box<[Truths; REGISTERS]>,
    /// What the last evaluation counted as moves of own and of the opponent, if its program counts them.
    moves: [Numbers; 2],
    /// Where those moves go, in games that see both at once.
    destinations: [Sets<B>; 2],
    /// Indices of patterns, for whoever knows the board before.
    pub carried: Carried<B>,
    /// What is ready for a choice of the program: for which choice, and the place of the branch in use, if there are branches.
    choice: Option<(Choosing, usize)>,
}

impl<B: Board> Default for Registers<B> {
    fn default() -> Self {
        Self {
            sets: Box::new([Lanes::splat(B::Word::ZERO); REGISTERS]),
            numbers: Box::new([Lanes::splat(0.0); REGISTERS]),
            truths: Box::new([Lanes::splat(0); REGISTERS]),
            moves: [Lanes::splat(0.0); 2],
            destinations: [Lanes::splat(B::Word::ZERO); 2],
            carried: Carried::default(),
            choice: None,
        }
    }
}

const fn mask(truth: bool) -> u64 {
    if truth { u64::MAX } else { 0 }
}

#[inline(always)]
fn count<W: Word>(set: W) -> f64 {
    // Through i32: the conversion from small whole numbers is one vector instruction.
    f64::from(set.count_ones() as i32)
}

impl<B: Board> Registers<B> {
    /// Make ready for a program: its constants go to their registers.
    pub fn load<G: Game<Board = B>>(&mut self, rules: G::Rules, program: &Program<B>) {
        self.carried.load(program.plan());
        self.choice = None;
        // Constants, which are what is loaded, do not read the board.
        self.run_apart::<G>(rules, program, &program.preamble, &Block::empty(), &mut []);
    }

    /// Run operations of a program, outside every hot loop.
    fn run_apart<G: Game<Board = B>>(
        &mut self,
        rules: G::Rules,
        program: &Program<B>,
        ops: &[Op<B::Word>],
        block: &Block<B>,
        outputs: &mut [Numbers],
    ) {
        cpu::dispatch(Run::<G> { registers: self, ops, rules, program, block, outputs });
    }

    /// Make ready for the choice that a block belongs to, and for the side that is spoken for: which branch of the program the
    /// choosing position decides for.
    #[cold]
    #[inline(never)]
    fn get_ready<G: Game<Board = B>>(
        &mut self,
        cpu: impl Cpu,
        rules: G::Rules,
        program: &Program<B>,
        block: &Block<B>,
    ) -> usize {
        let (mut place, mut program) = (0, program);
        if let Some(branches) = &program.branches {
            let conditions = &branches.conditions;
            let mut turned_out = [Lanes::splat(0.0); MOST_BRANCHES];
            let every = [&conditions.preamble, &conditions.choice, &conditions.body];
            for ops in every {
                self.run_apart::<G>(rules, conditions, ops, block, &mut turned_out);
            }
            place = branches.place(|condition| turned_out[condition].0[0] != 0.0);
            program = &branches.programs[place];
            self.run_apart::<G>(rules, program, &program.preamble, block, &mut []);
        }
        let ops = &program.choice;
        cpu.call(Run::<G> { registers: self, ops, rules, program, block, outputs: &mut [] });
        self.choice = Some((choosing(block), place));
        place
    }

    /// As [`Self::evaluate`], for whoever is not inside a CPU path yet; `path` is one of [`cpu::available`].
    pub fn evaluate_on<G: Game<Board = B>>(
        &mut self,
        path: Path,
        rules: G::Rules,
        program: &Program<B>,
        block: &Block<B>,
        outputs: &mut [Numbers],
    ) {
        cpu::on(path, Evaluate::<G> { registers: self, rules, program, block, outputs });
    }

    /// The number of moves of a side in each position of the block evaluated last, if the program counts them anyway.
    #[inline(always)]
    pub fn counted_moves(&self, program: &Program<B>, side: Side) -> Option<&Numbers> {
        let program = match (&program.branches, self.choice) {
            (Some(branches), Some((_, place))) => &branches.programs[place],
            _ => program,
        };
        program.counts_moves(side).then_some(&self.moves[side as usize])
    }

    /// Evaluate a program that was loaded. `outputs` has one entry for each output of the program.
    #[inline(always)]
    pub fn evaluate<G: Game<Board = B>>(
        &mut self,
        cpu: impl Cpu,
        rules: G::Rules,
        program: &Program<B>,
        block: &Block<B>,
        outputs: &mut [Numbers],
    ) {
        let mut program = program;
        if program.follows_choice() {
            let place = match self.choice {
                Some((choice, place)) if choice == choosing(block) => place,
                _ => self.get_ready::<G>(cpu, rules, program, block),
            };
            if let Some(branches) = &program.branches {
                program = &branches.programs[place];
            }
        }
        self.sets[0] = block.own;
        self.sets[1] = block.opponent;
        let playable = program.geometry.playable().0;
        self.sets[2] = block.own.zip(block.opponent, |a, b| !(a | b) & playable);
        self.sets[3] = block.moved_to;
        if G::HAS_KINGS
            && let Some(kings) = block.kings
        {
            self.sets[usize::from(KINGS)] = kings;
        }
        cpu.call(Run::<G> { registers: self, ops: &program.body, rules, program, block, outputs });
    }
}

/// A choosing position (clock and ply, as bits), and whether the side that is spoken for is Black.
type Choosing = ([u64; 2], bool);

/// The choice that a block belongs to.
#[inline(always)]
fn choosing<B: Board>(block: &Block<B>) -> Choosing {
    ([block.root_clock.to_bits(), block.root_ply.to_bits()], block.own_is_black)
}

/// An evaluation from outside.
struct Evaluate<'a, G: Game> {
    registers: &'a mut Registers<G::Board>,
    rules: G::Rules,
    program: &'a Program<G::Board>,
    block: &'a Block<G::Board>,
    outputs: &'a mut [Numbers],
}

impl<G: Game> Task for Evaluate<'_, G> {
    type Output = ();
    #[inline(always)]
    fn run<C: Cpu>(self, cpu: C) {
        self.registers.evaluate::<G>(cpu, self.rules, self.program, self.block, self.outputs);
    }
}

/// Operations to be done on a block.
struct Run<'a, G: Game> {
    registers: &'a mut Registers<G::Board>,
    ops: &'a [Op<<G::Board as Board>::Word>],
    rules: G::Rules,
    program: &'a Program<G::Board>,
    block: &'a Block<G::Board>,
    outputs: &'a mut [Numbers],
}

impl<B: Board, G: Game<Board = B>> Task for Run<'_, G> {
    type Output = ();
    const WORTH_AVX512: bool = B::WORTH_AVX512;

    #[inline(always)]
    #[allow(clippy::too_many_lines)] // One line an operation.
    fn run<C: Cpu>(self, cpu: C) {
        let Self {
            registers: Registers { sets, numbers, truths, moves, destinations, carried, .. },
            ops,
            rules,
            program,
            block,
            outputs,
        } = self;
        // Where they are is read once, not for every operation.
        let (sets, numbers, truths) = (&mut **sets, &mut **numbers, &mut **truths);
        let ready = carried.take_ready();
        macro_rules! at {
            ($file:ident, $register:expr) => {
                $file[usize::from($register)]
            };
        }
        macro_rules! binary {
            ($file:ident, $to:expr, $a:expr, $b:expr, $f:expr) => {
                at!($file, $to) = at!($file, $a).zip(at!($file, $b), $f)
            };
        }
        // The newest number also stays at hand: its reader need not wait for it to come back from memory.
        let mut newest = Numbers::splat(0.0);
        macro_rules! number {
            ($to:expr, $value:expr) => {{
                newest = $value;
                at!(numbers, $to) = newest;
            }};
        }
        // Were the newest number still wanted after a call, which no vector register survives, it would live in memory. Lowering
        // reads none there.
        macro_rules! set_apart {
            ($to:expr, $task:expr) => {{
                at!(sets, $to) = cpu.call_apart($task);
                newest = Numbers::splat(0.0);
            }};
        }
        macro_rules! shift {
            ($to:expr, $a:expr, $by:expr, $staying:expr, $shift:tt) => {
                at!(sets, $to) = B::Word::lanes(
                    (B::Word::load(cpu, &at!(sets, $a)) & B::Word::splat(cpu, $staying)) $shift u32::from($by)
                        & B::Word::splat(cpu, program.geometry.playable().0),
                )
            };
        }
        // Where moves go and how many there are, looked for once a side.
        let mut has_looked = [false; 2];
        macro_rules! look {
            ($side:expr) => {
                let place = $side as usize;
                if !std::mem::replace(&mut has_looked[place], true) {
                    let (places, counts) = (&mut destinations[place], &mut moves[place]);
                    G::sight_of_lanes(cpu, rules, block.seen($side), places, counts);
                }
            };
        }
        macro_rules! arithmetic {
            ($to:expr, $a:expr, $b:expr, $f:expr) => {
                number!($to, $a.zip($b, $f))
            };
        }
        macro_rules! compare {
            ($to:expr, $a:expr, $b:expr, $f:expr) => {
                at!(truths, $to) = at!(numbers, $a).zip(at!(numbers, $b), |a, b| mask($f(a, b)))
            };
        }
        for op in ops {
            match *op {
                Op::ConstantSquares(to, squares) => at!(sets, to) = Lanes::splat(squares),
                Op::TurnedSquares(to, squares, turned) => {
                    at!(sets, to) = Lanes::splat(if block.own_is_black { squares } else { turned });
                }
                Op::Intersection(to, a, b) => binary!(sets, to, a, b, |a, b| a & b),
                Op::Union(to, a, b) => binary!(sets, to, a, b, |a, b| a | b),
                Op::Difference(to, a, b) => binary!(sets, to, a, b, |a, b| a & !b),
                Op::Complement(to, a) => {
                    let playable = program.geometry.playable().0;
                    at!(sets, to) = at!(sets, a).map(|a| !a & playable);
                }
                Op::First(to, a) => {
                    at!(sets, to) = at!(sets, a).map(|a| a & !a.wrapping_sub(B::Word::ONE));
                }
                Op::ShiftUp(to, a, by, staying) => shift!(to, a, by, staying, <<),
                Op::ShiftDown(to, a, by, staying) => shift!(to, a, by, staying, >>),
                Op::Fill(to, a, b, bits) => {
                    set_apart!(
                        to,
                        Filled::<B> {
                            starts: &at!(sets, a),
                            through: &at!(sets, b),
                            bits,
                            geometry: &program.geometry
                        }
                    );
                }
                Op::Symmetry(to, a, index) => set_apart!(to, Mirrored::<B>(&at!(sets, a), index, &program.geometry)),
                Op::Destinations(to, side) => {
                    if G::SEES_BOTH {
                        look!(side);
                        at!(sets, to) = destinations[side as usize];
                    } else {
                        at!(sets, to) = G::destinations_of_lanes(cpu, rules, block.seen(side));
                    }
                    newest = Numbers::splat(0.0);
                }
                Op::SelectSquares(to, condition, yes, no) => {
                    at!(sets, to) = choose(at!(truths, condition), at!(sets, yes), at!(sets, no));
                }
                Op::ConstantNumber(to, value) => number!(to, Lanes::splat(value)),
                Op::PieceCount(to) => number!(to, block.own.zip(block.opponent, |a, b| count(a | b))),
                Op::Ply(to) => number!(to, Lanes::splat(block.ply)),
                Op::QuietPlies(to) => number!(to, quiet_plies(block)),
                Op::Clock(to) => {
                    if G::COUNTS_APART {
                        at!(numbers, to) = G::clock_of_lanes(cpu, rules, block.seen(Side::Own));
                        newest = at!(numbers, to);
                    } else {
                        number!(to, G::clock_of_lanes(cpu, rules, block.seen(Side::Own)));
                    }
                }
                Op::RootClock(to) => number!(to, Lanes::splat(block.root_clock)),
                Op::RootPly(to) => number!(to, Lanes::splat(block.root_ply)),
                Op::Count(to, a) => number!(to, B::Word::counts(B::Word::load(cpu, &at!(sets, a)))),
                Op::CountIntersection(to, a, b) => {
                    let (a, b) = (B::Word::load(cpu, &at!(sets, a)), B::Word::load(cpu, &at!(sets, b)));
                    number!(to, B::Word::counts(a & b));
                }
                Op::NumberOfMoves(to, side) => {
                    if G::SEES_BOTH {
                        look!(side);
                        newest = moves[side as usize];
                        at!(numbers, to) = newest;
                    } else if G::COUNTS_APART {
                        // A call that gave `newest` would write it to memory, where it would stay for all operations.
                        at!(numbers, to) = G::mobility_of_lanes(cpu, rules, block.seen(side));
                        newest = at!(numbers, to);
                    } else {
                        number!(to, G::mobility_of_lanes(cpu, rules, block.seen(side)));
                    }
                    moves[side as usize] = newest;
                }
                Op::WeightedSum(to, a, list, selector) => {
                    let selector = selector.map(|register| &at!(numbers, register));
                    let (sums, sets) = (&program.sums[list as usize], &at!(sets, a));
                    // Not a call: one that gave `newest` would write it to memory, where it would stay for all operations.
                    number!(to, SumsOf { sums, sets, selector }.on(cpu));
                }
                Op::Patterns(to, first, count) => {
                    let reads = &program.patterns[usize::from(first)..][..usize::from(count)];
                    let pieces = block.own.zip(block.opponent, |a, b| (a | b).count_ones());
                    let (sets, own_is_black) = (&*sets, block.own_is_black);
                    at!(numbers, to) =
                        cpu.call_apart(Patterned { reads, program, pieces, own_is_black, sets, carried, ready });
                    newest = Numbers::splat(0.0);
                }
                Op::AddNewest(to, b) => arithmetic!(to, newest, at!(numbers, b), |a, b| a + b),
                Op::AddCount(to, number, a) => {
                    arithmetic!(to, at!(numbers, number), at!(sets, a), |number, a| number + count(a));
                }
                Op::AddCountToNewest(to, a) => arithmetic!(to, newest, at!(sets, a), |number, a| number + count(a)),
                Op::AddCountIntersection(to, number, a, b) => {
                    let both = at!(sets, a).zip(at!(sets, b), |a, b| a & b);
                    arithmetic!(to, at!(numbers, number), both, |number, a| number + count(a));
                }
                Op::AddCountIntersectionToNewest(to, a, b) => {
                    let both = at!(sets, a).zip(at!(sets, b), |a, b| a & b);
                    arithmetic!(to, newest, both, |number, a| number + count(a));
                }
                Op::SubtractFromNewest(to, b) => arithmetic!(to, newest, at!(numbers, b), |a, b| a - b),
                Op::SubtractNewest(to, a) => arithmetic!(to, at!(numbers, a), newest, |a, b| a - b),
                Op::MultiplyNewest(to, b) => arithmetic!(to, newest, at!(numbers, b), |a, b| a * b),
                Op::DivideNewest(to, b) => {
                    arithmetic!(to, newest, at!(numbers, b), |a, b| divide(a, b, WhenZero::One));
                }
                Op::DivideByNewest(to, a) => {
                    arithmetic!(to, at!(numbers, a), newest, |a, b| divide(a, b, WhenZero::One));
                }
                Op::Add(to, a, b) => arithmetic!(to, at!(numbers, a), at!(numbers, b), |a, b| a + b),
                Op::Subtract(to, a, b) => arithmetic!(to, at!(numbers, a), at!(numbers, b), |a, b| a - b),
                Op::Multiply(to, a, b) => arithmetic!(to, at!(numbers, a), at!(numbers, b), |a, b| a * b),
                Op::Divide(to, a, b, WhenZero::One) => {
                    arithmetic!(to, at!(numbers, a), at!(numbers, b), |a, b| divide(a, b, WhenZero::One));
                }
                Op::Divide(to, a, b, when_zero) => {
                    arithmetic!(to, at!(numbers, a), at!(numbers, b), |a, b| divide(a, b, when_zero));
                }
                Op::Minimum(to, a, b) => {
                    arithmetic!(to, at!(numbers, a), at!(numbers, b), |a, b| if a < b { a } else { b });
                }
                Op::Maximum(to, a, b) => {
                    arithmetic!(to, at!(numbers, a), at!(numbers, b), |a, b| if a > b { a } else { b });
                }
                Op::SelectNumber(to, condition, yes, no) => {
                    number!(to, choose(at!(truths, condition), at!(numbers, yes), at!(numbers, no)));
                }
                Op::IsBlack(to) => at!(truths, to) = Lanes::splat(mask(block.own_is_black)),
                Op::ConstantTruth(to, value) => at!(truths, to) = Lanes::splat(mask(value)),
                Op::IsOdd(to, a) => at!(truths, to) = at!(sets, a).map(|a| mask(a.count_ones() & 1 == 1)),
                Op::IsEmpty(to, a) => at!(truths, to) = at!(sets, a).map(|a| mask(a == B::Word::ZERO)),
                Op::Contains(to, a, square) => {
                    let square = B::Word::ONE << u32::from(square);
                    at!(truths, to) = at!(sets, a).map(|a| mask(a & square != B::Word::ZERO));
                }
                Op::Less(to, a, b) => compare!(to, a, b, |a, b| a < b),
                Op::LessEqual(to, a, b) => compare!(to, a, b, |a, b| a <= b),
                Op::Equal(to, a, b) => compare!(to, a, b, |a, b| a == b),
                Op::Both(to, a, b) => binary!(truths, to, a, b, |a, b| a & b),
                Op::Either(to, a, b) => binary!(truths, to, a, b, |a, b| a | b),
                Op::Negation(to, a) => at!(truths, to) = at!(truths, a).map(|a: u64| !a),
                Op::SelectTruth(to, condition, yes, no) => {
                    at!(truths, to) = choose(at!(truths, condition), at!(truths, yes), at!(truths, no));
                }
                Op::OutputNumber(number, register) => outputs[usize::from(number)] = at!(numbers, register),
                Op::OutputTruth(number, register) => {
                    outputs[usize::from(number)] = at!(truths, register).map(|a| (a & 1) as f64);
                }
            }
        }
    }
}

#[inline(always)]
fn choose<T: Copy + Default>(condition: Truths, yes: Lanes<T>, no: Lanes<T>) -> Lanes<T> {
    Lanes::of(|lane| if condition.0[lane] == 0 { no.0[lane] } else { yes.0[lane] })
}

#[inline(always)]
fn quiet_plies<B: Board>(block: &Block<B>) -> Numbers {
    Lanes::of(|lane| [0.0, block.quiet_plies][usize::from(block.quiet >> lane & 1)])
}
