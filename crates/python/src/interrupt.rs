//! Long work away from the interpreter, with Ctrl-C and progress looked after meanwhile.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use evoply_core::work::Stopped;
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError};
use pyo3::prelude::*;

/// How often the waiting thread looks for signals and reports progress.
const TICK: Duration = Duration::from_millis(50);

/// Run `work` on other threads without the interpreter lock; `tick` runs here meanwhile, and its error stops the work.
pub fn run<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&AtomicBool) -> Result<T, Stopped> + Send,
    mut tick: impl FnMut(Python<'_>) -> PyResult<()>,
) -> PyResult<T> {
    let stop = AtomicBool::new(false);
    let (sender, receiver) = channel();
    std::thread::scope(|scope| {
        let stop = &stop;
        let worker = scope.spawn(move || {
            // Nobody waits for the answer of work that was stopped.
            let _ = sender.send(work(stop));
        });
        let receiver = &mut { receiver };
        let answer = loop {
            let waited = py.detach(|| {
                let receiver = &mut *receiver;
                receiver.recv_timeout(TICK)
            });
            match waited {
                Ok(result) => break result.map_err(|Stopped| PyKeyboardInterrupt::new_err("stopped")),
                Err(RecvTimeoutError::Disconnected) => {
                    break Err(PyRuntimeError::new_err("the kernel stopped working: please report this"));
                }
                Err(RecvTimeoutError::Timeout) => {
                    if let Err(error) = py.check_signals().and_then(|()| tick(py)) {
                        stop.store(true, Ordering::Relaxed);
                        break Err(error);
                    }
                }
            }
        };
        // Joined here, without the interpreter: a panic is an error above, not a panic of the scope.
        let _ = py.detach(|| worker.join());
        answer
    })
}
