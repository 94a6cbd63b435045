//! Keys that were made to cost time or to be read wrongly.

use payments_core::jws::PublicKey;
use payments_core::signer::PrivateKey;

use super::key_forms::read;
use super::key_loading::passphrase;
use crate::support::der::element;
use crate::support::vectors::key_bytes;

/// An encrypted key with this derivation of the key from the passphrase.
fn encrypted(derivation: &[u8]) -> Vec<u8> {
    let aes = [6, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 1, 0x2a];
    let cipher = element(0x30, &[&aes, &element(4, &[&[0; 16]])]);
    let pbes2 = [6, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 5, 13];
    let scheme = element(0x30, &[&pbes2, &element(0x30, &[derivation, &cipher])]);
    element(0x30, &[&scheme, &element(4, &[&[0; 32]])])
}

#[test]
fn a_derivation_without_bounds_is_refused() {
    let salt = element(4, &[b"salt"]);
    let pbkdf2 = |rounds: &[u8]| {
        let oid = [6, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 5, 12];
        encrypted(&element(0x30, &[&oid, &element(0x30, &[&salt, &element(2, &[rounds])])]))
    };
    let scrypt = |numbers: [&[u8]; 3]| {
        let oid = [6, 9, 0x2b, 6, 1, 4, 1, 0xda, 0x47, 4, 11];
        let numbers = numbers.map(|number| element(2, &[number])).concat();
        encrypted(&element(0x30, &[&oid, &element(0x30, &[&salt, &numbers])]))
    };
    let code = |der: &[u8]| read(der).unwrap_err().code().as_str();
    let unsupported = "key_to_convert";
    assert_eq!(code(&pbkdf2(&[1])), "key_passphrase");
    for rounds in [&[0][..], &[0x80], &[0, 0x98, 0x96, 0x81], &[0x7f, 0xff, 0xff, 0xff], &[1; 9]] {
        assert_eq!(code(&pbkdf2(rounds)), unsupported, "{rounds:?}");
    }
    assert_eq!(code(&scrypt([&[16], &[1], &[1]])), "key_passphrase");
    let numbers: [[&[u8]; 3]; 8] = [
        [&[0], &[1], &[1]],
        [&[3], &[1], &[1]],
        [&[16], &[0], &[1]],
        [&[16], &[1], &[0]],
        [&[0x40, 0, 0, 0], &[8], &[1]],
        [&[0x40, 0, 0, 0, 0, 0, 0, 0], &[8], &[1]],
        [&[16], &[0x7f, 0xff, 0xff, 0xff], &[1]],
        [&[16], &[1], &[0x7f, 0xff, 0xff, 0xff]],
    ];
    for numbers in numbers {
        assert_eq!(code(&scrypt(numbers)), unsupported, "{numbers:?}");
    }
}

#[test]
fn random_changes_are_read_or_refused() {
    let passphrase = passphrase();
    let names = [
        "test_rsa_4096_pkcs8.pem",
        "test_rsa_4096_pkcs1.der",
        "test_rsa_4096_encrypted_gnutls.pem",
        "refused_three_primes.pem",
        "refused_pkcs7.p7b",
        "refused_pkcs12.p12",
        "refused_keystore.jks",
        "test_rsa_4096_public.der",
    ];
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = move |below: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        usize::try_from(random >> 33).unwrap() % below
    };
    for (name, times) in names.map(|name| (name, if name.contains("gnutls") { 8 } else { 120 })) {
        for _ in 0..times {
            let mut contents = key_bytes(name);
            for _ in 0..=next(4) {
                let (at, length) = (next(contents.len()), next(40));
                let end = contents.len().min(at + length);
                match next(4) {
                    0 => contents[at] = next(256) as u8,
                    1 => drop(contents.drain(at..end)),
                    2 => contents.extend_from_within(at..end),
                    _ => contents.truncate(end.max(1)),
                }
                if contents.is_empty() {
                    break;
                }
            }
            for error in [
                PrivateKey::from_contents(&contents, Some(&passphrase), true).err(),
                PublicKey::from_contents(&contents).err(),
            ] {
                assert!(error.is_none_or(|error| !error.message().is_empty()));
            }
        }
    }
}
