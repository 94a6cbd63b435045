//! A Redis server that is absent, slow, full, or hostile only costs a call a
//! little time, and events do not reveal its address.

use std::io::Read as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use payments_core::token::{Fence, RedisStore, SystemClock, TokenEntry, TokenKey, TokenStore};
use payments_core::transport::TlsRoots;
use payments_core::{CallContext, CancelHandle, Client, Config, ErrorKind};
use payments_sandbox::{Sandbox, SandboxConfig};

use crate::support::raw_server::RawServer;
use crate::support::redis::{RedisServer, cut_after_first, free_port, impostor};
use crate::support::tokens::Witness;
use crate::support::wait::wait_until;

/// Part of every URL that `url` returns. It must be in no event or message.
const PASSWORD: &str = "hunter2";
/// How long a failing store may delay a call: the documented 2 s, plus time for
/// a busy machine.
const COST: Duration = Duration::from_secs(15);

/// Clients of one service, each as if in its own process.
struct Stage {
    sandbox: Sandbox,
    witness: Arc<Witness>,
}

impl Stage {
    fn new() -> Self {
        let sandbox = Sandbox::start(SandboxConfig::default()).unwrap();
        Self { sandbox, witness: Witness::new() }
    }

    fn client(&self, url: &str) -> Client {
        let settings = self.sandbox.config();
        let config = Config::new(self.sandbox.base_url())
            .client_credentials(self.sandbox.auth_url(), settings.client_id, settings.client_secret)
            .observer(self.witness.clone())
            // A client with its own clock shares nothing in this process.
            .clock(Arc::new(SystemClock))
            .token_fallback_memory()
            .token_server(url);
        assert!(!format!("{config:?}").contains("redis://"), "{config:?}");
        Client::new(config).unwrap()
    }

    /// Obtains a token while the store fails. Returns the observed events,
    /// after checking that the store was bypassed.
    fn bypass(&self, client: &Client) -> String {
        let (before, requests) = (self.witness.events().len(), self.sandbox.token_requests());
        let started = Instant::now();
        let token = client.access_token(&client.context()).unwrap();
        assert!(started.elapsed() < COST, "{:?}", started.elapsed());
        assert_eq!(self.sandbox.token_requests(), requests + 1);

        // The token is in memory now.
        let started = Instant::now();
        assert_eq!(client.access_token(&client.context()).unwrap().value, token.value);
        assert!(started.elapsed() < Duration::from_millis(1_900), "nobody waits for the server");
        assert_eq!(self.sandbox.token_requests(), requests + 1);

        let mut events = self.witness.events().split_off(before);
        // It names the host of the token server.
        events.retain(|event| !event.starts_with("TokenRequested"));
        let events = events.join("\n");
        assert!(events.contains("StoreBypassed"), "{events}");
        for secret in [PASSWORD, "redis:", "rediss:", "127.0.0.1", "localhost", "libpayments:"] {
            assert!(!events.contains(secret), "{secret}: {events}");
        }
        events
    }
}

fn url(port: u16) -> String {
    format!("redis://:{PASSWORD}@127.0.0.1:{port}")
}

/// The URL of a server without a password.
fn open_url(port: u16) -> String {
    format!("redis://localhost:{port}")
}

fn store(url: &str) -> RedisStore {
    RedisStore::new(&url.into(), None, TlsRoots::OperatingSystem).unwrap()
}

fn key() -> TokenKey {
    TokenKey::new("https://auth.example", "client", &"secret".into())
}

fn context() -> CallContext {
    CallContext::with_timeout(Duration::from_secs(30))
}

#[test]
fn an_absent_server_is_reported_and_used_later() {
    let stage = Stage::new();
    let mut server = RedisServer::start();
    server.stop();
    let url = open_url(server.port);
    assert!(stage.bypass(&stage.client(&url)).contains("could not connect"));

    let first = stage.client(&url);
    first.access_token(&first.context()).unwrap();
    server.run();
    // New clients find the server at once; paused clients try again later.
    let second = stage.client(&url);
    second.access_token(&second.context()).unwrap();
    let requests = stage.sandbox.token_requests();
    let third = stage.client(&url);
    third.access_token(&third.context()).unwrap();
    assert_eq!(stage.sandbox.token_requests(), requests, "the third uses what is in the store");
}

#[test]
fn a_dead_server_is_not_asked_for_a_while_and_then_again() {
    let mut server = RedisServer::start();
    let store = store(&server.url());
    assert!(store.save(&context(), &key(), &TokenEntry::default(), Fence(1)).unwrap());
    server.stop();
    store.load(&context(), &key()).unwrap_err();
    let paused = store.load(&context(), &key()).unwrap_err().to_string();
    assert!(paused.contains("next attempt in "), "{paused}");
    assert!(!paused.contains("in 0 s"), "{paused}");
    let place = std::net::TcpListener::bind(("127.0.0.1", server.port)).unwrap();
    place.set_nonblocking(true).unwrap();
    for _ in 0..10 {
        store.try_lock(&context(), &key()).unwrap_err();
        store.unlock(&key(), Fence(1));
    }
    assert!(place.accept().is_err(), "nobody connects");
    drop(place);
    server.run();
    wait_until("the server is used again", || store.load(&context(), &key()).is_ok());
}

#[test]
fn a_restart_between_two_actions_is_not_noticed() {
    let mut server = RedisServer::start();
    let store = store(&server.url());
    for _ in 0..3 {
        let fence = store.try_lock(&context(), &key()).unwrap().expect("a new server has no lock");
        assert_eq!(server.connections(), 1, "one connection serves all");
        server.stop();
        server.run();
        assert!(store.save(&context(), &key(), &TokenEntry::default(), fence).unwrap());
        store.unlock(&key(), fence);
        server.cli(&["FLUSHALL"]);
    }
}

/// Only the response tells whether the lock was taken. If it is lost, the same
/// attempt is repeated.
#[test]
fn a_lock_whose_response_was_lost_is_held() {
    let server = RedisServer::start();
    let store = store(&open_url(cut_after_first(server.port, b"INCR")));
    store.load(&context(), &key()).unwrap();
    let fence = store.try_lock(&context(), &key()).unwrap().expect("nobody else has it");
    assert_eq!(store.try_lock(&context(), &key()).unwrap(), None, "another attempt has not");
    assert!(store.save(&context(), &key(), &TokenEntry::default(), fence).unwrap());
    store.unlock(&key(), fence);
    let next = store.try_lock(&context(), &key()).unwrap().expect("it was given back");
    assert!(next > fence);
    store.unlock(&key(), fence);
    assert_eq!(store.try_lock(&context(), &key()).unwrap(), None, "the lock of another");
}

#[test]
fn a_restart_while_a_token_is_in_use_costs_nothing() {
    let stage = Stage::new();
    let mut server = RedisServer::start();
    let client = stage.client(&open_url(server.port));
    client.access_token(&client.context()).unwrap();
    server.stop();
    client.access_token(&client.context()).unwrap();
    server.run();
    client.access_token(&client.context()).unwrap();
    assert_eq!(stage.sandbox.token_requests(), 1);
    assert_eq!(stage.witness.count("StoreBypassed"), 0, "{:?}", stage.witness.events());
}

#[test]
fn a_server_that_does_not_respond_costs_a_bounded_time() {
    let stage = Stage::new();
    let server = RedisServer::start();
    let used = stage.client(&open_url(server.port));
    used.token_status(&used.context()).unwrap();
    server.freeze();
    // First a connected client, then a new one.
    assert!(stage.bypass(&used).contains("did not respond in time"));
    let new = stage.client(&open_url(server.port));
    assert!(stage.bypass(&new).contains("did not respond in time"));

    // A call that is short of time keeps half of it for the token server.
    let hurried = stage.client(&open_url(server.port));
    hurried.access_token(&CallContext::with_timeout(Duration::from_secs(3))).unwrap();
    server.thaw();
}

#[test]
fn a_server_that_is_paused_costs_a_bounded_time() {
    let stage = Stage::new();
    let server = RedisServer::start();
    assert_eq!(server.cli(&["CLIENT", "PAUSE", "60000", "ALL"]), "OK");
    let events = stage.bypass(&stage.client(&open_url(server.port)));
    assert!(events.contains("did not respond in time"), "{events}");
}

#[test]
fn a_cancelled_call_does_not_wait_for_the_server() {
    let stage = Stage::new();
    let server = RedisServer::start();
    server.freeze();
    let client = stage.client(&open_url(server.port));
    let cancel = CancelHandle::new();
    let context = client.context_with(cancel.clone(), None);
    std::thread::scope(|scope| {
        let call = scope.spawn(|| client.access_token(&context).map(|_| Instant::now()));
        std::thread::sleep(Duration::from_millis(300));
        let cancelled = Instant::now();
        cancel.cancel();
        let error = call.join().unwrap().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Cancelled);
        assert!(cancelled.elapsed() < COST, "{:?}", cancelled.elapsed());
    });
    server.thaw();
    client.access_token(&client.context()).unwrap();
    let events = stage.witness.events().join("\n");
    assert!(events.contains("the call ended"), "{events}");
    assert!(!events.contains("tried again"), "the server is not to blame: {events}");
}

/// Threads that share a store wait for its connection no longer than for the
/// server.
#[test]
fn waiting_for_the_connection_is_bounded_too() {
    let server = RedisServer::start();
    let store = store(&server.url());
    store.load(&context(), &key()).unwrap();
    server.freeze();
    let started = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..32 {
            scope.spawn(|| store.load(&context(), &key()).unwrap_err());
        }
    });
    assert!(started.elapsed() < COST, "{:?}", started.elapsed());
    server.thaw();
}

#[test]
fn refusals_of_the_server_have_different_messages() {
    /// The server's arguments, the URL for its port, and the expected text.
    type Case<'a> = (&'a [&'a str], fn(u16) -> String, &'a str);
    let nowhere = free_port().to_string();
    let cases: [Case<'_>; 6] = [
        (&["--requirepass", "another"], open_url, "NOAUTH"),
        (&["--requirepass", "another"], url, "WRONGPASS"),
        // A server without a password echoes the one it was given.
        (&[], url, "responded with an error"),
        (&["--replicaof", "127.0.0.1", &nowhere], open_url, "READONLY"),
        (&["--min-replicas-to-write", "1"], open_url, "NOREPLICAS"),
        (&["--maxmemory", "1"], open_url, "OOM"),
    ];
    for (arguments, url, reason) in cases {
        let stage = Stage::new();
        let server = RedisServer::start_with(arguments);
        let events = stage.bypass(&stage.client(&url(server.port)));
        assert!(events.contains(reason), "{reason}: {events}");
    }
}

#[test]
fn memory_that_is_full_and_free_again_is_used_again() {
    let server = RedisServer::start();
    let store = store(&server.url());
    server.cli(&["CONFIG", "SET", "maxmemory", "1"]);
    let full = store.try_lock(&context(), &key()).unwrap_err().to_string();
    assert!(full.contains("OOM"), "{full}");
    let clients = || server.cli(&["CLIENT", "LIST"]).split(' ').next().unwrap().to_owned();
    let before = clients();
    server.cli(&["CONFIG", "SET", "maxmemory", "0"]);
    assert!(store.try_lock(&context(), &key()).unwrap().is_some(), "at once");
    assert_eq!((server.connections(), clients()), (1, before), "by the same connection");
}

#[test]
fn a_value_of_another_kind_under_our_name_counts_as_absent() {
    let server = RedisServer::start();
    let store = store(&server.url());
    let fence = store.try_lock(&context(), &key()).unwrap().unwrap();
    let entry = TokenEntry::from_json(br#"{"replacements":{"requested_at":[7]}}"#);
    assert!(store.save(&context(), &key(), &entry, fence).unwrap());
    store.unlock(&key(), fence);
    assert_eq!(store.load(&context(), &key()).unwrap(), entry);
    for name in server.keys() {
        server.cli(&["DEL", &name]);
        server.cli(&["LPUSH", &name, "x"]);
    }
    assert_eq!(store.load(&context(), &key()).unwrap(), TokenEntry::default());
    let fence = store.try_lock(&context(), &key()).unwrap().unwrap();
    for name in server.keys() {
        server.cli(&["DEL", &name]);
        server.cli(&["LPUSH", &name, "x"]);
    }
    store.unlock(&key(), fence);
    assert_eq!(store.load(&context(), &key()).unwrap(), TokenEntry::default(), "it is used on");
}

#[test]
fn a_replica_that_becomes_the_primary_is_used_at_once() {
    let server = RedisServer::start();
    server.cli(&["REPLICAOF", "127.0.0.1", &free_port().to_string()]);
    let store = store(&server.url());
    assert_eq!(store.load(&context(), &key()).unwrap(), TokenEntry::default());
    assert!(store.try_lock(&context(), &key()).unwrap_err().to_string().contains("READONLY"));
    server.cli(&["REPLICAOF", "NO", "ONE"]);
    assert!(store.try_lock(&context(), &key()).unwrap().is_some());
}

#[test]
fn a_server_that_is_not_redis_is_named_without_its_text() {
    let responses: [&'static [u8]; 5] = [
        b"HTTP/1.1 400 hunter2\r\n\r\n",
        b"-ERR unknown command 'AUTH', with args beginning with: 'hunter2'\r\n",
        b"-hunter2 hunter2\r\n",
        b"$999999999\r\nhunter2",
        b"*3\r\n",
    ];
    for response in responses {
        let stage = Stage::new();
        stage.bypass(&stage.client(&url(impostor(response))));
    }
}

#[test]
fn a_server_that_closes_new_connections_is_left_alone() {
    let server = RawServer::start(|mut connection| {
        let _ = connection.stream.read(&mut [0; 1024]);
    });
    let store = store(&open_url(server.port()));
    store.load(&context(), &key()).unwrap_err();
    assert_eq!(server.connections(), 1);
}

#[test]
fn an_endless_response_is_not_read_to_its_end() {
    const HALF: &[u8] = &[b'x'; 700_000];
    let stage = Stage::new();
    let port = impostor(HALF);
    assert!(stage.bypass(&stage.client(&url(port))).contains("not from a Redis server"));
    let bulk: &'static [u8] = Box::leak([b"$5000000\r\n", HALF, HALF].concat().into_boxed_slice());
    stage.bypass(&stage.client(&url(impostor(bulk))));
}

#[test]
fn urls_and_keys_that_cannot_be_used_are_refused_and_not_shown() {
    let base = || Config::new("https://api.example");
    let refused = |config: Config| {
        let error = config.client_credentials("https://auth.example", "id", "secret");
        let error = Client::new(error).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Config);
        assert!(!format!("{error:?} {error}").contains(PASSWORD), "{error:?}");
        (error.path().unwrap().to_owned(), error.code().as_str())
    };
    let member = |name: &str, code| (name.to_owned(), code);
    for url in ["redis://", "redis://:hunter2@", "redis://h:hunter2", "rediss://h?hunter2"] {
        let refused = refused(base().token_server(url));
        assert_eq!(refused, member("token_store", "value_invalid"), "{url}");
    }
    let with_key = |key: &str| base().token_server("rediss://h").token_store_key(key);
    let insecure = "redis://:hunter2@h";
    let store_insecure = member("token_store", "insecure");
    assert_eq!(refused(base().token_server(insecure)), store_insecure);
    let encrypted = base().token_server(insecure).token_store_key("AAAA");
    assert_eq!(refused(encrypted), store_insecure, "the password can still be read");
    let allowed = base().token_server(insecure).allow_insecure_redis(true);
    let allowed = allowed.client_credentials("https://auth.example", "id", "secret");
    assert!(Client::new(allowed).is_ok());
    let invalid = member("token_store_key", "value_invalid");
    assert_eq!(refused(with_key(PASSWORD)), invalid);
    let without_store = member("token_store_key", "conflicting_members");
    assert_eq!(refused(base().token_store_key(PASSWORD)), without_store);
    let error = Config::from_json(br#"{"token_store": "hunter2:x"}"#).unwrap_err();
    assert_eq!(error.path(), Some("token_store"));
    assert!(!format!("{error:?}").contains(PASSWORD));
}
