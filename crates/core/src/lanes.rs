//! Eight values side by side: plain arrays that the compiler keeps in vector registers.
//!
//! Eight is part of the algorithms (blocks of siblings), not a property of a machine.

use std::ops::{BitAnd, BitOr, Not, Shl, Shr};

/// How many values stand side by side.
pub const LANES: usize = 8;

/// Eight values, aligned so that they are one load on the widest machines.
#[derive(Clone, Copy, PartialEq, Debug)]
#[repr(C, align(64))]
pub struct Lanes<T>(pub [T; LANES]);

impl<T: Copy + Default> Lanes<T> {
    /// What a function gives for the number of every lane.
    #[inline(always)]
    pub fn of(f: impl Fn(usize) -> T) -> Self {
        // A loop of our own: that of `array::from_fn` is a call into the library, which is not always compiled into the code of
        // a CPU path.
        let mut lanes = Self([T::default(); LANES]);
        for lane in 0..LANES {
            lanes.0[lane] = f(lane);
        }
        lanes
    }
}

impl<T: Copy> Lanes<T> {
    /// The same value in every lane.
    #[inline(always)]
    pub fn splat(value: T) -> Self {
        Self([value; LANES])
    }

    /// A function of every lane.
    #[inline(always)]
    pub fn map<U: Copy + Default>(self, f: impl Fn(T) -> U) -> Lanes<U> {
        Lanes::of(|lane| f(self.0[lane]))
    }

    /// A function of the same lane of two.
    #[inline(always)]
    pub fn zip<V: Copy, U: Copy + Default>(self, other: Lanes<V>, f: impl Fn(T, V) -> U) -> Lanes<U> {
        Lanes::of(|lane| f(self.0[lane], other.0[lane]))
    }
}

impl<T: Copy + Default + BitAnd<Output = T>> BitAnd for Lanes<T> {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        self.zip(other, |a, b| a & b)
    }
}

impl<T: Copy + Default + BitOr<Output = T>> BitOr for Lanes<T> {
    type Output = Self;
    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        self.zip(other, |a, b| a | b)
    }
}

impl<T: Copy + Default + Not<Output = T>> Not for Lanes<T> {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        self.map(|a| !a)
    }
}

impl<T: Copy + Default + Shl<u32, Output = T>> Shl<u32> for Lanes<T> {
    type Output = Self;
    #[inline(always)]
    fn shl(self, by: u32) -> Self {
        self.map(|a| a << by)
    }
}

impl<T: Copy + Default + Shr<u32, Output = T>> Shr<u32> for Lanes<T> {
    type Output = Self;
    #[inline(always)]
    fn shr(self, by: u32) -> Self {
        self.map(|a| a >> by)
    }
}

/// What rules on whole boards need: one board's word, or eight words side by side.
pub trait Bits:
    Copy
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + Not<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
{
}

impl<T> Bits for T where
    T: Copy + BitAnd<Output = T> + BitOr<Output = T> + Not<Output = T> + Shl<u32, Output = T> + Shr<u32, Output = T>
{
}
