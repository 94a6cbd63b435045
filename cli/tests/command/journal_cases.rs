//! The cases of `tests/journal_commands.json`, which the journal commands of the
//! packages run too.

use payments_sandbox::{Fault, FaultKind};
use serde_json::Value;

use crate::journal::{journaled, payout};
use crate::support::Merchant;

#[test]
fn every_case_of_the_journal_commands_holds() {
    let text = include_str!("../../../tests/journal_commands.json");
    let cases: Value = serde_json::from_str(text).unwrap();
    let cases = cases["cases"].as_array().unwrap();
    assert!(!cases.is_empty());
    for case in cases {
        let merchant = journaled();
        for step in case["steps"].as_array().unwrap() {
            println!("{}: {step}", case["name"]);
            perform(&merchant, step);
        }
    }
}

fn perform(merchant: &Merchant, step: &Value) {
    if let Some(reference) = step["pay"].as_str() {
        payout(merchant, reference, &[]).response();
    } else if let Some(reference) = step["lose"].as_str() {
        let lost = Fault { execute: Some(true), ..Fault::new(FaultKind::Close) };
        merchant.sandbox.script_next([lost]);
        payout(merchant, reference, &[]).failure(3);
    } else if let Some(reference) = step["refused"].as_str() {
        let code = if step["error"]["outcome"] == "executed" { 4 } else { 3 };
        assert_has(&payout(merchant, reference, &[]).failure(code), &step["error"]);
    } else if let Some(reference) = step["settle"].as_str() {
        let journal = rusqlite::Connection::open(merchant.folder.join("books/journal.db")).unwrap();
        let past = "UPDATE payments_journal SET settles_at = 0 WHERE reference = ?";
        assert_eq!(journal.execute(past, [reference]).unwrap(), 1);
    } else {
        let arguments = step["run"].as_array().unwrap().iter().map(|it| it.as_str().unwrap());
        let run = merchant.run(["journal"].into_iter().chain(arguments));
        assert_eq!(i64::from(run.code), step["exit_code"].as_i64().unwrap(), "{run:?}");
        for (name, printed) in [("stdout", run.text()), ("stderr", &run.stderr)] {
            match step.get(name) {
                None => assert_eq!(printed, ""),
                Some(expected) => assert_has(&serde_json::from_str(printed).unwrap(), expected),
            }
        }
    }
}

/// Asserts that `found` has the members of `expected`, at any depth.
fn assert_has(found: &Value, expected: &Value) {
    match (found, expected) {
        (Value::Object(found), Value::Object(expected)) => {
            for (name, value) in expected {
                assert_has(found.get(name).unwrap_or(&Value::Null), value);
            }
        }
        (Value::Array(found), Value::Array(expected)) => {
            assert_eq!(found.len(), expected.len(), "{found:?} {expected:?}");
            found.iter().zip(expected).for_each(|(found, expected)| assert_has(found, expected));
        }
        _ => assert_eq!(found, expected),
    }
}
