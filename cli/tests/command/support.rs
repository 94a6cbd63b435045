//! Runs the command in its own folder, against a sandbox.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use payments_core::Operation;
use payments_sandbox::{Require, Sandbox, SandboxConfig};
use serde_json::{Value, json};

/// The variable of the folder of tokens.
const CACHE: &str = if cfg!(windows) { "LOCALAPPDATA" } else { "XDG_CACHE_HOME" };

pub(crate) const KID: &str = "test-kid";

/// Starts a command after the reader of its standard output has left.
#[cfg(unix)]
pub(crate) const READER_LEFT: [&str; 3] =
    ["bash", "-c", r#"exec > >(true); wait $!; exec "$0" "$@""#];

/// The path of a shared test key.
pub(crate) fn test_key(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/vectors/keys").join(name)
}

/// Whether the operation's subcommand takes a JSON request.
pub(crate) fn takes_json(operation: Operation) -> bool {
    operation.request().is_some() && operation != Operation::Send
}

/// Creates an empty folder.
pub(crate) fn new_folder() -> PathBuf {
    static LAST: AtomicU32 = AtomicU32::new(0);
    let number = LAST.fetch_add(1, Ordering::Relaxed);
    let name = format!("command-{}-{number}", std::process::id());
    // To Windows, only the user's profile is private.
    let top = if cfg!(windows) { std::env::temp_dir() } else { env!("CARGO_TARGET_TMPDIR").into() };
    let folder = top.join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// The result of a run.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

impl Run {
    /// Standard output as text.
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.stdout).unwrap()
    }

    /// The JSON on standard output of a successful run.
    #[track_caller]
    pub(crate) fn response(&self) -> Value {
        assert_eq!((self.code, self.stderr.as_str()), (0, ""), "{}", self.text());
        serde_json::from_slice(&self.stdout).unwrap()
    }

    /// The only JSON object on standard error, of a run that failed with `code`
    /// and printed nothing else.
    #[track_caller]
    pub(crate) fn failure(&self, code: i32) -> Value {
        assert_eq!(self.code, code, "{} {}", self.text(), self.stderr);
        assert_eq!(self.text(), "");
        let failure: Value = serde_json::from_str(&self.stderr).unwrap();
        for member in ["kind", "code", "message", "outcome"] {
            assert!(failure[member].as_str().is_some_and(|text| !text.is_empty()), "{failure}");
        }
        failure
    }
}

/// Removes the inherited variables that configure a client.
pub(crate) fn without_configuration(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy().to_ascii_uppercase();
        if text.starts_with("PAYMENTS_") || text.ends_with("_PROXY") {
            command.env_remove(name);
        }
    }
}

/// A run of the command in `folder`, without inherited variables that
/// configure it.
pub(crate) struct Payments {
    command: Command,
    stdin: Option<Vec<u8>>,
}

impl Payments {
    pub(crate) fn new<A: AsRef<std::ffi::OsStr>>(
        folder: &Path,
        arguments: impl IntoIterator<Item = A>,
    ) -> Self {
        Self::started_by(&[], folder, arguments)
    }

    /// Like [`new`](Self::new), but started by a program that replaces itself
    /// with the command.
    pub(crate) fn started_by<A: AsRef<std::ffi::OsStr>>(
        starter: &[&str],
        folder: &Path,
        arguments: impl IntoIterator<Item = A>,
    ) -> Self {
        let mut words = starter.iter().copied().chain([env!("CARGO_BIN_EXE_payments")]);
        let mut command = Command::new(words.next().unwrap());
        command.args(words).args(arguments).current_dir(folder);
        without_configuration(&mut command);
        command.env(CACHE, folder.join("cache"));
        Self { command, stdin: None }
    }

    /// Like [`new`](Self::new), on its own terminal, which util-linux's `script`
    /// makes.
    #[cfg(target_os = "linux")]
    pub(crate) fn on_terminal<A: AsRef<std::ffi::OsStr>>(
        folder: &Path,
        arguments: impl IntoIterator<Item = A>,
    ) -> Self {
        let script = "exec script --quiet --return --command \"${*@Q}\" /dev/null";
        Self::started_by(&["bash", "-c", script, "bash"], folder, arguments)
    }

    pub(crate) fn argument(mut self, argument: impl AsRef<std::ffi::OsStr>) -> Self {
        self.command.arg(argument);
        self
    }

    pub(crate) fn env(mut self, name: &str, value: impl AsRef<std::ffi::OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    pub(crate) fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = Some(bytes.into());
        self
    }

    pub(crate) fn run(self) -> Run {
        let output = self.start().wait_with_output().unwrap();
        Run {
            code: output.status.code().unwrap(),
            stdout: output.stdout,
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    pub(crate) fn start(mut self) -> Child {
        let input = if self.stdin.is_some() { Stdio::piped() } else { Stdio::null() };
        let command = self.command.stdin(input).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        if let Some(bytes) = self.stdin {
            // A command that fails early does not read its input.
            let _ = child.stdin.take().unwrap().write_all(&bytes);
        }
        child
    }
}

/// A sandbox that requires every credential, and a folder whose
/// `payments.json` names it.
pub(crate) struct Merchant {
    pub(crate) sandbox: Sandbox,
    pub(crate) folder: PathBuf,
}

impl Merchant {
    pub(crate) fn new() -> Self {
        let sandbox = Sandbox::start(SandboxConfig {
            require: Require { integration_key: true, ..Require::default() },
            accept_paths: vec!["/ws/*".to_owned()],
            lenient: true,
            ..SandboxConfig::default()
        })
        .unwrap();
        let pem = std::fs::read_to_string(test_key("test_rsa_4096_public.pem")).unwrap();
        let key = payments_core::jws::PublicKey::from_pem(&pem).unwrap();
        sandbox.register_key_as(&key, KID);
        let merchant = Self { sandbox, folder: new_folder() };
        merchant.configure(|_| {});
        merchant
    }

    /// Writes `payments.json` with changes applied.
    pub(crate) fn configure(&self, change: impl FnOnce(&mut Value)) {
        let config = self.sandbox.config();
        let mut members = json!({
            "environment": "sandbox",
            "base_url": self.sandbox.base_url(),
            "auth_url": self.sandbox.auth_url(),
            "integration_key": config.integration_key,
            "client_id": config.client_id,
            "client_secret": config.client_secret,
            "key_file": test_key("test_rsa_4096_pkcs8.pem"),
            "kid": KID,
        });
        change(&mut members);
        std::fs::write(self.folder.join("payments.json"), members.to_string()).unwrap();
    }

    pub(crate) fn payments<A: AsRef<std::ffi::OsStr>>(
        &self,
        arguments: impl IntoIterator<Item = A>,
    ) -> Payments {
        Payments::new(&self.folder, arguments)
    }

    pub(crate) fn run<A: AsRef<std::ffi::OsStr>>(
        &self,
        arguments: impl IntoIterator<Item = A>,
    ) -> Run {
        self.payments(arguments).run()
    }

    /// Method and path of the requests to the sandbox, except for tokens.
    pub(crate) fn service_requests(&self) -> Vec<String> {
        let requests = self.sandbox.requests().into_iter();
        let requests = requests.filter(|request| request.path.starts_with("/ws"));
        requests.map(|request| format!("{} {}", request.method, request.path)).collect()
    }

    /// Creates a payment and returns its hash.
    pub(crate) fn pay(&self, reference: &str) -> String {
        let run = self.payments(["create-payment", "-"]).stdin(payment(reference)).run();
        run.response()["hash"].as_str().unwrap().to_owned()
    }
}

/// A PIX payment as JSON text.
pub(crate) fn payment(reference: &str) -> String {
    format!(
        r#"{{"payment":{{"name":"Maria Souza","email":"maria@example.com","country":"br",
        "payment_type_code":"pix","merchant_payment_code":"{reference}","currency_code":"BRL",
        "amount_total":100.10,"document":"853.513.468-93"}}}}"#
    )
}
