//! Keys as people copy them, and files that they give in place of keys.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::key_forms::{assert_says, read, read_public};
use crate::support::der::{element, pem};
use crate::support::vectors::{key_bytes, key_text};

#[test]
fn a_change_of_the_text_by_a_program_is_named() {
    let text = key_text("test_rsa_4096_pkcs8.pem");
    let marker = ["BEGIN line was changed", "-----BEGIN PRIVATE KEY-----"];
    let twice = ["base64 once more", "base64 -d"];
    let end = ["the END line that matches its BEGIN line"];
    let cases: [(String, &str, &[&str]); 15] = [
        (text.replace("-----", "\u{2013}\u{2013}\u{2013}"), "key_unreadable", &marker),
        (text.replace("-----", "\u{2014}\u{2014}-"), "key_unreadable", &marker),
        (text.replace("-----", "----"), "key_unreadable", &marker),
        (text.replace("-----", ""), "key_unreadable", &marker),
        (
            text.replace("PRIVATE KEY", "Private Key").replace("BEGIN", "Begin"),
            "key_unreadable",
            &marker,
        ),
        (text.replace("BEGIN PRIVATE", "BEGIN%20PRIVATE"), "key_unreadable", &marker),
        (format!("note\n{}", text.replace("-----B", "--B")), "key_unreadable", &marker),
        (STANDARD.encode(&text), "key_unreadable", &twice),
        (format!("'{}'\n", STANDARD.encode(&text)), "key_unreadable", &twice),
        (text.replace("END PRIVATE", "END RSA PRIVATE"), "key_unreadable", &end),
        (text.replace("-----END", "\u{2014}END"), "key_unreadable", &end),
        (text.replace('+', " "), "key_unreadable", &["plus signs", "became spaces"]),
        (text.replace('/', "_"), "key_unreadable", &["not base64"]),
        (text.replace('\n', "\\n"), "key_unreadable", &["backslash and n"]),
        (
            format!("{{\"private_key\": \"{}\"}}", text.replace('\n', "\\n")),
            "key_unreadable",
            &["JSON"],
        ),
    ];
    for (text, code, parts) in &cases {
        assert_says(read(text), code, parts, text);
    }
    let utf16: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_says(read(&utf16), "key_unreadable", &["iconv -f UTF-16LE -t UTF-8 FILE"], &utf16);
    assert_says(read(STANDARD.encode(&utf16)), "key_unreadable", &twice, "");
    let public = key_text("test_rsa_4096_public.pem").replace("-----", "----");
    let parts = ["BEGIN line was changed", "-----BEGIN PUBLIC KEY-----"];
    assert_says(read_public(&public), "key_unreadable", &parts, &public);
}

#[test]
fn containers_are_named_with_the_command_that_converts_them() {
    let pkcs7 = STANDARD.decode(
        key_text("refused_pkcs7.p7b").lines().filter(|it| !it.starts_with('-')).collect::<String>(),
    );
    let (pkcs7, jks) = (pkcs7.unwrap(), key_bytes("refused_keystore.jks"));
    let hex: String =
        key_bytes("test_rsa_4096_pkcs8.der").iter().map(|it| format!("{it:02x}")).collect();
    let jwk = br#"{"kty": "RSA", "n": "AQAB", "e": "AQAB", "d" : "a secret number"}"#;
    let cases: Vec<(Vec<u8>, &str, &[&str])> = vec![
        (pkcs7.clone(), "key_unreadable", &["PKCS#7", "no private key"]),
        (key_bytes("refused_pkcs7.p7b"), "key_unreadable", &["PKCS#7"]),
        (pem("CERTIFICATE", &pkcs7).into(), "key_unreadable", &["PKCS#7"]),
        (jks.clone(), "key_unreadable", &["keytool -importkeystore", "openssl pkcs12 -in key.p12"]),
        (STANDARD.encode(&jks).into(), "key_unreadable", &["JKS"]),
        (STANDARD.encode(key_bytes("refused_pkcs12.p12")).into(), "key_to_convert", &[".p12"]),
        (hex.into(), "key_unreadable", &["xxd -r -p"]),
        (b"<RSAKeyValue><Modulus>".into(), "key_unreadable", &["XML", "ExportPkcs8PrivateKeyPem"]),
        (vec![0x1e, 0xf1, 0xb5, 0xb0, 0, 0], "key_unreadable", &["openssl rsa -inform PVK"]),
        (jwk.into(), "key_unreadable", &["a JWK", "createPrivateKey"]),
    ];
    for (contents, code, parts) in cases {
        assert_says(read(&contents), code, parts, &contents);
    }
    let cases: Vec<(Vec<u8>, &str, &[&str])> = vec![
        (pkcs7.clone(), "key_unreadable", &["openssl pkcs7", "openssl x509"]),
        (jks.clone(), "key_unreadable", &["keytool -exportcert"]),
        (key_bytes("refused_pkcs12.p12"), "key_unreadable", &["openssl pkcs12"]),
        (br#"{"kty":"RSA","n":"AQAB","e":"AQAB"}"#.into(), "key_unreadable", &["createPublicKey"]),
        (jwk.into(), "public_key_is_private", &[]),
        (br#"{"kty":"EC","crv":"P-256"}"#.into(), "key_unreadable", &[]),
        (b"/etc/keys/public.pem".into(), "key_unreadable", &["looks like a path"]),
    ];
    for (contents, code, parts) in cases {
        assert_says(read_public(&contents), code, parts, &contents);
    }
}

#[test]
fn advice_suits_the_given_format() {
    // Neither OpenSSH nor `node` turns these into RSA keys.
    let openssh =
        |name: &str| pem("OPENSSH PRIVATE KEY", format!("openssh-key-v1 {name}").as_bytes());
    for (contents, code) in [
        (openssh("ssh-rsa"), "key_to_convert"),
        (openssh("ssh-ed25519"), "key_wrong_kind"),
        (openssh("ecdsa-sha2-nistp256"), "key_wrong_kind"),
        (r#"{"kty":"EC","d":"a secret number here"}"#.to_owned(), "key_wrong_kind"),
        (r#"{"kty":"OKP","d":"a secret number here"}"#.to_owned(), "key_wrong_kind"),
        (r#"{"kty":"RSA","n":"AQAB","e":"AQAB"}"#.to_owned(), "key_wrong_kind"),
        (r#"{"keys":[{"kty":"RSA","d":"a secret number"}]}"#.to_owned(), "key_unreadable"),
        ("---- BEGIN SSH2 PUBLIC KEY ----\nAAAA".to_owned(), "key_wrong_kind"),
    ] {
        assert_says(read(&contents), code, &[], &contents);
    }
    // OpenSSL 3 reads DES and RC2 with its legacy provider only.
    let scheme = |last: &[u8]| {
        let oid = [&[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1], last].concat();
        let parameters = element(0x30, &[&element(4, &[b"saltsalt"]), &[2, 1, 1]]);
        element(0x30, &[&element(0x30, &[&element(6, &[&oid]), &parameters]), &element(4, &[b"x"])])
    };
    for (last, is_obsolete) in [
        (&[5, 3][..], true),
        (&[12, 1, 6], true),
        (&[12, 1, 3], false),
        (&[5, 13], false),
        (&[9, 1], false),
    ] {
        let error = read(scheme(last)).unwrap_err();
        assert_eq!(error.code().as_str(), "key_to_convert");
        let has_provider = error.message().contains(" -provider legacy -provider default ");
        assert_eq!(has_provider, is_obsolete, "{last:?}: {error}");
    }
}
