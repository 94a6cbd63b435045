//! The rows: a kind of call, and its configuration.

use std::collections::HashMap;
use std::fmt;
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use payments_core::journal::SqliteJournal;
use payments_core::{CallContext, Client, Config, Error, Operation, RawRequest};
use payments_host::by_name;
use payments_sandbox::{Fault, FaultScript, Sandbox, SandboxConfig, TokenLimit};
use rusqlite::Connection;
use rusqlite::config::DbConfig;
use serde_json::{Value, json};

use crate::tls::Front;

/// The reference of a payment that was made before all runs.
pub(crate) const FIRST: &str = "first";
const TRANSFERS: &str = "/ws/transfers";
/// As in the journal.
const LARGEST_LOG: u64 = 512 * 1024;
/// A page of the journal in its log.
const FRAME: u64 = 4096 + 24;
const PATIENCE: Duration = Duration::from_secs(120);
/// The attempts of a query that is retried.
const QUERIES: usize = 3;
/// How long another process writes to the journal.
const BUSY: Duration = Duration::from_millis(300);

/// A kind of call that moves money.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Payment,
    /// A payment that is found, or created.
    Ensure,
    Payout,
    Refund,
    Send,
}

/// The difference from a new connection without TLS and a token in a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Setting {
    Plain,
    /// On the connection of an earlier call.
    Kept,
    Tls,
    /// Nothing is there yet: no token, and no log of the journal.
    Fresh,
    /// The log of the journal is so long that the call copies it.
    LongLog,
    /// The service has the payment, and the journal does not.
    Found,
    /// Another process writes to the journal when the call begins.
    Busy,
    /// All queries of the call fail.
    QueryFails,
}

impl Setting {
    /// Whether the call may end without an entry although its outcome is not
    /// `not_executed`.
    pub(crate) fn may_lack_entry(self) -> bool {
        matches!(self, Self::Found | Self::QueryFails)
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) kind: Kind,
    pub(crate) has_journal: bool,
    pub(crate) setting: Setting,
}

const fn row(kind: Kind, has_journal: bool, setting: Setting) -> Row {
    Row { kind, has_journal, setting }
}

/// All rows.
pub(crate) const ROWS: [Row; 20] = [
    row(Kind::Payment, true, Setting::LongLog),
    row(Kind::Payment, true, Setting::Fresh),
    row(Kind::Payout, true, Setting::Fresh),
    row(Kind::Payment, true, Setting::Tls),
    row(Kind::Payout, true, Setting::Tls),
    row(Kind::Payment, true, Setting::Plain),
    row(Kind::Payout, true, Setting::Plain),
    row(Kind::Ensure, true, Setting::Plain),
    row(Kind::Ensure, true, Setting::Found),
    row(Kind::Ensure, true, Setting::Busy),
    row(Kind::Ensure, true, Setting::QueryFails),
    row(Kind::Refund, true, Setting::Plain),
    row(Kind::Send, true, Setting::Plain),
    row(Kind::Payment, true, Setting::Kept),
    row(Kind::Payout, true, Setting::Kept),
    row(Kind::Payment, false, Setting::Plain),
    row(Kind::Payout, false, Setting::Plain),
    row(Kind::Ensure, false, Setting::Plain),
    row(Kind::Refund, false, Setting::Plain),
    row(Kind::Send, false, Setting::Plain),
];

impl Row {
    /// Whether `make test` cuts it: one row for each kind.
    pub(crate) fn is_of_each_kind(self) -> bool {
        self.has_journal && self.setting == Setting::Plain
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.name())?;
        if self.has_journal {
            f.write_str(", journal")?;
        }
        f.write_str(match self.setting {
            Setting::Plain => "",
            Setting::Kept => ", kept connection",
            Setting::Tls => ", TLS",
            Setting::Fresh => ", no cached token",
            Setting::LongLog => ", long log",
            Setting::Found => ", found",
            Setting::Busy => ", busy journal",
            Setting::QueryFails => ", failing query",
        })
    }
}

impl Kind {
    const ALL: [Self; 5] = [Self::Payment, Self::Ensure, Self::Payout, Self::Refund, Self::Send];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Payment => "payment",
            Self::Ensure => "ensure",
            Self::Payout => "payout",
            Self::Refund => "refund",
            Self::Send => "send",
        }
    }

    pub(crate) fn from_name(name: &str) -> Self {
        Self::ALL.into_iter().find(|kind| kind.name() == name).unwrap()
    }
}

/// Makes the call with this reference; a refund is one of the payment `hash`.
pub(crate) fn call(
    client: &Client,
    kind: Kind,
    [reference, hash]: [&str; 2],
    context: &CallContext,
) -> Result<(), Error> {
    let perform = |name: &str, request: Value| {
        by_name::call(client, name, request.to_string().as_bytes(), context).map(drop)
    };
    match kind {
        Kind::Payment | Kind::Ensure => perform(
            if kind == Kind::Ensure { "ensure_payment" } else { "create_payment" },
            json!({"payment": {
                "name": "Ana Pérez", "email": "ana@example.com", "country": "mx",
                "payment_type_code": "oxxo", "merchant_payment_code": reference,
                "currency_code": "MXN", "amount_total": "150.00",
            }}),
        ),
        Kind::Payout => perform(
            "create_payout",
            json!({
                "external_reference": reference, "country": "br", "amount": "10.00",
                "currency_code": "BRL", "target": "pix_key", "target_account": "joao@example.com",
                "payee": {"name": "João Souza", "document": "853.513.468-93"},
            }),
        ),
        Kind::Refund => perform(
            "refund_payment",
            json!({"hash": hash, "amount": "1.00", "merchant_refund_code": reference}),
        ),
        Kind::Send => {
            let body = json!({"transfer": reference}).to_string();
            let request = RawRequest::new("POST", TRANSFERS).body(body).reference(reference);
            client.execute(&request, context).map(drop)
        }
    }
}

/// The service of a row, with the files of its callers.
pub(crate) struct Place {
    pub(crate) row: Row,
    pub(crate) sandbox: Sandbox,
    pub(crate) folder: PathBuf,
    front: Option<Front>,
    members: Value,
}

impl Place {
    pub(crate) fn new(row: Row, folder: &Path) -> Self {
        let sandbox = Sandbox::start(SandboxConfig {
            accept_paths: vec![TRANSFERS.to_owned()],
            accept_repeats: true,
            request_log_limit: 100_000,
            token_limit: TokenLimit { requests: 0, ..TokenLimit::default() },
            ..SandboxConfig::default()
        });
        let sandbox = sandbox.unwrap();
        let folder = folder.join(row.to_string().replace(", ", "-").replace(' ', "-"));
        let _ = std::fs::remove_dir_all(&folder);
        make_private(&folder);
        let keys = Path::new(env!("CARGO_MANIFEST_DIR")).join("../vectors/keys");
        let public = std::fs::read_to_string(keys.join("test_rsa_4096_public.pem")).unwrap();
        let settings = sandbox.config();
        let mut members = json!({
            "environment": "sandbox",
            "base_url": sandbox.base_url(),
            "auth_url": sandbox.auth_url(),
            "client_id": settings.client_id,
            "client_secret": settings.client_secret,
            "kid": sandbox.register_pem(&public).unwrap(),
            "key_file": keys.join("test_rsa_4096_pkcs8.pem"),
            "timeout_ms": 20_000,
        });
        let front = (row.setting == Setting::Tls).then(|| Front::start(sandbox.port(), &folder));
        if let Some(front) = &front {
            members["base_url"] = front.url().into();
            members["ca_file"] = front.authority().to_str().unwrap().into();
        }
        if row.has_journal {
            let journal = folder.join("journal.db");
            SqliteJournal::create(&journal).unwrap();
            members["journal"] = format!("file:{}", journal.display()).into();
        }
        let place = Self { row, sandbox, folder, front, members };
        let client = place.client();
        // It also fetches the token that the runs find.
        call(&client, Kind::Payment, [FIRST, ""], &client.context()).unwrap();
        place
    }

    /// The folder of tokens that each run gets a copy of.
    pub(crate) fn tokens(&self) -> PathBuf {
        self.folder.join("tokens")
    }

    fn journal(&self) -> PathBuf {
        self.folder.join("journal.db")
    }

    pub(crate) fn configuration(&self, tokens: &Path) -> Value {
        let mut members = self.members.clone();
        members["token_store"] = format!("file:{}", tokens.display()).into();
        members
    }

    /// Prepares the service and the journal for the call with this reference.
    fn prepare(&self, reference: &str) {
        match self.row.setting {
            Setting::Found => {
                let mut config = self.configuration(&self.tokens());
                config["journal"] = Value::Null;
                let config = Config::from_json(config.to_string().as_bytes()).unwrap();
                let client = Client::new(config).unwrap();
                call(&client, Kind::Payment, [reference, ""], &client.context()).unwrap();
            }
            Setting::QueryFails => {
                self.sandbox.clear_faults();
                let failures = vec![Fault::status(503); QUERIES];
                self.sandbox
                    .script_fault(FaultScript::for_operation(Operation::QueryPayment, failures));
            }
            Setting::Busy => {
                let other = Connection::open(self.journal()).unwrap();
                std::thread::spawn(move || {
                    other.execute_batch("BEGIN IMMEDIATE").unwrap();
                    std::thread::sleep(BUSY);
                    other.execute_batch("ROLLBACK").unwrap();
                });
            }
            Setting::Plain | Setting::Kept | Setting::Tls | Setting::Fresh | Setting::LongLog => {}
        }
    }

    /// A client of a process that is not cut.
    pub(crate) fn client(&self) -> Client {
        let config = self.configuration(&self.tokens()).to_string();
        Client::new(Config::from_json(config.as_bytes()).unwrap()).unwrap()
    }

    /// The task of a worker. Each finds the same files, apart from the entries
    /// of those before.
    pub(crate) fn task(&self, reference: &str, hash: &str, timeout: Duration) -> Value {
        let tokens = self.folder.join("tokens-of-a-run");
        let _ = std::fs::remove_dir_all(&tokens);
        make_private(&tokens);
        if self.row.setting != Setting::Fresh {
            for file in std::fs::read_dir(self.tokens()).unwrap().map(Result::unwrap) {
                std::fs::copy(file.path(), tokens.join(file.file_name())).unwrap();
            }
        }
        if self.row.has_journal {
            let journal = Connection::open(self.journal()).unwrap();
            // Otherwise closing removes the log.
            let keeps_log = self.row.setting != Setting::Fresh;
            journal.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keeps_log).unwrap();
            journal.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
            if self.row.setting == Setting::LongLog {
                lengthen(&journal, &self.folder.join("journal.db-wal"));
            }
        }
        self.prepare(reference);
        let mut config = self.configuration(&tokens);
        config["timeout_ms"] = u64::try_from(timeout.as_millis()).unwrap().into();
        json!({
            "config": config,
            "kind": self.row.kind.name(),
            "reference": reference,
            "hash": hash,
            "is_kept": self.row.setting == Setting::Kept,
        })
    }

    /// A confirmed payment to refund, if the row refunds.
    pub(crate) fn payment_to_refund(&self, client: &Client, number: usize) -> String {
        if self.row.kind != Kind::Refund {
            return String::new();
        }
        let reference = format!("paid-{number}");
        call(client, Kind::Payment, [&reference, ""], &client.context()).unwrap();
        self.sandbox.confirm_payment(&reference).unwrap().hash
    }

    /// Lets these days pass for the journal: every call is over, and a person may
    /// say no.
    pub(crate) fn age_journal(&self, days: i64) {
        let journal = Connection::open(self.journal()).unwrap();
        let earlier = "UPDATE payments_journal SET created_at = created_at - ?1, \
                       deadline_at = deadline_at - ?1, settles_at = settles_at - ?1";
        journal.execute(earlier, [days * 86_400_000]).unwrap();
    }

    /// How often the service executed the call with each reference.
    pub(crate) fn executed(&self) -> HashMap<String, usize> {
        let mut executed = HashMap::new();
        let mut count = |reference: String| *executed.entry(reference).or_default() += 1;
        match self.row.kind {
            Kind::Payment | Kind::Ensure => {
                let payments = self.sandbox.payments().into_iter();
                payments.for_each(|it| count(it.merchant_payment_code));
            }
            Kind::Payout => {
                let payouts = self.sandbox.payouts().into_iter();
                payouts.for_each(|it| count(it.external_reference));
            }
            Kind::Refund => {
                let refunds = self.sandbox.payments().into_iter().flat_map(|it| it.refunds);
                refunds.filter_map(|it| it.merchant_refund_code).for_each(count);
            }
            Kind::Send => {
                let requests = self.sandbox.requests().into_iter();
                for request in requests.filter(|it| it.executed && it.path == TRANSFERS) {
                    let body: Value = serde_json::from_slice(&request.body).unwrap();
                    count(body["transfer"].as_str().unwrap().to_owned());
                }
            }
        }
        executed
    }

    /// Waits until the service has read all bytes that arrived from the cut
    /// calls.
    pub(crate) fn settle(&self) {
        self.sandbox.clear_faults();
        let began = Instant::now();
        while self.sandbox.stats().open_connections > 0 {
            assert!(began.elapsed() < PATIENCE, "a connection stays open");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// The port that calls under TLS connect to, and nothing else does.
    pub(crate) fn tls_port(&self) -> Option<u16> {
        self.front.as_ref().map(Front::port)
    }
}

/// Writes to the journal until its log is just as long as it may be: any write
/// of a call then makes it longer.
fn lengthen(journal: &Connection, log: &Path) {
    journal.pragma_update(None, "wal_autocheckpoint", 0).unwrap();
    journal.pragma_update(None, "synchronous", "OFF").unwrap();
    while std::fs::metadata(log).unwrap().len() + FRAME <= LARGEST_LOG {
        journal
            .execute("UPDATE payments_journal SET note = ifnull(note, 0) + 1 WHERE rowid = 1", [])
            .unwrap();
    }
}

fn make_private(folder: &Path) {
    DirBuilder::new().mode(0o700).recursive(true).create(folder).unwrap();
}
