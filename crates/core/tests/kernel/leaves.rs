//! Values drawn for leaves and evaluators that alternate: every search against minimax with the same draws.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::common::{RandomExpression, ahead, check_taken, player, random_position, scaled, tie_rules};
use evoply_core::bitboard::{Board, Size8};
use evoply_core::choice::Ties;
use evoply_core::cpu::{available, on};
use evoply_core::evaluator::{Evaluator, View};
use evoply_core::expression::program::Program;
use evoply_core::expression::{Builder, Expression, Node};
use evoply_core::player::{Choose, Workspace};
use evoply_core::rules::{Color, Game};
use evoply_core::search::SearchOptions;
use evoply_core::search::leaves::{Leaves, Noise, Per, Rule};
use evoply_core::search::minimax::Minimax;
use evoply_core::search::ordering::MoveOrder;
use evoply_core::stream::Key;
use evoply_othello::{Move, Othello, OthelloRules};

const KINDS: [Leaves; 6] = [
    Leaves::Noisy(Noise::Uniform),
    Leaves::Noisy(Noise::Whole(1)),
    Leaves::Noisy(Noise::Whole(6)),
    Leaves::Alternating(Per::Game),
    Leaves::Alternating(Per::Move),
    Leaves::Alternating(Per::Leaf),
];

/// Every way to search that these leaves allow.
fn ways(leaves: Leaves, depth: u32) -> Vec<SearchOptions> {
    let plain = SearchOptions { leaves, ..SearchOptions::to_depth(depth) };
    let mut ways = vec![plain];
    for ordering in [MoveOrder::None, MoveOrder::Evaluator, MoveOrder::Refutation, MoveOrder::Killer] {
        for table in if leaves.follow_paths() { vec![0] } else { vec![0, 1 << 10] } {
            for nodes in [None, Some(u64::MAX)] {
                ways.push(SearchOptions { ordering, table, nodes, ..plain });
            }
        }
    }
    ways
}

/// An expression with as many outputs as asked for.
fn expression<B: Board>(seed: Key, outputs: usize) -> Expression {
    for attempt in 0.. {
        let mut draws = seed.child(attempt).stream();
        let count = 8 + draws.below(12) as usize;
        let mut drawn = RandomExpression::draw::<B>(&mut draws, count);
        if drawn.outputs.len() >= outputs {
            drawn.outputs.truncate(outputs);
            return drawn.build(Builder::default());
        }
    }
    unreachable!()
}

fn check<B: Board>(positions: u64, depth: u32) {
    let paths = available();
    let mut workspace = Workspace::default();
    for round in 0..positions {
        let seed = Key::new(11).child(B::SIZE.into()).child(depth.into()).child(round);
        let mut draws = seed.stream();
        let (leaves, cpu) = (KINDS[round as usize % KINDS.len()], paths[round as usize / 6 % paths.len()]);
        let position = random_position::<B>(&mut draws, u64::from(B::SQUARES));
        if position.legal_moves().len() < 2 {
            continue;
        }
        let expression = expression::<B>(seed, leaves.outputs());
        let program = Arc::new(Program::<B>::new(&expression).unwrap());
        let view = if draws.below(2) == 0 { View::Turn } else { View::Player };
        let (game, key) = (Key(draws.bits()), Key(draws.bits()));
        let rule = leaves.rule(game, position.turn(), key);
        let values = Minimax { rule, ..Minimax::at(&position, &expression, view) }.move_values(&position, depth);
        let best = values.iter().fold(f64::NEG_INFINITY, |best, &(_, value)| best.max(value));
        let equals: Vec<Move> = values.iter().filter(|&&(_, value)| value == best).map(|&(chosen, _)| chosen).collect();
        for options in ways(leaves, depth) {
            for ties in tie_rules::<Othello<B>>() {
                let evaluator = Evaluator { rules: OthelloRules, program: Arc::clone(&program), view };
                let player = player(ahead(evaluator, options), ties);
                player.prepare(&mut workspace);
                workspace.begin(game);
                let stop = &AtomicBool::new(false);
                let task = Choose { player: &player, position: &position, key, workspace: &mut workspace, stop };
                let choice = on(cpu, task).unwrap();
                assert_eq!(choice.score, Some(best), "{leaves:?} {ties:?} {options:?} round {round}");
                check_taken(ties, &position, &equals, choice.chosen, &format!("{options:?} round {round}"));
            }
        }
    }
}

#[test]
fn every_search_equals_minimax() {
    check::<Size8>(scaled(6_000), 1);
    check::<Size8>(scaled(6_000), 2);
    check::<Size8>(scaled(1_200), 3);
    every_board! {
        check::<Size6>(scaled(1_200), 3);
        check::<Size4>(scaled(1_200), 4);
        check::<Size10>(scaled(600), 2);
    }
}

/// Draws of leaves are uniform, and every path has its own.
#[test]
fn draws_are_uniform() {
    let rule = Leaves::Noisy(Noise::Whole(6)).rule(Key(1), Color::Black, Key(2));
    let mut counts = [0_u32; 7];
    let mut values = Vec::new();
    for first in 0..100 {
        for second in 0..70 {
            let path = rule.step(rule.step(rule.root(), first), second);
            counts[rule.value([0.0, 0.0], path) as usize] += 1;
            let uniform = Rule::Noisy(Noise::Uniform, Key(0)).value([3.0, 0.0], path);
            assert!((3.0..4.0).contains(&uniform));
            values.push(uniform.to_bits());
        }
    }
    // Chi-square with 6 degrees of freedom; 27.9 is the 0.9999 quantile.
    let chi: f64 = counts.iter().map(|&count| (f64::from(count) - 1000.0).powi(2) / 1000.0).sum();
    assert!(chi < 27.9, "{counts:?}");
    values.sort_unstable();
    values.dedup();
    assert_eq!(values.len(), 7000);
}

/// A coin a game falls the same way at every move of it, for each side its own; a coin a move falls anew.
#[test]
fn coins_are_thrown_as_often_as_asked() {
    let heads = |per, game, side, choice| {
        Leaves::Alternating(per).rule(Key::new(game), side, Key::new(choice)) == Rule::Output(1)
    };
    for side in [Color::Black, Color::White] {
        let by_game = (0..1000).filter(|&game| heads(Per::Game, game, side, 7)).count();
        assert!((420..580).contains(&by_game), "{by_game}");
        assert!((0..50).all(|game| {
            (0..50).all(|choice| heads(Per::Game, game, side, choice) == heads(Per::Game, game, side, 0))
        }));
    }
    let differ =
        (0..1000).filter(|&game| heads(Per::Game, game, Color::Black, 7) != heads(Per::Game, game, Color::White, 7));
    assert!((420..580).contains(&differ.count()));
    let by_move = (0..1000).filter(|&choice| heads(Per::Move, 1, Color::Black, choice)).count();
    assert!((420..580).contains(&by_move), "{by_move}");
}

/// Leaves of constant value: what is drawn alone decides, so that choices spread over all moves and repeat by key.
#[test]
fn noise_alone_spreads_choices() {
    let mut builder = Builder::default();
    let zero = builder.node(Node::ConstantNumber(0)).unwrap();
    let program = Arc::new(Program::<Size8>::new(&builder.finish(vec![zero])).unwrap());
    let start = Othello::<Size8>::start(OthelloRules);
    let position = start.play_unchecked(start.legal_moves().next().unwrap());
    let mut workspace = Workspace::default();
    let options = SearchOptions { leaves: Leaves::Noisy(Noise::Uniform), ..SearchOptions::to_depth(1) };
    let evaluator = Evaluator { rules: OthelloRules, program, view: View::Turn };
    let player = player(ahead(evaluator, options), Ties::First);
    player.prepare(&mut workspace);
    let mut ask = |draw| {
        let (key, stop) = (Key::new(1).child(draw), &AtomicBool::new(false));
        let task = Choose { player: &player, position: &position, key, workspace: &mut workspace, stop };
        Othello::<Size8>::code(OthelloRules, on(available()[0], task).unwrap().chosen) as usize
    };
    let mut counts = [0_u32; 64];
    for draw in 0..3000 {
        let code = ask(draw);
        assert_eq!(code, ask(draw));
        counts[code] += 1;
    }
    let seen: Vec<u32> = counts.into_iter().filter(|&count| count > 0).collect();
    assert_eq!(seen.len(), 3);
    assert!(seen.iter().all(|&count| (850..1150).contains(&count)), "{seen:?}");
}
