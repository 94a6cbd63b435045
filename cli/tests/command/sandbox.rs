//! `payments sandbox` as a process.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{Payments, new_folder, payment, test_key};

/// A process that is killed when the test ends.
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

/// Creates a payment with a configuration, in a new folder.
fn pay_with(configuration: &str) {
    let folder = new_folder();
    std::fs::write(folder.join("payments.json"), configuration).unwrap();
    let run = Payments::new(&folder, ["create-payment", "-"]).stdin(payment("order-1")).run();
    assert_eq!(run.response()["status"], "PE");
}

#[test]
fn its_output_can_be_pasted() {
    let (_running, text) = start(&["sandbox"], "Ctrl-C ends it");
    assert!(text.contains("curl "), "{text}");
    assert!(text.contains("required  jws, bearer, integration_key_unless_signed"), "{text}");
    pay_with(configuration(&text));
    let private = test_key("test_rsa_4096_pkcs8.pem");
    for public in ["test_rsa_4096_public.pem", "test_rsa_4096_public.der"] {
        let public = test_key(public);
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
        pay_with(configuration(&text));
    }
}

#[test]
fn with_json_it_prints_a_configuration_in_a_line() {
    let arguments = ["sandbox", "--json", "--token-lifetime", "60", "--kid", "mine"];
    let (_running, text) = start(&arguments, "base_url");
    pay_with(&text);
    let configuration: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(configuration["kid"], "mine");
    let port = configuration["base_url"].as_str().unwrap().rsplit(':').next().unwrap();
    let failure = Payments::new(&new_folder(), ["sandbox", "--port", port]).run().failure(2);
    assert!(failure["message"].as_str().unwrap().contains("in use"), "{failure}");
}

#[test]
fn with_config_out_its_configuration_works_from_any_folder() {
    let folder = new_folder().join("merchant");
    let arguments = ["sandbox", "--json", "--config-out", folder.to_str().unwrap()];
    let (_running, text) = start(&arguments, "base_url");
    pay_with(&text);
    let file = folder.join("payments.json");
    let written: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), written);
    let run = Payments::new(&new_folder(), ["create-payment", "-", "--config"]).argument(&file);
    assert_eq!(run.stdin(payment("order-2")).run().response()["status"], "PE");

    #[cfg(unix)]
    {
        let journal = payments_base::real_path::real_path(&folder).unwrap().join("journal.db");
        assert_eq!(written["journal"], format!("file:{}", journal.display()));
        let run = Payments::new(&new_folder(), ["create-payment", "-", "--config"]).argument(&file);
        let refused = run.stdin(payment("order-2")).run().failure(4);
        assert_eq!(
            (&refused["kind"], &refused["code"]),
            (&"journal".into(), &"already_done".into())
        );
    }

    let secrets = ["payments.json", "private_key.pem", "integration_key", "client_secret"];
    for name in secrets {
        let path = folder.join(name);
        assert!(name == "payments.json" || !text.contains("sandbox-client-secret"), "{text}");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600, "{name}");
        }
        #[cfg(not(unix))]
        assert!(path.exists(), "{name}");
    }
    assert_eq!(std::fs::read_to_string(folder.join(".gitignore")).unwrap(), "*\n");
    let failure = Payments::new(&new_folder(), arguments).run().failure(2);
    assert_eq!(failure["code"], "sandbox_not_started");
    assert!(failure["message"].as_str().unwrap().contains("stop the sandbox"), "{failure}");
}

#[test]
fn with_config_out_it_starts_again_with_the_same_command() {
    let folder = new_folder().join("merchant");
    let name = folder.to_str().unwrap();
    let (running, text) = start(&["sandbox", "--config-out", name], "Ctrl-C ends it");
    assert!(text.contains("Files (written)") && text.contains(name), "{text}");
    let file = folder.join("payments.json");
    let payment_of = |reference| {
        let run = Payments::new(&new_folder(), ["create-payment", "-", "--config"]).argument(&file);
        run.stdin(payment(reference)).run().response()["hash"].as_str().unwrap().to_owned()
    };
    let first = payment_of("order-1");
    let before: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    drop(running);

    let (running, text) = start(&["sandbox", "--config-out", name], "Ctrl-C ends it");
    assert!(text.contains("of an earlier run, unchanged"), "{text}");
    assert!(text.contains("this sandbox has\n  forgotten: use new ones"), "{text}");
    let after: Value = serde_json::from_str(configuration(&text)).unwrap();
    assert_eq!(after, before);
    assert_ne!(payment_of("order-2"), first, "the journal has that hash");
    drop(running);

    let kid = before["kid"].as_str().unwrap();
    let port = before["base_url"].as_str().unwrap().rsplit(':').next().unwrap();
    let (running, text) = start(
        &["sandbox", "--json", "--config-out", name, "--kid", kid, "--port", port],
        "base_url",
    );
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), before);
    drop(running);
    for conflict in [["--kid", "other"], ["--port", "1"]] {
        let arguments = [&["sandbox", "--config-out", name][..], &conflict].concat();
        let failure = Payments::new(&new_folder(), arguments).run().failure(2);
        assert_eq!(failure["code"], "exists", "{failure}");
    }
}

#[test]
fn with_config_out_files_of_others_are_left_alone() {
    for (name, text) in [
        ("payments.json", r#"{"base_url":"https://api.example.com","kid":"k"}"#),
        ("payments.json", "no json"),
        ("client_secret", "secret"),
    ] {
        let folder = new_folder();
        std::fs::write(folder.join(name), text).unwrap();
        let arguments = ["sandbox", "--config-out", folder.to_str().unwrap()];
        let failure = Payments::new(&new_folder(), arguments).run().failure(2);
        assert_eq!(failure["code"], "exists", "{failure}");
        assert_eq!(std::fs::read_to_string(folder.join(name)).unwrap(), text);
    }
}

#[cfg(unix)]
#[test]
fn nothing_is_written_into_a_folder_that_others_can_read() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = new_folder();
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o755)).unwrap();
    let arguments = ["sandbox", "--config-out", folder.to_str().unwrap()];
    let failure = Payments::new(&new_folder(), arguments).run().failure(1);
    assert_eq!(failure["code"], "file_unwritable", "{failure}");
    let message = failure["message"].as_str().unwrap();
    assert!(message.starts_with("--config-out: "), "{message}");
    // The path is quoted if a shell needs that.
    let (_, chmod) = message.split_once("run chmod 700 ").unwrap();
    let path = chmod.split_once(", or name a folder").unwrap().0.trim_matches('\'');
    assert_eq!(std::path::Path::new(path), folder);
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
}

#[cfg(unix)]
#[test]
fn the_next_steps_of_the_banner_work() {
    let folder = new_folder().join("the merchant's");
    let (_running, text) =
        start(&["sandbox", "--config-out", folder.to_str().unwrap()], "Ctrl-C ends it");
    let command = &text[text.find("  payments --config").unwrap()..];
    let command = command[..command.find("  Then").unwrap()].replace("\\\n", " ");
    let command = command.replacen("payments", "\"$0\"", 1);
    let shell = ["-c", &command, env!("CARGO_BIN_EXE_payments")];
    let output = Command::new("sh").args(shell).output().unwrap();
    let response: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(response["status"], "PE", "{response}");
}

#[test]
fn with_stdin_lifetime_it_ends_when_its_input_closes() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_payments"))
        .args(["sandbox", "--json", "--stdin-lifetime", "--public-key"])
        .arg(test_key("test_rsa_4096_public.pem"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let configuration: Value = serde_json::from_str(&line).unwrap();
    let port: u16 =
        configuration["base_url"].as_str().unwrap().rsplit(':').next().unwrap().parse().unwrap();
    assert!(TcpStream::connect(("127.0.0.1", port)).is_ok());
    assert!(child.try_wait().unwrap().is_none());
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
}

#[cfg(target_os = "linux")]
#[test]
fn with_open_it_opens_its_page() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = new_folder();
    let opener = folder.join("xdg-open");
    std::fs::write(&opener, "#!/bin/sh\necho \"$1\" > \"$0.part\"; mv \"$0.part\" \"$0.opened\"\n")
        .unwrap();
    std::fs::set_permissions(&opener, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    let start = |path: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_payments"));
        command.args(["sandbox", "--json", "--open", "--public-key"]);
        command.arg(test_key("test_rsa_4096_public.pem")).env("PATH", path);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let mut running = Running(start(&path));
    let mut line = String::new();
    BufReader::new(running.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let configuration: Value = serde_json::from_str(&line).unwrap();
    let opened = folder.join("xdg-open.opened");
    while !opened.exists() {
        std::thread::sleep(Duration::from_millis(20));
    }
    let url = std::fs::read_to_string(opened).unwrap();
    assert_eq!(url.trim(), format!("{}/sandbox/", configuration["base_url"].as_str().unwrap()));

    let mut running = Running(start(""));
    let mut line = String::new();
    BufReader::new(running.0.stderr.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.ends_with("/sandbox/ yourself\n"), "{line}");
    assert!(running.0.try_wait().unwrap().is_none(), "the sandbox runs all the same");
}

#[test]
fn requirements_and_refusals_can_be_loosened() {
    let (_running, text) = start(
        &["sandbox", "--json", "--require", "none", "--accept-path", "/ws/*", "--accept-repeats"],
        "base_url",
    );
    let printed: Value = serde_json::from_str(&text).unwrap();
    let folder = new_folder();
    let bare = serde_json::json!({
        "base_url": printed["base_url"], "integration_key": printed["integration_key"],
        "environment": "sandbox",
    });
    std::fs::write(folder.join("payments.json"), bare.to_string()).unwrap();
    for _ in 0..2 {
        let run = Payments::new(&folder, ["create-payment", "-"]).stdin(payment("order-1")).run();
        assert_eq!(run.response()["status"], "PE");
    }
    let sent = Payments::new(&folder, ["send", "GET", "/ws/reports"]).run().response();
    assert_eq!(sent["echo"]["path"], "/ws/reports");
}

#[test]
fn the_demonstration_leaves_one_running_on_request() {
    let (_running, text) = start(&["demo", "--keep"], "Delete the folder");
    let folder = text.lines().find_map(|line| line.strip_prefix("  cd ")).unwrap();
    let response = Payments::new(
        std::path::Path::new(folder),
        ["query-payment", "--merchant-payment-code", "order-1001"],
    )
    .run()
    .response();
    assert_eq!(response["is_paid"], true);
    assert!(text.contains("curl ") && text.contains("\"key_file\""));
    assert!(text.contains("Its page shows what the demo did:"), "{text}");
    assert!(text.lines().any(|line| line.starts_with("  http://") && line.ends_with("/sandbox/")));
    if cfg!(unix) {
        buy_and_refund(text.lines().find(|line| line.ends_with("/sandbox/shop/")).unwrap().trim());
    }
    std::fs::remove_dir_all(folder).unwrap();
}

/// Buys in the shop at this address, as its page does.
fn buy_and_refund(shop: &str) {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/shop/shop.html");
    assert_eq!(text_of_response("GET", shop, ""), std::fs::read_to_string(page).unwrap());
    let sandbox = shop.strip_suffix("shop/").unwrap();
    let order = format!("{shop}orders/0123-ab");
    let wait_for = |state: &str| {
        let deadline = Instant::now() + Duration::from_secs(30);
        while ask("GET", &order, "")["state"] != state {
            assert!(Instant::now() < deadline, "{state}: {}", ask("GET", &order, ""));
            std::thread::sleep(Duration::from_millis(100));
        }
    };
    let payer = json!({"name": "Maria Souza", "email": "maria@example.com",
                       "document": "853.513.468-93"});
    let basket = json!({"items": {"mug": 1, "shirt": 2}, "payer": payer}).to_string();
    for _ in 0..2 {
        let made = ask("PUT", &order, &basket);
        assert_eq!((&made["total"], &made["state"]), (&json!("100.50"), &json!("waiting")));
        assert!(made["code"].as_str().unwrap().starts_with("000201"), "{made}");
        assert!(made["picture"].as_str().unwrap().starts_with("<svg"), "{made}");
    }
    ask("POST", &format!("{sandbox}payments/order-0123-ab/confirm"), "");
    wait_for("delivered");
    let owner = json!({"key": "owner"}).to_string();
    assert_eq!(ask("POST", &format!("{order}/refund"), &owner)["state"], "refunding");
    let payment = ask("GET", &format!("{sandbox}payments/order-0123-ab"), "");
    let refunds = payment["payment"]["refunds"].as_array().unwrap();
    assert_eq!(refunds.len(), 1, "{payment}");
    let id = &refunds[0]["id"];
    let id = id.as_str().map_or_else(|| id.to_string(), str::to_owned);
    ask("POST", &format!("{sandbox}refunds/{id}/confirm"), "");
    wait_for("refunded");
    assert_eq!(ask("PUT", &order, "{}"), json!({}));
    assert!(ask("PUT", &format!("{shop}orders/x"), &basket)["error"].is_string());
}

fn ask(method: &str, url: &str, body: &str) -> Value {
    serde_json::from_str(&text_of_response(method, url, body)).unwrap()
}

fn text_of_response(method: &str, url: &str, body: &str) -> String {
    let (host, path) = url.strip_prefix("http://").unwrap().split_once('/').unwrap();
    let mut connection = TcpStream::connect(host).unwrap();
    write!(
        connection,
        "{method} /{path} HTTP/1.1\r\nHost: {host}\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut response = String::new();
    connection.read_to_string(&mut response).unwrap();
    response.split_once("\r\n\r\n").unwrap().1.to_owned()
}

#[test]
fn mistakes_are_named() {
    let folder = new_folder();
    let private = test_key("test_rsa_4096_pkcs8.pem");
    for (arguments, part) in [
        (vec!["sandbox", "--require", "cookie"], "cookie"),
        (vec!["sandbox", "--public-key", "nowhere.pem"], "nowhere.pem"),
        (vec!["sandbox", "--config-out", ".", "--public-key", "a.pem"], "--key-file"),
        (vec!["sandbox", "--public-key", private.to_str().unwrap()], "private key"),
    ] {
        let failure = Payments::new(&folder, &arguments).run().failure(2);
        assert!(failure["message"].as_str().unwrap().contains(part), "{failure}");
    }
}
