//! Random boards and random expressions for the tests, the odd ones included.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use evoply_checkers::{Checkers, CheckersRules, dark_squares};
use evoply_core::bitboard::{Bitboard, Board, Direction, Size8, Size10, Word};
use evoply_core::choice::{Choice, Ties};
use evoply_core::cpu::{Path, on};
use evoply_core::evaluator::{Evaluator, View};
use evoply_core::expression::evaluation::{Block, Registers};
use evoply_core::expression::program::Program;
use evoply_core::expression::reference::Inputs;
use evoply_core::expression::{Builder, Expression, Node, NodeId, Side, Type, WhenZero, json};
use evoply_core::lanes::Lanes;
use evoply_core::patterns::Pattern;
use evoply_core::player::{Choose, Chooser, Player, Workspace};
use evoply_core::rules::playout::{Playouts, move_key, random_move};
use evoply_core::rules::weighted_games::Duels;
use evoply_core::rules::{Color, Game, Rules};
use evoply_core::search::exact::Endgames;
use evoply_core::search::{LookAhead, SearchOptions};
use evoply_core::stream::{Key, Stream};
use evoply_othello::{Othello, OthelloRules};

/// Tests marked long run in full when `EVOPLY_LONG` is set, at a tenth otherwise.
pub fn scaled(count: u64) -> u64 {
    if std::env::var_os("EVOPLY_LONG").is_some() { count } else { count / 10 }
}

/// What the tests ask of a game.
pub trait Tested: Playouts + Duels + Endgames {
    /// The rules that it is usually played by.
    fn usual() -> Self::Rules;
}

impl<B: Board> Tested for Othello<B> {
    fn usual() -> OthelloRules {
        OthelloRules
    }
}

impl<B: Board> Tested for Checkers<B> {
    fn usual() -> CheckersRules {
        CheckersRules::AMERICAN
    }
}

/// A game of checkers, to name it by a type.
pub trait Variant {
    type Board: Board;
    const RULES: CheckersRules;
}

pub struct American;

impl Variant for American {
    type Board = Size8;
    const RULES: CheckersRules = CheckersRules::AMERICAN;
}

pub struct Losing;

impl Variant for Losing {
    type Board = Size8;
    const RULES: CheckersRules = CheckersRules::LOSING;
}

pub struct American10;

impl Variant for American10 {
    type Board = Size10;
    const RULES: CheckersRules = CheckersRules::AMERICAN;
}

/// Any set of squares, dense, sparse or empty.
pub fn random_set<B: Board>(draws: &mut Stream) -> Bitboard<B> {
    let mut bits = |_| u128::from(draws.bits()) << 64 | u128::from(draws.bits());
    let words = [bits(0), bits(1), bits(2)];
    let set = match draws.below(8) {
        0 => 0,
        1 => u128::MAX,
        2 | 3 => words[0] & words[1],
        4 | 5 => words[0] | words[1],
        6 => words[0] & words[1] & words[2],
        _ => words[0],
    };
    Bitboard(B::Word::from_u128(set & B::FULL.to_u128()))
}

/// A position of Othello after up to `most` random plies that is not over.
pub fn random_position<B: Board>(draws: &mut Stream, most: u64) -> Othello<B> {
    random_position_of(draws, most)
}

/// Squares without a disc.
pub fn empties<B: Board>(position: &Othello<B>) -> u32 {
    (!(position.own() | position.opponent())).len()
}

/// The position that random plies lead to, until the game is over or goes on no more.
pub fn played_on<G: Game>(mut position: G, draws: &mut Stream, goes_on: impl Fn(&G) -> bool) -> G {
    while goes_on(&position)
        && let Some(chosen) = random_move(&position, |bound| draws.below(bound))
    {
        position = position.play_unchecked(chosen);
    }
    position
}

/// A position of Othello with so many empty squares, if the game lasted so long.
pub fn position_with<B: Board>(draws: &mut Stream, most: u32) -> Othello<B> {
    played_on(Othello::start(OthelloRules), draws, |position| empties(position) > most)
}

/// A position of Othello with at most `most` empty squares that is not over.
pub fn late_position<B: Board>(draws: &mut Stream, most: u32) -> Othello<B> {
    loop {
        let empties = 1 + draws.below(most.into()) as u32;
        let position = position_with(draws, empties);
        if position.outcome().is_none() {
            return position;
        }
    }
}

/// A position of any game after up to `most` random plies that is not over.
pub fn random_position_of<G: Tested>(draws: &mut Stream, most: u64) -> G {
    random_position_by(G::usual(), draws, most)
}

/// The same by other rules.
pub fn random_position_by<G: Game>(rules: G::Rules, draws: &mut Stream, most: u64) -> G {
    loop {
        let plies = draws.below(most + 1) as u32;
        let position = played_on(G::start(rules), draws, |position| position.ply() < plies);
        if position.outcome().is_none() {
            return position;
        }
    }
}

/// A position of checkers that was reached by up to `most` plies, or one that was set up, with its kings.
pub fn checkers_of<V: Variant>(draws: &mut Stream, most: u64) -> Checkers<V::Board> {
    if draws.below(2) == 0 { random_position_by(V::RULES, draws, most) } else { any_checkers::<V>(draws) }
}

/// The same by up to 120 plies.
pub fn checkers<V: Variant>(draws: &mut Stream) -> Checkers<V::Board> {
    checkers_of::<V>(draws, 120)
}

/// Any possible position of checkers, mostly one with few pieces and many kings.
pub fn any_checkers<V: Variant>(draws: &mut Stream) -> Checkers<V::Board> {
    loop {
        let mut sets = [Bitboard::<V::Board>::EMPTY; 3];
        let one_in = 2 + draws.below(6);
        for square in dark_squares::<V::Board>() {
            if draws.below(one_in) == 0 {
                let place = Bitboard::square(square);
                let color = draws.below(2) as usize;
                sets[color] = sets[color] | place;
                if draws.below(3) == 0 || square < V::Board::SIZE || square >= V::Board::SQUARES - V::Board::SIZE {
                    sets[2] = sets[2] | place;
                }
            }
        }
        let turn = if draws.below(2) == 0 { Color::Black } else { Color::White };
        let counters = (draws.below(200) as u32, draws.below(80) as u32);
        if let Some(position) = Checkers::new(V::RULES, sets[0], sets[1], sets[2], turn, counters)
            && position.outcome().is_none()
        {
            return position;
        }
    }
}

const NUMBERS: [f64; 14] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    10.0,
    3.7,
    1e30,
    -1e300,
    f64::MIN_POSITIVE,
    f64::MAX,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
];

/// Nodes of a random, well-typed expression in the order in which they were drawn.
pub struct RandomExpression {
    pub nodes: Vec<Node>,
    pub tables: Vec<Vec<f64>>,
    /// Of the board.
    pub squares: u32,
    pub outputs: Vec<NodeId>,
}

impl RandomExpression {
    /// Draw `count` nodes; every operation of the language can occur.
    pub fn draw<B: Board>(draws: &mut Stream, count: usize) -> Self {
        Self::drawn::<B>(draws, count, true)
    }

    /// The same without patterns, as answers were written down before there were any.
    pub fn without_patterns<B: Board>(draws: &mut Stream, count: usize) -> Self {
        Self::drawn::<B>(draws, count, false)
    }

    fn drawn<B: Board>(draws: &mut Stream, count: usize, has_patterns: bool) -> Self {
        let tables = (0..3).map(|_| (0..B::SQUARES).map(|_| (draws.below(9) as f64 - 4.0) * 0.37).collect()).collect();
        let mut drawn = Self { nodes: Vec::new(), tables, squares: B::SQUARES, outputs: Vec::new() };
        let mut pools: [Vec<NodeId>; 3] = Default::default();
        for id in 0..count as NodeId {
            let (node, kind) = loop {
                if let Some(node) = random_node::<B>(draws, &pools, has_patterns) {
                    break node;
                }
            };
            drawn.nodes.push(node);
            pools[kind as usize].push(id);
        }
        for pool in &pools[1..] {
            drawn.outputs.extend(pool.iter().rev().take(3));
        }
        if drawn.outputs.is_empty() {
            drawn.outputs.push(count as NodeId);
            drawn.nodes.push(Node::PieceCount);
        }
        drawn
    }

    /// The same with weights of more kinds: sums of few that are exact are done in another way, and some sums have no number.
    pub fn with_more_weights(mut self, draws: &mut Stream) -> Self {
        let units = [0.37, 0.25, 1.0, 1e308, 0.125 * f64::EPSILON];
        for table in &mut self.tables {
            let (unit, kinds) = (units[draws.below(5) as usize], 3 + 2 * draws.below(10));
            for weight in table {
                *weight = (draws.below(kinds) as f64 - (kinds / 2) as f64) * unit;
            }
        }
        self
    }

    /// Put the nodes into a builder, which may share and fold them.
    pub fn build(&self, mut builder: Builder) -> Expression {
        let mut ids: Vec<NodeId> = Vec::new();
        for &node in &self.nodes {
            let node = node.renamed(|id| ids[id as usize]);
            let node = if let Node::WeightedSum(set, list, selector) = node {
                let table = |index: usize| self.tables[index % 3].clone().into_boxed_slice();
                let list = (0..=list as usize % 3).map(table).collect::<Vec<_>>().into();
                Node::WeightedSum(set, builder.tables(list), selector)
            } else if let Node::Pattern(sets, number, _) = node {
                let (pattern, tables) = drawn_pattern(number, sets.iter().flatten().count(), self.squares);
                Node::Pattern(sets, builder.pattern(pattern), builder.tables(tables.into()))
            } else {
                node
            };
            ids.push(builder.node(node).unwrap());
        }
        builder.finish(self.outputs.iter().map(|&id| ids[id as usize]).collect())
    }
}

/// A pattern of so many sets, and its tables, drawn from a number.
pub fn drawn_pattern(number: u32, sets: usize, squares: u32) -> (Pattern, Vec<Box<[f64]>>) {
    let mut draws = Key::new(61).child(number.into()).stream();
    let length = 1 + draws.below(if sets > 2 { 4 } else { 5 }) as usize;
    let copies = 1 + draws.below(6);
    let mut copy = || {
        let mut copy: Vec<u8> = Vec::new();
        while copy.len() < length {
            let square = draws.below(squares.into()) as u8;
            if !copy.contains(&square) {
                copy.push(square);
            }
        }
        copy
    };
    let copies: Vec<_> = (0..copies).map(|_| copy()).collect();
    let mut stages: Vec<u32> = (0..draws.below(4)).map(|_| 1 + draws.below(squares.into()) as u32).collect();
    stages.sort_unstable();
    stages.dedup();
    let first = stages.first().map(|&next| draws.below(next.into()) as u32);
    let mut pattern = Pattern::new(copies, sets, draws.below(2) == 0, stages, squares).unwrap();
    if let Some(first) = first.filter(|_| draws.below(2) == 0) {
        pattern = pattern.mixed(first).unwrap();
    }
    let table = |_| (0..pattern.entries()).map(|_| (draws.below(9) as f64 - 4.0) * 0.37).collect();
    let tables = (0..pattern.tables()).map(table).collect();
    (pattern, tables)
}

fn random_node<B: Board>(draws: &mut Stream, pools: &[Vec<NodeId>; 3], has_patterns: bool) -> Option<(Node, Type)> {
    let mut choice = |pool: &Vec<NodeId>| {
        let bound = pool.len() as u64;
        (bound > 0).then(|| {
            // Recent nodes more often, so that expressions grow deep.
            let recent = draws.below(2) == 0;
            let back = draws.below(if recent { bound.min(4) } else { bound });
            pool[(bound - 1 - back) as usize]
        })
    };
    let (s1, s2) = (choice(&pools[0]), choice(&pools[0]));
    let (n1, n2) = (choice(&pools[1]), choice(&pools[1]));
    let (t1, t2, t3) = (choice(&pools[2]), choice(&pools[2]), choice(&pools[2]));
    let side = if draws.below(2) == 0 { Side::Own } else { Side::Opponent };
    let when_zero = [WhenZero::One, WhenZero::Zero, WhenZero::Numerator, WhenZero::Ieee][draws.below(4) as usize];
    let (squares, number, truth) = (Type::Squares, Type::Number, Type::Truth);
    Some(match draws.below(if has_patterns { 48 } else { 46 }) {
        0 | 1 => (Node::Pieces(side), squares),
        44 => (Node::Men(side), squares),
        45 => (Node::Kings(side), squares),
        2 => (Node::EmptySquares, squares),
        3 => (Node::MovedTo, squares),
        46 | 47 => {
            let more = [draws.below(2), draws.below(2)].map(|more| more == 0);
            let sets = [s1, s2.filter(|_| more[0]), s1.filter(|_| more[0] && more[1]), None];
            s1?; // At least one.
            (Node::Pattern(sets, draws.below(1 << 20) as u32, 0), number)
        }
        4 => {
            let set = random_set::<B>(draws).0.to_u128();
            (Node::ConstantSquares { squares: set, turned: draws.below(2) == 0 }, squares)
        }
        5 => (Node::Intersection(s1?, s2?), squares),
        6 => (Node::Union(s1?, s2?), squares),
        7 => (Node::Difference(s1?, s2?), squares),
        8 => (Node::Complement(s1?), squares),
        9 => (Node::Shift(s1?, Direction::ALL[draws.below(8) as usize]), squares),
        10 => (Node::Fill(s1?, s2?, draws.below(256) as u8), squares),
        11 => (Node::Symmetry(s1?, draws.below(8) as u8), squares),
        12 => (Node::Destinations(side), squares),
        13 | 14 => (Node::ConstantNumber(NUMBERS[draws.below(14) as usize].to_bits()), number),
        15 => (Node::PieceCount, number),
        16 => (Node::Ply, number),
        17 => (Node::QuietPlies, number),
        18 => (Node::Clock, number),
        19 => (Node::RootClock, number),
        20 => (Node::RootPly, number),
        21 | 22 => (Node::Count(s1?), number),
        23 => (Node::NumberOfMoves(side), number),
        24 => (Node::WeightedSum(s1?, draws.below(3) as u32, None), number),
        25 => (Node::WeightedSum(s1?, draws.below(3) as u32, Some(n1?)), number),
        26 => (Node::Add(n1?, n2?), number),
        27 => (Node::Subtract(n1?, n2?), number),
        28 => (Node::Multiply(n1?, n2?), number),
        29 | 30 => (Node::Divide(n1?, n2?, when_zero), number),
        31 => (Node::Minimum(n1?, n2?), number),
        32 => (Node::Maximum(n1?, n2?), number),
        33 => (Node::IsBlack, truth),
        34 => (Node::ConstantTruth(draws.below(2) == 0), truth),
        35 => (Node::IsOdd(s1?), truth),
        36 => (Node::IsEmpty(s1?), truth),
        37 => (Node::Contains(s1?, draws.below(B::SQUARES.into()) as u8), truth),
        38 => (Node::Less(n1?, n2?), truth),
        39 => (if draws.below(2) == 0 { Node::LessEqual(n1?, n2?) } else { Node::Equal(n1?, n2?) }, truth),
        40 => (Node::Both(t1?, t2?), truth),
        41 => (if draws.below(2) == 0 { Node::Either(t1?, t2?) } else { Node::Negation(t1?) }, truth),
        42 => (Node::Select(t1?, n1?, n2?), number),
        _ if draws.below(2) == 0 => (Node::Select(t1?, s1?, s2?), squares),
        _ => (Node::Select(t1?, t2?, t3?), truth),
    })
}

/// An evaluator over a few features whose values often tie: what searches are tested with.
pub fn small_evaluator<B: Board>(draws: &mut Stream) -> Expression {
    let count = 6 + draws.below(14) as usize;
    let mut drawn = RandomExpression::draw::<B>(draws, count);
    drawn.outputs.truncate(1);
    drawn.build(Builder::default())
}

/// The expression of nodes as a file has them, and of its one output.
pub fn written(nodes: &str, output: u32) -> Expression {
    let text = format!(r#"{{"format": 1, "nodes": [{nodes}], "outputs": [{output}]}}"#);
    json::parse(&text, 64, Builder::default()).unwrap()
}

/// Pieces of the side to move minus those of the other: what most papers count.
pub fn material() -> Expression {
    written(r#"["own"], ["count", 0], ["opponent"], ["count", 2], ["subtract", 1, 3]"#, 4)
}

/// Either view, as often as the other.
pub fn random_view(draws: &mut Stream) -> View {
    if draws.below(2) == 0 { View::Turn } else { View::Player }
}

/// What values boards by an expression.
pub fn evaluator<G: Tested>(expression: &Expression, view: View) -> Evaluator<G> {
    Evaluator { rules: G::usual(), program: Arc::new(Program::new(expression).unwrap()), view }
}

/// A small evaluator, and a view for it.
pub fn random_evaluator<G: Tested>(draws: &mut Stream) -> Evaluator<G> {
    let expression = small_evaluator::<G::Board>(draws);
    evaluator(&expression, random_view(draws))
}

/// A player that looks ahead.
pub fn searching<G: Tested>(evaluator: &Evaluator<G>, options: SearchOptions, ties: Ties) -> Player<G> {
    player(ahead(evaluator.clone(), options), ties)
}

/// What a player chooses on a CPU path in a game, whatever it was asked before; none if it is over or it is stopped.
pub fn asked<G: Tested>(
    path: Path,
    player: &Player<G>,
    position: &G,
    game: Key,
    workspace: &mut Workspace<G>,
) -> Option<Choice<G>> {
    player.prepare(workspace);
    workspace.begin(game);
    let (key, stop) = (move_key(game, position.turn(), position.ply()), &AtomicBool::new(false));
    on(path, Choose { player, position, key, workspace, stop })
}

/// The same where there is something to choose.
pub fn ask<G: Tested>(
    path: Path,
    player: &Player<G>,
    position: &G,
    game: Key,
    workspace: &mut Workspace<G>,
) -> Choice<G> {
    asked(path, player, position, game, workspace).expect("a game that goes on")
}

/// What chooses by looking ahead with an evaluator.
pub fn ahead<G: Tested>(evaluator: Evaluator<G>, options: SearchOptions) -> Chooser<G> {
    Chooser::AlphaBeta(LookAhead::new(evaluator, None, options).unwrap())
}

/// The same with a program of its own for the order of moves.
pub fn ordered<G: Tested>(evaluator: Evaluator<G>, options: SearchOptions, orderer: Evaluator<G>) -> Chooser<G> {
    Chooser::AlphaBeta(LookAhead::new(evaluator, Some(orderer), options).unwrap())
}

/// A player without random moves.
pub fn player<G: Tested>(chooser: Chooser<G>, ties: Ties) -> Player<G> {
    Player::new(G::usual(), chooser, ties).unwrap()
}

/// All tie rules that the game has.
pub fn tie_rules<G: Tested>() -> Vec<Ties> {
    let all = [Ties::First, Ties::Last, Ties::Random, Ties::Column, Ties::Advanced];
    all.into_iter().filter(|&ties| ties != Ties::Advanced || G::usual().moves_pieces()).collect()
}

/// Equal bits, except that one NaN is as good as another.
pub fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

/// The outputs of a program that is loaded, at one board.
pub fn computed<G: Tested>(
    path: Path,
    registers: &mut Registers<G::Board>,
    program: &Program<G::Board>,
    inputs: &Inputs<G::Board>,
) -> Vec<f64> {
    let mut outputs = vec![Lanes::splat(f64::NAN); program.outputs()];
    registers.evaluate_on::<G>(path, G::usual(), program, &Block::filled(inputs), &mut outputs);
    outputs.iter().map(|lanes| lanes.0[0]).collect()
}

/// The same for a program that is to be loaded.
pub fn loaded<G: Tested>(
    path: Path,
    registers: &mut Registers<G::Board>,
    program: &Program<G::Board>,
    inputs: &Inputs<G::Board>,
) -> Vec<f64> {
    registers.load::<G>(G::usual(), program);
    computed::<G>(path, registers, program, inputs)
}
