//! Compiled rules as a kernel.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};

use super::rows::{own, position, row};
use super::values::{Batch, Compiled, Held};
use super::{
    Answer, Failure, FitQuestion, Habits, Kernel, Known, LearningQuestion, OnlineQuestion, Player, Positions, Program,
    Row, Schedule, SolveQuestion, Solved, TableQuestion, Transcripts, Way,
};
use crate::arena::{Record, random_positions};
use crate::bitboard::{Bitboard, Word};
use crate::choice::Ties;
use crate::evaluator::{Evaluator, View};
use crate::expression::{Expression, ExpressionError, program};
use crate::learning::Lessons;
use crate::learning::labels::Fitted;
use crate::learning::tables::TableLessons;
use crate::mcts::Mcts;
use crate::online::Answer as OnlineAnswer;
use crate::player::{Chooser, Player as GamePlayer};
use crate::replay::PieceCounts;
use crate::rules::perft::perft;
use crate::rules::perft_table::perft_with_table;
use crate::rules::playout::Playouts;
use crate::rules::weighted_games::Duels;
use crate::rules::{Color, Game, Outcome, Seen};
use crate::search::LookAhead;
use crate::search::exact::Endgames;
use crate::search::ordered::{self, Count, Order};
use crate::search::ordering::MoveOrder;
use crate::stages::{StageClock, Stages};
use crate::stream::Key;

/// [`ordered::count`] of a game.
type CountNodes<G> =
    fn(&Evaluator<G>, &G, &[u32], Order, &AtomicBool) -> Result<Option<Vec<Count<<G as Game>::Move>>>, String>;

/// The exact solver of a game; what it may be asked about is not over.
pub type Solve<G> = fn(&G, &SolveQuestion, &AtomicBool) -> Answer<Solved>;

/// A game whose rules are compiled.
pub struct Native<G: Game> {
    pub(super) name: Arc<str>,
    pub(super) rules: G::Rules,
    count_nodes: Option<CountNodes<G>>,
    solve: Option<Solve<G>>,
}

impl<G: Playouts + Duels + Endgames> Native<G> {
    /// The game of a name.
    pub fn new(name: &str, rules: G::Rules) -> Self {
        Self { name: name.into(), rules, count_nodes: None, solve: None }
    }

    /// The same, whose nodes can be counted in other orders of moves: a search of its own, so not for every game.
    #[must_use]
    pub fn with_node_counts(self) -> Self {
        Self { count_nodes: Some(ordered::count::<G>), ..self }
    }

    /// The same with a solver of its endgames.
    #[must_use]
    pub fn with_solver(self, solve: Solve<G>) -> Self {
        Self { solve: Some(solve), ..self }
    }

    /// Let it be asked for as long as the process runs: games are few, and none goes.
    pub fn for_good(self) -> &'static dyn Kernel {
        Box::leak(Box::new(self))
    }
}

impl<G: Game> Native<G> {
    /// The position of a row, checked.
    pub(super) fn position(&self, row: &Row) -> Result<G, String> {
        position(self.rules, row)
    }

    pub(super) fn all_positions(&self, rows: &[Row]) -> Result<Vec<G>, String> {
        rows.iter().map(|row| self.position(row)).collect()
    }

    /// The value behind a value of this game.
    ///
    /// The name is asked too: games of other names may share a type.
    pub(super) fn own<'a, T: Any>(&self, value: &'a dyn Any, game: &str, what: &str) -> Result<&'a T, String> {
        own(&self.name, value, game, what)
    }

    pub(super) fn compiled<'a>(&self, program: &'a dyn Program, what: &str) -> Result<&'a Compiled<G>, String> {
        self.own(program, program.game(), what)
    }
}

/// The board of a position as Black or White sees it, whoever is to move.
fn seen<G: Game>(position: &G, is_black: bool) -> Seen<G::Board> {
    let seen = position.seen();
    if (position.turn() == Color::Black) == is_black { seen } else { seen.from_the_other_side() }
}

impl<G: Playouts + Duels + Endgames> Kernel for Native<G> {
    fn name(&self) -> &str {
        &self.name
    }

    fn squares(&self) -> u32 {
        G::geometry(self.rules).squares()
    }

    fn has_solver(&self) -> bool {
        self.solve.is_some()
    }

    fn legal_moves(&self, row: &Row) -> Answer<Vec<u64>> {
        Ok(self.position(row)?.legal_moves().map(|chosen| G::code(self.rules, chosen)).collect())
    }

    fn row_after(&self, row: &Row, code: u64) -> Answer<Row> {
        let position = self.position(row)?;
        let chosen = position.legal_moves().find(|&chosen| G::code(self.rules, chosen) == code);
        let chosen = chosen.ok_or_else(|| format!("{code} is no legal move here"))?;
        Ok(self::row(&position.play_unchecked(chosen)))
    }

    fn outcome(&self, row: &Row) -> Answer<Option<Outcome>> {
        Ok(self.position(row)?.outcome())
    }

    fn mobility(&self, row: &Row, is_black: bool) -> Answer<u32> {
        Ok(G::mobility(self.rules, &seen(&self.position(row)?, is_black)))
    }

    fn destinations(&self, row: &Row, is_black: bool) -> Answer<u128> {
        Ok(G::destinations(self.rules, &seen(&self.position(row)?, is_black)).0.to_u128())
    }

    fn clock(&self, pieces: u32) -> f64 {
        let own = (0..pieces.min(self.squares())).collect();
        let nothing = Bitboard::EMPTY;
        G::clock(self.rules, &Seen { own, opponent: nothing, kings: nothing, own_is_black: true })
    }

    fn clock_at(&self, row: &Row) -> Answer<f64> {
        Ok(self.position(row)?.clock_here())
    }

    fn perft(&self, row: &Row, depth: u32, threads: usize, table: Option<usize>, stop: &AtomicBool) -> Answer<u64> {
        let position = self.position(row)?;
        Ok(match table {
            Some(bytes) => perft_with_table(position, depth, threads, bytes, stop),
            None => perft(position, depth, threads, stop),
        }?)
    }

    fn program(
        &self,
        expression: &Expression,
        literal: Option<Expression>,
    ) -> Result<Arc<dyn Program>, ExpressionError> {
        let program = program::Program::on(G::geometry(self.rules), expression)?;
        let expression = Arc::new(literal.unwrap_or_else(|| expression.clone()));
        Ok(Arc::new(Compiled::<G> {
            name: Arc::clone(&self.name),
            rules: self.rules,
            program: Arc::new(program),
            expression,
        }))
    }

    fn player(&self, program: Option<&dyn Program>, habits: Habits) -> Result<Arc<dyn Player>, String> {
        let Habits { way, view, ties, epsilon } = habits;
        let compiled = || self.compiled(program.ok_or("a player of this kind needs a program")?, "program");
        let whole =
            || Ok::<_, String>(Evaluator::<G> { rules: self.rules, program: Arc::clone(&compiled()?.program), view });
        let chooser = match way {
            Way::Random => Chooser::Random,
            Way::AfterState => Chooser::AfterState(whole()?),
            Way::Mcts(options) => Chooser::Mcts(Mcts::new(whole()?, options)?),
            Way::AlphaBeta { options, selectivity, drawing } => {
                let ahead = if options.ordering == MoveOrder::Program {
                    // Two programs, so that a leaf does not pay for the ordering, nor the ordering for values.
                    let compiled = compiled()?;
                    if compiled.program.outputs() != 2 {
                        return Err("ordering tree needs a program with two outputs".into());
                    }
                    let output = |number| {
                        Ok::<_, String>(Evaluator { rules: self.rules, program: compiled.output(number)?, view })
                    };
                    LookAhead::new(output(0)?, Some(output(1)?), options)?
                } else {
                    LookAhead::new(whole()?, None, options)?
                };
                let ahead = match selectivity {
                    Some(selectivity) => ahead.with_selectivity(selectivity)?,
                    None => ahead,
                };
                Chooser::AlphaBeta(match drawing {
                    Some(drawing) => ahead.with_drawing(drawing)?,
                    None => ahead,
                })
            }
        };
        Ok(self.held(GamePlayer::new(self.rules, chooser, ties)?.with_epsilon(epsilon)?))
    }

    fn staged(
        &self,
        programs: &[&dyn Program],
        shares: Vec<Vec<f64>>,
        clock: StageClock,
        view: View,
        ties: Ties,
    ) -> Result<Arc<dyn Player>, String> {
        let evaluator = |program: &&dyn Program| -> Result<Evaluator<G>, String> {
            Ok(Evaluator { rules: self.rules, program: Arc::clone(&self.compiled(*program, "program")?.program), view })
        };
        let evaluators = programs.iter().map(evaluator).collect::<Result<_, _>>()?;
        let chooser = Chooser::Staged(Stages::new(evaluators, shares, clock)?);
        Ok(self.held(GamePlayer::new(self.rules, chooser, ties)?))
    }

    fn positions(&self, rows: &[Row]) -> Result<Arc<dyn Positions>, String> {
        Ok(self.batch(self.all_positions(rows)?))
    }

    fn random_positions(
        &self,
        count: usize,
        key: Key,
        (least, most): (u32, u32),
        stop: &AtomicBool,
    ) -> Answer<Option<Arc<dyn Positions>>> {
        let found = random_positions::<G>(self.rules, count, key, least..=most, stop)?;
        let positions: Option<Vec<_>> = found.into_iter().collect();
        Ok(positions.map(|positions| self.batch(positions)))
    }

    fn play(
        &self,
        players: &[&dyn Player],
        schedule: &Schedule<'_>,
        stop: &AtomicBool,
        done: &AtomicU64,
    ) -> Answer<Vec<Record>> {
        self.played(players, schedule, stop, done)
    }

    fn replay(&self, games: &Transcripts<'_>, threads: usize, stop: &AtomicBool) -> Answer<Vec<Known>> {
        self.replayed(games, threads, stop)
    }

    fn rows_along(&self, start: &Row, codes: &[u64]) -> Answer<Vec<Row>> {
        self.along(start, codes)
    }

    fn piece_counts(&self, games: &Transcripts<'_>, threads: usize, stop: &AtomicBool) -> Answer<PieceCounts> {
        self.counted_pieces(games, threads, stop)
    }

    fn learn(&self, question: LearningQuestion<'_>, stop: &AtomicBool, done: &AtomicU64) -> Answer<Lessons> {
        self.learned(question, stop, done)
    }

    fn learn_tables(&self, question: TableQuestion<'_>, stop: &AtomicBool, done: &AtomicU64) -> Answer<TableLessons> {
        self.learned_tables(question, stop, done)
    }

    fn fit_tables(&self, question: FitQuestion<'_>, stop: &AtomicBool) -> Answer<Fitted> {
        self.fitted_tables(question, stop)
    }

    fn evolve_online(&self, row: &Row, question: &OnlineQuestion<'_>, stop: &AtomicBool) -> Answer<OnlineAnswer<u64>> {
        self.evolved_online(row, question, stop)
    }

    fn count_nodes(
        &self,
        program: &dyn Program,
        view: View,
        row: &Row,
        depths: &[u32],
        order: Order,
        stop: &AtomicBool,
    ) -> Answer<Vec<Count<u64>>> {
        let count = self.count_nodes.ok_or_else(|| format!("nodes are not counted in {}", self.name))?;
        let position = self.position(row)?;
        if position.is_over() {
            return Err("the game is over: there is nothing to search".into());
        }
        let evaluator = Evaluator::<G> {
            rules: self.rules,
            program: Arc::clone(&self.compiled(program, "program")?.program),
            view,
        };
        let counts = count(&evaluator, &position, depths, order, stop)?.ok_or(Failure::Stopped)?;
        let coded = |count: Count<G::Move>| {
            let Count { depth, chosen, value, nodes, looks, elapsed } = count;
            Count { depth, chosen: G::code(self.rules, chosen), value, nodes, looks, elapsed }
        };
        Ok(counts.into_iter().map(coded).collect())
    }

    fn solve(&self, row: &Row, question: &SolveQuestion, stop: &AtomicBool) -> Answer<Solved> {
        let solve = self.solve.ok_or_else(|| format!("{} has no endgame solver: Othello has one", self.name))?;
        solve(&self.position(row)?, question, stop)
    }
}

impl<G: Playouts + Duels + Endgames> Native<G> {
    fn held(&self, player: GamePlayer<G>) -> Arc<dyn Player> {
        Arc::new(Held { name: Arc::clone(&self.name), rules: self.rules, player })
    }

    fn batch(&self, positions: Vec<G>) -> Arc<dyn Positions> {
        Arc::new(Batch { name: Arc::clone(&self.name), positions })
    }
}
