//! Many clicks on one order: its callers share the queries, and wait for a short time.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use payments_core::{CallContext, CancelHandle, Client, ErrorKind, Outcome};
use payments_host::ensure_payment;

use crate::support::books::{Answers, Books, Merchant, order, request};

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

#[test]
fn the_wait_for_a_payment_is_configured() {
    let merchant = lost();
    let config = merchant.config().ensure_wait(Duration::ZERO);
    let client = Client::new(config).unwrap();
    let before = queries(&merchant);
    let error = merchant.ensure_with(&client, &request(&order("order-1"))).unwrap_err();
    assert_eq!((error.outcome(), queries(&merchant)), (Outcome::Unknown, before));
}
