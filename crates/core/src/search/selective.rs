//! Pruning by probability: a position whose value a shallow search puts far outside the window is not searched to its depth.
//!
//! A shallow value foretells the deep one: deep = slope * shallow + offset, with an error of standard deviation sigma, which
//! were fitted for one evaluator, by depth and by the pieces on the board. What the shallow search says to be so many sigmas
//! above beta counts as beta, below alpha as alpha. The value is then no longer that of minimax. Source: Buro,
//! "Experiments with Multi-ProbCut and a new high-quality evaluation function for Othello" (1997).
//!
//! Reasons: docs/design/search.md.

use crate::evaluator::LARGEST_VALUE;

/// How a shallow value foretells the deep one: slope, offset and sigma.
pub type Line = [f64; 3];

/// The deepest search that is foretold.
const MOST_DEPTH: u32 = 60;

/// Windows at most so many sigmas wide ask whether a value is more or less, rather than how much.
const NARROW: f64 = 0.125;

/// When a search is cut short by what a shallow one foretells.
#[derive(Clone, PartialEq, Debug)]
pub struct Selectivity {
    /// How many sigmas outside the window is far.
    sigmas: f64,
    /// Pieces on the board from which on the next line of every cut holds.
    stages: Vec<u32>,
    /// By depth: how deep the shallow search looks, and a line for every stage.
    cuts: Vec<Option<(u32, Vec<Line>)>>,
}

/// What a shallow search is asked.
pub(super) struct Question {
    pub depth: u32,
    pub low: f64,
    pub high: f64,
}

impl Selectivity {
    /// Cut where a value is so many sigmas outside; each of `cuts` is a depth, that of its shallow search, and a line for
    /// every stage.
    ///
    /// # Errors
    /// Says which number is out of range.
    pub fn new(sigmas: f64, stages: Vec<u32>, cuts: Vec<(u32, u32, Vec<Line>)>) -> Result<Self, String> {
        if !(sigmas > 0.0 && sigmas.is_finite()) {
            return Err(format!("selective {sigmas} is no number of sigmas above 0"));
        }
        if !stages.is_sorted_by(|one, next| one < next) {
            return Err("stages of selective search must rise".into());
        }
        let mut by_depth = vec![None; MOST_DEPTH as usize + 1];
        for (depth, shallow, lines) in cuts {
            if !(2..=MOST_DEPTH).contains(&depth) || !(1..depth).contains(&shallow) {
                return Err(format!("a search of {shallow} plies foretells none of {depth}"));
            }
            if lines.len() != stages.len() + 1 {
                return Err(format!("depth {depth}: {} lines for {} stages", lines.len(), stages.len() + 1));
            }
            let is_sound =
                |line: &Line| line.iter().all(|number| number.is_finite()) && line[0] > 0.0 && line[2] >= 0.0;
            if !lines.iter().all(is_sound) {
                return Err(format!("depth {depth}: a line is a slope above 0, an offset and a sigma from 0 on"));
            }
            by_depth[depth as usize] = Some((shallow, lines));
        }
        Ok(Self { sigmas, stages, cuts: by_depth })
    }

    /// What to ask of a position with so many pieces; `None` where only the whole search answers.
    #[inline(always)]
    pub(super) fn question(&self, depth: u32, pieces: u32, alpha: f64, beta: f64) -> Option<Question> {
        let (shallow, lines) = self.cuts.get(depth as usize)?.as_ref()?;
        let stage = self.stages.iter().filter(|&&first| pieces >= first).count();
        let [slope, offset, sigma] = lines[stage];
        let is_estimate = alpha.abs() < LARGEST_VALUE && beta.abs() < LARGEST_VALUE;
        if !is_estimate || beta - alpha > NARROW * sigma {
            return None;
        }
        let margin = self.sigmas * sigma;
        let (low, high) = ((alpha - offset - margin) / slope, (beta - offset + margin) / slope);
        Some(Question { depth: *shallow, low, high })
    }
}
