//! Many independent trials on several threads: number `k` is the same whichever thread takes it.

use super::lock;
use crate::against_clang::HarnessError;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Does `work` for each number below `count` and hands what it gives to `done`, one at a time.
/// Raising `interrupted` ends it early, and so does the first error.
pub(crate) fn each<T>(
    count: usize,
    threads: usize,
    interrupted: &AtomicBool,
    work: impl Fn(usize) -> Result<T, HarnessError> + Sync,
    done: impl FnMut(T) + Send,
) -> Result<(), HarnessError> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(done);
    let error = Mutex::new(None);
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            scope.spawn(|| {
                while !interrupted.load(Ordering::Relaxed) {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= count {
                        return;
                    }
                    match work(index) {
                        Ok(result) => (*lock(&done))(result),
                        Err(problem) => {
                            *lock(&error) = Some(problem);
                            interrupted.store(true, Ordering::Relaxed);
                        }
                    }
                }
            });
        }
    });
    match lock(&error).take() {
        Some(problem) => Err(problem),
        None => Ok(()),
    }
}
