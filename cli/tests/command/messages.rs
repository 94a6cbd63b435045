//! The cases of `tests/messages/command.txt`: the steps, and the whole output
//! of the command. The head of that file explains its form.

use std::fs::Permissions;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use payments_core::json::Json;
use payments_sandbox::{Fault, FaultScript, RequestRecord, Response};
use serde_json::{Value, json};

use crate::message_peers::{KEYS, PEERS, without_varying_parts};
use crate::support::{Merchant, payment, test_key};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/messages/command.txt");

/// The source of a case's HSM, which fails on command.
const FAULTY_MODULE: &str = "faulty_module.c";
const FAULTY_MODULE_SOURCE: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../core/tests/it/support/faulty_module.c");

/// If this variable is set, the file is written again with the new messages.
const UPDATE: &str = "UPDATE";

#[test]
fn every_message_is_as_listed() {
    let listed = std::fs::read_to_string(FILE).unwrap();
    let cases = cases_of(&listed);
    assert!(cases.len() > 1);
    let said: Vec<_> = cases.iter().map(|_| Mutex::new(String::new())).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        loop {
            let index = next.fetch_add(1, Ordering::SeqCst);
            let Some(case) = cases.get(index) else { break };
            *said[index].lock().unwrap() = transcript_of(case);
        }
    };
    std::thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(work))));
    let said: Vec<_> = said.into_iter().map(|it| it.into_inner().unwrap()).collect();
    if std::env::var_os(UPDATE).is_some() {
        std::fs::write(FILE, said.concat()).unwrap();
        return;
    }
    let differ = said.iter().zip(&cases).filter(|(said, case)| said != case);
    let differ: Vec<_> =
        differ.map(|(said, case)| format!("listed:\n{case}\nsaid:\n{said}")).collect();
    assert!(differ.is_empty(), "{}", differ.join("\n"));
}

/// The head of the file, and each case, which begins with `== `.
fn cases_of(listed: &str) -> Vec<&str> {
    let starts = listed.match_indices("\n== ").map(|(at, _)| at + 1);
    let starts: Vec<_> = [0].into_iter().chain(starts).chain([listed.len()]).collect();
    starts.windows(2).map(|it| &listed[it[0]..it[1]]).collect()
}

/// The case with the current output of the command.
fn transcript_of(case: &str) -> String {
    if !case.starts_with("== ") {
        return case.to_owned();
    }
    let merchant = merchant();
    let (mut transcript, mut signal) = (String::new(), None);
    let mut lines = case.lines().peekable();
    while let Some(line) = lines.next() {
        if ["> ", "! "].iter().any(|it| line.starts_with(it)) || line.starts_with("exit code ") {
            continue;
        }
        transcript.push_str(&format!("{line}\n"));
        let Some(command) = line.strip_prefix("$ ") else {
            match line.strip_prefix("interrupt ") {
                Some(rest) => signal = rest.split(' ').next(),
                None => prepare(&merchant, line),
            }
            continue;
        };
        let mut script = command.to_owned();
        while let Some(more) = lines.next_if(|line| line.starts_with("  ")) {
            transcript.push_str(&format!("{more}\n"));
            script.push_str(&format!("\n{}", &more[2..]));
        }
        transcript.push_str(&run(&merchant, &script, signal.take()));
    }
    transcript
}

fn merchant() -> Merchant {
    let merchant = Merchant::new();
    for (name, contents) in [
        ("payment.json", payment("order-1")),
        ("payout.json", PAYOUT.to_owned()),
        ("ca.pem", crate::message_peers::authorities()),
    ] {
        std::fs::write(merchant.folder.join(name), contents).unwrap();
    }
    for (key, name) in [
        ("test_rsa_4096_pkcs8.pem", "private_key.pem"),
        ("test_rsa_4096_public.pem", "public_key.pem"),
        ("refused_ec_p256_pkcs8.pem", "elliptic_curve_key.pem"),
        ("test_rsa_2048_pkcs8.pem", "small_key.pem"),
    ] {
        std::fs::copy(test_key(key), merchant.folder.join(name)).unwrap();
    }
    symlink(test_key("."), merchant.folder.join(KEYS)).unwrap();
    std::fs::copy(FAULTY_MODULE_SOURCE, merchant.folder.join(FAULTY_MODULE)).unwrap();
    let of_owner = |path: &Path, mode| {
        std::fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    };
    of_owner(&merchant.folder, 0o700);
    of_owner(&merchant.folder.join("private_key.pem"), 0o600);
    of_owner(&merchant.folder.join("payments.json"), 0o600);
    configure(&merchant, []);
    merchant
}

/// Writes the configuration of each case, with changes.
fn configure(merchant: &Merchant, members: impl IntoIterator<Item = (String, Value)>) {
    merchant.configure(|given| {
        given["key_file"] = json!("private_key.pem");
        members.into_iter().for_each(|(name, it)| given[name] = it);
    });
}

const PAYOUT: &str = r#"{"external_reference":"payout-1","country":"br","amount":10.00,
"currency_code":"BRL","target":"pix_key","target_account":"joao@example.com",
"payee":{"name":"Joao Silva","email":"joao@example.com","document":"853.513.468-93",
"document_type":"CPF"}}"#;

/// The steps before a command.
fn prepare(merchant: &Merchant, line: &str) {
    let parsed = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    if line.is_empty() || line.starts_with("== ") || line.starts_with("# ") {
    } else if let Some(members) = line.strip_prefix("configuration ") {
        let Value::Object(members) = parsed(members) else { panic!("{line}") };
        configure(merchant, members);
    } else if let Some(response) = line.strip_prefix("service responds ") {
        merchant.sandbox.script_fault(FaultScript::for_path("/ws/*", vec![fault_of(response)]));
    } else if let Some(response) = line.strip_prefix("token server responds ") {
        let path = "/authorization-server/*";
        merchant.sandbox.script_fault(FaultScript::for_path(path, vec![fault_of(response)]));
    } else if let Some(fault) = line.strip_prefix("service fails ") {
        let script = json!({"path": "/ws/*", "then": [parsed(fault)]});
        merchant.sandbox.script_json(&script.to_string()).unwrap();
    } else if let Some(reference) = line.strip_prefix("payer pays ") {
        merchant.sandbox.confirm_payment(reference).unwrap();
    } else {
        panic!("unknown line: {line}");
    }
}

/// A response given as `STATUS BODY`.
fn fault_of(response: &str) -> Fault {
    let (status, body) = response.split_once(' ').unwrap_or((response, ""));
    let mut response = Response::empty(status.parse().unwrap());
    response.body = body.as_bytes().to_vec();
    Fault::response(response)
}

/// Runs a command, and records its output. It gets `signal` when the service has
/// its request.
fn run(merchant: &Merchant, script: &str, signal: Option<&str>) -> String {
    let folder = Path::new(env!("CARGO_BIN_EXE_payments")).parent().unwrap();
    let path = std::env::var("PATH").unwrap();
    // A shell that starts the tests in the background leaves Ctrl-C ignored.
    let mut command = Command::new("env");
    command.args(["--default-signal=INT", "sh"]);
    command.args(["-c", script]).current_dir(&merchant.folder).env_clear();
    command.env("PATH", format!("{}:{path}", folder.display()));
    command.env("HOME", &merchant.folder).env("XDG_CACHE_HOME", merchant.folder.join("cache"));
    command.env("SERVICE", merchant.sandbox.base_url());
    command.env("TERMINAL", "script --quiet --return --log-out /dev/null --command");
    command.env("NO_COLOR", "1");
    command.env("KEYS", KEYS).env("FAULTY_MODULE", FAULTY_MODULE);
    command.env("PAYMENTS_HSM_FAULTS", merchant.folder.join("faults"));
    command.env("PAYMENTS_HSM_REAL_MODULE", "/usr/lib/softhsm/libsofthsm2.so");
    command.env("SOFTHSM2_CONF", merchant.folder.join("softhsm2.conf"));
    for peer in PEERS.iter() {
        command.env(peer.name.to_uppercase(), &peer.url);
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let running = command.spawn().unwrap();
    if let Some(signal) = signal {
        // Tokens do not count.
        let of_service = |it: &RequestRecord| it.path.starts_with("/ws/");
        let count = || merchant.sandbox.requests().into_iter().filter(of_service).count();
        let before = count();
        while count() == before {
            std::thread::sleep(Duration::from_millis(5));
        }
        let kill = format!("kill -{signal} {}", running.id());
        assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    }
    let output = running.wait_with_output().unwrap();
    let text = |bytes: &[u8]| std::str::from_utf8(bytes).unwrap().to_owned();
    let printed = text(&output.stdout);
    let printed = printed.lines().map(|line| format!("> {line}\n"));
    let errors = text(&output.stderr);
    let errors = errors.lines().map(line_of_error);
    let said = without_varying_parts(&printed.chain(errors).collect::<String>(), merchant);
    // As in `sh`.
    let code = output.status.code().or(output.status.signal().map(|signal| 128 + signal));
    format!("{said}exit code {}\n", code.unwrap())
}

/// Members of a failure that are facts of the call. The scenarios have those of an error,
/// and `configuration.rs` has `read_from`.
const FACTS: [&str; 8] = [
    "help",
    "operation",
    "reference",
    "attempts",
    "http_status",
    "service_code",
    "retry_after",
    "read_from",
];

/// A line of standard error. A failure is written with a line for each member
/// that it has, but for facts; `help` always has its code.
fn line_of_error(line: &str) -> String {
    let Ok(Json::Object(failure)) = Json::parse(line.as_bytes()) else {
        return format!("! {line}\n");
    };
    let code = failure.get("code").and_then(Json::as_str).unwrap();
    let help = format!("payments explain {code}");
    assert_eq!(failure.get("help").and_then(Json::as_str), Some(help.as_str()), "{line}");
    let is_shown = |(name, value): &(&str, &Json)| !FACTS.contains(name) && !value.is_null();
    let lines = failure.iter().filter(is_shown).map(|(name, value)| {
        let text = value.as_str().map_or_else(|| value.to_text(), str::to_owned);
        format!("! {name}: {text}\n")
    });
    lines.collect()
}
