//! Threads at one position: whoever is idle helps with the moves after the first one.
//!
//! The first move is searched alone, since it often decides (young brothers wait). Helpers are threads that end with the
//! position they help at; they share the table, and end early when one move exceeds alpha.

use std::sync::atomic::{AtomicBool, AtomicIsize, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::geometry::Geometry;
use super::table::ScoreTable;
use super::{Endgame, NEAR_BYTES, Solver, thread_count};
use crate::bitboard::Board;
use crate::cpu::Cpu;
use crate::rules::Game;
use crate::rules::othello::Othello;

/// More threads than this are never of use.
const MOST_THREADS: usize = 256;

/// What the threads of one solve share.
pub(super) struct Crew<'a, B: Board> {
    pub question: &'a Endgame<'a>,
    pub geometry: Arc<Geometry<B>>,
    /// What is known about positions with many empty squares.
    pub table: ScoreTable<B>,
    /// How many more threads may be at work.
    idle: AtomicIsize,
    /// Nodes of helpers that have ended.
    nodes: AtomicU64,
    /// Small tables that nobody uses just now.
    near: Mutex<Vec<ScoreTable<B>>>,
    empties: u32,
}

impl<'a, B: Board> Crew<'a, B> {
    pub fn new(position: &Othello<B>, question: &'a Endgame<'a>) -> Self {
        let empties = (!(position.own() | position.opponent())).len();
        Self {
            question,
            geometry: Arc::new(Geometry::new()),
            table: ScoreTable::new(question.table_bytes, empties),
            idle: AtomicIsize::new(thread_count(question.threads).min(MOST_THREADS) as isize - 1),
            nodes: AtomicU64::new(0),
            near: Mutex::default(),
            empties,
        }
    }

    /// A table for the positions that a thread remembers for itself.
    pub fn take_near(&self) -> ScoreTable<B> {
        let used = self.near.lock().unwrap_or_else(PoisonError::into_inner).pop();
        used.unwrap_or_else(|| ScoreTable::new(NEAR_BYTES.min(self.question.table_bytes), self.empties))
    }

    /// Whether a thread would help.
    #[inline(always)]
    pub fn has_idle(&self) -> bool {
        self.idle.load(Ordering::Relaxed) > 0
    }

    /// Ask for so many helpers at most; how many may come.
    fn take_idle(&self, most: usize) -> usize {
        let take = |idle: isize| (idle > 0).then(|| idle - idle.min(most as isize));
        let before = self.idle.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take);
        before.map_or(0, |idle| idle.min(most as isize) as usize)
    }
}

/// A position at which several threads are at work.
#[derive(Debug)]
pub(super) struct Split {
    /// The one whose moves led here.
    parent: Option<Arc<Split>>,
    /// A move has exceeded alpha.
    is_decided: AtomicBool,
}

impl Split {
    /// Whether nobody needs this position any more.
    pub fn is_over(&self) -> bool {
        self.is_decided.load(Ordering::Relaxed) || self.parent.as_ref().is_some_and(|parent| parent.is_over())
    }
}

impl<B: Board, C: Cpu> Solver<'_, B, C> {
    /// Search the children from `place` on with idle threads, given the best score and its square so far; the best of all.
    #[cold]
    #[inline(never)]
    pub(super) fn split(&mut self, place: usize, alpha: i32, so_far: (i32, u8)) -> (i32, u8) {
        let (cpu, crew) = (self.cpu, self.crew);
        let children = self.children.sorted_from(place);
        let split = Arc::new(Split { parent: self.split.clone(), is_decided: AtomicBool::new(false) });
        let (next, best) = (AtomicUsize::new(0), Mutex::new(so_far));
        let work = |solver: &mut Self| {
            while let Some(child) = children.get(next.fetch_add(1, Ordering::Relaxed)) {
                let score = -solver.exceeds(child.own, child.opponent, -alpha - 1);
                if solver.stopped {
                    return;
                }
                let mut best = best.lock().unwrap_or_else(PoisonError::into_inner);
                if score > best.0 {
                    *best = (score, child.square);
                }
                if score > alpha {
                    split.is_decided.store(true, Ordering::Relaxed);
                    return;
                }
            }
        };
        let helpers = crew.take_idle(children.len() - 1);
        self.split = Some(split.clone());
        std::thread::scope(|scope| {
            for _ in 0..helpers {
                scope.spawn(|| {
                    let mut helper = Solver::new(cpu, crew, Some(split.clone()));
                    if !helper.stopped {
                        work(&mut helper);
                    }
                    helper.end();
                });
            }
            work(self);
            // Somebody else may work while this thread waits for its helpers.
            crew.idle.fetch_add(1, Ordering::Relaxed);
        });
        crew.idle.fetch_sub(1, Ordering::Relaxed);
        self.split.clone_from(&split.parent);
        self.look_at_stops();
        best.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Give back what a helper had.
    fn end(self) {
        let Self { crew, near, shallow, .. } = self;
        crew.nodes.fetch_add(shallow.nodes, Ordering::Relaxed);
        crew.near.lock().unwrap_or_else(PoisonError::into_inner).push(near);
        crew.idle.fetch_add(1, Ordering::Relaxed);
    }

    /// Nodes of all threads so far.
    pub(super) fn nodes(&self) -> u64 {
        self.shallow.nodes + self.crew.nodes.load(Ordering::Relaxed)
    }
}
