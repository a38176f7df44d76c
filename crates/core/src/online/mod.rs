//! The online player: before a move it evolves strategies from the position at hand, and the best one chooses.
//!
//! A strategy is a weight for each area of the board where a move may land, and three flags. The individuals of a generation
//! play *alpha*, the best one so far, in turn, and who wins takes its place. Source: Frankland & Pillay, "Evolving Game Playing
//! Strategies for Othello" (CEC 2015).
//!
//! Everything is drawn from keys that are named by what is drawn, so neither threads nor what is played ahead show.

pub mod chain;
mod settings;
pub mod strategy;
pub mod tree;
pub mod workers;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use crate::cpu::{Cpu, Task, dispatch};
use crate::mcts::tree::{Positions, WHOLE};
use crate::rules::weighted_games::{Duels, Opening};
use crate::sorting::{places_in_order, sort_few};
use crate::stream::{Key, Stream};
use crate::work::{Stopped, thread_count};
use chain::{Ahead, wins};
pub use settings::{Decision, Roots, Settings};
use strategy::{Areas, Strategy};
use tree::{Terminals, Tree};
use workers::{Crew, Field, Place, Redraw, Score};

/// A tree with what it was decoded to.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Individual {
    /// The tree.
    pub tree: Tree,
    /// How it plays.
    pub strategy: Strategy,
}

/// What all games that began with a move came to.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct RootScore {
    /// Points of the side that makes the move: 2 for a win, 1 for a draw.
    pub points: u64,
    /// Games.
    pub games: u64,
}

impl RootScore {
    /// The share of the points, drawn to the middle where few games say it.
    fn share(&self) -> f64 {
        (self.points + 1) as f64 / (2 * self.games + 2) as f64
    }
}

/// What came of an evolution.
#[derive(Clone, PartialEq, Debug)]
pub struct Answer<M> {
    /// The move.
    pub chosen: M,
    /// Alpha, or the best individual if it chose.
    pub alpha: Individual,
    /// The last generation that was played out; 0 is the random one.
    pub generation: u64,
    /// Games of the evolution, without those that were played for nothing.
    pub games: u64,
    /// Every legal move with its score.
    pub roots: Vec<(M, RootScore)>,
}

/// Evolve strategies at a position that is not over, beginning with an alpha or with a random one.
///
/// # Errors
/// [`Stopped`] if `stop` was set before; else says in words what makes no sense.
pub fn evolve<G: Duels>(
    position: &G,
    areas: &Areas<G::Board>,
    settings: &Settings,
    key: Key,
    alpha: Option<Individual>,
    stop: &AtomicBool,
) -> Result<Result<Answer<G::Move>, String>, Stopped> {
    let count = areas.count() + areas.measures();
    let has_place = |alpha: &Individual| alpha.strategy.weights.len() == count;
    if let Err(message) = settings.check() {
        return Ok(Err(message));
    }
    if !alpha.as_ref().is_none_or(has_place) {
        return Ok(Err(format!("alpha needs {count} weights, one for every area and measure")));
    }
    if position.is_over() {
        return Ok(Err("the game is over: there is no move to choose".into()));
    }
    dispatch(Evolve { position, areas, settings, key, alpha, stop })
}

struct Evolve<'a, G: Duels> {
    position: &'a G,
    areas: &'a Areas<G::Board>,
    settings: &'a Settings,
    key: Key,
    alpha: Option<Individual>,
    stop: &'a AtomicBool,
}

impl<G: Duels> Task for Evolve<'_, G> {
    type Output = Result<Result<Answer<G::Move>, String>, Stopped>;
    #[inline(always)]
    fn run<C: Cpu>(self, cpu: C) -> Self::Output {
        let Self { position, areas, settings, key, alpha, stop } = self;
        let Settings { lowest, highest, .. } = *settings;
        let terminals = Terminals { areas: areas.count(), measures: areas.measures(), lowest, highest };
        let deadline = settings.time.and_then(|time| Instant::now().checked_add(time));
        let trees = Tree::ramped(
            settings.population,
            &terminals,
            settings.depths,
            settings.init_size_limit,
            &mut key.named("create").stream(),
            || is_past(deadline),
        );
        let here = Arc::new(Opening::new(*position));
        let opening =
            if settings.from_initial { Arc::new(Opening::new(G::start(position.rules()))) } else { Arc::clone(&here) };
        let mut evolution = Evolution {
            areas: Arc::new(areas.clone()),
            settings,
            terminals,
            key,
            deadline,
            scores: vec![RootScore::default(); if settings.from_initial { 0 } else { here.moves.len() }],
            opening,
            games: 0,
            ahead: Ahead::default(),
            positions: (settings.roots == Roots::Tree).then(|| Positions::new(*position, settings.exploration)),
        };
        let (alpha, generation) = match trees {
            Ok(trees) => std::thread::scope(|scope| {
                // A tree learns from every match before the next one: there is nothing to be played ahead.
                let threads = if settings.roots == Roots::Tree { 1 } else { thread_count(settings.threads) };
                let mut crew = Crew::new(cpu, threads, settings.games, stop, scope);
                evolution.run(&mut crew, trees, alpha)
            })?,
            Err(message) => return Ok(Err(message)),
        };
        let mut draws = key.named("move").stream();
        let weights = areas.weights(&alpha.strategy);
        let scores = |place: usize| evolution.scores.get(place).copied().unwrap_or_default();
        let place = match settings.decision {
            Decision::Scores => evolution.ranked().first().copied(),
            Decision::Visits => evolution.most_visited(),
            Decision::Alpha | Decision::Best => here.choose(&weights, &mut draws),
        };
        let chosen = here.moves[place.unwrap_or(0)];
        let roots = here.moves.iter().enumerate().map(|(place, &one)| (one, scores(place))).collect();
        Ok(Ok(Answer { chosen, alpha, generation, games: evolution.games, roots }))
    }
}

fn is_past(deadline: Option<Instant>) -> bool {
    deadline.is_some_and(|deadline| Instant::now() >= deadline)
}

/// A generation that has played, or some of it.
struct Played {
    points: Vec<u32>,
    /// Who is alpha now: one of the generation or, behind them, alpha at its beginning.
    alpha: usize,
    is_whole: bool,
}

struct Evolution<'a, G: Duels> {
    areas: Arc<Areas<G::Board>>,
    settings: &'a Settings,
    terminals: Terminals,
    key: Key,
    deadline: Option<Instant>,
    opening: Arc<Opening<G>>,
    games: u64,
    /// Of every legal move at the position at hand.
    scores: Vec<RootScore>,
    ahead: Ahead,
    positions: Option<Positions<G>>,
}

impl<G: Duels> Evolution<'_, G> {
    /// All generations; who chooses in the end, and the last generation that was played out.
    fn run<C: Cpu>(
        &mut self,
        crew: &mut Crew<'_, G, C>,
        mut trees: Vec<Tree>,
        mut alpha: Option<Individual>,
    ) -> Result<(Individual, u64), Stopped> {
        let mut best = None;
        for generation in 0.. {
            let individuals = self.decoded(generation, trees);
            let incumbent = alpha.unwrap_or_else(|| {
                let place = self.key.named("alpha").stream().below(individuals.len() as u64);
                individuals[place as usize].clone()
            });
            let (individuals, played) = self.play(crew, generation, individuals, incumbent)?;
            let now = individuals[played.alpha].clone();
            let is_last = generation == self.settings.generations;
            if best.is_none() || played.is_whole {
                let first_best = (0..played.points.len()).max_by_key(|&place| (played.points[place], !place));
                best = first_best.map(|place| individuals[place].clone());
            }
            if is_last || !played.is_whole {
                let chooser = if self.settings.decision == Decision::Best { best.unwrap_or(now) } else { now };
                return Ok((chooser, if played.is_whole { generation } else { generation.saturating_sub(1) }));
            }
            trees = self.offspring(generation + 1, &individuals, &played.points, &now.tree);
            alpha = Some(now);
        }
        Err(Stopped)
    }

    fn decoded(&self, generation: u64, trees: Vec<Tree>) -> Vec<Individual> {
        let key = self.key.named("decode").child(generation);
        let decoded = |(place, tree): (usize, Tree)| {
            let strategy = self.areas.decoded(&tree, &mut key.child(place as u64).stream());
            Individual { tree, strategy }
        };
        trees.into_iter().enumerate().map(decoded).collect()
    }

    /// Let the individuals play alpha in turn. They come back with alpha of the beginning behind them.
    fn play<C: Cpu>(
        &mut self,
        crew: &mut Crew<'_, G, C>,
        generation: u64,
        mut individuals: Vec<Individual>,
        alpha: Individual,
    ) -> Result<(Vec<Individual>, Played), Stopped> {
        let &Settings { population, games, redraw, draws: rules, .. } = self.settings;
        let count = individuals.len();
        individuals.push(alpha);
        let trees = || individuals.iter().map(|one| one.tree.clone()).collect();
        let field = Arc::new(Field {
            opening: Arc::clone(&self.opening),
            rules,
            players: individuals.iter().map(|one| self.areas.weights(&one.strategy)).collect(),
            redraw: redraw.then(|| Redraw { trees: trees(), areas: Arc::clone(&self.areas) }),
            key: self.key.named("game").child(generation),
            games,
            given: self.given(generation),
        });
        self.ahead.forget();
        let (mut points, mut alpha) = (Vec::with_capacity(count), count);
        for place in 0..count {
            let scores = match &mut self.positions {
                Some(positions) => below(positions, crew, &field, place, alpha)?,
                None => self.ahead.play(crew, &field, place, alpha)?,
            };
            self.add(&scores);
            let sum = scores.iter().map(|score| score.points).sum();
            points.push(sum);
            self.ahead.learn(wins(sum, games));
            if wins(sum, games) {
                alpha = place;
            }
            // A generation that is smaller than it should be was made when the time was up.
            if (place + 1 < count || count < population) && is_past(self.deadline) {
                return Ok((individuals, Played { points, alpha, is_whole: false }));
            }
        }
        Ok((individuals, Played { points, alpha, is_whole: true }))
    }

    fn add(&mut self, scores: &[Score]) {
        self.games += scores.len() as u64;
        for score in scores {
            if let Some(root) = score.first.and_then(|first| self.scores.get_mut(first)) {
                root.points += u64::from(score.of_first);
                root.games += 1;
            }
        }
    }

    /// The places of the first moves, the one that scored most first.
    fn ranked(&self) -> Vec<usize> {
        let scores = &self.scores;
        places_in_order(scores.len(), &|a, b| scores[b].share().total_cmp(&scores[a].share()))
    }

    /// The place of the first move that most games began with.
    fn most_visited(&self) -> Option<usize> {
        (0..self.scores.len()).max_by_key(|&place| (self.scores[place].games, std::cmp::Reverse(place)))
    }

    /// The places of the first moves that are given in a generation.
    fn given(&self, generation: u64) -> Vec<usize> {
        let (count, last) = (self.scores.len(), self.settings.generations + 1);
        let mut places = match self.settings.roots {
            Roots::Free | Roots::Tree => Vec::new(),
            Roots::Turns => (0..count).collect(),
            Roots::Halving => {
                let left = (count as u64 * (last - generation)).div_ceil(last).max(2);
                self.ranked().into_iter().take(left as usize).collect()
            }
        };
        sort_few(&mut places, Ord::cmp);
        places
    }

    /// The trees of a new generation; the last of the individuals is no parent but alpha of the beginning.
    fn offspring(&self, generation: u64, individuals: &[Individual], points: &[u32], alpha: &Tree) -> Vec<Tree> {
        let &Settings { population, size_limit, crossover, mutation, depths, .. } = self.settings;
        let key = self.key.named("breed").child(generation);
        let winner = |draws: &mut Stream| &individuals[self.tournament(points, draws)].tree;
        let mut trees = Vec::with_capacity(population + 1);
        for event in 0.. {
            if trees.len() >= population || (!trees.is_empty() && is_past(self.deadline)) {
                break;
            }
            let draws = &mut key.child(event).stream();
            let kind = draws.random();
            if kind < crossover {
                let first = if self.settings.alpha_crosses { alpha } else { winner(draws) };
                let second = winner(draws);
                trees.extend(first.crossed(second, draws).map(|child| child.pruned(size_limit)));
            } else if kind < crossover + mutation {
                let is_alpha = self.settings.alpha_mutates && draws.below(2) == 0;
                let parent = if is_alpha { alpha } else { winner(draws) };
                trees.push(parent.mutated(&self.terminals, depths.1, draws).pruned(size_limit));
            } else {
                trees.push(winner(draws).clone().pruned(size_limit));
            }
        }
        trees.truncate(population);
        trees
    }

    /// Who has most points of some that are drawn; of equal ones the first in the population.
    fn tournament(&self, points: &[u32], draws: &mut Stream) -> usize {
        let mut draw = || draws.below(points.len() as u64) as usize;
        let first = draw();
        (1..self.settings.tournament).fold(first, |best, _| {
            let other = draw();
            if (points[other], !other) > (points[best], !best) { other } else { best }
        })
    }
}

/// The match of an individual against alpha from leaves of a tree of positions, which learns from it.
fn below<G: Duels, C: Cpu>(
    positions: &mut Positions<G>,
    crew: &Crew<'_, G, C>,
    field: &Field<G>,
    individual: usize,
    opponent: usize,
) -> Result<Vec<Score>, Stopped> {
    let places: Vec<_> = (0..field.games).map(|number| Place { individual, opponent, number }).collect();
    let descents = places.iter().map(|_| positions.descend(|_, _| ()));
    let (starts, firsts): (Vec<_>, Vec<_>) = descents.map(|descent| (descent.position, descent.first_move)).unzip();
    let mut scores = crew.play_alone(field, &places, &starts)?;
    for (score, first) in scores.iter_mut().zip(firsts) {
        score.first = Some(first);
    }
    positions.learn(scores.iter().map(|score| score.of_first * (WHOLE / 2)));
    Ok(scores)
}
