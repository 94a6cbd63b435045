//! `payments journal list` of a journal with many entries.

use std::io::{BufRead as _, BufReader};
use std::process::Command;

use crate::journal::{journaled, payout};
use crate::support::{Merchant, Payments};

const ENTRIES: usize = 25_000;

/// Copies the only entry many times.
const FILL: &str = "
import sqlite3, sys
with sqlite3.connect('journal/payments.db') as it:
    it.executescript('''
        CREATE TEMP TABLE more AS
            WITH RECURSIVE numbers (number) AS (
                SELECT 2 UNION ALL SELECT number + 1 FROM numbers WHERE number < ''' + sys.argv[1] + ''')
            SELECT journal.*, number FROM payments_journal AS journal, numbers;
        UPDATE more SET id = printf('%032x', number), reference = 'payout-' || number;
        ALTER TABLE more DROP COLUMN number;
        INSERT INTO payments_journal SELECT * FROM more;
    ''')
";

/// More than a page of a list needs, and less than all entries at once.
const LIMIT: &str = "ulimit -d 65536; exec \"$@\"";

fn filled() -> Merchant {
    let merchant = journaled();
    payout(&merchant, "payout-1", &[]).response();
    let mut python = Command::new("python3");
    python.args(["-c", FILL, &ENTRIES.to_string()]).current_dir(&merchant.folder);
    assert!(python.status().unwrap().success());
    merchant
}

#[test]
fn a_long_journal_is_listed_in_little_memory() {
    let merchant = filled();
    let list = |more: &[&str]| {
        let arguments = [&["journal", "list"], more].concat();
        Payments::started_by(&["sh", "-c", LIMIT, "sh"], &merchant.folder, arguments)
    };
    let listed = list(&[]).run().response();
    let entries = listed["entries"].as_array().unwrap();
    assert_eq!(entries.len(), ENTRIES);
    assert!(entries.windows(2).all(|it| it[0]["id"].as_str() < it[1]["id"].as_str()));
    assert!(listed["now"].as_u64().unwrap() >= entries[0]["created_at"].as_u64().unwrap());
    assert_eq!(list(&["--open"]).run().response()["entries"], serde_json::json!([]));

    for name in ["entries.csv", "entries.jsonl"] {
        let exported = list(&["--export", name]).run();
        assert_eq!((exported.code, exported.stderr.as_str()), (0, ""));
        let file = std::fs::File::open(merchant.folder.join(name)).unwrap();
        let headings = usize::from(name == "entries.csv");
        assert_eq!(BufReader::new(file).lines().count(), ENTRIES + headings, "{name}");
    }

    let script = "ulimit -d 65536; exec script --quiet --return --command \"${*@Q}\" /dev/null";
    let arguments = ["journal", "list"];
    let starter = ["bash", "-c", script, "bash"];
    let table = Payments::started_by(&starter, &merchant.folder, arguments).run();
    assert_eq!(table.code, 0, "{}", table.stderr);
    let mut lines = table.text().lines();
    let head = lines.next().unwrap();
    let place = head.find("ID").unwrap();
    assert!(lines.by_ref().take(ENTRIES).all(|line| line.trim_end().len() == place + 32), "{head}");
    assert_eq!(lines.next(), None);
}
