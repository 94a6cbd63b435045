//! The log of every request to the service, which a real provider keeps to
//! itself.

use std::collections::hash_map::DefaultHasher;
use std::collections::{HashMap, VecDeque};
use std::hash::{Hash, Hasher};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use payments_core::operation::Operation;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::http::find_header;
use crate::http::response::Response;
use crate::service::clock::{milliseconds, now_ms};
use crate::service::signature::SignatureCheck;
use crate::service::tokens::BearerCheck;

/// The limit on logged body bytes; beyond it, the oldest requests are dropped.
const BODY_BYTES_LIMIT: usize = 64 * 1024 * 1024;

/// The result of checking a request's integration key.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum IntegrationKeyCheck {
    /// Not checked, or the request needs no key.
    #[default]
    NotChecked,
    /// No key, and none is required.
    Absent,
    /// No key, although one is required.
    Missing,
    /// The merchant's key.
    Valid,
    /// Not the merchant's key.
    Wrong,
}

impl IntegrationKeyCheck {
    /// The name in the request log.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NotChecked => "not_checked",
            Self::Absent => "absent",
            Self::Missing => "missing",
            Self::Valid => "valid",
            Self::Wrong => "wrong",
        }
    }
}

/// A request, the results of its checks, and the response. Contains credentials
/// and payer details as received: this is a test tool.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct RequestRecord {
    /// The number of the request, from 1 in the order that heads were read.
    pub sequence: u64,
    /// The number of the connection, from 1 in the order of acceptance.
    pub connection: u64,
    /// When the head was read, in milliseconds since 1970 by the system clock.
    pub received_ms: u64,
    /// From the head of the request to the end of its response, in milliseconds;
    /// `None` until then.
    pub duration_ms: Option<u64>,
    /// The operation, if the request is for one.
    pub operation: Option<Operation>,
    /// The method; empty if the request was not HTTP.
    pub method: String,
    /// The request target as received.
    pub target: String,
    /// The path.
    pub path: String,
    /// The query string as received.
    pub query: Option<String>,
    /// Header names and values in the order received.
    pub headers: Vec<(String, String)>,
    /// The exact bytes of the body, without framing.
    pub body: Vec<u8>,
    /// Whether the whole body was read.
    pub complete: bool,
    /// The result of checking the signature.
    pub signature: SignatureCheck,
    /// The result of checking the bearer token.
    pub bearer: BearerCheck,
    /// The result of checking the integration key.
    pub integration_key: IntegrationKeyCheck,
    /// Why the request was refused, if it was.
    pub refused: Option<String>,
    /// Whether the operation took effect, or was read-only and got a response.
    pub executed: bool,
    /// The name of the fault that struck the request.
    pub fault: Option<&'static str>,
    /// The response that was at least partly sent; `None` for silence, a close,
    /// or bytes that are not HTTP.
    pub response: Option<Response>,
    /// Whether the response ends early, never, or cannot be read as HTTP.
    pub is_response_broken: bool,
    /// The number of an earlier request with the same method, target, body, and
    /// signature.
    pub resend_of: Option<u64>,
}

impl RequestRecord {
    /// The first header of that name, case-insensitively.
    pub fn header(&self, name: &str) -> Option<&str> {
        find_header(&self.headers, name)
    }

    /// The SHA-256 of the body in lowercase hexadecimal.
    pub fn body_sha256(&self) -> String {
        sha256_hex(&self.body)
    }

    /// The record in the JSON form of the control API.
    pub fn to_json(&self) -> Value {
        let detail = match &self.signature {
            SignatureCheck::Refused { detail, .. } => Some(detail.as_str()),
            SignatureCheck::VerifiedQuery => Some("over the query"),
            _ => None,
        };
        let response = self.response.as_ref().map(|response| {
            json!({
                "status": response.status,
                "headers": response.headers,
                "body": String::from_utf8_lossy(&response.body),
            })
        });
        json!({
            "sequence": self.sequence,
            "connection": self.connection,
            "received_ms": self.received_ms,
            "duration_ms": self.duration_ms,
            "operation": self.operation.map(Operation::name),
            "method": self.method,
            "target": self.target,
            "path": self.path,
            "query": self.query,
            "headers": self.headers,
            "body_base64": BASE64.encode(&self.body),
            "body_sha256": self.body_sha256(),
            "body_length": self.body.len(),
            "complete": self.complete,
            "signature": self.signature.as_str(),
            "signature_detail": detail,
            "bearer": self.bearer.as_str(),
            "integration_key": self.integration_key.as_str(),
            "refused": self.refused,
            "executed": self.executed,
            "fault": self.fault,
            "response": response,
            "resend_of": self.resend_of,
        })
    }

    fn likeness(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (&self.method, &self.target, &self.body, self.header("x-jws-signature")).hash(&mut hasher);
        hasher.finish()
    }

    fn is_resend_of(&self, earlier: &Self) -> bool {
        earlier.complete
            && self.method == earlier.method
            && self.target == earlier.target
            && self.body == earlier.body
            && self.header("x-jws-signature") == earlier.header("x-jws-signature")
    }
}

/// The SHA-256 of `bytes` in lowercase hexadecimal.
pub(crate) fn sha256_hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A record, and the log revision that last changed it.
#[derive(Debug)]
struct LoggedRequest {
    record: RequestRecord,
    revision: u64,
}

/// The changes to the log since a revision.
#[derive(Debug)]
pub(crate) struct LogChanges<T> {
    /// The number of the oldest request kept.
    pub(crate) first: u64,
    /// The revision that `changed` covers.
    pub(crate) revision: u64,
    /// One value per changed record, in the order of the changes.
    pub(crate) changed: Vec<T>,
}

#[derive(Default, Debug)]
struct Pages {
    last: u64,
    revision: u64,
    body_bytes: usize,
    entries: VecDeque<LoggedRequest>,
    /// Maps the hash of a request to the latest request that has it.
    seen: HashMap<u64, u64>,
}

impl Pages {
    /// Records are numbered without gaps, so the number gives the index.
    fn index_of(&self, sequence: u64) -> Option<usize> {
        let first = self.entries.front()?.record.sequence;
        usize::try_from(sequence.checked_sub(first)?).ok()
    }

    fn get(&self, sequence: u64) -> Option<&RequestRecord> {
        Some(&self.entries.get(self.index_of(sequence)?)?.record)
    }

    fn drop_oldest(&mut self) {
        if let Some(LoggedRequest { record: oldest, .. }) = self.entries.pop_front() {
            self.body_bytes -= oldest.body.len();
            let likeness = oldest.likeness();
            if self.seen.get(&likeness) == Some(&oldest.sequence) {
                self.seen.remove(&likeness);
            }
        }
    }
}

/// The records, oldest first.
#[derive(Debug)]
pub(crate) struct RequestLog {
    limit: usize,
    pages: Mutex<Pages>,
}

impl RequestLog {
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, pages: Mutex::default() }
    }

    /// Adds a request and returns its number. Called before the request is
    /// processed, so that it is visible while the service is silent.
    pub(crate) fn enter(&self, mut record: RequestRecord) -> u64 {
        record.received_ms = now_ms();
        let likeness = record.likeness();
        let mut pages = self.lock();
        pages.last += 1;
        record.sequence = pages.last;
        if record.complete {
            let earlier = pages.seen.insert(likeness, record.sequence);
            record.resend_of = earlier.filter(|&sequence| {
                pages.get(sequence).is_some_and(|earlier| record.is_resend_of(earlier))
            });
        }
        pages.body_bytes += record.body.len();
        pages.revision += 1;
        let revision = pages.revision;
        pages.entries.push_back(LoggedRequest { record, revision });
        while pages.entries.len() > self.limit || pages.body_bytes > BODY_BYTES_LIMIT {
            pages.drop_oldest();
        }
        pages.last
    }

    pub(crate) fn amend(&self, sequence: u64, change: impl FnOnce(&mut RequestRecord)) {
        let mut pages = self.lock();
        pages.revision += 1;
        let revision = pages.revision;
        if let Some(index) = pages.index_of(sequence)
            && let Some(entry) = pages.entries.get_mut(index)
        {
            entry.revision = revision;
            change(&mut entry.record);
        }
    }

    /// Records how long a request took.
    pub(crate) fn end(&self, sequence: u64, took: Duration) {
        let took = milliseconds(took);
        self.amend(sequence, |record| record.duration_ms = Some(took));
    }

    pub(crate) fn records(&self) -> Vec<RequestRecord> {
        self.lock().entries.iter().map(|entry| entry.record.clone()).collect()
    }

    pub(crate) fn record(&self, sequence: u64) -> Option<RequestRecord> {
        self.lock().get(sequence).cloned()
    }

    /// The numbers of all sends of the given request, in order, itself
    /// included.
    pub(crate) fn sendings(&self, sequence: u64) -> Vec<u64> {
        let pages = self.lock();
        let mut first = sequence;
        while let Some(earlier) = pages.get(first).and_then(|record| record.resend_of) {
            if pages.get(earlier).is_none() {
                break;
            }
            first = earlier;
        }
        let mut chain = vec![first];
        for LoggedRequest { record, .. } in &pages.entries {
            if record.resend_of.is_some() && record.resend_of == chain.last().copied() {
                chain.push(record.sequence);
            }
        }
        chain
    }

    /// Applies `read` to the records that changed after a revision, at most
    /// `limit`, earliest changes first.
    pub(crate) fn changes<T>(
        &self,
        revision: u64,
        limit: usize,
        read: impl Fn(&RequestRecord) -> T,
    ) -> LogChanges<T> {
        let pages = self.lock();
        let mut changed: Vec<&LoggedRequest> = if pages.revision == revision {
            Vec::new()
        } else {
            pages.entries.iter().filter(|entry| entry.revision > revision).collect()
        };
        changed.sort_unstable_by_key(|entry| entry.revision);
        changed.truncate(limit);
        let is_all = changed.len() < limit;
        LogChanges {
            first: pages.entries.front().map_or(pages.last + 1, |entry| entry.record.sequence),
            revision: match changed.last() {
                Some(last) if !is_all => last.revision,
                _ => pages.revision,
            },
            changed: changed.into_iter().map(|entry| read(&entry.record)).collect(),
        }
    }

    /// Removes every request. Numbering continues, so that a response still
    /// being sent cannot be written to another request's record.
    pub(crate) fn clear(&self) {
        let mut pages = self.lock();
        pages.revision += 1;
        pages.entries.clear();
        pages.seen.clear();
        pages.body_bytes = 0;
    }

    fn lock(&self) -> MutexGuard<'_, Pages> {
        self.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(body: &[u8]) -> RequestRecord {
        RequestRecord { body: body.to_vec(), complete: true, ..RequestRecord::default() }
    }

    #[test]
    fn resend_names_the_request_it_repeats() {
        let log = RequestLog::new(10);
        for body in [b"a", b"b", b"a", b"a"] {
            log.enter(record(body));
        }
        let resends: Vec<_> = log.records().iter().map(|record| record.resend_of).collect();
        assert_eq!(resends, [None, None, Some(1), Some(3)]);
    }

    #[test]
    fn oldest_requests_go_first_and_late_responses_find_theirs() {
        let log = RequestLog::new(2);
        for body in [b"a", b"b", b"c"] {
            log.enter(record(body));
        }
        log.amend(1, |record| record.executed = true);
        log.amend(3, |record| record.executed = true);
        let executed: Vec<_> =
            log.records().iter().map(|record| (record.sequence, record.executed)).collect();
        assert_eq!(executed, [(2, false), (3, true)]);
        log.clear();
        assert_eq!(log.enter(record(b"a")), 4);
        assert_eq!(log.records()[0].resend_of, None);
    }
}
