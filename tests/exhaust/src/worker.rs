//! The process that is cut: one call, between two markers.

use payments_core::{CallContext, Client, Config, Error, QueryPayment};
use serde_json::{Value, json};

use crate::rows::{FIRST, Kind, call};
use crate::stand_ins::{self, Stop};

/// The argument that starts it.
pub(crate) const PROGRAM: &str = "worker";
/// Paths that do not exist: looking at them marks a place in the trace.
pub(crate) const BEGIN: &str = "/the-call-begins";
pub(crate) const END: &str = "/the-call-ends";

/// How long the call before the one that is cut may take.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(60);

/// Reads a configuration and a call, and makes the call on request.
pub(crate) fn run(task: &str) {
    // Where only a parent may trace, strace may trace this process as well.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_ptracer(rustix::process::PTracer::Any);
    let task: Value = serde_json::from_str(task).unwrap();
    let kind = Kind::from_name(task["kind"].as_str().unwrap());
    let (reference, hash) = (task["reference"].as_str().unwrap(), task["hash"].as_str().unwrap());
    let config = Config::from_json(task["config"].to_string().as_bytes()).unwrap();
    let client = Client::new(config).unwrap();
    if task["is_kept"] == true {
        let first = QueryPayment::by_merchant_payment_code(FIRST);
        client.execute(&first, &CallContext::with_timeout(PATIENCE)).unwrap();
    }
    println!("ready");
    // No call uses `readv`. strace counts what it interrupts, or does not.
    let mut go = [0; 8];
    rustix::io::readv(std::io::stdin(), &mut [std::io::IoSliceMut::new(&mut go)]).unwrap();
    if let Some(number) = task["half"].as_u64() {
        let number = usize::try_from(number).unwrap();
        stand_ins::watch(Some(Stop::Half { number, fails: task["fails"] == true }));
    }
    let (at, by) = (task["jumps_at"].as_u64(), task["jumps_by"].as_i64());
    stand_ins::jump(at.map_or(usize::MAX, |at| usize::try_from(at).unwrap()), by.unwrap_or(0));
    let _ = std::fs::metadata(BEGIN);
    let result = call(&client, kind, [reference, hash], &client.context());
    let _ = std::fs::metadata(END);
    let mut reported = reported(&result);
    reported["looks"] = stand_ins::looks().into();
    reported["sends"] = stand_ins::watched().1.into();
    println!("{reported}");
    // The drop of a client is not part of a call.
    std::process::exit(0);
}

/// The result that a caller gets.
fn reported(result: &Result<(), Error>) -> Value {
    match result {
        Ok(()) => json!({"outcome": "success"}),
        Err(error) => json!({"outcome": error.outcome().as_str(), "error": error.to_string()}),
    }
}
