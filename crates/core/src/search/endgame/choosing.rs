//! The exact solver as what chooses a move: one of those that keep the score, by the player's rule for ties.

use std::time::Instant;

use super::crew::Crew;
use super::solver::Solver;
use super::{Endgame, Mode};
use crate::choice::{Choice, Ties};
use crate::cpu::{Cpu, Task};
use crate::evaluator::Evaluator;
use crate::rules::othello::{Move, Othello};
use crate::rules::{Color, Game};
use crate::stream::Stream;
use std::sync::atomic::AtomicBool;

/// A choice by the exact solver, as a task.
#[derive(Debug)]
pub struct ChooseExactly<'a, G: Game> {
    /// A position of Othello that is not over.
    pub position: &'a G,
    /// What the player looks ahead with: it knows something about the order of moves.
    pub evaluator: &'a Evaluator<G>,
    /// How many threads search (0: one a core); the answer is the same.
    pub threads: usize,
    /// Which of equally good moves is taken.
    pub ties: Ties,
    /// What random ties are drawn from, among the moves whose scores are equal.
    pub stream: Stream,
    /// When to give up.
    pub deadline: Option<Instant>,
    /// Set from outside to give up.
    pub stop: &'a AtomicBool,
}

/// The score of every legal move, in their order, as a task; `None` as in [`ChooseExactly`].
#[derive(Debug)]
pub struct ValueExactly<'a, G: Game> {
    /// A position of Othello that is not over.
    pub position: &'a G,
    /// As in [`ChooseExactly`].
    pub evaluator: &'a Evaluator<G>,
    /// As in [`ChooseExactly`].
    pub threads: usize,
    /// Set from outside to give up.
    pub stop: &'a AtomicBool,
}

impl<G: Game> Task for ChooseExactly<'_, G> {
    /// `None` if it was given up, or the game is not Othello.
    type Output = Option<Choice<G>>;

    #[inline(always)]
    fn run<C: Cpu>(self, cpu: C) -> Self::Output {
        let Self { position, evaluator, threads, ties, mut stream, deadline, stop } = self;
        let question = Endgame { threads, deadline, ..Endgame::new(Mode::Exact, stop) };
        let board = othello(position)?;
        let crew = Crew::new(cpu, &board, &question, Some(&of_othello(evaluator)));
        let mut solver = Solver::new(cpu, &crew, None);
        let score = solver.score(&board);
        // The solver knows one best move, and whoever chooses wants one of all: they are asked in the order of their ranks.
        let mut moves: Vec<_> = position.legal_moves().enumerate().collect();
        moves.sort_unstable_by_key(|&(index, chosen)| ties.rank(position, index, chosen));
        let mut keep = moves.iter().map(|&(_, chosen)| chosen).filter(|&chosen| {
            move_of(&board, G::code(chosen)).is_some_and(|chosen| solver.reaches(&board, chosen, score))
        });
        let chosen = if ties == Ties::Random {
            let equals: Vec<_> = keep.collect();
            let place = if equals.len() < 2 { 0 } else { stream.below(equals.len() as u64) };
            equals.get(place as usize).copied()
        } else {
            keep.next()
        }?;
        let after = board.play_unchecked(move_of(&board, G::code(chosen))?);
        let line = solver.line(&after, -score);
        let (mut at, mut continuation) = (position.play_unchecked(chosen), Vec::new());
        for next in line {
            let next = at.legal_moves().find(|&legal| G::code(legal) == Othello::<G::Board>::code(next))?;
            continuation.push(next);
            at = at.play_unchecked(next);
        }
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

impl<G: Game> Task for ValueExactly<'_, G> {
    type Output = Option<Vec<f64>>;

    #[inline(always)]
    fn run<C: Cpu>(self, cpu: C) -> Self::Output {
        let question = Endgame { threads: self.threads, ..Endgame::new(Mode::Exact, self.stop) };
        let board = othello(self.position)?;
        let crew = Crew::new(cpu, &board, &question, Some(&of_othello(self.evaluator)));
        let mut solver = Solver::new(cpu, &crew, None);
        let scores = solver.scores(&board).into_iter().map(|(_, score)| f64::from(score)).collect();
        (!solver.stopped).then_some(scores)
    }
}

/// The same position in the solver's own words; `None` in another game.
fn othello<G: Game>(position: &G) -> Option<Othello<G::Board>> {
    let [black, white] = [Color::Black, Color::White].map(|color| position.pieces(color));
    let board = Othello::new(black, white, position.turn(), position.ply());
    board.filter(|_| G::IS_OTHELLO)
}

/// The same evaluator in the solver's own words.
fn of_othello<G: Game>(evaluator: &Evaluator<G>) -> Evaluator<Othello<G::Board>> {
    Evaluator { program: evaluator.program.clone(), view: evaluator.view }
}

/// The move of a code.
fn move_of<B: crate::bitboard::Board>(board: &Othello<B>, code: u64) -> Option<Move> {
    board.legal_moves().find(|&legal| Othello::<B>::code(legal) == code)
}
