//! Alpha-beta and the one-ply player against plain minimax, and the arena against itself.
#![allow(clippy::unwrap_used)]

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};

use crate::common::{
    American, Losing, Tested, Variant, ahead, any_checkers, check_taken, late_position, player, random_position,
    random_position_by, scaled, small_evaluator, tie_rules,
};
use evoply_checkers::Checkers;
use evoply_core::arena::{Conditions, Pairing, play};
use evoply_core::bitboard::{Bitboard, Board, Size8};
use evoply_core::choice::{Choice, Ties};
use evoply_core::cpu::{Path, available, on};
use evoply_core::evaluator::{Evaluator, View};
use evoply_core::expression::program::Program;
use evoply_core::expression::reference::{Inputs, evaluate};
use evoply_core::expression::{Builder, Expression, Node};
use evoply_core::player::{Choose, Chooser, Player, Workspace};
use evoply_core::rules::draws::DrawRules;
use evoply_core::rules::{Color, Game};
use evoply_core::search::SearchOptions;
use evoply_core::search::minimax::Minimax;
use evoply_core::stream::{Key, Stream};
use evoply_othello::{Move, Othello, OthelloRules};

fn choose<G: Tested>(
    path: Path,
    player: &Player<G>,
    position: &G,
    key: Key,
    workspace: &mut Workspace<G>,
) -> Choice<G> {
    let stop = &AtomicBool::new(false);
    on(path, Choose { player, position, key, workspace, stop }).unwrap()
}

/// Compare value and set of best moves on `positions` random positions at one depth.
fn check<G: Tested>(positions: u64, depth: u32, random_position: impl Fn(&mut Stream) -> G) {
    let paths = available();
    let key = Key::new(5).child(G::Board::SIZE.into()).child(depth.into());
    let mut workspace = Workspace::default();
    let mut ties_seen = 0;
    for round in 0..positions {
        let mut draws = key.child(round).stream();
        let path = paths[round as usize % paths.len()];
        let position = random_position(&mut draws);
        if position.legal_moves().len() < 2 {
            continue;
        }
        let expression = small_evaluator::<G::Board>(&mut draws);
        let program = Arc::new(Program::<G::Board>::new(&expression).unwrap());
        let view = if draws.below(2) == 0 { View::Turn } else { View::Player };
        let values = Minimax::at(&position, &expression, view).move_values(&position, depth);
        let best = values.iter().fold(f64::NEG_INFINITY, |best, &(_, value)| best.max(value));
        let equals: Vec<G::Move> =
            values.iter().filter(|&&(_, value)| value == best).map(|&(chosen, _)| chosen).collect();
        ties_seen += u64::from(equals.len() > 1);
        let of = |ties| {
            player(
                ahead(Evaluator { rules: G::usual(), program: program.clone(), view }, SearchOptions::to_depth(depth)),
                ties,
            )
        };
        for ties in tie_rules::<G>() {
            let player = of(ties);
            player.prepare(&mut workspace);
            for attempt in 0..if ties == Ties::Random { 3 } else { 1 } {
                let choice = choose(path, &player, &position, Key(round).child(attempt), &mut workspace);
                assert_eq!(choice.score, Some(best), "{ties:?} {view:?} depth {depth} round {round}");
                check_taken(ties, &position, &equals, choice.chosen, &format!("depth {depth} round {round}"));
                check_line(&position, choice.chosen, &choice.continuation);
            }
        }
    }
    assert!(ties_seen > positions / 50, "too few ties to prove anything: {ties_seen} of {positions}");
}

/// A principal variation is a line of legal moves.
fn check_line<G: Tested>(position: &G, chosen: G::Move, continuation: &[G::Move]) {
    let mut position = *position;
    for &chosen in std::iter::once(&chosen).chain(continuation) {
        position = position.play(chosen).expect("a legal move");
    }
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

/// Positions of checkers that were reached and such that were set up, with their kings.
fn checkers<V: Variant>(draws: &mut Stream) -> Checkers<V::Board> {
    if draws.below(2) == 0 { random_position_by(V::RULES, draws, 120) } else { any_checkers::<V>(draws) }
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
        let view = if draws.below(2) == 0 { View::Turn } else { View::Player };
        let values: Vec<(Move, f64)> =
            position.legal_moves().map(|chosen| (chosen, value_after(&position, chosen, &expression, view))).collect();
        let best = values.iter().fold(f64::NEG_INFINITY, |best, &(_, value)| best.max(value));
        let equals: Vec<Move> = values.iter().filter(|&&(_, value)| value == best).map(|&(chosen, _)| chosen).collect();
        let program = Arc::new(Program::new(&expression).unwrap());
        for ties in tie_rules::<Othello<Size8>>() {
            let evaluator = Evaluator { rules: OthelloRules, program: program.clone(), view };
            let player = player(Chooser::AfterState(evaluator), ties);
            player.prepare(&mut workspace);
            let choice = choose(path, &player, &position, Key(round), &mut workspace);
            assert_eq!(choice.score, Some(best), "{view:?} round {round}");
            check_taken(ties, &position, &equals, choice.chosen, &format!("{view:?} round {round}"));
        }
    }
}

/// The value for the mover of the board after a move, straight from the reference interpreter.
fn value_after(position: &Othello<Size8>, chosen: Move, expression: &Expression, view: View) -> f64 {
    let (mover, child) = (position.turn(), position.play_unchecked(chosen));
    let (own, opponent) = match view {
        View::Player => (child.opponent(), child.own()),
        View::Turn => (child.own(), child.opponent()),
    };
    let inputs = Inputs {
        own,
        opponent,
        kings: Bitboard::EMPTY,
        moved_to: Othello::<Size8>::moved_to(OthelloRules, chosen),
        own_is_black: (mover == Color::Black) == (view == View::Player),
        ply: f64::from(position.ply() + 1),
        quiet_plies: 0.0,
        root_clock: position.clock_here(),
        root_ply: f64::from(position.ply()),
    };
    let value = evaluate::<Othello<Size8>>(OthelloRules, expression, &inputs)[0];
    match view {
        _ if value.is_nan() => -1e12,
        View::Player => value.clamp(-1e12, 1e12),
        View::Turn => -value.clamp(-1e12, 1e12),
    }
}

/// Random ties take every best move equally often, one ply ahead and in a search.
#[test]
fn random_ties_are_uniform() {
    let constant = {
        let mut builder = Builder::default();
        let zero = builder.node(Node::ConstantNumber(0)).unwrap();
        builder.finish(vec![zero])
    };
    let program = Arc::new(Program::<Size8>::new(&constant).unwrap());
    let start = Othello::<Size8>::start(OthelloRules);
    let position = start.play_unchecked(start.legal_moves().next().unwrap());
    let mut workspace = Workspace::default();
    for depth in 0..4 {
        let evaluator = Evaluator { rules: OthelloRules, program: program.clone(), view: View::Player };
        let chooser =
            if depth == 0 { Chooser::AfterState(evaluator) } else { ahead(evaluator, SearchOptions::to_depth(depth)) };
        let player = player(chooser, Ties::Random);
        player.prepare(&mut workspace);
        let mut counts = [0_u32; 64];
        for draw in 0..3000 {
            let choice = choose(Path::Baseline, &player, &position, Key::new(1).child(draw), &mut workspace);
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
    let program = Arc::new(Program::<Size8>::new(&small_evaluator::<Size8>(&mut Key::new(8).stream())).unwrap());
    let evaluator = Evaluator { rules: OthelloRules, program, view: View::Turn };
    let player = player(ahead(evaluator, SearchOptions::to_depth(40)), Ties::First);
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
    let mut builder = Builder::default();
    let ply = builder.node(Node::Ply).unwrap();
    let expression = builder.finish(vec![ply]);
    let start = Othello::<Size8>::start(OthelloRules);
    let position = Othello::<Size8>::new(start.own(), start.opponent(), Color::Black, 300).unwrap();
    let values = Minimax::at(&position, &expression, View::Player).move_values(&position, 2);
    assert!(values.iter().all(|&(_, value)| value == 302.0), "{values:?}");
    let evaluator =
        Evaluator { rules: OthelloRules, program: Arc::new(Program::new(&expression).unwrap()), view: View::Player };
    let player = player(ahead(evaluator, SearchOptions::to_depth(2)), Ties::First);
    let mut workspace = Workspace::default();
    player.prepare(&mut workspace);
    assert_eq!(choose(Path::Baseline, &player, &position, Key(1), &mut workspace).score, Some(302.0));
}

fn players() -> Vec<Player<Othello<Size8>>> {
    let mut draws = Key::new(3).stream();
    let mut players = vec![Player::random()];
    for (depth, ties, epsilon) in [(0, Ties::Random, 0.0), (2, Ties::Random, 0.1), (0, Ties::Last, 0.3)] {
        let program = Arc::new(Program::new(&small_evaluator::<Size8>(&mut draws)).unwrap());
        let evaluator = Evaluator { rules: OthelloRules, program, view: View::Player };
        let chooser =
            if depth == 0 { Chooser::AfterState(evaluator) } else { ahead(evaluator, SearchOptions::to_depth(depth)) };
        players.push(player(chooser, ties).with_epsilon(epsilon).unwrap());
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
            start: 0,
        })
        .collect();
    let conditions = Conditions {
        starts: &[Othello::<Size8>::start(OthelloRules)],
        opening_plies: 8,
        record_moves: true,
        draws: DrawRules::NONE,
    };
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
    let conditions = Conditions {
        starts: &[Othello::<Size8>::start(OthelloRules)],
        opening_plies: 0,
        record_moves: false,
        draws: DrawRules::NONE,
    };
    let (stop, done) = (AtomicBool::new(true), AtomicU64::new(0));
    assert!(play(&players(), &[pairing; 100], &conditions, 2, &stop, &done).is_err());
}
