//! Eight boards at once: the boards after moves, and what is to be known of them.

use evoply_core::bitboard::{Board, Word};
use evoply_core::cpu::{Cpu, Task};
use evoply_core::lanes::{Bits, LANES, Lanes};
use evoply_core::rules::{Children, Color, Game, SeenLanes};

use crate::DataGame;
use crate::code::{Code, Found, INPUTS, MOST_KEPT, Machine, Truths, Wide};
use crate::moves::Moves;
use crate::rules::{DataRules, Effect};

/// A position whose moves are wanted: a task, so that this much code is compiled once for each CPU path.
pub(crate) struct Expand<'a, B: Board>(pub &'a DataGame<B>);

impl<B: Board> Task for Expand<'_, B> {
    type Output = Moves<B>;
    const WORTH_AVX512: bool = B::WORTH_AVX512;

    #[inline(always)]
    fn run<C: Cpu>(self, _: C) -> Moves<B> {
        self.0.legal_here()
    }
}

/// The next eight moves of a position, to be made.
pub(crate) struct Make<'a, B: Board> {
    pub position: &'a DataGame<B>,
    pub expansion: &'a mut Moves<B>,
}

impl<B: Board> Task for Make<'_, B> {
    type Output = Children<DataGame<B>>;
    const WORTH_AVX512: bool = B::WORTH_AVX512;

    #[inline(always)]
    fn run<C: Cpu>(self, cpu: C) -> Self::Output {
        let Self { position, expansion } = self;
        let chosen = expansion.block(cpu);
        let load = |lanes: &Lanes<B::Word>| B::Word::load(cpu, lanes);
        let spread = |word| B::Word::splat(cpu, word);
        let inputs = [spread(position.own.0), spread(position.opponent.0), load(&chosen.from), load(&chosen.to)];
        let [moved, to_move] = if position.rules.0.has_effects {
            let mut found = Found::new(spread(B::Word::ZERO));
            let code = &position.rules.0.legal[position.turn as usize];
            for place in 0..code.kept.len() {
                found.keep(code, place, spread(expansion.kept[place % MOST_KEPT]));
            }
            changed(Wide(cpu), position.rules, position.turn, inputs, &chosen.rules, &mut found)
        } else {
            usual(inputs)
        };
        let [moved, to_move] = [B::Word::lanes(moved), B::Word::lanes(to_move)];
        Children { to_move, moved, kings: None, moved_to: chosen.to, quiet: 0, len: chosen.len }
    }
}

/// Own and the opponent's pieces after what usually happens on each board, as the side that moves sees them; boards without a
/// move stay. The inputs are those of code: own, the opponent's, the squares moved from and to.
#[inline(always)]
pub(crate) fn usual<S: Bits>([own, opponent, from, to]: [S; INPUTS as usize]) -> [S; 2] {
    [(own & !from) | to, opponent & !to]
}

/// The same by rules whose moves have effects of their own. `of` is the rule of the move on each board, and `found` holds what the
/// code of the legal moves has kept.
#[inline(always)]
#[allow(clippy::needless_range_loop)] // An iterator's calls are not always compiled into the code of a CPU path.
pub(crate) fn changed<B: Board, M: Machine<B::Word>>(
    machine: M,
    rules: DataRules<B>,
    mover: Color,
    inputs: [M::Set; INPUTS as usize],
    of: &[u8],
    found: &mut Found<M::Set>,
) -> [M::Set; 2] {
    // Step 1. What usually happens, which is nothing where there is no move.
    let [mut moved, mut other] = usual(inputs);
    // Step 2. What rules with effects of their own say, on the boards of their moves.
    let mut left = machine.not_zero(inputs[3]);
    while left != 0 {
        let rule = of[left.trailing_zeros() as usize % of.len()];
        let mut of_rule = Truths::MAX;
        if rules.0.only_place.is_none() {
            for board in 0..of.len() {
                of_rule &= !(Truths::from(of[board] != rule) << board);
            }
        }
        of_rule &= left;
        left &= !of_rule;
        if let Effect::Code(codes) = &rules.0.effects[usize::from(rule)] {
            let code = &codes[mover as usize].rest;
            code.run_into(machine, inputs, found, &mut []);
            let [a, b] = [found.set(code.outputs[0]), found.set(code.outputs[1])];
            if of_rule == machine.not_zero(machine.spread(B::Word::ONE)) {
                (moved, other) = (a, b);
            } else {
                moved = machine.only(a, of_rule) | machine.only(moved, !of_rule);
                other = machine.only(b, of_rule) | machine.only(other, !of_rule);
            }
        }
    }
    [moved, other]
}

/// Eight boards, to be looked at by the side that is to move.
pub(crate) struct Look<'a, B: Board> {
    pub rules: DataRules<B>,
    pub seen: SeenLanes<'a, B>,
}

/// Sets of squares of boards, empty where a game is over.
///
/// Seldom is one, and to spread bits to words takes as long as the rules of a simple game. A function, as a closure is not always
/// compiled into the code of a CPU path.
#[inline(always)]
pub(crate) fn where_it_goes_on<W: Word, M: Machine<W>>(machine: M, over: Truths, sets: M::Set) -> M::Set {
    if over == 0 { sets } else { machine.only(sets, !over) }
}

/// What is seen of eight boards.
pub(crate) struct Sight<B: Board> {
    /// Bit i is set if the side has no move in lane i, for want of one or because the game is over.
    pub stuck: u8,
    pub destinations: Lanes<B::Word>,
    pub mobility: Lanes<f64>,
}

impl<B: Board> Task for Look<'_, B> {
    type Output = Sight<B>;
    const WORTH_AVX512: bool = B::WORTH_AVX512;

    #[inline(always)]
    fn run<C: Cpu>(self, cpu: C) -> Sight<B> {
        let Self { rules, seen } = self;
        if !rules.0.slides.is_empty() {
            return one_by_one(rules, seen);
        }
        let code = &rules.0.legal[usize::from(!seen.own_is_black)];
        let nothing = B::Word::splat(cpu, B::Word::ZERO);
        let (own, opponent) = (B::Word::load(cpu, seen.own), B::Word::load(cpu, seen.opponent));
        let mut found = Found::new(nothing);
        code.run_into(Wide(cpu), [own, opponent, nothing, nothing], &mut found, &mut []);
        let over = code.outputs.last().map_or(0, |&over| found.truth(over));
        // Step 1. Placements, each square once.
        let mut destinations = nothing;
        for &(set, _) in &rules.0.places {
            destinations = destinations | found.set(code.outputs[usize::from(set)]);
        }
        destinations = where_it_goes_on::<B::Word, _>(Wide(cpu), over, destinations);
        let mut mobility = B::Word::counts(destinations);
        // Step 2. Steps, direction by direction.
        for way in &rules.0.ways {
            let to = where_it_goes_on::<B::Word, _>(Wide(cpu), over, found.set(code.outputs[usize::from(way.set)]));
            mobility = mobility.zip(B::Word::counts(to), |sum, count| sum + count);
            destinations = destinations | to;
        }
        Sight { stuck: !B::Word::not_zero(destinations), destinations: B::Word::lanes(destinations), mobility }
    }
}

/// Eight boards, to be judged by code: what its first output holds of, a bit a lane, and its number.
pub(crate) struct Judge<'a, B: Board> {
    pub code: &'a Code<B>,
    pub boards: [&'a Lanes<B::Word>; 2],
}

impl<B: Board> Task for Judge<'_, B> {
    type Output = (u8, Lanes<f64>);
    const WORTH_AVX512: bool = B::WORTH_AVX512;

    #[inline(always)]
    fn run<C: Cpu>(self, cpu: C) -> Self::Output {
        let Self { code, boards: [own, opponent] } = self;
        let nothing = B::Word::splat(cpu, B::Word::ZERO);
        let (own, opponent) = (B::Word::load(cpu, own), B::Word::load(cpu, opponent));
        let found = code.run(Wide(cpu), [own, opponent, nothing, nothing]);
        (found.truth(code.outputs[0]) as u8, code.number(Wide(cpu), &found))
    }
}

/// The same as [`Look`], board by board: for rules with slides.
#[inline(never)]
fn one_by_one<B: Board>(rules: DataRules<B>, seen: SeenLanes<'_, B>) -> Sight<B> {
    let (mut stuck, mut destinations) = (0, Lanes::splat(B::Word::ZERO));
    let mut mobility = Lanes::splat(0.0);
    for lane in 0..LANES {
        let seen = seen.lane(lane);
        mobility.0[lane] = f64::from(DataGame::mobility(rules, &seen));
        destinations.0[lane] = DataGame::destinations(rules, &seen).0;
        stuck |= u8::from(mobility.0[lane] == 0.0) << lane;
    }
    Sight { stuck, destinations, mobility }
}
