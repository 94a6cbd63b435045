//! `payments follow`: several queries at a time, signals, and an output that is
//! full.

use std::os::unix::process::ExitStatusExt as _;
use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::support::{Merchant, Payments, payment};

/// Resets signals that the test process may itself ignore.
const WATCHING: [&str; 2] = ["env", "--default-signal=INT,TERM,HUP"];

/// A merchant with this many open payments, and their hashes.
fn merchant(count: usize) -> (Merchant, Vec<String>) {
    let merchant = Merchant::new();
    let create = |number| {
        let request = payment(&format!("order-{number}"));
        let run = merchant.payments(["create-payment", "-"]).stdin(request).run();
        let response: Value = serde_json::from_slice(&run.stdout).unwrap();
        response["hash"].as_str().unwrap().to_owned()
    };
    let hashes = (0..count).map(create).collect();
    (merchant, hashes)
}

fn ends(stdout: &[u8]) -> Vec<(String, String)> {
    let text = std::str::from_utf8(stdout).unwrap();
    let read = |line: &str| {
        let end: Value = serde_json::from_str(line).unwrap();
        let text = |name: &str| end[name].as_str().unwrap().to_owned();
        (text("reference"), text("end"))
    };
    let mut ends: Vec<_> = text.lines().map(read).collect();
    ends.sort();
    ends
}

#[test]
fn several_threads_report_each_end_once() {
    let (merchant, hashes) = merchant(8);
    hashes.iter().for_each(|hash| drop(merchant.sandbox.confirm_payment(hash).unwrap()));
    let references: Vec<_> = (0..8).map(|number| format!("order-{number}")).collect();
    let mut arguments = vec!["follow", "--state", "s", "--parallel", "4", "--per-second", "1000"];
    arguments.extend(references.iter().map(String::as_str));
    let run = merchant.run(&arguments);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let expected: Vec<_> =
        references.iter().map(|it| (it.clone(), "confirmed".to_owned())).collect();
    assert_eq!(ends(&run.stdout), expected);
    let again = merchant.run(&arguments);
    assert_eq!((again.code, again.stdout.len()), (0, 0));
}

#[test]
fn a_payment_given_up_counts_in_the_exit_code_of_each_run() {
    let (merchant, hashes) = merchant(1);
    let arguments = ["follow", "--state", "s", "--give-up-after", "0s", "order-0"];
    let run = merchant.run(arguments);
    assert_eq!(ends(&run.stdout), [("order-0".to_owned(), "given_up".to_owned())]);
    assert_eq!(run.code, 3, "{}", run.stderr);
    let again = merchant.run(arguments);
    assert_eq!((again.code, again.stdout.len()), (3, 0), "it is no end");
    merchant.sandbox.confirm_payment(&hashes[0]).unwrap();
    let paid = merchant.run(arguments);
    assert_eq!(ends(&paid.stdout), [("order-0".to_owned(), "confirmed".to_owned())]);
    assert_eq!((paid.code, merchant.run(arguments).code), (0, 0));
}

#[test]
fn a_signal_between_queries_ends_it_quietly_and_by_that_signal() {
    for (signal, number) in [(Signal::TERM, 15), (Signal::INT, 2)] {
        let (merchant, _) = merchant(1);
        let arguments = ["follow", "--state", "s", "order-0"];
        let child = Payments::started_by(&WATCHING, &merchant.folder, arguments).start();
        let is_queried = || {
            let requests = merchant.sandbox.requests();
            requests.iter().any(|it| it.method == "GET")
        };
        while !is_queried() {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        kill_process(Pid::from_child(&child), signal).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.signal(), Some(number));
        assert_eq!((output.stdout, output.stderr), (Vec::new(), Vec::new()));
    }
}

#[test]
fn a_signal_after_a_payment_was_given_up_is_3() {
    let (merchant, _) = merchant(2);
    let give_up = ["follow", "--state", "s", "--give-up-after", "0s", "order-0"];
    assert_eq!(merchant.run(give_up).code, 3);
    let before = merchant.sandbox.requests().len();
    let arguments = ["follow", "--state", "s", "order-0", "order-1"];
    let child = Payments::started_by(&WATCHING, &merchant.folder, arguments).start();
    while merchant.sandbox.requests().len() < before + 2 {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.len()), (Some(3), 0));
}

#[test]
fn an_end_that_could_not_be_printed_is_repeated() {
    let (merchant, hashes) = merchant(1);
    merchant.sandbox.confirm_payment(&hashes[0]).unwrap();
    let arguments = ["follow", "--state", "s", "order-0"];
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_payments"));
    command.args(arguments).current_dir(&merchant.folder).stdout(Stdio::from(full));
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let failure: Value = serde_json::from_slice(&output.stderr).unwrap();
    assert_eq!(failure["code"], "output_failed");
    let run = merchant.run(arguments);
    assert!(String::from_utf8_lossy(&run.stdout).contains(r#""repeated":true"#));
}
