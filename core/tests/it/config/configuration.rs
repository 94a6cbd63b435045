//! The sources of a configuration, and the values that it refuses.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use payments_core::config::AuthOverride;
use payments_core::signer::{LocalSigner, PrivateKey};
use payments_core::transport::ProxySetting;
use payments_core::{Client, Config, Environment, Error, ErrorKind, Operation, Outcome};

use crate::support::folder::Folder;
use crate::support::merchant;
use crate::support::merchant::{BEARER, JWS, Merchant, NONE, key_path, key_text, payout};
use crate::support::tokens::TestStore;

fn config(json: &str) -> Result<Config, Error> {
    Config::from_json(json.as_bytes())
}

/// Returns the error of a client with this configuration.
fn refusal(config: Result<Config, Error>) -> Error {
    config.and_then(Client::new).expect_err("the configuration must be refused")
}

fn assert_refused(config: Result<Config, Error>, path: &str, code: &str) {
    let error = refusal(config);
    assert_eq!(
        (error.kind(), error.path(), error.code().as_str()),
        (ErrorKind::Config, Some(path), code)
    );
    assert!(error.message().len() > 10, "{error}");
}

/// Returns the URL and body of a payout prepared with this configuration.
fn prepared(config: Config) -> (String, String) {
    let client = Client::new(config).unwrap();
    let request = client.prepare(&payout().0, &client.context()).unwrap();
    (request.url().to_owned(), String::from_utf8(request.body().to_vec()).unwrap())
}

#[test]
fn secrets_in_files_lose_the_line_end_only() {
    let folder = Folder::made();
    for (contents, expected) in
        [("k-1", "k-1"), ("k-1\n", "k-1"), ("k-1\r\n", "k-1"), (" k 1 \n\n", " k 1 ")]
    {
        let file = folder.write("key", contents);
        let json = format!(
            r#"{{"base_url":"https://api.example","integration_key_file":"{}"}}"#,
            file.display()
        );
        let (_, body) = prepared(config(&json).unwrap());
        let expected = format!(r#"{{"integration_key":"{expected}","#);
        assert!(body.starts_with(&expected), "{contents:?}: {body}");
    }
}

#[test]
fn every_secret_can_be_a_file_next_to_the_configuration() {
    let merchant = Merchant::with(merchant::ALL);
    let of_sandbox = merchant.sandbox.config();
    let folder = Folder::made();
    folder.write("secrets/integration_key", format!("{}\n", of_sandbox.integration_key));
    folder.write("secrets/client_secret", format!("{}\r\n", of_sandbox.client_secret));
    folder.write("secrets/passphrase", "test passphrase, no secret\n");
    folder.write("secrets/key.pem", key_text("test_rsa_4096_encrypted.pem"));
    let json = format!(
        r#"{{"environment":"sandbox","base_url":"{base}","auth_url":"{base}",
            "integration_key_file":"secrets/integration_key","client_id":"{id}",
            "client_secret_file":"secrets/client_secret","key_file":"secrets/key.pem",
            "key_passphrase_file":"secrets/passphrase","kid":"{kid}"}}"#,
        base = merchant.sandbox.base_url(),
        id = of_sandbox.client_id,
        kid = merchant.kid,
    );
    let file = folder.write("payments.json", json);
    let client = Client::new(Config::from_file(file).unwrap()).unwrap();
    client.create_payout(&payout().0).unwrap();
    merchant.assert_carries(&merchant.calls()[0], merchant::ALL);
}

#[test]
fn files_that_cannot_be_read_name_their_member() {
    let folder = Folder::made();
    let empty = folder.write("empty", "\n");
    let binary = folder.write("binary", b"\xff\xfe");
    let large = folder.write("large", vec![b'x'; 5 * 1024 * 1024]);
    let missing = folder.path().join("missing");
    for member in ["integration_key_file", "client_secret_file", "key_passphrase_file"] {
        for (file, code) in [
            (missing.as_path(), "file_unreadable"),
            (folder.path(), "file_unreadable"),
            (&large, "file_unreadable"),
            (&binary, "file_unreadable"),
            (&empty, "value_invalid"),
        ] {
            let json =
                format!(r#"{{"base_url":"https://api.example","{member}":"{}"}}"#, file.display());
            assert_refused(config(&json), member, code);
        }
    }
    for member in ["public_key_file", "ca_file"] {
        let json =
            format!(r#"{{"base_url":"https://api.example","{member}":"{}"}}"#, missing.display());
        assert_refused(config(&json), member, "file_unreadable");
    }
    let error = refusal(Ok(Config::new("https://api.example").signing_key_file(&missing, "kid")));
    assert_eq!(error.path(), Some("key_file"));
    assert!(error.message().contains("missing"), "{error}");
}

#[test]
fn a_secret_and_its_file_exclude_each_other() {
    for member in
        ["integration_key", "client_secret", "key", "key_passphrase", "pkcs11_pin", "public_key"]
    {
        let json = format!(r#"{{"{member}":"a","{member}_file":"b"}}"#);
        assert_refused(config(&json), &format!("{member}_file"), "conflicting_members");
        let json = format!(r#"{{"{member}_file":"b","{member}":null}}"#);
        assert!(config(&json).is_ok());
    }
}

#[test]
fn a_configuration_file_that_cannot_be_used_says_so() {
    let folder = Folder::made();
    let error = Config::from_file(folder.path().join("payments.json")).unwrap_err();
    assert_eq!((error.path(), error.code().as_str()), (Some("config"), "file_unreadable"));
    assert!(error.message().contains("payments.json"), "{error}");
    for text in ["", "[]", "{", "{\"kid\":}", "not json"] {
        let path = folder.write("payments.json", text);
        let error = Config::from_file(&path).unwrap_err();
        assert_eq!((error.kind(), error.path()), (ErrorKind::Config, Some("config")), "{text}");
        assert!(error.message().starts_with(&format!("{} ", path.display())), "{error}");
    }
}

#[test]
fn members_that_cannot_work_are_named() {
    let base = || Config::new("https://api.example");
    let credentials =
        |id: &str, secret: &str| base().client_credentials("https://auth.example", id, secret);
    assert_refused(Ok(Config::default()), "base_url", "required");
    assert_refused(Ok(Config::new("http://api.example")), "base_url", "insecure");
    assert_refused(Ok(Config::new("https://a:b@api.example")), "base_url", "value_invalid");
    assert_refused(Ok(Config::new("api.example")), "base_url", "value_invalid");
    assert_refused(Ok(base().timeout(Duration::ZERO)), "timeout_ms", "value_invalid");
    assert_refused(
        Ok(base().connect_timeout(Duration::ZERO)),
        "connect_timeout_ms",
        "value_invalid",
    );
    assert_refused(Ok(base().max_response_bytes(0)), "max_response_bytes", "value_invalid");
    assert_refused(Ok(base().refund_hash_member("")), "refund_hash_member", "value_invalid");
    assert_refused(Ok(base().integration_key("")), "integration_key", "value_invalid");
    for id in ["", "a:b", "a\nb", "a\u{0}", "\u{feff}a"] {
        assert_refused(Ok(credentials(id, "secret")), "client_id", "value_invalid");
    }
    assert_refused(Ok(credentials("id", "")), "client_secret", "value_invalid");
    let insecure = base().client_credentials("http://auth.example", "id", "secret");
    assert_refused(Ok(insecure), "auth_url", "insecure");
    assert_refused(Ok(base().public_key(key_text("test_rsa_4096_public.pem"))), "public_key", {
        "conflicting_members"
    });
    let key = key_text("test_rsa_4096_pkcs8.pem");
    assert_refused(Ok(base().signing_key(&*key, "")), "kid", "value_invalid");
    let proxy = ProxySetting::Url("ftp://proxy.example".into());
    assert_refused(Ok(base().integration_key("k").proxy(proxy)), "proxy", "value_invalid");
}

#[test]
fn a_public_key_file_is_named_as_such() {
    let json = format!(
        r#"{{"base_url":"https://api.example","public_key_file":"{}"}}"#,
        key_path("refused_ec_p256_public.pem").display()
    );
    let signer = PrivateKey::from_pem(&key_text("test_rsa_4096_pkcs8.pem"), None, false).unwrap();
    let signer: Arc<LocalSigner> = Arc::new(signer.signer("kid").unwrap());
    let error = refusal(Ok(config(&json).unwrap().signer(Arc::clone(&signer) as _)));
    assert_eq!(error.path(), Some("public_key_file"));
    assert_refused(config(&json), "public_key_file", "conflicting_members");
    for (file, wrong) in [("public.der", None), ("pkcs8.der", Some("public_key_file"))] {
        let file = key_path(&format!("test_rsa_4096_{file}"));
        let config = Config::new("https://api.example")
            .public_key_file(file)
            .signer(Arc::clone(&signer) as _);
        let refused = Client::new(config).err();
        assert_eq!(refused.as_ref().and_then(Error::path), wrong, "{refused:?}");
    }
}

#[test]
fn a_journal_in_a_database_is_passed_in_code() {
    let json = r#"{"base_url":"http://127.0.0.1:1","journal":"postgresql://h/d"}"#;
    let error = refusal(config(json));
    assert!(error.message().contains("passed in code"), "{error}");
}

#[test]
fn a_configuration_in_another_encoding_is_named() {
    let error = Config::from_json(b"\xff\xfe{\0}\0").unwrap_err();
    assert!(error.message().ends_with("save it as UTF-8"), "{error}");
}

#[test]
fn two_signers_exclude_each_other() {
    let key = PrivateKey::from_pem(&key_text("test_rsa_4096_pkcs8.pem"), None, false).unwrap();
    let signer = Arc::new(key.signer("kid").unwrap());
    let both = Config::new("https://api.example")
        .signing_key(key_text("test_rsa_4096_pkcs8.pem"), "kid")
        .signer(signer);
    assert_refused(Ok(both), "key", "conflicting_members");
}

#[test]
fn the_bearer_header_must_be_a_separate_one() {
    for name in [
        "",
        "X A",
        "X:",
        "X\r\nY",
        "É",
        "Host",
        "Content-Length",
        "content-type",
        "Accept",
        "user-agent",
        "Transfer-Encoding",
        "CONNECTION",
        "X-JWS-Signature",
        "Expect",
        "Upgrade",
    ] {
        let config = Config::new("https://api.example").bearer(name, "Bearer");
        assert_refused(Ok(config), "bearer_header", "value_invalid");
    }
    for scheme in ["a b", "a\r\n", "é"] {
        let config = Config::new("https://api.example").bearer("Authorization", scheme);
        assert_refused(Ok(config), "bearer_scheme", "value_invalid");
    }
}

#[test]
fn a_scope_has_no_white_space_at_its_ends() {
    for (scope, code) in [
        (" shop", "value_invalid"),
        ("shop\n", "value_invalid"),
        ("shop\u{a0}", "value_invalid"),
        (" ", "value_invalid"),
        ("", "value_invalid"),
    ] {
        let config = Config::new("https://api.example").journal_scope(scope);
        assert_refused(Ok(config), "journal_scope", code);
    }
    let config = Config::new("https://api.example").journal_scope("my shop").integration_key("k");
    assert!(Client::new(config).is_ok());
}

#[test]
fn roots_are_checked_when_the_client_is_made() {
    let folder = Folder::made();
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let good = folder.write("good.pem", made.cert.pem());
    let both = folder.write("both.pem", format!("# roots\n{0}{0}", made.cert.pem()));
    for file in [good, both] {
        let config = Config::new("https://api.example").integration_key("k");
        Client::new(config.ca_file(file)).unwrap();
    }
    let broken = made.cert.pem().replace("MII", "!!!");
    let foreign = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    for contents in ["", "no certificate", &broken, foreign] {
        let file = folder.write("bad.pem", contents);
        let config = Config::new("https://api.example").ca_file(file);
        assert_refused(Ok(config), "ca_file", "file_unreadable");
    }
}

#[test]
fn the_environment_decides_how_long_a_token_lives() {
    let merchant = Merchant::with(NONE);
    for (environment, seconds) in [(Environment::Production, 3600), (Environment::Sandbox, 86_399)]
    {
        let config = merchant.config(BEARER).environment(environment);
        let config = config.token_store(TestStore::new());
        let client = Client::new(config).unwrap();
        let token = client.access_token(&client.context()).unwrap();
        assert_eq!(token.expires_at - token.obtained_at, seconds);
    }
    assert_eq!(Environment::default(), Environment::Production);
}

#[test]
fn neither_debug_forms_nor_errors_show_a_secret() {
    let merchant = Merchant::with(NONE);
    let config = merchant
        .config(JWS)
        .integration_key("canary-1")
        .client_credentials(merchant.sandbox.auth_url(), "id", "canary-2")
        .key_passphrase("canary-3")
        .proxy(ProxySetting::Url("http://user:canary-4@proxy.example:1".into()));
    let client = Client::new(config.clone()).unwrap();
    let shown = format!("{config:?} {config:#?} {client:?} {client:#?}");
    assert!(!shown.contains("canary") && !shown.contains("PRIVATE"), "{shown}");

    for (base_url, member) in [
        ("https://user:canary@api.example", "base_url"),
        ("https://api.example?key=canary", "base_url"),
        ("http://canary.example", "base_url"),
    ] {
        let config = Config::new(base_url);
        let error = refusal(Ok(config.clone()));
        assert_eq!(error.path(), Some(member));
        let shown = format!("{error} {error:?}");
        assert!(!shown.contains("canary"), "{shown}");
    }
    let config = Config::new("https://user:canary@api.example");
    assert!(!format!("{config:?}").contains("canary"));
    let pem = "-----BEGIN PRIVATE KEY-----\ncanarycanarycanary\n-----END PRIVATE KEY-----\n";
    let error = refusal(Ok(Config::new("https://api.example").signing_key(pem, "kid")));
    assert!(!format!("{error} {error:?}").contains("canary"), "{error}");
}

#[test]
fn the_page_shows_a_configuration_that_is_read() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/configuration.md");
    let page = std::fs::read_to_string(page).unwrap();
    let (_, rest) = page.split_once("```json\n").unwrap();
    let (example, _) = rest.split_once("```").unwrap();
    assert!(config(example).is_ok());
}

#[test]
fn each_credential_alone_is_enough_and_none_is_refused() {
    let base = || Config::new("https://api.example");
    assert_refused(Ok(base()), "key_file", "credential_missing");
    assert_refused(
        config(r#"{"base_url":"https://api.example"}"#),
        "key_file",
        "credential_missing",
    );
    // A key that only verifies, and a place for tokens, are not credentials.
    let store = base().token_store(TestStore::new());
    assert_refused(Ok(store), "key_file", "credential_missing");
    let signer = PrivateKey::from_pem(&key_text("test_rsa_4096_pkcs8.pem"), None, false).unwrap();
    for sufficient in [
        base().integration_key("k"),
        base().client_credentials("https://auth.example", "id", "secret"),
        base().signing_key_file(key_path("test_rsa_4096_pkcs8.pem"), "kid"),
        base().signer(Arc::new(LocalSigner::new(&signer, "kid").unwrap())),
    ] {
        Client::new(sufficient).unwrap();
    }
}

#[test]
fn an_operation_that_needs_no_credential_is_named_in_auth() {
    let merchant = Merchant::with(NONE);
    let needs_none =
        AuthOverride { integration_key: Some(false), signature: Some(false), bearer: Some(false) };
    let without = |operation, wanted| Client::new(merchant.config(NONE).auth(operation, wanted));
    for partly in [
        AuthOverride { integration_key: None, ..needs_none },
        AuthOverride { signature: None, ..needs_none },
        AuthOverride { bearer: None, ..needs_none },
    ] {
        let error = without(Operation::CreatePayout, partly).expect_err("not all three are off");
        assert_eq!((error.path(), error.code().as_str()), (Some("key_file"), "credential_missing"));
    }
    let client = without(Operation::CreatePayout, needs_none).unwrap();
    client.create_payout(&payout().0).unwrap();
    let error = client.create_payment(&merchant::payment("order-1").0).unwrap_err();
    assert_eq!((error.kind(), error.path()), (ErrorKind::Config, Some("key_file")));
    assert_eq!(
        (error.code().as_str(), error.outcome()),
        ("credential_missing", Outcome::NotExecuted)
    );
    assert_eq!(merchant.calls().len(), 1);
    merchant.assert_carries(&merchant.calls()[0], NONE);
}

#[test]
fn raw_requests_never_get_an_integration_key() {
    let wanted = AuthOverride { integration_key: Some(true), ..AuthOverride::default() };
    let config = config(r#"{"base_url":"http://127.0.0.1:1","integration_key":"k"}"#)
        .map(|it| it.auth(Operation::Send, wanted));
    assert_refused(config, "auth.send.integration_key", "credential_missing");
}

#[test]
fn every_sign_of_success_is_a_pointer() {
    for wrong in ["status", ""] {
        let signs = ["/status", wrong];
        let config = config(r#"{"base_url":"http://127.0.0.1:1"}"#)
            .map(|it| it.success_signs(Operation::QueryPayment, signs));
        assert_refused(config, "success_signs.query_payment", "value_invalid");
    }
}
