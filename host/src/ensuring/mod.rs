//! A payment that exists once, however often it is asked for: found, or created.

mod existing;

use std::time::Duration;

use payments_core::error::{Error, ErrorCode, ErrorKind, Outcome, Reason};
use payments_core::for_host::{ClientInside as _, ContextParts as _, ErrorParts as _, blocked_by};
use payments_core::journal::{Entry, EntryState, Found, FoundOutcome, Needs};
use payments_core::json::Json;
use payments_core::operation::Operation;
use payments_core::request::{
    CreatePayment, DraftBody, PaymentResponse, QueryPayment, Request as _, TypedResponse as _,
};
use payments_core::{CallContext, CallResponse, Client};

use self::existing::{BODY, Existing, Facts, JournalRecord, compare, recorded};
use crate::follow::{NextStep, OpenPayment};

/// The time that is kept for the last query.
const FOR_THE_LAST: Duration = Duration::from_secs(1);

/// A payment that exists, and whether this call created it.
#[derive(Clone, Debug)]
pub struct EnsuredPayment {
    /// The response to the creation, or to a query.
    pub payment: PaymentResponse,
    /// Whether this is the response to the creation that this call sent. `false`
    /// for a payment that a query found, even if this call had sent its creation
    /// and got no response.
    pub is_created: bool,
    /// The parts of the request that could not be compared with a payment that was found:
    /// `currency_code` and `amount_total`, which the response may lack, and `body`,
    /// the rest of the request, which only an entry of a journal records.
    pub unchecked: Vec<&'static str>,
}

impl EnsuredPayment {
    /// The response for other languages, with `is_created` and `unchecked` in its
    /// view.
    pub(crate) fn into_call_response(self) -> CallResponse {
        let mut response = self.payment.into_call_response();
        if let Json::Object(view) = &mut response.view {
            let unchecked = self.unchecked.into_iter().map(Json::from).collect::<Vec<_>>();
            view.push("is_created", self.is_created);
            view.push("unchecked", unchecked);
        }
        response
    }
}

/// Returns the payment with the reference of `request`, and creates it if the
/// service has none. A payment that is found is returned in any state, even if
/// it is cancelled: a new attempt needs a new reference.
///
/// One call sends at most one creation. Two concurrent calls create one payment
/// if they share a journal; without one, that depends on the service.
///
/// With a journal, its entry for the reference decides first: a payment that is
/// `done` is queried by its hash; an open one is queried, and never created. If
/// the creation leaves a doubt, queries continue until the deadline of `context`.
/// Each request has the client's own deadline too.
///
/// # Errors
/// Those of a failed query, except one that finds no payment: nothing was
/// created. `reference_used`, with the outcome `unknown`, if the payment with
/// the reference is another one: nothing was created, unless the message says
/// so. Those of [`Client::create_payment`].
pub fn ensure_payment(
    client: &Client,
    request: &CreatePayment,
    context: &CallContext,
) -> Result<EnsuredPayment, Error> {
    let ensuring = Ensuring::new(client, request, context)?;
    let Found { now, entries } = ensuring.entries()?;
    let (entry, query) = match recorded(&entries, &ensuring.reference) {
        JournalRecord::Nothing => {
            let by_reference = ensuring.by_reference();
            return match ensuring.query(&by_reference) {
                Ok(payment) => ensuring.found(payment, CreationSent::Nothing),
                Err(error) if is_not_found(&error) => ensuring.create(),
                Err(error) => Err(error),
            };
        }
        JournalRecord::Done(entry) => {
            let by_hash = entry.hash.as_deref().map(QueryPayment::by_hash);
            let query = by_hash.unwrap_or_else(|| ensuring.by_reference());
            match ensuring.query(&query) {
                Ok(payment) => return ensuring.found(payment, CreationSent::Nothing),
                Err(error) if is_not_found(&error) => (entry, query),
                Err(error) => return Err(error),
            }
        }
        JournalRecord::Open(entry) => (entry, ensuring.by_reference()),
    };
    let doubt = blocked_by(entry, client.is_recorded_as(request, entry)?, now)
        .with_operation(Operation::CreatePayment, Some(&ensuring.reference));
    ensuring.query_until_found(&query, doubt, CreationSent::Nothing)
}

fn is_not_found(error: &Error) -> bool {
    error.reason() == Some(Reason::NotFound)
}

/// The creations of a call.
#[derive(Clone, Copy)]
enum CreationSent {
    Nothing,
    Creation,
}

struct Ensuring<'a> {
    client: &'a Client,
    request: &'a CreatePayment,
    context: CallContext,
    reference: String,
    asked: Facts,
}

impl<'a> Ensuring<'a> {
    fn new(
        client: &'a Client,
        request: &'a CreatePayment,
        context: &CallContext,
    ) -> Result<Self, Error> {
        let draft = request.draft(client.rules())?;
        let recorded = Operation::CreatePayment.definition().recorded;
        let members = match draft.body {
            DraftBody::Members(members) => Json::Object(members),
            _ => Json::Null,
        };
        let text = |pointer: Option<&str>| {
            members.pointer(pointer?)?.as_text_or_number().map(str::to_owned)
        };
        let reference = draft.reference.unwrap_or_default();
        let asked = Facts {
            reference: Some(reference.clone()),
            amount: text(recorded.amount),
            currency: text(recorded.currency),
        };
        Ok(Self { client, request, context: context.begun(), reference, asked })
    }

    fn by_reference(&self) -> QueryPayment {
        QueryPayment::by_merchant_payment_code(&self.reference)
    }

    /// All entries of the reference; none without a journal.
    fn entries(&self) -> Result<Found, Error> {
        if !self.client.has_journal() {
            return Ok(Found { now: 0, entries: Vec::new() });
        }
        let journal = self.client.client_journal()?;
        self.client.read(&self.context, |it| journal.find_reference(it, &self.reference))
    }

    fn query(&self, query: &QueryPayment) -> Result<PaymentResponse, Error> {
        let context = self.context.limited_to(self.client.timeout()).with_own_record();
        self.client.execute(query, &context)
    }

    /// Sends the creation, once.
    fn create(&self) -> Result<EnsuredPayment, Error> {
        let context = self.context.limited_to(self.client.timeout());
        match self.client.execute(self.request, &context) {
            Ok(payment) => Ok(EnsuredPayment { payment, is_created: true, unchecked: Vec::new() }),
            Err(error) if error.outcome() == Outcome::NotExecuted => Err(error),
            Err(doubt) => {
                self.query_until_found(&self.by_reference(), doubt, CreationSent::Creation)
            }
        }
    }

    /// Queries until the payment is found, or until the deadline: then `doubt` is
    /// the end.
    fn query_until_found(
        &self,
        query: &QueryPayment,
        doubt: Error,
        sent: CreationSent,
    ) -> Result<EnsuredPayment, Error> {
        let clock = self.client.clock();
        let started = clock.monotonic();
        let mut failures = 0;
        loop {
            let answer = self.query(query);
            let payment = OpenPayment {
                age: clock.monotonic().saturating_duration_since(started),
                give_up_after: Duration::MAX,
                // Until the deadline, it may be found.
                was_found: true,
                failures,
            };
            let is_found = answer.as_ref().map(|_| true);
            failures = payment.failures_after(is_found);
            let step = payment.next_step(is_found);
            let wait = match (answer, step) {
                (Ok(payment), _) => return self.found(payment, sent),
                (Err(_), NextStep::Query(wait)) => wait,
                (Err(error), _) if error.kind() == ErrorKind::Cancelled => {
                    return Err(doubt.into_cancelled());
                }
                (Err(_), _) => return Err(doubt),
            };
            let left = self.context.remaining().saturating_sub(FOR_THE_LAST);
            if left.is_zero() {
                return Err(doubt);
            }
            // If the call is cancelled meanwhile, the next query says so.
            let _ = self.context.sleep(wait.min(left));
        }
    }

    /// Compares a payment that was found with the request. It is known by now, so
    /// a journal that cannot be read leaves the body unchecked.
    fn found(&self, payment: PaymentResponse, sent: CreationSent) -> Result<EnsuredPayment, Error> {
        let found = self.entries().ok();
        let entry = found.as_ref().and_then(|it| match recorded(&it.entries, &self.reference) {
            JournalRecord::Done(entry) | JournalRecord::Open(entry) => Some((entry, it.now)),
            JournalRecord::Nothing => None,
        });
        let has_same_body =
            entry.and_then(|(entry, _)| self.client.is_recorded_as(self.request, entry).ok());
        match compare(&self.asked, &Facts::of(&payment), has_same_body) {
            Existing::Same { unchecked } => {
                if let Some((entry, now)) = entry {
                    self.recover(entry, now, &payment);
                }
                Ok(EnsuredPayment { payment, is_created: false, unchecked })
            }
            Existing::Other(differs) => {
                Err(self.another((differs, sent), entry.map(|(entry, _)| entry), payment))
            }
        }
    }

    /// Records that the payment of an entry exists, as recovery does. If that
    /// fails, the entry stays open, and recovery does it.
    fn recover(&self, entry: &Entry, now: u64, payment: &PaymentResponse) {
        let is_ours = payment.merchant_payment_code() == Some(&*self.reference);
        if !is_ours || entry.needs(now, self.client.rules()) != Some(Needs::Query) {
            return;
        }
        let Ok(journal) = self.client.client_journal() else { return };
        let found = FoundOutcome {
            state: EntryState::Done,
            hash: payment.hash().map(str::to_owned),
            uid: None,
            cancelled_with: None,
        };
        let decide = |stored: &Entry| stored.recovered(&found);
        let _ = self.client.change(journal, entry, decide, &self.context);
    }

    /// The error of a payment with the reference that differs from the request.
    fn another(
        &self,
        (differs, sent): (&str, CreationSent),
        entry: Option<&Entry>,
        payment: PaymentResponse,
    ) -> Error {
        let (kind, what) = match entry.filter(|_| differs == BODY) {
            Some(entry) => {
                let what = format!("the journal has another body for it (entry {})", entry.id);
                (ErrorKind::Journal, what)
            }
            None => (ErrorKind::Protocol, format!("it has another {differs}")),
        };
        let more = match sent {
            CreationSent::Creation => {
                "; the creation that this call sent may have been executed too"
            }
            CreationSent::Nothing => "",
        };
        let message = format!("a payment with this reference exists, and {what}{more}");
        let mut response = payment.into_call_response();
        response.raw = response.raw.bounded(self.client.rules().max_response_values);
        Error::new(kind, Outcome::Unknown, ErrorCode::REFERENCE_USED, message)
            .because(Reason::ReferenceTaken)
            .with_operation(Operation::CreatePayment, Some(&self.reference))
            .with_response(response)
            .without_texts(|text| self.client.is_secret(text))
    }
}
