//! Negamax alpha-beta to a fixed depth. Its value equals plain minimax; the last ply is evaluated in blocks of siblings.
//!
//! The blocks belong to the algorithm: a cut-off is looked for between blocks, so the number of nodes is the same on every
//! machine. A node is a position entered or a leaf that was evaluated.

use std::sync::atomic::Ordering;

use super::{Search, WIN, outcome_value};
use crate::bitboard::Word;
use crate::cpu::{Cpu, Task};
use crate::expression::evaluation::Registers;
use crate::lanes::{LANES, Lanes};
use crate::player::{Choice, LARGEST_VALUE, Ties, block_of, bounded, speaks_for};
use crate::rules::{Color, Game};
use crate::stream::Stream;

/// Search a position that is not over. `None` if the search was stopped.
///
/// Random ties are drawn from `stream` among the moves whose exact values are equal.
pub fn search<G: Game, C: Cpu>(
    cpu: C,
    search: &Search<'_, G>,
    position: &G,
    mut stream: Stream,
    registers: &mut Registers<G::Board>,
) -> Option<Choice<G>> {
    let depth = search.depth.max(1);
    let mut searcher = Searcher {
        cpu,
        search,
        registers,
        chooser: position.turn(),
        root_ply: f64::from(position.ply()),
        root_clock: G::clock(f64::from((position.own() | position.opponent()).len())),
        nodes: 1,
        stopped: false,
        lines: vec![Vec::new(); depth as usize + 1],
    };
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
        searcher.leaves(position, f64::INFINITY, |chosen, value| {
            offer(chosen, value, &[]);
        });
    } else {
        let mut alpha = -f64::INFINITY;
        for chosen in position.legal_moves() {
            searcher.lines[depth as usize - 1].clear();
            let value = -searcher.negamax(&position.play_unchecked(chosen), depth - 1, -f64::INFINITY, -alpha);
            if searcher.stopped {
                return None;
            }
            alpha = offer(chosen, value, &searcher.lines[depth as usize - 1]);
        }
    }
    let index = match search.ties {
        Ties::First => 0,
        Ties::Last => equals.len().checked_sub(1)?,
        Ties::Random => stream.below(equals.len() as u64) as usize,
    };
    let nodes = searcher.nodes;
    let (chosen, continuation) = equals.into_iter().nth(index)?;
    Some(Choice { chosen, score: Some(best), nodes, continuation })
}

struct Searcher<'a, G: Game, C: Cpu> {
    cpu: C,
    search: &'a Search<'a, G>,
    registers: &'a mut Registers<G::Board>,
    chooser: Color,
    root_ply: f64,
    root_clock: f64,
    nodes: u64,
    stopped: bool,
    /// Best line by remaining depth; what lies below depth d is in `lines[d]`.
    lines: Vec<Vec<G::Move>>,
}

impl<G: Game, C: Cpu> Searcher<'_, G, C> {
    /// The value of `position` for the side to move, exact inside (alpha, beta) and a bound outside.
    fn negamax(&mut self, position: &G, depth: u32, alpha: f64, beta: f64) -> f64 {
        self.cpu.call(Negamax { searcher: self, position, depth, alpha, beta })
    }

    /// The body of [`Self::negamax`], compiled for the CPU path of the search.
    #[inline(always)]
    fn node(&mut self, position: &G, depth: u32, alpha: f64, beta: f64) -> f64 {
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
            let mut best_move = None;
            self.leaves(position, beta, |chosen, value| {
                if value > best {
                    best = value;
                    best_move = Some(chosen);
                }
            });
            self.lines[1].extend(best_move);
        } else {
            // Step 3. Search each child; stop at beta.
            for chosen in position.legal_moves() {
                let child = position.play_unchecked(chosen);
                let value = -self.negamax(&child, depth - 1, -beta, -alpha.max(best));
                if value > best {
                    best = value;
                    if value > alpha && value < beta {
                        self.keep_line(depth, chosen);
                    }
                }
                if best >= beta {
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
    fn keep_line(&mut self, depth: u32, chosen: G::Move) {
        let (below, here) = self.lines.split_at_mut(depth as usize);
        here[0].clear();
        here[0].push(chosen);
        here[0].extend_from_slice(&below[depth as usize - 1]);
    }

    /// Tell `visit` the value of every move of `position` for the side to move, a block of siblings at a time, until a
    /// block brought `beta` or more.
    #[inline(always)]
    fn leaves(&mut self, position: &G, beta: f64, mut visit: impl FnMut(G::Move, f64)) {
        let mover = position.turn();
        let speaker = speaks_for(self.search.evaluator.view, mover, self.chooser);
        let worst = if speaker == self.chooser { -LARGEST_VALUE } else { LARGEST_VALUE };
        let mut moves = position.legal_moves();
        loop {
            // Step 1. Up to a block of children.
            let children = position.next_children(&mut moves);
            if children.len == 0 {
                return;
            }
            self.nodes += children.len as u64;
            // Step 2. Evaluate them all at once.
            let block = block_of(position, &children, speaker, self.root_ply, self.root_clock);
            let mut outputs = [Lanes::splat(0.0)];
            self.registers.evaluate::<G>(self.cpu, &self.search.evaluator.program, &block, &mut outputs);
            // Step 3. Which of them may be finished games? Those in which the side to move has nowhere to go.
            let destinations = G::destinations_of_lanes(children.to_move, children.moved);
            // Step 4. Values for the side that moved.
            let mut best = -f64::INFINITY;
            for (lane, chosen) in children.moves.into_iter().flatten().enumerate() {
                let may_be_over = destinations.0[lane] == Word::ZERO;
                let finished = if may_be_over { position.play_unchecked(chosen).outcome() } else { None };
                let value = match finished {
                    Some(outcome) => outcome_value(outcome, mover),
                    None if speaker == mover => bounded(outputs[0].0[lane], worst),
                    None => -bounded(outputs[0].0[lane], worst),
                };
                best = best.max(value);
                visit(chosen, value);
            }
            if best >= beta || children.len < LANES {
                return;
            }
        }
    }
}

/// One node, as a task of the CPU path that the whole search runs in.
struct Negamax<'a, 'b, G: Game, C: Cpu> {
    searcher: &'a mut Searcher<'b, G, C>,
    position: &'a G,
    depth: u32,
    alpha: f64,
    beta: f64,
}

impl<G: Game, C: Cpu> Task for Negamax<'_, '_, G, C> {
    type Output = f64;
    #[inline(always)]
    fn run<D: Cpu>(self, _: D) -> f64 {
        self.searcher.node(self.position, self.depth, self.alpha, self.beta)
    }
}
