//! The alpha chain: the individuals of a generation play the best one so far in turn, and whoever wins takes its place.
//!
//! What comes next is known only when a match is over. Many games are played at once though, so games are played ahead for
//! whoever may be alpha by then, the likeliest first; those that were not needed are thrown away. A game is known by its
//! place, so the result is that of the plain chain.

use std::sync::Arc;

use super::workers::{Crew, Field, Place, Score};
use crate::cpu::Cpu;
use crate::rules::weighted_games::Duels;
use crate::work::Stopped;

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
