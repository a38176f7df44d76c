//! Long work away from the interpreter, with Ctrl-C and progress looked after meanwhile.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use evoply_core::kernel::Answer;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::games::failed;

/// How often the waiting thread looks for signals and reports progress.
const TICK: Duration = Duration::from_millis(50);

/// What comes from the thread at work.
enum Message<T, N> {
    News(N),
    Done(Answer<T>),
}

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
    let (sender, receiver) = channel();
    std::thread::scope(|scope| {
        let worker = scope.spawn(move || {
            // Nobody waits for the answer of work that was stopped.
            let done = work(&mut |news| {
                let _ = sender.send(Message::News(news));
            });
            let _ = sender.send(Message::Done(done));
        });
        let receiver = &mut { receiver };
        let answer = loop {
            let waited = py.detach(|| {
                let receiver = &mut *receiver;
                receiver.recv_timeout(TICK)
            });
            let news = match waited {
                Ok(Message::Done(result)) => break result.map_err(failed),
                Err(RecvTimeoutError::Disconnected) => {
                    break Err(PyRuntimeError::new_err("the kernel stopped working: please report this"));
                }
                Ok(Message::News(news)) => tell(py, news),
                Err(RecvTimeoutError::Timeout) => py.check_signals().and_then(|()| tick(py)),
            };
            if let Err(error) = news {
                stop.store(true, Ordering::Relaxed);
                break Err(error);
            }
        };
        // Joined here, without the interpreter: a panic is an error above, not a panic of the scope.
        let _ = py.detach(|| worker.join());
        answer
    })
}
