//! Compiled rules as a kernel.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};

use super::values::{Batch, Compiled, Held, own, position, positions, row};
use super::{
    Answer, Failure, FitQuestion, Habits, Kernel, Known, LearningQuestion, OnlineQuestion, Player, Positions, Program,
    Row, Schedule, SolveQuestion, Solved, TableQuestion, Transcripts, Way,
};
use crate::arena::{Conditions, Record, play, random_positions};
use crate::bitboard::{Bitboard, Word};
use crate::choice::Ties;
use crate::evaluator::{Evaluator, View};
use crate::expression::{Expression, ExpressionError, program};
use crate::learning::labels::{Fitted, fit_tables};
use crate::learning::settings::{Settings, Value};
use crate::learning::tables::{Settings as TableSettings, TableLessons, learn_tables};
use crate::learning::{Lessons, learn};
use crate::mcts::Mcts;
use crate::online::strategy::{Areas, Strategy};
use crate::online::tree::{FLAGS, Node, Tree};
use crate::online::{Answer as OnlineAnswer, Individual, evolve};
use crate::player::{Chooser, Player as GamePlayer};
use crate::replay::{Moves, PieceCounts, Replayed, piece_counts, replay, replay_all};
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
    name: Arc<str>,
    rules: G::Rules,
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
    fn position(&self, row: &Row) -> Result<G, String> {
        position(self.rules, row)
    }

    fn all_positions(&self, rows: &[Row]) -> Result<Vec<G>, String> {
        positions(self.rules, rows)
    }

    /// The value behind a value of this game.
    ///
    /// The name is asked too: games of other names may share a type.
    fn own<'a, T: Any>(&self, value: &'a dyn Any, game: &str, what: &str) -> Result<&'a T, String> {
        own(&self.name, value, game, what)
    }

    fn compiled<'a>(&self, program: &'a dyn Program, what: &str) -> Result<&'a Compiled<G>, String> {
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
        let player = |player: &&dyn Player| {
            self.own::<Held<G>>(*player, player.game(), "player").map(|held| held.player.clone())
        };
        let players = players.iter().map(player).collect::<Result<Vec<_>, _>>()?;
        let starts = self.all_positions(schedule.starts)?;
        let &Schedule { pairings, opening_plies, record_moves, draws, threads, .. } = schedule;
        let conditions = Conditions { starts: &starts, opening_plies, record_moves, draws };
        Ok(play(&players, pairings, &conditions, threads, stop, done)?)
    }

    fn replay(&self, games: &Transcripts<'_>, threads: usize, stop: &AtomicBool) -> Answer<Vec<Known>> {
        let starts = self.all_positions(games.starts)?;
        let replayed = replay_all(&transcripts(games, &starts)?, threads, stop)?;
        Ok(replayed.into_iter().map(known).collect())
    }

    fn rows_along(&self, start: &Row, codes: &[u64]) -> Answer<Vec<Row>> {
        let mut rows = Vec::with_capacity(codes.len() + 1);
        replay(Moves { start: self.position(start)?, codes }, |position| rows.push(row(position)));
        Ok(rows)
    }

    fn piece_counts(&self, games: &Transcripts<'_>, threads: usize, stop: &AtomicBool) -> Answer<PieceCounts> {
        let starts = self.all_positions(games.starts)?;
        let counts = piece_counts(&transcripts(games, &starts)?, threads, stop)?;
        Ok(counts.map_err(|illegal| illegal.to_string())?)
    }

    fn learn(&self, question: LearningQuestion<'_>, stop: &AtomicBool, done: &AtomicU64) -> Answer<Lessons> {
        let LearningQuestion { features, value, starts, plan, weights, coherence } = question;
        let value = value.map(|(program, places)| {
            let compiled = self.compiled(program, "value")?;
            let (program, expression) = (Arc::clone(&compiled.program), Arc::clone(&compiled.expression));
            Ok::<_, String>(Value { program, expression, places })
        });
        let settings = Settings::<G> {
            features: Arc::clone(&self.compiled(features, "features")?.program),
            value: value.transpose()?,
            starts: self.all_positions(starts)?,
            plan,
        };
        Ok(learn(&settings, weights, coherence, stop, done)??)
    }

    fn learn_tables(&self, question: TableQuestion<'_>, stop: &AtomicBool, done: &AtomicU64) -> Answer<TableLessons> {
        let TableQuestion { value, starts, plan } = question;
        let compiled = self.compiled(value, "value")?;
        let settings = TableSettings::<G> { starts: self.all_positions(starts)?, plan };
        Ok(learn_tables(&settings, &compiled.expression, &compiled.program, stop, done)??)
    }

    fn fit_tables(&self, question: FitQuestion<'_>, stop: &AtomicBool) -> Answer<Fitted> {
        let FitQuestion { value, boards, labels, pulls, plan } = question;
        let compiled = self.compiled(value, "value")?;
        let Batch { positions, .. } = self.own::<Batch<G>>(boards, boards.game(), "position")?;
        Ok(fit_tables(positions, labels, pulls, plan, &compiled.expression, &compiled.program, stop)??)
    }

    fn evolve_online(&self, row: &Row, question: &OnlineQuestion<'_>, stop: &AtomicBool) -> Answer<OnlineAnswer<u64>> {
        let &OnlineQuestion { areas, corners, edges, sight, settings, key, ref alpha } = question;
        let position = self.position(row)?;
        let areas = Areas::new(
            &G::geometry(self.rules),
            areas,
            Bitboard::from_bits(corners)?,
            Bitboard::from_bits(edges)?,
            sight,
        )?;
        let individual = |(nodes, weights, flags): (Vec<u32>, Vec<u32>, [bool; 3])| {
            let nodes = nodes.into_iter().map(Node).collect();
            let tree = Tree::checked(nodes, areas.count() + FLAGS + areas.measures())?;
            Ok::<_, String>(Individual { tree, strategy: Strategy { weights, flags } })
        };
        let alpha = alpha.clone().map(individual).transpose()?;
        let answer = evolve(&position, &areas, settings, key, alpha, stop)??;
        let OnlineAnswer { chosen, alpha, generation, games, roots } = answer;
        let code = |chosen| G::code(self.rules, chosen);
        let roots = roots.into_iter().map(|(chosen, score)| (code(chosen), score)).collect();
        Ok(OnlineAnswer { chosen: code(chosen), alpha, generation, games, roots })
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

fn transcripts<'a, G: Game>(transcripts: &Transcripts<'a>, starts: &[G]) -> Result<Vec<Moves<'a, G>>, String> {
    transcripts.check()?;
    let start = |game: usize| starts[transcripts.start_of.map_or(0, |start_of| start_of[game] as usize)];
    Ok(transcripts.games.iter().enumerate().map(|(game, codes)| Moves { start: start(game), codes }).collect())
}

fn known<G: Game>(Replayed { codes, taken, last }: Replayed<G>) -> Known {
    let pieces = [Color::Black, Color::White].map(|color| last.pieces(color).len());
    let outcome = last.outcome();
    let winner = match outcome.and_then(|outcome| outcome.winner) {
        Some(Color::Black) => 1,
        Some(Color::White) => -1,
        None => 0,
    };
    Known { codes, taken, last: row(&last), pieces, is_over: outcome.is_some(), winner }
}
