//! The alpha chain: the individuals of a generation play the best one so far in turn, and whoever wins takes its place.
//!
//! What comes next is known only when a match is over. Many games are played at once though, so games are played ahead for
//! whoever may be alpha by then, the likeliest first; those that were not needed are thrown away. A game is known by its
//! place, so the result is that of the plain chain.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread::Scope;

use super::strategy::{Areas, Strategy};
use super::tree::Tree;
use crate::cpu::{Cpu, Task};
use crate::rules::Game;
use crate::rules::draws::DrawRules;
use crate::rules::duels::{Duel, Duels, Opening, Weights};
use crate::stream::Key;
use crate::work::Stopped;

/// One game: an individual, its opponent, and the number of the game in their match. All but the last opponent are
/// individuals of the generation too; the last is alpha at its beginning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    individual: usize,
    opponent: usize,
    number: usize,
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

/// A generation ready to play: all that its games depend on.
#[derive(Debug)]
pub struct Field<G: Game> {
    /// Where games begin.
    pub opening: Arc<Opening<G>>,
    /// When games are drawn.
    pub rules: DrawRules,
    /// Individuals, and behind them alpha at the beginning.
    pub players: Vec<Weights<G::Board>>,
    /// Their trees with the areas, if every game decodes them anew.
    pub redraw: Option<(Vec<Tree>, Arc<Areas<G::Board>>)>,
    /// Where the games of all individuals come from.
    pub key: Key,
    /// Games of a match.
    pub games: usize,
    /// The places of the first moves that are given, in turns; where it is empty, players choose.
    pub given: Vec<usize>,
}

impl<G: Duels> Field<G> {
    fn individuals(&self) -> usize {
        self.players.len() - 1
    }

    fn key_of(&self, place: &Place) -> Key {
        self.key.child(place.individual as u64).child(place.number as u64)
    }

    /// The first move of a game, if it is given: both sides begin with it.
    fn given(&self, place: &Place) -> Option<usize> {
        let turn = place.individual * self.games.div_ceil(2) + place.number / 2;
        (!self.given.is_empty()).then(|| self.given[turn % self.given.len()])
    }

    /// The player of one side of a game, decoded for it alone.
    fn decoded(&self, place: &Place, side: u64) -> Option<Weights<G::Board>> {
        let (trees, areas) = self.redraw.as_ref()?;
        let tree = &trees[if side == 0 { place.individual } else { place.opponent }];
        let mut draws = self.key_of(place).named("decode").child(side).stream();
        Some(areas.weights(&Strategy::of(tree, areas.count(), &mut draws)))
    }
}

/// Games of a field, on one thread.
struct PlayGames<'a, G: Game> {
    field: &'a Field<G>,
    places: &'a [Place],
    stop: &'a AtomicBool,
}

impl<G: Duels> Task for PlayGames<'_, G> {
    type Output = Vec<Score>;
    #[inline(always)]
    fn run<C: Cpu>(self, cpu: C) -> Vec<Score> {
        let Self { field, places, stop } = self;
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
                Duel::new(players, field.key_of(place).stream(), field.given(place))
            })
            .collect();
        G::finish_duels(cpu, &field.opening, &mut duels, &field.rules, stop);
        let score = |(duel, place): (&Duel<'_, G::Board>, &Place)| {
            let points = if place.number.is_multiple_of(2) { duel.points } else { 2 - duel.points };
            Score { points, first: duel.first, of_first: duel.points }
        };
        duels.iter().zip(places).map(score).collect()
    }
}

/// Games for another thread to play.
struct Job<G: Game> {
    field: Arc<Field<G>>,
    places: Vec<Place>,
}

/// A thread that plays games too.
struct Helper<G: Game> {
    jobs: Sender<Job<G>>,
    scores: Receiver<Vec<Score>>,
}

/// The threads that play.
pub struct Crew<'a, G: Game, C> {
    cpu: C,
    helpers: Vec<Helper<G>>,
    stop: &'a AtomicBool,
}

impl<'a, G: Duels, C: Cpu> Crew<'a, G, C> {
    /// So many threads, this one included.
    pub fn new<'scope>(cpu: C, threads: usize, stop: &'a AtomicBool, scope: &'scope Scope<'scope, 'a>) -> Self
    where
        C: 'a,
    {
        let helper = |_| {
            let (jobs, incoming) = channel::<Job<G>>();
            let (outgoing, scores) = channel();
            scope.spawn(move || {
                while let Some(Job { field, places }) = receive(&incoming) {
                    let scores = cpu.call(PlayGames { field: &field, places: &places, stop });
                    if outgoing.send(scores).is_err() {
                        return;
                    }
                }
            });
            Helper { jobs, scores }
        };
        Self { cpu, helpers: (1..threads).map(helper).collect(), stop }
    }

    /// How many games are played at once: fewer take as long.
    fn at_once(&self) -> usize {
        G::duels_at_once(self.cpu) * (self.helpers.len() + 1)
    }

    /// Play games of a field, on all threads if they are many enough.
    fn play(&self, field: &Arc<Field<G>>, places: &[Place]) -> Result<Vec<Score>, Stopped> {
        let least = G::duels_at_once(self.cpu);
        let share = places.len().div_ceil(self.helpers.len() + 1).max(least);
        let mut shares = places.chunks(share);
        let own = shares.next().unwrap_or_default();
        let mut asked = Vec::new();
        for (helper, places) in self.helpers.iter().zip(shares) {
            helper.jobs.send(Job { field: Arc::clone(field), places: places.to_vec() }).map_err(|_| Stopped)?;
            asked.push(helper);
        }
        let mut scores = self.cpu.call(PlayGames { field, places: own, stop: self.stop });
        for helper in asked {
            scores.extend(receive(&helper.scores).ok_or(Stopped)?);
        }
        if self.stop.load(std::sync::atomic::Ordering::Relaxed) { Err(Stopped) } else { Ok(scores) }
    }
}

/// How often a thread asks again at once: an answer comes within microseconds, and to sleep would take longer.
const SPINS: u32 = 2_000;

/// The next message; `None` if there will be none.
fn receive<T>(receiver: &Receiver<T>) -> Option<T> {
    for spins in 0_u32.. {
        match receiver.try_recv() {
            Ok(message) => return Some(message),
            Err(TryRecvError::Disconnected) => return None,
            Err(TryRecvError::Empty) if spins < SPINS => std::hint::spin_loop(),
            Err(TryRecvError::Empty) => std::thread::yield_now(),
        }
    }
    receiver.recv().ok()
}

/// A match of which some games have been played, perhaps for nothing.
struct Match {
    individual: usize,
    opponent: usize,
    scores: Vec<Score>,
}

/// What is known of matches that may come, and how often alpha changes.
#[derive(Default)]
pub struct Ahead {
    matches: Vec<Match>,
    played: u64,
    changes: u64,
}

impl Ahead {
    /// Play the match of an individual against alpha, and ahead of it as much as costs no time.
    ///
    /// # Errors
    /// [`Stopped`] if the crew was stopped.
    pub fn play<G: Duels, C: Cpu>(
        &mut self,
        crew: &Crew<'_, G, C>,
        field: &Arc<Field<G>>,
        individual: usize,
        alpha: usize,
    ) -> Result<Vec<Score>, Stopped> {
        self.matches.retain(|one| one.individual >= individual);
        loop {
            let now = self.find(individual, alpha);
            if let Some(now) = now
                && self.matches[now].scores.len() == field.games
            {
                return Ok(self.matches.swap_remove(now).scores);
            }
            let places = self.next_games(field, individual, alpha, crew.at_once());
            for (place, score) in places.iter().zip(crew.play(field, &places)?) {
                let at = self.find(place.individual, place.opponent).unwrap_or_else(|| {
                    let &Place { individual, opponent, .. } = place;
                    self.matches.push(Match { individual, opponent, scores: Vec::with_capacity(field.games) });
                    self.matches.len() - 1
                });
                self.matches[at].scores.push(score);
            }
        }
    }

    /// A match was over, and alpha stayed or not.
    pub fn learn(&mut self, has_changed: bool) {
        self.played += 1;
        self.changes += u64::from(has_changed);
    }

    /// A new generation begins.
    pub fn forget(&mut self) {
        self.matches.clear();
    }

    fn find(&self, individual: usize, opponent: usize) -> Option<usize> {
        self.matches.iter().position(|one| one.individual == individual && one.opponent == opponent)
    }

    /// The rest of a match, and of those that may follow the likeliest, as many games as are played at once.
    fn next_games<G: Duels>(&self, field: &Field<G>, individual: usize, alpha: usize, at_once: usize) -> Vec<Place> {
        let mut places = Vec::with_capacity(at_once.max(field.games));
        let change = (self.changes + 1) as f64 / (self.played + 3) as f64;
        // Matches that may come: their probability, and who plays whom.
        let mut open = vec![(1.0_f64, individual, alpha)];
        while places.is_empty() || places.len() < at_once {
            let likeliest = (0..open.len()).max_by(|&a, &b| open[a].0.total_cmp(&open[b].0));
            let Some((probability, individual, opponent)) = likeliest.map(|index| open.swap_remove(index)) else {
                break;
            };
            let known = self.find(individual, opponent).map_or(&[][..], |at| &self.matches[at].scores);
            let room = if places.is_empty() { field.games } else { at_once - places.len() };
            let numbers = (known.len()..field.games).take(room);
            places.extend(numbers.map(|number| Place { individual, opponent, number }));
            if individual + 1 < field.individuals() {
                let points: u32 = known.iter().map(|score| score.points).sum();
                let changes = match known.len() == field.games {
                    true if wins(points, field.games) => 1.0,
                    true => 0.0,
                    false => change,
                };
                open.push((probability * (1.0 - changes), individual + 1, opponent));
                open.push((probability * changes, individual + 1, individual));
            }
        }
        places
    }
}

/// Whether an individual has more points of a match than its opponent.
pub fn wins(points: u32, games: usize) -> bool {
    points as usize > games
}
