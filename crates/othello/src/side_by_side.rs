//! Random games side by side, a finished one replaced by the next.
//!
//! Two groups of eight go on in turn: while one waits for a result, the other has work to do.

use super::lines::Runs;
use super::{Move, Othello, alone};
use evoply_core::bitboard::{Bitboard, Board, Word};
use evoply_core::cpu::Cpu;
use evoply_core::cpu::vector::{Eight, Squares, Two, Vector};
use evoply_core::lanes::{LANES, Lanes};
use evoply_core::rules::playout::{NO_CAP, Playout, Playouts};
use evoply_core::rules::{Color, Game};
use evoply_core::stream::{Stream, side_by_side};

/// Groups of eight games.
const GROUPS: usize = 2;

/// So few games are played faster one after the other.
const FEW: usize = 3;

/// The state of eight games lane by lane, and no more than moves need: it is to fit the registers.
#[derive(Clone, Copy)]
struct Boards<T> {
    own: T,
    opponent: T,
    /// Keys of the side to move and of the other side.
    own_key: T,
    opponent_key: T,
    opening: T,
    hash: T,
    /// Ply of the position, which the draws of the players depend on.
    ply: T,
    /// The ply from which on draws come from the key of the move.
    opening_end: T,
    /// Not 0 where the last side to move had no move. It is a pass if the other side has one; otherwise the game was over.
    passing: T,
}

impl<T: Eight> Boards<Two<T>> {
    #[inline(always)]
    fn arrays(self) -> [Boards<Lanes<u64>>; GROUPS] {
        [
            Boards {
                own: self.own.0.lanes(),
                opponent: self.opponent.0.lanes(),
                own_key: self.own_key.0.lanes(),
                opponent_key: self.opponent_key.0.lanes(),
                opening: self.opening.0.lanes(),
                hash: self.hash.0.lanes(),
                ply: self.ply.0.lanes(),
                opening_end: self.opening_end.0.lanes(),
                passing: self.passing.0.lanes(),
            },
            Boards {
                own: self.own.1.lanes(),
                opponent: self.opponent.1.lanes(),
                own_key: self.own_key.1.lanes(),
                opponent_key: self.opponent_key.1.lanes(),
                opening: self.opening.1.lanes(),
                hash: self.hash.1.lanes(),
                ply: self.ply.1.lanes(),
                opening_end: self.opening_end.1.lanes(),
                passing: self.passing.1.lanes(),
            },
        ]
    }
}

#[inline(always)]
fn load<C: Cpu>(cpu: C, [first, second]: &[Boards<Lanes<u64>>; GROUPS]) -> Boards<Two<C::Eight>> {
    Boards {
        own: Two(cpu.words(&first.own), cpu.words(&second.own)),
        opponent: Two(cpu.words(&first.opponent), cpu.words(&second.opponent)),
        own_key: Two(cpu.words(&first.own_key), cpu.words(&second.own_key)),
        opponent_key: Two(cpu.words(&first.opponent_key), cpu.words(&second.opponent_key)),
        opening: Two(cpu.words(&first.opening), cpu.words(&second.opening)),
        hash: Two(cpu.words(&first.hash), cpu.words(&second.hash)),
        ply: Two(cpu.words(&first.ply), cpu.words(&second.ply)),
        opening_end: Two(cpu.words(&first.opening_end), cpu.words(&second.opening_end)),
        passing: Two(cpu.words(&first.passing), cpu.words(&second.passing)),
    }
}

impl Boards<Lanes<u64>> {
    fn put<B: Board>(&mut self, lane: usize, game: &Playout<Othello<B>>) {
        let position = &game.position;
        let keys = [Color::Black, Color::White].map(|side| game.key.child(side as u64).0);
        let turn = position.turn();
        self.own.0[lane] = position.own().0.to_u128() as u64;
        self.opponent.0[lane] = position.opponent().0.to_u128() as u64;
        self.own_key.0[lane] = keys[turn as usize];
        self.opponent_key.0[lane] = keys[turn.opposite() as usize];
        self.opening.0[lane] = game.opening.state();
        self.hash.0[lane] = game.hash;
        self.ply.0[lane] = position.ply().into();
        let opening_left = game.opening_plies.saturating_sub(game.plies);
        self.opening_end.0[lane] = u64::from(position.ply()) + u64::from(opening_left);
        self.passing.0[lane] = 0;
    }

    fn take<B: Board>(&self, lane: usize, game: &mut Playout<Othello<B>>) {
        let plies = (self.ply.0[lane] as u32).wrapping_sub(game.position.ply());
        let turn = if plies.is_multiple_of(2) { game.position.turn() } else { game.position.turn().opposite() };
        game.position = Othello {
            own: Bitboard(B::Word::from_u128(self.own.0[lane].into())),
            opponent: Bitboard(B::Word::from_u128(self.opponent.0[lane].into())),
            turn,
            ply: self.ply.0[lane] as u32,
        };
        game.plies = game.plies.wrapping_add(plies);
        game.opening = Stream::at(self.opening.0[lane]);
        game.hash = self.hash.0[lane];
    }
}

impl<B: Board> Playouts for Othello<B> {
    #[inline(always)]
    fn finish_playouts<C: Cpu>(cpu: C, games: &mut [Playout<Self>]) {
        let is_fast = B::SQUARES <= 64 && C::VECTORS_PAY && games.iter().all(|game| game.most_plies == NO_CAP);
        if is_fast && games.len() <= FEW && games.iter().all(|game| game.plies >= game.opening_plies) {
            // No closure: this is compiled into the code of each CPU path without fail.
            for game in games {
                alone::finish(cpu, game);
            }
        } else if is_fast {
            finish(cpu, games);
        } else {
            games.iter_mut().for_each(Playout::finish);
        }
    }
}

/// Play all games to their end, on boards of up to 64 squares.
#[inline(always)]
fn finish<B: Board, C: Cpu>(cpu: C, games: &mut [Playout<Othello<B>>]) {
    // Step 1. The first games. A lane without one holds an empty board, which waits.
    let nothing = Lanes::splat(0);
    let empty = Boards {
        own: nothing,
        opponent: nothing,
        own_key: nothing,
        opponent_key: nothing,
        opening: nothing,
        hash: nothing,
        ply: nothing,
        opening_end: nothing,
        passing: nothing,
    };
    let (mut boards, mut game_of) = ([empty; GROUPS], [[None; LANES]; GROUPS]);
    let mut playing = [0_u8; GROUPS];
    let count = games.len();
    let mut next = 0;
    for place in 0..count.min(GROUPS * LANES) {
        // Both groups are filled evenly.
        let (group, lane) = (place % GROUPS, place / GROUPS);
        boards[group].put(lane, &games[next]);
        game_of[group][lane] = Some(next);
        playing[group] |= 1 << lane;
        next += 1;
    }
    while playing != [0; GROUPS] {
        // Step 2. Moves on all boards, until a game is over.
        let over = advance::<B, C>(cpu, &mut boards, playing);
        // Step 3. The next games take the places of those.
        for group in 0..GROUPS {
            for lane in (0..LANES).filter(|lane| over[group] >> lane & 1 == 1) {
                if let Some(index) = game_of[group][lane] {
                    boards[group].take(lane, &mut games[index]);
                }
                if next < count {
                    boards[group].put(lane, &games[next]);
                    game_of[group][lane] = Some(next);
                    next += 1;
                } else {
                    playing[group] &= !(1 << lane);
                }
            }
        }
    }
}

/// Play random moves on all boards until a game is over; which ones are.
#[inline(always)]
fn advance<B: Board, C: Cpu>(cpu: C, boards: &mut [Boards<Lanes<u64>>; GROUPS], playing: [u8; GROUPS]) -> [u8; GROUPS] {
    let mut at = load(cpu, boards);
    loop {
        let Two(first, second) = step::<B, C>(cpu, &mut at);
        let over = [first.not_zero() & playing[0], second.not_zero() & playing[1]];
        if over != [0; GROUPS] {
            *boards = at.arrays();
            return over;
        }
    }
}

/// One ply on each board; the result is not 0 where the game was over before.
#[inline(always)]
fn step<B: Board, C: Cpu>(cpu: C, at: &mut Boards<Two<C::Eight>>) -> Two<C::Eight> {
    let own = at.own;
    let spread = |mask: B::Word| own.like(mask.to_u128() as u64);
    let (zero, one) = (own.like(0), own.like(1));
    // Step 1. Where a move may be made. If nowhere, and the side before had no move either, the game is over.
    let runs = Runs::of::<B>(at.own, at.opponent, spread);
    let moves = runs.destinations::<B>(at.own, at.opponent, spread);
    let over = moves.select(zero, at.passing);
    // Step 2. If somewhere, and the side before had no move, that was a pass: it becomes part of the game.
    let passed = moves.select(at.passing, zero);
    if passed.0.not_zero() | passed.1.not_zero() != 0 {
        let pass = own.like(Move::Pass.code::<B>());
        at.hash = passed.select(side_by_side::child(at.hash, pass), at.hash);
        at.ply = at.ply.plus(passed.select(one, zero));
    }
    // Step 3. The draw, from the opening or from the key of the move; a forced move draws nothing.
    let count = moves.count_ones();
    let key = side_by_side::child(at.own_key, at.ply);
    let in_opening = at.ply.less(at.opening_end);
    let (index, state) = side_by_side::below(cpu, in_opening.select(at.opening, key), count);
    let opening = in_opening.select(state, at.opening);
    // Step 4. The move; without one the board is only turned over.
    let square = Squares::numbered(moves.place_of_bit(index));
    let turned = runs.flips::<B>(square);
    *at = Boards {
        own: at.opponent & !turned,
        opponent: at.own | turned | square.sets,
        own_key: at.opponent_key,
        opponent_key: at.own_key,
        opening,
        hash: moves.select(side_by_side::child(at.hash, square.numbers), at.hash),
        ply: at.ply.plus(moves.select(one, zero)),
        opening_end: at.opening_end,
        passing: moves.select(zero, one),
    };
    over
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::OthelloRules;
    use evoply_core::arena::random_positions;
    use evoply_core::bitboard::{Size4, Size6, Size8};
    use evoply_core::cpu::{Task, available, on};
    use evoply_core::stream::Key;

    struct Finished<B: Board>(Vec<Playout<Othello<B>>>);

    impl<B: Board> Task for Finished<B> {
        type Output = Vec<Playout<Othello<B>>>;
        #[inline(always)]
        fn run<C: Cpu>(mut self, cpu: C) -> Self::Output {
            Othello::finish_playouts(cpu, &mut self.0);
            self.0
        }
    }

    /// Games from the opening to positions that are over, with and without an opening that is drawn.
    fn check<B: Board>() {
        let (stop, count) = (std::sync::atomic::AtomicBool::new(false), if cfg!(miri) { 2 } else { 400 });
        let positions = random_positions(OthelloRules, count, Key::new(5), 0..=B::SQUARES - 4, &stop);
        let mut positions = positions.unwrap_or_default().into_iter().flatten().cycle();
        for round in 0..count as u64 {
            let key = Key::new(9).child(round);
            let beginning = |position: Othello<B>| Playout {
                position,
                plies: 3,
                hash: round,
                opening: key.named("opening").stream(),
                opening_plies: if round % 4 == 3 { 7 } else { 0 },
                key,
                most_plies: NO_CAP,
            };
            let games: Vec<_> = (0..=round % 20).filter_map(|_| positions.next()).map(beginning).collect();
            let mut one_by_one = games.clone();
            one_by_one.iter_mut().for_each(Playout::finish);
            assert!(one_by_one.iter().all(|game| game.position.is_over()));
            let told = |game: &Playout<Othello<B>>| {
                let Playout { position, plies, hash, opening, .. } = game;
                (*position, position.ply(), *plies, *hash, opening.state())
            };
            for path in available() {
                let side_by_side: Vec<_> = on(path, Finished(games.clone())).iter().map(told).collect();
                assert_eq!(side_by_side, one_by_one.iter().map(told).collect::<Vec<_>>(), "{path:?}");
            }
        }
    }

    #[test]
    fn games_are_those_played_one_ply_after_the_other() {
        check::<Size4>();
        check::<Size6>();
        check::<Size8>();
    }
}
