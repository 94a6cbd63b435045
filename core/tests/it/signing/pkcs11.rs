//! Signing with a key that never leaves its HSM.

#![cfg(target_os = "linux")]

use std::error::Error as _;
use std::sync::{Arc, Mutex};

use cryptoki::context::Pkcs11 as Module;
use payments_core::config::Pkcs11;
use payments_core::observer::Event;
use payments_core::{CancelHandle, Client, Config, Error, ErrorKind, Outcome};

use crate::support::hsm::{Hsm, PIN, TOKEN, module};
use crate::support::merchant;
use crate::support::merchant::{ALL, BEARER, JWS, Merchant, NONE, key_path, key_text, payment};
use crate::support::recorder;

fn signing_key() -> Pkcs11 {
    Pkcs11::new(module()).token(TOKEN).key_label("signing").pin(PIN)
}

/// The same key, through the faulty module.
pub(super) fn signing_key_of(hsm: &Hsm) -> Pkcs11 {
    Pkcs11::new(hsm.faulty_module()).token(TOKEN).key_label("signing").pin(PIN)
}

/// A client whose signatures the merchant's sandbox accepts.
pub(super) fn client(merchant: &Merchant, key: Pkcs11) -> Client {
    Client::new(merchant.config(NONE).pkcs11(key, &*merchant.kid)).unwrap()
}

pub(super) fn pay(client: &Client, reference: &str) -> Result<(), Error> {
    client.create_payment(&payment(reference).0).map(|_| ())
}

#[test]
fn the_service_accepts_signatures_of_the_hsm() {
    Hsm::run(the_service_accepts_signatures_of_the_hsm, "", |hsm| {
        let merchant = Merchant::with(ALL);
        let credentials = merchant::Credentials { jws: false, ..ALL };
        let config = merchant.config(credentials).pkcs11(signing_key_of(hsm), &*merchant.kid);
        let client = Client::new(config).unwrap();
        pay(&client, "order-1").unwrap();
        merchant.assert_carries(&merchant.calls()[0], ALL);
        assert_eq!(hsm.sessions(), 1, "no more than are needed");
        drop(client);
        assert_eq!(hsm.sessions(), 0, "none is left behind");
    });
}

#[test]
fn any_form_of_configuration_has_all_members() {
    Hsm::run(any_form_of_configuration_has_all_members, "", |hsm| {
        let merchant = Merchant::with(JWS);
        let slot = Module::new(module()).unwrap();
        let initialize = cryptoki::context::CInitializeFlags::OS_LOCKING_OK;
        slot.initialize(cryptoki::context::CInitializeArgs::new(initialize)).unwrap();
        let slot = slot.get_slots_with_initialized_token().unwrap()[0].id();
        hsm.write("pin", format!("{PIN}\n"));
        let file = |members: &str| {
            let text = format!(
                r#"{{"base_url":"{}","environment":"sandbox","kid":"{}","pkcs11_module":"{}",{members}}}"#,
                merchant.sandbox.base_url(),
                merchant.kid,
                module().display()
            );
            Config::from_file(hsm.write("payments.json", text)).unwrap()
        };
        let pin = format!(r#""pkcs11_pin":"{PIN}""#);
        let token = format!(r#""pkcs11_token":"{TOKEN}""#);
        let by_slot = format!(r#""pkcs11_slot":{slot}"#);
        let configs = [
            file(&format!(r#"{token},"pkcs11_key_label":"signing",{pin}"#)),
            file(&format!(r#"{token},"pkcs11_key_id":"a1",{pin},"pkcs11_sessions":1"#)),
            file(&format!(r#"{token},"pkcs11_key_id":"A1","pkcs11_key_label":"signing",{pin}"#)),
            file(&format!(r#"{by_slot},"pkcs11_key_label":"signing","pkcs11_pin_file":"pin""#)),
            // The environment of this process contains the PIN.
            file(&format!(r#"{token},"pkcs11_key_id":"a1""#)).with_env().unwrap(),
        ];
        for (number, config) in configs.into_iter().enumerate() {
            pay(&Client::new(config).unwrap(), &format!("order-{number}")).unwrap();
        }
        assert!(merchant.calls().iter().all(|call| call.signature.as_str() == "verified"));
        assert_eq!(merchant.calls().len(), 5);
    });
}

#[test]
fn a_client_with_an_hsm_is_shared() {
    Hsm::run(a_client_with_an_hsm_is_shared, "", |hsm| {
        let merchant = Merchant::with(merchant::Credentials { jws: true, ..BEARER });
        let shared = |key: Pkcs11| {
            Client::shared(merchant.config(BEARER).pkcs11(key, &*merchant.kid)).unwrap()
        };
        let key = signing_key_of(hsm);
        for order in ["order-1", "order-2", "order-3"] {
            pay(&shared(key.clone()), order).unwrap();
        }
        assert_eq!((hsm.sessions(), merchant.sandbox.token_requests()), (1, 1), "one client");
        pay(&shared(key.key_id("a1")), "order-4").unwrap();
        assert_eq!((hsm.sessions(), merchant.sandbox.token_requests()), (2, 1), "another one");
    });
}

#[test]
fn a_token_that_only_pads_is_given_the_digest() {
    // It refuses every other mechanism.
    let settings = "slots.mechanisms = CKM_RSA_PKCS";
    Hsm::run(a_token_that_only_pads_is_given_the_digest, settings, |_| {
        let merchant = Merchant::with(JWS);
        pay(&client(&merchant, signing_key()), "order").unwrap();
        merchant.assert_carries(&merchant.calls()[0], JWS);
    });
}

#[test]
fn a_signature_is_verified_before_anything_is_sent() {
    Hsm::run(a_signature_is_verified_before_anything_is_sent, "", |hsm| {
        let merchant = Merchant::with(NONE);
        let config = |key| merchant.config(NONE).pkcs11(key, &*merchant.kid);
        // Verified with the token's public key, when the HSM garbles
        // signatures. The private key of many an HSM shows only the modulus.
        for (label, faults) in [
            ("signing", "garble 1 1000"),
            ("without-public", "garble 1 1000"),
            ("signing", "garble 1 1000\nhides 1 1000"),
        ] {
            hsm.faults("");
            let client = Client::new(config(signing_key_of(hsm).key_label(label))).unwrap();
            hsm.faults(faults);
            let error = pay(&client, "order").unwrap_err();
            assert_eq!(
                (error.kind(), error.code().as_str()),
                (ErrorKind::Signing, "signature_invalid")
            );
            assert_eq!(error.outcome(), Outcome::NotExecuted);
        }
        assert_eq!(merchant.sandbox.connections(), 0, "nothing was sent");

        hsm.faults("");
        let right = config(signing_key_of(hsm)).public_key(key_text("test_rsa_4096_public.pem"));
        pay(&Client::new(right).unwrap(), "order").unwrap();
        let file = key_path("test_rsa_4096_public.pem");
        let json = format!(r#"{{"public_key_file":"{}"}}"#, file.display());
        assert!(Config::from_json(json.as_bytes()).is_ok());
    });
}

#[test]
fn a_loaded_module_is_used_whatever_its_path_leads_to() {
    Hsm::run(a_loaded_module_is_used_whatever_its_path_leads_to, "", |hsm| {
        let merchant = Merchant::with(JWS);
        let faulty = hsm.faulty_module();
        let link = hsm.file("link.so");
        std::os::unix::fs::symlink(&faulty, &link).unwrap();
        std::env::set_current_dir(hsm.file(".")).unwrap();
        let key = |module: &str| Pkcs11::new(module).token(TOKEN).key_label("signing").pin(PIN);
        let (by_name, by_link) = ("faulty.so", link.to_str().unwrap());
        let clients = [by_name, by_link].map(|module| client(&merchant, key(module)));

        // An upgrade replaces the module, and the process changes its
        // directory.
        std::fs::rename(&faulty, hsm.file("before.so")).unwrap();
        std::fs::remove_file(&link).unwrap();
        std::os::unix::fs::symlink(module(), &link).unwrap();
        std::env::set_current_dir("/").unwrap();
        for (client, reference) in clients.iter().zip([by_name, "by-link"]) {
            hsm.faults("sign b3 1");
            pay(client, reference).unwrap();
            assert_eq!(hsm.count("open_session"), 1, "{reference}");
        }
    });
}

#[test]
fn a_call_that_ends_while_a_session_is_opened_goes_no_further() {
    Hsm::run(a_call_that_ends_while_a_session_is_opened_goes_no_further, "", |hsm| {
        let merchant = Merchant::with(JWS);
        let client = client(&merchant, signing_key_of(hsm));
        let log = hsm.file("faults.log");
        let pay_until = |call: &'static str| {
            let log = log.clone();
            let hook = move || std::fs::read_to_string(&log).unwrap_or_default().contains(call);
            let context = client.context_with(CancelHandle::new(), Some(Arc::new(hook)));
            client.execute(&payment(call).0, &context).map(drop).unwrap_err()
        };
        let counts = || ["open_session", "login", "close_session"].map(|call| hsm.count(call));
        // A call that ends before the login closes the session. After the login
        // it keeps it, so that the next call need not log in.
        for (faults, call, expected) in
            [("close_all 1 1", "open_session", [1, 0, 1]), ("", "login", [1, 1, 0])]
        {
            hsm.faults(faults);
            let error = pay_until(call);
            let found = (error.kind(), error.outcome());
            assert_eq!(found, (ErrorKind::Cancelled, Outcome::NotExecuted));
            assert_eq!(counts(), expected, "{call}");
        }
        pay(&client, "after").unwrap();
        assert_eq!(counts(), [1, 1, 0], "the session was kept");
    });
}

#[test]
fn a_login_that_is_refused_later_is_tried_once() {
    Hsm::run(a_login_that_is_refused_later_is_tried_once, "", |hsm| {
        recorder::start();
        let merchant = Merchant::with(JWS);
        let shown = Arc::new(Mutex::new(String::new()));
        let text = Arc::clone(&shown);
        let observer = move |event: &Event<'_>| {
            text.lock().unwrap().push_str(&format!("{event:?} {:?}\n", event.to_json()));
        };
        let config = merchant.config(NONE).pkcs11(signing_key_of(hsm), &*merchant.kid);
        let client = Client::new(config.clone().observer(Arc::new(observer))).unwrap();
        pay(&client, "before").unwrap();
        // The PIN was changed, then the sessions were closed.
        hsm.faults("close_all 1 1\nlogin a0 1");
        for part in ["refuses this PIN (CKR_PIN_INCORRECT)", "not tried again", "not tried again"] {
            let error = pay(&client, "refused").unwrap_err();
            assert_eq!((error.kind(), error.outcome()), (ErrorKind::Signing, Outcome::NotExecuted));
            assert!(error.message().contains(part), "{error}");
            let source = error.source().map(|source| format!("{source} {source:?}"));
            let mut shown = shown.lock().unwrap();
            shown.push_str(&format!("{error} {error:?} {error:#?} {source:?}\n"));
        }
        assert_eq!(hsm.count("login"), 1);
        assert_eq!(merchant.calls().len(), 1);
        let shown = format!("{}{config:?}{client:?}{}", shown.lock().unwrap(), recorder::all());
        assert!(shown.contains("RequestEnded") && !shown.contains("canary"), "{shown}");
    });
}

#[test]
fn a_module_that_others_log_out_or_finalize_is_used_again() {
    Hsm::run(a_module_that_others_log_out_or_finalize_is_used_again, "", |_| {
        let merchant = Merchant::with(JWS);
        let client = client(&merchant, signing_key());
        pay(&client, "before").unwrap();
        let other = || Module::new(module()).unwrap();
        let slot = other().get_slots_with_initialized_token().unwrap()[0];
        other().open_ro_session(slot).unwrap().logout().unwrap();
        pay(&client, "logged-out").unwrap();
        other().finalize().unwrap();
        pay(&client, "finalized").unwrap();
        for round in ["second", "third"] {
            std::thread::scope(|scope| {
                for thread in 0..4 {
                    let client = &client;
                    scope.spawn(move || pay(client, &format!("{round}-{thread}")).unwrap());
                }
            });
            other().finalize().unwrap();
        }
        pay(&client, "after").unwrap();
        assert_eq!(merchant.calls().len(), 12);
    });
}

#[test]
fn a_token_that_is_gone_is_named_and_comes_back() {
    Hsm::run(a_token_that_is_gone_is_named_and_comes_back, "", |hsm| {
        let merchant = Merchant::with(JWS);
        let client = client(&merchant, signing_key());
        pay(&client, "before").unwrap();
        let finalize = || Module::new(module()).unwrap().finalize().unwrap();
        std::fs::rename(hsm.file("tokens"), hsm.file("away")).unwrap();
        std::fs::create_dir(hsm.file("tokens")).unwrap();
        finalize();
        let is_gone = || {
            let error = pay(&client, "gone").unwrap_err();
            assert_eq!((error.kind(), error.outcome()), (ErrorKind::Signing, Outcome::NotExecuted));
            let said = error.message();
            assert!(said.contains("the token that this process used before is gone"), "{said}");
            assert!(said.contains("restart the process"), "{said}");
        };
        is_gone();
        std::fs::remove_dir(hsm.file("tokens")).unwrap();
        std::fs::rename(hsm.file("away"), hsm.file("tokens")).unwrap();
        // SoftHSM looks for tokens only when it is initialized.
        is_gone();
        finalize();
        pay(&client, "back").unwrap();
        assert_eq!(merchant.calls().len(), 2);
    });
}
