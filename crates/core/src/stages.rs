//! Evaluators that take turns: which of them chooses is drawn for every move, as likely as the number of pieces says.

use crate::evaluator::Evaluator;
use crate::rules::Game;
use crate::stream::Key;

/// Evaluators and how likely each chooses at a position, known by its number of pieces.
#[derive(Clone, Debug)]
pub struct Stages<G: Game> {
    evaluators: Vec<Evaluator<G>>,
    /// The probability of each evaluator, one row for every number of pieces from 0 up; a row sums to about 1.
    shares: Vec<Vec<f64>>,
}

impl<G: Game> Stages<G> {
    /// The evaluators, and one row of probabilities for every number of pieces from none to a full board.
    ///
    /// # Errors
    /// Says what is wrong with the evaluators or the rows.
    pub fn new(evaluators: Vec<Evaluator<G>>, shares: Vec<Vec<f64>>) -> Result<Self, String> {
        use crate::bitboard::Board;
        let rows = G::Board::SQUARES as usize + 1;
        if evaluators.is_empty() {
            return Err("there is no stage".into());
        }
        evaluators.iter().try_for_each(|evaluator| evaluator.check_outputs(1))?;
        if shares.len() != rows {
            return Err(format!("{} rows of shares, one for each number of pieces would be {rows}", shares.len()));
        }
        for (pieces, row) in shares.iter().enumerate() {
            if row.len() != evaluators.len() {
                return Err(format!("{} shares of {} stages at {pieces} pieces", row.len(), evaluators.len()));
            }
            // Written so that NaN fails.
            let is_one = (row.iter().sum::<f64>() - 1.0).abs() < 1e-6;
            if !is_one || row.iter().any(|share| *share < -1e-6) {
                return Err(format!("the shares at {pieces} pieces are no probabilities that sum to 1"));
            }
        }
        Ok(Self { evaluators, shares })
    }

    /// The evaluators.
    pub fn evaluators(&self) -> &[Evaluator<G>] {
        &self.evaluators
    }

    /// Which of the evaluators chooses at a position where the move has this key.
    ///
    /// Only where none is certain something is drawn, from a child of the key, so that the stage draws what it would
    /// draw as a player of its own.
    pub fn drawn(&self, position: &G, key: Key) -> usize {
        let pieces = (position.own() | position.opponent()).len() as usize;
        let shares = &self.shares[pieces];
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
