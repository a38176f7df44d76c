//! Words side by side with the instructions of SSE2 (every x86-64 has them), AVX2 and AVX-512.
//!
//! Safety of every intrinsic here: a value of these types is made only by `new`, which asks for the proof that the
//! machine has the instructions ([`Avx2`] or [`Avx512`]), or from another such value.

#[allow(clippy::wildcard_imports)] // What follows is intrinsics and nothing else.
use std::arch::x86_64::*;
use std::ops::{BitAnd, BitOr, Not, Shl, Shr};

use super::wide::{Eight, Quad, Words};
use super::{Avx2, Avx512};
use crate::lanes::Lanes;

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

/// Eight words in one register.
#[derive(Clone, Copy, Debug)]
pub struct Words512(__m512i);

impl Words512 {
    #[inline(always)]
    pub(super) fn new(_: Avx512, words: &Lanes<u64>) -> Self {
        Self(unsafe { _mm512_loadu_si512(words.0.as_ptr().cast()) })
    }
    #[inline(always)]
    pub(super) fn splat(_: Avx512, word: u64) -> Self {
        Self(unsafe { _mm512_set1_epi64(word as i64) })
    }
    /// Numbers of the eight lowest bits of a set, in order; lanes without one mean nothing.
    #[inline(always)]
    pub(super) fn first_bits(_: Avx512, set: u64) -> Self {
        const NUMBERS: [u8; 64] = {
            let mut numbers = [0; 64];
            let mut i = 0;
            while i < 64 {
                numbers[i] = i as u8;
                i += 1;
            }
            numbers
        };
        unsafe {
            let numbers = _mm512_loadu_si512(NUMBERS.as_ptr().cast());
            let packed = _mm512_maskz_compress_epi8(set, numbers);
            let squares = _mm512_cvtepu8_epi64(_mm512_castsi512_si128(packed));
            Self(_mm512_sllv_epi64(_mm512_set1_epi64(1), squares))
        }
    }
}

operators!(Words512, one, _mm512_and_si512, _mm512_or_si512, _mm512_xor_si512, _mm512_set1_epi64(-1));

impl Shl<u32> for Words512 {
    type Output = Self;
    #[inline(always)]
    fn shl(self, by: u32) -> Self {
        Self(unsafe { _mm512_sll_epi64(self.0, _mm_cvtsi32_si128(by as i32)) })
    }
}

impl Shr<u32> for Words512 {
    type Output = Self;
    #[inline(always)]
    fn shr(self, by: u32) -> Self {
        Self(unsafe { _mm512_srl_epi64(self.0, _mm_cvtsi32_si128(by as i32)) })
    }
}

impl Eight for Words512 {
    #[inline(always)]
    fn lanes(self) -> Lanes<u64> {
        let mut lanes = Lanes::splat(0);
        unsafe { _mm512_storeu_si512(lanes.0.as_mut_ptr().cast(), self.0) };
        lanes
    }
    #[inline(always)]
    fn counts(self) -> Lanes<f64> {
        let mut lanes = Lanes::splat(0.0);
        unsafe {
            let counts = _mm512_cvtepi64_pd(_mm512_popcnt_epi64(self.0));
            _mm512_storeu_pd(lanes.0.as_mut_ptr(), counts);
        }
        lanes
    }
    #[inline(always)]
    fn not_zero(self) -> u8 {
        unsafe { _mm512_test_epi64_mask(self.0, self.0) }
    }
}

impl Words for Words512 {
    #[inline(always)]
    fn like(self, word: u64) -> Self {
        Self(unsafe { _mm512_set1_epi64(word as i64) })
    }
    #[inline(always)]
    fn count_ones(self) -> Self {
        Self(unsafe { _mm512_popcnt_epi64(self.0) })
    }
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        one!(self, other, a, b => _mm512_add_epi64(a, b))
    }
    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        one!(self, other, a, b => _mm512_sub_epi64(a, b))
    }
    #[inline(always)]
    fn times(self, other: Self) -> Self {
        one!(self, other, a, b => _mm512_mullo_epi64(a, b))
    }
    #[inline(always)]
    fn differences(self, other: Self) -> Self {
        one!(self, other, a, b => _mm512_xor_si512(a, b))
    }
    #[inline(always)]
    fn select(self, yes: Self, no: Self) -> Self {
        Self(unsafe { _mm512_mask_blend_epi64(_mm512_test_epi64_mask(self.0, self.0), no.0, yes.0) })
    }
    #[inline(always)]
    fn less(self, other: Self) -> Self {
        Self(unsafe { _mm512_maskz_set1_epi64(_mm512_cmplt_epu64_mask(self.0, other.0), -1) })
    }
    #[inline(always)]
    fn nth_bit(self, index: Self) -> Self {
        // Word by word, through memory: depositing one bit among the set bits is a single instruction, and these
        // instructions leave the vector units to others.
        let (mut words, index) = (self.lanes(), index.lanes());
        let (words, index) = (std::hint::black_box(&mut words), std::hint::black_box(&index));
        for lane in 0..8 {
            words.0[lane] = unsafe { _pdep_u64(1 << (index.0[lane] & 63), words.0[lane]) };
        }
        Self(unsafe { _mm512_loadu_si512(words.0.as_ptr().cast()) })
    }
}

/// Eight words in two registers.
#[derive(Clone, Copy, Debug)]
pub struct Words256(__m256i, __m256i);

impl Words256 {
    #[inline(always)]
    pub(super) fn new(_: Avx2, words: &Lanes<u64>) -> Self {
        unsafe {
            let start: *const __m256i = words.0.as_ptr().cast();
            Self(_mm256_loadu_si256(start), _mm256_loadu_si256(start.add(1)))
        }
    }
    #[inline(always)]
    pub(super) fn splat(_: Avx2, word: u64) -> Self {
        let half = unsafe { _mm256_set1_epi64x(word as i64) };
        Self(half, half)
    }
}

operators!(Words256, two, _mm256_and_si256, _mm256_or_si256, _mm256_xor_si256, _mm256_set1_epi64x(-1));

impl Shl<u32> for Words256 {
    type Output = Self;
    #[inline(always)]
    fn shl(self, by: u32) -> Self {
        two!(self, self, a, _b => _mm256_sll_epi64(a, _mm_cvtsi32_si128(by as i32)))
    }
}

impl Shr<u32> for Words256 {
    type Output = Self;
    #[inline(always)]
    fn shr(self, by: u32) -> Self {
        two!(self, self, a, _b => _mm256_srl_epi64(a, _mm_cvtsi32_si128(by as i32)))
    }
}

impl Eight for Words256 {
    #[inline(always)]
    fn lanes(self) -> Lanes<u64> {
        let mut lanes = Lanes::splat(0);
        unsafe {
            let start: *mut __m256i = lanes.0.as_mut_ptr().cast();
            _mm256_storeu_si256(start, self.0);
            _mm256_storeu_si256(start.add(1), self.1);
        }
        lanes
    }
    #[inline(always)]
    fn counts(self) -> Lanes<f64> {
        self.count_ones().lanes().map(|count| f64::from(count as i32))
    }
    #[inline(always)]
    fn not_zero(self) -> u8 {
        unsafe {
            let zero = _mm256_setzero_si256();
            let low = _mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(self.0, zero)));
            let high = _mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(self.1, zero)));
            !(low | high << 4) as u8
        }
    }
}

impl Words for Words256 {
    #[inline(always)]
    fn like(self, word: u64) -> Self {
        let half = unsafe { _mm256_set1_epi64x(word as i64) };
        Self(half, half)
    }
    #[inline(always)]
    fn count_ones(self) -> Self {
        // Bits of half bytes from a table, then the sum of the bytes (Mula).
        two!(self, self, a, _b => {
            let table = _mm256_setr_epi8(
                0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,
            );
            let low = _mm256_set1_epi8(15);
            let counts = _mm256_add_epi8(
                _mm256_shuffle_epi8(table, _mm256_and_si256(a, low)),
                _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16::<4>(a), low)),
            );
            _mm256_sad_epu8(counts, _mm256_setzero_si256())
        })
    }
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        two!(self, other, a, b => _mm256_add_epi64(a, b))
    }
    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        two!(self, other, a, b => _mm256_sub_epi64(a, b))
    }
    #[inline(always)]
    fn times(self, other: Self) -> Self {
        two!(self, other, a, b => {
            let crossed = _mm256_mullo_epi32(a, _mm256_shuffle_epi32::<0b1011_0001>(b));
            let high = _mm256_add_epi32(crossed, _mm256_slli_epi64::<32>(crossed));
            let high = _mm256_and_si256(high, _mm256_set1_epi64x(-1 << 32));
            _mm256_add_epi64(_mm256_mul_epu32(a, b), high)
        })
    }
    #[inline(always)]
    fn differences(self, other: Self) -> Self {
        two!(self, other, a, b => _mm256_xor_si256(a, b))
    }
    #[inline(always)]
    fn select(self, yes: Self, no: Self) -> Self {
        unsafe {
            let zero = _mm256_setzero_si256();
            let low = _mm256_blendv_epi8(yes.0, no.0, _mm256_cmpeq_epi64(self.0, zero));
            Self(low, _mm256_blendv_epi8(yes.1, no.1, _mm256_cmpeq_epi64(self.1, zero)))
        }
    }
    #[inline(always)]
    fn less(self, other: Self) -> Self {
        two!(self, other, a, b => {
            // Signed comparison, with the sign turned over on both sides.
            let sign = _mm256_set1_epi64x(i64::MIN);
            _mm256_cmpgt_epi64(_mm256_xor_si256(b, sign), _mm256_xor_si256(a, sign))
        })
    }
    #[inline(always)]
    fn nth_bit(self, index: Self) -> Self {
        // Word by word: depositing one bit among the set bits is a single instruction.
        let (words, index) = (self.lanes().0, index.lanes().0);
        macro_rules! nth {
            ($lane:literal) => {
                _pdep_u64(1 << (index[$lane] & 63), words[$lane]) as i64
            };
        }
        unsafe {
            let low = _mm256_set_epi64x(nth!(3), nth!(2), nth!(1), nth!(0));
            Self(low, _mm256_set_epi64x(nth!(7), nth!(6), nth!(5), nth!(4)))
        }
    }
}

/// Eight words in four registers, with what every x86-64 has.
#[derive(Clone, Copy, Debug)]
pub struct Words128(__m128i, __m128i, __m128i, __m128i);

impl Words128 {
    #[inline(always)]
    pub(super) fn new(words: &Lanes<u64>) -> Self {
        unsafe {
            let start: *const __m128i = words.0.as_ptr().cast();
            Self(
                _mm_loadu_si128(start),
                _mm_loadu_si128(start.add(1)),
                _mm_loadu_si128(start.add(2)),
                _mm_loadu_si128(start.add(3)),
            )
        }
    }
    #[inline(always)]
    pub(super) fn splat(word: u64) -> Self {
        let part = unsafe { _mm_set1_epi64x(word as i64) };
        Self(part, part, part, part)
    }
}

operators!(Words128, four, _mm_and_si128, _mm_or_si128, _mm_xor_si128, _mm_set1_epi64x(-1));

impl Shl<u32> for Words128 {
    type Output = Self;
    #[inline(always)]
    fn shl(self, by: u32) -> Self {
        four!(self, self, a, _b => _mm_sll_epi64(a, _mm_cvtsi32_si128(by as i32)))
    }
}

impl Shr<u32> for Words128 {
    type Output = Self;
    #[inline(always)]
    fn shr(self, by: u32) -> Self {
        four!(self, self, a, _b => _mm_srl_epi64(a, _mm_cvtsi32_si128(by as i32)))
    }
}

impl Eight for Words128 {
    #[inline(always)]
    fn lanes(self) -> Lanes<u64> {
        let mut lanes = Lanes::splat(0);
        unsafe {
            let start: *mut __m128i = lanes.0.as_mut_ptr().cast();
            _mm_storeu_si128(start, self.0);
            _mm_storeu_si128(start.add(1), self.1);
            _mm_storeu_si128(start.add(2), self.2);
            _mm_storeu_si128(start.add(3), self.3);
        }
        lanes
    }
    #[inline(always)]
    fn counts(self) -> Lanes<f64> {
        self.count_ones().lanes().map(|count| f64::from(count as i32))
    }
    #[inline(always)]
    fn not_zero(self) -> u8 {
        self.lanes().not_zero()
    }
}

impl Words for Words128 {
    #[inline(always)]
    fn like(self, word: u64) -> Self {
        Self::splat(word)
    }
    #[inline(always)]
    fn count_ones(self) -> Self {
        // Bits of pairs, of half bytes, of bytes, then the sum of the bytes.
        four!(self, self, a, _b => {
            let pairs = _mm_set1_epi8(0x55);
            let halves = _mm_set1_epi8(0x33);
            let low = _mm_set1_epi8(0x0f);
            let counts = _mm_sub_epi8(a, _mm_and_si128(_mm_srli_epi64::<1>(a), pairs));
            let high = _mm_and_si128(_mm_srli_epi64::<2>(counts), halves);
            let counts = _mm_add_epi8(_mm_and_si128(counts, halves), high);
            let counts = _mm_and_si128(_mm_add_epi8(counts, _mm_srli_epi64::<4>(counts)), low);
            _mm_sad_epu8(counts, _mm_setzero_si128())
        })
    }
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        four!(self, other, a, b => _mm_add_epi64(a, b))
    }
    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        four!(self, other, a, b => _mm_sub_epi64(a, b))
    }
    #[inline(always)]
    fn times(self, other: Self) -> Self {
        Self::new(&self.lanes().times(other.lanes()))
    }
    #[inline(always)]
    fn differences(self, other: Self) -> Self {
        four!(self, other, a, b => _mm_xor_si128(a, b))
    }
    #[inline(always)]
    fn select(self, yes: Self, no: Self) -> Self {
        Self::new(&self.lanes().select(yes.lanes(), no.lanes()))
    }
    #[inline(always)]
    fn less(self, other: Self) -> Self {
        Self::new(&self.lanes().less(other.lanes()))
    }
    #[inline(always)]
    fn nth_bit(self, index: Self) -> Self {
        let found = self.lanes().nth_bit(index.lanes());
        Self::new(&found)
    }
}

/// Four words in one register.
#[derive(Clone, Copy, Debug)]
pub struct Quad256(__m256i);

impl Quad256 {
    #[inline(always)]
    pub(super) fn new(_: Avx2, words: &[u64; 4]) -> Self {
        Self(unsafe { _mm256_loadu_si256(words.as_ptr().cast()) })
    }
}

operators!(Quad256, one, _mm256_and_si256, _mm256_or_si256, _mm256_xor_si256, _mm256_set1_epi64x(-1));

impl Quad for Quad256 {
    #[inline(always)]
    fn shl_each(self, by: Self) -> Self {
        one!(self, by, a, b => _mm256_sllv_epi64(a, b))
    }
    #[inline(always)]
    fn shr_each(self, by: Self) -> Self {
        one!(self, by, a, b => _mm256_srlv_epi64(a, b))
    }
    #[inline(always)]
    fn union(self) -> u64 {
        unsafe {
            let half = _mm_or_si128(_mm256_castsi256_si128(self.0), _mm256_extracti128_si256::<1>(self.0));
            (_mm_cvtsi128_si64(half) | _mm_extract_epi64::<1>(half)) as u64
        }
    }
    #[inline(always)]
    fn words(self) -> [u64; 4] {
        let mut words = [0; 4];
        unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), self.0) };
        words
    }
}
