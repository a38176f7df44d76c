//! What a compiled game's kernel makes: programs, players, positions, searchers; and positions as rows.

use std::any::Any;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::{Analysed, Answer, Failure, Player, Positions, Program, Row, Searcher, Told};
use crate::analysis::{Analysis, Question};
use crate::bitboard::{Bitboard, Word};
use crate::choice::Choice;
use crate::cpu::{Path, dispatch, selected};
use crate::engine::{Engine, Limits, Thought};
use crate::expression::Expression;
use crate::expression::evaluation::{Block, Registers};
use crate::expression::program;
use crate::expression::reference::{Inputs, evaluate};
use crate::lanes::Lanes;
use crate::player::{Choose, Player as GamePlayer, Workspace};
use crate::rules::{Color, Game, Setup};
use crate::search::exact::Endgames;
use crate::stream::Key;
use crate::work::for_each_parallel_with;

/// The value behind a value of the game of this name.
pub(super) fn own<'a, T: Any>(name: &str, value: &'a dyn Any, game: &str, what: &str) -> Result<&'a T, String> {
    let found = if game == name { value.downcast_ref() } else { None };
    found.ok_or_else(|| format!("a {what} for {game} cannot be used in {name}"))
}

/// The position of a row, checked.
pub(super) fn position<G: Game>(rules: G::Rules, row: &Row) -> Result<G, String> {
    let &Row { black, white, kings, black_to_move, ply, quiet_plies } = row;
    let [black, white, kings] = [Bitboard::from_bits(black)?, Bitboard::from_bits(white)?, Bitboard::from_bits(kings)?];
    let turn = if black_to_move { Color::Black } else { Color::White };
    let setup = Setup { black, white, kings, turn, ply, quiet_plies };
    G::from_setup(rules, &setup)
}

pub(super) fn positions<G: Game>(rules: G::Rules, rows: &[Row]) -> Result<Vec<G>, String> {
    rows.iter().map(|row| position(rules, row)).collect()
}

pub(super) fn row<G: Game>(position: &G) -> Row {
    let Setup { black, white, kings, turn, ply, quiet_plies } = position.setup();
    let (black, white, kings) = (black.0.to_u128(), white.0.to_u128(), kings.0.to_u128());
    Row { black, white, kings, black_to_move: turn == Color::Black, ply, quiet_plies }
}

/// A lowered expression with the expression it came from.
#[derive(Clone)]
pub(super) struct Compiled<G: Game> {
    pub name: Arc<str>,
    pub rules: G::Rules,
    pub program: Arc<program::Program<G::Board>>,
    pub expression: Arc<Expression>,
}

impl<G: Game> Compiled<G> {
    /// The program of one output alone.
    pub fn output(&self, number: usize) -> Result<Arc<program::Program<G::Board>>, String> {
        if self.program.outputs() == 1 {
            return Ok(Arc::clone(&self.program));
        }
        let expression = self.expression.output(number);
        let program = program::Program::on(G::geometry(self.rules), &expression);
        program.map(Arc::new).map_err(|error| error.to_string())
    }
}

impl<G: Endgames> Program for Compiled<G> {
    fn game(&self) -> &str {
        &self.name
    }

    fn outputs(&self) -> usize {
        self.program.outputs()
    }

    fn operations(&self) -> usize {
        self.program.operations()
    }

    fn operations_by_output(&self) -> Result<Vec<usize>, String> {
        (0..self.outputs()).map(|number| self.output(number).map(|program| program.operations())).collect()
    }

    fn parameters(&self) -> Option<Vec<f64>> {
        self.expression.parameters()
    }

    fn with_parameters(&self, values: &[f64]) -> Result<Arc<dyn Program>, String> {
        let expression = self.expression.with_parameters(values).map_err(|error| error.to_string())?;
        let program = Arc::new(self.program.with_parameters_of(&expression));
        let (name, expression) = (Arc::clone(&self.name), Arc::new(expression));
        Ok(Arc::new(Self { name, rules: self.rules, program, expression }))
    }

    fn evaluate(&self, positions: &dyn Positions, reference: bool, stop: &AtomicBool) -> Answer<Vec<f64>> {
        let Batch { positions, .. } = own::<Batch<G>>(&self.name, positions, positions.game(), "position")?;
        let (mut values, path) = (Vec::new(), selected().unwrap_or(Path::Baseline));
        let mut registers = Registers::default();
        let mut outputs = vec![Lanes::splat(0.0); self.program.outputs()];
        registers.load::<G>(self.rules, &self.program);
        for position in positions {
            if stop.load(Ordering::Relaxed) {
                return Err(Failure::Stopped);
            }
            let inputs = Inputs::at(position);
            if reference {
                values.extend(evaluate::<G>(self.rules, &self.expression, &inputs));
            } else {
                registers.evaluate_on::<G>(path, self.rules, &self.program, &Block::filled(&inputs), &mut outputs);
                values.extend(outputs.iter().map(|lanes| lanes.0[0]));
            }
        }
        Ok(values)
    }
}

/// A player with the name of its game.
#[derive(Clone)]
pub(super) struct Held<G: Game> {
    pub name: Arc<str>,
    pub rules: G::Rules,
    pub player: GamePlayer<G>,
}

/// An analysis with moves as codes.
fn analysed<G: Game>(rules: G::Rules, analysis: Analysis<G>) -> Analysed {
    let Analysis { choice, values, elapsed } = analysis;
    let Choice { chosen, score, depth, nodes, continuation, is_exact } = choice;
    let code = |chosen| G::code(rules, chosen);
    let line = std::iter::once(chosen).chain(continuation).map(code).collect();
    let whole = |chosen, line: Vec<G::Move>| std::iter::once(chosen).chain(line).map(code).collect();
    let values = values.into_iter().map(|(chosen, value, line)| (code(chosen), value, whole(chosen, line))).collect();
    Analysed { chosen: code(chosen), score, nodes, line, depth, elapsed, values, is_exact }
}

impl<G: Endgames> Player for Held<G> {
    fn game(&self) -> &str {
        &self.name
    }

    fn with_random_moves(&self, count: u32) -> Arc<dyn Player> {
        Arc::new(Self { player: self.player.clone().with_random_moves(count), ..self.clone() })
    }

    fn is_brief(&self) -> bool {
        self.player.is_brief()
    }

    fn analyse(&self, row: &Row, earlier: &[Row], question: &Question, stop: &AtomicBool) -> Answer<Option<Analysed>> {
        let earlier = positions::<G>(self.rules, earlier)?;
        let analysis = self.player.analyse_after(earlier, &position::<G>(self.rules, row)?, question, stop);
        if stop.load(Ordering::Relaxed) {
            return Err(Failure::Stopped);
        }
        Ok(analysis.map(|analysis| analysed(self.rules, analysis)))
    }

    fn searcher(&self, table: usize) -> Result<Box<dyn Searcher>, String> {
        let engine = Engine::new(self.player.clone(), table)?;
        Ok(Box::new(Staying { name: Arc::clone(&self.name), rules: self.rules, engine: Mutex::new(engine) }))
    }
}

/// Positions with the name of their game.
#[derive(Clone)]
pub(super) struct Batch<G: Game> {
    pub name: Arc<str>,
    pub positions: Vec<G>,
}

impl<G: Endgames> Positions for Batch<G> {
    fn game(&self) -> &str {
        &self.name
    }

    fn len(&self) -> usize {
        self.positions.len()
    }

    fn row(&self, index: usize) -> Option<Row> {
        self.positions.get(index).map(row)
    }

    fn choose(&self, player: &dyn Player, keys: &[u64], threads: usize, stop: &AtomicBool) -> Answer<Vec<(i64, f64)>> {
        let Held { player, rules, .. } = own::<Held<G>>(&self.name, player, player.game(), "player")?;
        let mut chosen = vec![(-1_i64, f64::NAN); self.positions.len()];
        let ready = || {
            let mut workspace = Workspace::default();
            player.prepare(&mut workspace);
            workspace
        };
        for_each_parallel_with(&mut chosen, threads, stop, ready, |workspace, index, chosen| {
            let (position, key) = (&self.positions[index], Key(keys[index]));
            workspace.begin(key);
            let choice = dispatch(Choose { player, position, key, workspace, stop });
            if let Some(choice) = choice {
                *chosen = (G::code(*rules, choice.chosen) as i64, choice.score.unwrap_or(f64::NAN));
            }
        })?;
        Ok(chosen)
    }
}

/// An engine with the name of its game.
struct Staying<G: Game> {
    name: Arc<str>,
    rules: G::Rules,
    engine: Mutex<Engine<G>>,
}

impl<G: Game> Staying<G> {
    /// An engine whose search came to grief forgets nothing that matters: its table holds only what is true.
    fn locked(&self) -> MutexGuard<'_, Engine<G>> {
        self.engine.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<G: Endgames> Searcher for Staying<G> {
    fn game(&self) -> &str {
        &self.name
    }

    fn think(
        &self,
        row: &Row,
        earlier: &[Row],
        question: &Question,
        limits: &Limits,
        stop: &AtomicBool,
        tell: &mut dyn FnMut(Told),
    ) -> Answer<Option<(Analysed, bool)>> {
        let position = position::<G>(self.rules, row)?;
        let mut tell = |choice: &Choice<G>, elapsed: Duration| {
            let line = std::iter::once(&choice.chosen).chain(&choice.continuation);
            let line = line.map(|&chosen| G::code(self.rules, chosen)).collect();
            let &Choice { depth, score, nodes, .. } = choice;
            tell(Told { depth, score, nodes, elapsed, line });
        };
        let earlier = positions::<G>(self.rules, earlier)?;
        let mut engine = self.locked();
        engine.come_from(earlier);
        let thought = engine.think(&position, question, limits, stop, &mut tell);
        Ok(thought.map(|Thought { analysis, is_complete }| (analysed(self.rules, analysis), is_complete)))
    }

    fn solve(
        &self,
        row: &Row,
        question: &Question,
        within: Option<Duration>,
        stop: &AtomicBool,
    ) -> Answer<Option<Analysed>> {
        let thought = self.locked().solve(&position::<G>(self.rules, row)?, question, within, stop);
        Ok(thought.map(|thought| analysed(self.rules, thought.analysis)))
    }

    fn forget(&self) {
        self.locked().forget();
    }
}

/// Show names alone: what stands behind them is long, and would be compiled for every game.
macro_rules! shown_by_name {
    ($($kind:ident),*) => {
        $(impl<G: Game> std::fmt::Debug for $kind<G> {
            fn fmt(&self, into: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                into.debug_struct(stringify!($kind)).field("name", &self.name).finish_non_exhaustive()
            }
        })*
    };
}

shown_by_name!(Compiled, Held, Batch);
