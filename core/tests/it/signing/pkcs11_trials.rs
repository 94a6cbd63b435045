//! Whether and how a key in an HSM signs: found out by trying it.

#![cfg(target_os = "linux")]

use std::path::Path;

use cryptoki::context::{CInitializeArgs, CInitializeFlags, Pkcs11 as Module};
use cryptoki::mechanism::{Mechanism, MechanismType};
use cryptoki::object::Attribute;
use cryptoki::session::UserType;
use cryptoki::types::AuthPin;
use payments_core::config::Pkcs11;
use payments_core::{Client, Config, Error};

use super::pkcs11::{client, pay, signing_key_of};
use crate::support::hsm::{Hsm, PIN, TOKEN, module};
use crate::support::merchant::{JWS, Merchant, key_text};

fn labeled(module: impl AsRef<Path>, label: &str) -> Pkcs11 {
    Pkcs11::new(module.as_ref()).token(TOKEN).pin(PIN).key_label(label)
}

fn config(key: Pkcs11) -> Config {
    Config::new("https://api.example").pkcs11(key, "kid-1").allow_small_keys(true)
}

fn refusal(config: Config) -> Error {
    Client::new(config).expect_err("the key must be refused")
}

/// Asserts the member, the code, and a part of the message.
fn assert_refused(config: Config, path: &str, code: &str, part: &str) {
    let error = refusal(config);
    assert_eq!((error.path(), error.code().as_str()), (Some(path), code), "{error}");
    assert!(error.message().contains(part), "{error}");
}

/// Creates key pairs of 2048 bits with attributes of the private key.
pub(super) fn make_keys<const N: usize>(keys: impl IntoIterator<Item = (Vec<u8>, [Attribute; N])>) {
    let module = Module::new(module()).unwrap();
    let _ = module.initialize(CInitializeArgs::new(CInitializeFlags::OS_LOCKING_OK));
    let slot = module.get_slots_with_initialized_token().unwrap()[0];
    let session = module.open_rw_session(slot).unwrap();
    session.login(UserType::User, Some(&AuthPin::new(PIN.into()))).unwrap();
    for (label, attributes) in keys {
        let public = [
            Attribute::Token(true),
            Attribute::ModulusBits(2048.into()),
            Attribute::PublicExponent(vec![1, 0, 1]),
            Attribute::Label(b"public-only".to_vec()),
        ];
        let mut private = vec![Attribute::Token(true), Attribute::Label(label)];
        private.extend(attributes);
        session.generate_key_pair(&Mechanism::RsaPkcsKeyPairGen, &public, &private).unwrap();
    }
    session.logout().unwrap();
}

/// Whether only padding is left to the token: the signed bytes are the DigestInfo
/// of a SHA-256 digest.
fn is_digest_info(signed: &str) -> bool {
    signed.len() == 2 * 51 && signed.starts_with("3031300d060960864801650304020105000420")
}

#[test]
fn a_key_is_tried_once_however_many_clients_there_are() {
    Hsm::run(a_key_is_tried_once_however_many_clients_there_are, "", |hsm| {
        let merchant = Merchant::with(JWS);
        let faulty = hsm.faulty_module();
        hsm.faults("sleep 64 1");
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| Client::new(config(labeled(&faulty, "signing"))).unwrap());
            }
        });
        Client::new(config(Pkcs11::new(&faulty).token(TOKEN).pin(PIN).key_id("a1"))).unwrap();
        let client = client(&merchant, signing_key_of(hsm));
        let signed = hsm.signed();
        assert_eq!((signed.len(), hsm.count("sign_init")), (1, 1));
        // A signing input has a period behind its header.
        let bytes = signed[0].as_bytes().chunks(2);
        assert!(bytes.into_iter().all(|byte| byte != b"2e"), "{signed:?}");

        pay(&client, "order").unwrap();
        merchant.assert_carries(&merchant.calls()[0], JWS);
        assert_eq!(hsm.count("sign_init"), 2);
        Client::new(config(labeled(&faulty, "other"))).unwrap();
        assert_eq!(hsm.signed()[2..], signed, "another key signs the same");
        assert_eq!(hsm.count("sign_init"), 3);
    });
}

#[test]
fn if_the_preferred_way_does_not_work_the_other_one_is_taken() {
    Hsm::run(if_the_preferred_way_does_not_work_the_other_one_is_taken, "", |hsm| {
        let faulty = hsm.faulty_module();
        let of_id = |id: &str| Pkcs11::new(&faulty).token(TOKEN).pin(PIN).key_id(id);
        for (faults, key, trials) in [
            // Refused at once, and when it signs; a wrong signature.
            ("sign_init_40 70 1", labeled(&faulty, "other"), 2),
            ("sign_40 21 1", labeled(&faulty, "small"), 2),
            ("sign_40 6 2", of_id("71"), 3),
            ("garble_40 1 1", of_id("72"), 2),
            // The token does not offer it, or not for signing.
            ("unlisted 40 1", labeled(&faulty, "without-public"), 1),
            ("flags_40 800 1", labeled(&faulty, "signing"), 1),
        ] {
            hsm.faults(faults);
            Client::new(config(key)).unwrap_or_else(|error| panic!("{faults}: {error}"));
            assert_eq!(hsm.count("sign_init"), trials, "{faults}");
            assert!(is_digest_info(hsm.signed().last().unwrap()), "{faults}");
        }
        let merchant = Merchant::with(JWS);
        pay(&client(&merchant, signing_key_of(hsm)), "order").unwrap();
        merchant.assert_carries(&merchant.calls()[0], JWS);
        assert!(is_digest_info(hsm.signed().last().unwrap()));
    });
}

#[test]
fn the_mechanisms_that_a_key_allows_decide() {
    Hsm::run(the_mechanisms_that_a_key_allows_decide, "", |hsm| {
        let (both, pads) = (MechanismType::SHA256_RSA_PKCS, MechanismType::RSA_PKCS);
        let (pss, allows) = (MechanismType::SHA256_RSA_PKCS_PSS, Attribute::AllowedMechanisms);
        make_keys([
            (b"hashing".to_vec(), [allows(vec![pss, both])]),
            (b"padding".to_vec(), [allows(vec![pads])]),
            (b"pss".to_vec(), [allows(vec![pss])]),
        ]);
        let faulty = hsm.faulty_module();
        for (label, pads) in [("hashing", false), ("padding", true)] {
            hsm.faults("");
            Client::new(config(labeled(&faulty, label))).unwrap();
            assert_eq!((hsm.count("sign_init"), is_digest_info(&hsm.signed()[0])), (1, pads));
        }
        let code = "pkcs11_key_unusable";
        hsm.faults("");
        let key = config(labeled(&faulty, "pss"));
        assert_refused(key.clone(), "pkcs11_key_label", code, "are CKM_SHA256_RSA_PKCS_PSS;");
        // A list that is not shown.
        assert_eq!(hsm.count("sign_init"), 0);
        hsm.faults("conceals_40000600 1 2");
        assert_refused(key, "pkcs11_key_label", code, "CKM_RSA_PKCS was refused (C_SignInit: ");
        // The key allows a mechanism that the token does not offer.
        hsm.faults("flags_1 800 1");
        assert_refused(
            config(labeled(&faulty, "padding")),
            "pkcs11_key_label",
            code,
            "are CKM_RSA_PKCS;",
        );
        hsm.faults("flags_1 800 1\nflags_40 800 1");
        let key = config(labeled(&faulty, "signing"));
        assert_refused(key, "pkcs11_module", "pkcs11_key_unusable", "signs with neither");
        assert_eq!(hsm.count("sign_init"), 0);
    });
}

#[test]
fn a_key_that_cannot_sign_is_refused_when_the_client_is_made() {
    Hsm::run(a_key_that_cannot_sign_is_refused_when_the_client_is_made, "", |hsm| {
        make_keys([(b"asking".to_vec(), [Attribute::AlwaysAuthenticate(true)])]);
        let faulty = hsm.faulty_module();
        let (cannot, asks) = ("pkcs11_key_unusable", "pkcs11_key_unusable");
        for (faults, label, code, part, trials) in [
            ("sign_init_40 68 1\nsign_init_1 70 1", "signing", cannot, "FUNCTION_NOT_PERMITTED", 2),
            ("sign_init_40 70 1\ngarble_1 1 1", "signing", cannot, "by CKM_RSA_PKCS does not", 2),
            ("garble 1 2", "signing", cannot, "set public_key if the", 2),
            ("", "asking", asks, "it was not tried", 0),
            ("conceals_202 1 10", "asking", asks, "PIN for every signature", 4),
        ] {
            hsm.faults(faults);
            assert_refused(config(labeled(&faulty, label)), "pkcs11_key_label", code, part);
            assert_eq!((hsm.count("sign_init"), hsm.sessions()), (trials, 0), "{faults}");
        }
        // A key that hides its size, and one of 2048 bits.
        for (label, is_refused) in [("without-public", false), ("small", true)] {
            hsm.faults("conceals_120 1 10\nconceals_102 1 10");
            let key = config(labeled(&faulty, label)).allow_small_keys(false);
            let refused = Client::new(key).map_err(|error| error.code().as_str().to_owned());
            assert_eq!(refused.err(), is_refused.then(|| "key_small".to_owned()), "{label}");
        }
        // The fault of the HSM is not one of the key, and it may end.
        hsm.faults("sign 30 4");
        let key = || config(labeled(&faulty, "signing"));
        assert_refused(key(), "pkcs11_module", "pkcs11_failed", "C_Sign: CKR_DEVICE_ERROR");
        hsm.faults("sign 30 1");
        Client::new(key()).unwrap();
        assert_eq!(hsm.count("sign_init"), 2);
    });
}

#[test]
fn a_public_key_of_another_key_is_refused_by_the_client() {
    Hsm::run(a_public_key_of_another_key_is_refused_by_the_client, "", |hsm| {
        let faulty = hsm.faulty_module();
        let of = |label, file| config(labeled(&faulty, label)).public_key(key_text(file));
        let (own, other) = ("test_rsa_4096_public.pem", "test_other_rsa_4096_public.pem");
        // The private key of many an HSM shows no number.
        for faults in ["", "conceals_120 1 8"] {
            hsm.faults(faults);
            let key = of("without-public", other);
            assert_refused(key, "public_key", "signature_invalid", "belongs to another key");
            Client::new(of("without-public", own)).unwrap();
        }
    });
}

#[test]
fn padding_at_the_end_of_a_label_does_not_count() {
    Hsm::run(padding_at_the_end_of_a_label_does_not_count, "", |hsm| {
        make_keys([(b"padded  \0".to_vec(), [Attribute::Sign(true)])]);
        let faulty = hsm.faulty_module();
        for label in ["padded", "padded ", "padded  \0", "signing", "signing \0"] {
            for (token, padding) in [("payments", "80"), ("payments  ", "0"), ("payments", "20")] {
                hsm.faults(&format!("padded {padding} 20"));
                let key = labeled(&faulty, label).token(token);
                let made = Client::new(config(key));
                made.unwrap_or_else(|error| panic!("{label:?} {token:?} {padding}: {error}"));
            }
        }
        hsm.faults("padded 80 20");
        let error = refusal(config(labeled(&faulty, "padding")));
        assert!(error.message().contains("found: the label \"padded\", "), "{error}");
    });
}
