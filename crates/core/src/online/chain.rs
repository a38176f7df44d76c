//! The alpha chain: the individuals of a generation play the best one so far in turn, and whoever wins takes its place.
//!
//! What comes next is known only when a match is over. Many games are played at once though, so games are played ahead for
//! whoever may be alpha by then, the likeliest first; those that were not needed are thrown away. A game is known by its
//! place, so the result is that of the plain chain.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread::Scope;
use std::time::{Duration, Instant};

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

/// Games for another thread to play, and then what came of them.
struct Job<G: Game> {
    field: Arc<Field<G>>,
    places: Vec<Place>,
    scores: Vec<Score>,
}

/// A thread that plays games too.
struct Helper<G: Game> {
    jobs: Sender<Job<G>>,
    done: Receiver<Job<G>>,
    is_busy: bool,
    /// It did not answer in time, and may be long.
    is_late: bool,
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
            let (jobs, incoming) = channel::<Job<G>>();
            let (outgoing, done) = channel();
            scope.spawn(move || {
                while let Some(mut job) = receive(&incoming, None) {
                    job.scores = cpu.call(PlayGames { field: &job.field, places: &job.places, stop });
                    if outgoing.send(job).is_err() {
                        return;
                    }
                }
            });
            Helper { jobs, done, is_busy: false, is_late: false }
        };
        Self { cpu, helpers: (1..threads).map(helper).collect(), stop, least_time: Duration::MAX }
    }

    /// How many games are played at once: fewer take as long.
    fn at_once(&self) -> usize {
        let ready = self.helpers.iter().filter(|helper| !helper.is_busy).count();
        G::duels_at_once(self.cpu) * (ready + 1)
    }

    /// Play games of a field, and hand over what came of them; the first of them for sure. A helper that takes
    /// twice as long as this thread may not even be running, on a machine with other work: its answer is taken when it comes.
    fn play(
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
            helper.jobs.send(job).map_err(|_| Stopped)?;
            helper.is_busy = true;
        }
        let scores = self.cpu.call(PlayGames { field, places: own, stop: self.stop });
        if self.stop.load(Ordering::Relaxed) {
            return Err(Stopped);
        }
        own.iter().zip(scores).for_each(|(&place, score)| take(place, score));
        let now = Instant::now();
        self.least_time = self.least_time.min((now - began) / own.len().max(1) as u32);
        let patience = now + self.least_time * share as u32;
        for helper in self.helpers.iter_mut().filter(|helper| helper.is_busy) {
            let until = if helper.is_late { now } else { patience };
            let job = receive(&helper.done, Some(until));
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
fn receive<T>(receiver: &Receiver<T>, until: Option<Instant>) -> Option<T> {
    let mut spins = 0;
    loop {
        match receiver.try_recv() {
            Ok(message) => return Some(message),
            Err(TryRecvError::Disconnected) => return None,
            Err(TryRecvError::Empty) if until.is_some_and(|until| Instant::now() >= until) => return None,
            Err(TryRecvError::Empty) if spins < SPINS || until.is_some() => {
                spins += 1;
                std::hint::spin_loop();
            }
            Err(TryRecvError::Empty) => std::thread::yield_now(),
        }
    }
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
        crew: &mut Crew<'_, G, C>,
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
            crew.play(field, &places, |place, score| self.take(place, score))?;
        }
    }

    /// What came of a game, unless it is known already or earlier ones of its match are not.
    fn take(&mut self, Place { individual, opponent, number }: Place, score: Score) {
        let at = self.find(individual, opponent).unwrap_or_else(|| {
            self.matches.push(Match { individual, opponent, scores: Vec::new() });
            self.matches.len() - 1
        });
        let scores = &mut self.matches[at].scores;
        if scores.len() == number {
            scores.push(score);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bitboard::{Bitboard, Board, Size6, Size8};
    use crate::cpu::{available, on};
    use crate::online::tree::Terminals;
    use crate::rules::checkers::{Checkers, Losing};
    use crate::rules::othello::Othello;

    /// A generation of random players; each game is decoded anew where the number is odd.
    fn field<G: Duels>(number: u64) -> Field<G> {
        let mut draws = Key::new(8).child(number).stream();
        let squares = G::Board::SQUARES;
        let of_square: Vec<_> = (0..squares).map(|_| draws.below(8).checked_sub(1).map(|area| area as usize)).collect();
        let areas = Areas::new(&of_square, Bitboard::EMPTY, Bitboard::EMPTY).unwrap_or_else(|error| panic!("{error}"));
        let terminals = Terminals { areas: areas.count(), lowest: 1, highest: 9 };
        let trees = Tree::ramped(20, &terminals, (2, 4), 4096, &mut draws).unwrap_or_default();
        let opening = Arc::new(Opening::new(G::start()));
        Field {
            rules: DrawRules { most_plies: G::HAS_CAPTURES.then_some(60), ..DrawRules::NONE },
            players: trees.iter().map(|tree| areas.weights(&Strategy::of(tree, areas.count(), &mut draws))).collect(),
            redraw: (number % 2 == 1).then(|| (trees, Arc::new(areas))),
            key: Key::new(9).child(number),
            games: [1, 3, 10, 40][number as usize % 4],
            given: (0..opening.moves.len()).take((number / 4) as usize).collect(),
            opening,
        }
    }

    /// Alpha and the scores after each match, one game after the other.
    fn plain<G: Duels>(field: &Field<G>) -> Vec<(usize, Vec<Score>)> {
        let mut alpha = field.individuals();
        let match_of = |individual: usize| {
            let score = |number: usize| {
                let place = Place { individual, opponent: alpha, number };
                let [one, other] = [(0, individual), (1, alpha)]
                    .map(|(side, index)| field.decoded(&place, side).unwrap_or_else(|| field.players[index].clone()));
                let players = if number % 2 == 0 { [&one, &other] } else { [&other, &one] };
                let mut duel = Duel::new(players, field.key_of(&place).stream(), field.given(&place));
                duel.finish(&field.opening, &field.rules, &AtomicBool::new(false));
                let points = if number % 2 == 0 { duel.points } else { 2 - duel.points };
                Score { points, first: duel.first, of_first: duel.points }
            };
            let scores: Vec<_> = (0..field.games).map(score).collect();
            let points: u32 = scores.iter().map(|score| score.points).sum();
            if points > 2 * field.games as u32 - points {
                alpha = individual;
            }
            (alpha, scores)
        };
        (0..field.individuals()).map(match_of).collect()
    }

    struct PlayChain<G: Game>(Arc<Field<G>>, usize);

    impl<G: Duels> Task for PlayChain<G> {
        type Output = Vec<(usize, Vec<Score>)>;
        #[inline(always)]
        fn run<C: Cpu>(self, cpu: C) -> Self::Output {
            let (Self(field, threads), stop, mut ahead) = (self, AtomicBool::new(false), Ahead::default());
            std::thread::scope(|scope| {
                let mut crew = Crew::new(cpu, threads, field.games, &stop, scope);
                let mut alpha = field.individuals();
                let mut next = |individual| {
                    let scores = ahead.play(&mut crew, &field, individual, alpha).unwrap_or_default();
                    let has_won = wins(scores.iter().map(|score| score.points).sum(), field.games);
                    ahead.learn(has_won);
                    alpha = if has_won { individual } else { alpha };
                    (alpha, scores)
                };
                (0..field.individuals()).map(&mut next).collect()
            })
        }
    }

    fn check<G: Duels>() {
        let mut alphas = 0;
        for number in 0..16 {
            let field = Arc::new(field::<G>(number));
            let expected = plain(&field);
            alphas += expected.windows(2).filter(|pair| pair[0].0 != pair[1].0).count();
            for path in available() {
                for threads in 1..4 {
                    assert_eq!(
                        on(path, PlayChain(Arc::clone(&field), threads)),
                        expected,
                        "{number} {path:?} {threads}"
                    );
                }
            }
        }
        assert!(alphas > 30, "alpha changed {alphas} times");
    }

    #[test]
    fn playing_ahead_gives_the_plain_chain() {
        check::<Othello<Size8>>();
        check::<Othello<Size6>>();
        check::<Checkers<Losing>>();
    }

    #[test]
    fn whoever_stops_it_is_obeyed() {
        struct Stop<G: Game>(Arc<Field<G>>);
        impl<G: Duels> Task for Stop<G> {
            type Output = bool;
            #[inline(always)]
            fn run<C: Cpu>(self, cpu: C) -> bool {
                let stop = AtomicBool::new(true);
                std::thread::scope(|scope| {
                    let mut crew = Crew::new(cpu, 2, self.0.games, &stop, scope);
                    Ahead::default().play(&mut crew, &self.0, 0, self.0.individuals()) == Err(Stopped)
                })
            }
        }
        for path in available() {
            assert!(on(path, Stop(Arc::new(field::<Othello<Size8>>(2)))));
        }
    }
}
