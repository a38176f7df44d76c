//! What was chosen, and which of several equally good moves is.
//!
//! Reasons: docs/design/randomness.md.

use crate::rules::Game;
use crate::stream::Stream;

/// Which of several best moves is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ties {
    /// The first in the order of legal moves.
    First,
    /// The last.
    Last,
    /// The first column by column: by the file of the square that is moved to, then by its row.
    Column,
    /// The one whose piece stands nearest to the far side before it moves; in games that move pieces.
    Advanced,
    /// Any of them, drawn from the stream of the move.
    Random,
}

/// A chosen move and what is known about it.
#[derive(Clone, Debug)]
pub struct Choice<G: Game> {
    /// The move.
    pub chosen: G::Move,
    /// Its value for the side to move; `None` where nothing was evaluated.
    pub score: Option<f64>,
    /// Plies looked ahead; 0 where nothing was evaluated.
    pub depth: u32,
    /// Positions entered and leaves evaluated.
    pub nodes: u64,
    /// The best line found after the move.
    pub continuation: Vec<G::Move>,
    /// Whether the score is the final difference of discs under best play, rather than on the evaluator's scale.
    pub is_exact: bool,
}

impl<G: Game> Choice<G> {
    /// A move for which nothing was evaluated.
    #[inline]
    pub fn unseen(chosen: G::Move) -> Self {
        Self { chosen, score: None, depth: 0, nodes: 0, continuation: Vec::new(), is_exact: false }
    }
}

impl Ties {
    /// The place of a move among equal ones: that of least rank is taken, and no two ranks are equal.
    ///
    /// `index` is its number in the order of legal moves, which settles what the rule leaves open. Random ties are in that
    /// order too.
    #[inline(always)]
    pub fn rank<G: Game>(self, position: &G, index: usize, chosen: G::Move) -> u64 {
        let before = match self {
            Self::First | Self::Random => 0,
            Self::Last => return !(index as u64),
            Self::Column => {
                // A pass, which moves to no square, is the only move.
                let square = G::moved_to(position.rules(), chosen).first();
                let (rows, columns) = (G::geometry(position.rules()).rows(), G::geometry(position.rules()).columns());
                square % columns * rows + square / columns
            }
            Self::Advanced => position.rows_to_go(chosen),
        };
        (u64::from(before) << 32) | index as u64
    }

    /// Which of `moves`, all the legal ones, is taken of those with the greatest of `values`, and its number; `None` if there
    /// is none.
    ///
    /// A random one is drawn only where several are equal.
    #[inline(always)]
    pub fn pick<G: Game>(
        self,
        position: &G,
        mut moves: G::Moves,
        values: &[f64],
        stream: &mut Stream,
    ) -> Option<(usize, G::Move)> {
        let best = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut equals = values.iter().enumerate().filter(|&(_, &value)| value == best).map(|(index, _)| index);
        let index = match self {
            // These need not look at the moves.
            Self::First => equals.next(),
            Self::Last => equals.next_back(),
            Self::Random => {
                let count = equals.clone().count() as u64;
                equals.nth(if count < 2 { 0 } else { stream.below(count) } as usize)
            }
            Self::Column | Self::Advanced => {
                let ranked = moves.enumerate().filter(|&(index, _)| values[index] == best);
                return ranked.min_by_key(|&(index, chosen)| self.rank(position, index, chosen));
            }
        }?;
        Some((index, moves.nth(index)?))
    }
}

/// The place of a value drawn by weights that fall from 1 for the greatest to almost exp(-1) for one that is `temperature`
/// less, and to 0 for those that are 1024 times as much less; there is at least one value.
///
/// The exponential is a power of exact operations, so that every machine draws the same.
#[inline]
pub fn drawn_by_value(values: &[f64], temperature: f64, stream: &mut Stream) -> usize {
    let best = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weight = |value: f64| {
        let mut weight = (1.0 + (value - best) / (temperature * POWER)).max(0.0);
        for _ in 0..POWER.log2() as u32 {
            weight *= weight;
        }
        weight
    };
    let mut rest = stream.random() * values.iter().copied().map(weight).sum::<f64>();
    for (place, &value) in values.iter().enumerate() {
        rest -= weight(value);
        if rest < 0.0 {
            return place;
        }
    }
    // Rounding may leave nothing for the last of them.
    values.iter().position(|&value| value == best).unwrap_or(0)
}

/// The exponent of the power that stands for the exponential: (1 + x/n)^n.
const POWER: f64 = 1024.0;

#[cfg(test)]
mod tests {
    use super::drawn_by_value;
    use crate::stream::Key;

    #[test]
    fn draws_better_moves_more_often() {
        let (values, temperature) = ([0.5, -1e15, 0.3, 0.5], 0.2);
        let mut counts = [0_u32; 4];
        for key in 0..100_000 {
            counts[drawn_by_value(&values, temperature, &mut Key::new(key).stream())] += 1;
        }
        // Two equal moves, one that is a temperature worse, and a lost one: 1 : 0.368 : 1 of 100,000, sigma at most 160.
        let shares = [42_233, 0, 15_534, 42_233];
        for (count, share) in counts.iter().zip(shares) {
            assert!(count.abs_diff(share) < 700, "{counts:?}");
        }
        assert_eq!(counts[1], 0);
    }
}
