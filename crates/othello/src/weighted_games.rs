//! Games of weighted squares side by side, a finished one replaced by the next.
//!
//! Two groups of eight go on in turn: while one waits for a result, the other has work to do.

use std::sync::atomic::{AtomicBool, Ordering};

use super::Othello;
use super::lines::Runs;
use evoply_core::bitboard::{Board, Word};
use evoply_core::cpu::Cpu;
use evoply_core::cpu::vector::{Eight, Squares, Two, Vector};
use evoply_core::lanes::{LANES, Lanes};
use evoply_core::rules::Game;
use evoply_core::rules::draws::DrawRules;
use evoply_core::rules::weighted_games::{Duel, Duels, Opening, Weights, finish_each};
use evoply_core::stream::side_by_side;

/// Groups of eight games.
const GROUPS: usize = 2;

/// A word for each game.
type Groups = [Lanes<u64>; GROUPS];

/// What changes with every ply.
#[derive(Clone, Copy)]
struct Boards<T> {
    own: T,
    opponent: T,
    draws: T,
    /// Not 0 where the last side to move had no move.
    passing: T,
}

/// The players whose turn it is at every other ply.
struct Movers {
    /// Squares of the same weight, the least first.
    classes: Vec<Groups>,
    /// All ones where the player wants most discs; `None` if no player does.
    most_discs: Option<Groups>,
}

impl Movers {
    fn put<B: Board>(&mut self, group: usize, lane: usize, weights: &Weights<B>) {
        // Whoever has fewer classes begins with empty ones, which change nothing.
        let first = self.classes.len() - weights.classes().len();
        for (place, class) in self.classes.iter_mut().enumerate() {
            let squares = place.checked_sub(first).map_or(0, |place| weights.classes()[place].0.to_u128() as u64);
            class[group].0[lane] = squares;
        }
        if let Some(most_discs) = &mut self.most_discs {
            most_discs[group].0[lane] = if weights.most_pieces() { u64::MAX } else { 0 };
        }
    }
}

impl<B: Board> Duels for Othello<B> {
    fn duels_at_once<C: Cpu>(_: C) -> usize {
        if B::SQUARES <= 64 && C::VECTORS_PAY { GROUPS * LANES } else { 1 }
    }

    #[inline(always)]
    fn finish_duels<C: Cpu>(
        cpu: C,
        opening: &Opening<Self>,
        duels: &mut [Duel<'_, Self>],
        rules: &DrawRules,
        stop: &AtomicBool,
    ) {
        let are_blind = || duels.iter().flat_map(|duel| duel.players).all(Weights::is_blind);
        if B::SQUARES > 64 || !C::VECTORS_PAY || *rules != DrawRules::NONE || !are_blind() {
            finish_each(cpu, opening, duels, rules, stop);
        } else {
            finish(cpu, opening, duels, stop);
        }
    }
}

/// Play all games to their end, on boards of up to 64 squares.
#[inline(always)]
fn finish<B: Board, C: Cpu>(
    cpu: C,
    opening: &Opening<Othello<B>>,
    duels: &mut [Duel<'_, Othello<B>>],
    stop: &AtomicBool,
) {
    let most_classes = duels.iter().flat_map(|duel| duel.players).map(|player| player.classes().len()).max();
    let nothing = [Lanes::splat(0); GROUPS];
    // What moves turn is only counted if any player wants most discs.
    let counts = duels.iter().flat_map(|duel| duel.players).any(Weights::most_pieces);
    let movers = || Movers { classes: vec![nothing; most_classes.unwrap_or(0)], most_discs: counts.then_some(nothing) };
    // Who moves at the next ply, and who at the one after it.
    let mut movers = [movers(), movers()];
    let mut boards = Boards { own: nothing, opponent: nothing, draws: nothing, passing: nothing };
    // Which game is where, and at which plies its first player moves. A lane without a game holds an empty board.
    let mut game_of = [[None; LANES]; GROUPS];
    let (mut playing, mut next, mut ply) = ([0_u8; GROUPS], 0, 0_usize);
    // Both groups are filled evenly.
    let mut free: Vec<_> = (0..GROUPS * LANES).rev().map(|place| (place % GROUPS, place / GROUPS)).collect();
    loop {
        // Step 1. Games for the lanes that are free. The first move has been made then, or there is none.
        while let Some(duel) = duels.get_mut(next) {
            let Some((group, lane)) = free.pop() else { break };
            if let Some((position, mover)) = duel.begin(opening) {
                boards.own[group].0[lane] = position.own().0.to_u128() as u64;
                boards.opponent[group].0[lane] = position.opponent().0.to_u128() as u64;
                boards.draws[group].0[lane] = duel.draws.state();
                boards.passing[group].0[lane] = 0;
                movers[ply % 2].put(group, lane, duel.players[mover]);
                movers[(ply + 1) % 2].put(group, lane, duel.players[1 - mover]);
                game_of[group][lane] = Some((next, (ply + mover) % 2));
                playing[group] |= 1 << lane;
            } else {
                duel.finish(opening, &DrawRules::NONE, stop);
                free.push((group, lane));
            }
            next += 1;
        }
        if playing == [0; GROUPS] || stop.load(Ordering::Relaxed) {
            return;
        }
        // Step 2. Moves on all boards, until a game is over.
        let over = advance::<B, C>(cpu, &mut boards, &movers, playing, &mut ply);
        // Step 3. The results of those.
        for group in 0..GROUPS {
            playing[group] &= !over[group];
            for lane in (0..LANES).filter(|lane| over[group] >> lane & 1 == 1) {
                free.push((group, lane));
                let Some((game, firsts)) = game_of[group][lane] else { continue };
                let [own, opponent] = [&boards.own, &boards.opponent].map(|side| side[group].0[lane].count_ones());
                let of_first = if ply % 2 == firsts { own.cmp(&opponent) } else { opponent.cmp(&own) };
                duels[game].points = (of_first as i32 + 1) as u32;
            }
        }
    }
}

#[inline(always)]
fn load<C: Cpu>(cpu: C, [first, second]: &Groups) -> Two<C::Eight> {
    Two(cpu.words(first), cpu.words(second))
}

#[inline(always)]
fn arrays<T: Eight>(Two(first, second): Two<T>) -> Groups {
    [first.lanes(), second.lanes()]
}

/// Play on all boards until a game is over; which ones are.
#[inline(always)]
fn advance<B: Board, C: Cpu>(
    cpu: C,
    boards: &mut Boards<Groups>,
    movers: &[Movers; 2],
    playing: [u8; GROUPS],
    ply: &mut usize,
) -> [u8; GROUPS] {
    let mut at = Boards {
        own: load(cpu, &boards.own),
        opponent: load(cpu, &boards.opponent),
        draws: load(cpu, &boards.draws),
        passing: load(cpu, &boards.passing),
    };
    loop {
        let Two(first, second) = step::<B, C>(cpu, &mut at, &movers[*ply % 2]);
        *ply += 1;
        let over = [first.not_zero() & playing[0], second.not_zero() & playing[1]];
        if over != [0; GROUPS] {
            let Boards { own, opponent, draws, passing } = at;
            *boards =
                Boards { own: arrays(own), opponent: arrays(opponent), draws: arrays(draws), passing: arrays(passing) };
            return over;
        }
    }
}

/// One ply on each board; the result is not 0 where the game was over before.
#[inline(always)]
fn step<B: Board, C: Cpu>(cpu: C, at: &mut Boards<Two<C::Eight>>, movers: &Movers) -> Two<C::Eight> {
    let Boards { own, opponent, draws, passing } = *at;
    let spread = |mask: B::Word| own.like(mask.to_u128() as u64);
    let (zero, one) = (own.like(0), own.like(1));
    // Step 1. Where a move may be made. If nowhere, and the side before had no move either, the game is over.
    let (runs, turned_discs) = if movers.most_discs.is_some() {
        Runs::counted::<B>(own, opponent, spread)
    } else {
        (Runs::of::<B>(own, opponent, spread), [zero; 5])
    };
    let moves = runs.destinations::<B>(own, opponent, spread);
    let over = moves.select(zero, passing);
    // Step 2. Those of the greatest weight, and of these perhaps those that turn most discs.
    let mut class = !zero;
    for squares in &movers.classes {
        let squares = load(cpu, squares);
        class = (moves & squares).select(squares, class);
    }
    let mut best = moves & class;
    if let Some(most_discs) = &movers.most_discs {
        let most_discs = load(cpu, most_discs);
        for plane in turned_discs.into_iter().rev() {
            let more = best & plane & most_discs;
            best = more.select(more, best);
        }
    }
    // Step 3. One of several is drawn.
    let count = best.count_ones();
    let (index, drawn) = side_by_side::below(cpu, draws, count);
    // Step 4. The move; without one the board is only turned over.
    let square = Squares::numbered(best.place_of_bit(index));
    let turned = runs.flips::<B>(square);
    *at = Boards {
        own: opponent & !turned,
        opponent: own | turned | square.sets,
        draws: drawn,
        passing: moves.select(zero, one),
    };
    over
}
