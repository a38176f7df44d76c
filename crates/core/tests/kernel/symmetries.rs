//! The eight symmetries of the board and the exchange of colours change nothing but squares and names.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

use crate::common::{ask, empties, evaluator, random_position, scaled, searching};
use evoply_core::bitboard::{Board, Size8, symmetry_of_square};
use evoply_core::choice::Ties;
use evoply_core::cpu::{Path, available};
use evoply_core::evaluator::View;
use evoply_core::expression::{Builder, json};
use evoply_core::player::{Player, Workspace};
use evoply_core::rules::{Color, Game};
use evoply_core::search::SearchOptions;
use evoply_core::search::ordering::MoveOrder;
use evoply_core::stream::Key;
use evoply_othello::endgame::{Endgame, Mode, solve};
use evoply_othello::{Move, Othello};

static NEVER: AtomicBool = AtomicBool::new(false);

/// Discs, moves and corners of both sides: what no symmetry changes.
const SYMMETRIC: &str = r#"{"format": 1, "outputs": [12], "nodes": [
    ["own"], ["count", 0], ["opponent"], ["count", 2], ["subtract", 1, 3],
    ["number_of_moves", "own"], ["number_of_moves", "opponent"], ["subtract", 5, 6],
    ["number", 3.5], ["multiply", 7, 8], ["add", 4, 9], ["t"], ["multiply", 10, 11]]}"#;

fn turned<B: Board>(position: &Othello<B>, symmetry: u8) -> Othello<B> {
    let discs = |color| position.discs(color).symmetry(symmetry);
    Othello::new(discs(Color::Black), discs(Color::White), position.turn(), position.ply()).unwrap()
}

fn colors_exchanged<B: Board>(position: &Othello<B>) -> Othello<B> {
    let (black, white) = (position.discs(Color::White), position.discs(Color::Black));
    Othello::new(black, white, position.turn().opposite(), position.ply()).unwrap()
}

fn turned_move<B: Board>(chosen: Move, symmetry: u8) -> Move {
    match chosen {
        Move::Place(square) => Move::Place(symmetry_of_square::<B>(square.into(), symmetry) as u8),
        Move::Pass => Move::Pass,
    }
}

/// A player, the value it finds, and the moves that it may choose.
struct Searcher<B: Board> {
    player: Player<Othello<B>>,
    workspace: Workspace<Othello<B>>,
}

impl<B: Board> Searcher<B> {
    fn new(view: View, options: SearchOptions) -> Self {
        let expression = json::parse(SYMMETRIC, B::SQUARES, Builder::default()).unwrap();
        let player = searching(&evaluator(&expression, view), options, Ties::Random);
        Self { player, workspace: Workspace::default() }
    }

    fn value(&mut self, path: Path, position: &Othello<B>) -> Option<f64> {
        ask(path, &self.player, position, Key::new(1), &mut self.workspace).score
    }
}

fn check<B: Board>(positions: u64) {
    let paths = available();
    let deep = SearchOptions { ordering: MoveOrder::Killer, table: 1 << 8, ..SearchOptions::to_depth(4) };
    let mut searchers: Vec<_> = [View::Turn, View::Player]
        .into_iter()
        .flat_map(|view| [SearchOptions::to_depth(3), deep].map(|options| Searcher::<B>::new(view, options)))
        .collect();
    for round in 0..positions {
        let mut draws = Key::new(77).child(round).stream();
        let position = random_position::<B>(&mut draws, u64::from(B::SQUARES));
        let symmetry = (round % 8) as u8;
        let path = paths[round as usize % paths.len()];
        let other = turned(&position, symmetry);
        // Moves, and the positions after them.
        let after = |position: &Othello<B>, symmetry: u8| -> BTreeSet<_> {
            position
                .legal_moves()
                .map(|chosen| {
                    let next = turned(&position.play_unchecked(chosen), symmetry);
                    (turned_move::<B>(chosen, symmetry), next.own(), next.opponent())
                })
                .collect()
        };
        assert_eq!(after(&position, symmetry), after(&other, 0));
        let exchanged = colors_exchanged(&position);
        assert_eq!(after(&position, 0), after(&exchanged, 0));
        // How a game ended.
        assert_eq!(position.outcome(), other.outcome());
        let negative = position.outcome().map(|outcome| (outcome.winner.map(Color::opposite), -outcome.difference));
        assert_eq!(negative, exchanged.outcome().map(|outcome| (outcome.winner, outcome.difference)));
        // What searches find.
        if position.legal_moves().len() > 1 {
            for searcher in &mut searchers {
                let value = searcher.value(path, &position);
                assert_eq!(value, searcher.value(path, &other), "symmetry {symmetry} of {position:?}");
                assert_eq!(value, searcher.value(path, &exchanged), "{position:?}");
            }
        }
        // Perfect play.
        if empties(&position) <= 8 && position.outcome().is_none() {
            let question = Endgame { table_bytes: 1 << 16, ..Endgame::new(Mode::Exact, &NEVER) };
            let score = |position: &Othello<B>| solve(position, &question).unwrap().score;
            assert_eq!(score(&position), score(&other));
            assert_eq!(score(&position), score(&exchanged));
        }
    }
}

#[test]
fn symmetries_and_colors_commute_with_everything() {
    check::<Size8>(scaled(20_000));
    every_board! {
        check::<Size4>(scaled(5_000));
        check::<Size6>(scaled(10_000));
        check::<Size10>(scaled(5_000));
    }
}
