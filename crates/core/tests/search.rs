//! Alpha-beta and the one-ply player against plain minimax, and the arena against itself.
#![allow(clippy::unwrap_used)]

mod common;

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};

use common::{random_position, scaled, small_evaluator};
use evoply_core::arena::{Conditions, Pairing, play};
use evoply_core::bitboard::{Board, Size4, Size6, Size8, Size10};
use evoply_core::cpu::{Path, available, on};
use evoply_core::expression::program::Program;
use evoply_core::player::{Choice, Choose, Chooser, Evaluator, Player, Ties, View, Workspace};
use evoply_core::rules::othello::Othello;
use evoply_core::rules::{Game, othello};
use evoply_core::search::minimax::Minimax;
use evoply_core::stream::Key;

fn choose<B: Board>(
    path: Path,
    player: &Player<Othello<B>>,
    position: &Othello<B>,
    key: Key,
    workspace: &mut Workspace<Othello<B>>,
) -> Choice<Othello<B>> {
    let stop = &AtomicBool::new(false);
    on(path, Choose { player, position, key, workspace, stop }).unwrap()
}

/// Compare value and set of best moves on `positions` random positions at one depth.
fn check<B: Board>(positions: u64, depth: u32) {
    let paths = available();
    let key = Key::new(5).child(B::SIZE.into()).child(depth.into());
    let mut workspace = Workspace::default();
    let mut ties_seen = 0;
    for round in 0..positions {
        let mut draws = key.child(round).stream();
        let path = paths[round as usize % paths.len()];
        let position = random_position::<B>(&mut draws, u64::from(B::SQUARES));
        if position.legal_moves().len() < 2 {
            continue;
        }
        let expression = small_evaluator::<B>(&mut draws);
        let program = Arc::new(Program::<B>::new(&expression).unwrap());
        let view = if draws.below(2) == 0 { View::Turn } else { View::Player };
        let values = Minimax::at(&position, &expression, view).move_values(&position, depth);
        let best = values.iter().fold(f64::NEG_INFINITY, |best, &(_, value)| best.max(value));
        let equals: Vec<othello::Move> =
            values.iter().filter(|&&(_, value)| value == best).map(|&(chosen, _)| chosen).collect();
        ties_seen += u64::from(equals.len() > 1);
        let player = |ties| Player {
            chooser: Chooser::AlphaBeta(Evaluator { program: program.clone(), view }, depth),
            ties,
            epsilon: 0.0,
        };
        let mut drawn = HashSet::new();
        for (ties, expected) in [(Ties::First, equals.first()), (Ties::Last, equals.last()), (Ties::Random, None)] {
            let player = player(ties);
            player.prepare(&mut workspace);
            for attempt in 0..if ties == Ties::Random { 3 } else { 1 } {
                let choice = choose(path, &player, &position, Key(round).child(attempt), &mut workspace);
                assert_eq!(choice.score, Some(best), "{ties:?} {view:?} depth {depth} round {round}");
                assert!(equals.contains(&choice.chosen), "{ties:?} depth {depth} round {round}");
                drawn.insert(choice.chosen);
                if let Some(&expected) = expected {
                    assert_eq!(choice.chosen, expected, "{ties:?} depth {depth} round {round}");
                }
                check_line(&position, choice.chosen, &choice.continuation);
            }
        }
    }
    assert!(ties_seen > positions / 50, "too few ties to prove anything: {ties_seen} of {positions}");
}

/// A principal variation is a line of legal moves.
fn check_line<B: Board>(position: &Othello<B>, chosen: othello::Move, continuation: &[othello::Move]) {
    let mut position = *position;
    for &chosen in std::iter::once(&chosen).chain(continuation) {
        position = position.play(chosen).expect("a legal move");
    }
}

#[test]
fn alphabeta_equals_minimax() {
    check::<Size8>(scaled(70_000), 1);
    check::<Size8>(scaled(100_000), 2);
    check::<Size8>(scaled(10_000), 3);
    check::<Size8>(scaled(1_000), 4);
    check::<Size6>(scaled(10_000), 3);
    check::<Size4>(scaled(20_000), 5);
    check::<Size10>(scaled(10_000), 2);
}

#[test]
fn after_state_equals_its_definition() {
    let paths = available();
    let mut workspace = Workspace::default();
    for round in 0..scaled(50_000) {
        let path = paths[round as usize % paths.len()];
        let mut draws = Key::new(9).child(round).stream();
        let position = random_position::<Size8>(&mut draws, 60);
        if position.legal_moves().len() < 2 {
            continue;
        }
        let expression = small_evaluator::<Size8>(&mut draws);
        let evaluator = Evaluator { program: Arc::new(Program::new(&expression).unwrap()), view: View::Player };
        let player = Player { chooser: Chooser::AfterState(evaluator), ties: Ties::First, epsilon: 0.0 };
        player.prepare(&mut workspace);
        let choice = choose(path, &player, &position, Key(round), &mut workspace);
        // The same as one ply of minimax where no move ends the game.
        let ends = |chosen| position.play_unchecked(chosen).outcome().is_some();
        if !position.legal_moves().any(ends) {
            let values = Minimax::at(&position, &expression, View::Player).move_values(&position, 1);
            let best = values.iter().fold(f64::NEG_INFINITY, |best, &(_, value)| best.max(value));
            let first = values.iter().find(|&&(_, value)| value == best).unwrap().0;
            assert_eq!((choice.score, choice.chosen), (Some(best), first), "round {round}");
        }
    }
}

fn players() -> Vec<Player<Othello<Size8>>> {
    let mut draws = Key::new(3).stream();
    let mut players = vec![Player { chooser: Chooser::Random, ties: Ties::First, epsilon: 0.0 }];
    for (depth, ties, epsilon) in [(0, Ties::Random, 0.0), (2, Ties::Random, 0.1), (0, Ties::Last, 0.3)] {
        let program = Arc::new(Program::new(&small_evaluator::<Size8>(&mut draws)).unwrap());
        let evaluator = Evaluator { program, view: View::Player };
        let chooser = if depth == 0 { Chooser::AfterState(evaluator) } else { Chooser::AlphaBeta(evaluator, depth) };
        players.push(Player { chooser, ties, epsilon });
    }
    players
}

/// Move, value and number of nodes are the same on every path, and so is every random draw.
#[test]
fn paths_agree() {
    let mut workspace = Workspace::default();
    for (number, player) in players().iter().enumerate() {
        player.prepare(&mut workspace);
        for round in 0..scaled(250_000) {
            let mut draws = Key::new(6).child(number as u64).child(round).stream();
            let position = random_position::<Size8>(&mut draws, 60);
            let [first, others @ ..] = &available()[..] else { panic!("a machine has a path") };
            let mut ask = |path| {
                let choice = choose(path, player, &position, Key(round), &mut workspace);
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
    let pairings: Vec<Pairing> = (0..2000_u64)
        .map(|game| Pairing {
            black: game as u32 % 4,
            white: game as u32 / 4 % 4,
            opening: Key::new(1).child(game / 2),
            key: Key::new(2).child(game),
        })
        .collect();
    let conditions = Conditions { start: Othello::<Size8>::start(), opening_plies: 8, record_moves: true };
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
    let moves: HashSet<&Vec<u8>> = one.iter().map(|record| &record.moves).collect();
    assert_eq!(hashes.len(), moves.len());
}

#[test]
fn a_stop_ends_a_schedule() {
    let pairing = Pairing { black: 0, white: 1, opening: Key(1), key: Key(2) };
    let conditions = Conditions { start: Othello::<Size8>::start(), opening_plies: 0, record_moves: false };
    let (stop, done) = (AtomicBool::new(true), AtomicU64::new(0));
    assert!(play(&players(), &[pairing; 100], &conditions, 2, &stop, &done).is_err());
}
