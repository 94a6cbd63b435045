//! Values that the card guard refuses, and values that it must allow.

use payments_core::json::Json;
use payments_core::operation::Operation;
use payments_core::request::{RawRequest, Request};
use payments_core::rules::Rules;

use crate::support::cases;

fn unguarded() -> Rules {
    Rules { card_guard: false, ..Rules::default() }
}

/// Returns the operation of an entry, and its base body with the value set.
fn body_of(vectors: &Json, entry: &Json) -> (Operation, Vec<u8>) {
    let operation = cases::operation(entry);
    let mut body = vectors.get("base").and_then(|base| base.get(operation.name())).unwrap().clone();
    let value = entry.get("value").unwrap().clone();
    body.set_pointer(cases::text(entry, "pointer"), value).unwrap();
    (operation, body.to_bytes())
}

fn entries<'v>(vectors: &'v Json, name: &str) -> &'v [Json] {
    vectors.get(name).and_then(Json::as_array).unwrap()
}

#[test]
fn raw_card_numbers_are_refused_with_their_path() {
    let vectors = cases::load("card_guard.json");
    for entry in entries(&vectors, "refused") {
        let (operation, body) = body_of(&vectors, entry);
        let place = cases::text(entry, "pointer");
        let error = match cases::draft(operation, &body, &Rules::default()) {
            Ok(_) => panic!("{place}: was accepted"),
            Err(error) => error,
        };
        assert_eq!(error.code().as_str(), "card_number", "{place}: {error}");
        assert_eq!(error.path(), Some(cases::text(entry, "path")), "{place}");
        assert!(error.message().contains("tokenize"), "{place}");
        assert!(!format!("{error} {error:?}").contains("4111"), "{place}");
        let turned_off = cases::draft(operation, &body, &unguarded());
        assert!(turned_off.is_ok(), "{place}: {:?}", turned_off.err());
    }
}

#[test]
fn documents_keys_phones_references_and_tokens_pass() {
    let vectors = cases::load("card_guard.json");
    let silent = entries(&vectors, "silent");
    assert!(silent.len() >= 60);
    for entry in silent {
        let (operation, body) = body_of(&vectors, entry);
        let drafted = cases::draft(operation, &body, &Rules::default());
        let place = (cases::text(entry, "what"), cases::text(entry, "pointer"));
        assert!(drafted.is_ok(), "{place:?}: {:?}", drafted.err());
        let sent = RawRequest::new("POST", "/ws/x").body(body).draft(&Rules::default());
        assert!(sent.is_ok(), "{place:?} in send: {:?}", sent.err());
    }
}

#[test]
fn every_duplicate_in_a_body_of_send_is_searched() {
    let vectors = cases::load("card_guard.json");
    let of_operations = entries(&vectors, "refused").iter();
    let mut bodies: Vec<_> = of_operations
        .map(|entry| (body_of(&vectors, entry).1, cases::text(entry, "path")))
        .collect();
    bodies.extend(
        entries(&vectors, "refused_in_send").iter().map(|entry| {
            (cases::text(entry, "body").as_bytes().to_vec(), cases::text(entry, "path"))
        }),
    );
    for (body, path) in bodies {
        let send = RawRequest::new("POST", "/ws/x").body(body);
        let error = send.draft(&Rules::default()).unwrap_err();
        assert_eq!((error.code().as_str(), error.path()), ("card_number", Some(path)));
        assert!(send.draft(&unguarded()).is_ok());
    }
}

#[test]
fn a_body_of_send_that_is_not_json_is_not_searched() {
    for body in ["card=4111111111111111", "{\"card\":\"4111111111111111\"", ""] {
        assert!(RawRequest::new("POST", "/ws/x").body(body).draft(&Rules::default()).is_ok());
    }
}

#[test]
fn query_parameters_of_send_are_searched() {
    let vectors = cases::load("card_guard.json");
    let send = |entry: &Json| {
        RawRequest::new("GET", "/ws/x")
            .query(cases::text(entry, "name"), cases::text(entry, "value"))
    };
    for entry in entries(&vectors, "refused_in_query") {
        let error = send(entry).draft(&Rules::default()).unwrap_err();
        let path = cases::text(entry, "path");
        assert_eq!((error.code().as_str(), error.path()), ("card_number", Some(path)));
        assert!(!format!("{error} {error:?}").contains("4111"), "{path}");
        assert!(send(entry).draft(&unguarded()).is_ok());
    }
    for entry in entries(&vectors, "silent_in_query") {
        let drafted = send(entry).draft(&Rules::default());
        assert!(drafted.is_ok(), "{}: {:?}", cases::text(entry, "name"), drafted.err());
    }
}
