//! Who chooses the moves of a game that is learned from, and sees the features of its boards.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::rule::Estimate;
use super::settings::{Plan, Settings, Worth};
use super::weights::Weights;
use crate::bitboard::Board;
use crate::choice::{Choice, Ties};
use crate::cpu::Cpu;
use crate::evaluator::{Evaluator, View, block_of, speaks_for};
use crate::expression::Side;
use crate::expression::evaluation::Registers;
use crate::expression::program::Program;
use crate::lanes::{LANES, Lanes};
use crate::rules::{Children, Color, Game, Outcome};
use crate::search::{LookAhead, Memory, SearchOptions, alphabeta, deepening};
use crate::stream::{Key, Stream};

/// What boards are worth to a side that moves.
pub(super) struct Judge<'a, B: Board> {
    pub weights: &'a Weights,
    /// The same for searches of more than one ply.
    pub program: Option<&'a Arc<Program<B>>>,
}

/// A turn, looked at.
pub(super) struct Look<G: Game> {
    /// The number of the chosen move in the order of legal moves.
    pub index: usize,
    /// What the search says of the turn, for the side to move, if it was asked.
    pub searched: Option<Estimate>,
    /// Whether the move was drawn instead of chosen.
    pub explored: bool,
    pub chosen: G::Move,
}

/// A board after a move, as the side to move there sees it.
pub(super) struct After<G: Game> {
    pub position: G,
    pub estimate: Estimate,
    /// How many features were clipped.
    pub clipped: u32,
}

/// How a finished game counts for a side; `drawn` by a rule that is not the board's.
pub(super) fn outcome_for<G: Game>(rules: G::Rules, worth: Worth, outcome: Outcome, drawn: bool, side: Color) -> f64 {
    let black = match (worth, outcome.winner) {
        _ if drawn => 0.0,
        (Worth::Pieces, _) => f64::from(outcome.difference) / f64::from(G::geometry(rules).squares()),
        (Worth::Sign, None) => 0.0,
        (Worth::Sign, Some(Color::Black)) => 1.0,
        (Worth::Sign, Some(Color::White)) => -1.0,
    };
    if side == Color::Black { black } else { -black }
}

/// What plays in one thread.
pub(super) struct Seat<'a, G: Game> {
    settings: &'a Settings<G>,
    registers: Registers<G::Board>,
    /// What the features of the boards after the moves of a turn are, a block of boards after the other.
    raw: Vec<Lanes<f64>>,
    clocks: Vec<f64>,
    values: Vec<f64>,
    ended: Vec<Option<f64>>,
    /// The position whose moves the fields above are about.
    valued: Option<G>,
    memory: Memory<G>,
}

impl<'a, G: Game> Seat<'a, G> {
    pub fn new(settings: &'a Settings<G>) -> Self {
        let mut registers = Registers::default();
        Evaluator::<G> { rules: settings.rules(), program: Arc::clone(&settings.features), view: View::Turn }
            .load(&mut registers);
        Self {
            settings,
            registers,
            raw: Vec::new(),
            clocks: Vec::new(),
            values: Vec::new(),
            ended: Vec::new(),
            valued: None,
            memory: Memory::default(),
        }
    }

    /// Choose one of two moves or more; of one it is only asked what a search says of it. `None` if told to stop.
    ///
    /// A move is random with probability `epsilon`.
    #[inline(always)]
    #[allow(clippy::too_many_arguments)] // What a choice depends on.
    pub fn look(
        &mut self,
        cpu: impl Cpu,
        position: &G,
        judge: &Judge<'_, G::Board>,
        key: Key,
        epsilon: f64,
        searches: bool,
        stop: &AtomicBool,
    ) -> Option<Look<G>> {
        // Step 1. A random move, or a forced one.
        self.valued = None;
        let mut expansion = position.expand(cpu);
        let mut moves = G::remaining(position.rules(), &expansion);
        let count = moves.len() as u64;
        let mut stream = key.stream();
        let explored = count > 1 && epsilon > 0.0 && stream.random() < epsilon;
        let drawn = if explored { Some(stream.below(count) as usize) } else { (count == 1).then_some(0) };
        if let Some(index) = drawn
            && !searches
        {
            return Some(Look { index, searched: None, explored, chosen: moves.nth(index)? });
        }
        // Step 2. The best one.
        let (best, searched) = if self.settings.plan.depth == 1 {
            self.value_moves(cpu, position, &mut expansion, judge.weights);
            let (best, _) = Ties::Random.pick(position, moves.clone(), &self.values, &mut stream)?;
            let searched = searches.then(|| match self.ended[best] {
                Some(outcome) => Estimate::Outcome(outcome),
                None => self.estimate(best).0.of_the_other_side(),
            });
            (best, searched)
        } else {
            let choice = self.search(cpu, position, judge.program?, stream, stop)?;
            let searched = if searches { Some(self.end_of_line(cpu, position, &choice)?) } else { None };
            (moves.clone().position(|chosen| chosen == choice.chosen)?, searched)
        };
        let index = drawn.unwrap_or(best);
        Some(Look { index, searched, explored, chosen: moves.nth(index)? })
    }

    /// The board after a move of `position`, which may be the turn looked at last.
    #[inline(always)]
    pub fn after(&mut self, cpu: impl Cpu, position: &G, index: usize, chosen: G::Move) -> After<G> {
        let root = (f64::from(position.ply()), position.clock_here());
        let is_known = self.valued.is_some_and(|valued| valued == *position);
        let place = if is_known { index } else { self.value_one(cpu, position, index, root) };
        let (estimate, clipped) = self.estimate(place);
        After { position: position.play_unchecked(chosen), estimate, clipped }
    }

    /// Value the boards after all moves for the side that moves.
    #[inline(always)]
    fn value_moves(&mut self, cpu: impl Cpu, position: &G, expansion: &mut G::Expansion, weights: &Weights) {
        self.forget();
        self.valued = Some(*position);
        let root = (f64::from(position.ply()), position.clock_here());
        loop {
            let children = position.next_children(cpu, expansion);
            if children.len == 0 {
                return;
            }
            let clocks = self.add_block(cpu, position, &children, root);
            // The program speaks for the other side.
            let block = &self.raw[self.raw.len() - self.settings.plan.scaling.scales.len()..];
            let values = weights.values_of_lanes(&self.settings.plan.scaling, block, clocks).map(|value| -value);
            // NaN is worse than every number.
            let values = values.map(|value| if value.is_nan() { f64::MIN } else { value });
            self.values.extend_from_slice(&values.0[..children.len]);
            self.ended.resize(self.values.len(), None);
            let stuck = match self.registers.counted_moves(&self.settings.features, Side::Own) {
                Some(counts) => {
                    let none = counts.map(|count| count == 0.0);
                    (0..LANES).fold(0, |bits, lane| bits | u8::from(none.0[lane]) << lane)
                }
                None => G::stuck_lanes(cpu, position.rules(), children.seen(position.turn())),
            };
            if stuck != 0 {
                self.count_finished(position, &children, stuck);
            }
            if children.len < LANES {
                return;
            }
        }
    }

    /// Finished games among the boards of the newest block count as what they are.
    fn count_finished(&mut self, position: &G, children: &Children<G>, stuck: u8) {
        let first = self.values.len() - children.len;
        for lane in (0..children.len).filter(|lane| stuck >> lane & 1 == 1) {
            if let Some(outcome) = position.child(children, lane).outcome() {
                let value =
                    outcome_for::<G>(position.rules(), self.settings.plan.worth, outcome, false, position.turn());
                (self.values[first + lane], self.ended[first + lane]) = (value, Some(value));
            }
        }
    }

    /// Look at the board after one move alone: its place among those that were looked at.
    #[inline(always)]
    fn value_one(&mut self, cpu: impl Cpu, position: &G, index: usize, root: (f64, f64)) -> usize {
        self.forget();
        let mut expansion = position.expand(cpu);
        let mut children = position.next_children(cpu, &mut expansion);
        for _ in 0..index / LANES {
            children = position.next_children(cpu, &mut expansion);
        }
        self.add_block(cpu, position, &children, root);
        index % LANES
    }

    #[inline(always)]
    fn forget(&mut self) {
        self.valued = None;
        self.raw.clear();
        self.clocks.clear();
        self.values.clear();
        self.ended.clear();
    }

    /// Add what the features of up to eight boards are, by the side to move there; gives their clocks.
    #[inline(always)]
    fn add_block(&mut self, cpu: impl Cpu, parent: &G, children: &Children<G>, root: (f64, f64)) -> Lanes<f64> {
        let speaker = speaks_for(View::Turn, parent.turn(), parent.turn());
        let block = block_of(parent, children, speaker, root.0, root.1);
        let first = self.raw.len();
        self.raw.resize(first + self.settings.plan.scaling.scales.len(), Lanes::splat(0.0));
        self.registers.evaluate::<G>(cpu, parent.rules(), &self.settings.features, &block, &mut self.raw[first..]);
        let clocks = G::clock_of_lanes(cpu, parent.rules(), children.seen(parent.turn()));
        self.clocks.extend_from_slice(&clocks.0);
        clocks
    }

    /// A board that was looked at, as the side to move there sees it, and how many of its features were clipped.
    fn estimate(&self, place: usize) -> (Estimate, u32) {
        let scaling = &self.settings.plan.scaling;
        let count = scaling.scales.len();
        let raw = self.raw[place / LANES * count..][..count].iter().map(|lanes| lanes.0[place % LANES]);
        let features = raw.clone().enumerate().map(|(index, raw)| scaling.feature(index, raw)).collect();
        let clipped = raw.enumerate().filter(|&(index, raw)| scaling.clips(index, raw)).count() as u32;
        (Estimate::Board { features, clock: self.clocks[place] }, clipped)
    }

    /// Look further than one ply ahead.
    fn search(
        &mut self,
        cpu: impl Cpu,
        position: &G,
        program: &Arc<Program<G::Board>>,
        stream: Stream,
        stop: &AtomicBool,
    ) -> Option<Choice<G>> {
        let Plan { depth, ordering, table, .. } = self.settings.plan;
        let evaluator = Evaluator { rules: position.rules(), program: Arc::clone(program), view: View::Turn };
        evaluator.load(&mut self.memory.registers);
        let options = SearchOptions { ordering, table, ..SearchOptions::to_depth(depth) };
        let ahead = LookAhead::new(evaluator, None, options).ok()?;
        // No leaf draws anything.
        let search = ahead.search(position, Key(0), Key(0), Ties::Random, stop);
        if options.is_plain() {
            alphabeta::search(cpu, &search, position, None, stream, &mut self.memory)
        } else {
            deepening::search(cpu, &search, position, stream, &mut self.memory)
        }
    }

    /// What the end of the best line is for the side to move at its beginning.
    #[inline(always)]
    fn end_of_line(&mut self, cpu: impl Cpu, position: &G, choice: &Choice<G>) -> Option<Estimate> {
        let (side, root) = (position.turn(), (f64::from(position.ply()), position.clock_here()));
        let (mut parent, mut last) = (*position, choice.chosen);
        for &chosen in &choice.continuation {
            (parent, last) = (parent.play_unchecked(last), chosen);
        }
        let end = parent.play_unchecked(last);
        if let Some(outcome) = end.outcome() {
            return Some(Estimate::Outcome(outcome_for::<G>(
                end.rules(),
                self.settings.plan.worth,
                outcome,
                false,
                side,
            )));
        }
        let index = parent.legal_moves().position(|chosen| chosen == last)?;
        let place = self.value_one(cpu, &parent, index, root);
        let (estimate, _) = self.estimate(place);
        Some(if end.turn() == side { estimate } else { estimate.of_the_other_side() })
    }
}
