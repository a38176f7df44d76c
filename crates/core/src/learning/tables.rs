//! Learning pattern tables by self-play: TD(0), one ply ahead, where only the entries that a board touches change.
//!
//! A side values the board after each of its moves: what the sum of some patterns, squashed to -1 to 1, says to the other side,
//! whose turn it is then, is what the board is not worth to the side that moved. What it thought after its last move should have been what the best board after the next move says, or the outcome; the
//! entries of that board go towards it. Both sides learn, on the same tables. Source: Szubert, Jaskowski & Krawiec, "Learning
//! board evaluation function for Othello by hybridizing coevolution with temporal difference learning" (2011).
//!
//! Everything is drawn from the key of the game; games learn one after another.
//!
//! Reasons: docs/design/learning.md.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::game::Lesson;
use super::learner::is_lost;
use super::seat::outcome_for;
use super::settings::Worth;
use crate::choice::Ties;
use crate::cpu::{Cpu, Task, dispatch};
use crate::evaluator::follow;
use crate::expression::program::Program;
use crate::expression::{Expression, Node};
use crate::patterns::incremental::Carried;
use crate::patterns::{Pattern, looked_up};
use crate::rules::draws::{Course, DrawRules, Ending, result};
use crate::rules::playout::move_key;
use crate::rules::{Color, Game};
use crate::stream::Key;
use crate::work::Stopped;

/// Games, and how tables learn from them.
#[derive(Clone, Debug)]
pub struct Settings<G: Game> {
    /// The positions games begin at, each as likely.
    pub starts: Vec<G>,
    /// How they are played, and how fast tables learn.
    pub plan: Plan,
}

/// How games are played, and how fast tables learn: the same for every game.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Where all draws come from; game k from its child k.
    pub key: Key,
    /// Number of the first game.
    pub first_game: u64,
    /// For every game how far an entry moves for an error of 1 where the value is 0.
    pub rates: Vec<f64>,
    /// How often a move is random.
    pub epsilon: f64,
    /// A game begins with 0 to this many random plies, each number as likely.
    pub random_plies: u32,
    /// What finished games are worth.
    pub worth: Worth,
    /// When a game is drawn that the board would let go on.
    pub draws: DrawRules,
    /// Plies after which a game is drawn, wherever it began.
    pub most_plies: Option<u32>,
    /// The number of a game whose moves are kept.
    pub recorded: Option<u64>,
}

/// What came of games.
#[derive(Clone, PartialEq, Debug)]
pub struct TableLessons {
    /// The entries of all tables after the last game, in the order of [`Expression::parameters`].
    pub parameters: Vec<f64>,
    /// The games, in order.
    pub games: Vec<Lesson>,
    /// The game and its ply at which an entry left the numbers.
    pub failed: Option<(u64, u32)>,
}

/// Close to tanh(x), by its continued fraction; from exact operations only, so that it is the same on every machine.
#[inline]
pub fn squashed(x: f64) -> f64 {
    let square = x * x;
    let above = x * (135_135.0 + square * (17_325.0 + square * (378.0 + square)));
    let below = 135_135.0 + square * (62_370.0 + square * (3_150.0 + square * 28.0));
    (above / below).clamp(-1.0, 1.0)
}

/// A pattern of the sum, in its order.
pub(super) struct Part {
    pub pattern: Arc<Pattern>,
    /// Where its indices begin among those that are carried.
    pub first: usize,
    /// Where its first table begins among the parameters.
    pub offset: usize,
}

impl Part {
    /// Where a table begins among the parameters.
    #[inline(always)]
    pub fn place(&self, table: usize) -> usize {
        self.offset + table * self.pattern.entries()
    }
}

/// What the patterns say of a board, in the order of the sum; `table_of` says by which table of each.
#[inline(always)]
pub(super) fn sum_of(parts: &[Part], parameters: &[f64], indices: &[u16], table_of: impl Fn(&Pattern) -> usize) -> f64 {
    let one = |part: &Part| {
        let table = &parameters[part.place(table_of(&part.pattern))..][..part.pattern.entries()];
        looked_up(table, &indices[part.first..][..part.pattern.copies().len()])
    };
    let (first, rest) = parts.split_first().map_or((0.0, &[][..]), |(first, rest)| (one(first), rest));
    rest.iter().fold(first, |sum, part| sum + one(part))
}

/// The patterns whose sum an expression is, from left to right; an error if it is anything else.
pub(super) fn parts_of<G: Game>(expression: &Expression, program: &Program<G::Board>) -> Result<Vec<Part>, String> {
    let other = || "the value must be a sum of patterns over pieces, men and kings, each once".to_string();
    if expression.outputs().len() != 1 || expression.parameters().is_none() {
        return Err("the value must be one number, lowered with keep_parameters=True".into());
    }
    let (mut node, mut lists) = (expression.outputs()[0], Vec::new());
    loop {
        match expression.nodes()[node as usize] {
            Node::Add(rest, last) if let Node::Pattern(_, _, list) = expression.nodes()[last as usize] => {
                lists.push(list);
                node = rest;
            }
            Node::Pattern(_, _, list) => {
                lists.push(list);
                break;
            }
            _ => return Err(other()),
        }
    }
    lists.reverse();
    let (mut offsets, mut offset) = (vec![None; expression.tables().len()], 0);
    for node in expression.nodes() {
        match *node {
            Node::Pattern(_, _, list) => {
                offsets[list as usize] = Some(offset);
                offset += expression.tables()[list as usize].iter().map(|table| table.len()).sum::<usize>();
            }
            Node::Add(..) | Node::Pieces(_) | Node::Men(_) | Node::Kings(_) => {}
            _ => return Err(other()),
        }
    }
    let part = |&list: &u32| {
        let read = program.patterns().iter().find(|read| read.list == list)?;
        let (pattern, first) = (Arc::clone(&read.pattern), read.carried?.into());
        Some(Part { pattern, first, offset: offsets[list as usize]? })
    };
    let parts: Option<Vec<Part>> = lists.iter().map(part).collect();
    parts.filter(|parts| parts.len() == program.patterns().len()).ok_or_else(other)
}

/// Play and learn; `done` counts games meanwhile. The value is `expression`, which `program` was lowered from.
///
/// # Errors
/// [`Stopped`] if `stop` was set before; else says in words what makes no sense.
pub fn learn_tables<G: Game>(
    settings: &Settings<G>,
    expression: &Expression,
    program: &Program<G::Board>,
    stop: &AtomicBool,
    done: &AtomicU64,
) -> Result<Result<TableLessons, String>, Stopped> {
    let parts = match settings.check().and_then(|()| parts_of::<G>(expression, program)) {
        Ok(parts) if parts.iter().any(|part| part.pattern.is_mixed()) => {
            return Ok(Err("the value: games teach tables that are not mixed; labels fit mixed ones".into()));
        }
        Ok(parts) => parts,
        Err(message) => return Ok(Err(message)),
    };
    let mut carried = Carried::default();
    carried.load(program.plan());
    let tables = Tables { parts, parameters: expression.parameters().unwrap_or_default(), lost: false };
    let moves = Moves { values: Vec::new(), indices: Vec::new(), pieces: Vec::new() };
    dispatch(Learn { settings, tables, carried, moves, stop, done }).map(Ok)
}

impl<G: Game> Settings<G> {
    #[inline]
    fn check(&self) -> Result<(), String> {
        let fine = |condition: bool, message: String| if condition { Ok(()) } else { Err(message) };
        fine(!self.starts.is_empty(), "starts is empty: give at least one position".into())?;
        for (index, start) in self.starts.iter().enumerate() {
            fine(!start.is_over(), format!("starts[{index}] is a finished game: leave it out"))?;
        }
        if let Some(game) = self.plan.rates.iter().position(|rate| !rate.is_finite() || *rate < 0.0) {
            return Err(format!("rates[{game}] is {}: give a finite number from 0 on", self.plan.rates[game]));
        }
        let is_share = (0.0..=1.0).contains(&self.plan.epsilon);
        fine(is_share, format!("epsilon is {}: give a probability from 0 to 1", self.plan.epsilon))
    }
}

/// The entries that are learned.
struct Tables {
    parts: Vec<Part>,
    parameters: Vec<f64>,
    /// Whether one has left the numbers.
    lost: bool,
}

impl Tables {
    /// What the patterns say of a board, in the order of the sum.
    #[inline(always)]
    fn sum(&self, indices: &[u16], pieces: u32) -> f64 {
        sum_of(&self.parts, &self.parameters, indices, |pattern| pattern.stage(pieces))
    }

    /// Move the entries of a board towards what it should have been worth to the side that moved; the error.
    #[inline(always)]
    fn learn(&mut self, board: &Board, target: f64, rate: f64) -> f64 {
        let value = squashed(self.sum(&board.indices, board.pieces));
        let error = -target - value;
        let change = rate * (error * (1.0 - value * value));
        for part in &self.parts {
            let place = part.place(part.pattern.stage(board.pieces));
            for &index in &board.indices[part.first..][..part.pattern.copies().len()] {
                let entry = &mut self.parameters[place + usize::from(index)];
                *entry += change;
                self.lost |= is_lost(*entry);
            }
        }
        error
    }
}

/// A board after a move, and who made it.
struct Board {
    indices: Vec<u16>,
    pieces: u32,
    mover: Color,
}

/// The boards after the moves of one position, in their order.
struct Moves {
    /// For the side that moves.
    values: Vec<f64>,
    indices: Vec<u16>,
    pieces: Vec<u32>,
}

impl Moves {
    #[inline]
    fn board(&self, index: usize, mover: Color) -> Board {
        let width = self.indices.len() / self.pieces.len();
        Board { indices: self.indices[index * width..][..width].to_vec(), pieces: self.pieces[index], mover }
    }
}

struct Learn<'a, G: Game> {
    settings: &'a Settings<G>,
    tables: Tables,
    carried: Carried<G::Board>,
    moves: Moves,
    stop: &'a AtomicBool,
    done: &'a AtomicU64,
}

impl<G: Game> Task for Learn<'_, G> {
    type Output = Result<TableLessons, Stopped>;

    #[inline(always)]
    fn run<C: Cpu>(mut self, cpu: C) -> Self::Output {
        let (mut games, mut failed) = (Vec::with_capacity(self.settings.plan.rates.len()), None);
        for (number, &rate) in (self.settings.plan.first_game..).zip(&self.settings.plan.rates) {
            if self.stop.load(Ordering::Relaxed) {
                return Err(Stopped);
            }
            let lesson = cpu.call(Play { learn: &mut self, number, rate });
            if self.tables.lost {
                failed = Some((number, lesson.plies));
                break;
            }
            games.push(lesson);
            self.done.fetch_add(1, Ordering::Relaxed);
        }
        Ok(TableLessons { parameters: self.tables.parameters, games, failed })
    }
}

struct Play<'a, 'b, G: Game> {
    learn: &'a mut Learn<'b, G>,
    number: u64,
    rate: f64,
}

impl<G: Game> Task for Play<'_, '_, G> {
    type Output = Lesson;

    #[inline(always)]
    fn run<C: Cpu>(self, cpu: C) -> Lesson {
        let Self { learn, number, rate } = self;
        let settings = learn.settings;
        let key = settings.plan.key.child(number);
        let mut draws = key.stream();
        let start = draws.below(settings.starts.len() as u64) as usize;
        let opening = draws.below(u64::from(settings.plan.random_plies) + 1) as u32;
        let mut lesson = Lesson { start: start as u32, ..Lesson::default() };
        let (mut position, mut course, mut before): (G, _, Option<Board>) =
            (settings.starts[start], Course::default(), None);
        let mut drawn = ended(settings, &mut course, &position, 0);
        while drawn.is_none() {
            let (side, mut moves) = (position.turn(), position.legal_moves());
            let count = moves.len();
            let Some(first) = moves.next() else { break };
            let mut stream = move_key(key, side, position.ply()).stream();
            let mut chosen = first;
            if lesson.plies < opening {
                // Step 1. The first plies are random, and nothing is thought of them.
                let index = stream.below(count as u64) as usize;
                chosen = position.legal_moves().nth(index).unwrap_or(first);
            } else if !G::moved_to(position.rules(), first).is_empty() {
                // Step 2. What the best move says teaches the side that moved last what it should have thought.
                learn.value_moves(cpu, &position);
                let best = learn.moves.values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                if let Some(board) = &before {
                    let target = if board.mover == side { best } else { -best };
                    let error = learn.tables.learn(board, target, rate);
                    lesson.updates += 1;
                    lesson.squared_errors += error * error;
                }
                // Step 3. The move: the best one, or any.
                let explored = count > 1 && settings.plan.epsilon > 0.0 && stream.random() < settings.plan.epsilon;
                let mut index = 0;
                if explored {
                    index = stream.below(count as u64) as usize;
                    chosen = position.legal_moves().nth(index).unwrap_or(first);
                } else if let Some(pick) =
                    Ties::Random.pick(&position, position.legal_moves(), &learn.moves.values, &mut stream)
                {
                    (index, chosen) = pick;
                }
                lesson.explored += u32::from(explored);
                before = Some(learn.moves.board(index, side));
            }
            if settings.plan.recorded == Some(number) {
                lesson.moves.push(G::code(position.rules(), chosen));
            }
            position = position.play_unchecked(chosen);
            lesson.plies += 1;
            drawn = ended(settings, &mut course, &position, lesson.plies);
        }
        // Step 4. What the game brought.
        let (winner, ending) = result(&position, drawn);
        if let Some(board) = &before {
            let outcome = outcome_for::<G>(
                position.rules(),
                settings.plan.worth,
                position.result(),
                ending != Ending::Board,
                board.mover,
            );
            let error = learn.tables.learn(board, outcome, rate);
            lesson.updates += 1;
            lesson.squared_errors += error * error;
        }
        lesson.points = winner.map_or(0.5, |winner| f64::from(u8::from(winner == Color::Black)));
        lesson.difference = position.pieces(Color::Black).len() as i32 - position.pieces(Color::White).len() as i32;
        lesson
    }
}

impl<G: Game> Learn<'_, G> {
    /// Value the boards after all moves, each as the side that moves sees it.
    #[inline(always)]
    fn value_moves(&mut self, cpu: impl Cpu, position: &G) {
        let Self { settings, tables, carried, moves: Moves { values, indices, pieces }, .. } = self;
        values.clear();
        indices.clear();
        pieces.clear();
        let (mover, mut expansion) = (position.turn(), position.expand(cpu));
        loop {
            let children = position.next_children(cpu, &mut expansion);
            if children.len == 0 {
                return;
            }
            follow(cpu, carried, position, mover.opposite(), &children);
            carried.take_ready();
            let stuck = G::stuck_lanes(cpu, position.rules(), children.seen(mover));
            for lane in 0..children.len {
                use crate::bitboard::Word;
                let count = (children.moved.0[lane] | children.to_move.0[lane]).count_ones();
                let board = carried.lane(lane);
                let ended = if stuck >> lane & 1 == 1 { position.child(&children, lane).outcome() } else { None };
                values.push(match ended {
                    Some(outcome) => outcome_for::<G>(position.rules(), settings.plan.worth, outcome, false, mover),
                    None => -squashed(tables.sum(board, count)),
                });
                indices.extend_from_slice(board);
                pieces.push(count);
            }
            if children.len < crate::lanes::LANES {
                return;
            }
        }
    }
}

/// Why the game is a draw here that the board would let go on.
fn ended<G: Game>(settings: &Settings<G>, course: &mut Course<G>, position: &G, plies: u32) -> Option<Ending> {
    if settings.plan.most_plies.is_some_and(|most| plies >= most) {
        return Some(Ending::Cap);
    }
    if settings.plan.draws == DrawRules::NONE { None } else { course.arrive(position, &settings.plan.draws) }
}

#[cfg(test)]
mod tests {
    use super::squashed;

    #[test]
    fn squashes_like_tanh() {
        let mut before = -1.0;
        for step in -2000..=2000 {
            let x = f64::from(step) / 200.0;
            let value = squashed(x);
            assert!((value - x.tanh()).abs() < 1e-4, "{x}: {value}");
            assert!(value >= before && value == -squashed(-x), "{x}");
            before = value;
        }
        assert_eq!((squashed(0.0), squashed(1e9), squashed(-1e9)), (0.0, 1.0, -1.0));
    }
}
