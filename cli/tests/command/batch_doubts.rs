//! Payouts of a batch that the service cancels, or claims to know already.

use payments_core::Operation;
use payments_sandbox::{Fault, FaultKind, FaultScript, PayoutCancellation};
use serde_json::json;

use crate::batch::{rows, send, states, write};
use crate::journal::{journaled, payout};
use crate::support::{Merchant, Run};

fn two(merchant: &Merchant) {
    write(merchant, &rows(["payout-1".to_owned(), "payout-2".to_owned()]));
}

fn script(merchant: &Merchant, faults: Vec<Fault>) {
    merchant.sandbox.script_fault(FaultScript::for_operation(Operation::CreatePayout, faults));
}

/// The cells of a report's line up to its code, without the uid.
fn cells(report: &Run, line: usize) -> Vec<String> {
    let line = report.text().lines().nth(line - 1).unwrap();
    let cells = line.split(',').enumerate().take(6).filter(|(index, _)| *index != 4);
    cells.map(|(_, cell)| cell.to_owned()).collect()
}

#[test]
fn a_cancelled_payout_is_never_a_success() {
    let merchant = journaled();
    two(&merchant);
    script(&merchant, vec![Fault::new(FaultKind::Decline(PayoutCancellation::default()))]);
    let first = send(&merchant, &["--parallel", "1"]);
    assert_eq!((first.code, states(&first).join(" ")), (3, "cancelled done".to_owned()));
    assert_eq!(cells(&first, 2), ["2", "payout-1", "cancelled", "CA", "TAX_ID_MISMATCH"]);
    assert_eq!(cells(&first, 3), ["3", "payout-2", "done", "OP", ""]);
    assert_eq!(
        first.stderr,
        "payments: line 2, payout-1: cancelled (TAX_ID_MISMATCH); the service created it and \
         cancelled it, so the payee gets no money; correct the payee, and give the payout a new \
         reference\n"
    );

    let later = send(&merchant, &[]);
    assert_eq!((later.code, states(&later).join(" ")), (3, "cancelled done".to_owned()));
    assert_eq!(cells(&later, 2), cells(&first, 2));
    assert_eq!(cells(&later, 3), ["3", "payout-2", "done", "", "already_done"]);
    assert_eq!(later.stderr, first.stderr);
    let dry = merchant.run(["create-payouts", "payouts.csv", "--dry-run"]);
    assert_eq!((dry.code, states(&dry).join(" ")), (0, "cancelled done".to_owned()));
    assert!(dry.stderr.contains("  1 done: BRL 10.00\n  1 cancelled: BRL 10.00\n"), "{dry:?}");
    assert_eq!(merchant.sandbox.payouts().len(), 2);

    // The payee is corrected, and the reference is not new.
    let corrected = rows(["payout-1".to_owned()]).replacen("joao@", "maria@", 1);
    write(&merchant, &corrected);
    assert_eq!(send(&merchant, &[]).failure(2)["code"], "batch_changed");
    write(&merchant, &corrected.replacen("payout-1", "payout-3", 1));
    let new = send(&merchant, &[]);
    assert_eq!((new.code, states(&new)), (0, vec!["done".to_owned()]));
    assert_eq!(merchant.sandbox.payouts().len(), 3);
}

#[test]
fn a_cancelled_payout_is_not_sent_again() {
    let merchant = journaled();
    script(&merchant, vec![Fault::new(FaultKind::Decline(PayoutCancellation::default()))]);
    let response = payout(&merchant, "payout-1", &[]).response();
    assert_eq!((&response["status"], &response["is_paid"]), (&json!("CA"), &json!(false)));
    assert_eq!(response["code"], "TAX_ID_MISMATCH");
    let entry = &merchant.run(["journal", "show", "payout-1"]).response()["entries"][0];
    assert_eq!((&entry["state"], &entry["code"]), (&json!("done"), &json!("TAX_ID_MISMATCH")));
    let refused = payout(&merchant, "payout-1", &[]).failure(4);
    assert_eq!(refused["code"], "already_done");
    let message = refused["message"].as_str().unwrap();
    assert!(message.contains("created this payout and cancelled it"), "{message}");
    assert_eq!(merchant.sandbox.payouts().len(), 1);
}

#[test]
fn a_payout_that_the_service_knows_already_is_unknown() {
    let merchant = journaled();
    merchant.sandbox.configure(|config| config.unique_payouts = true);
    // Another program sent it, and its response was lost.
    script(&merchant, vec![Fault::execute_then_close()]);
    merchant.configure(|config| config["journal"] = json!("none"));
    payout(&merchant, "payout-1", &[]).failure(3);
    merchant.configure(|config| config["journal"] = json!("file:journal/payments.db"));
    two(&merchant);
    let sent = send(&merchant, &["--parallel", "1"]);
    assert_eq!((sent.code, states(&sent).join(" ")), (3, "unknown unsent".to_owned()));
    assert_eq!(cells(&sent, 2), ["2", "payout-1", "unknown", "", "duplicate_reference"]);
    let advice = "this payout may have been executed earlier; look it up on the provider's \
                  platform, then run payments journal resolve payout-1 --executed yes|no --note TEXT";
    assert_eq!(sent.stderr.lines().next().unwrap().split_once(", so ").unwrap().1, advice);
    let resolve = ["journal", "resolve", "payout-1", "--executed", "yes", "--note", "listed"];
    assert_eq!(merchant.run(resolve).code, 0);
    let next = send(&merchant, &[]);
    assert_eq!((next.code, states(&next).join(" ")), (0, "done done".to_owned()));
    assert_eq!(merchant.sandbox.payouts().len(), 2);
}

#[cfg(target_os = "linux")]
#[test]
fn on_a_terminal_notes_of_one_cause_are_counted() {
    let merchant = journaled();
    write(&merchant, &rows((1..=6).map(|number| format!("payout-{number}"))));
    script(&merchant, vec![Fault::new(FaultKind::Decline(PayoutCancellation::default())); 5]);
    assert_eq!(send(&merchant, &["--parallel", "1"]).stderr.lines().count(), 5);
    let again = ["create-payouts", "payouts.csv", "--yes"];
    let run = crate::support::Payments::on_terminal(&merchant.folder, again).run();
    let notes = run.text().lines().filter_map(|line| line.strip_prefix("payments: "));
    let notes: Vec<_> = notes.map(|note| note.split(';').next().unwrap()).collect();
    let cancelled = |line| format!("line {line}, payout-{}: cancelled (TAX_ID_MISMATCH)", line - 1);
    let mut expected: Vec<_> = (2..=4).map(cancelled).collect();
    expected.push("and 2 more lines: cancelled (TAX_ID_MISMATCH)".to_owned());
    assert_eq!(notes, expected, "{run:?}");
}
