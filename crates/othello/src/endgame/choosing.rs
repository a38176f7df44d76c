//! The exact solver as what chooses a move: one of those that keep the score, by the player's rule for ties.

use super::solver::Solver;
use super::workers::Crew;
use super::{Endgame, Mode};
use crate::Othello;
use evoply_core::bitboard::Board;
use evoply_core::choice::{Choice, Lines, Ties};
use evoply_core::cpu::{Cpu, Task};
use evoply_core::rules::Game;
use evoply_core::search::exact::{Endgames, ExactChoice, ExactValues};
use evoply_core::sorting::sort_few;

impl<B: Board> Endgames for Othello<B> {
    #[inline(always)]
    fn choose_exactly<C: Cpu>(cpu: C, question: ExactChoice<'_, Self>) -> Option<Choice<Self>> {
        cpu.call(Choose(question))
    }

    #[inline(always)]
    fn value_exactly<C: Cpu>(cpu: C, question: ExactValues<'_, Self>) -> Option<(Vec<f64>, Lines<Self>)> {
        cpu.call(Value(question))
    }
}

/// A choice, in a function of its own.
struct Choose<'a, B: Board>(ExactChoice<'a, Othello<B>>);

impl<B: Board> Task for Choose<'_, B> {
    type Output = Option<Choice<Othello<B>>>;

    #[inline(always)]
    fn run<C: Cpu>(self, cpu: C) -> Self::Output {
        let ExactChoice { position, evaluator, threads, ties, mut stream, deadline, stop } = self.0;
        let question = Endgame { threads, deadline, ..Endgame::new(Mode::Exact, stop) };
        let crew = Crew::new(cpu, position, &question, Some(evaluator));
        let mut solver = Solver::new(cpu, &crew, None);
        let score = solver.score(position);
        // The solver knows one best move, and whoever chooses wants one of all: they are asked in the order of their ranks.
        let mut moves: Vec<_> = position.legal_moves().enumerate().collect();
        sort_few(&mut moves, |a, b| ties.rank(position, a.0, a.1).cmp(&ties.rank(position, b.0, b.1)));
        let mut keep =
            moves.iter().map(|&(_, chosen)| chosen).filter(|&chosen| solver.reaches(position, chosen, score));
        let chosen = if ties == Ties::Random {
            let equals: Vec<_> = keep.collect();
            let place = if equals.len() < 2 { 0 } else { stream.below(equals.len() as u64) };
            equals.get(place as usize).copied()
        } else {
            keep.next()
        }?;
        let continuation = solver.line(&position.play_unchecked(chosen), -score);
        let depth = (!(position.own() | position.opponent())).len();
        let nodes = solver.nodes();
        (!solver.stopped).then_some(Choice {
            chosen,
            score: Some(f64::from(score)),
            depth,
            nodes,
            continuation,
            is_exact: true,
        })
    }
}

/// The values of all moves, in a function of its own.
struct Value<'a, B: Board>(ExactValues<'a, Othello<B>>);

impl<B: Board> Task for Value<'_, B> {
    type Output = Option<(Vec<f64>, Lines<Othello<B>>)>;

    #[inline(always)]
    fn run<C: Cpu>(self, cpu: C) -> Self::Output {
        let ExactValues { position, evaluator, threads, stop } = self.0;
        let question = Endgame { threads, ..Endgame::new(Mode::Exact, stop) };
        let crew = Crew::new(cpu, position, &question, Some(evaluator));
        let mut solver = Solver::new(cpu, &crew, None);
        let scores = solver.scores(position);
        let line = |&(chosen, score): &(_, i32)| solver.line(&position.play_unchecked(chosen), -score);
        let lines = scores.iter().map(line).collect();
        (!solver.stopped).then(|| (scores.into_iter().map(|(_, score)| f64::from(score)).collect(), lines))
    }
}
