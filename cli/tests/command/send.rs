//! `payments send`: the caller's own bytes.

use payments_sandbox::Fault;

use crate::support::Merchant;

const PATH: &str = "/ws/transfer/create";

#[test]
fn bytes_from_standard_input_arrive_unchanged() {
    let merchant = Merchant::new();
    let bytes = b"\x00\xff {\"a\" :1}\r\n";
    let run = merchant.payments(["send", "post", PATH, "-"]).stdin(bytes).run();
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    let seen = merchant.sandbox.requests().pop().unwrap();
    assert_eq!((seen.method.as_str(), seen.path.as_str()), ("POST", PATH));
    assert_eq!(seen.body, bytes);
    assert_eq!(seen.signature.as_str(), "verified");
}

#[test]
fn query_and_content_type_are_sent() {
    let merchant = Merchant::new();
    let run = merchant.run([
        "send",
        "GET",
        "/ws/reports",
        "--query",
        "day=1 & 2",
        "--query",
        "x=",
        "--content-type",
        "text/plain",
    ]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let seen = merchant.sandbox.requests().pop().unwrap();
    assert_eq!(seen.query.as_deref(), Some("day=1%20%26%202&x="));
    assert_eq!(seen.header("content-type"), Some("text/plain"));
    assert!(seen.body.is_empty());
}

#[test]
fn the_response_is_printed_unchanged() {
    let merchant = Merchant::new();
    merchant.sandbox.script_next([Fault::html()]);
    let run = merchant.run(["send", "POST", PATH, "{ }"]);
    assert!(run.text().starts_with("<!doctype html>") && run.text().ends_with("</html>"));
    assert_eq!(merchant.sandbox.requests().pop().unwrap().body, b"{ }");
}

#[test]
fn mistakes_are_named_before_anything_is_sent() {
    let merchant = Merchant::new();
    for (arguments, exit, code) in [
        (vec!["send", "POST", "/ws/x?a=1"], 2, "value_invalid"),
        (vec!["send", "POST", "/ws/x", "--query", "a"], 2, "invalid_arguments"),
        (vec!["send", "POST", "/ws/x", "nowhere.json"], 2, "file_unreadable"),
        (vec!["send", "POST", "/ws/x", "@nowhere"], 2, "file_unreadable"),
        (vec!["send", "POST", "ws/x"], 1, "value_invalid"),
        (vec!["send", "P OST", "/ws/x"], 1, "value_invalid"),
    ] {
        let failure = merchant.run(&arguments).failure(exit);
        assert_eq!(failure["code"], code, "{failure}");
    }
    assert!(merchant.sandbox.requests().is_empty());
}

#[test]
fn a_lost_response_is_3_and_names_the_reference() {
    let merchant = Merchant::new();
    merchant.sandbox.script_next([Fault::execute_then_close()]);
    let failure = merchant.run(["send", "POST", PATH, "{}", "--reference", "t-1"]).failure(3);
    assert_eq!(failure["reference"], "t-1");
}

#[test]
fn a_body_is_read_from_a_file_as_by_other_commands() {
    let merchant = Merchant::new();
    let bytes = b"{ \"transfer\" : 1 }\n";
    std::fs::write(merchant.folder.join("body.json"), bytes).unwrap();
    for body in ["body.json", "@body.json", "./body.json"] {
        merchant.run(["send", "POST", "/ws/transfer", body]).response();
        let sent = merchant.sandbox.requests().into_iter().rfind(|it| it.path == "/ws/transfer");
        assert_eq!(sent.unwrap().body, bytes, "{body}");
    }
    let sent = merchant.sandbox.requests().len();
    let failure = merchant.run(["send", "POST", "/ws/transfer", "bdoy.json"]).failure(2);
    assert_eq!(failure["code"], "file_unreadable", "{failure}");
    assert_eq!(merchant.sandbox.requests().len(), sent);
}
