//! The instructions of this machine: hot code compiled once for each CPU path, chosen at the entry of a search or a batch.
//!
//! A [`Task`] is code that is compiled for every path. [`dispatch`] picks the best path that the machine has and runs the
//! task there; inside, `cpu.call(another_task)` goes on in the same path without choosing again, which is how recursive
//! searches stay in it. Everything that a task calls with `#[inline(always)]` is compiled with the instructions of the path.
//!
//! All results are the same on every path. Which paths are compiled is a matter of features (`path-baseline`, `path-avx2`,
//! `path-avx512`): wheels have all, a build for one machine has its best. The environment variable `EVOPLY_CPU` (`baseline`,
//! `avx2`, `avx512`) forces one of those that are built, for tests.
//!
//! This is the only module with `unsafe` code (with its registers, in `x86`). Its one reason: using instructions that the
//! language has no words for, and that not every machine has. A value of [`Avx2`] or [`Avx512`] can only be made by asking the machine, and is the proof that the use is
//! sound.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod machine;
pub mod vector;
#[cfg(target_arch = "x86_64")]
mod x86;

use std::sync::OnceLock;

use crate::lanes::{LANES, Lanes};
#[cfg(target_arch = "x86_64")]
pub use machine::{Avx2, Avx512};
use vector::{Array4, Eight, Quad};

/// Code to be compiled for every CPU path. Mark `run` `#[inline(always)]`.
pub trait Task {
    /// What the code gives.
    type Output;
    /// Whether the code is worth a copy for AVX-512 where there is one for AVX2, which every such machine runs too. It is
    /// asked of the task that [`dispatch`] begins with; the others stay in its path.
    const WORTH_AVX512: bool = true;
    /// The code; `cpu` says where it runs.
    fn run<C: Cpu>(self, cpu: C) -> Self::Output;
}

/// Proof that the machine has the instructions of a path, and the registers that come with it.
pub trait Cpu: Copy + Send + Sync {
    /// Eight words side by side.
    type Eight: Eight;
    /// Four words side by side.
    type Quad: Quad;
    /// Whether the four lines through the squares of one board are faster side by side than one after the other.
    const VECTORS_PAY: bool;

    /// Eight words from memory.
    fn words(self, words: &Lanes<u64>) -> Self::Eight;
    /// The same word eight times.
    fn splat(self, word: u64) -> Self::Eight;
    /// Four words from memory.
    fn quad(self, words: [u64; 4]) -> Self::Quad;
    /// The places of the eight lowest bits of a set, in order; lanes for which there is none mean nothing.
    #[inline(always)]
    fn places_of_first_bits(self, set: u64) -> Self::Eight {
        let (mut rest, mut places) = (set, Lanes::splat(0));
        for lane in 0..LANES {
            places.0[lane] = rest.trailing_zeros().into();
            rest &= rest.wrapping_sub(1);
        }
        self.words(&places)
    }
    /// The bit number `index` of the set bits of a word, the lowest being number 0; there must be as many.
    #[inline(always)]
    fn nth_bit(self, word: u64, index: u64) -> u64 {
        vector::nth_bit(word, index)
    }
    /// Run a task with the instructions of this path.
    fn call<T: Task>(self, task: T) -> T::Output;
    /// As [`Self::call`], in a function of its own: for what is rare or long and would make the code around it slower.
    #[inline]
    fn call_apart<T: Task>(self, task: T) -> T::Output {
        #[inline(never)]
        fn apart<C: Cpu, T: Task>(cpu: C, task: T) -> T::Output {
            cpu.call(task)
        }
        apart(self, task)
    }
}

/// Ask for the memory of a value that is soon looked at; nothing else happens.
#[inline(always)]
pub fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every processor of the architecture has this instruction, and it neither reads nor writes what a program sees.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}

/// What every machine of the architecture has.
#[derive(Clone, Copy, Debug)]
pub struct Baseline;

impl Cpu for Baseline {
    #[cfg(target_arch = "x86_64")]
    type Eight = x86::Eight128;
    #[cfg(not(target_arch = "x86_64"))]
    type Eight = Lanes<u64>;
    type Quad = Array4;
    const VECTORS_PAY: bool = false;

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn words(self, words: &Lanes<u64>) -> Self::Eight {
        x86::Eight128::new(words)
    }
    #[cfg(not(target_arch = "x86_64"))]
    #[inline(always)]
    fn words(self, words: &Lanes<u64>) -> Self::Eight {
        *words
    }
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn splat(self, word: u64) -> Self::Eight {
        x86::Eight128::splat(word)
    }
    #[cfg(not(target_arch = "x86_64"))]
    #[inline(always)]
    fn splat(self, word: u64) -> Self::Eight {
        Lanes::splat(word)
    }
    #[inline(always)]
    fn quad(self, words: [u64; 4]) -> Array4 {
        Array4::new(words)
    }
    #[inline]
    fn call<T: Task>(self, task: T) -> T::Output {
        #[inline(never)]
        fn baseline<T: Task>(task: T) -> T::Output {
            task.run(Baseline)
        }
        baseline(task)
    }
}

#[cfg(target_arch = "x86_64")]
impl Cpu for Avx2 {
    type Eight = x86::Eight256;
    type Quad = x86::Quad256;
    const VECTORS_PAY: bool = true;

    #[inline(always)]
    fn words(self, words: &Lanes<u64>) -> Self::Eight {
        x86::Eight256::new(self, words)
    }
    #[inline(always)]
    fn splat(self, word: u64) -> Self::Eight {
        x86::Eight256::splat(self, word)
    }
    #[inline(always)]
    fn quad(self, words: [u64; 4]) -> Self::Quad {
        x86::Quad256::new(self, &words)
    }
    #[inline(always)]
    fn nth_bit(self, word: u64, index: u64) -> u64 {
        x86::nth_bit(self, word, index)
    }
    #[inline]
    fn call<T: Task>(self, task: T) -> T::Output {
        #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
        fn avx2<T: Task>(cpu: Avx2, task: T) -> T::Output {
            task.run(cpu)
        }
        // SAFETY: `self` exists only if the machine has these features; see `machine`.
        unsafe { avx2(self, task) }
    }
}

#[cfg(target_arch = "x86_64")]
impl Cpu for Avx512 {
    type Eight = x86::Eight512;
    type Quad = x86::Quad256;
    const VECTORS_PAY: bool = true;

    #[inline(always)]
    fn words(self, words: &Lanes<u64>) -> Self::Eight {
        x86::Eight512::new(self, words)
    }
    #[inline(always)]
    fn splat(self, word: u64) -> Self::Eight {
        x86::Eight512::splat(self, word)
    }
    #[inline(always)]
    fn quad(self, words: [u64; 4]) -> Self::Quad {
        x86::Quad256::new(self.avx2(), &words)
    }
    #[inline(always)]
    fn nth_bit(self, word: u64, index: u64) -> u64 {
        x86::nth_bit(self.avx2(), word, index)
    }
    #[inline(always)]
    fn places_of_first_bits(self, set: u64) -> Self::Eight {
        x86::Eight512::places_of_first_bits(self, set)
    }
    #[inline]
    fn call<T: Task>(self, task: T) -> T::Output {
        #[target_feature(
            enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512cd,avx512vpopcntdq,avx512bitalg,avx512vbmi2,avx2,bmi1,bmi2,lzcnt,popcnt"
        )]
        fn avx512<T: Task>(cpu: Avx512, task: T) -> T::Output {
            task.run(cpu)
        }
        // SAFETY: `self` exists only if the machine has these features; see `machine`.
        unsafe { avx512(self, task) }
    }
}

/// A CPU path.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Path {
    /// What every machine of the architecture has.
    Baseline,
    /// [`Avx2`].
    Avx2,
    /// [`Avx512`].
    Avx512,
}

impl Path {
    /// The name that `EVOPLY_CPU` takes.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Baseline => "baseline",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }
}

impl Path {
    /// All there are, slowest first.
    const ALL: [Self; 3] = [Self::Baseline, Self::Avx2, Self::Avx512];

    /// Whether the path is compiled into this library.
    const fn is_built(self) -> bool {
        match self {
            Self::Baseline => cfg!(feature = "path-baseline"),
            Self::Avx2 => cfg!(all(target_arch = "x86_64", feature = "path-avx2")),
            Self::Avx512 => cfg!(all(target_arch = "x86_64", feature = "path-avx512")),
        }
    }

    /// Whether this machine has the instructions.
    fn is_supported(self) -> bool {
        match self {
            Self::Baseline => true,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => Avx2::of_this_machine().is_some(),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => Avx512::of_this_machine().is_some(),
            #[cfg(not(target_arch = "x86_64"))]
            _ => false,
        }
    }
}

/// The paths that are compiled into this library, slowest first.
pub fn built() -> Vec<Path> {
    Path::ALL.into_iter().filter(|path| path.is_built()).collect()
}

/// The paths that are built and that this machine has, slowest first.
pub fn available() -> Vec<Path> {
    built().into_iter().filter(|path| path.is_supported()).collect()
}

fn names(paths: &[Path]) -> String {
    paths.iter().map(|path| path.name()).collect::<Vec<_>>().join(", ")
}

/// The path to take where `wanted` stands in `EVOPLY_CPU` (empty: the best), or why there is none.
fn choose(wanted: &str, built: &[Path], available: &[Path]) -> Result<Path, String> {
    let Some(&best) = available.last() else {
        return Err(format!(
            "this build of evoply is for machines with {}, which this one lacks: build it here with 'make setup', or with \
             'EVOPLY_PATHS=baseline make setup' for every machine",
            names(built)
        ));
    };
    if wanted.is_empty() {
        return Ok(best);
    }
    if let Some(&path) = available.iter().find(|path| path.name() == wanted) {
        return Ok(path);
    }
    let known = Path::ALL.into_iter().find(|path| path.name() == wanted);
    Err(match known {
        None => format!("EVOPLY_CPU is {wanted:?}: paths are {}; give one of {}", names(&Path::ALL), names(available)),
        Some(path) if built.contains(&path) => {
            format!("EVOPLY_CPU is {wanted}: this machine does not have it; give one of {}", names(available))
        }
        Some(_) => format!(
            "EVOPLY_CPU is {wanted}: this build has {} alone; 'EVOPLY_PATHS=all make setup' builds all paths",
            names(built)
        ),
    })
}

/// The path in use: the best one, or the one that `EVOPLY_CPU` names.
///
/// # Errors
/// No path that is built runs on this machine, or `EVOPLY_CPU` names one that does not exist, is not built, or that this machine
/// does not have.
pub fn selected() -> Result<Path, &'static str> {
    static SELECTED: OnceLock<Result<Path, String>> = OnceLock::new();
    SELECTED
        .get_or_init(|| {
            let wanted = std::env::var_os("EVOPLY_CPU").unwrap_or_default();
            choose(&wanted.to_string_lossy(), &built(), &available())
        })
        .as_ref()
        .copied()
        .map_err(String::as_str)
}

/// Run a task on the path in use.
///
/// # Panics
/// If [`selected`] finds none: whoever begins asks it first.
#[inline]
pub fn dispatch<T: Task>(task: T) -> T::Output {
    on(selected().unwrap_or(Path::Baseline), task)
}

/// Run a task on a path of [`available`]; on the best one below it where that is not built or the machine does not have it.
///
/// # Panics
/// If nothing that is built runs on this machine.
#[inline]
pub fn on<T: Task>(path: Path, task: T) -> T::Output {
    // Constant, so that what is not worth it is not even compiled.
    #[cfg(all(target_arch = "x86_64", feature = "path-avx512"))]
    if const { T::WORTH_AVX512 || !Path::Avx2.is_built() }
        && (path >= Path::Avx512 || const { !Path::Avx2.is_built() && !Path::Baseline.is_built() })
        && let Some(cpu) = Avx512::of_this_machine()
    {
        return cpu.call(task);
    }
    #[cfg(all(target_arch = "x86_64", feature = "path-avx2"))]
    if (path >= Path::Avx2 || !Path::Baseline.is_built())
        && let Some(cpu) = Avx2::of_this_machine()
    {
        return cpu.call(task);
    }
    #[cfg(feature = "path-baseline")]
    return Baseline.call(task);
    #[cfg(not(feature = "path-baseline"))]
    {
        let _ = task;
        unreachable!("{path:?} is not for this machine, nor is any other path that is built")
    }
}

#[cfg(not(any(
    feature = "path-baseline",
    all(target_arch = "x86_64", any(feature = "path-avx2", feature = "path-avx512"))
)))]
compile_error!("no CPU path is built: give the feature path-baseline, or on x86-64 path-avx2 or path-avx512");

#[cfg(test)]
mod tests {
    use super::vector::Vector;
    use super::*;
    use crate::stream::Key;

    /// What every operation of a path gives, as arrays.
    struct Operations([Lanes<u64>; 3], u32);

    impl Task for Operations {
        type Output = (Vec<Lanes<u64>>, [Lanes<f64>; 1], u8);
        #[inline(always)]
        fn run<C: Cpu>(self, cpu: C) -> Self::Output {
            let Self([first, second, third], by) = self;
            let [a, b, c] = [cpu.words(&first), cpu.words(&second), cpu.words(&third)];
            let four = [first.0[0], first.0[1], second.0[0], second.0[1]];
            let (quad, steps) = (cpu.quad(four), cpu.quad(third.0[..4].try_into().unwrap_or_default()));
            let steps = steps & cpu.quad([63; 4]);
            let mut quads = Lanes::splat(((quad | steps) & !quad).union());
            quads.0[..4].copy_from_slice(&quad.shl_each(steps).words());
            quads.0[4..].copy_from_slice(&quad.shr_each(steps).words());
            let wide = [
                a & b,
                a | b,
                !a,
                a << by,
                a >> by,
                a.plus(b),
                a.minus(b),
                a.times(b),
                a.times_low(b),
                a.differences(b),
                a.count_ones(),
                c.select(a, b),
                a.less(b),
                b.less(a),
                a.less(a),
                cpu.splat(first.0[3]),
                b.like(first.0[3]),
            ];
            let mut lanes: Vec<_> = wide.into_iter().map(Eight::lanes).collect();
            lanes.push(quads);
            // Lanes without a bit mean nothing.
            let count = (first.0[0].count_ones() as usize).min(LANES);
            let mut bits = cpu.places_of_first_bits(first.0[0]).lanes();
            bits.0[count..].fill(0);
            lanes.push(bits);
            // A lane without as many bits means nothing.
            let numbers = a.count_ones().lanes().zip(second, |count, any| any % count.max(1));
            lanes.push(a.place_of_bit(cpu.words(&numbers)).lanes());
            lanes.push(a.shl_each(b.count_ones()).lanes());
            lanes.push(a.shl_each(cpu.words(&Lanes::of(|lane| 60 + lane as u64))).lanes());
            lanes.push(Lanes::of(|lane| cpu.nth_bit(first.0[lane] | 1, numbers.0[lane])));
            quads.0[..4].copy_from_slice(&quad.everywhere().words());
            lanes.push(quads);
            (lanes, [a.counts()], c.not_zero())
        }
    }

    #[test]
    fn a_path_that_is_not_there_is_refused_with_what_to_do() {
        use Path::{Avx2, Avx512, Baseline};
        assert_eq!(choose("", &[Baseline, Avx2, Avx512], &[Baseline, Avx2]), Ok(Avx2));
        assert_eq!(choose("baseline", &[Baseline, Avx2], &[Baseline, Avx2]), Ok(Baseline));
        let refused =
            |wanted, built: &[Path], available: &[Path]| choose(wanted, built, available).err().unwrap_or_default();
        assert!(refused("", &[Avx512], &[]).contains("machines with avx512, which this one lacks"));
        assert!(refused("avx512", &[Avx2], &[Avx2]).contains("'EVOPLY_PATHS=all make setup'"));
        assert!(refused("avx512", &[Avx2, Avx512], &[Avx2]).contains("this machine does not have it"));
        assert!(refused("sse", &[Baseline], &[Baseline]).contains("paths are baseline, avx2, avx512"));
    }

    #[test]
    fn registers_of_every_path_do_what_arrays_do() {
        for round in 0..if cfg!(miri) { 5 } else { 2_000 } {
            let mut draws = Key::new(31).child(round).stream();
            let mut words = || {
                Lanes(std::array::from_fn(|_| match draws.below(4) {
                    0 => 0,
                    1 => draws.bits() & draws.bits() & draws.bits() & draws.bits(),
                    2 => u64::MAX << draws.below(64),
                    _ => draws.bits(),
                }))
            };
            let words = [words(), words(), words()];
            let by = 1 + (round % 63) as u32;
            let (a, b) = (words[0], words[1]);
            let results: Vec<_> = available().into_iter().map(|path| on(path, Operations(words, by))).collect();
            for (lanes, [counts], not_zero) in &results {
                let [first, second, third] = words;
                let expected = [
                    a.zip(b, |a, b| a & b),
                    a.zip(b, |a, b| a | b),
                    a.map(|a| !a),
                    a.map(|a| a << by),
                    a.map(|a| a >> by),
                    a.zip(b, u64::wrapping_add),
                    a.zip(b, u64::wrapping_sub),
                    a.zip(b, u64::wrapping_mul),
                    a.zip(b, |a, b| (a & 0xffff_ffff) * (b & 0xffff_ffff)),
                    a.zip(b, |a, b| a ^ b),
                    a.map(|a| a.count_ones().into()),
                    Lanes(std::array::from_fn(|i| if third.0[i] == 0 { second.0[i] } else { first.0[i] })),
                    a.zip(b, |a, b| if a < b { u64::MAX } else { 0 }),
                    b.zip(a, |b, a| if b < a { u64::MAX } else { 0 }),
                    Lanes::splat(0),
                    Lanes::splat(a.0[3]),
                    Lanes::splat(a.0[3]),
                ];
                assert_eq!(lanes[..expected.len()], expected, "round {round}");
                assert_eq!(lanes, &results[0].0, "round {round}");
                assert_eq!(counts.0, a.0.map(|word| f64::from(word.count_ones())));
                assert_eq!(*not_zero, (0..8).fold(0, |bits, i| bits | u8::from(third.0[i] != 0) << i));
                let mut rest = a.0[0];
                for place in lanes[expected.len() + 1].0 {
                    assert_eq!(place, if rest == 0 { 0 } else { rest.trailing_zeros().into() });
                    rest &= rest.wrapping_sub(1);
                }
                for lane in 0..LANES {
                    let number = b.0[lane] % u64::from(a.0[lane].count_ones().max(1));
                    let below = (0..64).find(|&bit| {
                        a.0[lane] >> bit & 1 == 1 && u64::from((a.0[lane] & ((1 << bit) - 1)).count_ones()) == number
                    });
                    assert_eq!(lanes[expected.len() + 2].0[lane], below.unwrap_or(64));
                    assert_eq!(
                        lanes[expected.len() + 3].0[lane],
                        a.0[lane].checked_shl(b.0[lane].count_ones()).unwrap_or(0)
                    );
                    let past = 60 + lane as u32;
                    assert_eq!(lanes[expected.len() + 4].0[lane], a.0[lane].checked_shl(past).unwrap_or(0));
                }
                let united = a.0[0] | a.0[1] | b.0[0] | b.0[1];
                assert_eq!(lanes[expected.len() + 6].0[..4], [united; 4]);
            }
        }
    }
}
