//! Perft of checkers against published tables and against 300 positions counted by other programs.

use std::sync::atomic::AtomicBool;

use super::common::{American, American10, Losing, Variant};
use evoply_checkers::{Checkers, CheckersRules, dark_squares};
use evoply_core::bitboard::{Bitboard, Board, Size8};
use evoply_core::rules::perft::perft;
use evoply_core::rules::{Color, Game};

fn count<B: Board>(position: Checkers<B>, depth: u32) -> Option<u64> {
    perft(position, depth, 0, &AtomicBool::new(false)).ok()
}

fn check<V: Variant>(table: &str, deepest: usize) {
    let text = include_str!("../../../../testdata/perft/perft_tables.json");
    let tables: serde_json::Value = serde_json::from_str(text).expect("the table is JSON");
    let values = tables[table]["values"].as_array().expect("a list of values");
    for (index, value) in values.iter().take(deepest).enumerate() {
        let leaves = count(Checkers::<V::Board>::start(V::RULES), index as u32 + 1);
        assert_eq!(leaves, value.as_u64(), "{table} at depth {}", index + 1);
    }
}

#[test]
fn tables() {
    check::<American>("checkers_8x8", 9);
    check::<Losing>("checkers_8x8", 9);
    check::<American10>("computed:checkers_10x10_r3", 7);
}

#[test]
#[ignore = "seconds to minutes; make test-long"]
fn deep_tables() {
    check::<American>("checkers_8x8", 13);
    check::<Losing>("checkers_8x8", 11);
    check::<American10>("computed:checkers_10x10_r3", 9);
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
