//! Many clicks on one order: its callers share the queries, and wait for a short time.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use payments_core::context::InterruptHook;
use payments_core::{CallContext, CancelHandle, Client, ErrorKind, Outcome};
use payments_host::ensure_payment;

use crate::support::books::{Answers, Books, Merchant, order, request};
use crate::support::raw_server::{RawServer, response};
use crate::support::wait::wait_until;

/// An order whose creation was lost, and which no query finds.
fn lost() -> Merchant {
    let merchant = Merchant::of(Books::default(), true);
    *merchant.books.creations.lock().unwrap() = Answers::Lost;
    *merchant.books.queries.lock().unwrap() = Answers::Lost;
    merchant.ensure(&request(&order("order-1"))).unwrap_err();
    merchant
}

/// A client that waits for long.
fn patient(merchant: &Merchant) -> Client {
    Client::new(merchant.config().ensure_wait(Duration::from_secs(60))).unwrap()
}

fn queries(merchant: &Merchant) -> usize {
    merchant.books.log.lock().unwrap().iter().filter(|it| *it != "create").count()
}

#[test]
fn many_clicks_share_the_queries_of_one_order() {
    let merchant = lost();
    let (before, began) = (queries(&merchant), Instant::now());
    let outcomes = std::thread::scope(|scope| {
        let click = || {
            let error = merchant.ensure(&request(&order("order-1"))).unwrap_err();
            assert!(error.retry_after().is_some_and(|it| it > Duration::ZERO), "{error}");
            (error.outcome(), error.journal_entry().is_some())
        };
        let clicks: Vec<_> = (0..80).map(|_| scope.spawn(click)).collect();
        clicks.into_iter().map(|it| it.join().unwrap()).collect::<Vec<_>>()
    });
    assert_eq!(outcomes, [(Outcome::Unknown, true); 80]);
    // One every 2 s at most.
    let rounds = usize::try_from(began.elapsed().as_secs() / 2 + 1).unwrap();
    let asked = queries(&merchant) - before;
    assert!(asked <= rounds, "{asked} queries in {rounds} rounds");
    assert_eq!(merchant.books.creations(), 1);
}

/// Nobody has created it when the first response is decided.
#[test]
fn many_clicks_on_a_new_order_share_the_first_query() {
    let merchant = Merchant::of(Books::default(), true);
    *merchant.books.creations.lock().unwrap() = Answers::Lost;
    *merchant.books.queries.lock().unwrap() = Answers::Lost;
    let reads = Arc::new(AtomicUsize::new(0));
    let read = Arc::clone(&reads);
    *merchant.journal().before_find.lock().unwrap() = Some(Box::new(move || {
        read.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }));
    // All clicks have read the journal before the first query is answered.
    *merchant.books.before_query.lock().unwrap() = Some(Arc::new(move || {
        while reads.load(Ordering::SeqCst) < 80 {
            std::thread::yield_now();
        }
    }));
    let began = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..80 {
            scope.spawn(|| merchant.ensure(&request(&order("order-1"))).unwrap_err());
        }
    });
    let rounds = usize::try_from(began.elapsed().as_secs() / 2 + 1).unwrap();
    // A thread may be late for the first query.
    assert!(queries(&merchant) <= 1 + rounds + 8, "{} queries", queries(&merchant));
    assert_eq!(merchant.books.creations(), 1);
}

#[test]
fn clicks_on_a_cancelled_payment_share_both_queries() {
    let merchant = lost();
    merchant.books.change(|it| it.status = "CA");
    let hash = merchant.books.payments.lock().unwrap()[0].hash.clone();
    merchant.journal().change(|entry| entry.hash = Some(hash.clone()));
    let second = merchant.books.add("order-1", "CO", "");
    let before = queries(&merchant);
    std::thread::scope(|scope| {
        let clicks: Vec<_> = (0..20)
            .map(|_| {
                scope.spawn(|| {
                    merchant.ensure_with(&patient(&merchant), &request(&order("order-1")))
                })
            })
            .collect();
        *merchant.books.queries.lock().unwrap() = Answers::Right;
        for click in clicks {
            let found = click.join().unwrap().unwrap();
            assert_eq!(
                (found.payment.hash(), found.other_hash.as_deref()),
                (Some(&*second), Some(&*hash))
            );
        }
    });
    assert!(queries(&merchant) - before < 20, "{} queries", queries(&merchant) - before);
}

#[test]
fn each_caller_compares_the_response_with_its_own_request() {
    let merchant = lost();
    let found = AtomicUsize::new(0);
    let click = |text: String| {
        if merchant.ensure_with(&patient(&merchant), &request(&text)).is_ok() {
            found.fetch_add(1, Ordering::SeqCst);
        }
    };
    std::thread::scope(|scope| {
        for text in [order("order-1"), order("order-1").replace("100.10", "7.00")] {
            let click = &click;
            scope.spawn(move || click(text));
        }
        merchant.books.change(|it| it.members = r#","amount_total":"100.10""#.to_owned());
        *merchant.books.queries.lock().unwrap() = Answers::Right;
    });
    assert_eq!(found.load(Ordering::SeqCst), 1, "the other one asks for another amount");
}

#[test]
fn a_cancelled_click_ends_no_other_one() {
    let merchant = lost();
    std::thread::scope(|scope| {
        let cancel = CancelHandle::new();
        let context = CallContext::new(Duration::from_secs(60), cancel.clone(), None);
        let client = patient(&merchant);
        let cancelled =
            scope.spawn(move || ensure_payment(&client, &request(&order("order-1")), &context));
        let other =
            scope.spawn(|| merchant.ensure_with(&patient(&merchant), &request(&order("order-1"))));
        cancel.cancel();
        let error = cancelled.join().unwrap().unwrap_err();
        assert_eq!((error.kind(), error.outcome()), (ErrorKind::Cancelled, Outcome::Unknown));
        *merchant.books.queries.lock().unwrap() = Answers::Right;
        assert!(!other.join().unwrap().unwrap().is_created);
    });
}

/// The end of the click that asks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum AskerEnds {
    Cancelled,
    AtItsDeadline,
    InAPanic,
}

#[test]
fn the_end_of_the_click_that_asks_ends_no_other_one() {
    for ends in [AskerEnds::Cancelled, AskerEnds::AtItsDeadline, AskerEnds::InAPanic] {
        let merchant = Merchant::of(Books::default(), true);
        merchant.books.add("order-1", "PE", "");
        let is_over = Arc::new(AtomicBool::new(false));
        let gate = Arc::clone(&is_over);
        *merchant.books.before_query.lock().unwrap() =
            Some(Arc::new(move || wait_until("the end", || gate.load(Ordering::SeqCst))));
        let (cancel, is_dead) = (CancelHandle::new(), Arc::new(AtomicBool::new(false)));
        let dies = Arc::clone(&is_dead);
        let hook: InterruptHook = Arc::new(move || {
            assert!(!dies.load(Ordering::SeqCst), "the hook panics");
            false
        });
        let short =
            Duration::from_millis(if ends == AskerEnds::AtItsDeadline { 500 } else { 60_000 });
        let context = CallContext::new(short, cancel.clone(), Some(hook));
        std::thread::scope(|scope| {
            let asks = scope.spawn(|| {
                let asked =
                    || ensure_payment(&patient(&merchant), &request(&order("order-1")), &context);
                std::panic::catch_unwind(AssertUnwindSafe(asked))
            });
            wait_until("the query", || queries(&merchant) == 1);
            let other = || merchant.ensure_with(&patient(&merchant), &request(&order("order-1")));
            let others = [scope.spawn(other), scope.spawn(other)];
            match ends {
                AskerEnds::Cancelled => cancel.cancel(),
                AskerEnds::AtItsDeadline => {}
                AskerEnds::InAPanic => is_dead.store(true, Ordering::SeqCst),
            }
            if let Ok(ended) = asks.join().unwrap() {
                assert_eq!(ended.unwrap_err().outcome(), Outcome::Unknown, "{ends:?}");
            }
            is_over.store(true, Ordering::SeqCst);
            for other in others {
                assert!(!other.join().unwrap().unwrap().is_created, "{ends:?}");
            }
        });
        assert!(queries(&merchant) <= 3, "{ends:?}");
    }
}

#[test]
fn a_click_that_waits_for_another_one_keeps_its_deadline() {
    let merchant = Merchant::of(Books::default(), true);
    merchant.books.add("order-1", "PE", "");
    let is_over = Arc::new(AtomicBool::new(false));
    let gate = Arc::clone(&is_over);
    *merchant.books.before_query.lock().unwrap() =
        Some(Arc::new(move || wait_until("the end", || gate.load(Ordering::SeqCst))));
    std::thread::scope(|scope| {
        let asks =
            scope.spawn(|| merchant.ensure_with(&patient(&merchant), &request(&order("order-1"))));
        wait_until("the query", || queries(&merchant) == 1);
        for hook in [None, Some(Arc::new(|| false) as InterruptHook)] {
            let context = CallContext::new(Duration::from_millis(300), CancelHandle::new(), hook);
            let error = ensure_payment(&patient(&merchant), &request(&order("order-1")), &context)
                .unwrap_err();
            assert_eq!((error.kind(), error.outcome()), (ErrorKind::Timeout, Outcome::Unknown));
        }
        // The hook of a click that waits is asked.
        let asked = AtomicUsize::new(0);
        let interrupts: InterruptHook = Arc::new(move || asked.fetch_add(1, Ordering::SeqCst) > 9);
        let context =
            CallContext::new(Duration::from_secs(60), CancelHandle::new(), Some(interrupts));
        let error =
            ensure_payment(&patient(&merchant), &request(&order("order-1")), &context).unwrap_err();
        assert_eq!((error.kind(), error.outcome()), (ErrorKind::Cancelled, Outcome::Unknown));
        is_over.store(true, Ordering::SeqCst);
        assert!(!asks.join().unwrap().unwrap().is_created);
    });
    assert_eq!(queries(&merchant), 1);
}

#[test]
fn clicks_without_a_token_server_share_the_token_requests() {
    let merchant = lost();
    let tokens = RawServer::responding(response("503 Service Unavailable", "", ""));
    let config = merchant.config().client_credentials(tokens.base_url(), "client-1", "secret-1");
    let client = Client::new(config).unwrap();
    let (before, began) = (queries(&merchant), Instant::now());
    std::thread::scope(|scope| {
        let click = || {
            let error = merchant.ensure_with(&client, &request(&order("order-1"))).unwrap_err();
            assert_eq!((error.kind(), error.outcome()), (ErrorKind::Journal, Outcome::Unknown));
        };
        for _ in 0..20 {
            scope.spawn(click);
        }
    });
    let rounds = usize::try_from(began.elapsed().as_secs() / 2 + 1).unwrap();
    assert!((1..=rounds).contains(&tokens.requests().len()));
    assert_eq!(queries(&merchant), before);
    *merchant.books.queries.lock().unwrap() = Answers::Right;
    assert!(!merchant.ensure(&request(&order("order-1"))).unwrap().is_created);
}

#[test]
fn the_wait_for_a_payment_is_configured() {
    let merchant = lost();
    let config = merchant.config().ensure_wait(Duration::ZERO);
    let client = Client::new(config).unwrap();
    let before = queries(&merchant);
    let error = merchant.ensure_with(&client, &request(&order("order-1"))).unwrap_err();
    assert_eq!((error.outcome(), queries(&merchant)), (Outcome::Unknown, before));
}
