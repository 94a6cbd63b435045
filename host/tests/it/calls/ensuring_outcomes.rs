//! The outcome of `ensure_payment` is that of the reference, whichever step fails.

use std::time::Duration;

use payments_core::Outcome::{Executed, NotExecuted, Unknown};
use payments_core::journal::{EntryState, JournalError};
use payments_core::json::Json;
use payments_core::{CallContext, CallOptions as _, ErrorCode, ErrorKind, Operation, Outcome};
use payments_host::ensure_payment;

use crate::support::books::{Answers, Books, Merchant, order, request};

/// The journal before the call.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Before {
    NoJournal,
    Nothing,
    Entry(EntryState),
}

use Before::{Entry, NoJournal, Nothing};
use EntryState::{Done, Failed, InProgress, Unknown as UnknownEntry};

fn merchant(before: Before) -> Merchant {
    let merchant = Merchant::of(Books::default(), before != NoJournal);
    if let Entry(state) = before {
        merchant.ensure(&request(&order("order-1"))).unwrap();
        merchant.journal().change(|entry| entry.state = state);
    }
    merchant.books.payments.lock().unwrap().clear();
    merchant
}

/// The kind and the outcome of the failure of `text`, and whether it names the entry.
fn failure(merchant: &Merchant, text: &str) -> (ErrorKind, Outcome) {
    let client = crate::support::books::impatient(merchant);
    let creations = merchant.books.creations();
    let error = merchant.ensure_with(&client, &request(text)).unwrap_err();
    assert_eq!(error.operation(), Some(Operation::CreatePayment), "{error}");
    assert_eq!(error.reference(), Some("order-1"), "{error}");
    let has_entry = merchant
        .journal
        .as_ref()
        .is_some_and(|journal| journal.all().iter().any(|it| it.state != Failed));
    if creations == merchant.books.creations() {
        assert_eq!(error.journal_entry().is_some(), has_entry, "{error}");
        let hash = error.journal_entry().and_then(|it| it.get("hash")?.as_str());
        assert_eq!(error.payment_hash(), hash, "{error}");
    }
    match error.outcome() {
        Unknown if error.code() != ErrorCode::REFERENCE_USED => {
            let advice = error.advice().unwrap();
            assert!(advice.contains("call `ensure_payment()` again"), "{advice}");
        }
        NotExecuted => assert_eq!(error.advice(), None),
        _ => assert!(error.advice().is_some()),
    }
    (error.kind(), error.outcome())
}

#[test]
fn a_failed_query_has_the_outcome_of_the_reference() {
    for (before, expected) in [
        (NoJournal, (ErrorKind::Status, Unknown)),
        (Nothing, (ErrorKind::Status, Unknown)),
        (Entry(Failed), (ErrorKind::Status, Unknown)),
        (Entry(InProgress), (ErrorKind::Journal, Unknown)),
        (Entry(UnknownEntry), (ErrorKind::Journal, Unknown)),
        (Entry(Done), (ErrorKind::Journal, Executed)),
    ] {
        let merchant = merchant(before);
        *merchant.books.queries.lock().unwrap() = Answers::Down;
        assert_eq!(failure(&merchant, &order("order-1")), expected, "{before:?}");
        *merchant.books.queries.lock().unwrap() = Answers::Refused;
        let (_, outcome) = failure(&merchant, &order("order-1"));
        assert_eq!(outcome, expected.1, "{before:?}");
        let other = order("order-1").replace("maria@", "ana@");
        let (_, outcome) = failure(&merchant, &other);
        assert_eq!(outcome, Unknown, "another body, {before:?}");
    }
}

#[test]
fn an_invalid_request_has_the_outcome_of_the_reference() {
    let blank = order("order-1").replace("Maria Souza", " ");
    for (before, expected) in [
        (NoJournal, NotExecuted),
        (Nothing, NotExecuted),
        (Entry(Failed), NotExecuted),
        (Entry(InProgress), Unknown),
        (Entry(UnknownEntry), Unknown),
        (Entry(Done), Unknown),
    ] {
        let merchant = merchant(before);
        let found = failure(&merchant, &blank);
        assert_eq!(found, (ErrorKind::Validation, expected), "{before:?}");
    }
    let merchant = merchant(Entry(Done));
    let error = merchant.ensure(&request(&blank)).unwrap_err();
    assert!(error.message().contains("blank"), "{error}");
    assert_eq!(error.path(), Some("payment.name"));
    let context = CallContext::with_timeout(Duration::from_secs(60));
    let too_long = context.with_ensure_wait(Duration::from_secs(601));
    let client = merchant.client();
    let error = ensure_payment(&client, &request(&order("order-1")), &too_long).unwrap_err();
    assert_eq!((error.kind(), error.outcome()), (ErrorKind::Validation, Unknown));
    assert_eq!(error.journal_entry().unwrap().get("has_same_body"), Some(&Json::from(true)));
    let nameless = order("order-1").replace("\"order-1\"", "7");
    let error = merchant.ensure(&request(&nameless)).unwrap_err();
    assert_eq!((error.kind(), error.outcome()), (ErrorKind::Validation, NotExecuted));
}

#[test]
fn a_creation_that_was_refused_or_not_sent_is_not_executed() {
    for before in [NoJournal, Nothing, Entry(Failed)] {
        let merchant = merchant(before);
        *merchant.books.creations.lock().unwrap() = Answers::Refused;
        assert_eq!(failure(&merchant, &order("order-1")), (ErrorKind::Rejected, NotExecuted));
        *merchant.books.creations.lock().unwrap() = Answers::Down;
        assert_eq!(failure(&merchant, &order("order-1")).1, Unknown, "{before:?}");
    }
}

#[test]
fn a_journal_that_does_not_work_proves_nothing() {
    let merchant = merchant(Entry(Done));
    let down = || Err(JournalError::new("the database is locked; end the other program"));
    *merchant.journal().before_find.lock().unwrap() = Some(Box::new(down));
    let requests = merchant.books.log.lock().unwrap().len();
    for text in [order("order-1"), order("order-1").replace("Maria Souza", " ")] {
        let error = merchant.ensure(&request(&text)).unwrap_err();
        assert_eq!(error.outcome(), Unknown, "{error}");
        assert!(error.message().contains("end the other program"), "{error}");
        assert_eq!(error.operation(), Some(Operation::CreatePayment));
    }
    assert_eq!(merchant.books.log.lock().unwrap().len(), requests);
    *merchant.journal().before_find.lock().unwrap() = None;
    merchant.journal().change(|entry| entry.state = Failed);
    *merchant.journal().before_insert.lock().unwrap() = Some(Box::new(down));
    let error = merchant.ensure(&request(&order("order-1"))).unwrap_err();
    assert_eq!((error.kind(), error.outcome()), (ErrorKind::Journal, Unknown));
}

#[test]
fn a_payment_that_was_found_is_recorded() {
    let merchant = merchant(Nothing);
    let hash = merchant.books.add("order-1", "PE", r#","amount_total":"100.10""#);
    let found = merchant.ensure(&request(&order("order-1"))).unwrap();
    assert_eq!((found.is_created, &*found.unchecked), (false, &["currency_code", "body"][..]));
    let entry = merchant.journal().one();
    assert_eq!((entry.state, entry.hash.as_deref()), (Done, Some(&*hash)));
    assert_eq!((entry.amount.as_deref(), entry.currency.as_deref()), (Some("100.10"), Some("BRL")));
    assert!(!entry.has_known_body());
    let again = merchant.ensure(&request(&order("order-1"))).unwrap();
    assert_eq!(again.unchecked, ["currency_code", "body"]);
    let blocked = |text: &str| {
        let error = merchant.client().create_payment(&request(text)).unwrap_err();
        let entry = error.journal_entry().and_then(|it| it.get("has_same_body").cloned());
        (error.code(), error.outcome(), entry)
    };
    let done = (ErrorCode::ALREADY_DONE, Executed, Some(Json::Null));
    assert_eq!(blocked(&order("order-1")), done);
    assert_eq!(blocked(&order("order-1").replace("maria@", "ana@")), done);
    let other = (ErrorCode::REFERENCE_USED, Unknown, Some(Json::from(false)));
    assert_eq!(blocked(&order("order-1").replace("100.10", "1.00")), other);
    assert_eq!(merchant.books.creations(), 0);
}

#[test]
fn a_found_payment_that_may_be_another_one_is_not_recorded() {
    for (reference, members) in [
        ("order-1", r#","amount_total":"1.00""#),
        ("order-1", r#","customer":{"document":"111.444.777-35"}"#),
        ("ORDER-1", r#","amount_total":"100.10""#),
    ] {
        let merchant = Merchant::of(Books { ignores_case: true, ..Books::default() }, true);
        merchant.books.add(reference, "PE", members);
        let error = merchant.ensure(&request(&order("order-1"))).unwrap_err();
        assert_eq!(error.code(), ErrorCode::REFERENCE_USED, "{members}");
        assert!(error.payment_hash().is_some() && error.response().is_some());
        assert!(merchant.journal().all().is_empty(), "{members}");
    }
}

#[test]
fn recording_that_fails_changes_nothing_and_is_told() {
    let merchant = merchant(Nothing);
    merchant.books.add("order-1", "PE", "");
    let (client, reasons) = crate::support::books::observed(&merchant);
    *merchant.journal().before_insert.lock().unwrap() =
        Some(Box::new(|| Err(JournalError::new("the disk is full"))));
    let found = merchant.ensure_with(&client, &request(&order("order-1"))).unwrap();
    assert!(!found.is_created);
    assert_eq!(*reasons.lock().unwrap(), ["the disk is full"]);
    // A crash between the two steps leaves an open entry, which the next call decides.
    *merchant.journal().before_insert.lock().unwrap() = None;
    *merchant.journal().before_update.lock().unwrap() =
        Some(Box::new(|| Err(JournalError::new("killed"))));
    merchant.ensure_with(&client, &request(&order("order-1"))).unwrap();
    assert_eq!(merchant.journal().one().state, InProgress);
    *merchant.journal().before_update.lock().unwrap() = None;
    *merchant.journal().ahead.lock().unwrap() = 3_600_000;
    merchant.ensure(&request(&order("order-1"))).unwrap();
    assert_eq!(merchant.journal().one().state, Done);
}
