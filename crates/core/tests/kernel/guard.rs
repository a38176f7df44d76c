//! Leaves with few pieces, of which a reply may take the last: every search against minimax.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use crate::common::{Tested, check_taken, random_position, scaled, small_evaluator, tie_rules};
use crate::quiescence::{ask, player, ways};
use evoply_core::bitboard::{Board, Size8};
use evoply_core::cpu::available;
use evoply_core::evaluator::View;
use evoply_core::expression::program::Program;
use evoply_core::rules::{Game, playout};
use evoply_core::search::SearchOptions;
use evoply_core::search::minimax::Minimax;
use evoply_core::stream::Key;
use evoply_othello::Othello;

fn check<B: Board>(positions: u64, depth: u32, least: u64)
where
    Othello<B>: Tested + Game<Board = B>,
{
    let guarded = SearchOptions { guard: true, ..SearchOptions::to_depth(depth) };
    let (paths, ways) = (available(), ways(guarded));
    let mut differing = 0;
    for round in 0..positions {
        let mut draws = Key::new(47).child(depth.into()).child(round).stream();
        let position = random_position::<B>(&mut draws, 12);
        if position.legal_moves().len() < 2 {
            continue;
        }
        let expression = small_evaluator::<B>(&mut draws);
        let program = Arc::new(Program::<B>::new(&expression).unwrap());
        let view = if draws.below(2) == 0 { View::Turn } else { View::Player };
        let game = Key(draws.bits());
        for ties in tie_rules::<Othello<B>>() {
            let options = ways[draws.below(ways.len() as u64) as usize];
            let key = playout::move_key(game, position.turn(), position.ply());
            let rule = options.leaves.rule(game, position.turn(), key);
            let question = Minimax { rule, guard: true, ..Minimax::at(&position, &expression, view) };
            let values = question.move_values(&position, depth);
            let best = values.iter().fold(f64::NEG_INFINITY, |best, &(_, value)| best.max(value));
            let equals: Vec<_> =
                values.iter().filter(|&&(_, value)| value == best).map(|&(chosen, _)| chosen).collect();
            let unguarded = Minimax { guard: false, ..question }.move_values(&position, depth);
            differing += u64::from(values != unguarded);
            let path = paths[round as usize % paths.len()];
            let choice = ask(path, &player(&program, view, options, ties), &position, game).unwrap();
            let case = format!("{options:?} {ties:?} {view:?} round {round}");
            assert_eq!(choice.score, Some(best), "{case}");
            check_taken(ties, &position, &equals, choice.chosen, &case);
        }
    }
    assert!(differing >= least, "the guard decided only {differing} of {positions} values");
}

#[test]
fn every_search_equals_minimax() {
    check::<Size8>(scaled(20_000), 1, 1);
    check::<Size8>(scaled(3_000), 3, 0);
    every_board! {
        check::<Size4>(scaled(5_000), 1, 5);
        check::<Size4>(scaled(5_000), 2, 5);
        check::<Size6>(scaled(10_000), 1, 1);
    }
}
