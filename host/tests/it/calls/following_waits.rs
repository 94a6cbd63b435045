//! How long following waits, the end of a wait, and the state afterwards.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use payments_core::observer::{Event, EventKind};
use payments_core::token::Clock;
use payments_core::{CallContext, CancelHandle, Client, ErrorKind};
use payments_host::follow::{EndKind, FollowCounts, FollowOptions, Progress};

use crate::support::followed::{
    LONG, SHORT, Shop, context, ended, payment, references, with_status,
};
use crate::support::tokens::{self, ManualClock, Service, status, status_with};

const SECOND: Duration = Duration::from_secs(1);

#[test]
fn ends_are_counted() {
    let shop = Shop::of(vec![with_status("CO")]);
    let mut follow = shop.follow(references(&["order-1", "order-2"]));
    assert_eq!(follow.by_ref().filter(Result::is_ok).count(), 2);
    let counts = FollowCounts { confirmed: 2, ..FollowCounts::default() };
    assert_eq!(follow.counts(), counts);
}

#[test]
fn queries_keep_their_rate() {
    let shop = Shop::of(vec![with_status("PE")]);
    let options = FollowOptions { per_second: 2, ..references(&["a", "b", "c", "d", "e", "f"]) };
    let mut follow = shop.follow(options);
    for expected in 1..=20 {
        for _ in 0..5 {
            let progress = follow.next_within(Duration::ZERO, &context()).unwrap();
            assert!(matches!(progress, Progress::Open), "{progress:?}");
            shop.clock.advance(SECOND / 10);
        }
        assert_eq!(shop.service.calls().len(), expected);
    }
}

/// The system's clocks, and how often they are read.
#[derive(Default)]
struct CountedClock(AtomicUsize);

impl Clock for CountedClock {
    fn monotonic(&self) -> Instant {
        self.0.fetch_add(1, Ordering::SeqCst);
        Instant::now()
    }

    fn unix(&self) -> Duration {
        Duration::from_secs(1_800_000_000)
    }
}

#[test]
fn a_wait_is_one_sleep_until_the_next_query() {
    let clock = Arc::new(CountedClock::default());
    let shop = Shop::with(vec![with_status("PE"), with_status("CO")], |config| {
        config.clock(Arc::clone(&clock) as _)
    });
    let mut follow = shop.follow(references(&["order-1"]));
    let progress = follow.next_within(LONG, &context()).unwrap();
    assert!(matches!(progress, Progress::Ended(_)), "{progress:?}");
    let read = clock.0.load(Ordering::SeqCst);
    assert!(read < 30, "the clock was read {read} times in 2 s");
}

#[test]
fn a_cancelled_wait_says_so_even_without_time_to_wait() {
    let shop = Shop::of(vec![with_status("PE")]);
    let mut follow = shop.follow(references(&["order-1"]));
    assert!(ended(&mut follow).is_none());
    let cancel = CancelHandle::new();
    cancel.cancel();
    let cancelled = CallContext::new(LONG, cancel, None);
    let error = follow.next_within(Duration::ZERO, &cancelled).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Cancelled);
}

#[test]
fn a_payment_is_queried_by_its_hash_when_an_answer_has_shown_it() {
    let shop = Shop::of(vec![payment(r#""status":"PE","hash":"5a4f""#), with_status("CO")]);
    let mut follow = shop.follow(references(&["order-1"]));
    assert!(ended(&mut follow).is_none());
    shop.clock.advance(2 * SECOND);
    assert!(ended(&mut follow).is_none());
    shop.clock.advance(2 * SECOND);
    assert_eq!(ended(&mut follow).unwrap().hash.as_deref(), Some("5a4f"));
    assert_eq!([shop.queries("order-1"), shop.queries("5a4f")], [1, 2]);
}

#[test]
fn a_pause_after_a_429_is_not_longer_than_requested() {
    let limited = status_with(429, "Retry-After", "0");
    let shop = Shop::of(vec![limited, with_status("CO")]);
    let mut follow = shop.follow(references(&["order-1"]));
    assert!(ended(&mut follow).is_none());
    shop.clock.advance(2 * SECOND);
    let progress = follow.next_within(LONG, &context()).unwrap();
    assert!(matches!(progress, Progress::Ended(_)), "{progress:?}");
}

/// A client whose token server responds with this status, and how many queries it
/// began.
fn with_token_server(code: u16) -> (Client, Arc<AtomicUsize>) {
    let (service, clock) = (Service::new(), ManualClock::new());
    service.on_token(move |_| Ok(status(code)));
    let begun = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&begun);
    let config = tokens::config(&service, &clock).observer(Arc::new(move |event: &Event<'_>| {
        if matches!(event.kind, EventKind::RequestStarted { .. }) {
            counted.fetch_add(1, Ordering::SeqCst);
        }
    }));
    (Client::new(config).unwrap(), begun)
}

#[test]
fn nothing_is_queried_during_a_token_backoff() {
    let (client, begun) = with_token_server(503);
    let mut follow =
        payments_host::follow(&client, references(&["order-1", "order-2"]), &context()).unwrap();
    let progress = follow.next_within(2 * SHORT, &context()).unwrap();
    assert!(matches!(progress, Progress::Open), "{progress:?}");
    assert_eq!(begun.load(Ordering::SeqCst), 1);
}

#[test]
fn refused_credentials_pause_all_queries_and_are_reported() {
    let (client, begun) = with_token_server(401);
    let mut follow =
        payments_host::follow(&client, references(&["order-1", "order-2"]), &context()).unwrap();
    let end = ended(&mut follow).unwrap();
    assert_eq!(
        (end.end, end.code.as_deref()),
        (EndKind::QueryFailing, Some("credentials_refused"))
    );
    assert!(ended(&mut follow).is_none());
    assert_eq!(begun.load(Ordering::SeqCst), 1);
    assert_eq!(follow.counts(), FollowCounts::default());
}
