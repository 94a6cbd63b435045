//! Secrets with additions of editors, shells and clipboards.

use payments_core::config::ClientAuthEncoding;
use payments_core::{Client, Config, ErrorKind};
use payments_sandbox::{Sandbox, SandboxConfig};
use serde_json::{Value, json};

use crate::support::child::is_alone;
use crate::support::folder::Folder;
use crate::support::merchant::{BEARER, Merchant};

const SECRETS: &[&str] = &[
    "integration_key",
    "client_secret",
    "key_passphrase",
    "token_store_key",
    #[cfg(feature = "pkcs11")]
    "pkcs11_pin",
];

fn with(members: &[(&str, &str)]) -> Config {
    let mut all = json!({"base_url": "https://api.example"});
    for (name, value) in members {
        all[*name] = Value::from(*value);
    }
    Config::from_json(all.to_string().as_bytes()).unwrap()
}

#[track_caller]
fn assert_refused(config: Config, path: &str) {
    let error = Client::new(config).expect_err("it must be refused");
    assert_eq!(
        (error.kind(), error.path(), error.code().as_str()),
        (ErrorKind::Config, Some(path), "value_invalid")
    );
    assert!(error.message().contains("a line break or a byte order mark"), "{error}");
    assert!(!format!("{error}{error:?}").contains("Zq9"), "{error}");
}

#[test]
fn a_break_at_an_end_of_a_secret_is_refused() {
    let folder = Folder::made();
    for member in SECRETS {
        for secret in ["Zq9\n", "\nZq9", "Zq9\r\n", "Zq9\r", "\u{feff}Zq9", "Zq9\u{feff}", "Zq9\n "]
        {
            assert_refused(with(&[(member, secret)]), member);
        }
        let file = format!("{member}_file");
        for contents in ["\nZq9", "Zq9\u{feff}\n", "\u{feff}\u{feff}Zq9"] {
            let path = folder.write("secret", contents);
            assert_refused(with(&[(&*file, path.to_str().unwrap())]), &file);
        }
    }
    let built = Config::new("https://api.example").integration_key("Zq9\n");
    assert_refused(built, "integration_key");
}

#[test]
#[cfg(unix)]
fn an_endless_file_of_a_secret_is_refused() {
    let files = SECRETS.iter().map(|member| format!("{member}_file"));
    for member in files.chain(["ca_file".to_owned(), "public_key_file".to_owned()]) {
        let error = Client::new(with(&[(&*member, "/dev/zero")])).expect_err("it must be refused");
        assert_eq!((error.kind(), error.path()), (ErrorKind::Config, Some(&*member)));
        assert!(error.message().ends_with("/dev/zero: it is larger than 4 MiB"), "{error}");
    }
}

#[test]
fn a_break_at_an_end_of_a_variable_is_refused() {
    let variables = [("PAYMENTS_INTEGRATION_KEY", std::ffi::OsStr::new("Zq9\n"))];
    if !is_alone(a_break_at_an_end_of_a_variable_is_refused, &variables) {
        return;
    }
    assert_refused(with(&[]).with_env().unwrap(), "integration_key");
}

#[test]
fn a_byte_order_mark_and_a_line_end_are_removed() {
    let merchant = Merchant::with(BEARER);
    let folder = Folder::made();
    let of_sandbox = merchant.sandbox.config();
    for (before, after) in [("\u{feff}", ""), ("\u{feff}", "\r\n"), ("", "\n")] {
        let file = folder.write("secret", format!("{before}{}{after}", of_sandbox.client_secret));
        let config = with(&[
            ("auth_url", merchant.sandbox.auth_url()),
            ("client_id", &of_sandbox.client_id),
            ("client_secret_file", file.to_str().unwrap()),
        ]);
        let client = Client::new(config).unwrap();
        client.access_token(&client.context()).unwrap();
    }
}

#[test]
fn credentials_with_any_characters_arrive_form_encoded() {
    let sandbox = Sandbox::start(SandboxConfig {
        client_id: "shop:1 %+é".to_owned(),
        client_secret: "Abcd+1/2%3=: é%2B".to_owned(),
        decode_client_auth: true,
        ..SandboxConfig::default()
    })
    .unwrap();
    let of_sandbox = sandbox.config();
    let encoded = with(&[
        ("auth_url", sandbox.auth_url()),
        ("client_id", &of_sandbox.client_id),
        ("client_secret", &of_sandbox.client_secret),
        ("client_auth_encoding", "form"),
    ]);
    let client = Client::new(encoded.clone()).unwrap();
    client.access_token(&client.context()).unwrap();
    let error = Client::new(encoded.client_auth_encoding(ClientAuthEncoding::Raw))
        .expect_err("a colon ends the client id");
    assert_eq!((error.path(), error.code().as_str()), (Some("client_id"), "value_invalid"));
    assert!(error.message().contains("client_auth_encoding"), "{error}");
}

/// A line break within a secret, and white space, may belong to it.
#[test]
fn characters_that_may_belong_to_a_secret_are_kept() {
    for secret in ["a\nb", " a ", "a\u{200b}", "\"a\"", "é"] {
        Client::new(with(&[("integration_key", secret)])).unwrap();
    }
}
