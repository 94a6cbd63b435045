//! The Redis token store: locks, fences, entries, encryption.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use payments_core::CallContext;
use payments_core::token::{Backoff, Fence, RedisStore, Token, TokenEntry, TokenKey, TokenStore};
use payments_core::transport::TlsRoots;

use crate::support::redis::RedisServer;
use crate::support::tls_server::Authority;
use crate::support::wait::{wait_for, wait_until};

fn context() -> CallContext {
    CallContext::with_timeout(Duration::from_secs(30))
}

fn key() -> TokenKey {
    TokenKey::new("https://auth.example", "client", &"secret".into())
}

/// The server's name for a part of the entry.
fn name(part: &str) -> String {
    format!("libpayments:{{{}}}:{part}", key().as_str())
}

fn entry(value: &str) -> TokenEntry {
    let token = Token {
        value: value.into(),
        obtained_at: 1_000,
        expires_at: 4_600,
        members: BTreeMap::from([("jti".to_owned(), "j".to_owned())]),
    };
    let backoff = Some(Backoff { since: 1, until: 2, failures: 3 });
    let rest = br#"{"replacements":{"pause":{"since":4,"until":5,"number":1},"requested_at":[4]}}"#;
    TokenEntry { token: Some(token), backoff, ..TokenEntry::from_json(rest) }
}

fn store_at(url: &str, key: Option<[u8; 32]>) -> RedisStore {
    let key = key.map(|key| STANDARD.encode(key).into());
    RedisStore::new(&url.into(), key.as_ref(), TlsRoots::OperatingSystem).unwrap()
}

fn store(server: &RedisServer) -> RedisStore {
    store_at(&server.url(), None)
}

fn take(store: &RedisStore) -> Option<Fence> {
    store.try_lock(&context(), &key()).unwrap()
}

fn save(store: &RedisStore, value: &str, fence: u64) -> bool {
    store.save(&context(), &key(), &entry(value), Fence(fence)).unwrap()
}

fn load(store: &RedisStore) -> TokenEntry {
    store.load(&context(), &key()).unwrap()
}

#[test]
fn an_entry_comes_back_as_it_was_saved_until_it_has_ended() {
    let server = RedisServer::start();
    let (first, second) = (store(&server), store(&server));
    assert_eq!(load(&first), TokenEntry::default());
    assert!(save(&first, "token", 1));
    assert_eq!(load(&second), entry("token"));
    let milliseconds: u64 = server.cli(&["PTTL", &name("entry")]).parse().unwrap();
    assert!((3_600_000..=3_660_000).contains(&milliseconds), "{milliseconds}");

    let backoff = TokenEntry { token: None, ..entry("") };
    assert!(first.save(&context(), &key(), &backoff, Fence(2)).unwrap());
    assert_eq!(load(&second), backoff);
}

#[test]
fn only_the_refused_token_is_removed() {
    let server = RedisServer::start();
    for key_of_store in [None, Some([7; 32])] {
        let store = store_at(&server.url(), key_of_store);
        assert!(save(&store, "token", 1));
        assert!(!store.delete_if(&context(), &key(), &"other".into()).unwrap());
        assert_eq!(load(&store), entry("token"));
        assert!(store.delete_if(&context(), &key(), &"token".into()).unwrap());
        assert!(!store.delete_if(&context(), &key(), &"token".into()).unwrap());
        assert_eq!(load(&store), TokenEntry { token: None, ..entry("token") });
    }
}

#[test]
fn a_lock_has_one_owner_who_alone_releases_it() {
    let server = RedisServer::start();
    let (first, second) = (store(&server), store(&server));
    let fence = take(&first).unwrap();
    assert_eq!((take(&first), take(&second)), (None, None));
    let milliseconds: u64 = server.cli(&["PTTL", &name("lock")]).parse().unwrap();
    assert!((10_001..=15_000).contains(&milliseconds), "longer than a fetch: {milliseconds}");

    second.unlock(&key(), fence);
    first.unlock(&key(), Fence(fence.0 + 1));
    assert_eq!(take(&second), None, "the lock of another");
    first.unlock(&key(), fence);
    assert!(take(&second).unwrap() > fence);
}

#[test]
fn the_owner_of_a_lapsed_lock_saves_no_more() {
    let server = RedisServer::start();
    let (first, second) = (store(&server), store(&server));
    let late = take(&first).unwrap();
    server.cli(&["PEXPIRE", &name("lock"), "50"]);
    let started = Instant::now();
    let next = loop {
        if let Some(fence) = take(&second) {
            break fence;
        }
        assert!(started.elapsed() < Duration::from_secs(5));
        std::thread::sleep(Duration::from_millis(10));
    };
    assert!(next > late);
    assert!(save(&second, "new", next.0));
    assert!(!save(&first, "late", late.0));
    first.unlock(&key(), late);
    assert_eq!(take(&first), None, "the late owner does not give back the lock of the next");
    assert_eq!(load(&first), entry("new"));
}

/// A store of another program, or a person, wrote it.
#[test]
fn an_entry_with_a_fence_beyond_all_is_removed_on_demand() {
    let server = RedisServer::start();
    let store = store(&server);
    for fence in ["1e19", "9007199254740991", "18446744073709551616", "inf"] {
        server.cli(&["HSET", &name("entry"), "fence", fence]);
        for error in [
            store.load(&context(), &key()).unwrap_err(),
            store.try_lock(&context(), &key()).unwrap_err(),
            store.save(&context(), &key(), &entry("token"), Fence(u64::MAX)).unwrap_err(),
        ] {
            assert!(error.to_string().contains("payments token --forget"), "{fence}: {error}");
        }
        assert!(store.remove_unreadable(&context(), &key()).unwrap(), "{fence}");
        let given = take(&store).unwrap();
        assert!(save(&store, "token", given.0), "{fence}");
        assert!(!store.remove_unreadable(&context(), &key()).unwrap(), "{fence}");
        assert_eq!(load(&store), entry("token"));
        store.unlock(&key(), given);
    }
    server.cli(&["SET", &name("fence"), "9223372036854775806"]);
    assert!(take(&store).unwrap().0 < 10, "the number of the server heals");
}

#[test]
fn a_lost_or_spoiled_number_gives_no_fence_twice() {
    let server = RedisServer::start();
    let store = store(&server);
    assert!(save(&store, "token", 41));
    let spoil: [&[&str]; 4] = [&["DEL"], &["SET", "nonsense"], &["LPUSH", "list"], &["SET", "3"]];
    for arguments in spoil {
        let fence_name = name("fence");
        server.cli(&["DEL", &fence_name]);
        let mut command = vec![arguments[0], &fence_name];
        command.extend(&arguments[1..]);
        server.cli(&command);
        let fence = take(&store).unwrap();
        assert!(fence.0 > 41, "{fence:?} after {arguments:?}");
        store.unlock(&key(), fence);
    }
    assert_ne!(server.cli(&["PTTL", &name("fence")]), "-1", "it is forgotten some day");
}

#[test]
fn foreign_values_under_our_names_are_replaced() {
    let server = RedisServer::start();
    let store = store(&server);
    let spoil: [&[&str]; 4] = [
        &["SET", "text"],
        &["LPUSH", "list"],
        &["HSET", "token", "{", "rest", "[]"],
        &["HSET", "fence", "nonsense", "other", "field"],
    ];
    for (round, arguments) in (1..).zip(spoil) {
        for part in ["entry", "lock"] {
            let part = name(part);
            server.cli(&["DEL", &part]);
            let mut command = vec![arguments[0], &part];
            command.extend(&arguments[1..]);
            assert!(!server.cli(&command).is_empty());
        }
        assert_eq!(load(&store), TokenEntry::default(), "{arguments:?}");
        assert!(!store.delete_if(&context(), &key(), &"token".into()).unwrap());
        let fence = take(&store).expect("a lock that never ends is not one of ours");
        assert!(save(&store, "token", fence.0), "{round}");
        assert_eq!(load(&store), entry("token"));
        store.unlock(&key(), fence);
        server.cli(&["FLUSHALL"]);
    }
}

#[test]
fn two_merchants_never_share_an_entry() {
    let server = RedisServer::start();
    let store = store(&server);
    let other = TokenKey::new("https://auth.example", "client", &"another".into());
    let fence = take(&store).unwrap();
    assert!(save(&store, "token", fence.0));
    assert_eq!(store.load(&context(), &other).unwrap(), TokenEntry::default());
    assert!(store.try_lock(&context(), &other).unwrap().is_some());
    assert!(!store.delete_if(&context(), &other, &"token".into()).unwrap());
    assert_eq!(load(&store), entry("token"));
    assert_eq!(server.keys().len(), 5, "{:?}", server.keys());
}

#[test]
fn an_encrypted_store_shows_no_token() {
    let server = RedisServer::start();
    let is_shown = |text: &[u8]| server.dump().windows(text.len()).any(|part| part == text);
    assert!(save(&store(&server), "canary-token", 1));
    assert!(is_shown(b"canary-token"), "or this test shows nothing");

    let encrypted = store_at(&server.url(), Some([1; 32]));
    assert!(save(&encrypted, "canary-token", 2));
    assert!(!is_shown(b"canary") && !is_shown(b"jti") && !is_shown(b"expires_at"));
    assert_eq!(load(&encrypted), entry("canary-token"));
}

#[test]
fn values_sealed_with_another_key_are_replaced() {
    let server = RedisServer::start();
    let ours = store_at(&server.url(), Some([1; 32]));
    let theirs = store_at(&server.url(), Some([2; 32]));
    let plain = store(&server);
    assert!(save(&ours, "ours", 1));
    assert_eq!((load(&theirs), load(&plain)), (TokenEntry::default(), TokenEntry::default()));
    assert!(save(&theirs, "theirs", 2));
    assert_eq!(load(&theirs), entry("theirs"));
    assert_eq!(load(&ours), TokenEntry::default());
    assert!(save(&plain, "plain", 3));
    assert_eq!((load(&ours), load(&plain)), (TokenEntry::default(), entry("plain")));

    // The parts of an entry cannot be decrypted as another merchant's.
    assert!(save(&ours, "ours", 4));
    let other = TokenKey::new("https://auth.example", "client", &"another".into());
    let other_name = name("entry").replace(key().as_str(), other.as_str());
    server.cli(&["COPY", &name("entry"), &other_name]);
    assert_eq!(ours.load(&context(), &other).unwrap(), TokenEntry::default());
}

#[test]
fn login_and_database_come_from_the_url() {
    let server = RedisServer::start_with(&["--requirepass", "p@ss/word"]);
    let store = store_at(&format!("redis://:p%40ss%2Fword@127.0.0.1:{}/3", server.port), None);
    assert!(save(&store, "token", 1));
    let in_database = |number| server.cli(&["-a", "p@ss/word", "-n", number, "DBSIZE"]);
    assert_eq!((in_database("0"), in_database("3")), ("0".to_owned(), "1".to_owned()));

    server.cli(&[
        "-a",
        "p@ss/word",
        "ACL",
        "SETUSER",
        "shop",
        "on",
        ">pw",
        "~libpayments:*",
        "+@all",
    ]);
    let url = format!("redis://shop:pw@localhost:{}?db=3", server.port);
    assert_eq!(load(&store_at(&url, None)), entry("token"));
}

/// A server that accepts only TLS, with a certificate from a private authority.
fn tls_server(authority: &Authority, name: &str) -> RedisServer {
    let (certificate, key) = authority.issue(&[name]);
    RedisServer::start_tls([&certificate, &key, &authority.pem()], "")
}

fn store_over_tls(server: &RedisServer, authority: &Authority) -> RedisStore {
    let roots = TlsRoots::Certificates(vec![authority.der()].into());
    RedisStore::new(&format!("rediss://localhost:{}", server.port).into(), None, roots).unwrap()
}

#[test]
fn tls_is_spoken_with_a_server_of_the_given_authority_only() {
    let (ours, foreign) = (Authority::new("ours"), Authority::new("foreign"));
    let server = tls_server(&ours, "localhost");
    let store = store_over_tls(&server, &ours);
    // On a busy machine, a handshake or a command may exceed its limit.
    let lock = || store.try_lock(&context(), &key()).ok().flatten();
    let fence = wait_for("the lock is given", lock);
    let saved = || store.save(&context(), &key(), &entry("token"), fence).ok();
    assert!(wait_for("the entry is saved", saved));
    let loaded = wait_for("the entry is loaded", || store.load(&context(), &key()).ok());
    assert_eq!(loaded, entry("token"));
    store.unlock(&key(), fence);
    assert!(wait_for("the lock is given again", lock) > fence);

    let refused = |word: &str, store: &dyn Fn() -> RedisStore| {
        let said = || store().load(&context(), &key()).unwrap_err().to_string();
        wait_until(word, || said().contains(word));
    };
    refused("ca_file does not have the authority", &|| store_over_tls(&server, &foreign));
    refused("set ca_file", &|| store_at(&format!("rediss://localhost:{}", server.port), None));
    let site = Authority::of_server("site.example");
    let issued = tls_server(&site, "localhost");
    refused("is not one of an authority", &|| store_over_tls(&issued, &site));
    let elsewhere = tls_server(&ours, "cache.example");
    refused("is for another host: cache.example", &|| store_over_tls(&elsewhere, &ours));
    let plain = RedisServer::start();
    refused("TLS", &|| store_over_tls(&plain, &ours));
    assert!(store_at(&server.url(), None).load(&context(), &key()).is_err());
}
