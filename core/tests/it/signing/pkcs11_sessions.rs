//! The sessions of a signer with its HSM: shared, replaced, and waited for.

#![cfg(target_os = "linux")]

use std::time::Duration;

use payments_core::{Client, ErrorKind, Outcome, RawRequest};

use super::pkcs11::{client, pay, signing_key_of};
use crate::support::hsm::Hsm;
use crate::support::merchant::{JWS, Merchant, NONE};

#[test]
fn sixteen_threads_share_a_bounded_number_of_sessions() {
    Hsm::run(sixteen_threads_share_a_bounded_number_of_sessions, "", |hsm| {
        let merchant = Merchant::with(JWS);
        let client = client(&merchant, signing_key_of(hsm).sessions(4));
        std::thread::scope(|scope| {
            for thread in 0..16 {
                let client = &client;
                scope.spawn(move || {
                    for call in 0..8 {
                        pay(client, &format!("order-{thread}-{call}")).unwrap();
                    }
                });
            }
        });
        assert_eq!(merchant.calls().len(), 128);
        assert!(merchant.calls().iter().all(|call| call.signature.as_str() == "verified"));
        assert_eq!((hsm.sessions(), hsm.count("login")), (4, 1));
    });
}

#[test]
fn a_session_that_is_lost_is_replaced_once() {
    Hsm::run(a_session_that_is_lost_is_replaced_once, "", |hsm| {
        let merchant = Merchant::with(JWS);
        let client = client(&merchant, signing_key_of(hsm));
        pay(&client, "before").unwrap();
        // Session handle invalid, session closed, device removed, token not
        // present, user not logged in, device error, general error.
        for code in ["b3", "b0", "32", "e0", "101", "30", "5"] {
            hsm.faults(&format!("sign {code} 1"));
            pay(&client, code).unwrap();
            assert_eq!(hsm.count("open_session"), 1, "{code}");
        }
        hsm.faults("close_all 1 1");
        pay(&client, "close-all").unwrap();
        assert_eq!((hsm.count("open_session"), hsm.count("login")), (1, 1));
        assert_eq!(hsm.count("close_session"), 0, "the module had closed it");

        // Only once, and not for errors that a new session cannot fix.
        for (faults, opened) in [("sign 32 2", 1), ("sign 68 1", 0), ("sign 80000001 1", 0)] {
            hsm.faults("");
            pay(&client, &format!("before {faults}")).unwrap();
            let seen = merchant.calls().len();
            hsm.faults(faults);
            let error = pay(&client, "fails").unwrap_err();
            assert_eq!(
                (error.kind(), error.code().as_str()),
                (ErrorKind::Signing, "signer_failed")
            );
            assert_eq!(error.outcome(), Outcome::NotExecuted);
            assert!(error.message().contains("C_Sign: "), "{error}");
            assert_eq!(hsm.count("open_session"), opened, "{faults}");
            assert_eq!(merchant.calls().len(), seen, "nothing is sent without a signature");
        }
        hsm.faults("");
        pay(&client, "after").unwrap();
    });
}

/// A client with `count` idle sessions.
fn client_with_sessions(hsm: &Hsm, merchant: &Merchant, count: usize) -> Client {
    hsm.faults("sleep c8 10000");
    let client = client(merchant, signing_key_of(hsm).sessions(count as u64));
    for round in 0..50 {
        if hsm.sessions() == count {
            break;
        }
        std::thread::scope(|scope| {
            for thread in 0..count {
                let client = &client;
                scope.spawn(move || pay(client, &format!("{round}-{thread}")).unwrap());
            }
        });
    }
    assert_eq!(hsm.sessions(), count);
    hsm.faults("");
    client
}

#[test]
fn live_sessions_are_closed_when_another_one_is_lost() {
    Hsm::run(live_sessions_are_closed_when_another_one_is_lost, "", |hsm| {
        // Session handle invalid; session closed; the module closes all
        // sessions.
        for (faults, closed) in [("sign b3 1", 3), ("sign b0 1", 3), ("close_all 1 1", 0)] {
            let merchant = Merchant::with(JWS);
            let client = client_with_sessions(hsm, &merchant, 4);
            hsm.faults(faults);
            pay(&client, "lost").unwrap();
            let counted = (hsm.count("open_session"), hsm.count("close_session"));
            assert_eq!(counted, (1, closed), "{faults}");
        }
    });
}

#[test]
fn a_call_that_waits_for_a_session_ends_in_time() {
    Hsm::run(a_call_that_waits_for_a_session_ends_in_time, "", |hsm| {
        let merchant = Merchant::with(JWS);
        let client = client(&merchant, signing_key_of(hsm).sessions(1));
        hsm.faults("sleep bb8 1");
        std::thread::scope(|scope| {
            let slow = scope.spawn(|| pay(&client, "slow"));
            std::thread::sleep(Duration::from_millis(300));
            let context = client.context().limited_to(Duration::from_millis(200));
            let request = RawRequest::new("POST", "/ws/any").body(&b"{}"[..]);
            let error = client.execute(&request, &context).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Timeout);
            assert_eq!(error.outcome(), Outcome::NotExecuted);
            assert!(!slow.is_finished(), "nobody waited for the session");
            slow.join().unwrap().unwrap();
        });
    });
}

#[test]
fn a_token_without_sessions_is_waited_for_while_ours_come_back() {
    Hsm::run(a_token_without_sessions_is_waited_for_while_ours_come_back, "", |hsm| {
        let merchant = Merchant::with(JWS);
        let client = client(&merchant, signing_key_of(hsm).sessions(4));
        // CKR_SESSION_COUNT for all sessions but the open one.
        hsm.faults("open_session b1 10000");
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let client = &client;
                scope.spawn(move || pay(client, &format!("order-{thread}")).unwrap());
            }
        });
        assert_eq!(merchant.calls().len(), 4);
        let config = merchant.config(NONE).pkcs11(signing_key_of(hsm), &*merchant.kid);
        assert_eq!(Client::new(config).unwrap_err().code().as_str(), "pkcs11_no_session");
    });
}

/// A module that notices that the token is back, as those of smart cards do.
#[test]
fn a_token_that_is_back_signs_again() {
    Hsm::run(a_token_that_is_back_signs_again, "", |hsm| {
        let merchant = Merchant::with(JWS);
        let client = client(&merchant, signing_key_of(hsm));
        // Token not present: at the old session, and at a new one.
        hsm.faults("sign e0 1\nopen_session e0 1");
        pay(&client, "away").unwrap_err();
        pay(&client, "back").unwrap();
    });
}

#[test]
fn a_key_that_was_deleted_is_not_called_a_public_key() {
    Hsm::run(a_key_that_was_deleted_is_not_called_a_public_key, "", |hsm| {
        let merchant = Merchant::with(JWS);
        let client = client(&merchant, signing_key_of(hsm));
        pay(&client, "before").unwrap();
        hsm.delete_key("signing");
        let error = pay(&client, "after").unwrap_err();
        assert_eq!(error.code(), "signer_failed");
        let said = "no longer has the private key with the label \"signing\"";
        assert!(error.message().contains(said), "{error}");
    });
}
