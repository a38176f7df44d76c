//! Captures at the horizon, looked at to their end: every search against minimax, and nodes against a plain count.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::common::{
    self, American, Losing, Tested, Variant, ahead, any_checkers, check_taken, random_position_by, scaled,
    small_evaluator, tie_rules,
};
use evoply_checkers::{Checkers, CheckersRules};
use evoply_core::analysis::Question;
use evoply_core::bitboard::Size8;
use evoply_core::choice::{Choice, Ties};
use evoply_core::cpu::{Path, available, on};
use evoply_core::evaluator::{Evaluator, View};
use evoply_core::expression::program::Program;
use evoply_core::expression::{Builder, Expression, Node, Side};
use evoply_core::player::{Choose, Player, Workspace};
use evoply_core::rules::{Game, playout};
use evoply_core::search::SearchOptions;
use evoply_core::search::leaves::{Leaves, Noise};
use evoply_core::search::minimax::Minimax;
use evoply_core::search::ordering::MoveOrder;
use evoply_core::stream::{Key, Stream};

fn quiet(depth: u32) -> SearchOptions {
    SearchOptions { quiescence: true, ..SearchOptions::to_depth(depth) }
}

/// The plain search, and the deepening one with and without its parts.
pub fn ways(options: SearchOptions) -> Vec<SearchOptions> {
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

pub fn player<G: Tested>(
    program: &Arc<Program<G::Board>>,
    view: View,
    options: SearchOptions,
    ties: Ties,
) -> Player<G> {
    let evaluator = Evaluator { rules: G::usual(), program: Arc::clone(program), view };
    common::player(ahead(evaluator, options), ties)
}

pub fn ask<G: Tested>(path: Path, player: &Player<G>, position: &G, game: Key) -> Option<Choice<G>> {
    let mut workspace = Workspace::default();
    player.prepare(&mut workspace);
    let (key, stop) = (playout::move_key(game, position.turn(), position.ply()), &AtomicBool::new(false));
    on(path, Choose { player, position, key, workspace: &mut workspace, stop })
}

/// Positions of checkers that were reached and such that were set up, with their kings.
fn checkers<V: Variant>(draws: &mut Stream) -> Checkers<V::Board> {
    if draws.below(2) == 0 { random_position_by(V::RULES, draws, 80) } else { any_checkers::<V>(draws) }
}

fn material() -> Expression {
    let mut builder = Builder::default();
    let mut count = |side| {
        let pieces = builder.node(Node::Pieces(side)).unwrap();
        builder.node(Node::Count(pieces)).unwrap()
    };
    let (own, opponent) = (count(Side::Own), count(Side::Opponent));
    let difference = builder.node(Node::Subtract(own, opponent)).unwrap();
    builder.finish(vec![difference])
}

fn check<V: Variant>(positions: u64, depth: u32) {
    let (paths, ways) = (available(), ways(quiet(depth)));
    let mut differing = 0;
    for round in 0..positions {
        let mut draws = Key::new(31).child(depth.into()).child(round).stream();
        let position = checkers::<V>(&mut draws);
        if position.legal_moves().len() < 2 {
            continue;
        }
        let expression = small_evaluator::<V::Board>(&mut draws);
        let program = Arc::new(Program::<V::Board>::new(&expression).unwrap());
        let view = if draws.below(2) == 0 { View::Turn } else { View::Player };
        let game = Key(draws.bits());
        for ties in tie_rules::<Checkers<V::Board>>() {
            let options = ways[draws.below(ways.len() as u64) as usize];
            let key = playout::move_key(game, position.turn(), position.ply());
            let rule = options.leaves.rule(game, position.turn(), key);
            let question = Minimax { rule, quiescence: true, ..Minimax::at(&position, &expression, view) };
            let values = question.move_values(&position, depth);
            let best = values.iter().fold(f64::NEG_INFINITY, |best, &(_, value)| best.max(value));
            let equals: Vec<_> =
                values.iter().filter(|&&(_, value)| value == best).map(|&(chosen, _)| chosen).collect();
            let at_once = Minimax { quiescence: false, ..question }.move_values(&position, depth);
            differing += u64::from(values != at_once);
            let path = paths[round as usize % paths.len()];
            let choice = ask(path, &player(&program, view, options, ties), &position, game).unwrap();
            let case = format!("{options:?} {ties:?} {view:?} round {round}");
            assert_eq!(choice.score, Some(best), "{case}");
            check_taken(ties, &position, &equals, choice.chosen, &case);
        }
    }
    assert!(differing > positions / 10, "captures decided only {differing} of {positions} values");
}

#[test]
fn every_search_equals_minimax() {
    check::<American>(scaled(20_000), 1);
    check::<American>(scaled(10_000), 2);
    check::<American>(scaled(2_000), 3);
    check::<Losing>(scaled(5_000), 1);
    check::<Losing>(scaled(2_000), 3);
    every_board! {
        check::<American10>(scaled(5_000), 1);
        check::<American10>(scaled(1_000), 2);
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
    let program = Arc::new(Program::<Size8>::new(&material()).unwrap());
    let mut most = 0;
    for round in 0..scaled(20_000) {
        let position = checkers::<American>(&mut Key::new(32).child(round).stream());
        if position.legal_moves().len() < 2 {
            continue;
        }
        let expected = nodes(&position, 1);
        most = most.max(expected - 1 - position.legal_moves().len() as u64);
        for options in ways(quiet(1)) {
            let player = player(&program, View::Turn, options, Ties::First);
            for path in available() {
                assert_eq!(ask(path, &player, &position, Key(round)).unwrap().nodes, expected, "{options:?} {round}");
            }
        }
    }
    assert!(most >= 20, "at most {most} nodes behind the horizon: nothing proved");
}

#[test]
fn node_limits_hold_behind_the_horizon() {
    let program = Arc::new(Program::<Size8>::new(&material()).unwrap());
    for round in 0..scaled(10_000) {
        let mut draws = Key::new(33).child(round).stream();
        let position = checkers::<American>(&mut draws);
        if position.legal_moves().len() < 2 {
            continue;
        }
        let limit = 1 + draws.below(3_000);
        let mut options = ways(quiet(60))[2 + draws.below(12) as usize];
        options.nodes = Some(limit);
        let limited = player(&program, View::Turn, options, Ties::Last);
        let choice = ask(available()[0], &limited, &position, Key(round)).unwrap();
        // One ply is always looked ahead, and the captures behind it.
        assert!(choice.nodes <= limit.max(nodes(&position, 1)), "{} nodes of {limit}", choice.nodes);
        let depth = choice.depth.min(6);
        if depth == choice.depth {
            let plain = SearchOptions { quiescence: true, ..SearchOptions::to_depth(depth) };
            let plain = player(&program, View::Turn, plain, Ties::Last);
            let expected = ask(available()[0], &plain, &position, Key(round)).unwrap();
            assert_eq!((choice.chosen, choice.score), (expected.chosen, expected.score), "{options:?} round {round}");
        }
    }
}

#[test]
fn a_stop_among_captures_gives_no_answer() {
    let program = Arc::new(Program::<Size8>::new(&material()).unwrap());
    for options in ways(quiet(1)) {
        let stopped = player(&program, View::Turn, options, Ties::First);
        assert!(
            stopped
                .analyse(
                    &Checkers::<Size8>::start(CheckersRules::AMERICAN),
                    &Question::of(Key(1)),
                    &AtomicBool::new(true)
                )
                .is_none()
        );
    }
}
