//! The service: a ledger, which executes what arrives, and answers.

use std::collections::BTreeMap;
use std::model;
use std::time::Duration;

use payments_core::json::{Json, Members};

use crate::chance::{among, between, hex};
use crate::plan::{HOUR, MINUTE};
use crate::world::State;

pub struct Service {
    ignores_case: bool,
    pub payments: Vec<Payment>,
    pub payouts: Vec<Payout>,
    /// By when they arrive, and by their numbers.
    on_their_way: BTreeMap<(Duration, u64), Request>,
    answers: BTreeMap<u64, Answer>,
    last_number: u64,
}

pub struct Payment {
    pub hash: String,
    pub reference: String,
    /// The members that it shows.
    shown: Members,
    pub created: Duration,
    pub end: End,
    pub refunds: Vec<Refund>,
}

pub struct Refund {
    pub code: String,
    pub created: Duration,
    pub end: End,
}

pub struct Payout {
    pub uid: String,
    pub reference: String,
    shown: Members,
    pub created: Duration,
    pub end: End,
}

/// When something reaches its last status, and which.
pub type End = (Duration, &'static str);

/// A request, as the service reads it.
#[derive(Clone)]
pub struct Request {
    pub asks: Asks,
    pub bearer: String,
    /// The call that sent it.
    pub call: Option<usize>,
    /// Whether a proxy sent it once more: the service refuses it.
    pub is_copy: bool,
    /// How far the replica is behind that answers.
    pub behind: Duration,
}

#[derive(Clone)]
pub enum Asks {
    Payment { reference: String, shown: Members },
    Payout { reference: String, shown: Members },
    Refund { hash: String, code: String },
    QueryPayment { name: &'static str, value: String },
    QueryPayout { name: &'static str, value: String },
}

pub struct Answer {
    pub status: u16,
    pub body: String,
}

impl Service {
    pub fn new(ignores_case: bool) -> Self {
        Self {
            ignores_case,
            payments: Vec::new(),
            payouts: Vec::new(),
            on_their_way: BTreeMap::new(),
            answers: BTreeMap::new(),
            last_number: 0,
        }
    }

    /// Sends a request on its way. Returns the number of its answer.
    pub fn post(&mut self, arrives_at: Duration, request: Request) -> u64 {
        self.last_number += 1;
        self.on_their_way.insert((arrives_at, self.last_number), request);
        self.last_number
    }

    /// The answer, if the request has arrived.
    pub fn answer(&mut self, number: u64) -> Option<Answer> {
        self.answers.remove(&number)
    }

    /// Whether a request may still arrive.
    pub fn is_quiet(&self) -> bool {
        self.on_their_way.is_empty()
    }
}

impl State {
    /// Lets arrive what has arrived by now.
    pub fn settle(&mut self) {
        while let Some(next) = self.service.on_their_way.first_entry() {
            let (at, number) = *next.key();
            if at > model::elapsed() {
                return;
            }
            let request = next.remove();
            let answer = self.receive(&request, at);
            self.service.answers.insert(number, answer);
        }
    }

    fn receive(&mut self, request: &Request, at: Duration) -> Answer {
        if !self.is_valid(&request.bearer, at) {
            return Answer { status: 401, body: String::new() };
        }
        let body = match &request.asks {
            Asks::QueryPayment { name, value } => {
                self.service.payment(name, value, at - request.behind.min(at))
            }
            Asks::QueryPayout { name, value } => {
                self.service.payout(name, value, at - request.behind.min(at))
            }
            _ if request.is_copy => refusal("BP-DR-0"),
            asks => self.execute(asks, request.call, at),
        };
        Answer { status: 200, body }
    }

    /// Moves money, whether it has moved before or not.
    fn execute(&mut self, asks: &Asks, call: Option<usize>, at: Duration) -> String {
        let service = &mut self.service;
        let (name, body, is_second) = match asks {
            Asks::Payment { reference, shown } => {
                let is_second = service.payments.iter().any(|it| it.reference == *reference);
                let payment = Payment::new(reference, shown, at);
                let body = payment.json(at);
                service.payments.push(payment);
                (format!("payment {reference}"), body, is_second)
            }
            Asks::Payout { reference, shown } => {
                let is_second = service.payouts.iter().any(|it| it.reference == *reference);
                let payout = Payout::new(reference, shown, at);
                let body = payout.json(at);
                service.payouts.push(payout);
                (format!("payout {reference}"), body, is_second)
            }
            Asks::Refund { hash, code } => {
                let paid = service.payments.iter_mut().find(|it| it.hash == *hash);
                let Some(payment) = paid else { return refusal("BP-REF-CAN-2") };
                if payment.status(at) != "CO" {
                    return refusal("BP-REF-7");
                }
                let is_second = !payment.refunds.is_empty();
                payment.refunds.push(Refund::new(code, at));
                (format!("refund {}", payment.reference), payment.json(at), is_second)
            }
            Asks::QueryPayment { .. } | Asks::QueryPayout { .. } => unreachable!("moves nothing"),
        };
        self.note(|| format!("EXECUTED {name}"));
        self.count("executions");
        if is_second {
            self.broken(format!("{name} is executed twice"));
        }
        if let Some(call) = call.map(|call| &mut self.calls[call]) {
            call.is_executed = true;
            if call.is_denied {
                self.broken(format!("{name} is executed, and its call said not_executed"));
            }
        }
        body
    }
}

impl Service {
    fn payment(&self, name: &str, value: &str, at: Duration) -> String {
        let is_meant = |it: &&Payment| match name {
            "hash" => it.hash == value,
            _ if self.ignores_case => it.reference.eq_ignore_ascii_case(value),
            _ => it.reference == value,
        };
        let mut known = self.payments.iter().rev().filter(|it| it.created <= at);
        known.find(is_meant).map_or_else(|| refusal("BP-REF-CAN-2"), |it| it.json(at))
    }

    fn payout(&self, name: &str, value: &str, at: Duration) -> String {
        let is_meant =
            |it: &&Payout| if name == "uid" { it.uid == value } else { it.reference == value };
        let mut known = self.payouts.iter().rev().filter(|it| it.created <= at);
        let none = || r#"{"type":"invalid_request_error","code":"NOT-FOUND"}"#.to_owned();
        known.find(is_meant).map_or_else(none, |it| it.json(at))
    }
}

fn refusal(code: &str) -> String {
    format!(r#"{{"status":"ERROR","status_code":"{code}","status_message":"no"}}"#)
}

/// When the payer, or the bank, brings it to an end.
fn end(at: Duration, ends: &[&'static str]) -> End {
    let after = among(&[MINUTE, 10 * MINUTE, HOUR, 4 * HOUR]) * between(500, 1500) / 1000;
    (at + after, among(ends))
}

fn status_at((since, last): End, at: Duration, open: &'static str) -> &'static str {
    if at >= since { last } else { open }
}

impl Payment {
    fn new(reference: &str, shown: &Members, at: Duration) -> Self {
        let end = end(at, &["CO", "CO", "CO", "CA"]);
        let (reference, shown, refunds) = (reference.to_owned(), shown.clone(), Vec::new());
        Self { hash: hex(48), reference, shown, created: at, end, refunds }
    }

    pub fn status(&self, at: Duration) -> &'static str {
        status_at(self.end, at, "PE")
    }

    fn json(&self, at: Duration) -> String {
        let mut payment = self.shown.clone();
        payment.push("hash", self.hash.as_str());
        payment.push("merchant_payment_code", self.reference.as_str());
        payment.push("status", self.status(at));
        let refunds = self.refunds.iter().filter(|it| it.created <= at).map(|it| {
            let mut refund = Members::from([("merchant_refund_code", it.code.as_str())]);
            refund.push("id", format!("r-{}", it.code));
            refund.push("status", status_at(it.end, at, "RE"));
            Json::from(refund)
        });
        payment.push("refunds", refunds.collect::<Vec<_>>());
        let mut body = Members::from([("status", "SUCCESS")]);
        body.push("payment", payment);
        Json::from(body).to_text()
    }
}

impl Refund {
    fn new(code: &str, at: Duration) -> Self {
        Self { code: code.to_owned(), created: at, end: end(at, &["CO"]) }
    }
}

impl Payout {
    fn new(reference: &str, shown: &Members, at: Duration) -> Self {
        let (reference, shown) = (reference.to_owned(), shown.clone());
        Self { uid: hex(32), reference, shown, created: at, end: end(at, &["PA", "PA", "CA"]) }
    }

    fn json(&self, at: Duration) -> String {
        let mut payout = self.shown.clone();
        payout.push("uid", self.uid.as_str());
        payout.push("external_reference", self.reference.as_str());
        payout.push("status", status_at(self.end, at, "OP"));
        let mut body = Members::from([("type", "success")]);
        body.push("payout", payout);
        Json::from(body).to_text()
    }
}
