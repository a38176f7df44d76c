//! SSE2.

#[allow(clippy::wildcard_imports)] // What follows is intrinsics and nothing else.
use std::arch::x86_64::*;
use std::ops::{BitAnd, BitOr, Not, Shl, Shr};

use crate::cpu::vector::{Eight, Sets, Vector};
use crate::lanes::Lanes;

/// Eight words in four registers, with what every x86-64 has.
#[derive(Clone, Copy, Debug)]
pub struct Eight128(__m128i, __m128i, __m128i, __m128i);

impl Eight128 {
    #[inline(always)]
    pub(in crate::cpu) fn new(words: &Lanes<u64>) -> Self {
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
    pub(in crate::cpu) fn splat(word: u64) -> Self {
        let part = unsafe { _mm_set1_epi64x(word as i64) };
        Self(part, part, part, part)
    }
}

operators!(Eight128, four, _mm_and_si128, _mm_or_si128, _mm_xor_si128, _mm_set1_epi64x(-1));

impl Shl<u32> for Eight128 {
    type Output = Self;
    #[inline(always)]
    fn shl(self, by: u32) -> Self {
        four!(self, self, a, _b => _mm_sll_epi64(a, _mm_cvtsi32_si128(by as i32)))
    }
}

impl Shr<u32> for Eight128 {
    type Output = Self;
    #[inline(always)]
    fn shr(self, by: u32) -> Self {
        four!(self, self, a, _b => _mm_srl_epi64(a, _mm_cvtsi32_si128(by as i32)))
    }
}

impl Eight for Eight128 {
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

impl Sets for Eight128 {
    #[inline(always)]
    fn sum(self, other: Self) -> Self {
        self.plus(other)
    }
}

impl Vector for Eight128 {
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
    fn times_low(self, other: Self) -> Self {
        four!(self, other, a, b => _mm_mul_epu32(a, b))
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
    fn place_of_bit(self, index: Self) -> Self {
        Self::new(&self.lanes().place_of_bit(index.lanes()))
    }
    #[inline(always)]
    fn shl_each(self, by: Self) -> Self {
        Self::new(&self.lanes().shl_each(by.lanes()))
    }
}
