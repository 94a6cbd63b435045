//! The statements of journals in databases.

use serde::Serialize;

/// The longest line of a list in a statement.
const WIDTH: usize = 98;

/// A statement, as `templates/journal.sql.jinja` writes it.
#[derive(Serialize)]
pub(crate) struct Statement {
    name: String,
    doc: String,
    sql: String,
}

/// The statements of a text; each begins with comments that have its name and
/// its purpose.
pub(crate) fn statements(text: &str) -> Vec<Statement> {
    let statement = |text: &str| {
        let (name, text) = text.split_once('\n')?;
        let is_doc = |line: &&str| line.starts_with("-- ");
        let doc: Vec<_> = text.lines().take_while(is_doc).map(|line| &line[3..]).collect();
        let sql: Vec<_> = text.trim_end().lines().skip_while(is_doc).collect();
        Some(Statement { name: name.to_owned(), doc: doc.join(" "), sql: sql.join("\n") })
    };
    text.split("-- name: ").skip(1).filter_map(statement).collect()
}

/// The lines of a text as a list with commas. A blank line begins a line there.
pub(crate) fn listed(text: &str, indent: &str) -> String {
    let items = text.trim_end().split('\n');
    let mut list = String::new();
    let mut line = indent.to_owned();
    for item in items {
        let is_first = line.len() == indent.len();
        if !is_first && (item.is_empty() || line.len() + item.len() + 2 > WIDTH) {
            list += &(line + "\n");
            line = indent.to_owned();
        }
        if item.is_empty() {
            continue;
        }
        if line.len() > indent.len() {
            line.push(' ');
        }
        line += item;
        line.push(',');
    }
    list + line.trim_end_matches(',')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_broken_between_its_items() {
        let long = "x ".repeat(40);
        assert_eq!(
            listed(&format!("a\n{long}\n{long}\n\nb\n"), "  "),
            format!("  a, {long},\n  {long},\n  b")
        );
    }

    #[test]
    fn a_statement_has_a_name_and_says_what_it_does() {
        let [one, two] = <[_; 2]>::try_from(statements(
            "-- name: A\n-- Reads\n-- it.\nSELECT 1;\n\n-- name: B\n-- Two.\nSELECT 2",
        ))
        .ok()
        .unwrap();
        assert_eq!((&*one.name, &*one.doc, &*one.sql), ("A", "Reads it.", "SELECT 1;"));
        assert_eq!((&*two.name, &*two.doc, &*two.sql), ("B", "Two.", "SELECT 2"));
    }
}
