//! The turn to sign with a key in memory, which one call of the process has.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use payments_core::context::InterruptHook;
use payments_core::{CallContext, CancelHandle, Client, Config};

use super::stage::wait_until;
use crate::support::calls;

const KEY: &str = include_str!("../../../../../tests/vectors/keys/test_rsa_4096_pkcs8.pem");
const FAR: Duration = Duration::from_secs(60);
/// More times than a call asks if it does not wait.
pub const MANY_ASKS: u32 = 6;

/// The configuration of a client that signs with a key in memory, when fewer than
/// `limit` calls do.
pub fn signing(config: Config, limit: usize) -> Config {
    config.signing_key(KEY, "kid-1").signing_threads(limit)
}

/// A call that has the turn, until it is released.
pub struct Turn {
    is_released: Arc<AtomicBool>,
    holder: JoinHandle<bool>,
}

impl Turn {
    /// Takes the turn: a call that waits for it is kept in its interrupt hook, and
    /// gets the turn meanwhile.
    pub fn take() -> Self {
        let client = client_of(1);
        (0..).find_map(|trial| Self::try_to_take(&client, 1 + trial % 3)).unwrap()
    }

    /// Keeps a call when it asks for the nth time. It has the turn if others
    /// were signing when it came, which only a probe shows.
    fn try_to_take(client: &Client, nth: u32) -> Option<Self> {
        let is_over = AtomicBool::new(false);
        let (is_kept, is_released) = (Arc::default(), Arc::<AtomicBool>::default());
        let others = client_of(usize::MAX);
        let turn = std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    while !is_over.load(Ordering::SeqCst) {
                        prepare(&others, None);
                    }
                });
            }
            let turn = Self::keep(client, nth, Arc::clone(&is_kept), is_released);
            wait_until(|| is_kept.load(Ordering::SeqCst) || turn.holder.is_finished());
            is_over.store(true, Ordering::SeqCst);
            turn
        });
        if is_kept.load(Ordering::SeqCst) && is_taken(client) {
            return Some(turn);
        }
        turn.release();
        None
    }

    fn keep(
        client: &Client,
        nth: u32,
        is_kept: Arc<AtomicBool>,
        is_released: Arc<AtomicBool>,
    ) -> Self {
        let (client, until, asked) = (client.clone(), Arc::clone(&is_released), AtomicU32::new(1));
        let hook: InterruptHook = Arc::new(move || {
            if asked.fetch_add(1, Ordering::SeqCst) == nth {
                is_kept.store(true, Ordering::SeqCst);
                wait_until(|| until.load(Ordering::SeqCst));
            }
            false
        });
        let holder = std::thread::spawn(move || prepare(&client, Some(hook)));
        Self { is_released, holder }
    }

    pub fn release(self) {
        self.releaser()();
        self.holder.join().unwrap();
    }

    /// Releases it, from any thread.
    pub fn releaser(&self) -> impl Fn() + Send + Sync + 'static {
        let is_released = Arc::clone(&self.is_released);
        move || is_released.store(true, Ordering::SeqCst)
    }
}

fn client_of(limit: usize) -> Client {
    Client::new(signing(calls::config("https://service.test"), limit)).unwrap()
}

/// Signs, and returns whether the call completed.
fn prepare(client: &Client, hook: Option<InterruptHook>) -> bool {
    let context = CallContext::new(FAR, CancelHandle::new(), hook);
    client.prepare(&calls::tracking(), &context).is_ok()
}

/// Whether somebody has the turn.
fn is_taken(client: &Client) -> bool {
    let asked = AtomicU32::new(0);
    let hook: InterruptHook = Arc::new(move || asked.fetch_add(1, Ordering::SeqCst) >= MANY_ASKS);
    !prepare(client, Some(hook))
}
