//! Patterns: indices carried from board to board, indices found square by square, and the reference, bit for bit.
#![allow(clippy::unwrap_used)]

use crate::common::{
    American, Losing, Tested, checkers, drawn_pattern, evaluator, random_position_of, random_view, scaled,
};
use evoply_checkers::Checkers;
use evoply_core::bitboard::{Board, Size8};
use evoply_core::cpu::{Cpu, Task, available, on};
use evoply_core::evaluator::{View, block_of, follow, speaks_for};
use evoply_core::expression::evaluation::Registers;
use evoply_core::expression::program::Program;
use evoply_core::expression::reference::{Inputs, evaluate};
use evoply_core::expression::{Builder, Expression, Node, Side, json};
use evoply_core::lanes::Lanes;
use evoply_core::patterns::Pattern;
use evoply_core::rules::{Color, Game};
use evoply_core::stream::{Key, Stream};
use evoply_othello::{Othello, OthelloRules};

/// A sum of patterns over pieces, men and kings of either side in any order, an output for each sum so far.
fn sum_of_patterns(draws: &mut Stream, squares: u32) -> Expression {
    let mut builder = Builder::default();
    let (mut outputs, mut sum) = (Vec::new(), None);
    for _ in 0..=draws.below(12) {
        let mut kinds: Vec<Node> = [Side::Own, Side::Opponent]
            .into_iter()
            .flat_map(|s| [Node::Pieces(s), Node::Men(s), Node::Kings(s)])
            .collect();
        let mut sets = [None; 4];
        for set in sets.iter_mut().take(1 + draws.below(4) as usize) {
            let kind = kinds.swap_remove(draws.below(kinds.len() as u64) as usize);
            *set = Some(builder.node(kind).unwrap());
        }
        let (pattern, tables) = drawn_pattern(draws.below(1 << 20) as u32, sets.iter().flatten().count(), squares);
        let pattern = Node::Pattern(sets, builder.pattern(pattern), builder.tables(tables.into()));
        let pattern = builder.node(pattern).unwrap();
        let so_far = sum.map_or(pattern, |sum| builder.node(Node::Add(sum, pattern)).unwrap());
        sum = Some(so_far);
        outputs.push(so_far);
    }
    if draws.below(2) == 0 {
        // A sum whose parts nobody reads is one operation.
        outputs.drain(..outputs.len() - 1);
    }
    builder.finish(outputs)
}

/// The values of all children of some positions, seen by one side or by the other.
struct Values<'a, G: Game> {
    registers: &'a mut Registers<G::Board>,
    program: &'a Program<G::Board>,
    position: &'a G,
    view: View,
    chooser: Color,
    is_carried: bool,
}

impl<G: Tested> Task for Values<'_, G> {
    type Output = Vec<Vec<u64>>;
    fn run<C: Cpu>(self, cpu: C) -> Self::Output {
        let Self { registers, program, position, view, chooser, is_carried } = self;
        let speaker = speaks_for(view, position.turn(), chooser);
        let (mut values, mut expansion) = (Vec::new(), position.expand(cpu));
        loop {
            let children = position.next_children(cpu, &mut expansion);
            let block = block_of(position, &children, speaker, 0.0, 0.0);
            let mut outputs = vec![Lanes::splat(0.0); program.outputs()];
            if is_carried {
                follow(cpu, &mut registers.carried, position, speaker, &children);
            }
            registers.evaluate::<G>(cpu, G::usual(), program, &block, &mut outputs);
            for lane in 0..children.len {
                values.push(outputs.iter().map(|output| output.0[lane].to_bits()).collect());
            }
            if children.len < 8 {
                return values;
            }
        }
    }
}

fn check<G: Tested>(boards: u64, seed: u64, any: impl Fn(&mut Stream) -> G) {
    let (paths, mut compared, mut round) = (available(), 0, 0);
    while compared < boards {
        let mut draws = Key::new(71).child(seed).child(round).stream();
        round += 1;
        let expression = sum_of_patterns(&mut draws, G::Board::SQUARES);
        let evaluator = evaluator::<G>(&expression, View::Turn);
        let program = &*evaluator.program;
        assert!(program.plan().is_some());
        let mut registers = Registers::<G::Board>::default();
        evaluator.load(&mut registers);
        for step in 0..40 {
            // Lines of a search, entered from above; positions out of nowhere; positions that were not entered at all.
            let mut position = any(&mut draws);
            let depth = draws.below(6) as usize;
            if draws.below(4) == 0 {
                registers.carried.begin();
            }
            for level in (0..depth).rev() {
                let kings = G::HAS_KINGS.then(|| position.kings().0);
                let (black, white) = (position.pieces(Color::Black).0, position.pieces(Color::White).0);
                registers.carried.enter(black, white, kings, level + 1);
                let moves: Vec<_> = position.legal_moves().collect();
                if let Some(&chosen) = moves.get(draws.below(moves.len() as u64) as usize) {
                    position = position.play_unchecked(chosen);
                }
            }
            let view = random_view(&mut draws);
            let chooser = if draws.below(2) == 0 { Color::Black } else { Color::White };
            let path = paths[(step as usize) % paths.len()];
            let mut values = |is_carried| {
                let (registers, position) = (&mut registers, &position);
                on(path, Values { registers, program, position, view, chooser, is_carried })
            };
            let (carried, full) = (values(true), values(false));
            assert_eq!(carried, full, "round {round}, step {step}");
            for (chosen, value) in position.legal_moves().zip(&carried) {
                let child = position.play_unchecked(chosen);
                let speaker = speaks_for(view, position.turn(), chooser);
                let inputs = Inputs {
                    own: child.pieces(speaker),
                    opponent: child.pieces(speaker.opposite()),
                    own_is_black: speaker == Color::Black,
                    ..Inputs::at(&child)
                };
                let expected: Vec<_> =
                    evaluate::<G>(G::usual(), &expression, &inputs).into_iter().map(f64::to_bits).collect();
                assert_eq!(value, &expected, "round {round}, step {step}");
                compared += 1;
            }
        }
    }
}

fn reached<G: Tested>(draws: &mut Stream) -> G {
    random_position_of(draws, 2 * u64::from(G::Board::SQUARES))
}

#[test]
fn carried_indices_are_the_full_ones_in_othello() {
    let boards = scaled(1_000_000);
    check::<Othello<Size8>>(boards, 8, reached);
    every_board! {
        check::<Othello<Size4>>(boards, 4, reached);
        check::<Othello<Size6>>(boards, 6, reached);
        check::<Othello<Size10>>(boards, 10, reached);
    }
}

#[test]
fn carried_indices_are_the_full_ones_in_checkers() {
    let boards = scaled(1_000_000);
    check::<Checkers<Size8>>(boards, 1, checkers::<American>);
    check::<Checkers<Size8>>(boards, 2, checkers::<Losing>);
    every_board! { check::<Checkers<Size10>>(boards, 3, checkers::<American10>); }
}

/// Two squares of the first row with both sides and one stage after another, counted by hand.
#[test]
fn an_index_is_a_number_in_base_three() {
    let text = |tables: &str| {
        format!(
            r#"{{"format": 1, "nodes": [["own"], ["opponent"],
            ["pattern", 0, 1, null, null, [[0, 1], [7, 6]], false, [5], [{tables}]]], "outputs": [2]}}"#
        )
    };
    let numbers: Vec<String> = (0..9).map(|index| index.to_string()).collect();
    let hundreds: Vec<String> = (0..9).map(|index| (100 * index).to_string()).collect();
    let (first, second) = (format!("[{}]", numbers.join(",")), format!("[{}]", hundreds.join(",")));
    let read = |text: &str| json::parse(text, 64, Builder::default());
    let expression = read(&text(&format!("{first}, {second}"))).unwrap();
    let value = |own: &[u32], opponent: &[u32]| {
        let mut inputs = Inputs::at(&Othello::<Size8>::start(OthelloRules));
        (inputs.own, inputs.opponent) = (own.iter().copied().collect(), opponent.iter().copied().collect());
        evaluate::<Othello<Size8>>(OthelloRules, &expression, &inputs)[0]
    };
    assert_eq!(value(&[], &[]), 0.0);
    assert_eq!(value(&[0], &[1]), 3.0 + 2.0);
    assert_eq!(value(&[0, 6], &[1, 7]), 5.0 + 7.0);
    assert_eq!(value(&[0, 6, 30], &[1, 7]), 500.0 + 700.0);
    // The same in base64: doubles, the lowest byte first.
    let bytes: Vec<u8> = (0..9).flat_map(|index: u8| f64::from(index).to_le_bytes()).collect();
    let packed = format!("\"{}\"", base64(&bytes));
    assert_eq!(read(&text(&format!("{packed}, {second}"))).unwrap().tables(), expression.tables());
    for (tables, says) in [
        (first.clone(), "2 tables"),
        (format!("{first}, [1, 2]"), "9 entries"),
        (format!("{first}, \"AAAA\""), "9 entries"),
        (format!("{first}, \"AAA\""), "base64"),
        (format!("{first}, \"A?==\""), "base64"),
        (format!("{first}, [0,1,2,3,4,5,6,7,\"inf\"]"), "not finite"),
    ] {
        let message = read(&text(&tables)).unwrap_err().0;
        assert!(message.contains(says), "{message}");
    }
}

fn base64(bytes: &[u8]) -> String {
    let digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let group = |group: &[u8]| {
        let word = group.iter().chain([&0; 2]).take(3).fold(0_usize, |word, &byte| word << 8 | usize::from(byte));
        let digit =
            |place: usize| if place > group.len() { '=' } else { digits[word >> (18 - 6 * place) & 63] as char };
        (0..4).map(digit).collect::<String>()
    };
    bytes.chunks(3).map(group).collect()
}

#[test]
fn what_is_no_pattern_is_refused() {
    let refused =
        |copies: Vec<Vec<u8>>, sets, stages: Vec<u32>| Pattern::new(copies, sets, false, stages, 64).unwrap_err();
    for (message, says) in [
        (refused(vec![], 2, vec![]), "1 to 128 copies"),
        (refused(vec![vec![]], 2, vec![]), "at least one"),
        (refused(vec![vec![0, 1], vec![2]], 2, vec![]), "equally many"),
        (refused(vec![vec![64]], 2, vec![]), "not a square"),
        (refused(vec![vec![3, 4, 3]], 2, vec![]), "stands twice"),
        (refused(vec![(0..11).collect()], 2, vec![]), "more than 65536"),
        (refused(vec![vec![0]], 0, vec![]), "1 to 4 sets"),
        (refused(vec![vec![0]], 5, vec![]), "1 to 4 sets"),
        (refused(vec![vec![0]], 2, vec![9, 9]), "growing"),
        (refused(vec![vec![0]], 2, vec![0]), "begins at 1 to 64"),
    ] {
        assert!(message.contains(says), "{message}");
    }
    let largest = Pattern::new(vec![(0..10).collect()], 2, false, vec![20, 40], 64).unwrap();
    assert_eq!((largest.entries(), largest.tables(), largest.stage(19), largest.stage(40)), (59049, 3, 0, 2));
}
