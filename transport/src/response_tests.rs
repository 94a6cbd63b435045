use super::*;
use crate::failure::FailureKind;
use crate::head::MAX_HEAD_BYTES;

/// Reads a response from `bytes` in portions of `portion`. If it is incomplete,
/// the connection then ends.
fn read(bytes: &[u8], portion: usize) -> Result<(Received, bool), TransportFailure> {
    let mut reader = ResponseReader::new(false, 64);
    for part in bytes.chunks(portion) {
        reader.push(part)?;
    }
    if !reader.is_done() {
        reader.end(None)?;
    }
    let (response, may_idle) = reader.finish();
    Ok((response, may_idle.is_some()))
}

/// Returns the status, the body, the kind of the body's failure, and whether
/// the connection may be reused. They must not depend on how the bytes are
/// split.
fn outcome(text: &str) -> Result<(u16, String, Option<FailureKind>, bool), FailureKind> {
    let summary = |portion| {
        read(text.as_bytes(), portion).map_err(|failure| failure.kind()).map(|(response, reuse)| {
            let body = String::from_utf8_lossy(&response.raw.body).into_owned();
            (response.raw.status, body, response.body_failure.map(|failure| failure.kind()), reuse)
        })
    };
    let whole = summary(text.len().max(1));
    for portion in [1, 2, 3, 7] {
        assert_eq!(summary(portion), whole, "{text:?} by {portion}");
    }
    whole
}

fn body(text: &str) -> (String, Option<FailureKind>, bool) {
    let (_, body, failure, reuse) = outcome(text).unwrap();
    (body, failure, reuse)
}

#[test]
fn each_framing_is_read_to_its_end() {
    let whole = |text: &str| (text.to_owned(), None, true);
    assert_eq!(body("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc"), whole("abc"));
    assert_eq!(body("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"), whole(""));
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n";
    assert_eq!(body(&format!("{chunked}3\r\nabc\r\n0\r\n\r\n")), whole("abc"));
    assert_eq!(body(&format!("{chunked}1;x=y\r\na\r\nA\r\n0123456789\r\n0\r\nt: 1\r\n\r\n")), {
        whole("a0123456789")
    });
    assert_eq!(body("HTTP/1.1 200 OK\r\n\r\nabc"), ("abc".to_owned(), None, false));
    for status in [204, 304] {
        assert_eq!(body(&format!("HTTP/1.1 {status} No\r\ncontent-length: 9\r\n\r\n")), whole(""));
    }
}

#[test]
fn a_response_to_head_has_no_body() {
    let mut reader = ResponseReader::new(true, 64);
    reader.push(b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n").unwrap();
    assert!(reader.is_done());
    assert!(reader.finish().1.is_some());
}

#[test]
fn interim_responses_are_skipped_but_not_forever() {
    let interim = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n";
    let text = format!("{interim}HTTP/1.1 201 Created\r\ncontent-length: 1\r\n\r\na");
    assert_eq!(outcome(&text), Ok((201, "a".to_owned(), None, true)));
    assert_eq!(outcome(&interim.repeat(9)), Err(FailureKind::Protocol));
    assert_eq!(outcome("HTTP/1.1 101 Upgrade\r\n\r\n"), Err(FailureKind::Protocol));
}

#[test]
fn bytes_that_are_not_http_are_refused_at_once() {
    for text in [
        "SSH-2.0-x",
        "\0\u{1}",
        "{}",
        "HTTP/2.0 200 OK\r\n\r\n",
        "HTTP/1.1 abc\r\n\r\n",
        "HTTP/1.1 099 Odd\r\n\r\n",
        "<html>\r\n",
    ] {
        let mut reader = ResponseReader::new(false, 64);
        let kind = reader.push(text.as_bytes()).map_err(|failure| failure.kind());
        assert_eq!(kind, Err(FailureKind::Protocol), "{text:?}");
    }
    let mut reader = ResponseReader::new(false, 64);
    let alert = reader.push(b"\x15\x03\x01\0\x02\x02\x46").unwrap_err();
    assert!(alert.message.ends_with("write https:// in the address"), "{alert}");
    let endless = format!("HTTP/1.1 200 OK\r\nx: {}", "a".repeat(MAX_HEAD_BYTES));
    let mut reader = ResponseReader::new(false, 64);
    assert!(reader.push(endless.as_bytes()).is_err());
}

#[test]
fn an_end_before_the_status_is_a_broken_connection() {
    for text in ["", "H", "HTTP/1.1 20", "HTTP/1.1 200 OK\r\ncontent-length: 3\r\n"] {
        assert_eq!(outcome(text), Err(FailureKind::Broken), "{text:?}");
    }
}

#[test]
fn a_body_that_breaks_keeps_its_status() {
    use FailureKind::{Broken, Protocol, TooLarge};
    let chunked = "HTTP/1.1 500 No\r\ntransfer-encoding: chunked\r\n\r\n";
    for (text, kept, failure) in [
        ("HTTP/1.1 500 No\r\ncontent-length: 9\r\n\r\nabc".to_owned(), "abc", Broken),
        ("HTTP/1.1 500 No\r\ncontent-length: 99\r\n\r\nabc".to_owned(), "abc", Broken),
        ("HTTP/1.1 500 No\r\ncontent-length: -1\r\n\r\n".to_owned(), "", Protocol),
        ("HTTP/1.1 500 No\r\ncontent-length: 1, 2\r\n\r\n".to_owned(), "", Protocol),
        ("HTTP/1.1 500 No\r\ntransfer-encoding: gzip\r\n\r\n".to_owned(), "", Protocol),
        (format!("{chunked}zz\r\n"), "", Protocol),
        (format!("{chunked}\r\n\r\n"), "", Protocol),
        (format!("{chunked}3\r\nabcd\r\n"), "abc", Protocol),
        (format!("{chunked}fffffffffffffffff\r\n"), "", Protocol),
        (format!("{chunked}3\r\nab"), "ab", Broken),
        (format!("{chunked}3\r\nabc\r\n"), "abc", Broken),
    ] {
        let expected = (500, kept.to_owned(), Some(failure), false);
        assert_eq!(outcome(&text), Ok(expected), "{text:?}");
    }
    let hundred = "a".repeat(100);
    let kept = (hundred[..64].to_owned(), Some(TooLarge), false);
    assert_eq!(body(&format!("HTTP/1.1 200 OK\r\n\r\n{hundred}")), kept);
    assert_eq!(body(&format!("HTTP/1.1 500 No\r\ncontent-length: 100\r\n\r\n{hundred}")), kept);
    let announced = "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n";
    assert_eq!(body(announced), (String::new(), Some(TooLarge), false));
}

#[test]
fn a_connection_is_reused_only_after_an_unambiguous_end() {
    let reuse = |head: &str| body(&format!("{head}\r\n\r\nabc")).2;
    assert!(reuse("HTTP/1.1 200 OK\r\ncontent-length: 3"));
    assert!(reuse("HTTP/1.1 200 OK\r\ncontent-length: 3\r\ncontent-length: 3"));
    for head in [
        "HTTP/1.0 200 OK\r\ncontent-length: 3",
        "HTTP/1.1 200 OK\r\ncontent-length: 3\r\nconnection: x, Close",
        "HTTP/1.1 200 OK\r\ncontent-length: 2",
        "HTTP/1.1 200 OK",
    ] {
        assert!(!reuse(head), "{head}");
    }
    let both = "HTTP/1.1 200 OK\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n";
    assert_eq!(body(&format!("{both}1\r\na\r\n0\r\n\r\n")), ("a".to_owned(), None, false));
}

#[test]
fn only_trailers_may_be_missing() {
    let text = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\n";
    assert_eq!(body(text), ("a".to_owned(), None, false));
}

#[test]
fn a_connection_is_kept_no_longer_than_the_service_says() {
    let may_idle = |header: &str| {
        let mut reader = ResponseReader::new(false, 1000);
        let response = format!("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n{header}\r\n");
        reader.push(response.as_bytes()).unwrap();
        reader.finish().1
    };
    for (header, milliseconds) in [
        ("", 4000),
        ("keep-alive: timeout=60\r\n", 4000),
        ("Keep-Alive: timeout=5, max=100\r\n", 4000),
        ("keep-alive: max=100, Timeout=3\r\n", 2000),
        ("keep-alive: timeout=\"2\"\r\n", 1000),
        ("keep-alive: timeout=1\r\n", 500),
        ("keep-alive: timeout=0\r\n", 0),
        ("keep-alive: timeout=soon\r\n", 4000),
    ] {
        assert_eq!(may_idle(header), Some(Duration::from_millis(milliseconds)), "{header:?}");
    }
}

/// The status and the kind of the body's failure of a response that arrives in
/// portions of different sizes, and whether its connection may be used again.
fn status_and_failure(text: &str) -> Result<(u16, Option<FailureKind>, bool), FailureKind> {
    let summary = |portion| {
        read(text.as_bytes(), portion).map_err(|failure| failure.kind()).map(|(response, reuse)| {
            (response.raw.status, response.body_failure.map(|failure| failure.kind()), reuse)
        })
    };
    let whole = summary(text.len());
    for portion in [977, 16 * 1024] {
        assert_eq!(summary(portion), whole, "by {portion}");
    }
    whole
}

#[test]
fn a_head_has_at_most_64_kib() {
    let head = |length: usize| {
        let (start, end) = ("HTTP/1.1 200 OK\r\ncontent-length: 0\r\nx: ", "\r\n\r\n");
        format!("{start}{}{end}", "a".repeat(length - start.len() - end.len()))
    };
    assert_eq!(status_and_failure(&head(64 * 1024)), Ok((200, None, true)));
    assert_eq!(status_and_failure(&head(64 * 1024 + 1)), Err(FailureKind::Protocol));
    // Each head has its own limit.
    let interim = head(64 * 1024).replace("200 OK", "100 OK");
    let two = format!("{interim}{}", head(64 * 1024));
    assert_eq!(status_and_failure(&two), Ok((200, None, true)));
    let long_interim = head(64 * 1024 + 1).replace("200 OK", "100 OK");
    let two = format!("{long_interim}{}", head(100));
    assert_eq!(status_and_failure(&two), Err(FailureKind::Protocol));
}

#[test]
fn a_head_has_at_most_128_headers() {
    let head = |count: usize| {
        let others = "x: y\r\n".repeat(count - 1);
        format!("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n{others}\r\n")
    };
    assert_eq!(status_and_failure(&head(128)), Ok((200, None, true)));
    assert_eq!(status_and_failure(&head(129)), Err(FailureKind::Protocol));
}

#[test]
fn at_most_16_interim_responses_come_before_the_response() {
    let after = |count| {
        let interim = "HTTP/1.1 103 Early\r\n\r\n".repeat(count);
        status_and_failure(&format!("{interim}HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"))
    };
    assert_eq!(after(16), Ok((200, None, true)));
    assert_eq!(after(17), Err(FailureKind::Protocol));
}

const CHUNKED: &str = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";

#[test]
fn a_chunk_size_line_has_at_most_16_kib() {
    let line = |length: usize| format!("1;{}\r\n", "e".repeat(length - 4));
    let response = |length| format!("{CHUNKED}{}a\r\n0\r\n\r\n", line(length));
    assert_eq!(status_and_failure(&response(16 * 1024)), Ok((200, None, true)));
    assert_eq!(
        status_and_failure(&response(16 * 1024 + 1)),
        Ok((200, Some(FailureKind::Protocol), false))
    );
    let endless = format!("{CHUNKED}{}", line(40 * 1024).trim_end());
    assert_eq!(status_and_failure(&endless), Ok((200, Some(FailureKind::Protocol), false)));
    // Also that of the last chunk.
    let last = |length| format!("{CHUNKED}1\r\na\r\n{}\r\n", line(length).replace('1', "0"));
    assert_eq!(status_and_failure(&last(16 * 1024)), Ok((200, None, true)));
    assert_eq!(
        status_and_failure(&last(16 * 1024 + 1)),
        Ok((200, Some(FailureKind::Protocol), false))
    );
}

#[test]
fn trailers_have_a_limit_and_a_body_is_whole_without_them() {
    let response = |trailers: &str| format!("{CHUNKED}1\r\na\r\n0\r\n{trailers}");
    let one = |length: usize| format!("t: {}\r\n\r\n", "a".repeat(length - 7));
    let many = |length: usize| {
        let line = "t: 1\r\n";
        let (count, rest) = ((length - 20) / line.len(), (length - 20) % line.len());
        format!("{}{}", line.repeat(count), one(20 + rest))
    };
    for trailers in [&one as &dyn Fn(usize) -> String, &many] {
        assert_eq!(trailers(16 * 1024).len(), 16 * 1024);
        assert_eq!(status_and_failure(&response(&trailers(16 * 1024))), Ok((200, None, true)));
        assert_eq!(status_and_failure(&response(&trailers(16 * 1024 + 1))), Ok((200, None, false)));
        assert_eq!(
            status_and_failure(&response(trailers(40 * 1024).trim_end())),
            Ok((200, None, false))
        );
    }
}

#[test]
fn nothing_is_read_beyond_the_limit_of_trailers() {
    let mut reader = ResponseReader::new(false, 64);
    reader.push(format!("{CHUNKED}0\r\n").as_bytes()).unwrap();
    let lines = (0..20_000).take_while(|_| {
        reader.push(b"t: 1\r\n").unwrap();
        !reader.is_done()
    });
    assert_eq!(lines.count(), 16 * 1024 / 6);
}

#[test]
fn each_mistake_in_a_head_has_its_own_sentence() {
    let long = format!("HTTP/1.1 200 OK\r\nx: {}", "x".repeat(MAX_HEAD_BYTES));
    let many = format!("HTTP/1.1 200 OK\r\n{}\r\n", "x: y\r\n".repeat(129));
    let mut said: Vec<String> = Vec::new();
    for (text, part) in [
        ("SSH-2.0-OpenSSH", "is not HTTP/1.1; check that the port"),
        ("\u{15}\u{3}\u{1}", "is TLS, not HTTP; write https://"),
        ("HTTP/1.1 20 OK\r\n", "no status between 100 and 999"),
        ("HTTP/1.1 101 Upgrade\r\n\r\n", "switches to another protocol (101)"),
        (&"HTTP/1.1 103 Early\r\n\r\n".repeat(17), "more than 16 interim responses"),
        (&long, "is longer than 64 KiB"),
        (&many, "has more than 128 headers"),
    ] {
        let failure = ResponseReader::new(false, 64).push(text.as_bytes()).unwrap_err();
        assert!(failure.message.contains(part), "{failure}");
        assert!(!said.contains(&failure.message), "{failure}");
        said.push(failure.message);
    }
}

#[test]
fn a_status_line_may_have_more_space_or_no_reason() {
    for line in ["HTTP/1.1  200 OK", "HTTP/1.1 200", "HTTP/1.1 200 ", "HTTP/1.1 200 Ace\u{1}\u{e9}"]
    {
        let text = format!("\r\n{line}\r\ncontent-length: 1\r\n\r\na");
        assert_eq!(outcome(&text), Ok((200, "a".to_owned(), None, true)), "{line}");
    }
    for line in
        ["HTTP/1.1 2000 OK", "HTTP/1.1 200OK", "HTTP/1.1200 OK", "HTTP/1.1 +99 OK", "HTTP/1.1 099"]
    {
        assert_eq!(outcome(&format!("{line}\r\n\r\n")), Err(FailureKind::Protocol), "{line}");
    }
}

/// The body's failure, and the values of `x` and whether the connection may be
/// reused, of a response with this line among its headers.
fn with_line(line: &[u8]) -> (Option<String>, Vec<String>, bool) {
    let bytes = [&b"HTTP/1.1 200 OK\r\na: b\r\n"[..], line, b"\r\ncontent-length: 1\r\n\r\na"];
    let (response, may_be_reused) = read(&bytes.concat(), 3).unwrap();
    let values = response.raw.headers_named("x").map(str::to_owned).collect();
    (response.body_failure.map(|failure| failure.message), values, may_be_reused)
}

#[test]
fn odd_header_lines_are_read_or_passed_over() {
    for (line, value) in [
        (&b"x: one\r\n two\r\n\tthree "[..], "one two three"),
        (b"x:\r\n one", "one"),
        (b"x : one", "one"),
        (b"x\t: one\xe9", "one\u{fffd}"),
        (b"x:", ""),
        (b"x: y\r\n reset,\r\n connection", "y reset, connection"),
    ] {
        assert_eq!(with_line(line), (None, vec![value.to_owned()], true), "{line:?}");
    }
    for line in [
        &b"no colon"[..],
        b": a",
        b"x y: a",
        b"x(1): a",
        b"x\xdc: a",
        b"\xff\xff",
        b"x: a\rb",
        b"x: a\0b",
        b"x: a\x1b[31m",
        b"x\x0c: a",
        b"x y: a\r\n more",
        b"\r",
    ] {
        assert_eq!(with_line(line), (None, Vec::new(), false), "{line:?}");
    }
    let (failure, values, may_be_reused) = with_line(b"x: a\r\n b\x1b[31m\r\n c");
    assert_eq!((failure, values, may_be_reused), (None, vec!["a".to_owned()], false));
    // There is nothing that the first line continues.
    let (response, may_be_reused) =
        read(b"HTTP/1.1 200 OK\r\n x: y\r\ncontent-length: 1\r\n\r\na", 5).unwrap();
    assert!(response.body_failure.is_none() && !may_be_reused);
    // An interim response has one too.
    let interim = "HTTP/1.1 103 Early\r\nno colon\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 1";
    assert_eq!(body(&format!("{interim}\r\n\r\na")), ("a".to_owned(), None, false));
}

#[test]
fn a_framing_header_in_an_odd_line_is_refused() {
    for (line, name) in [
        (&b"content-length : 5"[..], "content-length"),
        (b"Transfer-Encoding\t: chunked", "transfer-encoding"),
        (b"transfer-encoding:\r\n chunked", "transfer-encoding"),
        (b"connection: x\r\n\tclose", "connection"),
        (b"x: y\r\n Content-Length: 5", "content-length"),
        (b"Content-Length\r\n : 5", "content-length"),
        (b"\"content-length\": 5", "content-length"),
        (b"Content-Length\0: 5", "content-length"),
        (b"Content-Length\x0c: 5", "content-length"),
        (b"\xc2\xa0connection: close", "connection"),
        (b"transfer-encoding: chunked\0", "transfer-encoding"),
        (b"x: a\rTransfer-Encoding: chunked", "transfer-encoding"),
        (b"Connection", "connection"),
    ] {
        let (failure, _, may_be_reused) = with_line(line);
        let expected = format!("has the header {name} in a form that programs read differently");
        assert!(failure.as_ref().is_some_and(|it| it.contains(&expected)), "{line:?}: {failure:?}");
        assert!(!may_be_reused);
    }
    // Names of other headers.
    for line in [&b"content-length-x : 5"[..], b"x-connection:\r\n close", b"content length: 5"] {
        assert_eq!(with_line(line).0, None, "{line:?}");
    }
}

#[test]
fn identity_is_no_transfer_encoding_unless_there_are_others() {
    let response =
        |codings: &str| body(&format!("HTTP/1.1 200 OK\r\n{codings}content-length: 3\r\n\r\nabc"));
    let refused = (String::new(), Some(FailureKind::Protocol), false);
    let whole = ("abc".to_owned(), None, false);
    assert_eq!(response("transfer-encoding: identity\r\n"), whole);
    assert_eq!(response("transfer-encoding: Identity \r\n"), whole);
    for codings in ["identity, chunked", "gzip", "", "identity\r\ntransfer-encoding: chunked"] {
        assert_eq!(response(&format!("transfer-encoding: {codings}\r\n")), refused, "{codings}");
    }
}

#[test]
fn a_chunk_size_line_may_end_at_its_limit() {
    for (length, is_broken) in [(MAX_CHUNK_LINE, false), (MAX_CHUNK_LINE + 1, true)] {
        let mut reader = ResponseReader::new(false, 64);
        reader.push(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n").unwrap();
        let line = [&b"1;"[..], &vec![b'x'; length - 2]].concat();
        reader.push(&line).unwrap();
        assert_eq!(reader.is_done(), is_broken, "{length}");
    }
}
