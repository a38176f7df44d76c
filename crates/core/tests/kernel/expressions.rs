//! Register code over eight lanes against the reference interpreter, bit for bit.

use crate::common::{
    American, Losing, RandomExpression, Tested, Variant, checkers, computed, loaded, random_set, same, scaled,
};
use evoply_checkers::Checkers;
use evoply_core::bitboard::{Bitboard, Board, Size8};
use evoply_core::cpu::{Path, available};
use evoply_core::expression::evaluation::{Block, Registers};
use evoply_core::expression::json;
use evoply_core::expression::program::Program;
use evoply_core::expression::reference::{Inputs, evaluate};
use evoply_core::expression::{Builder, primitives};
use evoply_core::lanes::{LANES, Lanes};
use evoply_core::rules::{Color, Game};
use evoply_core::stream::{Key, Stream};
use evoply_othello::{Othello, OthelloRules};

fn random_inputs<B: Board>(draws: &mut Stream) -> Inputs<B> {
    let own = random_set::<B>(draws);
    Inputs {
        own,
        opponent: random_set::<B>(draws) - own,
        kings: Bitboard::EMPTY,
        moved_to: Bitboard::square(draws.below(B::SQUARES.into()) as u32),
        own_is_black: draws.below(2) == 0,
        ply: draws.below(60) as f64,
        quiet_plies: draws.below(80) as f64,
        root_clock: draws.random(),
        root_ply: draws.below(60) as f64,
    }
}

/// A position of checkers, reached or set up, seen by either side.
fn checkers_inputs<V: Variant>(draws: &mut Stream) -> Inputs<V::Board> {
    let position = checkers::<V>(draws);
    let color = if draws.below(2) == 0 { Color::Black } else { Color::White };
    let counters = random_inputs(draws);
    Inputs {
        own: position.pieces(color),
        opponent: position.pieces(color.opposite()),
        kings: position.kings(),
        own_is_black: color == Color::Black,
        ..counters
    }
}

/// Compare `pairs` values of random expressions on random boards.
fn check<G: Tested>(pairs: u64, random_inputs: impl Fn(&mut Stream) -> Inputs<G::Board>) {
    let key = Key::new(11).child(G::Board::SIZE.into());
    let mut registers = Registers::<G::Board>::default();
    let paths = available();
    let (mut compared, mut round, mut not_a_number) = (0, 0, 0_u64);
    while compared < pairs {
        let mut draws = key.child(round).stream();
        round += 1;
        // Every path has to equal the reference, so the paths equal one another.
        let path = paths[round as usize % paths.len()];
        let drawn = RandomExpression::draw::<G::Board>(&mut draws, 4 + (round as usize * 7) % 90);
        let drawn = drawn.with_more_weights(&mut draws);
        let literal = drawn.build(Builder::literal());
        let program = Program::<G::Board>::new(&drawn.build(Builder::default())).expect("a checked expression");
        let mut outputs = vec![Lanes::splat(0.0); program.outputs()];
        registers.load::<G>(G::usual(), &program);
        for _ in 0..4 {
            let common = random_inputs(&mut draws);
            let lanes: [Inputs<G::Board>; LANES] = std::array::from_fn(|_| {
                let other = random_inputs(&mut draws);
                // Colours may go different ways: what the other side owns there is turned half round.
                let turn = |set: Bitboard<G::Board>| {
                    if other.own_is_black == common.own_is_black { set } else { set.symmetry(3) }
                };
                Inputs {
                    own: turn(other.own),
                    opponent: turn(other.opponent),
                    kings: turn(other.kings),
                    moved_to: other.moved_to,
                    quiet_plies: if draws.below(2) == 0 { common.quiet_plies } else { 0.0 },
                    ..common
                }
            });
            let (mut block, mut kings) = (Block::filled(&common), Lanes::splat(common.kings.0));
            block.quiet = 0;
            for (lane, inputs) in lanes.iter().enumerate() {
                block.own.0[lane] = inputs.own.0;
                block.opponent.0[lane] = inputs.opponent.0;
                kings.0[lane] = inputs.kings.0;
                block.moved_to.0[lane] = inputs.moved_to.0;
                block.quiet |= u8::from(inputs.quiet_plies > 0.0) << lane;
            }
            block.kings = Some(kings);
            registers.evaluate_on::<G>(path, G::usual(), &program, &block, &mut outputs);
            for (lane, inputs) in lanes.iter().enumerate() {
                let expected = evaluate::<G>(G::usual(), &literal, inputs);
                for (output, &value) in expected.iter().enumerate() {
                    let found = outputs[output].0[lane];
                    assert!(
                        same(found, value),
                        "round {round}, {path:?}, lane {lane}, output {output}: {found} is not {value}\n{:#?}\n{inputs:?}",
                        drawn.nodes
                    );
                    not_a_number += u64::from(!value.is_finite());
                }
                compared += 1;
            }
        }
    }
    assert!(not_a_number > pairs / 100, "too few infinities and NaNs to prove anything: {not_a_number}");
}

#[test]
fn lanes_equal_the_reference() {
    check::<Othello<Size8>>(scaled(700_000), random_inputs);
    every_board! {
        check::<Othello<Size4>>(scaled(50_000), random_inputs);
        check::<Othello<Size6>>(scaled(100_000), random_inputs);
        check::<Othello<Size10>>(scaled(150_000), random_inputs);
    }
}

#[test]
fn lanes_equal_the_reference_in_checkers() {
    check::<Checkers<Size8>>(scaled(200_000), checkers_inputs::<American>);
    check::<Checkers<Size8>>(scaled(50_000), checkers_inputs::<Losing>);
    every_board! { check::<Checkers<Size10>>(scaled(100_000), checkers_inputs::<American10>); }
}

fn read(text: &str) -> Result<evoply_core::expression::Expression, String> {
    json::parse(text, 64, Builder::default()).map_err(|error| error.0)
}

#[test]
fn errors_name_the_node() {
    let cases = [
        ("", "not JSON"),
        ("[]", "\"format\": 1"),
        (r#"{"format": 2, "nodes": [], "outputs": []}"#, "newer"),
        (r#"{"format": 1, "nodes": [], "outputs": [0]}"#, "earlier node"),
        (r#"{"format": 1, "nodes": [["own"]], "outputs": []}"#, "1 to 4096 outputs"),
        (r#"{"format": 1, "nodes": [["own"], ["nothing"]], "outputs": [0]}"#, "node 1: there is no operation"),
        (r#"{"format": 1, "nodes": [["count", 0]], "outputs": [0]}"#, "node 0: 0 is not the number of an earlier"),
        (r#"{"format": 1, "nodes": [["own"], ["add", 0, 0]], "outputs": [1]}"#, "needs number"),
        (r#"{"format": 1, "nodes": [["own", 3]], "outputs": [0]}"#, "takes 0 arguments, not 1"),
        (r#"{"format": 1, "nodes": [["squares", [64]]], "outputs": [0]}"#, "64 is not a square"),
        (r#"{"format": 1, "nodes": [["own"], ["shift", 0, "up"]], "outputs": [1]}"#, "not a direction"),
        (r#"{"format": 1, "nodes": [["own"], ["weighted_sum", 0, [[1, 2]], null]], "outputs": [1]}"#, "64 squares"),
    ];
    for (text, expected) in cases {
        let message = read(text).map(|_| ()).expect_err(text);
        assert!(message.contains(expected), "{text}: {message}");
    }
    let squares = read(r#"{"format": 1, "nodes": [["own"]], "outputs": [0]}"#).expect("well formed");
    let message = Program::<Size8>::new(&squares).map(|_| ()).expect_err("a set is no value").0;
    assert!(message.contains("use count"), "{message}");
}

#[test]
fn trees_become_expressions() {
    let function = r#"{"format": 1, "nodes": [["argument", 0, "number"], ["argument", 1, "number"], ["subtract", 0, 1]], "outputs": [2]}"#;
    let leaf = |side: &str| format!(r#"{{"format": 1, "nodes": [["{side}"], ["count", 0]], "outputs": [1]}}"#);
    let list = [function.to_owned(), leaf("own"), leaf("opponent")];
    let list = list.iter().map(|text| read(text).expect("well formed")).collect();
    let set = primitives::PrimitiveSet::new(list).expect("well formed");
    let start = Othello::<Size8>::start(OthelloRules);
    let after = start.play_unchecked(start.legal_moves().next().expect("a move"));
    let inputs = Inputs::at(&after);
    let value = |codes: &[u16], constants: &[f64]| {
        let expression = set.expression(codes, constants, 1, Builder::default()).map_err(|error| error.0)?;
        Ok::<f64, String>(evaluate::<Othello<Size8>>(OthelloRules, &expression, &inputs)[0])
    };
    // ( - ( - white 10 ) black ) with one own disc and four of the opponent.
    assert_eq!(value(&[0, 0, 1, primitives::CONSTANT, 2], &[10.0]), Ok(-13.0));
    assert_eq!(value(&[1], &[]), Ok(1.0));
    for (codes, constants) in [(&[0, 1][..], &[][..]), (&[1, 1], &[]), (&[], &[]), (&[7], &[]), (&[1], &[2.0])] {
        assert!(value(codes, constants).is_err(), "{codes:?}");
    }
}

/// A count once took an intersection that another operation reads too for its own, and read registers that were reused.
#[test]
fn a_shared_intersection_is_stored() {
    let text = r#"{"format": 1, "nodes": [["own"], ["empty"], ["shift", 0, "n"], ["shift", 1, "s"], ["and", 2, 3],
        ["is_odd", 4], ["shift", 0, "e"], ["shift", 1, "w"], ["or", 6, 7], ["count", 8], ["count", 4]],
        "outputs": [5, 9, 10]}"#;
    let expression = read(text).expect("well formed");
    let program = Program::<Size8>::new(&expression).expect("checked");
    let (mut registers, mut draws) = (Registers::default(), Key::new(1).stream());
    for _ in 0..100 {
        let inputs = random_inputs::<Size8>(&mut draws);
        let found = loaded::<Othello<Size8>>(Path::Avx512, &mut registers, &program, &inputs);
        assert_eq!(found, evaluate::<Othello<Size8>>(OthelloRules, &expression, &inputs));
    }
}

/// A count that only a sum reads is one operation with it, on either side and of an intersection too; what it costs stays.
#[test]
fn sums_of_counts_equal_the_reference() {
    let mut nodes = vec![r#"["own"]"#.to_owned(), r#"["opponent"]"#.to_owned(), r#"["number", 0.5]"#.to_owned()];
    let (mut set, mut sum) = (0, 2);
    for (round, direction) in ["e", "s", "sw", "nw", "n", "se", "w", "ne"].into_iter().cycle().take(24).enumerate() {
        let first = nodes.len();
        nodes.push(format!(r#"["shift", {set}, "{direction}"]"#));
        nodes.push(format!(r#"["or", {first}, 0]"#));
        nodes.push(format!(r#"["and", {}, 1]"#, first + 1));
        nodes.push(format!(r#"["count", {}]"#, if round % 3 == 0 { first + 2 } else { first + 1 }));
        let count = first + 3;
        let (left, right) = if round % 2 == 0 { (sum, count) } else { (count, sum) };
        nodes.push(format!(r#"["add", {left}, {right}]"#));
        (set, sum) = (first + 1, first + 4);
        if round % 5 == 4 {
            nodes.push(format!(r#"["multiply", {sum}, 2]"#));
            sum += 1;
        }
    }
    let text = format!(r#"{{"format": 1, "nodes": [{}], "outputs": [{sum}]}}"#, nodes.join(", "));
    let expression = read(&text).expect("well formed");
    let program = Program::<Size8>::new(&expression).expect("within the limits");
    // Twice 24 to move and join, 24 counts (with their intersections, if they have one), 24 sums, 4 products, and the output.
    assert_eq!(program.operations(), 2 * 24 + 24 + 24 + 4 + 1);
    let (mut registers, mut draws) = (Registers::default(), Key::new(31).stream());
    for _ in 0..100 {
        let inputs = random_inputs::<Size8>(&mut draws);
        let expected = evaluate::<Othello<Size8>>(OthelloRules, &expression, &inputs);
        for path in [Path::Baseline, Path::Avx2, Path::Avx512] {
            assert_eq!(loaded::<Othello<Size8>>(path, &mut registers, &program, &inputs), expected);
        }
    }
}

/// What the choosing position decides is looked up once a choice: the same wherever the choice is made, and in whatever order.
#[test]
fn branches_equal_the_reference() {
    check_choices(
        r#"{"format": 1, "nodes": [["root_t"], ["root_ply"], ["number", 0.3], ["number", 0.6], ["number", 20],
        ["less", 0, 2], ["less", 0, 3], ["less", 1, 4], ["own"], ["opponent"], ["count", 8], ["count", 9],
        ["number_of_moves", "own"], ["number_of_moves", "opponent"], ["multiply", 10, 12], ["subtract", 11, 13],
        ["select", 6, 14, 15], ["select", 5, 10, 16], ["select", 7, 8, 9], ["count", 18], ["add", 17, 19],
        ["both", 5, 7], ["select", 21, 11, 12]], "outputs": [20, 22, 5]}"#,
    );
}

/// What is computed once a choice: numbers of the root, turned squares, the colour; with a branch and without.
#[test]
fn what_the_choice_decides_equals_the_reference() {
    for select in [r#"["add", 12, 14]"#, r#"["select", 2, 12, 14]"#] {
        check_choices(&format!(
            r#"{{"format": 1, "nodes": [["root_t"], ["number", 0.4], ["less", 0, 1], ["root_ply"], ["multiply", 0, 3],
            ["subtract", 1, 4], ["squares_turned", [0, 1, 2, 11]], ["shift", 6, "s"], ["own"], ["and", 7, 8],
            ["count", 9], ["count", 7], ["multiply", 5, 10], ["is_black"], ["select", 13, 11, 5], {select}, ["add", 1, 1],
            ["multiply", 15, 16]], "outputs": [17, 5, 13]}}"#
        ));
    }
}

/// Evaluate an expression at positions of one choice after the other; the program is loaded once.
fn check_choices(text: &str) {
    let expression = read(text).expect("well formed");
    let program = Program::<Size8>::new(&expression).expect("checked");
    let mut draws = Key::new(24).stream();
    for path in available() {
        let mut registers = Registers::default();
        registers.load::<Othello<Size8>>(OthelloRules, &program);
        for _ in 0..scaled(2_000) {
            let choice = random_inputs::<Size8>(&mut draws);
            for _ in 0..=draws.below(3) {
                let Inputs { root_clock, root_ply, .. } = choice;
                let inputs = Inputs { root_clock, root_ply, ..random_inputs(&mut draws) };
                let found = computed::<Othello<Size8>>(path, &mut registers, &program, &inputs);
                let expected = evaluate::<Othello<Size8>>(OthelloRules, &expression, &inputs);
                assert_eq!(found, expected, "{path:?} {inputs:?}");
            }
        }
    }
}

fn primitives_for_trees() -> primitives::PrimitiveSet {
    let function = |op: &str| {
        let end = if op == "divide" { ", \"one\"" } else { "" };
        format!(
            r#"{{"format": 1, "nodes": [["argument", 0, "number"], ["argument", 1, "number"], ["{op}", 0, 1{end}]], "outputs": [2]}}"#
        )
    };
    let leaf = |nodes: &str, output: u32| format!(r#"{{"format": 1, "nodes": [{nodes}], "outputs": [{output}]}}"#);
    let texts = [
        function("add"),
        function("subtract"),
        function("multiply"),
        function("divide"),
        leaf(r#"["own"], ["count", 0]"#, 1),
        leaf(r#"["opponent"], ["count", 0]"#, 1),
        leaf(r#"["own"], ["squares", [0, 7, 56, 63]], ["and", 0, 1], ["count", 2]"#, 3),
        leaf(r#"["number_of_moves", "own"]"#, 0),
        leaf(r#"["number_of_moves", "opponent"]"#, 0),
    ];
    let expressions =
        texts.iter().map(|text| json::parse(text, 64, Builder::literal()).expect("well formed")).collect();
    primitives::PrimitiveSet::new(expressions).expect("well formed")
}

/// Compare the register code of a tree with the reference interpreter reading it just as it is written.
fn check_tree(set: &primitives::PrimitiveSet, codes: &[u16], constants: &[f64], draws: &mut Stream) {
    let build = |builder| set.expression(codes, constants, 1, builder).expect("a whole tree");
    let literal = build(Builder::literal());
    let program = Program::<Size8>::new(&build(Builder::default())).expect("within the limits");
    let inputs = random_inputs::<Size8>(draws);
    let found = loaded::<Othello<Size8>>(Path::Avx512, &mut Registers::default(), &program, &inputs)[0];
    let expected = evaluate::<Othello<Size8>>(OthelloRules, &literal, &inputs)[0];
    assert!(same(found, expected), "{found} is not {expected}: {codes:?}");
}

#[test]
fn lowered_trees_equal_the_reference() {
    let set = primitives_for_trees();
    for round in 0..scaled(100_000) {
        let mut draws = Key::new(21).child(round).stream();
        let (mut codes, mut constants, mut open) = (Vec::new(), Vec::new(), 1);
        while open > 0 {
            let grow = codes.len() < 40 && draws.below(2) == 0;
            let code = if grow { draws.below(4) as u16 } else { 4 + draws.below(6) as u16 };
            open += if grow { 1 } else { -1_i32 };
            if code == 9 {
                constants.push((draws.below(20) as f64 - 10.0) / 4.0);
                codes.push(primitives::CONSTANT);
            } else {
                codes.push(code);
            }
        }
        check_tree(&set, &codes, &constants, &mut draws);
    }
}

/// Trees that lean to either side need few registers, however large: lowering once kept a value for every level.
#[test]
fn combs_lower() {
    let set = primitives_for_trees();
    let mut draws = Key::new(22).stream();
    let constants: Vec<f64> = (0..400).map(|index| f64::from(index) / 8.0).collect();
    let product = |codes: &mut Vec<u16>| codes.extend([2, 4, primitives::CONSTANT]);
    let mut left = vec![0; 399];
    (0..400).for_each(|_| product(&mut left));
    let mut right = Vec::new();
    for index in 0..400 {
        if index < 399 {
            right.push(0);
        }
        product(&mut right);
    }
    check_tree(&set, &left, &constants, &mut draws);
    check_tree(&set, &right, &constants, &mut draws);
}

/// An expression has any number of outputs: they are written as soon as they are known.
#[test]
fn many_outputs() {
    let nodes: Vec<String> = std::iter::once(r#"["own"]"#.to_owned())
        .chain((0..400).map(|square| format!(r#"["contains", 0, {}]"#, square % 64)))
        .chain((0..400).map(|index| format!(r#"["number", {index}]"#)))
        .chain((0..400).map(|index| format!(r#"["select", {}, {}, {}]"#, 1 + index, 401 + index, 401)))
        .collect();
    let outputs: Vec<String> = (801..1201).map(|node| node.to_string()).collect();
    let text = format!(r#"{{"format": 1, "nodes": [{}], "outputs": [{}]}}"#, nodes.join(","), outputs.join(","));
    let expression = read(&text).expect("well formed");
    let program = Program::<Size8>::new(&expression).expect("within the limits");
    let inputs = random_inputs::<Size8>(&mut Key::new(23).stream());
    let found = loaded::<Othello<Size8>>(Path::Baseline, &mut Registers::default(), &program, &inputs);
    assert_eq!(found, evaluate::<Othello<Size8>>(OthelloRules, &expression, &inputs));
}
