//! Every form of key that is accepted, and every one that is refused.

use payments_core::error::{Error, ErrorKind};
use payments_core::jws::PublicKey;
use payments_core::secret::Secret;
use payments_core::signer::PrivateKey;

use crate::support::vectors;
use crate::support::vectors::{PASSPHRASE, key_bytes, key_path, key_text};

pub(super) fn passphrase() -> Secret {
    Secret::new(PASSPHRASE)
}

#[track_caller]
pub(super) fn assert_is_test_key(key: Result<PrivateKey, Error>) {
    let signer = key.unwrap().signer("kid").unwrap();
    assert_eq!(signer.public_key(), &vectors::public_key("test_rsa_4096"));
}

/// Asserts the refusal, and that neither it nor its cause reveals any of the
/// input.
#[track_caller]
pub(super) fn assert_refused<T: std::fmt::Debug>(
    result: Result<T, Error>,
    code: &str,
    path: &str,
    given: &[u8],
) {
    let error = result.unwrap_err();
    assert_eq!(
        (error.kind(), error.code().as_str(), error.path()),
        (ErrorKind::Config, code, Some(path))
    );
    let shown = format!("{error} {error:?} {error:#?}");
    assert!(!shown.contains(PASSPHRASE), "{shown}");
    let given = String::from_utf8_lossy(given);
    for line in given.lines().map(str::trim).filter(|line| line.len() >= 16) {
        let is_armor =
            line.contains(" KEY") || line.starts_with("-----") || line.starts_with("Proc-Type");
        assert!(is_armor || !shown.contains(line), "{shown}");
    }
    assert!(std::error::Error::source(&error).is_none());
}

#[test]
fn pkcs8_and_pkcs1_are_read_as_pem_and_der() {
    for name in ["test_rsa_4096_pkcs8", "test_rsa_4096_pkcs1"] {
        let (pem, der) = (format!("{name}.pem"), format!("{name}.der"));
        assert_is_test_key(PrivateKey::from_pem(&key_text(&pem), None, false));
        assert_is_test_key(PrivateKey::from_der(&key_bytes(&der), None, false));
        assert_is_test_key(PrivateKey::from_file(key_path(&pem), None, false));
        assert_is_test_key(PrivateKey::from_file(key_path(&der), None, false));
    }
}

#[test]
fn encrypted_keys_are_read_with_their_passphrase() {
    let passphrase = passphrase();
    for form in ["", "_scrypt", "_gnutls", "_sha1", "_sha224", "_sha512"] {
        let text = key_text(&format!("test_rsa_4096_encrypted{form}.pem"));
        assert_is_test_key(PrivateKey::from_pem(&text, Some(&passphrase), false));
    }
    let der = "test_rsa_4096_encrypted.der";
    assert_is_test_key(PrivateKey::from_der(&key_bytes(der), Some(&passphrase), false));
    assert_is_test_key(PrivateKey::from_file(key_path(der), Some(&passphrase), false));
}

#[test]
fn a_passphrase_that_is_not_needed_does_no_harm() {
    let text = key_text("test_rsa_4096_pkcs8.pem");
    assert_is_test_key(PrivateKey::from_pem(&text, Some(&passphrase()), false));
}

#[test]
fn a_missing_passphrase_differs_from_a_wrong_one() {
    for name in ["test_rsa_4096_encrypted.pem", "test_rsa_4096_encrypted_scrypt.pem"] {
        let text = key_text(name);
        let missing = PrivateKey::from_pem(&text, None, false);
        assert_refused(missing, "key_passphrase", "key_passphrase", text.as_bytes());
        for wrong in ["", "wrong passphrase, no secret", "test passphrase, no secret\n"] {
            let refused = PrivateKey::from_pem(&text, Some(&Secret::new(wrong)), false);
            let given = format!("{text}\n{wrong}");
            assert_refused(refused, "key_passphrase", "key_passphrase", given.as_bytes());
        }
    }
}

#[test]
fn line_ends_and_text_around_a_block_do_no_harm() {
    let pem = key_text("test_rsa_4096_pkcs8.pem");
    let public = key_text("test_rsa_4096_public.pem");
    for text in [
        pem.replace('\n', "\r\n"),
        pem.replace('\n', "\r"),
        pem.replace('\n', "   \n"),
        pem.trim_end().to_owned(),
        format!("\u{feff}{pem}"),
        format!("Bag Attributes: é\n{pem}\nand more"),
        format!("{public}{pem}"),
        format!("{}{pem}", key_text("refused_certificate.pem")),
    ] {
        assert_is_test_key(PrivateKey::from_pem(&text, None, false));
    }
    let latin_1 = [b"clef priv\xe9e\n", pem.as_bytes()].concat();
    let file = temporary_file("latin_1", &latin_1);
    assert_is_test_key(PrivateKey::from_file(&file, None, false));
    std::fs::remove_file(file).unwrap();
}

#[test]
fn sizes_other_than_4096_bits_are_refused_unless_allowed() {
    for bits in [2048, 3072] {
        let text = key_text(&format!("test_rsa_{bits}_pkcs8.pem"));
        let signer = PrivateKey::from_pem(&text, None, true).unwrap().signer("kid").unwrap();
        assert_eq!(signer.public_key().bits(), bits);
        let refused = PrivateKey::from_pem(&text, None, false);
        assert!(refused.as_ref().unwrap_err().message().contains(&format!("{bits} bits")));
        assert_refused(refused, "key_small", "key", text.as_bytes());
    }
    for (bits, code) in [(1024, "key_wrong_kind"), (8192, "key_wrong_kind")] {
        let text = key_text(&format!("refused_rsa_{bits}_pkcs8.pem"));
        for allow_small_keys in [false, true] {
            let refused = PrivateKey::from_pem(&text, None, allow_small_keys);
            assert!(refused.as_ref().unwrap_err().message().contains(&format!("{bits} bits")));
            assert_refused(refused, code, "key", text.as_bytes());
        }
    }
}

#[test]
fn each_other_format_has_its_own_message() {
    let cases = [
        ("test_rsa_4096_public.pem", "key_wrong_kind"),
        ("test_rsa_4096_public.der", "key_wrong_kind"),
        ("test_rsa_4096_public_pkcs1.pem", "key_wrong_kind"),
        ("test_rsa_4096_public_pkcs1.der", "key_wrong_kind"),
        ("refused_ec_p256_public.pem", "key_wrong_kind"),
        ("refused_ec_p256_pkcs8.pem", "key_wrong_kind"),
        ("refused_ec_p256_sec1.pem", "key_wrong_kind"),
        ("refused_ed25519_pkcs8.pem", "key_wrong_kind"),
        ("refused_pss.pem", "key_wrong_kind"),
        ("refused_certificate.pem", "key_wrong_kind"),
        ("refused_certificate_request.pem", "key_wrong_kind"),
        ("refused_pkcs12.p12", "key_to_convert"),
        ("refused_openssh.pem", "key_to_convert"),
        ("refused_legacy_encrypted.pem", "key_to_convert"),
        ("refused_pbes1.pem", "key_to_convert"),
        ("refused_des3.pem", "key_to_convert"),
    ];
    for (name, code) in cases {
        let refused = PrivateKey::from_file(key_path(name), Some(&passphrase()), false);
        assert_refused(refused, code, "key_file", &key_bytes(name));
    }
}

#[test]
fn text_that_is_not_a_key_has_its_own_message() {
    let pem = key_text("test_rsa_4096_pkcs8.pem");
    let on_one_line = pem.replace('\n', "\\n");
    let wrong_character = pem.replacen("\nMII", "\nM*I", 1);
    let cases = [
        ("", "required"),
        (" \r\n", "required"),
        ("hello, this is not a key", "key_unreadable"),
        ("{\"kty\":\"RSA\",\"d\":\"secret exponent here\"}", "key_unreadable"),
        ("ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQ me@host", "key_wrong_kind"),
        ("PuTTY-User-Key-File-3: ssh-rsa\r\nEncryption: none\r\n", "key_to_convert"),
        (on_one_line.as_str(), "key_unreadable"),
        (wrong_character.as_str(), "key_unreadable"),
        ("-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----", "required"),
        ("-----BEGIN PRIVATE KEY-----\naGVsbG8=\n-----END PRIVATE KEY-----", "key_unreadable"),
    ];
    for (text, code) in cases {
        assert_refused(PrivateKey::from_pem(text, None, false), code, "key", text.as_bytes());
    }
    assert_refused(PrivateKey::from_der(b"", None, false), "required", "key", b"");
    let trailing = [key_bytes("test_rsa_4096_pkcs8.der"), vec![b'\n']].concat();
    let refused = PrivateKey::from_der(&trailing, None, false);
    assert_refused(refused, "key_unreadable", "key", &trailing);
}

#[test]
fn a_key_that_breaks_off_anywhere_is_refused() {
    let pem = key_text("test_rsa_4096_pkcs8.pem");
    for end in (11..pem.len() - 2).step_by(7) {
        let refused = PrivateKey::from_pem(&pem[..end], None, false);
        assert_refused(refused, "key_unreadable", "key", pem.as_bytes());
    }
    let without_last_line = pem.lines().filter(|line| line.len() == 64 || line.starts_with('-'));
    let text: String = without_last_line.flat_map(|line| [line, "\n"]).collect();
    let refused = PrivateKey::from_pem(&text, None, false);
    assert_refused(refused, "key_unreadable", "key", pem.as_bytes());

    for name in ["test_rsa_4096_pkcs8.der", "test_rsa_4096_pkcs1.der"] {
        let der = key_bytes(name);
        for end in (1..der.len()).step_by(11) {
            let refused = PrivateKey::from_der(&der[..end], None, false);
            assert_refused(refused, "key_unreadable", "key", &der);
        }
    }
}

#[test]
fn a_changed_key_never_becomes_another_signer() {
    for name in ["test_rsa_4096_pkcs8.der", "test_rsa_4096_pkcs1.der"] {
        let der = key_bytes(name);
        for at in (0..der.len()).step_by(17) {
            let mut changed = der.clone();
            changed[at] ^= 0x04;
            let signer = PrivateKey::from_der(&changed, None, true).and_then(|it| it.signer("kid"));
            match signer {
                Ok(signer) => {
                    assert_eq!(signer.public_key(), &vectors::public_key("test_rsa_4096"));
                }
                Err(error) => assert_eq!(error.kind(), ErrorKind::Config),
            }
        }
    }
}

#[test]
fn files_that_cannot_be_read_say_why() {
    let refused = PrivateKey::from_file(key_path("no_such_file.pem"), None, false);
    assert!(refused.as_ref().unwrap_err().message().contains("no_such_file.pem"));
    assert_refused(refused, "file_unreadable", "key_file", b"");
    let directory = PrivateKey::from_file(key_path(""), None, false);
    assert_refused(directory, "file_unreadable", "key_file", b"");
    assert_refused(PrivateKey::from_file("", None, false), "file_unreadable", "key_file", b"");
    let below_a_file = key_path("test_rsa_4096_pkcs8.pem").join("key.pem");
    let refused = PrivateKey::from_file(below_a_file, None, false);
    assert_refused(refused, "file_unreadable", "key_file", b"");

    let pem = key_text("test_rsa_4096_pkcs8.pem");
    let one_line = pem.lines().filter(|line| !line.starts_with('-')).collect::<String>();
    for text in [&pem, &one_line] {
        let refused = PrivateKey::from_file(text, None, false);
        assert_refused(refused, "key_unreadable", "key_file", text.as_bytes());
    }
    for (name, contents, code) in [
        ("empty", vec![], "required"),
        ("large", vec![b'a'; 300_000], "file_unreadable"),
        ("utf16_le", pem.encode_utf16().flat_map(u16::to_le_bytes).collect(), "key_unreadable"),
        ("utf16_be", pem.encode_utf16().flat_map(u16::to_be_bytes).collect(), "key_unreadable"),
    ] {
        let file = temporary_file(name, &contents);
        assert_refused(PrivateKey::from_file(&file, None, false), code, "key_file", &contents);
        std::fs::remove_file(file).unwrap();
    }
    let mut utf16 = vec![0xff, 0xfe];
    utf16.extend(pem.encode_utf16().flat_map(u16::to_le_bytes));
    let file = temporary_file("utf16_mark", &utf16);
    let refused = PrivateKey::from_file(&file, None, false);
    assert_refused(refused, "key_unreadable", "key_file", &utf16);
    std::fs::remove_file(file).unwrap();
}

fn temporary_file(name: &str, contents: &[u8]) -> std::path::PathBuf {
    let path = std::env::temp_dir().join(format!("key_loading_{}_{name}", std::process::id()));
    std::fs::write(&path, contents).unwrap();
    path
}

#[test]
fn kids_that_cannot_be_used_are_refused() {
    let key = vectors::private_key("test_rsa_4096");
    for (kid, code) in [
        ("", "value_invalid"),
        ("line\n", "value_invalid"),
        ("nul\0", "value_invalid"),
        ("\u{feff}kid", "value_invalid"),
        (&"k".repeat(257), "value_invalid"),
    ] {
        assert_refused(key.signer(kid), code, "kid", b"");
    }
    assert!(key.signer(&"k".repeat(256)).is_ok());
}

#[test]
fn public_keys_are_read_in_every_form() {
    let expected = vectors::public_key("test_rsa_4096");
    let pem = key_text("test_rsa_4096_public.pem");
    let pkcs1 = key_text("test_rsa_4096_public_pkcs1.pem");
    for text in [
        pem.clone(),
        pkcs1,
        pem.replace('\n', "\r\n"),
        format!("{pem}\ntrailing text"),
        format!("{}{pem}", key_text("refused_certificate.pem")),
    ] {
        assert_eq!(PublicKey::from_pem(&text).unwrap(), expected);
    }
    for name in ["test_rsa_4096_public.der", "test_rsa_4096_public_pkcs1.der"] {
        assert_eq!(PublicKey::from_der(&key_bytes(name)).unwrap(), expected);
    }
    assert_eq!(expected.to_pem(), pem);
    assert_eq!(expected.bits(), 4096);
    assert_eq!(expected.thumbprint().len(), 64);
    assert_ne!(expected, vectors::public_key("test_other_rsa_4096"));
    let shown = format!("{expected:?}");
    assert_eq!(
        shown,
        format!("PublicKey {{ bits: 4096, thumbprint: {:?}, .. }}", expected.thumbprint())
    );
}

#[test]
fn each_other_format_of_a_public_key_has_its_own_message() {
    let cases = [
        ("test_rsa_4096_pkcs8.pem", "public_key_is_private"),
        ("test_rsa_4096_pkcs1.pem", "public_key_is_private"),
        ("test_rsa_4096_encrypted.pem", "public_key_is_private"),
        ("refused_ec_p256_sec1.pem", "public_key_is_private"),
        ("refused_openssh.pem", "public_key_is_private"),
        ("refused_ec_p256_public.pem", "key_unreadable"),
        ("refused_ed25519_public.pem", "key_unreadable"),
        ("refused_pss_public.pem", "key_unreadable"),
        ("refused_certificate.pem", "key_unreadable"),
        ("refused_certificate_request.pem", "key_unreadable"),
        ("refused_rsa_1024_public.pem", "key_unreadable"),
        ("refused_rsa_8192_public.pem", "key_unreadable"),
    ];
    for (name, code) in cases {
        let text = key_text(name);
        assert_refused(PublicKey::from_pem(&text), code, "public_key", text.as_bytes());
    }
    let pem = key_text("test_rsa_4096_public.pem");
    for (text, code) in [
        ("", "key_unreadable"),
        ("hello", "key_unreadable"),
        ("ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQ me@host", "key_unreadable"),
        (&pem[..20], "key_unreadable"),
        (&pem[..300], "key_unreadable"),
        (&pem.replace('\n', "\\n"), "key_unreadable"),
    ] {
        assert_refused(PublicKey::from_pem(text), code, "public_key", text.as_bytes());
    }
    for name in ["test_rsa_4096_pkcs8.der", "test_rsa_4096_encrypted.der"] {
        let der = key_bytes(name);
        assert_refused(PublicKey::from_der(&der), "public_key_is_private", "public_key", &der);
    }
    let der = key_bytes("test_rsa_4096_public.der");
    let oid = der.windows(9).position(|it| it == RSA_ENCRYPTION).unwrap();
    let (exponent_at, oid_ends_at) = (der.len() - 1, oid + RSA_ENCRYPTION.len() - 1);
    let changed = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut der = der.clone();
        change(&mut der);
        der
    };
    for (der, code) in [
        (changed(&|it| it.truncate(it.len() - 1)), "key_unreadable"),
        (changed(&|it| it.push(0)), "key_unreadable"),
        (changed(&|it| it[exponent_at] = 2), "key_unreadable"),
        (changed(&|it| it[oid_ends_at] = 99), "key_unreadable"),
    ] {
        assert_refused(PublicKey::from_der(&der), code, "public_key", &der);
    }
}

/// The object identifier of RSA keys, 1.2.840.113549.1.1.1.
const RSA_ENCRYPTION: [u8; 9] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01];

#[test]
fn no_debug_form_shows_a_key() {
    let key = vectors::private_key("test_rsa_4096");
    assert_eq!(format!("{key:?}"), "PrivateKey(***)");
    let signer = format!("{:?}", key.signer("kid").unwrap());
    assert!(signer.contains("kid") && signer.contains("4096") && signer.len() < 250, "{signer}");
}
