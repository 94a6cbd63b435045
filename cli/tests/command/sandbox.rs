//! The sandbox as a process.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::support::{Payments, new_folder, payment, test_key};

/// A process that ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn start(arguments: &[&str], last_line: &str) -> (Running, String) {
    let child = Command::new(env!("CARGO_BIN_EXE_payments"))
        .args(arguments)
        .current_dir(new_folder())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut running = Running(child);
    let mut text = String::new();
    for line in BufReader::new(running.0.stdout.take().unwrap()).lines() {
        let line = line.unwrap();
        text.push_str(&line);
        text.push('\n');
        if line.contains(last_line) {
            return (running, text);
        }
    }
    panic!("it ended: {text}");
}

fn configuration(text: &str) -> &str {
    let start = text.find("\n{").unwrap() + 1;
    &text[start..start + text[start..].find("\n}").unwrap() + 2]
}

#[test]
fn what_it_prints_can_be_pasted() {
    let public = test_key("test_rsa_4096_public.pem");
    let private = test_key("test_rsa_4096_pkcs8.pem");
    let arguments = [
        "sandbox",
        "--require",
        "jws,bearer,integration_key",
        "--public-key",
        public.to_str().unwrap(),
        "--key-file",
        private.to_str().unwrap(),
    ];
    let (_running, text) = start(&arguments, "Ctrl-C ends it");
    assert!(text.contains("curl "), "{text}");
    let folder = new_folder();
    std::fs::write(folder.join("payments.json"), configuration(&text)).unwrap();
    let run = Payments::new(&folder, ["create-payment", "-"]).stdin(payment("order-1")).run();
    assert_eq!(run.answer()["status"], "PE");
}

#[test]
fn with_json_it_prints_its_addresses_in_a_line() {
    let (_running, text) = start(&["sandbox", "--json", "--token-lifetime", "60"], "base_url");
    let addresses: Value = serde_json::from_str(&text).unwrap();
    let base_url = addresses["base_url"].as_str().unwrap();
    assert_eq!(addresses["control_url"], format!("{base_url}/sandbox"));
    let port = base_url.rsplit(':').next().unwrap();
    let failure = Payments::new(&new_folder(), ["sandbox", "--port", port]).run().failure(2);
    assert!(failure["message"].as_str().unwrap().contains("taken"), "{failure}");
}

#[test]
fn the_demonstration_leaves_one_running_on_request() {
    let (_running, text) = start(&["demo", "--keep"], "Delete the folder");
    let folder = text.lines().find_map(|line| line.strip_prefix("  cd ")).unwrap();
    let answer = Payments::new(
        std::path::Path::new(folder),
        ["query-payment", "--merchant-payment-code", "order-1001"],
    )
    .run()
    .answer();
    assert_eq!(answer["is_paid"], true);
    assert!(text.contains("curl ") && text.contains("\"key_file\""));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn mistakes_are_told() {
    let folder = new_folder();
    let private = test_key("test_rsa_4096_pkcs8.pem");
    for (arguments, told) in [
        (vec!["sandbox", "--require", "cookie"], "cookie"),
        (vec!["sandbox", "--public-key", "nowhere.pem"], "nowhere.pem"),
        (vec!["sandbox", "--public-key", private.to_str().unwrap()], "private key"),
    ] {
        let failure = Payments::new(&folder, &arguments).run().failure(2);
        assert!(failure["message"].as_str().unwrap().contains(told), "{failure}");
    }
}
