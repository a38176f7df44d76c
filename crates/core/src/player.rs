//! What chooses a move, as a value: random, one ply ahead, alpha-beta, or Monte Carlo tree search; with a tie rule and a share of random moves.
//!
//! Reasons: docs/design/randomness.md, docs/design/search.md.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::bitboard::Board;
use crate::choice::{Choice, Ties};
use crate::cpu::{Cpu, Task};
use crate::evaluator::{Evaluator, after_state};
use crate::mcts::{Grow, Mcts};
use crate::rules::{Game, Rules};
use crate::search::exact::{Endgames, ExactChoice};
use crate::search::{LookAhead, Memory, Search, SearchOptions, alphabeta, deepening, every_move};
use crate::stages::Stages;
use crate::stream::{Key, Stream};

/// Plies looked ahead at most by a player that takes no time worth speaking of.
const MOST_BRIEF_DEPTH: u32 = 2;

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
    AlphaBeta(LookAhead<G>),
    /// Monte Carlo tree search.
    Mcts(Mcts<G>),
}

/// A player.
#[derive(Clone, Debug)]
pub struct Player<G: Game> {
    chooser: Chooser<G>,
    ties: Ties,
    epsilon: f64,
    random_moves: u32,
}

/// What one player needs in one thread while it plays.
#[derive(Debug)]
pub struct Workspace<G: Game> {
    /// The key of the game being played.
    pub(crate) game: Key,
    /// Plies of its own that the player has played in it.
    pub(crate) moves: u32,
    pub(crate) memory: Memory<G>,
    /// The stage whose program is loaded, for a player that has stages.
    stage: Option<usize>,
    /// Values of the moves of one position, in order; those of the latest choice, if the player is one of trees of playouts.
    pub(crate) values: Vec<f64>,
    /// Positions that the game has had and that could come again, for a player that presses on.
    pub(crate) earlier: Vec<G>,
    /// The most time for a choice of a tree of playouts, whatever the player's own limits are.
    pub(crate) within: Option<Duration>,
    /// Threads that may help with one choice (0: one a core): the exact solver's, whose answer they do not change.
    pub threads: usize,
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
        let (memory, values) = (Memory::default(), Vec::new());
        let earlier = Vec::new();
        Self { game: Key(0), moves: 0, memory, stage: None, values, earlier, within: None, threads: 1 }
    }
}

impl<G: Game> Player<G> {
    /// What chooses so in a game by some rules, and takes this one of equal moves; never a random move instead.
    ///
    /// # Errors
    /// The evaluator of a player that looks one ply ahead has more than one output, or no piece of the game moves that
    /// could be the most advanced.
    pub fn new(rules: G::Rules, chooser: Chooser<G>, ties: Ties) -> Result<Self, String> {
        if ties == Ties::Advanced && !rules.moves_pieces() {
            return Err("ties advanced takes the most advanced piece, and no piece of the game moves".into());
        }
        if let Chooser::AfterState(evaluator) = &chooser {
            evaluator.check_outputs(1)?;
        }
        Ok(Self { chooser, ties, epsilon: 0.0, random_moves: 0 })
    }

    /// The player that chooses uniformly among the legal moves.
    #[must_use]
    pub fn random() -> Self {
        Self { chooser: Chooser::Random, ties: Ties::First, epsilon: 0.0, random_moves: 0 }
    }

    /// The same player, but each of its moves is uniformly random with a probability.
    ///
    /// # Errors
    /// `epsilon` is no probability.
    pub fn with_epsilon(self, epsilon: f64) -> Result<Self, String> {
        if !(0.0..=1.0).contains(&epsilon) {
            return Err(format!("epsilon {epsilon} is not a probability from 0 to 1"));
        }
        Ok(Self { epsilon, ..self })
    }

    /// The same player, but its first `count` plies of a game, forced ones included, are uniformly random; those of the
    /// opening are nobody's own.
    #[must_use]
    pub fn with_random_moves(self, count: u32) -> Self {
        Self { random_moves: count, ..self }
    }

    /// The same player with a table of at least `size` entries, if it looks ahead and its values may be kept.
    ///
    /// # Errors
    /// The table is larger than one may be, or its size no power of two.
    pub fn with_table(mut self, size: usize) -> Result<Self, String> {
        if let Chooser::AlphaBeta(ahead) = self.chooser {
            self.chooser = Chooser::AlphaBeta(ahead.with_table(size)?);
        }
        Ok(self)
    }

    /// How it chooses.
    pub fn chooser(&self) -> &Chooser<G> {
        &self.chooser
    }

    /// Which of equal moves it takes.
    pub fn ties(&self) -> Ties {
        self.ties
    }

    /// How many of its first plies of a game are uniformly random.
    pub fn random_moves(&self) -> u32 {
        self.random_moves
    }

    /// Get a workspace ready to play for this player.
    pub fn prepare(&self, workspace: &mut Workspace<G>) {
        let Memory { registers, order_registers, .. } = &mut workspace.memory;
        match &self.chooser {
            Chooser::Random => {}
            // Its programs are loaded as they are drawn.
            Chooser::Staged(_) => workspace.stage = None,
            Chooser::AfterState(evaluator) => evaluator.load(registers),
            Chooser::Mcts(mcts) => mcts.evaluator().load(registers),
            Chooser::AlphaBeta(ahead) => {
                ahead.evaluator().load(registers);
                if let Some(orderer) = ahead.orderer() {
                    orderer.load(order_registers.get_or_insert_default());
                }
            }
        }
    }

    /// Whether it draws every move uniformly, and nothing else.
    pub fn is_random(&self) -> bool {
        matches!(self.chooser, Chooser::Random) && self.epsilon == 0.0
    }

    /// Whether its choice depends on positions that the game has had.
    #[inline(always)]
    pub fn presses_on(&self) -> bool {
        matches!(&self.chooser, Chooser::AlphaBeta(ahead) if ahead.options().presses_on)
    }

    /// Whether a choice takes no more than a few milliseconds anywhere, so that nobody need be able to stop it.
    pub fn is_brief(&self) -> bool {
        match &self.chooser {
            Chooser::Random | Chooser::AfterState(_) | Chooser::Staged(_) => true,
            Chooser::AlphaBeta(ahead) => {
                let &SearchOptions { depth, quiescence, endgame, .. } = ahead.options();
                depth <= MOST_BRIEF_DEPTH && !quiescence && endgame == 0
            }
            Chooser::Mcts(_) => false,
        }
    }

    /// Whether a move is drawn at random, after so many plies of the player's own; `stream` is that of the move.
    #[inline(always)]
    pub(crate) fn is_at_random(&self, moves: u32, stream: &mut Stream) -> bool {
        moves < self.random_moves || (self.epsilon > 0.0 && stream.random() < self.epsilon)
    }

    /// Whether a move with this key is considered: there are several, and none is drawn at random.
    pub(crate) fn considers(&self, position: &G, key: Key, moves: u32) -> bool {
        position.legal_moves().len() > 1 && !self.is_at_random(moves, &mut key.stream())
    }

    /// What the choice among considered moves is drawn from.
    pub(crate) fn stream_of(&self, key: Key) -> Stream {
        let mut stream = key.stream();
        // Nothing else is drawn before it.
        self.is_at_random(u32::MAX, &mut stream);
        stream
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
                    evaluator.load(&mut workspace.memory.registers);
                    workspace.stage = Some(stage);
                }
                Some(evaluator)
            }
            _ => None,
        }
    }
}

impl<G: Endgames> Player<G> {
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
        let mut moves = G::remaining(position.rules(), &expansion);
        let count = moves.len() as u64;
        if count < 2 {
            // No choice: nothing is drawn and nothing is evaluated.
            return moves.next().map(Choice::unseen);
        }
        let mut stream = key.stream();
        if self.is_at_random(workspace.moves, &mut stream) {
            return moves.nth(stream.below(count) as usize).map(Choice::unseen);
        }
        self.considered(cpu, position, &mut expansion, key, stream, workspace, stop)
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
        let mut moves = G::remaining(position.rules(), expansion);
        let count = moves.len() as u64;
        match &self.chooser {
            Chooser::Random => {
                let chosen = moves.nth(stream.below(count) as usize)?;
                Some(Choice::unseen(chosen))
            }
            Chooser::AfterState(_) | Chooser::Staged(_) => {
                let evaluator = self.board_evaluator(position, key, workspace)?;
                let Workspace { memory, values, .. } = workspace;
                after_state(cpu, position, expansion, evaluator, &mut memory.registers, values);
                let (index, chosen) = self.ties.pick(position, moves, values, &mut stream)?;
                Some(Choice { score: Some(values[index]), depth: 1, nodes: count, ..Choice::unseen(chosen) })
            }
            Chooser::AlphaBeta(ahead) => {
                let mut search = ahead.search(position, workspace.game, key, self.ties, stop);
                if ahead.solves(position) {
                    // What is not solved in half the time is looked ahead at with the other half.
                    let time = search.options.time.map(|time| time / 2);
                    let choice = self.solved(cpu, ahead.evaluator(), position, &stream, workspace.threads, time, stop);
                    if choice.is_some() || stop.load(Ordering::Relaxed) {
                        return choice;
                    }
                    search.options.time = time;
                }
                if let Some(drawing) = ahead.drawing() {
                    let (memory, depth) = (&mut workspace.memory, search.options.depth);
                    let (mut values, nodes) = every_move::search(cpu, &search, depth, position, memory)?;
                    if search.options.presses_on {
                        leave_out_what_goes_back(position, &workspace.earlier, &mut values);
                    }
                    let index = drawing.draw(&mut values, &mut stream);
                    let (chosen, score) = (moves.nth(index)?, Some(values[index]));
                    return Some(Choice { score, depth, nodes, ..Choice::unseen(chosen) });
                }
                let memory = &mut workspace.memory;
                let choice = if ahead.is_plain() {
                    alphabeta::search(cpu, &search, position, Some(expansion), stream.clone(), memory)
                } else {
                    deepening::search(cpu, &search, position, stream.clone(), memory)
                };
                choice.map(|choice| onwards(cpu, &search, position, choice, stream, workspace))
            }
            Chooser::Mcts(mcts) => {
                let mut time = mcts.options().time.into_iter().chain(workspace.within).min();
                if mcts.solves(position) {
                    time = time.map(|time| time / 2);
                    let choice = self.solved(cpu, mcts.evaluator(), position, &stream, workspace.threads, time, stop);
                    if choice.is_some() || stop.load(Ordering::Relaxed) {
                        return choice;
                    }
                }
                let Workspace { memory, values, .. } = workspace;
                cpu.call(Grow { mcts, position, key, time, registers: &mut memory.registers, values, stop })
            }
        }
    }

    /// What the exact solver chooses, if it finds it in time.
    #[inline(always)]
    #[allow(clippy::too_many_arguments)] // What a choice depends on.
    fn solved(
        &self,
        cpu: impl Cpu,
        evaluator: &Evaluator<G>,
        position: &G,
        stream: &Stream,
        threads: usize,
        time: Option<Duration>,
        stop: &AtomicBool,
    ) -> Option<Choice<G>> {
        let (ties, stream) = (self.ties, stream.clone());
        let deadline = time.map(|time| Instant::now() + time);
        cpu.call(ExactChoice { position, evaluator, threads, ties, stream, deadline, stop })
    }
}

/// What a player that presses on takes instead of a move that goes back to an earlier position of the game while it is ahead:
/// the best move that does not, if that keeps it ahead, too. Searches with limits look two plies less far for it.
#[inline(always)]
pub(crate) fn onwards<G: Game>(
    cpu: impl Cpu,
    search: &Search<'_, G>,
    position: &G,
    choice: Choice<G>,
    stream: Stream,
    workspace: &mut Workspace<G>,
) -> Choice<G> {
    let presses_on = search.options.presses_on && choice.score.is_some_and(|score| score > 0.0);
    let goes_back = |chosen| workspace.earlier.contains(&position.play_unchecked(chosen));
    if presses_on && goes_back(choice.chosen) {
        instead(cpu, search, position, &choice, stream, workspace).unwrap_or(choice)
    } else {
        choice
    }
}

/// Which moves go back to earlier positions, in their order.
fn that_go_back<G: Game>(position: &G, earlier: &[G]) -> Vec<bool> {
    position.legal_moves().map(|chosen| earlier.contains(&position.play_unchecked(chosen))).collect()
}

/// Make the values of moves that go back to earlier positions NaN, if another move keeps the side ahead.
fn leave_out_what_goes_back<G: Game>(position: &G, earlier: &[G], values: &mut [f64]) {
    let goes_back = that_go_back(position, earlier);
    if values.iter().zip(&goes_back).any(|(&value, &back)| !back && value > 0.0) {
        values.iter_mut().zip(goes_back).filter(|&(_, back)| back).for_each(|(value, _)| *value = f64::NAN);
    }
}

#[cold]
#[inline(never)]
fn instead<G: Game>(
    cpu: impl Cpu,
    search: &Search<'_, G>,
    position: &G,
    choice: &Choice<G>,
    mut stream: Stream,
    workspace: &mut Workspace<G>,
) -> Option<Choice<G>> {
    let goes_back = that_go_back(position, &workspace.earlier);
    // Among one more of the best moves than go back there is one that does not.
    let most = goes_back.iter().filter(|&&back| back).count() + 1;
    let is_limited = search.options.time.is_some() || search.options.nodes.is_some();
    let depth = if is_limited { choice.depth.saturating_sub(2).max(1) } else { choice.depth };
    let (mut values, mut lines) = every_move::best(cpu, search, depth, position, most, &mut workspace.memory)?;
    for (value, back) in values.iter_mut().zip(goes_back) {
        *value = if back || value.is_nan() { f64::NEG_INFINITY } else { *value };
    }
    let (index, chosen) = search.ties.pick(position, position.legal_moves(), &values, &mut stream)?;
    let continuation = lines.get_mut(index).map(std::mem::take).unwrap_or_default();
    let nodes = choice.nodes;
    (values[index] > 0.0).then(|| Choice {
        chosen,
        score: Some(values[index]),
        depth,
        nodes,
        continuation,
        is_exact: false,
    })
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

impl<G: Endgames> Task for Choose<'_, G> {
    type Output = Option<Choice<G>>;
    const WORTH_AVX512: bool = G::Board::WORTH_AVX512;
    #[inline(always)]
    fn run<C: Cpu>(self, cpu: C) -> Self::Output {
        self.player.choose(cpu, self.position, self.key, self.workspace, self.stop)
    }
}
