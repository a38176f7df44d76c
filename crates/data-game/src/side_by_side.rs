//! Eight boards at once: the boards after moves, and what is to be known of them.

use evoply_core::bitboard::{Board, Word};
use evoply_core::cpu::{Cpu, Task};
use evoply_core::lanes::{LANES, Lanes};
use evoply_core::rules::{Children, Color, Game, SeenLanes};

use crate::code::{Found, Wide, mask};
use crate::moves::Move;
use crate::rules::{DataRules, Effect};
use crate::{DataGame, within};

/// Up to eight moves of a position, to be made.
pub(crate) struct Make<'a, B: Board> {
    pub position: &'a DataGame<B>,
    pub chosen: &'a [Move],
}

impl<B: Board> Task for Make<'_, B> {
    type Output = Children<DataGame<B>>;
    const WORTH_AVX512: bool = B::WORTH_AVX512;

    #[inline(always)]
    fn run<C: Cpu>(self, cpu: C) -> Self::Output {
        let Self { position, chosen } = self;
        let board = position.rules.0.geometry;
        let squares = squares_of::<B>(board.squares(), chosen);
        let (own, opponent) = (Lanes::splat(position.own.0), Lanes::splat(position.opponent.0));
        let [moved, to_move] = after(cpu, position.rules, position.turn, chosen, &[own, opponent], &squares);
        Children { to_move, moved, kings: None, moved_to: squares[1], quiet: 0, len: chosen.len() }
    }
}

/// The squares that moves go from and to.
#[inline(always)]
pub(crate) fn squares_of<B: Board>(count: u32, chosen: &[Move]) -> [Lanes<B::Word>; 2] {
    let nothing = Lanes::splat(B::Word::ZERO);
    let (mut from, mut to) = (nothing, nothing);
    for (lane, chosen) in chosen.iter().enumerate().take(LANES) {
        if chosen.from > 0 {
            from.0[lane] = B::Word::ONE << u32::from(chosen.from - 1);
        }
        if u32::from(chosen.to) < count {
            to.0[lane] = B::Word::ONE << u32::from(chosen.to);
        }
    }
    [from, to]
}

/// Own and the opponent's pieces after a move on each board, as the side that moves sees them; lanes without a move stay.
#[inline(always)]
pub(crate) fn after<B: Board, C: Cpu>(
    cpu: C,
    rules: DataRules<B>,
    mover: Color,
    chosen: &[Move],
    boards: &[Lanes<B::Word>; 2],
    squares: &[Lanes<B::Word>; 2],
) -> [Lanes<B::Word>; 2] {
    let load = |lanes: &Lanes<B::Word>| B::Word::load(cpu, lanes);
    let (own, opponent) = (load(&boards[0]), load(&boards[1]));
    let (from, to) = (load(&squares[0]), load(&squares[1]));
    // Step 1. What usually happens, which is nothing where there is no move.
    let (mut moved, mut other) = ((own & !from) | to, opponent & !to);
    // Step 2. What rules with effects of their own say, in the lanes of their moves.
    let mut left = 0_u8;
    for (lane, one) in chosen.iter().enumerate().take(LANES) {
        if squares[1].0[lane] != B::Word::ZERO && matches!(rules.0.effects[usize::from(one.rule)], Effect::Code(_)) {
            left |= 1 << lane;
        }
    }
    let mut found = Found::new(own);
    while left != 0 {
        let rule = chosen[left.trailing_zeros() as usize].rule;
        let of_rule = (0..chosen.len().min(LANES)).filter(|&lane| left >> lane & 1 == 1 && chosen[lane].rule == rule);
        let of_rule = of_rule.fold(0_u8, |bits, lane| bits | 1 << lane);
        left &= !of_rule;
        if let Effect::Code(codes) = &rules.0.effects[usize::from(rule)] {
            let code = &codes[mover as usize];
            code.run_into(Wide(cpu), [own, opponent, from, to], &mut found);
            let [a, b] = [found.set(code.outputs[0]), found.set(code.outputs[1])];
            let those = load(&mask(of_rule));
            moved = (a & those) | (moved & !those);
            other = (b & those) | (other & !those);
        }
    }
    [B::Word::lanes(moved), B::Word::lanes(other)]
}

/// Eight boards, to be looked at by the side that is to move.
pub(crate) struct Look<'a, B: Board> {
    pub rules: DataRules<B>,
    pub seen: SeenLanes<'a, B>,
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
        code.run_into(Wide(cpu), [own, opponent, nothing, nothing], &mut found);
        let over = code.outputs.last().map_or(0, |&over| found.truth(over));
        let goes_on = B::Word::load(cpu, &mask(!over));
        // Step 1. Placements, each square once.
        let mut destinations = nothing;
        for &(set, _) in &rules.0.places {
            destinations = destinations | found.set(code.outputs[usize::from(set)]);
        }
        destinations = destinations & goes_on;
        let mut mobility = B::Word::counts(destinations);
        // Step 2. Steps, direction by direction.
        for way in &rules.0.ways {
            let to = found.set(code.outputs[usize::from(way.set)]) & goes_on;
            mobility = mobility.zip(B::Word::counts(to), |sum, count| sum + count);
            destinations = destinations | to;
        }
        Sight { stuck: !B::Word::not_zero(destinations), destinations: B::Word::lanes(destinations), mobility }
    }
}

/// Eight boards, to be known by whether they are quiet: bit i is set if lane i is not.
pub(crate) struct Restless<'a, B: Board> {
    pub rules: DataRules<B>,
    pub seen: SeenLanes<'a, B>,
}

impl<B: Board> Task for Restless<'_, B> {
    type Output = u8;
    const WORTH_AVX512: bool = B::WORTH_AVX512;

    #[inline(always)]
    fn run<C: Cpu>(self, cpu: C) -> u8 {
        let Self { rules, seen } = self;
        let Some(quiet) = &rules.0.quiet else { return 0 };
        let code = &quiet[usize::from(!seen.own_is_black)];
        let nothing = B::Word::splat(cpu, B::Word::ZERO);
        let (own, opponent) = (B::Word::load(cpu, seen.own), B::Word::load(cpu, seen.opponent));
        !code.run(Wide(cpu), [own, opponent, nothing, nothing]).truth(code.outputs[0])
    }
}

/// How far the games of eight boards are, by rules that say so.
pub(crate) struct Clock<'a, B: Board> {
    pub rules: DataRules<B>,
    pub seen: SeenLanes<'a, B>,
}

impl<B: Board> Task for Clock<'_, B> {
    type Output = Lanes<f64>;
    const WORTH_AVX512: bool = B::WORTH_AVX512;

    #[inline(always)]
    fn run<C: Cpu>(self, cpu: C) -> Lanes<f64> {
        let Self { rules, seen } = self;
        let Some(code) = &rules.0.clock else { return Lanes::splat(0.0) };
        let (black, white) = if seen.own_is_black { (seen.own, seen.opponent) } else { (seen.opponent, seen.own) };
        let nothing = B::Word::splat(cpu, B::Word::ZERO);
        let found = code.run(Wide(cpu), [B::Word::load(cpu, black), B::Word::load(cpu, white), nothing, nothing]);
        code.number(Wide(cpu), &found).map(within)
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
