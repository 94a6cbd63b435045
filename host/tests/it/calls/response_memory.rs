//! A response within the limits uses a bounded amount of memory, whatever its
//! content.

#![cfg(target_os = "linux")]

use std::ffi::OsStr;

use payments_core::Client;
use payments_core::context::CallContext;
use payments_host::by_name;
use payments_sandbox::{Fault, Large, Require, Sandbox, SandboxConfig};

use crate::support::{calls, child};

const MOST_MIB: u64 = 64;
const URL: &str = "PAYMENTS_TEST_URL";
const OPERATION: &str = "PAYMENTS_TEST_OPERATION";

/// A member of `/proc/self/status`, in KiB.
fn status(member: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with(member)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
fn no_response_takes_more_than_64_mib() {
    if std::env::var_os(URL).is_some() {
        return measure();
    }
    let config = SandboxConfig { require: Require::NOTHING, ..SandboxConfig::default() };
    let sandbox = Sandbox::start(config).unwrap();
    for (name, large) in Large::ALL {
        let operation = if name == "results" { "register_tracking" } else { "create_payment" };
        for operation in [operation, "send"] {
            sandbox.script_next([Fault::large(large)]);
            let variables = [(URL, sandbox.base_url()), (OPERATION, operation)];
            let mut command = child::command(no_response_takes_more_than_64_mib);
            child::must_pass(
                command.envs(variables.map(|(name, value)| (name, OsStr::new(value)))),
            );
        }
    }
}

fn measure() {
    let client = Client::new(calls::config(&std::env::var(URL).unwrap())).unwrap();
    let context = CallContext::with_timeout(calls::SLACK * 6);
    let before = status("VmRSS");
    let response = match std::env::var(OPERATION).unwrap().as_str() {
        "send" => {
            by_name::send(&client, br#"{"method":"POST","path":"/ws/direct"}"#, b"{}", &context)
        }
        "create_payment" => by_name::call(&client, "create_payment", PAYMENT.as_bytes(), &context),
        operation => by_name::call(&client, operation, TRACKING.as_bytes(), &context),
    };
    let response = response.unwrap();
    let text = response.whole_view().to_text();
    let tree = response.raw.json().unwrap();
    assert!(text.len() > 100_000 && tree.as_object().is_some());
    let growth = status("VmHWM").saturating_sub(before) / 1024;
    eprintln!("growth {growth} MiB");
    assert!(growth <= MOST_MIB, "{growth} MiB");
}

const PAYMENT: &str = r#"{"payment":{"name":"Maria Souza","email":"maria@example.com","country":"br","payment_type_code":"pix","merchant_payment_code":"order-1001","currency_code":"BRL","amount_total":"100.10","document":"853.513.468-93"}}"#;
const TRACKING: &str =
    r#"{"order_number":"1","email":"maria@example.com","tracking_code":["AB1"]}"#;
