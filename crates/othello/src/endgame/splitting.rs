//! Threads at one position: whoever is idle helps with the moves after the first one.
//!
//! The first move is searched alone, since it often decides (young brothers wait). Helpers are threads that end with the
//! position they help at; they share the table, and end early when one move exceeds alpha.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::solver::Solver;
use super::workers::Split;
use evoply_core::bitboard::Board;
use evoply_core::cpu::Cpu;

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
        let Self { crew, own, shallow, .. } = self;
        crew.nodes.fetch_add(shallow.nodes, Ordering::Relaxed);
        crew.left.lock().unwrap_or_else(PoisonError::into_inner).push(own);
        crew.idle.fetch_add(1, Ordering::Relaxed);
    }

    /// Nodes of all threads so far.
    pub(super) fn nodes(&self) -> u64 {
        self.shallow.nodes + self.crew.nodes.load(Ordering::Relaxed)
    }
}
