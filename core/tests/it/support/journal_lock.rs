//! Another process that keeps a journal locked.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Python has an SQLite of its own, in a process of its own.
const LOCK: &str = "import sqlite3, sys\nheld = sqlite3.connect(sys.argv[1], isolation_level=None)\n\
                    held.execute('BEGIN IMMEDIATE')\nprint('held', flush=True)\nsys.stdin.read()\n";

/// Keeps a journal locked until it is dropped.
pub struct JournalLock(Child);

impl JournalLock {
    pub fn take(journal: &Path) -> Self {
        let mut command = Command::new("python3");
        command.args(["-c", LOCK]).arg(journal).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut holder = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(holder.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line, "held\n");
        Self(holder)
    }
}

impl Drop for JournalLock {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}
