//! Takes a payment as a shop would: keeps its reference, creates it, and
//! queries an unknown one until it is found. Run it again with the same
//! reference to continue querying: a payment is never sent twice.
//!
//! ```text
//! cargo run -p payments-core --example pay -- payments.json order-1001 100.10
//! ```
//!
//! Ends with 0 when the payment exists, 1 when nothing was executed, and 3
//! when that is not known. `payments sandbox --config-out DIR` writes a
//! `payments.json` to try it with.

use std::error::Error;
use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use payments_core::request::PaymentResponse;
use payments_core::{CallContext, Client, Config, CreatePayment, ErrorCode, Payment, QueryPayment};

/// A call ends at this deadline, whatever becomes of it.
const CALL: Duration = Duration::from_secs(30);
/// How long after that deadline a payment that the service does not find may
/// still turn up. A person may decide only after that.
const SETTLE_AFTER_MINUTES: u64 = 15;
/// How often it is asked in a row, with growing pauses.
const QUERIES: u32 = 3;

/// The state of a payment.
pub enum Known {
    /// It exists.
    Found(PaymentResponse),
    /// It may exist: ask again later.
    NotYet,
    /// The service did not find it for so long that a person must decide.
    NeedsDecision,
}

/// Pays once, whatever happens. An error says that nothing was executed.
pub fn pay(
    client: &Client,
    orders: &Path,
    reference: &str,
    amount: &str,
) -> Result<Known, Box<dyn Error>> {
    let payment = Payment {
        name: "Maria Souza".into(),
        email: "maria@example.com".into(),
        country: "br".into(),
        payment_type_code: "pix".into(),
        merchant_payment_code: reference.into(),
        currency_code: "BRL".into(),
        amount_total: amount.parse()?,
        document: Some("853.513.468-93".into()),
        ..Payment::default()
    };
    // The reference is kept before the call. Nothing relies on the service to
    // refuse a reference that was used before.
    let kept = orders.join(format!("{reference}.sent"));
    if let Some(deadline) = keep(&kept)? {
        return Ok(find(client, reference, deadline));
    }
    let context = CallContext::with_timeout(CALL);
    match client.execute(&CreatePayment::new(payment), &context) {
        Ok(response) => Ok(Known::Found(response)),
        Err(error) if error.may_have_been_executed() => {
            eprintln!("{error}");
            Ok(find(client, reference, now() + CALL.as_secs()))
        }
        Err(error) => {
            std::fs::remove_file(&kept)?;
            Err(error.into())
        }
    }
}

/// Keeps the deadline of a call that is about to be made; if the call was made
/// before, gives its deadline. A shop has a row in its database for it.
fn keep(kept: &Path) -> Result<Option<u64>, Box<dyn Error>> {
    match File::create_new(kept) {
        Ok(mut file) => {
            write!(file, "{}", now() + CALL.as_secs())?;
            file.sync_all()?;
            Ok(None)
        }
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            // A file without a number was cut off: its call began at most now.
            let text = std::fs::read_to_string(kept)?;
            Ok(Some(text.parse().unwrap_or_else(|_| now() + CALL.as_secs())))
        }
        Err(error) => Err(error.into()),
    }
}

/// Asks until the payment is found. A failed query never proves that there is
/// no payment: "not found" only means that it has not turned up yet.
fn find(client: &Client, reference: &str, deadline: u64) -> Known {
    let mut is_absent = false;
    for number in 0..QUERIES {
        std::thread::sleep(Duration::from_secs(number.into()));
        match client.query_payment(&QueryPayment::by_merchant_payment_code(reference)) {
            Ok(response) => return Known::Found(response),
            Err(error) => {
                eprintln!("{error}");
                is_absent = error.code() == ErrorCode::PAYMENT_NOT_FOUND;
            }
        }
    }
    let is_over = now() > deadline + 60 * SETTLE_AFTER_MINUTES;
    if is_absent && is_over { Known::NeedsDecision } else { Known::NotYet }
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, reference, amount] = arguments.as_slice() else {
        return Err("usage: pay CONFIGURATION REFERENCE AMOUNT".into());
    };
    let client = Client::new(Config::from_file(file)?)?;
    Ok(match pay(&client, Path::new("."), reference, amount)? {
        Known::Found(response) => {
            println!("hash: {}", response.hash().unwrap_or_default());
            println!("paid: {}", if response.is_paid() { "yes" } else { "not yet" });
            ExitCode::SUCCESS
        }
        Known::NotYet => {
            eprintln!("{reference}: not known yet, run this again later");
            ExitCode::from(3)
        }
        Known::NeedsDecision => {
            eprintln!("{reference} is still not found: a person must decide");
            ExitCode::from(3)
        }
    })
}
