//! Files of journals in the format before this version's.

use std::path::Path;
use std::process::Command;

const CASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/journal_databases.json");

/// Gives the journal at `path` the first format, and 1,000 entries of payouts that are
/// done: `p-1001` to `p-2000`, in the scope `old`.
pub fn downgrade(path: &Path) {
    let program = "import json, sqlite3, sys\nwith sqlite3.connect(sys.argv[1]) as it:\n    \
                   it.execute('DROP TABLE payments_journal')\n    \
                   for statement in json.load(open(sys.argv[2]))['format_1']:\n        \
                   it.execute(statement)\n    it.execute('PRAGMA user_version = 1')\n    \
                   it.execute(\"DELETE FROM payments_journal_identity WHERE id LIKE 'adopted %'\")\n";
    let status = Command::new("python3").args(["-c", program]).arg(path).arg(CASES).status();
    assert!(status.unwrap().success());
}
