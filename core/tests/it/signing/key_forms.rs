//! Keys as other tools write them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use payments_core::error::Error;
use payments_core::jws::PublicKey;
use payments_core::signer::PrivateKey;

use super::key_loading::{assert_is_test_key, assert_refused, passphrase};
use crate::support::der::{element, elements, pem};
use crate::support::vectors::{self, key_bytes, key_text};

pub(super) fn read(contents: impl AsRef<[u8]>) -> Result<PrivateKey, Error> {
    PrivateKey::from_contents(contents.as_ref(), Some(&passphrase()), false)
}

pub(super) fn read_public(contents: impl AsRef<[u8]>) -> Result<PublicKey, Error> {
    PublicKey::from_contents(contents.as_ref())
}

/// Asserts the refusal, what its message says, and that it does not call the key
/// damaged.
#[track_caller]
pub(super) fn assert_says<T: std::fmt::Debug>(
    result: Result<T, Error>,
    code: &str,
    parts: &[&str],
    given: impl AsRef<[u8]>,
) {
    let error = result.as_ref().unwrap_err();
    let message = error.message().to_owned();
    for part in parts {
        assert!(message.contains(part), "{part:?} is not in {message:?}");
    }
    assert!(!message.contains("damaged"), "{message}");
    let is_public = std::any::type_name::<T>() == std::any::type_name::<PublicKey>();
    let path = if is_public { "public_key" } else { "key" };
    assert_refused(result, code, path, given.as_ref());
}

const RSA: &[u8] = &[6, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 1];
const NULL: &[u8] = &[5, 0];
const ZERO: &[u8] = &[2, 1, 0];
const ONE: &[u8] = &[2, 1, 1];
const LARGE: &[u8] = &[2, 5, 4, 0, 0, 0, 1];
const NEGATIVE: &[u8] = &[2, 1, 0x80];

/// A PKCS#8 document of the test key with another head or tail.
fn pkcs8(version: &[u8], parameters: &[u8], tail: &[u8]) -> Vec<u8> {
    let key = element(4, &[&key_bytes("test_rsa_4096_pkcs1.der")]);
    element(0x30, &[version, &element(0x30, &[RSA, parameters]), &key, tail])
}

/// The numbers of the test key, changed.
fn pkcs1(change: impl FnOnce(&mut Vec<&[u8]>)) -> Vec<u8> {
    let der = key_bytes("test_rsa_4096_pkcs1.der");
    let mut numbers = elements(&der);
    change(&mut numbers);
    element(0x30, &numbers)
}

#[test]
fn attributes_around_the_key_in_pkcs8_do_not_matter() {
    let usage = element(0x30, &[&[6, 3, 0x55, 0x1d, 0x0f], &element(0x31, &[&[3, 2, 0, 0x10]])]);
    let public = element(0x81, &[&[0], &key_bytes("test_rsa_4096_public_pkcs1.der")]);
    let attributes = element(0xa0, &[&usage]);
    for der in [
        pkcs8(ZERO, b"", b""),
        pkcs8(ZERO, NULL, &attributes),
        pkcs8(ONE, NULL, &public),
        pkcs8(ONE, NULL, &[attributes.as_slice(), &public].concat()),
        pkcs8(ONE, b"", b""),
    ] {
        assert_is_test_key(read(&der));
        assert_is_test_key(read(pem("PRIVATE KEY", &der)));
        assert_is_test_key(read(pem("RSA PRIVATE KEY", &der)));
    }
    assert_is_test_key(read(pem("PRIVATE KEY", &key_bytes("test_rsa_4096_pkcs1.der"))));
}

#[test]
fn base64_without_a_begin_line_works() {
    for name in
        ["test_rsa_4096_pkcs8.der", "test_rsa_4096_pkcs1.der", "test_rsa_4096_encrypted.der"]
    {
        let text = STANDARD.encode(key_bytes(name));
        let wrapped = pem("X", &key_bytes(name));
        let wrapped = wrapped.lines().filter(|line| !line.starts_with('-'));
        for text in [
            format!("{text}\n"),
            format!("\"{text}\""),
            format!("\u{feff}{text}"),
            wrapped.collect::<Vec<_>>().join("\r\n"),
        ] {
            assert_is_test_key(read(&text));
        }
        let cut = &text[..text.len() - 5];
        assert_says(read(cut), "key_unreadable", &["the key is incomplete"], cut);
        let cut = &text[..text.len() - 8];
        assert_says(read(cut), "key_unreadable", &["the key is incomplete"], cut);
    }
    let public = STANDARD.encode(key_bytes("test_rsa_4096_public.der"));
    assert_eq!(read_public(&public).unwrap(), vectors::public_key("test_rsa_4096"));
    assert_says(read(&public), "key_wrong_kind", &[], &public);
}

#[test]
fn invisible_characters_do_no_harm() {
    let text = key_text("test_rsa_4096_pkcs8.pem");
    let public = key_text("test_rsa_4096_public.pem");
    let change = |text: &str| {
        [
            format!("\u{feff}{text}"),
            text.replace('\n', "\u{200b}\n"),
            text.replace(' ', "\u{a0}"),
            text.replace('\n', "\n\u{2003}\u{2060}"),
            text.replace("-----BEGIN", "\u{200e}-----BEGIN"),
        ]
    };
    change(&text).iter().for_each(|text| assert_is_test_key(read(text)));
    for text in change(&public) {
        assert_eq!(read_public(&text).unwrap(), vectors::public_key("test_rsa_4096"));
    }
}

#[test]
fn keys_that_cannot_sign_are_not_called_damaged() {
    let three = key_text("refused_three_primes.pem");
    assert_says(
        read(&three),
        "key_wrong_kind",
        &["three or more primes", "payments keygen"],
        &three,
    );
    let bare = [
        pkcs1(|numbers| numbers[4..].fill(ZERO)),
        pkcs1(|numbers| numbers.truncate(4)),
        pkcs1(|numbers| numbers[6..].fill(ZERO)),
    ];
    for der in bare {
        let parts = ["n, e and d alone", "rsa_recover_prime_factors", "payments keygen"];
        assert_says(read(&der), "key_wrong_kind", &parts, &der);
    }
    let der = pkcs1(|numbers| numbers[2] = LARGE);
    assert_says(read(&der), "key_wrong_kind", &["public exponent", "33 bits"], &der);
    let der = pkcs1(|numbers| numbers[2] = ONE);
    assert_says(read(&der), "key_wrong_kind", &["prove nothing", "payments keygen"], &der);
    let der = pkcs1(|numbers| numbers[3] = numbers[1]);
    assert_says(read(&der), "key_wrong_kind", &["not smaller than its modulus"], &der);
    let public = element(0x30, &[&pkcs1_modulus(), LARGE]);
    assert_says(read_public(&public), "key_unreadable", &["33 bits"], &public);
}

fn pkcs1_modulus() -> Vec<u8> {
    elements(&key_bytes("test_rsa_4096_public_pkcs1.der"))[0].to_vec()
}

#[test]
fn encodings_that_der_forbids_are_not_called_damaged() {
    for der in [
        pkcs1(|numbers| numbers.push(ONE)),
        pkcs1(|numbers| numbers.push(&[4, 1, 0])),
        pkcs1(|numbers| numbers.truncate(3)),
        element(0x30, &[ZERO, &element(0x30, &[RSA, NULL]), &element(4, &[b"no key"])]),
    ] {
        assert_says(read(&der), "key_unreadable", &[], &der);
    }
}

/// The numbers of the test key, each encoded by `change`.
fn recoded(change: impl Fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
    let der = key_bytes("test_rsa_4096_pkcs1.der");
    let numbers: Vec<_> = elements(&der).into_iter().map(|it| change(value_of(it))).collect();
    element(0x30, &numbers.iter().map(Vec::as_slice).collect::<Vec<_>>())
}

fn value_of(number: &[u8]) -> &[u8] {
    match number[1] {
        0x82 => &number[4..],
        0x81 => &number[3..],
        _ => &number[2..],
    }
}

fn without_zeros(number: &[u8]) -> Vec<u8> {
    element(2, &[&number[usize::from(number[0] == 0)..]])
}

fn with_zeros(number: &[u8]) -> Vec<u8> {
    element(2, &[&[0, 0, 0], number])
}

/// As BER: the outermost length is open, and the others have all digits.
fn ber(tag: u8, contents: &[&[u8]]) -> Vec<u8> {
    let contents = contents.concat();
    let length = (contents.len() as u32).to_be_bytes();
    [&[tag, 0x84], &length[..], &contents].concat()
}

#[test]
fn a_key_is_read_in_each_encoding_that_openssl_reads() {
    let one = key_bytes("test_rsa_4096_pkcs1.der");
    let eight = |oid: &[u8], key: &[u8]| {
        element(0x30, &[ZERO, &element(0x30, &[oid, NULL]), &element(4, &[key])])
    };
    let hashed = [&RSA[..10], &[11]].concat();
    let (first, second) = one.split_at(999);
    let pieces = [element(4, &[first]), element(4, &[second]), vec![0, 0]].concat();
    let pieces = [&[0x24, 0x80], &pieces[..]].concat();
    let open = [&[0x30, 0x80], ZERO, &ber(0x30, &[RSA, NULL]), &pieces, &[0, 0]].concat();
    for der in [
        recoded(without_zeros),
        recoded(with_zeros),
        pkcs1(|numbers| numbers[0] = &[2, 0]),
        pkcs1(|numbers| numbers[0] = &[2, 1, 2]),
        pkcs1(|numbers| numbers.push(&[0x30, 0])),
        pkcs1(|numbers| numbers.push(NULL)),
        eight(RSA, &recoded(without_zeros)),
        eight(RSA, &[one.as_slice(), &[0, 0]].concat()),
        eight(&[6, 4, 0x55, 8, 1, 1], &one),
        eight(&hashed, &one),
        ber(0x30, &elements(&one)),
        open,
    ] {
        assert_is_test_key(read(&der));
        assert_is_test_key(read(pem("PRIVATE KEY", &der)));
        assert_is_test_key(read(STANDARD.encode(&der)));
    }
}

#[test]
fn a_public_key_is_read_in_each_encoding_that_openssl_reads() {
    let key = key_bytes("test_rsa_4096_public_pkcs1.der");
    let spki = |oid: &[u8], key: &[u8]| {
        element(0x30, &[&element(0x30, &[oid, NULL]), &element(3, &[&[0], key])])
    };
    let recoded = |change: fn(&[u8]) -> Vec<u8>| {
        let numbers: Vec<_> = elements(&key).into_iter().map(|it| change(value_of(it))).collect();
        element(0x30, &[&numbers[0], &numbers[1]])
    };
    for der in [
        recoded(without_zeros),
        spki(RSA, &recoded(with_zeros)),
        spki(RSA, &[key.as_slice(), &[0, 0]].concat()),
        spki(&[6, 4, 0x55, 8, 1, 1], &key),
        ber(0x30, &elements(&key_bytes("test_rsa_4096_public.der"))),
    ] {
        assert_eq!(read_public(&der).unwrap(), vectors::public_key("test_rsa_4096"));
        assert_eq!(read_public(pem("X", &der)).unwrap(), vectors::public_key("test_rsa_4096"));
    }
    let three = element(0x30, &[&key[4..], ONE]);
    assert!(read_public(spki(RSA, &three)).unwrap_err().message().contains("is damaged"));
}

#[test]
fn text_that_openssl_reads_is_read() {
    let text = key_text("test_rsa_4096_pkcs8.pem");
    let padded = text.rsplit_once("=\n").unwrap().0;
    let (before, last) =
        padded.trim_end_matches('=').split_at(padded.trim_end_matches('=').len() - 1);
    // The bits of the last character beyond the last byte.
    let stray = char::from(last.as_bytes()[0] + 1);
    let end = "-----END PRIVATE KEY-----\n";
    let mention = "-----BEGIN PRIVATE KEY-----";
    for text in [
        text.replace('\n', "\u{b}\n"),
        format!("{before}{last}\n{end}"),
        format!("{before}{stray}=\n{end}"),
        format!("# the line {mention} must be kept\n{text}"),
        format!("# between {mention} and {end}{text}"),
        format!("{text}# copied from {mention}\n"),
        format!("Bag Attributes: none {text}"),
    ] {
        assert_is_test_key(read(&text));
    }
    let clear = text.replacen('\n', "\nProc-Type: 4,MIC-CLEAR\n\n", 1);
    assert_says(read(&clear), "key_unreadable", &["not base64"], &clear);
    let der = [key_bytes("test_rsa_4096_pkcs8.der"), vec![b'\n']].concat();
    assert_says(read(&der), "key_unreadable", &["`openssl pkey -in FILE -out"], &der);
    let public = [key_bytes("test_rsa_4096_public.der"), vec![b'\n']].concat();
    let parts = ["`openssl pkey -pubin -in FILE -out"];
    assert_says(read_public(&public), "key_unreadable", &parts, &public);
}

#[test]
fn numbers_that_do_not_fit_are_called_damaged() {
    let changes: [fn(&mut Vec<&[u8]>); 4] = [
        |numbers| numbers[4] = NEGATIVE,
        |numbers| numbers.swap(4, 5),
        |numbers| numbers[8] = ONE,
        |numbers| numbers[2] = &[2, 1, 3],
    ];
    for change in changes {
        let der = pkcs1(change);
        let error = read(&der).unwrap_err();
        assert!(error.message().contains("is damaged: its numbers do not match"), "{error}");
        assert_refused(Err::<(), _>(error), "key_unreadable", "key", &der);
    }
}

#[test]
fn a_public_key_without_null_parameters_is_read() {
    let key = key_bytes("test_rsa_4096_public_pkcs1.der");
    let der = element(0x30, &[&element(0x30, &[RSA]), &element(3, &[&[0], &key])]);
    let expected = vectors::public_key("test_rsa_4096");
    assert_eq!(read_public(&der).unwrap(), expected);
    assert_eq!(read_public(pem("PUBLIC KEY", &der)).unwrap().to_pem(), expected.to_pem());
}
