//! Long work away from the interpreter, with Ctrl-C and progress looked after meanwhile.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use evoply_core::kernel::Answer;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::games::failed;

/// How often the waiting thread looks for signals and reports progress.
const TICK: Duration = Duration::from_millis(50);

/// Run `work` on other threads without the interpreter lock; `tick` runs here meanwhile, and its error stops the work.
pub fn run<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&AtomicBool) -> Answer<T> + Send,
    tick: impl FnMut(Python<'_>) -> PyResult<()>,
) -> PyResult<T> {
    let stop = AtomicBool::new(false);
    run_telling(py, &stop, |_: &mut dyn FnMut(())| work(&stop), tick, |_, ()| Ok(()))
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
    let (answer, news, mut work) = (Mutex::new(None), Mutex::new(VecDeque::new()), Some(work));
    let mut work = |signal: &Sender<()>| {
        let Some(work) = work.take() else { return };
        let done = work(&mut |one| {
            locked(&news).push_back(one);
            // Nobody waits for what work that was stopped has to say.
            let _ = signal.send(());
        });
        *locked(&answer) = Some(done);
    };
    let mut hear = |py: Python<'_>| {
        while let Some(one) = { locked(&news).pop_front() } {
            tell(py, one)?;
        }
        Ok(())
    };
    wait(py, stop, &mut work, &mut tick, &mut hear)?;
    let done = locked(&answer).take();
    done.ok_or_else(|| PyRuntimeError::new_err("the kernel stopped working: please report this"))?.map_err(failed)
}

/// Wait until `work` has ended, which signals when there is something to hear; not generic, so that channels and threads are
/// compiled once.
fn wait(
    py: Python<'_>,
    stop: &AtomicBool,
    work: &mut (dyn FnMut(&Sender<()>) + Send),
    tick: &mut dyn FnMut(Python<'_>) -> PyResult<()>,
    hear: &mut dyn FnMut(Python<'_>) -> PyResult<()>,
) -> PyResult<()> {
    let (sender, receiver) = channel();
    std::thread::scope(|scope| {
        let worker = scope.spawn(move || work(&sender));
        let receiver = &mut { receiver };
        let heard = loop {
            let waited = py.detach(|| {
                let receiver = &mut *receiver;
                receiver.recv_timeout(TICK)
            });
            let heard = match waited {
                Ok(()) => hear(py),
                // The sender is gone: the work has ended, or panicked.
                Err(RecvTimeoutError::Disconnected) => break hear(py),
                Err(RecvTimeoutError::Timeout) => py.check_signals().and_then(|()| tick(py)),
            };
            if heard.is_err() {
                stop.store(true, Ordering::Relaxed);
                break heard;
            }
        };
        // Joined here, without the interpreter: a panic is an error of who asked, not a panic of the scope.
        let _ = py.detach(|| worker.join());
        heard
    })
}

fn locked<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}
