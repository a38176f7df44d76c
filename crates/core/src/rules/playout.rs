//! Whole games of random moves.
//!
//! All draws come from keys, so a game is the same whether it is played alone or beside others.

use super::{Color, Game};
use crate::cpu::Cpu;
use crate::stream::{Key, Stream};

/// The key of the draws that a side makes at a ply.
#[inline(always)]
pub fn move_key(game: Key, side: Color, ply: u32) -> Key {
    game.child(side as u64).child(ply.into())
}

/// A game in which both sides choose uniformly among their legal moves.
#[derive(Clone, Debug)]
pub struct Playout<G: Game> {
    /// Where it stands.
    pub position: G,
    /// Plies played.
    pub plies: u32,
    /// A hash of where it began and of all moves.
    pub hash: u64,
    /// Draws of the first `opening_plies` plies.
    pub opening: Stream,
    /// Plies that are drawn from the opening.
    pub opening_plies: u32,
    /// Where all other draws come from; see [`move_key`].
    pub key: Key,
    /// The ply of the position at which the game is given up as a draw; [`NO_CAP`] is never.
    pub most_plies: u32,
}

/// A ply that no game comes to.
pub const NO_CAP: u32 = u32::MAX;

/// A game of which games of random moves can be played.
pub trait Playouts: Game {
    /// Play games to their end. As [`Playout::finish`] for each; a game may have a faster way.
    #[inline(always)]
    fn finish_playouts<C: Cpu>(_: C, games: &mut [Playout<Self>]) {
        games.iter_mut().for_each(Playout::finish);
    }
}

impl<G: Game> Playout<G> {
    /// Play to the end, one ply after the other: what all faster ways must equal.
    pub fn finish(&mut self) {
        while let Some(chosen) = self.draw() {
            self.advance(chosen);
        }
    }

    /// The next move; a forced one draws nothing. `None` if the game is over or too long.
    #[inline(always)]
    fn draw(&mut self) -> Option<G::Move> {
        if self.position.ply() >= self.most_plies {
            None
        } else if self.plies < self.opening_plies {
            random_move(&self.position, |count| self.opening.below(count))
        } else {
            let key = move_key(self.key, self.position.turn(), self.position.ply());
            random_move(&self.position, |count| key.stream().below(count))
        }
    }

    #[inline(always)]
    fn advance(&mut self, chosen: G::Move) {
        self.position = self.position.play_unchecked(chosen);
        self.hash = Key(self.hash).child(G::code(self.position.rules(), chosen)).0;
        self.plies += 1;
    }
}

/// A uniformly random legal move; a forced one draws nothing. `None` if the game is over.
#[inline(always)]
pub fn random_move<G: Game>(position: &G, below: impl FnOnce(u64) -> u64) -> Option<G::Move> {
    let mut moves = position.legal_moves();
    match moves.len() {
        0 | 1 => moves.next(),
        count => moves.nth(below(count as u64) as usize),
    }
}
