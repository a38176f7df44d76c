//! The games of a generation, on several threads.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Scope;
use std::time::{Duration, Instant};

use super::strategy::Areas;
use super::tree::Tree;
use crate::bitboard::Board;
use crate::cpu::{Cpu, Task};
use crate::rules::Game;
use crate::rules::draws::DrawRules;
use crate::rules::weighted_games::{Duel, Duels, Opening, Weights};
use crate::stream::Key;
use crate::work::Stopped;

/// One game: an individual, its opponent, and the number of the game in their match. All but the last opponent are
/// individuals of the generation too; the last is alpha at its beginning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub struct Place {
    pub individual: usize,
    pub opponent: usize,
    pub number: usize,
}

/// What came of a game.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Score {
    /// Points of the individual: 2, 1 or 0.
    pub points: u32,
    /// The place of the first move; `None` if there was none.
    pub first: Option<usize>,
    /// Points of the side to move at the beginning.
    pub of_first: u32,
}

/// What it takes to decode players.
#[derive(Debug)]
pub struct Redraw<B: Board> {
    /// Of all players.
    pub trees: Vec<Tree>,
    /// The areas of the board.
    pub areas: Arc<Areas<B>>,
}

/// A generation ready to play: all that its games depend on.
#[derive(Debug)]
pub struct Field<G: Game> {
    /// Where games begin.
    pub opening: Arc<Opening<G>>,
    /// When games are drawn.
    pub rules: DrawRules,
    /// Individuals, and behind them alpha at the beginning.
    pub players: Vec<Weights<G::Board>>,
    /// If every game decodes their trees anew.
    pub redraw: Option<Redraw<G::Board>>,
    /// Where the games of all individuals come from.
    pub key: Key,
    /// Games of a match.
    pub games: usize,
    /// The places of the first moves that are given, in turns; where it is empty, players choose.
    pub given: Vec<usize>,
}

impl<G: Duels> Field<G> {
    /// How many individuals there are.
    pub fn individuals(&self) -> usize {
        self.players.len() - 1
    }

    /// Where the draws of a game come from.
    pub fn key_of(&self, place: &Place) -> Key {
        self.key.child(place.individual as u64).child(place.number as u64)
    }

    /// The first move of a game, if it is given: both sides begin with it.
    pub fn given(&self, place: &Place) -> Option<usize> {
        let turn = place.individual * self.games.div_ceil(2) + place.number / 2;
        (!self.given.is_empty()).then(|| self.given[turn % self.given.len()])
    }

    /// The player of one side of a game, decoded for it alone.
    pub fn decoded(&self, place: &Place, side: u64) -> Option<Weights<G::Board>> {
        let Redraw { trees, areas } = self.redraw.as_ref()?;
        let tree = &trees[if side == 0 { place.individual } else { place.opponent }];
        let mut draws = self.key_of(place).named("decode").child(side).stream();
        Some(areas.weights(&areas.decoded(tree, &mut draws)))
    }
}

/// Games of a field, on one thread.
struct PlayGames<'a, G: Game> {
    field: &'a Field<G>,
    places: &'a [Place],
    /// Where each of them begins, if not at the opening.
    starts: &'a [G],
    stop: &'a AtomicBool,
}

impl<G: Duels> Task for PlayGames<'_, G> {
    type Output = Vec<Score>;
    #[inline(always)]
    fn run<C: Cpu>(self, cpu: C) -> Vec<Score> {
        let Self { field, places, starts, stop } = self;
        // Whether the other side is to move than at the opening.
        let is_turned = |start: &G| start.turn() != field.opening.position.turn();
        let own: Vec<_> = if field.redraw.is_some() {
            places.iter().map(|place| [0, 1].map(|side| field.decoded(place, side))).collect()
        } else {
            Vec::new()
        };
        let player = |game: usize, side: usize, index: usize| -> &Weights<G::Board> {
            own.get(game).and_then(|players| players[side].as_ref()).unwrap_or(&field.players[index])
        };
        let mut duels: Vec<_> = places
            .iter()
            .enumerate()
            .map(|(game, place)| {
                let mut players = [player(game, 0, place.individual), player(game, 1, place.opponent)];
                if place.number % 2 == 1 {
                    players.reverse();
                }
                let draws = field.key_of(place).stream();
                match starts.get(game) {
                    None => Duel::new(players, draws, field.given(place)),
                    Some(&start) => {
                        if is_turned(&start) {
                            players.reverse();
                        }
                        Duel::at(start, players, draws)
                    }
                }
            })
            .collect();
        G::finish_duels(cpu, &field.opening, &mut duels, &field.rules, stop);
        let score = |(duel, place): (&Duel<'_, G>, &Place)| {
            let of_first = if duel.at.is_some_and(|start| is_turned(&start)) { 2 - duel.points } else { duel.points };
            let points = if place.number.is_multiple_of(2) { of_first } else { 2 - of_first };
            Score { points, first: duel.first, of_first }
        };
        duels.iter().zip(places).map(score).collect()
    }
}

/// Games for another thread to play, and then what came of them.
struct Job<G: Game> {
    field: Arc<Field<G>>,
    places: Vec<Place>,
    scores: Vec<Score>,
}

/// What one thread has put down for another; it is taken before the next is put there.
struct Slot<T> {
    held: Mutex<Option<T>>,
    is_full: AtomicBool,
}

impl<T> Slot<T> {
    fn new() -> Self {
        Self { held: Mutex::new(None), is_full: AtomicBool::new(false) }
    }

    fn put(&self, value: T) {
        *self.held.lock().unwrap_or_else(PoisonError::into_inner) = Some(value);
        self.is_full.store(true, Ordering::Release);
    }

    fn take(&self) -> Option<T> {
        if !self.is_full.swap(false, Ordering::Acquire) {
            return None;
        }
        self.held.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Where a thread finds its jobs and leaves them when they are done, one at a time. Channels would be compiled in three kinds for
/// every game.
struct Desk<G: Game> {
    jobs: Slot<Job<G>>,
    done: Slot<Job<G>>,
    /// Whether there will be no more jobs.
    is_closed: AtomicBool,
}

/// A thread that plays games too.
struct Helper<G: Game> {
    desk: Arc<Desk<G>>,
    is_busy: bool,
    /// It did not answer in time, and may be long.
    is_late: bool,
}

impl<G: Game> Drop for Helper<G> {
    fn drop(&mut self) {
        self.desk.is_closed.store(true, Ordering::Release);
    }
}

/// The threads that play.
pub struct Crew<'a, G: Game, C> {
    cpu: C,
    helpers: Vec<Helper<G>>,
    stop: &'a AtomicBool,
    /// The least time that a game has taken so far.
    least_time: Duration,
}

/// More matches than this are never played ahead at once: hardly any of them would be needed.
const MOST_MATCHES: usize = 12;

impl<'a, G: Duels, C: Cpu> Crew<'a, G, C> {
    /// So many threads, this one included, or as many as matches of some games have work for.
    pub fn new<'scope>(
        cpu: C,
        threads: usize,
        games: usize,
        stop: &'a AtomicBool,
        scope: &'scope Scope<'scope, 'a>,
    ) -> Self
    where
        C: 'a,
    {
        let threads = threads.min(games.saturating_mul(MOST_MATCHES).div_ceil(G::duels_at_once(cpu)));
        let helper = |_| {
            let desk = Arc::new(Desk { jobs: Slot::new(), done: Slot::new(), is_closed: AtomicBool::new(false) });
            let own = Arc::clone(&desk);
            scope.spawn(move || {
                while let Some(mut job) = receive(&own.jobs, &own.is_closed, None) {
                    job.scores = cpu.call(PlayGames { field: &job.field, places: &job.places, starts: &[], stop });
                    own.done.put(job);
                }
            });
            Helper { desk, is_busy: false, is_late: false }
        };
        Self { cpu, helpers: (1..threads).map(helper).collect(), stop, least_time: Duration::MAX }
    }

    /// How many games are played at once: fewer take as long.
    pub fn at_once(&self) -> usize {
        let ready = self.helpers.iter().filter(|helper| !helper.is_busy).count();
        G::duels_at_once(self.cpu) * (ready + 1)
    }

    /// Play games of a field on this thread alone, each from a position of its own if `starts` names them.
    ///
    /// # Errors
    /// [`Stopped`] if the crew was stopped.
    pub fn play_alone(&self, field: &Field<G>, places: &[Place], starts: &[G]) -> Result<Vec<Score>, Stopped> {
        let scores = self.cpu.call(PlayGames { field, places, starts, stop: self.stop });
        if self.stop.load(Ordering::Relaxed) { Err(Stopped) } else { Ok(scores) }
    }

    /// Play games of a field, and hand over what came of them; the first of them for sure. A helper that takes
    /// twice as long as this thread may not even be running, on a machine with other work: its answer is taken when it comes.
    ///
    /// # Errors
    /// [`Stopped`] if the crew was stopped.
    pub fn play(
        &mut self,
        field: &Arc<Field<G>>,
        places: &[Place],
        mut take: impl FnMut(Place, Score),
    ) -> Result<(), Stopped> {
        let began = Instant::now();
        let least = G::duels_at_once(self.cpu);
        let threads = self.at_once() / least;
        let ready = self.helpers.iter_mut().filter(|helper| !helper.is_busy);
        let share = places.len().div_ceil(threads).max(least);
        let mut shares = places.chunks(share);
        let own = shares.next().unwrap_or_default();
        for (helper, places) in ready.zip(shares) {
            let job = Job { field: Arc::clone(field), places: places.to_vec(), scores: Vec::new() };
            helper.desk.jobs.put(job);
            helper.is_busy = true;
        }
        let scores = self.play_alone(field, own, &[])?;
        own.iter().zip(scores).for_each(|(&place, score)| take(place, score));
        let now = Instant::now();
        self.least_time = self.least_time.min((now - began) / own.len().max(1) as u32);
        let patience = now + self.least_time * share as u32;
        for helper in self.helpers.iter_mut().filter(|helper| helper.is_busy) {
            let until = if helper.is_late { now } else { patience };
            let job = receive(&helper.desk.done, &helper.desk.is_closed, Some(until));
            helper.is_late = job.is_none();
            let Some(job) = job else { continue };
            helper.is_busy = false;
            if Arc::ptr_eq(&job.field, field) {
                job.places.into_iter().zip(job.scores).for_each(|(place, score)| take(place, score));
            }
        }
        Ok(())
    }
}

/// How often a thread asks again at once: an answer comes within microseconds, and to sleep would take longer.
const SPINS: u32 = 2_000;

/// The next message; `None` if there will be none, or none in time.
fn receive<T>(slot: &Slot<T>, is_closed: &AtomicBool, until: Option<Instant>) -> Option<T> {
    let mut spins = 0;
    loop {
        if let Some(message) = slot.take() {
            return Some(message);
        }
        if is_closed.load(Ordering::Acquire) || until.is_some_and(|until| Instant::now() >= until) {
            return None;
        }
        if spins < SPINS || until.is_some() {
            spins += 1;
            std::hint::spin_loop();
        } else {
            std::thread::yield_now();
        }
    }
}
