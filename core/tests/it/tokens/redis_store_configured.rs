//! The Redis token store, set up through the configuration.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use payments_core::token::{Clock, SystemClock};
use payments_core::{Client, Config, Error};
use payments_sandbox::{Sandbox, SandboxConfig};

use crate::support::folder::Folder;
use crate::support::redis::RedisServer;
use crate::support::tls_server::{Authority, TemporaryFile};
use crate::support::tokens::{self, Gate, ManualClock, Service, Witness, call, client};

fn config(sandbox: &Sandbox, members: &str) -> Result<Config, Error> {
    let settings = sandbox.config();
    let json = format!(
        r#"{{"base_url": {:?}, "auth_url": {:?}, "client_id": {:?}, "client_secret": {:?},
            "token_store_fallback": "memory", {members}}}"#,
        sandbox.base_url(),
        sandbox.auth_url(),
        settings.client_id,
        settings.client_secret,
    );
    Config::from_json(json.as_bytes())
}

fn sandbox() -> Sandbox {
    Sandbox::start(SandboxConfig::default()).unwrap()
}

fn token(client: &Client) -> String {
    client.access_token(&client.context()).unwrap().value.expose().to_owned()
}

#[test]
fn password_and_authorities_come_from_the_configuration() {
    let (sandbox, authority) = (sandbox(), Authority::new("ours"));
    let (certificate, key) = authority.issue(&["localhost"]);
    let server = RedisServer::start_tls([&certificate, &key, &authority.pem()], "hunter2");
    let (ca, foreign) = (authority.file(), Authority::new("foreign").file());
    let key = TemporaryFile::new(format!("{}\n", STANDARD.encode([9; 32])).as_bytes());
    let members = |ca: &TemporaryFile| {
        format!(
            r#""token_store": "rediss://:hunter2@localhost:{}/2", "token_store_key_file": {:?},
               "ca_file": {:?}"#,
            server.port, key.0, ca.0
        )
    };
    let witness = Witness::new();
    let make = |ca: &TemporaryFile| {
        let config = config(&sandbox, &members(ca)).unwrap().observer(witness.clone());
        Client::new(config).unwrap()
    };
    let first = token(&make(&ca));
    assert_eq!(token(&make(&ca)), first);
    assert_eq!(sandbox.token_requests(), 1);
    assert_eq!(witness.count("StoreBypassed"), 0, "{:?}", witness.events());

    assert_ne!(token(&make(&foreign)), first);
    assert_eq!(sandbox.token_requests(), 2);
    let events = witness.events().join("\n");
    let refused = "the TLS handshake with the server failed: ca_file does not have the authority";
    assert!(events.contains(refused), "{events}");
    for secret in ["hunter2", "rediss:", "localhost"] {
        assert!(!events.contains(secret), "{events}");
    }
}

#[test]
fn tokens_are_in_the_server_and_readable_only_without_a_key() {
    let (sandbox, server) = (sandbox(), RedisServer::start());
    let plain = format!(r#""token_store": {:?}"#, server.url());
    let encrypted = format!(r#"{plain}, "token_store_key": {:?}"#, STANDARD.encode([9; 32]));
    let secret = sandbox.config().client_secret;
    let is_in_server = |text: &str| {
        let dump = server.dump();
        dump.windows(text.len()).any(|part| part == text.as_bytes())
    };
    for (members, is_readable) in [(&plain, true), (&encrypted, false)] {
        server.cli(&["FLUSHALL"]);
        let client = Client::new(config(&sandbox, members).unwrap()).unwrap();
        let token = token(&client);
        assert_eq!(is_in_server(&token), is_readable);
        assert!(!is_in_server(&secret));
        assert!(!server.keys().is_empty());
    }
}

#[test]
fn clients_are_shared_by_server_and_key_too() {
    let (sandbox, server) = (sandbox(), RedisServer::start());
    let member = |database: u32| format!(r#""token_store": "{}/{database}""#, server.url());
    let key = |byte: u8| format!(r#", "token_store_key": {:?}"#, STANDARD.encode([byte; 32]));
    let variants = [member(0), member(1), member(2) + &key(1), member(2) + &key(2)];
    for members in variants.iter().chain(&variants) {
        token(&Client::shared(config(&sandbox, members).unwrap()).unwrap());
    }
    assert_eq!(sandbox.token_requests(), 4, "one for each of four clients");
}

/// Each connection to the server keeps the lookup it was created with.
#[test]
fn a_lookup_serves_the_store_of_its_own_client_only() {
    let (sandbox, server) = (sandbox(), RedisServer::start());
    let members = r#""token_store": "redis://redis.test", "allow_insecure_redis": true"#;
    for _ in 0..3 {
        let (count, port) = (Arc::new(AtomicUsize::new(0)), server.port);
        let counted = Arc::clone(&count);
        let lookup = move |host: &str, _: u16| {
            assert_eq!(host, "redis.test");
            counted.fetch_add(1, Ordering::SeqCst);
            Ok(vec![SocketAddr::from(([127, 0, 0, 1], port))])
        };
        let config = config(&sandbox, members).unwrap().lookup(Arc::new(lookup));
        token(&Client::shared(config).unwrap());
        assert_eq!(count.load(Ordering::SeqCst), 1);
    }
    assert_eq!(sandbox.token_requests(), 1, "they share the server");
}

#[test]
fn a_wrong_key_costs_one_token_and_heals() {
    let (sandbox, server) = (sandbox(), RedisServer::start());
    let client = |byte: u8, witness: &Arc<Witness>| {
        let (url, key) = (server.url(), STANDARD.encode([byte; 32]));
        let members = format!(r#""token_store": {url:?}, "token_store_key": {key:?}"#);
        let config = config(&sandbox, &members).unwrap().observer(witness.clone());
        Client::new(config).unwrap()
    };
    let witness = Witness::new();
    token(&client(1, &witness));
    let replaced = token(&client(2, &witness));
    assert_eq!(token(&client(2, &witness)), replaced);
    assert_eq!(sandbox.token_requests(), 2);
    assert_eq!(witness.count("StoreBypassed"), 0, "{:?}", witness.events());
}

#[test]
fn an_unsaved_token_is_saved_in_the_fallback() {
    let (service, clock, folder) = (Service::new(), ManualClock::new(), Folder::new());
    let mut server = RedisServer::start();
    let url = server.url();
    let process = || {
        let config = tokens::config(&service, &clock).token_server(url.as_str());
        client(config.token_fallback_folder(folder.path().join("tokens")))
    };
    let gate = Gate::closed();
    let (held, issuing) = (Arc::clone(&gate), Arc::downgrade(&service));
    service.on_token(move |asked| {
        held.pass(asked.context);
        issuing.upgrade().expect("it is asking").issue("token-1", 3600)
    });
    let first = process();
    std::thread::scope(|scope| {
        let calling = scope.spawn(|| call(&first).unwrap());
        gate.wait_for_arrivals(1);
        server.stop();
        gate.open();
        calling.join().unwrap();
    });
    call(&process()).unwrap();
    assert_eq!((service.token_requests(), service.last_token()), (1, "token-1".to_owned()));
}

/// The clock of a host that is set wrong.
struct SkewedClock(i64);

impl Clock for SkewedClock {
    fn monotonic(&self) -> std::time::Instant {
        SystemClock.monotonic()
    }

    fn unix(&self) -> Duration {
        let seconds = SystemClock.unix().as_secs().saturating_add_signed(self.0);
        Duration::from_secs(seconds)
    }
}

fn of_host(service: &Arc<Service>, server: &RedisServer, skew: i64, lifetime: u64) -> Client {
    let issuing = Arc::downgrade(service);
    service.on_token(move |asked| {
        let value = format!("token-{}", asked.number);
        issuing.upgrade().expect("it is asking").issue(&value, lifetime)
    });
    let config = Config::new("https://api.example")
        .client_credentials("https://auth.example", "client-id", "secret")
        .transport(service.clone())
        .clock(Arc::new(SkewedClock(skew)))
        .token_server(server.url());
    Client::new(config).unwrap()
}

#[test]
fn hosts_whose_clocks_differ_share_a_token() {
    for (first, second) in [(0, 300), (300, 0), (-300, 300)] {
        let (service, server) = (Service::new(), RedisServer::start());
        call(&of_host(&service, &server, first, 200)).unwrap();
        let other = of_host(&service, &server, second, 200);
        call(&other).unwrap();
        call(&other).unwrap();
        assert_eq!(service.token_requests(), 1, "{first} and {second}");
        let status = other.token_status(&other.context()).unwrap();
        assert!(status.remaining > Some(Duration::from_secs(150)), "{status:?}");
        assert!(status.age < Some(Duration::from_secs(50)), "{status:?}");
    }
}

#[test]
fn hosts_whose_clocks_differ_share_a_backoff() {
    for (first, second) in [(0, 300), (300, 0)] {
        let (service, server) = (Service::new(), RedisServer::start());
        let [one, other] = [first, second].map(|skew| of_host(&service, &server, skew, 200));
        service.on_token(|_| Ok(tokens::status(403)));
        call(&one).unwrap_err();
        let error = call(&other).unwrap_err();
        assert_eq!(error.code().as_str(), "token_backoff", "{first} and {second}");
        assert!(error.retry_after() <= Some(Duration::from_secs(40)), "{error:?}");
        assert_eq!(service.token_requests(), 1, "{first} and {second}");
    }
}
