//! Calls that move money, and what is checked when one ends.

use std::model;
use std::processes;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use payments_core::error::{Error, Outcome};
use payments_core::request::{
    CreatePayment, CreatePayout, Payee, Payment, Payout, RefundPayment, Request,
};
use payments_core::{CallContext, Client};
use payments_host::EnsuredPayment;

use crate::plan::{CallKind, MINUTE, PlannedCall};
use crate::world::{Call, State, World};

const TIMEOUT: Duration = Duration::from_secs(30);
/// By how much a call may be longer than its deadline.
const SLACK: Duration = Duration::from_millis(250);

pub fn payment(reference: &str) -> CreatePayment {
    CreatePayment::new(Payment {
        name: "Maria Souza".into(),
        email: "maria@example.com".into(),
        country: "br".into(),
        payment_type_code: "pix".into(),
        merchant_payment_code: reference.into(),
        currency_code: "BRL".into(),
        amount_total: "100.10".parse().expect("an amount"),
        document: Some("853.513.468-93".into()),
        ..Payment::default()
    })
}

fn payout(reference: &str) -> CreatePayout {
    CreatePayout::new(Payout {
        external_reference: reference.into(),
        country: "br".into(),
        amount: "10.00".parse().expect("an amount"),
        currency_code: "BRL".into(),
        target: Some("pix_key".into()),
        target_account: Some("joao@example.com".into()),
        payee: Some(Payee { name: Some("João".into()), ..Payee::default() }),
        ..Payout::default()
    })
}

/// Makes a call of the plan as a merchant does: again, under the same reference, only
/// if it was not executed.
pub fn make(world: &Arc<World>, client: &Client, planned: &PlannedCall) {
    let reference = &planned.reference;
    for _ in 0..3 {
        let outcome = match planned.kind {
            CallKind::Payment => executed(world, client, reference, &payment(reference)),
            CallKind::Payout => executed(world, client, reference, &payout(reference)),
            CallKind::Refund => {
                let Some(hash) = world.with(|state| state.paid_hash(reference)) else { return };
                let refund = RefundPayment::by_hash(&hash);
                let refund = refund.merchant_refund_code(&format!("r1-{reference}"));
                executed(world, client, &hash, &refund)
            }
            CallKind::Click => unreachable!("the shop makes it"),
        };
        if outcome != Some(Outcome::NotExecuted) {
            return;
        }
        model::sleep(MINUTE);
    }
}

/// The outcome of a call; `None` if its process has crashed.
fn executed<R: Request>(
    world: &Arc<World>,
    client: &Client,
    reference: &str,
    request: &R,
) -> Option<Outcome> {
    let context = CallContext::with_timeout(TIMEOUT);
    let result = checked(world, reference, TIMEOUT, || client.execute(request, &context))?;
    Some(result.map_or_else(|error| error.outcome(), |_| Outcome::Executed))
}

/// The result of `ensure_payment`; `None` if its process has crashed.
pub fn ensured(
    world: &Arc<World>,
    reference: &str,
    timeout: Duration,
    ensure: impl FnOnce() -> Result<EnsuredPayment, Error>,
) -> Option<Result<EnsuredPayment, Error>> {
    let result = checked(world, reference, timeout, ensure)?;
    world.with(|state| {
        let found = state.service.payments.iter().find(|it| it.reference == reference);
        let found = found.map(|it| it.hash.clone());
        match &result {
            Ok(it) if it.payment.hash() != found.as_deref() => {
                state.broken(format!("ensure_payment of {reference} gave another payment"));
            }
            Err(error) if found.is_some() && error.outcome() == Outcome::NotExecuted => {
                let code = error.code();
                state.broken(format!("{reference} exists, and ensure_payment said {code}"));
            }
            _ => {}
        }
    });
    Some(result)
}

/// Makes a call, and checks it.
fn checked<T>(
    world: &Arc<World>,
    reference: &str,
    timeout: Duration,
    call: impl FnOnce() -> Result<T, Error>,
) -> Option<Result<T, Error>> {
    let (thread, started) = (usize::from(thread::current().id()), model::elapsed());
    let begun = world.effect(|state| state.begin(reference, thread));
    let result = begun.map(|number| (number, call()));
    let took = model::elapsed().saturating_sub(started);
    world.with(|state| state.calling.remove(&thread));
    let (number, result) = result.filter(|_| !processes::has_crashed())?;
    world.with(|state| {
        state.count("calls");
        state.ended(number, result.as_ref().err());
        if took > timeout + SLACK {
            state.broken(format!("the call for {reference} took {took:?}"));
        }
    });
    Some(result)
}

impl State {
    fn begin(&mut self, reference: &str, thread: usize) -> usize {
        let number = self.calls.len();
        self.calls.push(Call { name: reference.to_owned(), ..Call::default() });
        self.calling.insert(thread, number);
        self.note(|| format!("begins call {number}, {reference}"));
        number
    }

    /// Compares the outcome of a call with what became of its own request.
    fn ended(&mut self, number: usize, error: Option<&Error>) {
        self.settle();
        let said = error.map_or("ok".to_owned(), |it| format!("{} {}", it.outcome(), it.code()));
        self.note(|| format!("ends call {number}: {said}"));
        let call = &mut self.calls[number];
        let (is_executed, name) = (call.is_executed, call.name.clone());
        match error.map(Error::outcome) {
            Some(Outcome::NotExecuted) => {
                call.is_denied = true;
                if is_executed {
                    self.broken(format!("the call for {name} is executed, and said {said}"));
                }
            }
            Some(Outcome::Unknown) => self.count("unknown outcomes"),
            Some(Outcome::Executed) | None => {}
        }
    }

    /// The hash of a payment that the follower reported as paid.
    fn paid_hash(&self, reference: &str) -> Option<String> {
        let key = format!("create_payment {reference}");
        let is_paid = self.reports.iter().any(|it| it.key == key && it.end == "confirmed");
        let mut payments = self.service.payments.iter();
        payments.find(|it| is_paid && it.reference == reference).map(|it| it.hash.clone())
    }
}
