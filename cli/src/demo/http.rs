//! Plain HTTP to the sandbox: for its control API, and for deliberately broken
//! requests that the client would never send.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use super::checks::expect;
use crate::process::failure::Failure;

const PATIENCE: Duration = Duration::from_secs(5);

pub(super) struct PlainResponse {
    pub(super) status: u16,
    pub(super) body: Vec<u8>,
}

/// Posts to the control API, without a body.
pub(super) fn post(url: &str) -> Result<(), Failure> {
    let response = exchange("POST", url, &[], b"")?;
    let text = String::from_utf8_lossy(&response.body);
    expect(&format!("the control API ({text})"), response.status, 200)
}

/// Sends one request over its own connection.
pub(super) fn exchange(
    method: &str,
    url: &str,
    headers: &[(String, String)],
    body: &[u8],
) -> Result<PlainResponse, Failure> {
    let broken = |error| Failure::demo(format!("{method} {}: {error}", without_query(url)));
    let response = talk(method, url, headers, body).map_err(broken)?;
    read_response(&response)
        .ok_or_else(|| broken(std::io::Error::other("the response is not HTTP")))
}

fn talk(
    method: &str,
    url: &str,
    headers: &[(String, String)],
    body: &[u8],
) -> std::io::Result<Vec<u8>> {
    let address = url.strip_prefix("http://").unwrap_or(url);
    let (host, path) = address.split_once('/').unwrap_or((address, ""));
    let mut request = format!("{method} /{path} HTTP/1.1\r\nHost: {host}\r\n");
    for (name, value) in headers {
        request.push_str(&format!("{name}: {value}\r\n"));
    }
    request.push_str(&format!("Content-Length: {}\r\nConnection: close\r\n\r\n", body.len()));
    let mut connection = TcpStream::connect(host)?;
    connection.set_read_timeout(Some(PATIENCE))?;
    connection.write_all(&[request.as_bytes(), body].concat())?;
    let mut response = Vec::new();
    connection.read_to_end(&mut response)?;
    Ok(response)
}

fn read_response(response: &[u8]) -> Option<PlainResponse> {
    const END_OF_HEAD: &[u8] = b"\r\n\r\n";
    let end = response.windows(END_OF_HEAD.len()).position(|bytes| bytes == END_OF_HEAD)?;
    let head = std::str::from_utf8(&response[..end]).ok()?;
    let status = head.split(' ').nth(1)?.parse().ok()?;
    Some(PlainResponse { status, body: response[end + END_OF_HEAD.len()..].to_vec() })
}

fn without_query(url: &str) -> &str {
    url.split('?').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn responses_are_taken_apart() {
        let response = read_response(b"HTTP/1.1 401 Unauthorized\r\nA: b\r\n\r\nbody").unwrap();
        assert_eq!((response.status, response.body.as_slice()), (401, &b"body"[..]));
        assert!(read_response(b"nonsense").is_none());
    }
}
