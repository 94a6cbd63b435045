//! The threads on which the calls of an event loop run.

use std::model;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use payments_core::context::{CallContext, CancelHandle};
use payments_core::schedules::{Check, LONG, check};

use crate::CallThreads;

pub static CHECKS: &[Check] = &[
    check("threads: each call runs", [1, 2], each_runs),
    check("threads: cancelled calls of the queue end", [1, 2], queue),
];

/// One call after another, while the idle thread may be about to end.
pub fn each_runs() {
    model::execution_in_time(|| {
        let threads = CallThreads::new("call", 1024 * 1024);
        let (done, ends) = channel();
        for number in 0..2 {
            let (done, ended) = (done.clone(), number + 1);
            threads.run(None, move || done.send(ended).unwrap()).unwrap();
            if number == 0 {
                assert_eq!(ends.recv(), Ok(1));
                // An idle thread ends after this long.
                thread::spawn(|| model::advance(Duration::from_secs(5)));
            }
        }
        assert_eq!(ends.recv(), Ok(2));
    });
}

/// One thread is busy until the cancelled call in the queue has ended.
pub fn queue() {
    model::execution_in_time(|| {
        let mut threads = CallThreads::new("call", 1024 * 1024);
        threads.most = 1;
        let threads = Arc::new(threads);
        let ((cancelled, is_cancelled), (last, is_last)) = (channel(), channel());
        let run = move || assert_eq!(is_cancelled.recv(), Ok(()));
        threads.run(None, run).unwrap();
        let cancel = CancelHandle::new();
        let canceller = thread::spawn({
            let (threads, cancel) = (Arc::clone(&threads), cancel.clone());
            move || {
                cancel.cancel();
                threads.look_at_queue();
            }
        });
        let context = CallContext::new(LONG, cancel, None);
        threads.run(Some(context), move || cancelled.send(()).unwrap()).unwrap();
        threads.run(None, move || last.send(()).unwrap()).unwrap();
        assert_eq!(is_last.recv(), Ok(()));
        assert!(model::elapsed() < LONG, "the call ended because of its deadline");
        canceller.join().unwrap();
    });
}
