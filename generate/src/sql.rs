//! The statements of journals in databases, as the other languages' packages
//! repeat them.

use payments_core::journal::sql::{NOW_POSTGRESQL, NOW_SQLITE, STATEMENTS};

use crate::{File, ORIGIN};

/// All files generated from the statements.
pub(crate) fn files() -> [File; 3] {
    [
        File::new("bindings-python/python/libpayments/_journal_sql.py", python()),
        File::new("bindings-php/src/Internal/JournalSql.php", php()),
        File::new("bindings-node/lib/journal-sql.js", node()),
    ]
}

/// The clocks and the statements, by their names.
fn constants() -> impl Iterator<Item = (&'static str, &'static str)> {
    let clocks = [("NOW_SQLITE", NOW_SQLITE), ("NOW_POSTGRESQL", NOW_POSTGRESQL)];
    clocks.into_iter().chain(STATEMENTS).map(|(name, sql)| (name, sql.trim_end()))
}

fn python() -> String {
    let mut text = format!("# {ORIGIN}\n\"\"\"The statements of a journal in a database.\"\"\"\n");
    for (name, sql) in constants() {
        text.push_str(&format!("\n{name} = \"\"\"\n{sql}\n\"\"\"\n"));
    }
    text
}

fn php() -> String {
    let mut text = format!(
        "<?php\n\n// {ORIGIN}\n\ndeclare(strict_types=1);\n\nnamespace Libpayments\\Internal;\n\n/**\n * The \
         statements of a journal in a database.\n *\n * @internal\n */\nfinal class JournalSql\n{{\n"
    );
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
    for (name, sql) in constants() {
        text.push_str(&format!("\nexports.{name} = `\n{sql}\n`;\n"));
    }
    text
}
