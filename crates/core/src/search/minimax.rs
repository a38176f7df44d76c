//! Plain minimax over the reference interpreter: the oracle for every search here. Short and slow.

use super::leaves::Rule;
use super::{GUARDED, outcome_value};
use crate::evaluator::{LARGEST_VALUE, View, bounded, speaks_for};
use crate::expression::Expression;
use crate::expression::reference::{Inputs, evaluate};
use crate::rules::{Color, Game};
use crate::stream::Key;

/// The question: an evaluator, and where and by whom a move is being chosen.
#[derive(Debug)]
pub struct Minimax<'a> {
    /// The evaluator.
    pub expression: &'a Expression,
    /// For whom it speaks.
    pub view: View,
    /// The side that chooses.
    pub chooser: Color,
    /// Ply of the position where it chooses.
    pub root_ply: f64,
    /// Clock of that position.
    pub root_clock: f64,
    /// How leaves are valued.
    pub rule: Rule,
    /// Whether captures are looked at to their end.
    pub quiescence: bool,
    /// Whether a leaf with at most [`GUARDED`] pieces of the side that moved is lost if a reply ends the game at once and wins.
    pub guard: bool,
}

impl<'a> Minimax<'a> {
    /// Choosing at `root`.
    pub fn at<G: Game>(root: &G, expression: &'a Expression, view: View) -> Self {
        Self {
            expression,
            view,
            chooser: root.turn(),
            root_ply: f64::from(root.ply()),
            root_clock: root.clock_here(),
            rule: Rule::Output(0),
            quiescence: false,
            guard: false,
        }
    }

    /// Every legal move with its value for the side to move, looking `depth` plies ahead (at least 1).
    pub fn move_values<G: Game>(&self, position: &G, depth: u32) -> Vec<(G::Move, f64)> {
        self.values_after(position, self.rule.root(), depth, 0)
    }

    /// The same for a position that was reached by a path, so many plies beyond the last one.
    fn values_after<G: Game>(&self, position: &G, path: Key, depth: u32, beyond: u32) -> Vec<(G::Move, f64)> {
        let value = |(place, chosen)| {
            let (child, path) = (position.play_unchecked(chosen), self.rule.step(path, place));
            (chosen, -self.value(&child, path, chosen, depth - 1, beyond))
        };
        position.legal_moves().enumerate().map(value).collect()
    }

    /// The value of a position reached by `last` for the side to move.
    fn value<G: Game>(&self, position: &G, path: Key, last: G::Move, depth: u32, beyond: u32) -> f64 {
        if let Some(outcome) = position.outcome() {
            return outcome_value(outcome, position.turn());
        }
        if depth > 0 || (self.quiescence && beyond < G::MOST_RESTLESS && position.is_restless()) {
            return self
                .values_after(position, path, depth.max(1), beyond + u32::from(depth == 0))
                .into_iter()
                .fold(-f64::INFINITY, |best, (_, value)| best.max(value));
        }
        if self.guard && position.opponent().len() <= GUARDED {
            let side = position.turn();
            let mut ends = position.legal_moves().filter_map(|reply| position.play_unchecked(reply).outcome());
            if let Some(outcome) = ends.find(|outcome| outcome.winner == Some(side)) {
                return outcome_value(outcome, side);
            }
        }
        let speaker = speaks_for(self.view, position.turn().opposite(), self.chooser);
        let (own, opponent) = if speaker == position.turn() {
            (position.own(), position.opponent())
        } else {
            (position.opponent(), position.own())
        };
        let inputs = Inputs {
            own,
            opponent,
            kings: position.kings(),
            moved_to: G::moved_to(position.rules(), last),
            own_is_black: speaker == Color::Black,
            ply: f64::from(position.ply()),
            quiet_plies: f64::from(position.quiet_plies()),
            root_clock: self.root_clock,
            root_ply: self.root_ply,
        };
        let worst = if speaker == self.chooser { -LARGEST_VALUE } else { LARGEST_VALUE };
        let outputs = evaluate::<G>(position.rules(), self.expression, &inputs);
        let second = outputs.get(1).copied().unwrap_or(0.0);
        let value = bounded(self.rule.value([outputs[0], second], path), worst);
        if speaker == position.turn() { value } else { -value }
    }
}
