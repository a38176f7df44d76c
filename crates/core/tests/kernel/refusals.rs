//! What cannot be is refused where it is put together, whoever does it.
#![allow(clippy::unwrap_used)]

use crate::common::{self, Tested, searching};
use evoply_checkers::{Checkers, CheckersRules};
use evoply_core::bitboard::Size8;
use evoply_core::choice::Ties;
use evoply_core::evaluator::{Evaluator, View};
use evoply_core::expression::{Builder, Node};
use evoply_core::player::{Chooser, Player};
use evoply_core::search::leaves::{Leaves, Noise, Per};
use evoply_core::search::ordering::MoveOrder;
use evoply_core::search::{LookAhead, MOST_DEPTH, MOST_TABLE, SearchOptions};
use evoply_core::stages::{StageClock, Stages};
use evoply_othello::{Othello, OthelloRules};

/// An evaluator with some outputs.
fn evaluator<G: Tested>(outputs: usize) -> Evaluator<G> {
    let mut builder = Builder::default();
    let pieces = builder.node(Node::PieceCount).unwrap();
    common::evaluator(&builder.finish(vec![pieces; outputs]), View::Turn)
}

fn refusal<G: Tested>(outputs: usize, orderer: Option<usize>, options: SearchOptions) -> String {
    LookAhead::<G>::new(evaluator(outputs), orderer.map(evaluator), options).err().unwrap_or_default()
}

#[test]
fn options_that_do_not_go_together_are_refused() {
    let plain = SearchOptions::to_depth(2);
    let noisy = SearchOptions { leaves: Leaves::Noisy(Noise::Uniform), ..plain };
    let alternating = SearchOptions { leaves: Leaves::Alternating(Per::Leaf), ..plain };
    let by_program = SearchOptions { ordering: MoveOrder::Program, ..plain };
    for (outputs, orderer, options, message) in [
        (1, None, plain, ""),
        (2, None, alternating, ""),
        (1, Some(1), by_program, ""),
        (1, None, SearchOptions { depth: MOST_DEPTH, table: MOST_TABLE, ..plain }, ""),
        (1, None, SearchOptions { depth: 0, ..plain }, "depth 0 is not from 1 to 128"),
        (1, None, SearchOptions { depth: MOST_DEPTH + 1, ..plain }, "depth 129 is not from 1 to 128"),
        (1, None, SearchOptions { table: 3, ..plain }, "a table of 3 entries is no power of two up to 4194304"),
        (1, None, SearchOptions { table: 2 * MOST_TABLE, ..plain }, "a table of 8388608 entries is no power"),
        (1, None, SearchOptions { table: 4, ..noisy }, "a value drawn for each leaf cannot be kept in a table"),
        (2, None, SearchOptions { table: 4, ..alternating }, "a value drawn for each leaf cannot be kept in a table"),
        (
            1,
            None,
            SearchOptions { quiescence: true, ..plain },
            "quiescence looks at captures, and the game has none, nor do its rules say what is quiet",
        ),
        (1, None, SearchOptions { endgame: 10, ..plain }, ""),
        (2, None, plain, "an evaluator with 2 outputs: 1 are read here"),
        (3, None, alternating, "an evaluator with 3 outputs: 2 are read here"),
        (1, Some(2), by_program, "an evaluator with 2 outputs: 1 are read here"),
        (1, None, by_program, "a program that orders moves and the ordering by a program belong together"),
        (1, Some(1), plain, "a program that orders moves and the ordering by a program belong together"),
    ] {
        let said = refusal::<Othello<Size8>>(outputs, orderer, options);
        assert!(said.starts_with(message) && said.is_empty() == message.is_empty(), "{said:?} is not {message:?}");
    }
    assert_eq!(refusal::<Checkers<Size8>>(1, None, SearchOptions { quiescence: true, ..plain }), "");
    let solving = SearchOptions { endgame: 10, ..plain };
    assert!(refusal::<Checkers<Size8>>(1, None, solving).starts_with("endgame asks a solver of Othello"));
}

#[test]
fn players_that_cannot_choose_are_refused() {
    let two = Player::<Othello<Size8>>::new(OthelloRules, Chooser::AfterState(evaluator(2)), Ties::First);
    assert_eq!(two.err().unwrap(), "an evaluator with 2 outputs: 1 are read here");
    let player = searching::<Othello<Size8>>(&evaluator(1), SearchOptions::to_depth(1), Ties::First);
    for (epsilon, is_sound) in [(0.0, true), (1.0, true), (-0.1, false), (1.1, false), (f64::NAN, false)] {
        assert_eq!(player.clone().with_epsilon(epsilon).is_ok(), is_sound, "{epsilon}");
    }
    // No disc of Othello moves, so none is the most advanced.
    let unmoving = Player::<Othello<Size8>>::new(OthelloRules, Chooser::Random, Ties::Advanced);
    assert!(unmoving.err().unwrap().starts_with("ties advanced"));
    assert!(Player::<Checkers<Size8>>::new(CheckersRules::AMERICAN, Chooser::Random, Ties::Advanced).is_ok());
    let shares = vec![vec![1.0]; 65];
    assert!(Stages::<Othello<Size8>>::new(vec![evaluator(1)], shares.clone(), StageClock::Pieces).is_ok());
    assert_eq!(
        Stages::<Othello<Size8>>::new(vec![evaluator(2)], shares, StageClock::Pieces).err().unwrap(),
        "an evaluator with 2 outputs: 1 are read here"
    );
}
