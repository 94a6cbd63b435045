//! State that survives restarts.

use std::path::{Path, PathBuf};

use payments_sandbox::Sandbox;
use serde_json::json;

use crate::support::{Connection, KEY, create_payment, payment_body, post, start_with, token};

fn new_file(name: &str) -> PathBuf {
    let file =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
    let _ = std::fs::remove_file(&file);
    file
}

fn start_at(file: &Path) -> Sandbox {
    start_with(|config| config.state = Some(file.to_path_buf()))
}

#[test]
fn keys_and_the_ledger_survive_a_restart() {
    let file = new_file("kept");
    let sandbox = start_at(&file);
    sandbox.register_key_as(&KEY.public(), "mine");
    create_payment(&sandbox, "a");
    let card = String::from_utf8(payment_body("b")).unwrap().replace("pix", "paypal");
    post(&sandbox, "/ws/direct", card.as_bytes());
    sandbox.confirm_payment("a").unwrap();
    let hash = sandbox.payment("a").unwrap().hash;
    post(&sandbox, "/ws/refund", json!({"hash": hash}).to_string().as_bytes());
    let first_token = token(&sandbox).json()["access_token"].clone();
    let before = sandbox.payments();
    drop(sandbox);

    let sandbox = start_at(&file);
    assert_eq!(sandbox.payments()[0], before[0]);
    let url = sandbox.payment("b").unwrap().means.redirect_url.unwrap();
    assert!(url.starts_with(sandbox.base_url()), "{url}");
    let body = payment_body("c");
    let headers = [("X-JWS-Signature", KEY.token("mine", &body))];
    let headers = headers.each_ref().map(|(name, value)| (*name, value.as_str()));
    let response = Connection::open(&sandbox).request("POST", "/ws/direct", &headers, &body);
    assert_eq!(response.status, 200);
    let hashes: Vec<_> = sandbox.payments().into_iter().map(|payment| payment.hash).collect();
    assert!(hashes[2] != hashes[0] && hashes[2] != hashes[1], "a hash is used twice");
    assert_ne!(token(&sandbox).json()["access_token"], first_token);
    assert_eq!(create_payment(&sandbox, "a")["status_code"], "BP-DR-0");

    sandbox.reset();
    drop(sandbox);
    let sandbox = start_at(&file);
    assert!(sandbox.payments().is_empty());
    std::fs::remove_file(&file).unwrap();
}

#[test]
fn a_change_is_written_while_the_sandbox_runs() {
    let file = new_file("running");
    let sandbox = start_at(&file);
    create_payment(&sandbox, "written-soon");
    while !std::fs::read_to_string(&file).unwrap().contains("written-soon") {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    drop(sandbox);
    std::fs::remove_file(&file).unwrap();
}

#[test]
fn a_file_that_is_not_a_state_is_left_alone() {
    let file = new_file("foreign");
    for content in ["{}", "no json", r#"{"version": 99}"#] {
        std::fs::write(&file, content).unwrap();
        let config =
            payments_sandbox::SandboxConfig { state: Some(file.clone()), ..Default::default() };
        let error = Sandbox::start(config).unwrap_err();
        assert!(error.to_string().contains("delete it to start over"), "{error}");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), content);
    }
    let nowhere = file.join("state.json");
    let config = payments_sandbox::SandboxConfig { state: Some(nowhere), ..Default::default() };
    assert!(Sandbox::start(config).is_err());
    std::fs::remove_file(&file).unwrap();
}
