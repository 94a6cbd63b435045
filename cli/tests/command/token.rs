//! Bearer tokens.

use serde_json::{Value, json};

use crate::support::Merchant;

#[test]
fn a_token_is_printed_on_standard_output() {
    let merchant = Merchant::new();
    let answer = merchant.run(["token"]).answer();
    assert_eq!(answer["token_type"], "bearer");
    assert_eq!(answer["scope"], "all");
    let plain = merchant.run(["token", "--plain"]);
    assert_eq!((plain.code, plain.text().split('.').count()), (0, 3));
    assert_eq!(merchant.sandbox.token_requests(), 2);
}

#[test]
fn status_shows_no_token_and_asks_for_none() {
    let merchant = Merchant::new();
    let status = merchant.run(["token", "--status"]).answer();
    assert_eq!(status["is_usable"], false);
    assert_eq!(status["remaining"], Value::Null);
    assert_eq!(merchant.sandbox.token_requests(), 0);
}

#[test]
fn without_client_credentials_there_is_no_token() {
    let merchant = Merchant::new();
    merchant.configure(|members| {
        members.as_object_mut().unwrap().remove("client_id");
        members.as_object_mut().unwrap().remove("client_secret");
    });
    for arguments in [vec!["token"], vec!["token", "--status"], vec!["token", "--plain"]] {
        let failure = merchant.run(&arguments).failure(2);
        assert_eq!(failure["path"], "client_id");
    }
}

#[test]
fn refused_credentials_are_1() {
    let merchant = Merchant::new();
    merchant.configure(|members| members["client_secret"] = json!("wrong"));
    let failure = merchant.run(["token"]).failure(1);
    assert_eq!(failure["kind"], "token");
    assert_eq!(merchant.sandbox.token_requests(), 1);
}
