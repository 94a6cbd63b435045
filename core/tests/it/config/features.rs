//! Values that need a feature of the crate: refused in a build without it,
//! wherever they come from, and never replaced by anything else.

use std::ffi::OsStr;
use std::sync::Arc;

use payments_core::config::Pkcs11;
use payments_core::{Client, Config, Error, ErrorKind};

use crate::support::child::is_alone;
use crate::support::folder::Folder;
use crate::support::journal::MemoryJournal;
use crate::support::tokens::TestStore;

const PKCS11: (&str, bool) = ("pkcs11", cfg!(feature = "pkcs11"));
const REDIS: (&str, bool) = ("redis", cfg!(feature = "redis"));
const JOURNAL: (&str, bool) = ("journal-sqlite", cfg!(all(unix, feature = "journal-sqlite")));

/// Member, value, and the feature that it needs.
const VALUES: &[(&str, &str, (&str, bool))] = &[
    ("token_store", "redis://127.0.0.1:1", REDIS),
    ("token_store", "redis://:canary@cache.example/2", REDIS),
    ("token_store", "redis:canary", REDIS),
    ("token_store", "rediss://canary.example", REDIS),
    ("token_store", "rediss://user:canary@cache.example:7000?db=1", REDIS),
    ("pkcs11_module", "canary.so", PKCS11),
    ("pkcs11_token", "canary", PKCS11),
    ("pkcs11_slot", "3", PKCS11),
    ("pkcs11_key_label", "canary", PKCS11),
    ("pkcs11_key_id", "0a1f", PKCS11),
    ("pkcs11_pin", "canary", PKCS11),
    ("pkcs11_pin_file", "no/such/canary", PKCS11),
    ("pkcs11_sessions", "2", PKCS11),
    ("journal", "file:canary.db", JOURNAL),
    ("journal", "file:/journal/canary.db", JOURNAL),
];

fn config(members: &str) -> Config {
    let json = format!(r#"{{"base_url":"http://127.0.0.1:1","integration_key":"k"{members}}}"#);
    Config::from_json(json.as_bytes()).unwrap()
}

fn with(member: &str, value: &str) -> String {
    let is_number = matches!(member, "pkcs11_slot" | "pkcs11_sessions");
    if is_number { format!(r#","{member}":{value}"#) } else { format!(r#","{member}":{value:?}"#) }
}

/// Fails unless the value is refused in a build without its feature, and read
/// in one with it.
fn assert_needs(made: Result<Client, Error>, member: &str, (feature, is_on): (&str, bool)) {
    let Some(error) = made.err() else {
        assert!(is_on, "{member} fell back to something else");
        return;
    };
    let is_missing = error.code() == "not_in_this_build";
    assert_eq!(is_missing, !is_on, "{member}: {error}");
    if is_missing {
        assert_eq!((error.kind(), error.path()), (ErrorKind::Config, Some(member)));
        let message = error.message();
        let advice =
            format!(r#"payments-core = {{ version = "0.1.0", features = ["{feature}"] }}"#);
        if cfg!(unix) || feature != "journal-sqlite" {
            assert!(message.contains(&format!("the feature {feature} of")), "{error}");
            assert!(message.contains("in Cargo.toml") && message.contains(&advice), "{error}");
        }
        assert!(!message.contains("canary"), "{error}");
    }
}

#[test]
fn a_member_of_a_text_or_a_file_needs_its_feature() {
    let folder = Folder::made();
    for (member, value, feature) in VALUES {
        let members = with(member, value);
        assert_needs(Client::new(config(&members)), member, *feature);
        assert_needs(Client::shared(config(&members)), member, *feature);
        let made = config(&members).http_transport().and_then(|_| Client::new(config(&members)));
        assert_needs(made, member, *feature);
        let json = format!(r#"{{"base_url":"http://127.0.0.1:1","integration_key":"k"{members}}}"#);
        let file = folder.write("payments.json", json);
        assert_needs(Config::from_file(file).and_then(Client::new), member, *feature);
    }
}

#[test]
fn a_variable_needs_its_feature() {
    let variable = |member: &str| format!("PAYMENTS_{}", member.to_uppercase());
    for (member, value, _) in VALUES {
        let variables = [
            ("PAYMENTS_BASE_URL", OsStr::new("http://127.0.0.1:1")),
            ("PAYMENTS_INTEGRATION_KEY", OsStr::new("k")),
            (&variable(member), OsStr::new(value)),
        ];
        if is_alone(a_variable_needs_its_feature, &variables) {
            let is_set = |(member, value, _): &&(&str, &str, _)| {
                std::env::var(variable(member)).is_ok_and(|it| it == *value)
            };
            let (member, _, feature) = VALUES.iter().find(is_set).unwrap();
            assert_needs(Config::from_env().and_then(Client::new), member, *feature);
            assert_needs(config("").with_env().and_then(Client::new), member, *feature);
            return;
        }
    }
}

#[test]
fn a_method_needs_its_feature() {
    let pkcs11 = |key: Pkcs11| config("").pkcs11(key, "kid-1");
    for (config, member, feature) in [
        (config("").token_server("redis://127.0.0.1:1"), "token_store", REDIS),
        (config("").token_server("rediss://cache.example"), "token_store", REDIS),
        (pkcs11(Pkcs11::new("canary.so")), "pkcs11_module", PKCS11),
        (pkcs11(Pkcs11::new("canary.so").token("t").key_label("l")), "pkcs11_module", PKCS11),
        (pkcs11(Pkcs11::default().pin("canary")), "pkcs11_pin", PKCS11),
        (pkcs11(Pkcs11::default().pin_file("canary")), "pkcs11_pin_file", PKCS11),
        (config("").journal_file("/journal/canary.db"), "journal", JOURNAL),
    ] {
        assert_needs(Client::new(config.clone()), member, feature);
        assert_needs(Client::shared(config), member, feature);
    }
}

#[test]
fn a_missing_feature_is_named_before_a_mistake_in_the_value() {
    let members = r#","client_id":"i","client_secret":"s","auth_url":"http://127.0.0.1:1""#;
    for (member, value, feature) in VALUES {
        let made = Client::new(config(&format!("{members}{}", with(member, value))));
        assert_needs(made, member, *feature);
        let without_address = format!("{{{}}}", &with(member, value)[1..]);
        let made = Config::from_json(without_address.as_bytes()).and_then(Client::new);
        assert_needs(made, member, *feature);
    }
}

#[test]
fn parts_that_code_provides_need_no_feature() {
    let redis = config(r#","token_store":"redis://127.0.0.1:1""#);
    Client::new(redis.token_store(TestStore::new())).unwrap();
    let file = config(r#","journal":"file:/journal/payments.db""#);
    Client::new(file.journal(Arc::new(MemoryJournal::default()))).unwrap();
}

#[test]
fn values_that_need_nothing_need_no_feature() {
    let folder = Folder::made();
    let tokens = format!(r#","token_store":"file:{}""#, folder.path().join("tokens").display());
    for members in [
        r#","token_store":"memory""#,
        r#","token_store_fallback":"memory""#,
        r#","allow_insecure_redis":true"#,
        r#","pkcs11_sessions":8"#,
        r#","journal":"none""#,
        r#","pkcs11_module":null,"token_store":null"#,
        &tokens,
    ] {
        Client::new(config(members)).unwrap_or_else(|error| panic!("{members}: {error}"));
    }
}
