//! A payment that exists once, however often it is asked for: found, or created.
//!
//! - `standing.rs`: the truth about the reference, by the journal
//! - `sharing.rs`: one query for all callers that wait for the same payment

mod sharing;
mod standing;

use std::sync::Arc;
use std::time::{Duration, Instant};

use payments_core::error::{Error, ErrorCode, ErrorKind, Outcome, Reason};
use payments_core::journal::{EntryState, FoundOutcome, Needs, RecordedAs};
use payments_core::json::Json;
use payments_core::operation::Operation;
use payments_core::request::{
    CreatePayment, DraftBody, PaymentResponse, QueryPayment, Request as _, TypedResponse as _,
};
use payments_core::{CallContext, CallOptions as _, CallResponse, Client};

use self::sharing::{Asked, OpenReference, Pace};
use self::standing::Standing;
use crate::agreement::{
    self, Compared, Comparison, Counting, KEEP_CASE, PAID_TWICE, Queried, counting,
};
use crate::answer::is_over;

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
    /// The hash of a cancelled payment with the same reference, if the payer tried
    /// again and `payment` is the one that is paid.
    pub other_hash: Option<String>,
}

impl EnsuredPayment {
    /// The response for other languages, with `is_created`, `unchecked` and `other_hash`
    /// in its view.
    pub(crate) fn into_call_response(self) -> CallResponse {
        let mut response = self.payment.into_call_response();
        if let Json::Object(view) = &mut response.view {
            let unchecked = self.unchecked.into_iter().map(Json::from).collect::<Vec<_>>();
            view.push("is_created", self.is_created);
            view.push("unchecked", unchecked);
            view.push("other_hash", self.other_hash);
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
/// `done` is queried by its hash; an open one is queried, and never created. A payment
/// that is found and has no entry gets one. If the payment may exist and is not found,
/// queries continue for `ensure_wait_ms` of the configuration, or
/// [`CallContext::with_ensure_wait`]; the callers of a process share them.
/// Each request has the client's own deadline.
///
/// # Errors
/// The outcome is that of the reference, whichever step failed. It is `not_executed` only
/// for a request that is invalid or a creation that was refused or not sent, and if no
/// entry of the journal says otherwise; `executed` if an entry with the same body is
/// `done`; otherwise `unknown`: ensure the payment again. `reference_used`, with the outcome
/// `unknown`, if the payment with the reference is another one: nothing was
/// created, unless the message says so.
pub fn ensure_payment(
    client: &Client,
    request: &CreatePayment,
    context: &CallContext,
) -> Result<EnsuredPayment, Error> {
    let context = context.begun();
    let draft = request.draft(client.rules()).and_then(|draft| {
        let wait = wait_of(client, &context);
        let wait = wait.map_err(|error| {
            error.with_operation(Operation::CreatePayment, draft.reference.as_deref())
        })?;
        Ok((draft, wait))
    });
    let (draft, wait) = match draft {
        Ok(draft) => draft,
        Err(invalid) => {
            // A body that breaks a rule is that of no entry.
            let recorded_as =
                |entry: &_| client.recorded_as(request, entry).unwrap_or(RecordedAs::Other);
            return Err(standing::error_of_invalid_request(client, &context, invalid, recorded_as));
        }
    };
    let reference = draft.reference.unwrap_or_default();
    let asked = match &draft.body {
        DraftBody::Members(members) => agreement::Asked::of_request(members),
        _ => agreement::Asked::default(),
    };
    let until = Instant::now() + wait;
    let ensuring = Ensuring { client, request, context, reference, asked, until };
    ensuring.run().map_err(|error| ensuring.named(error))
}

/// The time for which a payment that may exist is looked for.
fn wait_of(client: &Client, context: &CallContext) -> Result<Duration, Error> {
    let Some(wait) = context.ensure_wait() else { return Ok(client.ensure_wait()) };
    if wait > LONGEST_WAIT {
        let message = "must be between 0 and 600000: that is ten minutes";
        return Err(Error::validation("ensure_wait_ms", ErrorCode::VALUE_INVALID, message));
    }
    Ok(wait)
}

/// The error of a request that a package refused before it was JSON: `refused` has the
/// `reference` that it read, and `path`, `code` and `message` of its error. The outcome is
/// that of the reference.
pub(crate) fn error_of_refused_ensure(
    client: &Client,
    refused: &Json,
    context: &CallContext,
) -> Error {
    let text = |name: &str| refused.get(name).and_then(Json::as_str).unwrap_or_default();
    let name = text("code");
    let mut known = CODES_OF_PACKAGES.into_iter().filter(|it| it.as_str() == name);
    let code = known.next().unwrap_or(ErrorCode::WRONG_TYPE);
    let invalid = Error::validation(text("path"), code, text("message"))
        .with_operation(Operation::CreatePayment, Some(text("reference")));
    standing::error_of_invalid_request(client, &context.begun(), invalid, |_| RecordedAs::Other)
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
    asked: agreement::Asked,
    /// The time until which a payment that may exist is looked for.
    until: Instant,
}

impl Ensuring<'_> {
    fn run(&self) -> Result<EnsuredPayment, Error> {
        let standing = self.standing()?;
        let query = standing.query(&self.reference);
        let sent = CreationSent::Nothing;
        if let (true, Some(doubt)) = (standing.is_open(), standing.doubt()) {
            return self.query_until_found(&query, &doubt, sent);
        }
        match (self.first(&standing, &query), standing.doubt()) {
            (Ok(counting), _) => self.found(counting, sent),
            (Err(error), None) if is_not_found(&error) => self.create(),
            (Err(error), Some(doubt)) if is_not_found(&error) => {
                self.query_until_found(&query, &doubt, sent)
            }
            (Err(error), _) => Err(standing.after_failure(error)),
        }
    }

    fn standing(&self) -> Result<Standing, Error> {
        let (client, context) = (self.client, &self.context);
        let recorded_as = |entry: &_| client.recorded_as(self.request, entry);
        Standing::read(client, context, &self.reference, recorded_as)
    }

    fn by_reference(&self) -> QueryPayment {
        QueryPayment::by_merchant_payment_code(&self.reference)
    }

    /// The queries of all callers of this process for the reference.
    fn open(&self) -> Arc<OpenReference> {
        OpenReference::of(self.client.merchant(), &self.reference)
    }

    /// The first query. Where a journal lets only one of several callers create the payment,
    /// they share it: as long as it lasts, they arrive before there is an entry.
    fn first(&self, standing: &Standing, query: &QueryPayment) -> Result<Counting, Error> {
        if standing.entry().is_some() || !self.client.has_journal() {
            return self.query(query);
        }
        match self.open().ask(&self.context, (Pace::AtOnce, self.until), || self.query(query)) {
            Asked::Answer(answer) => answer,
            Asked::Nothing(_) => self.query(query),
        }
    }

    fn query(&self, query: &QueryPayment) -> Result<Counting, Error> {
        let context = self.context.limited_to(self.client.timeout()).with_own_record();
        let payment = self.client.execute(query, &context)?;
        if !is_over(&payment) {
            return Ok(Counting::alone(payment));
        }
        // The creation of this call may have made an entry.
        let standing = self.standing()?;
        let (reference, own) = (Some(&*self.reference), standing.entry());
        let by_hash = own.is_some_and(|own| own.hash.is_some());
        counting(self.client, Queried { reference, by_hash, own }, payment, &self.context)
    }

    /// The error of this call.
    fn named(&self, error: Error) -> Error {
        let outcome = error.outcome();
        error
            .with_operation(Operation::CreatePayment, Some(&self.reference))
            .with_outcome_of_reference(outcome)
    }

    /// Sends the creation, once.
    fn create(&self) -> Result<EnsuredPayment, Error> {
        let context = self.context.limited_to(self.client.timeout());
        match self.open().creating(|| self.client.execute(self.request, &context)) {
            Ok(payment) => Ok(EnsuredPayment {
                payment,
                is_created: true,
                unchecked: Vec::new(),
                other_hash: None,
            }),
            // A journal that takes no entry does not say what is true of the reference.
            Err(error) if error.kind() == ErrorKind::Journal && !error.may_have_been_executed() => {
                Err(error.with_outcome_of_reference(Outcome::Unknown))
            }
            Err(error) if !error.may_have_been_executed() => Err(error),
            Err(doubt) => {
                self.query_until_found(&self.by_reference(), &doubt, CreationSent::Creation)
            }
        }
    }

    /// Queries until the payment is found, or the wait is over: then `doubt` is
    /// the end.
    fn query_until_found(
        &self,
        query: &QueryPayment,
        doubt: &Error,
        sent: CreationSent,
    ) -> Result<EnsuredPayment, Error> {
        let open = self.open();
        let spaced = (Pace::Spaced, self.until);
        let mut last = None;
        loop {
            let error = match open.ask(&self.context, spaced, || self.query(query)) {
                Asked::Answer(Ok(counting)) => return self.found(counting, sent),
                Asked::Answer(Err(error)) => error,
                Asked::Nothing(left) => {
                    let doubt = doubt.clone().with_retry_after(Some(left.max(SOONEST)));
                    return Err(match &last {
                        Some(failure) => after_failure(&doubt, failure),
                        None => doubt,
                    });
                }
            };
            match error.kind() {
                ErrorKind::Cancelled => return Err(doubt.clone().into_cancelled()),
                _ if self.context.remaining().is_zero() => {
                    return Err(after_failure(doubt, &error));
                }
                ErrorKind::Validation | ErrorKind::Config | ErrorKind::Internal => {
                    return Err(after_failure(doubt, &error));
                }
                _ => last = Some(error).filter(|error| !is_not_found(error)),
            }
        }
    }

    /// Compares a payment that was found with the request.
    fn found(&self, counting: Counting, sent: CreationSent) -> Result<EnsuredPayment, Error> {
        let Counting { payment, other_hash, is_paid_twice } = counting;
        // The creation of this call has made an entry.
        let standing = self.standing()?;
        let entry = standing.entry();
        let (client, context) = (self.client, &self.context);
        let has_reference =
            agreement::has_reference(client, &self.reference, entry, &payment, context)
                .map_err(|error| standing.after_failure(error))?;
        let comparison = self.asked.compare(&payment);
        let is_shown = payment.merchant_payment_code().is_some();
        let differs = if is_paid_twice {
            Some(PAID_TWICE)
        } else if has_reference {
            difference(&comparison, standing.recorded_as(), is_shown)
        } else {
            Some(REFERENCE)
        };
        if let Some(differs) = differs {
            return Err(self.another(differs, sent, &standing, payment));
        }
        self.record(&standing, &payment);
        let unchecked = unchecked(&comparison, standing.recorded_as());
        Ok(EnsuredPayment { payment, is_created: false, unchecked, other_hash })
    }

    /// Records that the payment exists, as recovery does. If that fails, an open entry
    /// stays open, and recovery does it.
    fn record(&self, standing: &Standing, payment: &PaymentResponse) {
        let (client, context) = (self.client, &self.context);
        let Ok(journal) = client.client_journal() else { return };
        let found = FoundOutcome {
            state: EntryState::Done,
            hash: payment.hash().map(str::to_owned),
            uid: None,
            cancelled_with: None,
        };
        let Some(entry) = standing.entry() else {
            if payment.merchant_payment_code() == Some(&*self.reference) {
                // The request was valid before it was queried.
                let _ = client.record_found(journal, self.request, &found, context);
            }
            return;
        };
        let is_queried = entry.needs(standing.now, client.rules()) == Some(Needs::Query);
        if is_queried && agreement::proves(client, entry, payment, context).unwrap_or(false) {
            let _ = client.read(context, |context| {
                journal.change(context, entry, |stored| stored.recovered(&found))
            });
        }
    }

    /// The error of a payment with the reference that differs from the request.
    fn another(
        &self,
        differs: &str,
        sent: CreationSent,
        standing: &Standing,
        payment: PaymentResponse,
    ) -> Error {
        let shown = payment.merchant_payment_code().unwrap_or_default();
        const EXISTS: &str = "a payment with this reference exists, and";
        let (kind, what) = match standing.entry().filter(|_| differs == BODY) {
            Some(entry) => {
                let what =
                    format!("{EXISTS} the journal has another body for it (entry {})", entry.id);
                (ErrorKind::Journal, what)
            }
            None if differs == REFERENCE && agreement::differs_in_case(shown, &self.reference) => {
                let what = format!("{EXISTS} it is spelled with other capitals; {KEEP_CASE}");
                (ErrorKind::Protocol, what)
            }
            None if differs == PAID_TWICE => (ErrorKind::Protocol, PAID_TWICE.to_owned()),
            None => (ErrorKind::Protocol, format!("{EXISTS} it has another {differs}")),
        };
        let more = match sent {
            CreationSent::Creation => {
                "; the creation that this call sent may have been executed too"
            }
            CreationSent::Nothing => "",
        };
        let message = format!("{what}{more}");
        let mut response = payment.into_call_response();
        response.raw = response.raw.bounded(self.client.rules().max_response_values);
        let error = Error::new(kind, Outcome::Unknown, ErrorCode::REFERENCE_USED, message)
            .because(Reason::ReferenceTaken)
            .with_response(response)
            .without_texts(|text| self.client.is_secret(text));
        standing.with_entry(error)
    }
}

const REFERENCE: &str = "merchant_payment_code";
const AMOUNT: &str = "amount_total";
const CURRENCY: &str = "currency_code";
const BODY: &str = "body";
const CUSTOMER: &str = "customer";

/// The codes of refusals that packages make on their own.
const CODES_OF_PACKAGES: [ErrorCode; 2] = [ErrorCode::JSON_INVALID, ErrorCode::MEMBER_UNKNOWN];

/// As in the configuration.
const LONGEST_WAIT: Duration = Duration::from_secs(600);

/// The shortest time after which to ensure again.
const SOONEST: Duration = Duration::from_secs(1);

/// The doubt about a reference, with the failure of a query about it.
fn after_failure(doubt: &Error, failure: &Error) -> Error {
    if failure.kind() == ErrorKind::Cancelled {
        return doubt.clone().into_cancelled();
    }
    let retry_after = failure.retry_after().max(doubt.retry_after());
    let message = if doubt.message() == failure.message() {
        format!("{}; the query failed likewise", doubt.message())
    } else {
        format!("{}; the query failed: {}", doubt.message(), failure.message())
    };
    doubt.clone().with_message(message).with_retry_after(retry_after)
}

/// The part in which a payment that was found is another one.
fn difference(
    comparison: &Comparison,
    recorded: Option<RecordedAs>,
    has_reference: bool,
) -> Option<&'static str> {
    let Comparison { amount, currency, method, payer } = *comparison;
    let compared = [(CURRENCY, currency), (AMOUNT, amount)];
    if let Some((differs, _)) = compared.iter().find(|(_, it)| *it == Compared::Differs) {
        return Some(differs);
    }
    let all = [amount, currency, method, payer].iter().all(|it| *it == Compared::Same);
    match recorded {
        Some(RecordedAs::Same) => None,
        // The body changes with a card token or a corrected e-mail.
        Some(RecordedAs::Other) => (!(all && has_reference)).then_some(BODY),
        Some(RecordedAs::Unchecked) | None => (payer == Compared::Differs).then_some(CUSTOMER),
    }
}

/// The parts that were not compared.
fn unchecked(comparison: &Comparison, recorded: Option<RecordedAs>) -> Vec<&'static str> {
    let compared = [
        (CURRENCY, comparison.currency == Compared::Same),
        (AMOUNT, comparison.amount == Compared::Same),
        (BODY, recorded == Some(RecordedAs::Same)),
    ];
    compared.iter().filter(|(_, is_same)| !is_same).map(|(name, _)| *name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use Compared::{Differs, NotShown, Same, Unreadable};

    #[test]
    fn a_payment_is_another_one_if_a_part_that_counts_differs() {
        let of = |[amount, currency, method, payer]: [Compared; 4]| Comparison {
            amount,
            currency,
            method,
            payer,
        };
        let [same, other] = [Some(RecordedAs::Same), Some(RecordedAs::Other)];
        let unchecked = Some(RecordedAs::Unchecked);
        for (parts, recorded, expected) in [
            ([Same, Same, Same, Same], other, None),
            ([Same, Same, NotShown, Same], other, Some(BODY)),
            ([Same, Same, Differs, Same], other, Some(BODY)),
            ([Same, Same, Same, NotShown], other, Some(BODY)),
            ([Unreadable, Same, Same, Same], other, Some(BODY)),
            ([Same, Same, Same, Differs], same, None),
            ([Same, Same, Differs, NotShown], same, None),
            ([Same, Same, Same, Differs], unchecked, Some(CUSTOMER)),
            ([Same, Same, Same, Differs], None, Some(CUSTOMER)),
            ([Same, Same, Differs, NotShown], None, None),
            ([NotShown, Unreadable, NotShown, NotShown], None, None),
            ([Differs, Same, Same, Same], same, Some(AMOUNT)),
            ([Differs, Differs, Same, Same], None, Some(CURRENCY)),
        ] {
            assert_eq!(difference(&of(parts), recorded, true), expected, "{parts:?} {recorded:?}");
        }
        assert_eq!(difference(&of([Same; 4]), other, false), Some(BODY));
    }
}
