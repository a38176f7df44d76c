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

/// What is expected after each move of a position, in their order; empty for who looks one ply ahead.
pub type Lines<G> = Vec<Vec<<G as Game>::Move>>;

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

/// How a move is drawn by the values of all.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Drawing {
    /// A move that is worth so much less than the best is about e times less likely.
    pub temperature: f64,
    /// The probability that a move is not seen at all. If no move is, all are.
    pub overlooks: f64,
}

impl Drawing {
    /// The place of a value drawn by weights that fall from 1 for the greatest to almost exp(-1) for one that is a temperature
    /// less, and to 0 for those that are 1024 times as much less; there is at least one value. Those that are overlooked
    /// become NaN.
    pub fn draw(self, values: &mut [f64], stream: &mut Stream) -> usize {
        if self.overlooks > 0.0 {
            let is_seen: Vec<_> = values.iter().map(|_| stream.random() >= self.overlooks).collect();
            if is_seen.contains(&true) {
                for (value, _) in values.iter_mut().zip(is_seen).filter(|&(_, is_seen)| !is_seen) {
                    *value = f64::NAN;
                }
            }
        }
        let best = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weight = |value: f64| exponential((value - best) / self.temperature);
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
}

/// The exponent of the power that stands for the exponential: (1 + x/n)^n.
const POWER: f64 = (1 << SQUARINGS) as f64;
/// How often a number is squared for it.
const SQUARINGS: u32 = 10;

/// Almost the exponential of a number up to 0, by exact operations, so that it is the same on every machine; 0 for NaN and
/// from -1024 on.
#[inline(always)]
pub fn exponential(number: f64) -> f64 {
    // The greater of 0 and a NaN is 0.
    let mut power = (1.0 + number / POWER).max(0.0);
    for _ in 0..SQUARINGS {
        power *= power;
    }
    power
}

#[cfg(test)]
mod tests {
    use super::Drawing;
    use crate::stream::Key;

    fn counts(overlooks: f64) -> [u32; 4] {
        let (drawing, mut counts) = (Drawing { temperature: 0.2, overlooks }, [0_u32; 4]);
        for key in 0..100_000 {
            counts[drawing.draw(&mut [0.5, -1e15, 0.3, 0.5], &mut Key::new(key).stream())] += 1;
        }
        counts
    }

    fn assert_about(counts: [u32; 4], shares: [u32; 4]) {
        for (count, share) in counts.iter().zip(shares) {
            assert!(count.abs_diff(share) < 700, "{counts:?}");
        }
    }

    #[test]
    fn draws_better_moves_more_often() {
        let counts = counts(0.0);
        // Two equal moves, one that is a temperature worse, and a lost one: 1 : 0.368 : 1 of 100,000, sigma at most 160.
        assert_about(counts, [42_233, 0, 15_534, 42_233]);
        assert_eq!(counts[1], 0);
    }

    #[test]
    fn does_not_draw_what_it_overlooks() {
        // Each of the sixteen sets of moves that are seen is as likely. The lost move is drawn where it alone is seen.
        let pair = 1.0 / (1.0 + 0.3678); // the share of a good move beside the third one
        let three = 1.0 / (2.0 + 0.3678);
        // With it or without, a good move stands alone, beside the third, beside its equal or beside both; or none is seen.
        let good = (2.0 * (1.0 + pair + 0.5 + three) + three) / 16.0;
        let lost = 1.0 / 16.0;
        let others = 1.0 - 2.0 * good - lost;
        let shares = [good, lost, others, good].map(|share: f64| (share * 1e5).round() as u32);
        assert_about(counts(0.5), shares);
    }
}
