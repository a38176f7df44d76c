//! Alpha-beta and the one-ply player against plain minimax, and the arena against itself.
#![allow(clippy::unwrap_used)]

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicU64};

use crate::against_minimax::{Best, Case, cases, check_ties, value_after};
use crate::common::{
    American, Losing, Tested, ahead, ask, checkers, evaluator, late_position, player, random_evaluator,
    random_position, scaled, searching, tie_rules, written,
};
use evoply_core::arena::{Conditions, Pairing, play};
use evoply_core::bitboard::Size8;
use evoply_core::choice::Ties;
use evoply_core::cpu::{Path, available, on};
use evoply_core::evaluator::{Evaluator, View};
use evoply_core::player::{Choose, Chooser, Player, Workspace};
use evoply_core::rules::draws::DrawRules;
use evoply_core::rules::{Color, Game};
use evoply_core::search::SearchOptions;
use evoply_core::search::minimax::Minimax;
use evoply_core::stream::{Key, Stream};
use evoply_othello::{Othello, OthelloRules};

fn check<G: Tested>(positions: u64, depth: u32, random_position: impl Fn(&mut Stream) -> G) {
    check_ties(Key::new(5), positions, depth, &[SearchOptions::to_depth(depth)], random_position);
}

#[test]
fn alphabeta_equals_minimax() {
    check(scaled(70_000), 1, |draws| random_position::<Size8>(draws, 64));
    check(scaled(100_000), 2, |draws| random_position::<Size8>(draws, 64));
    check(scaled(10_000), 3, |draws| random_position::<Size8>(draws, 64));
    check(scaled(1_000), 4, |draws| random_position::<Size8>(draws, 64));
    check(scaled(20_000), 5, |draws| late_position::<Size8>(draws, 7));
    every_board! {
        check(scaled(10_000), 3, |draws| random_position::<Size6>(draws, 36));
        check(scaled(20_000), 5, |draws| random_position::<Size4>(draws, 16));
        check(scaled(10_000), 2, |draws| random_position::<Size10>(draws, 100));
    }
}

#[test]
fn alphabeta_equals_minimax_in_checkers() {
    check(scaled(10_000), 1, checkers::<American>);
    check(scaled(100_000), 2, checkers::<American>);
    check(scaled(10_000), 3, checkers::<American>);
    check(scaled(20_000), 2, checkers::<Losing>);
    check(scaled(2_000), 4, checkers::<Losing>);
    every_board! { check(scaled(10_000), 2, checkers::<American10>); }
}

/// The one-ply player compares the boards after each move and nothing else: not even whether the game is over.
#[test]
fn after_state_equals_its_definition() {
    let mut workspace = Workspace::default();
    let random_position = |draws: &mut Stream| random_position::<Size8>(draws, 60);
    for Case { round, path, position, expression, evaluator, .. } in cases(Key::new(9), scaled(50_000), random_position)
    {
        let value = |chosen| (chosen, value_after(&position, chosen, &expression, evaluator.view));
        let best = Best::of(&position.legal_moves().map(value).collect::<Vec<_>>());
        for ties in tie_rules::<Othello<Size8>>() {
            let player = player(Chooser::AfterState(evaluator.clone()), ties);
            let choice = ask(path, &player, &position, Key(round), &mut workspace);
            best.check(ties, &position, &choice, &format!("{:?} round {round}", evaluator.view));
        }
    }
}

/// Random ties take every best move equally often, one ply ahead and in a search.
#[test]
fn random_ties_are_uniform() {
    let constant = evaluator(&written(r#"["number", 0]"#, 0), View::Player);
    let start = Othello::<Size8>::start(OthelloRules);
    let position = start.play_unchecked(start.legal_moves().next().unwrap());
    let mut workspace = Workspace::default();
    for depth in 0..4 {
        let player = player(chooser(constant.clone(), depth), Ties::Random);
        let mut counts = [0_u32; 64];
        for draw in 0..3000 {
            let choice = ask(Path::Baseline, &player, &position, Key::new(1).child(draw), &mut workspace);
            counts[Othello::<Size8>::code(OthelloRules, choice.chosen) as usize] += 1;
        }
        let seen: Vec<f64> = counts.iter().filter(|&&count| count > 0).map(|&count| f64::from(count)).collect();
        assert_eq!(seen.len(), position.legal_moves().len());
        // Chi-square with 2 degrees of freedom; 18.4 is the 0.9999 quantile.
        let chi: f64 = seen.iter().map(|count| (count - 1000.0).powi(2) / 1000.0).sum();
        assert!(chi < 18.4, "depth {depth}: {seen:?}");
    }
}

/// A search far too deep to end gives up as soon as it is told to.
#[test]
fn a_stop_ends_a_search() {
    let evaluator = random_evaluator(&mut Key::new(8).stream());
    let player = searching(&evaluator, SearchOptions::to_depth(40), Ties::First);
    let (stop, mut workspace) = (AtomicBool::new(false), Workspace::default());
    player.prepare(&mut workspace);
    let start = Othello::<Size8>::start(OthelloRules);
    std::thread::scope(|scope| {
        let task = Choose { player: &player, position: &start, key: Key(1), workspace: &mut workspace, stop: &stop };
        let search = scope.spawn(|| on(Path::Avx512, task).is_none());
        std::thread::sleep(std::time::Duration::from_millis(20));
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        assert!(search.join().unwrap());
    });
}

/// Counters go on beyond what a byte holds: positions may come from anywhere.
#[test]
fn plies_are_not_limited() {
    let expression = written(r#"["ply"]"#, 0);
    let start = Othello::<Size8>::start(OthelloRules);
    let position = Othello::<Size8>::new(start.own(), start.opponent(), Color::Black, 300).unwrap();
    let values = Minimax::at(&position, &expression, View::Player).move_values(&position, 2);
    assert!(values.iter().all(|&(_, value)| value == 302.0), "{values:?}");
    let player = searching(&evaluator(&expression, View::Player), SearchOptions::to_depth(2), Ties::First);
    let mut workspace = Workspace::default();
    assert_eq!(ask(Path::Baseline, &player, &position, Key(1), &mut workspace).score, Some(302.0));
}

/// What looks so many plies ahead; none if it compares the boards after its moves.
fn chooser(evaluator: Evaluator<Othello<Size8>>, depth: u32) -> Chooser<Othello<Size8>> {
    if depth == 0 { Chooser::AfterState(evaluator) } else { ahead(evaluator, SearchOptions::to_depth(depth)) }
}

fn players() -> Vec<Player<Othello<Size8>>> {
    let mut draws = Key::new(3).stream();
    let mut players = vec![Player::random()];
    for (depth, ties, epsilon) in [(0, Ties::Random, 0.0), (2, Ties::Random, 0.1), (0, Ties::Last, 0.3)] {
        players.push(player(chooser(random_evaluator(&mut draws), depth), ties).with_epsilon(epsilon).unwrap());
    }
    players
}

/// Move, value and number of nodes are the same on every path, and so is every random draw.
#[test]
fn paths_agree() {
    let mut workspace = Workspace::default();
    for (number, player) in players().iter().enumerate() {
        for round in 0..scaled(250_000) {
            let mut draws = Key::new(6).child(number as u64).child(round).stream();
            let position = random_position::<Size8>(&mut draws, 60);
            let [first, others @ ..] = &available()[..] else { panic!("a machine has a path") };
            let mut ask = |path| {
                let choice = ask(path, player, &position, Key(round), &mut workspace);
                (choice.chosen, choice.score.map(f64::to_bits), choice.nodes)
            };
            let expected = ask(*first);
            for &path in others {
                assert_eq!(ask(path), expected, "player {number}, round {round}, {path:?}");
            }
        }
    }
}

#[test]
fn results_do_not_depend_on_threads() {
    let players = players();
    let pairings: Vec<_> = (0..2000_u64)
        .map(|game| Pairing {
            black: game as u32 % 4,
            white: game as u32 / 4 % 4,
            opening: Key::new(1).child(game / 2),
            key: Key::new(2).child(game),
            start: 0,
        })
        .collect();
    let starts = [Othello::<Size8>::start(OthelloRules)];
    let conditions = Conditions { starts: &starts, opening_plies: 8, record_moves: true, draws: DrawRules::NONE };
    let run = |threads| {
        let (never, done) = (AtomicBool::new(false), AtomicU64::new(0));
        let records = play(&players, &pairings, &conditions, threads, &never, &done).unwrap();
        assert_eq!(done.into_inner(), 2000);
        records
    };
    let one = run(1);
    assert_eq!(one, run(2));
    assert_eq!(one, run(5));
    // Games of a pair begin alike; everything else about them differs.
    assert_eq!(one[0].moves[..8], one[1].moves[..8]);
    assert_ne!(one[0].moves[..8], one[2].moves[..8]);
    let hashes: HashSet<u64> = one.iter().map(|record| record.hash).collect();
    let moves: HashSet<&Vec<u64>> = one.iter().map(|record| &record.moves).collect();
    assert_eq!(hashes.len(), moves.len());
}

#[test]
fn a_stop_ends_a_schedule() {
    let pairing = Pairing { black: 0, white: 1, opening: Key(1), key: Key(2), start: 0 };
    let starts = [Othello::<Size8>::start(OthelloRules)];
    let conditions = Conditions { starts: &starts, opening_plies: 0, record_moves: false, draws: DrawRules::NONE };
    let (stop, done) = (AtomicBool::new(true), AtomicU64::new(0));
    assert!(play(&players(), &[pairing; 100], &conditions, 2, &stop, &done).is_err());
}
