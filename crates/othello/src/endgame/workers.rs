//! What the threads of one solve share, and what each has for itself.

use std::sync::atomic::{AtomicBool, AtomicIsize, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::advice::Advice;
use super::geometry::Geometry;
use super::question::Endgame;
use super::table::ScoreTable;
use crate::Othello;
use evoply_core::bitboard::Board;
use evoply_core::cpu::Cpu;
use evoply_core::evaluator::Evaluator;
use evoply_core::rules::Game;
use evoply_core::search::Memory;
use evoply_core::work::thread_count;

/// More threads than this are never of use.
const MOST_THREADS: usize = 256;
/// Memory for the small table of a thread: the second cache of a processor holds it, and more would be slower.
const NEAR_BYTES: usize = 1 << 19;

/// What the threads of one solve share.
pub(super) struct Crew<'a, B: Board> {
    pub question: &'a Endgame<'a>,
    pub geometry: Arc<Geometry<B>>,
    /// What is known about positions with many empty squares.
    pub table: ScoreTable<B>,
    /// What an evaluator says about the order of moves, if there is one.
    pub advice: Option<Advice<'a, Othello<B>>>,
    /// How many more threads may be at work.
    pub idle: AtomicIsize,
    /// Nodes of helpers that have ended.
    pub nodes: AtomicU64,
    /// What threads had for themselves that have ended.
    pub left: Mutex<Vec<Belongings<B>>>,
    empties: u32,
}

/// What a thread has for itself.
pub(super) struct Belongings<B: Board> {
    /// What is known about positions with few empty squares.
    pub near: ScoreTable<B>,
    /// To ask for advice with, if there is any.
    pub memory: Option<Box<Memory<Othello<B>>>>,
}

impl<'a, B: Board> Crew<'a, B> {
    pub fn new<C: Cpu>(
        cpu: C,
        position: &Othello<B>,
        question: &'a Endgame<'a>,
        evaluator: Option<&Evaluator<Othello<B>>>,
    ) -> Self {
        let empties = (!(position.own() | position.opponent())).len();
        Self {
            question,
            geometry: Arc::new(Geometry::new()),
            table: ScoreTable::new(question.table_bytes, empties),
            advice: evaluator.and_then(|evaluator| Advice::new(cpu, evaluator, position, question)),
            idle: AtomicIsize::new(thread_count(question.threads).min(MOST_THREADS) as isize - 1),
            nodes: AtomicU64::new(0),
            left: Mutex::default(),
            empties,
        }
    }

    /// What a thread has for itself: what another one had, or new.
    pub fn belongings(&self) -> Belongings<B> {
        let left = self.left.lock().unwrap_or_else(PoisonError::into_inner).pop();
        left.unwrap_or_else(|| Belongings {
            near: ScoreTable::new(NEAR_BYTES.min(self.question.table_bytes), self.empties),
            memory: self.advice.as_ref().map(|advice| Box::new(advice.memory())),
        })
    }

    /// Whether a thread would help.
    #[inline(always)]
    pub fn has_idle(&self) -> bool {
        self.idle.load(Ordering::Relaxed) > 0
    }

    /// Ask for so many helpers at most; how many may come.
    pub fn take_idle(&self, most: usize) -> usize {
        let take = |idle: isize| (idle > 0).then(|| idle - idle.min(most as isize));
        let before = self.idle.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take);
        before.map_or(0, |idle| idle.min(most as isize) as usize)
    }
}

/// A position at which several threads are at work.
#[derive(Debug)]
pub(super) struct Split {
    /// The one whose moves led here.
    pub parent: Option<Arc<Split>>,
    /// A move has exceeded alpha.
    pub is_decided: AtomicBool,
}

impl Split {
    /// Whether nobody needs this position any more.
    pub fn is_over(&self) -> bool {
        self.is_decided.load(Ordering::Relaxed) || self.parent.as_ref().is_some_and(|parent| parent.is_over())
    }
}
