//! `payments token --status` for each token store.

use std::time::{SystemTime, UNIX_EPOCH};

use payments_core::CallContext;
use payments_core::token::{
    Backoff, Fence, FileStore, Token, TokenEntry, TokenKey, TokenStore as _,
};
use payments_sandbox::TokenBlock;
use serde_json::{Value, json};

#[cfg(unix)]
use crate::redis::RedisServer;
use crate::support::Merchant;

fn merchant_with(token_store: &str) -> Merchant {
    let merchant = Merchant::new();
    merchant.configure(|members| members["token_store"] = json!(token_store));
    merchant
}

/// A merchant with a token store in its own folder, created by the command.
fn merchant_with_files() -> Merchant {
    merchant_with("file:tokens")
}

fn status(merchant: &Merchant) -> Value {
    merchant.run(["token", "--status"]).response()
}

#[track_caller]
fn assert_knows_of_nothing(merchant: &Merchant) {
    let nothing = json!({"is_usable": false, "age": null, "remaining": null, "backoff": null});
    assert_eq!(status(merchant), nothing);
}

fn seconds(status: &Value, member: &str) -> u64 {
    status[member].as_u64().unwrap_or_else(|| panic!("{member}: {status}"))
}

fn assert_shows_the_token(merchant: &Merchant) {
    assert_knows_of_nothing(merchant);
    assert_eq!(merchant.sandbox.token_requests(), 0);
    let token = merchant.run(["token", "--plain"]).text().trim().to_owned();
    let run = merchant.run(["token", "--status"]);
    let status = run.response();
    assert_eq!((&status["is_usable"], &status["scope"]), (&json!(true), &json!("all")));
    assert_eq!(status["backoff"], Value::Null);
    let lifetime = merchant.sandbox.config().token_lifetime.as_secs();
    let sum = seconds(&status, "age") + seconds(&status, "remaining");
    assert!((lifetime - 2..=lifetime).contains(&sum), "{status}");
    for part in token.split('.') {
        assert!(part.len() > 10 && !run.text().contains(part), "{status}");
    }
    assert_eq!(merchant.run(["token", "--plain"]).text().trim(), token);
    assert_eq!(merchant.sandbox.token_requests(), 1);
}

fn assert_shows_the_backoff(merchant: &Merchant) {
    let block = TokenBlock { status: 403, retry_after: Some(1000), duration: None };
    merchant.sandbox.block_tokens(Some(block));
    merchant.run(["token"]).failure(1);
    let status = status(merchant);
    assert_eq!(
        (&status["is_usable"], &status["age"], &status["remaining"]),
        (&json!(false), &Value::Null, &Value::Null)
    );
    assert!((900..=1100).contains(&seconds(&status, "backoff")), "{status}");
    let failure = merchant.run(["token"]).failure(1);
    assert_eq!(failure["code"], "token_backoff");
    assert_eq!(merchant.sandbox.token_requests(), 1);
}

#[test]
fn a_store_in_files_is_shown() {
    assert_shows_the_token(&merchant_with_files());
    assert_shows_the_backoff(&merchant_with_files());
}

#[cfg(unix)]
#[test]
fn a_store_in_a_redis_server_is_shown() {
    let server = RedisServer::start();
    let merchant = merchant_with(&server.url());
    assert_shows_the_token(&merchant);
    server.cli(&["FLUSHALL"]);
    merchant.sandbox.reset();
    assert_shows_the_backoff(&merchant);
}

fn assert_forgets_the_token(merchant: &Merchant) {
    let token = || merchant.run(["token", "--plain"]).text().trim().to_owned();
    let first = token();
    let run = merchant.run(["token", "--forget"]);
    assert_eq!(run.response()["is_usable"], json!(false));
    assert_knows_of_nothing(merchant);
    let second = token();
    assert_ne!(first, second);
    assert_eq!(token(), second);
    assert_eq!(merchant.sandbox.token_requests(), 2);
}

#[test]
fn a_token_in_files_is_forgotten() {
    assert_forgets_the_token(&merchant_with_files());
}

#[cfg(unix)]
#[test]
fn a_token_in_a_redis_server_is_forgotten() {
    let mut server = RedisServer::start();
    let merchant = merchant_with(&server.url());
    assert_forgets_the_token(&merchant);
    server.stop();
    let failure = merchant.run(["token", "--forget"]).failure(1);
    assert_eq!(
        (&failure["kind"], &failure["code"]),
        (&json!("token"), &json!("token_store_failed"))
    );
    assert!(failure["message"].as_str().unwrap().contains("could not connect"), "{failure}");
}

#[cfg(unix)]
#[test]
fn an_unreadable_entry_in_a_redis_server_is_named_and_forgotten() {
    let server = RedisServer::start();
    let merchant = merchant_with(&server.url());
    let of_store = || {
        let report = merchant.run(["check", "--online", "--json"]).response();
        let findings = report["findings"].as_array().unwrap().clone();
        findings.into_iter().find(|it| it["about"] == "token_store").unwrap()
    };
    merchant.run(["token"]).response();
    let entry = server.keys().into_iter().find(|key| key.ends_with(":entry")).unwrap();
    server.cli(&["HSET", &entry, "fence", "1e19"]);
    merchant.pay("order-1");
    let finding = of_store();
    assert_eq!(finding["level"], "warning", "{finding}");
    assert!(finding.to_string().contains("payments token --forget"), "{finding}");
    assert_eq!(merchant.run(["token", "--forget"]).response()["is_usable"], json!(false));
    assert_eq!(of_store()["level"], "ok");
}

#[test]
fn memory_ends_with_its_process() {
    let merchant = merchant_with("memory");
    merchant.run(["token"]).response();
    assert_knows_of_nothing(&merchant);
    let block = TokenBlock { status: 403, retry_after: Some(1000), duration: None };
    merchant.sandbox.block_tokens(Some(block));
    merchant.run(["token"]).failure(1);
    assert_knows_of_nothing(&merchant);
}

#[test]
fn an_older_token_and_a_backoff_are_shown_together() {
    let merchant = merchant_with_files();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let settings = merchant.sandbox.config();
    let secret = settings.client_secret.into();
    let key = TokenKey::new(merchant.sandbox.auth_url(), &settings.client_id, &secret);
    let context = CallContext::with_timeout(std::time::Duration::from_secs(10));
    let store = FileStore::new(merchant.folder.join("tokens")).unwrap();
    let save = |expires_at: u64, fence: u64| {
        let token = Token {
            value: "CANARY".into(),
            obtained_at: now - 1000,
            expires_at,
            members: [("scope".to_owned(), "some".to_owned())].into(),
        };
        let backoff = Backoff { since: now, until: now + 1000, failures: 1 };
        let rest = TokenEntry::default();
        let entry = TokenEntry { token: Some(token), backoff: Some(backoff), ..rest };
        assert!(store.save(&context, &key, &entry, Fence(fence)).unwrap());
        let run = merchant.run(["token", "--status"]);
        assert!(!run.text().contains("CANARY"));
        run.response()
    };
    let usable = save(now + 2000, 1);
    assert_eq!((&usable["is_usable"], &usable["scope"]), (&json!(true), &json!("some")));
    assert!((1000..1100).contains(&seconds(&usable, "age")), "{usable}");
    assert!((1900..=2000).contains(&seconds(&usable, "remaining")), "{usable}");
    assert!((900..=1000).contains(&seconds(&usable, "backoff")), "{usable}");
    let expired = save(now - 1, 2);
    assert_eq!((&expired["is_usable"], &expired["age"]), (&json!(false), &Value::Null));
    assert!((900..=1000).contains(&seconds(&expired, "backoff")), "{expired}");
    assert_eq!(merchant.sandbox.token_requests(), 0);
}

#[cfg(unix)]
#[test]
fn a_store_that_cannot_be_read_is_a_failure() {
    let mut server = RedisServer::start();
    let merchant = merchant_with(&server.url());
    server.stop();
    let failure = merchant.run(["token", "--status"]).failure(1);
    assert_eq!((&failure["kind"], &failure["code"]), (&json!("io"), &json!("token_store_failed")));
    assert!(failure["message"].as_str().unwrap().contains("could not connect"), "{failure}");
    // A call works without the store.
    merchant.run(["token"]).response();
}
