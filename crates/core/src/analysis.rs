//! One question about one position: what a player chooses, and what every move is worth to it.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use crate::bitboard::Board;
use crate::choice::{Choice, Lines};
use crate::cpu::{Cpu, Task, dispatch};
use crate::evaluator::after_state;
use crate::player::{Choose, Chooser, Player, Workspace};
use crate::rules::Game;
use crate::rules::playout::move_key;
use crate::search::every_move;
use crate::search::exact::{Endgames, ExactValues};
use crate::stream::Key;

/// What is asked about a single position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Question {
    /// The key of the game.
    pub game: Key,
    /// Plies of its own that the side to move has played in it, forced ones included.
    pub moves: u32,
    /// Of how many of the best moves the values are wanted too; `usize::MAX` is every legal move.
    pub best: usize,
    /// Threads that the exact solver may use (0: one a core): they change its nodes and nothing else.
    pub threads: usize,
}

impl Question {
    /// The first choice of its side in a game: nothing but the choice, with one thread.
    pub fn of(game: Key) -> Self {
        Self { game, moves: 0, best: 0, threads: 1 }
    }
}

/// A move, its value, and what is expected after it.
pub type Valued<G> = (<G as Game>::Move, f64, Vec<<G as Game>::Move>);

/// A choice, and how long it took.
#[derive(Clone, Debug)]
pub struct Analysis<G: Game> {
    /// The choice.
    pub choice: Choice<G>,
    /// The best moves, in the order of legal moves, with their exact values for the side to move, if that was asked and the player
    /// values moves here; of equal moves the first.
    ///
    /// Of a player that looks ahead they are the values of plain minimax at the depth that the answer reached; where it
    /// answered without looking, at the depth that it would have reached. Of a tree of playouts they are shares of points.
    ///
    /// With each of them what is expected after it, if the player looks so far.
    pub values: Vec<Valued<G>>,
    /// Time from question to answer, without what the values took.
    pub elapsed: Duration,
}

impl<G: Endgames> Player<G> {
    /// One choice with the time it took, for whoever asks about a single position; `None` as in [`Self::choose`].
    pub fn analyse(&self, position: &G, question: &Question, stop: &AtomicBool) -> Option<Analysis<G>> {
        self.analyse_after(Vec::new(), position, question, stop)
    }

    /// The same where the game has had some earlier positions that could come again.
    pub fn analyse_after(
        &self,
        earlier: Vec<G>,
        position: &G,
        question: &Question,
        stop: &AtomicBool,
    ) -> Option<Analysis<G>> {
        let mut workspace = Workspace::default();
        workspace.earlier = earlier;
        self.prepare(&mut workspace);
        workspace.begin(question.game);
        workspace.moves = question.moves;
        workspace.threads = question.threads;
        let key = move_key(question.game, position.turn(), position.ply());
        let begun = Instant::now();
        let choice = dispatch(Choose { player: self, position, key, workspace: &mut workspace, stop })?;
        let elapsed = begun.elapsed();
        let values = if question.best > 0 && question.moves >= self.random_moves() {
            dispatch(ValueMoves::of(self, position, key, &choice, question.best, &mut workspace, stop))?
        } else {
            Default::default()
        };
        Some(Analysis { choice, values: known(position, values), elapsed })
    }
}

/// The moves whose values are known, in the order of legal moves.
pub(crate) fn known<G: Game>(position: &G, (values, lines): (Vec<f64>, Lines<G>)) -> Vec<Valued<G>> {
    let lines = lines.into_iter().chain(std::iter::repeat(Vec::new()));
    let moves = position.legal_moves().zip(values).zip(lines);
    moves.map(|((chosen, value), line)| (chosen, value, line)).filter(|(_, value, _)| !value.is_nan()).collect()
}

/// The values of all moves, or of the best, and their lines, as a task: for whoever is not inside a CPU path yet.
pub(crate) struct ValueMoves<'a, G: Game> {
    player: &'a Player<G>,
    position: &'a G,
    key: Key,
    /// Plies to look ahead; 0: as many as the player would.
    depth: u32,
    /// Whether the player knows the final score.
    exactly: bool,
    /// Of how many moves values are wanted.
    best: usize,
    workspace: &'a mut Workspace<G>,
    stop: &'a AtomicBool,
}

impl<'a, G: Game> ValueMoves<'a, G> {
    /// The values behind a choice of a player.
    pub fn of(
        player: &'a Player<G>,
        position: &'a G,
        key: Key,
        choice: &Choice<G>,
        best: usize,
        workspace: &'a mut Workspace<G>,
        stop: &'a AtomicBool,
    ) -> Self {
        Self { player, position, key, depth: choice.depth, exactly: choice.is_exact, best, workspace, stop }
    }
}

impl<G: Endgames> Task for ValueMoves<'_, G> {
    type Output = Option<(Vec<f64>, Lines<G>)>;
    const WORTH_AVX512: bool = G::Board::WORTH_AVX512;
    #[inline(always)]
    fn run<C: Cpu>(self, cpu: C) -> Self::Output {
        let Self { player, position, key, mut depth, mut exactly, best, workspace, stop } = self;
        let mut expansion = position.expand(cpu);
        if depth == 0 {
            let choice =
                player.considered(cpu, position, &mut expansion.clone(), key, key.stream(), workspace, stop)?;
            (depth, exactly) = (choice.depth, choice.is_exact);
        }
        let valued_exactly =
            |evaluator, threads| G::value_exactly(cpu, ExactValues { position, evaluator, threads, stop });
        let (mut values, lines) = match player.chooser() {
            Chooser::Random => Default::default(),
            Chooser::AfterState(_) | Chooser::Staged(_) => {
                let evaluator = player.board_evaluator(position, key, workspace)?;
                let Workspace { memory, values, .. } = workspace;
                after_state(cpu, position, &mut expansion, evaluator, &mut memory.registers, values);
                (std::mem::take(values), Vec::new())
            }
            Chooser::AlphaBeta(ahead) if exactly => valued_exactly(ahead.evaluator(), workspace.threads)?,
            Chooser::Mcts(mcts) if exactly => valued_exactly(mcts.evaluator(), workspace.threads)?,
            // Those of the choice.
            Chooser::Mcts(_) => (std::mem::take(&mut workspace.values), Vec::new()),
            Chooser::AlphaBeta(ahead) => {
                let search = ahead.search(position, workspace.game, key, player.ties(), stop);
                every_move::best(cpu, &search, depth, position, best, &mut workspace.memory)?
            }
        };
        every_move::keep_best(&mut values, best);
        Some((values, lines))
    }
}
