//! A second program that orders moves: it never changes a value or a choice, and decides how many nodes they take.
#![allow(clippy::unwrap_used)]

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::common::{
    American, Tested, ahead, any_checkers, check_taken, late_position, ordered, player, random_position, scaled,
    small_evaluator, tie_rules,
};
use evoply_checkers::CheckersRules;
use evoply_core::bitboard::{Board, Size8};
use evoply_core::choice::{Choice, Ties};
use evoply_core::cpu::{available, on};
use evoply_core::evaluator::{Evaluator, View};
use evoply_core::expression::program::Program;
use evoply_core::player::{Choose, Chooser, Workspace};
use evoply_core::rules::Game;
use evoply_core::search::SearchOptions;
use evoply_core::search::minimax::Minimax;
use evoply_core::search::ordering::MoveOrder;
use evoply_core::stream::{Key, Stream};
use evoply_othello::OthelloRules;

fn ways(depth: u32, quiescence: bool) -> Vec<SearchOptions> {
    let ordered = SearchOptions { ordering: MoveOrder::Program, quiescence, ..SearchOptions::to_depth(depth) };
    let tables = [0, 4, 1 << 12].map(|table| SearchOptions { table, ..ordered });
    tables.into_iter().flat_map(|way| [None, Some(u64::MAX)].map(|nodes| SearchOptions { nodes, ..way })).collect()
}

fn program<B: Board>(draws: &mut Stream) -> Arc<Program<B>> {
    Arc::new(Program::new(&small_evaluator::<B>(draws)).unwrap())
}

fn ask<G: Tested>(chooser: Chooser<G>, ties: Ties, position: &G, key: Key, workspace: &mut Workspace<G>) -> Choice<G> {
    let player = player(chooser, ties);
    player.prepare(workspace);
    let paths = available();
    let stop = &AtomicBool::new(false);
    on(paths[key.0 as usize % paths.len()], Choose { player: &player, position, key, workspace, stop }).unwrap()
}

/// Compare value and best moves with minimax's, whatever orders the moves.
fn check<G: Tested>(positions: u64, depth: u32, random_position: impl Fn(&mut Stream) -> G) {
    let mut workspace = Workspace::default();
    let mut differing = 0;
    for round in 0..positions {
        let mut draws = Key::new(41).child(G::Board::SIZE.into()).child(depth.into()).child(round).stream();
        let position = random_position(&mut draws);
        if position.legal_moves().len() < 2 {
            continue;
        }
        let expression = small_evaluator::<G::Board>(&mut draws);
        let view = if draws.below(2) == 0 { View::Turn } else { View::Player };
        let evaluator = Evaluator { rules: G::usual(), program: Arc::new(Program::new(&expression).unwrap()), view };
        let quiescence = G::MAY_CAPTURE && draws.below(2) == 0;
        let question = Minimax { quiescence, ..Minimax::at(&position, &expression, view) };
        let values = question.move_values(&position, depth);
        let best = values.iter().fold(f64::NEG_INFINITY, |best, &(_, value)| best.max(value));
        let equals: Vec<_> = values.iter().filter(|&&(_, value)| value == best).map(|&(chosen, _)| chosen).collect();
        let mut nodes = HashSet::new();
        for ties in tie_rules::<G>() {
            let ways = ways(depth, quiescence);
            let options = ways[draws.below(ways.len() as u64) as usize];
            for _ in 0..3 {
                let orderer = Evaluator { rules: G::usual(), program: program(&mut draws), view };
                let chooser = ordered(evaluator.clone(), options, orderer);
                let choice = ask(chooser, ties, &position, Key(round), &mut workspace);
                let case = format!("{options:?} {ties:?} {view:?} round {round}");
                assert_eq!(choice.score, Some(best), "{case}");
                check_taken(ties, &position, &equals, choice.chosen, &case);
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
        let evaluator = Evaluator { rules: CheckersRules::AMERICAN, program: program(&mut draws), view: View::Player };
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
        let [evaluator, orderer] =
            [(); 2].map(|()| Evaluator { rules: OthelloRules, program: program(&mut draws), view: View::Turn });
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
