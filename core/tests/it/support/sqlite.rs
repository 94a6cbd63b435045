//! Journals in SQLite files.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use payments_core::CallContext;
use payments_core::journal::{Entry, Filter, Journal as _, SqliteJournal};

pub fn context() -> CallContext {
    CallContext::with_timeout(Duration::from_secs(60))
}

/// All entries of a file.
pub fn all(journal: &SqliteJournal) -> Vec<Entry> {
    journal.find(&context(), &Filter::of_scope("127.0.0.1")).unwrap().entries
}

/// Executes a statement as another program does.
pub fn execute(path: &Path, statement: &str) {
    let program = "import sqlite3, sys\nwith sqlite3.connect(sys.argv[1]) as it:\n    \
                   it.executescript(sys.argv[2])\n";
    let status = Command::new("python3").args(["-c", program]).arg(path).arg(statement).status();
    assert!(status.unwrap().success());
}
