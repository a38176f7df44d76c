//! Games whose rules are data, compiled for boards of up to 64 and of up to 100 squares. All generic code is instantiated here and
//! nowhere else.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

use evoply_core::bitboard::{Board, Size8, Size10};
use evoply_core::kernel::Kernel;
use evoply_core::kernel::native::Native;
use evoply_data_game::{DataGame, DataRules, read, shape};

/// The game of a name and the written form of its rules.
///
/// # Errors
/// Says which part of the rules is wrong and how.
pub fn kernel(name: &str, written: &str) -> Result<&'static dyn Kernel, String> {
    let written = read(written)?;
    let (rows, columns) = shape(&written)?;
    Ok(if rows * columns <= Size8::SQUARES {
        Native::<DataGame<Size8>>::new(name, DataRules::read(&written)?).for_good()
    } else {
        Native::<DataGame<Size10>>::new(name, DataRules::read(&written)?).for_good()
    })
}
