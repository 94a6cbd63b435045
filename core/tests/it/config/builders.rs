//! Methods, compared with the members that set the same as text.

use payments_core::config::{AuthOverride, ClientAuthEncoding, Pkcs11};
use payments_core::{Config, Operation};
use serde_json::Value;

type Built = fn(Config) -> Config;

/// Members, and the method that sets the same.
const PAIRS: &[(&str, Built)] = &[
    (r#"{"auth_url": "https://t.test", "client_id": "i", "client_secret": "s"}"#, |it| {
        it.client_credentials("https://t.test", "i", "s")
    }),
    (r#"{"key": "PEM", "kid": "1"}"#, |it| it.signing_key("PEM", "1")),
    (r#"{"key_file": "k.pem", "kid": "1"}"#, |it| it.signing_key_file("k.pem", "1")),
    (r#"{"kid": "1", "pkcs11_module": "m.so", "pkcs11_slot": 3, "pkcs11_sessions": 2}"#, |it| {
        it.pkcs11(Pkcs11::new("m.so").slot(3).sessions(2), "1")
    }),
    (r#"{"kid": "1", "pkcs11_module": "m.so", "pkcs11_pin_file": "pin"}"#, |it| {
        it.pkcs11(Pkcs11::new("m.so").pin_file("pin"), "1")
    }),
    (r#"{"bearer_header": "h", "bearer_scheme": "s"}"#, |it| it.bearer("h", "s")),
    (r#"{"auth": {"create_payment": {"bearer": false}}}"#, |it| {
        let no_bearer = AuthOverride { bearer: Some(false), ..AuthOverride::default() };
        it.auth(Operation::CreatePayment, no_bearer)
    }),
    (r#"{"success_signs": {"query_payment": ["/a"]}}"#, |it| {
        it.success_signs(Operation::QueryPayment, ["/a"])
    }),
    (r#"{"journal": "file:/journal/payments.db"}"#, |it| it.journal_file("/journal/payments.db")),
    (r#"{"token_store": "file:tokens"}"#, |it| it.token_folder("tokens")),
    (r#"{"token_store": "redis://h"}"#, |it| it.token_server("redis://h")),
    (r#"{"token_store_fallback": "file:t"}"#, |it| it.token_fallback_folder("t")),
    (r#"{"token_store_fallback": "memory"}"#, |it| it.token_fallback_memory()),
    (r#"{"integration_key_file": "k"}"#, |it| it.integration_key_file("k")),
    (r#"{"key_passphrase_file": "p"}"#, |it| it.key_passphrase_file("p")),
    (r#"{"public_key_file": "p.pem"}"#, |it| it.public_key_file("p.pem")),
    (r#"{"token_store_key_file": "k"}"#, |it| it.token_store_key_file("k")),
    (r#"{"not_found_codes": ["A"]}"#, |it| it.not_found_codes(["A"])),
    (r#"{"failure_statuses": ["NO"]}"#, |it| it.failure_statuses(["NO"])),
    (r#"{"client_auth_encoding": "form"}"#, |it| it.client_auth_encoding(ClientAuthEncoding::Form)),
    (r#"{"check_references": false}"#, |it| it.check_references(false)),
    (r#"{"headers": {"X-A": "1", "X-B": "2"}}"#, |it| it.headers([("X-A", "1"), ("X-B", "2")])),
    (r#"{"card_guard": false}"#, |it| it.card_guard(false)),
    (r#"{"check_amount_digits": false}"#, |it| it.check_amount_digits(false)),
    (r#"{"treat_401_as_not_executed": false}"#, |it| it.treat_401_as_not_executed(false)),
];

#[test]
fn a_method_sets_the_same_as_its_members() {
    let unset = format!("{:?}", Config::new("https://api.test"));
    for (members, built) in PAIRS {
        let mut members: Value = serde_json::from_str(members).unwrap();
        members["base_url"] = "https://api.test".into();
        let read = Config::from_json(members.to_string().as_bytes()).unwrap();
        let built = format!("{:?}", built(Config::new("https://api.test")));
        assert_eq!(format!("{read:?}"), built);
        assert_ne!(built, unset, "{members}");
    }
}
