//! Following that continues after a restart, and by number for other languages.

use std::time::Duration;

use payments_core::{CallContext, CancelHandle, ErrorKind};
use payments_host::by_name::{self, HostClient};
use payments_host::follow::FollowOptions;

use crate::support::folder::Folder;
use crate::support::followed::{Shop, context, ended, ended_reference, references, with_status};

const SECOND: Duration = Duration::from_secs(1);

fn kept_in(folder: &Folder, names: &[&str]) -> FollowOptions {
    FollowOptions { state: Some(folder.path().join("state")), ..references(names) }
}

#[test]
fn an_end_that_was_confirmed_does_not_come_again() {
    let (folder, shop) = (Folder::made(), Shop::of(vec![with_status("CO")]));
    let options = kept_in(&folder, &["order-1"]);
    let mut follow = shop.follow(options.clone());
    assert!(ended(&mut follow).is_some());
    follow.confirm().unwrap();
    drop(follow);
    assert_eq!(ended_reference(&mut shop.follow(options)), None);
}

#[test]
fn a_restart_keeps_the_schedule_of_the_previous_run() {
    let (folder, shop) = (Folder::made(), Shop::of(vec![with_status("PE")]));
    let options = kept_in(&folder, &["order-1"]);
    let run = || assert_eq!(ended_reference(&mut shop.follow(options.clone())), None);
    run();
    shop.clock.advance(SECOND);
    run();
    assert_eq!(shop.queries("order-1"), 1);
    shop.clock.advance(SECOND);
    run();
    assert_eq!(shop.queries("order-1"), 2);
}

fn does(client: &HostClient, action: &str, input: &str) -> serde_json::Value {
    let result = by_name::work_of(action).unwrap()(client, input.as_bytes(), &context()).unwrap();
    serde_json::from_str(&result.to_text()).unwrap()
}

#[test]
fn followings_of_one_client_have_numbers_and_end_on_their_own() {
    let (folder, shop) = (Folder::made(), Shop::of(vec![with_status("CO")]));
    let state = folder.path().join("state");
    let begin = |name: &str| {
        let input = format!(r#"{{"references":["{name}"],"state":"{}-{name}"}}"#, state.display());
        does(&shop.client, "follow_begin", &input)["follow"].as_u64().unwrap()
    };
    let next = |number: u64, rest: &str| {
        let input = format!(r#"{{"follow":{number}{rest}}}"#);
        does(&shop.client, "follow_next", &input)
    };
    let (first, second) = (begin("order-1"), begin("order-2"));
    assert_eq!(next(first, "")["end"]["reference"], "order-1");
    let again = &next(first, "")["end"];
    assert_eq!((&again["reference"], &again["repeated"]), (&"order-1".into(), &true.into()));
    assert_eq!(next(first, r#","confirmed":true"#)["is_over"], true);
    does(&shop.client, "follow_end", &format!(r#"{{"follow":{first}}}"#));
    let input = format!(r#"{{"follow":{first}}}"#);
    let error = by_name::follow_next(&shop.client, input.as_bytes(), &context());
    let error = error.unwrap_err();
    assert_eq!((error.kind(), error.path()), (ErrorKind::Validation, Some("follow")));
    assert_eq!(next(second, "")["end"]["reference"], "order-2");
    let third = begin("order-1");
    assert!(third != first && third != second, "{third}");
    assert_eq!(next(third, "")["is_over"], true, "the state file was free, and says so");
}

#[test]
fn the_command_prints_its_help_and_its_failures() {
    let (folder, shop) = (Folder::made(), Shop::of(vec![with_status("CO")]));
    let command = |input: &str| does(&shop.client, "follow_command", input);
    let help = command(r#"{"arguments":["--help"]}"#);
    assert_eq!((&help["exit_code"], &help["follow"]), (&0.into(), &serde_json::Value::Null));
    assert!(help["stdout"].as_str().unwrap().contains("--give-up-after"), "{help}");
    let state = folder.path().join("state").display().to_string();
    let begun = serde_json::json!({"arguments": ["order-1", "order-2", "--state", state]});
    let begun = command(&begun.to_string());
    let step = |rest: &str| format!(r#"{{"follow":{}{rest}}}"#, begun["follow"]);
    let end = command(&step(""));
    assert!(end["stdout"].as_str().unwrap().contains("confirmed"), "{end}");
    let input = step(r#","confirmed":true"#);
    let cancelled = cancelled(&shop.client, &input);
    let nothing = (&"".into(), &"".into(), &serde_json::Value::Null);
    assert_eq!((&cancelled["stdout"], &cancelled["stderr"], &cancelled["exit_code"]), nothing);
    assert_eq!(cancelled["follow"], begun["follow"]);
}

/// A step of the command that is cancelled.
fn cancelled(client: &HostClient, input: &str) -> serde_json::Value {
    let cancel = CancelHandle::new();
    cancel.cancel();
    let context = CallContext::new(SECOND, cancel, None);
    let step = by_name::follow_command(client, input.as_bytes(), &context).unwrap();
    serde_json::from_str(&step.to_text()).unwrap()
}

#[test]
fn an_interrupted_command_keeps_its_marks_and_exit_code() {
    let (folder, shop) = (Folder::made(), Shop::of(vec![with_status("PE")]));
    let state = folder.path().join("state").display().to_string();
    let begin = |rest: &[&str]| {
        let arguments = [&["order-1", "--state", &state], rest].concat();
        let begun = does(
            &shop.client,
            "follow_command",
            &serde_json::json!({"arguments": arguments}).to_string(),
        );
        begun["follow"].as_u64().unwrap()
    };
    let step = |number: u64, rest: &str| {
        does(&shop.client, "follow_command", &format!(r#"{{"follow":{number}{rest}}}"#))
    };
    let quiet = begin(&[]);
    cancelled(&shop.client, &format!(r#"{{"follow":{quiet}}}"#));
    assert!(step(quiet, r#","interrupted":true"#)["exit_code"].is_null());
    let number = begin(&["--give-up-after", "0s"]);
    assert!(step(number, "")["stdout"].as_str().unwrap().contains("given_up"));
    assert_eq!(step(number, r#","confirmed":true,"interrupted":true"#)["exit_code"], 3);
    let number = begin(&["--give-up-after", "0s"]);
    let over = step(number, "");
    assert_eq!((&over["stdout"], &over["exit_code"]), (&"".into(), &3.into()), "it was confirmed");
}
