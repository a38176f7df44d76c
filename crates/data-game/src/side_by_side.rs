//! Eight boards at once: the boards after moves, and what is to be known of them.

use evoply_core::bitboard::{Board, Word};
use evoply_core::cpu::{Cpu, Task};
use evoply_core::lanes::{LANES, Lanes};
use evoply_core::rules::{Children, Color, Game, SeenLanes};

use crate::DataGame;
use crate::code::{Code, Found, MOST_KEPT, Wide, mask};
use crate::moves::{Chosen, Move, Moves};
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
        let boards = [Lanes::splat(position.own.0), Lanes::splat(position.opponent.0)];
        let [moved, to_move] = if position.rules.0.has_effects {
            let kept = |place: usize| B::Word::splat(cpu, expansion.kept[place % MOST_KEPT]);
            let mut found = Found::new(B::Word::splat(cpu, B::Word::ZERO));
            changed(cpu, position.rules, position.turn, &chosen, &boards, kept, &mut found)
        } else {
            usual(cpu, &chosen, &boards)
        };
        Children { to_move, moved, kings: None, moved_to: chosen.to, quiet: 0, len: chosen.len }
    }
}

/// Eight moves on a board of so many squares, side by side.
#[inline(always)]
#[allow(clippy::needless_range_loop)] // An iterator's calls are not always compiled into the code of a CPU path.
pub(crate) fn beside<B: Board>(count: u32, moves: &[Move; LANES]) -> Chosen<B> {
    let nothing = Lanes::splat(B::Word::ZERO);
    let mut chosen = Chosen { from: nothing, to: nothing, rules: [0; LANES], len: LANES };
    for lane in 0..LANES {
        let Move { from, to, rule } = moves[lane];
        if from > 0 {
            chosen.from.0[lane] = B::Word::ONE << u32::from(from - 1);
        }
        if u32::from(to) < count {
            chosen.to.0[lane] = B::Word::ONE << u32::from(to);
        }
        chosen.rules[lane] = rule;
    }
    chosen
}

/// Own and the opponent's pieces after what usually happens on each board, as the side that moves sees them; lanes without a
/// move stay.
#[inline(always)]
pub(crate) fn usual<B: Board, C: Cpu>(cpu: C, chosen: &Chosen<B>, boards: &[Lanes<B::Word>; 2]) -> [Lanes<B::Word>; 2] {
    let load = |lanes: &Lanes<B::Word>| B::Word::load(cpu, lanes);
    let (own, opponent) = (load(&boards[0]), load(&boards[1]));
    let (from, to) = (load(&chosen.from), load(&chosen.to));
    [B::Word::lanes((own & !from) | to), B::Word::lanes(opponent & !to)]
}

/// The same by rules whose moves have effects of their own: `kept` is what the code of the legal moves has kept, and `found` what
/// an earlier run may have left.
#[inline(always)]
pub(crate) fn changed<B: Board, C: Cpu>(
    cpu: C,
    rules: DataRules<B>,
    mover: Color,
    chosen: &Chosen<B>,
    boards: &[Lanes<B::Word>; 2],
    kept: impl Fn(usize) -> <B::Word as Word>::Eight<C>,
    found: &mut Found<<B::Word as Word>::Eight<C>>,
) -> [Lanes<B::Word>; 2] {
    let load = |lanes: &Lanes<B::Word>| B::Word::load(cpu, lanes);
    let (own, opponent) = (load(&boards[0]), load(&boards[1]));
    let (from, to) = (load(&chosen.from), load(&chosen.to));
    // Step 1. What usually happens, which is nothing where there is no move.
    let (mut moved, mut other) = ((own & !from) | to, opponent & !to);
    // Step 2. What rules with effects of their own say, in the lanes of their moves.
    let mut left = B::Word::not_zero(to);
    while left != 0 {
        let rule = chosen.rules[left.trailing_zeros() as usize % LANES];
        let mut of_rule = u8::MAX;
        if rules.0.only_place.is_none() {
            for lane in 0..LANES {
                of_rule &= !(u8::from(chosen.rules[lane] != rule) << lane);
            }
        }
        of_rule &= left;
        left &= !of_rule;
        if let Effect::Code(codes) = &rules.0.effects[usize::from(rule)] {
            let code = &codes[mover as usize].rest;
            code.run_given(Wide(cpu), [own, opponent, from, to], &kept, found);
            let [a, b] = [found.set(code.outputs[0]), found.set(code.outputs[1])];
            if of_rule == u8::MAX {
                (moved, other) = (a, b);
            } else {
                let those = load(&mask(of_rule));
                moved = (a & those) | (moved & !those);
                other = (b & those) | (other & !those);
            }
        }
    }
    [B::Word::lanes(moved), B::Word::lanes(other)]
}

/// Eight boards, to be looked at by the side that is to move.
pub(crate) struct Look<'a, B: Board> {
    pub rules: DataRules<B>,
    pub seen: SeenLanes<'a, B>,
}

/// Sets of squares of eight boards, empty where a game is over.
///
/// Seldom is one, and to spread bits to words takes as long as the rules of a simple game. A function, as a closure is not always
/// compiled into the code of a CPU path.
#[inline(always)]
fn where_it_goes_on<B: Board, C: Cpu>(
    cpu: C,
    over: u8,
    sets: <B::Word as Word>::Eight<C>,
) -> <B::Word as Word>::Eight<C> {
    if over == 0 { sets } else { sets & B::Word::load(cpu, &mask(!over)) }
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
        // Step 1. Placements, each square once.
        let mut destinations = nothing;
        for &(set, _) in &rules.0.places {
            destinations = destinations | found.set(code.outputs[usize::from(set)]);
        }
        destinations = where_it_goes_on::<B, C>(cpu, over, destinations);
        let mut mobility = B::Word::counts(destinations);
        // Step 2. Steps, direction by direction.
        for way in &rules.0.ways {
            let to = where_it_goes_on::<B, C>(cpu, over, found.set(code.outputs[usize::from(way.set)]));
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
        (found.truth(code.outputs[0]), code.number(Wide(cpu), &found))
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
