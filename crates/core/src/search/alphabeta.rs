//! Negamax alpha-beta: the plain search to a fixed depth, and all that the deepening one shares with it.
//!
//! The last ply is valued in blocks of siblings. The blocks belong to the algorithm: a cut-off is looked for between
//! blocks, so the number of nodes is the same on every machine. A node is a position entered or a leaf that was valued.
//! What a search does above the last ply is its `Branching`.
//!
//! Reasons: docs/design/search.md.

use std::sync::atomic::{AtomicBool, Ordering};

use super::horizon::{Horizon, LastPly, Tally, value_of_end};
use super::ordering::MoveOrder;
use super::root::{Best, Root};
use super::{Memory, Search};
use crate::bitboard::{Board, Word};
use crate::choice::Choice;
use crate::cpu::{Cpu, Task};
use crate::lanes::{LANES, Lanes};
use crate::rules::Game;
use crate::stream::{Key, Stream};

/// One ply is always looked ahead, whoever wants the search to stop.
static NEVER: AtomicBool = AtomicBool::new(false);

/// Search a position that is not over to the depth of the options; it may be expanded already. `None` if the search was stopped.
///
/// Random ties are drawn from `stream` among the moves whose exact values are equal.
pub fn search<G: Game, C: Cpu>(
    cpu: C,
    search: &Search<'_, G>,
    position: &G,
    expansion: Option<&mut G::Expansion>,
    stream: Stream,
    memory: &mut Memory<G>,
) -> Option<Choice<G>> {
    cpu.call(Whole { cpu, search, position, expansion, stream, memory })
}

/// A whole search, as a task of its CPU path.
struct Whole<'a, 's, G: Game, C: Cpu> {
    cpu: C,
    search: &'a Search<'s, G>,
    position: &'a G,
    expansion: Option<&'a mut G::Expansion>,
    stream: Stream,
    memory: &'a mut Memory<G>,
}

impl<G: Game, C: Cpu> Task for Whole<'_, '_, G, C> {
    type Output = Option<Choice<G>>;
    #[inline(always)]
    fn run<D: Cpu>(self, _: D) -> Self::Output {
        let Self { cpu, search, position, expansion, stream, memory } = self;
        let horizon = Horizon::at(cpu, position, search, &mut memory.registers);
        if search.options.depth == 1 {
            return best_board(horizon, search, position, expansion, stream);
        }
        let refutes = search.options.ordering == MoveOrder::Refutation;
        let latest = vec![[Word::ZERO; 2]; if refutes { search.options.depth as usize + 1 } else { 0 }];
        Searcher::new(horizon, search, InOrder { latest }).look(position, stream)
    }
}

/// One ply ahead: of the boards after all moves, the best one.
#[inline(always)]
fn best_board<G: Game, C: Cpu>(
    mut horizon: Horizon<'_, G, C>,
    search: &Search<'_, G>,
    position: &G,
    expansion: Option<&mut G::Expansion>,
    mut stream: Stream,
) -> Option<Choice<G>> {
    let moves = match &expansion {
        Some(expansion) => G::remaining(position.rules(), expansion),
        None => position.legal_moves(),
    };
    let (mut values, mut nodes) = (Vec::with_capacity(moves.len()), 1);
    horizon.stop = &NEVER;
    horizon.blocks_of(position, expansion, search.rule.root(), |siblings| {
        nodes += siblings.nodes();
        values.extend_from_slice(siblings.values());
        true
    });
    if search.stop.load(Ordering::Relaxed) {
        return None;
    }
    let (index, chosen) = search.ties.pick(position, moves, &values, &mut stream)?;
    // Two zeros may be equal and not the same: whichever move is taken, the score is the first of them.
    let score = values.iter().copied().find(|&value| value == values[index]);
    Some(Choice { score, depth: 1, nodes, ..Choice::unseen(chosen) })
}

/// What a search does at a position above the last ply.
pub(super) trait Branching<'a, G: Game, C: Cpu>: Sized {
    /// Whether the search deepens: it then has limits to look at, and asks of a move first whether it is better than the best
    /// so far, before it asks how much.
    const DEEPENS: bool;

    /// The value of a position for the side to move, exact inside (alpha, beta) and a bound outside; minus infinity if it
    /// has no move.
    fn value(
        searcher: &mut Searcher<'a, G, C, Self>,
        position: &G,
        path: Key,
        depth: u32,
        alpha: f64,
        beta: f64,
    ) -> f64;
}

/// Every move in the order of legal moves, with the whole window, until one reaches beta; no limits.
///
/// If it refutes, of each block of moves those come first that cut off latest at the same depth: what refuted one move of the
/// other side often refutes the next. That costs next to nothing, so it pays where a search is too shallow for better orders.
pub(super) struct InOrder<B: Board> {
    /// The squares that the two latest such moves landed on, by remaining depth; none if there is no such move yet. Empty if it
    /// does not refute.
    latest: Vec<[B::Word; 2]>,
}

impl<'a, G: Game, C: Cpu> Branching<'a, G, C> for InOrder<G::Board> {
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
        let (cpu, mut best) = (searcher.horizon.cpu(), f64::NEG_INFINITY);
        let (mut expansion, mut before) = (position.expand(cpu), 0);
        loop {
            // The children are made a block at a time: those behind a cut-off never are.
            let children = position.next_children(cpu, &mut expansion);
            let (mut left, mut first) = ((1_u32 << children.len) - 1, [0; 2]);
            if let Some(&[one, other]) = searcher.branching.latest.get(depth as usize) {
                first = [lanes_with(&children.moved_to, one), lanes_with(&children.moved_to, other)];
            }
            while left != 0 {
                let preferred = first.into_iter().map(|lanes| lanes & left).find(|&lanes| lanes != 0);
                let lane = Word::trailing_zeros(u64::from(preferred.unwrap_or(left))) as usize;
                left &= !(1 << lane);
                let child = position.child(&children, lane);
                let path = searcher.search.rule.step(path, before + lane);
                let value = -searcher.negamax(&child, path, depth - 1, -beta, -alpha.max(best));
                if value > best {
                    best = value;
                    if value > alpha && value < beta {
                        searcher.extend_line(depth, position.legal_moves().nth(before + lane));
                    }
                }
                if best >= beta {
                    if let Some([one, other]) = searcher.branching.latest.get_mut(depth as usize) {
                        let landed = children.moved_to.0[lane];
                        if *one != landed {
                            (*other, *one) = (*one, landed);
                        }
                    }
                    return best;
                }
            }
            before += children.len;
            if children.len < LANES {
                return best;
            }
        }
    }
}

/// Bit i is set if lane i holds a word.
#[inline(always)]
fn lanes_with<W: Word>(lanes: &Lanes<W>, word: W) -> u32 {
    let mut equal = 0;
    for lane in 0..LANES {
        equal |= u32::from(lanes.0[lane] == word) << lane;
    }
    equal
}

pub(super) struct Searcher<'a, G: Game, C: Cpu, B> {
    pub horizon: Horizon<'a, G, C>,
    pub search: &'a Search<'a, G>,
    pub branching: B,
    /// Best line by remaining depth: what lies below depth d is in `lines[d]`.
    lines: Vec<Vec<G::Move>>,
    pub tally: Tally<'a>,
}

impl<'a, G: Game, C: Cpu, B: Branching<'a, G, C>> Searcher<'a, G, C, B> {
    pub fn new(horizon: Horizon<'a, G, C>, search: &'a Search<'a, G>, branching: B) -> Self {
        Self {
            horizon,
            search,
            branching,
            lines: vec![Vec::new(); search.options.depth as usize + 1],
            tally: Tally::new(1, search.stop),
        }
    }

    /// Look as many plies ahead as the options say.
    #[inline(always)]
    fn look(&mut self, position: &G, stream: Stream) -> Option<Choice<G>> {
        let (mut root, depth) = (Root::new(position, self.search.ties), self.search.options.depth);
        if self.search.options.ordering == MoveOrder::Refutation {
            let values = self.one_ply(position, &mut root);
            root.sort(&values);
        }
        self.iterate(position, depth, &mut root);
        self.choice(root, depth, stream)
    }

    /// Value the moves at the root by the boards after them; the values are in the order of legal moves.
    #[inline(always)]
    pub fn one_ply(&mut self, position: &G, root: &mut Root<G>) -> Vec<f64> {
        let mut values = Vec::new();
        let stop = std::mem::replace(&mut self.horizon.stop, &NEVER);
        self.horizon.blocks(position, self.search.rule.root(), |siblings| {
            self.tally.nodes += siblings.nodes();
            self.tally.estimated |= siblings.estimated;
            values.extend_from_slice(siblings.values());
            true
        });
        self.horizon.stop = stop;
        for place in 0..root.moves.len() {
            let one = root.moves[place];
            root.offer(one, values[one.index], &[]);
        }
        values
    }

    /// Look `depth` plies ahead from the root, at least two; whether that was completed.
    pub fn iterate(&mut self, position: &G, depth: u32, root: &mut Root<G>) -> bool {
        root.best = Best::NONE;
        self.horizon.enter(position, depth);
        for place in 0..root.moves.len() {
            let one = root.moves[place];
            let child = position.play_unchecked(one.chosen);
            let path = self.search.rule.step(self.search.rule.root(), one.index);
            // Step 1. Does it count? Only then its value must be known.
            let floor = root.floor(&one);
            let asks = B::DEEPENS && place > 0;
            let ceiling = if asks { root.best.value.next_up() } else { f64::INFINITY };
            let mut value = -self.negamax(&child, path, depth - 1, -ceiling, -floor);
            // Step 2. Better than the best: how much?
            if asks && value >= ceiling && !self.tally.stopped {
                value = -self.negamax(&child, path, depth - 1, f64::NEG_INFINITY, -value.next_down());
            }
            if self.tally.stopped {
                return false;
            }
            root.offer(one, value, &self.lines[depth as usize - 1]);
        }
        true
    }

    /// One of the best moves, looked at `depth` plies ahead; `None` if the search was stopped from outside.
    pub fn choice(&self, root: Root<G>, depth: u32, mut stream: Stream) -> Option<Choice<G>> {
        if self.search.stop.load(Ordering::Relaxed) {
            return None;
        }
        let best = root.best.value;
        let (chosen, continuation) = root.pick(&mut stream)?;
        Some(Choice { chosen, score: Some(best), depth, nodes: self.tally.nodes, continuation, is_exact: false })
    }

    /// The value of `position` for the side to move, exact inside (alpha, beta) and a bound outside.
    #[inline(always)]
    pub fn negamax(&mut self, position: &G, path: Key, depth: u32, alpha: f64, beta: f64) -> f64 {
        let cpu = self.horizon.cpu();
        if depth > 1 {
            return cpu.call(Negamax { searcher: self, position, path, depth, alpha, beta });
        }
        let Self { horizon, tally, lines, .. } = self;
        cpu.call(LastPly { horizon, tally, line: &mut lines[1], position, path, alpha, beta })
    }

    /// The body of [`Self::negamax`] above the last ply, compiled for the CPU path of the search.
    #[inline(always)]
    fn node(&mut self, position: &G, path: Key, depth: u32, alpha: f64, beta: f64) -> f64 {
        if !self.tally.count() {
            return 0.0;
        }
        self.horizon.enter(position, depth);
        self.lines[depth as usize].clear();
        let best = B::value(self, position, path, depth, alpha, beta);
        // No move at all: the game is over and its value exact.
        if best == f64::NEG_INFINITY && !self.tally.stopped {
            return value_of_end(position);
        }
        best
    }

    /// The best line of the last position that was looked at so many plies ahead.
    pub fn line(&self, depth: u32) -> &[G::Move] {
        &self.lines[depth as usize]
    }

    /// The best line from here is `chosen` and then the best line of the child.
    pub fn extend_line(&mut self, depth: u32, chosen: Option<G::Move>) {
        let (below, here) = self.lines.split_at_mut(depth as usize);
        here[0].clear();
        here[0].extend(chosen);
        here[0].extend_from_slice(&below[depth as usize - 1]);
    }
}

/// One node, as a task of the CPU path that the whole search runs in.
struct Negamax<'a, 'b, G: Game, C: Cpu, B> {
    searcher: &'a mut Searcher<'b, G, C, B>,
    position: &'a G,
    path: Key,
    depth: u32,
    alpha: f64,
    beta: f64,
}

impl<'b, G: Game, C: Cpu, B: Branching<'b, G, C>> Task for Negamax<'_, 'b, G, C, B> {
    type Output = f64;
    #[inline(always)]
    fn run<D: Cpu>(self, _: D) -> f64 {
        self.searcher.node(self.position, self.path, self.depth, self.alpha, self.beta)
    }
}
