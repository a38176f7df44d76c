//! Looking one ply deeper at a time: principal variation search with a transposition table, move ordering and limits.
//!
//! What a completed depth gives is what the plain search gives at that depth: the same value, and the same move under
//! every tie rule. When a limit ends the search, the last completed depth answers; one ply is always completed. A node is
//! a position entered or a leaf that was valued, at the horizon or to order moves; a search counts no more nodes than its
//! limit, beyond the first ply. A [`selective`](super::selective) search gives up that equality.
//!
//! All values of one depth are bounds on the same function of the position, so they never contradict each other. A null
//! window is `[a, next_up(a)]`: no value lies inside it.

use std::time::Instant;

use super::alphabeta::{Branching, Searcher};
use super::horizon::Horizon;
use super::leaves::Rule;
use super::ordering::{Candidates, Killers, MoveOrder};
use super::root::Root;
use super::selective::Question;
use super::table::{Entry, Table};
use super::{Memory, Search};
use crate::choice::Choice;
use crate::cpu::{Cpu, Task};
use crate::rules::{Color, Game};
use crate::stream::{Key, Stream};

/// The least remaining depth of a position in the table: closer to the horizon it takes no longer to value one anew than to
/// look it up.
const LEAST_TABLE_DEPTH: u32 = 3;

/// Search a position that is not over. `None` if the search was stopped from outside.
///
/// Random ties are drawn from `stream` among the moves whose exact values are equal.
pub fn search<G: Game, C: Cpu>(
    cpu: C,
    search: &Search<'_, G>,
    position: &G,
    stream: Stream,
    memory: &mut Memory<G>,
) -> Option<Choice<G>> {
    cpu.call(Whole { cpu, search, position, stream, memory })
}

/// A whole search, as a task of its CPU path.
struct Whole<'a, 's, G: Game, C: Cpu> {
    cpu: C,
    search: &'a Search<'s, G>,
    position: &'a G,
    stream: Stream,
    memory: &'a mut Memory<G>,
}

impl<G: Game, C: Cpu> Task for Whole<'_, '_, G, C> {
    type Output = Option<Choice<G>>;

    #[inline(always)]
    fn run<D: Cpu>(self, _: D) -> Self::Output {
        let Self { cpu, search, position, stream, memory } = self;
        let (options, begun) = (&search.options, Instant::now());
        let mut searcher = searcher(cpu, search, position, memory);
        searcher.tally.deadline = options.time.map(|time| begun + time);
        // What was best two plies ago is a better guess than what was best one ply ago: the same side moved last. So without
        // limits every other depth is left out; with limits each one may be the last.
        let limited = options.nodes.is_some() || options.time.is_some();
        let mut progress = searcher.begin(position);
        while let Some(left) = searcher.left_to_go(&progress) {
            let step = if limited || left % 2 == 1 { 1 } else { 2 };
            if !searcher.deepen(position, step, &mut progress) {
                break;
            }
        }
        searcher.choice(progress.root, progress.depth, stream)
    }
}

/// How far a search has come at one position: it can be taken up again where it was.
pub struct Progress<G: Game> {
    root: Root<G>,
    depth: u32,
    nodes: u64,
    /// Whether an evaluator had a say: otherwise every line is a finished game, and looking deeper is pointless.
    estimated: bool,
}

impl<G: Game> Progress<G> {
    /// Plies looked ahead.
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// Whether a search to a depth has nothing left to find out.
    pub fn is_complete(&self, depth: u32) -> bool {
        self.depth >= depth || !self.estimated
    }

    /// What the last completed depth answers; random ties are drawn from `stream`.
    pub fn choice(&self, mut stream: Stream) -> Option<Choice<G>> {
        let score = Some(self.root.best.value);
        let (chosen, continuation) = self.root.clone().pick(&mut stream)?;
        Some(Choice { chosen, score, depth: self.depth, nodes: self.nodes, continuation, is_exact: false })
    }
}

/// The searcher of a search that deepens, or of every move at one depth.
pub(super) fn searcher<'a, G: Game, C: Cpu>(
    cpu: C,
    search: &'a Search<'a, G>,
    root: &G,
    memory: &'a mut Memory<G>,
) -> Searcher<'a, G, C, BestFirst<'a, G, C>> {
    memory.start(&search.options);
    let Memory { registers, order_registers, table, killers, .. } = memory;
    let branching = BestFirst {
        orderer: Horizon::for_order(cpu, root, search, order_registers.as_mut()),
        context: context_of(root, search),
        table,
        killers,
        candidates: vec![Candidates::default(); search.options.depth as usize + 1],
        foretells: false,
    };
    Searcher::new(Horizon::at(cpu, root, search, registers), search, branching)
}

/// Where the keys of positions come from, by side to move.
const TURN_KEYS: [Key; 2] = [Key::new(Color::Black as u64), Key::new(Color::White as u64)];

/// The key of a board and the side to move there.
#[inline(always)]
pub(super) fn key_of<G: Game>(position: &G) -> Key {
    use crate::bitboard::{Board, Word};
    let (own, opponent) = (position.own().0.to_u128(), position.opponent().0.to_u128());
    let mut key = TURN_KEYS[position.turn() as usize].child(own as u64).child(opponent as u64);
    if G::Board::SQUARES > 64 {
        key = key.child((own >> 64) as u64).child((opponent >> 64) as u64);
    }
    if G::HAS_KINGS {
        let kings = position.kings().0.to_u128();
        key = key.child(kings as u64).child((kings >> 64) as u64);
    }
    key
}

/// The key of what values depend on besides the position and its depth: of all that differs between two choices of one player.
fn context_of<G: Game>(root: &G, search: &Search<'_, G>) -> u64 {
    let Rule::Output(output) = search.rule else { return 0 };
    let mut key = Key::new(output as u64).child(root.turn() as u64);
    if search.evaluator.program.reads_root() {
        key = key.child(root.ply().into()).child(u64::from((root.own() | root.opponent()).len()));
    }
    if search.selectivity.is_some() {
        key = key.named("selective");
    }
    key.0
}

/// The most promising move first and with the whole window; of the others it is only asked whether they are better.
pub(super) struct BestFirst<'a, G: Game, C: Cpu> {
    /// What orders moves, where that is not the evaluator.
    orderer: Option<Horizon<'a, G, C>>,
    /// Of all that values depend on besides position and depth.
    context: u64,
    table: &'a mut Table,
    killers: &'a mut Killers,
    /// Moves of the position being searched, by remaining depth.
    candidates: Vec<Candidates<G>>,
    /// Whether this is a shallow search that foretells the value of a deep one: what it finds is exact.
    foretells: bool,
}

impl<'a, G: Game, C: Cpu> Branching<'a, G, C> for BestFirst<'a, G, C> {
    const DEEPENS: bool = true;

    #[inline(always)]
    fn value(
        searcher: &mut Searcher<'a, G, C, Self>,
        position: &G,
        path: Key,
        depth: u32,
        alpha: f64,
        beta: f64,
    ) -> f64 {
        // Step 1. What the table knows. A value inside the window is looked for again, for the sake of its line.
        let has_key = depth >= LEAST_TABLE_DEPTH && searcher.branching.table.is_used();
        let key = if has_key { Some(searcher.key(position)) } else { None };
        let known = key.and_then(|key| searcher.branching.table.find(key));
        if let Some(entry) = known
            && let Some(bound) = searcher.bound(&entry, depth, alpha, beta)
        {
            searcher.tally.estimated |= entry.estimated;
            return bound;
        }
        // Step 2. What a shallow search foretells.
        if let Some(bound) = searcher.foretold(position, path, depth, alpha, beta) {
            return bound;
        }
        // Step 3. The moves, and what speaks for them.
        let mut candidates = std::mem::take(&mut searcher.branching.candidates[depth as usize]);
        searcher.gather(position, path, depth, known.and_then(|entry| entry.best), &mut candidates);
        // Step 4. Search them.
        let estimated_before = std::mem::take(&mut searcher.tally.estimated);
        let (mut best, mut best_move) = (f64::NEG_INFINITY, None);
        while !searcher.tally.stopped
            && let Some(index) = candidates.take_best()
        {
            let child = candidates.child(position, index);
            let (floor, path) = (alpha.max(best), searcher.search.rule.step(path, index));
            // At the last ply the upper end of the window does not matter.
            let asks = best_move.is_some() && depth > 2 && floor.next_up() < beta;
            let ceiling = if asks { floor.next_up() } else { beta };
            let mut value = -searcher.negamax(&child, path, depth - 1, -ceiling, -floor);
            if asks && value > floor && value < beta && !searcher.tally.stopped {
                value = -searcher.negamax(&child, path, depth - 1, -beta, -value.next_down());
            }
            if value > best {
                best = value;
                best_move = Some(index);
                if value > alpha && value < beta {
                    searcher.extend_line(depth, Some(candidates.chosen(index)));
                }
            }
            if best >= beta {
                break;
            }
        }
        // Step 5. Remember, and return. The best of moves that all failed is nothing to go by.
        let best_move = best_move.filter(|_| best > alpha);
        if let Some(index) = best_move
            && best >= beta
            && searcher.search.options.ordering == MoveOrder::Killer
        {
            searcher.branching.killers.add(depth, G::code(position.rules(), candidates.chosen(index)));
        }
        let has_moves = candidates.len() > 0;
        searcher.branching.candidates[depth as usize] = candidates;
        if searcher.tally.stopped {
            return 0.0;
        }
        if let Some(key) = key
            && has_moves
        {
            let lower = if best > alpha { best } else { f64::NEG_INFINITY };
            let upper = if best < beta { best } else { f64::INFINITY };
            let index = best_move.and_then(|index| index.try_into().ok());
            let entry = Entry { lower, upper, depth: depth as u8, best: index, estimated: searcher.tally.estimated };
            searcher.branching.table.store(key, entry);
        }
        searcher.tally.estimated |= estimated_before;
        best
    }
}

impl<'a, G: Game, C: Cpu> Searcher<'a, G, C, BestFirst<'a, G, C>> {
    /// One ply, whatever the limits.
    #[inline(always)]
    pub(super) fn begin(&mut self, position: &G) -> Progress<G> {
        let mut root = Root::new(position, self.search.ties);
        let values = self.one_ply(position, &mut root);
        let options = &self.search.options;
        if options.ordering == MoveOrder::Evaluator {
            root.sort(&values);
        }
        self.tally.node_limit = options.nodes.unwrap_or(u64::MAX);
        if options.depth > 1 && self.tally.estimated {
            self.order_root(position, &mut root);
        }
        Progress { root, depth: 1, nodes: self.tally.nodes, estimated: self.tally.estimated }
    }

    /// Count on from where a search was, until a deadline if there is one.
    pub(super) fn resume(&mut self, progress: &Progress<G>, deadline: Option<Instant>) {
        self.tally.node_limit = self.search.options.nodes.unwrap_or(u64::MAX);
        self.tally.nodes = progress.nodes;
        self.tally.look_at(deadline);
    }

    /// How many plies deeper the search is to look, if there is anything left to find out and to count.
    #[inline(always)]
    pub(super) fn left_to_go(&self, progress: &Progress<G>) -> Option<u32> {
        let depth = self.search.options.depth;
        (!progress.is_complete(depth) && self.tally.nodes < self.tally.node_limit).then(|| depth - progress.depth)
    }

    /// Look so many plies deeper; whether that was completed. If not, nothing but nodes was added.
    #[inline(always)]
    pub(super) fn deepen(&mut self, position: &G, step: u32, progress: &mut Progress<G>) -> bool {
        self.tally.estimated = false;
        let before = progress.root.best.clone();
        if self.search.options.ordering != MoveOrder::None {
            progress.root.bring_best_forward();
        }
        let is_completed = self.iterate(position, progress.depth + step, &mut progress.root);
        progress.nodes = self.tally.nodes;
        if is_completed {
            progress.depth += step;
            progress.estimated = self.tally.estimated;
        } else {
            progress.root.best = before;
        }
        is_completed
    }

    /// Order the moves at the root by what orders moves, if that is a program of its own.
    #[inline(always)]
    fn order_root(&mut self, position: &G, root: &mut Root<G>) {
        let Some(orderer) = &mut self.branching.orderer else { return };
        if self.tally.nodes + root.moves.len() as u64 > self.tally.node_limit {
            return;
        }
        let mut scores = Vec::with_capacity(root.moves.len());
        orderer.blocks_as_they_stand(position, self.search.rule.root(), |siblings| {
            self.tally.nodes += siblings.nodes();
            scores.extend_from_slice(siblings.values());
            true
        });
        root.sort(&scores);
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

    /// The bound that a shallow search foretells to be the value of a position, if the search is selective and it does.
    #[inline(always)]
    fn foretold(&mut self, position: &G, path: Key, depth: u32, alpha: f64, beta: f64) -> Option<f64> {
        let selectivity = self.search.selectivity?;
        let squares = position.own() | position.opponent();
        // Where the search reaches the end of the game it is worth having.
        if self.branching.foretells || depth >= (!squares).len() {
            return None;
        }
        let Question { depth, low, high } = selectivity.question(depth, squares.len(), alpha, beta)?;
        self.branching.foretells = true;
        let value = self.negamax(position, path, depth, low, high);
        self.branching.foretells = false;
        if self.tally.stopped {
            return Some(0.0);
        }
        let bound = (value >= high).then_some(beta).or_else(|| (value <= low).then_some(alpha));
        self.tally.estimated |= bound.is_some();
        bound
    }

    /// The key of everything that the value of a position at a given depth depends on within this search.
    #[inline(always)]
    fn key(&self, position: &G) -> u64 {
        let mut key = key_of(position);
        if G::HAS_KINGS && self.search.evaluator.program.reads_quiet_plies() {
            key = key.child(position.quiet_plies().into());
        }
        if self.search.evaluator.program.reads_ply() {
            key = key.child(position.ply().into());
        }
        key.0 ^ self.branching.context
    }

    /// All moves of a position with their places in the order.
    #[inline(always)]
    fn gather(&mut self, position: &G, path: Key, depth: u32, hash_move: Option<u8>, candidates: &mut Candidates<G>) {
        let ordering = self.search.options.ordering;
        let cpu = self.horizon.cpu();
        candidates.fill(cpu, position);
        let scorer = match ordering {
            MoveOrder::Evaluator => Some(&mut self.horizon),
            MoveOrder::Program => self.branching.orderer.as_mut(),
            _ => None,
        };
        if let Some(scorer) = scorer
            && candidates.len() > 1
        {
            scorer.blocks_as_they_stand(position, path, |siblings| {
                if self.tally.nodes + siblings.nodes() > self.tally.node_limit {
                    self.tally.stopped = true;
                    return false;
                }
                self.tally.nodes += siblings.nodes();
                candidates.rank_by_values(siblings.lanes());
                true
            });
        } else if ordering == MoveOrder::Killer {
            candidates.rank_by_replies(cpu, position, self.branching.killers, depth);
        } else {
            candidates.rank_alike();
        }
        if let Some(index) = hash_move
            && ordering != MoveOrder::None
        {
            candidates.prefer(index);
        }
    }
}
