//! The decisions of a person in a file, for `journal resolve --from`.

use std::collections::HashMap;
use std::path::Path;

use payments_base::spelling::nearest;
use payments_core::error::ErrorCode;
use payments_core::json::{Json, Members};

use super::command_failure::CommandFailure;
use super::csv_rows::Row;
use super::csv_table::Table;
use super::line_file::{LineFile, LineFormat};
use crate::journal::Decision;

const COLUMNS: [&str; 3] = ["reference", "executed", "note"];

/// A decision, and its line.
pub(super) struct Line {
    pub(super) number: u64,
    pub(super) decision: Decision,
}

/// A mistake in a line.
pub(super) struct Problem {
    pub(super) line: u64,
    pub(super) column: Option<String>,
    pub(super) message: String,
}

impl Problem {
    pub(super) fn new(line: u64, column: Option<&str>, message: impl Into<String>) -> Self {
        Self { line, column: column.map(str::to_owned), message: message.into() }
    }

    pub(super) fn to_json(&self) -> Json {
        let mut members = Members::from([("line", self.line)]);
        members.push("column", self.column.as_deref());
        members.push("message", self.message.as_str());
        members.into()
    }
}

/// The decisions of a file, or everything that is wrong with it.
#[derive(Default)]
pub(super) struct DecisionsFile {
    pub(super) lines: Vec<Line>,
    pub(super) problems: Vec<Problem>,
}

impl DecisionsFile {
    /// Reads CSV with a line of names, or one JSON object per line.
    ///
    /// # Errors
    /// `usage` if the file cannot be read at all.
    pub(super) fn read(path: &Path) -> Result<Self, CommandFailure> {
        let LineFile { format, text } = LineFile::read(path)?;
        let mut file = Self::default();
        match format {
            LineFormat::Csv => file.read_csv(&text),
            LineFormat::JsonLines => file.read_json_lines(&text),
        }
        file.refuse_repeated();
        if file.lines.is_empty() && file.problems.is_empty() {
            Err(CommandFailure::usage(ErrorCode::BATCH_INVALID, "the file has no decisions"))
        } else {
            Ok(file)
        }
    }

    fn read_csv(&mut self, text: &str) {
        let mut table = match Table::begin(text) {
            Ok(None) => return,
            Ok(Some(table)) => table,
            Err(fault) => return self.refuse(fault.line, None, fault.message),
        };
        self.check_columns(&table.head);
        if !self.problems.is_empty() {
            return;
        }
        while let Some(row) = table.next() {
            match row {
                Err(fault) => self.refuse(fault.line, fault.column.as_deref(), fault.message),
                Ok(row) if table.ends_open() => {
                    let message = "the last line has no line end, so the file may have been cut; \
                                   add one if it is complete";
                    self.refuse(row.line, None, message);
                }
                Ok(row) => {
                    let cells = table.head.cells.iter().map(String::as_str).zip(row.cells);
                    let members: Members =
                        cells.map(|(name, cell)| (name.to_owned(), Json::from(cell))).collect();
                    self.take(row.line, &members);
                }
            }
        }
    }

    fn check_columns(&mut self, head: &Row) {
        for (index, name) in head.cells.iter().enumerate() {
            if head.cells[..index].contains(name) {
                self.refuse(head.line, Some(name), "duplicate column; remove one");
            } else {
                self.check_name(head.line, name);
            }
        }
        for name in COLUMNS.into_iter().filter(|name| !head.cells.iter().any(|it| it == name)) {
            self.refuse(head.line, Some(name), "the column is missing");
        }
    }

    fn check_name(&mut self, line: u64, name: &str) {
        if !COLUMNS.contains(&name) {
            let meant = nearest(name, COLUMNS).map(|it| format!("; did you mean {it}?"));
            let columns = COLUMNS.join(", ");
            let meant = meant.unwrap_or_else(|| format!("; the columns are {columns}"));
            self.refuse(line, Some(name), format!("unknown column{meant}"));
        }
    }

    fn read_json_lines(&mut self, text: &str) {
        for (index, line) in text.lines().enumerate() {
            let number = index as u64 + 1;
            match Json::parse(line.as_bytes()) {
                _ if line.trim().is_empty() => {}
                Ok(Json::Object(members)) => {
                    let before = self.problems.len();
                    members.iter().for_each(|(name, _)| self.check_name(number, name));
                    if self.problems.len() == before {
                        self.take(number, &members);
                    }
                }
                _ => self.refuse(number, None, "must be a JSON object"),
            }
        }
    }

    fn take(&mut self, number: u64, members: &Members) {
        let before = self.problems.len();
        let mut text = |name: &str, message: &str| {
            let value = members.get(name).and_then(Json::as_str).map(str::trim).unwrap_or_default();
            if value.is_empty() || value.contains(char::is_control) {
                self.refuse(number, Some(name), message);
            }
            value.to_owned()
        };
        let entry = text("reference", "must be the reference or the id of an entry, on one line");
        let note = text("note", "must say on one line how the decision was reached");
        let executed = match members.get("executed") {
            Some(Json::Bool(executed)) => Some(*executed),
            Some(Json::String(text)) if text == "yes" => Some(true),
            Some(Json::String(text)) if text == "no" => Some(false),
            _ => None,
        };
        let Some(executed) = executed else {
            return self.refuse(number, Some("executed"), "must be yes or no");
        };
        if self.problems.len() == before {
            self.lines.push(Line { number, decision: Decision { entry, executed, note } });
        }
    }

    fn refuse_repeated(&mut self) {
        let mut first = HashMap::new();
        let mut repeated = Vec::new();
        for Line { number, decision } in &self.lines {
            if let Some(before) = first.insert(decision.entry.as_str(), *number) {
                let message = format!("is the reference of line {before} too");
                repeated.push(Problem::new(*number, Some("reference"), message));
            }
        }
        self.problems.extend(repeated);
        self.problems.sort_by_key(|problem| problem.line);
    }

    fn refuse(&mut self, line: u64, column: Option<&str>, message: impl Into<String>) {
        self.problems.push(Problem::new(line, column, message));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn csv(text: &str) -> DecisionsFile {
        let mut file = DecisionsFile::default();
        file.read_csv(text);
        file.refuse_repeated();
        file
    }

    fn problems(file: &DecisionsFile) -> Vec<(u64, &str)> {
        let problems = file.problems.iter();
        problems.map(|it| (it.line, it.column.as_deref().unwrap_or_default())).collect()
    }

    fn decisions(file: &DecisionsFile) -> Vec<(u64, &str, bool, &str)> {
        let all = file.lines.iter().map(|line| (line.number, &line.decision));
        all.map(|(line, it)| (line, &*it.entry, it.executed, &*it.note)).collect()
    }

    #[test]
    fn rows_and_objects_become_decisions() {
        let file = csv("note;reference;executed\n\"seen; twice\";payout-1;yes\nlost;payout-2;no\n");
        assert!(file.problems.is_empty());
        let expected = [(2, "payout-1", true, "seen; twice"), (3, "payout-2", false, "lost")];
        assert_eq!(decisions(&file), expected);
        let mut file = DecisionsFile::default();
        file.read_json_lines(
            "{\"reference\":\"a\",\"executed\":true,\"note\":\"seen\"}\n\n\
             {\"reference\":\"b\",\"executed\":\"no\",\"note\":\"lost\"}\n",
        );
        assert!(file.problems.is_empty());
        assert_eq!(decisions(&file), [(1, "a", true, "seen"), (3, "b", false, "lost")]);
    }

    #[test]
    fn every_problem_is_named_with_line_and_column() {
        let file = csv("reference,executed,note\n\
                        payout-1,maybe,seen\n\
                        payout-2,yes,\n\
                        ,no,lost\n\
                        payout-3,yes\n\
                        payout-4,yes,seen\n\
                        payout-4,no,lost\n\
                        payout-5,yes,\"seen\"x\n\
                        payout-6,yes,see");
        let expected = [
            (2, "executed"),
            (3, "note"),
            (4, "reference"),
            (5, ""),
            (7, "reference"),
            (8, "note"),
            (9, ""),
        ];
        assert_eq!(problems(&file), expected);
        let file = csv("reference,exectued,note,note\npayout-1,yes,seen,x\n");
        assert_eq!(problems(&file), [(1, "exectued"), (1, "note"), (1, "executed")]);
        assert!(file.problems[0].message.contains("did you mean executed?"));
        let mut file = DecisionsFile::default();
        file.read_json_lines(
            "[]\n{\"reference\":\"a\",\"executed\":1,\"note\":\"x\",\"by\":\"me\"}\n",
        );
        assert_eq!(problems(&file), [(1, ""), (2, "by")]);
    }
}
