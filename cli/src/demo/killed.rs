//! A process that is killed while it pays: the journal refuses its reference,
//! until recovery finds the outcome of the payment.

use std::any::Any;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use payments_core::journal::{
    Counted, Entry, EntryState, Filter, Found, Journal, JournalError, SqliteJournal, Updated,
};
use payments_core::request::{CreatePayment, Payment};
use payments_core::{CallContext, Client, ErrorCode, Outcome};

use super::checks::{expect, present};
use super::keep::new_folder;
use super::narrator::Narrator;
use super::payments::pix_payment;
use super::stage::Stage;
use crate::process::failure::Failure;

const REFERENCE: &str = "order-1005";
/// How far the journal's clock is set ahead: beyond every call.
const LATER: Duration = Duration::from_secs(600);
const PATIENCE: Duration = Duration::from_secs(60);

/// Kills a process that pays, and finds the payment by the journal. Returns how many
/// tokens other processes requested.
pub(super) fn recover(stage: &Stage, narrator: &mut Narrator) -> Result<u64, Failure> {
    narrator.begin("Kill a process in mid-call, and recover");
    let folder = new_folder()?;
    let result = kill_and_recover(stage, narrator, &folder);
    // The rest is in the folder for temporary files, and holds no secret.
    let _ = std::fs::remove_dir_all(&folder);
    result
}

fn kill_and_recover(stage: &Stage, narrator: &mut Narrator, folder: &Path) -> Result<u64, Failure> {
    narrator.say(
        "A second process pays. It has written to its journal, a file, what it is about to do. \
         The sandbox executes the payment and does not respond, and the process is killed.",
    );
    let path = folder.join("journal.db");
    let journal = Arc::new(SqliteJournal::create(&path)?);
    if let Err(error) = kill_one_that_pays(stage, folder, &path)? {
        // An emulator of another processor may not run one.
        narrator.say(&format!(
            "This system does not run a second process ({error}), so this part is left out."
        ));
        return Ok(0);
    }
    narrator.say("The next process sends the same payment again. The journal refuses it:");
    let client = Client::new(stage.config().journal(Arc::clone(&journal) as _))?;
    let request = CreatePayment::new(pix_payment(REFERENCE)?);
    let error = match client.create_payment(&request) {
        Ok(_) => {
            return Err(Failure::demo("expected the journal to refuse, but it was paid again"));
        }
        Err(error) => error,
    };
    narrator.tell("code", error.code().as_str());
    narrator.tell("outcome", error.outcome().as_str());
    narrator.tell("message", error.message());
    expect("the code", error.code(), ErrorCode::IN_PROGRESS)?;
    expect("the outcome", error.outcome(), Outcome::Unknown)?;

    narrator.say(
        "From a minute after the deadline of the call on, payments journal recover queries the \
         payment. So that you need not wait, the journal's clock is set ahead here:",
    );
    let later = Client::new(stage.config().journal(Arc::new(JournalAhead(journal))))?;
    let recovery = payments_host::recover(&later, &later.context())?;
    let entry = present("the entry that was recovered", recovery.recovered.first())?;
    narrator.tell("state", entry.state.as_str());
    narrator.tell("found", present("the payment hash", entry.hash.as_deref())?);
    expect("the state", entry.state, EntryState::Done)?;
    expect("payments with this reference", count_of(stage, REFERENCE), 1)?;
    narrator.done("it was executed, once");
    Ok(1)
}

/// Starts a process that pays, and kills it when the sandbox has executed the payment.
/// Returns why none was started.
fn kill_one_that_pays(
    stage: &Stage,
    folder: &Path,
    journal: &Path,
) -> Result<std::io::Result<()>, Failure> {
    let fault = r#"{"operation":"create_payment","then":[{"fault":"hang","execute":true}]}"#;
    stage.sandbox.script_json(fault).map_err(Failure::demo)?;
    let mut process = match start(stage, folder, journal) {
        Ok(process) => process,
        Err(error) => {
            stage.sandbox.clear_faults();
            return Ok(Err(error));
        }
    };
    let not_ended = |error| Failure::demo(format!("could not end the second process: {error}"));
    let started = Instant::now();
    while count_of(stage, REFERENCE) == 0 && started.elapsed() < PATIENCE {
        if let Some(status) = process.try_wait().map_err(not_ended)? {
            return Err(Failure::demo(format!("the second process ended by itself: {status}")));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    process.kill().and_then(|()| process.wait()).map_err(not_ended)?;
    expect("payments of the second process", count_of(stage, REFERENCE), 1).map(Ok)
}

fn start(stage: &Stage, folder: &Path, journal: &Path) -> std::io::Result<Child> {
    let config = stage.sandbox.config();
    let payment = pix_payment(REFERENCE).map_err(|_| std::io::Error::other("no payment"))?;
    let Payment { name, email, country, payment_type_code, currency_code, .. } = payment;
    let (amount, document) = (payment.amount_total.to_string(), payment.document);
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("create-payment").current_dir(folder).env_clear();
    for (option, value) in [
        ("name", name),
        ("email", email),
        ("country", country),
        ("payment-type-code", payment_type_code),
        ("merchant-payment-code", REFERENCE.to_owned()),
        ("currency-code", currency_code),
        ("amount-total", amount),
        ("document", document.unwrap_or_default()),
    ] {
        command.arg(format!("--{option}={value}"));
    }
    for (member, value) in [
        ("BASE_URL", stage.sandbox.base_url()),
        ("AUTH_URL", stage.sandbox.auth_url()),
        ("ENVIRONMENT", "sandbox"),
        ("INTEGRATION_KEY", &config.integration_key),
        ("CLIENT_ID", &config.client_id),
        ("CLIENT_SECRET", &config.client_secret),
        ("KEY", stage.key.private_key_pem.expose()),
        ("KID", &stage.kid),
        ("JOURNAL", &format!("file:{}", journal.display())),
    ] {
        command.env(format!("PAYMENTS_{member}"), value);
    }
    // Its own token is kept there.
    command.env("XDG_CACHE_HOME", folder.join("cache"));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn()
}

fn count_of(stage: &Stage, reference: &str) -> usize {
    let payments = stage.sandbox.payments();
    payments.iter().filter(|payment| payment.merchant_payment_code == reference).count()
}

/// A journal whose clock is set ahead.
struct JournalAhead(Arc<SqliteJournal>);

impl Journal for JournalAhead {
    fn insert(&self, context: &CallContext, entry: &Entry) -> Result<bool, JournalError> {
        self.0.insert(context, entry)
    }

    fn update(&self, context: &CallContext, entry: &Entry) -> Result<Updated, JournalError> {
        self.0.update(context, entry)
    }

    fn find(&self, context: &CallContext, filter: &Filter) -> Result<Found, JournalError> {
        let Found { now, entries } = self.0.find(context, filter)?;
        let ahead = u64::try_from(LATER.as_millis()).unwrap_or(u64::MAX);
        Ok(Found { now: now.saturating_add(ahead), entries })
    }

    fn count(
        &self,
        context: &CallContext,
        scope: &str,
        before: u64,
    ) -> Result<Counted, JournalError> {
        self.0.count(context, scope, before)
    }

    fn prune(
        &self,
        context: &CallContext,
        scope: &str,
        before: u64,
        limit: u32,
    ) -> Result<u64, JournalError> {
        self.0.prune(context, scope, before, limit)
    }

    fn lock_recovery(&self) -> Result<Box<dyn Any + Send + Sync>, JournalError> {
        self.0.lock_recovery()
    }
}
