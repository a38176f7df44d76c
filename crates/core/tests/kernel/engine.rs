//! An engine that stays against the plain search: whatever it was asked before, and wherever it is stopped.
#![allow(clippy::unwrap_used)]

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::common::{
    American, Tested, any_checkers, empties, evaluator, late_position, random_position, random_position_of,
    random_view, scaled, searching, small_evaluator, tie_rules, written,
};
use evoply_checkers::Checkers;
use evoply_core::analysis::Question;
use evoply_core::bitboard::Size8;
use evoply_core::choice::{Choice, Ties};
use evoply_core::engine::{Engine, Limits};
use evoply_core::evaluator::{Evaluator, View};
use evoply_core::expression::Expression;
use evoply_core::rules::Game;
use evoply_core::search::SearchOptions;
use evoply_core::search::ordering::MoveOrder;
use evoply_core::stream::{Key, Stream};
use evoply_othello::{Othello, OthelloRules};

static NEVER: AtomicBool = AtomicBool::new(false);

fn to_depth(depth: u32) -> Limits {
    Limits { depth: Some(depth), ..Limits::default() }
}

/// What the plain search answers.
fn plain<G: Tested>(evaluator: &Evaluator<G>, ties: Ties, options: SearchOptions, at: &G, key: Key) -> Choice<G> {
    searching(evaluator, options, ties).analyse(at, &Question::of(key), &NEVER).unwrap().choice
}

/// Pieces of own, as many times as the ply of the choice: the same board is worth something else at another choice.
fn counting_from_the_root() -> Expression {
    written(r#"["own"], ["count", 0], ["root_ply"], ["multiply", 1, 2]"#, 3)
}

/// One engine for whole games, with tables that forget much and such that forget little.
fn check_games<G: Tested>(games: u64, most_depth: u32, begin: impl Fn(&mut Stream) -> G) {
    for round in 0..games {
        let mut draws = Key::new(61).child(round).stream();
        let expression =
            if draws.below(4) == 0 { counting_from_the_root() } else { small_evaluator::<G::Board>(&mut draws) };
        let view = random_view(&mut draws);
        let evaluator = evaluator(&expression, view);
        let rules = tie_rules::<G>();
        let ties = rules[draws.below(rules.len() as u64) as usize];
        let quiescence = G::MAY_CAPTURE && draws.below(2) == 0;
        let ordering = [MoveOrder::None, MoveOrder::Killer, MoveOrder::Evaluator][draws.below(3) as usize];
        let table = [4, 64, 1 << 12][draws.below(3) as usize];
        let way = SearchOptions { ordering, quiescence, ..SearchOptions::to_depth(most_depth) };
        let mut engine = Engine::new(searching(&evaluator, way, ties), table).unwrap();
        let (mut position, key) = (begin(&mut draws), Key::new(round));
        // Both sides in turn, and some moves back and forth.
        for _ in 0..6 {
            for _ in 0..2 {
                let depth = 1 + draws.below(u64::from(most_depth)) as u32;
                let thought =
                    engine.think(&position, &Question::of(key), &to_depth(depth), &NEVER, &mut |_, _| ()).unwrap();
                let found = thought.analysis.choice;
                if found.depth > 0 {
                    let options = SearchOptions { quiescence, ..SearchOptions::to_depth(found.depth) };
                    let expected = plain(&evaluator, ties, options, &position, key);
                    assert_eq!(
                        (found.chosen, found.score),
                        (expected.chosen, expected.score),
                        "{way:?} {table} {ties:?} {view:?} depth {depth} round {round}"
                    );
                    assert!(found.depth >= depth || thought.is_complete);
                }
            }
            let moves: Vec<_> = position.legal_moves().collect();
            let next = position.play_unchecked(moves[draws.below(moves.len() as u64) as usize]);
            if next.outcome().is_some() {
                break;
            }
            position = next;
        }
    }
}

#[test]
fn chooses_what_the_plain_search_chooses() {
    check_games(scaled(2_000), 5, |draws| random_position::<Size8>(draws, 54));
    check_games(scaled(5_000), 8, |draws| late_position::<Size8>(draws, 8));
    check_games(scaled(2_000), 5, any_checkers::<American>);
    every_board! {
        check_games(scaled(5_000), 6, |draws| random_position::<Size6>(draws, 28));
        check_games(scaled(10_000), 8, |draws| random_position::<Size4>(draws, 8));
    }
}

/// A stop at any instant leaves the answer of a depth that was completed, also in the middle of captures.
fn check_stops<G: Tested>(rounds: u64, quiescence: bool, begin: impl Fn(&mut Stream) -> G) {
    let mut depths = std::collections::HashSet::new();
    let mut stopped = 0;
    for round in 0..rounds {
        let mut draws = Key::new(62).child(round).stream();
        let position = begin(&mut draws);
        if position.legal_moves().len() < 2 {
            continue;
        }
        let evaluator = evaluator(&small_evaluator::<G::Board>(&mut draws), View::Player);
        let way = SearchOptions { ordering: MoveOrder::Killer, quiescence, ..SearchOptions::to_depth(7) };
        let mut engine = Engine::new(searching(&evaluator, way, Ties::Last), 1 << 10).unwrap();
        // Three times at the same position: the search goes on where it was stopped.
        for _ in 0..3 {
            let stop = AtomicBool::new(false);
            let bits = draws.below(23);
            let wait = Duration::from_nanos(draws.below(1 << bits));
            let mut told = Vec::new();
            let thought = std::thread::scope(|scope| {
                scope.spawn(|| {
                    std::thread::sleep(wait);
                    stop.store(true, Ordering::Relaxed);
                });
                let mut tell = |choice: &Choice<G>, _| {
                    told.push((choice.depth, choice.chosen, choice.score));
                    // A busy machine may be late with every other stop.
                    if round % 4 == 0 {
                        stop.store(true, Ordering::Relaxed);
                    }
                };
                engine.think(&position, &Question::of(Key(round)), &Limits::default(), &stop, &mut tell).unwrap()
            });
            let found = thought.analysis.choice;
            let options = SearchOptions { quiescence, ..SearchOptions::to_depth(found.depth) };
            let expected = plain(&evaluator, Ties::Last, options, &position, Key(round));
            assert_eq!((found.chosen, found.score), (expected.chosen, expected.score), "round {round}");
            assert!(told.is_empty() || told.last() == Some(&(found.depth, found.chosen, found.score)));
            assert!(told.windows(2).all(|pair| pair[0].0 < pair[1].0));
            depths.insert(found.depth);
            stopped += u32::from(!thought.is_complete);
        }
    }
    assert!(depths.len() > 3 && stopped > 10, "{depths:?}, {stopped} were stopped");
}

#[test]
fn a_stopped_search_answers_with_a_whole_depth() {
    check_stops(scaled(1_000), false, |draws| random_position::<Size8>(draws, 40));
    check_stops(scaled(1_000), true, |draws| random_position_of::<Checkers<Size8>>(draws, 60));
}

fn counting() -> Evaluator<Othello<Size8>> {
    evaluator(&written(r#"["own"], ["count", 0]"#, 1), View::Turn)
}

#[test]
fn what_is_told_can_stop_it_and_the_next_question_goes_on() {
    let way = SearchOptions { ordering: MoveOrder::Killer, ..SearchOptions::to_depth(60) };
    let mut engine = Engine::new(searching(&counting(), way, Ties::First), 1 << 12).unwrap();
    let (start, question) = (Othello::<Size8>::start(OthelloRules), Question::of(Key(1)));
    let mut until = |depth, limits: Limits| {
        let stop = AtomicBool::new(false);
        let mut heard = Vec::new();
        let thought = engine.think(&start, &question, &limits, &stop, &mut |choice, elapsed| {
            heard.push((choice.depth, elapsed));
            stop.store(choice.depth >= depth, Ordering::Relaxed);
        });
        let thought = thought.unwrap();
        assert!(heard.windows(2).all(|pair| pair[0].1 <= pair[1].1));
        (heard.iter().map(|one| one.0).collect::<Vec<_>>(), thought.analysis.choice.depth, thought.is_complete)
    };
    assert_eq!(until(3, Limits::default()), (vec![1, 2, 3], 3, false));
    assert_eq!(until(5, Limits::default()), (vec![4, 5], 5, false));
    assert_eq!(until(60, to_depth(6)), (vec![6], 6, true));
    assert_eq!(until(60, to_depth(2)), (vec![], 6, true));
    let at_once = Limits { soft: Some(Duration::ZERO), ..Limits::default() };
    assert_eq!(until(60, at_once), (vec![], 6, false));
    let no_time = Limits { hard: Some(Duration::ZERO), ..Limits::default() };
    assert_eq!(until(60, no_time), (vec![], 6, false));
    engine.forget();
    let thought = engine.think(&start, &question, &no_time, &NEVER, &mut |_, _| ()).unwrap();
    assert_eq!((thought.analysis.choice.depth, thought.is_complete), (1, false));
}

#[test]
fn nodes_are_limited_and_the_table_saves_some() {
    let way = SearchOptions { nodes: Some(50_000), ordering: MoveOrder::Killer, ..SearchOptions::to_depth(60) };
    let mut engine = Engine::new(searching(&counting(), way, Ties::First), 1 << 16).unwrap();
    let think = |engine: &mut Engine<_>, position: &Othello<Size8>, limits| {
        engine.think(position, &Question::of(Key(1)), &limits, &NEVER, &mut |_, _| ()).unwrap().analysis.choice
    };
    let limited = think(&mut engine, &Othello::start(OthelloRules), Limits::default());
    assert!(limited.nodes <= 50_000 && limited.depth > 4, "{limited:?}");
    // Two plies on along the line, what was found out before still counts.
    let after = Othello::start(OthelloRules).play_unchecked(limited.chosen).play_unchecked(limited.continuation[0]);
    let with = think(&mut engine, &after, to_depth(limited.depth - 2)).nodes;
    engine.forget();
    let without = think(&mut engine, &after, to_depth(limited.depth - 2)).nodes;
    assert!(with < without, "{with} nodes with the table, {without} without");
}

#[test]
fn the_solver_answers_where_it_is_asked_and_a_search_where_it_cannot() {
    let way = SearchOptions { endgame: 14, ordering: MoveOrder::Killer, ..SearchOptions::to_depth(60) };
    let mut engine = Engine::new(searching(&counting(), way, Ties::First), 1 << 12).unwrap();
    let mut draws = Key::new(63).stream();
    let position = loop {
        let position = random_position::<Size8>(&mut draws, 52);
        if empties(&position) == 12 && position.legal_moves().len() > 1 {
            break position;
        }
    };
    let question = Question::of(Key(1));
    let think = |engine: &mut Engine<_>, at: &_, limits, best| {
        let question = Question { best, ..question };
        engine.think(at, &question, &limits, &NEVER, &mut |_, _| ()).unwrap()
    };
    let solved = engine.solve(&position, &question, None, &NEVER).unwrap().analysis.choice;
    assert!(solved.is_exact && solved.depth == 12);
    let thought = think(&mut engine, &position, Limits::default(), usize::MAX).analysis;
    assert_eq!((thought.choice.chosen, thought.choice.score), (solved.chosen, solved.score));
    let best = thought.values.iter().fold(f64::NEG_INFINITY, |best, &(_, value, _)| best.max(value));
    assert_eq!(Some(best), solved.score);
    // To a depth, on an emptier board or at once, it looks ahead.
    assert!(!think(&mut engine, &position, to_depth(2), 0).analysis.choice.is_exact);
    assert!(engine.solve(&Othello::start(OthelloRules), &question, None, &NEVER).is_none());
    let stop = AtomicBool::new(true);
    engine.forget();
    let hurried = engine.think(&position, &question, &Limits::default(), &stop, &mut |_, _| ()).unwrap();
    assert_eq!(
        (hurried.analysis.choice.depth, hurried.analysis.choice.is_exact, hurried.is_complete),
        (1, false, false)
    );
}
