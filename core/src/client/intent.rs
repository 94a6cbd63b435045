//! What a call is about to do, for its entry.

use sha2::{Digest as _, Sha256};

use super::Client;
use crate::auth;
use crate::context::CallContext;
use crate::error::Error;
use crate::hex::hex;
use crate::journal::{Entry, State};
use crate::json::Json;
use crate::operation::Operation;
use crate::operations::{Draft, DraftBody, Request};

impl Client {
    /// The SHA-256 of the body that `request` sends, in hexadecimal, as an entry
    /// of the journal has it. Signs and sends nothing.
    ///
    /// # Errors
    /// `validation`.
    pub fn body_sha256<R: Request>(&self, request: &R) -> Result<String, Error> {
        let draft = request.draft(self.rules())?;
        let settings = &self.0.settings;
        let chosen = auth::choose(settings, false, draft.operation);
        let (request, _) = auth::prepare(settings, None, chosen, draft, &self.context())?;
        Ok(digest(request.body()))
    }
}

fn digest(body: &[u8]) -> String {
    hex(&Sha256::digest(body))
}

/// What the entry of a call says of its request.
pub(super) struct Intent {
    operation: Operation,
    reference: String,
    refund_code: Option<String>,
    amount: Option<String>,
    currency: Option<String>,
}

impl Intent {
    /// `None` if the request is not journaled: it moves no money, or has no
    /// reference.
    pub(super) fn of(draft: &Draft) -> Option<Self> {
        let operation = draft.operation;
        let reference = draft.reference.clone().filter(|_| operation.moves_money())?;
        let members = match &draft.body {
            DraftBody::Members(members) => Some(members),
            DraftBody::Empty | DraftBody::Bytes { .. } => None,
        };
        let payment = |name| members.and_then(|it| it.get("payment")?.get(name));
        let top = |name| members.and_then(|it| it.get(name));
        let (amount, currency) = match operation {
            Operation::CreatePayment => (payment("amount_total"), payment("currency_code")),
            _ => (top("amount"), top("currency_code")),
        };
        let text =
            |value: Option<&Json>| value.and_then(Json::as_text_or_number).map(str::to_owned);
        Some(Self {
            operation,
            reference,
            refund_code: text(top("merchant_refund_code")),
            amount: text(amount),
            currency: text(currency),
        })
    }

    /// The entry of a call with this `body`, which begins now.
    pub(super) fn entry(self, scope: &str, body: &[u8], context: &CallContext, now: u64) -> Entry {
        let remaining = u64::try_from(context.remaining().as_millis()).unwrap_or(u64::MAX);
        Entry {
            id: new_id(now),
            version: 1,
            scope: scope.to_owned(),
            operation: self.operation,
            reference: self.reference,
            refund_code: self.refund_code,
            amount: self.amount,
            currency: self.currency,
            body_sha256: digest(body),
            host: host(),
            process: std::process::id().to_string(),
            created_at: now,
            deadline_at: now.saturating_add(remaining),
            ended_at: None,
            state: State::InProgress,
            decided_by: None,
            hash: None,
            uid: None,
            kind: None,
            code: None,
            note: None,
            conflict: None,
            superseded_by: None,
        }
    }
}

/// The time in 12 hexadecimal digits, so that ids grow, and 20 random ones.
fn new_id(now: u64) -> String {
    let mut random = [0; 10];
    // Without random numbers, the primary key refuses an id that exists.
    let _ = aws_lc_rs::rand::fill(&mut random);
    format!("{now:012x}{}", hex(&random))
}

/// The name of this host, for people.
#[cfg(unix)]
fn host() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

#[cfg(not(unix))]
fn host() -> String {
    std::env::var("COMPUTERNAME").unwrap_or_default()
}
