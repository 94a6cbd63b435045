//! Calls that sign, and calls that wait to sign, across `fork`.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use payments_core::signer::generate_key;
use payments_core::{CallContext, Client, Config, Error};
use payments_fork_tests::{ChildEnd, fork, payment};

use crate::child::is_alone;

const THREADS: usize = 8;
const FORKS: usize = 5;
/// Signing takes milliseconds: only a call that is never admitted takes this
/// long.
const DEADLINE: Duration = Duration::from_secs(30);

/// Signs a payment without sending it.
fn sign(client: &Client) -> Result<(), Error> {
    client.prepare(&payment("order"), &CallContext::with_timeout(DEADLINE)).map(drop)
}

#[test]
fn a_child_signs_while_calls_of_its_parent_sign_and_wait() {
    if !is_alone(a_child_signs_while_calls_of_its_parent_sign_and_wait, &[]) {
        return;
    }
    // Only one call signs at a time, so the others wait.
    let config = Config::new("http://127.0.0.1:1")
        .signing_key(generate_key().unwrap().private_key_pem, "kid")
        .signing_threads(1);
    let client = Client::new(config).unwrap();
    let signed = [const { AtomicU32::new(0) }; THREADS];
    let is_over = AtomicBool::new(false);
    // Whether every thread signs once more.
    let all_threads_sign = || {
        let before = signed.each_ref().map(|count| count.load(Ordering::Relaxed));
        let until = Instant::now() + DEADLINE;
        while signed.iter().zip(before).any(|(count, old)| count.load(Ordering::Relaxed) == old) {
            if Instant::now() > until {
                return false;
            }
            std::thread::yield_now();
        }
        true
    };
    let (children, parent) = std::thread::scope(|scope| {
        for count in &signed {
            let (client, is_over) = (&client, &is_over);
            scope.spawn(move || {
                while !is_over.load(Ordering::Relaxed) && sign(client).is_ok() {
                    count.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        let is_signing = all_threads_sign();
        let child = |_| fork(2 * DEADLINE, || sign(&client).is_ok()).wait();
        let children: Vec<_> = (0..FORKS).map(child).collect();
        let parent = (is_signing, all_threads_sign());
        is_over.store(true, Ordering::Relaxed);
        (children, parent)
    });
    assert_eq!(children, [ChildEnd::Exited(0); FORKS]);
    assert_eq!(parent, (true, true));
}
