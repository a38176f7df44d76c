//! Checkers on both boards, compiled. All generic code is instantiated here and nowhere else.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

use std::sync::Arc;

use evoply_checkers::{Checkers, CheckersRules};
use evoply_core::bitboard::{Size8, Size10};
use evoply_core::kernel::Kernel;
use evoply_core::kernel::native::Native;

/// The games of the family.
pub fn kernels() -> Vec<Arc<dyn Kernel>> {
    vec![
        Native::<Checkers<Size8>>::new("checkers", CheckersRules::AMERICAN).shared(),
        Native::<Checkers<Size8>>::new("lose-checkers", CheckersRules::LOSING).shared(),
        Native::<Checkers<Size10>>::new("checkers-10", CheckersRules::AMERICAN).shared(),
    ]
}
