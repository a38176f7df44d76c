//! The instructions of this machine: hot code compiled once for each CPU path, chosen at the entry of a search or a batch.
//!
//! A [`Task`] is code that is compiled for every path. [`dispatch`] picks the best path that the machine has and runs the
//! task there; inside, `cpu.call(another_task)` goes on in the same path without choosing again, which is how recursive
//! searches stay in it. Everything that a task calls with `#[inline(always)]` is compiled with the instructions of the path.
//!
//! All results are the same on every path. The environment variable `EVOPLY_CPU` (`baseline`, `avx2`, `avx512`) forces one,
//! for tests.
//!
//! This is the only module with `unsafe` code. Its one reason: calling a function compiled for instructions that not every
//! machine has. A value of [`Avx2`] or [`Avx512`] can only be made here, after the machine was asked, and is the proof that
//! the call is sound.
#![allow(unsafe_code)]

use std::sync::OnceLock;

/// Code to be compiled for every CPU path. Mark `run` `#[inline(always)]`.
pub trait Task {
    /// What the code gives.
    type Output;
    /// The code; `cpu` says where it runs.
    fn run<C: Cpu>(self, cpu: C) -> Self::Output;
}

/// Proof that the machine has the instructions of a path.
pub trait Cpu: Copy + Send + Sync {
    /// Run a task with the instructions of this path.
    fn call<T: Task>(self, task: T) -> T::Output;
}

/// What every machine of the architecture has.
#[derive(Clone, Copy, Debug)]
pub struct Baseline;

impl Cpu for Baseline {
    #[inline]
    fn call<T: Task>(self, task: T) -> T::Output {
        #[inline(never)]
        fn baseline<T: Task>(task: T) -> T::Output {
            task.run(Baseline)
        }
        baseline(task)
    }
}

/// x86-64 with AVX2, BMI and hardware bit counts (2013 and later).
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug)]
pub struct Avx2(());

/// x86-64 with AVX-512 including its bit counts (2019 and later).
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug)]
pub struct Avx512(());

#[cfg(target_arch = "x86_64")]
impl Cpu for Avx2 {
    #[inline]
    fn call<T: Task>(self, task: T) -> T::Output {
        #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
        fn avx2<T: Task>(cpu: Avx2, task: T) -> T::Output {
            task.run(cpu)
        }
        // SAFETY: `self` exists only if the machine has these features; see `best`.
        unsafe { avx2(self, task) }
    }
}

#[cfg(target_arch = "x86_64")]
impl Cpu for Avx512 {
    #[inline]
    fn call<T: Task>(self, task: T) -> T::Output {
        #[target_feature(
            enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512cd,avx512vpopcntdq,avx512bitalg,avx2,bmi1,bmi2,lzcnt,popcnt"
        )]
        fn avx512<T: Task>(cpu: Avx512, task: T) -> T::Output {
            task.run(cpu)
        }
        // SAFETY: `self` exists only if the machine has these features; see `best`.
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

/// The best path of this machine.
#[cfg(target_arch = "x86_64")]
fn best() -> Path {
    let bits = is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt");
    if !(bits && is_x86_feature_detected!("avx2")) {
        return Path::Baseline;
    }
    let wide = is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512cd")
        && is_x86_feature_detected!("avx512vpopcntdq")
        && is_x86_feature_detected!("avx512bitalg")
        // The compiler takes these two to come with avx512f.
        && is_x86_feature_detected!("fma")
        && is_x86_feature_detected!("f16c");
    if wide { Path::Avx512 } else { Path::Avx2 }
}

#[cfg(not(target_arch = "x86_64"))]
fn best() -> Path {
    Path::Baseline
}

/// The paths that this machine has, slowest first.
pub fn available() -> Vec<Path> {
    [Path::Baseline, Path::Avx2, Path::Avx512].into_iter().filter(|&path| path <= best()).collect()
}

/// The path in use: the best one, or the one that `EVOPLY_CPU` names.
///
/// # Errors
/// `EVOPLY_CPU` names a path that does not exist or that this machine does not have.
pub fn selected() -> Result<Path, &'static str> {
    static SELECTED: OnceLock<Result<Path, String>> = OnceLock::new();
    SELECTED
        .get_or_init(|| {
            let wanted = std::env::var_os("EVOPLY_CPU").unwrap_or_default();
            if wanted.is_empty() {
                return Ok(best());
            }
            let known = available();
            let found = known.iter().find(|path| wanted == path.name());
            found.copied().ok_or_else(|| {
                let names: Vec<_> = known.iter().map(|path| path.name()).collect();
                format!("EVOPLY_CPU is {}: this machine has {}", wanted.display(), names.join(", "))
            })
        })
        .as_ref()
        .copied()
        .map_err(String::as_str)
}

/// Run a task on the path in use.
#[inline]
pub fn dispatch<T: Task>(task: T) -> T::Output {
    on(selected().unwrap_or(Path::Baseline), task)
}

/// Run a task on a path of [`available`]; on the best one if the machine does not have it.
#[inline]
pub fn on<T: Task>(path: Path, task: T) -> T::Output {
    match path.min(best()) {
        Path::Baseline => Baseline.call(task),
        #[cfg(target_arch = "x86_64")]
        Path::Avx2 => Avx2(()).call(task),
        #[cfg(target_arch = "x86_64")]
        Path::Avx512 => Avx512(()).call(task),
        #[cfg(not(target_arch = "x86_64"))]
        _ => Baseline.call(task),
    }
}
