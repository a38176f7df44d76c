//! What was chosen, and which of several equally good moves is.

use crate::rules::Game;
use crate::stream::Stream;

/// Which of several best moves is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ties {
    /// The first in the order of legal moves.
    First,
    /// The last.
    Last,
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
}

impl Ties {
    /// Which of the moves with the greatest of `values` is taken; `None` if there is none.
    ///
    /// A random one is drawn only where several are equal.
    #[inline(always)]
    pub fn pick(self, values: &[f64], stream: &mut Stream) -> Option<usize> {
        let best = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut equals = values.iter().enumerate().filter(|&(_, &value)| value == best).map(|(index, _)| index);
        match self {
            Self::First => equals.next(),
            Self::Last => equals.next_back(),
            Self::Random => {
                let count = equals.clone().count() as u64;
                equals.nth(if count < 2 { 0 } else { stream.below(count) } as usize)
            }
        }
    }
}
