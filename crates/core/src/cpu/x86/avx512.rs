//! AVX-512.

#[allow(clippy::wildcard_imports)] // What follows is intrinsics and nothing else.
use std::arch::x86_64::*;
use std::ops::{BitAnd, BitOr, Not, Shl, Shr};

use crate::cpu::machine::Avx512;
use crate::cpu::vector::{Eight, Line, Sets, Squares, Vector};
use crate::lanes::Lanes;

/// Eight words in one register.
#[derive(Clone, Copy, Debug)]
pub struct Eight512(__m512i);

impl Eight512 {
    #[inline(always)]
    pub(in crate::cpu) fn new(_: Avx512, words: &Lanes<u64>) -> Self {
        Self(unsafe { _mm512_loadu_si512(words.0.as_ptr().cast()) })
    }
    #[inline(always)]
    pub(in crate::cpu) fn splat(_: Avx512, word: u64) -> Self {
        Self(unsafe { _mm512_set1_epi64(word as i64) })
    }
    /// The places of the eight lowest bits of a set, in order; lanes without one mean nothing.
    #[inline(always)]
    pub(in crate::cpu) fn places_of_first_bits(_: Avx512, set: u64) -> Self {
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
            Self(_mm512_cvtepu8_epi64(_mm512_castsi512_si128(packed)))
        }
    }
}

operators!(Eight512, one, _mm512_and_si512, _mm512_or_si512, _mm512_xor_si512, _mm512_set1_epi64(-1));

impl Shl<u32> for Eight512 {
    type Output = Self;
    #[inline(always)]
    fn shl(self, by: u32) -> Self {
        Self(unsafe { _mm512_sll_epi64(self.0, _mm_cvtsi32_si128(by as i32)) })
    }
}

impl Shr<u32> for Eight512 {
    type Output = Self;
    #[inline(always)]
    fn shr(self, by: u32) -> Self {
        Self(unsafe { _mm512_srl_epi64(self.0, _mm_cvtsi32_si128(by as i32)) })
    }
}

impl Eight for Eight512 {
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

impl Vector for Eight512 {
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
    fn times_low(self, other: Self) -> Self {
        one!(self, other, a, b => _mm512_mul_epu32(a, b))
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
    fn place_of_bit(self, index: Self) -> Self {
        // Word by word, through memory: depositing one bit among the set bits is a single instruction, and these
        // instructions leave the vector units to others.
        let (mut words, index) = (self.lanes(), index.lanes());
        let (words, index) = (std::hint::black_box(&mut words), std::hint::black_box(&index));
        for lane in 0..8 {
            words.0[lane] = unsafe { _tzcnt_u64(_pdep_u64(1 << (index.0[lane] & 63), words.0[lane])) };
        }
        Self(unsafe { _mm512_loadu_si512(words.0.as_ptr().cast()) })
    }
    #[inline(always)]
    fn shl_each(self, by: Self) -> Self {
        one!(self, by, a, b => _mm512_sllv_epi64(a, b))
    }
}

/// By the rays of the square.
impl Sets for Eight512 {
    #[inline(always)]
    fn sum(self, other: Self) -> Self {
        self.plus(other)
    }
    #[inline(always)]
    fn row_above(self, square: Squares<Self>, line: Line) -> Self {
        if line.step() == 1 {
            // One is carried to the end of the row.
            return self & !self.plus(square.sets << 1);
        }
        let [above, _] = line.rays();
        one!(self, square.numbers, a, number => {
            let ray = _mm512_sllv_epi64(_mm512_set1_epi64(above as i64), number);
            // Below the lowest square that is not in the set.
            let others = _mm512_andnot_si512(a, ray);
            let below = _mm512_add_epi64(others, _mm512_set1_epi64(-1));
            _mm512_and_si512(_mm512_and_si512(a, ray), below)
        })
    }
    #[inline(always)]
    fn row_below(self, square: Squares<Self>, line: Line) -> Self {
        let [_, below] = line.rays();
        one!(self, square.numbers, a, number => {
            let from_the_top = _mm512_sub_epi64(_mm512_set1_epi64(63), number);
            let ray = _mm512_srlv_epi64(_mm512_set1_epi64(below as i64), from_the_top);
            // Above the highest square that is not in the set.
            let others = _mm512_andnot_si512(a, ray);
            let below = _mm512_srlv_epi64(_mm512_set1_epi64(-1), _mm512_lzcnt_epi64(others));
            _mm512_andnot_si512(below, ray)
        })
    }
}
