//! A fork while the callers of one order share a query.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use payments_core::context::InterruptHook;
use payments_core::journal::SqliteJournal;
use payments_core::{CancelHandle, Client, Config, Error};
use payments_fork_tests::{ChildEnd, fork, payment};
use payments_host::{EnsuredPayment, ensure_payment};

use crate::child::is_alone;
use crate::folder::Folder;
use crate::forking::{LIMIT, conclude, fork_at, hook};
use crate::raw_server::{RawServer, json};
use crate::wait::wait_until;

/// So often a call is interrupted before it is certain that it waits.
const WAITS: usize = 10;

/// A service whose first query is answered after a hook was asked so often, and a client.
struct Shop {
    server: RawServer,
    asked: Arc<AtomicUsize>,
    client: Client,
    _folder: Folder,
}

impl Shop {
    fn new(answered_after: usize) -> Self {
        let asked = Arc::new(AtomicUsize::new(0));
        let (hooks, queries) = (Arc::clone(&asked), AtomicUsize::new(0));
        let server = RawServer::start(move |mut connection| {
            while connection.read_request().is_some() {
                if queries.fetch_add(1, Ordering::SeqCst) == 0 {
                    let is_enough = || hooks.load(Ordering::SeqCst) >= answered_after;
                    wait_until("the calls wait", is_enough);
                }
                connection.write(&json(
                    r#"{"status":"SUCCESS","payment":{"hash":"5a4f","merchant_payment_code":"order-1","status":"PE"}}"#,
                ));
            }
        });
        let folder = Folder::new();
        let path = folder.path().join("journal.db");
        SqliteJournal::create(&path).unwrap();
        let config = Config::new(server.base_url()).integration_key("key-1").journal_file(path);
        let config = config.ensure_wait(LIMIT).timeout(LIMIT);
        Self { server, asked, client: Client::new(config).unwrap(), _folder: folder }
    }

    fn ensure(&self, hook: Option<InterruptHook>) -> Result<EnsuredPayment, Error> {
        let context = self.client.context_with(CancelHandle::new(), hook);
        ensure_payment(&self.client, &payment("order-1"), &context)
    }

    /// A hook that counts, and asks the other one.
    fn counted(&self, hook: InterruptHook) -> InterruptHook {
        let asked = Arc::clone(&self.asked);
        Arc::new(move || {
            let is_interrupted = hook();
            asked.fetch_add(1, Ordering::SeqCst);
            is_interrupted
        })
    }

    fn until_asked(&self, times: usize) {
        wait_until("the hook is asked", || self.asked.load(Ordering::SeqCst) >= times);
    }

    fn until_queried(&self) {
        wait_until("a query", || !self.server.requests().is_empty());
    }
}

#[test]
fn a_child_asks_while_the_calls_of_its_parent_share_a_query() {
    if !is_alone(a_child_asks_while_the_calls_of_its_parent_share_a_query, &[]) {
        return;
    }
    let shop = Shop::new(1000);
    std::thread::scope(|scope| {
        let asks = scope.spawn(|| shop.ensure(None));
        shop.until_queried();
        let waits = scope.spawn(|| shop.ensure(Some(shop.counted(Arc::new(|| false)))));
        shop.until_asked(WAITS);
        let child = fork(LIMIT, || !shop.ensure(None).unwrap().is_created);
        assert_eq!(child.wait(), ChildEnd::Exited(0));
        assert_eq!(shop.server.requests().len(), 2, "that of the child");
        shop.asked.fetch_add(1000, Ordering::SeqCst);
        for call in [asks, waits] {
            assert!(!call.join().unwrap().unwrap().is_created);
        }
    });
    assert_eq!(shop.server.requests().len(), 2);
}

#[test]
fn a_fork_within_a_call_ends_no_call_that_shares_its_query() {
    if !is_alone(a_fork_within_a_call_ends_no_call_that_shares_its_query, &[]) {
        return;
    }
    for asker_forks in [true, false] {
        let shop = Shop::new(2 * WAITS);
        let forks = || {
            fork_at(&format!("hook {WAITS}"));
            let result = shop.ensure(Some(shop.counted(hook(Duration::ZERO))));
            assert!(conclude(&result), "it forks");
        };
        let stays = || assert!(!shop.ensure(None).unwrap().is_created);
        std::thread::scope(|scope| {
            if asker_forks {
                scope.spawn(forks);
                shop.until_queried();
                scope.spawn(stays);
            } else {
                scope.spawn(stays);
                shop.until_queried();
                scope.spawn(forks);
            }
        });
        assert_eq!(shop.server.requests().len(), 1, "both share it");
    }
}
