//! Searches that are taken up again where they were, for an engine that stays.

use std::time::Instant;

use super::deepening::{Progress, searcher};
use super::{Memory, Search};
use crate::cpu::{Cpu, Task};
use crate::rules::Game;

/// When a search that can be taken up again ends.
#[derive(Clone, Copy, Debug)]
pub struct Deadlines {
    /// No depth is begun after this.
    pub soft: Option<Instant>,
    /// A depth that is not completed by then is given up.
    pub hard: Option<Instant>,
}

/// Look deeper at one position, one ply at a time, from where `progress` is (`None`: from the beginning), until the depth of
/// the options, their nodes, a deadline or the stop flag; one ply is always completed. `tell` hears of every completed depth.
///
/// The memory should last: what the interrupted depth has found is in its table.
pub fn take_up<G: Game, C: Cpu>(
    cpu: C,
    search: &Search<'_, G>,
    position: &G,
    deadlines: Deadlines,
    memory: &mut Memory<G>,
    progress: &mut Option<Progress<G>>,
    tell: &mut dyn FnMut(&Progress<G>),
) {
    cpu.call(TakeUp { cpu, search, position, deadlines, memory, progress, tell });
}

/// All that [`take_up`] does, as a task of its CPU path.
struct TakeUp<'a, 's, G: Game, C: Cpu> {
    cpu: C,
    search: &'a Search<'s, G>,
    position: &'a G,
    deadlines: Deadlines,
    memory: &'a mut Memory<G>,
    progress: &'a mut Option<Progress<G>>,
    tell: &'a mut dyn FnMut(&Progress<G>),
}

impl<G: Game, C: Cpu> Task for TakeUp<'_, '_, G, C> {
    type Output = ();

    #[inline(always)]
    fn run<D: Cpu>(self, _: D) {
        let Self { cpu, search, position, deadlines, memory, progress, tell } = self;
        let mut searcher = searcher(cpu, search, position, memory);
        if progress.is_none() {
            tell(progress.insert(searcher.begin(position)));
        }
        let Some(progress) = progress else { return };
        searcher.resume(progress, deadlines.hard);
        while searcher.left_to_go(progress).is_some()
            && deadlines.soft.is_none_or(|soft| Instant::now() < soft)
            && searcher.deepen(position, 1, progress)
        {
            tell(progress);
        }
    }
}
