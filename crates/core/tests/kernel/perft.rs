//! Perft against the published tables and against 160 positions counted by another program.

use std::sync::atomic::AtomicBool;

use crate::common::{American, American10, Losing, Tested, any_checkers, random_position_of, scaled};
use evoply_checkers::Checkers;
use evoply_core::bitboard::{Board, Size4, Size6, Size8, Size10};
use evoply_core::rules::Game;
use evoply_core::rules::perft::perft;
use evoply_core::rules::perft_table::{key_of, perft_with_table};
use evoply_core::stream::{Key, Stream};
use evoply_othello::{Othello, OthelloRules};

fn check<B: Board>(table: &str, deepest: usize) {
    let text = include_str!("../../../../testdata/perft/perft_tables.json");
    let tables: serde_json::Value = serde_json::from_str(text).expect("the table is JSON");
    let values = tables[table]["values"].as_array().expect("a list of values");
    for (index, value) in values.iter().take(deepest).enumerate() {
        let leaves = perft(Othello::<B>::start(OthelloRules), index as u32 + 1, 0, &AtomicBool::new(false));
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
