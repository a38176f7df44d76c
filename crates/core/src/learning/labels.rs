//! Fitting pattern tables to labelled boards: the least squares of the errors, and of how far entries move.
//!
//! A label says what a board is worth to the side to move. Among all tables those are best that make the sum of the squared
//! errors small, plus for each entry the square of its move times its pull: an entry that few boards have stays where earlier
//! boards put it. The equations are solved by conjugate gradients with a diagonal preconditioner; an entry is seen by so few
//! of the boards that a dozen rounds are enough. With the boards met so far as pulls, one step after another comes close to
//! fitting the boards of all steps together.
//!
//! Where patterns are mixed, boards with each number of pieces are a stage of their own, whose tables are a mix of two *kept* ones:
//! so neighbouring stages share what their boards say. What is sought are moves of the kept tables. Stages that share no kept
//! table share no equation: they are problems of their own.
//!
//! Sources: Hestenes & Stiefel, "Methods of conjugate gradients for solving linear systems" (1952); Buro, "Improving heuristic
//! mini-max search by supervised learning" (2002), who fits such tables by least squares.
//!
//! Reasons: docs/design/learning.md.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use super::tables::{Part, parts_of, squashed, sum_of};
use crate::bitboard::Bitboard;
use crate::cpu::{Cpu, Task, dispatch};
use crate::expression::Expression;
use crate::expression::program::Program;
use crate::patterns::Mix;
use crate::patterns::incremental::Carried;
use crate::rules::{Color, Game};
use crate::work::{Stopped, for_each_parallel};

/// How to fit.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Rounds of conjugate gradients.
    pub rounds: u32,
    /// Whether labels are from -1 to 1, and the sum is squashed to that; else it is compared as it is.
    pub squashes: bool,
    /// Threads, which do not change the answer; 0: one a core.
    pub threads: usize,
}

/// What came of boards.
#[derive(Clone, PartialEq, Debug)]
pub struct Fitted {
    /// How far each entry of the kept tables moves: pattern by pattern, table by table.
    pub moves: Vec<f64>,
    /// How often these boards had each of these entries; a board counts by the square of its share.
    pub visits: Vec<f64>,
    /// For each board the label less what the tables said before.
    pub errors: Vec<f64>,
}

/// Boards to look at between two questions whether to stop.
const AT_ONCE: usize = 1024;
/// The share of the first error of the equations at which they count as solved.
const SOLVED: f64 = 1e-20;

/// Fit tables to labelled boards; `pulls` hold each entry of the kept tables where it is. The value is `expression`, which
/// `program` was lowered from.
///
/// # Errors
/// [`Stopped`] if `stop` was set before; else says in words what makes no sense.
pub fn fit_tables<G: Game>(
    boards: &[G],
    labels: &[f64],
    pulls: &[f64],
    plan: Plan,
    expression: &Expression,
    program: &Program<G::Board>,
    stop: &AtomicBool,
) -> Result<Result<Fitted, String>, Stopped> {
    let parameters = expression.parameters().unwrap_or_default();
    let parts = match parts_of::<G>(expression, program) {
        Ok(parts) if parts.windows(2).all(|pair| pair[0].pattern.has_stages_of(&pair[1].pattern)) => parts,
        Ok(_) => return Ok(Err("the patterns must have the same stages".into())),
        Err(message) => return Ok(Err(message)),
    };
    if let Err(message) = check(boards.len(), labels, parameters.len(), pulls) {
        return Ok(Err(message));
    }
    let (pattern, kept) = (&parts[0].pattern, parts[0].pattern.tables());
    let mixes: Vec<_> = if pattern.is_mixed() {
        (0..=program.geometry().squares()).map(|pieces| pattern.mix(pieces)).collect()
    } else {
        (0..kept).map(|table| Mix { table, share: 0.0 }).collect()
    };
    let mut stages: Vec<_> = mixes.into_iter().map(|mix| Stage::new(&parts, mix)).collect();
    let mut carried = Carried::default();
    carried.load(program.plan());
    let reading =
        Reading { boards, labels, plan, parts: &parts, parameters: &parameters, carried, stages: &mut stages, stop };
    let errors = dispatch(reading)?;
    let (mut moves, mut visits) = (vec![0.0; pulls.len()], vec![0.0; pulls.len()]);
    let mut problems = problems_of(stages, &parts, pulls);
    // One problem uses all threads; several of them are solved side by side.
    let inner = if problems.len() == 1 { plan.threads } else { 1 };
    for_each_parallel(&mut problems, plan.threads, stop, |_, problem| problem.solve(plan.rounds, inner, stop))?;
    for problem in &problems {
        for (number, table) in (problem.first..).zip(&problem.tables) {
            for (part, there) in places(&parts, number) {
                moves[there.clone()].copy_from_slice(&table.moves[part.clone()]);
                visits[there].copy_from_slice(&table.visits[part]);
            }
        }
    }
    Ok(Ok(Fitted { moves, visits, errors }))
}

/// Where the entries of each pattern stand among those of kept table `number`, and among all parameters.
fn places(parts: &[Part], number: usize) -> Vec<(Range<usize>, Range<usize>)> {
    let (mut here, mut ranges) = (0, Vec::with_capacity(parts.len()));
    for part in parts {
        let (entries, there) = (part.pattern.entries(), part.place(number));
        ranges.push((here..here + entries, there..there + entries));
        here += entries;
    }
    ranges
}

fn check(boards: usize, labels: &[f64], entries: usize, pulls: &[f64]) -> Result<(), String> {
    let fine = |condition: bool, message: String| if condition { Ok(()) } else { Err(message) };
    fine(labels.len() == boards, format!("labels: {} for {boards} boards: give one each", labels.len()))?;
    fine(pulls.len() == entries, format!("pulls: {} for {entries} entries: give one each", pulls.len()))?;
    if let Some(board) = labels.iter().position(|label| !label.is_finite()) {
        return Err(format!("labels[{board}] is {}: give a finite number", labels[board]));
    }
    if let Some(entry) = pulls.iter().position(|&pull| !(pull > 0.0 && pull.is_finite())) {
        return Err(format!("pulls[{entry}] is {}: give a finite number above 0", pulls[entry]));
    }
    Ok(())
}

/// Reads boards in their order: what they say goes to their stages.
struct Reading<'a, G: Game> {
    boards: &'a [G],
    labels: &'a [f64],
    plan: Plan,
    parts: &'a [Part],
    parameters: &'a [f64],
    carried: Carried<G::Board>,
    stages: &'a mut [Stage],
    stop: &'a AtomicBool,
}

impl<G: Game> Task for Reading<'_, G> {
    type Output = Result<Vec<f64>, Stopped>;

    #[inline(always)]
    fn run<C: Cpu>(self, cpu: C) -> Self::Output {
        let Self { boards, labels, plan, parts, parameters, mut carried, stages, stop } = self;
        let nothing = Bitboard::<G::Board>::EMPTY.0;
        let mut errors = Vec::with_capacity(boards.len());
        for (number, (board, &label)) in boards.iter().zip(labels).enumerate() {
            if number % AT_ONCE == 0 && stop.load(Ordering::Relaxed) {
                return Err(Stopped);
            }
            let (own, opponent) = (board.own(), board.opponent());
            let pieces = own.len() + opponent.len();
            let kings = G::HAS_KINGS.then(|| board.kings().0);
            // An empty board is known: what stands on this one is added to it.
            let empty = (nothing, nothing, kings.map(|_| nothing));
            carried.follow(cpu, board.turn() == Color::Black, empty, |_| (own.0, opponent.0, kings), 1);
            carried.take_ready();
            let indices = carried.lane(0);
            let pattern = &parts[0].pattern;
            let sum = if pattern.is_mixed() {
                let mix = pattern.mix(pieces);
                let (one, next) = mix.tables();
                let of = |table| sum_of(parts, parameters, indices, |_| table);
                if mix.share == 0.0 { of(one) } else { (1.0 - mix.share) * of(one) + mix.share * of(next) }
            } else {
                sum_of(parts, parameters, indices, |pattern| pattern.stage(pieces))
            };
            let value = if plan.squashes { squashed(sum) } else { sum };
            let stage = if pattern.is_mixed() { pieces as usize } else { pattern.stage(pieces) };
            let stage = &mut stages[stage];
            for part in parts {
                stage.indices.extend_from_slice(&indices[part.first..][..part.pattern.copies().len()]);
            }
            // A squashed sum moves its value by the slope at most; this bound on its curve keeps each step safe.
            let slope = if plan.squashes { 1.0 - value * value } else { 1.0 };
            errors.push(label - value);
            stage.errors.push((label - value) * slope);
        }
        Ok(errors)
    }
}

/// A table of a pattern among those of a stage.
struct Table {
    /// Where it begins.
    first: usize,
    entries: usize,
    /// How many indices of a board belong to it.
    copies: usize,
}

/// The boards of a stage.
struct Stage {
    tables: Vec<Table>,
    mix: Mix,
    /// The indices of all boards, one after another, in the order of tables.
    indices: Vec<u16>,
    errors: Vec<f64>,
    /// Numbers that go with the entries of the stage: the direction, and then its image.
    along: Vec<f64>,
    image: Vec<f64>,
}

impl Stage {
    fn new(parts: &[Part], mix: Mix) -> Self {
        let (mut tables, mut first) = (Vec::with_capacity(parts.len()), 0);
        for part in parts {
            let (entries, copies) = (part.pattern.entries(), part.pattern.copies().len());
            tables.push(Table { first, entries, copies });
            first += entries;
        }
        let (indices, errors, along, image) = (Vec::new(), Vec::new(), vec![0.0; first], vec![0.0; first]);
        Self { tables, mix, indices, errors, along, image }
    }

    /// For every board an amount, added to each of its entries: `image`.
    fn spread_all(&mut self, amount: impl Fn(&Self, usize, &[u16]) -> f64) {
        let mut image = std::mem::take(&mut self.image);
        image.fill(0.0);
        let width = self.tables.iter().map(|table| table.copies).sum();
        for (board, indices) in self.indices.chunks_exact(width).enumerate() {
            self.spread(indices, amount(self, board, indices), &mut image);
        }
        self.image = image;
    }

    /// The sum of the entries of a board.
    fn gathered(&self, mut indices: &[u16], values: &[f64]) -> f64 {
        let mut sum = 0.0;
        for &Table { first, entries, copies } in &self.tables {
            let (own, others) = indices.split_at(copies);
            let table = &values[first..][..entries];
            sum += own.iter().map(|&index| table[usize::from(index)]).sum::<f64>();
            indices = others;
        }
        sum
    }

    /// Add an amount to each entry of a board.
    fn spread(&self, mut indices: &[u16], amount: f64, values: &mut [f64]) {
        for &Table { first, entries, copies } in &self.tables {
            let (own, others) = indices.split_at(copies);
            let table = &mut values[first..][..entries];
            for &index in own {
                table[usize::from(index)] += amount;
            }
            indices = others;
        }
    }
}

/// The entries of a kept table of every pattern, one pattern after the other.
struct Kept {
    pulls: Vec<f64>,
    visits: Vec<f64>,
    /// How far each entry moves: what is sought.
    moves: Vec<f64>,
    rest: Vec<f64>,
    direction: Vec<f64>,
    image: Vec<f64>,
}

impl Kept {
    fn new(pulls: Vec<f64>) -> Self {
        let zeros = vec![0.0; pulls.len()];
        Self {
            pulls,
            visits: zeros.clone(),
            moves: zeros.clone(),
            rest: zeros.clone(),
            direction: zeros.clone(),
            image: zeros,
        }
    }

    /// The rest, divided by the diagonal of the equations.
    fn scaled(&self) -> Vec<f64> {
        let diagonal = self.visits.iter().zip(&self.pulls).map(|(visits, pull)| visits + pull);
        self.rest.iter().zip(diagonal).map(|(rest, diagonal)| rest / diagonal).collect()
    }
}

/// Stages that share kept tables, and these: equations that are solved together.
struct Problem {
    stages: Vec<Stage>,
    /// The number of the first kept table.
    first: usize,
    tables: Vec<Kept>,
}

/// The stages in groups that share no kept table.
fn problems_of(stages: Vec<Stage>, parts: &[Part], pulls: &[f64]) -> Vec<Problem> {
    let mut problems: Vec<Problem> = Vec::new();
    for stage in stages {
        let (first, second) = stage.mix.tables();
        let is_shared = problems.last().is_some_and(|problem| first < problem.first + problem.tables.len());
        if !is_shared {
            problems.push(Problem { stages: Vec::new(), first, tables: Vec::new() });
        }
        let Some(problem) = problems.last_mut() else { continue };
        for number in problem.first + problem.tables.len()..=second {
            let own = places(parts, number).into_iter().flat_map(|(_, there)| pulls[there].iter().copied());
            problem.tables.push(Kept::new(own.collect()));
        }
        problem.stages.push(stage);
    }
    problems
}

impl Problem {
    /// Conjugate gradients from moves of 0.
    fn solve(&mut self, rounds: u32, threads: usize, stop: &AtomicBool) {
        if self.stages.iter().all(|stage| stage.errors.is_empty()) {
            return;
        }
        self.spread(threads, stop, |stage| stage.spread_all(|stage, board, _| stage.errors[board]));
        self.collect(|table| &mut table.rest, |share| share);
        self.spread(threads, stop, |stage| stage.spread_all(|_, _, _| 1.0));
        self.collect(|table| &mut table.visits, |share| share * share);
        for table in &mut self.tables {
            table.direction = table.scaled();
        }
        let mut left = self.sum(|table| product(&table.rest, &table.direction));
        let enough = left * SOLVED;
        for _ in 0..rounds {
            if left <= enough || stop.load(Ordering::Relaxed) {
                return;
            }
            self.mix();
            self.spread(threads, stop, |stage| {
                stage.spread_all(|stage, _, indices| stage.gathered(indices, &stage.along));
            });
            for table in &mut self.tables {
                let pulled = table.direction.iter().zip(&table.pulls).map(|(along, pull)| along * pull);
                table.image = pulled.collect();
            }
            self.collect(|table| &mut table.image, |share| share);
            let step = left / self.sum(|table| product(&table.direction, &table.image));
            for Kept { moves, rest, direction, image, .. } in &mut self.tables {
                for (moved, along) in moves.iter_mut().zip(direction) {
                    *moved += step * *along;
                }
                for (rest, image) in rest.iter_mut().zip(image) {
                    *rest -= step * *image;
                }
            }
            let next: Vec<_> = self.tables.iter().map(Kept::scaled).collect();
            let left_then = self.tables.iter().zip(&next).map(|(table, next)| product(&table.rest, next)).sum::<f64>();
            let kept = left_then / left;
            for (table, next) in self.tables.iter_mut().zip(&next) {
                for (along, next) in table.direction.iter_mut().zip(next) {
                    *along = next + kept * *along;
                }
            }
            left = left_then;
        }
    }

    /// Let every stage do its part.
    fn spread(&mut self, threads: usize, stop: &AtomicBool, action: impl Fn(&mut Stage) + Sync) {
        // Whoever asked to stop finds it out after this: what is half done then is never read.
        let _ = for_each_parallel(&mut self.stages, threads, stop, |_, stage| action(stage));
    }

    /// Give each stage its mix of the directions.
    fn mix(&mut self) {
        for Stage { mix, along, .. } in &mut self.stages {
            let (one, next) = mix.tables();
            let table = |number: usize| &self.tables[number - self.first].direction;
            if mix.share == 0.0 {
                along.copy_from_slice(table(one));
                continue;
            }
            for ((along, one), next) in along.iter_mut().zip(table(one)).zip(table(next)) {
                *along = (1.0 - mix.share) * one + mix.share * next;
            }
        }
    }

    /// Add the images of all stages, in their order, to the tables they are mixed from; `weight` of their shares.
    fn collect(&mut self, of: impl Fn(&mut Kept) -> &mut Vec<f64>, weight: impl Fn(f64) -> f64) {
        for Stage { mix, image, .. } in &self.stages {
            let (one, next) = mix.tables();
            for (number, share) in [(one, 1.0 - mix.share), (next, mix.share)] {
                if share > 0.0 {
                    let share = weight(share);
                    let sums = of(&mut self.tables[number - self.first]);
                    sums.iter_mut().zip(image).for_each(|(sum, image)| *sum += share * image);
                }
            }
        }
    }

    fn sum(&self, of: impl Fn(&Kept) -> f64) -> f64 {
        self.tables.iter().map(of).sum()
    }
}

fn product(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}
