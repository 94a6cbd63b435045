//! Generates, from the description in `spec/`, the parts that the packages and the
//! documentation repeat, and from the sources of `ffi-c` the C header.
//!
//! The files are committed. `cargo xtask generate` writes them, and with `--check`
//! compares. It reads sources, and compiles none but this crate.

mod environment;
mod file;
mod filters;
mod header;
mod literals;
mod python_async;
mod spec;
mod sql;
mod templates;
mod undefined;

pub use file::File;
use file::joined;

/// The files that are made of `spec/`: all but the C header and the declarations for
/// PHP.
///
/// # Errors
/// The first mistake in the description, or in a template.
pub fn files() -> Result<Vec<File>, String> {
    let mut files = templates::files()?;
    files.extend(python_async::files(&files));
    joined(files)
}

/// Writes the files that are not current. The others keep their time, and cause
/// no new build.
///
/// # Errors
/// The mistakes of [`files`], or in the sources of the header.
pub fn write() -> Result<(), String> {
    files()?.iter().try_for_each(File::write)?;
    // It depends on some of these files.
    header::files()?.iter().try_for_each(File::write)
}

/// The files that are not current, one per line.
///
/// # Errors
/// Those of [`write()`].
pub fn stale() -> Result<Vec<String>, String> {
    let files = files()?.into_iter().chain(header::files()?);
    Ok(files.filter_map(|file| file.difference()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::read;

    /// The head of `send` is written by hand in each package, since its body and
    /// query have types of that language.
    #[test]
    fn send_takes_the_members_of_its_request_in_every_language() {
        let operations = spec::read().map(|it| it.operations).unwrap_or_default();
        let send =
            operations.iter().find(|it| it.name == "send").and_then(|it| it.request.as_ref());
        let members: Vec<_> = send.unwrap().members.keys().map(String::as_str).collect();
        let typescript = between("bindings-node/index.d.ts", "interface SendRequest {\n", "\n}");
        let lines = typescript.lines().filter(|line| !line.trim().starts_with(['/', '*', '|']));
        let named = lines.filter_map(|line| line.trim().split_once(':'));
        let named =
            named.map(|(name, _)| name.trim_end_matches('?')).filter(|name| *name != "body");
        let named = named.map(|name| name.replace("contentType", "content_type"));
        assert_eq!(named.collect::<Vec<_>>(), members, "SendRequest");
        let path = "bindings-python/python/libpayments/_base.py";
        let python = between(path, "def send_head(\n", "\n)");
        let named = python.lines().filter_map(|line| line.trim().split_once(':'));
        assert_eq!(named.map(|(name, _)| name).collect::<Vec<_>>(), members, "send_head");
        let php = between("bindings-php/src/Client.php", "$head = [", "Json::take($head");
        let named = php.split('\'').skip(1).step_by(2);
        assert_eq!(named.collect::<Vec<_>>(), members, "Client::send");
    }

    fn between(path: &str, start: &str, end: &str) -> String {
        let text = read(path);
        let (_, rest) = text.split_once(start).unwrap();
        rest.split_once(end).unwrap().0.to_owned()
    }
}
