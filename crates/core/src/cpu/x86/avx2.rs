//! AVX2.

#[allow(clippy::wildcard_imports)] // What follows is intrinsics and nothing else.
use std::arch::x86_64::*;
use std::ops::{BitAnd, BitOr, Not, Shl, Shr};

use crate::cpu::machine::Avx2;
use crate::cpu::vector::{Eight, Line, Quad, Sets, Squares, Vector};
use crate::lanes::Lanes;

/// Eight words in two registers.
#[derive(Clone, Copy, Debug)]
pub struct Eight256(__m256i, __m256i);

impl Eight256 {
    #[inline(always)]
    pub(in crate::cpu) fn new(_: Avx2, words: &Lanes<u64>) -> Self {
        unsafe {
            let start: *const __m256i = words.0.as_ptr().cast();
            Self(_mm256_loadu_si256(start), _mm256_loadu_si256(start.add(1)))
        }
    }
    #[inline(always)]
    pub(in crate::cpu) fn splat(_: Avx2, word: u64) -> Self {
        let half = unsafe { _mm256_set1_epi64x(word as i64) };
        Self(half, half)
    }
}

operators!(Eight256, two, _mm256_and_si256, _mm256_or_si256, _mm256_xor_si256, _mm256_set1_epi64x(-1));

impl Shl<u32> for Eight256 {
    type Output = Self;
    #[inline(always)]
    fn shl(self, by: u32) -> Self {
        two!(self, self, a, _b => _mm256_sll_epi64(a, _mm_cvtsi32_si128(by as i32)))
    }
}

impl Shr<u32> for Eight256 {
    type Output = Self;
    #[inline(always)]
    fn shr(self, by: u32) -> Self {
        two!(self, self, a, _b => _mm256_srl_epi64(a, _mm_cvtsi32_si128(by as i32)))
    }
}

impl Eight for Eight256 {
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
        // The lowest bits of 2^52 count ones: without it they are a number of their own, and nothing leaves its lane.
        let mut lanes = Lanes::splat(0.0);
        let Self(low, high) = self.count_ones();
        unsafe {
            let power = _mm256_set1_pd((1_u64 << 52) as f64);
            let low = _mm256_sub_pd(_mm256_or_pd(_mm256_castsi256_pd(low), power), power);
            let high = _mm256_sub_pd(_mm256_or_pd(_mm256_castsi256_pd(high), power), power);
            _mm256_storeu_pd(lanes.0.as_mut_ptr(), low);
            _mm256_storeu_pd(lanes.0.as_mut_ptr().add(4), high);
        }
        lanes
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

impl Vector for Eight256 {
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
    fn times_low(self, other: Self) -> Self {
        two!(self, other, a, b => _mm256_mul_epu32(a, b))
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
    fn place_of_bit(self, index: Self) -> Self {
        // Word by word: depositing one bit among the set bits is a single instruction.
        let (words, index) = (self.lanes().0, index.lanes().0);
        macro_rules! place {
            ($lane:literal) => {
                _tzcnt_u64(_pdep_u64(1 << (index[$lane] & 63), words[$lane])) as i64
            };
        }
        unsafe {
            let low = _mm256_set_epi64x(place!(3), place!(2), place!(1), place!(0));
            Self(low, _mm256_set_epi64x(place!(7), place!(6), place!(5), place!(4)))
        }
    }
    #[inline(always)]
    fn shl_each(self, by: Self) -> Self {
        two!(self, by, a, b => _mm256_sllv_epi64(a, b))
    }
}

/// By the rays of the square.
impl Sets for Eight256 {
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
        two!(self, square.numbers, a, number => {
            let ray = _mm256_sllv_epi64(_mm256_set1_epi64x(above as i64), number);
            // Below the lowest square that is not in the set.
            let others = _mm256_andnot_si256(a, ray);
            let below = _mm256_add_epi64(others, _mm256_set1_epi64x(-1));
            _mm256_and_si256(_mm256_and_si256(a, ray), below)
        })
    }
    #[inline(always)]
    fn row_below(self, square: Squares<Self>, line: Line) -> Self {
        let ([_, below], step) = (line.rays(), line.step());
        two!(self, square.numbers, a, number => {
            let from_the_top = _mm256_sub_epi64(_mm256_set1_epi64x(63), number);
            let ray = _mm256_srlv_epi64(_mm256_set1_epi64x(below as i64), from_the_top);
            // Above the highest square that is not in the set: this one is spread downwards.
            let others = _mm256_andnot_si256(a, ray);
            let others = _mm256_or_si256(others, _mm256_srl_epi64(others, _mm_cvtsi32_si128(step as i32)));
            let others = _mm256_or_si256(others, _mm256_srl_epi64(others, _mm_cvtsi32_si128(2 * step as i32)));
            let others = _mm256_or_si256(others, _mm256_srl_epi64(others, _mm_cvtsi32_si128(4 * step as i32)));
            _mm256_andnot_si256(others, ray)
        })
    }
}

/// The bit number `index` of the set bits of a word: one bit is deposited among them.
#[inline(always)]
pub(in crate::cpu) fn nth_bit(_: Avx2, word: u64, index: u64) -> u64 {
    unsafe { _pdep_u64(1 << (index & 63), word) }
}

/// Four words in one register.
#[derive(Clone, Copy, Debug)]
pub struct Quad256(__m256i);

impl Quad256 {
    #[inline(always)]
    pub(in crate::cpu) fn new(_: Avx2, words: &[u64; 4]) -> Self {
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
    fn everywhere(self) -> Self {
        unsafe {
            let halves = _mm256_or_si256(self.0, _mm256_permute4x64_epi64::<0b0100_1110>(self.0));
            Self(_mm256_or_si256(halves, _mm256_shuffle_epi32::<0b0100_1110>(halves)))
        }
    }
    #[inline(always)]
    fn words(self) -> [u64; 4] {
        let mut words = [0; 4];
        unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), self.0) };
        words
    }
}
