//! Runs a test alone in a child process, because of per-process state (a
//! logger, the working directory, TLS roots, an HSM module) or environment
//! variables, which a process cannot change safely.

use std::ffi::OsStr;
use std::process::Command;

/// Set in a process that runs one test.
const ALONE: &str = "PAYMENTS_TEST_ALONE";

/// The arguments that make this program run only `test`, a test function.
pub fn only<T: Fn()>(_: T) -> [&'static str; 3] {
    let path = std::any::type_name::<T>();
    let name = path.split_once("::").map_or(path, |(_program, name)| name);
    ["--exact", name, "--nocapture"]
}

/// The command that runs only `test`.
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

/// Whether this process runs only `test`. If not, first runs it in a child with
/// these environment variables, where it must pass.
pub fn is_alone(test: impl Fn(), variables: &[(&str, &OsStr)]) -> bool {
    if std::env::var_os(ALONE).is_some() {
        return true;
    }
    must_pass(command(test).env(ALONE, "1").envs(variables.iter().copied()));
    false
}
