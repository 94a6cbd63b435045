//! The intent of a call, for its entry.

use std::time::Duration;

use payments_base::hex::hex;
use payments_base::process::host;
use payments_transport::context::CallContext;
use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

use super::Client;
use crate::journal::{ABANDONED_AFTER_MS, Entry, EntryState, RecordedAs};
use crate::model::amount::{Amount, same_amount};
use crate::model::error::{Error, ErrorCode};
use crate::model::json::{Json, Members};
use crate::model::operation::{INTEGRATION_KEY, Operation, Recorded};
use crate::model::request::{Draft, DraftBody, Request, value_at};
use crate::model::rules::Rules;

impl Client {
    /// The SHA-256 of the body that `request` sends, without `integration_key`,
    /// in hexadecimal, as an entry of the journal has it. Signs and sends
    /// nothing.
    ///
    /// # Errors
    /// `validation`.
    pub fn body_sha256<R: Request>(&self, request: &R) -> Result<String, Error> {
        request.draft(self.rules()).map(|draft| digest(&draft))
    }

    /// How `request` compares with the one that `entry` records. The body is the same
    /// also if that takes the entry's own spelling of the amount, since a spreadsheet
    /// saves `10.00` as `10`. Signs and sends nothing.
    ///
    /// # Errors
    /// `validation`.
    pub fn recorded_as<R: Request>(&self, request: &R, entry: &Entry) -> Result<RecordedAs, Error> {
        let draft = request.draft(self.rules())?;
        let Recorded { amount, currency, .. } = draft.operation.definition().recorded;
        let found = entry.records_money(draft.recorded(amount), draft.recorded(currency));
        let has_its_hash = |draft: &Draft| digest(draft) == entry.body_sha256;
        let is_same =
            has_its_hash(&draft) || spelled_as(entry, draft).as_ref().is_some_and(has_its_hash);
        Ok(if is_same { RecordedAs::Same } else { found })
    }
}

/// `draft` with the entry's own spelling of the amount. `None` if they are not
/// the same amount.
fn spelled_as(entry: &Entry, mut draft: Draft) -> Option<Draft> {
    let pointer = draft.operation.definition().recorded.amount?;
    let spelled = Amount::parse(entry.amount.as_deref()?).ok()?;
    let DraftBody::Members(members) = &mut draft.body else { return None };
    let own = value_at(members, pointer)?.as_text_or_number()?;
    if !same_amount(own, spelled.as_str()) {
        return None;
    }
    let mut body = Json::Object(std::mem::take(members));
    body.set_pointer(pointer, spelled.into()).ok()?;
    if let Json::Object(respelled) = body {
        *members = respelled;
    }
    Some(draft)
}

/// Leaves out the integration key: its rotation does not make another body.
fn digest(draft: &Draft) -> String {
    let bytes = match (draft.members(), &draft.body) {
        (Some(members), _) => {
            let mut members = members.into_owned();
            members.remove(INTEGRATION_KEY.name);
            let object = draft.executes.request().and_then(|it| it.inner_key_holder());
            let holder = object.and_then(|name| members.get_mut(name));
            if let Some(holder) = holder.and_then(Json::as_object_mut) {
                holder.remove(INTEGRATION_KEY.name);
            }
            members.to_bytes()
        }
        (None, DraftBody::Bytes { bytes, .. }) => bytes.to_vec(),
        (None, _) => Vec::new(),
    };
    hex(&Sha256::digest(Zeroizing::new(bytes)))
}

/// The hash of the payment, in a request.
const HASH: &str = "/hash";
/// The service's id of a refund, in the request that cancels it.
const REFUND_ID: &str = "/refund_id";

const HASH_OF_CANCELLED: &str = "with a journal, a cancellation names the payment of the refund by \
                                 `hash` too, under which it is recorded; query the payment for it";

const HASH_NEEDED: &str = "with a journal, a refund names its payment by `hash` only, since two \
                           names of one payment could be two refunds; query the payment by its \
                           merchant_payment_code, and refund it by the hash in the response";

/// The facts of a request in the entry of its call.
pub(super) struct Intent {
    operation: Operation,
    reference: String,
    refund_code: Option<String>,
    /// The id of the refund that is cancelled.
    uid: Option<String>,
    amount: Option<String>,
    currency: Option<String>,
    body_sha256: String,
}

impl Intent {
    /// `None` if the request is not journaled: it moves no money, or has no
    /// reference.
    ///
    /// # Errors
    /// `validation` if a `send` names a reference other than that of
    /// its body, or if the reference is another name for the subject of an
    /// entry.
    pub(super) fn of(draft: &Draft, rules: &Rules) -> Result<Option<Self>, Error> {
        let operation = draft.executes;
        if !operation.moves_money() {
            return Ok(None);
        }
        if let Some(cancellation) = draft.cancellation() {
            return Self::of_cancellation(draft, cancellation, rules).map(Some);
        }
        let Recorded { amount, currency, refund_code, refuses, .. } =
            operation.definition().recorded;
        let members = draft.members();
        let value = |pointer: Option<&str>| value_at(members.as_ref()?, pointer?);
        if let Some(refused) = refuses.filter(|it| value(Some(it)).is_some()) {
            let path = refused.trim_start_matches('/');
            return Err(Error::validation(path, ErrorCode::HASH_NEEDED, HASH_NEEDED));
        }
        let Some(reference) = draft.reference_of_record(rules)? else { return Ok(None) };
        let text = |pointer| value(pointer)?.as_text_or_number().map(str::to_owned);
        Ok(Some(Self {
            operation,
            reference,
            refund_code: text(refund_code),
            uid: None,
            amount: text(amount),
            currency: text(currency),
            body_sha256: digest(draft),
        }))
    }

    pub(super) fn reference(&self) -> &str {
        &self.reference
    }

    /// The intent of a payment that exists already: its request is not known.
    pub(super) fn without_body(self) -> Self {
        Self { body_sha256: String::new(), ..self }
    }

    /// That of a cancellation, under the hash of the payment.
    fn of_cancellation(draft: &Draft, operation: Operation, rules: &Rules) -> Result<Self, Error> {
        let text = |members: &Members, pointer: Option<&str>| {
            value_at(members, pointer?)?.as_text_or_number().map(str::to_owned)
        };
        let members = draft.described(rules)?;
        let Some(reference) = text(&members, Some(HASH)) else {
            return Err(Error::validation("hash", ErrorCode::HASH_NEEDED, HASH_OF_CANCELLED));
        };
        Ok(Self {
            operation,
            reference,
            refund_code: text(&members, operation.definition().recorded.refund_code),
            uid: text(&members, Some(REFUND_ID)),
            amount: None,
            currency: None,
            body_sha256: digest(draft),
        })
    }

    /// The entry of a call that begins now. `settle_after` its deadline, a
    /// person may say that it was not executed.
    pub(super) fn entry(
        self,
        scope: &str,
        context: &CallContext,
        settle_after: Duration,
        now: u64,
    ) -> Entry {
        let ms = |duration: Duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        let deadline_at = now.saturating_add(ms(context.remaining()));
        let settle_after = ms(settle_after).max(ABANDONED_AFTER_MS);
        Entry {
            id: new_id(now),
            version: 1,
            scope: scope.to_owned(),
            operation: self.operation,
            reference: self.reference,
            refund_code: self.refund_code,
            amount: self.amount,
            currency: self.currency,
            body_sha256: self.body_sha256,
            host: host(),
            process: std::process::id().to_string(),
            created_at: now,
            deadline_at,
            settles_at: deadline_at.saturating_add(settle_after),
            ended_at: None,
            state: EntryState::InProgress,
            decided_by: None,
            hash: None,
            uid: self.uid,
            kind: None,
            code: None,
            note: None,
            rival: None,
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
