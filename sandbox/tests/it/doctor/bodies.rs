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
fn other_line_ends_are_recognized() {
    let windows = INDENTED_BY_2.replace('\n', "\r\n");
    let diagnosis = diagnosis_of(&windows, INDENTED_BY_2);
    assert_found(&diagnosis, Finding::LineEnds, "with CR LF in place of each LF");
    let diagnosis = diagnosis_of(INDENTED_BY_2, &windows);
    assert_found(&diagnosis, Finding::LineEnds, "with LF in place of each CR LF");
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
    let lower = "{\"name\":\"Jos\\u00e9 \\ud83d\\ude00\"}";
    let upper = "{\"name\":\"Jos\\u00E9 \\uD83D\\uDE00\"}";
    for (signed, sent, message) in [
        (lower, raw, "lower-case"),
        (upper, raw, "upper-case"),
        (raw, lower, "in place of their escapes"),
        (raw, upper, "in place of their escapes"),
    ] {
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
fn a_large_body_is_compared_in_few_forms() {
    let item = r#"{"name":"José/x"},"#.repeat(80_000);
    let body = format!("[{}]", item.trim_end_matches(','));
    assert!(body.len() > 1024 * 1024);
    let diagnosis = diagnosis_of(format!("{body}\n"), &body);
    assert_found(&diagnosis, Finding::TrailingNewline, "line feed");
    let diagnosis = diagnosis_of(&body, body.replace(',', ", "));
    assert_found(&diagnosis, Finding::OtherBytesSigned, "");
}

#[test]
fn the_search_is_bounded() {
    let item = r#"{"b":"José/x\u00e9\/","a":[1,2,[3]]},"#.repeat(25_000);
    let body = format!("[{}]", item.trim_end_matches(','));
    assert!((900_000..1024 * 1024).contains(&body.len()), "{}", body.len());
    let start = std::time::Instant::now();
    assert_found(&diagnosis_of("unlike", &body), Finding::OtherBytesSigned, "");
    assert_found(&diagnosis_of("unlike", "[".repeat(900_000)), Finding::OtherBytesSigned, "");
    // Without a bound, this would take hours.
    assert!(start.elapsed().as_secs() < 300, "{:?}", start.elapsed());
}
