//! Fixed headers of all requests to the service, and the names of headers that
//! the client needs itself.

use std::sync::Arc;

use payments_base::secret::Secret;

use super::Config;
use crate::model::error::{Error, ErrorCode};

const MOST: usize = 16;
const MOST_BYTES: usize = 4096;
/// A shorter value, such as the failure that a provider's sandbox should
/// simulate, may also be an ordinary word of the service.
const SHORTEST_SECRET: usize = 16;

/// Headers of the client, HTTP and gateways: those that a request already has,
/// or that say how to read it, who sends it, or where it goes.
const RESERVED: [&str; 28] = [
    "accept",
    "accept-charset",
    "accept-encoding",
    "alt-used",
    "connection",
    "date",
    "digest",
    "early-data",
    "expect",
    "forwarded",
    "from",
    "host",
    "keep-alive",
    "max-forwards",
    "origin",
    "range",
    "referer",
    "repr-digest",
    "te",
    "traceparent",
    "tracestate",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "user-agent",
    "via",
    "x-method",
    "x-real-ip",
];

const RESERVED_STARTS: [&str; 16] = [
    "access-control-",
    "content-",
    "cookie",
    "http2-",
    "if-",
    "proxy-",
    "sec-",
    "set-cookie",
    "signature",
    "upgrade-",
    "x-forwarded-",
    "x-http-",
    "x-jws-signature",
    "x-original-",
    "x-rewrite-",
    "www-authenticate",
];

/// With the same key in every request, the second payment would be taken for
/// the first.
const RESERVED_PARTS: [&str; 2] = ["idempoten", "method-override"];

const CREDENTIALS: [&str; 2] = ["authorization", "x-authorization"];

/// Refuses the name of a bearer header that cannot have its own value.
pub(super) fn is_free_header(name: &str) -> Result<(), Error> {
    if is_token(name) && !is_reserved(&folded(name)) {
        return Ok(());
    }
    let message = "must be a valid header name that the client does not use otherwise";
    Err(Error::config("bearer_header", ErrorCode::VALUE_INVALID, message))
}

impl Config {
    /// Fixed headers of all requests to the service, such as the one by which
    /// your provider's sandbox simulates failures: names, and values of visible
    /// ASCII. At most 16, with 4 KiB in all. They replace those given before.
    ///
    /// ```
    /// # use payments_core::Config;
    /// let config = Config::new("https://sandbox.example").headers([("X-Simulate", "503")]);
    /// # let _ = config;
    /// ```
    pub fn headers<N: Into<String>, V: Into<Secret>>(
        mut self,
        headers: impl IntoIterator<Item = (N, V)>,
    ) -> Self {
        let headers = headers.into_iter().map(|(name, value)| (name.into(), value.into()));
        self.inputs.headers = headers.collect();
        self
    }
}

/// Checks the fixed headers. None may be one that a request gets in another way.
pub(super) fn fixed_headers(
    headers: &[(String, Secret)],
    bearer_header: &str,
) -> Result<Arc<[(String, Secret)]>, Error> {
    if headers.len() > MOST {
        return Err(refused("headers", "has more than 16 headers; remove some"));
    }
    for (index, (name, value)) in headers.iter().enumerate() {
        let (path, name) = (path_of(name), folded(name));
        if !path.contains('.') {
            let message = "a name is not a valid header name; use letters, digits and hyphens";
            return Err(refused(&path, message));
        }
        if is_reserved(&name) || CREDENTIALS.iter().any(|it| name.starts_with(it)) {
            let message = "the client needs this header itself, or it changes how a request \
                           is read; remove it";
            return Err(refused(&path, message));
        }
        let taken = |message| Err(Error::config(&path, ErrorCode::CONFLICTING_MEMBERS, message));
        if name == folded(bearer_header) {
            return taken("bearer_header has the same name; remove one of them");
        }
        if headers.iter().take(index).any(|(earlier, _)| folded(earlier) == name) {
            return taken("another header has the same name; remove one of them");
        }
        let value = value.expose();
        let is_visible = value.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic());
        if value.is_empty() || !is_visible || value.trim_matches(' ') != value {
            let message = "must be a text of visible ASCII characters, without a space at its \
                           beginning or end";
            return Err(refused(&path, message));
        }
    }
    let bytes: usize = headers.iter().map(|(name, value)| name.len() + value.expose().len()).sum();
    if bytes > MOST_BYTES {
        return Err(refused("headers", "has more than 4 KiB of names and values; shorten them"));
    }
    Ok(headers.into())
}

/// Values of fixed headers to hide even if a response echoes them.
pub(super) fn secrets_of_headers(headers: &[(String, Secret)]) -> impl Iterator<Item = Secret> {
    let values = headers.iter().map(|(_, value)| value);
    values.filter(|it| it.expose().len() >= SHORTEST_SECRET).cloned()
}

fn refused(path: &str, message: &str) -> Error {
    Error::config(path, ErrorCode::VALUE_INVALID, message)
}

/// The path of the header `name`. A text that is no name may be a value, which
/// is not shown.
pub(super) fn path_of(name: &str) -> String {
    if is_token(name) { format!("headers.{name}") } else { "headers".to_owned() }
}

/// Whether `name` is a token as RFC 9110 defines it.
fn is_token(name: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !name.is_empty() && name.bytes().all(is_part)
}

/// `name` as programs that read it may see it: CGI and its heirs have one
/// character for all punctuation.
fn folded(name: &str) -> String {
    let fold = |it: char| if it.is_ascii_alphanumeric() { it.to_ascii_lowercase() } else { '-' };
    name.chars().map(fold).collect()
}

fn is_reserved(folded: &str) -> bool {
    RESERVED.contains(&folded)
        || RESERVED_STARTS.iter().any(|start| folded.starts_with(start))
        || RESERVED_PARTS.iter().any(|part| folded.contains(part))
}
