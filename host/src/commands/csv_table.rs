//! A table in CSV: a line of names, and rows with as many cells.

use super::csv_rows::{QuoteError, Row, Rows};

const QUOTED_LINE: &str = "the whole line is in quotes, so it is one cell; export the file again, \
                           or remove the quotes around its lines";
const SEPARATOR_LINE: &str = "names the separator for a spreadsheet, and is no line of the table; \
                              remove it: the separator is found without it";

/// A mistake in a line of a table.
#[derive(PartialEq, Eq, Debug)]
pub struct TableFault {
    /// Counted from 1.
    pub line: u64,
    /// The name of the column, if it is about one.
    pub column: Option<String>,
    /// The mistake, and the remedy.
    pub message: String,
}

impl TableFault {
    fn of_line(line: u64, message: impl Into<String>) -> Self {
        Self { line, column: None, message: message.into() }
    }
}

/// A table whose rows are read one after the other.
pub struct Table<'t> {
    /// The line of names.
    pub head: Row,
    /// The advice for a row that has too many cells.
    pub too_many: &'static str,
    rows: Rows<'t>,
    /// The row after some without content.
    next: Option<Result<Row, QuoteError>>,
}

impl<'t> Table<'t> {
    /// Reads the line of names. `None` if there is none.
    ///
    /// # Errors
    /// If the line is something else.
    pub fn begin(text: &'t str) -> Result<Option<Self>, TableFault> {
        if is_separator_line(text) {
            return Err(TableFault::of_line(1, SEPARATOR_LINE));
        }
        let mut rows = Rows::new(text);
        match rows.next() {
            None => Ok(None),
            Some(Err(error)) => Err(TableFault::of_line(error.line, error.message)),
            Some(Ok(head)) if head.is_blank() => Err(blank(head.line, 1)),
            Some(Ok(head)) if head.is_quoted_line() => {
                Err(TableFault::of_line(head.line, QUOTED_LINE))
            }
            Some(Ok(head)) => Ok(Some(Self { head, too_many: "", rows, next: None })),
        }
    }

    /// The delimiter of the cells.
    pub fn delimiter(&self) -> char {
        self.rows.delimiter
    }

    /// Whether the last row that was read ended the text without a line end, and
    /// without the closing quote of its last cell.
    pub fn ends_open(&self) -> bool {
        self.rows.ends_open
    }

    fn checked(&self, row: Row) -> Result<Row, TableFault> {
        let (own, all) = (row.cells.len(), self.head.cells.len());
        if all > 1 && row.is_quoted_line() {
            return Err(TableFault::of_line(row.line, QUOTED_LINE));
        }
        if own == all {
            return Ok(row);
        }
        let why = if self.ends_open() {
            "the file may have been cut"
        } else if own > all {
            self.too_many
        } else {
            ""
        };
        let separator = if why.is_empty() { "" } else { "; " };
        let message = format!("has {own} columns, and the header has {all}{separator}{why}");
        Err(TableFault::of_line(row.line, message))
    }

    /// Skips the rows without content that follow the one of `line`.
    fn blank_rows(&mut self, line: u64) -> TableFault {
        let mut count = 1;
        loop {
            match self.rows.next() {
                Some(Ok(row)) if row.is_blank() => count += 1,
                next => {
                    self.next = next;
                    return blank(line, count);
                }
            }
        }
    }
}

impl Iterator for Table<'_> {
    type Item = Result<Row, TableFault>;

    fn next(&mut self) -> Option<Self::Item> {
        Some(match self.next.take().or_else(|| self.rows.next())? {
            Ok(row) if row.is_blank() => Err(self.blank_rows(row.line)),
            Ok(row) => self.checked(row),
            Err(QuoteError { line, cell, message }) => {
                let column = self.head.cells.get(cell).cloned();
                Err(TableFault { line, column, message: message.to_owned() })
            }
        })
    }
}

/// Rows that were emptied in a spreadsheet, but not deleted.
fn blank(line: u64, count: u64) -> TableFault {
    let message = match count {
        1 => "has delimiters only; delete the row".to_owned(),
        2 => "this row and the next one have delimiters only; delete them".to_owned(),
        _ => format!("this row and the next {} have delimiters only; delete them", count - 1),
    };
    TableFault::of_line(line, message)
}

/// Whether the first line is `sep=;`, perhaps in quotes, or with the delimiters
/// of a spreadsheet that saved it as a row.
fn is_separator_line(text: &str) -> bool {
    let line = text.split(['\n', '\r']).next().unwrap_or_default();
    let line = line.strip_prefix('"').unwrap_or(line);
    let (name, rest) = line.split_at_checked(4).unwrap_or_default();
    let rest = rest.trim_end_matches([',', ';', '\t', '"', ' ']);
    name.eq_ignore_ascii_case("sep=") && rest.chars().count() <= 1
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines and messages of all faults, and the lines of the rows.
    fn read(text: &str) -> (Vec<(u64, String)>, Vec<u64>) {
        let mut table = match Table::begin(text) {
            Ok(table) => table.unwrap(),
            Err(fault) => return (vec![(fault.line, fault.message)], Vec::new()),
        };
        table.too_many = "too many";
        let (mut faults, mut rows) = (Vec::new(), Vec::new());
        for row in &mut table {
            match row {
                Ok(row) => rows.push(row.line),
                Err(fault) => faults.push((fault.line, fault.message)),
            }
        }
        (faults, rows)
    }

    #[test]
    fn rows_of_delimiters_are_reported_once() {
        let (faults, rows) = read("a;b\n;;\n;\n \n1;2\n;\n\"\";\"\"\n");
        assert_eq!(rows, [5]);
        let texts: Vec<_> =
            faults.iter().map(|(line, message)| (*line, message.as_str())).collect();
        let begins = |index: usize, text: &str| texts[index].1.starts_with(text);
        assert_eq!(texts.iter().map(|it| it.0).collect::<Vec<_>>(), [2, 6]);
        assert!(begins(0, "this row and the next 2 have delimiters only"), "{texts:?}");
        assert!(begins(1, "this row and the next one have delimiters only"), "{texts:?}");
        assert_eq!(read("a,b\n1,2\n,\n").0, [(3, "has delimiters only; delete the row".into())]);
        assert_eq!(read(",,\n1,2,3\n").0[0].0, 1);
    }

    #[test]
    fn lines_in_quotes_are_named() {
        let quoted = |line| (line, QUOTED_LINE.to_owned());
        assert_eq!(read("\"a,b\"\n\"1,2\"\n").0, [quoted(1)]);
        assert_eq!(read("\"a;b\"\n").0, [quoted(1)]);
        assert_eq!(read("a,b\n\"1,2\"\n3,4\n\"5,6\"\n").0, [quoted(2), quoted(4)]);
        assert_eq!(read("\"a,b\",,\n\"1,2\",,\n").0, [quoted(1)]);
        assert_eq!(read("a,b\n\"1,2\",\n").0, [quoted(2)]);
        assert_eq!(read("a\n\"1,2\"\n"), (vec![], vec![2]));
        assert_eq!(read("a,b\n\"1\"\n").0[0].1, "has 1 columns, and the header has 2");
        assert_eq!(read("\"a\",\"b\"\n\"1,2\",\"3\"\n"), (vec![], vec![2]));
    }

    #[test]
    fn a_line_that_names_the_separator_is_named() {
        for line in
            ["sep=;", "SEP=,", "sep=\t", "\"sep=;\"", "sep=", "sep=;;;", "\"sep=;\",,", "sep=|,"]
        {
            let text = format!("{line}\r\na;b\r\n1;2\r\n");
            assert_eq!(read(&text).0, [(1, SEPARATOR_LINE.to_owned())], "{line}");
        }
        assert_eq!(read("sep=a;b\n1;2\n"), (vec![], vec![2]));
        assert_eq!(read("s;é\n1;2\n"), (vec![], vec![2]));
    }

    #[test]
    fn a_row_has_as_many_cells_as_the_header() {
        let (faults, rows) = read("a,b\n1\n1,2,3\n1,2\n1");
        let expected = [
            (2, "has 1 columns, and the header has 2"),
            (3, "has 3 columns, and the header has 2; too many"),
            (5, "has 1 columns, and the header has 2; the file may have been cut"),
        ];
        assert_eq!(faults, expected.map(|(line, message)| (line, message.to_owned())));
        assert_eq!(rows, [4]);
    }
}
