//! `Program` and `PrimitiveSet`: expressions and trees over them, lowered.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use evoply_core::bitboard::Board;
use evoply_core::cpu::Path;
use evoply_core::expression::evaluation::{Block, Registers};
use evoply_core::expression::reference::{Inputs, evaluate as evaluate_reference};
use evoply_core::expression::{Builder, Expression, ExpressionError, json, primitives};
use evoply_core::lanes::Lanes;
use evoply_core::rules::Game;
use evoply_core::work::Stopped;
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::games::{Any, Batches, Compiled, Held, Programs};
use crate::interrupt;
use crate::players::Positions;

/// Nodes lowered, or operations done, in some milliseconds.
const BRIEF: usize = 10_000;

fn to_python(error: ExpressionError) -> PyErr {
    PyValueError::new_err(error.0)
}

/// Lower `expression`; the reference interpreter will read `literal`.
fn compile<G: Held>(expression: &Expression, literal: Option<Expression>) -> Result<Any<Programs>, ExpressionError> {
    let program = evoply_core::expression::program::Program::<G::Board>::new(expression)?;
    let expression = Arc::new(literal.unwrap_or_else(|| expression.clone()));
    Ok(G::wrap(Compiled { program: Arc::new(program), expression }))
}

/// A compiled board expression for one game.
#[pyclass(module = "evoply._native", frozen)]
pub struct Program(pub Any<Programs>);

#[pymethods]
impl Program {
    /// Read the JSON form and lower it; `ValueError` says which node is wrong.
    ///
    /// With `keep_parameters` every number and weight table that the form writes stays by itself, even where equal ones are
    /// written or arithmetic on numbers could be done now, so that `with_parameters` can replace each.
    #[new]
    #[pyo3(signature = (game, expression, /, *, keep_parameters = false))]
    fn new(game: &str, expression: &str, keep_parameters: bool) -> PyResult<Self> {
        with_game!(game, G => {
            // As written first: its errors name the nodes that the reader wrote.
            let literal = json::parse(expression, <G as Game>::Board::SQUARES, Builder::literal()).map_err(to_python)?;
            if keep_parameters {
                let squares = <G as Game>::Board::SQUARES;
                let kept = json::parse(expression, squares, Builder::keeping_parameters()).map_err(to_python)?;
                return compile::<G>(&kept, None).map(Self).map_err(to_python);
            }
            let shared = json::parse(expression, <G as Game>::Board::SQUARES, Builder::default()).map_err(to_python)?;
            compile::<G>(&shared, Some(literal)).map(Self).map_err(to_python)
        })
    }

    /// The game it is for.
    #[getter]
    fn game(&self) -> &'static str {
        self.0.game()
    }

    /// The numbers and weights of the form, node by node in its order; of a weighted sum table by table from a1 on.
    ///
    /// `ValueError` if they were not kept.
    #[getter]
    fn parameters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let parameters = with_held!(&self.0, compiled => compiled.expression.parameters());
        parameters.map(|parameters| PyArray1::from_vec(py, parameters)).ok_or_else(|| {
            PyValueError::new_err("the program has no parameters of its own: make it with keep_parameters=True")
        })
    }

    /// The program with other parameters, as many and in the same order, without lowering it again.
    ///
    /// `ValueError` for another number of them, one that is not finite, or a program that did not keep them.
    #[pyo3(signature = (values, /))]
    fn with_parameters(&self, values: PyReadonlyArray1<'_, f64>) -> PyResult<Self> {
        let values = values.as_slice()?;
        with_game!(self.game(), G => {
            let compiled = G::held::<Programs>(&self.0, "program")?;
            let expression = compiled.expression.with_parameters(values).map_err(to_python)?;
            let program = Arc::new(compiled.program.with_parameters_of(&expression));
            Ok(Self(G::wrap(Compiled { program, expression: Arc::new(expression) })))
        })
    }

    /// Number of results.
    #[getter]
    fn outputs(&self) -> usize {
        with_held!(&self.0, compiled => compiled.program.outputs())
    }

    /// Operations done for every evaluation.
    #[getter]
    fn operations(&self) -> usize {
        with_held!(&self.0, compiled => compiled.program.operations())
    }

    /// The same for the program of each output alone; together they may be more, for what outputs share.
    fn operations_by_output(&self) -> PyResult<Vec<usize>> {
        let operations =
            |number| with_held!(&self.0, compiled => compiled.output(number).map(|program| program.operations()));
        (0..self.outputs()).map(operations).collect()
    }

    /// Values at each position, one row a position and one column an output; truths are 0 and 1.
    ///
    /// `own` is the side to move. `reference` asks the slow interpreter instead of the compiled code.
    #[pyo3(signature = (positions, reference = false))]
    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        positions: &Positions,
        reference: bool,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        fn rows<G: Game>(
            compiled: &Compiled<G::Board>,
            positions: &[G],
            reference: bool,
            stop: &AtomicBool,
        ) -> Result<Vec<f64>, Stopped> {
            let mut values = Vec::new();
            let path = evoply_core::cpu::selected().unwrap_or(Path::Baseline);
            let mut registers = Registers::default();
            let mut outputs = vec![Lanes::splat(0.0); compiled.program.outputs()];
            let start = Block::filled(&Inputs::at(&G::start()));
            registers.load::<G>(&compiled.program, &start);
            for position in positions {
                if stop.load(Ordering::Relaxed) {
                    return Err(Stopped);
                }
                let inputs = Inputs::at(position);
                if reference {
                    values.extend(evaluate_reference::<G>(&compiled.expression, &inputs));
                } else {
                    registers.evaluate_on::<G>(path, &compiled.program, &Block::filled(&inputs), &mut outputs);
                    values.extend(outputs.iter().map(|lanes| lanes.0[0]));
                }
            }
            Ok(values)
        }
        // Loaded before the work, so that an interrupt meanwhile is an ordinary error.
        numpy::get_array_module(py)?;
        let shape = [positions.len(), self.outputs()];
        let values = with_game!(self.game(), G => {
            let (compiled, positions) = (G::held::<Programs>(&self.0, "program")?, G::held::<Batches>(&positions.0, "position")?);
            let work = |stop: &AtomicBool| rows::<G>(compiled, positions, reference, stop);
            if positions.len() * compiled.program.operations() <= BRIEF {
                interrupt::run_briefly(work)
            } else {
                interrupt::run(py, work, |_| Ok(()))
            }
        })?;
        PyArray1::from_vec(py, values).reshape(shape)
    }
}

/// Named expressions with arguments, ready to lower trees over them.
#[pyclass(module = "evoply._native", frozen)]
pub struct PrimitiveSet {
    game: String,
    primitives: primitives::PrimitiveSet,
}

#[pymethods]
impl PrimitiveSet {
    /// The JSON form of one expression for each primitive, in order.
    #[new]
    #[pyo3(signature = (game, expressions, /))]
    fn new(game: &str, expressions: Vec<String>) -> PyResult<Self> {
        let squares = with_game!(game, G => Ok(<G as Game>::Board::SQUARES))?;
        let read = |text: &String| json::parse(text, squares, Builder::literal());
        let expressions = expressions.iter().map(read).collect::<Result<_, _>>().map_err(to_python)?;
        let primitives = primitives::PrimitiveSet::new(expressions).map_err(to_python)?;
        Ok(Self { game: game.into(), primitives })
    }

    /// A program for each tree: prefix codes, 65535 standing for the next of the tree's constants. With `trees` above 1 it is
    /// one for as many trees, one after the other, each an output.
    #[pyo3(signature = (codes, constants, /, trees = 1))]
    fn lower(
        &self,
        py: Python<'_>,
        codes: Vec<Vec<u16>>,
        constants: Vec<Vec<f64>>,
        trees: usize,
    ) -> PyResult<Vec<Program>> {
        if codes.len() != constants.len() {
            return Err(PyValueError::new_err("one list of constants for each tree is needed"));
        }
        let lower = |(index, (codes, constants)): (usize, (&Vec<u16>, &Vec<f64>))| {
            let fail = |error| PyValueError::new_err(format!("tree {index}: {error}"));
            let expression = self.primitives.expression(codes, constants, trees, Builder::default()).map_err(fail)?;
            with_game!(self.game.as_str(), G => compile::<G>(&expression, None).map(Program).map_err(fail))
        };
        // Errors are values here, so that they do not look like a stop.
        let lower_all = |stop: &AtomicBool| {
            let mut programs = Vec::with_capacity(codes.len());
            for tree in codes.iter().zip(&constants).enumerate() {
                if stop.load(Ordering::Relaxed) {
                    return Err(Stopped);
                }
                programs.push(lower(tree));
            }
            Ok(programs)
        };
        let is_brief = codes.iter().map(Vec::len).sum::<usize>() <= BRIEF;
        let programs =
            if is_brief { interrupt::run_briefly(lower_all) } else { interrupt::run(py, lower_all, |_| Ok(())) };
        programs?.into_iter().collect()
    }
}
