//! Following payouts by their query, where that is on.

use std::time::Duration;

use payments_core::journal::EntryState::{Done, Unknown};
use payments_core::transport::Received;
use payments_core::{Config, ErrorKind, Operation};
use payments_host::follow::{EndKind, FollowEnd, FollowOptions};

#[cfg(unix)]
use crate::support::folder::Folder;
use crate::support::followed::{Shop, all, ended, ended_reference, json, references};
use crate::support::tokens::status;

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3600);
const WEEK: Duration = Duration::from_secs(7 * 86_400);

const OURS: &str = r#""uid":"u-1","external_reference":"payout-1""#;

fn payout(members: &str) -> Received {
    json(&format!(r#"{{"type":"success","payout":{{{members}}}}}"#))
}

/// An answer with this status and further members.
fn ours(rest: &str) -> Received {
    payout(&format!(r#"{OURS},"status":{rest}"#))
}

/// An answer for the queries of payments, all paid, and of payouts.
fn paid_and(payout: &str) -> Received {
    let payment = r#""status":"SUCCESS","payment":{"status":"CO"}"#;
    json(&format!(r#"{{{payment},"type":"success","payout":{{{payout}}}}}"#))
}

fn absent() -> Received {
    json(r#"{"type":"invalid_request_error","code":"GONE","message":"no such payout"}"#)
}

fn querying(config: Config) -> Config {
    config.payout_query(true).query_retries(0)
}

fn shop(responses: Vec<Received>) -> Shop {
    Shop::with(responses, querying)
}

/// Payouts by their own references.
fn payouts(names: &[&str]) -> FollowOptions {
    FollowOptions { by_external_reference: true, ..references(names) }
}

fn summary(end: &FollowEnd) -> (&str, EndKind, Option<&str>, Option<&str>) {
    (&end.reference, end.end, end.status.as_deref(), end.code.as_deref())
}

#[test]
fn a_payout_is_followed_until_it_is_paid_or_cancelled() {
    for (last, expected) in [
        (r#""PA""#, (EndKind::Confirmed, Some("PA"), None)),
        (r#""PA","amount":10,"currency_code":"brl""#, (EndKind::Confirmed, Some("PA"), None)),
        (r#""CA""#, (EndKind::Cancelled, Some("CA"), None)),
        (r#""CA","code":"BANK_INFO""#, (EndKind::Cancelled, Some("CA"), Some("BANK_INFO"))),
        (r#""CA","code":"key-1""#, (EndKind::Cancelled, Some("CA"), None)),
    ] {
        let open = [r#""OP""#, r#""PE""#, r#""CO""#, r#""XX""#].map(ours);
        let shop = shop(open.into_iter().chain([status(503), ours(last)]).collect());
        let ends = all(&shop, payouts(&["payout-1", "payout-1"]));
        assert_eq!(ends.len(), 1, "{ends:?}");
        let (end, code, of_service) = expected;
        assert_eq!(summary(&ends[0]), ("payout-1", end, code, of_service));
        assert_eq!((ends[0].operation, ends[0].reason.as_deref()), (Operation::CreatePayout, None));
        assert_eq!((ends[0].uid.as_deref(), ends[0].hash.as_deref()), (Some("u-1"), None));
        assert_eq!(shop.queries(r#""external_reference":"payout-1""#), 6);
        assert_eq!(shop.service.calls().len(), 6, "nothing else was sent");
    }
}

#[test]
fn a_payout_is_followed_by_its_uid() {
    for (last, expected) in [
        (ours(r#""PA""#), EndKind::Confirmed),
        (payout(r#""uid":"u-1","status":"PA""#), EndKind::Confirmed),
        (payout(r#""external_reference":"payout-1","status":"PA""#), EndKind::Differs),
    ] {
        let shop = shop(vec![ours(r#""PE""#), last]);
        let ends = all(&shop, FollowOptions { by_uid: true, ..references(&["u-1"]) });
        assert_eq!(summary(&ends[0]), ("u-1", expected, Some("PA"), None));
        assert_eq!(shop.queries(r#""uid":"u-1""#), 2);
    }
}

#[test]
fn payouts_of_the_journal_are_followed_where_their_query_is_on() {
    for is_on in [true, false] {
        let shop = Shop::with(vec![ours(r#""PA""#)], |config| config.payout_query(is_on));
        shop.enter_payout("payout-1", HOUR, Done);
        shop.enter_payout("payout-2", HOUR, Unknown);
        let ends = all(&shop, FollowOptions::default());
        let found: Vec<_> = ends.iter().map(summary).collect();
        let paid = ("payout-1", EndKind::Confirmed, Some("PA"), None);
        assert_eq!(found, if is_on { vec![paid] } else { vec![] });
        assert_eq!(shop.queries("payout-2"), 0, "recovery finds out first");
    }
}

#[test]
fn a_payout_that_is_not_ours_is_for_a_person() {
    for answer in [
        r#""uid":"u-1","external_reference":"PAYOUT-1","status":"PA""#,
        r#""uid":"u-1","external_reference":"payout-1 ","status":"CA","code":"BANK_INFO""#,
        r#""uid":"u-1","status":"CA""#,
        r#""uid":"payout-1","status":"PA""#,
        r#""external_reference":"payout-1","status":"PA","amount":"10.01""#,
        r#""external_reference":"payout-1","status":"CA","amount":100"#,
        r#""external_reference":"payout-1","status":"PA","currency_code":"MXN""#,
    ] {
        let shop = Shop::with(vec![payout(answer)], |it| querying(it).check_references(false));
        shop.enter_payout("payout-1", HOUR, Done);
        let mut follow = shop.follow_journal();
        let end = ended(&mut follow).unwrap_or_else(|| panic!("{answer}"));
        assert_eq!((&*end.reference, end.end), ("payout-1", EndKind::Differs), "{answer}");
        assert!(end.reason.unwrap().contains("look at it on the provider's platform"), "{answer}");
        assert_eq!(follow.counts().differs, 1);
    }
}

#[test]
fn an_answer_about_another_payout_is_a_failed_query() {
    let other = payout(r#""uid":"u-2","external_reference":"Payout-1","status":"CA""#);
    let shop = shop(vec![other, ours(r#""PA""#)]);
    let ends = all(&shop, payouts(&["payout-1"]));
    let ends: Vec<_> = ends.iter().map(summary).collect();
    assert_eq!(ends, [("payout-1", EndKind::Confirmed, Some("PA"), None)]);
}

#[test]
fn only_the_named_codes_say_that_a_payout_is_absent() {
    let known = |config| querying(config).payout_not_found_codes(["GONE"]);
    let shop = Shop::with(vec![absent()], known);
    let mut follow = shop.follow(payouts(&["payout-1"]));
    assert_eq!(ended_reference(&mut follow), None);
    shop.clock.advance(15 * MINUTE);
    let end = ended(&mut follow).unwrap();
    let expected = ("payout-1", EndKind::GivenUp, None, Some("payment_not_found"));
    assert_eq!(summary(&end), expected);
    // One that was created is given up as one that stays open.
    let shop = Shop::with(vec![absent()], known);
    shop.enter_payout("payout-1", HOUR, Done);
    let mut follow = shop.follow_journal();
    assert_eq!(ended_reference(&mut follow), None);
    shop.clock.advance(WEEK);
    assert_eq!(ended(&mut follow).unwrap().end, EndKind::GivenUp);
}

#[test]
fn a_refusal_is_reported_after_a_week_and_ends_no_payout() {
    let refused = || json(r#"{"type":"api_error","code":"HP-CM-29","message":"unknown payee"}"#);
    for answers in [[absent(), absent()], [refused(), refused()]] {
        let shop = shop(answers.into_iter().chain([ours(r#""PA""#)]).collect());
        let mut follow = shop.follow(payouts(&["payout-1"]));
        assert_eq!(ended_reference(&mut follow), None);
        shop.clock.advance(WEEK);
        let end = ended(&mut follow).unwrap();
        assert_eq!((end.end, end.is_final), (EndKind::GivenUp, false));
        assert!(end.reason.as_deref().unwrap().contains("[rejected/"), "{end:?}");
        follow.confirm().unwrap();
        shop.clock.advance(24 * HOUR);
        assert_eq!(ended(&mut follow).unwrap().end, EndKind::Confirmed);
    }
}

#[test]
fn no_failed_query_ends_a_payout_however_old_it_is() {
    for answer in [json(r#"{"type":"success"}"#), status(404), status(400), status(302)] {
        let shop = shop(vec![answer]);
        let mut follow = shop.follow(payouts(&["payout-1"]));
        for _ in 0..3 {
            let end = ended(&mut follow);
            assert!(end.as_ref().is_none_or(|it| it.end == EndKind::QueryFailing), "{end:?}");
            shop.clock.advance(WEEK);
        }
        assert_eq!(shop.queries("payout-1"), 3);
    }
}

#[test]
fn references_of_payouts_are_refused_where_no_query_finds_them() {
    let shop = Shop::of(vec![ours(r#""PA""#)]);
    let refusal = |options: FollowOptions| {
        payments_host::follow(&shop.client, options, &shop.client.context()).unwrap_err()
    };
    for options in [payouts(&["payout-1"]), FollowOptions { by_uid: true, ..references(&["u-1"]) }]
    {
        let error = refusal(options);
        assert_eq!((error.kind(), error.path()), (ErrorKind::Config, Some("payout_query")));
        let way = "if the service has POST /ws/payout/retrieve, turn payout_query on";
        assert!(error.message().ends_with(way), "{error}");
    }
    for options in [
        FollowOptions { by_uid: true, ..payouts(&["a"]) },
        FollowOptions { by_hash: true, ..payouts(&["a"]) },
        FollowOptions { by_hash: true, by_uid: true, ..references(&["a"]) },
    ] {
        let error = refusal(options);
        assert_eq!((error.kind(), error.path()), (ErrorKind::Validation, Some("references")));
    }
    assert!(shop.service.calls().is_empty());
}

#[test]
fn payments_and_payouts_with_one_reference_are_two_items() {
    let shop = shop(vec![paid_and(r#""external_reference":"one","status":"CA""#)]);
    shop.enter_payout("one", HOUR, Done);
    shop.enter("one", HOUR, Done);
    let mut ends = all(&shop, FollowOptions::default());
    ends.sort_by_key(|end| end.operation);
    let ends: Vec<_> = ends.iter().map(|end| (end.operation, summary(end))).collect();
    assert_eq!(
        ends,
        [
            (Operation::CreatePayment, ("one", EndKind::Confirmed, Some("CO"), None)),
            (Operation::CreatePayout, ("one", EndKind::Cancelled, Some("CA"), None)),
        ]
    );
}

#[cfg(unix)]
fn kept_in(folder: &Folder, options: FollowOptions) -> FollowOptions {
    let state = Some(folder.path().join("state"));
    FollowOptions { state, per_second: u32::MAX, ..options }
}

#[cfg(unix)]
#[test]
fn an_end_of_a_payout_that_was_not_confirmed_comes_again() {
    let (folder, shop) = (Folder::made(), shop(vec![ours(r#""CA","code":"BANK_INFO""#)]));
    let options = kept_in(&folder, payouts(&["payout-1"]));
    for repeated in [false, true, true] {
        let end = ended(&mut shop.follow(options.clone())).unwrap();
        assert_eq!((end.repeated, end.code.as_deref()), (repeated, Some("BANK_INFO")));
    }
    let mut follow = shop.follow(options.clone());
    ended(&mut follow).unwrap();
    follow.confirm().unwrap();
    drop(follow);
    assert_eq!(ended_reference(&mut shop.follow(options)), None);
}

/// The state file as it was before payouts were followed.
#[cfg(unix)]
#[test]
fn a_state_file_of_payments_takes_payouts_too() {
    let folder = Folder::made();
    let shop = shop(vec![paid_and(&format!(r#"{OURS},"status":"PA""#))]);
    let options = kept_in(&folder, FollowOptions::default());
    let now = shop.now();
    let lines = [
        r#"{"follow":1,"scope":"service.test"}"#.to_owned(),
        r#"{"outage":{"failures":0,"until":0,"failing_since":null,"last_report":null},"doubt_since":null}"#.to_owned(),
        format!(r#"{{"operation":"create_payment","reference":"order-1","refund_code":null,"uid":null,"hash":null,"since":{now},"was_found":false,"asked":null,"stage":"open","end":null}}"#),
        format!(r#"{{"operation":"create_payment","reference":"order-2","refund_code":null,"uid":null,"hash":null,"since":{now},"was_found":true,"asked":{now},"stage":"reported","end":"confirmed"}}"#),
    ];
    std::fs::write(folder.path().join("state"), lines.join("\n") + "\n").unwrap();
    shop.enter("order-2", HOUR, Done);
    shop.enter_payout("payout-1", HOUR, Done);
    let mut found: Vec<_> =
        all(&shop, options.clone()).into_iter().map(|it| it.reference).collect();
    found.sort();
    assert_eq!(found, ["order-1", "payout-1"], "order-2 was reported");
    assert_eq!(all(&shop, options).len(), 0);
}

/// A service that turned out not to have the query.
#[cfg(unix)]
#[test]
fn payouts_of_a_run_with_the_query_are_given_up_without_it() {
    let folder = Folder::made();
    let options = kept_in(&folder, FollowOptions::default());
    let with = shop(vec![ours(r#""PE""#)]);
    with.enter_payout("payout-1", HOUR, Done);
    assert_eq!(ended_reference(&mut with.follow(options.clone())), None);
    let without = Shop::of(vec![paid_and("")]);
    without.enter("order-1", HOUR, Done);
    without.clock.advance(HOUR);
    for run in 0..3 {
        let mut follow = without.follow(options.clone());
        let mut ends = Vec::new();
        while let Some(end) = ended(&mut follow) {
            ends.push((end.reference, end.end, end.is_final, end.reason));
        }
        assert_eq!(follow.counts().given_up, 1, "a person must know");
        if run > 0 {
            assert_eq!(ends, [], "it was reported");
            continue;
        }
        ends.sort_by(|one, other| one.0.cmp(&other.0));
        assert_eq!((&*ends[0].0, ends[0].1), ("order-1", EndKind::Confirmed));
        let (reference, end, is_final, reason) = &ends[1];
        assert_eq!((&**reference, *end, *is_final), ("payout-1", EndKind::GivenUp, false));
        assert!(reason.as_deref().unwrap().ends_with("turn payout_query on"), "{reason:?}");
    }
    let again = shop(vec![ours(r#""PA""#)]);
    again.clock.advance(25 * HOUR);
    let end = ended(&mut again.follow(options)).unwrap();
    assert_eq!(summary(&end), ("payout-1", EndKind::Confirmed, Some("PA"), None));
}
