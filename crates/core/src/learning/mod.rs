//! Learning by playing: games whose errors change the weights of a linear evaluator.
//!
//! Both sides choose by the [`weights`], or one by weights that stay as they are. What a side thinks of a board it came to, and what it
//! thinks once it has its turn again, differ: a rule of learning makes changes of that, at once, in the middle of the game. The
//! rules stand in `rule`. Source: Almgren, Berglund & Milstein.
//!
//! Everything is drawn from the key of the game, its sides and plies. Games of a batch begin with the same weights, and what
//! they learn is added in their order, so threads do not show.

mod game;
pub mod labels;
pub mod learner;
mod rule;
mod seat;
pub mod settings;
pub mod tables;
pub mod weights;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::cpu::{Cpu, Task, dispatch};
use crate::expression::program::Program;
use crate::rules::Game;
use crate::work::{Stopped, for_each_parallel_with};
use game::{Lost, Play};
use learner::{Coherence, Learner, is_lost};
use seat::Seat;
use settings::Settings;
use weights::Weights;

pub use game::Lesson;

/// What came of games.
#[derive(Clone, PartialEq, Debug)]
pub struct Lessons {
    /// The weights after the last game.
    pub weights: Weights,
    /// What is known of the changes of every parameter, if they have rates of their own.
    pub coherence: Option<Coherence>,
    /// The rows of the weights, each time they were written down.
    pub history: Vec<Vec<f64>>,
    /// The games, in order.
    pub games: Vec<Lesson>,
    /// The game and its ply at which a weight left the numbers; everything else is as it was before that game.
    pub failed: Option<(u64, u32)>,
}

/// Play and learn; `done` counts games meanwhile.
///
/// # Errors
/// [`Stopped`] if `stop` was set before; else says in words what makes no sense.
pub fn learn<G: Game>(
    settings: &Settings<G>,
    weights: Weights,
    coherence: Option<Coherence>,
    stop: &AtomicBool,
    done: &AtomicU64,
) -> Result<Result<Lessons, String>, Stopped> {
    if let Err(message) = settings.check(&weights) {
        return Ok(Err(message));
    }
    let fits = |coherence: &Coherence| {
        let lists = [&coherence.sums, &coherence.sizes];
        lists.iter().all(|list| list.len() == weights.rows.len() && list.iter().all(|value| value.is_finite()))
    };
    if !coherence.as_ref().is_none_or(fits) {
        return Ok(Err("adaptive: give two finite numbers for every weight and time weight".into()));
    }
    let lessons = Lessons { weights, coherence, history: Vec::new(), games: Vec::new(), failed: None };
    dispatch(Learn { settings, lessons, stop, done }).map(Ok)
}

struct Learn<'a, G: Game> {
    settings: &'a Settings<G>,
    lessons: Lessons,
    stop: &'a AtomicBool,
    done: &'a AtomicU64,
}

/// A game of a batch, and the learner it began with.
struct Slot {
    learner: Learner,
    /// What came of it, once it was played.
    lesson: Option<Result<Lesson, Lost>>,
}

impl<G: Game> Task for Learn<'_, G> {
    type Output = Result<Lessons, Stopped>;

    #[inline(always)]
    fn run<C: Cpu>(self, cpu: C) -> Self::Output {
        let Self { settings, mut lessons, stop, done } = self;
        let opponent: Option<Arc<Program<G::Board>>> =
            settings.plan.opponent.as_ref().zip(settings.value.as_ref()).map(|(weights, value)| value.with(weights));
        let mut seat = Seat::new(settings);
        for (batch, rates) in settings.plan.rates.chunks(settings.plan.batch).enumerate() {
            let first = settings.plan.first_game.wrapping_add((batch * settings.plan.batch) as u64);
            let mut slots: Vec<_> = rates.iter().map(|&rates| lessons.slot(rates)).collect();
            let play = |seat: &mut Seat<'_, G>, index: usize, slot: &mut Slot| {
                let (number, learner) = (first.wrapping_add(index as u64), &mut slot.learner);
                let opponent = opponent.as_ref();
                slot.lesson = cpu.call(Play { settings, number, learner, seat, opponent, stop }).ok();
                done.fetch_add(1, Ordering::Relaxed);
            };
            if slots.len() == 1 || settings.plan.threads == 1 {
                for (index, slot) in slots.iter_mut().enumerate() {
                    play(&mut seat, index, slot);
                }
            } else {
                for_each_parallel_with(&mut slots, settings.plan.threads, stop, || Seat::new(settings), play)?;
            }
            lessons.add(slots, first, settings.plan.every)?;
            if lessons.failed.is_some() {
                break;
            }
        }
        Ok(lessons)
    }
}

impl Lessons {
    /// What a game begins with.
    fn slot(&self, rates: [f64; 2]) -> Slot {
        let (weights, coherence) = (self.weights.clone(), self.coherence.clone());
        let learner = Learner { weights, rates, coherence, updates: 0, squared_errors: 0.0, lost: false };
        Slot { learner, lesson: None }
    }

    /// Add what the games of a batch learned, in their order.
    fn add(&mut self, slots: Vec<Slot>, first: u64, every: u64) -> Result<(), Stopped> {
        let (begun, is_alone) = ((self.weights.rows.clone(), self.coherence.clone()), slots.len() == 1);
        for (number, Slot { learner, lesson }) in (first..).zip(slots) {
            let lesson = match lesson.ok_or(Stopped)? {
                Ok(lesson) => lesson,
                Err(Lost(ply)) => {
                    self.failed = Some((number, ply));
                    return Ok(());
                }
            };
            let before = (self.weights.clone(), self.coherence.clone());
            if is_alone {
                (self.weights, self.coherence) = (learner.weights, learner.coherence);
            } else {
                add_differences(&mut self.weights.rows, &learner.weights.rows, &begun.0);
                if let (Some(sum), Some(learned), Some(begun)) = (&mut self.coherence, learner.coherence, &begun.1) {
                    add_differences(&mut sum.sums, &learned.sums, &begun.sums);
                    add_differences(&mut sum.sizes, &learned.sizes, &begun.sizes);
                }
            }
            if self.weights.rows.iter().any(|&weight| is_lost(weight)) {
                (self.weights, self.coherence) = before;
                self.failed = Some((number, lesson.plies));
                return Ok(());
            }
            self.games.push(lesson);
            if (self.games.len() as u64).is_multiple_of(every) {
                self.history.push(self.weights.rows.clone());
            }
        }
        Ok(())
    }
}

/// Add what `learned` has more than `begun`.
fn add_differences(sum: &mut [f64], learned: &[f64], begun: &[f64]) {
    for ((sum, learned), begun) in sum.iter_mut().zip(learned).zip(begun) {
        *sum += learned - begun;
    }
}
