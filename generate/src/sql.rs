//! The statements of journals in databases, as the other languages' packages
//! repeat them.

use payments_core::journal::sql::{POSTGRESQL, SQLITE, STATEMENTS};

use crate::{File, ORIGIN};

/// All files generated from the statements.
pub(crate) fn files() -> [File; 3] {
    [
        File::new("bindings-python/python/libpayments/_journal_sql.py", python()),
        File::new("bindings-php/src/Internal/JournalSql.php", php()),
        File::new("bindings-node/lib/journal-sql.js", node()),
    ]
}

/// The statements, by their names.
fn constants() -> impl Iterator<Item = (&'static str, &'static str)> {
    STATEMENTS.into_iter().map(|(name, sql)| (name, sql.trim_end()))
}

/// What stands for the names in braces: of which database, and how a language
/// writes the pairs.
fn dialects(pair: fn(&str, &str) -> String) -> impl Iterator<Item = (&'static str, String)> {
    [("SQLITE", SQLITE), ("POSTGRESQL", POSTGRESQL)].into_iter().map(move |(name, dialect)| {
        let pairs: Vec<_> = dialect.iter().map(|(name, with)| pair(name, with)).collect();
        (name, pairs.join("\n"))
    })
}

fn python() -> String {
    let mut text = format!("# {ORIGIN}\n\"\"\"The statements of a journal in a database.\"\"\"\n");
    for (name, pairs) in dialects(|name, with| format!("    \"{name}\": {},", quoted(with))) {
        text.push_str(&format!(
            "\n# What stands for the names in braces.\n{name} = {{\n{pairs}\n}}\n"
        ));
    }
    for (name, sql) in constants() {
        text.push_str(&format!("\n{name} = \"\"\"\n{sql}\n\"\"\"\n"));
    }
    text
}

/// As `ruff` writes it.
fn quoted(text: &str) -> String {
    let mark = if text.contains('"') { '\'' } else { '"' };
    format!("{mark}{text}{mark}")
}

fn php() -> String {
    let mut text = format!(
        "<?php\n\n// {ORIGIN}\n// phpcs:disable Generic.Files.LineLength\n\ndeclare(strict_types=1);\n\n\
         namespace Libpayments\\Internal;\n\n/**\n * The statements of a journal in a database.\n *\n * @internal\n */\nfinal class JournalSql\n{{\n"
    );
    for (name, pairs) in
        dialects(|name, with| format!("        '{name}' => '{}',", with.replace('\'', "\\'")))
    {
        text.push_str(&format!(
            "    /** What stands for the names in braces. */\n    public const {name} = [\n{pairs}\n    \
             ];\n\n"
        ));
    }
    let constants = constants().map(|(name, sql)| {
        let sql = sql.replace('\n', "\n        ");
        format!("    public const {name} = <<<'SQL'\n        {sql}\n        SQL;\n")
    });
    text.push_str(&constants.collect::<Vec<_>>().join("\n"));
    text.push_str("}\n");
    text
}

fn node() -> String {
    let mut text =
        format!("'use strict';\n\n// {ORIGIN}\n// The statements of a journal in a database.\n");
    for (name, pairs) in dialects(|name, with| format!("  '{name}': {with:?},")) {
        text.push_str(&format!(
            "\n// What stands for the names in braces.\nexports.{name} = {{\n{pairs}\n}};\n"
        ));
    }
    for (name, sql) in constants() {
        let sql = sql.replace('`', "\\`");
        text.push_str(&format!("\nexports.{name} = `\n{sql}\n`;\n"));
    }
    text
}
