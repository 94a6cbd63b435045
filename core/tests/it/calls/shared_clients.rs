//! `Client::shared`: the parts that clients share, and those that they never
//! share.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Mutex};

use payments_core::jws::PublicKey;
use payments_core::observer::{Event, EventKind};
use payments_core::request::QueryPayment;
use payments_core::signer::{GeneratedKey, generate_key};
use payments_core::transport::{
    FailureKind, Lookup, PreparedRequest, Received, Transport, TransportFailure,
};
use payments_core::{CallContext, Client, Config, Error, ErrorKind};
use payments_sandbox::{Require, Sandbox, SandboxConfig};

use crate::support::folder::Folder;
use crate::support::tokens::TestStore;

fn sandbox() -> Sandbox {
    let require = Require { bearer: true, ..Require::NOTHING };
    Sandbox::start(SandboxConfig { require, ..SandboxConfig::default() }).unwrap()
}

fn config(sandbox: &Sandbox) -> Config {
    let settings = sandbox.config();
    Config::new(sandbox.base_url()).client_credentials(
        sandbox.auth_url(),
        settings.client_id,
        settings.client_secret,
    )
}

/// Queries an unknown payment. Any response counts as success here.
fn call(client: &Client) -> Result<(), Error> {
    match client.query_payment(&QueryPayment::by_hash("0f")) {
        Err(error) if error.kind() != ErrorKind::Rejected => Err(error),
        _ => Ok(()),
    }
}

fn public_key(key: &GeneratedKey) -> PublicKey {
    PublicKey::from_pem(&key.public_key_pem).unwrap()
}

#[test]
fn the_same_configuration_gives_the_same_client() {
    let sandbox = sandbox();
    for _ in 0..5 {
        call(&Client::shared(config(&sandbox)).unwrap()).unwrap();
    }
    assert_eq!((sandbox.token_requests(), sandbox.connections()), (1, 1));

    let other = config(&sandbox).query_retries(7);
    call(&Client::shared(other).unwrap()).unwrap();
    assert_eq!((sandbox.token_requests(), sandbox.connections()), (1, 2), "one identity");
}

#[test]
fn threads_that_ask_at_once_get_one_client() {
    let sandbox = sandbox();
    std::thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| call(&Client::shared(config(&sandbox)).unwrap()).unwrap());
        }
    });
    assert_eq!(sandbox.token_requests(), 1);
}

#[test]
fn a_changed_key_file_gives_a_new_client() {
    let (sandbox, folder) = (sandbox(), Folder::made());
    let (old, new) = (generate_key().unwrap(), generate_key().unwrap());
    let file = folder.write("key.pem", old.private_key_pem.expose());
    let shared = |file: &Path| Client::shared(config(&sandbox).signing_key_file(file, "rotated"));

    sandbox.register_key_as(&public_key(&old), "rotated");
    call(&shared(&file).unwrap()).unwrap();

    folder.write("key.pem", new.private_key_pem.expose());
    sandbox.register_key_as(&public_key(&new), "rotated");
    call(&shared(&file).unwrap()).unwrap();
    assert_eq!(sandbox.connections(), 2, "the new client has a connection of its own");
}

#[test]
fn a_changed_secret_file_gives_a_new_client() {
    let (sandbox, folder) = (sandbox(), Folder::made());
    let file = folder.write("secret", "wrong\n");
    let json = format!(
        r#"{{"base_url": "{0}", "auth_url": "{0}", "client_id": "{1}", "client_secret_file": {2:?}}}"#,
        sandbox.base_url(),
        sandbox.config().client_id,
        file
    );
    let shared = || Client::shared(Config::from_json(json.as_bytes()).unwrap()).unwrap();
    let refused = call(&shared()).unwrap_err();
    assert_eq!(
        (refused.kind(), refused.code().as_str()),
        (ErrorKind::Token, "credentials_refused")
    );
    folder.write("secret", format!("{}\n", sandbox.config().client_secret));
    call(&shared()).unwrap();
}

#[test]
fn an_unreadable_file_is_an_error_and_never_the_old_client() {
    let (sandbox, folder) = (sandbox(), Folder::made());
    let key = generate_key().unwrap();
    let file = folder.write("key.pem", key.private_key_pem.expose());
    let shared = || Client::shared(config(&sandbox).signing_key_file(&file, "kid"));
    shared().unwrap();
    std::fs::remove_file(&file).unwrap();
    let error = shared().unwrap_err();
    assert_eq!((error.kind(), error.path()), (ErrorKind::Config, Some("key_file")));
}

#[test]
fn the_client_that_was_idle_for_longest_is_dropped() {
    let sandbox = sandbox();
    let numbered = |number: u32| Client::shared(config(&sandbox).query_retries(100 + number));
    call(&numbered(0).unwrap()).unwrap();
    call(&numbered(1).unwrap()).unwrap();
    assert_eq!(sandbox.connections(), 2);
    // The registry keeps 64 clients. Number 0 stays in use, number 1 is idle.
    for number in 2..90 {
        numbered(number).unwrap();
        call(&numbered(0).unwrap()).unwrap();
    }
    assert_eq!(sandbox.connections(), 2, "the one in use was kept");
    call(&numbered(1).unwrap()).unwrap();
    assert_eq!(sandbox.connections(), 3, "the idle one was dropped and made again");
}

#[test]
fn a_client_with_a_callback_shares_token_and_connections() {
    let sandbox = sandbox();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let with_observer = |name: &'static str| {
        let seen = Arc::clone(&seen);
        let observer = move |event: &Event<'_>| {
            if let EventKind::RequestEnded { .. } = event.kind {
                seen.lock().unwrap().push(name);
            }
        };
        Client::shared(config(&sandbox).observer(Arc::new(observer))).unwrap()
    };
    call(&with_observer("first")).unwrap();
    call(&Client::shared(config(&sandbox)).unwrap()).unwrap();
    call(&with_observer("second")).unwrap();
    call(&Client::shared(config(&sandbox)).unwrap()).unwrap();
    assert_eq!(*seen.lock().unwrap(), ["first", "second"], "no callback outlives its client");
    assert_eq!((sandbox.token_requests(), sandbox.connections()), (1, 1));
}

/// Makes a client that is never shared, because it has an observer.
fn observed(config: Config) -> Client {
    Client::shared(config.observer(Arc::new(|_: &Event<'_>| {}))).unwrap()
}

/// The first client of a configuration has nothing to share.
#[test]
fn a_store_of_one_client_keeps_no_other_from_sharing_its_token() {
    let sandbox = sandbox();
    let own = config(&sandbox).token_store(TestStore::new());
    call(&Client::shared(own).unwrap()).unwrap();
    let before = sandbox.token_requests();
    for _ in 0..3 {
        call(&observed(config(&sandbox))).unwrap();
    }
    assert_eq!(sandbox.token_requests(), before + 1);
}

struct NoNetwork;

impl Transport for NoNetwork {
    fn send(&self, _: &CallContext, _: &PreparedRequest) -> Result<Received, TransportFailure> {
        Err(TransportFailure::new(FailureKind::Connect, "no network").nothing_sent())
    }
}

#[test]
fn a_custom_transport_does_not_prevent_sharing_by_others() {
    let sandbox = sandbox();
    // With its own store, so that it shares no backoff.
    let own = config(&sandbox).token_store(TestStore::new());
    call(&Client::shared(own.transport(Arc::new(NoNetwork))).unwrap()).unwrap_err();
    for _ in 0..3 {
        call(&observed(config(&sandbox))).unwrap();
    }
    assert_eq!(sandbox.connections(), 1);
}

#[test]
fn concurrent_first_clients_share_token_and_connections() {
    let sandbox = sandbox();
    for round in 1..=20 {
        let start = Barrier::new(16);
        let make = || {
            start.wait();
            observed(config(&sandbox).query_retries(1000 + round))
        };
        let clients: Vec<Client> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..16).map(|_| scope.spawn(make)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        clients.iter().for_each(|client| call(client).unwrap());
        assert_eq!((sandbox.token_requests(), sandbox.connections()), (1, u64::from(round)));
    }
}

/// A lookup that resolves to the sandbox and counts calls.
fn lookup_of(sandbox: &Sandbox) -> (Lookup, Arc<AtomicUsize>) {
    let (count, port) = (Arc::new(AtomicUsize::new(0)), sandbox.port());
    let counted = Arc::clone(&count);
    let lookup = move |_: &str, _: u16| {
        counted.fetch_add(1, Ordering::SeqCst);
        Ok(vec![SocketAddr::from(([127, 0, 0, 1], port))])
    };
    (Arc::new(lookup), count)
}

#[test]
fn a_lookup_serves_its_own_client_only() {
    let sandbox = sandbox();
    let settings = sandbox.config();
    let url = format!("http://service.localhost:{}", sandbox.port());
    let make = |lookup: Lookup| {
        let config = Config::new(&url).allow_insecure_http(true).lookup(lookup);
        let (id, secret) = (settings.client_id.clone(), settings.client_secret.clone());
        Client::shared(config.client_credentials(&url, id, secret)).unwrap()
    };
    let counts = [(); 3].map(|()| {
        let (lookup, count) = lookup_of(&sandbox);
        call(&make(lookup)).unwrap();
        count
    });
    assert_eq!(counts.map(|count| count.load(Ordering::SeqCst)), [1, 1, 1]);
    assert_eq!(sandbox.token_requests(), 1, "a token in memory needs no lookup");
}
