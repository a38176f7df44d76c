//! Moves in another order, by a second program or in the plain search: it never changes a value or a choice, and decides how
//! many nodes they take.
#![allow(clippy::unwrap_used)]

use std::collections::HashSet;
use std::sync::atomic::AtomicBool;

use crate::against_minimax::{Best, Case, cases};
use crate::common::{
    self, American, Tested, ahead, any_checkers, asked, evaluator, late_position, ordered, player, random_evaluator,
    random_position, random_position_of, scaled, searching, small_evaluator, tie_rules,
};
use evoply_checkers::Checkers;
use evoply_core::bitboard::{Board, Size8};
use evoply_core::choice::{Choice, Ties};
use evoply_core::cpu::available;
use evoply_core::evaluator::{Evaluator, View};
use evoply_core::player::{Chooser, Workspace};
use evoply_core::rules::Game;
use evoply_core::search::SearchOptions;
use evoply_core::search::minimax::Minimax;
use evoply_core::search::ordered::{Order, count};
use evoply_core::search::ordering::MoveOrder;
use evoply_core::stream::{Key, Stream};
use evoply_othello::{Othello, OthelloRules};

fn ways(depth: u32, quiescence: bool) -> Vec<SearchOptions> {
    let ordered = SearchOptions { ordering: MoveOrder::Program, quiescence, ..SearchOptions::to_depth(depth) };
    let tables = [0, 4, 1 << 12].map(|table| SearchOptions { table, ..ordered });
    tables.into_iter().flat_map(|way| [None, Some(u64::MAX)].map(|nodes| SearchOptions { nodes, ..way })).collect()
}

/// A small evaluator of its own.
fn by<G: Tested>(draws: &mut Stream, view: View) -> Evaluator<G> {
    evaluator(&small_evaluator::<G::Board>(draws), view)
}

fn ask<G: Tested>(chooser: Chooser<G>, ties: Ties, position: &G, key: Key, workspace: &mut Workspace<G>) -> Choice<G> {
    let paths = available();
    common::ask(paths[key.0 as usize % paths.len()], &player(chooser, ties), position, key, workspace)
}

/// Compare value and best moves with minimax's, whatever orders the moves.
fn check<G: Tested>(positions: u64, depth: u32, random_position: impl Fn(&mut Stream) -> G) {
    let mut workspace = Workspace::default();
    let mut differing = 0;
    let key = Key::new(41).child(G::Board::SIZE.into()).child(depth.into());
    for Case { round, mut draws, position, expression, evaluator, .. } in cases(key, positions, random_position) {
        let quiescence = G::MAY_CAPTURE && draws.below(2) == 0;
        let view = evaluator.view;
        let question = Minimax { quiescence, ..Minimax::at(&position, &expression, view) };
        let best = Best::of(&question.move_values(&position, depth));
        let mut nodes = HashSet::new();
        for ties in tie_rules::<G>() {
            let ways = ways(depth, quiescence);
            let options = ways[draws.below(ways.len() as u64) as usize];
            for _ in 0..3 {
                let chooser = ordered(evaluator.clone(), options, by(&mut draws, view));
                let choice = ask(chooser, ties, &position, Key(round), &mut workspace);
                best.check(ties, &position, &choice, &format!("{options:?} {view:?} round {round}"));
                nodes.insert((format!("{ties:?}"), choice.nodes));
            }
        }
        differing += u64::from(nodes.len() > tie_rules::<G>().len());
    }
    assert!(differing > positions / 10, "nodes differed only in {differing} of {positions} positions");
}

#[test]
fn values_and_moves_are_those_of_minimax() {
    check(scaled(5_000), 3, |draws| random_position::<Size8>(draws, 60));
    check(scaled(2_000), 5, |draws| late_position::<Size8>(draws, 8));
    every_board! {
        check(scaled(2_000), 5, |draws| random_position::<Size4>(draws, 9));
        check(scaled(1_000), 2, |draws| random_position::<Size10>(draws, 90));
    }
    check(scaled(5_000), 3, any_checkers::<American>);
}

/// Ordered by its own evaluator in a second place, a search looks at the same positions, and once more at the root's moves.
#[test]
fn the_evaluator_in_second_place_orders_as_in_first() {
    let mut workspace = Workspace::default();
    for round in 0..scaled(5_000) {
        let mut draws = Key::new(42).child(round).stream();
        let position = any_checkers::<American>(&mut draws);
        let moves = position.legal_moves().len() as u64;
        if moves < 2 {
            continue;
        }
        let evaluator = by(&mut draws, View::Player);
        let depth = 2 + draws.below(4) as u32;
        let table = if draws.below(2) == 0 { 0 } else { 1 << 10 };
        let first = SearchOptions { ordering: MoveOrder::Evaluator, table, ..SearchOptions::to_depth(depth) };
        let second = SearchOptions { ordering: MoveOrder::Program, ..first };
        let once = ahead(evaluator.clone(), first);
        let twice = ordered(evaluator.clone(), second, evaluator);
        let [once, twice] =
            [once, twice].map(|chooser| ask(chooser, Ties::First, &position, Key(round), &mut workspace));
        assert_eq!((once.chosen, once.score, once.depth), (twice.chosen, twice.score, twice.depth), "round {round}");
        let finished = once.nodes == 1 + moves;
        assert_eq!(once.nodes + if finished { 0 } else { moves }, twice.nodes, "{second:?} round {round}");
    }
}

#[test]
fn node_limits_count_what_orders_moves() {
    let mut workspace = Workspace::default();
    for round in 0..scaled(5_000) {
        let mut draws = Key::new(43).child(round).stream();
        let position = random_position::<Size8>(&mut draws, 50);
        let moves = position.legal_moves().len() as u64;
        if moves < 2 {
            continue;
        }
        let limit = 1 + draws.below(2_000);
        let ways = ways(60, false);
        let options = SearchOptions { nodes: Some(limit), ..ways[draws.below(ways.len() as u64) as usize] };
        let [evaluator, orderer] = [(); 2].map(|()| by(&mut draws, View::Turn));
        let chooser = ordered(evaluator.clone(), options, orderer);
        let choice = ask(chooser, Ties::Last, &position, Key(round), &mut workspace);
        assert!(choice.nodes <= limit.max(1 + moves), "{} nodes of {limit}", choice.nodes);
        if choice.depth <= 5 {
            let plain = ahead(evaluator, SearchOptions::to_depth(choice.depth));
            let expected = ask(plain, Ties::Last, &position, Key(round), &mut workspace);
            assert_eq!((choice.chosen, choice.score), (expected.chosen, expected.score), "{options:?} round {round}");
        }
    }
}

/// The value and the first best move stay, nodes do not.
/// Compare with the plain search at every depth; gives the nodes of each order at the greatest one.
fn check_alone<G: Tested>(positions: u64, most_depth: u32) -> [u64; 4] {
    let orders = [Order::None, Order::Evaluator, Order::Table(1 << 12), Order::Table(8)];
    let (mut nodes, stop) = ([0; 4], AtomicBool::new(false));
    for round in 0..positions {
        let mut draws = Key::new(43).child(G::Board::SIZE.into()).child(round).stream();
        let position = random_position_of::<G>(&mut draws, 50);
        let evaluator = random_evaluator(&mut draws);
        let depths: Vec<_> = (1..=most_depth).collect();
        let answers = orders.map(|order| count(&evaluator, &position, &depths, order, &stop).unwrap().unwrap());
        for (index, &depth) in depths.iter().enumerate() {
            let (plain, workspace) = (SearchOptions::to_depth(depth), &mut Workspace::default());
            let player = searching(&evaluator, plain, Ties::First);
            let Some(choice) = asked(available()[0], &player, &position, Key(1), workspace) else { continue };
            for (answer, order) in answers.iter().zip(orders) {
                let case = format!("{order:?} depth {depth} round {round}");
                assert_eq!((answer[index].depth, answer[index].chosen), (depth, choice.chosen), "{case}");
                // A player does not value a forced move.
                assert_eq!(choice.score.unwrap_or(answer[index].value), answer[index].value, "{case}");
                assert!(answer[index].looks == 0 || (order == Order::Evaluator && depth > 1), "{case}");
            }
            if choice.score.is_some() {
                assert_eq!(answers[0][index].nodes, choice.nodes, "depth {depth} round {round}");
            }
        }
        for (nodes, answer) in nodes.iter_mut().zip(&answers) {
            *nodes += answer.last().unwrap().nodes;
        }
    }
    nodes
}

#[test]
fn every_order_finds_the_same() {
    let differ = |[plain, ordered, table, small]: [u64; 4]| {
        // Evaluators drawn at random are no guide to good moves, so nodes only differ.
        assert!(ordered != plain && table != plain && table != small, "{plain} {ordered} {table} {small}");
    };
    differ(check_alone::<Othello<Size8>>(60, 4));
    differ(check_alone::<Checkers<Size8>>(60, 4));
    every_board! { differ(check_alone::<Othello<Size10>>(30, 4)); }
}

#[test]
fn refuses_what_no_search_does() {
    let mut draws = Key::new(44).stream();
    let evaluator = by(&mut draws, View::Turn);
    let start = Othello::<Size8>::start(OthelloRules);
    let ask = |depth, order| count(&evaluator, &start, &[2, depth], order, &AtomicBool::new(false));
    assert!(ask(0, Order::None).unwrap_err().contains("depth 0"));
    assert!(ask(2, Order::Table(12)).unwrap_err().contains("12 entries"));
    let stopped = count(&evaluator, &start, &[3], Order::None, &AtomicBool::new(true));
    assert_eq!(stopped, Ok(None));
}
