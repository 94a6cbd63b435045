//! The cases of `tests/journal_commands.json`, which the journal commands of the
//! packages run too.

use payments_sandbox::{Fault, FaultKind, PayoutStatus};
use serde_json::{Value, json};

use crate::journal::{journaled, payout};
use crate::support::{Merchant, Payments, READER_LEFT, Run};

#[test]
fn every_case_of_the_journal_commands_holds() {
    let text = include_str!("../../../tests/journal_commands.json");
    let cases: Value = serde_json::from_str(text).unwrap();
    let cases = cases["cases"].as_array().unwrap();
    let manifest: Value =
        serde_json::from_str(include_str!("../../../tests/manifest.json")).unwrap();
    let host = &manifest["levels"][1];
    assert_eq!(host["name"], "host");
    assert_eq!(host["cases"]["journal_commands.json"], cases.len());
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
        let end = match step["move"].as_str() {
            Some("pay") => Some(PayoutStatus::Paid),
            Some("cancel") => Some(PayoutStatus::Cancelled),
            _ => None,
        };
        end.map(|end| merchant.sandbox.move_payout(reference, end).unwrap());
    } else if let Some(reference) = step["lose"].as_str() {
        let lost = Fault { execute: Some(true), ..Fault::new(FaultKind::Close) };
        merchant.sandbox.script_next([lost]);
        payout(merchant, reference, &[]).failure(3);
    } else if let Some(reference) = step["refused"].as_str() {
        let code = if step["error"]["outcome"] == "executed" { 4 } else { 3 };
        assert_has(&payout(merchant, reference, &[]).failure(code), &step["error"]);
    } else if let Some(reference) = step["settle"].as_str() {
        let journal =
            rusqlite::Connection::open(merchant.folder.join("journal/payments.db")).unwrap();
        let past = "UPDATE payments_journal SET settles_at = 0 WHERE reference = ?";
        assert_eq!(journal.execute(past, [reference]).unwrap(), 1);
    } else if let Some(members) = step["configure"].as_object() {
        let path = merchant.folder.join("payments.json");
        let mut config: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        config.as_object_mut().unwrap().extend(members.clone());
        std::fs::write(path, config.to_string()).unwrap();
    } else if let Some(name) = step["file"].as_str() {
        std::fs::write(merchant.folder.join(name), step["text"].as_str().unwrap()).unwrap();
    } else if let Some(name) = step["remove"].as_str() {
        std::fs::remove_file(merchant.folder.join(name)).unwrap();
    } else if let Some(reference) = step["payment"].as_str() {
        payment(merchant, reference, step["move"].as_str());
    } else if let Some(arguments) = step["follow"].as_array() {
        let arguments = arguments.iter().map(|it| it.as_str().unwrap());
        // As in the packages, so that ends come in the order of the queries.
        let one_by_one = ["follow", "--parallel", "1"].into_iter();
        follow(&merchant.run(one_by_one.chain(arguments)), step);
    } else {
        command(merchant, step);
    }
}

/// `run` is an action of the journal, `start` any command, `full` one whose standard output
/// is full, and `closed` one whose reader has left it.
fn command(merchant: &Merchant, step: &Value) {
    let given = |name| step.get(name);
    let (starter, before, words): (&[&str], &[&str], _) = match (given("run"), given("start")) {
        (Some(words), _) => (&[], &["journal"], words),
        (None, Some(words)) => (&[], &[], words),
        (None, None) => match given("closed") {
            Some(words) => (&READER_LEFT, &[], words),
            None => (&["sh", "-c", r#"exec "$0" "$@" >/dev/full"#], &[], &step["full"]),
        },
    };
    let words = words.as_array().unwrap().iter().map(|it| it.as_str().unwrap());
    let words = before.iter().copied().chain(words);
    let run = Payments::started_by(starter, &merchant.folder, words).run();
    assert_eq!(i64::from(run.code), step["exit_code"].as_i64().unwrap(), "{run:?}");
    if let Some(shown) = step["shows"].as_array() {
        for part in shown {
            assert!(run.text().contains(part.as_str().unwrap()), "{part} {}", run.text());
        }
        assert_eq!(run.stderr, "");
        return;
    }
    for (name, printed) in [("stdout", run.text()), ("stderr", &run.stderr)] {
        match step.get(name) {
            None => assert_eq!(printed, ""),
            Some(expected) => assert_has(&serde_json::from_str(printed).unwrap(), expected),
        }
    }
}

/// Makes a payment, and ends it.
fn payment(merchant: &Merchant, reference: &str, end: Option<&str>) {
    let request = json!({"payment": {
        "name": "Maria Souza", "email": "maria@example.com", "country": "br",
        "payment_type_code": "pix", "merchant_payment_code": reference, "currency_code": "BRL",
        "amount_total": "100.10", "document": "853.513.468-93",
    }});
    let call = Payments::new(&merchant.folder, ["create-payment", "-"].to_vec());
    call.stdin(request.to_string()).run().response();
    match end {
        Some("confirm") => drop(merchant.sandbox.confirm_payment(reference).unwrap()),
        Some("cancel") => drop(merchant.sandbox.cancel_payment(reference).unwrap()),
        _ => {}
    }
}

fn follow(run: &Run, step: &Value) {
    assert_eq!(i64::from(run.code), step["exit_code"].as_i64().unwrap(), "{run:?}");
    let ends = run.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_has(&Value::Array(ends), &step["ends"]);
    match step.get("stderr") {
        None => assert_eq!(run.stderr, ""),
        Some(expected) => assert_has(&serde_json::from_str(&run.stderr).unwrap(), expected),
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
