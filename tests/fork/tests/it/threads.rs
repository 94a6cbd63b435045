//! A fork on a thread that runs the calls of an event loop.

use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use payments_fork_tests::{ChildEnd, fork_here, leave};
use payments_host::CallThreads;

use crate::child::is_alone;

const LIMIT: Duration = Duration::from_secs(60);

#[test]
fn the_calls_that_wait_for_a_thread_run_only_in_the_parent() {
    if !is_alone(the_calls_that_wait_for_a_thread_run_only_in_the_parent, &[]) {
        return;
    }
    let threads = CallThreads::new("calls", 256 * 1024);
    let parent = std::process::id();
    let (is_waiting, waits) = channel();
    let (ended, child) = channel();
    threads
        .run(None, move || {
            let () = waits.recv().unwrap();
            // The child returns as well.
            if let Some(child) = fork_here(LIMIT) {
                ended.send(child.wait()).unwrap();
            }
        })
        .unwrap();
    let (go_on, is_over) = channel::<()>();
    let is_over = Arc::new(Mutex::new(is_over));
    for _ in 1..CallThreads::MOST {
        let is_over = Arc::clone(&is_over);
        threads
            .run(None, move || {
                let _ = is_over.lock().unwrap().recv();
            })
            .unwrap();
    }
    let (done, is_done) = channel();
    threads
        .run(None, move || {
            if std::process::id() != parent {
                leave(|| false);
            }
            done.send(()).unwrap();
        })
        .unwrap();
    is_waiting.send(()).unwrap();
    assert_eq!(child.recv_timeout(LIMIT).unwrap(), ChildEnd::Exited(0), "its only thread ended");
    is_done.recv_timeout(LIMIT).unwrap();
    drop(go_on);
}
