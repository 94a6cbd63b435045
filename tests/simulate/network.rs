//! The network between a process and the service, and what becomes of requests there.

use std::model;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use payments_core::CallContext;
use payments_core::json::{Json, Members};
use payments_core::transport::{
    FailureKind, PreparedRequest, Received, Transport, TransportFailure,
};

use crate::chance::{between, one_in};
use crate::plan::{Fate, FaultKind, MINUTE};
use crate::service::{Asks, Request};
use crate::world::{State, World};

pub struct Network(pub Arc<World>);

/// The longest time between the end of a call and the arrival of its request: a
/// little less than what the docs promise.
const LATEST: Duration = Duration::from_secs(14 * 60);

/// The answer to a caller.
enum Way {
    Failure(FailureKind),
    /// Nothing, until the call ends.
    Silence,
    Answer {
        number: u64,
        after: Duration,
    },
    Gateway {
        status: u16,
        body: &'static str,
        after: Duration,
    },
}

impl Transport for Network {
    fn send(
        &self,
        context: &CallContext,
        request: &PreparedRequest,
    ) -> Result<Received, TransportFailure> {
        let crashed = || TransportFailure::new(FailureKind::Broken, "the process has crashed");
        if request.url().ends_with("/oauth/token") {
            return self.0.ask_for_token(context).ok_or_else(crashed)?;
        }
        let left = context.remaining();
        let posted = self.0.effect(|state| state.post(request, left));
        let way = posted.ok_or_else(crashed)?;
        if !matches!(way, Way::Failure(FailureKind::Connect)) {
            context.set_may_have_sent();
        }
        let (number, after) = match way {
            Way::Failure(FailureKind::Connect) => {
                let failure = TransportFailure::new(FailureKind::Connect, "connection refused");
                return Err(failure.nothing_sent());
            }
            Way::Failure(kind) => return Err(TransportFailure::new(kind, "reset by peer")),
            Way::Silence => (None, context.remaining()),
            Way::Answer { number, after } => (Some(Ok(number)), after),
            Way::Gateway { status, body, after } => (Some(Err((status, body))), after),
        };
        context.sleep(after).map_err(|stopped| TransportFailure::ended(stopped.ended))?;
        match number {
            Some(Ok(number)) => {
                let answer = self.0.effect(|state| state.service.answer(number));
                let answer = answer.flatten().ok_or_else(crashed)?;
                Ok(Received::new(answer.status, Vec::new(), answer.body.into_bytes()))
            }
            Some(Err((status, body))) => Ok(Received::new(status, Vec::new(), body.into())),
            None => Err(crashed()),
        }
    }
}

impl State {
    /// Decides what becomes of a request of a call that has this much time left.
    fn post(&mut self, request: &PreparedRequest, left: Duration) -> Way {
        let (asks, key) = read(request);
        let call = self.calling.get(&usize::from(thread::current().id())).copied();
        let bearer = request.header("authorization").unwrap_or_default().to_owned();
        let is_query = matches!(asks, Asks::QueryPayment { .. } | Asks::QueryPayout { .. });
        let mut request = Request { asks, bearer, call, is_copy: false, behind: Duration::ZERO };
        let (now, up) = (model::elapsed(), milliseconds(5, 150));
        let after = up + milliseconds(5, 150);
        let fate = self.fate(&key).filter(|fate| is_query || *fate != Fate::Stale);
        if fate.is_some() || !is_query {
            self.note(|| format!("sends {key}: {fate:?}"));
        }
        let service = &mut self.service;
        match fate {
            None => Way::Answer { number: service.post(now + up, request), after },
            Some(Fate::NoConnection) => Way::Failure(FailureKind::Connect),
            Some(Fate::Broken) => {
                if one_in(2) {
                    service.post(now + up, request);
                }
                Way::Failure(FailureKind::Broken)
            }
            Some(Fate::AnswerLost) => {
                service.post(now + up, request);
                Way::Silence
            }
            Some(Fate::Late) => {
                service.post(now + left + LATEST * between(0, 1000) / 1000, request);
                Way::Silence
            }
            Some(Fate::Twice) => {
                let later = now + up + MINUTE * between(1, 10);
                service.post(later, Request { is_copy: true, ..request.clone() });
                Way::Answer { number: service.post(now + up, request), after }
            }
            Some(Fate::Refused(status)) => Way::Gateway { status, body: "", after },
            Some(Fate::Html) => Way::Gateway { status: 200, body: "<html></html>", after },
            Some(Fate::Hidden) => {
                service.post(now + up, request);
                Way::Gateway { status: 503, body: "", after }
            }
            Some(Fate::Stale) => {
                request.behind = MINUTE * between(1, 10);
                Way::Answer { number: service.post(now + up, request), after }
            }
        }
    }

    /// The fate, by the faults of this moment, of a request about `key`.
    fn fate(&self, key: &str) -> Option<Fate> {
        let group = key.bytes().fold(0_u64, |sum, byte| sum * 31 % 1_000_003 + u64::from(byte)) % 4;
        let fates = self.faults().filter_map(|it| match it {
            FaultKind::Requests { fate, only } if only.is_none_or(|only| only == group) => {
                Some(*fate)
            }
            _ => None,
        });
        let fates: Vec<_> = fates.collect();
        fates.into_iter().find(|_| one_in(2))
    }
}

fn milliseconds(least: u32, most: u32) -> Duration {
    Duration::from_millis(between(least, most).into())
}

/// Reads a request. The second part says what it is about.
fn read(request: &PreparedRequest) -> (Asks, String) {
    let path = request.url().trim_start_matches("https://api.test");
    let body = Json::parse(request.body()).unwrap_or(Json::Null);
    let text =
        |pointer: &str| body.pointer(pointer).and_then(Json::as_str).unwrap_or_default().to_owned();
    if let Some((_, query)) = path.split_once("/ws/query?") {
        let given = |name: &str| {
            let value = query.split('&').find_map(|it| it.strip_prefix(name)?.strip_prefix('='));
            value.map(str::to_owned)
        };
        let asks = match given("hash") {
            Some(value) => Asks::QueryPayment { name: "hash", value },
            None => Asks::QueryPayment {
                name: "merchant_payment_code",
                value: given("merchant_payment_code").unwrap_or_default(),
            },
        };
        let Asks::QueryPayment { value, .. } = &asks else { unreachable!("made above") };
        let key = value.clone();
        return (asks, key);
    }
    match path {
        "/ws/direct" => {
            let reference = text("/payment/merchant_payment_code");
            let shown = shown_of(
                &body,
                "/payment",
                &[
                    ("amount_total", "amount_ext"),
                    ("currency_code", "currency_ext"),
                    ("payment_type_code", "payment_type_code"),
                ],
            );
            (
                Asks::Payment { reference: reference.clone(), shown: with_customer(shown, &body) },
                reference,
            )
        }
        "/ws/refund" => {
            let hash = text("/hash");
            (Asks::Refund { hash: hash.clone(), code: text("/merchant_refund_code") }, hash)
        }
        "/ws/payout/retrieve" => {
            let (uid, reference) = (text("/uid"), text("/external_reference"));
            let is_by_uid = !uid.is_empty();
            let (name, value) =
                if is_by_uid { ("uid", uid) } else { ("external_reference", reference) };
            (Asks::QueryPayout { name, value: value.clone() }, value)
        }
        "/ws/payout/create" => {
            let reference = text("/external_reference");
            let shown = shown_of(
                &body,
                "",
                &[("amount", "amount"), ("currency_code", "currency_code"), ("country", "country")],
            );
            (Asks::Payout { reference: reference.clone(), shown }, reference)
        }
        other => panic!("a request to {other}"),
    }
}

/// The members of a request that responses show, by their names there.
fn shown_of(body: &Json, at: &str, names: &[(&str, &str)]) -> Members {
    let mut shown = Members::new();
    for (name, as_shown) in names {
        if let Some(value) = body.pointer(&format!("{at}/{name}")) {
            shown.push(*as_shown, value.clone());
        }
    }
    shown
}

fn with_customer(mut shown: Members, body: &Json) -> Members {
    let names = ["name", "email", "document"].map(|it| (it, it));
    shown.push("customer", shown_of(body, "/payment", &names));
    shown
}
