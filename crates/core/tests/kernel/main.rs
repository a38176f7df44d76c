//! The kernel from outside. One crate, so that its games and CPU paths compile once for all tests.
//!
//! Each type of game is all code of the kernel again. `make test` compiles it for Othello and checkers on 8x8 alone, which
//! run by all their rules; the other boards are asked from Python, in the kernel that is built already.

/// What is to be done with other boards, too: only with the feature `every-board`, as in `make test-long`.
macro_rules! every_board {
    ($($statement:tt)*) => {
        #[cfg(feature = "every-board")]
        {
            #[allow(unused_imports)]
            use crate::common::American10;
            #[allow(unused_imports)]
            use evoply_core::bitboard::{Size4, Size6, Size10};
            $($statement)*
        }
    };
}

mod against_minimax;
mod common;
mod endgame;
mod engine;
mod every_move;
mod expressions;
mod leaves;
mod mcts;
mod move_ordering;
mod online;
mod parameters;
mod patterns;
mod perft;
mod quiescence;
mod refusals;
mod replay;
mod schedules;
mod search;
mod search_answers;
mod search_deepening;
mod selective;
mod symmetries;
mod weighted_games;
