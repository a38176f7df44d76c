//! Words side by side with the instructions of SSE2 (every x86-64 has them), AVX2 and AVX-512.
//!
//! Safety of every intrinsic below this module: a value of these types is made only by `new` and `splat`, which ask for the
//! proof that the machine has the instructions ([`super::Avx2`] or [`super::Avx512`]; SSE2 needs none), or from another such
//! value.

// Macros and not closures: what stands here is compiled into the code of each path without fail.

/// An operation on the one register of a type.
macro_rules! one {
    ($self:ident, $other:expr, $a:ident, $b:ident => $body:expr) => {{
        let ($a, $b) = ($self.0, $other.0);
        Self(unsafe { $body })
    }};
}

/// An operation on both registers of a type.
macro_rules! two {
    ($self:ident, $other:expr, $a:ident, $b:ident => $body:expr) => {{
        let other = $other;
        let low = {
            let ($a, $b) = ($self.0, other.0);
            unsafe { $body }
        };
        let ($a, $b) = ($self.1, other.1);
        Self(low, unsafe { $body })
    }};
}

/// An operation on all four registers of a type.
macro_rules! four {
    ($self:ident, $other:expr, $a:ident, $b:ident => $body:expr) => {{
        let other = $other;
        let first = {
            let ($a, $b) = ($self.0, other.0);
            unsafe { $body }
        };
        let second = {
            let ($a, $b) = ($self.1, other.1);
            unsafe { $body }
        };
        let third = {
            let ($a, $b) = ($self.2, other.2);
            unsafe { $body }
        };
        let ($a, $b) = ($self.3, other.3);
        Self(first, second, third, unsafe { $body })
    }};
}

/// Operators as one intrinsic each.
macro_rules! operators {
    ($type:ident, $on:ident, $and:ident, $or:ident, $xor:ident, $ones:expr) => {
        impl BitAnd for $type {
            type Output = Self;
            #[inline(always)]
            fn bitand(self, other: Self) -> Self {
                $on!(self, other, a, b => $and(a, b))
            }
        }
        impl BitOr for $type {
            type Output = Self;
            #[inline(always)]
            fn bitor(self, other: Self) -> Self {
                $on!(self, other, a, b => $or(a, b))
            }
        }
        impl Not for $type {
            type Output = Self;
            #[inline(always)]
            fn not(self) -> Self {
                $on!(self, self, a, _ones => $xor(a, $ones))
            }
        }
    };
}

mod avx2;
mod avx512;
mod sse2;

pub(super) use avx2::nth_bit;
pub use avx2::{Eight256, Quad256};
pub use avx512::Eight512;
pub use sse2::Eight128;
