//! The entries of the journal that are followed, and when new ones are noticed.

use std::time::Duration;

use payments_core::journal::EntryState::{Done, Unknown};
use payments_core::journal::JournalError;
use payments_core::{ErrorKind, Operation};
use payments_host::follow::{EndKind, FollowOptions};

use crate::support::followed::{
    Shop, context, ended, ended_reference, payment, references, with_status,
};

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3600);
const DAY: Duration = Duration::from_secs(86_400);
const MILLISECOND: Duration = Duration::from_millis(1);

#[test]
fn a_new_entry_is_noticed_within_two_seconds() {
    is_noticed_after(Duration::ZERO, 2 * SECOND);
}

/// As of a process whose clock is behind, or of a call that took long.
#[test]
fn an_entry_of_today_is_noticed_within_half_a_minute() {
    is_noticed_after(HOUR, MINUTE / 2);
}

fn is_noticed_after(age: Duration, time: Duration) {
    let shop = Shop::of(vec![with_status("CO")]);
    shop.enter("order-1", Duration::ZERO, Done);
    let mut follow = shop.follow_journal();
    assert_eq!(ended_reference(&mut follow).as_deref(), Some("order-1"));
    shop.enter("order-2", age, Done);
    assert_eq!(ended_reference(&mut follow), None);
    shop.clock.advance(time - MILLISECOND);
    assert_eq!(ended_reference(&mut follow), None);
    shop.clock.advance(MILLISECOND);
    assert_eq!(ended_reference(&mut follow).as_deref(), Some("order-2"));
}

#[test]
fn new_entries_are_noticed_after_a_clock_is_set_back() {
    let shop = Shop::of(vec![with_status("CO")]);
    let mut follow = shop.follow_journal();
    assert_eq!(ended_reference(&mut follow), None);
    shop.clock.jump_back(DAY / 2);
    shop.enter("order-1", Duration::ZERO, Done);
    shop.clock.advance(MINUTE / 2);
    assert_eq!(ended_reference(&mut follow).as_deref(), Some("order-1"));
}

#[test]
fn an_entry_of_a_clock_that_was_ahead_is_followed() {
    let shop = Shop::of(vec![with_status("PE"), with_status("CO")]);
    shop.enter("order-1", Duration::ZERO, Done);
    shop.clock.jump_back(10 * DAY);
    let mut follow = shop.follow_journal();
    assert_eq!(ended_reference(&mut follow), None);
    shop.clock.advance(MINUTE);
    assert_eq!(ended_reference(&mut follow).as_deref(), Some("order-1"));
}

#[test]
fn an_entry_of_a_clock_that_was_ahead_begins_now() {
    let shop = Shop::of(vec![with_status("PE")]);
    shop.enter("order-1", Duration::ZERO, Done);
    shop.clock.jump_back(10 * DAY);
    let mut follow = shop.follow_journal();
    assert_eq!(ended_reference(&mut follow), None);
    shop.clock.advance(8 * DAY);
    assert_eq!(ended(&mut follow).unwrap().end, EndKind::GivenUp);
}

/// Recovery or a person may find out after days that a payment was created.
#[test]
fn an_old_entry_that_becomes_done_is_noticed_in_15_minutes() {
    let shop = Shop::of(vec![with_status("CO")]);
    shop.enter("order-1", 3 * DAY, Unknown);
    let mut follow = shop.follow_journal();
    assert_eq!(ended_reference(&mut follow), None);
    let now = shop.now();
    shop.journal.change(|entry| {
        entry.state = Done;
        entry.ended_at = Some(now);
    });
    shop.clock.advance(MINUTE / 2);
    assert_eq!(ended_reference(&mut follow), None, "the whole journal is read less often");
    shop.clock.advance(15 * MINUTE - MINUTE / 2);
    assert_eq!(ended_reference(&mut follow).as_deref(), Some("order-1"));
}

/// As a person's decision about a call of last month.
#[test]
fn an_entry_counts_from_when_it_became_done() {
    let shop = Shop::of(vec![with_status("CO")]);
    shop.enter("order-1", 30 * DAY, Done);
    shop.enter("order-2", 30 * DAY, Done);
    let now = shop.now();
    shop.journal.change(|entry| entry.ended_at = Some(now));
    let mut follow = shop.follow_journal();
    assert_eq!(ended_reference(&mut follow).as_deref(), Some("order-2"));
    assert_eq!(ended_reference(&mut follow), None);
}

#[test]
fn a_payment_that_differs_from_the_journal_is_not_confirmed() {
    let paid = |rest: &str| {
        let spelled = r#""status":"CO","hash":"5a4f","merchant_payment_code":"#;
        payment(&format!("{spelled}{rest}"))
    };
    for (answer, expected) in [
        (paid(r#""order-1""#), EndKind::Confirmed),
        (paid(r#""order-1","amount_total":"100.1","currency_code":"brl""#), EndKind::Confirmed),
        (paid(r#""order-1","amount_br":"1.00""#), EndKind::Confirmed),
        (paid(r#""order-1","amount_total":"100.11""#), EndKind::Differs),
        (paid(r#""order-1","amount_ext":"1""#), EndKind::Differs),
        (paid(r#""order-1","currency_ext":"MXN""#), EndKind::Differs),
    ] {
        let shop = Shop::of(vec![answer]);
        shop.enter("order-1", HOUR, Done);
        shop.journal.change(|entry| {
            entry.hash = Some("5a4f".to_owned());
            entry.amount = Some("100.10".to_owned());
            entry.currency = Some("BRL".to_owned());
        });
        let mut follow = shop.follow_journal();
        let end = ended(&mut follow).unwrap();
        assert_eq!((end.end, end.status.as_deref()), (expected, Some("CO")), "{end:?}");
        let counts = follow.counts();
        let differs = u64::from(expected == EndKind::Differs);
        assert_eq!((counts.differs, counts.confirmed), (differs, 1 - differs));
        assert_eq!(end.reason.is_some(), expected == EndKind::Differs);
    }
}

/// A paid payment is not reported before it is compared.
#[test]
fn a_journal_that_fails_ends_the_run_and_loses_no_end() {
    let shop = Shop::of(vec![with_status("CO")]);
    let mut follow = shop.follow(references(&["order-1"]));
    *shop.journal.before_find.lock().unwrap() = Some(Box::new(|| Err(JournalError::new("down"))));
    for _ in 0..2 {
        let error = follow.next_within(Duration::ZERO, &context()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Journal, "{error}");
    }
    *shop.journal.before_find.lock().unwrap() = None;
    assert_eq!(ended(&mut follow).unwrap().end, EndKind::Confirmed);
}

#[test]
fn entries_older_than_since_are_left_alone() {
    let shop = Shop::of(vec![with_status("CO")]);
    shop.enter("order-1", HOUR, Done);
    shop.enter("order-2", HOUR + MILLISECOND, Done);
    let since_an_hour = FollowOptions { since: HOUR, ..FollowOptions::default() };
    let mut follow = shop.follow(since_an_hour);
    assert_eq!(ended_reference(&mut follow).as_deref(), Some("order-1"));
    assert_eq!(ended_reference(&mut follow), None);
}

#[test]
fn two_refunds_without_a_code_are_both_reported() {
    let shop = Shop::of(vec![with_status("CO")]);
    for age in [HOUR, 2 * HOUR] {
        shop.enter("order-1", age, Done);
        shop.journal.change(|entry| {
            entry.operation = Operation::RefundPayment;
            entry.reference = "5f2c".to_owned();
        });
    }
    let mut follow = shop.follow_journal();
    for _ in 0..2 {
        let end = ended(&mut follow).unwrap();
        assert_eq!((&*end.reference, end.end), ("5f2c", EndKind::GivenUp));
    }
    assert!(ended(&mut follow).is_none());
}
