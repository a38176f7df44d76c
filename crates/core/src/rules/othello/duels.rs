//! Games of weighted squares side by side, a finished one replaced by the next.

use crate::bitboard::Board;
use crate::rules::duels::Duels;
use crate::rules::othello::Othello;

impl<B: Board> Duels for Othello<B> {}
