//! Errors for an unusable HSM, token, PIN, or key.

#![cfg(target_os = "linux")]

use std::error::Error as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use cryptoki::context::{CInitializeArgs, CInitializeFlags, Pkcs11 as Module};
use cryptoki::object::Attribute;
use payments_core::config::Pkcs11;
use payments_core::signer::PrivateKey;
use payments_core::{Client, Config, Error, ErrorKind, Outcome};

use super::pkcs11_trials::make_keys;
use crate::support::hsm::{Hsm, PIN, TOKEN, module};

const WRONG_PIN: &str = "canary-wrong-pin";

fn of(module: impl AsRef<Path>) -> Pkcs11 {
    Pkcs11::new(module.as_ref()).token(TOKEN).pin(PIN)
}

fn signing(module: impl AsRef<Path>) -> Pkcs11 {
    of(module).key_label("signing")
}

fn config(key: Pkcs11) -> Config {
    Config::new("https://api.example").pkcs11(key, "kid-1")
}

fn refusal(config: Config) -> Error {
    let shown = format!("{config:?} {config:#?}");
    let error = Client::new(config).expect_err("the configuration must be refused");
    let mut shown = format!("{shown} {error} {error:?} {error:#?}");
    let mut source = error.source();
    while let Some(cause) = source {
        shown.push_str(&format!(" {cause} {cause:?}"));
        source = cause.source();
    }
    assert!(!shown.contains("canary"), "{shown}");
    error
}

/// Asserts the member, the code, and a part of the message.
fn assert_refused(key: Pkcs11, path: &str, code: &str, part: &str) {
    let error = refusal(config(key));
    assert_eq!((error.path(), error.code().as_str()), (Some(path), code), "{error}");
    assert_eq!((error.kind(), error.outcome()), (ErrorKind::Config, Outcome::NotExecuted));
    assert!(error.message().contains(part), "{error}");
}

#[test]
fn an_incomplete_or_contradictory_configuration_is_refused() {
    let json = |members: &str| {
        let text = format!(r#"{{"base_url":"https://api.example",{members}}}"#);
        Config::from_json(text.as_bytes())
    };
    let module = r#""kid":"k","pkcs11_module":"m""#;
    let token = format!(r#"{module},"pkcs11_token":"t""#);
    for (members, path, code) in [
        (r#""kid":"k","pkcs11_pin":"1""#.to_owned(), "pkcs11_module", "required"),
        (r#""kid":"k","pkcs11_sessions":1"#.to_owned(), "pkcs11_module", "required"),
        (module.to_owned(), "pkcs11_token", "required"),
        (token.clone(), "pkcs11_key_label", "required"),
        (format!(r#"{token},"pkcs11_slot":0"#), "pkcs11_slot", "conflicting_members"),
        (format!(r#"{token},"pkcs11_key_id":"a"#) + "\"", "pkcs11_key_id", "value_invalid"),
        (
            format!(r#"{token},"pkcs11_key_id":"a1","pkcs11_sessions":0"#),
            "pkcs11_sessions",
            "value_invalid",
        ),
        (
            format!(r#"{token},"pkcs11_key_id":"a1","kid":null"#).replace(r#""kid":"k","#, ""),
            "kid",
            "required",
        ),
        (
            format!(r#"{token},"pkcs11_key_id":"a1","key":"x""#),
            "pkcs11_module",
            "conflicting_members",
        ),
        (
            format!(r#"{token},"pkcs11_key_id":"a1","pkcs11_pin_file":"missing""#),
            "pkcs11_pin_file",
            "file_unreadable",
        ),
        (format!(r#"{token},"pkcs11_key_id":"a1","pkcs11_pin":"""#), "pkcs11_pin", "value_invalid"),
    ] {
        let error = refusal(json(&members).unwrap());
        assert_eq!((error.path(), error.code().as_str()), (Some(path), code), "{members}: {error}");
    }
    let twice = json(r#""pkcs11_pin":"a","pkcs11_pin_file":"b""#).unwrap_err();
    assert_eq!(
        (twice.path(), twice.code().as_str()),
        (Some("pkcs11_pin_file"), "conflicting_members")
    );

    let key = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/vectors/keys");
    let key = PrivateKey::from_file(key.join("test_rsa_4096_pkcs8.pem"), None, false).unwrap();
    let both = config(signing("m")).signer(Arc::new(key.signer("kid-1").unwrap()));
    assert_eq!(refusal(both).code().as_str(), "conflicting_members");
}

#[test]
fn a_module_that_cannot_be_used_is_named() {
    Hsm::run(a_module_that_cannot_be_used_is_named, "", |hsm| {
        let refused = |module: &Path, code, part| {
            assert_refused(signing(module), "pkcs11_module", code, part);
        };
        refused(&hsm.file("nowhere.so"), "pkcs11_not_found", "nowhere.so");
        refused(&hsm.file("tokens"), "pkcs11_not_found", "is not a file");
        let text = hsm.write("text.so", "not a library");
        refused(&text, "pkcs11_not_found", "text.so");
        let source = hsm.write("foreign.c", "int nothing(void) { return 0; }\n");
        refused(&hsm.build("foreign.so", &source), "pkcs11_not_found", "C_GetFunctionList");
        let faulty = hsm.faulty_module();
        hsm.faults("initialize 5 1");
        refused(&faulty, "pkcs11_not_found", "C_Initialize: CKR_GENERAL_ERROR");
        Client::new(config(signing(&faulty))).unwrap();
    });
}

#[test]
fn a_token_that_is_not_there_is_named_with_those_that_are() {
    Hsm::run(a_token_that_is_not_there_is_named_with_those_that_are, "", |hsm| {
        hsm.add_token("twin");
        hsm.add_token("twin");
        let slots = slots();
        for (label, nearest) in [("Payment", "payments"), ("twins", "twin")] {
            let part = format!("labeled \"{label}\"; found: \"{nearest}\" in slot ");
            let unknown = signing(module()).token(label);
            assert_refused(unknown, "pkcs11_token", "pkcs11_not_found", &part);
        }
        let twin = signing(module()).token("twin");
        assert_refused(twin, "pkcs11_token", "pkcs11_not_found", "\"twin\" in slot ");
        let in_slot = |slot: u64| Pkcs11::new(module()).pin(PIN).key_label("signing").slot(slot);
        let missing = slots.iter().max().unwrap() + 1;
        assert_refused(in_slot(missing), "pkcs11_slot", "pkcs11_not_found", "\"payments\"");
        let empty = *slots.last().unwrap();
        let code = "pkcs11_not_found";
        assert_refused(in_slot(empty), "pkcs11_slot", code, "not initialized");
    });
}

/// The slots of this process; the last one contains no usable token.
fn slots() -> Vec<u64> {
    let module = Module::new(module()).unwrap();
    let _ = module.initialize(CInitializeArgs::new(CInitializeFlags::OS_LOCKING_OK));
    let slots = module.get_slots_with_token().unwrap();
    let is_last =
        |slot: &cryptoki::slot::Slot| !module.get_token_info(*slot).unwrap().token_initialized();
    let (last, mut first): (Vec<_>, Vec<_>) = slots.into_iter().partition(is_last);
    first.extend(last);
    first.iter().map(cryptoki::slot::Slot::id).collect()
}

#[test]
fn a_pin_is_never_shown_and_a_wrong_one_never_tried_twice() {
    Hsm::run(a_pin_is_never_shown_and_a_wrong_one_never_tried_twice, "", |hsm| {
        let faulty = hsm.faulty_module();
        let key = || signing(&faulty);
        let without = Pkcs11::new(&faulty).token(TOKEN).key_label("signing");
        assert_refused(without, "pkcs11_pin", "required", "\"payments\" requires a PIN");
        hsm.faults("");
        let wrong = || key().pin(WRONG_PIN);
        let code = "pkcs11_pin_wrong";
        assert_refused(wrong(), "pkcs11_pin", code, "CKR_PIN_INCORRECT");
        assert_eq!(hsm.count("login"), 1);
        for _ in 0..3 {
            assert_refused(wrong(), "pkcs11_pin", code, "not tried again");
        }
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| assert_refused(wrong(), "pkcs11_pin", code, "not tried again"));
            }
        });
        assert_eq!(hsm.count("login"), 1, "one of the few attempts was spent");
        let file = hsm.write("pin", "another-canary");
        assert_refused(key().pin_file(file), "pkcs11_pin_file", code, "CKR_PIN_INCORRECT");

        // The token's flags: locked, and one attempt left.
        for (flags, code, part) in [
            ("40000", "pkcs11_pin_blocked", "security officer"),
            ("20000", "pkcs11_pin_blocked", "none is tried"),
        ] {
            hsm.faults(&format!("token_flags {flags} 100"));
            assert_refused(key(), "pkcs11_pin", code, part);
            assert_eq!(hsm.count("login"), 0, "{code}");
        }
        for (fault, code, part) in [
            ("a4", "pkcs11_pin_blocked", "locked"),
            ("a3", "pkcs11_pin_blocked", "expired"),
            ("102", "pkcs11_pin_blocked", "no user PIN"),
            ("104", "pkcs11_pin_blocked", "security officer"),
        ] {
            hsm.faults(&format!("login {fault} 1"));
            assert_refused(key(), "pkcs11_pin", code, part);
        }
        hsm.faults("login 30 1");
        assert_refused(key(), "pkcs11_module", "pkcs11_failed", "C_Login: CKR_DEVICE_ERROR");
        Client::new(config(key())).unwrap();
        assert_eq!(hsm.sessions(), 0, "no session is left behind by any of them");
    });
}

#[test]
fn two_wrong_pins_at_once_do_not_spend_the_last_attempt() {
    Hsm::run(two_wrong_pins_at_once_do_not_spend_the_last_attempt, "", |hsm| {
        let faulty = hsm.faulty_module();
        hsm.faults("last_try 1 1");
        let refused = |pin: &str, code, part| {
            assert_refused(signing(&faulty).pin(pin), "pkcs11_pin", code, part);
        };
        std::thread::scope(|scope| {
            let first = || refused(WRONG_PIN, "pkcs11_pin_wrong", "CKR_PIN_INCORRECT");
            let first = scope.spawn(first);
            while hsm.count("login") == 0 && !first.is_finished() {
                std::thread::sleep(Duration::from_millis(5));
            }
            // Reads the token's flags before the first login ends.
            refused("another-canary", "pkcs11_pin_blocked", "none is tried");
        });
        assert_eq!((hsm.count("login"), hsm.sessions()), (1, 0));
    });
}

#[test]
fn an_unusable_key_differs_from_usable_ones() {
    Hsm::run(an_unusable_key_differs_from_usable_ones, "", |_| {
        make_keys([
            (b"no-signing".to_vec(), [Attribute::Sign(false)]),
            (b"asking".to_vec(), [Attribute::AlwaysAuthenticate(true)]),
        ]);
        let label = |label: &str| of(module()).key_label(label);
        for (name, code, part) in [
            ("Singing", "pkcs11_not_found", "found: the label \"signing\" and the id a1"),
            ("twins", "pkcs11_not_found", "and the id 72"),
            ("secret", "pkcs11_key_unusable", "is a secret key"),
            ("public-only", "pkcs11_key_unusable", "is a public key"),
            ("curve", "pkcs11_key_unusable", "elliptic-curve"),
            ("no-signing", "pkcs11_key_unusable", "CKA_SIGN"),
            ("asking", "pkcs11_key_unusable", "CKA_ALWAYS_AUTHENTICATE"),
            ("tiny", "key_wrong_kind", "1024 bits"),
            ("small", "key_small", "2048 bits"),
            ("large", "key_wrong_kind", "8192 bits"),
        ] {
            assert_refused(label(name), "pkcs11_key_label", code, part);
        }
        let by_id = |id: &str| of(module()).key_id(id);
        assert_refused(by_id("ff"), "pkcs11_key_id", "pkcs11_not_found", "the id ff");
        assert_refused(label("signing").key_id("0b"), "pkcs11_key_label", "pkcs11_not_found", {
            "the label \"signing\" and the id 0b"
        });
        for key in [label("small"), label("twins").key_id("72"), by_id("71")] {
            assert!(Client::new(config(key.clone())).is_err());
            Client::new(config(key).allow_small_keys(true)).unwrap();
        }
        let error = refusal(config(label("tiny")).allow_small_keys(true));
        assert_eq!(error.code().as_str(), "key_wrong_kind");
    });
}

#[test]
fn of_several_keys_one_is_chosen_or_the_message_says_how() {
    Hsm::run(of_several_keys_one_is_chosen_or_the_message_says_how, "", |hsm| {
        let id = |id: u8| [Attribute::Id(vec![id]), Attribute::Sign(true)];
        let not_for_signing = [Attribute::Id(vec![7]), Attribute::Sign(false)];
        make_keys([
            (b"two ids".to_vec(), id(1)),
            (b"two ids".to_vec(), id(2)),
            (b"one".to_vec(), id(3)),
            (b"two labels".to_vec(), id(3)),
            (b"same".to_vec(), id(4)),
            (b"same".to_vec(), id(4)),
            (b"for both".to_vec(), id(7)),
            (b"for both".to_vec(), not_for_signing),
        ]);
        make_keys([(b"no id".to_vec(), []), (b"no id".to_vec(), [])]);
        hsm.import_key("refused_ec_p256_pkcs8.pem", "curve too", "01");
        hsm.import_key("refused_ec_p256_pkcs8.pem", "two ids", "08");
        let label = |label: &str| of(module()).key_label(label);
        let by_id = |id: &str| of(module()).key_id(id);
        let (member, code) = ("pkcs11_key_label", "pkcs11_not_found");
        let rename = "delete or rename one; found: ";
        let refused = |key, path, part| assert_refused(key, path, code, part);
        refused(label("two ids"), member, "set pkcs11_key_id too, to select one; found: ");
        refused(by_id("03"), "pkcs11_key_id", "set pkcs11_key_label too, to select one; ");
        refused(label("same"), member, rename);
        refused(by_id("04"), "pkcs11_key_id", rename);
        refused(label("same").key_id("04"), member, rename);
        refused(label("no id"), member, rename);
        // Keys that cannot sign requests are not meant.
        for key in [by_id("01"), label("two ids").key_id("02"), by_id("07"), label("for both")] {
            Client::new(config(key).allow_small_keys(true)).unwrap();
        }
        assert_refused(label("two ids").key_id("08"), member, "pkcs11_key_unusable", "elliptic");
    });
}

#[test]
fn a_token_without_rsa_is_refused() {
    let settings = "slots.mechanisms = CKM_AES_CBC,CKM_SHA256";
    Hsm::run(a_token_without_rsa_is_refused, settings, |_| {
        let code = "pkcs11_key_unusable";
        assert_refused(signing(module()), "pkcs11_module", code, "CKM_SHA256_RSA_PKCS");
    });
}
