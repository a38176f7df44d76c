//! Register code on eight sibling positions at once.
//!
//! Every operation is a short loop over lanes that the compiler turns into vector instructions. Lanes do not know of each
//! other, so a lane that holds no position does no harm. The meaning is that of [`super::reference`], bit for bit.

use super::program::{Op, Program, REGISTERS};
use super::reference::{Inputs, divide, selected_table, weighted_sum};
use super::{Side, WhenZero};
use crate::bitboard::{Bitboard, Board, Direction, Word};
use crate::rules::Game;

/// Positions evaluated together. Part of the search's definition, not of the CPU: node counts depend on it.
pub const LANES: usize = 8;

type Sets<B> = [<B as Board>::Word; LANES];
type Numbers = [f64; LANES];
/// All ones or all zeros.
type Truths = [u64; LANES];

/// Eight boards seen by the same side at the same ply of the same game, so that only boards differ.
#[derive(Clone, Copy, Debug)]
pub struct Block<B: Board> {
    /// Pieces of the side the expression speaks for.
    pub own: Sets<B>,
    /// Pieces of the other side.
    pub opponent: Sets<B>,
    /// Squares of the move just made.
    pub moved_to: Sets<B>,
    /// Whether the side the expression speaks for is Black.
    pub own_is_black: bool,
    /// Plies played before the evaluated positions.
    pub ply: f64,
    /// Plies since something irreversible happened.
    pub quiet_plies: f64,
    /// Clock of the position where the player chooses.
    pub root_clock: f64,
    /// Ply of the position where the player chooses.
    pub root_ply: f64,
}

impl<B: Board> Block<B> {
    /// A block in which every lane holds the same position.
    pub fn filled(inputs: &Inputs<B>) -> Self {
        Self {
            own: [inputs.own.0; LANES],
            opponent: [inputs.opponent.0; LANES],
            moved_to: [inputs.moved_to.0; LANES],
            own_is_black: inputs.own_is_black,
            ply: inputs.ply,
            quiet_plies: inputs.quiet_plies,
            root_clock: inputs.root_clock,
            root_ply: inputs.root_ply,
        }
    }
}

/// The registers of one program in one thread.
#[derive(Clone, Debug)]
pub struct Registers<B: Board> {
    sets: Box<[Sets<B>; REGISTERS]>,
    numbers: Box<[Numbers; REGISTERS]>,
    truths: Box<[Truths; REGISTERS]>,
}

impl<B: Board> Default for Registers<B> {
    fn default() -> Self {
        Self {
            sets: Box::new([[B::Word::ZERO; LANES]; REGISTERS]),
            numbers: Box::new([[0.0; LANES]; REGISTERS]),
            truths: Box::new([[0; LANES]; REGISTERS]),
        }
    }
}

const fn mask(truth: bool) -> u64 {
    if truth { u64::MAX } else { 0 }
}

#[inline(always)]
fn map<T: Copy, U: Copy + Default>(a: &[T; LANES], f: impl Fn(T) -> U) -> [U; LANES] {
    std::array::from_fn(|lane| f(a[lane]))
}

#[inline(always)]
fn zip<T: Copy, U: Copy>(a: &[T; LANES], b: &[T; LANES], f: impl Fn(T, T) -> U) -> [U; LANES] {
    std::array::from_fn(|lane| f(a[lane], b[lane]))
}

#[inline(always)]
fn count<W: Word>(set: W) -> f64 {
    // Through i32: the conversion from small whole numbers is one vector instruction.
    f64::from(set.count_ones() as i32)
}

impl<B: Board> Registers<B> {
    /// Make ready for a program: its constants go to their registers.
    pub fn load<G: Game<Board = B>>(&mut self, program: &Program<B>, block: &Block<B>) {
        let mut nothing = [];
        self.run::<G>(&program.preamble, program, block, &mut nothing);
    }

    /// Evaluate a program that was loaded. `outputs` has one entry for each output of the program.
    #[inline(always)]
    pub fn evaluate<G: Game<Board = B>>(&mut self, program: &Program<B>, block: &Block<B>, outputs: &mut [Numbers]) {
        self.sets[0] = block.own;
        self.sets[1] = block.opponent;
        self.sets[2] = zip(&block.own, &block.opponent, |a, b| !(a | b) & B::FULL);
        self.sets[3] = block.moved_to;
        self.run::<G>(&program.body, program, block, outputs);
    }

    #[inline(always)]
    #[allow(clippy::too_many_lines)] // One line an operation.
    fn run<G: Game<Board = B>>(
        &mut self,
        ops: &[Op<B::Word>],
        program: &Program<B>,
        block: &Block<B>,
        outputs: &mut [Numbers],
    ) {
        let Self { sets, numbers, truths } = self;
        macro_rules! at {
            ($file:ident, $register:expr) => {
                $file[usize::from($register)]
            };
        }
        macro_rules! binary {
            ($file:ident, $to:expr, $a:expr, $b:expr, $f:expr) => {
                at!($file, $to) = zip(&at!($file, $a), &at!($file, $b), $f)
            };
        }
        macro_rules! compare {
            ($to:expr, $a:expr, $b:expr, $f:expr) => {
                at!(truths, $to) = zip(&at!(numbers, $a), &at!(numbers, $b), |a, b| mask($f(a, b)))
            };
        }
        for op in ops {
            match *op {
                Op::ConstantSquares(to, squares) => at!(sets, to) = [squares; LANES],
                Op::TurnedSquares(to, squares, turned) => {
                    at!(sets, to) = [if block.own_is_black { squares } else { turned }; LANES];
                }
                Op::Intersection(to, a, b) => binary!(sets, to, a, b, |a, b| a & b),
                Op::Union(to, a, b) => binary!(sets, to, a, b, |a, b| a | b),
                Op::Difference(to, a, b) => binary!(sets, to, a, b, |a, b| a & !b),
                Op::Complement(to, a) => at!(sets, to) = map(&at!(sets, a), |a| !a & B::FULL),
                Op::Shift(to, a, direction) => at!(sets, to) = shift::<B>(&at!(sets, a), direction),
                Op::Fill(to, a, b, bits) => at!(sets, to) = fill::<B>(&at!(sets, a), &at!(sets, b), bits),
                Op::Symmetry(to, a, index) => {
                    at!(sets, to) = map(&at!(sets, a), |a| Bitboard::<B>(a).symmetry(index).0);
                }
                Op::Destinations(to, side) => at!(sets, to) = destinations::<G>(block, side),
                Op::SelectSquares(to, condition, yes, no) => {
                    let (condition, yes, no) = (&at!(truths, condition), &at!(sets, yes), &at!(sets, no));
                    at!(sets, to) = std::array::from_fn(|i| if condition[i] == 0 { no[i] } else { yes[i] });
                }
                Op::ConstantNumber(to, value) => at!(numbers, to) = [value; LANES],
                Op::PieceCount(to) => at!(numbers, to) = zip(&block.own, &block.opponent, |a, b| count(a | b)),
                Op::Ply(to) => at!(numbers, to) = [block.ply; LANES],
                Op::QuietPlies(to) => at!(numbers, to) = [block.quiet_plies; LANES],
                Op::Clock(to) => at!(numbers, to) = zip(&block.own, &block.opponent, |a, b| G::clock(count(a | b))),
                Op::RootClock(to) => at!(numbers, to) = [block.root_clock; LANES],
                Op::RootPly(to) => at!(numbers, to) = [block.root_ply; LANES],
                Op::Count(to, a) => at!(numbers, to) = map(&at!(sets, a), count),
                Op::CountIntersection(to, a, b) => {
                    at!(numbers, to) = zip(&at!(sets, a), &at!(sets, b), |a, b| count(a & b));
                }
                Op::NumberOfMoves(to, side) => at!(numbers, to) = mobility::<G>(block, side),
                Op::WeightedSum(to, a, list, selector) => {
                    let tables = &program.tables[list as usize];
                    let selector = selector.map_or([0.0; LANES], |register| at!(numbers, register));
                    let set = &at!(sets, a);
                    at!(numbers, to) = std::array::from_fn(|i| {
                        weighted_sum(Bitboard::<B>(set[i]), selected_table(tables, selector[i]))
                    });
                }
                Op::Add(to, a, b) => binary!(numbers, to, a, b, |a, b| a + b),
                Op::Subtract(to, a, b) => binary!(numbers, to, a, b, |a, b| a - b),
                Op::Multiply(to, a, b) => binary!(numbers, to, a, b, |a, b| a * b),
                Op::Divide(to, a, b, WhenZero::One) => {
                    binary!(numbers, to, a, b, |a, b| divide(a, b, WhenZero::One));
                }
                Op::Divide(to, a, b, when_zero) => binary!(numbers, to, a, b, |a, b| divide(a, b, when_zero)),
                Op::Minimum(to, a, b) => binary!(numbers, to, a, b, |a, b| if a < b { a } else { b }),
                Op::Maximum(to, a, b) => binary!(numbers, to, a, b, |a, b| if a > b { a } else { b }),
                Op::SelectNumber(to, condition, yes, no) => {
                    let (condition, yes, no) = (&at!(truths, condition), &at!(numbers, yes), &at!(numbers, no));
                    at!(numbers, to) = std::array::from_fn(|i| if condition[i] == 0 { no[i] } else { yes[i] });
                }
                Op::IsBlack(to) => at!(truths, to) = [mask(block.own_is_black); LANES],
                Op::ConstantTruth(to, value) => at!(truths, to) = [mask(value); LANES],
                Op::IsOdd(to, a) => at!(truths, to) = map(&at!(sets, a), |a| mask(a.count_ones() & 1 == 1)),
                Op::IsEmpty(to, a) => at!(truths, to) = map(&at!(sets, a), |a| mask(a == B::Word::ZERO)),
                Op::Contains(to, a, square) => {
                    let square = B::Word::ONE << u32::from(square);
                    at!(truths, to) = map(&at!(sets, a), |a| mask(a & square != B::Word::ZERO));
                }
                Op::Less(to, a, b) => compare!(to, a, b, |a, b| a < b),
                Op::LessEqual(to, a, b) => compare!(to, a, b, |a, b| a <= b),
                Op::Equal(to, a, b) => compare!(to, a, b, |a, b| a == b),
                Op::Both(to, a, b) => binary!(truths, to, a, b, |a, b| a & b),
                Op::Either(to, a, b) => binary!(truths, to, a, b, |a, b| a | b),
                Op::Negation(to, a) => at!(truths, to) = map(&at!(truths, a), |a: u64| !a),
                Op::SelectTruth(to, condition, yes, no) => {
                    let (condition, yes, no) = (&at!(truths, condition), &at!(truths, yes), &at!(truths, no));
                    at!(truths, to) = std::array::from_fn(|i| condition[i] & yes[i] | !condition[i] & no[i]);
                }
                Op::OutputNumber(number, register) => outputs[usize::from(number)] = at!(numbers, register),
                Op::OutputTruth(number, register) => {
                    outputs[usize::from(number)] = map(&at!(truths, register), |a| (a & 1) as f64);
                }
            }
        }
    }
}

// What follows is too long or too rare to stand inside the loop over operations.

#[inline(always)]
fn sides<B: Board>(block: &Block<B>, side: Side) -> (&Sets<B>, &Sets<B>) {
    match side {
        Side::Own => (&block.own, &block.opponent),
        Side::Opponent => (&block.opponent, &block.own),
    }
}

#[inline(always)]
fn destinations<G: Game>(block: &Block<G::Board>, side: Side) -> Sets<G::Board> {
    let (own, opponent) = sides(block, side);
    zip(own, opponent, |own, opponent| G::destinations(Bitboard(own), Bitboard(opponent)).0)
}

#[inline(always)]
fn mobility<G: Game>(block: &Block<G::Board>, side: Side) -> Numbers {
    let (own, opponent) = sides(block, side);
    zip(own, opponent, |own, opponent| f64::from(G::mobility(Bitboard(own), Bitboard(opponent)) as i32))
}

fn shift<B: Board>(sets: &Sets<B>, direction: Direction) -> Sets<B> {
    map(sets, |set| Bitboard::<B>(set).shift(direction).0)
}

fn fill<B: Board>(starts: &Sets<B>, through: &Sets<B>, bits: u8) -> Sets<B> {
    let mut directions = [Direction::East; 8];
    let mut used = 0;
    for direction in Direction::ALL {
        if bits >> direction as u8 & 1 == 1 {
            directions[used] = direction;
            used += 1;
        }
    }
    zip(starts, through, |start, through| Bitboard::<B>(start).fill(Bitboard(through), &directions[..used]).0)
}
