//! The Rust process.

use std::io::{BufRead as _, Write as _};
use std::time::Duration;

use payments_core::{CancelHandle, Client, Config, Error};
use payments_host::by_name;
use serde_json::{Value, json};

/// The program's name, and the argument that starts it.
pub(crate) const PROGRAM: &str = "soak";
const AT_ONCE: usize = 8;

pub(crate) fn run() {
    let mut first = String::new();
    std::io::stdin().lock().read_line(&mut first).unwrap();
    let client = Client::new(Config::from_json(first.as_bytes()).unwrap()).unwrap();
    println!("ready");
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| serve(&client));
        }
    });
}

fn serve(client: &Client) {
    let mut line = String::new();
    loop {
        line.clear();
        if std::io::stdin().lock().read_line(&mut line).unwrap() == 0 {
            return;
        }
        let response = match line.trim_end() {
            "collect" => "collected".to_owned(),
            "recover" => {
                let recovered = payments_host::recover(client, &client.context());
                // Another process may be recovering it.
                let is_running = |error: &Error| error.code().as_str() == "already_running";
                assert!(recovered.as_ref().err().is_none_or(is_running), "{recovered:?}");
                "recovered".to_owned()
            }
            call => perform(client, &serde_json::from_str(call).unwrap()).to_string(),
        };
        writeln!(std::io::stdout().lock(), "{response}").unwrap();
    }
}

fn perform(client: &Client, call: &Value) -> Value {
    let cancel = CancelHandle::new();
    let context = client.context_with(cancel.clone(), None);
    let request = call["request"].to_string();
    let name = call["operation"].as_str().unwrap();
    let report = std::thread::scope(|scope| {
        if let Some(after) = call["cancel_ms"].as_u64() {
            scope.spawn(move || {
                std::thread::sleep(Duration::from_millis(after));
                cancel.cancel();
            });
        }
        by_name::call(client, name, request.as_bytes(), &context)
            .map_or_else(report_of, |_| "success")
    });
    json!({"id": call["id"], "report": report})
}

fn report_of(error: Error) -> &'static str {
    if error.response().is_some() { "responded" } else { error.outcome().as_str() }
}
