//! Keys and signatures.

use std::path::Path;

use serde_json::Value;

use crate::support::{Payments, Run, new_folder, test_key};

const BODY: &str = r#"{"amount":100.10}"#;

fn run(folder: &Path, arguments: &[&str]) -> Run {
    Payments::new(folder, arguments).run()
}

fn key(name: &str) -> String {
    test_key(name).to_str().unwrap().to_owned()
}

fn token_over(body: &str) -> String {
    let private = key("test_rsa_4096_pkcs8.pem");
    let run = Payments::new(&new_folder(), ["sign", "--key", &private, "--kid", "k-1", "-"])
        .stdin(body)
        .run();
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    run.text().trim_end().to_owned()
}

#[test]
fn keygen_makes_a_pair_that_signs_and_overwrites_nothing() {
    let folder = new_folder();
    let response = run(&folder, &["keygen", "--out", "new/keys"]).response();
    assert_eq!(response["next"].as_array().unwrap().len(), 3);
    let private = folder.join("new/keys/private_key.pem");
    let public = folder.join("new/keys/public_key.pem");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&private), 0o600);
        assert_eq!(mode(private.parent().unwrap()), 0o700);
    }
    let token = run(&folder, &["sign", "--key", private.to_str().unwrap(), "--kid", "k-1", BODY]);
    let arguments =
        ["verify", "--public-key", public.to_str().unwrap(), "--token", token.text().trim(), BODY];
    assert_eq!(run(&folder, &arguments).response()["kid"], "k-1");

    let before = std::fs::read(&private).unwrap();
    let failure = run(&folder, &["keygen", "--out", "new/keys"]).failure(2);
    assert_eq!(failure["code"], "exists");
    std::fs::remove_file(&public).unwrap();
    assert_eq!(run(&folder, &["keygen", "--out", "new/keys"]).failure(2)["code"], "exists");
    assert_eq!(std::fs::read(&private).unwrap(), before);
    assert!(!public.exists());
}

#[test]
fn bodies_are_signed_byte_for_byte() {
    let folder = new_folder();
    let bytes = b"\x00\xff { \r\n";
    std::fs::write(folder.join("body"), bytes).unwrap();
    let private = key("test_rsa_4096_pkcs8.pem");
    let public = key("test_rsa_4096_public.pem");
    let signed = run(&folder, &["sign", "--key", &private, "--kid", "k-1", "@body"]);
    let token = signed.text().trim();
    let arguments = ["verify", "--public-key", &public, "--token", token, "-"];
    let run = Payments::new(&folder, arguments).stdin(bytes).run();
    assert_eq!(run.response()["valid"], true);
    assert_eq!(Payments::new(&folder, arguments).stdin("").run().code, 1);
}

#[test]
fn an_argument_that_names_a_file_stands_for_its_bytes() {
    let folder = new_folder();
    std::fs::write(folder.join("body.json"), BODY).unwrap();
    let private = key("test_rsa_4096_pkcs8.pem");
    let sign = |body| run(&folder, &["sign", "--key", &private, "--kid", "k-1", body]);
    let signed = sign("body.json").text().to_owned();
    assert_eq!(signed, sign("@body.json").text());
    assert_eq!(signed, sign(BODY).text());
    let failure = sign("no-such.json").failure(2);
    assert_eq!(failure["code"], "file_unreadable");
    assert!(failure["message"].as_str().unwrap().contains("no-such.json"), "{failure}");
}

#[test]
fn verify_names_each_of_the_five_causes() {
    let folder = new_folder();
    let public = key("test_rsa_4096_public.pem");
    let good = token_over(BODY);
    let with_payload = good.replace("..", ".e30.");
    let (_, signature) = good.split_once("..").unwrap();
    // {"alg":"RS256"}
    let bare = format!("eyJhbGciOiJSUzI1NiJ9..{signature}");
    for (token, body, cause) in [
        (None, BODY, "missing_signature"),
        (Some("nonsense"), BODY, "invalid_token_format"),
        (Some(with_payload.as_str()), BODY, "payload_not_detached"),
        (Some(bare.as_str()), BODY, "invalid_header"),
        (Some(good.as_str()), "{}", "signature_mismatch"),
    ] {
        for tool in ["verify", "doctor"] {
            let mut arguments = vec![tool, "--public-key", &public];
            arguments.extend(token.iter().flat_map(|token| ["--token", token]));
            arguments.push(body);
            let run = run(&folder, &arguments);
            assert_eq!((run.code, run.stderr.as_str()), (1, ""), "{}", run.text());
            let report: Value = serde_json::from_str(run.text()).unwrap();
            assert_eq!(report["cause"], cause, "{tool}");
        }
    }
}

#[test]
fn the_doctor_finds_the_bytes_that_were_signed() {
    let folder = new_folder();
    let right = key("test_rsa_4096_public.pem");
    let other = format!("k-2={}", key("test_other_rsa_4096_public.pem"));
    let token = token_over(BODY);
    std::fs::write(folder.join("token"), format!("{token}\n")).unwrap();
    let spaced = BODY.replace(':', ": ");
    let newline = format!("{BODY}\n");
    for (keys, body, code, finding) in [
        (vec![right.as_str()], BODY, 0, "valid"),
        (vec![right.as_str()], spaced.as_str(), 1, "body_reserialized"),
        (vec![right.as_str()], newline.as_str(), 1, "trailing_newline"),
        (vec![other.as_str(), right.as_str()], BODY, 0, "valid"),
        (vec![other.as_str()], BODY, 1, "kid_unregistered"),
    ] {
        let mut arguments = vec!["doctor", "--token", "@token"];
        arguments.extend(keys.iter().flat_map(|key| ["--public-key", key]));
        arguments.push(body);
        let run = run(&folder, &arguments);
        let report: Value = serde_json::from_str(run.text()).unwrap();
        assert_eq!((run.code, &report["finding"]), (code, &Value::from(finding)), "{report}");
    }
}

#[test]
fn the_doctor_knows_the_forms_of_a_signed_query() {
    let folder = new_folder();
    let public = key("test_rsa_4096_public.pem");
    let url = "https://api.example/ws/query?integration_key=CANARY&hash=a%20b";
    std::fs::write(folder.join("url"), format!("{url}\n")).unwrap();
    for (signed, code, finding) in [
        ("", 0, "valid"),
        ("integration_key=CANARY&hash=a%20b", 0, "valid"),
        ("integration_key=CANARY&hash=a b", 1, "query_rewritten"),
    ] {
        let token = token_over(signed);
        for url in [url, "@url"] {
            let doctor = ["doctor", "--token", &token, "--public-key", &public, "--url", url];
            let run = run(&folder, &doctor);
            let report: Value = serde_json::from_str(run.text()).unwrap();
            assert_eq!((run.code, &report["finding"]), (code, &Value::from(finding)), "{report}");
            assert!(!run.text().contains("CANARY"), "{report}");
        }
    }
    let both = run(&folder, &["doctor", "--public-key", &public, "--url", url, "{}"]);
    assert_eq!(both.code, 2);
}

#[test]
fn a_key_is_used_for_its_kid_only() {
    let folder = new_folder();
    let token = token_over(BODY);
    for (kid, code) in [("k-1", 0), ("k-2", 1)] {
        let public = format!("{kid}={}", key("test_rsa_4096_public.pem"));
        let arguments = ["verify", "--public-key", &public, "--token", &token, BODY];
        assert_eq!(run(&folder, &arguments).code, code);
    }
}

#[test]
fn keys_that_cannot_be_used_are_configuration_errors() {
    let folder = new_folder();
    for (name, code) in [
        ("refused_ec_p256_pkcs8.pem", "key_wrong_kind"),
        ("test_rsa_4096_public.pem", "key_wrong_kind"),
        ("test_rsa_2048_pkcs8.pem", "key_small"),
        ("test_rsa_4096_encrypted.pem", "key_passphrase"),
        ("no such file", "file_unreadable"),
    ] {
        let failure = run(&folder, &["sign", "--key", &key(name), "--kid", "k-1", BODY]).failure(2);
        assert_eq!((&failure["kind"], &failure["code"]), (&"config".into(), &code.into()));
    }
    let private = key("test_rsa_4096_pkcs8.pem");
    let token = token_over(BODY);
    for (public, code) in
        [(private.as_str(), "public_key_is_private"), ("nowhere.pem", "file_unreadable")]
    {
        let failure =
            run(&folder, &["verify", "--public-key", public, "--token", &token]).failure(2);
        assert_eq!(failure["code"], code);
    }
}

#[test]
fn small_and_encrypted_keys_sign_on_request() {
    let folder = new_folder();
    let small = key("test_rsa_2048_pkcs8.pem");
    let arguments = ["sign", "--key", &small, "--allow-small-keys", "--kid", "k-1", BODY];
    assert_eq!(run(&folder, &arguments).code, 0);
}
