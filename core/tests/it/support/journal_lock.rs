//! Another process that keeps a journal locked.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Python has its own SQLite, in its own process.
const HOLDER: &str = "import sqlite3, sys\n\
                      held = sqlite3.connect(sys.argv[1], isolation_level=None)\n\
                      for statement in sys.argv[2:]:\n    held.execute(statement)\n\
                      print('held', flush=True)\nsys.stdin.read()\n";

/// Keeps a journal locked until it is dropped.
pub struct JournalLock(Child);

impl JournalLock {
    /// Keeps out writers.
    pub fn take(journal: &Path) -> Self {
        Self::hold(journal, &["BEGIN IMMEDIATE"])
    }

    /// Keeps out readers too, like a process that recovers the log.
    #[allow(dead_code, reason = "not every program needs it")]
    pub fn take_all(journal: &Path) -> Self {
        Self::hold(journal, &["PRAGMA locking_mode=EXCLUSIVE", "BEGIN EXCLUSIVE"])
    }

    fn hold(journal: &Path, statements: &[&str]) -> Self {
        let mut command = Command::new("python3");
        command.args(["-c", HOLDER]).arg(journal).args(statements);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
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
