//! The kernel of evoply: rules, board expressions, search and game loops. Pure Rust; Python lives in another crate.
//!
//! From the bottom up: [`bitboard`] knows squares, [`stream`] is the one source of randomness, [`rules`] know the games,
//! [`expression`]s turn positions into numbers, [`search`] looks ahead, [`mcts`] plays games ahead, a [`player`] chooses moves, [`analysis`] asks it about one position,
//! the [`arena`] plays schedules of games on all cores, [`learning`] plays games whose errors change weights, and [`online`] evolves
//! strategies before a move. [`cpu`] holds the only `unsafe` code: the choice of machine instructions.
//!
//! ```
//! use evoply_core::bitboard::Size8;
//! use evoply_core::rules::Game;
//! use evoply_othello::{Othello, OthelloRules};
//!
//! let start = Othello::<Size8>::start(OthelloRules);
//! assert_eq!(start.legal_moves().count(), 4);
//! assert!(start.outcome().is_none());
//! ```
//!
//! Reasons: docs/design/kernel.md.
#![deny(missing_docs)]
#![deny(unsafe_code)]

pub mod analysis;
pub mod arena;
pub mod bitboard;
mod board;
pub mod choice;
pub mod cpu;
pub mod engine;
pub mod evaluator;
pub mod expression;
pub mod geometry;
pub mod kernel;
pub mod lanes;
pub mod learning;
pub mod mcts;
pub mod online;
pub mod patterns;
pub mod player;
pub mod replay;
pub mod rules;
pub mod search;
pub mod sorting;
pub mod stages;
pub mod stream;
pub mod work;
