//! What games to learn from are played by.

use std::sync::Arc;

use super::weights::{Scaling, Weights};
use crate::bitboard::Board;
use crate::expression::Expression;
use crate::expression::program::Program;
use crate::rules::draws::DrawRules;
use crate::rules::{Color, Game};
use crate::search::ordering::MoveOrder;
use crate::search::{MOST_DEPTH, MOST_TABLE};
use crate::stream::Key;

/// The most games that begin with the same weights.
pub const MOST_BATCH: usize = 4096;

/// A rule of learning.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum RuleKind {
    /// TD(0).
    Td,
    /// TD(lambda).
    TdLambda(f64),
    /// TDLeaf(lambda).
    TdLeaf(f64),
}

/// Whose errors change the weights.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Learns {
    /// Those of both sides, on the same weights.
    Both,
    /// Those of one side.
    Only(Color),
    /// Those of Black in games with even numbers, of White in the others.
    Alternate,
}

impl Learns {
    /// Whether a side learns in a game.
    pub(super) fn from(self, side: Color, game: u64) -> bool {
        match self {
            Self::Both => true,
            Self::Only(learner) => side == learner,
            Self::Alternate => (side == Color::Black) == game.is_multiple_of(2),
        }
    }
}

/// What a finished game is worth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Worth {
    /// 1 if it is won, 0 if drawn, -1 if lost.
    Sign,
    /// The difference of pieces, divided by the number of squares; 0 if a rule made it a draw.
    Pieces,
}

/// The evaluator as one program, for searches: what it reads as its parameters is replaced as the weights change.
#[derive(Clone, Debug)]
pub struct Value<B: Board> {
    /// Lowered with its parameters kept.
    pub program: Arc<Program<B>>,
    /// What it was lowered from.
    pub expression: Arc<Expression>,
    /// For every parameter of the weights, in their order: its place among those of the program.
    pub places: Vec<usize>,
}

impl<B: Board> Value<B> {
    /// The program with these weights, which are finite.
    pub(super) fn with(&self, weights: &Weights) -> Arc<Program<B>> {
        let mut parameters = self.expression.parameters().unwrap_or_default();
        for (&place, &weight) in self.places.iter().zip(&weights.rows) {
            parameters[place] = weight;
        }
        match self.expression.with_parameters(&parameters) {
            Ok(expression) => Arc::new(self.program.with_parameters_of(&expression)),
            Err(_) => Arc::clone(&self.program),
        }
    }
}

/// Games, what values their boards, and what is learned from them.
#[derive(Clone, Debug)]
pub struct Settings<G: Game> {
    /// Raw differences, own minus opponent, for the side to move: an output a feature.
    pub features: Arc<Program<G::Board>>,
    /// What looking further than one ply ahead values boards by.
    pub value: Option<Value<G::Board>>,
    /// Where games begin; each draws one.
    pub starts: Vec<G>,
    /// How they are played and learned from.
    pub plan: Plan,
}

/// How games are played, and what is learned from them: the same for every game.
#[derive(Clone, Debug)]
pub struct Plan {
    /// How they become features.
    pub scaling: Scaling,
    /// Game i draws from the i-th child.
    pub key: Key,
    /// The number of the first game.
    pub first_game: u64,
    /// For every game the rates of weights and of time weights.
    pub rates: Vec<[f64; 2]>,
    /// How errors change weights.
    pub rule: RuleKind,
    /// Whose errors count.
    pub learns: Learns,
    /// By whose weights the side plays that does not learn; `None`: by those of the side that does.
    pub opponent: Option<Weights>,
    /// How likely a side that plays by the weights that learn moves at random.
    pub epsilon: f64,
    /// Plies that sides look ahead.
    pub depth: u32,
    /// Which moves a deeper search looks at first; neither this nor the table changes what it finds.
    pub ordering: MoveOrder,
    /// Entries of its transposition table, a power of two; 0 is none.
    pub table: usize,
    /// Whether what a search says of a turn, rather than the board itself, says what the side thought wrong. `TdLeaf` always does.
    pub backed_up: bool,
    /// What finished games are worth.
    pub worth: Worth,
    /// Games that begin with the same weights; what they learn is added in their order.
    pub batch: usize,
    /// Threads for the games of a batch; 0 is one a core.
    pub threads: usize,
    /// When a game is drawn that the board would let go on.
    pub draws: DrawRules,
    /// Plies after which a game is drawn, wherever it began.
    pub most_plies: Option<u32>,
    /// Weights are written down after every so many games.
    pub every: u64,
    /// The number of a game whose moves are kept.
    pub recorded: Option<u64>,
}

impl<G: Game> Settings<G> {
    /// What games are played by: what the first start, which there is, is played by.
    pub(super) fn rules(&self) -> G::Rules {
        self.starts[0].rules()
    }

    /// Whether sides learn from what their searches say.
    pub(super) fn learns_from_searches(&self) -> bool {
        self.plan.backed_up || matches!(self.plan.rule, RuleKind::TdLeaf(_))
    }

    /// Say what makes no sense, before anything is played with these weights.
    pub(super) fn check(&self, weights: &Weights) -> Result<(), String> {
        let count = self.plan.scaling.scales.len();
        let fine = |condition: bool, message: String| if condition { Ok(()) } else { Err(message) };
        let between = |value: f64| (0.0..=1.0).contains(&value);
        let outputs = self.features.outputs();
        fine(count > 0, "scales is empty: give one for each feature".into())?;
        fine(outputs == count, format!("features gives {outputs} numbers for {count} scales: give one for each"))?;
        for (index, &scale) in self.plan.scaling.scales.iter().enumerate() {
            let is_scale = scale.is_finite() && scale > 0.0;
            fine(is_scale, format!("scales[{index}] is {scale}: give a finite number above 0"))?;
        }
        for (name, weights) in
            std::iter::once(("", weights)).chain(self.plan.opponent.iter().map(|others| ("opponent: ", others)))
        {
            let width = weights.width;
            fine(width >= 2, format!("{name}time_weights have degree 0: give at least one for each weight"))?;
            let fits = weights.rows.len() == count * width;
            fine(
                fits,
                format!("{name}weights are {}: give {count}, one for each feature", weights.rows.len() / width),
            )?;
            let lost = weights.rows.iter().position(|&weight| super::learner::is_lost(weight));
            fine(lost.is_none(), format!("{name}row {} of the weights is not within 1e6", lost.unwrap_or(0) / width))?;
        }
        let turned = matches!(self.plan.learns, Learns::Both) && self.plan.opponent.is_some();
        fine(!turned, "learns is both, and an opponent is given: only one of the sides can learn against it".into())?;
        fine(!self.starts.is_empty(), "starts is empty: give at least one position".into())?;
        for (index, start) in self.starts.iter().enumerate() {
            fine(!start.is_over(), format!("starts[{index}] is a finished game: leave it out"))?;
        }
        let are_rates = |rates: &[f64; 2]| rates.iter().all(|&rate| rate.is_finite() && rate >= 0.0);
        if let Some(game) = self.plan.rates.iter().position(|rates| !are_rates(rates)) {
            return Err(format!("rates[{game}] is {:?}: give finite numbers from 0 on", self.plan.rates[game]));
        }
        if let RuleKind::TdLambda(decay) | RuleKind::TdLeaf(decay) = self.plan.rule {
            fine(between(decay), format!("decay is {decay}: give a number from 0 to 1"))?;
        }
        fine(between(self.plan.epsilon), format!("epsilon is {}: give a probability from 0 to 1", self.plan.epsilon))?;
        fine(
            (1..=MOST_DEPTH).contains(&self.plan.depth),
            format!("depth is {}: give 1 to {MOST_DEPTH}", self.plan.depth),
        )?;
        let is_size = self.plan.table == 0 || (self.plan.table.is_power_of_two() && self.plan.table <= MOST_TABLE);
        fine(is_size, format!("table has {} entries: give a power of two up to {MOST_TABLE}", self.plan.table))?;
        let orders = self.plan.ordering != MoveOrder::Program;
        fine(
            orders,
            "ordering is by a program of its own: here give none, hash, evaluator, refutation or killer".into(),
        )?;
        fine(
            (1..=MOST_BATCH).contains(&self.plan.batch),
            format!("batch is {}: give 1 to {MOST_BATCH}", self.plan.batch),
        )?;
        fine(self.plan.every > 0, "every is 0: give after how many games weights are written down".into())?;
        match &self.value {
            None => fine(
                self.plan.depth == 1,
                format!("value is missing: looking {} plies ahead needs it", self.plan.depth),
            ),
            Some(value) => check_value(value, weights),
        }
    }
}

fn check_value<B: Board>(value: &Value<B>, weights: &Weights) -> Result<(), String> {
    let Some(parameters) = value.expression.parameters() else {
        return Err("value keeps no parameters: lower it with keep_parameters=True".into());
    };
    if value.program.outputs() != 1 {
        return Err(format!("value gives {} numbers: give an expression with one", value.program.outputs()));
    }
    if value.places.len() != weights.rows.len() {
        return Err(format!(
            "value has {} places for {} weights: give one each",
            value.places.len(),
            weights.rows.len()
        ));
    }
    match value.places.iter().find(|&&place| place >= parameters.len()) {
        Some(place) => Err(format!("value has {} parameters: there is no place {place}", parameters.len())),
        None => Ok(()),
    }
}
