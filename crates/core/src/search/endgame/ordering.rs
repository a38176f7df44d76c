//! In which order the endgame solver tries moves: those first that leave the opponent the fewest answers.

use super::geometry::Geometry;
use super::table::NO_SQUARE;
use crate::bitboard::{Bitboard, Board, Direction};
use crate::rules::othello::{flips, moves};

/// A move, the position after it (seen by the side that moves next), and its rank: higher is tried earlier.
#[derive(Clone, Copy, Debug)]
pub(super) struct Child<B: Board> {
    pub own: Bitboard<B>,
    pub opponent: Bitboard<B>,
    pub square: u8,
    pub rank: i32,
}

const FIRST: i32 = 1 << 29;

/// The moves of every node on the way from the root, as one stack.
pub(super) struct Children<B: Board>(pub Vec<Child<B>>);

impl<B: Board> Children<B> {
    /// Put the positions after all `legal` moves on top of the stack, ranked; `remembered` was the best move earlier.
    #[inline(always)]
    pub fn push(
        &mut self,
        geometry: &Geometry<B>,
        (own, opponent): (Bitboard<B>, Bitboard<B>),
        legal: Bitboard<B>,
        remembered: u8,
    ) {
        let empty = !(own | opponent);
        let odd = geometry.quadrants[geometry.odd_quadrants(empty) as usize];
        for square in legal {
            let turned = flips(own, opponent, square);
            let (after, next) = (own | turned | Bitboard::square(square), opponent - turned);
            let rank = if next.is_empty() {
                // Nothing can be better than to take the last disc.
                2 * FIRST
            } else if square as u8 == remembered && remembered != NO_SQUARE {
                FIRST
            } else {
                rank(geometry, next, after, square, odd)
            };
            self.0.push(Child { own: next, opponent: after, square: square as u8, rank });
        }
    }

    /// Bring the child with the highest rank among those from `place` on to `place`; the first of equals.
    #[inline(always)]
    pub fn pick(&mut self, place: usize) -> Option<Child<B>> {
        let rest = self.0.get_mut(place..)?;
        let mut best = 0;
        for index in 1..rest.len() {
            if rest[index].rank > rest[best].rank {
                best = index;
            }
        }
        let child = rest.get(best).copied();
        if best > 0 {
            rest.swap(0, best);
        }
        child
    }
}

/// How promising a move to `square` is: `own` moves next, `opponent` has just moved.
#[inline(always)]
fn rank<B: Board>(
    geometry: &Geometry<B>,
    own: Bitboard<B>,
    opponent: Bitboard<B>,
    square: u32,
    odd: Bitboard<B>,
) -> i32 {
    let empty = !(own | opponent);
    // Answers, those in corners twice, weigh most; then empty squares beside the mover's discs; then corners held.
    let answers = moves(own, opponent);
    let mobility = answers.len() + (answers & geometry.corners).len();
    let around = Direction::ALL.iter().fold(Bitboard::EMPTY, |sum, &direction| sum | opponent.shift(direction));
    let potential = (around & empty).len();
    let corners = opponent & geometry.corners;
    let held = corner_stability(opponent, corners);
    (held as i32) * (1 << 11) - (mobility as i32) * (1 << 15) - (potential as i32) * (1 << 5)
        + (i32::from(odd.contains(square)) << 3)
        + i32::from(geometry.worth[square as usize])
}

/// Corners held and the discs of the same colour beside them.
#[inline(always)]
fn corner_stability<B: Board>(discs: Bitboard<B>, corners: Bitboard<B>) -> u32 {
    let beside = corners.shift(Direction::East)
        | corners.shift(Direction::West)
        | corners.shift(Direction::North)
        | corners.shift(Direction::South);
    (corners | beside & discs).len()
}
