//! A shop whose payments, refunds and payouts are followed, and a clock set by
//! hand.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use payments_core::journal::{Entry, EntryState};
use payments_core::transport::Received;
use payments_core::{CallContext, Client, Config};
use payments_host::by_name::HostClient;
use payments_host::follow::{FollowEnd, FollowIter, FollowOptions, Progress};

use super::calls;
use super::journal::MemoryJournal;
use super::tokens::{ManualClock, Sent, Service, accepted};

/// Long enough for a query, and for one too many.
pub const SHORT: Duration = Duration::from_millis(100);
/// Far enough that only a hanging call reaches it.
pub const LONG: Duration = Duration::from_secs(20);

const OPEN_PAYOUT: &str = r#"{"type":"success","payout":{"status":"OP"}}"#;

pub struct Shop {
    pub service: Arc<Service>,
    pub clock: Arc<ManualClock>,
    pub journal: Arc<MemoryJournal>,
    pub client: HostClient,
}

impl Shop {
    /// A shop whose queries get these responses in turn, and the last one again.
    pub fn of(responses: Vec<Received>) -> Self {
        Self::with(responses, |config| config)
    }

    pub fn with(responses: Vec<Received>, configure: impl FnOnce(Config) -> Config) -> Self {
        let (service, clock) = (Service::new(), ManualClock::new());
        let journal = Arc::new(MemoryJournal::default());
        let asked: Mutex<HashMap<(String, Vec<u8>), usize>> = Mutex::default();
        service.on_call(move |sent| {
            if Query::of(sent).is_none() {
                let payout = sent.url.ends_with("/ws/payout/create").then_some(OPEN_PAYOUT);
                return Ok(payout.map_or_else(accepted, json));
            }
            let mut asked = asked.lock().expect("no panic under it");
            let turn = asked.entry((sent.url.clone(), sent.body.clone())).or_default();
            *turn += 1;
            let raw = responses[(*turn - 1).min(responses.len() - 1)].raw.clone();
            Ok(Received::new(raw.status(), raw.headers().to_vec(), raw.body().to_vec()))
        });
        let config = calls::config("https://service.test")
            .transport(Arc::clone(&service) as _)
            .clock(Arc::clone(&clock) as _)
            .journal(Arc::clone(&journal) as _);
        let client = Client::new(configure(config)).expect("it can be configured");
        Self { service, clock, journal, client: HostClient::new(client) }
    }

    pub fn follow(&self, options: FollowOptions) -> FollowIter {
        payments_host::follow(&self.client, options, &context()).expect("it can be followed")
    }

    pub fn follow_journal(&self) -> FollowIter {
        self.follow(FollowOptions { per_second: u32::MAX, ..FollowOptions::default() })
    }

    /// An entry of this `age` by the clock.
    pub fn enter(&self, reference: &str, age: Duration, state: EntryState) {
        let made = self.client.create_payment(&calls::payment(reference));
        made.expect("the service accepts it");
        self.age_last(age, state);
    }

    /// Like [`enter`](Self::enter), for a payout.
    pub fn enter_payout(&self, reference: &str, age: Duration, state: EntryState) {
        let made = self.client.create_payout(&calls::payout(reference));
        made.expect("the service accepts it");
        self.age_last(age, state);
    }

    fn age_last(&self, age: Duration, state: EntryState) {
        let created_at = self.now() - age.as_millis() as u64;
        self.journal.change(|entry: &mut Entry| {
            entry.id = format!("{created_at:012x}{}", &entry.id[12..]);
            entry.created_at = created_at;
            entry.ended_at = Some(created_at);
            entry.state = state;
        });
    }

    pub fn now(&self) -> u64 {
        use payments_core::token::Clock as _;

        self.clock.unix().as_millis() as u64
    }

    /// How many queries name this reference.
    pub fn queries(&self, reference: &str) -> usize {
        let names = |sent: &Sent| match Query::of(sent) {
            Some(Query::Payment) => sent.url.ends_with(reference),
            Some(Query::Payout) => String::from_utf8_lossy(&sent.body).contains(reference),
            None => false,
        };
        self.service.calls().iter().filter(|sent| names(sent)).count()
    }
}

enum Query {
    Payment,
    Payout,
}

impl Query {
    fn of(sent: &Sent) -> Option<Self> {
        if sent.url.ends_with("/ws/payout/retrieve") {
            return Some(Self::Payout);
        }
        (sent.method == "GET").then_some(Self::Payment)
    }
}

pub fn context() -> CallContext {
    CallContext::with_timeout(Duration::from_millis(1))
}

/// A response with this body.
pub fn json(body: &str) -> Received {
    Received::new(200, Vec::new(), body.as_bytes().to_vec())
}

/// A response with a payment that has these members.
pub fn payment(members: &str) -> Received {
    json(&format!(r#"{{"status":"SUCCESS","payment":{{{members}}}}}"#))
}

/// A response with a payment of this status.
pub fn with_status(code: &str) -> Received {
    payment(&format!(r#""status":"{code}""#))
}

/// References, followed without a noticeable rate.
pub fn references(references: &[&str]) -> FollowOptions {
    let references = references.iter().map(|&it| it.to_owned()).collect();
    FollowOptions { references: Some(references), per_second: u32::MAX, ..FollowOptions::default() }
}

/// All ends, while the clock advances.
pub fn all(shop: &Shop, options: FollowOptions) -> Vec<FollowEnd> {
    let mut follow = shop.follow(options);
    let mut ends = Vec::new();
    loop {
        match follow.next_within(Duration::ZERO, &context()).expect("it goes on") {
            Progress::Ended(end) => ends.push(end),
            Progress::Open => shop.clock.advance(Duration::from_secs(1)),
            Progress::Over => return ends,
        }
    }
}

/// The end that comes now; `None` if there is none.
pub fn ended(follow: &mut FollowIter) -> Option<FollowEnd> {
    // A busy machine may not have reached the turn of a query the first time.
    for limit in [SHORT, Duration::ZERO] {
        match follow.next_within(limit, &context()).expect("it goes on") {
            Progress::Ended(end) => return Some(end),
            Progress::Open => {}
            Progress::Over => break,
        }
    }
    None
}

/// The reference of the end that comes now.
pub fn ended_reference(follow: &mut FollowIter) -> Option<String> {
    ended(follow).map(|end| end.reference)
}
