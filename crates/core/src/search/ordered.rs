//! Plain alpha-beta to a fixed depth with its moves in another order, for the sake of its counts.
//!
//! What an order of moves is worth alone cannot be seen in [`super::deepening`], which has null windows and bounds of a table
//! too. Here nothing but the order differs from [`super::alphabeta`]: every order gives the same value, and how many nodes and
//! how much time it takes is the answer. These are the experiments of FIREBRAND (Almgren, Berglund & Milstein): boards after moves valued and
//! the best looked at first, and a table of each position's best move, as in BILL, from searches to smaller depths.
//!
//! Reasons: docs/design/search.md.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::alphabeta::{Branching, Searcher};
use super::deepening::key_of;
use super::horizon::Horizon;
use super::ordering::Candidates;
use super::root::Root;
use super::table::{Entry, Table};
use super::{LookAhead, Memory, SearchOptions};
use crate::choice::Ties;
use crate::cpu::{Cpu, Task, dispatch};
use crate::evaluator::Evaluator;
use crate::rules::Game;
use crate::stream::Key;

/// Which moves come first above the last ply.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// The order of legal moves.
    None,
    /// The best board after the move.
    Evaluator,
    /// The move that was the best when the position was searched last; entries of the table, a power of two.
    Table(usize),
}

/// What a search to one depth took.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Count<M> {
    /// Plies looked ahead.
    pub depth: u32,
    /// The first best move.
    pub chosen: M,
    /// Its value for the side to move.
    pub value: f64,
    /// Positions entered and leaves valued.
    pub nodes: u64,
    /// Boards that were valued only to order moves; no nodes.
    pub looks: u64,
    /// How long it took.
    pub elapsed: Duration,
}

/// Search a position to one depth after the other; only the table of best moves is kept from one to the next. `None` if the
/// search was stopped, or the game is over.
///
/// # Errors
/// Says which depth or size of a table is out of range, or that the evaluator has more than one output.
pub fn count<G: Game>(
    evaluator: &Evaluator<G>,
    position: &G,
    depths: &[u32],
    order: Order,
    stop: &AtomicBool,
) -> Result<Option<Vec<Count<G::Move>>>, String> {
    let size = if let Order::Table(size) = order { size } else { 0 };
    let with_depth = |&depth| {
        let options = SearchOptions { table: size, ..SearchOptions::to_depth(depth) };
        LookAhead::new(evaluator.clone(), None, options)
    };
    let searches = depths.iter().map(with_depth).collect::<Result<Vec<_>, _>>()?;
    if position.is_over() {
        return Ok(None);
    }
    let (mut memory, mut table) = (Memory::default(), Table::default());
    evaluator.load(&mut memory.registers);
    table.start(size);
    let mut count = |ahead: &LookAhead<G>| {
        dispatch(CountOne { ahead, position, order, memory: &mut memory, table: &mut table, stop })
    };
    Ok(searches.iter().map(&mut count).collect())
}

struct CountOne<'a, G: Game> {
    ahead: &'a LookAhead<G>,
    position: &'a G,
    order: Order,
    memory: &'a mut Memory<G>,
    table: &'a mut Table,
    stop: &'a AtomicBool,
}

impl<G: Game> Task for CountOne<'_, G> {
    type Output = Option<Count<G::Move>>;
    const WORTH_AVX512: bool = false;

    #[inline(always)]
    fn run<C: Cpu>(self, cpu: C) -> Self::Output {
        let Self { ahead, position, order, memory, table, stop } = self;
        let begun = Instant::now();
        let search = ahead.search(position, Key(0), Key(0), Ties::First, stop);
        let depth = search.options.depth;
        let candidates = vec![Candidates::default(); depth as usize + 1];
        let branching = Ordered { order, table, candidates, looks: 0 };
        let horizon = Horizon::at(cpu, position, &search, &mut memory.registers);
        let (mut searcher, mut root) = (Searcher::new(horizon, &search, branching), Root::new(position, Ties::First));
        if depth == 1 {
            searcher.one_ply(position, &mut root);
        } else {
            searcher.order_root(position, &mut root);
            searcher.iterate(position, depth, &mut root);
        }
        let nodes = searcher.tally.nodes;
        let choice = searcher.choice(root, depth, Key(0).stream())?;
        searcher.remember(position, position.legal_moves().position(|chosen| chosen == choice.chosen)?);
        let (chosen, value, looks) = (choice.chosen, choice.score?, searcher.branching.looks);
        Some(Count { depth, chosen, value, nodes, looks, elapsed: begun.elapsed() })
    }
}

/// Every move with the whole window, in an order, until one reaches beta.
struct Ordered<'a, G: Game> {
    order: Order,
    table: &'a mut Table,
    /// Moves of the position being searched, by remaining depth.
    candidates: Vec<Candidates<G>>,
    looks: u64,
}

impl<'a, G: Game, C: Cpu> Branching<'a, G, C> for Ordered<'a, G> {
    const DEEPENS: bool = false;

    #[inline(always)]
    fn value(
        searcher: &mut Searcher<'a, G, C, Self>,
        position: &G,
        path: Key,
        depth: u32,
        alpha: f64,
        beta: f64,
    ) -> f64 {
        let mut candidates = std::mem::take(&mut searcher.branching.candidates[depth as usize]);
        searcher.gather(position, &mut candidates);
        let (mut best, mut best_place) = (f64::NEG_INFINITY, None);
        while best < beta
            && let Some(place) = candidates.take_best()
        {
            let child = candidates.child(position, place);
            let value = -searcher.negamax(&child, path, depth - 1, -beta, -alpha.max(best));
            if value > best {
                (best, best_place) = (value, Some(place));
                if value > alpha && value < beta {
                    searcher.extend_line(depth, Some(candidates.chosen(place)));
                }
            }
        }
        searcher.branching.candidates[depth as usize] = candidates;
        // The best of moves that all failed is nothing to go by.
        if let Some(place) = best_place.filter(|_| best > alpha && !searcher.tally.stopped) {
            searcher.remember(position, place);
        }
        best
    }
}

impl<'a, G: Game, C: Cpu> Searcher<'a, G, C, Ordered<'a, G>> {
    /// Bring the moves at the root into the order.
    #[inline(always)]
    fn order_root(&mut self, position: &G, root: &mut Root<G>) {
        let mut candidates = Candidates::default();
        self.gather(position, &mut candidates);
        let mut scores = vec![0.0; root.moves.len()];
        for rank in (0..root.moves.len()).rev() {
            if let Some(place) = candidates.take_best() {
                scores[place] = rank as f64;
            }
        }
        root.sort(&scores);
    }

    /// All moves of a position, best first by the order.
    #[inline(always)]
    fn gather(&mut self, position: &G, candidates: &mut Candidates<G>) {
        candidates.fill(self.horizon.cpu(), position);
        let Ordered { order, table, looks, .. } = &mut self.branching;
        if *order == Order::Evaluator && candidates.len() > 1 {
            self.horizon.blocks_as_they_stand(position, Key(0), |siblings| {
                *looks += siblings.nodes();
                candidates.rank_by_values(siblings.lanes());
                true
            });
            return;
        }
        candidates.rank_alike();
        if let Order::Table(_) = order
            && let Some(Entry { best: Some(place), .. }) = table.find(key_of(position).0)
        {
            candidates.prefer(place);
        }
    }

    /// Keep a position's best move, if there is a table for it.
    #[inline(always)]
    fn remember(&mut self, position: &G, place: usize) {
        if let Order::Table(_) = self.branching.order {
            let (lower, upper) = (f64::NEG_INFINITY, f64::INFINITY);
            let entry = Entry { lower, upper, depth: 0, best: place.try_into().ok(), estimated: true };
            self.branching.table.store(key_of(position).0, entry);
        }
    }
}
