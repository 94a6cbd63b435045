//! A test that runs this program once more, for itself alone: for what a
//! process has once (a logger, a working folder, roots of TLS, a module of an
//! HSM), and for environment variables, which no process changes safely.

use std::ffi::OsStr;
use std::process::Command;

/// Is set in a process that was started for one test.
const ALONE: &str = "PAYMENTS_TEST_ALONE";

/// The arguments by which this program runs `test`, a test function, and
/// nothing else.
pub fn only<T: Fn()>(_: T) -> [&'static str; 3] {
    let path = std::any::type_name::<T>();
    let name = path.split_once("::").map_or(path, |(_program, name)| name);
    ["--exact", name, "--nocapture"]
}

/// The command that runs `test` and nothing else.
pub fn command(test: impl Fn()) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(only(test));
    command
}

/// Fails unless the command runs one test, which passes.
pub fn must_pass(command: &mut Command) {
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success() && out.contains("1 passed"), "{out}\n{err}");
}

/// Whether this process runs `test` alone. Where it does not, a process with
/// these variables in its environment does, and passes.
pub fn is_alone(test: impl Fn(), variables: &[(&str, &OsStr)]) -> bool {
    if std::env::var_os(ALONE).is_some() {
        return true;
    }
    must_pass(command(test).env(ALONE, "1").envs(variables.iter().copied()));
    false
}
