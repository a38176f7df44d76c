//! Code against the reference interpreter, on one board and on eight; games side by side against games one by one.

#[cfg(feature = "every-board")]
use evoply_core::bitboard::Size10;
use evoply_core::bitboard::{Bitboard, Board, Direction, Size8, Word};
use evoply_core::cpu::{self, Cpu, Task};
use evoply_core::expression::reference::{self, Inputs};
use evoply_core::expression::{Builder, Expression, Node, NodeId, Side};
use evoply_core::lanes::{LANES, Lanes};
use evoply_core::rules::playout::{NO_CAP, Playout, Playouts};
use evoply_core::rules::{Game, SeenLanes};
use evoply_core::stream::{Key, Stream};

use crate::code::{Code, One, Wide};
use crate::lowering::{Maker, Value};
use crate::{DataGame, DataRules, read, registers};

/// Pieces step ahead or are put on the board.
const STEP: &str = r#"{"kind": "step", "from": 0, "onto": 3, "offsets": [[1, 0, true], [1, 2, false]], "own": null, "opponent": null}"#;
/// Some of its moves are those of `STEP`.
const WALK: &str = r#"{"kind": "step", "from": 0, "onto": 2, "offsets": [[1, -1, true], [1, 0, true], [0, 1, false], [-2, 1, false]], "own": null, "opponent": null}"#;
const PLACE: &str = r#"{"kind": "place", "on": 4, "own": 5, "opponent": 6}"#;
/// Turns over what stands between the square and an own piece: part of it is found for the legal moves already.
const TURN: &str = r#"{"kind": "place", "on": 9, "own": 10, "opponent": 11}"#;
/// The same wherever it is empty.
const TURN_ANYWHERE: &str = r#"{"kind": "place", "on": 2, "own": 10, "opponent": 11}"#;
/// Squares of both placements go by the first.
const PLACE_BELOW: &str = r#"{"kind": "place", "on": 8, "own": null, "opponent": null}"#;
const SLIDE: &str = r#"{"kind": "slide", "from": 0, "through": 2, "onto": 3, "offsets": [[1, 1, true], [0, -1, false]], "own": null, "opponent": null}"#;

/// Rules with some of these moves; odd shape, effects, passes and ends, and a hole unless there are eight columns.
fn rules<B: Board>(rows: u32, columns: u32, moves: &[&str]) -> DataRules<B> {
    let moves = moves.join(", ");
    let last = rows * columns - 1;
    let playable: Vec<u32> = (0..=last).filter(|&square| square != 7 || columns == 8).collect();
    let written = format!(
        r#"{{"format": 1, "rows": {rows}, "columns": {columns}, "playable": {playable:?},
        "start": {{"black": [0, 1, 2], "white": [{}, {}, {last}]}},
        "moves": [{moves}],
        "ends": {{"wins": 7, "loses": null, "draws": 12}}, "no_move": "passes", "both_pass": "fewest",
        "expression": {{"format": 1, "nodes": [
            ["own"], ["opponent"], ["empty"], ["or", 1, 2], ["shift", 0, "e"], ["and", 4, 2],
            ["moved_to"], ["or", 0, 6], ["shift", 6, "s"], ["and", 8, 1], ["or", 7, 9], ["minus", 1, 9],
            ["squares_turned", [{last}]], ["and", 12, 0], ["is_empty", 13], ["negation", 14],
            ["shift", 0, "s"], ["and", 16, 2],
            ["shift", 0, "w"], ["fill", 18, 1, ["w"]], ["shift", 19, "w"], ["and", 20, 2],
            ["shift", 6, "e"], ["fill", 22, 19, ["e"]], ["or", 7, 23], ["minus", 1, 23],
            ["squares", [0, 1, 2, 3]], ["fill", 26, 0, ["n", "ne", "e", "s", "sw", "w"]],
            ["squares", [{}, {}]], ["and", 27, 28], ["is_empty", 29], ["negation", 30]],
            "outputs": [0, 1, 2, 3, 5, 10, 11, 15, 17, 21, 24, 25, 31]}}}}"#,
        last - 2,
        last - 1,
        last - 3,
        last - 4
    );
    DataRules::read(&read(&written).expect("JSON")).expect("rules")
}

/// A set expression of some nodes, and their places.
fn random_expression(draws: &mut Stream, squares: u32) -> (Expression, Vec<NodeId>) {
    let mut builder = Builder::default();
    let leaves = [
        Node::Pieces(Side::Own),
        Node::Pieces(Side::Opponent),
        Node::EmptySquares,
        Node::MovedTo,
        Node::ConstantSquares { squares: 0b1010_0110_1101, turned: false },
        Node::ConstantSquares { squares: 0b111, turned: true },
    ];
    let mut sets: Vec<NodeId> = leaves.into_iter().map(|leaf| builder.node(leaf).expect("a leaf")).collect();
    for _ in 0..12 {
        let mut one = || sets[draws.below(sets.len() as u64) as usize];
        let (a, b) = (one(), one());
        let direction = Direction::ALL[draws.below(8) as usize];
        let node = match draws.below(10) {
            0 => Node::Intersection(a, b),
            1 => Node::Union(a, b),
            2 => Node::Difference(a, b),
            3 => Node::Complement(a),
            4 => Node::Shift(a, direction),
            5 => Node::Fill(a, b, 1 << direction as u8),
            6 => Node::Fill(a, b, draws.below(255) as u8 + 1),
            7 => Node::Symmetry(a, draws.below(4) as u8),
            8 => Node::First(a),
            _ => {
                let (few, many) = (builder.node(Node::Count(a)), builder.node(Node::Count(b)));
                let less = builder.node(Node::Less(few.expect("few"), many.expect("many"))).expect("less");
                let odd = builder.node(Node::IsOdd(a)).expect("odd");
                let either = builder.node(Node::Either(less, odd)).expect("either");
                Node::Select(either, a, b)
            }
        };
        sets.push(builder.node(node).expect("a node"));
    }
    let root = sets[sets.len() - 1];
    let outputs = (0..squares).map(|square| builder.node(Node::Contains(root, square as u8)).expect("contains"));
    let outputs: Vec<_> = outputs.collect();
    (builder.finish(outputs), vec![root])
}

struct OnLanes<'a, B: Board>(&'a Code<B>, [&'a Lanes<B::Word>; 3]);

impl<B: Board> Task for OnLanes<'_, B> {
    type Output = Lanes<B::Word>;
    fn run<C: Cpu>(self, cpu: C) -> Self::Output {
        let [own, opponent, to] = self.1.map(|lanes| B::Word::load(cpu, lanes));
        let found = self.0.run(Wide(cpu), [own, opponent, B::Word::splat(cpu, B::Word::ZERO), to]);
        B::Word::lanes(found.set(self.0.outputs[0]))
    }
}

fn code_agrees<B: Board>(rows: u32, columns: u32) {
    let rules = rules::<B>(rows, columns, &[STEP, PLACE]);
    let geometry = DataGame::<B>::geometry(rules);
    for round in 0..150 {
        let mut draws = Key::new(u64::from(rows * columns)).child(round).stream();
        let (expression, root) = random_expression(&mut draws, rows * columns);
        let own_is_black = draws.below(2) == 0;
        let mut maker = Maker::new(&geometry, &expression, own_is_black);
        let set = maker.set(root[0], false).expect("a set");
        let code = registers::code(&maker, &[Value::Set(set)]).expect("code");
        let mut some = || {
            let bits = u128::from(draws.bits()) << 64 | u128::from(draws.bits());
            Bitboard::<B>(B::Word::from_u128(bits)) & geometry.playable()
        };
        let boards: [_; LANES] = std::array::from_fn(|_| {
            let own = some();
            let (opponent, to) = (some() - own, some());
            (own, opponent, to)
        });
        let owns = Lanes::of(|lane| boards[lane].0.0);
        let opponents = Lanes::of(|lane| boards[lane].1.0);
        let tos = Lanes::of(|lane| boards[lane].2.0);
        let wide: Vec<_> =
            cpu::available().into_iter().map(|path| cpu::on(path, OnLanes(&code, [&owns, &opponents, &tos]))).collect();
        for (lane, &(own, opponent, to)) in boards.iter().enumerate() {
            let nothing = Bitboard::EMPTY;
            let inputs = Inputs {
                own,
                opponent,
                kings: nothing,
                moved_to: to,
                own_is_black,
                ply: 0.0,
                quiet_plies: 0.0,
                root_clock: 0.0,
                root_ply: 0.0,
            };
            let values = reference::evaluate::<DataGame<B>>(rules, &expression, &inputs);
            let expected: Bitboard<B> = (0..rows * columns).filter(|&square| values[square as usize] == 1.0).collect();
            let found = code.run(One, [own.0, opponent.0, B::Word::ZERO, to.0]);
            assert_eq!(Bitboard::<B>(found.set(code.outputs[0])), expected, "round {round}");
            for sets in &wide {
                assert_eq!(Bitboard::<B>(sets.0[lane]), expected, "round {round}, lane {lane}");
            }
        }
    }
}

#[test]
fn code_is_what_the_reference_says() {
    code_agrees::<Size8>(5, 6);
    code_agrees::<Size8>(8, 8);
    #[cfg(feature = "every-board")]
    {
        code_agrees::<Size10>(9, 7);
        code_agrees::<Size10>(10, 10);
    }
}

struct Finish<'a, B: Board>(&'a mut [Playout<DataGame<B>>]);

impl<B: Board> Task for Finish<'_, B> {
    type Output = ();
    fn run<C: Cpu>(self, cpu: C) {
        DataGame::finish_playouts(cpu, self.0);
    }
}

struct Lane<'a, B: Board>(DataRules<B>, SeenLanes<'a, B>);

impl<B: Board> Task for Lane<'_, B> {
    type Output = (u8, Lanes<B::Word>, Lanes<f64>);
    fn run<C: Cpu>(self, cpu: C) -> Self::Output {
        let Self(rules, seen) = self;
        (
            DataGame::stuck_lanes(cpu, rules, seen),
            DataGame::destinations_of_lanes(cpu, rules, seen),
            DataGame::mobility_of_lanes(cpu, rules, seen),
        )
    }
}

fn side_by_side_agrees<B: Board>(rules: DataRules<B>) {
    let games: Vec<_> = (0..100)
        .map(|number| {
            let key = Key::new(3).child(number);
            let mut position = DataGame::<B>::start(rules);
            // Games begin with either side to move.
            if number % 3 == 1 {
                position = position.play_unchecked(position.legal_moves().next().expect("a move"));
            }
            let opening = key.child(9).stream();
            let most_plies = if number % 5 == 2 { (number % 30) as u32 } else { NO_CAP };
            Playout { position, plies: 0, hash: number, opening, opening_plies: (number % 7) as u32, key, most_plies }
        })
        .collect();
    let mut alone = games.clone();
    alone.iter_mut().for_each(Playout::finish);
    assert!(alone.iter().map(|game| game.plies).sum::<u32>() > 500);
    for path in cpu::available() {
        let mut together = games.clone();
        cpu::on(path, Finish(&mut together));
        for (one, other) in alone.iter().zip(&together) {
            assert_eq!((one.position, one.plies, one.hash), (other.position, other.plies, other.hash));
            assert_eq!(one.position.ply(), other.position.ply());
            assert_eq!(one.opening.state(), other.opening.state());
        }
        for games in alone.chunks_exact(LANES) {
            let own = Lanes::of(|lane| games[lane].position.own().0);
            let opponent = Lanes::of(|lane| games[lane].position.opponent().0);
            for own_is_black in [true, false] {
                let seen = SeenLanes { own: &own, opponent: &opponent, kings: None, own_is_black };
                let (stuck, destinations, mobility) = cpu::on(path, Lane(rules, seen));
                for lane in 0..LANES {
                    let seen = seen.lane(lane);
                    let count = DataGame::<B>::mobility(rules, &seen);
                    assert_eq!(mobility.0[lane], f64::from(count));
                    assert_eq!(Bitboard::<B>(destinations.0[lane]), DataGame::<B>::destinations(rules, &seen));
                    assert_eq!(stuck >> lane & 1 == 1, count == 0);
                }
            }
        }
    }
}

/// All positions after moves, made a block at a time, and the squares that the moves landed on.
struct Blocks<'a, B: Board>(&'a DataGame<B>);

impl<B: Board> Task for Blocks<'_, B> {
    type Output = Vec<(DataGame<B>, B::Word)>;
    #[inline(always)]
    fn run<C: Cpu>(self, cpu: C) -> Self::Output {
        let (mut expansion, mut found) = (self.0.expand(cpu), Vec::new());
        loop {
            let children = self.0.next_children(cpu, &mut expansion);
            found.extend((0..children.len).map(|lane| (self.0.child(&children, lane), children.moved_to.0[lane])));
            if children.len < LANES {
                return found;
            }
        }
    }
}

fn blocks_agree<B: Board>(rules: DataRules<B>) {
    let mut blocks = 0;
    for number in 0..40 {
        let mut draws = Key::new(5).child(number).stream();
        let mut position = DataGame::<B>::start(rules);
        for _ in 0..60 {
            let moves: Vec<_> = position.legal_moves().collect();
            for (place, &chosen) in moves.iter().enumerate() {
                assert_eq!(position.legal_moves().nth(place), Some(chosen));
            }
            assert_eq!(position.legal_moves().nth(moves.len()), None);
            let played = |&chosen| (position.play_unchecked(chosen), DataGame::<B>::moved_to(rules, chosen).0);
            let expected: Vec<_> = moves.iter().map(played).collect();
            for path in cpu::available() {
                assert_eq!(cpu::on(path, Blocks(&position)), expected);
            }
            blocks += expected.len() / LANES;
            if moves.is_empty() {
                break;
            }
            position = position.play_unchecked(moves[draws.below(moves.len() as u64) as usize]);
        }
    }
    assert!(blocks > 100, "{blocks} whole blocks are too few to tell");
}

#[test]
fn blocks_of_children_are_the_moves_played_one_by_one() {
    blocks_agree(rules::<Size8>(8, 8, &[STEP, PLACE_BELOW]));
    blocks_agree(rules::<Size8>(6, 7, &[STEP, PLACE]));
    blocks_agree(rules::<Size8>(7, 5, &[STEP, PLACE, SLIDE]));
    blocks_agree(rules::<Size8>(8, 6, &[PLACE, PLACE_BELOW]));
    blocks_agree(rules::<Size8>(8, 8, &[STEP, WALK]));
    blocks_agree(rules::<Size8>(7, 7, &[TURN_ANYWHERE]));
    blocks_agree(rules::<Size8>(8, 8, &[TURN, TURN_ANYWHERE]));
    blocks_agree(rules::<Size8>(8, 8, &[TURN, STEP, TURN_ANYWHERE]));
    #[cfg(feature = "every-board")]
    {
        blocks_agree(rules::<Size10>(10, 7, &[STEP, PLACE]));
        blocks_agree(rules::<Size10>(9, 8, &[PLACE_BELOW, SLIDE]));
        blocks_agree(rules::<Size10>(10, 10, &[TURN, TURN_ANYWHERE]));
    }
}

#[test]
fn games_side_by_side_are_those_played_one_by_one() {
    side_by_side_agrees(rules::<Size8>(6, 7, &[STEP, PLACE]));
    side_by_side_agrees(rules::<Size8>(7, 5, &[STEP, PLACE, SLIDE]));
    side_by_side_agrees(rules::<Size8>(8, 6, &[PLACE, PLACE_BELOW]));
    side_by_side_agrees(rules::<Size8>(8, 8, &[STEP]));
    side_by_side_agrees(rules::<Size8>(8, 8, &[STEP, WALK]));
    side_by_side_agrees(rules::<Size8>(7, 7, &[PLACE]));
    side_by_side_agrees(rules::<Size8>(8, 8, &[TURN, PLACE]));
    side_by_side_agrees(rules::<Size8>(8, 8, &[TURN, STEP]));
    #[cfg(feature = "every-board")]
    {
        side_by_side_agrees(rules::<Size10>(10, 7, &[STEP, PLACE]));
        side_by_side_agrees(rules::<Size10>(9, 8, &[PLACE, PLACE_BELOW]));
        side_by_side_agrees(rules::<Size10>(10, 10, &[STEP, WALK]));
        side_by_side_agrees(rules::<Size10>(10, 10, &[TURN, PLACE]));
    }
}

/// What moves do is given the ray that the legal moves are made of.
#[test]
fn code_of_legal_moves_keeps_what_effects_need() {
    let rules = rules::<Size8>(8, 8, &[TURN]);
    let kept = rules.0.legal.each_ref().map(|code| code.kept.len());
    assert_eq!(kept, [1, 1]);
}
