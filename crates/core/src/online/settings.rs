//! How strategies evolve.

use std::time::Duration;

use super::tree::MOST_NODES;
use crate::rules::draws::DrawRules;

/// More individuals or games of a match make no sense.
const MOST: usize = 1_000_000;

/// More games than this are not counted in a tree of positions.
const MOST_GAMES_OF_A_TREE: u64 = 1_000_000_000;

/// The greatest weight of an area.
const MOST_WEIGHT: u32 = 65_535;

/// Who makes the first move of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Roots {
    /// The players.
    Free,
    /// It is given: all moves in turns.
    Turns,
    /// It is given: from generation to generation fewer moves in turns, those that scored most.
    Halving,
    /// It is given, and the moves after it, by a tree of positions that grows over all games: UCT.
    Tree,
}

/// Who chooses the move in the end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decision {
    /// Alpha.
    Alpha,
    /// The individual of the last generation with most points.
    Best,
    /// The scores of the first moves over all games.
    Scores,
    /// How many games began with each first move.
    Visits,
}

/// How strategies evolve; all but the areas is the same for every board.
#[derive(Clone, Debug)]
#[allow(missing_docs, clippy::struct_excessive_bools)] // The names say what they are.
pub struct Settings {
    pub population: usize,
    /// Generations after the random one.
    pub generations: u64,
    /// Games of each match.
    pub games: usize,
    /// Individuals of which the one with most points becomes a parent.
    pub tournament: usize,
    /// Probabilities; what they leave is reproduction.
    pub crossover: f64,
    pub mutation: f64,
    /// Levels of the random trees, from the least to the most.
    pub depths: (usize, usize),
    /// Nodes of offspring and of random trees.
    pub size_limit: usize,
    pub init_size_limit: usize,
    /// Weights of areas.
    pub lowest: u32,
    pub highest: u32,
    /// Whether alpha is a parent of every crossover, and of half of all mutations.
    pub alpha_crosses: bool,
    pub alpha_mutates: bool,
    /// Whether games begin at the start of the game, and not at the position at hand.
    pub from_initial: bool,
    /// Whether trees are decoded anew for every game.
    pub redraw: bool,
    pub decision: Decision,
    pub roots: Roots,
    /// The factor of UCB1's second term, for [`Roots::Tree`].
    pub exploration: f64,
    pub draws: DrawRules,
    /// When to stop, if not after the last generation; never before the first individual has played.
    pub time: Option<Duration>,
    /// 0: one a core.
    pub threads: usize,
}

impl Settings {
    /// # Errors
    /// Says in words what makes no sense.
    pub fn check(&self) -> Result<(), String> {
        let games = (self.population as u64)
            .saturating_mul(self.games as u64)
            .saturating_mul(self.generations.saturating_add(1));
        let is_probability = |value: f64| (0.0..=1.0).contains(&value);
        let checks = [
            ((1..=MOST).contains(&self.population), "a population has from 1 to 1,000,000 individuals"),
            ((1..=MOST).contains(&self.games), "a match has from 1 to 1,000,000 games"),
            (self.tournament >= 1, "a tournament has at least one entrant"),
            (
                is_probability(self.crossover) && is_probability(self.mutation),
                "crossover and mutation are probabilities",
            ),
            (1 <= self.depths.0 && self.depths.0 <= self.depths.1, "depths go from at least 1 up"),
            (self.depths.1 <= MOST_NODES, "trees have at most 4,096 levels"),
            (self.size_limit >= 1, "a tree has at least one node"),
            ((1..=MOST_NODES).contains(&self.init_size_limit), "random trees have from 1 to 4,096 nodes"),
            (self.lowest <= self.highest && self.highest <= MOST_WEIGHT, "weights go from the lowest up to 65,535"),
            ((0.0..=1000.0).contains(&self.exploration), "exploration is a number from 0 to 1,000"),
            (
                self.roots != Roots::Tree || games <= MOST_GAMES_OF_A_TREE,
                "an evolution with a tree of positions has at most 1,000,000,000 games",
            ),
            (self.roots == Roots::Free || !self.from_initial, "first moves are given at the position at hand only"),
        ];
        match checks.into_iter().find(|(holds, _)| !holds) {
            Some((_, message)) => Err(message.into()),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_make_no_sense_are_refused() {
        let paper = Settings {
            population: 100,
            generations: 20,
            games: 10,
            tournament: 4,
            crossover: 0.8,
            mutation: 0.1,
            depths: (2, 6),
            size_limit: 64,
            init_size_limit: 4096,
            lowest: 1,
            highest: 32,
            alpha_crosses: true,
            alpha_mutates: true,
            from_initial: false,
            redraw: false,
            decision: Decision::Alpha,
            roots: Roots::Free,
            exploration: 0.7,
            draws: DrawRules::NONE,
            time: None,
            threads: 1,
        };
        assert_eq!(paper.check(), Ok(()));
        let wrong = [
            (Settings { population: 0, ..paper.clone() }, "population"),
            (Settings { games: usize::MAX, ..paper.clone() }, "games"),
            (Settings { tournament: 0, ..paper.clone() }, "tournament"),
            (Settings { mutation: f64::NAN, ..paper.clone() }, "probabilities"),
            (Settings { depths: (3, 2), ..paper.clone() }, "depths"),
            (Settings { depths: (2, 5000), ..paper.clone() }, "levels"),
            (Settings { size_limit: 0, ..paper.clone() }, "node"),
            (Settings { init_size_limit: 5000, ..paper.clone() }, "random trees"),
            (Settings { lowest: 33, ..paper.clone() }, "weights"),
            (Settings { exploration: f64::NAN, ..paper.clone() }, "exploration"),
            (Settings { generations: u64::MAX, roots: Roots::Tree, ..paper.clone() }, "tree of positions"),
            (Settings { from_initial: true, roots: Roots::Turns, ..paper.clone() }, "first moves"),
        ];
        for (settings, word) in wrong {
            assert!(settings.check().is_err_and(|message| message.contains(word)), "{word}");
        }
    }
}
