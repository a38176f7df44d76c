//! Othello discs that can never turn again: a lower bound that is quick to find on every board size.

use evoply_core::bitboard::{Bitboard, Board, Direction, Word};

/// Discs of `own` that no sequence of moves can turn; some that are stable may be missing.
///
/// A disc can turn along an axis of the board only if both its neighbours on that axis may be taken. It is safe there at
/// the border, in a line without empty squares, and beside a stable disc of its own colour.
#[inline(always)]
pub fn stable_discs<B: Board>(own: Bitboard<B>, opponent: Bitboard<B>) -> Bitboard<B> {
    // Step 1. What the empty squares see, in each of the eight directions.
    let empty = !(own | opponent);
    let mut seen = [B::Word::ZERO; 8];
    for square in empty {
        let rays = &B::RAYS[square as usize];
        for direction in 0..8 {
            seen[direction] = seen[direction] | rays[direction];
        }
    }
    // Step 2. For each axis, the squares where nothing can ever turn along it.
    let files = Bitboard::<B>(B::FIRST_FILE | B::LAST_FILE);
    let inner_rows = Bitboard::<B>::FULL.shift(Direction::North) & Bitboard::FULL.shift(Direction::South);
    let rows = !inner_rows;
    let full_line = |axis: usize| !(Bitboard(seen[axis] | seen[axis + 4]) | empty);
    let safe = [files | full_line(0), files | rows | full_line(1), rows | full_line(2), files | rows | full_line(3)];
    // Step 3. Grow from the discs that are safe by themselves to their neighbours.
    let mut stable = own & safe[0] & safe[1] & safe[2] & safe[3];
    loop {
        let beside =
            |axis: usize| safe[axis] | stable.shift(Direction::ALL[axis]) | stable.shift(Direction::ALL[axis + 4]);
        let grown = own & beside(0) & beside(1) & beside(2) & beside(3);
        if grown == stable {
            return stable;
        }
        stable = grown;
    }
}
