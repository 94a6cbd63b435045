//! A fork within the interrupt hook, each time that a call asks it.

use std::sync::{Arc, Mutex};
use std::time::Duration;

#[cfg(target_os = "linux")]
use payments_core::config::Pkcs11;
use payments_core::journal::{EntryState, SqliteJournal};
use payments_core::signer::generate_key;
use payments_core::token::{FileStore, RedisStore, TokenKey, TokenStore};
use payments_core::transport::{
    HttpSettings, HttpTransport, PreparedRequest, Received, TlsRoots, Transport, TransportFailure,
};
use payments_core::{CallContext, CancelHandle, Client, Config, Environment};
use payments_fork_tests::{ChildEnd, fork, fork_here, leave, pay, payment, unsigned_config};
#[cfg(target_os = "linux")]
use payments_sandbox::{Require, Sandbox, SandboxConfig};

use crate::callbacks::{connections_of, sandbox};
use crate::child::is_alone;
use crate::folder::Folder;
use crate::forking::{LIMIT, conclude, fork_at, hook};
#[cfg(target_os = "linux")]
use crate::hsm::{Hsm, PIN, TOKEN};
use crate::raw_server::created;
use crate::redis::RedisServer;
use crate::tls_server::{self, Authority};

/// Pays, and asks a hook that may fork. Returns whether it did.
fn forks_while_paying(client: &Client, reference: &str, pause: Duration) -> bool {
    let context = client.context_with(CancelHandle::new(), Some(hook(pause)));
    conclude(&client.execute(&payment(reference), &context))
}

#[test]
fn a_call_continues_only_in_the_parent_after_its_hook_forks() {
    if !is_alone(a_call_continues_only_in_the_parent_after_its_hook_forks, &[]) {
        return;
    }
    let (sandbox, server, folder) =
        (sandbox(), RedisServer::start_with(&["--databases", "1000"]), Folder::new());
    let path = folder.path().join("journal.db");
    SqliteJournal::create(&path).unwrap();
    let key = generate_key().unwrap();
    let kid = sandbox.register_pem(&key.public_key_pem).unwrap();
    let config = unsigned_config(&sandbox).signing_key(key.private_key_pem, kid);
    let config = config.journal_file(&path);
    sandbox.configure(|config| config.latency = Duration::from_millis(150));
    let mut asked = 0;
    loop {
        // Its own database: each client fetches a token.
        let store = format!("{}/{asked}", server.url());
        let client = Client::new(config.clone().token_server(store)).unwrap();
        let reference = format!("order-{asked}");
        fork_at(&format!("hook {}", asked + 1));
        let forked = forks_while_paying(&client, &reference, Duration::ZERO);
        assert!(pay(&client, &format!("{reference}-again")));
        let connections = connections_of(&sandbox, &format!("\"{reference}"));
        assert_eq!(connections.len(), 2, "hook {asked}: each payment is sent once");
        assert_eq!(connections[0], connections[1], "hook {asked}: the connection is kept");
        if !forked {
            break;
        }
        asked += 1;
    }
    assert!(asked > 20, "the hook was asked {asked} times");
    let client = Client::new(config).unwrap();
    let entries =
        payments_host::journal::list(&client, false, None, &client.context()).unwrap().entries;
    assert_eq!(entries.len(), 2 * asked + 2);
    assert!(entries.iter().all(|it| it.state == EntryState::Done), "{entries:?}");
}

#[test]
fn a_tls_session_stays_that_of_the_parent() {
    if !is_alone(a_tls_session_stays_that_of_the_parent, &[]) {
        return;
    }
    let authority = Authority::new("ours");
    let delay = Arc::new(Mutex::new(Duration::ZERO));
    let delay_of_server = Arc::clone(&delay);
    let server = tls_server::start(authority.server(&["localhost"]), move |mut connection| {
        while connection.read_request().is_some() {
            let delay = *delay_of_server.lock().unwrap();
            std::thread::sleep(delay);
            connection.write(&created());
        }
    });
    let url = format!("https://localhost:{}", server.port());
    let config = Config::new(url).integration_key("k").timeout(LIMIT);
    let file = authority.file();
    let config = config.ca_file(&file.0);
    // On a new connection and on a used one; and while the response is awaited, or
    // once it has arrived.
    let (slow, fast) = (Duration::from_millis(150), Duration::ZERO);
    for (earlier, latency, pause) in [(0, slow, fast), (1, slow, fast), (1, fast, slow)] {
        *delay.lock().unwrap() = latency;
        let mut asked = 0;
        loop {
            let client = Client::new(config.clone()).unwrap();
            let (connections, requests) = (server.connections(), server.requests().len());
            assert!(earlier == 0 || pay(&client, "earlier"));
            fork_at(&format!("hook {}", asked + 1));
            let forked = forks_while_paying(&client, "forked", pause);
            assert!(pay(&client, "later"));
            assert_eq!(server.requests().len(), requests + earlier + 2);
            assert_eq!(server.connections(), connections + 1);
            if !forked {
                break;
            }
            asked += 1;
        }
        assert!(asked > 4, "the hook was asked {asked} times");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_session_of_an_hsm_stays_that_of_the_parent() {
    Hsm::run(a_session_of_an_hsm_stays_that_of_the_parent, "", |hsm| {
        let require = Require { jws: true, ..Require::NOTHING };
        let config = SandboxConfig { require, ..SandboxConfig::default() };
        let sandbox = Sandbox::start(config).unwrap();
        let public_key = include_str!("../../../vectors/keys/test_rsa_4096_public.pem");
        let kid = sandbox.register_pem(public_key).unwrap();
        let key = Pkcs11::new(hsm.faulty_module()).token(TOKEN).key_label("signing").pin(PIN);
        let config = Config::new(sandbox.base_url()).environment(Environment::Sandbox);
        let client = Client::new(config.pkcs11(key, kid)).unwrap();
        let mut asked = 0;
        loop {
            hsm.faults("");
            // In a child, which has yet to open a session.
            let paying = fork(LIMIT, || {
                fork_at(&format!("hook {}", asked + 1));
                let forked = forks_while_paying(&client, &format!("order-{asked}"), Duration::ZERO);
                assert_eq!(hsm.count("close_session"), 0, "hook {asked}");
                assert!(pay(&client, &format!("order-{asked}-again")));
                assert_eq!(hsm.count("open_session"), 1, "hook {asked}");
                forked
            });
            match paying.wait() {
                ChildEnd::Exited(0) => asked += 1,
                ended => break assert_eq!(ended, ChildEnd::Exited(1), "hook {asked}"),
            }
        }
        assert!(asked > 6, "the hook was asked {asked} times");
        assert_eq!(sandbox.requests().len(), 2 * (asked + 1));
    });
}

/// Forks before it sends, and asks `is_locked` once the child has ended.
struct ForkingTransport<F>(HttpTransport, F);

impl<F: Fn() -> bool + Send + Sync> Transport for ForkingTransport<F> {
    fn send(
        &self,
        context: &CallContext,
        request: &PreparedRequest,
    ) -> Result<Received, TransportFailure> {
        if let Some(child) = fork_here(LIMIT) {
            assert_eq!(child.wait(), ChildEnd::Exited(0));
            assert!((self.1)(), "the parent holds the lock");
        }
        self.0.send(context, request)
    }
}

fn fetch_and_fork(config: Config, is_locked: impl Fn() -> bool + Send + Sync + 'static) {
    let transport = HttpTransport::new(&HttpSettings::default()).unwrap();
    let config = config.transport(Arc::new(ForkingTransport(transport, is_locked)));
    let client = Client::new(config).unwrap();
    let parent = std::process::id();
    let fetched = client.access_token(&client.context());
    if std::process::id() != parent {
        leave(|| fetched.is_err_and(|error| error.code().as_str() == "call_forked"));
    }
    fetched.unwrap();
}

#[test]
fn the_lock_of_a_token_store_stays_that_of_the_parent() {
    if !is_alone(the_lock_of_a_token_store_stays_that_of_the_parent, &[]) {
        return;
    }
    let (sandbox, server, folder) = (sandbox(), RedisServer::start(), Folder::new());
    let settings = sandbox.config();
    let key =
        TokenKey::new(sandbox.auth_url(), &settings.client_id, &settings.client_secret.into());
    let is_locked = move |store: &dyn TokenStore| {
        store.try_lock(&CallContext::with_timeout(LIMIT), &key).unwrap().is_none()
    };
    let config = unsigned_config(&sandbox);

    let redis = RedisStore::new(&server.url().into(), None, TlsRoots::default()).unwrap();
    let is_locked_there = {
        let is_locked = is_locked.clone();
        move || is_locked(&redis)
    };
    fetch_and_fork(config.clone().token_server(server.url()), is_locked_there);

    // Record locks belong to a process: ask in another one.
    let files = FileStore::new(folder.path()).unwrap();
    let is_locked_there = move || fork(LIMIT, || is_locked(&files)).wait() == ChildEnd::Exited(0);
    fetch_and_fork(config.token_folder(folder.path()), is_locked_there);
    assert_eq!(sandbox.token_requests(), 2);
}

#[test]
fn a_context_of_the_parent_serves_a_new_call_of_the_child() {
    if !is_alone(a_context_of_the_parent_serves_a_new_call_of_the_child, &[]) {
        return;
    }
    let (sandbox, config) = payments_fork_tests::sandbox_and_config();
    let client = Client::new(config.timeout(LIMIT)).unwrap();
    let cancel = CancelHandle::new();
    let context = client.context_with(cancel.clone(), None);
    let pays = |reference: &str| client.execute(&payment(reference), &context);
    assert!(pays("parent").is_ok());
    assert_eq!(fork(LIMIT, || pays("child").is_ok()).wait(), ChildEnd::Exited(0));
    sandbox.configure(|config| config.latency = LIMIT);
    let cancelled = fork(LIMIT, || {
        let cancel = cancel.clone();
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(100));
            cancel.cancel();
        });
        pays("cancelled").is_err_and(|error| error.code().as_str() == "cancelled")
    });
    assert_eq!(cancelled.wait(), ChildEnd::Exited(0));
    sandbox.configure(|config| config.latency = Duration::ZERO);
    assert!(!cancel.is_cancelled() && pays("after").is_ok());
}
