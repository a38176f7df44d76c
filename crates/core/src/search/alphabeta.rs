//! Negamax alpha-beta to a fixed depth. Its value equals plain minimax; the last ply is evaluated in blocks of siblings.
//!
//! The blocks belong to the algorithm: a cut-off is looked for between blocks, so the number of nodes is the same on every
//! machine. A node is a position entered or a leaf that was evaluated.

use std::sync::atomic::Ordering;

use super::horizon::{Horizon, Valued};
use super::{Search, WIN, outcome_value};
use crate::cpu::{Cpu, Task};
use crate::expression::evaluation::Registers;
use crate::lanes::LANES;
use crate::player::{Choice, Ties};
use crate::rules::Game;
use crate::stream::{Key, Stream};

/// Search a position that is not over. `None` if the search was stopped.
///
/// Random ties are drawn from `stream` among the moves whose exact values are equal.
pub fn search<G: Game, C: Cpu>(
    cpu: C,
    search: &Search<'_, G>,
    position: &G,
    stream: Stream,
    registers: &mut Registers<G::Board>,
) -> Option<Choice<G>> {
    cpu.call(Whole { cpu, search, position, stream, registers })
}

/// A whole search, as a task of its CPU path.
struct Whole<'a, 's, G: Game, C: Cpu> {
    cpu: C,
    search: &'a Search<'s, G>,
    position: &'a G,
    stream: Stream,
    registers: &'a mut Registers<G::Board>,
}

impl<G: Game, C: Cpu> Task for Whole<'_, '_, G, C> {
    type Output = Option<Choice<G>>;
    #[inline(always)]
    fn run<D: Cpu>(self, _: D) -> Self::Output {
        let Self { cpu, search, position, mut stream, registers } = self;
        let depth = search.options.depth.max(1);
        let mut searcher = Searcher {
            horizon: Horizon::at(cpu, position, search, registers),
            search,
            nodes: 1,
            stopped: false,
            lines: vec![Vec::new(); depth as usize + 1],
        };
        let root = search.rule.root();
        let mut best = -f64::INFINITY;
        let mut equals: Vec<(G::Move, Vec<G::Move>)> = Vec::new();
        let mut offer = |chosen: G::Move, value: f64, line: &[G::Move]| {
            if value > best {
                equals.clear();
                best = value;
            }
            if value == best {
                equals.push((chosen, line.to_vec()));
            }
            // A move that only equals the best counts under the other tie rules: the window is one step wider, so that
            // its value is exact.
            if search.ties == Ties::First { best } else { best.next_down() }
        };
        if depth == 1 {
            let mut moves = position.legal_moves();
            searcher.horizon.blocks(position, root, |siblings| {
                searcher.nodes += siblings.nodes();
                // The values first: it is they that end with the block.
                for (&value, chosen) in siblings.values().iter().zip(moves.by_ref()) {
                    offer(chosen, value, &[]);
                }
                true
            });
        } else {
            let mut alpha = -f64::INFINITY;
            for (place, chosen) in position.legal_moves().enumerate() {
                searcher.lines[depth as usize - 1].clear();
                let (child, path) = (position.play_unchecked(chosen), search.rule.step(root, place));
                let value = -searcher.negamax(&child, path, depth - 1, -f64::INFINITY, -alpha);
                if searcher.stopped {
                    return None;
                }
                alpha = offer(chosen, value, &searcher.lines[depth as usize - 1]);
            }
        }
        // The last captures may have been given up.
        if search.stop.load(Ordering::Relaxed) {
            return None;
        }
        let index = match search.ties {
            Ties::First => 0,
            Ties::Last => equals.len().checked_sub(1)?,
            Ties::Random => stream.below(equals.len() as u64) as usize,
        };
        let nodes = searcher.nodes;
        let (chosen, continuation) = equals.into_iter().nth(index)?;
        Some(Choice { chosen, score: Some(best), depth, nodes, continuation })
    }
}

struct Searcher<'a, G: Game, C: Cpu> {
    horizon: Horizon<'a, G, C>,
    search: &'a Search<'a, G>,
    nodes: u64,
    stopped: bool,
    /// Best line by remaining depth; what lies below depth d is in `lines[d]`.
    lines: Vec<Vec<G::Move>>,
}

impl<G: Game, C: Cpu> Searcher<'_, G, C> {
    /// The value of `position` for the side to move, exact inside (alpha, beta) and a bound outside.
    fn negamax(&mut self, position: &G, path: Key, depth: u32, alpha: f64, beta: f64) -> f64 {
        self.horizon.cpu().call(Negamax { searcher: self, position, path, depth, alpha, beta })
    }

    /// The body of [`Self::negamax`], compiled for the CPU path of the search.
    #[inline(always)]
    fn node(&mut self, position: &G, path: Key, depth: u32, alpha: f64, beta: f64) -> f64 {
        // Step 1. Count, and give up if asked to.
        self.nodes += 1;
        self.stopped |= self.search.stop.load(Ordering::Relaxed);
        if self.stopped {
            return 0.0;
        }
        self.lines[depth as usize].clear();
        // Step 2. The last ply: evaluate all children in blocks.
        let mut best = -f64::INFINITY;
        if depth == 1 {
            let (mut best_block, mut first, mut before) = (Valued::NONE, 0, 0);
            self.horizon.blocks(position, path, |siblings| {
                self.nodes += siblings.nodes();
                let value = siblings.best();
                if value > best {
                    (best, best_block, first) = (value, *siblings, before);
                }
                before += siblings.len();
                best < beta
            });
            if best > alpha && best < beta {
                self.lines[1].extend(position.legal_moves().nth(first + best_block.place_of(best)));
            }
        } else {
            // Step 3. Make the children a block at a time and search each; stop at beta.
            let cpu = self.horizon.cpu();
            let (mut expansion, mut before) = (position.expand(cpu), 0);
            'blocks: loop {
                let children = position.next_children(cpu, &mut expansion);
                for lane in 0..children.len {
                    let child = position.child(&children, lane);
                    let path = self.search.rule.step(path, before + lane);
                    let value = -self.negamax(&child, path, depth - 1, -beta, -alpha.max(best));
                    if value > best {
                        best = value;
                        if value > alpha && value < beta {
                            self.keep_line(depth, position.legal_moves().nth(before + lane));
                        }
                    }
                    if best >= beta {
                        break 'blocks;
                    }
                }
                before += children.len;
                if children.len < LANES {
                    break;
                }
            }
        }
        // Step 4. No move at all: the game is over and its value exact.
        if best == -f64::INFINITY {
            return position.outcome().map_or(-WIN, |outcome| outcome_value(outcome, position.turn()));
        }
        best
    }

    /// The best line from here is `chosen` and then the best line of the child.
    fn keep_line(&mut self, depth: u32, chosen: Option<G::Move>) {
        let (below, here) = self.lines.split_at_mut(depth as usize);
        here[0].clear();
        here[0].extend(chosen);
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
