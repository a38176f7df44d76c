//! `Stream`: keys and draws.

use evoply_core::stream::{Key, Stream as Draws};
use pyo3::exceptions::{PyMemoryError, PyValueError};
use pyo3::prelude::*;

use crate::arrays::array;

/// One step of the path to a key: a name or a number.
#[derive(FromPyObject)]
pub enum Step {
    #[pyo3(transparent)]
    Number(u64),
    #[pyo3(transparent)]
    Name(String),
}

fn descend(key: Key, path: Vec<Step>) -> Key {
    path.into_iter().fold(key, |key, step| match step {
        Step::Number(number) => key.child(number),
        Step::Name(name) => key.named(&name),
    })
}

/// Draws from one key of the tree of keys.
///
/// `Stream(seed, "purpose", 3)` is `Stream(seed).child("purpose", 3)`. A child depends on its parent's key and its own path only,
/// never on draws made before.
#[pyclass(module = "evoply._native")]
pub struct Stream {
    key: Key,
    parent: Option<Key>,
    draws: Draws,
}

impl Stream {
    fn root(key: Key) -> Self {
        Self { key, parent: None, draws: key.stream() }
    }

    /// The end of a path from here; no path leads nowhere else.
    fn descendant(&self, path: Vec<Step>) -> Self {
        let parent = if path.is_empty() { self.parent } else { Some(self.key) };
        Self { parent, ..Self::root(descend(self.key, path)) }
    }
}

#[pymethods]
impl Stream {
    #[new]
    #[pyo3(signature = (seed, /, *path))]
    fn from_seed(seed: u64, path: Vec<Step>) -> Self {
        Self::root(Key::new(seed)).descendant(path)
    }

    /// The stream of a key that was read from another stream.
    #[staticmethod]
    #[pyo3(signature = (key, /))]
    fn from_key(key: u64) -> Self {
        Self::root(Key(key))
    }

    /// The key: 64 bits that say everything about the draws to come.
    #[getter]
    fn key(&self) -> u64 {
        self.key.0
    }

    /// The key of the stream that this one was made from by `child`, `None` for a root.
    #[getter]
    fn parent(&self) -> Option<u64> {
        self.parent.map(|parent| parent.0)
    }

    /// The stream at the end of a path of names and numbers from here.
    #[pyo3(signature = (*path))]
    fn child(&self, path: Vec<Step>) -> Self {
        self.descendant(path)
    }

    /// The keys of the children 0 to count - 1.
    #[pyo3(signature = (count, /))]
    fn keys<'py>(&self, py: Python<'py>, count: usize) -> PyResult<Bound<'py, PyAny>> {
        let mut keys = Vec::new();
        keys.try_reserve_exact(count).map_err(|_| PyMemoryError::new_err(format!("no memory for {count} keys")))?;
        keys.extend((0..count as u64).map(|index| self.key.child(index).0));
        array(py, &keys, [count])
    }

    /// 64 uniform bits.
    fn bits(&mut self) -> u64 {
        self.draws.bits()
    }

    /// A uniform whole number from 0 to bound - 1.
    #[pyo3(signature = (bound, /))]
    fn below(&mut self, bound: u64) -> PyResult<u64> {
        if bound == 0 {
            return Err(PyValueError::new_err("nothing to draw from: the bound is 0"));
        }
        Ok(self.draws.below(bound))
    }

    /// A uniform number in [0, 1).
    fn random(&mut self) -> f64 {
        self.draws.random()
    }

    fn __repr__(&self) -> String {
        format!("Stream.from_key({:#018x})", self.key.0)
    }
}
