//! Signals during a call, and a closed standard output.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::process::{Child, Output};

use payments_sandbox::{At, Fault, FaultScript};
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
use serde_json::{Value, json};

use crate::support::{Merchant, Payments, Run, new_folder, payment};

/// Resets signals that the test process may itself ignore.
const WATCHING: [&str; 2] = ["env", "--default-signal=INT,TERM,HUP"];
const CLOSED: [&str; 3] = ["sh", "-c", "exec \"$0\" \"$@\" >&-"];

fn pid(child: &Child) -> Pid {
    Pid::from_child(child)
}

fn ended(output: Output) -> Run {
    Run {
        code: output.status.code().unwrap(),
        stdout: output.stdout,
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Stops the process, so that everything sent to it arrives at once when it
/// continues.
fn stop(child: &Child) {
    kill_process(pid(child), Signal::STOP).unwrap();
    let status = waitpid(Some(pid(child)), WaitOptions::UNTRACED).unwrap();
    assert!(status.is_some_and(|(_, status)| status.stopped()), "it ended");
}

/// A service that responds when the test says so, and a folder whose
/// `payments.json` names it.
struct HeldService {
    folder: PathBuf,
    service: TcpListener,
}

impl HeldService {
    fn new() -> Self {
        let service = TcpListener::bind("127.0.0.1:0").unwrap();
        let folder = new_folder();
        let base_url = format!("http://{}", service.local_addr().unwrap());
        let config = json!({"base_url": base_url, "integration_key": "key"});
        std::fs::write(folder.join("payments.json"), config.to_string()).unwrap();
        std::fs::write(folder.join("payment.json"), payment("order-1")).unwrap();
        Self { folder, service }
    }

    /// Starts a command; returns the connection on which it sent its request.
    fn start(&self, starter: &[&str], arguments: &[&str]) -> (Child, TcpStream) {
        let child = Payments::started_by(starter, &self.folder, arguments).start();
        let (mut connection, _) = self.service.accept().unwrap();
        assert!(connection.read(&mut [0; 64 * 1024]).unwrap() > 0);
        (child, connection)
    }
}

/// Sends the response to the stopped command, then a signal.
fn response_and_interrupt((child, mut connection): (Child, TcpStream)) -> Run {
    const BODY: &str = r#"{"status":"SUCCESS","payment":{"hash":"5f2c","status":"PE"}}"#;
    stop(&child);
    let length = BODY.len();
    write!(connection, "HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n{BODY}").unwrap();
    kill_process(pid(&child), Signal::INT).unwrap();
    kill_process(pid(&child), Signal::CONT).unwrap();
    ended(child.wait_with_output().unwrap())
}

const PAY: [&str; 2] = ["create-payment", "payment.json"];

#[test]
fn a_signal_cancels_the_call_and_the_report_has_its_outcome() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let held = HeldService::new();
        let (child, _connection) = held.start(&WATCHING, &PAY);
        kill_process(pid(&child), signal).unwrap();
        let failure = ended(child.wait_with_output().unwrap()).failure(3);
        assert_eq!(
            (&failure["kind"], &failure["code"]),
            (&json!("cancelled"), &json!("cancelled"))
        );
        assert_eq!(failure["reference"], "order-1");
        assert!(
            failure["advice"].as_str().unwrap().contains("payments query-payment"),
            "{failure}"
        );
        assert_eq!(failure["response_printed"], Value::Null);
    }
}

#[test]
fn a_signal_before_anything_was_sent_is_1() {
    let merchant = Merchant::new();
    merchant.sandbox.script_fault(FaultScript::for_operation(
        payments_core::Operation::AccessToken,
        vec![Fault::hang(At::Head)],
    ));
    let request = payment("order-1");
    let arguments = ["create-payment", "-"];
    let child = Payments::started_by(&WATCHING, &merchant.folder, arguments).stdin(request).start();
    while merchant.sandbox.requests().is_empty() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    kill_process(pid(&child), Signal::TERM).unwrap();
    let failure = ended(child.wait_with_output().unwrap()).failure(1);
    assert_eq!(
        (&failure["kind"], &failure["outcome"]),
        (&json!("cancelled"), &json!("not_executed"))
    );
    assert_eq!(failure["reference"], "order-1");
    assert!(merchant.sandbox.payments().is_empty());
}

#[test]
fn a_complete_response_of_a_cancelled_call_is_printed() {
    let own = ["send", "POST", "/ws/own", "{}", "--reference", "order-1"];
    for (arguments, member) in [(&PAY[..], "/hash"), (&own[..], "/payment/hash")] {
        let held = HeldService::new();
        let run = response_and_interrupt(held.start(&WATCHING, arguments));
        assert_eq!(run.code, 4, "{}", run.stderr);
        let response: Value = serde_json::from_slice(&run.stdout).unwrap();
        assert_eq!(response.pointer(member), Some(&json!("5f2c")), "{response}");
        let failure: Value = serde_json::from_str(&run.stderr).unwrap();
        assert_eq!(failure["code"], "interrupted_after_response");
        assert_eq!(
            (&failure["outcome"], &failure["reference"]),
            (&json!("executed"), &json!("order-1"))
        );
        assert_eq!(failure["response_printed"], true);
        assert!(failure["message"].as_str().unwrap().contains("standard output"), "{failure}");
    }
}

#[test]
fn a_second_signal_ends_the_command_at_once() {
    let held = HeldService::new();
    let (child, _connection) = held.start(&WATCHING, &PAY);
    stop(&child);
    kill_process(pid(&child), Signal::INT).unwrap();
    kill_process(pid(&child), Signal::TERM).unwrap();
    kill_process(pid(&child), Signal::CONT).unwrap();
    let output = child.wait_with_output().unwrap();
    let ended_by = output.status.signal();
    assert!(
        [Signal::INT, Signal::TERM].map(|it| Some(it.as_raw())).contains(&ended_by),
        "{output:?}"
    );
    assert!(output.stdout.is_empty());
}

#[test]
fn a_signal_that_is_ignored_at_the_start_stays_ignored() {
    let held = HeldService::new();
    let run = response_and_interrupt(held.start(&["env", "--ignore-signal=INT"], &PAY));
    assert_eq!(run.response()["hash"], "5f2c");
}

#[test]
fn with_standard_output_closed_nothing_that_moves_money_is_sent() {
    let merchant = Merchant::new();
    std::fs::write(merchant.folder.join("payment.json"), payment("order-1")).unwrap();
    let reading = ["sh", "-c", "exec \"$0\" \"$@\" 1</dev/null"];
    for starter in [CLOSED, reading] {
        for arguments in [
            &PAY[..],
            &["refund-payment", "5f2c"],
            &["create-payout", "payment.json"],
            &["send", "POST", "/ws/own", "{}"],
        ] {
            let run = Payments::started_by(&starter, &merchant.folder, arguments).run();
            let failure = run.failure(2);
            assert_eq!(
                (&failure["kind"], &failure["code"]),
                (&json!("usage"), &json!("output_failed"))
            );
            assert!(failure["message"].as_str().unwrap().contains("/dev/null"), "{failure}");
        }
    }
    assert!(merchant.sandbox.requests().is_empty());
    assert_eq!(merchant.sandbox.token_requests(), 0);
}

#[test]
fn with_standard_output_closed_no_token_is_requested() {
    let merchant = Merchant::new();
    for arguments in [&["token"][..], &["token", "--plain"]] {
        let run = Payments::started_by(&CLOSED, &merchant.folder, arguments).run();
        let failure = run.failure(2);
        assert_eq!(
            (&failure["kind"], &failure["code"]),
            (&json!("usage"), &json!("output_failed"))
        );
    }
    assert_eq!(merchant.sandbox.token_requests(), 0);
}

#[test]
fn with_standard_output_closed_nothing_is_followed() {
    let merchant = Merchant::new();
    let follow = ["follow", "order-1", "--state", "follow.state"];
    let run = Payments::started_by(&CLOSED, &merchant.folder, follow).run();
    let failure = run.failure(2);
    assert_eq!((&failure["kind"], &failure["code"]), (&json!("usage"), &json!("output_failed")));
    assert!(failure["message"].as_str().unwrap().contains("what it reports"), "{failure}");
    assert!(merchant.sandbox.requests().is_empty());
    assert!(!merchant.folder.join("follow.state").exists());
}

#[test]
fn standard_output_may_be_discarded() {
    let merchant = Merchant::new();
    std::fs::write(merchant.folder.join("payment.json"), payment("order-1")).unwrap();
    let thrown_away = ["sh", "-c", "exec \"$0\" \"$@\" >/dev/null"];
    let run = Payments::started_by(&thrown_away, &merchant.folder, PAY).run();
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    // An operation that moves no money may lose its response.
    let query = ["query-payment", "--merchant-payment-code", "order-1"];
    let run = Payments::started_by(&CLOSED, &merchant.folder, query).run();
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
}
