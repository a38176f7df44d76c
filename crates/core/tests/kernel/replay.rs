//! Pieces along games that are played over again.

use std::sync::atomic::AtomicBool;

use evoply_core::bitboard::{Board, Size6, Size10};
use evoply_core::replay::{IllegalMove, Moves, PieceCounts, piece_counts};
use evoply_core::rules::checkers::{American, Checkers};
use evoply_core::rules::othello::Othello;
use evoply_core::rules::playout::random_move;
use evoply_core::rules::{Color, Game};
use evoply_core::stream::Key;

use super::common::random_position_of;

/// A start and codes.
type Known<G> = (G, Vec<u64>);

/// Random games from random positions, and the boards that they went over.
fn games<G: Game>(seed: u64, count: usize) -> (Vec<Known<G>>, Vec<Vec<G>>) {
    let mut draws = Key::new(seed).stream();
    let game = |_| {
        let start: G = random_position_of(&mut draws, 20);
        let (mut codes, mut positions) = (Vec::new(), vec![start]);
        let most = draws.below(80);
        while codes.len() < most as usize {
            let position = positions[codes.len()];
            let Some(chosen) = random_move(&position, |bound| draws.below(bound)) else { break };
            codes.push(G::code(chosen));
            positions.push(position.play_unchecked(chosen));
        }
        ((start, codes), positions)
    };
    (0..count).map(game).unzip()
}

fn counts<G: Game>(games: &[Known<G>], threads: usize) -> Result<PieceCounts, IllegalMove> {
    let games: Vec<_> = games.iter().map(|(start, codes)| Moves { start: *start, codes }).collect();
    piece_counts(&games, threads, &AtomicBool::new(false)).expect("nobody stops it")
}

fn check<G: Game>(seed: u64) {
    let (games, positions) = games::<G>(seed, 60);
    let counts = counts(&games, 1).expect("all moves are legal");
    assert_eq!(counts, super::replay::counts(&games, 3).expect("all moves are legal"));
    assert_eq!(counts.columns, positions.iter().map(Vec::len).max().unwrap_or(0));
    for (game, positions) in positions.iter().enumerate() {
        for column in 0..counts.columns {
            let place = game * counts.columns + column;
            let setup = positions[column.min(positions.len() - 1)].setup();
            assert_eq!(counts.black[place], setup.black.len() as i32);
            assert_eq!(counts.white[place], setup.white.len() as i32);
        }
    }
}

#[test]
fn pieces_are_those_of_the_positions_and_stay_after_the_end() {
    check::<Othello<Size6>>(1);
    check::<Othello<Size10>>(2);
    check::<Checkers<American>>(3);
}

#[test]
fn the_first_illegal_move_is_named() {
    let (mut games, _) = games::<Othello<Size6>>(4, 9);
    for game in [7, 5] {
        games[game] = (Othello::start(), vec![Size6::SQUARES.into(), 0]);
    }
    let illegal = IllegalMove { game: 5, ply: 0, code: Size6::SQUARES.into() };
    assert_eq!(counts(&games, 2), Err(illegal));
    assert_eq!(illegal.to_string(), "game 5, ply 0: 36 is no legal move there");
}

#[test]
fn no_game_has_no_row() {
    let none = PieceCounts { columns: 1, black: vec![], white: vec![] };
    assert_eq!(counts::<Othello<Size6>>(&[], 0), Ok(none));
    let start = Othello::<Size6>::start();
    let one = PieceCounts { columns: 1, black: vec![2], white: vec![2] };
    assert_eq!(counts(&[(start, vec![])], 0), Ok(one));
    assert_eq!(start.pieces(Color::Black).len(), 2);
}
