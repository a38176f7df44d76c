//! The one source of randomness: a tree of keys, and counter-based draws from every key.
//!
//! A [`Key`] is derived from its parent and an index, never from draws already made, so one player's draws cannot shift
//! another's, and the result of a run does not depend on the order in which its games were played. The draws of a
//! [`Stream`] are `mix(key + i * GOLDEN)` for i = 1, 2, ...: the `SplitMix64` sequence (Steele, Lea, Flood 2014) of its key.
//!
//! Reasons: docs/design/randomness.md.

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// Keeps children apart from draws, which add multiples of GOLDEN to the key itself.
const CHILD: u64 = 0xd6e8_feb8_6659_fd93;

/// The finaliser of `SplitMix64`: a bijection on 64 bits in which every input bit moves every output bit.
#[inline(always)]
const fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A node of the tree of keys.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Key(pub u64);

impl Key {
    /// The root for a seed.
    #[inline(always)]
    pub const fn new(seed: u64) -> Self {
        Self(mix(seed.wrapping_add(GOLDEN)))
    }

    /// The child of this key with a number.
    #[inline(always)]
    #[must_use]
    pub const fn child(self, index: u64) -> Self {
        Self(mix(self.0 ^ mix(index ^ CHILD)))
    }

    /// The child of this key with a name, such as the purpose of the draws.
    #[must_use]
    #[inline]
    pub fn named(self, name: &str) -> Self {
        // FNV-1a, then the length through the ordinary path, so that a name never equals a number by construction.
        let hash =
            name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |h, byte| (h ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
        self.child(hash).child(name.len() as u64)
    }

    /// Draws from this key.
    #[inline(always)]
    pub const fn stream(self) -> Stream {
        Stream { state: self.0 }
    }
}

/// Draws from one key, in order.
#[derive(Clone, Debug)]
pub struct Stream {
    state: u64,
}

impl Stream {
    /// Draws that go on from a state.
    #[inline(always)]
    pub const fn at(state: u64) -> Self {
        Self { state }
    }

    /// Where the draws stand.
    #[inline(always)]
    pub const fn state(&self) -> u64 {
        self.state
    }

    /// 64 uniform bits.
    #[inline(always)]
    pub const fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(GOLDEN);
        mix(self.state)
    }

    /// A uniform number in `0..bound`, without bias (Lemire 2019). A bound of 0 counts as 1.
    #[inline(always)]
    pub const fn below(&mut self, bound: u64) -> u64 {
        let bound = if bound == 0 { 1 } else { bound };
        let mut product = self.bits() as u128 * bound as u128;
        if (product as u64) < bound {
            let threshold = bound.wrapping_neg() % bound;
            while (product as u64) < threshold {
                product = self.bits() as u128 * bound as u128;
            }
        }
        (product >> 64) as u64
    }

    /// A uniform number in [0, 1), a multiple of 2^-53.
    #[inline(always)]
    pub const fn random(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }
}

/// The same for eight keys and streams side by side.
pub mod side_by_side {
    use super::{CHILD, GOLDEN, Stream};
    use crate::cpu::Cpu;
    use crate::cpu::vector::{Eight, Two, Vector};
    use crate::lanes::{LANES, Lanes};

    /// What is drawn from a state, in every lane.
    #[inline(always)]
    fn mix<T: Vector>(z: T) -> T {
        let z = z.differences(z >> 30).times(z.like(0xbf58_476d_1ce4_e5b9));
        let z = z.differences(z >> 27).times(z.like(0x94d0_49bb_1331_11eb));
        z.differences(z >> 31)
    }

    /// [`super::Key::child`] in every lane.
    #[inline(always)]
    pub fn child<T: Vector>(keys: T, indices: T) -> T {
        mix(keys.differences(mix(indices.differences(keys.like(CHILD)))))
    }

    /// The state of a stream after one more draw; [`mix`] of it is what is drawn.
    #[inline(always)]
    fn next_state<T: Vector>(states: T) -> T {
        states.plus(states.like(GOLDEN))
    }

    /// [`Stream::below`] in every lane of two groups: a number below the count, and the state of the stream after that. Where the
    /// count is less than 2 the number is 0, and nothing is drawn.
    #[inline(always)]
    pub fn below<C: Cpu>(cpu: C, states: Two<C::Eight>, counts: Two<C::Eight>) -> (Two<C::Eight>, Two<C::Eight>) {
        let several = counts.like(1).less(counts);
        let next = next_state(states);
        let (index, rest) = product(mix(next), counts);
        let rare = rest.less(counts) & several;
        if rare.0.not_zero() | rare.1.not_zero() == 0 {
            return (index, several.select(next, states));
        }
        let mut lanes = [states.0.lanes(), states.1.lanes()];
        let index = below_one_by_one(&mut lanes, &[counts.0.lanes(), counts.1.lanes()]);
        // No closure: these are compiled into the code of each CPU path without fail.
        (Two(cpu.words(&index[0]), cpu.words(&index[1])), Two(cpu.words(&lanes[0]), cpu.words(&lanes[1])))
    }

    /// The same where a draw may have to be repeated to be without bias: about once in 2^58 draws.
    #[cold]
    #[inline(never)]
    fn below_one_by_one(states: &mut [Lanes<u64>; 2], counts: &[Lanes<u64>; 2]) -> [Lanes<u64>; 2] {
        let mut index = [Lanes::splat(0); 2];
        for group in 0..2 {
            for lane in (0..LANES).filter(|&lane| counts[group].0[lane] > 1) {
                let mut stream = Stream::at(states[group].0[lane]);
                index[group].0[lane] = stream.below(counts[group].0[lane]);
                states[group].0[lane] = stream.state();
            }
        }
        index
    }

    /// The product of any number and one below 2^32: bits 64 and up, and those below.
    #[inline(always)]
    fn product<T: Vector>(any: T, small: T) -> (T, T) {
        let (low, high) = (any.times_low(small), (any >> 32).times_low(small));
        (high.plus(low >> 32) >> 32, low.plus(high << 32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::vector::{Eight, Two};
    use crate::cpu::{Cpu, Task, available, on};
    use crate::lanes::{LANES, Lanes};

    #[test]
    fn below_is_uniform() {
        let mut stream = Key::new(7).child(3).stream();
        let mut counts = [0_u32; 6];
        for _ in 0..60_000 {
            counts[stream.below(6) as usize] += 1;
        }
        // Chi-square with 5 degrees of freedom; 25.7 is the 0.9999 quantile.
        let chi: f64 = counts.iter().map(|&c| (f64::from(c) - 10_000.0).powi(2) / 10_000.0).sum();
        assert!(chi < 25.7, "{counts:?}");
    }

    #[test]
    fn children_do_not_depend_on_draws_and_differ() {
        let key = Key::new(1);
        let mut seen: Vec<u64> =
            (0..10_000).map(|i| key.child(i).0).chain([key.0, key.named("a").0, key.named("b").0]).collect();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 10_003);
    }

    /// Draws side by side, the rare ones that are repeated among them.
    struct Draw([Lanes<u64>; 2], [Lanes<u64>; 2]);

    impl Task for Draw {
        type Output = [[Lanes<u64>; 2]; 2];
        #[inline(always)]
        fn run<C: Cpu>(self, cpu: C) -> Self::Output {
            let Self(states, counts) = self;
            let two = |lanes: &[Lanes<u64>; 2]| Two(cpu.words(&lanes[0]), cpu.words(&lanes[1]));
            let (index, after) = side_by_side::below(cpu, two(&states), two(&counts));
            [[index.0.lanes(), index.1.lanes()], [after.0.lanes(), after.1.lanes()]]
        }
    }

    #[test]
    fn draws_side_by_side_are_those_one_by_one() {
        let mut draws = Key::new(5).stream();
        for round in 0..if cfg!(miri) { 4 } else { 1_000 } {
            let (mut states, mut counts) = ([Lanes::splat(0); 2], [Lanes::splat(0); 2]);
            for (state, count) in states.iter_mut().zip(&mut counts).flat_map(|(a, b)| a.0.iter_mut().zip(&mut b.0)) {
                let most = 1 << draws.below(8);
                (*state, *count) = (draws.bits(), draws.below(most));
            }
            if round % 2 == 1 {
                // The next bits of this state are all 0, which no draw below 3 takes: 2^64 is no multiple of 3.
                states[0].0[3] = GOLDEN.wrapping_neg();
            }
            for path in available() {
                let [index, after] = on(path, Draw(states, counts));
                for (group, lane) in (0..2).flat_map(|group| (0..LANES).map(move |lane| (group, lane))) {
                    let mut stream = Stream::at(states[group].0[lane]);
                    let count = counts[group].0[lane];
                    let expected = if count > 1 { stream.below(count) } else { 0 };
                    assert_eq!((index[group].0[lane], after[group].0[lane]), (expected, stream.state()), "{path:?}");
                }
            }
        }
    }

    #[test]
    fn splitmix_reference_values() {
        // The published first outputs of SplitMix64 from state 0.
        let mut stream = Key(0).stream();
        assert_eq!(stream.bits(), 0xe220_a839_7b1d_cdaf);
        assert_eq!(stream.bits(), 0x6e78_9e6a_a1b9_65f4);
        assert_eq!(stream.bits(), 0x06c4_5d18_8009_454f);
    }
}
