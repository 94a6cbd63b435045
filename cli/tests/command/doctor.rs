//! `payments doctor`: its findings, and the bytes that differ.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

use crate::support::{Payments, new_folder, test_key};

const BODY: &str = r#"{"integration_key":"secret-key","payment":{"amount_total":100.10}}"#;
const REWRITTEN: &str = r#"{"integration_key": "secret-key", "payment": {"amount_total": 100.1}}"#;

fn key(name: &str) -> String {
    test_key(name).to_str().unwrap().to_owned()
}

/// A token over a body, by the key of that file.
fn token_by(private: &str, body: &str) -> String {
    let arguments = ["sign", "--key", &key(private), "--kid", "k-1", "--allow-small-keys", "-"];
    let run = Payments::new(&new_folder(), arguments).stdin(body).run();
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    run.text().trim_end().to_owned()
}

/// The report, and the exit code.
fn report(folder: &Path, arguments: &[&str], body: &str) -> (i32, Value) {
    let run = Payments::new(folder, [&["doctor"], arguments, &["-"]].concat()).stdin(body).run();
    assert_eq!(run.stderr, "");
    (run.code, serde_json::from_str(run.text()).unwrap())
}

#[test]
fn the_bytes_that_differ_are_shown() {
    let token = token_by("test_rsa_4096_pkcs8.pem", BODY);
    let public = key("test_rsa_4096_public.pem");
    let arguments = ["--public-key", &public, "--token", &token];
    let sent = BODY.replace("100.10", "100.1");
    let (code, diagnosis) = report(&new_folder(), &arguments, &sent);
    assert_eq!((code, &diagnosis["finding"]), (1, &json!("numbers_rewritten")), "{diagnosis}");
    let expected = json!([{
        "member": "amount_total", "signed": "100.10", "signed_at": 58, "sent": "100.1", "sent_at": 58,
    }]);
    assert_eq!(diagnosis["differences"], expected);

    let (_, diagnosis) = report(&new_folder(), &arguments, REWRITTEN);
    assert_eq!(diagnosis["differences"].as_array().unwrap().len(), 4, "{diagnosis}");
    assert!(!diagnosis.to_string().contains("secret-key"), "{diagnosis}");

    let sent = REWRITTEN.replace("secret-key", "other-key-of-mine");
    let (_, diagnosis) = report(&new_folder(), &arguments, &sent);
    assert_eq!(diagnosis["finding"], "other_bytes_signed");
    assert_eq!(diagnosis.get("differences"), None);
}

#[cfg(target_os = "linux")]
#[test]
fn on_a_terminal_each_difference_is_a_line() {
    let folder = new_folder();
    std::fs::write(folder.join("body.json"), BODY.replace("100.10", "100.1")).unwrap();
    let token = token_by("test_rsa_4096_pkcs8.pem", BODY);
    let public = key("test_rsa_4096_public.pem");
    let arguments = ["doctor", "--public-key", &public, "--token", &token, "@body.json"];
    let run = Payments::on_terminal(&folder, arguments).run();
    let line = "at amount_total: signed \"100.10\", sent \"100.1\" (byte 58 of the body)";
    assert!(run.text().contains(line), "{}", run.text());
}

#[test]
fn the_doctor_says_whether_a_private_key_signed() {
    let folder = new_folder();
    let registered = format!("k-1={}", key("test_other_rsa_4096_public.pem"));
    for (private, signs) in [
        ("test_rsa_4096_pkcs8.pem", true),
        ("test_rsa_4096_public.pem", true),
        ("test_other_rsa_4096_pkcs8.pem", false),
    ] {
        let token = token_by("test_rsa_4096_pkcs8.pem", BODY);
        let own = key(private);
        let arguments = ["--public-key", &registered, "--key", &own, "--token", &token];
        let (code, diagnosis) = report(&folder, &arguments, BODY);
        assert_eq!(code, 1, "{diagnosis}");
        assert_eq!(diagnosis["key_made_the_signature"], signs, "{private}");
        let finding = if signs { "other_key" } else { "nothing_fits" };
        assert_eq!(diagnosis["finding"], finding, "{diagnosis}");
        if signs {
            assert!(diagnosis["message"].as_str().unwrap().contains(private), "{diagnosis}");
        }
    }
    let token = token_by("test_rsa_2048_pkcs8.pem", "other bytes");
    let own = key("test_rsa_2048_pkcs8.pem");
    let (_, diagnosis) = report(&folder, &["--key", &own, "--token", &token], BODY);
    assert_eq!(diagnosis["key_made_the_signature"], true, "{diagnosis}");
    let (_, diagnosis) = report(&folder, &["--key", &own, "--token", "nonsense"], BODY);
    assert_eq!(diagnosis["key_made_the_signature"], Value::Null, "{diagnosis}");
}

#[test]
fn an_unexplained_signature_is_reported_as_such() {
    let token = token_by("test_other_rsa_4096_pkcs8.pem", BODY);
    let public = key("test_rsa_4096_public.pem");
    let (_, diagnosis) = report(&new_folder(), &["--public-key", &public, "--token", &token], BODY);
    let message = diagnosis["message"].as_str().unwrap();
    assert_eq!(diagnosis["finding"], "nothing_fits");
    assert!(message.contains("none of the registered keys made the signature"), "{message}");
    assert!(message.contains("payments doctor --key FILE"), "{message}");
}

#[test]
fn the_kind_of_a_bearer_token_is_named() {
    let folder = new_folder();
    let encoded = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
    let token = |claims: Value| {
        let header = encoded(br#"{"alg":"HS256"}"#);
        format!("{header}.{}.{}", encoded(claims.to_string().as_bytes()), encoded(&[1; 32]))
    };
    let good = token(json!({"client_id": "mine", "exp": 99_999_999_999_u64}));
    for (bearer, finding, code) in [
        (good.as_str(), "nothing_seen", 0),
        (&good[..good.len() - 9], "cut", 1),
        (&token(json!({"client_id": "mine", "exp": 1})), "expired", 1),
        (&token(json!({"client_id": "other"})), "other_client", 1),
        ("Basic abc", "not_a_jwt", 1),
    ] {
        let arguments = ["doctor", "--bearer", bearer, "--client-id", "mine"];
        let run = Payments::new(&folder, arguments).run();
        let diagnosis: Value = serde_json::from_str(run.text()).unwrap();
        assert_eq!(
            (run.code, &diagnosis["bearer"]["finding"]),
            (code, &json!(finding)),
            "{diagnosis}"
        );
        assert_eq!(diagnosis.get("finding"), None, "the signature was not asked about");
    }
}
