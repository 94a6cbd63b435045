//! The cost of a journal of 500,000 entries compared with an empty one, through
//! the command: `make bench`. Both take turns in one run.

#[path = "../../../core/benches/rows/mod.rs"]
mod rows;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use payments_core::journal::SqliteJournal;
use payments_core::jws::PublicKey;
use payments_sandbox::{Sandbox, SandboxConfig};
use rows::Row;
use rusqlite::Connection;
use serde_json::json;

const KID: &str = "bench-kid";
const ENTRIES: u32 = 500_000;
const OPEN: usize = 10;
const ROUNDS: usize = 7;

/// Entries as calls leave them: payouts that are done, of about a year.
const FILL: &str = "
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?1)
    INSERT INTO payments_journal (id, version, scope, operation, reference, amount, currency,
        body_sha256, host, process, created_at, deadline_at, settles_at, ended_at, state,
        decided_by, uid)
    SELECT printf('%012x', 1750000000000 + n * 60000) || hex(randomblob(10)), 2, '127.0.0.1',
        'create_payout', 'old-' || n, '10.00', 'BRL', hex(randomblob(32)), 'shop-1', '7',
        1750000000000 + n * 60000, 1750000030000 + n * 60000, 1750000930000 + n * 60000,
        1750000001000 + n * 60000, 'done', 'call', hex(randomblob(8))
    FROM numbers";

pub(super) fn main() {
    // `cargo test --benches` only wants to see that this builds and starts.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let sandbox = Sandbox::start(SandboxConfig::default()).unwrap();
    let pem = std::fs::read_to_string(key("test_rsa_4096_public.pem")).unwrap();
    sandbox.register_key_as(&PublicKey::from_pem(&pem).unwrap(), KID);
    let [empty, full] = ["empty", "full"].map(|name| Shop::new(&sandbox, name));
    full.connection().execute(FILL, [ENTRIES]).unwrap();
    full.write_batch(ROUNDS, 1000);
    let dry = full.timed(&["create-payouts", "payouts.csv", "--dry-run"], 0);
    let rows = [
        Row::new("a dry run of 1,000 payouts", format!("{dry:.1?}"), "≤ 5 s")
            .reached(dry <= Duration::from_secs(5)),
        full.row(&empty, "a batch of 10 payouts", |shop, round| {
            shop.write_batch(round, 10);
            shop.timed(&["create-payouts", "payouts.csv", "--yes"], 0)
        }),
        full.row(&empty, "`journal show` of a payout", |shop, _| {
            let reference = format!("{}-0-1", shop.name);
            shop.timed(&["journal", "show", &reference], 0)
        }),
        full.row(&empty, "`journal list --open` with 10 open entries", |shop, _| {
            shop.open_payments();
            shop.timed(&["journal", "list", "--open"], 0)
        }),
        full.row(&empty, "`journal recover` of 10 open payments", |shop, _| {
            shop.open_payments();
            shop.timed(&["journal", "recover"], 0)
        }),
    ];
    rows::print(&rows);
}

/// The path of a shared test key.
fn key(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/vectors/keys").join(name)
}

/// A folder with a configuration and a journal.
struct Shop {
    name: &'static str,
    folder: PathBuf,
}

impl Shop {
    fn new(sandbox: &Sandbox, name: &'static str) -> Self {
        let folder = format!("bench-shop-{}-{name}", std::process::id());
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder);
        let journal = folder.join("journal/payments.db");
        std::fs::create_dir_all(&folder).unwrap();
        SqliteJournal::create(&journal).unwrap();
        let config = json!({
            "environment": "sandbox",
            "base_url": sandbox.base_url(),
            "auth_url": sandbox.auth_url(),
            "client_id": sandbox.config().client_id,
            "client_secret": sandbox.config().client_secret,
            "integration_key": sandbox.config().integration_key,
            "key_file": key("test_rsa_4096_pkcs8.pem"),
            "kid": KID,
            "journal": format!("file:{}", journal.display()),
        });
        std::fs::write(folder.join("payments.json"), config.to_string()).unwrap();
        let shop = Self { name, folder };
        for number in 0..OPEN {
            let request = json!({"payment": {
                "name": "Maria Souza", "email": "maria@example.com", "country": "br",
                "payment_type_code": "pix", "merchant_payment_code": format!("{name}-{number}"),
                "currency_code": "BRL", "amount_total": "100.10", "document": "853.513.468-93",
            }});
            std::fs::write(shop.folder.join("payment.json"), request.to_string()).unwrap();
            shop.timed(&["create-payment", "@payment.json"], 0);
        }
        shop
    }

    fn connection(&self) -> Connection {
        Connection::open(self.folder.join("journal/payments.db")).unwrap()
    }

    /// Forgets the outcomes of the payments.
    fn open_payments(&self) {
        let open =
            "UPDATE payments_journal SET state = 'unknown' WHERE operation = 'create_payment'";
        assert_eq!(self.connection().execute(open, []).unwrap(), OPEN);
    }

    fn write_batch(&self, round: usize, lines: usize) {
        let mut text = "external_reference,country,amount,currency_code,target,target_account,\
                        payee.name\n"
            .to_owned();
        for line in 0..lines {
            let reference = format!("{}-{round}-{line}", self.name);
            text += &format!("{reference},br,10.00,BRL,pix_key,joao@example.com,Maria Souza\n");
        }
        std::fs::write(self.folder.join("payouts.csv"), text).unwrap();
    }

    fn timed(&self, arguments: &[&str], code: i32) -> Duration {
        let mut command = Command::new(env!("CARGO_BIN_EXE_payments"));
        command.args(arguments).current_dir(&self.folder).stdin(Stdio::null());
        let started = Instant::now();
        let output = command.output().unwrap();
        let took = started.elapsed();
        assert_eq!(output.status.code(), Some(code), "{arguments:?} {output:?}");
        took
    }

    /// Measures both in turns; the goal is a ratio of 2.
    fn row(&self, empty: &Self, what: &str, measure: impl Fn(&Self, usize) -> Duration) -> Row {
        let pairs: Vec<_> =
            (0..ROUNDS).map(|round| (measure(empty, round), measure(self, round))).collect();
        let mut ratios: Vec<_> =
            pairs.iter().map(|(empty, full)| full.as_secs_f64() / empty.as_secs_f64()).collect();
        ratios.sort_by(f64::total_cmp);
        let ratio = ratios[ROUNDS / 2];
        let mut full: Vec<_> = pairs.iter().map(|pair| pair.1).collect();
        full.sort();
        let what = format!("{what}, with 500,000 entries / with none");
        let measured = format!("{ratio:.2} ({:.1?})", full[ROUNDS / 2]);
        Row::new(what, measured, "≤ 2").reached(ratio <= 2.0)
    }
}

impl Drop for Shop {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
