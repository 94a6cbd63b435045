use std::time::{Duration, Instant};

use super::*;
use crate::agreement::Agreement;
use crate::follow::item::Item;
use crate::follow::item_state::Stage;
use crate::follow::outage::Failure;
use crate::follow::rule::Concern;
use crate::follow::running::{Follower, Next, Reply};
use crate::follow::time::{DAY, HOUR, RunClock};
use crate::follow::{EndKind, FollowOptions};
use crate::test_folder::Folder;
use payments_core::RawResponse;
use payments_core::error::{ErrorCode, ErrorKind};
use payments_core::request::{PaymentResponse, QueryPayment, Request as _};
use payments_core::rules::Rules;

const NOW: u64 = 1_000 * DAY;

/// Whether there is an item with this reference, ended or not.
fn has_item(state: &State, reference: &str) -> bool {
    let key = known(reference).item.key();
    state.known.contains_key(&key) || state.ended.has(Mark::of(&key))
}

fn known(reference: &str) -> ItemState {
    ItemState::new(Item::named(reference, false, NOW - 7))
}

fn ended(reference: &str, end: EndKind) -> ItemState {
    ItemState { stage: Stage::Reported, end: Some(end), asked: Some(NOW), ..known(reference) }
}

fn at(path: &Path, scope: &str, now: u64) -> Result<State, Error> {
    State::open(&Place { path: Some(path), scope, forget_after: 90 * DAY }, now)
}

fn open(path: &Path) -> State {
    at(path, "api.example", NOW).expect("it can be used")
}

fn code(path: &Path, scope: &str) -> Option<ErrorCode> {
    at(path, scope, NOW).err().map(|error| error.code())
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).expect("it is there")
}

#[test]
fn the_last_line_of_an_item_is_read_again() {
    let folder = Folder::made();
    let path = folder.path().join("state");
    let mut state = open(&path);
    for known in [known("a"), known("b"), ended("a", EndKind::Confirmed)] {
        state.put(known, NOW).unwrap();
    }
    drop(state);
    let asked = ItemState { asked: Some(NOW), ..known("b") };
    // A crash may cut a line short.
    let cut = asked.to_line() + "\n{\"operation\":\"create_pay";
    let mut file = std::fs::OpenOptions::new().append(true).open(&path).unwrap();
    io::Write::write_all(&mut file, cut.as_bytes()).unwrap();
    let mut state = open(&path);
    assert!(state.see(&known("a").item.key(), NOW).unwrap());
    assert_eq!(state.get(&known("a").item.key()), None);
    assert_eq!(state.open_items().collect::<Vec<_>>(), [&asked]);
    assert_eq!(state.newest(), Some(NOW));
    assert!(text(&path).ends_with("}\n"), "half a line is taken back");
}

#[test]
fn one_at_a_time_uses_a_file() {
    let folder = Folder::made();
    let path = folder.path().join("state");
    let state = open(&path);
    assert_eq!(code(&path, "api.example"), Some(ErrorCode::ALREADY_RUNNING));
    drop(state);
    assert_eq!(code(&path, "api.example"), None);
}

#[test]
fn a_file_of_another_kind_stays_as_it_is() {
    let folder = Folder::made();
    let path = folder.path().join("state");
    drop(open(&path));
    let error = at(&path, "other.example", NOW).unwrap_err();
    assert_eq!(error.code(), ErrorCode::STATE_FILE);
    assert!(error.message().contains("another service or journal_scope"), "{error}");
    let head = text(&path);
    for text in ["order-1", "order-1\n", "{}\n", "{\"follow\":2}\n", &format!("{head}{{}}\n")] {
        std::fs::write(&path, text).unwrap();
        assert_eq!(code(&path, "api.example"), Some(ErrorCode::STATE_FILE), "{text}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    }
    assert_eq!(code(folder.path(), "api.example"), Some(ErrorCode::STATE_FILE), "a folder");
}

#[test]
fn a_long_file_is_rewritten() {
    let folder = Folder::made();
    let path = folder.path().join("state");
    let mut state = open(&path);
    for asked in 0..2 * SUPERFLUOUS as u64 {
        state.put(ItemState { asked: Some(asked), ..known("a") }, NOW).unwrap();
    }
    let lines = text(&path).lines().count();
    assert!(lines < SUPERFLUOUS + 10, "{lines} lines");
    drop(state);
    let last = open(&path).get(&known("a").item.key()).and_then(|known| known.asked);
    assert_eq!(last, Some(2 * SUPERFLUOUS as u64 - 1));
}

#[test]
fn two_lines_for_each_of_many_items_are_not_rewritten() {
    use std::os::unix::fs::MetadataExt as _;

    let folder = Folder::made();
    let path = folder.path().join("state");
    let mut state = open(&path);
    let file = || std::fs::metadata(&path).unwrap().ino();
    let begun = file();
    for asked in [Some(9), None] {
        for number in 0..SUPERFLUOUS + 100 {
            state.put(ItemState { asked, ..known(&number.to_string()) }, NOW).unwrap();
            assert_eq!(file(), begun, "rewritten at {number}");
        }
    }
}

#[test]
fn many_ends_take_short_lines_after_a_while() {
    let folder = Folder::made();
    let path = folder.path().join("state");
    let mut state = open(&path);
    for number in 0..SUPERFLUOUS + 10 {
        state.put(ended(&number.to_string(), EndKind::Confirmed), NOW).unwrap();
    }
    state.put(known("open"), NOW).unwrap();
    drop(state);
    let mut state = open(&path);
    for number in 0..SUPERFLUOUS + 10 {
        assert!(state.see(&known(&number.to_string()).item.key(), NOW).unwrap());
    }
    assert_eq!(state.open_items().count(), 1);
    let length = text(&path).len();
    assert!(length < 80 * (SUPERFLUOUS + 20), "{length} bytes");
}

#[test]
fn unused_ends_are_dropped_unless_a_person_must_see_them() {
    let folder = Folder::made();
    let path = folder.path().join("state");
    let mut state = open(&path);
    let given_up =
        ItemState { given_up: Some(NOW), end: Some(EndKind::GivenUp), ..known("given-up") };
    let reporting = ItemState { stage: Stage::Reporting, ..ended("half", EndKind::Confirmed) };
    for known in [
        ended("paid", EndKind::Confirmed),
        ended("cancelled", EndKind::Cancelled),
        ended("named", EndKind::Confirmed),
        ended("differs", EndKind::Differs),
        known("open"),
        given_up,
        reporting,
    ] {
        state.put(known, NOW).unwrap();
    }
    drop(state);
    let has = |state: &State, reference: &str| has_item(state, reference);
    // Runs each day, so the clock is none to doubt.
    for day in 1..=92 {
        let now = NOW + day * DAY;
        let mut state = at(&path, "api.example", now).unwrap();
        assert!(state.see(&known("named").item.key(), now).unwrap(), "day {day}");
        for reference in ["named", "differs", "open", "given-up", "half"] {
            assert!(has(&state, reference), "{reference} on day {day}");
        }
        for reference in ["paid", "cancelled"] {
            assert_eq!(has(&state, reference), day < 92, "{reference} on day {day}");
        }
    }
}

#[test]
fn a_clock_that_is_far_ahead_drops_nothing() {
    let folder = Folder::made();
    let path = folder.path().join("state");
    open(&path).put(ended("paid", EndKind::Confirmed), NOW).unwrap();
    for now in [NOW + 400 * DAY, NOW + 400 * DAY + HOUR, NOW] {
        let state = at(&path, "api.example", now).unwrap();
        assert!(has_item(&state, "paid"));
    }
}

#[test]
fn the_state_of_all_items_is_read_again() {
    let folder = Folder::made();
    let path = folder.path().join("state");
    let mut state = open(&path);
    let mut run = RunState::default();
    let item = Mark::of(&known("a").item.key());
    let (concern, began_before_pause, followed) = (Concern::Refused, false, 1);
    run.outage.note_failure(Failure { concern, item, began_before_pause, followed }, NOW);
    run.doubt.look(NOW, Some(0));
    run.behind = Some(NOW);
    state.put_run(run, NOW).unwrap();
    let length = text(&path).len();
    state.put_run(run, NOW).unwrap();
    assert_eq!(text(&path).len(), length, "nothing new");
    drop(state);
    assert_eq!(open(&path).run(), run);
}

/// The effect of a full disk.
#[test]
fn a_failed_write_changes_nothing() {
    let folder = Folder::made();
    let path = folder.path().join("state");
    let mut state = open(&path);
    state.put(known("a"), NOW).unwrap();
    state.file.as_mut().unwrap().fails_to_write();
    let end = ended("a", EndKind::Confirmed);
    assert_eq!(
        state.put_all(vec![end.clone()], true, NOW).unwrap_err().code(),
        ErrorCode::STATE_FILE
    );
    assert_eq!(state.get(&end.item.key()), Some(&known("a")));
}

#[test]
fn a_run_whose_file_cannot_be_written_ends_and_loses_no_end() {
    let (folder, clock) = (Folder::made(), RunClock::new(Duration::ZERO, Instant::now()));
    let options = FollowOptions {
        references: Some(vec!["a".to_owned()]),
        state: Some(folder.path().join("state")),
        ..FollowOptions::default()
    };
    let mut follower = Follower::begun(options.clone(), None, "api.example", clock, NOW).unwrap();
    let Next::Query(task) = follower.next(NOW).unwrap() else { panic!("it is due") };
    follower.state.file.as_mut().unwrap().fails_to_write();
    let answer = task.item.read(&paid());
    follower
        .answered(task, Ok(Reply { answer, agreement: Agreement::Agrees, other_hash: None }), NOW)
        .unwrap();
    for _ in 0..2 {
        let failed = follower.give(1, NOW).unwrap_err();
        assert_eq!((failed.kind(), failed.code()), (ErrorKind::Config, ErrorCode::STATE_FILE));
    }
    drop(follower);
    let mut follower = Follower::begun(options, None, "api.example", clock, NOW).unwrap();
    assert!(matches!(follower.next(NOW).unwrap(), Next::Query(_)), "it is still open");
}

fn paid() -> PaymentResponse {
    let body = br#"{"status":"SUCCESS","payment":{"status":"CO"}}"#.to_vec();
    let query = QueryPayment::by_merchant_payment_code("a");
    query.read_response(RawResponse::new(200, Vec::new(), body), &Rules::default()).unwrap()
}
