//! Server-sent events that tell open pages what changed.

use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::inspection::summary;
use crate::service::Service;
use crate::service::request_log::LogChanges;
use crate::wire;

/// The path of the event stream.
pub(crate) const PATH: &str = "/sandbox/events";

/// How often to look for changes.
const PAUSE: Duration = Duration::from_millis(100);
/// The longest time without sending anything. Writing detects a client that has
/// disconnected.
const SILENCE: Duration = Duration::from_secs(10);
/// The maximum number of records per event.
const BATCH: usize = 500;

/// Sends events until the client disconnects or the sandbox stops. The first
/// ones contain every request in the log.
///
/// `requests` has the number of the oldest request kept and the changed
/// requests; `changed` has the names of the parts that changed.
pub(crate) fn stream(service: &Service, stream: &TcpStream) {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\n\
                X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n";
    let mut sent = SentToPage::default();
    let mut spoke = Instant::now();
    let mut text = head.to_owned();
    loop {
        let is_behind = sent.catch_up(service, &mut text);
        if text.is_empty() && spoke.elapsed() >= SILENCE {
            text.push_str(": still here\n\n");
        }
        if !text.is_empty() {
            if wire::write(stream, text.as_bytes()).is_err() {
                return;
            }
            text.clear();
            spoke = Instant::now();
        }
        let is_over =
            if is_behind { service.halt.is_stopped() } else { service.halt.wait_for(PAUSE) };
        if is_over {
            return;
        }
    }
}

/// The events that were sent to the client.
#[derive(Default)]
struct SentToPage {
    log: Option<(u64, u64)>,
    parts: Vec<(&'static str, u64)>,
}

impl SentToPage {
    /// Writes new events. Returns whether there is more.
    fn catch_up(&mut self, service: &Service, text: &mut String) -> bool {
        let since = self.log.map_or(0, |(revision, _)| revision);
        let LogChanges { first, revision, changed } =
            service.request_log.changes(since, BATCH, summary);
        let is_behind = changed.len() == BATCH;
        if self.log != Some((revision, first)) {
            self.log = Some((revision, first));
            push(text, "requests", &json!({"first": first, "records": changed}));
        }
        let parts = service.revisions();
        let is_new = |part: &&(&'static str, u64)| !self.parts.contains(part);
        let names: Vec<&str> = parts.iter().filter(is_new).map(|(name, _)| *name).collect();
        if !names.is_empty() {
            push(text, "changed", &json!(names));
            self.parts = parts.to_vec();
        }
        is_behind
    }
}

fn push(text: &mut String, event: &str, data: &Value) {
    text.push_str(&format!("event: {event}\ndata: {data}\n\n"));
}
