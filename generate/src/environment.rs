//! The environment of the templates: their syntax, and their filters.

use std::io::Write as _;
use std::process::{Command, Stdio};

use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, Error, ErrorKind, UndefinedBehavior, Value};

use crate::file::ROOT;
use crate::spec::Text;
use crate::{filters, literals};

/// The filter that looks up an entry, and names the key that is missing.
pub(crate) const ENTRY: &str = "entry_that_must_be_there";

/// A line that is only a block leaves no line in the file.
pub(crate) fn environment<'t>(
    templates: impl IntoIterator<Item = &'t Text>,
) -> Result<Environment<'t>, Error> {
    let mut syntax = SyntaxConfig::builder();
    syntax.trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true);
    let mut environment = Environment::new();
    environment.set_syntax(syntax.build()?);
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    // So that errors know the expression.
    environment.set_debug(true);
    filters::add(&mut environment);
    literals::add(&mut environment);
    environment.add_filter("rustfmt", formatted);
    environment.add_filter(ENTRY, |table: Value, key: Value, name: &str| {
        let entry = table.get_item(&key)?;
        let missing = || Error::new(ErrorKind::NonKey, format!("{name} has no {key:?}"));
        if entry.is_undefined() { Err(missing()) } else { Ok(entry) }
    });
    for template in templates {
        environment.add_template(name_of(&template.path), &template.text)?;
    }
    Ok(environment)
}

/// The name by which templates import each other: that of the file.
pub(crate) fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Rust as `rustfmt` writes it.
pub(crate) fn formatted(text: &str) -> Result<String, Error> {
    let failed = |error: &dyn std::fmt::Display| {
        let message = format!("rustfmt: {error}");
        Error::new(ErrorKind::InvalidOperation, message)
    };
    let mut rustfmt = Command::new("rustfmt")
        .args(["--edition", "2024", "--config-path", ROOT])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| failed(&error))?;
    let mut input = rustfmt.stdin.take().ok_or_else(|| failed(&"no standard input"))?;
    // It reads everything before it writes.
    input.write_all(text.as_bytes()).map_err(|error| failed(&error))?;
    drop(input);
    let output = rustfmt.wait_with_output().map_err(|error| failed(&error))?;
    if output.status.success() {
        String::from_utf8(output.stdout).map_err(|error| failed(&error))
    } else {
        Err(failed(&String::from_utf8_lossy(&output.stderr)))
    }
}
