//! Programs with other parameters against expressions written with them from the start, bit for bit.
#![allow(clippy::unwrap_used)]

use crate::common::{
    American, RandomExpression, Tested, any_checkers, drawn_pattern, loaded, random_position_of, same, scaled,
};
use evoply_core::bitboard::{Board, Size8};
use evoply_core::cpu::available;
use evoply_core::expression::evaluation::Registers;
use evoply_core::expression::program::Program;
use evoply_core::expression::reference::{Inputs, evaluate};
use evoply_core::expression::{Builder, Expression, Node, NodeId, json};
use evoply_core::rules::Game;

use evoply_core::stream::{Key, Stream};
use evoply_othello::{Othello, OthelloRules};

/// The drawn expression with `values` written for its numbers and weights, node by node.
fn written_with<B: Board>(drawn: &RandomExpression, values: &[f64], mut builder: Builder) -> Expression {
    let mut values = values.iter().copied();
    let mut ids: Vec<NodeId> = Vec::new();
    for &node in &drawn.nodes {
        let node = match node.renamed(|id| ids[id as usize]) {
            Node::ConstantNumber(_) => Node::ConstantNumber(values.next().unwrap().to_bits()),
            Node::WeightedSum(set, list, selector) => {
                let table = |_| values.by_ref().take(B::SQUARES as usize).collect();
                let tables = (0..=list % 3).map(table).collect::<Vec<Box<[f64]>>>().into();
                Node::WeightedSum(set, builder.tables(tables), selector)
            }
            Node::Pattern(sets, number, _) => {
                let (pattern, tables) = drawn_pattern(number, sets.iter().flatten().count(), B::SQUARES);
                let mut table = |entries: usize| values.by_ref().take(entries).collect();
                let tables = tables.iter().map(|old| table(old.len())).collect::<Vec<Box<[f64]>>>().into();
                Node::Pattern(sets, builder.pattern(pattern), builder.tables(tables))
            }
            other => other,
        };
        ids.push(builder.node(node).unwrap());
    }
    assert_eq!(values.next(), None);
    builder.finish(drawn.outputs.iter().map(|&id| ids[id as usize]).collect())
}

fn check<G: Tested>(rounds: u64, position: impl Fn(&mut Stream) -> G) {
    let paths = available();
    let mut registers = Registers::<G::Board>::default();
    let (mut changed, mut several) = (0, 0);
    for round in 0..rounds {
        let mut draws = Key::new(51).child(G::Board::SIZE.into()).child(round).stream();
        // Now and then more constants than have registers of their own.
        let nodes = if round % 20 == 0 { 600 } else { 4 + (round as usize * 7) % 90 };
        let drawn = RandomExpression::draw::<G::Board>(&mut draws, nodes);
        let expression = drawn.build(Builder::keeping_parameters());
        let program = Program::<G::Board>::new(&expression).unwrap();
        let before = expression.parameters().unwrap();
        several += u64::from(before.len() > 1);
        // Few different numbers, so that many are equal and sharing or folding them would show.
        let values: Vec<f64> = before.iter().map(|_| [0.0, -0.0, 1.0, -2.5, 0.37][draws.below(5) as usize]).collect();
        let replaced = expression.with_parameters(&values).unwrap();
        let found = replaced.parameters().unwrap();
        assert!(found.iter().zip(&values).all(|(a, b)| a.to_bits() == b.to_bits()), "round {round}");
        let program_with = program.with_parameters_of(&replaced);
        assert_eq!(program_with.operations(), program.operations());
        let short = written_with::<G::Board>(&drawn, &values, Builder::default());
        let lowered = Program::<G::Board>::new(&short).unwrap();
        let literal = written_with::<G::Board>(&drawn, &values, Builder::literal());
        let as_drawn = drawn.build(Builder::literal());
        for number in 0..4 {
            let inputs = Inputs::at(&position(&mut draws));
            let path = paths[number % paths.len()];
            let mut value = |program: &Program<G::Board>| loaded::<G>(path, &mut registers, program, &inputs);
            let (found, expected) = (value(&program_with), value(&lowered));
            let reference = evaluate::<G>(G::usual(), &literal, &inputs);
            for (output, &found) in found.iter().enumerate() {
                assert!(same(found, expected[output]) && same(found, reference[output]), "round {round}");
            }
            // The program that it was made from is what it was.
            let (untouched, was) = (value(&program), evaluate::<G>(G::usual(), &as_drawn, &inputs));
            assert!(untouched.iter().zip(&was).all(|(&a, &b)| same(a, b)), "round {round}");
            changed += u64::from(found.iter().zip(&was).any(|(&a, &b)| !same(a, b)));
        }
    }
    assert!(several > rounds / 2 && changed > rounds / 4, "{several} {changed}");
}

#[test]
fn other_parameters_are_as_good_as_written_ones() {
    check(scaled(4_000), |draws| random_position_of::<Othello<Size8>>(draws, 60));
    check(scaled(2_000), any_checkers::<American>);
    every_board! { check(scaled(2_000), |draws| random_position_of::<Othello<Size6>>(draws, 32)); }
}

/// What is written with equal numbers, or with numbers that could be added up now, keeps a parameter for each.
#[test]
fn no_parameter_vanishes() {
    let text = r#"{"format": 1, "outputs": [7], "nodes": [["number", 2], ["number", 2], ["add", 0, 1], ["own"],
        ["count", 3], ["multiply", 4, 2], ["number", 2], ["subtract", 5, 6]]}"#;
    let kept = json::parse(text, 64, Builder::keeping_parameters()).unwrap();
    assert_eq!(kept.parameters(), Some(vec![2.0, 2.0, 2.0]));
    let changed = kept.with_parameters(&[3.0, 4.0, 5.0]).unwrap();
    let start = Inputs::at(&Othello::<Size8>::start(OthelloRules));
    assert_eq!(evaluate::<Othello<Size8>>(OthelloRules, &changed, &start), [9.0]);
    assert_eq!(evaluate::<Othello<Size8>>(OthelloRules, &kept, &start), [6.0]);
    let short = json::parse(text, 64, Builder::default()).unwrap();
    assert_eq!(short.parameters(), None);
    assert!(short.with_parameters(&[]).unwrap_err().0.contains("no parameters"));
}

#[test]
fn wrong_parameters_are_refused() {
    let drawn = RandomExpression::draw::<Size8>(&mut Key::new(52).stream(), 60);
    let expression = drawn.build(Builder::keeping_parameters());
    let count = expression.parameters().unwrap().len();
    assert!(count > 2);
    for wrong in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut values = vec![0.0; count];
        values[1] = wrong;
        assert!(expression.with_parameters(&values).unwrap_err().0.contains("parameter 1 is not a finite number"));
    }
    for wrong in [0, count - 1, count + 1] {
        let error = expression.with_parameters(&vec![0.0; wrong]).unwrap_err().0;
        assert_eq!(error, format!("{wrong} values for {count} parameters"));
    }
}
