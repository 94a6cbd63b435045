use super::*;
use crate::rng::Rng;

fn parse(text: &str) -> Result<Option<(RequestHead, usize)>, Malformed> {
    parse_head(text.as_bytes())
}

fn status_of(text: &str) -> u16 {
    parse(text).unwrap_err().status
}

#[test]
fn head_is_taken_apart() {
    let text = "POST /ws/direct?a=b HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc";
    let (head, length) = parse(text).unwrap().unwrap();
    assert_eq!(length, text.len() - 3);
    assert_eq!((head.method.as_str(), head.path.as_str()), ("POST", "/ws/direct"));
    assert_eq!(head.query.as_deref(), Some("a=b"));
    assert_eq!(head.framing, Framing::Length(3));
    assert!(head.keep_alive);
    assert_eq!(head.header("HOST"), Some("x"));
}

#[test]
fn absolute_form_of_a_proxied_request_is_read() {
    let (head, _) = parse("GET http://127.0.0.1:80/ws/query?hash=1 HTTP/1.1\r\nHost: x\r\n\r\n")
        .unwrap()
        .unwrap();
    assert_eq!(head.path, "/ws/query");
}

#[test]
fn ambiguous_framing_is_refused() {
    let start = "POST / HTTP/1.1\r\nHost: x\r\n";
    for (headers, status) in [
        ("Content-Length: 1\r\nContent-Length: 2\r\n", 400),
        ("Content-Length: 1\r\nTransfer-Encoding: chunked\r\n", 400),
        ("Content-Length: +1\r\n", 400),
        ("Content-Length: \r\n", 400),
        ("Content-Length: 99999999999999999999999\r\n", 413),
        ("Content-Length: 16777217\r\n", 413),
        ("Transfer-Encoding: gzip, chunked\r\n", 501),
        ("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", 501),
    ] {
        assert_eq!(status_of(&format!("{start}{headers}\r\n")), status, "{headers}");
    }
    assert_eq!(status_of("GET * HTTP/1.1\r\nHost: x\r\n\r\n"), 400);
    assert_eq!(status_of("GET / HTTP/1.1\r\n\r\n"), 400);
    assert_eq!(status_of("\x16\x03\x01\x02\x00\x01\x00"), 400);
}

#[test]
fn heads_over_the_limits_are_refused() {
    let long = format!("GET / HTTP/1.1\r\nHost: x\r\nA: {}\r\n\r\n", "a".repeat(HEAD_LIMIT));
    assert_eq!(status_of(&long), 431);
    assert_eq!(status_of(&long[..HEAD_LIMIT + 1]), 431);
    let many = format!("GET / HTTP/1.1\r\nHost: x\r\n{}\r\n", "A: a\r\n".repeat(HEADER_LIMIT));
    assert_eq!(status_of(&many), 431);
}

fn decode_in_steps(bytes: &[u8], step: usize) -> Result<Option<(Vec<u8>, usize)>, Malformed> {
    let mut decoder = ChunkDecoder::new();
    let mut start = 0;
    let mut end = 0;
    while end < bytes.len() && !decoder.is_done() {
        end = (end + step).min(bytes.len());
        start += decoder.feed(&bytes[start..end])?;
    }
    Ok(decoder.is_done().then(|| (decoder.into_body(), start)))
}

#[test]
fn chunks_decode_alike_in_any_pieces() {
    let bytes = b"4\r\nWiki\r\n5;x=y\r\npedia\r\n0\r\nTrailer: a\r\n\r\nnext";
    for step in 1..=bytes.len() {
        let (body, taken) = decode_in_steps(bytes, step).unwrap().unwrap();
        assert_eq!(body, b"Wikipedia");
        assert_eq!(&bytes[taken..], b"next");
    }
}

#[test]
fn bad_chunks_are_refused() {
    for (bytes, status) in [
        (&b"x\r\n"[..], 400),
        (b"4\r\nWikipedia\r\n", 400),
        (b"fffffffffffffffff\r\n", 400),
        (b"ffffffffffffffff\r\n", 413),
        (b"1000001\r\n", 413),
    ] {
        assert_eq!(decode_in_steps(bytes, bytes.len()).unwrap_err().status, status);
    }
    let endless = [b"4;".to_vec(), vec![b'a'; CHUNK_LINE_LIMIT]].concat();
    assert_eq!(decode_in_steps(&endless, 7).unwrap_err().status, 400);
}

/// Returns a well-formed request with a few damaged bytes.
fn mangled(rng: &mut Rng) -> Vec<u8> {
    const SEEDS: [&[u8]; 4] = [
        b"POST /ws/direct HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}",
        b"GET /ws/query?hash=ab&integration_key=%20 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
        b"PUT /ws/a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n1\r\na\r\n0\r\n\r\n",
        b"POST http://h/ HTTP/1.1\r\nHost: x\r\nX-JWS-Signature: a..b\r\nContent-Length: 0\r\n\r\n",
    ];
    const PIECES: [&[u8]; 10] = [
        b"\r\n",
        b"\n",
        b"\0",
        b": ",
        b"\xff\xfe",
        b"Content-Length: 5\r\n",
        b"HTTP/9.9",
        b"\r\n\r\n",
        b"Transfer-Encoding: chunked\r\n",
        b"18446744073709551616",
    ];
    let mut bytes = SEEDS[rng.below(SEEDS.len())].to_vec();
    for _ in 0..rng.below(6) {
        let at = rng.below(bytes.len().max(1));
        match rng.below(5) {
            0 if !bytes.is_empty() => bytes[at] = rng.bytes(1)[0],
            1 => bytes.truncate(at),
            2 if !bytes.is_empty() => {
                bytes.remove(at);
            }
            3 => {
                let piece = PIECES[rng.below(PIECES.len())];
                bytes.splice(at..at, piece.iter().copied());
            }
            _ => {
                let copy = bytes[at..].to_vec();
                bytes.extend_from_slice(&copy);
            }
        }
    }
    bytes
}

#[test]
fn mangled_requests_neither_panic_nor_read_past_their_end() {
    let mut rng = Rng::new(0x5eed, "mangled requests");
    let (mut read, mut refused, mut partial) = (0, 0, 0);
    for _ in 0..20_000 {
        let bytes = mangled(&mut rng);
        match parse_head(&bytes) {
            Ok(Some((head, length))) => {
                read += 1;
                assert!(length <= bytes.len());
                assert!(head.path.starts_with('/'));
                if head.framing == Framing::Chunked {
                    let whole = decode_in_steps(&bytes[length..], bytes.len());
                    assert_eq!(whole, decode_in_steps(&bytes[length..], 1), "{bytes:?}");
                }
            }
            Ok(None) => partial += 1,
            Err(malformed) => {
                refused += 1;
                assert!((400..=599).contains(&malformed.status));
            }
        }
    }
    // The generator is useful only if it reaches every outcome.
    assert!(read > 1000 && refused > 1000 && partial > 1000, "{read} {refused} {partial}");
}

#[test]
fn random_bytes_never_panic() {
    let mut rng = Rng::new(0x5eed, "random bytes");
    for _ in 0..5000 {
        let count = rng.below(200);
        let bytes = rng.bytes(count);
        let _ = parse_head(&bytes);
        let _ = decode_in_steps(&bytes, 3);
    }
}

#[test]
fn heads_are_read_alike_when_cut_anywhere() {
    let mut rng = Rng::new(0x5eed, "prefixes");
    for _ in 0..300 {
        let bytes = mangled(&mut rng);
        let Ok(Some((_, length))) = parse_head(&bytes) else { continue };
        for end in 0..length {
            assert_eq!(parse_head(&bytes[..end]).ok().flatten(), None);
        }
        assert!(parse_head(&bytes[..length]).unwrap().is_some());
    }
}
