//! An engine that stays: a player with a memory that lasts from move to move, and a search that can be stopped, watched and
//! taken up again.
//!
//! At equal depth an engine chooses what its player chooses, whatever it was asked before: values in its table hold for the
//! position, its depth and what else they depend on. Only how deep it gets in its time, or with its nodes, depends on history.
//!
//! Reasons: docs/design/search.md.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::analysis::{Analysis, Question, ValueMoves, known};
use crate::bitboard::Board;
use crate::choice::Choice;
use crate::cpu::{Cpu, Task, dispatch};
use crate::player::{Choose, Chooser, Player, Workspace, onwards};
use crate::rules::Game;
use crate::rules::playout::move_key;
use crate::search::deepening::Progress;
use crate::search::exact::{Endgames, ExactChoice};
use crate::search::resumed::{Deadlines, take_up};
use crate::search::{LookAhead, MOST_DEPTH};
use crate::stream::Key;

/// How far an engine may go for one answer.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Limits {
    /// To this depth, whatever the player's own limits are, and without the exact solver; `None`: as the player's own depth and
    /// nodes allow.
    pub depth: Option<u32>,
    /// No depth is begun after so much time.
    pub soft: Option<Duration>,
    /// The search ends after so much time, where it is; one ply is always looked ahead.
    pub hard: Option<Duration>,
}

/// What an engine answers.
#[derive(Clone, Debug)]
pub struct Thought<G: Game> {
    /// The choice, and what was known before it; the time is from question to answer.
    pub analysis: Analysis<G>,
    /// Whether nothing ended the search before its depth: neither time nor nodes nor a stop.
    pub is_complete: bool,
}

/// A player that keeps what it finds out.
pub struct Engine<G: Game> {
    player: Player<G>,
    workspace: Workspace<G>,
    /// Of the position that was looked at last.
    latest: Option<Latest<G>>,
}

/// A position and how far its search has come.
struct Latest<G: Game> {
    position: G,
    game: Key,
    progress: Option<Progress<G>>,
    /// What the exact solver said.
    solved: Option<Choice<G>>,
}

impl<G: Endgames> Engine<G> {
    /// Let a player stay, with a table of at least `table` entries if its values may be kept.
    ///
    /// # Errors
    /// The table is larger than a player's may be, or its size no power of two.
    pub fn new(player: Player<G>, table: usize) -> Result<Self, String> {
        let player = player.with_table(table)?;
        let mut workspace = Workspace::default();
        workspace.memory.lasts = true;
        player.prepare(&mut workspace);
        Ok(Self { player, workspace, latest: None })
    }

    /// Forget everything: the next answer is that of a new engine.
    pub fn forget(&mut self) {
        self.workspace = Workspace::default();
        self.workspace.memory.lasts = true;
        self.player.prepare(&mut self.workspace);
        self.latest = None;
    }

    /// The game in which it will think has had these positions, which could come again.
    pub fn come_from(&mut self, earlier: Vec<G>) {
        self.workspace.earlier = earlier;
    }

    /// Choose at a position until a limit or `stop`, which ends a search within some thousand nodes and gives the answer of the
    /// last depth that was completed. `tell` hears of every completed depth, with the time it took from the question on.
    ///
    /// A search at the position that was asked about last goes on where it was. `None` if the game is over.
    pub fn think(
        &mut self,
        position: &G,
        question: &Question,
        limits: &Limits,
        stop: &AtomicBool,
        tell: &mut dyn FnMut(&Choice<G>, Duration),
    ) -> Option<Thought<G>> {
        let begun = Instant::now();
        let key = move_key(question.game, position.turn(), position.ply());
        self.workspace.begin(question.game);
        self.workspace.moves = question.moves;
        self.workspace.threads = question.threads;
        let mut is_complete = true;
        let choice = match self.player.chooser() {
            Chooser::AlphaBeta(ahead)
                if ahead.drawing().is_none() && self.player.considers(position, key, question.moves) =>
            {
                if self.latest.as_ref().is_none_or(|at| at.position != *position || at.game != question.game) {
                    self.latest =
                        Some(Latest { position: *position, game: question.game, progress: None, solved: None });
                }
                let latest = self.latest.as_mut()?;
                let thinking = Thinking { player: &self.player, ahead, key, begun, limits, stop, tell };
                let choice =
                    dispatch(Think { thinking, workspace: &mut self.workspace, latest, complete: &mut is_complete });
                choice?
            }
            _ => {
                let (player, workspace) = (&self.player, &mut self.workspace);
                workspace.within = limits.hard.into_iter().chain(limits.soft).min();
                let choice = dispatch(Choose { player, position, key, workspace, stop })?;
                is_complete = !stop.load(Ordering::Relaxed) && limits.hard.is_none_or(|hard| begun.elapsed() < hard);
                choice
            }
        };
        let elapsed = begun.elapsed();
        let values = if question.best > 0 && question.moves >= self.player.random_moves() {
            // Beside the table that lasts: these searches have one of their own.
            let mut workspace = Workspace::default();
            self.player.prepare(&mut workspace);
            workspace.begin(question.game);
            workspace.threads = question.threads;
            workspace.values = std::mem::take(&mut self.workspace.values);
            let (player, workspace) = (&self.player, &mut workspace);
            dispatch(ValueMoves::of(player, position, key, &choice, question.best, workspace, stop)).unwrap_or_default()
        } else {
            Default::default()
        };
        let values = known(position, values);
        Some(Thought { analysis: Analysis { choice, values, elapsed }, is_complete })
    }

    /// What the exact solver chooses, if the player asks it at a position and it answers within a time; `None` if not.
    pub fn solve(
        &mut self,
        position: &G,
        question: &Question,
        within: Option<Duration>,
        stop: &AtomicBool,
    ) -> Option<Thought<G>> {
        let begun = Instant::now();
        let key = move_key(question.game, position.turn(), position.ply());
        let Chooser::AlphaBeta(ahead) = self.player.chooser() else { return None };
        if !ahead.solves(position) || !self.player.considers(position, key, question.moves) {
            return None;
        }
        let deadline = within.map(|within| begun + within);
        let choice = dispatch(exactly(&self.player, ahead, position, key, question.threads, deadline, stop))?;
        let analysis = Analysis { choice, values: Vec::new(), elapsed: begun.elapsed() };
        Some(Thought { analysis, is_complete: true })
    }
}

/// The question to the exact solver what a player would choose at a position with its key.
fn exactly<'a, G: Game>(
    player: &Player<G>,
    ahead: &'a LookAhead<G>,
    position: &'a G,
    key: Key,
    threads: usize,
    deadline: Option<Instant>,
    stop: &'a AtomicBool,
) -> ExactChoice<'a, G> {
    let (evaluator, ties, stream) = (ahead.evaluator(), player.ties(), player.stream_of(key));
    ExactChoice { position, evaluator, threads, ties, stream, deadline, stop }
}

struct Thinking<'a, G: Game> {
    player: &'a Player<G>,
    ahead: &'a LookAhead<G>,
    key: Key,
    begun: Instant,
    limits: &'a Limits,
    stop: &'a AtomicBool,
    tell: &'a mut dyn FnMut(&Choice<G>, Duration),
}

/// One answer of a player that looks ahead, as a task.
struct Think<'a, G: Game> {
    thinking: Thinking<'a, G>,
    workspace: &'a mut Workspace<G>,
    latest: &'a mut Latest<G>,
    complete: &'a mut bool,
}

impl<G: Endgames> Task for Think<'_, G> {
    type Output = Option<Choice<G>>;
    const WORTH_AVX512: bool = G::Board::WORTH_AVX512;

    #[inline(always)]
    fn run<C: Cpu>(self, cpu: C) -> Self::Output {
        let Self { thinking, workspace, latest, complete } = self;
        let Thinking { player, ahead, key, begun, limits, stop, tell } = thinking;
        let Latest { position, game, progress, solved } = latest;
        // Step 1. The exact solver, with half of the time.
        if ahead.solves(position) && limits.depth.is_none() {
            if solved.is_none() {
                let deadline = limits.hard.map(|hard| begun + hard / 2);
                let question = exactly(player, ahead, position, key, workspace.threads, deadline, stop);
                *solved = G::choose_exactly(cpu, question);
            }
            if let Some(choice) = solved {
                tell(choice, begun.elapsed());
                return Some(choice.clone());
            }
        }
        // Step 2. Deeper and deeper.
        let mut search = ahead.search(position, *game, key, player.ties(), stop);
        search.options.time = None;
        if let Some(depth) = limits.depth {
            (search.options.depth, search.options.nodes) = (depth.clamp(1, MOST_DEPTH), None);
        }
        let after = |time: Duration| begun.checked_add(time);
        let deadlines = Deadlines { soft: limits.soft.and_then(after), hard: limits.hard.and_then(after) };
        let stream = player.stream_of(key);
        let mut told = |progress: &Progress<G>| {
            if let Some(choice) = progress.choice(stream.clone()) {
                tell(&choice, begun.elapsed());
            }
        };
        take_up(cpu, &search, position, deadlines, &mut workspace.memory, progress, &mut told);
        let progress = progress.as_ref()?;
        *complete = progress.is_complete(search.options.depth) && !stop.load(Ordering::Relaxed);
        let choice = progress.choice(stream.clone())?;
        // What limits in time end, although the player has none of its own.
        search.options.time = search.options.time.or(limits.hard);
        Some(onwards(cpu, &search, position, choice, stream, workspace))
    }
}
