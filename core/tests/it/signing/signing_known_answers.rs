//! Signatures equal those that other software made with the same keys.

use std::collections::HashMap;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use payments_core::jws::verify;
use payments_core::signer::{PrivateKey, generate_key};

use crate::support::vectors;

#[test]
fn tokens_equal_the_known_answers_and_verify() {
    let mut keys = HashMap::new();
    let cases = vectors::token_cases();
    assert!(cases.len() >= 40);
    for case in cases {
        let key = keys.entry(case.key.clone()).or_insert_with(|| vectors::private_key(&case.key));
        let signer = key.signer(&case.kid).unwrap();
        assert_eq!(vectors::token(&signer, &case.body), case.token, "{}", case.name);

        let public = vectors::public_key(&case.key);
        assert_eq!(signer.public_key(), &public);
        let verified = verify(Some(&case.token), &case.body, |_kid| Some(public));
        assert_eq!(verified.unwrap().kid, case.kid, "{}", case.name);
    }
}

#[test]
fn the_example_of_rfc_7515_gives_its_signature() {
    #[derive(serde::Deserialize)]
    struct Example {
        jwk: HashMap<String, String>,
        signing_input: String,
        signature: String,
    }
    let text = std::fs::read_to_string(vectors::path("rfc7515_a2.json")).unwrap();
    let example: Example = serde_json::from_str(&text).unwrap();
    let key = PrivateKey::from_der(&pkcs1_of(&example.jwk), None, true).unwrap();
    let signer = key.signer("example").unwrap();
    let input = example.signing_input.as_bytes();
    let signature = vectors::signature(&signer, input);
    assert_eq!(URL_SAFE_NO_PAD.encode(&signature), example.signature);
    assert!(signer.public_key().verifies(input, &signature));
    assert!(!signer.public_key().verifies(&input[1..], &signature));
}

/// Encodes the members of a JWK as an `RSAPrivateKey` in DER (RFC 8017).
fn pkcs1_of(jwk: &HashMap<String, String>) -> Vec<u8> {
    let element = |tag: u8, content: &[u8]| {
        let length = u16::try_from(content.len()).unwrap().to_be_bytes();
        let header = match content.len() {
            0..=127 => vec![tag, length[1]],
            128..=255 => vec![tag, 0x81, length[1]],
            _ => vec![tag, 0x82, length[0], length[1]],
        };
        [&header, content].concat()
    };
    let mut numbers = element(2, &[0]);
    for member in ["n", "e", "d", "p", "q", "dp", "dq", "qi"] {
        let mut number = URL_SAFE_NO_PAD.decode(&jwk[member]).unwrap();
        if number[0] >= 0x80 {
            number.insert(0, 0);
        }
        numbers.extend(element(2, &number));
    }
    element(0x30, &numbers)
}

#[test]
fn a_generated_key_signs_and_its_public_key_verifies() {
    let generated = generate_key().unwrap();
    let key = PrivateKey::from_pem(generated.private_key_pem.expose(), None, false).unwrap();
    let signer = key.signer("new").unwrap();
    assert_eq!(signer.public_key().bits(), 4096);
    assert_eq!(signer.public_key().to_pem(), generated.public_key_pem);
    let token = vectors::token(&signer, b"{}");
    assert!(verify(Some(&token), b"{}", |_| Some(signer.public_key().clone())).is_ok());
    assert!(!format!("{generated:?}").contains("BEGIN PRIVATE"));
}

#[test]
fn threads_share_a_signer() {
    let signer = vectors::private_key("test_rsa_4096").signer("shared").unwrap();
    let expected = vectors::token(&signer, b"{}");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..20 {
                    assert_eq!(vectors::token(&signer, b"{}"), expected);
                }
            });
        }
    });
}

/// RUSTSEC-2023-0071 concerns private operations of the `rsa` crate.
#[test]
fn no_source_names_a_private_key_of_the_rsa_crate() {
    fn search(folder: &Path, searched: &mut usize) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                search(&path, searched);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let source = std::fs::read_to_string(&path).unwrap();
                // AWS-LC's, of AES.
                let source = source.replace("PaddedBlockDecryptingKey", "");
                for name in ["RsaPrivateKey", "SigningKey", "DecryptingKey", "rsa::hazmat"] {
                    assert!(!source.contains(name), "{}: {name}", path.display());
                }
                *searched += 1;
            }
        }
    }
    let mut searched = 0;
    search(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut searched);
    assert!(searched > 10);
}
