//! The page at `/sandbox/`: its files, what it shows, and the payer's pages.
//!
//! The files stand in `sandbox/page`, without a build step. What they read
//! under `/sandbox/view/` is theirs alone; other programs use the control API.

mod assets;
pub(crate) mod events;
mod inspection;
pub(crate) mod payer;
mod view;

use crate::http::RequestHead;
use crate::response::Response;
use crate::service::Service;

/// Nothing but the sandbox's own files, and no frame around them.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    connect-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; \
    frame-ancestors 'none'";

/// Responses a request for the page or for a part of it; `None` for anything
/// else. `segments` are those of the path after `/sandbox`.
pub(crate) fn serve(
    service: &Service,
    head: &RequestHead,
    method: &str,
    segments: &[&str],
    body: &[u8],
) -> Option<Response> {
    match (method, segments) {
        ("GET", []) if head.path == "/sandbox" => {
            Some(Response::empty(308).with_header("Location", "/sandbox/"))
        }
        ("GET", []) => assets::file("index.html"),
        ("GET", ["page", name]) => assets::file(name),
        ("GET", ["pay", hash]) => Some(payer::page(service, hash)),
        ("GET", ["pay", hash, "qr.svg"]) => Some(payer::qr_code(service, hash)),
        ("POST", ["pay", hash]) => Some(payer::decide(service, hash, body)),
        ("GET", ["view", what @ ..]) => view::read(service, what, head.query.as_deref()),
        ("POST", ["view", "key"]) => Some(view::make_key(service)),
        _ => None,
    }
}

/// A file of the page, which no cache keeps: another sandbox may have the port
/// next.
fn document(status: u16, content_type: &str, body: impl Into<Vec<u8>>) -> Response {
    Response { status, headers: Vec::new(), body: body.into() }
        .with_header("Content-Type", content_type)
        .with_header("Content-Security-Policy", POLICY)
        .with_header("X-Content-Type-Options", "nosniff")
        // A form of the page needs its origin: the sandbox asks for it.
        .with_header("Referrer-Policy", "same-origin")
        .with_header("Cache-Control", "no-store")
}
