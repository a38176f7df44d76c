//! Selective search: where nothing can be foretold it is the exact search, and what makes no sense is refused.
#![allow(clippy::unwrap_used)]

use std::sync::atomic::AtomicBool;

use crate::common::{
    American, Tested, ahead, any_checkers, evaluator, player, random_position_of, small_evaluator, written,
};
use evoply_checkers::Checkers;
use evoply_core::analysis::Question;
use evoply_core::bitboard::{Board, Size8};
use evoply_core::choice::{Choice, Drawing, Ties};
use evoply_core::evaluator::View;
use evoply_core::player::Chooser;
use evoply_core::search::leaves::{Leaves, Noise};
use evoply_core::search::ordering::MoveOrder;
use evoply_core::search::selective::{Line, Selectivity};
use evoply_core::search::{LookAhead, SearchOptions};
use evoply_core::stream::{Key, Stream};
use evoply_othello::Othello;

static NEVER: AtomicBool = AtomicBool::new(false);

fn chosen<G: Tested>(chooser: Chooser<G>, ties: Ties, position: &G, key: Key) -> Choice<G> {
    player(chooser, ties).analyse(position, &Question::of(key), &NEVER).unwrap().choice
}

fn check<G: Tested>(rounds: u64, position: impl Fn(&mut Stream) -> G) {
    let mut fewer = 0;
    for round in 0..rounds {
        let mut draws = Key::new(41).child(G::Board::SIZE.into()).child(round).stream();
        let (position, depth) = (position(&mut draws), 3 + draws.below(3) as u32);
        let evaluator = evaluator(&small_evaluator::<G::Board>(&mut draws), View::Turn);
        let ties = [Ties::First, Ties::Last, Ties::Random][draws.below(3) as usize];
        let table = [0, 1 << 8][draws.below(2) as usize];
        let options = SearchOptions { table, ordering: MoveOrder::Killer, ..SearchOptions::to_depth(depth) };
        let key = Key(draws.bits());
        let exact = chosen(ahead(evaluator.clone(), options), ties, &position, key);
        let by = |sigmas: f64, lines: Option<[Line; 2]>| {
            let cuts =
                lines.map_or(vec![], |[early, late]| (2..5).map(|depth| (depth, 1, vec![early, late])).collect());
            let selectivity = Selectivity::new(sigmas, vec![20], cuts).unwrap();
            let chooser = LookAhead::new(evaluator.clone(), None, options).unwrap();
            chosen(Chooser::AlphaBeta(chooser.with_selectivity(selectivity).unwrap()), ties, &position, key)
        };
        // Nothing is foretold, or nothing is certain enough: the choice is the exact one.
        for same in [by(1.0, None), by(100.0, Some([[1.0, 0.0, 1e13]; 2]))] {
            assert_eq!(same.chosen, exact.chosen, "round {round}");
            assert_eq!(same.score.map(f64::to_bits), exact.score.map(f64::to_bits), "round {round}");
        }
        assert_eq!(by(1.0, None).nodes, exact.nodes, "round {round}");
        // What is foretold too boldly gives some legal move, the same each time.
        let bold = [(); 2].map(|()| by(0.1, Some([[1.0, 0.0, 1.0], [0.9, 0.1, 2.0]])));
        assert!(position.legal_moves().any(|legal| legal == bold[0].chosen), "round {round}");
        assert_eq!((bold[0].chosen, bold[0].nodes), (bold[1].chosen, bold[1].nodes), "round {round}");
        fewer += u64::from(bold[0].nodes < exact.nodes);
    }
    assert!(fewer > 0, "nothing was ever left out");
}

#[test]
fn is_exact_where_nothing_is_foretold() {
    check::<Othello<Size8>>(30, |draws| random_position_of(draws, 40));
    check::<Checkers<Size8>>(30, any_checkers::<American>);
    every_board! { check::<Othello<Size6>>(60, |draws| random_position_of(draws, 24)); }
}

#[test]
fn what_makes_no_sense_is_refused() {
    let (depth, line) = (4, [1.0, 0.0, 0.5]);
    let cases = [
        (Selectivity::new(0.0, vec![], vec![]), "selective 0 is no number of sigmas above 0"),
        (Selectivity::new(1.0, vec![9, 9], vec![]), "stages of selective search must rise"),
        (Selectivity::new(1.0, vec![], vec![(depth, 4, vec![line])]), "a search of 4 plies foretells none of 4"),
        (Selectivity::new(1.0, vec![9], vec![(depth, 2, vec![line])]), "depth 4: 1 lines for 2 stages"),
        (Selectivity::new(1.0, vec![], vec![(depth, 2, vec![[0.0, 0.0, 1.0]])]), "depth 4: a line is a slope above 0"),
    ];
    for (number, (case, message)) in cases.into_iter().enumerate() {
        let error = case.err().unwrap_or_default();
        assert!(error.contains(message), "case {number}: {error}");
    }
    let evaluator = evaluator::<Othello<Size8>>(&written(r#"["pieces"]"#, 0), View::Turn);
    let look = |options| LookAhead::new(evaluator.clone(), None, options).unwrap();
    let usual = || Selectivity::new(1.0, vec![], vec![]).unwrap();
    let plain = SearchOptions::to_depth(3);
    let noisy = SearchOptions { leaves: Leaves::Noisy(Noise::Uniform), ..plain };
    assert!(look(noisy).with_selectivity(usual()).is_err_and(|why| why.contains("leave selective out")));
    let drawn = |options, temperature| look(options).with_drawing(Drawing { temperature, overlooks: 0.0 });
    for temperature in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(drawn(plain, temperature).is_err_and(|why| why.contains("no number above 0")));
    }
    let limited = SearchOptions { nodes: Some(9), ..plain };
    assert!(drawn(limited, 1.0).is_err_and(|why| why.contains("no other limit")));
    let both = drawn(plain, 1.0).unwrap().with_selectivity(usual());
    assert!(both.is_err_and(|why| why.contains("leave selective out")));
}
