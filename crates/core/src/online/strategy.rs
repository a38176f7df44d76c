//! Strategies as they play: a weight for each area of the board, three flags, and perhaps weights of what comes after a move.

use super::tree::{FLAGS, Tree};
use crate::bitboard::{Bitboard, Board};
use crate::geometry::Geometry;
use crate::rules::weighted_games::{Foresight, Weights};
use crate::stream::Stream;

/// What a tree says.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Strategy {
    /// What a move into each area is worth, and behind them what the [`Sight`] adds; 0 where the tree says nothing.
    pub weights: Vec<u32>,
    /// Whether corners are worth twice as much, whether edges are, and whether of equally good moves those count that
    /// leave most pieces.
    pub flags: [bool; FLAGS],
}

impl Strategy {
    /// What a tree says that has so many areas and measures: where one of them or a flag has several values, a coin takes the
    /// first or the last; there is a coin for each of them, in any case.
    pub fn of(tree: &Tree, areas: usize, measures: usize, draws: &mut Stream) -> Self {
        let mut ends = vec![None; areas + FLAGS + measures];
        for (place, value) in tree.nodes().iter().filter_map(|node| node.value()) {
            let (first, _) = ends[place].unwrap_or((value, value));
            ends[place] = Some((first, value));
        }
        let mut weights: Vec<u32> = ends
            .into_iter()
            .map(|ends| {
                let takes_last = draws.below(2) == 1;
                ends.map_or(0, |(first, last)| if takes_last { last } else { first })
            })
            .collect();
        let flags = std::array::from_fn(|flag| weights[areas + flag] != 0);
        weights.drain(areas..areas + FLAGS);
        Self { weights, flags }
    }
}

/// What strategies see of a board, beside the square where a move lands.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Sight {
    /// Whether they weigh the opponent's legal moves after a move, and own pieces beside empty squares.
    pub measures: bool,
    /// Whether they take off what the opponent's best reply is worth.
    pub replies: bool,
}

/// The areas of a board, each in three parts: its corners, its edges and the rest, which strategies may value differently.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Areas<B: Board> {
    count: usize,
    parts: Vec<Part<B>>,
    sight: Sight,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Part<B: Board> {
    area: usize,
    /// The flag that doubles its weight.
    flag: Option<usize>,
    squares: Bitboard<B>,
}

impl<B: Board> Areas<B> {
    /// From the area of every square (`None`: the square is in none and worth nothing), and the squares that flags double.
    ///
    /// # Errors
    /// Says in words what is wrong.
    pub fn new(
        board: &Geometry<B>,
        of_square: &[Option<usize>],
        corners: Bitboard<B>,
        edges: Bitboard<B>,
        sight: Sight,
    ) -> Result<Self, String> {
        let squares = board.squares();
        if of_square.len() != squares as usize {
            return Err(format!("{} areas for the {squares} squares of the board", of_square.len()));
        }
        if !(corners & edges).is_empty() {
            return Err("a square is a corner and an edge".into());
        }
        let count = of_square.iter().flatten().max().map_or(0, |&last| last + 1);
        if count == 0 || count > squares as usize {
            return Err(format!("areas are numbered from 0 and at most {}", squares - 1));
        }
        let mut parts = Vec::new();
        for area in 0..count {
            let squares: Bitboard<B> = (0..squares).filter(|&at| of_square[at as usize] == Some(area)).collect();
            for (flag, of_flag) in [(Some(0), corners), (Some(1), edges), (None, !(corners | edges))] {
                let squares = squares & of_flag;
                if !squares.is_empty() {
                    parts.push(Part { area, flag, squares });
                }
            }
        }
        Ok(Self { count, parts, sight })
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// How many weights of its own the sight of strategies has.
    pub fn measures(&self) -> usize {
        if self.sight.measures { 2 } else { 0 }
    }

    /// What a tree says, with draws where it says several things.
    pub fn decoded(&self, tree: &Tree, draws: &mut Stream) -> Strategy {
        Strategy::of(tree, self.count, self.measures(), draws)
    }

    /// What moves are worth to a strategy.
    pub fn weights(&self, strategy: &Strategy) -> Weights<B> {
        let weight = |part: &Part<B>| {
            let is_doubled = part.flag.is_some_and(|flag| strategy.flags[flag]);
            strategy.weights[part.area].saturating_mul(if is_doubled { 2 } else { 1 })
        };
        let mut parts: Vec<_> = self.parts.iter().map(|part| (weight(part), part.squares)).collect();
        let measure = |place: usize| strategy.weights.get(self.count + place).copied().unwrap_or(0);
        let foresight = Foresight { mobility: measure(0), frontier: measure(1), replies: self.sight.replies };
        Weights::new(&mut parts, strategy.flags[2], foresight)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tree::Node;
    use super::*;
    use crate::bitboard::Size4;
    use crate::stream::Key;

    #[test]
    fn a_coin_takes_the_first_or_the_last_value() {
        let nodes = [1, 2 + 256 * 28, 0, 3 + 256 * 5, 2 + 256 * 7, 0, 2 + 256 * 9, 6 + 256];
        let tree = Tree::checked(nodes.map(Node).to_vec(), 5).unwrap_or_default();
        let mut seen = [0; 2];
        for index in 0..200 {
            let strategy = Strategy::of(&tree, 2, 0, &mut Key::new(3).child(index).stream());
            assert_eq!((strategy.weights[1], strategy.flags), (5, [false, false, true]));
            seen[usize::from(strategy.weights[0] == 9)] += 1;
            assert!([28, 9].contains(&strategy.weights[0]));
        }
        assert!(seen.iter().all(|&count| count > 60), "{seen:?}");
    }

    #[test]
    fn flags_double_corners_and_edges() {
        // Corners are area 0, other squares of the border area 1, the centre none.
        let of_square: Vec<_> = (0..16)
            .map(|square| match square {
                0 | 3 | 12 | 15 => Some(0),
                5 | 6 | 9 | 10 => None,
                _ => Some(1),
            })
            .collect();
        let set = |area| (0..16).filter(|&at| of_square[at as usize] == Some(area)).collect::<Bitboard<Size4>>();
        let areas = Areas::new(&Geometry::WHOLE, &of_square, set(0), set(1), Sight::default())
            .unwrap_or_else(|error| panic!("{error}"));
        let classes =
            |weights: [u32; 2], flags| areas.weights(&Strategy { weights: weights.to_vec(), flags }).classes().to_vec();
        assert_eq!(classes([3, 5], [false, false, true]), [set(0), set(1)]);
        assert_eq!(classes([3, 5], [true, false, true]), [set(1), set(0)]);
        assert_eq!(classes([3, 6], [true, false, false]), [set(0) | set(1)]);
        assert_eq!(classes([3, 2], [true, true, false]), [set(1), set(0)]);
        assert_eq!(classes([0, 2], [true, true, false]), [set(1)]);
        assert!(Areas::new(&Geometry::WHOLE, &of_square[1..], set(0), set(1), Sight::default()).is_err());
        assert!(Areas::new(&Geometry::WHOLE, &of_square, set(0), set(0), Sight::default()).is_err());
        assert!(Areas::new(&Geometry::WHOLE, &[None; 16], set(0), set(1), Sight::default()).is_err());
    }
}
