//! Perft of Othello and checkers against published tables, and of checkers against 300 positions counted by other programs.

use std::sync::atomic::AtomicBool;

use crate::common::{American, American10, Losing, Tested, Variant, any_checkers, random_position_of, scaled};
use evoply_checkers::{Checkers, CheckersRules, dark_squares};
use evoply_core::bitboard::{Bitboard, Board, Size4, Size6, Size8, Size10};
use evoply_core::rules::perft::perft;
use evoply_core::rules::perft_table::{key_of, perft_with_table};
use evoply_core::rules::{Color, Game};
use evoply_core::stream::{Key, Stream};
use evoply_othello::{Othello, OthelloRules};

fn count<G: Tested>(position: G, depth: u32) -> Option<u64> {
    perft(position, depth, 0, &AtomicBool::new(false)).ok()
}

fn check<G: Tested>(start: G, table: &str, deepest: usize) {
    let text = include_str!("../../../../testdata/perft/perft_tables.json");
    let tables: serde_json::Value = serde_json::from_str(text).expect("the table is JSON");
    let values = tables[table]["values"].as_array().expect("a list of values");
    for (index, value) in values.iter().take(deepest).enumerate() {
        assert_eq!(count(start, index as u32 + 1), value.as_u64(), "{table} at depth {}", index + 1);
    }
}

fn othello<B: Board>(table: &str, deepest: usize)
where
    Othello<B>: Tested + Game<Rules = OthelloRules>,
{
    check(Othello::<B>::start(OthelloRules), table, deepest);
}

fn checkers<V: Variant>(table: &str, deepest: usize) {
    check(Checkers::<V::Board>::start(V::RULES), table, deepest);
}

#[test]
fn tables() {
    othello::<Size8>("othello_8x8_mode1", 9);
    othello::<Size4>("computed:othello_4x4_mode1", 12);
    othello::<Size6>("computed:othello_6x6_mode1", 9);
    othello::<Size10>("computed:othello_10x10_mode1", 9);
    checkers::<American>("checkers_8x8", 9);
    checkers::<Losing>("checkers_8x8", 9);
    checkers::<American10>("computed:checkers_10x10_r3", 7);
}

#[test]
#[ignore = "seconds to minutes; make test-long"]
fn deep_tables() {
    othello::<Size8>("othello_8x8_mode1", 11);
    othello::<Size6>("computed:othello_6x6_mode1", 11);
    othello::<Size10>("computed:othello_10x10_mode1", 11);
    checkers::<American>("checkers_8x8", 13);
    checkers::<Losing>("checkers_8x8", 11);
    checkers::<American10>("computed:checkers_10x10_r3", 9);
}

/// Counts over boards are those over games, from any position, in as little memory as one likes.
fn check_with_table<G: Tested>(rounds: u64, depth: u32, position: impl Fn(&mut Stream) -> G) {
    let stop = AtomicBool::new(false);
    for round in 0..rounds {
        let mut draws = Key::new(81).child(G::Board::SIZE.into()).child(round).stream();
        let position = if round == 0 { G::start(G::usual()) } else { position(&mut draws) };
        let plain = perft(position, depth, 0, &stop);
        for bytes in [0, 1 << 12, 1 << 18, 1 << 30] {
            assert_eq!(perft_with_table(position, depth, 0, bytes, &stop), plain, "{position:?} in {bytes} bytes");
        }
    }
    assert!(perft_with_table(G::start(G::usual()), depth, 1, 1 << 30, &AtomicBool::new(true)).is_err());
}

#[test]
fn boards_are_counted_as_games_are() {
    check_with_table::<Othello<Size4>>(scaled(200), 7, |draws| random_position_of(draws, 10));
    check_with_table::<Othello<Size6>>(scaled(200), 6, |draws| random_position_of(draws, 30));
    check_with_table::<Othello<Size8>>(scaled(200), 6, |draws| random_position_of(draws, 58));
    check_with_table::<Othello<Size10>>(scaled(100), 5, |draws| random_position_of(draws, 90));
    check_with_table::<Checkers<Size8>>(scaled(200), 6, any_checkers::<American>);
    check_with_table::<Checkers<Size8>>(scaled(200), 6, any_checkers::<Losing>);
    check_with_table::<Checkers<Size10>>(scaled(100), 5, any_checkers::<American10>);
}

#[test]
fn all_eight_images_of_a_position_are_one_board() {
    let start = Othello::<Size8>::start(OthelloRules);
    let replies: Vec<_> = start.legal_moves().map(|chosen| key_of(&start.play_unchecked(chosen))).collect();
    assert!(replies.iter().all(|key| *key == replies[0]), "all first moves are the same");
}

/// Read `B:W18,K24:B1,12`.
fn position<V: Variant>(fen: &str) -> Checkers<V::Board> {
    let dark: Vec<u32> = dark_squares::<V::Board>().into_iter().collect();
    let (turn, lists) = fen.split_once(':').expect("a side to move");
    let mut sets = [Bitboard::<V::Board>::EMPTY; 3];
    for list in lists.split(':') {
        for piece in list[1..].split(',').filter(|piece| !piece.is_empty()) {
            let number: usize = piece.trim_start_matches('K').parse().expect("a number");
            let square = Bitboard::square(dark[number - 1]);
            let side = usize::from(list.starts_with('W'));
            sets[side] = sets[side] | square;
            if piece.starts_with('K') {
                sets[2] = sets[2] | square;
            }
        }
    }
    let turn = if turn == "B" { Color::Black } else { Color::White };
    Checkers::new(V::RULES, sets[0], sets[1], sets[2], turn, (0, 0)).expect("a possible position")
}

#[test]
fn positions() {
    let lines: Vec<&str> = include_str!("../../../../testdata/perft/checkers_8x8_positions.jsonl").lines().collect();
    assert_eq!(lines.len(), 300);
    for line in lines {
        let problem: serde_json::Value = serde_json::from_str(line).expect("a line is JSON");
        let fen = problem["fen"].as_str().expect("a position");
        for (index, leaves) in problem["perft"].as_array().expect("counts").iter().enumerate() {
            let depth = index as u32 + 1;
            assert_eq!(count(position::<American>(fen), depth), leaves.as_u64(), "{fen} at depth {depth}");
            assert_eq!(count(position::<Losing>(fen), depth), leaves.as_u64(), "{fen} at depth {depth}");
        }
    }
}

#[test]
fn a_game_that_ended_is_no_leaf_and_draws_do_not_exist() {
    let fen = "B:WK1:B";
    assert_eq!(count(position::<American>(fen), 0), Some(1));
    assert_eq!(count(position::<American>(fen), 1), Some(0));
    assert_eq!(count(position::<American>(fen), 9), Some(0));
    // Two kings far apart walk for ever.
    let shuffling = position::<American>("B:WK1:BK32");
    let ends = (1..=6).map(|depth| count(shuffling, depth)).collect::<Option<Vec<_>>>();
    assert!(ends.is_some_and(|ends| ends.is_sorted() && ends[5] > 0));
}

#[test]
fn a_count_can_be_stopped() {
    let start = Checkers::<Size8>::start(CheckersRules::AMERICAN);
    assert!(perft(start, 20, 1, &AtomicBool::new(true)).is_err());
}

#[test]
fn board_sizes() {
    assert_eq!(dark_squares::<<American10 as Variant>::Board>().len(), <American10 as Variant>::Board::SQUARES / 2);
}
