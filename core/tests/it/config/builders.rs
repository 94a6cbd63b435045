//! The methods that set a configuration in Rust, beside the members that set it
//! as text.

use std::collections::BTreeSet;
use std::time::Duration;

use payments_core::config::{AuthOverride, FIELDS, KeyPlacement, Pkcs11};
use payments_core::transport::ProxySetting;
use payments_core::{Config, Environment, Operation};
use serde_json::{Value, json};

/// Members that name a file to read, where a program in Rust reads it itself.
const READ_BY_THE_PROGRAM: [&str; 5] = [
    "integration_key_file",
    "client_secret_file",
    "key_passphrase_file",
    "public_key_file",
    "token_store_key_file",
];

type Built = fn(Config) -> Config;

/// Members, and the method that sets the same.
fn pairs() -> Vec<(Value, Built)> {
    vec![
        (json!({"environment": "sandbox"}), |it| it.environment(Environment::Sandbox)),
        (json!({"integration_key": "k"}), |it| it.integration_key("k")),
        (json!({"auth_url": "https://t.test", "client_id": "i", "client_secret": "s"}), |it| {
            it.client_credentials("https://t.test", "i", "s")
        }),
        (json!({"key": "PEM", "kid": "1"}), |it| it.signing_key("PEM", "1")),
        (json!({"key_file": "k.pem", "kid": "1"}), |it| it.signing_key_file("k.pem", "1")),
        (json!({"key_passphrase": "p"}), |it| it.key_passphrase("p")),
        (json!({"allow_small_keys": true}), |it| it.allow_small_keys(true)),
        (json!({"signing_threads": 3}), |it| it.signing_threads(3)),
        (
            json!({
                "kid": "1", "pkcs11_module": "m.so", "pkcs11_token": "t", "pkcs11_slot": 3,
                "pkcs11_key_label": "l", "pkcs11_key_id": "0a", "pkcs11_pin": "p",
                "pkcs11_sessions": 2,
            }),
            |it| {
                let key = Pkcs11::new("m.so").token("t").slot(3).key_label("l").key_id("0a");
                it.pkcs11(key.pin("p").sessions(2), "1")
            },
        ),
        (json!({"kid": "1", "pkcs11_module": "m.so", "pkcs11_pin_file": "pin"}), |it| {
            it.pkcs11(Pkcs11::new("m.so").pin_file("pin"), "1")
        }),
        (json!({"public_key": "PEM"}), |it| it.public_key("PEM")),
        (json!({"timeout_ms": 1500}), |it| it.timeout(Duration::from_millis(1500))),
        (json!({"connect_timeout_ms": 700}), |it| it.connect_timeout(Duration::from_millis(700))),
        (json!({"allow_insecure_http": true}), |it| it.allow_insecure_http(true)),
        (json!({"proxy": "http://p.test:1"}), |it| {
            it.proxy(ProxySetting::Url("http://p.test:1".into()))
        }),
        (json!({"proxy": "env"}), |it| it.proxy(ProxySetting::Environment)),
        (json!({"ca_file": "ca.pem"}), |it| it.ca_file("ca.pem")),
        (json!({"journal": "file:/books/journal.db"}), |it| it.journal_file("/books/journal.db")),
        (json!({"journal_scope": "shop"}), |it| it.journal_scope("shop")),
        (json!({"settle_after_ms": 60000}), |it| it.settle_after(Duration::from_secs(60))),
        (json!({"max_response_bytes": 10}), |it| it.max_response_bytes(10)),
        (json!({"max_response_values": 10}), |it| it.max_response_values(10)),
        (json!({"integration_key_placement": "both"}), |it| {
            it.integration_key_placement(KeyPlacement::Both)
        }),
        (json!({"refund_hash_member": "h"}), |it| it.refund_hash_member("h")),
        (json!({"bearer_header": "h", "bearer_scheme": "s"}), |it| it.bearer("h", "s")),
        (json!({"auth": {"create_payment": {"bearer": false}}}), |it| {
            let no_bearer = AuthOverride { bearer: Some(false), ..AuthOverride::default() };
            it.auth(Operation::CreatePayment, no_bearer)
        }),
        (json!({"duplicate_codes": ["a"]}), |it| it.duplicate_codes(["a"])),
        (json!({"not_found_codes": ["a"]}), |it| it.not_found_codes(["a"])),
        (json!({"failure_statuses": ["a"]}), |it| it.failure_statuses(["a"])),
        (json!({"success_signs": {"query_payment": ["/a"]}}), |it| {
            it.success_signs(Operation::QueryPayment, ["/a"])
        }),
        (json!({"check_references": false}), |it| it.check_references(false)),
        (json!({"card_guard": false}), |it| it.card_guard(false)),
        (json!({"treat_401_as_not_executed": false}), |it| it.treat_401_as_not_executed(false)),
        (json!({"check_amount_digits": false}), |it| it.check_amount_digits(false)),
        (json!({"token_store": "file:tokens"}), |it| it.token_folder("tokens")),
        (json!({"token_store": "redis://h"}), |it| it.token_server("redis://h")),
        (json!({"token_store_fallback": "file:t"}), |it| it.token_fallback_folder("t")),
        (json!({"token_store_fallback": "memory"}), |it| it.token_fallback_memory()),
        (json!({"allow_insecure_redis": true}), |it| it.allow_insecure_redis(true)),
        (json!({"token_store_key": "k"}), |it| it.token_store_key("k")),
        (json!({"query_retries": 5}), |it| it.query_retries(5)),
    ]
}

#[test]
fn every_member_has_a_method_that_sets_the_same() {
    let unset = format!("{:?}", Config::new("https://api.test"));
    let mut set = BTreeSet::from(READ_BY_THE_PROGRAM.map(str::to_owned));
    set.insert("base_url".to_owned());
    for (mut members, built) in pairs() {
        set.extend(members.as_object().unwrap().keys().cloned());
        members["base_url"] = "https://api.test".into();
        let read = Config::from_json(members.to_string().as_bytes()).unwrap();
        let built = format!("{:?}", built(Config::new("https://api.test")));
        assert_eq!(format!("{read:?}"), built);
        assert_ne!(built, unset, "{members}");
    }
    let members: BTreeSet<_> = FIELDS.iter().map(|field| field.name.to_owned()).collect();
    assert_eq!(members, set, "members without a method of Config, or the other way round");
}
