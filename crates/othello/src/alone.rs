//! One random game, ply after ply with the instructions of a path: for so few that side by side they would fill no lanes.
//!
//! Each ply waits for the one before, so what counts is how long its chain of instructions is: the board stays in the registers
//! of the four lines, and leaves them for nothing but the draw.

use super::lines::QuadRuns;
use super::{Move, Othello};
use evoply_core::bitboard::{Bitboard, Board, Word};
use evoply_core::cpu::Cpu;
use evoply_core::cpu::vector::Quad;
use evoply_core::rules::Color;
use evoply_core::rules::playout::Playout;
use evoply_core::stream::Key;

/// Play a game to its end, on a board of up to 64 squares: one without a cap whose opening is over.
#[inline(always)]
pub(super) fn finish<B: Board, C: Cpu>(cpu: C, game: &mut Playout<Othello<B>>) {
    let &mut Playout { position: Othello { own, opponent, mut turn, mut ply }, mut hash, key, .. } = game;
    let begun = ply;
    let keys = [Color::Black, Color::White].map(|side| key.child(side as u64));
    let (mut key, mut other_key) = (keys[turn as usize], keys[turn.opposite() as usize]);
    let mut own = cpu.quad([own.0.to_u128() as u64; 4]);
    let mut opponent = cpu.quad([opponent.0.to_u128() as u64; 4]);
    let mut passing = false;
    loop {
        let runs = QuadRuns::of::<B>(cpu, own, opponent);
        let moves = (runs.ends::<B>(cpu) & !(own | opponent)).union() & B::FULL.to_u128() as u64;
        if moves == 0 {
            // The board is turned over. It is a pass if the other side has a move; otherwise the game was over.
            (own, opponent, key, other_key) = (opponent, own, other_key, key);
            if passing {
                break;
            }
            passing = true;
            continue;
        }
        if passing {
            hash = Key(hash).child(Move::Pass.code::<B>()).0;
            ply = ply.wrapping_add(1);
            passing = false;
        }
        // A forced move draws nothing from what is read again; its number is 0 whatever is drawn here.
        let index = key.child(ply.into()).stream().below(moves.count_ones().into());
        let placed = cpu.nth_bit(moves, index);
        hash = Key(hash).child(placed.trailing_zeros().into()).0;
        let placed = cpu.quad([placed; 4]);
        let turned = runs.flips::<B>(cpu, placed);
        (own, opponent) = (opponent & !turned, own | turned | placed);
        (key, other_key) = (other_key, key);
        ply = ply.wrapping_add(1);
    }
    let plies = ply.wrapping_sub(begun);
    if !plies.is_multiple_of(2) {
        turn = turn.opposite();
    }
    let [own, opponent] = [own.words()[0], opponent.words()[0]].map(|word| Bitboard(B::Word::from_u128(word.into())));
    game.position = Othello { own, opponent, turn, ply };
    game.plies = game.plies.wrapping_add(plies);
    game.hash = hash;
}
