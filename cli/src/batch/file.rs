//! Reads the payouts in a file and validates them all.

use std::collections::HashMap;
use std::path::Path;

use payments_core::config::Rules;
use payments_core::json::{Json, Members};
use payments_core::operations::{CreatePayout, Request as _};
use payments_core::{Amount, Error};

use crate::failure::Failure;

/// A payout in the file.
pub(super) struct Line {
    /// Its line, counted from 1.
    pub(super) number: u64,
    pub(super) reference: String,
    pub(super) amount: String,
    pub(super) currency: String,
    pub(super) request: CreatePayout,
}

/// A problem with a line.
pub(super) struct Problem {
    pub(super) line: u64,
    pub(super) column: Option<String>,
    pub(super) message: String,
}

/// The payouts in a file, and the problems found.
#[derive(Default)]
pub(super) struct Batch {
    pub(super) lines: Vec<Line>,
    pub(super) problems: Vec<Problem>,
}

impl Batch {
    /// Reads CSV, or JSON objects with one per line.
    ///
    /// # Errors
    /// `usage` if the file cannot be read at all.
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        let text = std::fs::read_to_string(path).map_err(|error| {
            Failure::usage(
                "file_unreadable",
                format!("could not read {}", payments_core::bridge::unreadable(path, &error)),
            )
        })?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let mut batch = Self::default();
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("csv") => batch.read_csv(text),
            Some("jsonl") => batch.read_json_lines(text),
            _ => {
                let message = "the name must end in .csv or .jsonl, which says how to read it";
                return Err(Failure::usage("batch_format", message));
            }
        }
        batch.refuse_repeated_references();
        if batch.lines.is_empty() && batch.problems.is_empty() {
            return Err(Failure::usage("batch_empty", "the file has no payouts"));
        }
        Ok(batch)
    }

    fn read_csv(&mut self, text: &str) {
        let head = text.lines().next().unwrap_or_default();
        let delimiter = if head.contains(';') { b';' } else { b',' };
        let mut table = csv::ReaderBuilder::new()
            .delimiter(delimiter)
            .trim(csv::Trim::All)
            .from_reader(text.as_bytes());
        let columns = match table.headers() {
            Ok(columns) => columns.clone(),
            Err(error) => return self.refuse(1, None, &error.to_string()),
        };
        for record in table.records() {
            match record {
                Ok(record) => {
                    let number = record.position().map_or(0, csv::Position::line);
                    self.take(number, &request_of(&columns, &record));
                }
                Err(error) => {
                    let number = error.position().map_or(0, csv::Position::line);
                    self.refuse(number, None, "has another number of columns than the first line");
                }
            }
        }
    }

    fn read_json_lines(&mut self, text: &str) {
        for (index, line) in text.lines().enumerate() {
            if !line.trim().is_empty() {
                self.take(index as u64 + 1, line.as_bytes());
            }
        }
    }

    fn refuse(&mut self, line: u64, column: Option<&str>, message: &str) {
        let (column, message) = (column.map(str::to_owned), message.to_owned());
        self.problems.push(Problem { line, column, message });
    }

    /// Validates the request of a line.
    fn take(&mut self, number: u64, request: &[u8]) {
        let checked = CreatePayout::from_json(request).and_then(|payout| {
            // The client adds the configured members when it sends.
            payout.draft(&Rules::default()).map(|_| payout)
        });
        let payout = match checked {
            Ok(payout) => payout,
            Err(error) => return self.refuse_request(number, request, &error),
        };
        let json = Json::parse(request).unwrap_or_default();
        let text = |name: &str| {
            json.get(name).and_then(Json::as_text_or_number).unwrap_or_default().to_owned()
        };
        self.lines.push(Line {
            number,
            reference: text("external_reference"),
            amount: text("amount"),
            currency: text("currency_code"),
            request: payout,
        });
    }

    fn refuse_request(&mut self, number: u64, request: &[u8], error: &Error) {
        let amount = Json::parse(request).ok();
        let amount = amount.as_ref().and_then(|json| json.get("amount")).and_then(Json::as_str);
        let has_comma = error.path() == Some("amount") && amount.is_some_and(|it| it.contains(','));
        let message = match has_comma {
            true => "decimal commas are not accepted; write the amount as 10.00",
            false => error.message(),
        };
        self.refuse(number, error.path(), message);
    }

    fn refuse_repeated_references(&mut self) {
        let mut first = HashMap::new();
        let mut problems = Vec::new();
        for line in &self.lines {
            if let Some(before) = first.insert(line.reference.as_str(), line.number) {
                problems.push(Problem {
                    line: line.number,
                    column: Some("external_reference".to_owned()),
                    message: format!("is the reference of line {before} too"),
                });
            }
        }
        self.problems.extend(problems);
        self.problems.sort_by_key(|problem| problem.line);
    }
}

/// Builds the request of a row. The column `payee.name` is the member `name`
/// of `payee`. Empty cells are omitted.
fn request_of(columns: &csv::StringRecord, record: &csv::StringRecord) -> Vec<u8> {
    let mut members = Members::new();
    for (column, cell) in columns.iter().zip(record).filter(|(_, cell)| !cell.is_empty()) {
        let value = match Amount::parse(cell) {
            Ok(amount) if column == "amount" => Json::from(amount),
            _ => Json::from(cell),
        };
        match column.split_once('.') {
            None => members.push(column, value),
            Some((object, name)) => match members.get_mut(object).and_then(Json::as_object_mut) {
                Some(inner) => inner.push(name, value),
                None => members.push(object, Members::from([(name, value)])),
            },
        }
    }
    members.to_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "external_reference,country,amount,currency_code,target,target_account,\
                        payee.name,payee.document\n";

    fn csv(text: &str) -> Batch {
        let mut batch = Batch::default();
        batch.read_csv(text);
        batch.refuse_repeated_references();
        batch
    }

    fn problems(batch: &Batch) -> Vec<(u64, &str)> {
        let columns = batch.problems.iter();
        columns.map(|it| (it.line, it.column.as_deref().unwrap_or_default())).collect()
    }

    #[test]
    fn rows_become_requests() {
        let row = "p-1,br,10.00,BRL,pix_key,maria@example.com,\"Souza, Maria\",\n";
        let batch = csv(&format!("{HEAD}{row}"));
        assert!(batch.problems.is_empty());
        let line = &batch.lines[0];
        assert_eq!((line.number, &*line.reference, &*line.amount), (2, "p-1", "10.00"));
        let semicolons = format!("{HEAD}{}", "p-1,br,10.00,BRL,pix_key,m@example.com,Maria,\n");
        let batch = csv(&semicolons.replace(',', ";"));
        assert_eq!((batch.lines.len(), batch.problems.len()), (1, 0));
    }

    #[test]
    fn every_problem_is_told_with_line_and_column() {
        let batch = csv(&format!(
            "{HEAD}\
             p-1,br,\"10,00\",BRL,pix_key,a@example.com,Maria,\n\
             p-2,BR,10.00,BRL,pix_key,a@example.com,Maria,\n\
             p-3,br,10.00,BRL,pix_key,a@example.com,,\n\
             p-4,br,10.00,BRL,pix_key\n\
             p-5,br,10.00,BRL,pix_key,a@example.com,Maria,\n\
             p-5,br,10.00,BRL,pix_key,a@example.com,Maria,\n"
        ));
        assert_eq!(
            problems(&batch),
            [(2, "amount"), (3, "country"), (4, "payee"), (5, ""), (7, "external_reference")]
        );
        assert!(batch.problems[0].message.contains("10.00"));
        assert!(batch.problems[4].message.contains("line 6"));
        let unknown = csv("external_reference,amout\np-1,10.00\n");
        assert_eq!(unknown.problems[0].column.as_deref(), Some("amout"));
    }

    #[test]
    fn json_lines_have_one_request_each() {
        let line = r#"{"external_reference":"p-1","country":"br","amount":10.00,"currency_code":"BRL","target":"pix_key","target_account":"a","payee":{"name":"M"}}"#;
        let mut batch = Batch::default();
        batch.read_json_lines(&format!("{line}\n\n{{}}\nnonsense\n"));
        assert_eq!(batch.lines.len(), 1);
        assert_eq!(batch.problems.iter().map(|it| it.line).collect::<Vec<_>>(), [3, 4]);
    }
}
