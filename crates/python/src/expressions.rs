//! `Program` and `PrimitiveSet`: expressions and trees over them, lowered.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use evoply_core::expression::{Builder, ExpressionError, json, primitives};
use evoply_core::kernel::{Failure, Kernel, Program as KernelProgram};
use pyo3::prelude::*;

use crate::arrays::{Column, array, column};
use crate::games::{kernel, wrong};
use crate::interrupt;
use crate::positions::Positions;

/// Nodes lowered, or operations done, in some milliseconds.
const BRIEF: usize = 10_000;

fn to_python(error: ExpressionError) -> PyErr {
    wrong(error.0)
}

/// A compiled board expression for one game.
#[pyclass(module = "evoply._native", frozen)]
pub struct Program(pub Arc<dyn KernelProgram>);

#[pymethods]
impl Program {
    /// Read the JSON form and lower it; `ValueError` says which node is wrong.
    ///
    /// With `keep_parameters` every number and weight table that the form writes stays by itself, even where equal ones are
    /// written or arithmetic on numbers could be done now, so that `with_parameters` can replace each.
    #[new]
    #[pyo3(signature = (game, expression, /, *, keep_parameters = false))]
    fn new(game: &str, expression: &str, keep_parameters: bool) -> PyResult<Self> {
        let game = kernel(game)?;
        let parse = |builder| json::parse(expression, game.squares(), builder).map_err(to_python);
        // As written first: its errors name the nodes that the reader wrote.
        let literal = parse(Builder::literal())?;
        let program = if keep_parameters {
            game.program(&parse(Builder::keeping_parameters())?, None)
        } else {
            game.program(&parse(Builder::default())?, Some(literal))
        };
        program.map(Self).map_err(to_python)
    }

    /// The game it is for.
    #[getter]
    fn game(&self) -> &str {
        self.0.game()
    }

    /// The numbers and weights of the form, node by node in its order; of a weighted sum table by table from a1 on.
    ///
    /// `ValueError` if they were not kept.
    #[getter]
    fn parameters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let none_kept = || wrong("the program has no parameters of its own: make it with keep_parameters=True");
        column(py, self.0.parameters().ok_or_else(none_kept)?)
    }

    /// The program with other parameters, as many and in the same order, without lowering it again.
    ///
    /// `ValueError` for another number of them, one that is not finite, or a program that did not keep them.
    #[pyo3(signature = (values, /))]
    fn with_parameters(&self, values: Column<f64>) -> PyResult<Self> {
        self.0.with_parameters(&values.values).map(Self).map_err(wrong)
    }

    /// Number of results.
    #[getter]
    fn outputs(&self) -> usize {
        self.0.outputs()
    }

    /// Operations done for every evaluation.
    #[getter]
    fn operations(&self) -> usize {
        self.0.operations()
    }

    /// The same for the program of each output alone; together they may be more, for what outputs share.
    fn operations_by_output(&self) -> PyResult<Vec<usize>> {
        self.0.operations_by_output().map_err(wrong)
    }

    /// Values at each position, one row a position and one column an output; truths are 0 and 1.
    ///
    /// `own` is the side to move. `reference` asks the slow interpreter instead of the compiled code.
    #[pyo3(signature = (positions, reference = false))]
    fn evaluate<'py>(&self, py: Python<'py>, positions: &Positions, reference: bool) -> PyResult<Bound<'py, PyAny>> {
        let shape = [positions.len(), self.outputs()];
        let work = |stop: &AtomicBool| self.0.evaluate(&*positions.0, reference, stop);
        let values = if positions.len() * self.0.operations() <= BRIEF {
            interrupt::run_briefly(work)
        } else {
            interrupt::run(py, work)
        }?;
        array(py, &values, shape)
    }
}

/// Named expressions with arguments, ready to lower trees over them.
#[pyclass(module = "evoply._native", frozen)]
pub struct PrimitiveSet {
    game: &'static dyn Kernel,
    primitives: primitives::PrimitiveSet,
}

#[pymethods]
impl PrimitiveSet {
    /// The JSON form of one expression for each primitive, in order.
    #[new]
    #[pyo3(signature = (game, expressions, /))]
    fn new(game: &str, expressions: Vec<String>) -> PyResult<Self> {
        let game = kernel(game)?;
        let read = |text: &String| json::parse(text, game.squares(), Builder::literal());
        let expressions = expressions.iter().map(read).collect::<Result<_, _>>().map_err(to_python)?;
        let primitives = primitives::PrimitiveSet::new(expressions).map_err(to_python)?;
        Ok(Self { game, primitives })
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
            return Err(wrong("one list of constants for each tree is needed"));
        }
        let lower = |(index, (codes, constants)): (usize, (&Vec<u16>, &Vec<f64>))| {
            let fail = |error| wrong(format!("tree {index}: {error}"));
            let expression = self.primitives.expression(codes, constants, trees, Builder::default()).map_err(fail)?;
            self.game.program(&expression, None).map(Program).map_err(fail)
        };
        // Errors are values here, so that they do not look like a stop.
        let lower_all = |stop: &AtomicBool| {
            let mut programs = Vec::with_capacity(codes.len());
            for tree in codes.iter().zip(&constants).enumerate() {
                if stop.load(Ordering::Relaxed) {
                    return Err(Failure::Stopped);
                }
                programs.push(lower(tree));
            }
            Ok(programs)
        };
        let is_brief = codes.iter().map(Vec::len).sum::<usize>() <= BRIEF;
        let programs = if is_brief { interrupt::run_briefly(lower_all) } else { interrupt::run(py, lower_all) };
        programs?.into_iter().collect()
    }
}
