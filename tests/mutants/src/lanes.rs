//! Works on many items in parallel.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Applies `work` to each item, on six times as many threads as there are cores,
/// since most tests wait; it gets the number of its thread too. Ends at the first error.
pub fn map<T: Sync, R: Send>(
    items: &[T],
    work: impl Fn(usize, &T) -> Result<R, String> + Sync,
) -> Result<Vec<R>, String> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(vec![]);
    let lanes = 6 * thread::available_parallelism().map_or(1, |it| it.get());
    thread::scope(|scope| {
        for lane in 0..lanes {
            let (next, results, work) = (&next, &results, &work);
            scope.spawn(move || {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(at) else { return };
                    let result = work(lane, item);
                    if result.is_err() {
                        next.store(items.len(), Ordering::Relaxed);
                    }
                    let Ok(mut results) = results.lock() else { return };
                    results.push((at, result));
                }
            });
        }
    });
    let mut results = results.into_inner().map_err(|error| error.to_string())?;
    results.sort_by_key(|(at, _)| *at);
    results.into_iter().map(|(_, result)| result).collect()
}
