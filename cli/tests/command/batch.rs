//! `payments create-payouts`.

use payments_core::Operation;
use payments_sandbox::{Fault, FaultKind, FaultScript, Times};
use serde_json::json;

use crate::journal::journaled;
use crate::support::{Merchant, Run};

const HEAD: &str =
    "external_reference,country,amount,currency_code,target,target_account,payee.name\n";

pub(crate) fn rows(references: impl IntoIterator<Item = String>) -> String {
    let row = |it: String| format!("{it},br,10.00,BRL,pix_key,joao@example.com,João Souza\n");
    HEAD.to_owned() + &references.into_iter().map(row).collect::<String>()
}

pub(crate) fn write(merchant: &Merchant, text: &str) {
    std::fs::write(merchant.folder.join("payouts.csv"), text).unwrap();
}

pub(crate) fn send(merchant: &Merchant, more: &[&str]) -> Run {
    merchant.run([&["create-payouts", "payouts.csv", "--yes"], more].concat())
}

/// The states in a report, without its heading.
pub(crate) fn states(report: &Run) -> Vec<String> {
    let lines = report.text().lines().skip(1);
    lines.map(|line| line.split([',', ';']).nth(2).unwrap().to_owned()).collect()
}

pub(crate) fn lost() -> Fault {
    Fault { execute: Some(true), ..Fault::new(FaultKind::Close) }
}

#[test]
fn each_payout_of_a_file_is_sent_once() {
    let merchant = journaled();
    write(&merchant, &rows((1..=12).map(|number| format!("payout-{number}"))));
    let unconfirmed = merchant.run(["create-payouts", "payouts.csv"]);
    assert_eq!(unconfirmed.failure(2)["code"], "not_confirmed");
    for _ in 0..2 {
        let sent = send(&merchant, &[]);
        assert_eq!((sent.code, sent.stderr.as_str()), (0, ""));
        assert!(sent.text().starts_with(
            "line,reference,state,status,uid,code,id,amount,currency,payee.name\n2,payout-1,done,"
        ));
        assert!(states(&sent).iter().all(|state| state == "done"));
        assert_eq!(merchant.sandbox.payouts().len(), 12);
    }
}

#[test]
fn without_a_journal_it_says_how_to_get_one() {
    let merchant = Merchant::new();
    write(&merchant, &rows(["payout-1".to_owned()]));
    let refused = send(&merchant, &[]).failure(2);
    let message = refused["message"].as_str().unwrap();
    assert!(message.contains("payments journal create PATH"), "{refused}");
    assert!(message.ends_with("or give --journal PATH"), "{refused}");
}

#[test]
fn all_problems_of_a_file_are_named_before_sending() {
    let merchant = journaled();
    let row = "payout-3,br,\"1,5\",BRL,pix_key,a@example.com,Maria\n";
    write(&merchant, &(rows(["payout-1".to_owned(), "payout-1".to_owned()]) + row));
    let refused = send(&merchant, &[]).failure(2);
    assert_eq!(refused["code"], "batch_invalid");
    let places: Vec<_> = refused["problems"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (it["line"].as_u64().unwrap(), it["column"].as_str().unwrap()))
        .collect();
    assert_eq!(places, [(3, "external_reference"), (4, "amount")]);
    assert_eq!(merchant.sandbox.payouts().len(), 0);
}

#[test]
fn a_lost_answer_stops_new_lines_until_the_next_run() {
    let merchant = journaled();
    write(&merchant, &rows((1..=6).map(|number| format!("payout-{number}"))));
    let one = ["--parallel", "1"];
    assert_eq!(merchant.run(["token"]).code, 0);
    merchant.sandbox.script_next([Fault::pass(), lost()]);
    let first = send(&merchant, &one);
    assert_eq!(first.code, 3);
    assert_eq!(states(&first).join(" "), "done unknown unsent unsent unsent unsent");
    let mut lines = first.stderr.lines();
    let unknown = lines.next().unwrap();
    assert!(unknown.starts_with("payments: line 3, payout-2: unknown ("), "{first:?}");
    let settle = "then run payments journal resolve payout-2 --executed yes|no --note TEXT";
    assert!(unknown.ends_with(settle), "{first:?}");
    assert_eq!(
        lines.collect::<Vec<_>>(),
        [
            "payments: payouts are not queried; if the service has POST /ws/payout/retrieve, turn \
             payout_query on, and run the command again",
            "payments: stopped after an unknown payout; 4 of 6 payouts were not sent; to go on, run \
             the same command with the same file",
        ]
    );
    merchant.sandbox.clear_faults();
    let second = send(&merchant, &one);
    assert_eq!(second.code, 3);
    assert_eq!(merchant.sandbox.payouts().len(), 6, "{}", second.text());
    assert_eq!(states(&second).iter().filter(|state| *state == "unknown").count(), 1);
}

#[test]
fn a_changed_file_is_noticed_before_anything_is_sent() {
    let merchant = journaled();
    write(&merchant, &rows(["payout-1".to_owned()]));
    assert_eq!(send(&merchant, &[]).code, 0);
    write(
        &merchant,
        &rows(["payout-1".to_owned(), "payout-2".to_owned()]).replacen("joao@", "eve@", 1),
    );
    let changed = send(&merchant, &[]).failure(2);
    assert_eq!((&changed["code"], &changed["lines"]), (&json!("batch_changed"), &json!([2])));
    assert_eq!(merchant.sandbox.payouts().len(), 1);
}

#[test]
fn lines_that_were_sent_are_settled_by_the_journal_alone() {
    let merchant = journaled();
    write(&merchant, &rows(["payout-1".to_owned()]));
    merchant
        .sandbox
        .script_fault(FaultScript::for_operation(Operation::CreatePayout, vec![lost()]));
    assert_eq!(states(&send(&merchant, &[])), ["unknown"]);
    std::fs::remove_dir_all(merchant.folder.join("cache")).unwrap();
    let down = FaultScript::for_path("/authorization-server/*", vec![Fault::status(503)]);
    merchant.sandbox.script_fault(down.times(Times::Always));
    let without_token = send(&merchant, &[]);
    assert_eq!((without_token.code, states(&without_token)), (3, vec!["unknown".to_owned()]));
    assert!(
        without_token.text().contains("\n2,payout-1,unknown,,,unresolved,"),
        "{without_token:?}"
    );
    write(&merchant, &rows(["payout-1".to_owned()]).replacen("joao@", "eve@", 1));
    let changed = send(&merchant, &[]).failure(2);
    assert_eq!((&changed["code"], &changed["lines"]), (&json!("batch_changed"), &json!([2])));
    assert_eq!(merchant.sandbox.payouts().len(), 1);
}

#[test]
fn a_line_refused_for_now_is_sent_by_the_next_run() {
    let merchant = journaled();
    write(&merchant, &rows((1..=3).map(|number| format!("payout-{number}"))));
    assert_eq!(merchant.run(["token"]).code, 0);
    // Without Retry-After.
    merchant.sandbox.script_next([Fault::status(429)]);
    let first = send(&merchant, &["--parallel", "1"]);
    assert_eq!((first.code, states(&first).join(" ")), (1, "failed done done".to_owned()));
    let times: Vec<_> = merchant
        .sandbox
        .requests()
        .into_iter()
        .filter(|request| request.path.starts_with("/ws"))
        .map(|request| request.received_ms)
        .collect();
    assert!(times[1] >= times[0] + 900, "the batch pauses for a second: {times:?}");
    assert_eq!(send(&merchant, &[]).code, 0);
    assert_eq!(merchant.sandbox.payouts().len(), 3);
}

#[test]
fn without_a_journal_no_batch_is_sent() {
    let merchant = Merchant::new();
    write(&merchant, &rows(["payout-1".to_owned()]));
    assert_eq!(send(&merchant, &[]).failure(2)["path"], "journal");
    let created = merchant.run(["journal", "create", "journal/other.db"]);
    assert_eq!(created.code, 0);
    let other = ["--journal", "journal/other.db"];
    assert_eq!(send(&merchant, &other).code, 0);
    write(&merchant, &rows(["payout 2".to_owned()]));
    merchant.sandbox.script_next([lost()]);
    let unknown = send(&merchant, &other);
    assert_eq!(unknown.code, 3);
    // Quoted, if the folder of the tests has a space in its path.
    let advice = unknown.stderr.replace("other.db'", "other.db");
    let settle = "/journal/other.db payments journal resolve 'payout 2' --executed";
    assert!(advice.contains(settle), "{unknown:?}");
}

#[test]
fn a_batch_whose_token_request_is_refused_ends() {
    let scope = json!({"error": "invalid_scope", "error_description": "no scope"});
    let client = json!({"error": "unauthorized_client"});
    for refusal in [
        Fault::status(401),
        Fault::status(400),
        Fault::json(200, &scope),
        Fault::json(403, &client),
    ] {
        let merchant = journaled();
        write(&merchant, &rows(["payout-1".to_owned(), "payout-2".to_owned()]));
        let refused = FaultScript::for_path("/authorization-server/*", vec![refusal]);
        merchant.sandbox.script_fault(refused.times(Times::Always));
        let stopped = send(&merchant, &[]);
        assert_eq!((stopped.code, states(&stopped).join(" ")), (1, "unsent unsent".to_owned()));
        assert!(stopped.stderr.starts_with("payments: stopped: "), "{stopped:?}");
        assert!(stopped.stderr.contains("2 of 2 payouts were not sent; to go on, correct"));
    }
}
