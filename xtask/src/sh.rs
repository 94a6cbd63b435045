//! Runs other programs.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::Failure;

/// Changes to the workspace root, wherever the command was started.
pub(crate) fn go_to_root() -> Result<(), Failure> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = package.parent().unwrap_or(package);
    std::env::set_current_dir(root).map_err(|error| format!("{}: {error}", root.display()))
}

/// Cargo's target folder, as an absolute path.
pub(crate) fn target() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    std::path::absolute(&target).unwrap_or_else(|_| target.into())
}

/// Runs a command line; its output goes to this program's.
pub(crate) fn run(line: &[&str]) -> Result<(), Failure> {
    succeed(command(line))
}

/// Runs a command, which must succeed; its output goes to this program's.
pub(crate) fn succeed(mut command: Command) -> Result<(), Failure> {
    let name = shown(&command);
    let status = command.status().map_err(|error| format!("{name}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{name}: {status}")) }
}

/// The standard output of a command line, which must succeed.
pub(crate) fn output(line: &[&str]) -> Result<String, Failure> {
    let (code, output) = outcome(line)?;
    if code == 0 {
        Ok(output)
    } else {
        Err(format!("{}: exit code {code}\n{output}", line.join(" ")))
    }
}

/// The exit code and standard output of a command line.
pub(crate) fn outcome(line: &[&str]) -> Result<(i32, String), Failure> {
    let output = command(line)
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("{}: {error}", line.join(" ")))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok((output.status.code().unwrap_or(-1), text))
}

/// The words of a command line that has no quotes.
pub(crate) fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

pub(crate) fn command(line: &[&str]) -> Command {
    let [program, arguments @ ..] = line else { return Command::new("false") };
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null());
    command
}

pub(crate) fn read(path: impl AsRef<Path>) -> Result<String, Failure> {
    let path = path.as_ref();
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

pub(crate) fn write(path: impl AsRef<Path>, text: &str) -> Result<(), Failure> {
    let path = path.as_ref();
    std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

/// The files that git does not ignore and that match, each with its text. A deleted
/// file stays listed until the deletion is staged.
pub(crate) fn sources(patterns: &[&str]) -> Result<Vec<(String, String)>, Failure> {
    let list = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--"];
    let files = output(&[&list[..], patterns].concat())?;
    let read = |file: &str| Some((file.to_owned(), std::fs::read_to_string(file).ok()?));
    Ok(files.split_terminator('\0').filter_map(read).collect())
}

/// Creates an empty folder, deleting its old contents.
pub(crate) fn empty_folder(path: &Path) -> Result<(), Failure> {
    let made = match std::fs::remove_dir_all(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => std::fs::create_dir_all(path),
    };
    made.map_err(|error| format!("{}: {error}", path.display()))
}

/// A path as a command-line argument.
pub(crate) fn text(path: &Path) -> Result<&str, Failure> {
    path.to_str().ok_or_else(|| format!("{}: this path is no text", path.display()))
}

fn shown(command: &Command) -> String {
    let parts = std::iter::once(command.get_program()).chain(command.get_args());
    parts.map(|part| part.to_string_lossy()).collect::<Vec<_>>().join(" ")
}
