//! Monte Carlo tree search: a tree of positions grows by one leaf a playout, and the move that most playouts went through is
//! chosen.
//!
//! From the root down the untried move comes first, in the order of legal moves; where there is none, that of the greatest
//! upper bound (UCB1). What the leaf is worth a game of random or greedy moves says, or the evaluator. Descents may be gathered:
//! so many are made before any of their playouts, which are played side by side; until then each counts as lost by whoever moved.
//! Source: Kocsis & Szepesvári, "Bandit based Monte-Carlo Planning" (ECML 2006).
//!
//! Points are whole numbers ([`WHOLE`] for a won game), so that their sums do not depend on an order.
//!
//! Reasons: docs/design/players.md.

pub mod tree;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::choice::{Choice, Ties, exponential};
use crate::cpu::{Cpu, Task};
use crate::evaluator::{Beginning, Evaluator, after_moves, after_state};
use crate::expression::evaluation::Registers;
use crate::rules::draws::{DrawRules, result};
use crate::rules::playout::{NO_CAP, Playout, Playouts, move_key, random_move};
use crate::rules::{Color, Game, Rules};
use crate::search::exact::is_near_its_end;
use crate::stream::Key;
use tree::{Descent, Node, Positions, WHOLE};

/// Playouts of a choice where neither they nor time are limited.
pub const USUAL_PLAYOUTS: u32 = 1000;

/// More playouts are never made for one choice.
pub const MOST_PLAYOUTS: u32 = 1_000_000_000;

/// More descents are never gathered.
pub const MOST_GATHERED: u32 = 256;

/// What says how much a leaf is worth.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Leaf {
    /// A game of uniformly random moves to its end.
    Random,
    /// A game in which both sides take the best board after their move by the evaluator, a random one of equals.
    Greedy {
        /// The probability that a move is uniformly random instead.
        epsilon: f64,
    },
    /// The evaluator, squashed into the points of a game; a finished game has its own.
    Value,
}

/// How to search.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct MctsOptions {
    /// Playouts of a choice; `None`: [`USUAL_PLAYOUTS`], or as many as there is time for where time is limited.
    pub playouts: Option<u32>,
    /// The factor of UCB1's second term.
    pub exploration: f64,
    /// What says how much a leaf is worth.
    pub leaf: Leaf,
    /// The value of a board that makes the odds of winning e to 1.
    pub scale: f64,
    /// Descents that are made before any of their playouts.
    pub gather: u32,
    /// Time to take at most. What a search limited in time gives cannot be reproduced.
    pub time: Option<Duration>,
    /// With at most so many empty squares the exact solver chooses instead; 0: never. For games with a solver.
    pub endgame: u32,
    /// When games are draws that the board would let go on; repetitions are not seen.
    pub draws: DrawRules,
}

/// How to search with an evaluator, checked.
#[derive(Clone, Debug)]
pub struct Mcts<G: Game> {
    evaluator: Evaluator<G>,
    options: MctsOptions,
}

impl<G: Game> Mcts<G> {
    /// Search by the values of an evaluator; one that plays random games looks at it for nothing but the order in which the exact
    /// solver looks at moves.
    ///
    /// # Errors
    /// Says what is out of range, or does not go together.
    pub fn new(evaluator: Evaluator<G>, options: MctsOptions) -> Result<Self, String> {
        let MctsOptions { playouts, exploration, leaf, scale, gather, endgame, .. } = options;
        if playouts.is_some_and(|playouts| !(1..=MOST_PLAYOUTS).contains(&playouts)) {
            return Err(format!("playouts must be from 1 to {MOST_PLAYOUTS}"));
        }
        if !(exploration >= 0.0 && exploration.is_finite()) {
            return Err(format!("exploration {exploration} is no number from 0 on"));
        }
        if !(scale > 0.0 && scale.is_finite()) {
            return Err(format!("scale {scale} is no number above 0"));
        }
        if !(1..=MOST_GATHERED).contains(&gather) {
            return Err(format!("gather {gather} is not from 1 to {MOST_GATHERED}"));
        }
        if let Leaf::Greedy { epsilon } = leaf
            && !(0.0..=1.0).contains(&epsilon)
        {
            return Err(format!("epsilon {epsilon} is not a probability from 0 to 1"));
        }
        if endgame > 0 && !evaluator.rules.has_solver() {
            return Err("endgame asks a solver of Othello, and this is another game".into());
        }
        evaluator.check_outputs(1)?;
        Ok(Self { evaluator, options })
    }

    /// What values boards.
    pub fn evaluator(&self) -> &Evaluator<G> {
        &self.evaluator
    }

    /// How to search.
    pub fn options(&self) -> &MctsOptions {
        &self.options
    }

    /// Whether so few squares are empty that the exact solver chooses.
    #[inline(always)]
    pub fn solves(&self, position: &G) -> bool {
        is_near_its_end(position, self.options.endgame)
    }
}

/// The points of a board that has a value, for whom it has it: the logistic function of value by scale, but never those of a
/// finished game.
#[inline(always)]
pub fn squashed(value: f64, scale: f64) -> u32 {
    let share = 1.0 / (1.0 + exponential(-(value / scale).abs()));
    let points = (share * f64::from(WHOLE) + 0.5) as u32;
    let points = points.min(WHOLE - 1);
    if value < 0.0 { WHOLE - points } else { points }
}

/// The search of one choice, as a task: for a position that is not over.
pub(crate) struct Grow<'a, G: Game> {
    pub mcts: &'a Mcts<G>,
    pub position: &'a G,
    /// The key of the choice.
    pub key: Key,
    /// Time for it, if that is limited.
    pub time: Option<Duration>,
    /// The evaluator's program, loaded.
    pub registers: &'a mut Registers<G::Board>,
    /// Takes the share of the points of every move of the position, NaN where none was tried.
    pub values: &'a mut Vec<f64>,
    /// Set from outside to end it.
    pub stop: &'a AtomicBool,
}

impl<G: Playouts> Task for Grow<'_, G> {
    /// `None` if it was stopped before the first playout.
    type Output = Option<Choice<G>>;
    const WORTH_AVX512: bool = <G::Board as crate::bitboard::Board>::WORTH_AVX512;

    #[inline(always)]
    fn run<C: Cpu>(self, cpu: C) -> Self::Output {
        let Self { mcts, position, key, time, registers, values, stop } = self;
        let &MctsOptions { playouts, exploration, leaf, gather, draws, .. } = mcts.options();
        let deadline = time.and_then(|time| Instant::now().checked_add(time));
        let usual = if time.is_some() { MOST_PLAYOUTS } else { USUAL_PLAYOUTS };
        let most = playouts.unwrap_or(usual);
        let mut tree = Positions::new(*position, exploration).with_draws(draws);
        let (beginning, playouts_key) = (Beginning::at(position), key.named("playout"));
        let side = position.turn();
        let mut batch = Batch { side, draws, points: Vec::new(), playouts: Vec::new() };
        while tree.games() < most && !stop.load(Ordering::Relaxed) {
            let first = tree.games();
            for number in first..most.min(first.saturating_add(gather)) {
                let descent = tree.descend(|position, nodes| {
                    if leaf == Leaf::Value {
                        cpu.call(Look { position, beginning, mcts, registers, values, nodes });
                    }
                });
                let key = playouts_key.child(number.into());
                match leaf {
                    Leaf::Value => batch.value(&descent),
                    Leaf::Random => batch.begin(&descent, key),
                    Leaf::Greedy { epsilon } => {
                        let greedy = |position: &G, key: Key| {
                            cpu.call(Greedy { position, epsilon, key, mcts, registers, values })
                        };
                        batch.play(descent.position, key, greedy);
                    }
                }
            }
            batch.finish(cpu);
            tree.learn(batch.points.drain(..));
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                break;
            }
        }
        values.clear();
        values.extend(tree.tried().map(tree::Tried::share));
        let score = values.get(tree.chosen()?).copied();
        let mut line = tree.line().into_iter();
        let (depth, chosen) = (line.len() as u32, line.next()?);
        let (nodes, continuation) = (tree.games().into(), line.collect());
        Some(Choice { score, depth, nodes, continuation, ..Choice::unseen(chosen) })
    }
}

/// Let nodes hold what the evaluator says of the boards after the moves of a position. A task, as a closure is compiled without
/// the instructions of the path.
struct Look<'a, G: Game> {
    position: &'a G,
    beginning: Beginning,
    mcts: &'a Mcts<G>,
    registers: &'a mut Registers<G::Board>,
    values: &'a mut Vec<f64>,
    nodes: &'a mut [Node],
}

impl<G: Game> Task for Look<'_, G> {
    type Output = ();
    #[inline(always)]
    fn run<C: Cpu>(self, cpu: C) {
        let Self { position, beginning, mcts, registers, values, nodes } = self;
        let Mcts { evaluator, options } = mcts;
        after_moves(cpu, position, &mut position.expand(cpu), beginning, evaluator, registers, values);
        for (node, &value) in nodes.iter_mut().zip(values.iter()) {
            node.worth = squashed(value, options.scale);
        }
    }
}

/// The move of a greedy playout: what a player does that looks one ply ahead, with random ties and a share of random moves. `None`
/// if the game is over.
struct Greedy<'a, G: Game> {
    position: &'a G,
    epsilon: f64,
    key: Key,
    mcts: &'a Mcts<G>,
    registers: &'a mut Registers<G::Board>,
    values: &'a mut Vec<f64>,
}

impl<G: Game> Task for Greedy<'_, G> {
    type Output = Option<G::Move>;
    #[inline(always)]
    fn run<C: Cpu>(self, cpu: C) -> Option<G::Move> {
        let Self { position, epsilon, key, mcts, registers, values } = self;
        let mut expansion = position.expand(cpu);
        let mut moves = G::remaining(position.rules(), &expansion);
        let count = moves.len();
        if count < 2 {
            return moves.next();
        }
        let mut stream = key.stream();
        if epsilon > 0.0 && stream.random() < epsilon {
            return moves.nth(stream.below(count as u64) as usize);
        }
        after_state(cpu, position, &mut expansion, &mcts.evaluator, registers, values);
        Ties::Random.pick(position, moves, values, &mut stream).map(|(_, chosen)| chosen)
    }
}

/// The points of a side in a game that has ended.
#[inline(always)]
fn points_of<G: Game>(position: &G, side: Color, draws: &DrawRules) -> u32 {
    match result(position, draws.at(position)).0 {
        None => WHOLE / 2,
        Some(winner) if winner == side => WHOLE,
        Some(_) => 0,
    }
}

/// Descents, and what their playouts come to.
struct Batch<G: Game> {
    /// The side to move at the root, whose points are counted.
    side: Color,
    draws: DrawRules,
    /// Of the descents so far, but those whose games are still to be played.
    points: Vec<u32>,
    /// Games of random moves: those of all descents, or none.
    playouts: Vec<Playout<G>>,
}

impl<G: Playouts> Batch<G> {
    /// A leaf that the evaluator has valued.
    #[inline(always)]
    fn value(&mut self, descent: &Descent<G>) {
        let &Descent { position, worth, is_drawn, .. } = descent;
        self.points.push(if is_drawn || position.is_over() {
            points_of(&position, self.side, &self.draws)
        } else if position.turn() == self.side {
            // The worth is that of whose move led there.
            WHOLE - worth
        } else {
            worth
        });
    }

    /// A leaf from which a game of random moves is to be played.
    #[inline(always)]
    fn begin(&mut self, descent: &Descent<G>, key: Key) {
        if self.draws.quiet_plies.is_some() {
            let random = |position: &G, key: Key| random_move(position, |count| key.stream().below(count));
            return self.play(descent.position, key, random);
        }
        self.playouts.push(Playout {
            position: descent.position,
            plies: 0,
            hash: 0,
            opening: key.stream(),
            opening_plies: 0,
            key,
            most_plies: self.draws.most_plies.unwrap_or(NO_CAP),
        });
    }

    /// A game from a leaf, played at once by what chooses a move by its key.
    #[inline(always)]
    fn play(&mut self, mut position: G, key: Key, mut choose: impl FnMut(&G, Key) -> Option<G::Move>) {
        while self.draws.at(&position).is_none() {
            let Some(chosen) = choose(&position, move_key(key, position.turn(), position.ply())) else { break };
            position = position.play_unchecked(chosen);
        }
        self.points.push(points_of(&position, self.side, &self.draws));
    }

    /// Play all games that are still to be played.
    #[inline(always)]
    fn finish(&mut self, cpu: impl Cpu) {
        if self.playouts.is_empty() {
            return;
        }
        G::finish_playouts(cpu, &mut self.playouts);
        let mut playouts = std::mem::take(&mut self.playouts);
        let (side, draws) = (self.side, &self.draws);
        self.points.extend(playouts.iter().map(|playout| points_of(&playout.position, side, draws)));
        playouts.clear();
        self.playouts = playouts;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_of_values_rise_are_symmetric_and_never_those_of_a_finished_game() {
        let values: Vec<f64> = (-4000..=4000).map(|value| f64::from(value) / 100.0).collect();
        for &value in &values {
            let exact = f64::from(WHOLE) / (1.0 + (-value / 2.0).exp());
            assert!((f64::from(squashed(value, 2.0)) - exact).abs() < 300.0 && squashed(0.0, 2.0) == WHOLE / 2);
            assert_eq!(squashed(value, 2.0) + squashed(-value, 2.0), WHOLE);
        }
        assert!(values.windows(2).all(|pair| squashed(pair[0], 2.0) <= squashed(pair[1], 2.0)));
        assert_eq!((squashed(1e12, 1e-6), squashed(-1e12, 1e-6)), (WHOLE - 1, 1));
    }
}
