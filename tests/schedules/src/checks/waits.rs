//! Waits for other threads.

use std::model;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::thread;
use std::time::Duration;

use payments_transport::context::{CallContext, CancelHandle, Ended};
use payments_transport::inside::Waiters;

use super::LONG;

/// Two wait until two others have changed a number.
fn wait_for_two_changes() {
    let (waiters, changes) = (Waiters::default(), AtomicUsize::new(0));
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                changes.fetch_add(1, SeqCst);
                waiters.wake();
            });
            scope.spawn(|| {
                let context = CallContext::with_timeout(LONG);
                loop {
                    let seen = waiters.seen();
                    if changes.load(SeqCst) == 2 {
                        return;
                    }
                    waiters.wait(seen, &context, LONG);
                }
            });
        }
    });
}

pub fn changes() {
    model::execution(wait_for_two_changes);
}

/// Then changes are noticed a little later.
pub fn without_wakers() {
    model::execution_in_time(|| {
        model::refuse_descriptors();
        wait_for_two_changes();
        assert!(model::elapsed() < Duration::from_secs(1));
    });
}

pub fn cancellation() {
    model::execution(|| {
        let cancel = CancelHandle::new();
        let waiters = Waiters::default();
        thread::scope(|scope| {
            let contexts = [(); 2].map(|()| CallContext::new(LONG, cancel.clone(), None));
            let [waiting, sleeping] = contexts;
            let waiters = &waiters;
            scope.spawn(move || {
                while waiting.ended().is_none() {
                    waiters.wait(waiters.seen(), &waiting, LONG);
                }
                assert_eq!(waiting.ended(), Some(Ended::Cancelled));
            });
            scope.spawn(move || assert!(sleeping.sleep(LONG).is_err()));
            scope.spawn(|| cancel.cancel());
        });
    });
}
