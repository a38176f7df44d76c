//! Values drawn for leaves and evaluators that alternate: every search against minimax with the same draws.
#![allow(clippy::unwrap_used)]

use crate::against_minimax::Best;
use crate::common::{
    RandomExpression, ask, evaluator, random_position, random_view, scaled, searching, tie_rules, written,
};
use evoply_core::bitboard::{Board, Size8};
use evoply_core::choice::Ties;
use evoply_core::cpu::available;
use evoply_core::evaluator::View;
use evoply_core::expression::{Builder, Expression};
use evoply_core::player::Workspace;
use evoply_core::rules::playout::move_key;
use evoply_core::rules::{Color, Game};
use evoply_core::search::SearchOptions;
use evoply_core::search::leaves::{Leaves, Noise, Per, Rule};
use evoply_core::search::minimax::Minimax;
use evoply_core::search::ordering::MoveOrder;
use evoply_core::stream::Key;
use evoply_othello::{Othello, OthelloRules};

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
        let (leaves, path) = (KINDS[round as usize % KINDS.len()], paths[round as usize / 6 % paths.len()]);
        let position = random_position::<B>(&mut draws, u64::from(B::SQUARES));
        if position.legal_moves().len() < 2 {
            continue;
        }
        let expression = expression::<B>(seed, leaves.outputs());
        let evaluator = evaluator(&expression, random_view(&mut draws));
        let game = Key(draws.bits());
        let rule = leaves.rule(game, position.turn(), move_key(game, position.turn(), position.ply()));
        let minimax = Minimax { rule, ..Minimax::at(&position, &expression, evaluator.view) };
        let best = Best::of(&minimax.move_values(&position, depth));
        for options in ways(leaves, depth) {
            for ties in tie_rules::<Othello<B>>() {
                let choice = ask(path, &searching(&evaluator, options, ties), &position, game, &mut workspace);
                best.check(ties, &position, &choice, &format!("{options:?} round {round}"));
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
    let zero = evaluator(&written(r#"["number", 0]"#, 0), View::Turn);
    let start = Othello::<Size8>::start(OthelloRules);
    let position = start.play_unchecked(start.legal_moves().next().unwrap());
    let mut workspace = Workspace::default();
    let options = SearchOptions { leaves: Leaves::Noisy(Noise::Uniform), ..SearchOptions::to_depth(1) };
    let player = searching(&zero, options, Ties::First);
    let mut code = |draw| {
        let choice = ask(available()[0], &player, &position, Key::new(1).child(draw), &mut workspace);
        Othello::<Size8>::code(OthelloRules, choice.chosen) as usize
    };
    let mut counts = [0_u32; 64];
    for draw in 0..3000 {
        let drawn = code(draw);
        assert_eq!(drawn, code(draw));
        counts[drawn] += 1;
    }
    let seen: Vec<u32> = counts.into_iter().filter(|&count| count > 0).collect();
    assert_eq!(seen.len(), 3);
    assert!(seen.iter().all(|&count| (850..1150).contains(&count)), "{seen:?}");
}
