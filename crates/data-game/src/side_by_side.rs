//! Eight boards at once: the boards after moves, what is to be known of them, and games of random moves.

use evoply_core::bitboard::{Bitboard, Board, Word};
use evoply_core::cpu::{Cpu, Task};
use evoply_core::lanes::{LANES, Lanes};
use evoply_core::rules::playout::{Playout, Playouts, move_key};
use evoply_core::rules::{Children, Color, Game, SeenLanes};
use evoply_core::stream::Key;

use crate::code::{Wide, mask};
use crate::moves::{Legal, Move, Moves};
use crate::rules::{DataRules, Effect, MOST_SETS};
use crate::{DataGame, NoMove, within};

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
fn squares_of<B: Board>(count: u32, chosen: &[Move]) -> [Lanes<B::Word>; 2] {
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
fn after<B: Board, C: Cpu>(
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
    while left != 0 {
        let rule = chosen[left.trailing_zeros() as usize].rule;
        let of_rule = (0..chosen.len().min(LANES)).filter(|&lane| left >> lane & 1 == 1 && chosen[lane].rule == rule);
        let of_rule = of_rule.fold(0_u8, |bits, lane| bits | 1 << lane);
        left &= !of_rule;
        if let Effect::Code(codes) = &rules.0.effects[usize::from(rule)] {
            let code = &codes[mover as usize];
            let found = code.run(Wide(cpu), [own, opponent, from, to]);
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
        let found = code.run(Wide(cpu), [own, opponent, nothing, nothing]);
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

impl<B: Board> Playouts for DataGame<B> {
    #[inline(always)]
    fn finish_playouts<C: Cpu>(cpu: C, games: &mut [Playout<Self>]) {
        if games.iter().all(|game| game.position.rules.0.slides.is_empty()) {
            cpu.call(Finish(games));
        } else {
            games.iter_mut().for_each(Playout::finish);
        }
    }
}

/// Games of random moves to be played to their end.
struct Finish<'a, B: Board>(&'a mut [Playout<DataGame<B>>]);

impl<B: Board> Task for Finish<'_, B> {
    type Output = ();
    const WORTH_AVX512: bool = B::WORTH_AVX512;

    /// Games go on side by side that have the same side to move; a finished one is replaced when that side is to begin.
    #[inline(always)]
    fn run<C: Cpu>(self, cpu: C) {
        let Self(games) = self;
        let mut waiting: [Vec<usize>; 2] = [Vec::new(), Vec::new()];
        for (index, game) in games.iter().enumerate().rev() {
            waiting[game.position.turn as usize].push(index);
        }
        let Some(rules) = games.first().map(|game| game.position.rules) else { return };
        let (mut turn, mut of_lane) = (Color::Black, [None; LANES]);
        loop {
            // Step 1. Games for lanes that have none.
            for lane in &mut of_lane {
                if lane.is_none() {
                    *lane = waiting[turn as usize].pop();
                }
            }
            if of_lane.iter().all(Option::is_none) {
                if waiting.iter().all(Vec::is_empty) {
                    return;
                }
                turn = turn.opposite();
                continue;
            }
            ply(cpu, rules, turn, games, &mut of_lane);
            turn = turn.opposite();
        }
    }
}

/// One ply of the games in the lanes; those that are over leave their lane.
#[inline(always)]
fn ply<B: Board, C: Cpu>(
    cpu: C,
    rules: DataRules<B>,
    turn: Color,
    games: &mut [Playout<DataGame<B>>],
    of_lane: &mut [Option<usize>; LANES],
) {
    let nothing = Lanes::splat(B::Word::ZERO);
    let mut boards = [nothing; 2];
    for (lane, index) in of_lane.iter().enumerate() {
        if let &Some(index) = index {
            (boards[0].0[lane], boards[1].0[lane]) = (games[index].position.own.0, games[index].position.opponent.0);
        }
    }
    // Step 1. The legal moves of all.
    let code = &rules.0.legal[turn as usize];
    let zero = B::Word::splat(cpu, B::Word::ZERO);
    let found = code.run(Wide(cpu), [B::Word::load(cpu, &boards[0]), B::Word::load(cpu, &boards[1]), zero, zero]);
    let count = code.outputs.len() - 1;
    let mut sets = [nothing; MOST_SETS];
    for (set, &output) in sets.iter_mut().zip(&code.outputs[..count]) {
        *set = B::Word::lanes(found.set(output));
    }
    let over = found.truth(code.outputs[count]);
    // Step 2. One of them in each game.
    let mut chosen = [Move { from: 0, to: u8::MAX, rule: 0 }; LANES];
    for (lane, place) in of_lane.iter_mut().enumerate() {
        let &mut Some(index) = place else { continue };
        let game = &mut games[index];
        let mut legal = Legal { sets: [B::Word::ZERO; MOST_SETS], over: over >> lane & 1 == 1 };
        for (set, lanes) in legal.sets[..count].iter_mut().zip(&sets) {
            *set = lanes.0[lane];
        }
        let mut moves = Moves::new(rules, turn, &legal);
        if moves.len() == 0 && !legal.over && rules.0.no_move == NoMove::Passes {
            moves = game.position.legal_here().0;
        }
        let drawn = match moves.len() as u64 {
            0 | 1 => 0,
            count if game.plies < game.opening_plies => game.opening.below(count),
            count => move_key(game.key, turn, game.position.ply).stream().below(count),
        };
        match moves.nth(drawn as usize) {
            None => *place = None,
            Some(one) => {
                chosen[lane] = one;
                game.hash = Key(game.hash).child(one.code(rules.0.geometry.squares())).0;
                game.plies += 1;
            }
        }
    }
    // Step 3. The boards after them.
    let squares = squares_of::<B>(rules.0.geometry.squares(), &chosen);
    let [moved, other] = after(cpu, rules, turn, &chosen, &boards, &squares);
    for (lane, index) in of_lane.iter().enumerate() {
        if let &Some(index) = index {
            let position = &mut games[index].position;
            (position.own, position.opponent) = (Bitboard(other.0[lane]), Bitboard(moved.0[lane]));
            (position.turn, position.ply) = (turn.opposite(), position.ply.wrapping_add(1));
        }
    }
}
