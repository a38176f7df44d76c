//! Work on all cores: items are handed out one small chunk at a time, and everybody stops when asked to.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// The work was stopped before it was done; its partial results are worth nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stopped;

/// More threads than this are never of use.
const MOST_THREADS: usize = 1024;

/// Asks everybody to stop if its thread panics.
struct StopOnPanic<'a>(&'a AtomicBool);

impl Drop for StopOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

/// The number of threads meant by a request: 0 means one for each core.
pub fn thread_count(requested: usize) -> usize {
    if requested == 0 { std::thread::available_parallelism().map_or(1, std::num::NonZero::get) } else { requested }
}

/// Call `action(index, item)` for every item, on `threads` threads (0: one a core). Which thread does what is open.
///
/// # Errors
/// [`Stopped`] if `stop` was set before all items were done.
pub fn for_each_parallel<T: Send>(
    items: &mut [T],
    threads: usize,
    stop: &AtomicBool,
    action: impl Fn(usize, &mut T) + Sync,
) -> Result<(), Stopped> {
    for_each_parallel_with(items, threads, stop, || (), |(), index, item| action(index, item))
}

/// As [`for_each_parallel`], with one `scratch` value made by every thread for itself.
///
/// # Errors
/// [`Stopped`] if `stop` was set before all items were done.
pub fn for_each_parallel_with<T: Send, S>(
    items: &mut [T],
    threads: usize,
    stop: &AtomicBool,
    scratch: impl Fn() -> S + Sync,
    action: impl Fn(&mut S, usize, &mut T) + Sync,
) -> Result<(), Stopped> {
    for_each_chunk_with(items, threads, 1, stop, scratch, |scratch, first, items| {
        for (offset, item) in items.iter_mut().enumerate() {
            if stop.load(Ordering::Relaxed) {
                return;
            }
            action(scratch, first + offset, item);
        }
    })
}

/// As [`for_each_parallel_with`], a few neighbours at a time, `least` or more while there are as many for each thread: `action` gets
/// the number of the first.
///
/// # Errors
/// [`Stopped`] if `stop` was set before all items were done.
pub fn for_each_chunk_with<T: Send, S>(
    items: &mut [T],
    threads: usize,
    least: usize,
    stop: &AtomicBool,
    scratch: impl Fn() -> S + Sync,
    action: impl Fn(&mut S, usize, &mut [T]) + Sync,
) -> Result<(), Stopped> {
    let threads = thread_count(threads).min(items.len()).clamp(1, MOST_THREADS);
    let least = least.min(items.len().div_ceil(threads)).max(1);
    let chunk = (items.len() / (threads * 64)).clamp(least, least.max(256));
    let chunks = Mutex::new(items.chunks_mut(chunk).enumerate());
    let work = || {
        let _guard = StopOnPanic(stop);
        let mut scratch = scratch();
        loop {
            let next = chunks.lock().unwrap_or_else(std::sync::PoisonError::into_inner).next();
            let Some((number, items)) = next else { return };
            if stop.load(Ordering::Relaxed) {
                return;
            }
            action(&mut scratch, number * chunk, items);
        }
    };
    on_threads(threads, &work);
    if stop.load(Ordering::Relaxed) { Err(Stopped) } else { Ok(()) }
}

/// Do the same on so many threads, this one included; not generic, so that what it takes to begin threads is compiled once.
pub fn on_threads(threads: usize, work: &(dyn Fn() + Sync)) {
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(work);
        }
        work();
    });
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;

    #[test]
    fn chunks_have_the_least_size_and_every_thread_gets_one() {
        for (items, threads, least, expected) in
            [(1000, 2, 128, 128), (100, 4, 1024, 25), (3, 1, 0, 1), (200_000, 1, 1024, 1024), (64_000, 2, 1, 256)]
        {
            let (sizes, stop) = (Mutex::new(Vec::new()), AtomicBool::new(false));
            let mut seen = vec![0_usize; items];
            for_each_chunk_with(
                &mut seen,
                threads,
                least,
                &stop,
                || (),
                |(), first, chunk| {
                    sizes.lock().expect("no panic").push(chunk.len());
                    chunk.iter_mut().enumerate().for_each(|(offset, item)| *item = first + offset);
                },
            )
            .expect("nobody stops");
            assert!(seen.iter().enumerate().all(|(index, &item)| index == item));
            assert_eq!(sizes.into_inner().expect("no panic").into_iter().max(), Some(expected), "{items} on {threads}");
        }
    }

    #[test]
    fn a_panic_ends_the_work_of_the_others() {
        let (done, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
        let work = || {
            for_each_parallel(&mut vec![0_u8; 100_000], 2, &stop, |index, _| {
                assert!(index != 5, "this panic is part of the test");
                std::thread::sleep(std::time::Duration::from_micros(10));
                done.fetch_add(1, Ordering::Relaxed);
            })
        };
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).is_err());
        assert!(done.load(Ordering::Relaxed) < 50_000);
    }
}
