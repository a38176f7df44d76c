//! Perft against the published tables and against 160 positions counted by another program.

use std::sync::atomic::AtomicBool;

use evoply_core::bitboard::{Board, Size4, Size6, Size8, Size10};
use evoply_core::rules::Game;
use evoply_core::rules::othello::Othello;
use evoply_core::rules::perft::perft;

fn check<B: Board>(table: &str, deepest: usize) {
    let text = include_str!("../../../../testdata/perft/perft_tables.json");
    let tables: serde_json::Value = serde_json::from_str(text).expect("the table is JSON");
    let values = tables[table]["values"].as_array().expect("a list of values");
    for (index, value) in values.iter().take(deepest).enumerate() {
        let leaves = perft(Othello::<B>::start(), index as u32 + 1, 0, &AtomicBool::new(false));
        assert_eq!(leaves.ok(), value.as_u64(), "{table} at depth {}", index + 1);
    }
}

#[test]
fn tables() {
    check::<Size8>("othello_8x8_mode1", 9);
    check::<Size4>("computed:othello_4x4_mode1", 12);
    check::<Size6>("computed:othello_6x6_mode1", 9);
    check::<Size10>("computed:othello_10x10_mode1", 9);
}

#[test]
#[ignore = "seconds to minutes; make test-long"]
fn deep_tables() {
    check::<Size8>("othello_8x8_mode1", 11);
    check::<Size6>("computed:othello_6x6_mode1", 11);
    check::<Size10>("computed:othello_10x10_mode1", 11);
}
