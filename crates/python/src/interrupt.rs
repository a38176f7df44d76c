//! Long work away from the interpreter, with Ctrl-C and progress looked after meanwhile.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use evoply_core::kernel::Answer;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::games::failed;

/// How often the waiting thread looks for signals and reports progress.
const TICK: Duration = Duration::from_millis(50);

/// What the thread at work does, with what hears of its news.
type Work<'a, N> = Box<dyn FnOnce(&mut dyn FnMut(N)) + Send + 'a>;

/// Run `work` on other threads without the interpreter lock.
pub fn run<T: Send>(py: Python<'_>, work: impl FnOnce(&AtomicBool) -> Answer<T> + Send) -> PyResult<T> {
    run_watched(py, work, |_| Ok(()))
}

/// As [`run`]; `tick` runs here meanwhile, and its error stops the work.
pub fn run_watched<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&AtomicBool) -> Answer<T> + Send,
    tick: impl FnMut(Python<'_>) -> PyResult<()>,
) -> PyResult<T> {
    let stop = AtomicBool::new(false);
    run_telling(py, &stop, |_: &mut dyn FnMut(())| work(&stop), tick, |_, ()| Ok(()))
}

/// As [`run`], of work that counts what is done, which `progress` hears of meanwhile.
pub fn run_counting<T: Send>(
    py: Python<'_>,
    progress: Option<Py<PyAny>>,
    work: impl FnOnce(&AtomicBool, &AtomicU64) -> Answer<T> + Send,
) -> PyResult<T> {
    let done = AtomicU64::new(0);
    let tell = |progress: &Py<PyAny>| progress.call1(py, (done.load(Ordering::Relaxed),)).map(|_| ());
    run_watched(py, |stop| work(stop, &done), |_| progress.as_ref().map_or(Ok(()), tell))
}

/// As [`run`] for what takes a few milliseconds at most: it is done here, because a thread would take longer to begin.
pub fn run_briefly<T>(work: impl FnOnce(&AtomicBool) -> Answer<T>) -> PyResult<T> {
    work(&AtomicBool::new(false)).map_err(failed)
}

/// As [`run`], of work that looks at `stop` and has news meanwhile, which `tell` hears here at once; its error stops the work too.
pub fn run_telling<T: Send, N: Send>(
    py: Python<'_>,
    stop: &AtomicBool,
    work: impl FnOnce(&mut dyn FnMut(N)) -> Answer<T> + Send,
    mut tick: impl FnMut(Python<'_>) -> PyResult<()>,
    mut tell: impl FnMut(Python<'_>, N) -> PyResult<()>,
) -> PyResult<T> {
    let mut answer = None;
    let work = Box::new(|tell: &mut dyn FnMut(N)| answer = Some(work(tell)));
    watch(py, stop, work, &mut tick, &mut tell)?;
    let stopped_working = || PyRuntimeError::new_err("the kernel stopped working: please report this");
    answer.ok_or_else(stopped_working)?.map_err(failed)
}

/// Wait until `work` is done, whatever comes of it: compiled once for each kind of news, not for each kind of answer.
fn watch<N: Send>(
    py: Python<'_>,
    stop: &AtomicBool,
    work: Work<'_, N>,
    tick: &mut dyn FnMut(Python<'_>) -> PyResult<()>,
    tell: &mut dyn FnMut(Python<'_>, N) -> PyResult<()>,
) -> PyResult<()> {
    let (sender, receiver) = channel();
    std::thread::scope(|scope| {
        // The sender goes with the thread, however it ends.
        let worker = scope.spawn(move || {
            work(&mut |news| {
                // Nobody waits for news of work that was stopped.
                let _ = sender.send(news);
            });
        });
        let receiver = &mut { receiver };
        let watched = loop {
            let waited = py.detach(|| {
                let receiver = &mut *receiver;
                receiver.recv_timeout(TICK)
            });
            let heard = match waited {
                Err(RecvTimeoutError::Disconnected) => break Ok(()),
                Ok(news) => tell(py, news),
                Err(RecvTimeoutError::Timeout) => py.check_signals().and_then(|()| tick(py)),
            };
            if let Err(error) = heard {
                stop.store(true, Ordering::Relaxed);
                break Err(error);
            }
        };
        // Joined here, without the interpreter: a panic has no answer, which is an error, and is no panic of the scope.
        let _ = py.detach(|| worker.join());
        watched
    })
}
