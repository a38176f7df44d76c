//! What chooses a move, as a value: random, one ply ahead, or alpha-beta; with a tie rule and a share of random moves.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::cpu::{Cpu, Task};
use crate::expression::evaluation::{Block, Registers};
use crate::expression::program::Program;
use crate::lanes::{LANES, Lanes};
use crate::rules::{Children, Color, Game};
use crate::search::table::Table;
use crate::search::{Search, SearchOptions, alphabeta, deepening};
use crate::stages::Stages;
use crate::stream::{Key, Stream};

/// For whom an evaluator speaks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum View {
    /// `own` is the side to move at the evaluated position.
    Turn,
    /// `own` is the player who is choosing, whoever is to move.
    Player,
}

/// Which of several best moves is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ties {
    /// The first in the order of legal moves.
    First,
    /// The last.
    Last,
    /// Any of them, drawn from the stream of the move.
    Random,
}

/// What leaves an evaluator is kept within plus and minus this, far below the value of a won game.
pub const LARGEST_VALUE: f64 = 1e12;

/// A program and the side it speaks for.
#[derive(Clone, Debug)]
pub struct Evaluator<G: Game> {
    /// The program; its first output is the value, unless the options of a search say otherwise.
    pub program: Arc<Program<G::Board>>,
    /// For whom it speaks.
    pub view: View,
}

/// How a player chooses.
#[derive(Clone, Debug)]
pub enum Chooser<G: Game> {
    /// Uniformly among the legal moves.
    Random,
    /// The best board after each move; nothing else is looked at, not even whether the game is over.
    AfterState(Evaluator<G>),
    /// The same with one of several evaluators, drawn for every move.
    Staged(Stages<G>),
    /// Alpha-beta, plain or one ply deeper at a time, as the options say.
    AlphaBeta(Evaluator<G>, SearchOptions),
    /// The same with a second evaluator that orders moves, and says nothing of values: [`Ordering::Program`].
    ///
    /// [`Ordering::Program`]: crate::search::ordering::Ordering::Program
    Ordered(Evaluator<G>, SearchOptions, Evaluator<G>),
}

/// A player.
#[derive(Clone, Debug)]
pub struct Player<G: Game> {
    /// How it chooses.
    pub chooser: Chooser<G>,
    /// Which of equal moves it takes.
    pub ties: Ties,
    /// The probability of a uniformly random move instead.
    pub epsilon: f64,
    /// Its first plies of a game, forced ones included, are uniformly random; those of the opening are nobody's own.
    pub random_moves: u32,
}

/// A chosen move and what is known about it.
#[derive(Clone, Debug)]
pub struct Choice<G: Game> {
    /// The move.
    pub chosen: G::Move,
    /// Its value for the side to move; `None` where nothing was evaluated.
    pub score: Option<f64>,
    /// Plies looked ahead; 0 where nothing was evaluated.
    pub depth: u32,
    /// Positions entered and leaves evaluated.
    pub nodes: u64,
    /// The best line found after the move.
    pub continuation: Vec<G::Move>,
}

/// What one player needs in one thread while it plays.
#[derive(Debug)]
pub struct Workspace<G: Game> {
    /// The key of the game being played.
    pub(crate) game: Key,
    /// Plies of its own that the player has played in it.
    pub(crate) moves: u32,
    pub(crate) registers: Registers<G::Board>,
    /// The stage whose program is loaded, for a player that has stages.
    stage: Option<usize>,
    /// Of the program that orders moves, if there is one.
    order_registers: Option<Registers<G::Board>>,
    pub(crate) table: Table,
    /// Values of the moves of one position, in order.
    pub(crate) values: Vec<f64>,
}

impl<G: Game> Workspace<G> {
    /// A game begins: what is drawn once a game comes from its key.
    pub fn begin(&mut self, game: Key) {
        self.game = game;
        self.moves = 0;
    }

    /// The player has played one more ply of its own.
    #[inline(always)]
    pub fn has_moved(&mut self) {
        self.moves += 1;
    }
}

impl<G: Game> Default for Workspace<G> {
    fn default() -> Self {
        let (registers, order_registers) = (Registers::default(), None);
        Self {
            game: Key(0),
            moves: 0,
            registers,
            stage: None,
            order_registers,
            table: Table::default(),
            values: Vec::new(),
        }
    }
}

/// A value as it leaves a program: kept in bounds, and NaN the worst for the player who is choosing.
#[inline(always)]
pub fn bounded(value: f64, worst: f64) -> f64 {
    if value.is_nan() { worst } else { value.clamp(-LARGEST_VALUE, LARGEST_VALUE) }
}

/// The side an evaluator speaks for at a position after a move of `mover`, when `chooser` is choosing.
#[inline(always)]
pub fn speaks_for(view: View, mover: Color, chooser: Color) -> Color {
    match view {
        View::Turn => mover.opposite(),
        View::Player => chooser,
    }
}

/// What an evaluator reads at positions after moves from `parent`, chosen at a position with `root_ply` and `root_clock`.
#[inline(always)]
pub fn block_of<G: Game>(
    parent: &G,
    children: &Children<G>,
    speaker: Color,
    root_ply: f64,
    root_clock: f64,
) -> Block<G::Board> {
    let (own, opponent) =
        if speaker == parent.turn() { (children.moved, children.to_move) } else { (children.to_move, children.moved) };
    Block {
        own,
        opponent,
        kings: if G::HAS_KINGS { children.kings } else { None },
        moved_to: children.moved_to,
        own_is_black: speaker == Color::Black,
        ply: f64::from(parent.ply().wrapping_add(1)),
        quiet_plies: f64::from(parent.quiet_plies().wrapping_add(1)),
        quiet: if G::HAS_KINGS { children.quiet } else { 0 },
        root_clock,
        root_ply,
    }
}

/// A block for loading a program: constants do not read it.
fn no_block<G: Game>() -> Block<G::Board> {
    block_of(&G::start(), &Children::none(), Color::Black, 0.0, 0.0)
}

/// How a value that leaves a program counts for the side that has to choose at some position.
#[derive(Clone, Copy, Debug)]
pub struct Worth {
    /// -1 if the program speaks for the other side.
    sign: f64,
    worst: f64,
}

impl Worth {
    /// For `side`, of what speaks for `speaker` while `chooser` is choosing.
    #[inline(always)]
    pub fn to(side: Color, speaker: Color, chooser: Color) -> Self {
        let worst = if speaker == chooser { -LARGEST_VALUE } else { LARGEST_VALUE };
        Self { sign: if speaker == side { 1.0 } else { -1.0 }, worst }
    }

    /// The values, kept in bounds; NaN is the worst for the player who is choosing, whoever moves.
    #[inline(always)]
    pub fn of_lanes(self, values: Lanes<f64>) -> Lanes<f64> {
        // One step at a time, each for all lanes.
        values
            .map(|value| if value > LARGEST_VALUE { LARGEST_VALUE } else { value })
            .map(|value| if value < -LARGEST_VALUE { -LARGEST_VALUE } else { value })
            .map(|value| if value.is_nan() { self.worst } else { value })
            .map(|value| value * self.sign)
    }
}

impl Ties {
    /// Which of the moves with the greatest of `values` is taken; `None` if there is none.
    ///
    /// A random one is drawn only where several are equal.
    pub fn pick(self, values: &[f64], stream: &mut Stream) -> Option<usize> {
        let best = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut equals = values.iter().enumerate().filter(|&(_, &value)| value == best).map(|(index, _)| index);
        match self {
            Self::First => equals.next(),
            Self::Last => equals.next_back(),
            Self::Random => {
                let count = equals.clone().count() as u64;
                equals.nth(if count < 2 { 0 } else { stream.below(count) } as usize)
            }
        }
    }
}

impl<G: Game> Player<G> {
    /// Get a workspace ready to play for this player.
    pub fn prepare(&self, workspace: &mut Workspace<G>) {
        let block = no_block::<G>();
        match &self.chooser {
            Chooser::Random => {}
            // Its programs are loaded as they are drawn.
            Chooser::Staged(_) => workspace.stage = None,
            Chooser::AfterState(evaluator) | Chooser::AlphaBeta(evaluator, _) => {
                workspace.registers.load::<G>(&evaluator.program, &block);
            }
            Chooser::Ordered(evaluator, _, orderer) => {
                workspace.registers.load::<G>(&evaluator.program, &block);
                workspace.order_registers.get_or_insert_default().load::<G>(&orderer.program, &block);
            }
        }
    }

    /// Whether it draws every move uniformly, and nothing else.
    pub fn is_random(&self) -> bool {
        matches!(self.chooser, Chooser::Random) && self.epsilon == 0.0
    }

    /// Whether the same question always gets the same answer: not with a limit of time.
    pub fn is_reproducible(&self) -> bool {
        let timed = |options: &SearchOptions| options.time.is_some();
        !matches!(&self.chooser, Chooser::AlphaBeta(_, options) | Chooser::Ordered(_, options, _) if timed(options))
    }

    /// Choose among the legal moves of `position`; `None` if the game is over, or the search was told to stop.
    ///
    /// `key` is the key of this move: all draws come from it, but for those made once a game. The workspace was prepared for
    /// this player.
    #[inline(always)]
    pub fn choose(
        &self,
        cpu: impl Cpu,
        position: &G,
        key: Key,
        workspace: &mut Workspace<G>,
        stop: &AtomicBool,
    ) -> Option<Choice<G>> {
        let mut expansion = position.expand(cpu);
        let mut moves = G::remaining(&expansion);
        let count = moves.len() as u64;
        let simple = |chosen| Choice { chosen, score: None, depth: 0, nodes: 0, continuation: Vec::new() };
        if count < 2 {
            // No choice: nothing is drawn and nothing is evaluated.
            return moves.next().map(simple);
        }
        let mut stream = key.stream();
        if workspace.moves < self.random_moves {
            return moves.nth(stream.below(count) as usize).map(simple);
        }
        if self.epsilon > 0.0 && stream.random() < self.epsilon {
            return moves.nth(stream.below(count) as usize).map(simple);
        }
        self.considered(cpu, position, &mut expansion, key, stream, workspace, stop)
    }

    /// What values the boards after moves, of a player that looks no further; its program is loaded.
    #[inline(always)]
    pub(crate) fn board_evaluator(
        &self,
        position: &G,
        key: Key,
        workspace: &mut Workspace<G>,
    ) -> Option<&Evaluator<G>> {
        match &self.chooser {
            Chooser::AfterState(evaluator) => Some(evaluator),
            Chooser::Staged(stages) => {
                let stage = stages.drawn(position, key);
                let evaluator = &stages.evaluators()[stage];
                if workspace.stage != Some(stage) {
                    workspace.registers.load::<G>(&evaluator.program, &no_block::<G>());
                    workspace.stage = Some(stage);
                }
                Some(evaluator)
            }
            _ => None,
        }
    }

    /// The choice of what the player is when nothing makes it move at random, among one move or more.
    #[inline(always)]
    #[allow(clippy::too_many_arguments)] // What a choice depends on.
    pub(crate) fn considered(
        &self,
        cpu: impl Cpu,
        position: &G,
        expansion: &mut G::Expansion,
        key: Key,
        mut stream: Stream,
        workspace: &mut Workspace<G>,
        stop: &AtomicBool,
    ) -> Option<Choice<G>> {
        let mut moves = G::remaining(expansion);
        let count = moves.len() as u64;
        match &self.chooser {
            Chooser::Random => {
                let chosen = moves.nth(stream.below(count) as usize)?;
                Some(Choice { chosen, score: None, depth: 0, nodes: 0, continuation: Vec::new() })
            }
            Chooser::AfterState(_) | Chooser::Staged(_) => {
                let evaluator = self.board_evaluator(position, key, workspace)?;
                let Workspace { registers, values, .. } = workspace;
                after_state(cpu, position, expansion, evaluator, registers, values);
                let index = self.ties.pick(values, &mut stream)?;
                let (chosen, score) = (moves.nth(index)?, Some(values[index]));
                Some(Choice { chosen, score, depth: 1, nodes: count, continuation: Vec::new() })
            }
            Chooser::AlphaBeta(evaluator, options) | Chooser::Ordered(evaluator, options, _) => {
                let Workspace { game, registers, order_registers, table, .. } = workspace;
                let rule = options.leaves.rule(*game, position.turn(), key);
                let orderer = if let Chooser::Ordered(.., orderer) = &self.chooser { Some(orderer) } else { None };
                let search = Search { evaluator, orderer, options: *options, ties: self.ties, rule, stop };
                if options.is_plain() {
                    alphabeta::search(cpu, &search, position, stream, registers)
                } else {
                    deepening::search(cpu, &search, position, stream, registers, order_registers.as_mut(), table)
                }
            }
        }
    }
}

/// One choice, as a task: for whoever is not inside a CPU path yet.
#[derive(Debug)]
pub struct Choose<'a, G: Game> {
    /// Who chooses.
    pub player: &'a Player<G>,
    /// Where.
    pub position: &'a G,
    /// The key of the move.
    pub key: Key,
    /// Prepared for the player.
    pub workspace: &'a mut Workspace<G>,
    /// Set from outside to give up.
    pub stop: &'a AtomicBool,
}

impl<G: Game> Task for Choose<'_, G> {
    type Output = Option<Choice<G>>;
    #[inline(always)]
    fn run<C: Cpu>(self, cpu: C) -> Self::Output {
        self.player.choose(cpu, self.position, self.key, self.workspace, self.stop)
    }
}

/// Value the board after every move.
#[inline(always)]
pub(crate) fn after_state<G: Game>(
    cpu: impl Cpu,
    position: &G,
    expansion: &mut G::Expansion,
    evaluator: &Evaluator<G>,
    registers: &mut Registers<G::Board>,
    values: &mut Vec<f64>,
) {
    let mover = position.turn();
    let clock = G::clock(f64::from((position.own() | position.opponent()).len()));
    let speaker = speaks_for(evaluator.view, mover, mover);
    let worth = Worth::to(mover, speaker, mover);
    values.clear();
    loop {
        let children = position.next_children(cpu, expansion);
        if children.len == 0 {
            return;
        }
        let block = block_of(position, &children, speaker, f64::from(position.ply()), clock);
        let mut outputs = [Lanes::splat(0.0)];
        registers.evaluate::<G>(cpu, &evaluator.program, &block, &mut outputs);
        let block_values = worth.of_lanes(outputs[0]);
        values.extend_from_slice(&block_values.0[..children.len]);
        if children.len < LANES {
            return;
        }
    }
}
