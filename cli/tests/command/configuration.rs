//! Where the configuration comes from, and what wins.

use serde_json::json;

use crate::support::{Merchant, Payments, new_folder, test_key};

#[test]
fn nothing_configured_says_what_to_do() {
    let failure = Payments::new(&new_folder(), ["query-payment", "a"]).run().failure(2);
    assert_eq!((&failure["kind"], &failure["path"]), (&json!("config"), &json!("base_url")));
    for told in ["--config", "payments.json", "PAYMENTS_BASE_URL", "payments sandbox"] {
        assert!(failure["message"].as_str().unwrap().contains(told), "{failure}");
    }
    assert_eq!(failure["read_from"], json!([]));
}

#[test]
fn the_environment_wins_over_the_file() {
    let merchant = Merchant::new();
    let hash = merchant.pay("order-1");
    let run = merchant.payments(["query-payment", &hash]).env("PAYMENTS_KID", "").run();
    let failure = run.failure(2);
    assert_eq!(failure["path"], "kid");
    assert_eq!(failure["read_from"], json!(["payments.json", "PAYMENTS_KID"]));
    merchant.configure(|members| members["kid"] = json!("wrong"));
    let run = merchant.payments(["query-payment", &hash]).env("PAYMENTS_KID", "test-kid").run();
    assert_eq!(run.answer()["hash"], hash);
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
        assert_eq!(merchant.run(arguments).answer()["hash"], hash);
    }
    let failure = merchant.run(["--config", "nowhere.json", "token"]).failure(2);
    assert_eq!(failure["code"], "config_unreadable");
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
    assert_eq!(run.answer()["status"], "PE");
}

#[test]
fn secrets_can_be_files_beside_the_configuration() {
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
    assert_eq!(run.answer()["status"], "PE");
}

#[test]
fn mistakes_name_the_member_and_where_it_came_from() {
    let merchant = Merchant::new();
    for (name, value, code) in [
        ("PAYMENTS_TIMEOUT_MS", "soon", "value_of_wrong_type"),
        ("PAYMENTS_TIMEOUT_MS", "0", "zero"),
        ("PAYMENTS_KEY_FILE", "nowhere.pem", "key_file_missing"),
        ("PAYMENTS_BASE_URL", "http://api.example", "url_insecure"),
        ("PAYMENTS_ENVIRONMENT", "test", "value_unknown"),
    ] {
        let failure = merchant.payments(["token"]).env(name, value).run().failure(2);
        assert_eq!(failure["code"], code, "{failure}");
        assert_eq!(failure["read_from"], json!(["payments.json", name]));
    }
    for (text, code) in
        [("{", "json_incomplete"), (r#"{"baseUrl":""}"#, "member_unknown"), ("", "json_empty")]
    {
        std::fs::write(merchant.folder.join("payments.json"), text).unwrap();
        assert_eq!(merchant.run(["token"]).failure(2)["code"], code);
    }
}
