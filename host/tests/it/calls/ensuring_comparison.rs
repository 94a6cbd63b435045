//! Which payments `ensure_payment`, `wait_for_payment`, `follow` and recovery take for the
//! one that was asked for.

use std::time::Duration;

use payments_core::journal::EntryState;
use payments_core::json::Json;
use payments_core::request::QueryPayment;
use payments_core::{CallContext, Client, ErrorCode, Outcome};
use payments_host::follow::{EndKind, FollowEnd, FollowOptions};
use payments_host::{by_name, follow, wait_for_payment};

use crate::support::books::{Answers, Books, Merchant, order, request};

fn wait(client: &Client, query: &QueryPayment) -> Result<bool, ErrorCode> {
    let context = CallContext::with_timeout(Duration::from_secs(2));
    wait_for_payment(client, query, &context).map(|it| it.is_paid()).map_err(|it| it.code())
}

/// The first end that following gives.
fn first_end(client: &Client, references: Option<&[&str]>) -> FollowEnd {
    let references = references.map(|it| it.iter().map(|it| (*it).to_owned()).collect());
    let options = FollowOptions { references, ..FollowOptions::default() };
    let context = CallContext::with_timeout(Duration::from_secs(60));
    follow(client, options, &context).unwrap().next().unwrap().unwrap()
}

#[test]
fn another_spelling_is_another_payment() {
    let merchant = Merchant::of(Books { ignores_case: true, ..Books::default() }, true);
    *merchant.books.shows.lock().unwrap() = r#","amount_total":"100.10""#.to_owned();
    let first = merchant.ensure(&request(&order("aB3xY"))).unwrap();
    merchant.books.change(|it| it.status = "CO");
    let error = merchant.ensure(&request(&order("ab3xy"))).unwrap_err();
    assert_eq!((error.code(), error.outcome()), (ErrorCode::REFERENCE_USED, Outcome::Unknown));
    assert!(error.message().contains("other capitals"), "{error}");
    assert!(error.message().contains("check_references"), "{error}");
    let client = merchant.client();
    let by_reference = QueryPayment::by_merchant_payment_code("ab3xy");
    assert_eq!(wait(&client, &by_reference), Err(ErrorCode::OTHER_REFERENCE));
    assert_eq!(wait(&client, &QueryPayment::by_merchant_payment_code("aB3xY")), Ok(true));
    let end = first_end(&client, Some(&["ab3xy"]));
    assert_eq!(end.end, EndKind::Differs);
    assert!(end.reason.unwrap().contains("check_references"));
    assert_eq!(first_end(&client, Some(&["aB3xY"])).end, EndKind::Confirmed);
    assert_eq!(merchant.journal().one().hash.as_deref(), first.payment.hash());
}

#[test]
fn without_a_journal_a_switch_decides_about_spellings() {
    let merchant = Merchant::of(Books { ignores_case: true, ..Books::default() }, false);
    merchant.books.add("ORDER-1", "CO", "");
    let error = merchant.ensure(&request(&order("order-1"))).unwrap_err();
    assert!(error.message().contains("check_references"), "{error}");
    let query = QueryPayment::by_merchant_payment_code("order-1");
    assert_eq!(wait(&merchant.client(), &query), Err(ErrorCode::OTHER_REFERENCE));
    let lenient = Client::new(merchant.config().check_references(false)).unwrap();
    assert!(!merchant.ensure_with(&lenient, &request(&order("order-1"))).unwrap().is_created);
    assert_eq!(wait(&lenient, &query), Ok(true));
    assert_eq!(first_end(&lenient, Some(&["order-1"])).end, EndKind::Confirmed);
}

#[test]
fn a_service_that_cuts_references_is_followed_by_the_hash() {
    let long = "order-2026-11-29-000123456";
    let merchant = Merchant::of(Books { cuts_at: 20, ..Books::default() }, true);
    let lenient = Client::new(merchant.config().check_references(false)).unwrap();
    assert!(merchant.ensure_with(&lenient, &request(&order(long))).unwrap().is_created);
    let again = merchant.ensure_with(&lenient, &request(&order(long))).unwrap();
    assert_eq!(
        (again.is_created, &*again.unchecked),
        (false, &["currency_code", "amount_total"][..])
    );
    assert!(merchant.books.last().starts_with("hash="));
    merchant.books.change(|it| it.status = "CO");
    assert_eq!(first_end(&lenient, None).end, EndKind::Confirmed);
    let hash = again.payment.hash().unwrap();
    assert_eq!(wait(&lenient, &QueryPayment::by_hash(hash)), Ok(true));
    // Another order with the same 20 characters is not paid by this payment.
    let other = merchant.ensure_with(&lenient, &request(&order("order-2026-11-29-000999999")));
    assert_eq!(other.unwrap_err().code(), ErrorCode::REFERENCE_USED);
    assert_eq!(merchant.books.creations(), 1);
}

#[test]
fn two_references_with_one_payment_are_not_both_done() {
    let merchant = Merchant::of(Books { ignores_case: true, ..Books::default() }, true);
    let client = merchant.client();
    client.create_payment(&request(&order("order-1"))).unwrap();
    let error = client.create_payment(&request(&order("ORDER-1"))).unwrap_err();
    assert_eq!((error.code(), error.outcome()), (ErrorCode::REFERENCE_USED, Outcome::Unknown));
    let states: Vec<_> =
        merchant.journal().all().iter().map(|it| (it.state, it.hash.is_some())).collect();
    assert_eq!(states, [(EntryState::Done, true), (EntryState::Unknown, true)]);
}

#[test]
fn a_creation_that_is_spelled_otherwise_is_done_if_it_is_alone() {
    let merchant = Merchant::of(Books { cuts_at: 4, ..Books::default() }, true);
    let lenient = Client::new(merchant.config().check_references(false)).unwrap();
    lenient.create_payment(&request(&order("order-1"))).unwrap();
    assert_eq!(merchant.journal().one().state, EntryState::Done);
    lenient.create_payment(&request(&order("order-2"))).unwrap();
    let all = merchant.journal().all();
    assert!(all.iter().all(|it| it.state == EntryState::Done), "each has a payment of its own");
}

#[test]
fn a_corrected_email_finds_the_payment_if_the_rest_agrees() {
    let merchant = Merchant::of(Books::default(), true);
    let shown = concat!(
        r#","amount_total":"100.10","currency_code":"BRL","payment_type_code":"pix","#,
        r#""customer":{"document":"85351346893"}"#
    );
    *merchant.books.shows.lock().unwrap() = shown.to_owned();
    merchant.ensure(&request(&order("order-1"))).unwrap();
    let corrected = request(&order("order-1").replace("maria@", "ana@"));
    let found = merchant.ensure(&corrected).unwrap();
    assert_eq!((found.is_created, &*found.unchecked), (false, &["body"][..]));
    for (shown, other) in [("85351346893", "11144477735"), ("pix", "boleto")] {
        merchant.books.change(|it| it.members = it.members.replace(shown, other));
        let error = merchant.ensure(&corrected).unwrap_err();
        assert_eq!((error.code(), error.outcome()), (ErrorCode::REFERENCE_USED, Outcome::Unknown));
        assert!(error.response().is_some() && error.journal_entry().is_some());
        merchant.books.change(|it| it.members = it.members.replace(other, shown));
    }
    // The payer is not compared where the entry has the body of the request.
    merchant.books.change(|it| it.members = it.members.replace("85351346893", "11144477735"));
    assert!(merchant.ensure(&request(&order("order-1"))).unwrap().unchecked.is_empty());
}

#[test]
fn an_unreadable_amount_is_never_confirmed() {
    let merchant = Merchant::of(Books::default(), true);
    *merchant.books.shows.lock().unwrap() = r#","amount_total":"100,10""#.to_owned();
    merchant.ensure(&request(&order("order-1"))).unwrap();
    let found = merchant.ensure(&request(&order("order-1"))).unwrap();
    assert_eq!(found.unchecked, ["currency_code", "amount_total"]);
    merchant.books.change(|it| it.status = "CO");
    let client = merchant.client();
    let query = QueryPayment::by_merchant_payment_code("order-1");
    assert_eq!(wait(&client, &query), Err(ErrorCode::RESPONSE_UNREADABLE));
    let end = first_end(&client, None);
    assert_eq!(end.end, EndKind::GivenUp);
    assert!(end.reason.unwrap().contains("cannot be read"));
}

#[test]
fn a_payer_who_tried_again_has_paid() {
    let merchant = Merchant::of(Books::default(), true);
    let first = merchant.ensure(&request(&order("order-1"))).unwrap();
    merchant.books.change(|it| it.status = "CA");
    let cancelled = merchant.ensure(&request(&order("order-1"))).unwrap();
    assert_eq!((cancelled.payment.is_paid(), cancelled.other_hash), (false, None));
    let second = merchant.books.add("order-1", "CO", "");
    let first = first.payment.hash().map(str::to_owned);
    let paid = merchant.ensure(&request(&order("order-1"))).unwrap();
    assert_eq!((paid.payment.hash(), paid.other_hash.clone()), (Some(&*second), first.clone()));
    let client = merchant.client();
    let by_hash = QueryPayment::by_hash(first.as_deref().unwrap());
    assert_eq!(wait(&client, &by_hash), Ok(true));
    let input = format!(r#"{{"hash":"{}"}}"#, first.as_deref().unwrap());
    let waited =
        by_name::call(&client, "wait_for_payment", input.as_bytes(), &client.context()).unwrap();
    assert_eq!(waited.view.get("other_hash"), Some(&Json::from(first.as_deref())));
    let end = first_end(&client, None);
    assert_eq!((end.end, end.hash.as_deref()), (EndKind::Confirmed, Some(&*second)));
    assert_eq!(end.other_hash, first);
}

#[test]
fn a_payer_who_is_trying_again_may_still_pay() {
    let (merchant, [first, second]) = two_payments(Books::default(), ["CA", "PE"], "");
    let ensured = merchant.ensure(&request(&order("order-1"))).unwrap();
    assert_eq!((ensured.payment.hash(), ensured.other_hash), (Some(&*second), None));
    let client = merchant.client();
    assert_eq!(wait(&client, &QueryPayment::by_hash(&first)), Ok(false), "it is open at the end");
    assert!(merchant.books.last().starts_with("merchant_payment_code="), "and asked for");
    merchant.books.change(|it| it.status = "CO");
    assert_eq!(wait(&client, &QueryPayment::by_hash(&first)), Ok(true));
    assert_eq!(first_end(&client, None).hash, Some(second));
}

#[test]
fn a_cancelled_second_payment_leaves_that_of_the_entry_open() {
    let (merchant, [first, second]) = two_payments(Books::default(), ["PE", "CA"], "");
    let client = merchant.client();
    for query in [QueryPayment::by_merchant_payment_code("order-1"), QueryPayment::by_hash(&first)]
    {
        let context = CallContext::with_timeout(Duration::from_secs(2));
        let payment = wait_for_payment(&client, &query, &context).unwrap();
        assert_eq!(payment.hash(), Some(&*first), "not {second}, which is over");
    }
    // While the service does not say how that one is, nothing is over.
    *merchant.books.by_hash.lock().unwrap() = Answers::Down;
    let query = QueryPayment::by_merchant_payment_code("order-1");
    assert_eq!(wait(&client, &query), Err(ErrorCode::FAILED));
}

/// Payments with one reference, of which the entry has the first.
fn two_payments(
    books: Books,
    statuses: [&'static str; 2],
    members: &str,
) -> (Merchant, [String; 2]) {
    let merchant = Merchant::of(books, true);
    let first = merchant.ensure(&request(&order("order-1"))).unwrap();
    merchant.books.change(|it| it.status = statuses[0]);
    let second = merchant.books.add("order-1", statuses[1], members);
    (merchant, [first.payment.hash().unwrap().to_owned(), second])
}

#[test]
fn two_paid_payments_with_one_reference_are_for_a_person() {
    let (merchant, _) = two_payments(Books::default(), ["CO", "CO"], "");
    let client = merchant.client();
    let query = QueryPayment::by_merchant_payment_code("order-1");
    assert_eq!(wait(&client, &query), Err(ErrorCode::OTHER_REFERENCE));
    let end = first_end(&client, Some(&["order-1"]));
    assert_eq!(end.end, EndKind::Differs);
    assert!(end.reason.unwrap().contains("look at both"));
}

#[test]
fn a_second_payment_of_another_amount_is_for_a_person() {
    let other = r#","amount_total":"7.00""#;
    let (merchant, [first, second]) = two_payments(Books::default(), ["CA", "CO"], other);
    let client = merchant.client();
    assert_eq!(wait(&client, &QueryPayment::by_hash(&first)), Err(ErrorCode::OTHER_REFERENCE));
    let end = first_end(&client, None);
    assert_eq!((end.end, end.hash, end.other_hash), (EndKind::Differs, Some(second), Some(first)));
    let error = merchant.ensure(&request(&order("order-1"))).unwrap_err();
    assert_eq!((error.code(), error.outcome()), (ErrorCode::REFERENCE_USED, Outcome::Unknown));
    assert!(error.message().contains("another amount_total"), "{error}");
}

#[test]
fn the_payment_of_the_entry_counts_if_another_one_is_cancelled() {
    let (merchant, [first, second]) = two_payments(Books::default(), ["CO", "CA"], "");
    let client = merchant.client();
    let query = QueryPayment::by_merchant_payment_code("order-1");
    assert_eq!(wait(&client, &query), Ok(true));
    let end = first_end(&client, Some(&["order-1"]));
    assert_eq!(
        (end.end, end.hash, end.other_hash),
        (EndKind::Confirmed, Some(first), Some(second))
    );
    // Before that is known, nothing is.
    *merchant.books.by_hash.lock().unwrap() = Answers::Down;
    assert_eq!(wait(&client, &query), Err(ErrorCode::FAILED));
    merchant.books.change(|it| it.status = "CO");
    assert_eq!(wait(&client, &query), Err(ErrorCode::FAILED));
}

#[test]
fn the_entry_has_the_reference_that_no_response_shows() {
    let books = Books { hides_references: true, ..Books::default() };
    let (merchant, [first, second]) = two_payments(books, ["CA", "CO"], "");
    let client = merchant.client();
    assert_eq!(wait(&client, &QueryPayment::by_hash(&first)), Ok(true));
    let paid = merchant.ensure(&request(&order("order-1"))).unwrap();
    assert_eq!((paid.payment.hash(), paid.other_hash.as_deref()), (Some(&*second), Some(&*first)));
    assert_eq!(first_end(&client, None).hash, Some(second));
}

#[test]
fn a_cancelled_payment_counts_only_after_a_second_query() {
    let merchant = Merchant::of(Books::default(), true);
    let first = merchant.ensure(&request(&order("order-1"))).unwrap();
    let hash = first.payment.hash().unwrap();
    merchant.books.change(|it| it.status = "CA");
    let (client, by_hash) = (merchant.client(), QueryPayment::by_hash(hash));
    *merchant.books.by_reference.lock().unwrap() = Answers::Down;
    assert_eq!(wait(&client, &by_hash), Err(ErrorCode::FAILED), "it stays open");
    let error = merchant.ensure(&request(&order("order-1"))).unwrap_err();
    assert_eq!((error.code(), error.outcome()), (ErrorCode::ALREADY_DONE, Outcome::Executed));
    *merchant.books.by_reference.lock().unwrap() = Answers::Refused;
    assert_eq!(wait(&client, &by_hash), Ok(false), "a refusal says that there is no other");
    assert!(merchant.books.last().starts_with("merchant_payment_code="));
}
