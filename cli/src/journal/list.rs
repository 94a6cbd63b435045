//! `payments journal list`: reads and writes a page at a time, however many
//! entries there are.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::Path;

use payments_core::journal::{Entry, Found};
use payments_core::json::{Json, Members};
use payments_core::{CallContext, Client, Error, ErrorCode};
use payments_host::commands::{LineFormat, ListText, protected_cell};

use crate::args::Global;
#[cfg(windows)]
use crate::keys::keygen;
use crate::output;
use crate::process::failure::Failure;
use crate::process::pretty;

/// This command, in those that it tells to run next.
pub(crate) const PROGRAM: &str = "payments journal";

/// The entries of the configured journal.
#[derive(Clone, Copy)]
pub(crate) struct JournalList<'a> {
    pub(crate) client: &'a Client,
    /// Open entries only.
    pub(crate) is_open: bool,
    pub(crate) context: &'a CallContext,
}

impl JournalList<'_> {
    /// Prints a table on a terminal, JSON elsewhere.
    ///
    /// # Errors
    /// Those of [`list`](payments_host::journal::list); `io` if standard output takes no more.
    pub(crate) fn print(self, global: &Global) -> Result<(), Failure> {
        if output::is_for_people(global) { self.print_table() } else { self.print_json() }
    }

    /// Writes the entries to a new file that only this user can read: lines of
    /// JSON if its name says so, otherwise CSV.
    ///
    /// # Errors
    /// Those of [`list`](payments_host::journal::list); `io` if the file cannot be written. Then it is
    /// removed: a part would pass for the whole.
    pub(crate) fn export(self, path: &Path) -> Result<(), Failure> {
        let first = self.page(None)?;
        let file = new_file(path)?;
        let is_lines = LineFormat::of(path) == Some(LineFormat::JsonLines);
        let written = if is_lines {
            self.write_lines(path, file, first)
        } else {
            self.write_csv(path, file, first)
        };
        if written.is_err() {
            let _ = std::fs::remove_file(path);
        }
        written
    }

    fn page(self, after: Option<&str>) -> Result<Found, Error> {
        payments_host::journal::list(self.client, self.is_open, after, self.context)
    }

    /// Gives the entries to `take`, beginning with the page `first`.
    fn each_page(
        self,
        first: Found,
        mut take: impl FnMut(&[Entry]) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut page = first;
        while let Some(last) = page.entries.last() {
            take(&page.entries)?;
            page = self.page(Some(&last.id))?;
        }
        Ok(())
    }

    fn print_json(self) -> Result<(), Failure> {
        let first = self.page(None)?;
        let now = first.now;
        let layout = Layout::of_stdout();
        output::write_list(layout.begin)?;
        let mut is_first = true;
        self.each_page(first, |entries| {
            let mut text = String::new();
            for entry in entries {
                text.push_str(if std::mem::take(&mut is_first) { "" } else { "," });
                text.push_str(&(layout.element)(&entry.to_json_at(now, self.client.rules())));
            }
            output::write_list(&text)
        })?;
        let end = if is_first { layout.end_of_none } else { layout.end };
        output::write_list(&format!("{end}{now}{}", layout.close))
    }

    /// Reads the entries twice: the widths of columns come first.
    fn print_table(self) -> Result<(), Failure> {
        let first = self.page(None)?;
        let mut list = ListText::at(first.now, self.client.rules());
        let mut last = String::new();
        self.each_page(first, |entries| {
            list.measure(entries);
            last = entries.last().map(|entry| entry.id.clone()).unwrap_or_default();
            Ok(())
        })?;
        output::write_list(&list.head())?;
        self.each_page(self.page(None)?, |entries| {
            // Not those that came meanwhile.
            let known = entries.partition_point(|entry| entry.id <= last);
            output::write_list(&list.lines(&entries[..known]))
        })?;
        output::write_list(&list.end(PROGRAM))
    }

    fn write_lines(self, path: &Path, mut file: File, first: Found) -> Result<(), Failure> {
        self.each_page(first, |entries| {
            let lines = entries.iter().map(|entry| entry.to_json().to_text() + "\n");
            let written = file.write_all(lines.collect::<String>().as_bytes());
            written.map_err(|error| not_written(path, &error))
        })
    }

    fn write_csv(self, path: &Path, file: File, first: Found) -> Result<(), Failure> {
        let failed = |error: csv::Error| not_written(path, &error);
        let mut table = csv::Writer::from_writer(file);
        if let Some(entry) = first.entries.first() {
            let names = members_of(entry);
            table.write_record(names.iter().map(|(name, _)| name)).map_err(failed)?;
        }
        self.each_page(first, |entries| {
            for entry in entries {
                let members = members_of(entry);
                let cells = members.iter().map(|(_, value)| {
                    protected_cell(value.as_text_or_number().unwrap_or_default())
                });
                table.write_record(cells).map_err(failed)?;
            }
            Ok(())
        })?;
        table.flush().map_err(|error| not_written(path, &error))
    }
}

/// The text around and between the entries in JSON.
struct Layout {
    begin: &'static str,
    element: fn(&Json) -> String,
    end: &'static str,
    end_of_none: &'static str,
    close: &'static str,
}

impl Layout {
    /// On one line, or indented on a terminal.
    fn of_stdout() -> Self {
        if output::is_terminal() {
            Self {
                begin: "{\n  \"entries\": [",
                element: |entry| {
                    // No text in JSON has a line break.
                    format!("\n{}", pretty::indented(entry)).replace('\n', "\n    ")
                },
                end: "\n  ],\n  \"now\": ",
                end_of_none: "],\n  \"now\": ",
                close: "\n}\n",
            }
        } else {
            Self {
                begin: "{\"entries\":[",
                element: Json::to_text,
                end: "],\"now\":",
                end_of_none: "],\"now\":",
                close: "}\n",
            }
        }
    }
}

fn members_of(entry: &Entry) -> Members {
    match entry.to_json() {
        Json::Object(members) => members,
        _ => Members::new(),
    }
}

fn new_file(path: &Path) -> Result<File, Failure> {
    #[cfg(windows)]
    keygen::refuse_shared(path)?;
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map_err(|error| not_written(path, &error))
}

fn not_written(path: &Path, error: &dyn std::fmt::Display) -> Failure {
    let message = format!("could not write {}: {error}", path.display());
    Failure::io(ErrorCode::OUTPUT_FAILED, message)
}
