//! People who confirm or end a batch.

use std::process::Child;

use payments_core::Operation;
use payments_sandbox::{At, Fault, FaultScript};
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};

use crate::batch::{rows, states, write};
use crate::journal::journaled;
use crate::journal_lock::JournalLock;
use crate::support::{Merchant, Payments, Run};

/// Resets signals that the test process may itself ignore.
const WATCHING: [&str; 2] = ["env", "--default-signal=INT,TERM,HUP"];

fn signal(child: &Child, signals: &[Signal]) {
    // Signals to a stopped process arrive together when it continues.
    for signal in [&[Signal::STOP], signals, &[Signal::CONT]].concat() {
        kill_process(Pid::from_child(child), signal).unwrap();
        if signal == Signal::STOP {
            let status = waitpid(Some(Pid::from_child(child)), WaitOptions::UNTRACED).unwrap();
            assert!(status.is_some_and(|(_, status)| status.stopped()), "it ended");
        }
    }
}

fn ended(child: Child) -> (Option<i32>, Run) {
    use std::os::unix::process::ExitStatusExt as _;

    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    let code = output.status.code().unwrap_or(-1);
    (output.status.signal(), Run { code, stdout: output.stdout, stderr })
}

/// A batch of 20 payouts whose first two were executed and get no response.
fn in_flight() -> (Merchant, Child) {
    let merchant = journaled();
    write(&merchant, &rows((1..=20).map(|number| format!("payout-{number}"))));
    let silence = vec![Fault::hang(At::Body).execute(true); 2];
    merchant.sandbox.script_fault(FaultScript::for_operation(Operation::CreatePayout, silence));
    let arguments = ["create-payouts", "payouts.csv", "--yes", "--parallel", "2"];
    let child = Payments::started_by(&WATCHING, &merchant.folder, arguments).start();
    while merchant.sandbox.payouts().len() < 2 {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    (merchant, child)
}

#[test]
fn the_first_signal_lets_calls_in_flight_end() {
    let merchant = journaled();
    write(&merchant, &rows((1..=400).map(|number| format!("payout-{number}"))));
    let arguments = ["create-payouts", "payouts.csv", "--yes", "--per-second", "20"];
    let child = Payments::started_by(&WATCHING, &merchant.folder, arguments).start();
    while merchant.sandbox.payouts().is_empty() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    signal(&child, &[Signal::TERM]);
    let (_, report) = ended(child);
    let states = states(&report);
    assert_eq!(report.code, 1);
    let done = states.iter().filter(|state| *state == "done").count();
    assert_eq!(done, merchant.sandbox.payouts().len());
    assert!(states.iter().all(|state| ["done", "unsent"].contains(&state.as_str())), "{report:?}");
    assert!(done < 400, "{report:?}");
    let message = format!("interrupted by a signal; {} of 400 payouts were not sent", 400 - done);
    assert!(report.stderr.contains(&message), "{report:?}");
}

#[test]
fn the_second_signal_cancels_calls_in_flight() {
    let (merchant, child) = in_flight();
    signal(&child, &[Signal::INT, Signal::TERM]);
    let (_, report) = ended(child);
    assert_eq!(report.code, 3, "{report:?}");
    let states = states(&report);
    assert_eq!(states[..2], ["unknown", "unknown"]);
    assert!(states[2..].iter().all(|state| state == "unsent"), "{report:?}");
    assert!(report.text().lines().nth(1).unwrap().contains(",cancelled,"), "{report:?}");
    let lines: Vec<_> = report.stderr.lines().collect();
    assert_eq!(lines.len(), 4, "{report:?}");
    assert!(lines[1].contains("line 3, payout-2: unknown (cancelled); look it up"), "{report:?}");
    assert!(lines[2].contains("payouts are not queried; if the service has"), "{report:?}");
    assert!(lines[3].contains("interrupted by a signal; 18 of 20 payouts were not"), "{report:?}");
    let open = merchant.run(["journal", "list", "--open"]).response();
    let states = open["entries"].as_array().unwrap().iter().map(|entry| &entry["state"]);
    assert_eq!(states.collect::<Vec<_>>(), ["unknown", "unknown"]);
}

#[test]
fn the_third_signal_ends_the_command_and_leaves_entries() {
    let (merchant, child) = in_flight();
    // The cancelled calls try for a while to record their end.
    let lock = JournalLock::take(&merchant.folder.join("journal/payments.db"));
    signal(&child, &[Signal::INT, Signal::TERM, Signal::HUP]);
    let (ended_by, report) = ended(child);
    assert!(ended_by.is_some(), "{report:?}");
    assert!(report.stdout.is_empty(), "{report:?}");
    drop(lock);
    let open = merchant.run(["journal", "list", "--open"]).response();
    let states = open["entries"].as_array().unwrap().iter().map(|entry| &entry["state"]);
    assert_eq!(states.collect::<Vec<_>>(), ["in_progress", "in_progress"]);
    let run = merchant.run(["create-payouts", "payouts.csv", "--yes"]);
    assert_eq!(run.code, 3, "{run:?}");
    assert_eq!(merchant.sandbox.payouts().len(), 20, "nobody is paid twice");
}

#[cfg(target_os = "linux")]
fn on_terminal(merchant: &Merchant, arguments: &[&str], answer: &str) -> Run {
    Payments::on_terminal(&merchant.folder, arguments).stdin(answer).run()
}

#[cfg(target_os = "linux")]
#[test]
fn on_a_terminal_a_person_confirms_the_batch() {
    let merchant = journaled();
    write(&merchant, &rows(["payout-1".to_owned(), "payout-2".to_owned()]));
    for (answer, code, payouts) in [("\n", 2, 0), ("no\n", 2, 0), ("y\n", 0, 2)] {
        let run = on_terminal(&merchant, &["create-payouts", "payouts.csv"], answer);
        assert_eq!((run.code, merchant.sandbox.payouts().len()), (code, payouts), "{run:?}");
        assert!(run.text().contains("Send 2 payouts: BRL 20.00? [y/N] "), "{run:?}");
        assert_eq!(run.text().contains("nothing was sent"), code == 2, "{run:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn on_a_terminal_only_new_lines_are_asked_about() {
    let merchant = journaled();
    write(&merchant, &rows(["payout-1".to_owned()]));
    assert_eq!(merchant.run(["create-payouts", "payouts.csv", "--yes"]).code, 0);
    let run = on_terminal(&merchant, &["create-payouts", "payouts.csv"], "");
    assert!(run.code == 0 && run.text().contains("already_done"), "{}", run.text());
    write(&merchant, &rows((1..=3).map(|number| format!("payout-{number}"))));
    let dry = on_terminal(&merchant, &["create-payouts", "payouts.csv", "--dry-run"], "");
    let summary = "3 payouts: BRL 30.00\r\n  2 new: BRL 20.00\r\n  1 done: BRL 10.00\r\n";
    assert!(dry.code == 0 && dry.text().ends_with(summary), "{}", dry.text());
    assert!(!dry.text().contains("line,reference"), "{}", dry.text());
    let run = on_terminal(&merchant, &["create-payouts", "payouts.csv"], "y\n");
    assert!(run.text().contains("Send 2 of 3 payouts: BRL 20.00? [y/N] "), "{}", run.text());
    assert_eq!((run.code, merchant.sandbox.payouts().len()), (0, 3));
}

#[cfg(target_os = "linux")]
#[test]
fn on_a_terminal_a_person_confirms_the_last_line() {
    let merchant = journaled();
    write(&merchant, rows(["payout-1".to_owned(), "payout-2".to_owned()]).trim_end());
    for (answer, code, payouts) in [("n\n", 2, 0), ("y\nn\n", 2, 0), ("y\ny\n", 0, 2)] {
        let run = on_terminal(&merchant, &["create-payouts", "payouts.csv"], answer);
        assert_eq!((run.code, merchant.sandbox.payouts().len()), (code, payouts), "{run:?}");
        let text = run.text();
        assert!(text.contains("line 3 of payouts.csv has no line end, so column payee.name"));
        assert!(text.contains("Is the line with payout-2, BRL 10.00 complete? [y/N] "), "{text}");
        assert_eq!(text.contains("batch_invalid"), answer == "n\n", "{text}");
    }
}
