//! The report of a batch, and its use by a person.

use payments_core::Operation;
use payments_sandbox::{FaultScript, Times};

use crate::batch::{lost, rows, send, write};
use crate::journal::journaled;
use crate::support::{Merchant, Payments, READER_LEFT};

/// A merchant whose payouts get lost, and the batch's report of these.
fn lost_payouts(references: &[&str]) -> (Merchant, Vec<String>) {
    let merchant = journaled();
    write(&merchant, &rows(references.iter().map(|it| (*it).to_owned())));
    let lost = FaultScript::for_operation(Operation::CreatePayout, vec![lost()]);
    merchant.sandbox.script_fault(lost.times(Times::Always));
    let sent = send(&merchant, &["--continue-after-unknown", "--parallel", "1"]);
    assert_eq!(sent.code, 3, "{sent:?}");
    (merchant, sent.stderr.lines().map(str::to_owned).collect())
}

/// The cells of a report, by line and column.
fn cells(report: &str, delimiter: u8) -> Vec<Vec<(String, String)>> {
    let mut reader = csv::ReaderBuilder::new().delimiter(delimiter).from_reader(report.as_bytes());
    let names = reader.headers().unwrap().clone();
    let rows = reader.records().map(|row| {
        let row = row.unwrap();
        names.iter().zip(row.iter()).map(|(name, it)| (name.to_owned(), it.to_owned())).collect()
    });
    rows.collect()
}

fn cell<'r>(row: &'r [(String, String)], name: &str) -> &'r str {
    row.iter().find(|it| it.0 == name).map(|it| it.1.as_str()).unwrap()
}

#[test]
fn a_dry_run_whose_reader_has_left_ends_quietly() {
    let merchant = journaled();
    write(&merchant, &rows(["payout-1".to_owned()]));
    let words = ["create-payouts", "payouts.csv", "--dry-run"];
    let run = Payments::started_by(&READER_LEFT, &merchant.folder, words).run();
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
}

#[test]
fn a_report_has_the_payee_amount_and_entry_of_each_line() {
    let merchant = journaled();
    let semicolons = rows(["-10001".to_owned(), "payout-2".to_owned()]).replace(',', ";");
    write(&merchant, &semicolons.replacen("João Souza", "\"=Souza; João\"", 1));
    for _ in 0..2 {
        let sent = send(&merchant, &[]);
        let report = cells(sent.text(), b';');
        for (row, (reference, payee)) in
            report.iter().zip([("'-10001", "'=Souza; João"), ("payout-2", "João Souza")])
        {
            assert_eq!((cell(row, "reference"), cell(row, "state")), (reference, "done"));
            assert_eq!((cell(row, "amount"), cell(row, "currency")), ("10.00", "BRL"));
            assert_eq!(cell(row, "payee.name"), payee);
            let entry = merchant.run(["journal", "show", cell(row, "id")]).response();
            assert_eq!(entry["entries"][0]["uid"], cell(row, "uid"));
        }
        assert_eq!(report.len(), 2);
        assert!(!sent.text().contains("joao@example.com"), "no account: {sent:?}");
    }
    let dry = send(&merchant, &["--dry-run"]);
    let rows_of_dry = cells(dry.text(), b';');
    assert!(rows_of_dry.iter().all(|row| cell(row, "id").len() == 32), "{dry:?}");
    write(&merchant, &rows(["payout-3".to_owned()]));
    let dry = send(&merchant, &["--dry-run"]);
    assert_eq!(cell(&cells(dry.text(), b',')[0], "id"), "", "nothing was sent");
}

#[test]
fn decisions_are_made_of_the_report_by_reference_or_by_id() {
    let references = ["-50000", "+55119", "=1+1+1", "@total", "payout-1"];
    for name in ["reference", "id"] {
        let merchant = lost_payouts(&references).0;
        let report = send(&merchant, &[]);
        let decisions: String = cells(report.text(), b',')
            .iter()
            .map(|row| format!("{},yes,listed\n", cell(row, name)))
            .collect();
        let file = merchant.folder.join("decisions.csv");
        std::fs::write(file, "reference,executed,note\n".to_owned() + &decisions).unwrap();
        let resolved = merchant.run(["journal", "resolve", "--from", "decisions.csv"]).response();
        let resolved = resolved["resolved"].as_array().unwrap().clone();
        let found: Vec<_> = resolved.iter().map(|it| it["reference"].as_str().unwrap()).collect();
        assert_eq!(found, references);
    }
}

#[test]
fn a_file_decides_about_an_entry_once() {
    let merchant = lost_payouts(&["payout-1", "payout-2"]).0;
    let listed = merchant.run(["journal", "list", "--open"]).response();
    let id = listed["entries"][0]["id"].as_str().unwrap();
    for second in ["yes,listed", "no,not listed"] {
        let text = format!(
            "reference,executed,note\npayout-1,yes,listed\npayout-2,yes,listed\n{id},{second}\n"
        );
        std::fs::write(merchant.folder.join("decisions.csv"), text).unwrap();
        let refused = merchant.run(["journal", "resolve", "--from", "decisions.csv"]).failure(2);
        let problems = refused["problems"].as_array().unwrap();
        let problem = problems.iter().find(|it| it["line"] == 4).unwrap();
        assert_eq!(problem["column"], "reference", "{refused}");
        let listed = merchant.run(["journal", "list", "--open"]).response();
        assert_eq!(listed["entries"].as_array().unwrap().len(), 2, "nothing was recorded");
    }
}

#[test]
fn advice_about_a_reference_that_begins_with_a_hyphen_runs() {
    let (merchant, problem) = lost_payouts(&["-payout-5", "--yes it's", "payout-1"]);
    for (line, reference) in problem.iter().zip(["-payout-5", "--yes it's", "payout-1"]) {
        let (_, advice) = line.split_once("then run payments ").unwrap();
        let advice = advice.replace("yes|no", "yes").replace("TEXT", "listed");
        let script = format!("\"$0\" {advice}");
        let program = env!("CARGO_BIN_EXE_payments");
        let mut command = std::process::Command::new("sh");
        command.args(["-c", &script, program]).current_dir(&merchant.folder);
        let output = command.output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && text.contains(reference), "{script} {output:?}");
    }
    let open = merchant.run(["journal", "list", "--open"]).response();
    assert_eq!(open["entries"], serde_json::json!([]));
}
