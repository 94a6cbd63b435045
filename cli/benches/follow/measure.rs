//! The command follows, and a service in this process answers. The memory is the
//! most that was resident at any time.

#[path = "../../../core/benches/rows/mod.rs"]
mod rows;

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use payments_core::journal::SqliteJournal;
use rows::Row;
use rusqlite::Connection;
use serde_json::json;

const OPEN: usize = 100_000;
const ENDED: u32 = 1_000_000;
const MOST_MIB: u64 = 256;
const PAID: usize = 10_000;
const MOST_TIMES: f64 = 2.0;
const SLOWEST: Duration = Duration::from_secs(1);
/// The unit of processor time in Linux.
const TICK: Duration = Duration::from_millis(10);
const HOUR_MS: u128 = 3_600_000;

/// Payments that are done, of the last hours.
const FILL: &str = "
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?1)
    INSERT INTO payments_journal (id, version, scope, operation, reference, amount, currency,
        body_sha256, host, process, created_at, deadline_at, settles_at, ended_at, state,
        decided_by, hash)
    SELECT printf('%012x', ?2 - n * 100) || hex(randomblob(10)), 2, 'shop', 'create_payment',
        'order-' || hex(randomblob(12)), '100.10', 'BRL', hex(randomblob(32)), 'shop-1', '7',
        ?2 - n * 100, ?2, ?2, ?2 - n * 100, 'done', 'call', lower(hex(randomblob(24)))
    FROM numbers";

pub(super) fn main() {
    // `cargo test --benches` only wants to see that this builds and starts.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let service = Service::start();
    let shop = Shop::new(&service);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis();
    let many = ["--per-second", "1000000"];
    let mut names = String::new();
    (0..OPEN).for_each(|number| writeln!(names, "order-{number:030}").unwrap());
    std::fs::write(shop.folder.join("names"), names).unwrap();
    let named = [&["--state", "named", "--from", "names"], &many[..]].concat();
    let named = [shop.follows(&named, OPEN), shop.follows(&named, 1)];
    let fill = (OPEN as i64, i64::try_from(now).unwrap());
    assert_eq!(shop.connection().execute(FILL, fill).unwrap(), OPEN);
    let of_journal = [&["--state", "of-journal"], &many[..]].concat();
    let of_journal = [shop.follows(&of_journal, OPEN), shop.follows(&of_journal, 1)];
    shop.write_ended(now / HOUR_MS);
    let after_many = shop.follows(&["--state", "ended", "order-1"], 1);
    let dropped = shop.reports("dropped", Stdio::null());
    let ends = std::fs::File::create(shop.folder.join("ends.jsonl")).unwrap();
    let times = shop.reports("in-file", ends.into()).as_secs_f64() / dropped.as_secs_f64();
    rows::print(&[
        Row::new("10,000 ends to a file, compared with none", format!("{times:.2} times"), "≤ 2")
            .reached(times <= MOST_TIMES),
        in_memory("100,000 open payments that are named: memory", &named),
        in_memory("100,000 open payments of the journal: memory", &of_journal),
        in_memory("1,000,000 ended payments in the state file: memory", &[after_many]),
        Row::new(
            "1,000,000 ended payments in the state file: processor time until the first query",
            format!("{:.1?}", after_many.worked),
            "≤ 1 s",
        )
        .reached(after_many.worked <= SLOWEST),
    ]);
}

fn in_memory(what: &str, runs: &[Run]) -> Row {
    let most = runs.iter().map(|run| run.mib).max().unwrap();
    Row::new(what, format!("{most} MiB"), "≤ 256 MiB").reached(most <= MOST_MIB)
}

/// The usage of a run until the service saw its queries.
#[derive(Clone, Copy, Debug)]
struct Run {
    worked: Duration,
    mib: u64,
}

/// A folder with a configuration and a journal.
struct Shop<'s> {
    folder: PathBuf,
    service: &'s Service,
}

impl<'s> Shop<'s> {
    fn new(service: &'s Service) -> Self {
        let folder = format!("bench-follow-{}", std::process::id());
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder);
        let journal = folder.join("journal/payments.db");
        std::fs::create_dir_all(&folder).unwrap();
        SqliteJournal::create(&journal).unwrap();
        let config = json!({
            "environment": "sandbox",
            "base_url": service.url,
            "integration_key": "key",
            "journal": format!("file:{}", journal.display()),
            "journal_scope": "shop",
        });
        std::fs::write(folder.join("payments.json"), config.to_string()).unwrap();
        Self { folder, service }
    }

    fn connection(&self) -> Connection {
        Connection::open(self.folder.join("journal/payments.db")).unwrap()
    }

    /// A state file as it is after many ends, which were last seen in this hour.
    fn write_ended(&self, hour: u128) {
        let mut text = "{\"follow\":1,\"scope\":\"shop\"}\n".to_owned();
        for number in 0..ENDED {
            // The marks are digests: any digits will do, if they differ.
            let mark = number.wrapping_mul(0x9e37_79b9);
            writeln!(text, "{{\"ended\":\"{mark:08x}{number:024x}\",\"seen\":{hour}}}").unwrap();
        }
        std::fs::write(self.folder.join("ended"), text).unwrap();
    }

    /// Follows until the service has seen this many queries.
    fn follows(&self, arguments: &[&str], queries: usize) -> Run {
        self.service.queries.store(0, Ordering::SeqCst);
        let mut command = Command::new(env!("CARGO_BIN_EXE_payments"));
        command.arg("follow").args(arguments).current_dir(&self.folder).stdin(Stdio::null());
        let started = Instant::now();
        let mut process = MeasuredProcess(command.stdout(Stdio::null()).spawn().unwrap());
        while self.service.queries.load(Ordering::SeqCst) < queries {
            assert!(process.0.try_wait().unwrap().is_none(), "{arguments:?} ended");
            std::thread::sleep(Duration::from_millis(1));
        }
        let took = started.elapsed();
        let of_process = |name: &str| {
            std::fs::read_to_string(format!("/proc/{}/{name}", process.0.id())).unwrap()
        };
        let (status, stat) = (of_process("status"), of_process("stat"));
        let most = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        let most: u64 = most.trim().strip_suffix(" kB").unwrap().parse().unwrap();
        // Those of the user and of the kernel; the name of the program has no space.
        let ticks = stat.split(' ').skip(13).take(2).map(|it| it.parse::<u32>().unwrap()).sum();
        let run = Run { worked: TICK * ticks, mib: most / 1024 };
        println!("{arguments:?}: {queries} queries in {took:.1?}, {run:?}");
        run
    }
}

impl Shop<'_> {
    /// How long it takes to report that the first payments are paid.
    fn reports(&self, state: &str, output: Stdio) -> Duration {
        let names = std::fs::read_to_string(self.folder.join("names")).unwrap();
        let paid: String = names.lines().take(PAID).map(|name| format!("{name}\n")).collect();
        std::fs::write(self.folder.join("paid"), paid).unwrap();
        self.service.is_paid.store(true, Ordering::SeqCst);
        let mut command = Command::new(env!("CARGO_BIN_EXE_payments"));
        command.args(["follow", "--per-second", "1000000", "--from", "paid", "--state", state]);
        command.current_dir(&self.folder).stdin(Stdio::null()).stdout(output);
        let started = Instant::now();
        assert!(command.status().unwrap().success());
        let took = started.elapsed();
        println!("{state}: {PAID} ends in {took:.1?}");
        took
    }
}

impl Drop for Shop<'_> {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// A process that is killed once it was measured.
struct MeasuredProcess(Child);

impl Drop for MeasuredProcess {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A service that answers each query with an open payment, or with a paid one.
struct Service {
    url: String,
    queries: Arc<AtomicUsize>,
    is_paid: Arc<AtomicBool>,
}

impl Service {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let queries = Arc::new(AtomicUsize::new(0));
        let is_paid = Arc::<AtomicBool>::default();
        let (counted, paid) = (Arc::clone(&queries), Arc::clone(&is_paid));
        std::thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                let (counted, paid) = (Arc::clone(&counted), Arc::clone(&paid));
                std::thread::spawn(move || serve(&connection, &counted, &paid));
            }
        });
        Self { url, queries, is_paid }
    }
}

/// Answers until the connection ends.
fn serve(connection: &TcpStream, queries: &AtomicUsize, is_paid: &AtomicBool) -> Option<()> {
    connection.set_nodelay(true).ok()?;
    let mut lines = BufReader::new(connection).lines();
    loop {
        let head = lines.next()?.ok()?;
        while !lines.next()?.ok()?.is_empty() {}
        let number = queries.fetch_add(1, Ordering::SeqCst);
        // The hash of a payment stays that of its first query.
        let asked = head.split_once("hash=").map(|(_, rest)| rest.chars().take(48).collect());
        let hash = asked.unwrap_or_else(|| format!("{number:048x}"));
        let status = if is_paid.load(Ordering::SeqCst) { "CO" } else { "PE" };
        let payment = format!(r#"{{"hash":"{hash}","status":"{status}"}}"#);
        let body = format!(r#"{{"status":"SUCCESS","payment":{payment}}}"#);
        let length = body.len();
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
        );
        let mut output = connection;
        output.write_all((head + &body).as_bytes()).ok()?;
    }
}
