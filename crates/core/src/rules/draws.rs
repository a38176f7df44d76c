//! When a game ends that the board alone would let go on: repetition, quiet plies, a cap. Conditions of a schedule, not rules
//! of a position, which keeps counters and no history; a search does not see them.

use super::{Color, Game};

/// The rules of draws that a game is played by; `None` switches one off.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct DrawRules {
    /// Plies without anything irreversible.
    pub quiet_plies: Option<u32>,
    /// How often the same board with the same side to move makes a draw.
    pub repetitions: Option<u32>,
    /// Plies of the position.
    pub most_plies: Option<u32>,
}

impl DrawRules {
    /// No draws but those of the board.
    pub const NONE: Self = Self { quiet_plies: None, repetitions: None, most_plies: None };

    /// Why the game is a draw at a position that the board would let go on, for whoever keeps no history: repetitions are not
    /// seen.
    #[inline(always)]
    pub fn at<G: Game>(&self, position: &G) -> Option<Ending> {
        if self.quiet_plies.is_some_and(|most| position.quiet_plies() >= most) {
            Some(Ending::QuietPlies)
        } else if self.most_plies.is_some_and(|most| position.ply() >= most) {
            Some(Ending::Cap)
        } else {
            None
        }
    }
}

/// What ended a game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum Ending {
    /// The rules of the board: nobody can move.
    #[default]
    Board,
    /// Too many plies without anything irreversible: a draw.
    QuietPlies,
    /// The same position too often: a draw.
    Repetition,
    /// Too many plies: a draw.
    Cap,
}

/// How a game stands under its rules of draws: the positions that could still occur again.
#[derive(Clone, Debug)]
pub struct Course<G: Game> {
    /// The positions since the last irreversible move, if repetitions count.
    reversible: Vec<G>,
}

impl<G: Game> Default for Course<G> {
    #[inline]
    fn default() -> Self {
        Self { reversible: Vec::new() }
    }
}

impl<G: Game> Course<G> {
    /// A game begins.
    #[inline]
    pub fn begin(&mut self) {
        self.reversible.clear();
    }

    /// The positions since the last irreversible move, the latest one included, if repetitions count.
    #[inline(always)]
    pub fn reversible(&self) -> &[G] {
        &self.reversible
    }

    /// The game has come to `position`: why it is a draw there, unless the board ends it; `None` if it is none.
    ///
    /// To be called for every position of the game, the first one included, in order.
    #[inline(always)]
    pub fn arrive(&mut self, position: &G, rules: &DrawRules) -> Option<Ending> {
        let mut repeated = false;
        if let Some(times) = rules.repetitions {
            if position.quiet_plies() == 0 {
                self.reversible.clear();
            }
            let before = self.reversible.iter().filter(|&earlier| earlier == position).count();
            repeated = before + 1 >= times as usize;
            self.reversible.push(*position);
        }
        match rules.at(position) {
            Some(Ending::Cap) | None if repeated => Some(Ending::Repetition),
            ending => ending,
        }
    }
}

/// Who won a game that has ended, and what ended it: the board, unless it would let the game go on and a rule made it a
/// draw.
pub fn result<G: Game>(position: &G, drawn: Option<Ending>) -> (Option<Color>, Ending) {
    match drawn {
        Some(ending) if !position.is_over() => (None, ending),
        _ => (position.result().winner, Ending::Board),
    }
}
