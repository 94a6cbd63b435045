//! The log that `--verbose` and `PAYMENTS_LOG=debug` write to standard error.

use payments_sandbox::{At, Fault};

use crate::support::{Merchant, Payments, Run, payment, test_key};

fn verbose(merchant: &Merchant) -> Payments {
    merchant.payments(["create-payment", "-", "--verbose"]).stdin(payment("order-1"))
}

fn by_variable(merchant: &Merchant) -> Payments {
    let run = merchant.payments(["create-payment", "-"]).env("PAYMENTS_LOG", "debug");
    run.stdin(payment("order-1"))
}

/// The lines of the log without their process prefix.
fn lines(run: &Run) -> Vec<&str> {
    let lines = run.stderr.lines();
    lines.filter_map(|it| it.strip_prefix("payments[")?.split_once("] ").map(|it| it.1)).collect()
}

#[track_caller]
fn assert_order(lines: &[&str], events: &[&str]) {
    let names: Vec<_> = lines.iter().map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!(names, events, "{lines:?}");
}

#[test]
fn a_call_is_logged_step_by_step_apart_from_the_response() {
    for start in [verbose, by_variable] {
        let merchant = Merchant::new();
        let run = start(&merchant).run();
        assert_eq!(run.code, 0, "{}", run.stderr);
        assert!(run.text().starts_with("{\"status\":\"PE\""), "{}", run.text());
        let lines = lines(&run);
        assert_order(
            &lines,
            &[
                "request_started",
                "token_requested",
                "token_fetched",
                "attempt",
                "attempt_ended",
                "request_ended",
            ],
        );
        let host = merchant.sandbox.base_url().strip_prefix("http://").unwrap();
        for line in &lines[..2] {
            assert!(line.ends_with(&format!(" host={host}")), "{line}");
        }
        assert!(lines[5].contains("http_status=200 attempts=1 duration="), "{lines:?}");
        let second = merchant.payments(["query-payment", "abc", "--verbose"]).run();
        assert!(second.stderr.contains("token_reused call=1 hash=abc remaining="), "{second:?}");
    }
}

#[test]
fn option_and_variable_together_write_each_line_once() {
    let merchant = Merchant::new();
    let run = verbose(&merchant).env("PAYMENTS_LOG", "debug").run();
    assert_eq!(lines(&run).len(), 6, "{}", run.stderr);
}

#[test]
fn without_option_and_variable_nothing_is_written() {
    let merchant = Merchant::new();
    for level in ["", "0", "warn"] {
        let run = merchant.payments(["token"]).env("PAYMENTS_LOG", level).run();
        assert_eq!(run.stderr, "", "{level}");
    }
}

#[test]
fn no_secret_and_no_payer_data_is_logged() {
    for fault in [Fault::status(401), Fault::status(500), Fault::close(At::Head), Fault::html()] {
        let merchant = Merchant::new();
        merchant.sandbox.script_next([fault]);
        let run = verbose(&merchant).run();
        assert!(lines(&run).len() > 1, "{}", run.stderr);
        let config = merchant.sandbox.config();
        let key = std::fs::read_to_string(test_key("test_rsa_4096_pkcs8.pem")).unwrap();
        let secrets = [config.integration_key, config.client_secret, "eyJ".to_owned()];
        let payer = ["Maria Souza", "maria@example.com", "853.513.468-93", "100.10"];
        let payer = payer.map(str::to_owned);
        let key = key.lines().nth(1).unwrap().to_owned();
        for text in secrets.into_iter().chain(payer).chain([key]) {
            assert!(!run.stderr.contains(&text), "{text} in {}", run.stderr);
        }
    }
}

#[test]
fn preparing_logs_the_token_request() {
    let merchant = Merchant::new();
    let run = merchant.run(["prepare", "query-payment", "abc", "-v"]);
    assert_order(&lines(&run), &["token_requested", "token_fetched"]);
    assert!(merchant.service_requests().is_empty());
}
