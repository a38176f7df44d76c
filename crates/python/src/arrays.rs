//! Arrays of numpy, by the protocol for buffers: each is copied once, as a whole, when it is handed over.
//!
//! The kernel works on its own copy without the interpreter, so nobody can change an array under it.

use pyo3::buffer::{Element, PyBuffer, PyUntypedBuffer};
use pyo3::exceptions::{PyMemoryError, PyTypeError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// What arrays hold.
pub trait Number: Element + Default {
    /// Its name in numpy.
    const NAME: &str;
}

macro_rules! numbers {
    ($($number:ty: $name:literal),*) => { $(impl Number for $number { const NAME: &str = $name; })* };
}

numbers!(i8: "int8", u8: "uint8", i32: "int32", u32: "uint32", i64: "int64", u64: "uint64", f64: "float64");

/// An argument: the entries row by row, however they lay in memory.
pub struct Array<T, const DIMENSIONS: usize> {
    pub values: Vec<T>,
    pub shape: [usize; DIMENSIONS],
}

/// An argument with one dimension.
pub type Column<T> = Array<T, 1>;

/// An argument with two dimensions.
pub type Matrix<T> = Array<T, 2>;

impl<T: Number, const DIMENSIONS: usize> FromPyObject<'_, '_> for Array<T, DIMENSIONS> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let unfit = || unfit(&object, T::NAME, DIMENSIONS);
        let buffer = PyUntypedBuffer::get(&object).map_err(|_| unfit())?;
        let shape = buffer.shape().try_into().map_err(|_| unfit())?;
        // The other byte order, which PyO3 takes for that of this machine.
        let is_foreign = matches!(buffer.format().to_bytes(), [b'<' | b'>' | b'!', ..]);
        if is_foreign || buffer.item_size() != size_of::<T>() || !T::is_compatible_format(buffer.format()) {
            return Err(unfit());
        }
        let aligned = buffer.as_typed::<T>();
        let buffer =
            aligned.map_err(|_| PyTypeError::new_err("the array is not aligned in memory: give a copy of it"))?;
        let values = if buffer.is_c_contiguous() { buffer.to_vec(object.py()) } else { gathered(buffer, object.py()) };
        Ok(Self { values: values?, shape })
    }
}

/// The entries of an array that does not lie row by row. Some may be repeated, so that they are more than memory can hold.
fn gathered<T: Number>(buffer: &PyBuffer<T>, py: Python<'_>) -> PyResult<Vec<T>> {
    let (mut values, count) = (Vec::new(), buffer.item_count());
    let no_memory = |_| PyMemoryError::new_err(format!("no memory for a copy of {count} entries"));
    values.try_reserve_exact(count).map_err(no_memory)?;
    values.resize(count, T::default());
    buffer.copy_to_slice(py, &mut values)?;
    Ok(values)
}

/// Why an object is not the array that is needed.
fn unfit(object: &Bound<'_, PyAny>, name: &str, dimensions: usize) -> PyErr {
    let found = match (object.getattr("ndim"), object.getattr("dtype")) {
        (Ok(dimensions), Ok(name)) => format!("a {dimensions}-dimensional one of {name}"),
        _ => format!("an object of {}", object.get_type()),
    };
    PyTypeError::new_err(format!("give a {dimensions}-dimensional array of {name}, not {found}"))
}

/// A result: a new array that Python may write to.
pub fn array<'py, T: Number, const DIMENSIONS: usize>(
    py: Python<'py>,
    values: &[T],
    shape: [usize; DIMENSIONS],
) -> PyResult<Bound<'py, PyAny>> {
    static EMPTY: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let array = EMPTY.import(py, "numpy", "empty")?.call1((shape, T::NAME))?;
    PyBuffer::get(&array)?.copy_from_slice(py, values)?;
    Ok(array)
}

/// A result with one dimension.
pub fn column<T: Number>(py: Python<'_>, values: impl IntoIterator<Item = T>) -> PyResult<Bound<'_, PyAny>> {
    let values: Vec<T> = values.into_iter().collect();
    array(py, &values, [values.len()])
}
