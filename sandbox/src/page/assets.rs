//! The files of the page, from `sandbox/page`.

use crate::http::response::Response;

macro_rules! files {
    ($($name:literal),+ $(,)?) => {
        &[$(($name, include_str!(concat!("../../page/", $name)))),+]
    };
}

const FILES: &[(&str, &str)] = files![
    "index.html",
    "style.css",
    "icon.svg",
    "app.js",
    "bytes.js",
    "detail.js",
    "dom.js",
    "faults.js",
    "har.js",
    "keys.js",
    "ledger.js",
    "payer.js",
    "requests.js",
    "snippets.js",
    "start.js",
    "stream.js",
    "words.js",
    "worker.js",
];

/// Finds a file by name.
pub(super) fn file(name: &str) -> Option<Response> {
    let (name, text) = FILES.iter().find(|(known, _)| *known == name)?;
    let content_type = match name.rsplit_once('.')?.1 {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        _ => "text/javascript; charset=utf-8",
    };
    Some(super::document(200, content_type, *text))
}
