//! The report of a batch, and what a person does with it.

use payments_core::Operation;
use payments_sandbox::{FaultScript, Times};

use crate::batch::{lost, rows, send, write};
use crate::journal::journaled;
use crate::support::Merchant;

/// A merchant whose payouts get lost, and what the batch says of these.
fn lost_payouts(references: &[&str]) -> (Merchant, Vec<String>) {
    let merchant = journaled();
    write(&merchant, &rows(references.iter().map(|it| (*it).to_owned())));
    let lost = FaultScript::for_operation(Operation::CreatePayout, vec![lost()]);
    merchant.sandbox.script_fault(lost.times(Times::Always));
    let sent = send(&merchant, &["--continue-after-unknown", "--parallel", "1"]);
    assert_eq!(sent.code, 3, "{sent:?}");
    (merchant, sent.stderr.lines().map(str::to_owned).collect())
}

#[cfg(unix)]
#[test]
fn advice_about_a_reference_that_begins_with_a_hyphen_runs() {
    let (merchant, told) = lost_payouts(&["-5", "--yes it's", "payout-1"]);
    for (line, reference) in told.iter().zip(["-5", "--yes it's", "payout-1"]) {
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
