//! What eight sibling positions look like to an expression.

use super::Side;
use super::reference::Inputs;
use crate::bitboard::{Bitboard, Board};
use crate::lanes::Lanes;
use crate::rules::SeenLanes;

type Sets<B> = Lanes<<B as Board>::Word>;

/// Eight boards seen by the same side at the same ply of the same game, so that only boards and quiet plies differ.
#[derive(Clone, Copy, Debug)]
pub struct Block<B: Board> {
    /// Pieces of the side the expression speaks for.
    pub own: Sets<B>,
    /// Pieces of the other side.
    pub opponent: Sets<B>,
    /// Kings of both; `None` where the game has none.
    pub kings: Option<Sets<B>>,
    /// Squares of the move just made.
    pub moved_to: Sets<B>,
    /// Whether the side the expression speaks for is Black.
    pub own_is_black: bool,
    /// Plies played before the evaluated positions.
    pub ply: f64,
    /// Plies since something irreversible happened, in the lanes of `quiet`; there are none in the others.
    pub quiet_plies: f64,
    /// Bit i is set if the last move of lane i was quiet.
    pub quiet: u8,
    /// Clock of the position where the player chooses.
    pub root_clock: f64,
    /// Ply of the position where the player chooses.
    pub root_ply: f64,
}

impl<B: Board> Block<B> {
    /// A block of boards without pieces.
    pub fn empty() -> Self {
        let nothing = Lanes::splat(Bitboard::<B>::EMPTY.0);
        Self {
            own: nothing,
            opponent: nothing,
            kings: None,
            moved_to: nothing,
            own_is_black: true,
            ply: 0.0,
            quiet_plies: 0.0,
            quiet: 0,
            root_clock: 0.0,
            root_ply: 0.0,
        }
    }

    /// A block in which every lane holds the same position.
    pub fn filled(inputs: &Inputs<B>) -> Self {
        Self {
            own: Lanes::splat(inputs.own.0),
            opponent: Lanes::splat(inputs.opponent.0),
            kings: Some(Lanes::splat(inputs.kings.0)),
            moved_to: Lanes::splat(inputs.moved_to.0),
            own_is_black: inputs.own_is_black,
            ply: inputs.ply,
            quiet_plies: inputs.quiet_plies,
            quiet: u8::MAX,
            root_clock: inputs.root_clock,
            root_ply: inputs.root_ply,
        }
    }

    #[inline(always)]
    pub(super) fn seen(&self, side: Side) -> SeenLanes<'_, B> {
        let kings = self.kings.as_ref();
        match side {
            Side::Own => SeenLanes { own: &self.own, opponent: &self.opponent, kings, own_is_black: self.own_is_black },
            Side::Opponent => {
                SeenLanes { own: &self.opponent, opponent: &self.own, kings, own_is_black: !self.own_is_black }
            }
        }
    }
}
