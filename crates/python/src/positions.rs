//! `Positions`: what programs evaluate and players choose at.

use std::sync::Arc;

use evoply_core::kernel::Positions as KernelPositions;
use pyo3::prelude::*;

/// A batch of positions of one game. Programs and players take it, so it stands below both; its methods stand in `players`.
#[pyclass(module = "evoply._native", frozen)]
pub struct Positions(pub Arc<dyn KernelPositions>);

impl Positions {
    pub fn len(&self) -> usize {
        self.0.len()
    }
}
