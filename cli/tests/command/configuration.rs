//! Sources of the configuration, and their precedence.

use serde_json::json;

use crate::support::{Merchant, Payments, new_folder, test_key};

#[test]
fn a_byte_order_mark_before_a_file_of_json_is_skipped() {
    let merchant = Merchant::new();
    let marked = |name: &str, text: &str| {
        std::fs::write(merchant.folder.join(name), format!("\u{feff}{text}")).unwrap();
    };
    let configuration = std::fs::read_to_string(merchant.folder.join("payments.json")).unwrap();
    marked("payments.json", &configuration);
    marked("payment.json", &crate::support::payment("order-1"));
    let made = merchant.run(["create-payment", "payment.json"]).response();
    assert_eq!(made["merchant_payment_code"], "order-1");
    let text = std::fs::read(merchant.folder.join("payment.json")).unwrap();
    let text = String::from_utf8(text).unwrap().replace("order-1", "order-2");
    assert_eq!(merchant.payments(["create-payment"]).stdin(text).run().code, 0);
    let checked = merchant.run(["check"]);
    assert!(checked.code == 0 && checked.text().contains("client_id"), "{}", checked.text());
}

#[test]
fn an_empty_configuration_has_a_remedy() {
    let failure = Payments::new(&new_folder(), ["query-payment", "a"]).run().failure(2);
    assert_eq!((&failure["kind"], &failure["path"]), (&json!("config"), &json!("base_url")));
    for part in ["--config", "payments.json", "PAYMENTS_BASE_URL", "payments sandbox"] {
        assert!(failure["message"].as_str().unwrap().contains(part), "{failure}");
    }
    assert_eq!(failure["read_from"], json!([]));
}

#[test]
fn the_environment_overrides_the_file() {
    let merchant = Merchant::new();
    let hash = merchant.pay("order-1");
    let run = merchant.payments(["query-payment", &hash]).env("PAYMENTS_KID", "").run();
    let failure = run.failure(2);
    assert_eq!(failure["path"], "kid");
    assert_eq!(failure["read_from"], json!(["payments.json", "PAYMENTS_KID"]));
    merchant.configure(|members| members["kid"] = json!("wrong"));
    let run = merchant.payments(["query-payment", &hash]).env("PAYMENTS_KID", "test-kid").run();
    assert_eq!(run.response()["hash"], hash);
}

#[test]
fn an_empty_variable_of_a_list_is_refused_with_advice() {
    let merchant = Merchant::new();
    let run = merchant.payments(["token"]).env("PAYMENTS_DUPLICATE_CODES", "").run();
    let failure = run.failure(2);
    assert_eq!(failure["path"], "duplicate_codes");
    let message = failure["message"].as_str().unwrap();
    for part in ["PAYMENTS_DUPLICATE_CODES", "unset it", "[] in a file"] {
        assert!(message.contains(part), "{failure}");
    }
}

#[test]
fn a_named_file_is_read_in_place_of_the_default() {
    let merchant = Merchant::new();
    let hash = merchant.pay("order-1");
    let text = std::fs::read(merchant.folder.join("payments.json")).unwrap();
    std::fs::write(merchant.folder.join("other.json"), text).unwrap();
    merchant.configure(|members| members["base_url"] = json!("https://nowhere.invalid"));
    for arguments in [
        ["--config", "other.json", "query-payment", hash.as_str()],
        ["query-payment", hash.as_str(), "--config", "other.json"],
    ] {
        assert_eq!(merchant.run(arguments).response()["hash"], hash);
    }
    let failure = merchant.run(["--config", "nowhere.json", "token"]).failure(2);
    assert_eq!(failure["code"], "file_unreadable");
}

#[test]
fn the_environment_alone_is_enough() {
    let merchant = Merchant::new();
    let config = merchant.sandbox.config();
    let run = Payments::new(&new_folder(), ["create-payment", "-"])
        .env("PAYMENTS_ENVIRONMENT", "sandbox")
        .env("PAYMENTS_BASE_URL", merchant.sandbox.base_url())
        .env("PAYMENTS_AUTH_URL", merchant.sandbox.auth_url())
        .env("PAYMENTS_INTEGRATION_KEY", config.integration_key)
        .env("PAYMENTS_CLIENT_ID", config.client_id)
        .env("PAYMENTS_CLIENT_SECRET", config.client_secret)
        .env("PAYMENTS_KEY_FILE", test_key("test_rsa_4096_pkcs8.pem"))
        .env("PAYMENTS_KID", crate::support::KID)
        .stdin(crate::support::payment("order-1"))
        .run();
    assert_eq!(run.response()["status"], "PE");
}

#[test]
fn secrets_can_be_files_next_to_the_configuration() {
    let merchant = Merchant::new();
    let config = merchant.sandbox.config();
    std::fs::create_dir(merchant.folder.join("secrets")).unwrap();
    let write = |name: &str, text: String| {
        std::fs::write(merchant.folder.join("secrets").join(name), text).unwrap();
    };
    write("integration_key", format!("{}\n", config.integration_key));
    write("client_secret", format!("{}\n", config.client_secret));
    merchant.configure(|members| {
        let members = members.as_object_mut().unwrap();
        for name in ["integration_key", "client_secret"] {
            members.remove(name);
            members.insert(format!("{name}_file"), json!(format!("secrets/{name}")));
        }
    });
    let file = merchant.folder.join("payments.json");
    let elsewhere = new_folder();
    let run = Payments::new(&elsewhere, ["create-payment", "-", "--config"].map(str::to_owned))
        .argument(&file)
        .stdin(crate::support::payment("order-1"))
        .run();
    assert_eq!(run.response()["status"], "PE");
}

#[test]
fn mistakes_name_the_member_and_where_it_came_from() {
    let merchant = Merchant::new();
    for (name, value, code) in [
        ("PAYMENTS_TIMEOUT_MS", "soon", "wrong_type"),
        ("PAYMENTS_TIMEOUT_MS", "0", "value_invalid"),
        ("PAYMENTS_KEY_FILE", "nowhere.pem", "file_unreadable"),
        ("PAYMENTS_BASE_URL", "http://api.example", "insecure"),
        ("PAYMENTS_ENVIRONMENT", "test", "value_invalid"),
    ] {
        let failure = merchant.payments(["token"]).env(name, value).run().failure(2);
        assert_eq!(failure["code"], code, "{failure}");
        assert_eq!(failure["read_from"], json!(["payments.json", name]));
    }
    for (text, code) in
        [("{", "json_invalid"), (r#"{"baseUrl":""}"#, "member_unknown"), ("", "json_invalid")]
    {
        std::fs::write(merchant.folder.join("payments.json"), text).unwrap();
        assert_eq!(merchant.run(["token"]).failure(2)["code"], code);
    }
}

/// A merchant configured by `--config`, with leftover variables that point
/// elsewhere.
fn with_leftovers(merchant: &Merchant, arguments: &[&str]) -> Payments {
    std::fs::rename(merchant.folder.join("payments.json"), merchant.folder.join("live.json"))
        .unwrap();
    merchant
        .payments(["--config", "live.json"].iter().chain(arguments))
        .env("PAYMENTS_BASE_URL", "https://nowhere.invalid")
        .env("PAYMENTS_TIMEOUT_MS", "soon")
        .env("PAYMENTS_BASEURL", "x")
}

#[test]
fn a_named_file_is_not_overruled_by_leftover_variables() {
    let merchant = Merchant::new();
    let hash = merchant.pay("order-1");
    let run = with_leftovers(&merchant, &["query-payment", &hash]).run();
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.text().contains(&hash));
    assert_eq!(
        run.stderr,
        "payments: --config ignores PAYMENTS_BASE_URL and PAYMENTS_TIMEOUT_MS; add --with-env to read them\n"
    );
}

#[test]
fn a_named_file_can_be_overruled_on_request() {
    let merchant = Merchant::new();
    let failure = with_leftovers(&merchant, &["--with-env", "query-payment", "a"]).run().failure(2);
    assert_eq!(failure["code"], "member_unknown", "{failure}");
    let hash = merchant.payments(["--config", "live.json", "create-payment", "-", "--with-env"]);
    let hash = hash.env("PAYMENTS_KID", "wrong").stdin(crate::support::payment("order-2")).run();
    assert_eq!(hash.failure(1)["kind"], "unauthorized");
}

#[test]
fn the_environment_may_add_a_member_to_a_named_file() {
    let merchant = Merchant::new();
    std::fs::write(merchant.folder.join("empty.json"), "{}").unwrap();
    let run = merchant.payments(["--config", "empty.json", "token"]);
    let run = run.env("PAYMENTS_BASE_URL", "https://api.example").run();
    let failure = run.failure(2);
    assert_eq!((&failure["code"], &failure["path"]), (&json!("required"), &json!("base_url")));
    assert_eq!(failure["ignored"], json!(["PAYMENTS_BASE_URL"]));
    assert_eq!(failure["read_from"], json!(["empty.json"]));
    for part in ["PAYMENTS_BASE_URL is set", "--with-env"] {
        assert!(failure["message"].as_str().unwrap().contains(part), "{failure}");
    }
    let run = merchant.payments(["--config", "empty.json", "token"]);
    let failure = run.env("PAYMENTS_KID", "x").run().failure(2);
    assert!(!failure["message"].as_str().unwrap().contains("is set"), "{failure}");
}

#[test]
fn variables_that_resemble_a_member_are_refused() {
    let merchant = Merchant::new();
    for (name, meant) in [
        ("PAYMENTS_BASEURL", "PAYMENTS_BASE_URL"),
        ("PAYMENTS_BASE_URI", "PAYMENTS_BASE_URL"),
        ("PAYMENTS_KEYFILE", "PAYMENTS_KEY_FILE"),
        ("PAYMENTS_TIMEOUT", "PAYMENTS_TIMEOUT_MS"),
        ("PAYMENTS_CLIENT_SECRETS", "PAYMENTS_CLIENT_SECRET"),
    ] {
        let failure = merchant.payments(["token"]).env(name, "x").run().failure(2);
        assert_eq!((&failure["code"], &failure["path"]), (&json!("member_unknown"), &json!(name)));
        assert!(failure["message"].as_str().unwrap().contains(meant), "{failure}");
    }
    let mut run = merchant.payments(["token", "--status"]);
    for name in
        ["SERVICE_HOST", "SERVICE_PORT", "PORT", "PORT_80_TCP_ADDR", "PROXY_PORT", "LIBRARY"]
    {
        run = run.env(&format!("PAYMENTS_{name}"), "tcp://10.0.0.1:80");
    }
    run.run().response();
}

#[test]
fn addresses_end_before_the_path_that_the_client_adds() {
    let merchant = Merchant::new();
    for (member, value, part) in [
        ("base_url", "https://api.example/ws", "https://api.example"),
        ("auth_url", "https://api.example/authorization-server/oauth/token", "https://api.example"),
        ("kid", "<KEY_ID>", "key id assigned at registration"),
    ] {
        merchant.configure(|members| members[member] = json!(value));
        let failure = merchant.run(["token"]).failure(2);
        assert_eq!(failure["path"], member, "{failure}");
        assert!(failure["message"].as_str().unwrap().contains(part), "{failure}");
    }
}
