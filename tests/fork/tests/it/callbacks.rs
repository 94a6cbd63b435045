//! A fork within a callback, from which both processes return: the call
//! continues in the parent only.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use payments_core::journal::{EntryState, SqliteJournal};
use payments_core::signer::PrivateKey;
use payments_core::token::FileStore;
use payments_core::transport::{HttpSettings, HttpTransport};
use payments_core::{Client, Error, Outcome};
use payments_fork_tests::{pay, payment, unsigned_config};
use payments_sandbox::{Fault, FaultKind, Sandbox, SandboxConfig, TokenLimit};

use crate::child::is_alone;
use crate::folder::Folder;
use crate::forking::{Around, conclude, fork_at, observe};

/// The connections of the requests with this text in their bodies.
pub(crate) fn connections_of(sandbox: &Sandbox, text: &str) -> Vec<u64> {
    let requests = sandbox.requests();
    let has = |body: &[u8]| body.windows(text.len()).any(|part| part == text.as_bytes());
    requests.iter().filter(|it| has(&it.body)).map(|it| it.connection).collect()
}

/// A sandbox for many clients, each of which fetches a token.
pub(crate) fn sandbox() -> Sandbox {
    let token_limit = TokenLimit { requests: 0, ..TokenLimit::default() };
    Sandbox::start(SandboxConfig { token_limit, ..SandboxConfig::default() }).unwrap()
}

/// The configuration that all clients of a test share.
struct Service {
    sandbox: Sandbox,
    key: PrivateKey,
    kid: String,
}

impl Service {
    fn start() -> Self {
        let sandbox = sandbox();
        let key = include_str!("../../../vectors/keys/test_rsa_4096_pkcs8.pem");
        let key = PrivateKey::from_pem(key, None, false).unwrap();
        let public_key = include_str!("../../../vectors/keys/test_rsa_4096_public.pem");
        let kid = sandbox.register_pem(public_key).unwrap();
        Self { sandbox, key, kid }
    }

    /// A client whose callbacks are all the caller's.
    fn client(&self, folder: &Folder) -> Client {
        let journal = SqliteJournal::create(folder.path().join("journal.db")).unwrap();
        let store = FileStore::new(folder.path().join("tokens")).unwrap();
        let signer = self.key.signer(&self.kid).unwrap();
        let transport = HttpTransport::new(&HttpSettings::default()).unwrap();
        let config = unsigned_config(&self.sandbox)
            .signer(Arc::new(Around(signer)))
            .token_store(Arc::new(Around(store)))
            .journal(Arc::new(Around(journal)))
            .transport(Arc::new(Around(transport)))
            .observer(Arc::new(observe));
        Client::new(config).unwrap()
    }

    /// Pays `calls` times with a new client, which forks at `point` of the last
    /// call, and once more.
    fn pay_and_fork(&self, point: &str, calls: usize) {
        let folder = Folder::new();
        let client = self.client(&folder);
        let reference = format!("{point} {calls}").replace(' ', "-");
        for call in 1..calls {
            assert!(pay(&client, &format!("{reference}-{call}")));
        }
        fork_at(point);
        let result = client.create_payment(&payment(&format!("{reference}-forked")));
        assert!(conclude(&result), "{point}: the call forks");
        assert!(pay(&client, &format!("{reference}-after")), "{point}");

        let connections = connections_of(&self.sandbox, &format!("\"{reference}-"));
        assert_eq!(connections.len(), calls + 1, "{point}: each payment is sent once");
        assert!(connections.iter().all(|it| *it == connections[0]), "{point}: {connections:?}");
        let entries =
            payments_host::journal::list(&client, false, None, &client.context()).unwrap().entries;
        assert_eq!(entries.len(), calls + 1, "{point}");
        assert!(entries.iter().all(|it| it.state == EntryState::Done), "{point}: {entries:?}");
    }

    /// Calls a client that has not paid, and forks at `point`.
    fn call_and_fork<T>(&self, point: &str, call: impl FnOnce(&Client) -> Result<T, Error>) {
        let folder = Folder::new();
        let client = self.client(&folder);
        fork_at(point);
        let result = call(&client);
        assert!(conclude(&result), "{point}: the call forks");
    }
}

#[test]
fn a_call_continues_only_in_the_parent_after_a_fork() {
    if !is_alone(a_call_continues_only_in_the_parent_after_a_fork, &[]) {
        return;
    }
    let service = Service::start();
    let callbacks =
        ["sign", "load", "try_lock", "save", "unlock", "send", "insert", "find", "update"];
    for name in callbacks {
        service.pay_and_fork(&format!("before {name}"), 1);
        service.pay_and_fork(name, 1);
    }
    for event in [
        "request_started",
        "token_requested",
        "token_fetched",
        "attempt",
        "attempt_ended",
        "request_ended",
    ] {
        service.pay_and_fork(event, 1);
    }
    // With a token and a connection.
    for point in ["token_reused", "attempt", "before send", "send", "insert", "request_ended"] {
        service.pay_and_fork(point, 2);
    }
}

#[test]
fn calls_that_send_nothing_continue_only_in_the_parent() {
    if !is_alone(calls_that_send_nothing_continue_only_in_the_parent, &[]) {
        return;
    }
    let service = Service::start();
    let order = payment("order");
    service.call_and_fork("sign", |client| client.prepare(&order, &client.context()));
    service.call_and_fork("token_fetched", |client| client.prepare(&order, &client.context()));
    for point in ["try_lock", "send", "token_fetched"] {
        service.call_and_fork(point, |client| client.access_token(&client.context()));
    }
    service.call_and_fork("load", |client| client.token_status(&client.context()));
    service.call_and_fork("find", |client| {
        payments_host::journal::list(client, false, None, &client.context())
    });
    service.call_and_fork("find", |client| payments_host::recover(client, &client.context()));
    for point in ["count", "prune"] {
        service.call_and_fork(point, |client| {
            payments_host::journal::prune(client, 0, true, false, &client.context())
        });
    }
    assert_eq!(service.sandbox.requests().iter().filter(|it| it.body.starts_with(b"{")).count(), 0);
}

#[test]
fn a_recovery_continues_only_in_the_parent() {
    if !is_alone(a_recovery_continues_only_in_the_parent, &[]) {
        return;
    }
    let service = Service::start();
    for point in ["find", "update", "before send", "send", "request_ended"] {
        let folder = Folder::new();
        let client = service.client(&folder);
        // Two entries that stay open: the responses are lost.
        for number in 0..2 {
            let lost = Fault { execute: Some(true), ..Fault::new(FaultKind::Close) };
            service.sandbox.script_next([lost]);
            let order = payment(&format!("{point}-{number}").replace(' ', "-"));
            let error = client.create_payment(&order).unwrap_err();
            assert_eq!(error.outcome(), Outcome::Unknown);
        }
        fork_at(point);
        let before = service.sandbox.requests().len();
        let result = payments_host::recover(&client, &client.context());
        assert!(conclude(&result), "{point}: the recovery forks");
        assert_eq!(result.unwrap().recovered.len(), 2, "{point}");
        assert_eq!(service.sandbox.requests().len(), before + 2, "{point}: a query for each");
    }
}

#[test]
fn a_child_forked_during_other_calls_does_not_wait_for_them() {
    if !is_alone(a_child_forked_during_other_calls_does_not_wait_for_them, &[]) {
        return;
    }
    let service = Service::start();
    let folder = Folder::new();
    let client = service.client(&folder);
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for thread in 0..3 {
            let (client, is_over) = (&client, &is_over);
            scope.spawn(move || {
                for call in 0.. {
                    if is_over.load(Ordering::Relaxed) {
                        break;
                    }
                    assert!(pay(client, &format!("thread-{thread}-{call}")));
                }
            });
        }
        for round in 0..30 {
            let point = ["sign", "attempt", "send", "update"][round % 4];
            fork_at(point);
            let result = client.create_payment(&payment(&format!("forked-{round}")));
            assert!(conclude(&result), "{point}");
        }
        is_over.store(true, Ordering::Relaxed);
    });
    assert_eq!(connections_of(&service.sandbox, "\"forked-").len(), 30);
}
