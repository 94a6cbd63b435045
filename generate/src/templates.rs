//! Renders `templates/`, one file for each generated one.

use std::io::Write as _;
use std::process::{Command, Stdio};

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{Environment, ErrorKind, UndefinedBehavior, Value, context};

use crate::sql::statements;
use crate::{File, Part, ROOT, filters, manifest, read, spec};

const CONFIGURATION: &str = "spec/configuration.toml";

/// The generated files: path, template, and what of the description it needs.
/// After `#` is the name of the part of a file that is written by hand.
const FILES: &[(&str, &str, &str)] = &[
    ("tests/manifest.json", "manifest.json", "spec"),
    ("docs/errors.md", "errors.md", "spec/errors"),
    ("core/src/model/diagnosis/generated.rs", "diagnosis.rs", "spec/diagnosis.toml"),
    ("core/src/model/error/generated.rs", "error.rs", "spec"),
    ("core/src/model/error/messages.rs", "messages.rs", "spec/errors"),
    ("core/src/signing/signer/pkcs11/login.rs", "login.rs", "spec/errors"),
    ("core/src/model/observer/generated.rs", "event.rs", "spec/events.toml"),
    ("core/src/bridge/exit_codes.rs", "exit_codes.rs", "spec"),
    ("core/src/model/error_code/generated.rs", "error_codes.rs", "spec/errors"),
    ("core/src/model/operation/generated.rs", "operations.rs", "spec/operations"),
    ("core/src/model/request/typed/generated.rs", "requests.rs", "spec/operations"),
    ("core/src/client/generated.rs", "methods.rs", "spec/operations"),
    ("cli/src/explain/generated.rs", "explanations.rs", "spec/errors"),
    ("bindings-node/lib/error-codes.js", "error-codes.js", "spec/errors"),
    ("bindings-php/src/Internal/ErrorCode.php", "ErrorCode.php", "spec/errors"),
    ("bindings-python/python/libpayments/_error_codes.py", "_error_codes.py", "spec/errors"),
    ("core/src/model/operation/status.rs", "codes.rs", "spec/codes.toml"),
    ("core/src/model/request/response/generated.rs", "responses.rs", "spec/operations"),
    ("bindings-python/python/libpayments/_codes.py", "_codes.py", "spec/codes.toml"),
    ("bindings-python/python/libpayments/_responses.py", "_responses.py", "spec/operations"),
    (
        "bindings-python/python/libpayments/_response_parts.py",
        "_response_parts.py",
        "spec/operations",
    ),
    (
        "bindings-python/python/libpayments/testing/_responses.py",
        "_made_responses.py",
        "spec/operations",
    ),
    ("bindings-node/lib/testing/responses.js", "made-responses.js", "spec/operations"),
    ("bindings-node/testing.d.ts#responses", "made-responses.d.ts", "spec/operations"),
    ("bindings-php/src/Testing/Responses.php#responses", "made_responses.php", "spec/operations"),
    ("bindings-python/python/libpayments/_exports.py", "_exports.py", "spec"),
    ("bindings-python/python/libpayments/__init__.py#operations", "exported_names.py", "spec"),
    ("bindings-node/lib/operation-responses.js", "operation-responses.js", "spec/operations"),
    ("bindings-node/responses.d.ts", "responses.d.ts", "spec/operations"),
    ("bindings-php/README.md#operations", "responses_of_php.md", "spec/operations"),
    ("core/src/config/generated.rs", "configuration.rs", CONFIGURATION),
    ("core/src/model/rules/generated.rs", "rules.rs", CONFIGURATION),
    ("bindings-node/config.d.ts", "config.d.ts", CONFIGURATION),
    ("bindings-php/src/Configuration.php", "Configuration.php", CONFIGURATION),
    ("bindings-python/python/libpayments/_config.py", "_config.py", CONFIGURATION),
    ("docs/configuration.md#configuration", "configuration.md", CONFIGURATION),
    ("ffi-c/header/configuration.txt", "configuration.txt", CONFIGURATION),
    ("docs/concepts.md#errors", "kinds_table.md", "spec/errors"),
    ("docs/operations.md#events", "events_table.md", "spec/events.toml"),
    ("ffi-c/header/events.txt", "header_events.txt", "spec/events.toml"),
    ("ffi-c/src/status_codes.rs", "status_codes.rs", "spec"),
    ("ffi-c/src/error_values.rs", "error_values.rs", "spec/error_members.toml"),
    ("bindings-php/src/Exception/PaymentsException.php#outcomes", "outcomes.php", "spec"),
    ("bindings-php/src/Exception/PaymentsException.php#members", "error_members.php", "spec"),
    ("bindings-python/python/libpayments/_errors.py#members", "error_members.py", "spec"),
    ("bindings-python/python/libpayments/_enums.py#outcomes", "outcomes.py", "spec/outcomes.toml"),
    ("bindings-node/errors.d.ts", "errors.d.ts", "spec"),
    ("bindings-node/events.d.ts", "events.d.ts", "spec/events.toml"),
    ("bindings-node/lib/members.js", "members.js", "spec"),
    ("bindings-node/README.md#kinds", "kind_names.md", "spec/errors"),
    ("bindings-node/README.md#events", "events_of_node.md", "spec/events.toml"),
    ("bindings-php/src/Internal/Tables.php", "Tables.php", "spec"),
    ("bindings-php/README.md#errors", "kinds_of_php.md", "spec/errors"),
    ("bindings-php/README.md#events", "event_names.md", "spec/events.toml"),
    ("bindings-python/python/libpayments/_kinds.py", "_kinds.py", "spec/errors"),
    ("bindings-python/python/libpayments/_events.py", "_events.py", "spec/events.toml"),
    (
        "bindings-python/python/libpayments/__init__.py#events",
        "import_events.py",
        "spec/events.toml",
    ),
    ("bindings-python/python/libpayments/__init__.py#kinds", "import_kinds.py", "spec/errors"),
    ("bindings-python/python/libpayments/__init__.py#names", "names.py", "spec"),
    ("bindings-python/README.md#errors", "kinds_of_python.md", "spec/errors"),
    ("bindings-python/README.md#events", "events_of_python.md", "spec/events.toml"),
    ("core/src/journal/entry/generated.rs", "journal_entry.rs", "spec/journal.toml"),
    ("core/src/journal/sql/generated.rs", "journal_sql.rs", "spec/journal.toml"),
    ("ffi-c/src/journal.rs#columns", "journal.rs", "spec/journal.toml"),
    (
        "bindings-python/python/libpayments/_journal_entry.py",
        "_journal_entry.py",
        "spec/journal.toml",
    ),
    ("bindings-python/python/libpayments/_journal_sql.py", "_journal_sql.py", "spec/journal.toml"),
    ("bindings-php/src/Journal.php", "Journal.php", "spec/journal.toml"),
    ("bindings-php/src/Journal/Entry.php", "Entry.php", "spec/journal.toml"),
    ("bindings-php/src/Internal/JournalSql.php", "JournalSql.php", "spec/journal.toml"),
    ("bindings-node/journal-entry.d.ts", "journal-entry.d.ts", "spec/journal.toml"),
    ("bindings-node/lib/journal-sql.js", "journal-sql.js", "spec/journal.toml"),
    ("docs/journal.md#states", "journal.md", "spec/journal.toml"),
    ("ffi-c/header/bodies.txt", "header_bodies.txt", "spec/operations"),
    ("ffi-c/src/operation_calls.rs", "operation_calls.rs", "spec/operations"),
    ("bindings-python/python/libpayments/_operations.py", "_operations.py", "spec/operations"),
    ("bindings-python/python/libpayments/_requests.py", "_requests.py", "spec/operations"),
    ("bindings-node/lib/operations.js", "operations.js", "spec/operations"),
    ("bindings-node/operations.d.ts", "operations.d.ts", "spec/operations"),
    ("bindings-node/requests.d.ts", "requests.d.ts", "spec/operations"),
    ("bindings-php/src/ClientInterface.php", "ClientInterface.php", "spec/operations"),
    ("bindings-php/src/Internal/Operations.php", "Operations.php", "spec/operations"),
    ("bindings-php/src/Requests.php", "Requests.php", "spec/operations"),
    ("docs/interface.md#operations", "endpoints.md", "spec/operations"),
    ("docs/interface.md#signs", "signs.md", "spec/operations"),
    ("docs/introduction.md#operations", "introduction.md", "spec/operations"),
];

/// Files of which there is one for each item of a list, which path and template
/// call `it`: list, path, template, description.
const EACH: &[(&str, &str, &str, &str)] = &[
    (
        "responses.of_requests + responses.others",
        "bindings-php/src/{{ it }}.php",
        "Response.php",
        "spec/operations",
    ),
    (
        "responses.inner|select('in', responses.sent)",
        "bindings-php/src/{{ it }}.php",
        "Part.php",
        "spec/operations",
    ),
    (
        "kinds",
        "bindings-php/src/Exception/{{ it.name|pascal }}Exception.php",
        "Exception.php",
        "spec/errors",
    ),
    (
        "failures",
        "bindings-php/src/Exception/{{ it.outcome|pascal }}/\
         {{ it.outcome|pascal }}{{ it.kind|pascal }}Exception.php",
        "OutcomeException.php",
        "spec/errors",
    ),
    ("objects", "docs/interface.md#{{ it.name }}", "members_table.md", "spec/operations"),
];

/// What templates import from each other.
const MACROS: &[&str] = &[
    "configuration_macros.rs",
    "operations_macros.php",
    "responses_macros.php",
    "responses_macros.py",
];

/// The files made of `spec/`.
pub(crate) fn files() -> Result<Vec<File>, String> {
    let spec = context! {
        scenarios => manifest::scenarios(),
        vectors => manifest::vectors(),
        ..Value::from(Serde(spec::read()?))
    };
    let all = || -> Result<Vec<File>, minijinja::Error> {
        let environment = environment()?;
        let sql = environment.render_str(&read("generate/templates/journal.sql.jinja"), &spec)?;
        let spec = context! { statements => Value::from(Serde(statements(&sql))), ..spec };
        let mut files = Vec::new();
        for (path, template, described) in FILES {
            files.push(rendered(&environment, path, template, described, &spec)?);
        }
        for (list, path, template, described) in EACH {
            for it in environment.compile_expression(list)?.eval(&spec)?.try_iter()? {
                let values = context! { it, ..spec.clone() };
                let path = environment.render_str(path, &values)?;
                files.push(rendered(&environment, &path, template, described, &values)?);
            }
        }
        Ok(files)
    };
    all().map_err(|error| format!("{error:#}"))
}

fn rendered(
    environment: &Environment<'_>,
    path: &str,
    template: &str,
    described: &str,
    values: &Value,
) -> Result<File, minijinja::Error> {
    let template = format!("generate/templates/{template}.jinja");
    let origin = match path.contains('#') {
        true => format!("Generated by {template}; do not edit."),
        false => format!(
            "Generated from {described} by {template}; do not edit. To update: cargo xtask generate"
        ),
    };
    let values = context! { origin => &origin, ..values.clone() };
    let text = environment.render_named_str(&template, &read(&template), &values)?;
    Ok(match path.split_once('#') {
        Some((path, name)) => {
            let text = if path.ends_with(".md") { apart(&text) } else { text };
            File::of_parts(path, vec![Part { name: name.to_owned(), origin, text }])
        }
        None if path.ends_with(".json") => File::new(path, laid_out(&text, &template)?),
        None if path.ends_with(".rs") => File::new(path, formatted(&text, &template)?),
        None => File::new(path, text),
    })
}

/// Blank lines separate a table from its markers; words stand in a line with them.
fn apart(text: &str) -> String {
    let text = text.trim();
    if text.contains('\n') { format!("\n\n{text}\n\n") } else { text.to_owned() }
}

/// JSON of several lines.
fn laid_out(text: &str, template: &str) -> Result<String, minijinja::Error> {
    let value: serde_json::Value = serde_json::from_str(text).map_err(|error| {
        minijinja::Error::new(ErrorKind::InvalidOperation, format!("{template}: {error}"))
    })?;
    Ok(format!("{value:#}\n"))
}

/// Rust as `rustfmt` writes it.
fn formatted(text: &str, template: &str) -> Result<String, minijinja::Error> {
    let failed = |error: &dyn std::fmt::Display| {
        let message = format!("{template}: rustfmt: {error}");
        minijinja::Error::new(ErrorKind::InvalidOperation, message)
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
    match output.status.success() {
        true => String::from_utf8(output.stdout).map_err(|error| failed(&error)),
        false => Err(failed(&String::from_utf8_lossy(&output.stderr))),
    }
}

/// A line that is only a block leaves no line in the file.
fn environment() -> Result<Environment<'static>, minijinja::Error> {
    let mut syntax = SyntaxConfig::builder();
    syntax.trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true);
    let mut environment = Environment::new();
    environment.set_syntax(syntax.build()?);
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    filters::add(&mut environment);
    for &name in MACROS {
        let text = read(&format!("generate/templates/{name}.jinja"));
        environment.add_template_owned(name, text)?;
    }
    Ok(environment)
}
