//! What is looked at behind the horizon, captures to their end and replies that take the last piece: every search against
//! minimax, and nodes against a plain count.
#![allow(clippy::unwrap_used)]

use std::sync::atomic::AtomicBool;

use crate::against_minimax::check;
use crate::common::{
    American, Losing, Tested, Variant, ask, checkers_of, evaluator, material, random_position, scaled, searching,
};
use evoply_checkers::{Checkers, CheckersRules};
use evoply_core::analysis::Question;
use evoply_core::bitboard::{Board, Size8};
use evoply_core::choice::Ties;
use evoply_core::cpu::available;
use evoply_core::evaluator::View;
use evoply_core::player::Workspace;
use evoply_core::rules::Game;
use evoply_core::search::SearchOptions;
use evoply_core::search::leaves::{Leaves, Noise};
use evoply_core::search::ordering::MoveOrder;
use evoply_core::stream::{Key, Stream};
use evoply_othello::Othello;

fn quiet(depth: u32) -> SearchOptions {
    SearchOptions { quiescence: true, ..SearchOptions::to_depth(depth) }
}

/// The plain search, and the deepening one with and without its parts.
fn ways(options: SearchOptions) -> Vec<SearchOptions> {
    let mut ways = vec![options, SearchOptions { leaves: Leaves::Noisy(Noise::Whole(3)), ..options }];
    for ordering in [MoveOrder::None, MoveOrder::Evaluator, MoveOrder::Refutation, MoveOrder::Killer] {
        for table in [0, 1 << 10] {
            for nodes in [None, Some(u64::MAX)] {
                ways.push(SearchOptions { ordering, table, nodes, ..options });
            }
        }
    }
    ways
}

/// Positions of checkers that were reached and such that were set up, with their kings.
fn checkers<V: Variant>(draws: &mut Stream) -> Checkers<V::Board> {
    checkers_of::<V>(draws, 80)
}

fn check_captures<V: Variant>(positions: u64, depth: u32) {
    let seen = check(Key::new(31).child(depth.into()), positions, depth, &ways(quiet(depth)), checkers::<V>);
    assert!(seen.differing > positions / 10, "captures decided only {} of {positions} values", seen.differing);
}

/// With few pieces, of which a reply may take the last.
fn check_replies<B: Board>(positions: u64, depth: u32, least: u64)
where
    Othello<B>: Tested + Game<Board = B>,
{
    let ways = ways(SearchOptions { guard: true, ..SearchOptions::to_depth(depth) });
    let seen =
        check(Key::new(47).child(depth.into()), positions, depth, &ways, |draws| random_position::<B>(draws, 12));
    assert!(seen.differing >= least, "the guard decided only {} of {positions} values", seen.differing);
}

#[test]
fn every_search_equals_minimax_with_captures() {
    check_captures::<American>(scaled(20_000), 1);
    check_captures::<American>(scaled(10_000), 2);
    check_captures::<American>(scaled(2_000), 3);
    check_captures::<Losing>(scaled(5_000), 1);
    check_captures::<Losing>(scaled(2_000), 3);
    every_board! {
        check_captures::<American10>(scaled(5_000), 1);
        check_captures::<American10>(scaled(1_000), 2);
    }
}

#[test]
fn every_search_equals_minimax_with_a_guard() {
    check_replies::<Size8>(scaled(20_000), 1, 1);
    check_replies::<Size8>(scaled(3_000), 3, 0);
    every_board! {
        check_replies::<Size4>(scaled(5_000), 1, 5);
        check_replies::<Size4>(scaled(5_000), 2, 5);
        check_replies::<Size6>(scaled(10_000), 1, 1);
    }
}

/// A position entered, or valued where nothing is to be captured.
fn nodes<G: Tested>(position: &G, depth: u32) -> u64 {
    let pieces = |position: &G| (position.own() | position.opponent()).len();
    let captures = |chosen| pieces(&position.play_unchecked(chosen)) < pieces(position);
    if depth == 0 && !position.legal_moves().any(captures) {
        return 1;
    }
    let after = |chosen| nodes(&position.play_unchecked(chosen), depth.saturating_sub(1));
    1 + position.legal_moves().map(after).sum::<u64>()
}

/// One ply ahead nothing is cut off, so every position that quiescence looks at counts once; on every path alike.
#[test]
fn nodes_are_the_positions_looked_at() {
    let evaluator = evaluator(&material(), View::Turn);
    let mut workspace = Workspace::default();
    let mut most = 0;
    for round in 0..scaled(20_000) {
        let position = checkers::<American>(&mut Key::new(32).child(round).stream());
        if position.legal_moves().len() < 2 {
            continue;
        }
        let expected = nodes(&position, 1);
        most = most.max(expected - 1 - position.legal_moves().len() as u64);
        for options in ways(quiet(1)) {
            let player = searching(&evaluator, options, Ties::First);
            for path in available() {
                assert_eq!(
                    ask(path, &player, &position, Key(round), &mut workspace).nodes,
                    expected,
                    "{options:?} {round}"
                );
            }
        }
    }
    assert!(most >= 20, "at most {most} nodes behind the horizon: nothing proved");
}

#[test]
fn node_limits_hold_behind_the_horizon() {
    let evaluator = evaluator(&material(), View::Turn);
    let mut workspace = Workspace::default();
    for round in 0..scaled(10_000) {
        let mut draws = Key::new(33).child(round).stream();
        let position = checkers::<American>(&mut draws);
        if position.legal_moves().len() < 2 {
            continue;
        }
        let limit = 1 + draws.below(3_000);
        let mut options = ways(quiet(60))[2 + draws.below(12) as usize];
        options.nodes = Some(limit);
        let limited = searching(&evaluator, options, Ties::Last);
        let choice = ask(available()[0], &limited, &position, Key(round), &mut workspace);
        // One ply is always looked ahead, and the captures behind it.
        assert!(choice.nodes <= limit.max(nodes(&position, 1)), "{} nodes of {limit}", choice.nodes);
        let depth = choice.depth.min(6);
        if depth == choice.depth {
            let plain = SearchOptions { quiescence: true, ..SearchOptions::to_depth(depth) };
            let plain = searching(&evaluator, plain, Ties::Last);
            let expected = ask(available()[0], &plain, &position, Key(round), &mut workspace);
            assert_eq!((choice.chosen, choice.score), (expected.chosen, expected.score), "{options:?} round {round}");
        }
    }
}

#[test]
fn a_stop_among_captures_gives_no_answer() {
    let evaluator = evaluator(&material(), View::Turn);
    for options in ways(quiet(1)) {
        let stopped = searching(&evaluator, options, Ties::First);
        let start = Checkers::<Size8>::start(CheckersRules::AMERICAN);
        assert!(stopped.analyse(&start, &Question::of(Key(1)), &AtomicBool::new(true)).is_none());
    }
}
