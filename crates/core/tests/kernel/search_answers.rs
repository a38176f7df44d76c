//! What searches answer, to the last node: chosen moves, values, depths, nodes and lines as they were when written down.
//!
//! Nodes are part of results: players limited in nodes choose by them, and runs keep what was chosen.
#![allow(clippy::unwrap_used, clippy::unreadable_literal)]

use std::sync::atomic::AtomicBool;

use crate::common::{RandomExpression, Tested, evaluator, random_position_of, random_view, searching};
use evoply_checkers::Checkers;
use evoply_core::analysis::Question;
use evoply_core::bitboard::Size8;
use evoply_core::choice::Ties;
use evoply_core::expression::Builder;
use evoply_core::search::SearchOptions;
use evoply_core::search::leaves::{Leaves, Noise};
use evoply_core::search::ordering::MoveOrder;
use evoply_core::stream::Key;
use evoply_othello::Othello;

/// Nodes of the answers on 60 positions, and a hash of all that they say.
fn answers<G: Tested>(ways: &[SearchOptions]) -> Vec<(u64, u64)> {
    let answer = |options: &SearchOptions| {
        let (mut nodes, mut hash) = (0, Key::new(1));
        for round in 0..60 {
            let mut draws = Key::new(77).child(round).stream();
            let position: G = random_position_of(&mut draws, 50);
            let count = 6 + draws.below(14) as usize;
            let mut drawn = RandomExpression::without_patterns::<G::Board>(&mut draws, count);
            drawn.outputs.truncate(1);
            let evaluator = evaluator(&drawn.build(Builder::default()), random_view(&mut draws));
            let ties = [Ties::First, Ties::Last, Ties::Random][round as usize % 3];
            let player = searching(&evaluator, *options, ties);
            let stop = AtomicBool::new(false);
            let choice = player.analyse(&position, &Question::of(Key::new(round)), &stop).unwrap().choice;
            nodes += choice.nodes;
            let score = choice.score.unwrap_or_default().to_bits();
            hash = hash
                .child(G::code(G::usual(), choice.chosen))
                .child(score)
                .child(choice.depth.into())
                .child(choice.nodes);
            hash = choice.continuation.iter().fold(hash, |hash, &chosen| hash.child(G::code(G::usual(), chosen)));
        }
        (nodes, hash.0)
    };
    ways.iter().map(answer).collect()
}

fn plain_ways() -> Vec<SearchOptions> {
    let to = SearchOptions::to_depth;
    let noisy = SearchOptions { leaves: Leaves::Noisy(Noise::Whole(3)), ..to(3) };
    vec![to(1), to(2), to(3), to(4), to(5), noisy]
}

fn deepening_ways() -> Vec<SearchOptions> {
    let to = SearchOptions::to_depth;
    let mut ways = Vec::new();
    for (ordering, table) in
        [(MoveOrder::None, 16), (MoveOrder::Hash, 1 << 10), (MoveOrder::Evaluator, 0), (MoveOrder::Killer, 1 << 10)]
    {
        ways.push(SearchOptions { ordering, table, ..to(5) });
        ways.push(SearchOptions { ordering, table, nodes: Some(700), ..to(9) });
    }
    ways
}

#[test]
fn of_the_plain_search() {
    assert_eq!(
        answers::<Othello<Size8>>(&plain_ways()),
        [
            (637, 0x1f85ddd5c8e4d664),
            (5771, 0xc84fbf9ae2f3bf3d),
            (36863, 0x54917879f0ade2c),
            (102050, 0xf7d1891f7db3abe1),
            (441738, 0x73e49e548295aba8),
            (34251, 0xc1bf619571a95035)
        ]
    );
}
#[test]
fn of_the_plain_search_in_checkers() {
    let mut ways = plain_ways();
    ways.extend([2, 3].map(|depth| SearchOptions { quiescence: true, ..SearchOptions::to_depth(depth) }));
    assert_eq!(
        answers::<Checkers<Size8>>(&ways),
        [
            (352, 0x608fba589912ef3a),
            (2008, 0x7ceabbef90a735f7),
            (7699, 0x9f838e651758114b),
            (18214, 0x9bbf1320045c7e4f),
            (56644, 0x5eabefdcaaa7b4f4),
            (6096, 0x662c20d5f9cb93e9),
            (3445, 0x93d782c943ef4422),
            (12365, 0x340fe327a4ec7f8c)
        ]
    );
}
#[test]
fn of_the_deepening_search() {
    assert_eq!(
        answers::<Othello<Size8>>(&deepening_ways()),
        [
            (476719, 0x550f5d701dbdcaa2),
            (41180, 0xa8b4f1d68434938f),
            (472468, 0x66ce10f6f3d9c013),
            (41173, 0xdf0d1b32051bd253),
            (600793, 0xd3437352a1588c8b),
            (41123, 0x921288faebdd726),
            (402459, 0x1568c7b450ebdfd5),
            (41137, 0x7d310ecc0dc58a52)
        ]
    );
}
#[test]
fn of_the_deepening_search_in_checkers() {
    let mut ways = deepening_ways();
    ways.extend([None, Some(500)].map(|nodes| SearchOptions {
        quiescence: true,
        ordering: MoveOrder::Killer,
        nodes,
        ..SearchOptions::to_depth(4)
    }));
    assert_eq!(
        answers::<Checkers<Size8>>(&ways),
        [
            (66539, 0x3def49cbb33db1e),
            (30712, 0x1a6030bac008fcb5),
            (62086, 0x1be01b7091153e84),
            (30716, 0x609033cbc4f69dbb),
            (81982, 0xec2c446cccd60f28),
            (30688, 0x2c35aad5ac6bf8de),
            (31421, 0xeb20e61c163d3632),
            (30738, 0xfc42ff1e979badeb),
            (17517, 0xeb4278a3fd5261d7),
            (17952, 0xd13cddd4e08e423b)
        ]
    );
}
