//! In which order the endgame solver tries moves: those first that leave the opponent the fewest answers.

use super::geometry::Geometry;
use super::table::{ScoreTable, hash_of};
use crate::{Expansion, Othello, destinations_of_wide};
use evoply_core::bitboard::{Bitboard, Board, Word};
use evoply_core::cpu::Cpu;
use evoply_core::lanes::Lanes;
use evoply_core::rules::{Children as Siblings, Game};

/// A move, the position after it (seen by the side that moves next), and its rank: higher is tried earlier.
#[derive(Clone, Copy, Debug)]
pub(super) struct Child<B: Board> {
    pub own: Bitboard<B>,
    pub opponent: Bitboard<B>,
    pub square: u8,
    pub rank: i32,
    /// Where tables hold the position; 0 if none does.
    pub hash: u64,
}

/// The rank of a move that is tried before all others.
const FIRST: i32 = 1 << 29;
/// Other moves have ranks between minus this and this.
pub(super) const MOST_RANK: i32 = 1 << 26;
/// What one answer that a move leaves takes from its rank.
pub(super) const ANSWER: i32 = 1 << 15;

impl<B: Board> Child<B> {
    /// Add to the rank of a move that is not tried first anyway.
    #[inline(always)]
    pub fn add(&mut self, points: i32) {
        if self.rank < FIRST {
            self.rank += points;
        }
    }
}

/// The moves of every node on the way from the root, as one stack.
pub(super) struct Children<B: Board>(pub Vec<Child<B>>);

impl<B: Board> Children<B> {
    /// Put the positions after all legal moves on top of the stack, ranked; `remembered` was the best move
    /// earlier. What `table` knows about them is asked for meanwhile.
    #[inline(always)]
    pub fn push<C: Cpu>(
        &mut self,
        cpu: C,
        geometry: &Geometry<B>,
        (own, opponent): (Bitboard<B>, Bitboard<B>),
        mut expansion: Expansion<B>,
        remembered: u8,
        table: Option<&ScoreTable<B>>,
    ) {
        let position = Othello::seen_by_mover(own, opponent);
        let odd = geometry.quadrants[geometry.odd_quadrants(!(own | opponent)) as usize];
        loop {
            let block = position.next_children(cpu, &mut expansion);
            let mut hashes = Lanes::splat(0);
            if let Some(table) = table {
                hashes =
                    block.to_move.zip(block.moved, |own, opponent| hash_of::<B>(Bitboard(own), Bitboard(opponent)));
                for lane in 0..block.len {
                    table.prefetch(hashes.0[lane]);
                }
            }
            let promise = promise_of_lanes(cpu, geometry.corners, &block);
            for lane in 0..block.len {
                let next = Bitboard(block.to_move.0[lane]);
                let square = Bitboard::<B>(block.moved_to.0[lane]).first() as u8;
                let rank = if next.is_empty() {
                    // Nothing can be better than to take the last disc.
                    2 * FIRST
                } else if square == remembered {
                    FIRST
                } else {
                    promise.0[lane]
                        + (i32::from(odd.contains(square.into())) << 3)
                        + i32::from(geometry.worth[square as usize])
                };
                let (opponent, hash) = (Bitboard(block.moved.0[lane]), hashes.0[lane]);
                self.0.push(Child { own: next, opponent, square, rank, hash });
            }
            if expansion.squares().is_empty() {
                return;
            }
        }
    }

    /// The children from `place` on, the highest rank first; of equals in the order of [`Self::pick`].
    pub fn sorted_from(&mut self, place: usize) -> Vec<Child<B>> {
        (place..self.0.len()).filter_map(|place| self.pick(place)).collect()
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

/// How promising moves are, by the boards after them: answers, those in corners twice, weigh most, then corners held, then
/// empty squares beside the mover's discs.
#[inline(always)]
fn promise_of_lanes<B: Board, C: Cpu>(cpu: C, corners: Bitboard<B>, block: &Siblings<Othello<B>>) -> Lanes<i32> {
    let spread = |mask: B::Word| B::Word::splat(cpu, mask);
    let (next, moved) = (B::Word::load(cpu, &block.to_move), B::Word::load(cpu, &block.moved));
    let (corners, first, last) = (spread(corners.0), spread(B::FIRST_FILE), spread(B::LAST_FILE));
    let answers = destinations_of_wide::<B, C>(cpu, &block.to_move, &block.moved);
    let row = moved | ((moved & !last) << 1) | ((moved & !first) >> 1);
    let around = row | (row << B::SIZE) | (row >> B::SIZE);
    let empty = spread(B::FULL) & !(next | moved);
    let held = corners & moved;
    let held =
        held | (moved & (((held & !last) << 1) | ((held & !first) >> 1) | (held << B::SIZE) | (held >> B::SIZE)));
    let mobility = B::Word::counts::<C>(answers);
    let corner_mobility = B::Word::counts::<C>(answers & corners);
    let potential = B::Word::counts::<C>(around & empty);
    let held = B::Word::counts::<C>(held);
    Lanes::of(|lane| {
        let points = held.0[lane] * 2048.0
            - (mobility.0[lane] + corner_mobility.0[lane]) * f64::from(ANSWER)
            - potential.0[lane] * 32.0;
        points as i32
    })
}
