//! As much of a Redis server as a token store needs.

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::json;

use super::TOKEN;

/// The length of a command, once it is whole.
pub(super) fn end_of_command(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    let words = header(bytes, &mut at)?;
    for _ in 0..words {
        let length = header(bytes, &mut at)?;
        at += length + 2;
    }
    (bytes.len() >= at).then_some(at)
}

/// Reads a line such as `*3` or `$11`.
fn header(bytes: &[u8], at: &mut usize) -> Option<usize> {
    let rest = bytes.get(*at..)?;
    let length = rest.windows(2).position(|two| two == b"\r\n")?;
    *at += length + 2;
    std::str::from_utf8(&rest[1..length]).unwrap().parse().ok()
}

/// The reply to a command, which is known by a text that only its script
/// contains.
pub(super) fn reply(command: &[u8], has_token: bool) -> Vec<u8> {
    let command = String::from_utf8_lossy(command);
    let is = |part: &str| command.contains(part);
    if is("AUTH") || is("SELECT") {
        b"+OK\r\n".to_vec()
    } else if is("HMGET") && has_token {
        entry()
    } else if is("HMGET") {
        b"$-1\r\n".to_vec()
    } else if is("INCR") {
        b":7\r\n".to_vec()
    } else {
        b":1\r\n".to_vec()
    }
}

/// A stored token, which was saved just now.
fn entry() -> Vec<u8> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let seconds = now.as_secs();
    let token = json!({"token": {
        "value": TOKEN, "obtained_at": seconds, "expires_at": seconds + 3600, "members": {},
    }});
    let bulk = |text: &str| format!("${}\r\n{text}\r\n", text.len());
    let (token, clock) = (bulk(&token.to_string()), bulk(&now.as_millis().to_string()));
    format!("*4\r\n{token}{}{clock}:0\r\n", bulk("{}")).into_bytes()
}
