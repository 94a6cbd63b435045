//! Reads CSV strictly: from a file that was cut or edited by hand, a lenient
//! reader would make payouts that are not in it.

/// A row that is not empty.
pub struct Row {
    /// The line on which it begins, counted from 1.
    pub line: u64,
    /// The cells, without white space around them.
    pub cells: Vec<String>,
    /// Whether each of them is in quotes.
    pub quoted: Vec<bool>,
}

impl Row {
    /// Whether it has delimiters only.
    pub fn is_blank(&self) -> bool {
        self.cells.iter().all(String::is_empty)
    }

    /// Whether it is a line that was quoted as a whole, perhaps with delimiters
    /// after it.
    pub fn is_quoted_line(&self) -> bool {
        match (&self.cells[..], &self.quoted[..]) {
            ([line, rest @ ..], [true, ..]) => {
                line.contains([',', ';', '\t']) && rest.iter().all(String::is_empty)
            }
            _ => false,
        }
    }
}

/// A quote that leaves open where a cell ends.
#[derive(PartialEq, Eq, Debug)]
pub struct QuoteError {
    /// The line on which the cell begins.
    pub line: u64,
    /// The index of the cell.
    pub cell: usize,
    pub message: &'static str,
}

const OPEN: &str = "the quote that opens this cell is never closed; close it";
const STRAY: &str = "contains a quote, or goes on after its closing one; put quotes around the \
                     whole cell, and double those inside";

/// The rows of a text.
pub struct Rows<'t> {
    rest: &'t str,
    /// The delimiter of the cells.
    pub delimiter: char,
    line: u64,
    /// Whether the last row ended neither with a line end nor with the closing
    /// quote of its last cell.
    pub ends_open: bool,
}

impl<'t> Rows<'t> {
    /// Semicolons delimit the cells if the first line has any, or else commas, or else
    /// tabs.
    pub fn new(text: &'t str) -> Self {
        let head = text.split(['\n', '\r']).next().unwrap_or_default();
        let delimiter = [';', ',', '\t'].into_iter().find(|it| head.contains(*it)).unwrap_or(',');
        Self { rest: text, delimiter, line: 1, ends_open: false }
    }

    fn row(&mut self) -> Result<Row, QuoteError> {
        let mut row = Row { line: self.line, cells: Vec::new(), quoted: Vec::new() };
        loop {
            let line = self.line;
            let index = row.cells.len();
            let error = |message| QuoteError { line, cell: index, message };
            let (cell, is_quoted) = self.cell().map_err(error)?;
            row.cells.push(cell.trim().to_owned());
            row.quoted.push(is_quoted);
            if self.skip_line_end() {
                return Ok(row);
            }
            match self.rest.strip_prefix(self.delimiter) {
                Some(rest) => self.rest = rest,
                None if self.rest.is_empty() => {
                    self.ends_open = !is_quoted;
                    return Ok(row);
                }
                None => return Err(error(STRAY)),
            }
        }
    }

    /// A cell, and whether it is in quotes.
    fn cell(&mut self) -> Result<(String, bool), &'static str> {
        if let Some(quoted) = self.rest.strip_prefix('"') {
            return Ok((self.quoted(quoted)?, true));
        }
        let end = self.rest.find([self.delimiter, '\n', '\r']).unwrap_or(self.rest.len());
        let (cell, rest) = self.rest.split_at(end);
        if cell.contains('"') {
            return Err(STRAY);
        }
        self.rest = rest;
        Ok((cell.to_owned(), false))
    }

    /// The cell whose text after the opening quote is `text`.
    fn quoted(&mut self, mut text: &'t str) -> Result<String, &'static str> {
        let mut cell = String::new();
        loop {
            let Some((part, rest)) = text.split_once('"') else {
                self.rest = "";
                return Err(OPEN);
            };
            cell.push_str(part);
            match rest.strip_prefix('"') {
                Some(rest) => {
                    cell.push('"');
                    text = rest;
                }
                None => {
                    self.line += cell.replace("\r\n", "\n").matches(['\n', '\r']).count() as u64;
                    self.rest = rest;
                    return Ok(cell);
                }
            }
        }
    }

    fn skip_line_end(&mut self) -> bool {
        let ends = ["\r\n", "\n", "\r"];
        let Some(rest) = ends.iter().find_map(|end| self.rest.strip_prefix(end)) else {
            return false;
        };
        self.rest = rest;
        self.line += 1;
        true
    }
}

impl Iterator for Rows<'_> {
    type Item = Result<Row, QuoteError>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.skip_line_end() {}
        if self.rest.is_empty() {
            return None;
        }
        let row = self.row();
        if row.is_err() {
            // The next line may be sound.
            self.rest = self.rest.find(['\n', '\r']).map_or("", |end| &self.rest[end..]);
        }
        Some(row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows with their lines and joined cells, errors, and whether the end is
    /// open.
    fn rows(text: &str) -> (Vec<(u64, String)>, Vec<QuoteError>, bool) {
        let mut reader = Rows::new(text);
        let mut rows = Vec::new();
        let mut errors = Vec::new();
        for row in &mut reader {
            match row {
                Ok(row) => rows.push((row.line, row.cells.join("|"))),
                Err(error) => errors.push(error),
            }
        }
        (rows, errors, reader.ends_open)
    }

    #[test]
    fn cells_may_be_in_quotes() {
        let (read, errors, ends_open) =
            rows("a;b\r\n\r\n \"x\ny\"; \"z\"\n\"x\r\ny\";\"say \"\"so\"\"\"\n 1 ;\n");
        // A quote after a space is in the middle of its cell.
        let stray = |line, cell| QuoteError { line, cell, message: STRAY };
        assert_eq!(errors, [stray(3, 0), stray(4, 0)]);
        let expected = [(1, "a|b"), (5, "x\r\ny|say \"so\""), (7, "1|")];
        assert_eq!(read, expected.map(|(line, cells)| (line, cells.to_owned())));
        assert!(!ends_open);
    }

    #[test]
    fn a_row_says_which_cells_are_in_quotes() {
        for (text, delimiter) in [
            ("a,b,c\n1,\"2\",\n", ','),
            ("a;b;c\n1;\"2\";\n", ';'),
            ("a\tb\tc\n1\t\"2\"\t\n", '\t'),
            ("a;b\t;c\n1;\"2\";\n", ';'),
            ("a\t,b,c\n1,\"2\",\n", ','),
        ] {
            let mut rows = Rows::new(text);
            assert_eq!(rows.delimiter, delimiter);
            let row = rows.by_ref().filter_map(Result::ok).last();
            assert_eq!(row.map(|it| it.quoted), Some(vec![false, true, false]));
        }
    }

    #[test]
    fn a_quote_without_a_clear_end_of_its_cell_is_a_mistake() {
        for (text, line, cell, message) in [
            ("a,b\n1,\"2\n3,4\n", 2, 1, OPEN),
            ("a,b\n1,\"2\n3,\"4\n", 2, 1, STRAY),
            ("a,b\n1,2\"\n", 2, 1, STRAY),
            ("a,b\n\"1\"x,2\n", 2, 0, STRAY),
            ("a,b\n\"1\" ,2\n", 2, 0, STRAY),
        ] {
            let (read, errors, _) = rows(text);
            assert_eq!(
                (read.len(), errors),
                (1, vec![QuoteError { line, cell, message }]),
                "{text:?}"
            );
        }
    }

    #[test]
    fn a_text_ends_open_without_a_line_end_or_a_closing_quote() {
        for (text, ends_open) in [
            ("a,b\n1,2", true),
            ("a,b\n1,", true),
            ("a,b\n1,\"2\"", false),
            ("a,b\n\"1\",2", true),
            ("a,b\n1,2\n", false),
            ("a,b\r1,2\r", false),
        ] {
            assert_eq!(rows(text).2, ends_open, "{text:?}");
        }
    }
}
