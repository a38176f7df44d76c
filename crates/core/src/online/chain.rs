//! The alpha chain: the individuals of a generation play the best one so far in turn, and whoever wins takes its place.
//!
//! What comes next is known only when a match is over. Many games are played at once though, so games are played ahead for
//! whoever may be alpha by then, the likeliest first; those that were not needed are thrown away. A game is known by its
//! place, so the result is that of the plain chain.

use std::sync::Arc;

use super::crew::{Crew, Field, Place, Score};
use crate::cpu::Cpu;
use crate::rules::duels::Duels;
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::super::crew::Redraw;
    use super::super::strategy::{Areas, Sight};
    use super::super::tree::{Terminals, Tree};
    use super::*;
    use crate::bitboard::{Bitboard, Board, Size6, Size8};
    use crate::cpu::{Task, available, on};
    use crate::rules::Game;
    use crate::rules::checkers::{Checkers, CheckersRules};
    use crate::rules::draws::DrawRules;
    use crate::rules::duels::{Duel, Opening};
    use crate::rules::othello::{Othello, OthelloRules};
    use crate::stream::Key;

    /// A generation of random players; each game is decoded anew where the number is odd.
    fn field<G: Duels>(rules: G::Rules, number: u64) -> Field<G> {
        let mut draws = Key::new(8).child(number).stream();
        let squares = G::Board::SQUARES;
        let of_square: Vec<_> = (0..squares).map(|_| draws.below(8).checked_sub(1).map(|area| area as usize)).collect();
        let areas = Areas::new(&of_square, Bitboard::EMPTY, Bitboard::EMPTY, Sight::default())
            .unwrap_or_else(|error| panic!("{error}"));
        let terminals = Terminals { areas: areas.count(), measures: 0, lowest: 1, highest: 9 };
        let trees = Tree::ramped(20, &terminals, (2, 4), 4096, &mut draws).unwrap_or_default();
        let opening = Arc::new(Opening::new(G::start(rules)));
        Field {
            rules: DrawRules { most_plies: G::MAY_CAPTURE.then_some(60), ..DrawRules::NONE },
            players: trees.iter().map(|tree| areas.weights(&areas.decoded(tree, &mut draws))).collect(),
            redraw: (number % 2 == 1).then(|| Redraw { trees, areas: Arc::new(areas) }),
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
                let players = if number.is_multiple_of(2) { [&one, &other] } else { [&other, &one] };
                let mut duel = Duel::new(players, field.key_of(&place).stream(), field.given(&place));
                duel.finish(&field.opening, &field.rules, &AtomicBool::new(false));
                let points = if number.is_multiple_of(2) { duel.points } else { 2 - duel.points };
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

    fn check<G: Duels>(rules: G::Rules) {
        let mut alphas = 0;
        for number in 0..16 {
            let field = Arc::new(field::<G>(rules, number));
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
        check::<Othello<Size8>>(OthelloRules);
        check::<Othello<Size6>>(OthelloRules);
        check::<Checkers<Size8>>(CheckersRules::LOSING);
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
            assert!(on(path, Stop(Arc::new(field::<Othello<Size8>>(OthelloRules, 2)))));
        }
    }
}
