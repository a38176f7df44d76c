//! What a position at the horizon is worth: what the program says, that and a draw, or one of two programs by a coin.
//!
//! Draws that belong to a leaf come from its path, the places of the moves that lead there in the order of legal moves. So
//! they depend neither on the order in which a search looks at moves, nor on what it leaves out.

use crate::lanes::{LANES, Lanes};
use crate::rules::Color;
use crate::stream::Key;

/// What a position at the horizon is worth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Leaves {
    /// The program's first output.
    Plain,
    /// The program's first output and a number drawn for each leaf.
    Noisy(Noise),
    /// One of the program's two outputs, each as likely as the other.
    Alternating(Per),
}

/// What is drawn for a leaf.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Noise {
    /// A number in [0, 1).
    Uniform,
    /// A whole number from 0 to this.
    Whole(u32),
}

/// How often a coin is thrown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Per {
    /// Once a game, for each side.
    Game,
    /// For every choice.
    Move,
    /// For every leaf.
    Leaf,
}

impl Leaves {
    /// Outputs that the program must have.
    pub fn outputs(self) -> usize {
        if matches!(self, Self::Alternating(_)) { 2 } else { 1 }
    }

    /// Whether two ways to the same position may give it different values, so that no table can hold them.
    pub fn follow_paths(self) -> bool {
        matches!(self, Self::Noisy(_) | Self::Alternating(Per::Leaf))
    }

    /// The rule for one choice of `side`; `game` and `choice` are the keys of the game and of the choice.
    pub fn rule(self, game: Key, side: Color, choice: Key) -> Rule {
        let coin = |key: Key| Rule::Output(key.named("evaluator").stream().below(2) as usize);
        match self {
            Self::Plain => Rule::Output(0),
            Self::Noisy(noise) => Rule::Noisy(noise, choice.named("leaves")),
            Self::Alternating(Per::Game) => coin(game.child(side as u64)),
            Self::Alternating(Per::Move) => coin(choice),
            Self::Alternating(Per::Leaf) => Rule::Either(choice.named("leaves")),
        }
    }
}

/// How the leaves of one choice are valued.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rule {
    /// By this output of the program.
    Output(usize),
    /// By the first output and a draw; with the key of the empty path.
    Noisy(Noise, Key),
    /// By an output drawn for each leaf; with the key of the empty path.
    Either(Key),
}

impl Rule {
    /// The key of the path of no moves. A rule without draws does not look at paths: its keys mean nothing.
    #[inline(always)]
    pub fn root(self) -> Key {
        match self {
            Self::Output(_) => Key(0),
            Self::Noisy(_, key) | Self::Either(key) => key,
        }
    }

    /// The key of a path that goes on with the move in this place of the order of legal moves.
    #[inline(always)]
    #[must_use]
    pub fn step(self, path: Key, place: usize) -> Key {
        if let Self::Output(_) = self { path } else { path.child(place as u64) }
    }

    /// The value of the leaf at the end of a path from the outputs of the program there.
    #[inline(always)]
    pub fn value(self, outputs: [f64; 2], path: Key) -> f64 {
        match self {
            Self::Output(output) => outputs[output],
            Self::Noisy(Noise::Uniform, _) => outputs[0] + path.stream().random(),
            Self::Noisy(Noise::Whole(most), _) => outputs[0] + path.stream().below(u64::from(most) + 1) as f64,
            Self::Either(_) => outputs[path.stream().below(2) as usize],
        }
    }

    /// [`Self::value`] of eight siblings: the moves after `path` in the places from `first` on.
    #[inline(always)]
    pub fn values(self, outputs: &[Lanes<f64>; 2], path: Key, first: usize) -> Lanes<f64> {
        match self {
            Self::Output(output) => outputs[output],
            _ => self.drawn(outputs, path, first),
        }
    }

    /// The body of [`Self::values`] where something is drawn: kept out of the searches that draw nothing.
    #[inline(never)]
    fn drawn(self, outputs: &[Lanes<f64>; 2], path: Key, first: usize) -> Lanes<f64> {
        let [one, other] = outputs;
        let mut values = Lanes::splat(0.0);
        for lane in 0..LANES {
            values.0[lane] = self.value([one.0[lane], other.0[lane]], self.step(path, first + lane));
        }
        values
    }
}
