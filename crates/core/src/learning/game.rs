//! One game to learn from.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::learner::Learner;
use super::rule::{Estimate, Rule, Td, TdLambda, TdLeaf};
use super::seat::{Judge, Seat, outcome_for};
use super::settings::{RuleKind, Settings};
use crate::cpu::{Cpu, Task};
use crate::expression::program::Program;
use crate::rules::draws::{Course, DrawRules, Ending, result};
use crate::rules::playout::move_key;
use crate::rules::{Color, Game};
use crate::work::Stopped;

/// A game that was learned from.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Lesson {
    /// The place of its start.
    pub start: u32,
    /// Of Black: 1 for a win, 1/2 for a draw.
    pub points: f64,
    /// Black's pieces at the end less White's.
    pub difference: i32,
    /// Plies from its start, passes included.
    pub plies: u32,
    /// The sum over all errors.
    pub squared_errors: f64,
    /// How often something was learned.
    pub updates: u32,
    /// Features that were clipped, on all boards but the first.
    pub clipped: u32,
    /// Moves that were drawn instead of chosen.
    pub explored: u32,
    /// The moves as codes, if they were to be kept.
    pub moves: Vec<u64>,
}

/// A weight left the numbers at this ply of a game.
pub(super) struct Lost(pub u32);

/// One game, as a task of the CPU path of all.
pub(super) struct Play<'a, 'b, G: Game> {
    pub settings: &'a Settings<G>,
    pub number: u64,
    pub learner: &'a mut Learner,
    pub seat: &'a mut Seat<'b, G>,
    /// What searches of the opponent value boards by, where it has weights of its own.
    pub opponent: Option<&'a Arc<Program<G::Board>>>,
    pub stop: &'a AtomicBool,
}

impl<G: Game> Task for Play<'_, '_, G> {
    type Output = Result<Result<Lesson, Lost>, Stopped>;

    #[inline(always)]
    fn run<C: Cpu>(self, cpu: C) -> Self::Output {
        let Self { settings, number, learner, seat, opponent, stop } = self;
        let key = settings.plan.key.child(number);
        let start = key.stream().below(settings.starts.len() as u64) as usize;
        let mut lesson = Lesson { start: start as u32, ..Lesson::default() };
        let mut position = settings.starts[start];
        let mut rules = [Color::Black, Color::White]
            .map(|side| settings.plan.learns.from(side, number).then(|| rule_of(settings.plan.rule)));
        let mut course = Course::default();
        let mut drawn = ended(settings, &mut course, &position, 0);
        // Nobody has moved yet, so nobody asks what the first board is worth.
        let mut here = Estimate::Outcome(0.0);
        let mut program = None;
        while drawn.is_none() {
            let side = position.turn();
            let mut moves = position.legal_moves();
            let Some(first) = moves.next() else { break };
            if stop.load(Ordering::Relaxed) {
                return Err(Stopped);
            }
            // A pass of either side belongs to the reply of the other: it has no turn.
            let (mut index, mut chosen) = (0, first);
            let is_turn = !G::moved_to(position.rules(), first).is_empty();
            if is_turn {
                let learns = rules[side as usize].is_some();
                let own = learns || settings.plan.opponent.is_none();
                let searches = learns && settings.learns_from_searches();
                // Step 1. What the side thinks now, which teaches it what it should have thought.
                if !searches && arrive(&mut rules[side as usize], learner, &here) {
                    program = None;
                }
                // Step 2. The move; a search that teaches too is made only once.
                if !learner.lost {
                    if own && program.is_none() && settings.plan.depth > 1 {
                        program = settings.value.as_ref().map(|value| value.with(&learner.weights));
                    }
                    let judge = match &settings.plan.opponent {
                        Some(weights) if !own => Judge { weights, program: opponent },
                        _ => Judge { weights: &learner.weights, program: program.as_ref() },
                    };
                    let epsilon = if own { settings.plan.epsilon } else { 0.0 };
                    let key = move_key(key, side, position.ply());
                    let Some(look) = seat.look(cpu, &position, &judge, key, epsilon, searches, stop) else {
                        return Err(Stopped);
                    };
                    lesson.explored += u32::from(look.explored);
                    (index, chosen) = (look.index, look.chosen);
                    if let Some(searched) = &look.searched
                        && arrive(&mut rules[side as usize], learner, searched)
                    {
                        program = None;
                    }
                }
                if learner.lost {
                    return Ok(Err(Lost(position.ply())));
                }
            }
            if settings.plan.recorded == Some(number) {
                lesson.moves.push(G::code(position.rules(), chosen));
            }
            // Step 3. The board after it.
            let after = seat.after(cpu, &position, index, chosen);
            (position, here) = (after.position, after.estimate);
            lesson.plies += 1;
            lesson.clipped += after.clipped;
            if is_turn && let Some(rule) = &mut rules[side as usize] {
                rule.depart(here.clone().of_the_other_side());
            }
            drawn = ended(settings, &mut course, &position, lesson.plies);
        }
        // Step 4. What the game brought.
        let (winner, ending) = result(&position, drawn);
        let outcome = position.result();
        for side in [Color::Black, Color::White] {
            if let Some(rule) = &mut rules[side as usize] {
                let value =
                    outcome_for::<G>(position.rules(), settings.plan.worth, outcome, ending != Ending::Board, side);
                rule.arrive(learner, &Estimate::Outcome(value));
            }
        }
        if learner.lost {
            return Ok(Err(Lost(position.ply())));
        }
        lesson.points = winner.map_or(0.5, |winner| f64::from(u8::from(winner == Color::Black)));
        lesson.difference = position.pieces(Color::Black).len() as i32 - position.pieces(Color::White).len() as i32;
        (lesson.updates, lesson.squared_errors) = (learner.updates, learner.squared_errors);
        Ok(Ok(lesson))
    }
}

/// Let a side that learns come to its turn: whether it has learned something.
fn arrive(rule: &mut Option<Box<dyn Rule>>, learner: &mut Learner, now: &Estimate) -> bool {
    let before = learner.updates;
    if let Some(rule) = rule {
        rule.arrive(learner, now);
    }
    learner.updates > before
}

fn rule_of(kind: RuleKind) -> Box<dyn Rule> {
    match kind {
        RuleKind::Td => Box::new(Td::default()),
        RuleKind::TdLambda(decay) => Box::new(TdLambda::new(decay)),
        RuleKind::TdLeaf(decay) => Box::new(TdLeaf::new(decay)),
    }
}

/// Why the game is a draw here that the board would let go on.
#[inline(always)]
fn ended<G: Game>(settings: &Settings<G>, course: &mut Course<G>, position: &G, plies: u32) -> Option<Ending> {
    if settings.plan.most_plies.is_some_and(|most| plies >= most) {
        return Some(Ending::Cap);
    }
    if settings.plan.draws == DrawRules::NONE { None } else { course.arrive(position, &settings.plan.draws) }
}
