//! The page at `/sandbox/`: its files, its data, and the payer's pages.
//!
//! The files are in `sandbox/page` and have no build step. Only they use
//! `/sandbox/view/`; other programs use the control API.

mod assets;
pub(crate) mod events;
mod inspection;
mod outcome;
mod payer;
mod replay;
mod view;

use payments_core::inside::shown_amount;

use crate::http::RequestHead;
use crate::http::response::Response;
use crate::service::Service;

/// Allows only the sandbox's own files, and no framing.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    connect-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; \
    frame-ancestors 'none'";

/// Responds to a request for the page or a part of it; returns `None` for any
/// other request. `segments` are the path segments after `/sandbox`.
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
        ("POST", ["view", "requests", sequence, "replay"]) => {
            Some(replay::replay(service, sequence))
        }
        ("POST", ["view", "key"]) => Some(view::make_key(service)),
        _ => None,
    }
}

/// A file of the page. It must not be cached, because another sandbox may use
/// the port next.
fn document(status: u16, content_type: &str, body: impl Into<Vec<u8>>) -> Response {
    Response { status, headers: Vec::new(), body: body.into() }
        .with_header("Content-Type", content_type)
        .with_header("Content-Security-Policy", POLICY)
        .with_header("X-Content-Type-Options", "nosniff")
        // The forms of the page must send `Origin`, which the sandbox checks.
        .with_header("Referrer-Policy", "same-origin")
        .with_header("Cache-Control", "no-store")
}

/// An amount for people.
fn money(amount: &str, currency: &str) -> String {
    format!("{currency} {}", shown_amount(amount, currency))
}
