//! What the endgame solver looks up about the squares of a board.

use evoply_core::bitboard::{Bitboard, Board, Direction, MAX_SQUARES};

/// The tables of a board.
#[derive(Debug)]
pub struct Geometry<B: Board> {
    /// The up to eight squares around each square.
    pub neighbours: [Bitboard<B>; MAX_SQUARES],
    /// The quadrant of each square, as one of four bits.
    pub quadrant: [u8; MAX_SQUARES],
    /// The squares of the quadrants named by four bits.
    pub quadrants: [Bitboard<B>; 16],
    /// The corners.
    pub corners: Bitboard<B>,
    /// How good it is to move to each square, as far as that can be said of a square alone.
    pub worth: [u8; MAX_SQUARES],
}

/// The worth of a square by its distances from the border.
const WORTH: [[u8; 4]; 4] = [[18, 4, 16, 12], [0, 2, 6, 8], [0, 0, 14, 10], [0, 0, 0, 0]];

impl<B: Board> Geometry<B> {
    /// Work them out.
    pub fn new() -> Self {
        let mut tables = Self {
            neighbours: [Bitboard::EMPTY; MAX_SQUARES],
            quadrant: [0; MAX_SQUARES],
            quadrants: [Bitboard::EMPTY; 16],
            corners: Bitboard::EMPTY,
            worth: [0; MAX_SQUARES],
        };
        for square in 0..B::SQUARES {
            let set = Bitboard::<B>::square(square);
            let half = B::SIZE / 2;
            let quadrant = 1 << (u8::from(square / B::SIZE >= half) * 2 + u8::from(square % B::SIZE >= half));
            tables.quadrant[square as usize] = quadrant;
            // Distances to the nearest border, the smaller first: corners are best, the squares beside them worst.
            let distance = |line: u32| line.min(B::SIZE - 1 - line).min(3);
            let (x, y) = (distance(square % B::SIZE), distance(square / B::SIZE));
            tables.worth[square as usize] = WORTH[x.min(y) as usize][x.max(y) as usize];
            if x + y == 0 {
                tables.corners = tables.corners | set;
            }
            tables.neighbours[square as usize] =
                Direction::ALL.iter().fold(Bitboard::EMPTY, |sum, &direction| sum | set.shift(direction));
            for bits in (0..16).filter(|bits| bits & quadrant != 0) {
                tables.quadrants[bits as usize] = tables.quadrants[bits as usize] | set;
            }
        }
        tables
    }

    /// The quadrants with an odd number of `empty` squares, as four bits.
    #[inline(always)]
    pub fn odd_quadrants(&self, empty: Bitboard<B>) -> u8 {
        (0..4).fold(0, |bits, index| bits | ((empty & self.quadrants[1 << index]).len() as u8 & 1) << index)
    }
}
