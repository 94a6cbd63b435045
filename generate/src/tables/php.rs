//! The exceptions and the configuration type of the PHP package.

use payments_core::config::{FIELDS, Field, Shape};
use payments_core::error::{HELP_BASE, MEMBERS};
use payments_core::{ErrorKind, Outcome};

use super::{class_of, doc_of, in_a_phrase, in_capital, in_pascal, wrapped};
use crate::{File, ORIGIN};

pub(super) fn files() -> Vec<File> {
    let mut files = vec![kinds(), configuration()];
    for kind in ErrorKind::ALL {
        files.push(exception(kind));
        files.extend(marked(kind).map(|outcome| exception_marked(kind, outcome)));
    }
    files
}

fn head(namespace: &str) -> String {
    format!("<?php\n\n// {ORIGIN}\n\ndeclare(strict_types=1);\n\nnamespace {namespace};\n\n")
}

fn exception(kind: ErrorKind) -> File {
    let class = class_of(kind);
    let doc = doc_of(kind, |name| match name {
        "code" => "`getErrorCode()`".to_owned(),
        _ => format!("`get{}()`", in_pascal(name)),
    });
    let doc = wrapped(&format!("Kind `{kind}`: {}", in_a_phrase_with_stop(&doc)), 90, " * ");
    let text = format!(
        "{}/**\n{doc} */\nclass {class}Exception extends PaymentsException\n{{\n}}\n",
        head("Libpayments\\Exception")
    );
    File::new(format!("bindings-php/src/Exception/{class}Exception.php"), text)
}

fn in_a_phrase_with_stop(doc: &str) -> String {
    format!("{}.", in_a_phrase(doc))
}

/// The outcomes for which a kind has a class with a marker interface.
fn marked(kind: ErrorKind) -> impl Iterator<Item = Outcome> {
    let possible = kind.usual_outcome().possible.iter().copied();
    possible.filter(|outcome| *outcome != Outcome::NotExecuted)
}

fn exception_marked(kind: ErrorKind, outcome: Outcome) -> File {
    let (class, mark) = (class_of(kind), in_pascal(outcome.as_str()));
    let text = format!(
        "{}use Libpayments\\Exception\\{class}Exception;\n\
         use Libpayments\\Exception\\{mark}Outcome;\n\n\
         /**\n * Kind `{kind}` with the outcome `{outcome}`.\n */\n\
         final class {mark}{class}Exception extends {class}Exception implements {mark}Outcome\n\
         {{\n}}\n",
        head(&format!("Libpayments\\Exception\\{mark}"))
    );
    File::new(format!("bindings-php/src/Exception/{mark}/{mark}{class}Exception.php"), text)
}

fn kinds() -> File {
    let mut text = head("Libpayments\\Internal");
    text.push_str(
        "use Libpayments\\Exception as E;\n\
         use Libpayments\\Exception\\Executed;\n\
         use Libpayments\\Exception\\Unknown;\n\n\
         /**\n * The table of errors of the core.\n *\n * @internal\n */\n\
         final class Tables\n{\n    \
         /** The members of a report, in their order. */\n    public const MEMBERS = [\n",
    );
    for member in MEMBERS {
        text.push_str(&format!("        '{}',\n", member.name));
    }
    text.push_str(&format!(
        "    ];\n\n    /** The prefix of a code in `help`. */\n    \
         public const HELP_BASE = '{HELP_BASE}';\n"
    ));
    text.push_str(
        "\n    /** Number, class, and classes by outcome, by kind. */\n    \
         public const KINDS = [\n",
    );
    for kind in ErrorKind::ALL {
        let (class, number) = (class_of(kind), kind.number());
        let marked: Vec<_> = marked(kind)
            .map(|outcome| {
                let mark = in_pascal(outcome.as_str());
                format!("            '{outcome}' => {mark}\\{mark}{class}Exception::class,\n")
            })
            .collect();
        let marked = match marked.is_empty() {
            true => "[]".to_owned(),
            false => format!("[\n{}        ]", marked.concat()),
        };
        text.push_str(&format!(
            "        '{kind}' => [{number}, E\\{class}Exception::class, {marked}],\n"
        ));
    }
    text.push_str("    ];\n}\n");
    File::new("bindings-php/src/Internal/Tables.php", text)
}

fn configuration() -> File {
    let mut text = head("Libpayments");
    text.push_str(
        "/**\n * The members of a configuration: those of a configuration file.\n *\n \
         * Editors, PHPStan and Psalm read this type; other classes import it with\n \
         * `@phpstan-import-type Config from \\Libpayments\\Configuration`.\n *\n",
    );
    for field in FIELDS {
        let more = field.remarks();
        let doc = format!("- `{}`: {}. {more}", field.name, in_capital(&field.purpose()));
        let doc = wrapped(doc.trim_end(), 100, " *   ");
        text.push_str(&doc.replacen(" *   -", " * -", 1));
    }
    text.push_str(" *\n * @phpstan-type Config array{\n");
    for field in FIELDS {
        let mark = if field.is_required { "" } else { "?" };
        let nothing = if field.is_required { "" } else { "|null" };
        text.push_str(&format!(" *     {}{mark}: {}{nothing},\n", field.name, type_of(field)));
    }
    text.push_str(" * }\n */\ninterface Configuration\n{\n}\n");
    File::new("bindings-php/src/Configuration.php", text)
}

fn type_of(field: &Field) -> String {
    let is_closed = !field.known.is_empty() && !field.known.iter().any(|it| it.ends_with('*'));
    match field.shape {
        Shape::Integer => "int".to_owned(),
        Shape::Switch => "bool".to_owned(),
        Shape::List => "list<string>".to_owned(),
        Shape::Object if field.name == "auth" => {
            "array<string, array{integration_key?: bool, signature?: bool, bearer?: bool}>"
                .to_owned()
        }
        Shape::Object if field.name == "success_signs" => "array<string, list<string>>".to_owned(),
        Shape::Object => "array<string, mixed>".to_owned(),
        _ if is_closed => {
            field.known.iter().map(|it| format!("'{it}'")).collect::<Vec<_>>().join("|")
        }
        _ => "string".to_owned(),
    }
}
