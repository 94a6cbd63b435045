//! The programs of `examples/reference` in Rust and for a shell print the responses
//! that the pages of the reference show. The README of that folder has the rules.

use std::error::Error;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use payments_core::Operation;
use serde_json::Value;

use crate::support::{new_folder, without_configuration};

/// Names the program that a process runs in place of a test.
const PROGRAM: &str = "PAYMENTS_TEST_PROGRAM";

macro_rules! programs {
    ($($name:ident),+) => {
        $(mod $name {
            include!(concat!("../../../examples/reference/", stringify!($name), ".rs"));

            pub(super) fn run() -> Result<(), Box<dyn std::error::Error>> {
                main()
            }
        })+

        /// The programs in Rust, in the order in which they run.
        const PROGRAMS: &[(&str, fn() -> Result<(), Box<dyn Error>>)] =
            &[$((stringify!($name), $name::run)),+];
    };
}

programs!(
    create_payment,
    query_payment,
    refund_payment,
    create_payout,
    query_payout,
    register_tracking,
    access_token,
    send,
    ensure_payment
);

/// A sandbox, and a folder with the `merchant/payments.json` that it wrote.
struct Place {
    sandbox: Child,
    folder: PathBuf,
    base_url: String,
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = self.sandbox.kill();
        let _ = self.sandbox.wait();
    }
}

impl Place {
    fn new() -> Self {
        let folder = new_folder();
        let mut sandbox = payments(&folder)
            .args(["sandbox", "--config-out", "merchant", "--stdin-lifetime", "--json"])
            .args(["--seed", "1", "--accept-path", "/ws/payout/commit"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(sandbox.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let file = folder.join("merchant/payments.json");
        let mut configuration = json_of(&file);
        configuration["payout_query"] = true.into();
        std::fs::write(&file, configuration.to_string()).unwrap();
        let base_url = configuration["base_url"].as_str().unwrap().to_owned();
        Self { sandbox, folder, base_url }
    }

    /// Pays a payment, as its payer does.
    fn pay(&self, reference: &str) {
        let host = self.base_url.strip_prefix("http://").unwrap();
        let mut connection = TcpStream::connect(host).unwrap();
        write!(
            connection,
            "POST /sandbox/payments/{reference}/confirm HTTP/1.1\r\nHost: {host}\r\n\
             Content-Length: 0\r\nConnection: close\r\n\r\n"
        )
        .unwrap();
        let mut response = String::new();
        connection.read_to_string(&mut response).unwrap();
        assert!(response.starts_with("HTTP/1.1 200 "), "{response}");
    }
}

/// The command in a folder, without inherited variables that configure it.
fn payments(folder: &Path) -> Command {
    command(env!("CARGO_BIN_EXE_payments"), folder)
}

fn command(program: impl AsRef<std::ffi::OsStr>, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(folder);
    without_configuration(&mut command);
    command
}

fn reference(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/reference").join(file)
}

fn json_of(file: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap()
}

/// The body of the service, which the command prints as the member `response`.
fn body(mut printed: Value) -> Value {
    match printed.get_mut("response") {
        Some(body) => body.take(),
        None => printed,
    }
}

/// Runs all programs of a language against one sandbox, and compares what they print.
fn compare(start: impl Fn(&str, &Path) -> Command, printed: impl Fn(&str) -> Value) {
    let place = Place::new();
    for (name, _) in PROGRAMS {
        if *name == Operation::RefundPayment.name() {
            place.pay("order-1001");
        }
        let output = start(name, &place.folder).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let (out, err) = (text(&output.stdout), text(&output.stderr));
        assert!(output.status.success() && err.is_empty(), "{name}: {out}\n{err}");
        let file = reference(&format!("{name}.json"));
        let printed = body(printed(&out));
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(&file, format!("{printed:#}\n")).unwrap();
        }
        assert_eq!(printed, json_of(&file), "{name}");
    }
}

#[test]
fn each_operation_has_a_program_in_its_order() {
    let names = Operation::ALL.iter().map(|it| it.name()).chain(["ensure_payment"]);
    assert_eq!(Vec::from_iter(names), Vec::from_iter(PROGRAMS.iter().map(|(name, _)| *name)));
}

#[test]
fn the_programs_for_a_shell_print_their_responses() {
    let bin = Path::new(env!("CARGO_BIN_EXE_payments")).parent().unwrap();
    let found = std::env::var_os("PATH").unwrap();
    let path =
        std::env::join_paths(std::iter::once(bin.to_owned()).chain(std::env::split_paths(&found)));
    let path = path.unwrap();
    let start = |name: &str, folder: &Path| {
        let mut command = command("sh", folder);
        command.arg("-eu").arg(reference(&format!("{name}.sh"))).env("PATH", &path);
        command
    };
    compare(start, |out| serde_json::from_str(out).unwrap());
}

#[test]
fn the_programs_in_rust_print_their_responses() {
    if let Ok(wanted) = std::env::var(PROGRAM) {
        let (_, run) = PROGRAMS.iter().find(|(name, _)| *name == wanted).unwrap();
        return run().unwrap();
    }
    let test = "reference::the_programs_in_rust_print_their_responses";
    let start = |name: &str, folder: &Path| {
        let mut command = command(std::env::current_exe().unwrap(), folder);
        command.args(["--exact", test, "--nocapture"]).env(PROGRAM, name);
        command
    };
    compare(start, |out| {
        // Around it are the lines of the test.
        let json = &out[out.find('{').unwrap()..];
        serde_json::Deserializer::from_str(json).into_iter().next().unwrap().unwrap()
    });
}

/// The address of the sandbox, whose port varies, has another name in the file.
#[test]
fn each_kind_of_next_action_has_a_response() {
    let place = Place::new();
    let file = reference("next_actions.json");
    let mut made = json_of(&file);
    let mut kinds = Vec::new();
    for action in made.as_array_mut().unwrap() {
        let mut child = payments(&place.folder)
            .args(["create-payment", "--config", "merchant/payments.json", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(action["request"].to_string().as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{action}");
        let text = String::from_utf8(output.stdout).unwrap();
        let text = text.replace(&place.base_url, "https://service.example");
        let mut printed: Value = serde_json::from_str(&text).unwrap();
        action["next_action"] = printed["next_action"].take();
        action["response"] = printed["response"].take();
        kinds.push(action["next_action"]["kind"].as_str().unwrap().to_owned());
    }
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&file, format!("{made:#}\n")).unwrap();
    }
    assert_eq!(made, json_of(&file));
    // `unknown` is a response that does not say.
    assert_eq!(kinds, ["qr_code", "pay_slip", "account", "page", "none"]);
}
