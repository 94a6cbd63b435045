//! Makes a payment in a child process.

use std::process::Command;

use payments_core::{Client, Config};

use super::{calls, child};

const PAY_TO: &str = "TEST_PAYS_TO";

/// Runs `test` in a child that pays at `url`. Returns what it prints: `paid`,
/// or the kind, code, and outcome of the error.
pub fn pay(test: impl Fn(), url: &str, prepare: impl FnOnce(&mut Command)) -> String {
    let whole = outcome(test, url, prepare);
    whole.split_once(": ").map_or(whole.clone(), |(start, _)| start.to_owned())
}

/// Like [`pay`], with the message of the error after a colon.
pub fn outcome(test: impl Fn(), url: &str, prepare: impl FnOnce(&mut Command)) -> String {
    let mut command = child::command(test);
    command.env(PAY_TO, url);
    prepare(&mut command);
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = text.lines().find_map(|line| Some(line.split_once("OUTCOME: ")?.1.to_owned()));
    line.unwrap_or_else(|| panic!("{text}\n{}", String::from_utf8_lossy(&output.stderr)))
}

/// In the child, pays with this configuration and returns `true`.
pub fn is_child(configure: impl FnOnce(Config) -> Config) -> bool {
    let Ok(url) = std::env::var(PAY_TO) else {
        return false;
    };
    let client = Client::new(configure(calls::config(&url)));
    match client.and_then(|client| client.create_payment(&calls::payment("order-1"))) {
        Ok(_) => println!("OUTCOME: paid"),
        Err(error) => {
            let (kind, code, outcome) = (error.kind(), error.code().as_str(), error.outcome());
            println!("OUTCOME: {kind} {code} {outcome}: {}", error.message());
        }
    }
    true
}
