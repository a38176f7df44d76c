//! The kernel from outside. One crate, so that its games and CPU paths compile once for all tests.

mod checkers;
mod common;
mod endgame;
mod engine;
mod every_move;
mod expressions;
mod guard;
mod leaves;
mod mcts;
mod move_ordering;
mod online;
mod orders_alone;
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
