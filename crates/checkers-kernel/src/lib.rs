//! Checkers on both boards, compiled. All generic code is instantiated here and nowhere else.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

use evoply_checkers::{Checkers, CheckersRules};
use evoply_core::bitboard::{Size8, Size10};
use evoply_core::kernel::Kernel;
use evoply_core::kernel::native::Native;

/// The games of the family.
pub fn kernels() -> Vec<&'static dyn Kernel> {
    vec![
        Native::<Checkers<Size8>>::new("checkers", CheckersRules::AMERICAN).for_good(),
        Native::<Checkers<Size8>>::new("lose-checkers", CheckersRules::LOSING).for_good(),
        Native::<Checkers<Size10>>::new("checkers-10", CheckersRules::AMERICAN).for_good(),
    ]
}
