//! The last squares of an Othello game: where most of the nodes of an endgame search are, and nothing is remembered.
//!
//! Every function here answers a null-window question about `own`, the side to move: is the final score above `alpha`?
//! The answer is a score; above `alpha` it is a lower bound of the true one, otherwise an upper bound. Moves into regions
//! (quadrants) with an odd number of empty squares come first: who moves there first also moves there last.

use std::sync::Arc;

use super::geometry::Geometry;
use super::stability::stable_discs;
use crate::{flips, moves};
use evoply_core::bitboard::{Bitboard, Board, Size8, Word};
use evoply_core::cpu::{Cpu, Task};

/// `TURNED[place][line]`: discs that turn in a line of eight when a disc is placed at `place`, `line` holds the mover's
/// discs and the opponent's are on all other squares.
static TURNED: [[u8; 256]; 8] = {
    let mut table = [[0; 256]; 8];
    let mut place = 0;
    while place < 8 {
        let mut line = 0_u32;
        while line < 256 {
            let below = line & ((1 << place) - 1);
            let above = line >> (place + 1);
            let down = if below == 0 { 0 } else { place as u32 - 1 - below.ilog2() };
            let up = if above == 0 { 0 } else { above.trailing_zeros() };
            table[place][line as usize] = (down + up) as u8;
            line += 1;
        }
        place += 1;
    }
    table
};

/// The two diagonals through each square of the 8x8 board.
static DIAGONALS: [[u64; 2]; 64] = {
    let mut table = [[0; 2]; 64];
    let mut square = 0;
    while square < 64 {
        let rays = <Size8 as Board>::RAYS[square];
        table[square] = [rays[3] | rays[7], rays[1] | rays[5]];
        square += 1;
    }
    table
};

/// The column a of the 8x8 board.
const COLUMN: u64 = 0x0101_0101_0101_0101;

/// How many discs turn when `own` places a disc on the last empty square.
#[inline(always)]
fn last_flips<B: Board>(own: Bitboard<B>, square: u32) -> i32 {
    if B::SIZE != 8 {
        return flips(own, !own - Bitboard::square(square), square).len() as i32;
    }
    // Pick the four lines through the square out of the board, each as eight bits.
    let own = own.0.to_u128() as u64;
    let (x, y) = ((square & 7) as usize, (square >> 3 & 7) as usize);
    let [falling, rising] = DIAGONALS[(square & 63) as usize];
    let row = own >> (8 * y);
    let column = (own >> x & COLUMN).wrapping_mul(0x0102_0408_1020_4080) >> 56;
    let falling = (own & falling).wrapping_mul(COLUMN) >> 56;
    let rising = (own & rising).wrapping_mul(COLUMN) >> 56;
    let turned = |place: usize, line: u64| i32::from(TURNED[place][(line & 255) as usize]);
    turned(x, row) + turned(y, column) + turned(x, falling) + turned(x, rising)
}

/// The solver of the last squares.
pub(super) struct Shallow<B: Board, C: Cpu> {
    pub cpu: C,
    /// Whether empty squares count for the winner, or for nobody.
    pub empties_to_winner: bool,
    pub geometry: Arc<Geometry<B>>,
    /// Positions entered, also by whoever looks further than this.
    pub nodes: u64,
}

impl<B: Board, C: Cpu> Shallow<B, C> {
    /// The score of a finished game for the owner of `own`.
    #[inline(always)]
    pub fn final_score(&self, own: Bitboard<B>, opponent: Bitboard<B>) -> i32 {
        let difference = own.len() as i32 - opponent.len() as i32;
        let empties = (!(own | opponent)).len() as i32;
        let award = if self.empties_to_winner { empties * difference.signum() } else { 0 };
        difference + award
    }

    /// One empty square. The full board after it is not a node.
    #[inline(always)]
    fn one(&mut self, own: Bitboard<B>, square: u32, alpha: i32) -> i32 {
        self.nodes += 1;
        let all = B::SQUARES as i32;
        let before = 2 * own.len() as i32 - all;
        let turned = last_flips(own, square);
        if turned > 0 {
            return before + 2 * turned + 2;
        }
        // The best that is left is to own the empty square when nobody can take it.
        if before + 2 <= alpha {
            return before + 2;
        }
        let opponent = !own - Bitboard::square(square);
        let turned = last_flips(opponent, square);
        if turned > 0 { before - 2 * turned } else { self.final_score(own, opponent) }
    }

    /// Two empty squares; `None` if `own` cannot move.
    #[inline(always)]
    fn two(&mut self, own: Bitboard<B>, opponent: Bitboard<B>, squares: [u32; 2], alpha: i32) -> Option<i32> {
        let mut best = None;
        for (square, other) in [(squares[0], squares[1]), (squares[1], squares[0])] {
            let Some((_, next)) = self.place(own, opponent, square) else { continue };
            let score = -self.one(next, other, -alpha - 1);
            if score > alpha {
                return Some(score);
            }
            best = best.max(Some(score));
        }
        best
    }

    /// Three empty squares; `None` if `own` cannot move.
    #[inline(always)]
    fn three(&mut self, own: Bitboard<B>, opponent: Bitboard<B>, squares: [u32; 3], alpha: i32) -> Option<i32> {
        let [a, b, c] = squares;
        let mut best = None;
        for (square, others) in [(a, [b, c]), (b, [a, c]), (c, [a, b])] {
            let Some((after, next)) = self.place(own, opponent, square) else { continue };
            let score =
                -self.cpu.call(Two { solver: self, own: next, opponent: after, squares: others, alpha: -alpha - 1 });
            if score > alpha {
                return Some(score);
            }
            best = best.max(Some(score));
        }
        best
    }

    /// Four empty squares; `None` if `own` cannot move.
    #[inline(always)]
    fn four(&mut self, own: Bitboard<B>, opponent: Bitboard<B>, squares: [u32; 4], alpha: i32) -> Option<i32> {
        let [a, b, c, d] = squares;
        let mut best = None;
        for (square, others) in [(a, [b, c, d]), (b, [a, c, d]), (c, [a, b, d]), (d, [a, b, c])] {
            let Some((after, next)) = self.place(own, opponent, square) else { continue };
            let score =
                -self.cpu.call(Three { solver: self, own: next, opponent: after, squares: others, alpha: -alpha - 1 });
            if score > alpha {
                return Some(score);
            }
            best = best.max(Some(score));
        }
        best
    }

    /// The discs of both sides, mover first, after a disc was placed; `None` if the move is not legal.
    #[inline(always)]
    fn place(&self, own: Bitboard<B>, opponent: Bitboard<B>, square: u32) -> Option<(Bitboard<B>, Bitboard<B>)> {
        if (self.geometry.neighbours[square as usize] & opponent).is_empty() {
            return None;
        }
        let turned = flips(own, opponent, square);
        if turned.is_empty() {
            return None;
        }
        Some((own | turned | Bitboard::square(square), opponent - turned))
    }

    /// The squares with those of odd quadrants first.
    #[inline(always)]
    fn odd_first<const N: usize>(&self, mut squares: [u32; N]) -> [u32; N] {
        let quadrant = |square: u32| self.geometry.quadrant[square as usize];
        let odd = squares.iter().fold(0, |bits, &square| bits ^ quadrant(square));
        let mut front = 0;
        for index in 0..N {
            if quadrant(squares[index]) & odd != 0 {
                squares.swap(front, index);
                front += 1;
            }
        }
        squares
    }

    /// A few empty squares, ordered by parity alone.
    #[inline(always)]
    pub fn score(&mut self, own: Bitboard<B>, opponent: Bitboard<B>, alpha: i32) -> i32 {
        let empty = !(own | opponent);
        self.cpu.call(Few { solver: self, own, opponent, empty, alpha })
    }

    #[inline(always)]
    fn few(&mut self, own: Bitboard<B>, opponent: Bitboard<B>, empty: Bitboard<B>, alpha: i32) -> i32 {
        // Step 1. The last four squares have code of their own.
        let mut squares = empty.into_iter();
        let mut next = || squares.next().unwrap_or(0);
        match empty.len() {
            0 => return self.final_score(own, opponent),
            1 => return self.one(own, next(), alpha),
            2 => return self.cpu.call(Two { solver: self, own, opponent, squares: [next(), next()], alpha }),
            3 => {
                let squares = [next(), next(), next()];
                return self.cpu.call(Three { solver: self, own, opponent, squares, alpha });
            }
            4 => {
                let squares = [next(), next(), next(), next()];
                return self.cpu.call(Four { solver: self, own, opponent, squares, alpha });
            }
            _ => {}
        }
        self.nodes += 1;
        // Step 2. Can the score exceed alpha at all, with the discs that the opponent will keep?
        if let Some(most) = Self::stability_cut(own, opponent, empty.len(), alpha) {
            return most;
        }
        // Step 3. Search the moves, odd quadrants first.
        let legal = moves(own, opponent);
        let odd = legal & self.geometry.quadrants[self.geometry.odd_quadrants(empty) as usize];
        let mut best = None;
        for set in [odd, legal - odd] {
            for square in set {
                let turned = flips(own, opponent, square);
                let (after, next) = (own | turned | Bitboard::square(square), opponent - turned);
                let empty = empty - Bitboard::square(square);
                let score = -self.cpu.call(Few { solver: self, own: next, opponent: after, empty, alpha: -alpha - 1 });
                if score > alpha {
                    return score;
                }
                best = best.max(Some(score));
            }
        }
        // Step 4. No move: pass, or the game is over.
        best.unwrap_or_else(|| {
            if moves(opponent, own).is_empty() {
                self.final_score(own, opponent)
            } else {
                -self.cpu.call(Few { solver: self, own: opponent, opponent: own, empty, alpha: -alpha - 1 })
            }
        })
    }

    /// The most that `own` can reach, if that is not above `alpha`; looked for only where it is likely.
    #[inline(always)]
    pub fn stability_cut(own: Bitboard<B>, opponent: Bitboard<B>, empties: u32, alpha: i32) -> Option<i32> {
        if alpha < 2 * empties as i32 {
            return None;
        }
        let most = B::SQUARES as i32 - 2 * stable_discs(opponent, own).len() as i32;
        (most <= alpha).then_some(most)
    }
}

/// A null-window question, as a task of the CPU path that the whole search runs in.
macro_rules! question {
    ($name:ident, $field:ident: $type:ty, |$task:ident| $body:expr) => {
        struct $name<'a, B: Board, C: Cpu> {
            solver: &'a mut Shallow<B, C>,
            own: Bitboard<B>,
            opponent: Bitboard<B>,
            $field: $type,
            alpha: i32,
        }
        impl<B: Board, C: Cpu> Task for $name<'_, B, C> {
            type Output = i32;
            #[inline(always)]
            fn run<D: Cpu>(self, _: D) -> i32 {
                let $task = self;
                $body
            }
        }
    };
}
question!(Two, squares: [u32; 2], |task| {
    let Two { solver, own, opponent, squares, alpha } = task;
    solver.nodes += 1;
    // The side to move moves; if it cannot, the other side does, and its score counts the other way round.
    for (own, opponent, alpha, sign) in [(own, opponent, alpha, 1), (opponent, own, -alpha - 1, -1)] {
        if let Some(score) = solver.two(own, opponent, squares, alpha) {
            return sign * score;
        }
    }
    solver.final_score(own, opponent)
});
question!(Three, squares: [u32; 3], |task| {
    let Three { solver, own, opponent, squares, alpha } = task;
    solver.nodes += 1;
    let squares = solver.odd_first(squares);
    // The side to move moves; if it cannot, the other side does, and its score counts the other way round.
    for (own, opponent, alpha, sign) in [(own, opponent, alpha, 1), (opponent, own, -alpha - 1, -1)] {
        if let Some(score) = solver.three(own, opponent, squares, alpha) {
            return sign * score;
        }
    }
    solver.final_score(own, opponent)
});
question!(Four, squares: [u32; 4], |task| {
    let Four { solver, own, opponent, squares, alpha } = task;
    solver.nodes += 1;
    let squares = solver.odd_first(squares);
    // The side to move moves; if it cannot, the other side does, and its score counts the other way round.
    for (own, opponent, alpha, sign) in [(own, opponent, alpha, 1), (opponent, own, -alpha - 1, -1)] {
        if let Some(score) = solver.four(own, opponent, squares, alpha) {
            return sign * score;
        }
    }
    solver.final_score(own, opponent)
});
question!(Few, empty: Bitboard<B>, |task| {
    task.solver.few(task.own, task.opponent, task.empty, task.alpha)
});
