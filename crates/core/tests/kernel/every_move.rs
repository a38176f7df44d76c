//! Analysis: the value of every move against minimax and against boards after moves, and the choice that stays what it was.
#![allow(clippy::unwrap_used)]

use std::sync::atomic::AtomicBool;

use crate::against_minimax::{Best, value_after};
use crate::common::{
    American, Losing, RandomExpression, Tested, any_checkers, evaluator, late_position, material, player,
    random_position_of, random_view, scaled, searching, small_evaluator,
};
use evoply_checkers::Checkers;
use evoply_core::analysis::{Analysis, Question};
use evoply_core::bitboard::{Board, Size8};
use evoply_core::choice::Ties;
use evoply_core::evaluator::View;
use evoply_core::expression::{Builder, Expression};
use evoply_core::player::{Chooser, Player};
use evoply_core::rules::Game;
use evoply_core::rules::playout::move_key;
use evoply_core::search::leaves::{Leaves, Noise, Per};
use evoply_core::search::minimax::Minimax;
use evoply_core::search::ordering::MoveOrder;
use evoply_core::search::{SearchOptions, outcome_value};
use evoply_core::stream::{Key, Stream};
use evoply_othello::{Othello, OthelloRules};

static NEVER: AtomicBool = AtomicBool::new(false);

/// The moves of an answer with their values, without their lines.
fn valued<G: Tested>(answer: &Analysis<G>) -> Vec<(G::Move, f64)> {
    answer.values.iter().map(|&(chosen, value, _)| (chosen, value)).collect()
}

/// What a player answers with and without the values; everything else must be equal.
fn ask<G: Tested>(player: &Player<G>, position: &G, game: Key) -> Analysis<G> {
    let question = Question::of(game);
    let plain = player.analyse(position, &question, &NEVER).unwrap();
    let whole = player.analyse(position, &Question { best: usize::MAX, ..question }, &NEVER).unwrap();
    assert!(plain.values.is_empty());
    let (a, b) = (&plain.choice, &whole.choice);
    assert_eq!((a.chosen, a.depth, a.nodes, &a.continuation), (b.chosen, b.depth, b.nodes, &b.continuation));
    assert_eq!(a.score.map(f64::to_bits), b.score.map(f64::to_bits));
    for most in 1..=3 {
        let some = valued(&player.analyse(position, &Question { best: most, ..question }, &NEVER).unwrap());
        let mut expected: Vec<_> = valued(&whole).into_iter().enumerate().collect();
        expected.sort_by(|(_, (_, one)), (_, (_, other))| other.partial_cmp(one).unwrap());
        expected.truncate(most);
        expected.sort_by_key(|&(place, _)| place);
        assert_eq!(some, expected.into_iter().map(|(_, known)| known).collect::<Vec<_>>(), "the best {most}");
    }
    whole
}

/// An evaluator with as many outputs as the leaves need.
fn expression<B: Board>(draws: &mut Stream, outputs: usize) -> Expression {
    if outputs == 1 {
        return small_evaluator::<B>(draws);
    }
    let mut drawn = RandomExpression::draw::<B>(draws, 12);
    drawn.outputs = drawn.outputs.iter().copied().cycle().take(outputs).collect();
    drawn.build(Builder::default())
}

/// Every way to look ahead, by number.
fn options<G: Tested>(number: u64, depth: u32) -> SearchOptions {
    let plain = SearchOptions::to_depth(depth);
    match number % 8 {
        0 => plain,
        1 => SearchOptions { ordering: MoveOrder::Killer, table: 1 << 6, ..plain },
        2 => SearchOptions { nodes: Some(30), ..plain },
        3 => SearchOptions { nodes: Some(200), ordering: MoveOrder::Evaluator, table: 1 << 10, deeper: true, ..plain },
        4 => SearchOptions { leaves: Leaves::Noisy(Noise::Whole(3)), ..plain },
        5 => SearchOptions { leaves: Leaves::Alternating(Per::Leaf), ..plain },
        6 => SearchOptions { leaves: Leaves::Alternating(Per::Move), table: 1 << 4, ..plain },
        _ => SearchOptions { quiescence: G::MAY_CAPTURE, ..plain },
    }
}

fn check<G: Tested>(rounds: u64, depth: u32, position: impl Fn(&mut Stream) -> G) {
    for round in 0..rounds {
        let mut draws = Key::new(31).child(G::Board::SIZE.into()).child(depth.into()).child(round).stream();
        let (position, options) = (position(&mut draws), options::<G>(round, depth));
        let expression = expression::<G::Board>(&mut draws, options.leaves.outputs());
        let view = random_view(&mut draws);
        let ties = [Ties::First, Ties::Last, Ties::Random][draws.below(3) as usize];
        let epsilon = if draws.below(4) == 0 { 0.5 } else { 0.0 };
        let player = searching(&evaluator(&expression, view), options, ties).with_epsilon(epsilon).unwrap();
        let game = Key(draws.bits());
        let answer = ask(&player, &position, game);
        let key = move_key(game, position.turn(), position.ply());
        let rule = options.leaves.rule(game, position.turn(), key);
        let quiescence = G::MAY_CAPTURE && options.quiescence;
        let minimax = Minimax { rule, quiescence, ..Minimax::at(&position, &expression, view) };
        // An answer without a look is a forced or a random move: the depth is then what it would have been.
        let is_limited = options.nodes.is_some();
        let mut depths = match answer.choice.depth {
            0 if is_limited => 1..=depth,
            0 => depth..=depth,
            reached => reached..=reached,
        };
        let case = format!("{options:?} {view:?} round {round}");
        // Where every line ends early, a deeper look changes nothing and another depth may be told.
        let expected = depths.find(|&depth| minimax.move_values(&position, depth) == valued(&answer));
        let told = minimax.move_values(&position, answer.choice.depth.max(1));
        assert!(expected.is_some(), "{case}: {:?} is not {told:?}", valued(&answer));
        if let Some(score) = answer.choice.score
            && !options.deeper
        {
            assert_eq!(score, Best::of(&valued(&answer)).value, "{case}");
        }
    }
}

#[test]
fn values_of_a_search_are_those_of_minimax() {
    check(scaled(8_000), 1, |draws| random_position_of::<Othello<Size8>>(draws, 62));
    check(scaled(8_000), 2, |draws| random_position_of::<Othello<Size8>>(draws, 62));
    check(scaled(4_000), 5, |draws| late_position::<Size8>(draws, 7));
    check(scaled(4_000), 2, any_checkers::<American>);
    check(scaled(2_000), 4, |draws| random_position_of::<Checkers<Size8>>(draws, 100));
    check(scaled(2_000), 3, any_checkers::<Losing>);
    every_board! {
        check(scaled(2_000), 3, |draws| random_position_of::<Othello<Size6>>(draws, 34));
        check(scaled(4_000), 5, |draws| random_position_of::<Othello<Size4>>(draws, 14));
        check(scaled(1_000), 2, |draws| random_position_of::<Othello<Size10>>(draws, 98));
        check(scaled(1_000), 2, any_checkers::<American10>);
    }
}

/// The end of each line is where the value of its move comes from.
#[test]
fn each_line_leads_to_the_value_of_its_move() {
    let counted = evaluator(&material(), View::Turn);
    let mut seen = 0;
    for round in 0..scaled(2_000) {
        let mut draws = Key::new(34).child(round).stream();
        let position = random_position_of::<Othello<Size8>>(&mut draws, 60);
        let depth = 2 + draws.below(4) as u32;
        let player = searching(&counted, SearchOptions::to_depth(depth), Ties::First);
        for (chosen, value, line) in ask(&player, &position, Key(round)).values {
            let end = line.iter().fold(position.play(chosen).unwrap(), |at, &next| at.play(next).unwrap());
            let own = position.turn();
            let expected = if let Some(outcome) = end.outcome() {
                outcome_value(outcome, own)
            } else {
                assert_eq!(1 + line.len() as u32, depth, "round {round}");
                f64::from(end.discs(own).len()) - f64::from(end.discs(own.opposite()).len())
            };
            assert_eq!(value, expected, "round {round}");
            seen += 1;
        }
    }
    assert!(seen > scaled(2_000), "{seen}");
}

fn check_after_state<G: Tested>(rounds: u64, position: impl Fn(&mut Stream) -> G) {
    for round in 0..rounds {
        let mut draws = Key::new(32).child(G::Board::SIZE.into()).child(round).stream();
        let (position, expression) = (position(&mut draws), small_evaluator::<G::Board>(&mut draws));
        let view = random_view(&mut draws);
        let after_state = Chooser::AfterState(evaluator(&expression, view));
        let answer = ask(&player(after_state, Ties::Random), &position, Key(round));
        let expected: Vec<(G::Move, f64)> =
            position.legal_moves().map(|chosen| (chosen, value_after(&position, chosen, &expression, view))).collect();
        assert_eq!(valued(&answer), expected, "round {round}");
    }
}

#[test]
fn values_without_a_search_are_those_of_the_boards_after_the_moves() {
    check_after_state(scaled(5_000), |draws| random_position_of::<Othello<Size8>>(draws, 62));
    check_after_state(scaled(2_000), any_checkers::<American>);
    check_after_state(scaled(2_000), any_checkers::<Losing>);
    every_board! {
        check_after_state(scaled(2_000), |draws| random_position_of::<Othello<Size4>>(draws, 14));
        check_after_state(scaled(2_000), |draws| random_position_of::<Othello<Size6>>(draws, 34));
        check_after_state(scaled(2_000), |draws| random_position_of::<Othello<Size10>>(draws, 98));
        check_after_state(scaled(2_000), any_checkers::<American10>);
    }
}

#[test]
fn what_moves_at_random_values_nothing() {
    let start = Othello::<Size8>::start(OthelloRules);
    assert!(ask(&Player::random(), &start, Key(1)).values.is_empty());
    let evaluator = evaluator(&small_evaluator::<Size8>(&mut Key::new(8).stream()), View::Turn);
    let later = player(Chooser::AfterState(evaluator), Ties::First).with_random_moves(3);
    for moves in 0..5 {
        let question = Question { moves, best: usize::MAX, ..Question::of(Key(1)) };
        let answer = later.analyse(&start, &question, &NEVER).unwrap();
        assert_eq!(
            (answer.values.len(), answer.choice.score.is_some()),
            if moves < 3 { (0, false) } else { (4, true) }
        );
    }
}

/// A finished game counts exactly, whatever the evaluator says of it.
#[test]
fn the_move_that_wins_is_worth_a_win() {
    let mut seen = 0;
    for round in 0..300 {
        let mut draws = Key::new(33).child(round).stream();
        let position = late_position::<Size8>(&mut draws, 7);
        let evaluator = evaluator(&small_evaluator::<Size8>(&mut draws), View::Turn);
        let player = searching(&evaluator, SearchOptions::to_depth(6), Ties::First);
        for (chosen, value, _) in ask(&player, &position, Key(round)).values {
            if let Some(outcome) = position.play_unchecked(chosen).outcome() {
                assert_eq!(value, outcome_value(outcome, position.turn()));
                seen += 1;
            }
        }
    }
    assert!(seen > 20, "{seen}");
}

#[test]
fn a_stop_leaves_no_answer() {
    let evaluator = evaluator(&small_evaluator::<Size8>(&mut Key::new(8).stream()), View::Turn);
    let player = searching(&evaluator, SearchOptions::to_depth(3), Ties::First);
    let question = Question { best: usize::MAX, ..Question::of(Key(1)) };
    assert!(player.analyse(&Othello::<Size8>::start(OthelloRules), &question, &AtomicBool::new(true)).is_none());
}
