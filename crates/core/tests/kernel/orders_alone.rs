//! Plain alpha-beta with its moves in another order: the value and the first best move stay, nodes do not.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::common::{Tested, ahead, player, random_position_of, small_evaluator};
use evoply_checkers::Checkers;
use evoply_core::bitboard::{Board, Size8};
use evoply_core::choice::Ties;
use evoply_core::cpu::dispatch;
use evoply_core::evaluator::{Evaluator, View};
use evoply_core::expression::program::Program;
use evoply_core::player::{Choose, Workspace};
use evoply_core::rules::Game;
use evoply_core::search::SearchOptions;
use evoply_core::search::ordered::{Order, count};
use evoply_core::stream::Key;
use evoply_othello::{Othello, OthelloRules};

/// Compare with the plain search at every depth; gives the nodes of each order at the greatest one.
fn check<G: Tested>(positions: u64, most_depth: u32) -> [u64; 4] {
    let orders = [Order::None, Order::Evaluator, Order::Table(1 << 12), Order::Table(8)];
    let (mut nodes, stop) = ([0; 4], AtomicBool::new(false));
    for round in 0..positions {
        let mut draws = Key::new(43).child(G::Board::SIZE.into()).child(round).stream();
        let position = random_position_of::<G>(&mut draws, 50);
        let program = Arc::new(Program::new(&small_evaluator::<G::Board>(&mut draws)).unwrap());
        let view = if draws.below(2) == 0 { View::Turn } else { View::Player };
        let evaluator = Evaluator { rules: G::usual(), program, view };
        let depths: Vec<_> = (1..=most_depth).collect();
        let answers = orders.map(|order| count(&evaluator, &position, &depths, order, &stop).unwrap().unwrap());
        for (index, &depth) in depths.iter().enumerate() {
            let plain = player(ahead(evaluator.clone(), SearchOptions::to_depth(depth)), Ties::First);
            let workspace = &mut Workspace::default();
            plain.prepare(workspace);
            let choose = Choose { player: &plain, position: &position, key: Key(1), workspace, stop: &stop };
            let Some(choice) = dispatch(choose) else { continue };
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
    differ(check::<Othello<Size8>>(60, 4));
    differ(check::<Checkers<Size8>>(60, 4));
    every_board! { differ(check::<Othello<Size10>>(30, 4)); }
}

#[test]
fn refuses_what_no_search_does() {
    let mut draws = Key::new(44).stream();
    let program = Arc::new(Program::new(&small_evaluator::<Size8>(&mut draws)).unwrap());
    let evaluator = Evaluator { rules: OthelloRules, program, view: View::Turn };
    let start = Othello::<Size8>::start(OthelloRules);
    let ask = |depth, order| count(&evaluator, &start, &[2, depth], order, &AtomicBool::new(false));
    assert!(ask(0, Order::None).unwrap_err().contains("depth 0"));
    assert!(ask(2, Order::Table(12)).unwrap_err().contains("12 entries"));
    let stopped = count(&evaluator, &start, &[3], Order::None, &AtomicBool::new(true));
    assert_eq!(stopped, Ok(None));
}
