//! Looking one ply deeper at a time: principal variation search with a transposition table, move ordering and limits.
//!
//! What a completed depth gives is what the plain search gives at that depth: the same value, and the same move under
//! every tie rule. When a limit ends the search, the last completed depth answers; one ply is always completed. A node is
//! a position entered or a leaf that was valued, at the horizon or to order moves; a search counts no more nodes than its
//! limit, beyond the first ply.
//!
//! All values of one depth are bounds on the same function of the position, so they never contradict each other. A null
//! window is `[a, next_up(a)]`: no value lies inside it.

use std::sync::atomic;
use std::time::Instant;

use super::horizon::{Horizon, Valued};
use super::ordering::{Candidates, Killers, Ordering};
use super::root::{Found, Root};
use super::table::{Entry, Table};
use super::{Search, WIN, outcome_value};
use crate::cpu::{Cpu, Task};
use crate::expression::evaluation::Registers;
use crate::player::Choice;
use crate::rules::{Color, Game};
use crate::stream::{Key, Stream};

/// How many nodes pass between two looks at the clock.
const NODES_BETWEEN_LOOKS: u64 = 1 << 10;

/// The least remaining depth of a position in the table: one closer to the horizon is valued anew as soon as found.
const LEAST_TABLE_DEPTH: u32 = 3;

/// Search a position that is not over. `None` if the search was stopped from outside.
///
/// Random ties are drawn from `stream` among the moves whose exact values are equal. `order_registers` are for a program that
/// orders moves.
pub fn search<G: Game, C: Cpu>(
    cpu: C,
    search: &Search<'_, G>,
    position: &G,
    stream: Stream,
    registers: &mut Registers<G::Board>,
    order_registers: Option<&mut Registers<G::Board>>,
    table: &mut Table,
) -> Option<Choice<G>> {
    cpu.call(Whole { cpu, search, position, stream, registers, order_registers, table })
}

/// A whole search, as a task of its CPU path.
struct Whole<'a, 's, G: Game, C: Cpu> {
    cpu: C,
    search: &'a Search<'s, G>,
    position: &'a G,
    stream: Stream,
    registers: &'a mut Registers<G::Board>,
    order_registers: Option<&'a mut Registers<G::Board>>,
    table: &'a mut Table,
}

impl<G: Game, C: Cpu> Task for Whole<'_, '_, G, C> {
    type Output = Option<Choice<G>>;

    #[inline(always)]
    fn run<D: Cpu>(self, _: D) -> Self::Output {
        let Self { cpu, search, position, mut stream, registers, order_registers, table } = self;
        // A solver of endgames takes over here, where few enough squares are empty.
        let begun = Instant::now();
        table.start(search.options.table);
        let mut searcher = Searcher::new(cpu, search, position, (registers, order_registers), table);
        let mut root = Root::new(position, search.ties);
        // Step 1. One ply, whatever the limits.
        searcher.one_ply(position, &mut root);
        // Step 2. Deeper each time, until a limit, or until every line is a finished game. What was best two plies ago is a
        // better guess than what was best one ply ago: the same side moved last. So without limits every other depth is left
        // out; with limits each one may be the last.
        let limited = search.options.nodes.is_some() || search.options.time.is_some();
        searcher.node_limit = search.options.nodes.unwrap_or(u64::MAX);
        searcher.deadline = search.options.time.map(|time| begun + time);
        let mut completed = 1;
        if search.options.depth > 1 && searcher.estimated {
            searcher.order_root(position, &mut root);
        }
        while completed < search.options.depth && searcher.estimated && searcher.nodes < searcher.node_limit {
            searcher.estimated = false;
            let before = root.found.clone();
            let step = if limited || (search.options.depth - completed) % 2 == 1 { 1 } else { 2 };
            if !searcher.iterate(position, completed + step, &mut root) {
                root.found = before;
                break;
            }
            completed += step;
        }
        if search.stop.load(atomic::Ordering::Relaxed) {
            return None;
        }
        // Step 3. Choose among the moves with the best value.
        let best = root.found.best;
        let (index, continuation) = root.pick(&mut stream)?;
        let chosen = position.legal_moves().nth(index)?;
        Some(Choice { chosen, score: Some(best), depth: completed, nodes: searcher.nodes, continuation })
    }
}

pub(super) struct Searcher<'a, G: Game, C: Cpu> {
    pub horizon: Horizon<'a, G, C>,
    /// What orders moves, where that is not the evaluator.
    orderer: Option<Horizon<'a, G, C>>,
    search: &'a Search<'a, G>,
    table: &'a mut Table,
    /// Where the keys of the table's entries come from, by side to move.
    keys: [Key; 2],
    killers: Killers,
    /// Moves of the position being searched, by remaining depth.
    candidates: Vec<Candidates<G>>,
    /// Best line by remaining depth; what lies below depth d is in `lines[d]`.
    lines: Vec<Vec<G::Move>>,
    /// Whether a value since this was last reset is an evaluator's.
    estimated: bool,
    nodes: u64,
    node_limit: u64,
    deadline: Option<Instant>,
    next_look: u64,
    stopped: bool,
}

impl<'a, G: Game, C: Cpu> Searcher<'a, G, C> {
    pub fn new(
        cpu: C,
        search: &'a Search<'a, G>,
        root: &G,
        (registers, order_registers): (&'a mut Registers<G::Board>, Option<&'a mut Registers<G::Board>>),
        table: &'a mut Table,
    ) -> Self {
        let depth = search.options.depth.max(1);
        Self {
            horizon: Horizon::at(cpu, root, search, registers),
            orderer: Horizon::for_order(cpu, root, search, order_registers),
            search,
            table,
            keys: [Color::Black, Color::White].map(|turn| Key::new(turn as u64)),
            killers: Killers::new(depth),
            candidates: vec![Candidates::default(); depth as usize + 1],
            lines: vec![Vec::new(); depth as usize + 1],
            estimated: false,
            nodes: 1,
            node_limit: u64::MAX,
            deadline: None,
            next_look: NODES_BETWEEN_LOOKS,
            stopped: false,
        }
    }

    /// Value the moves at the root by the boards after them.
    #[inline(always)]
    fn one_ply(&mut self, position: &G, root: &mut Root<G>) {
        let mut values = Vec::new();
        self.horizon.blocks(position, self.search.rule.root(), |siblings| {
            self.nodes += siblings.nodes();
            self.estimated |= siblings.estimated;
            values.extend_from_slice(siblings.values());
            true
        });
        for (index, &value) in values.iter().enumerate() {
            root.offer(index, value, &[]);
        }
        if self.search.options.ordering == Ordering::Evaluator {
            root.moves.sort_by(|(a, _), (b, _)| values[*b].total_cmp(&values[*a]));
        }
    }

    /// Order the moves at the root by what orders moves, if that is a program of its own.
    fn order_root(&mut self, position: &G, root: &mut Root<G>) {
        let Some(orderer) = &mut self.orderer else { return };
        if self.nodes + root.moves.len() as u64 > self.node_limit {
            return;
        }
        let mut scores = Vec::with_capacity(root.moves.len());
        orderer.blocks_as_they_stand(position, self.search.rule.root(), |siblings| {
            self.nodes += siblings.nodes();
            scores.extend_from_slice(siblings.values());
            true
        });
        root.moves.sort_by(|(a, _), (b, _)| scores[*b].total_cmp(&scores[*a]));
    }

    /// Look `depth` plies ahead from the root; whether that was completed.
    fn iterate(&mut self, position: &G, depth: u32, root: &mut Root<G>) -> bool {
        // Step 1. What was best a ply ago comes first.
        let best = root.found.equals.first().map(|&(index, _)| index);
        if self.search.options.ordering != Ordering::None
            && let Some(place) = root.moves.iter().position(|&(index, _)| Some(index) == best)
        {
            root.moves[..=place].rotate_right(1);
        }
        root.found = Found { best: f64::NEG_INFINITY, equals: Vec::new() };
        for place in 0..root.moves.len() {
            let (index, chosen) = root.moves[place];
            let child = position.play_unchecked(chosen);
            let path = self.search.rule.step(self.search.rule.root(), index);
            let best = root.found.best;
            // Step 2. Is it better than the best, or as good if that counts? Only then its value must be known.
            let floor = if root.counts_if_equal(index) { best.next_down() } else { best };
            let ceiling = if place == 0 { f64::INFINITY } else { best.next_up() };
            let mut value = -self.negamax(&child, path, depth - 1, -ceiling, -floor);
            // Step 3. Better: how much?
            if value >= ceiling && !self.stopped {
                value = -self.negamax(&child, path, depth - 1, f64::NEG_INFINITY, -value.next_down());
            }
            if self.stopped {
                return false;
            }
            root.offer(index, value, &self.lines[depth as usize - 1]);
        }
        true
    }

    /// The value of `position` for the side to move, exact inside (alpha, beta) and a bound outside.
    pub fn negamax(&mut self, position: &G, path: Key, depth: u32, alpha: f64, beta: f64) -> f64 {
        self.horizon.cpu().call(Negamax { searcher: self, position, path, depth, alpha, beta })
    }

    /// The body of [`Self::negamax`], compiled for the CPU path of the search.
    #[inline(always)]
    fn node(&mut self, position: &G, path: Key, depth: u32, alpha: f64, beta: f64) -> f64 {
        // Step 1. Count, or give up at a limit.
        if !self.count(1) {
            return 0.0;
        }
        // Step 2. The last ply: value all children in blocks.
        if depth == 1 {
            return self.last_ply(position, path, alpha, beta);
        }
        // Step 3. What the table knows. A value inside the window is looked for again, for the sake of its line.
        let key = if depth >= LEAST_TABLE_DEPTH && self.table.is_used() { Some(self.key(position)) } else { None };
        let known = key.and_then(|key| self.table.find(key));
        if let Some(entry) = known
            && let Some(bound) = self.bound(&entry, depth, alpha, beta)
        {
            self.estimated |= entry.estimated;
            return bound;
        }
        // A solver of endgames may answer here: an exact value needs no depth.
        // Step 4. The moves, and what speaks for them. No move at all: the game is over and its value exact.
        self.lines[depth as usize].clear();
        let mut candidates = std::mem::take(&mut self.candidates[depth as usize]);
        self.gather(position, path, depth, known.and_then(|entry| entry.best), &mut candidates);
        if candidates.len() == 0 {
            self.candidates[depth as usize] = candidates;
            return position.outcome().map_or(-WIN, |outcome| outcome_value(outcome, position.turn()));
        }
        // Step 5. Search the most promising move with the whole window; of the others only ask whether they are better.
        let estimated_before = std::mem::take(&mut self.estimated);
        let (mut best, mut best_move) = (f64::NEG_INFINITY, None);
        while !self.stopped
            && let Some(index) = candidates.take_best()
        {
            let child = candidates.child(position, index);
            let (floor, path) = (alpha.max(best), self.search.rule.step(path, index));
            // At the last ply the upper end of the window does not matter.
            let asks = best_move.is_some() && depth > 2 && floor.next_up() < beta;
            let ceiling = if asks { floor.next_up() } else { beta };
            let mut value = -self.negamax(&child, path, depth - 1, -ceiling, -floor);
            if asks && value > floor && value < beta && !self.stopped {
                value = -self.negamax(&child, path, depth - 1, -beta, -value.next_down());
            }
            if value > best {
                best = value;
                best_move = Some(index);
                if value > alpha && value < beta {
                    self.keep_line(depth, candidates.chosen(index));
                }
            }
            if best >= beta {
                break;
            }
        }
        // Step 6. Remember, and return. The best of moves that all failed is nothing to go by.
        let best_move = best_move.filter(|_| best > alpha);
        if let Some(index) = best_move
            && best >= beta
            && self.search.options.ordering == Ordering::Killer
        {
            self.killers.add(depth, G::code(candidates.chosen(index)));
        }
        self.candidates[depth as usize] = candidates;
        if self.stopped {
            return 0.0;
        }
        if let Some(key) = key {
            let lower = if best > alpha { best } else { f64::NEG_INFINITY };
            let upper = if best < beta { best } else { f64::INFINITY };
            let index = best_move.and_then(|index| index.try_into().ok());
            let entry = Entry { lower, upper, depth: depth as u8, best: index, estimated: self.estimated };
            self.table.store(key, entry);
        }
        self.estimated |= estimated_before;
        best
    }

    /// The best value of the positions after every move, looking no further than a block that brought `beta` or more.
    #[inline(always)]
    fn last_ply(&mut self, position: &G, path: Key, alpha: f64, beta: f64) -> f64 {
        let (mut best, mut best_block, mut first, mut before) = (f64::NEG_INFINITY, Valued::NONE, 0, 0);
        if G::HAS_CAPTURES {
            self.horizon.room = self.node_limit - self.nodes;
        }
        self.horizon.blocks(position, path, |siblings| {
            if self.nodes + siblings.nodes() > self.node_limit {
                self.stopped = true;
                return false;
            }
            self.nodes += siblings.nodes();
            self.estimated |= siblings.estimated;
            let value = siblings.best();
            if value > best {
                (best, best_block, first) = (value, *siblings, before);
            }
            before += siblings.len();
            best < beta
        });
        self.lines[1].clear();
        if best > alpha && best < beta {
            self.lines[1].extend(position.legal_moves().nth(first + best_block.place_of(best)));
        }
        // No move at all: the game is over and its value exact.
        if best == f64::NEG_INFINITY && !self.stopped {
            return position.outcome().map_or(-WIN, |outcome| outcome_value(outcome, position.turn()));
        }
        best
    }

    /// Count nodes, or give up: whether the search goes on.
    #[inline(always)]
    fn count(&mut self, nodes: u64) -> bool {
        if self.stopped || self.nodes + nodes > self.node_limit {
            self.stopped = true;
            return false;
        }
        self.nodes += nodes;
        if self.nodes >= self.next_look {
            self.next_look = self.nodes + NODES_BETWEEN_LOOKS;
            self.stopped = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        }
        self.stopped |= self.search.stop.load(atomic::Ordering::Relaxed);
        !self.stopped
    }

    /// What an entry says of the value, if that is all that the window asks.
    #[inline(always)]
    fn bound(&self, entry: &Entry, depth: u32, alpha: f64, beta: f64) -> Option<f64> {
        let deep_enough =
            u32::from(entry.depth) == depth || (self.search.options.deeper && u32::from(entry.depth) > depth);
        if deep_enough && entry.lower >= beta {
            Some(entry.lower)
        } else if deep_enough && entry.upper <= alpha {
            Some(entry.upper)
        } else {
            None
        }
    }

    /// The key of everything that the value of a position at a given depth depends on within this search.
    #[inline(always)]
    fn key(&self, position: &G) -> u64 {
        use crate::bitboard::Word;
        let (own, opponent) = (position.own().0.to_u128(), position.opponent().0.to_u128());
        let mut key = self.keys[position.turn() as usize].child(own as u64).child(opponent as u64);
        if <G::Board as crate::bitboard::Board>::SQUARES > 64 {
            key = key.child((own >> 64) as u64).child((opponent >> 64) as u64);
        }
        if G::HAS_KINGS {
            let kings = position.kings().0.to_u128();
            key = key.child(kings as u64).child((kings >> 64) as u64);
            if self.search.evaluator.program.reads_quiet_plies() {
                key = key.child(position.quiet_plies().into());
            }
        }
        if self.search.evaluator.program.reads_ply() {
            key = key.child(position.ply().into());
        }
        key.0
    }

    /// All moves of a position with their places in the order.
    #[inline(always)]
    fn gather(&mut self, position: &G, path: Key, depth: u32, hash_move: Option<u8>, candidates: &mut Candidates<G>) {
        let ordering = self.search.options.ordering;
        let cpu = self.horizon.cpu();
        candidates.fill(cpu, position);
        let scorer = match ordering {
            Ordering::Evaluator => Some(&mut self.horizon),
            Ordering::Program => self.orderer.as_mut(),
            _ => None,
        };
        if let Some(scorer) = scorer
            && candidates.len() > 1
        {
            scorer.blocks_as_they_stand(position, path, |siblings| {
                if self.nodes + siblings.nodes() > self.node_limit {
                    self.stopped = true;
                    return false;
                }
                self.nodes += siblings.nodes();
                candidates.rank_by_values(siblings.lanes());
                true
            });
        } else if ordering == Ordering::Killer {
            candidates.rank_by_replies(cpu, position, &self.killers, depth);
        } else {
            candidates.rank_alike();
        }
        if let Some(index) = hash_move
            && ordering != Ordering::None
        {
            candidates.prefer(index);
        }
    }

    /// The best line from here is `chosen` and then the best line of the child.
    fn keep_line(&mut self, depth: u32, chosen: G::Move) {
        let (below, here) = self.lines.split_at_mut(depth as usize);
        here[0].clear();
        here[0].push(chosen);
        here[0].extend_from_slice(&below[depth as usize - 1]);
    }
}

/// One node, as a task of the CPU path that the whole search runs in.
struct Negamax<'a, 'b, G: Game, C: Cpu> {
    searcher: &'a mut Searcher<'b, G, C>,
    position: &'a G,
    path: Key,
    depth: u32,
    alpha: f64,
    beta: f64,
}

impl<G: Game, C: Cpu> Task for Negamax<'_, '_, G, C> {
    type Output = f64;
    #[inline(always)]
    fn run<D: Cpu>(self, _: D) -> f64 {
        self.searcher.node(self.position, self.path, self.depth, self.alpha, self.beta)
    }
}
