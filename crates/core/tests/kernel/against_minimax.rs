//! Choices against plain minimax on random positions: what every search is proved with.
#![allow(clippy::unwrap_used)]

use crate::common::{Tested, ask, evaluator, random_view, searching, small_evaluator, tie_rules};
use evoply_core::bitboard::{Bitboard, Board};
use evoply_core::choice::{Choice, Ties};
use evoply_core::cpu::{Path, available};
use evoply_core::evaluator::{Evaluator, View};
use evoply_core::expression::Expression;
use evoply_core::expression::reference::{Inputs, evaluate};
use evoply_core::player::Workspace;
use evoply_core::rules::playout::move_key;
use evoply_core::rules::{Color, Game};
use evoply_core::search::SearchOptions;
use evoply_core::search::leaves::Rule;
use evoply_core::search::minimax::Minimax;
use evoply_core::stream::{Key, Stream};

/// A position with something to choose, what values it, and the draws that follow.
pub struct Case<G: Game> {
    pub round: u64,
    pub draws: Stream,
    pub path: Path,
    pub position: G,
    pub expression: Expression,
    pub evaluator: Evaluator<G>,
}

/// The cases of so many random positions; the CPU paths take turns.
pub fn cases<G: Tested>(
    key: Key,
    positions: u64,
    random_position: impl Fn(&mut Stream) -> G,
) -> impl Iterator<Item = Case<G>> {
    let paths = available();
    (0..positions).filter_map(move |round| {
        let mut draws = key.child(round).stream();
        let position = random_position(&mut draws);
        if position.legal_moves().len() < 2 {
            return None;
        }
        let expression = small_evaluator::<G::Board>(&mut draws);
        let evaluator = evaluator(&expression, random_view(&mut draws));
        let path = paths[round as usize % paths.len()];
        Some(Case { round, draws, path, position, expression, evaluator })
    })
}

/// The greatest value, and all moves that have it in the order of legal moves.
pub struct Best<M> {
    pub value: f64,
    pub moves: Vec<M>,
}

impl<M: Copy> Best<M> {
    pub fn of(values: &[(M, f64)]) -> Self {
        let value = values.iter().fold(f64::NEG_INFINITY, |best, &(_, value)| best.max(value));
        Self { value, moves: values.iter().filter(|known| known.1 == value).map(|known| known.0).collect() }
    }

    /// Panics unless a choice has the value, and a rule takes its move of those that have it.
    pub fn check<G: Tested + Game<Move = M>>(&self, ties: Ties, position: &G, choice: &Choice<G>, case: &str) {
        assert_eq!(choice.score, Some(self.value), "{ties:?} {case}");
        check_taken(ties, position, &self.moves, choice.chosen, case);
    }
}

/// How often there was something to see.
#[derive(Default)]
pub struct Seen {
    /// Positions with several best moves.
    pub ties: u64,
    /// Questions that captures or replies behind the horizon answer in another way.
    pub differing: u64,
}

/// Compare value, best moves and line on random positions, for each rule of ties by one of some ways to search.
pub fn check<G: Tested>(
    key: Key,
    positions: u64,
    depth: u32,
    ways: &[SearchOptions],
    random_position: impl Fn(&mut Stream) -> G,
) -> Seen {
    let (mut seen, mut workspace) = (Seen::default(), Workspace::default());
    for Case { round, mut draws, path, position, expression, evaluator } in cases(key, positions, random_position) {
        let game = Key(draws.bits());
        let mut known: Vec<(Rule, Best<G::Move>, bool)> = Vec::new();
        for ties in tie_rules::<G>() {
            let options = ways[draws.below(ways.len() as u64) as usize];
            let player = searching(&evaluator, options, ties);
            for attempt in 0..if ties == Ties::Random { 3 } else { 1 } {
                let game = game.child(attempt);
                let choosing = move_key(game, position.turn(), position.ply());
                let rule = options.leaves.rule(game, position.turn(), choosing);
                let place = known.iter().position(|&(known, ..)| known == rule).unwrap_or_else(|| {
                    let plain = Minimax { rule, ..Minimax::at(&position, &expression, evaluator.view) };
                    let question = Minimax { quiescence: options.quiescence, guard: options.guard, ..plain };
                    let values = question.move_values(&position, depth);
                    let looks_on = options.quiescence || options.guard;
                    let differs = looks_on && values != plain.move_values(&position, depth);
                    known.push((rule, Best::of(&values), differs));
                    known.len() - 1
                });
                let (_, best, differs) = &known[place];
                let choice = ask(path, &player, &position, game, &mut workspace);
                let case = format!("{options:?} {:?} depth {depth} round {round}", evaluator.view);
                best.check(ties, &position, &choice, &case);
                assert!((1..=depth).contains(&choice.depth), "{case}");
                check_line(&position, &choice);
                seen.differing += u64::from(*differs);
            }
        }
        seen.ties += u64::from(known.iter().any(|(_, best, _)| best.moves.len() > 1));
    }
    seen
}

/// The same where ties are to be seen.
pub fn check_ties<G: Tested>(
    key: Key,
    positions: u64,
    depth: u32,
    ways: &[SearchOptions],
    random_position: impl Fn(&mut Stream) -> G,
) {
    let key = key.child(G::Board::SIZE.into()).child(depth.into());
    let Seen { ties, .. } = check(key, positions, depth, ways, random_position);
    assert!(ties > positions / 50, "too few ties to prove anything: {ties} of {positions}");
}

/// The position at the end of a principal variation, all of whose moves are legal.
pub fn check_line<G: Tested>(position: &G, choice: &Choice<G>) -> G {
    let line = std::iter::once(&choice.chosen).chain(&choice.continuation);
    line.fold(*position, |position, &chosen| position.play(chosen).expect("a legal move"))
}

/// The value for the mover of the board after a move, straight from the reference interpreter.
pub fn value_after<G: Tested>(position: &G, chosen: G::Move, expression: &Expression, view: View) -> f64 {
    let (mover, child) = (position.turn(), position.play_unchecked(chosen));
    let own = if view == View::Player { mover } else { mover.opposite() };
    let inputs = Inputs {
        own: child.pieces(own),
        opponent: child.pieces(own.opposite()),
        moved_to: G::moved_to(G::usual(), chosen),
        own_is_black: own == Color::Black,
        root_clock: position.clock_here(),
        root_ply: f64::from(position.ply()),
        ..Inputs::at(&child)
    };
    let value = evaluate::<G>(G::usual(), expression, &inputs)[0];
    match view {
        _ if value.is_nan() => -1e12,
        View::Player => value.clamp(-1e12, 1e12),
        View::Turn => -value.clamp(-1e12, 1e12),
    }
}

/// Panics unless a rule takes `chosen` of moves that are equally good, in the order of legal moves.
fn check_taken<G: Tested>(ties: Ties, position: &G, equals: &[G::Move], chosen: G::Move, case: &str) {
    let size = G::Board::SIZE;
    let expected = match ties {
        Ties::First => equals.first(),
        Ties::Last => equals.last(),
        Ties::Column => (0..size * size)
            .map(|place| Bitboard::square(place % size * size + place / size))
            .find_map(|square| equals.iter().find(|&&equal| G::moved_to(G::usual(), equal) == square)),
        Ties::Advanced => {
            // The square that becomes empty, or is come back to.
            let row = |equal: &G::Move| {
                let left = position.own() - position.play_unchecked(*equal).opponent();
                let square = if left.is_empty() { G::moved_to(G::usual(), *equal) } else { left };
                square.first() / size
            };
            let is_black = position.turn() == Color::Black;
            let rows = equals.iter().map(row);
            let farthest = if is_black { rows.max() } else { rows.min() };
            equals.iter().find(|equal| Some(row(equal)) == farthest)
        }
        Ties::Random => equals.iter().find(|&&equal| equal == chosen),
    };
    assert_eq!(Some(&chosen), expected, "{ties:?} {case}");
}
