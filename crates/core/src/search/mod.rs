//! Looking ahead: what a search is asked, and how it answers.
//!
//! [`alphabeta`] is the plain search to a fixed depth; [`deepening`] looks one ply deeper at a time, with a [`table`], an
//! [`ordering`] and limits. Both give the value of plain [`minimax`] at the depth that they reach, and choose the same move.
//! [`every_move`] gives the values of all moves, [`ordered`] counts what an order of moves saves, [`exact`] is how solvers are asked. A search may be
//! [`selective`]; then it promises no more than its error rate.

pub mod alphabeta;
pub mod deepening;
pub mod every_move;
pub mod exact;
mod horizon;
pub mod leaves;
pub mod minimax;
pub mod ordered;
pub mod ordering;
pub mod resumed;
mod root;
pub mod selective;
pub mod table;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::choice::{Drawing, Ties};
use crate::evaluator::Evaluator;
use crate::expression::evaluation::Registers;
use crate::rules::{Color, Game, Outcome, Rules};
use crate::stream::Key;
use leaves::{Leaves, Rule};
use ordering::{Killers, MoveOrder};
use selective::Selectivity;
use table::Table;

/// The value of a won game; a lost one is minus this, a draw 0.
pub const WIN: f64 = 1e15;

/// How to look ahead, and what ends it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(clippy::struct_excessive_bools)] // Options that do not depend on each other.
pub struct SearchOptions {
    /// Plies to look ahead at most, the root move included; at least 1.
    pub depth: u32,
    /// Nodes to count at most; one ply is always looked ahead, whatever it takes.
    pub nodes: Option<u64>,
    /// Time to take at most. What a search limited in time gives cannot be reproduced.
    pub time: Option<Duration>,
    /// Which moves are looked at first.
    pub ordering: MoveOrder,
    /// Entries of the transposition table, a power of two; 0 is no table.
    pub table: usize,
    /// Whether entries of greater depth than asked for are used too. The value is then not that of minimax.
    pub deeper: bool,
    /// What positions at the horizon are worth.
    pub leaves: Leaves,
    /// Whether captures are looked at to their end: a position at the horizon whose side to move must capture is then not
    /// valued, but all its moves are looked at, and so on until nobody must capture. For games with captures.
    pub quiescence: bool,
    /// Whether a leaf counts as lost for a side with at most [`GUARDED`] pieces if a reply ends the game at once and wins it.
    pub guard: bool,
    /// With at most so many empty squares the exact solver chooses instead; 0: never. For games with a solver.
    pub endgame: u32,
    /// Whether the choice does not go back to a position that the game has had while another move keeps the side ahead.
    pub presses_on: bool,
}

/// From this depth on it pays to look at killers first.
const LEAST_DEPTH_WITH_KILLERS: u32 = 4;
/// From this depth on it pays to look first at what refuted other moves.
const LEAST_DEPTH_WITH_REFUTATIONS: u32 = 3;

impl SearchOptions {
    /// The plain search: a fixed depth, and nothing else.
    pub const fn to_depth(depth: u32) -> Self {
        Self {
            depth,
            nodes: None,
            time: None,
            ordering: MoveOrder::None,
            table: 0,
            deeper: false,
            leaves: Leaves::Plain,
            quiescence: false,
            guard: false,
            endgame: 0,
            presses_on: false,
        }
    }

    /// Whether nothing but a depth is asked for, how the horizon is valued and perhaps the order that costs nothing, so that the
    /// plain search answers.
    pub fn is_plain(&self) -> bool {
        let Self { ordering, leaves, quiescence, guard, endgame, presses_on, .. } = *self;
        let orders = ordering != MoveOrder::None && ordering != MoveOrder::Refutation;
        let plain = Self { ordering, leaves, quiescence, guard, endgame, presses_on, ..Self::to_depth(self.depth) };
        !orders && *self == plain
    }

    /// The same with the order of moves that is usual: killers, where the search is too shallow for them what refuted other moves,
    /// and none where an order could change what is chosen, because nodes are counted or entries of another depth are used.
    #[must_use]
    pub fn with_usual_order(self) -> Self {
        let is_free = self.nodes.is_none() && !self.deeper;
        let ordering = match self.depth {
            LEAST_DEPTH_WITH_KILLERS.. if is_free => MoveOrder::Killer,
            LEAST_DEPTH_WITH_REFUTATIONS.. if is_free => MoveOrder::Refutation,
            _ => MoveOrder::None,
        };
        Self { ordering, ..self }
    }
}

/// With more pieces a side is not thought to lose them all at once; see [`SearchOptions::guard`].
pub const GUARDED: u32 = 8;

/// The deepest search that is taken on: no game here has more plies.
pub const MOST_DEPTH: u32 = 128;

/// Entries of the largest transposition table: 128 MiB for a player in a thread.
pub const MOST_TABLE: usize = 1 << 22;

/// How to look ahead with an evaluator, checked.
#[derive(Clone, Debug)]
pub struct LookAhead<G: Game> {
    evaluator: Evaluator<G>,
    orderer: Option<Evaluator<G>>,
    options: SearchOptions,
    selectivity: Option<Arc<Selectivity>>,
    drawing: Option<Drawing>,
}

impl<G: Game> LookAhead<G> {
    /// Look ahead by the values of `evaluator`; `orderer` orders moves by the boards after them, for [`MoveOrder::Program`].
    ///
    /// # Errors
    /// Says what does not go together, or is out of range.
    pub fn new(evaluator: Evaluator<G>, orderer: Option<Evaluator<G>>, options: SearchOptions) -> Result<Self, String> {
        let SearchOptions { depth, ordering, table, leaves, quiescence, endgame, .. } = options;
        if !(1..=MOST_DEPTH).contains(&depth) {
            return Err(format!("depth {depth} is not from 1 to {MOST_DEPTH}"));
        }
        if table > MOST_TABLE || (table > 0 && !table.is_power_of_two()) {
            return Err(format!("a table of {table} entries is no power of two up to {MOST_TABLE}"));
        }
        if table > 0 && leaves.follow_paths() {
            return Err("a value drawn for each leaf cannot be kept in a table: use no table".into());
        }
        if quiescence && !evaluator.rules.has_captures() {
            return Err(
                "quiescence looks at captures, and the game has none, nor do its rules say what is quiet".into()
            );
        }
        if endgame > 0 && !evaluator.rules.has_solver() {
            return Err("endgame asks a solver of Othello, and this is another game".into());
        }
        evaluator.check_outputs(leaves.outputs())?;
        if orderer.is_some() != (ordering == MoveOrder::Program) {
            return Err("a program that orders moves and the ordering by a program belong together".into());
        }
        orderer.iter().try_for_each(|orderer| orderer.check_outputs(1))?;
        Ok(Self { evaluator, orderer, options, selectivity: None, drawing: None })
    }

    /// The same, cutting searches short where a shallow one foretells their value.
    ///
    /// # Errors
    /// Values are drawn for each leaf, or moves by their values.
    pub fn with_selectivity(self, selectivity: Selectivity) -> Result<Self, String> {
        if self.options.leaves != Leaves::Plain {
            return Err("values that are drawn for leaves cannot be foretold: leave selective out".into());
        }
        if self.drawing.is_some() {
            return Err("with a temperature every move's exact value counts: leave selective out".into());
        }
        Ok(Self { selectivity: Some(Arc::new(selectivity)), ..self })
    }

    /// The same, but a move is drawn, the likelier the better it is.
    ///
    /// # Errors
    /// The temperature is no number above 0, what is overlooked no probability below 1, or the search has limits besides its
    /// depth.
    pub fn with_drawing(self, drawing: Drawing) -> Result<Self, String> {
        let Drawing { temperature, overlooks } = drawing;
        if !(temperature > 0.0 && temperature.is_finite()) {
            return Err(format!("temperature {temperature} is no number above 0"));
        }
        if !(0.0..1.0).contains(&overlooks) {
            return Err(format!("overlooks {overlooks} is no probability below 1"));
        }
        if self.options.nodes.is_some() || self.options.time.is_some() {
            return Err("with a temperature every move is valued to one depth: give no other limit".into());
        }
        if self.selectivity.is_some() {
            return Err("with a temperature every move's exact value counts: leave selective out".into());
        }
        Ok(Self { drawing: Some(drawing), ..self })
    }

    /// What values positions at the horizon.
    pub fn evaluator(&self) -> &Evaluator<G> {
        &self.evaluator
    }

    /// What orders moves, if that is a program of its own.
    pub fn orderer(&self) -> Option<&Evaluator<G>> {
        self.orderer.as_ref()
    }

    /// How to look ahead.
    pub fn options(&self) -> &SearchOptions {
        &self.options
    }

    /// The same with a table of at least `size` entries, if values may be kept.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn with_table(self, size: usize) -> Result<Self, String> {
        let Self { evaluator, orderer, mut options, selectivity, drawing } = self;
        if !options.leaves.follow_paths() {
            options.table = options.table.max(size);
        }
        Ok(Self { selectivity, drawing, ..Self::new(evaluator, orderer, options)? })
    }

    /// Whether the plain search answers.
    pub fn is_plain(&self) -> bool {
        self.options.is_plain() && self.selectivity.is_none()
    }

    /// How a move is drawn; `None`: the best one is chosen.
    pub fn drawing(&self) -> Option<Drawing> {
        self.drawing
    }

    /// Whether so few squares are empty that the exact solver chooses.
    #[inline(always)]
    pub fn solves(&self, position: &G) -> bool {
        exact::is_near_its_end(position, self.options.endgame)
    }

    /// The search for one choice at a position; `game` and `choice` are the keys of the game and of the choice.
    pub fn search<'a>(
        &'a self,
        position: &G,
        game: Key,
        choice: Key,
        ties: Ties,
        stop: &'a AtomicBool,
    ) -> Search<'a, G> {
        let Self { evaluator, orderer, options, selectivity, .. } = self;
        let rule = options.leaves.rule(game, position.turn(), choice);
        let selectivity = selectivity.as_deref();
        Search { evaluator, orderer: orderer.as_ref(), options: *options, selectivity, ties, rule, stop }
    }
}

/// What a search is asked: made by [`LookAhead::search`].
#[derive(Clone, Copy, Debug)]
pub struct Search<'a, G: Game> {
    /// What values positions at the horizon.
    pub(crate) evaluator: &'a Evaluator<G>,
    /// What orders moves by the boards after them; for [`MoveOrder::Program`] only.
    pub(crate) orderer: Option<&'a Evaluator<G>>,
    /// How to look ahead.
    pub(crate) options: SearchOptions,
    /// When it is cut short by what a shallow search foretells.
    pub(crate) selectivity: Option<&'a Selectivity>,
    /// Which of equal root moves is taken.
    pub(crate) ties: Ties,
    /// How this choice values the positions at the horizon.
    pub(crate) rule: Rule,
    /// Set from outside to give the search up.
    pub(crate) stop: &'a AtomicBool,
}

/// The memory of searches, kept from one to the next so that it need not be asked for again. Unless it lasts, no search reads
/// what another one left there, but for the constants of the programs that are loaded.
#[derive(Debug)]
pub struct Memory<G: Game> {
    /// Of the evaluator's program, loaded.
    pub registers: Registers<G::Board>,
    /// Of the program that orders moves, loaded, if there is one.
    pub order_registers: Option<Registers<G::Board>>,
    /// The transposition table.
    pub table: Table,
    /// What cut off.
    pub(crate) killers: Killers,
    /// Whether a search goes on with the table and the killers of the ones before it: their values hold for the same programs
    /// wherever a move is chosen, but how many nodes it takes depends on what came before.
    pub lasts: bool,
}

impl<G: Game> Memory<G> {
    /// Get ready for a search.
    pub(crate) fn start(&mut self, options: &SearchOptions) {
        if self.lasts {
            self.table.go_on(options.table);
            self.killers.go_on(options.depth);
        } else {
            self.table.start(options.table);
            self.killers = Killers::new(options.depth);
        }
    }
}

impl<G: Game> Default for Memory<G> {
    fn default() -> Self {
        Self {
            registers: Registers::default(),
            order_registers: None,
            table: Table::default(),
            killers: Killers::new(0),
            lasts: false,
        }
    }
}

/// The exact value of a finished game for a side.
#[inline(always)]
pub fn outcome_value(outcome: Outcome, side: Color) -> f64 {
    match outcome.winner {
        None => 0.0,
        Some(winner) if winner == side => WIN,
        Some(_) => -WIN,
    }
}
