//! Evaluators that take turns: which of them chooses is drawn for every move, as likely as a clock says.

use crate::evaluator::Evaluator;
use crate::rules::Game;
use crate::stream::Key;

/// What is counted to know how far a game is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StageClock {
    /// The pieces on the board.
    Pieces,
    /// The plies played, forced passes among them; from as many as the board has squares on they count alike.
    Plies,
    /// The clock of the game's own rules, in as many steps as the board has squares.
    Board,
}

/// Evaluators and how likely each chooses at a position, known by its clock.
#[derive(Clone, Debug)]
pub struct Stages<G: Game> {
    evaluators: Vec<Evaluator<G>>,
    /// The probability of each evaluator, one row for every count from 0 up; a row sums to about 1.
    shares: Vec<Vec<f64>>,
    clock: StageClock,
}

impl<G: Game> Stages<G> {
    /// The evaluators, and one row of probabilities for every count of the clock from none to the number of squares.
    ///
    /// # Errors
    /// Says what is wrong with the evaluators or the rows.
    pub fn new(evaluators: Vec<Evaluator<G>>, shares: Vec<Vec<f64>>, clock: StageClock) -> Result<Self, String> {
        let Some(first) = evaluators.first() else { return Err("there is no stage".into()) };
        let rows = G::geometry(first.rules).squares() as usize + 1;
        evaluators.iter().try_for_each(|evaluator| evaluator.check_outputs(1))?;
        if shares.len() != rows {
            return Err(format!("{} rows of shares, one for each count of the clock would be {rows}", shares.len()));
        }
        for (count, row) in shares.iter().enumerate() {
            if row.len() != evaluators.len() {
                return Err(format!("{} shares of {} stages at a count of {count}", row.len(), evaluators.len()));
            }
            // Written so that NaN fails.
            let is_one = (row.iter().sum::<f64>() - 1.0).abs() < 1e-6;
            if !is_one || row.iter().any(|share| *share < -1e-6) {
                return Err(format!("the shares at a count of {count} are no probabilities that sum to 1"));
            }
        }
        Ok(Self { evaluators, shares, clock })
    }

    /// The evaluators.
    pub fn evaluators(&self) -> &[Evaluator<G>] {
        &self.evaluators
    }

    /// What is counted to know how far a game is.
    pub fn clock(&self) -> StageClock {
        self.clock
    }

    /// Which of the evaluators chooses at a position where the move has this key.
    ///
    /// Only where none is certain something is drawn, from a child of the key, so that the stage draws what it would
    /// draw as a player of its own.
    pub fn drawn(&self, position: &G, key: Key) -> usize {
        let count = match self.clock {
            StageClock::Pieces => (position.own() | position.opponent()).len(),
            StageClock::Plies => position.ply(),
            StageClock::Board => (position.clock_here() * (self.shares.len() - 1) as f64).round() as u32,
        };
        let shares = &self.shares[(count as usize).min(self.shares.len() - 1)];
        let mut likeliest = 0;
        for (stage, share) in shares.iter().enumerate() {
            if *share > shares[likeliest] {
                likeliest = stage;
            }
        }
        if shares[likeliest] >= 1.0 {
            return likeliest;
        }
        let (draw, mut end) = (key.named("stage").stream().random(), 0.0);
        for (stage, share) in shares.iter().enumerate() {
            end += share;
            if draw < end {
                return stage;
            }
        }
        likeliest
    }
}
