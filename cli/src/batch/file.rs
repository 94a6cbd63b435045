//! Reads the payouts in a file and validates them all.

use std::collections::HashMap;
use std::path::Path;

use payments_core::error::Reason;
use payments_core::json::{Json, Members};
use payments_core::request::{CreatePayout, Request as _};
use payments_core::rules::Rules;
use payments_core::{Error, ErrorCode, Operation};
use payments_host::LintWarning;
use payments_host::commands::{LineFile, LineFormat, Row, Table};

use super::{columns, decimal, texts};
use crate::args::journal::Decimal;
use crate::process::failure::Failure;

/// A payout in the file.
pub(super) struct Line {
    /// Its line, counted from 1.
    pub(super) number: u64,
    pub(super) reference: String,
    pub(super) amount: String,
    pub(super) currency: String,
    /// The name of the payee.
    pub(super) payee: String,
    pub(super) request: CreatePayout,
    /// Likely mistakes.
    pub(super) warnings: Vec<LintWarning>,
}

/// A problem with a line.
pub(super) struct Problem {
    pub(super) line: u64,
    pub(super) column: Option<String>,
    pub(super) message: String,
}

impl Problem {
    pub(super) fn to_json(&self) -> Json {
        Json::Object(Members::from([
            ("line", Json::from(self.line)),
            ("column", Json::from(self.column.as_deref())),
            ("message", Json::from(self.message.as_str())),
        ]))
    }
}

/// The payouts in a file, and the problems found.
#[derive(Default)]
pub(super) struct Batch {
    /// The delimiter of the cells of CSV.
    delimiter: Option<char>,
    pub(super) lines: Vec<Line>,
    pub(super) problems: Vec<Problem>,
    /// The column in which the last line may have been cut.
    pub(super) open_end: Option<String>,
    /// How amounts are written, if the file is CSV.
    decimal: Option<Decimal>,
    /// The rules for requests.
    rules: Rules,
}

impl Batch {
    /// Reads CSV, or one JSON object per line.
    ///
    /// # Errors
    /// `usage` if the file cannot be read at all.
    pub(super) fn read(path: &Path, written: Decimal, rules: &Rules) -> Result<Self, Failure> {
        if LineFormat::of(path) == Some(LineFormat::JsonLines) && written == Decimal::Comma {
            let message = "--decimal comma is for CSV; amounts in JSON have a decimal point; leave \
                           the option out";
            return Err(Failure::usage(ErrorCode::INVALID_ARGUMENTS, message));
        }
        let LineFile { format, text } = LineFile::read(path)?;
        let mut batch = Self { rules: rules.clone(), ..Self::default() };
        match format {
            LineFormat::Csv => batch.read_csv(&text, written),
            LineFormat::JsonLines => batch.read_json_lines(&text),
        }
        batch.refuse_repeated_references();
        if batch.lines.is_empty() && batch.problems.is_empty() {
            return Err(Failure::usage(ErrorCode::BATCH_INVALID, "the file has no payouts"));
        }
        Ok(batch)
    }

    /// The delimiter of the cells of its report.
    pub(super) fn delimiter(&self) -> u8 {
        self.delimiter.and_then(|it| u8::try_from(it).ok()).unwrap_or(b',')
    }

    fn read_csv(&mut self, text: &str, written: Decimal) {
        self.decimal = Some(written);
        let mut table = match Table::begin(text) {
            Ok(None) => return,
            Ok(Some(table)) => table,
            Err(fault) => return self.refuse(fault.line, None, &fault.message),
        };
        self.delimiter = Some(table.delimiter());
        for (column, message) in columns::problems(&table.head.cells) {
            self.refuse(table.head.line, Some(&column), &message);
        }
        if !self.problems.is_empty() {
            return;
        }
        let has_commas = table.delimiter() == ',';
        table.too_many = match written {
            Decimal::Comma if has_commas => decimal::UNQUOTED,
            _ => "write amounts with a decimal point, and quote texts with a comma",
        };
        while let Some(row) = table.next() {
            match row {
                Ok(row) => self.take_row(&table.head.cells, row, has_commas),
                Err(fault) => self.refuse(fault.line, fault.column.as_deref(), &fault.message),
            }
        }
        let ends_open = table.ends_open();
        self.open_end = table.head.cells.into_iter().next_back().filter(|_| ends_open);
    }

    fn take_row(&mut self, columns: &[String], mut row: Row, has_commas: bool) {
        let before = self.problems.len();
        if let Err(message) = self.read_amount(columns, &mut row, has_commas) {
            self.refuse(row.line, Some(decimal::AMOUNT), message);
        }
        for (column, cell) in columns.iter().zip(&row.cells) {
            if let Some(message) = texts::control_in(cell) {
                let is_line_break = cell.contains(['\n', '\r']);
                let more = if is_line_break { ", or close the quote before it" } else { "" };
                self.refuse(row.line, Some(column), &format!("{message}{more}"));
            }
        }
        if self.problems.len() == before {
            let request = columns::request(columns, &row.cells);
            self.take(row.line, request);
        }
    }

    /// Replaces a decimal comma: everything after this sees the amount that is
    /// sent.
    fn read_amount(
        &self,
        columns: &[String],
        row: &mut Row,
        has_commas: bool,
    ) -> Result<(), &'static str> {
        let place = columns.iter().position(|column| column == decimal::AMOUNT);
        let (Some(place), Some(Decimal::Comma)) = (place, self.decimal) else {
            return Ok(());
        };
        let cell = &mut row.cells[place];
        *cell = decimal::with_point(cell)?;
        if has_commas && !row.quoted[place] && !cell.is_empty() {
            Err(decimal::UNQUOTED)
        } else {
            Ok(())
        }
    }

    fn read_json_lines(&mut self, text: &str) {
        for (index, line) in text.lines().enumerate() {
            if !line.trim().is_empty() {
                self.take_json(index as u64 + 1, line.as_bytes());
            }
        }
    }

    fn take_json(&mut self, number: u64, line: &[u8]) {
        if let Ok(Json::Object(members)) = Json::parse(line) {
            let controls = texts::controls_in(&members);
            for (path, message) in &controls {
                self.refuse(number, Some(path), message);
            }
            if controls.is_empty() {
                self.take(number, members);
            }
            return;
        }
        let error = CreatePayout::from_json(line).err();
        let message = error.as_ref().map_or("must be a JSON object", Error::message);
        self.refuse(number, error.as_ref().and_then(Error::path), message);
    }

    fn refuse(&mut self, line: u64, column: Option<&str>, message: &str) {
        let column = column.map(str::to_owned);
        let message = message.to_owned();
        self.problems.push(Problem { line, column, message });
    }

    /// Validates the request of a line.
    fn take(&mut self, number: u64, members: Members) {
        let members = columns::in_order(Operation::CreatePayout.fields(), members);
        let checked = CreatePayout::from_json(&members.to_bytes())
            .and_then(|payout| payout.draft(&self.rules).map(|_| payout));
        let request = match checked {
            Ok(request) => request,
            Err(error) => return self.refuse_request(number, &error),
        };
        let text = |name: &str| {
            members.get(name).and_then(Json::as_text_or_number).unwrap_or_default().to_owned()
        };
        let payee = members.get("payee").and_then(|payee| payee.get("name"));
        self.lines.push(Line {
            number,
            reference: text("external_reference"),
            amount: text("amount"),
            currency: text("currency_code"),
            payee: payee.and_then(Json::as_str).unwrap_or_default().to_owned(),
            request,
            warnings: payments_host::lint(&members),
        });
    }

    fn refuse_request(&mut self, number: u64, error: &Error) {
        let message = match self.decimal {
            Some(Decimal::Point) if error.reason() == Some(Reason::DecimalMark) => {
                format!("{}; {}", error.message(), decimal::WAY_OUT)
            }
            _ => error.message().to_owned(),
        };
        self.refuse(number, error.path(), &message);
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

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "external_reference,country,amount,currency_code,target,target_account,\
                        payee.name,payee.document\n";

    fn csv(text: &str) -> Batch {
        let mut batch = Batch::default();
        batch.read_csv(text, Decimal::Point);
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
    fn every_problem_has_its_line_and_column() {
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
        assert!(batch.problems[0].message.contains("write 10.00; "));
        assert!(batch.problems[4].message.contains("line 6"));
        let unknown = csv("external_reference,amout\np-1,10.00\n");
        assert_eq!(unknown.problems[0].column.as_deref(), Some("amout"));
    }

    #[test]
    fn a_point_that_may_separate_thousands_is_a_problem() {
        let row = "p-1,br,1.500,BRL,pix_key,a@example.com,Maria,\n";
        let refused = csv(&format!("{HEAD}{row}"));
        assert_eq!(problems(&refused), [(2, "amount")]);
        assert!(refused.problems[0].message.contains("write 1500, or 1.50"));
        let rules = Rules { check_amount_digits: false, ..Rules::default() };
        let mut batch = Batch { rules, ..Batch::default() };
        batch.read_csv(&format!("{HEAD}{row}"), Decimal::Point);
        assert_eq!((batch.lines.len(), batch.problems.len()), (1, 0));
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
