//! The time that a journal adds to a call: `make bench`.
//!
//! A call waits for the disk once, for its entry. The end of the call is written
//! without waiting. This is shown next to a commit of SQLite alone, which syncs
//! once, on the same disk, in turns, and on a connection that stays open: a
//! journal opens one for each transaction, so that nothing is inherited by
//! `fork`. The calls carry no signature, which would hide the difference.

#[path = "../rows/mod.rs"]
mod rows;
#[path = "../server/mod.rs"]
mod server;

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use payments_core::journal::SqliteJournal;
use payments_core::request::{CreatePayment, Payment};
use payments_core::{Client, Config};
use rows::Row;
use rusqlite::Connection;
use server::Server;

const ROUNDS: usize = 400;
/// These are not measured.
const WARM_UP: usize = 50;

pub(super) fn main() {
    if server::is_asked_for() {
        return server::serve();
    }
    // `cargo test --benches` only wants to see that this builds and starts.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let server = Server::start();
    let folder = Folder::new();
    let config = || {
        let url = format!("http://127.0.0.1:{}", server.port);
        Config::new(url).integration_key("key").timeout(Duration::from_secs(60))
    };
    let journal = folder.0.join("journal.db");
    SqliteJournal::create(&journal).unwrap();
    let journaled = Client::new(config().journal_file(&journal)).unwrap();
    let plain = Client::new(config()).unwrap();
    let bare = bare_database(&folder.0.join("bare.db"));

    let (mut with, mut without, mut commits) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        let request = payment(round);
        with.push(timed(|| journaled.create_payment(&request).unwrap()));
        without.push(timed(|| plain.create_payment(&request).unwrap()));
        commits.push(timed(|| commit(&bare, round)));
    }
    let [with, without, commits] = [with, without, commits].map(median);
    let what = "journaled call without a signature; the same without a journal; a bare commit";
    let measured = format!("{with:.1?}; {without:.1?}; {commits:.1?}");
    rows::print(&[Row::new(what, measured, "—")]);
}

/// A database like that of the journal, on a connection that stays open.
fn bare_database(path: &Path) -> Connection {
    let connection = Connection::open(path).unwrap();
    connection.pragma_update(None, "journal_mode", "WAL").unwrap();
    connection.pragma_update(None, "synchronous", "FULL").unwrap();
    connection.execute_batch("CREATE TABLE calls (reference TEXT PRIMARY KEY, row TEXT)").unwrap();
    connection
}

/// Writes about as much as an entry of the journal has.
fn commit(connection: &Connection, round: usize) {
    let row = format!("{round:0400}");
    connection
        .execute("INSERT INTO calls VALUES (hex(randomblob(16)), ?)", [row.as_str()])
        .unwrap();
}

fn payment(number: usize) -> CreatePayment {
    CreatePayment::new(Payment {
        name: "Maria Souza".into(),
        email: "maria@example.com".into(),
        country: "br".into(),
        payment_type_code: "pix".into(),
        merchant_payment_code: format!("order-{number}"),
        currency_code: "BRL".into(),
        amount_total: "100.10".parse().unwrap(),
        document: Some("853.513.468-93".into()),
        ..Payment::default()
    })
}

fn timed<T>(work: impl FnOnce() -> T) -> Duration {
    let started = Instant::now();
    black_box(work());
    started.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.drain(..WARM_UP);
    times.sort();
    times[times.len() / 2]
}

/// A folder for this run, next to the build: on a disk. The journal makes it.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        let name = format!("bench-journal-{}", std::process::id());
        Self(Path::new(env!("CARGO_TARGET_TMPDIR")).join(name))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
