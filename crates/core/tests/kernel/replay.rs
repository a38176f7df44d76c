//! Pieces along games that are played over again.

use std::sync::atomic::AtomicBool;

use evoply_checkers::Checkers;
use evoply_core::bitboard::{Board, Size8};
use evoply_core::replay::{IllegalMove, Moves, PieceCounts, Replayed, piece_counts, replay, replay_all};
use evoply_core::rules::playout::random_move;
use evoply_core::rules::{Color, Game};
use evoply_core::stream::Key;
use evoply_othello::{Othello, OthelloRules};

use super::common::{Tested, random_position_of};

/// A start and codes.
type Known<G> = (G, Vec<u64>);

/// Random games from random positions, and the boards that they went over.
fn games<G: Tested>(seed: u64, count: usize) -> (Vec<Known<G>>, Vec<Vec<G>>) {
    let mut draws = Key::new(seed).stream();
    let game = |_| {
        let start: G = random_position_of(&mut draws, 20);
        let (mut codes, mut positions) = (Vec::new(), vec![start]);
        let most = draws.below(80);
        while codes.len() < most as usize {
            let position = positions[codes.len()];
            let Some(chosen) = random_move(&position, |bound| draws.below(bound)) else { break };
            codes.push(G::code(G::usual(), chosen));
            positions.push(position.play_unchecked(chosen));
        }
        ((start, codes), positions)
    };
    (0..count).map(game).unzip()
}

fn counts<G: Tested>(games: &[Known<G>], threads: usize) -> Result<PieceCounts, IllegalMove> {
    let games: Vec<_> = games.iter().map(|(start, codes)| Moves { start: *start, codes }).collect();
    piece_counts(&games, threads, &AtomicBool::new(false)).expect("nobody stops it")
}

fn check<G: Tested>(seed: u64) {
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
    check::<Othello<Size8>>(1);
    check::<Checkers<Size8>>(3);
    every_board! {
        check::<Othello<Size6>>(1);
        check::<Othello<Size10>>(2);
    }
}

#[test]
fn the_first_illegal_move_is_named() {
    let (mut games, _) = games::<Othello<Size8>>(4, 9);
    for game in [7, 5] {
        games[game] = (Othello::start(OthelloRules), vec![Size8::SQUARES.into(), 0]);
    }
    let illegal = IllegalMove { game: 5, ply: 0, code: Size8::SQUARES.into() };
    assert_eq!(counts(&games, 2), Err(illegal));
    assert_eq!(illegal.to_string(), "game 5, ply 0: 64 is no legal move there");
}

#[test]
fn no_game_has_no_row() {
    let none = PieceCounts { columns: 1, black: vec![], white: vec![] };
    assert_eq!(counts::<Othello<Size8>>(&[], 0), Ok(none));
    let start = Othello::<Size8>::start(OthelloRules);
    let one = PieceCounts { columns: 1, black: vec![2], white: vec![2] };
    assert_eq!(counts(&[(start, vec![])], 0), Ok(one));
    assert_eq!(start.pieces(Color::Black).len(), 2);
}

/// The same one move after the other: what [`replay`] must equal.
fn slowly<G: Tested>(start: G, given: &[u64]) -> (Replayed<G>, Vec<G>) {
    let (mut codes, mut seen) = (Vec::new(), vec![start]);
    for (taken, &code) in given.iter().enumerate() {
        loop {
            let last = seen[seen.len() - 1];
            let legal: Vec<_> = last.legal_moves().collect();
            let chosen = legal.iter().find(|&&one| G::code(G::usual(), one) == code);
            let pass = legal.iter().find(|&&one| legal.len() == 1 && G::moved_to(G::usual(), one).is_empty());
            let Some(&played) = chosen.or(pass) else {
                return (Replayed { codes, taken, last }, seen);
            };
            codes.push(G::code(G::usual(), played));
            seen.push(last.play_unchecked(played));
            if chosen.is_some() {
                break;
            }
        }
    }
    (Replayed { codes, taken: given.len(), last: seen[seen.len() - 1] }, seen)
}

fn check_replay<G: Tested>(seed: u64) {
    let (games, _) = games::<G>(seed, 200);
    let mut draws = Key::new(seed).child(1).stream();
    let mut given: Vec<Known<G>> = Vec::new();
    for (start, codes) in games {
        let passes = u64::from(<G::Board as Board>::SQUARES);
        let without: Vec<_> = codes.iter().copied().filter(|&code| G::HAS_KINGS || code != passes).collect();
        let mut damaged = without.clone();
        if !damaged.is_empty() {
            damaged[draws.below(without.len() as u64) as usize] = draws.below(200);
        }
        given.extend([(start, codes), (start, without), (start, damaged)]);
    }
    let moves: Vec<_> = given.iter().map(|(start, codes)| Moves { start: *start, codes }).collect();
    let together = replay_all(&moves, 3, &AtomicBool::new(false)).expect("nobody stops it");
    for (one, game) in moves.iter().zip(&together) {
        let (expected, along) = slowly(one.start, one.codes);
        let mut seen = Vec::new();
        assert_eq!(replay(*one, |&position| seen.push(position)), expected);
        assert_eq!(seen, along);
        assert_eq!(*game, expected);
    }
    let passed = together.chunks(3).filter(|game| game[0].codes == game[1].codes && game[0].taken > game[1].taken);
    let damaged = together.iter().zip(&moves).filter(|(game, one)| game.taken < one.codes.len());
    assert!(damaged.count() > 100);
    // On the large board most games are cut before the first pass.
    assert!(G::HAS_KINGS || <G::Board as Board>::SQUARES > 64 || passed.count() > 5);
}

#[test]
fn games_are_played_over_again_with_passes_written_or_not() {
    check_replay::<Othello<Size8>>(5);
    check_replay::<Checkers<Size8>>(7);
    every_board! {
        check_replay::<Othello<Size6>>(5);
        check_replay::<Othello<Size10>>(6);
    }
}
