//! The deepening search against plain minimax and the plain search: every ordering, with and without a table, and limits.
#![allow(clippy::unwrap_used)]

use std::collections::HashSet;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use crate::against_minimax::{Best, check_line, check_ties};
use crate::common::{
    American, Losing, Tested, ask, checkers, evaluator, late_position, material, random_position, random_view, scaled,
    searching, small_evaluator, tie_rules, written,
};
use evoply_core::analysis::Question;
use evoply_core::bitboard::{Board, Size8};
use evoply_core::choice::{Choice, Ties};
use evoply_core::cpu::available;
use evoply_core::evaluator::View;
use evoply_core::expression::Expression;
use evoply_core::player::Workspace;
use evoply_core::rules::Game;
use evoply_core::search::SearchOptions;
use evoply_core::search::minimax::Minimax;
use evoply_core::search::ordering::MoveOrder;
use evoply_core::stream::{Key, Stream};
use evoply_othello::{Othello, OthelloRules};

const TIES: [Ties; 3] = [Ties::First, Ties::Last, Ties::Random];

/// Every way to search to a depth but the plain one in the order of legal moves.
fn ways(depth: u32) -> Vec<SearchOptions> {
    let mut ways = Vec::new();
    for ordering in [MoveOrder::None, MoveOrder::Hash, MoveOrder::Evaluator, MoveOrder::Refutation, MoveOrder::Killer] {
        // The smallest table forgets nearly everything, which must not matter either.
        for table in [0, 4, 1 << 12] {
            // A limit that is never reached makes it look at every depth.
            for nodes in [None, Some(u64::MAX)] {
                ways.push(SearchOptions { ordering, table, nodes, ..SearchOptions::to_depth(depth) });
            }
        }
    }
    ways.retain(|way| *way != SearchOptions::to_depth(depth));
    ways
}

/// Depends on ply and quiet plies, so that the same board is worth something else after two passes or by another way.
fn counting_plies() -> Expression {
    written(r#"["own"], ["count", 0], ["ply"], ["multiply", 1, 2], ["quiet_plies"], ["add", 3, 4]"#, 5)
}

fn check_against_minimax<G: Tested>(positions: u64, depth: u32, random_position: impl Fn(&mut Stream) -> G) {
    check_ties(Key::new(15), positions, depth, &ways(depth), random_position);
}

#[test]
fn value_and_moves_are_those_of_minimax() {
    check_against_minimax(scaled(100_000), 2, |draws| random_position::<Size8>(draws, 64));
    check_against_minimax(scaled(10_000), 3, |draws| random_position::<Size8>(draws, 64));
    check_against_minimax(scaled(1_000), 4, |draws| random_position::<Size8>(draws, 64));
    check_against_minimax(scaled(20_000), 5, |draws| late_position::<Size8>(draws, 7));
    check_against_minimax(scaled(2_000), 7, |draws| late_position::<Size8>(draws, 7));
    every_board! {
        check_against_minimax(scaled(10_000), 3, |draws| random_position::<Size6>(draws, 36));
        check_against_minimax(scaled(20_000), 5, |draws| random_position::<Size4>(draws, 16));
        check_against_minimax(scaled(2_000), 7, |draws| random_position::<Size4>(draws, 16));
        check_against_minimax(scaled(10_000), 2, |draws| random_position::<Size10>(draws, 100));
    }
}

#[test]
fn value_and_moves_are_those_of_minimax_in_checkers() {
    check_against_minimax(scaled(20_000), 2, checkers::<American>);
    check_against_minimax(scaled(5_000), 3, checkers::<American>);
    check_against_minimax(scaled(5_000), 3, checkers::<Losing>);
    every_board! { check_against_minimax(scaled(2_000), 3, checkers::<American10>); }
}

/// Where transpositions abound, minimax is too slow an oracle: the plain search, which equals it, chooses the same.
fn check_against_plain<G: Tested>(
    positions: u64,
    depths: std::ops::RangeInclusive<u32>,
    random_position: impl Fn(&mut Stream) -> G,
) {
    let mut workspace = Workspace::default();
    let path = available()[0];
    for round in 0..positions {
        let mut draws = Key::new(16).child(G::Board::SIZE.into()).child(round).stream();
        let position = random_position(&mut draws);
        let expression = if draws.below(4) == 0 { counting_plies() } else { small_evaluator::<G::Board>(&mut draws) };
        let evaluator = evaluator(&expression, random_view(&mut draws));
        let depth = depths.start() + draws.below(u64::from(depths.end() - depths.start() + 1)) as u32;
        for ties in tie_rules::<G>() {
            let plain = searching(&evaluator, SearchOptions::to_depth(depth), ties);
            let expected = ask(path, &plain, &position, Key(round), &mut workspace);
            for options in ways(depth) {
                let player = searching(&evaluator, options, ties);
                let choice = ask(path, &player, &position, Key(round), &mut workspace);
                assert_eq!(
                    (choice.chosen, choice.score),
                    (expected.chosen, expected.score),
                    "{options:?} {ties:?} {:?} round {round}",
                    evaluator.view
                );
            }
        }
    }
}

#[test]
fn chooses_what_the_plain_search_chooses() {
    check_against_plain(scaled(400), 5..=6, |draws| random_position::<Size8>(draws, 60));
    // Close to the end the depth reaches beyond it: passes, finished games, and early completion.
    check_against_plain(scaled(5_000), 6..=20, |draws| late_position::<Size8>(draws, 7));
    every_board! {
        check_against_plain(scaled(5_000), 6..=20, |draws| random_position::<Size4>(draws, 12));
        check_against_plain(scaled(400), 5..=7, |draws| random_position::<Size6>(draws, 32));
    }
}

/// Kings walk round in circles: the same board comes again with other counters.
#[test]
fn chooses_what_the_plain_search_chooses_in_checkers() {
    check_against_plain(scaled(400), 5..=6, checkers::<American>);
    check_against_plain(scaled(400), 5..=6, checkers::<Losing>);
}

/// The end of the principal variation is where the value comes from.
#[test]
fn the_line_leads_to_the_value() {
    let counted = evaluator(&material(), View::Turn);
    let mut workspace = Workspace::default();
    let path = *available().last().unwrap();
    for round in 0..scaled(2_000) {
        let mut draws = Key::new(17).child(round).stream();
        let position = random_position::<Size8>(&mut draws, 60);
        let depth = 2 + draws.below(5) as u32;
        let options = ways(depth)[draws.below(ways(depth).len() as u64) as usize];
        let ties = TIES[draws.below(3) as usize];
        let choice = ask(path, &searching(&counted, options, ties), &position, Key(round), &mut workspace);
        let Some(score) = choice.score else { continue };
        let end = check_line(&position, &choice);
        let own = position.turn();
        let value = if let Some(outcome) = end.outcome() {
            evoply_core::search::outcome_value(outcome, own)
        } else {
            let plies = 1 + choice.continuation.len() as u32;
            assert_eq!(plies, choice.depth, "{options:?} round {round}");
            f64::from(end.discs(own).len()) - f64::from(end.discs(own.opposite()).len())
        };
        assert_eq!(value, score, "{options:?} {ties:?} round {round}");
    }
}

/// Move, value, nodes and line are the same on every path, and a used workspace is as good as a new one.
#[test]
fn paths_agree_and_nothing_is_left_over() {
    let mut used = Workspace::default();
    for round in 0..scaled(10_000) {
        let mut draws = Key::new(18).child(round).stream();
        let evaluator = evaluator(&small_evaluator::<Size8>(&mut draws), View::Player);
        let position = random_position::<Size8>(&mut draws, 60);
        let depth = 1 + draws.below(5) as u32;
        let mut options = ways(depth)[draws.below(ways(depth).len() as u64) as usize];
        if draws.below(2) == 0 {
            options.nodes = Some(1 + draws.below(3_000));
        }
        options.deeper = draws.below(2) == 0;
        let player = searching(&evaluator, options, Ties::Random);
        let answer = |path, workspace: &mut Workspace<_>| {
            let choice = ask(path, &player, &position, Key(round), workspace);
            (choice.chosen, choice.score.map(f64::to_bits), choice.depth, choice.nodes, choice.continuation)
        };
        let expected = answer(available()[0], &mut Workspace::default());
        for path in available() {
            assert_eq!(answer(path, &mut used), expected, "{options:?} round {round} {path:?}");
        }
    }
}

/// A workspace that both colours use one after the other answers each as if the other had never been.
#[test]
fn a_table_is_never_shared_between_colours() {
    let mut workspace = Workspace::default();
    let options = SearchOptions { table: 1 << 14, ordering: MoveOrder::Hash, ..SearchOptions::to_depth(5) };
    let mut differing = 0;
    for round in 0..scaled(300) {
        let mut draws = Key::new(19).child(round).stream();
        let evaluator = evaluator(&small_evaluator::<Size8>(&mut draws), View::Player);
        let position = random_position::<Size8>(&mut draws, 20);
        let (searcher, plain) =
            [options, SearchOptions::to_depth(5)].map(|way| searching(&evaluator, way, Ties::First)).into();
        for chosen in position.legal_moves() {
            let next = position.play_unchecked(chosen);
            if next.legal_moves().len() < 2 {
                continue;
            }
            let path = available()[0];
            let [first, second] =
                [position, next].map(|at| ask(path, &searcher, &at, Key(round), &mut workspace).score);
            let expected =
                [position, next].map(|at| ask(path, &plain, &at, Key(round), &mut Workspace::default()).score);
            assert_eq!([first, second], expected, "round {round}");
            differing += u64::from(first != second.map(|value| -value));
        }
    }
    assert!(differing > 0, "the views of both colours never differed: nothing proved");
}

#[test]
fn node_limits_are_exact_and_reproducible() {
    let mut workspace = Workspace::default();
    let mut depths = HashSet::new();
    for round in 0..scaled(3_000) {
        let mut draws = Key::new(20).child(round).stream();
        let evaluator = evaluator(&small_evaluator::<Size8>(&mut draws), View::Turn);
        let position = random_position::<Size8>(&mut draws, 50);
        let moves = position.legal_moves().len() as u64;
        if moves < 2 {
            continue;
        }
        let bits = 1 + draws.below(14);
        let limit = 1 + draws.below(1 << bits);
        let mut options = ways(60)[draws.below(ways(60).len() as u64) as usize];
        options.nodes = Some(limit);
        let limited = searching(&evaluator, options, Ties::Last);
        let choice = ask(available()[0], &limited, &position, Key(round), &mut workspace);
        assert!(choice.nodes <= limit.max(1 + moves), "{} nodes of {limit}", choice.nodes);
        depths.insert(choice.depth);
        // What comes back is the answer of the last completed depth.
        let plain = searching(&evaluator, SearchOptions::to_depth(choice.depth.min(6)), Ties::Last);
        let expected = ask(available()[0], &plain, &position, Key(round), &mut workspace);
        if choice.depth <= 6 {
            assert_eq!((choice.chosen, choice.score), (expected.chosen, expected.score), "{options:?} round {round}");
        }
        let again = ask(available()[0], &limited, &position, Key(round), &mut Workspace::default());
        assert_eq!((again.chosen, again.score, again.nodes), (choice.chosen, choice.score, choice.nodes));
    }
    assert!(depths.len() > 3, "{depths:?}");
}

#[test]
fn time_limits_hold() {
    let evaluator = evaluator(&material(), View::Turn);
    let time = Duration::from_millis(50);
    let options =
        SearchOptions { time: Some(time), ordering: MoveOrder::Killer, table: 1 << 16, ..SearchOptions::to_depth(60) };
    let limited = searching(&evaluator, options, Ties::First);
    for round in 0..5 {
        let position = random_position::<Size8>(&mut Key::new(21).child(round).stream(), 30);
        let begun = Instant::now();
        let stop = &AtomicBool::new(false);
        let analysis = limited.analyse(&position, &Question::of(Key(round)), stop).unwrap();
        // Generous: the machine may have other things to do.
        assert!(begun.elapsed() < time * 40, "{:?}", begun.elapsed());
        assert!(analysis.elapsed <= begun.elapsed());
        assert!(position.legal_moves().any(|legal| legal == analysis.choice.chosen));
    }
}

#[test]
fn no_time_at_all_is_enough_for_one_ply() {
    let evaluator = evaluator(&material(), View::Turn);
    let options = SearchOptions { time: Some(Duration::ZERO), ..SearchOptions::to_depth(60) };
    let hurried = searching(&evaluator, options, Ties::First);
    let choice =
        ask(available()[0], &hurried, &Othello::<Size8>::start(OthelloRules), Key(1), &mut Workspace::default());
    assert!(choice.depth >= 1 && choice.score.is_some());
}

#[test]
fn a_stop_from_outside_gives_no_answer() {
    let evaluator = evaluator(&material(), View::Turn);
    let options = SearchOptions { ordering: MoveOrder::Killer, ..SearchOptions::to_depth(12) };
    let stopped = searching(&evaluator, options, Ties::First);
    assert!(
        stopped
            .analyse(&Othello::<Size8>::start(OthelloRules), &Question::of(Key(1)), &AtomicBool::new(true))
            .is_none()
    );
}

/// Once every line is a finished game, looking deeper is pointless, and the answer that of any greater depth.
#[test]
fn a_solved_game_ends_the_search() {
    fn solved<B: Board>(position: &Othello<B>) -> Choice<Othello<B>> {
        let evaluator = evaluator(&material(), View::Turn);
        let options = SearchOptions { nodes: Some(u64::MAX), table: 1 << 16, ..SearchOptions::to_depth(60) };
        let solver = searching(&evaluator, options, Ties::First);
        let choice = ask(available()[0], &solver, position, Key(1), &mut Workspace::default());
        assert!(choice.depth <= 20, "{}", choice.depth);
        choice
    }
    for round in 0..40 {
        let position = late_position::<Size8>(&mut Key::new(25).child(round).stream(), 8);
        if position.legal_moves().len() > 1 {
            let values = Minimax::at(&position, &material(), View::Turn).move_values(&position, 20);
            assert_eq!(solved(&position).score, Some(Best::of(&values).value), "round {round}");
        }
    }
    // White wins on 4x4 (Othello 4x4 is solved: 3 to 11).
    every_board! {
        assert_eq!(solved(&Othello::<Size4>::start(OthelloRules)).score, Some(-evoply_core::search::WIN));
    }
}

/// Orderings and table pay: fewer nodes than the plain search, evaluations for ordering included.
#[test]
fn orderings_save_nodes() {
    let evaluator = evaluator(&material(), View::Turn);
    let mut workspace = Workspace::default();
    let mut nodes = |options| {
        let player = searching(&evaluator, options, Ties::First);
        let one = |round| {
            let position = random_position::<Size8>(&mut Key::new(22).child(round).stream(), 40);
            ask(*available().last().unwrap(), &player, &position, Key(round), &mut workspace).nodes
        };
        (0..20).map(one).sum::<u64>() as f64
    };
    let plain = nodes(SearchOptions::to_depth(7));
    for (ordering, table, factor) in [
        (MoveOrder::Hash, 1 << 16, 1.3),
        (MoveOrder::Evaluator, 0, 1.3),
        (MoveOrder::Evaluator, 1 << 16, 1.7),
        (MoveOrder::Killer, 1 << 16, 2.0),
    ] {
        let ordered = nodes(SearchOptions { ordering, table, ..SearchOptions::to_depth(7) });
        assert!(ordered * factor < plain, "{ordering:?} {table}: {ordered} nodes, plain {plain}");
    }
}
