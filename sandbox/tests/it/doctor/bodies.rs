//! Bodies that changed after they were signed.

use payments_sandbox::doctor::SignatureFinding as Finding;

use super::{COMPACT, INDENTED_BY_2, SPACED, assert_found, diagnosis_of};

#[test]
fn a_body_serialized_again_is_recognized() {
    let found = |signed, sent| {
        assert_found(&diagnosis_of(signed, sent), Finding::BodyReserialized, "as compact JSON");
    };
    found(COMPACT, SPACED);
    found(COMPACT, INDENTED_BY_2);
    found(COMPACT, r#"{ "document":"853.513","list":[1.50,{}],"address":{"b":1,"a":[]}}"#);
    let diagnosis = diagnosis_of(SPACED, COMPACT);
    assert_found(&diagnosis, Finding::BodyReserialized, "a space after each comma and colon");
}

#[test]
fn a_pretty_printed_body_is_recognized() {
    let diagnosis = diagnosis_of(INDENTED_BY_2, COMPACT);
    assert_found(&diagnosis, Finding::BodyPrettyPrinted, "indented by 2 spaces");
    let indented_by_4 = INDENTED_BY_2.replace("  ", "    ");
    let diagnosis = diagnosis_of(indented_by_4, COMPACT);
    assert_found(&diagnosis, Finding::BodyPrettyPrinted, "indented by 4 spaces");
}

#[test]
fn sorted_members_are_recognized() {
    let sorted = r#"{"address":{"a":[],"b":1},"document":"853.513","list":[1.50,{}]}"#;
    let diagnosis = diagnosis_of(sorted, COMPACT);
    assert_found(&diagnosis, Finding::BodyReserialized, "sorted by name");
}

#[test]
fn members_in_the_order_of_the_interface_are_recognized() {
    let sent = r#"{"payment":{"amount_total":100.10,"email":"e","name":"n"}}"#;
    let signed = r#"{"payment":{"name":"n","email":"e","amount_total":100.10}}"#;
    let diagnosis = diagnosis_of(signed, sent);
    assert_found(&diagnosis, Finding::BodyReserialized, "in the interface's order");
}

#[test]
fn a_line_end_at_the_end_is_recognized() {
    let found = |signed: &str, sent: &str, message| {
        assert_found(&diagnosis_of(signed, sent), Finding::TrailingNewline, message);
    };
    for body in [COMPACT, "", "853 no JSON", "\u{fffd}"] {
        found(&format!("{body}\n"), body, "with a line feed at its end");
        found(&format!("{body}\r\n"), body, "with CR LF at its end");
        if !body.is_empty() {
            found(body, &format!("{body}\n"), "without the line break");
            found(body, &format!("{body}\r\n"), "without the line break");
        }
    }
}

#[test]
fn a_byte_order_mark_is_recognized() {
    let marked = format!("\u{feff}{COMPACT}");
    let diagnosis = diagnosis_of(&marked, COMPACT);
    assert_found(&diagnosis, Finding::ByteOrderMark, "with a byte order mark");
    let diagnosis = diagnosis_of(COMPACT, &marked);
    assert_found(&diagnosis, Finding::ByteOrderMark, "without its byte order mark");
}

#[test]
fn escaped_non_ascii_characters_are_recognized() {
    let raw = r#"{"name":"José 😀"}"#;
    let escaped = "{\"name\":\"Jos\\u00e9 \\ud83d\\ude00\"}";
    for (signed, sent, message) in
        [(escaped, raw, "characters escaped"), (raw, escaped, "in place of their escapes")]
    {
        assert_found(&diagnosis_of(signed, sent), Finding::EscapedNonAscii, message);
    }
}

#[test]
fn escaped_slashes_are_recognized() {
    let raw = r#"{"url":"https://rua.test/a"}"#;
    let escaped = r#"{"url":"https:\/\/rua.test\/a"}"#;
    assert_found(&diagnosis_of(escaped, raw), Finding::EscapedSlashes, "with slashes escaped");
    assert_found(&diagnosis_of(raw, escaped), Finding::EscapedSlashes, "in place of their escapes");
}

#[test]
fn several_changes_at_once_are_all_named() {
    let sent = "{\"name\": \"Jos\u{e9}\", \"url\": \"rua/1\"}\n";
    let signed = r#"{"name":"Jos\u00e9","url":"rua\/1"}"#;
    let diagnosis = diagnosis_of(signed, sent);
    assert_found(&diagnosis, Finding::BodyReserialized, "as compact JSON");
    for change in ["non-ASCII characters escaped", "slashes escaped"] {
        assert!(diagnosis.message().contains(change), "{diagnosis}");
    }
}

#[test]
fn a_signed_empty_payload_is_recognized() {
    assert_found(&diagnosis_of("", COMPACT), Finding::EmptyPayloadSigned, "left out");
}

#[test]
fn the_right_key_over_other_bytes_is_recognized() {
    for (signed, sent) in [
        (r#"{"amount":1.50}"#, r#"{"amount":1.51}"#),
        (r#"{"amount":1.50}"#, r#"{"amount":2.50}"#),
        ("a", "b"),
        (r#"{"a":1}"#, ""),
    ] {
        let diagnosis = diagnosis_of(signed, sent);
        assert_found(&diagnosis, Finding::OtherBytesSigned, "signed different bytes");
    }
}

#[test]
fn of_a_large_body_only_the_ends_are_changed() {
    let item = r#"{"name":"José/x"},"#.repeat(4_000);
    let body = format!("[{}]", item.trim_end_matches(','));
    assert!(body.len() > 64 * 1024);
    assert_found(&diagnosis_of(format!("{body}\n"), &body), Finding::TrailingNewline, "line feed");
    let diagnosis = diagnosis_of(&body, body.replace(',', ", "));
    assert_found(&diagnosis, Finding::OtherBytesSigned, "");
}
