//! `payments token`.

#[cfg(unix)]
use payments_core::Operation;
#[cfg(unix)]
use payments_sandbox::{At, Fault, FaultScript};
#[cfg(unix)]
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

#[cfg(unix)]
use crate::redis::RedisServer;
use crate::support::Merchant;

#[test]
fn a_token_is_printed_on_standard_output() {
    let merchant = Merchant::new();
    let response = merchant.run(["token"]).response();
    assert_eq!(response["token_type"], "bearer");
    assert_eq!(response["scope"], "all");
    let plain = merchant.run(["token", "--plain"]);
    assert_eq!((plain.code, plain.text().split('.').count()), (0, 3));
    assert_eq!(merchant.sandbox.token_requests(), 1, "both share the user's cache folder");
}

#[test]
fn many_runs_ask_for_one_token() {
    let merchant = Merchant::new();
    for number in 0..25 {
        merchant.pay(&format!("order-{number}"));
    }
    assert_eq!(merchant.sandbox.token_requests(), 1);
}

#[cfg(unix)]
#[test]
fn the_cache_folder_is_for_its_user_only_and_sealed_by_a_key() {
    use std::os::unix::fs::PermissionsExt as _;

    let merchant = Merchant::new();
    let token = merchant.run(["token", "--plain"]).text().trim().to_owned();
    let folder = merchant.folder.join("cache/libpayments");
    let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    let contents = || {
        let files = std::fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path());
        let read = |path: std::path::PathBuf| {
            assert_eq!(mode(&path), 0o600, "{path:?}");
            std::fs::read_to_string(path).unwrap()
        };
        files.map(read).collect::<String>()
    };
    assert!(contents().contains(&token));
    let key = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
    merchant.configure(|members| members["token_store_key"] = json!(key));
    let token = merchant.run(["token", "--plain"]).text().trim().to_owned();
    assert_eq!(merchant.run(["token", "--plain"]).text().trim(), token);
    assert_eq!(merchant.sandbox.token_requests(), 2);
    assert!(!contents().contains(&token));
}

#[cfg(unix)]
#[test]
fn a_cache_folder_that_others_may_read_is_not_used() {
    use std::os::unix::fs::PermissionsExt;

    let merchant = Merchant::new();
    let folder = merchant.folder.join("cache/libpayments");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::set_permissions(&folder, PermissionsExt::from_mode(0o755)).unwrap();
    let temporary = merchant.folder.join("temporary");
    std::fs::create_dir_all(&temporary).unwrap();
    let run = || merchant.payments(["token", "--plain"]).env("TMPDIR", &temporary).run();
    assert_eq!(run().text(), run().text());
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
    assert_eq!(std::fs::read_dir(&temporary).unwrap().count(), 1);
    assert_eq!(merchant.sandbox.token_requests(), 1);

    // Without a usable folder, each run keeps its token to itself.
    std::fs::remove_dir_all(&temporary).unwrap();
    std::fs::write(&temporary, "").unwrap();
    assert_eq!(run().code, 0);
    let status = merchant.payments(["token", "--status"]).env("TMPDIR", &temporary).run();
    let failure = status.failure(1);
    assert_eq!(failure["code"], "token_store_failed");
    assert!(failure["message"].as_str().unwrap().contains("(mode 755)"), "{failure}");
}

#[test]
fn memory_keeps_nothing() {
    let merchant = Merchant::new();
    merchant.configure(|members| members["token_store"] = json!("memory"));
    merchant.run(["token"]).response();
    assert!(!merchant.folder.join("cache").exists());
}

#[test]
fn status_shows_no_token_and_asks_for_none() {
    let merchant = Merchant::new();
    let status = merchant.run(["token", "--status"]).response();
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

/// The next run need not wait for the lock to expire.
#[cfg(unix)]
#[test]
fn a_signal_during_a_token_request_releases_the_lock() {
    let server = RedisServer::start();
    let merchant = Merchant::new();
    merchant.configure(|members| members["token_store"] = json!(server.url()));
    let hang = FaultScript::for_operation(Operation::AccessToken, vec![Fault::hang(At::Body)]);
    merchant.sandbox.script_fault(hang);
    let is_locked = || server.keys().iter().any(|key| key.ends_with(":lock"));
    let run = merchant.payments(["token"]).start();
    while merchant.sandbox.token_requests() == 0 {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert!(is_locked());
    kill_process(Pid::from_child(&run), Signal::TERM).unwrap();
    let output = run.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(!is_locked());
    merchant.run(["token"]).response();
    assert_eq!(merchant.sandbox.token_requests(), 2);
}
