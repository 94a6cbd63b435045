//! The spans of calls, as a subscriber in memory receives them.

use std::fmt::Debug;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;

use payments_core::journal::JournalError;
use payments_core::observer::TracingObserver;
use payments_core::{CallContext, CancelHandle, Client, Config};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

use crate::support::calls;
use crate::support::journal::MemoryJournal;
use crate::support::raw_server::{RawServer, created, json};
use crate::support::tokens::{self, Action, Fault, ManualClock, Service, TestStore, call};

/// A span, or an event without an id.
#[derive(Clone, Debug, Default)]
struct SpanRecord {
    id: u64,
    parent: Option<u64>,
    level: String,
    fields: Vec<(String, String)>,
    is_closed: bool,
}

impl SpanRecord {
    fn field(&self, name: &str) -> Option<&str> {
        self.fields.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

impl Visit for SpanRecord {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let text = format!("{value:?}").trim_matches('"').to_owned();
        self.fields.push((field.name().to_owned(), text));
    }
}

#[derive(Clone, Default)]
struct InMemory {
    last: Arc<AtomicU64>,
    seen: Arc<Mutex<Vec<SpanRecord>>>,
    current: Arc<Mutex<Vec<u64>>>,
}

impl InMemory {
    fn add(&self, id: u64, level: &Level, record: impl FnOnce(&mut SpanRecord)) {
        let parent = self.current.lock().unwrap().last().copied();
        let mut seen = SpanRecord { id, parent, level: level.to_string(), ..SpanRecord::default() };
        record(&mut seen);
        self.seen.lock().unwrap().push(seen);
    }

    /// Runs `calls` and returns the records.
    fn during(calls: impl FnOnce()) -> Vec<SpanRecord> {
        let subscriber = Self::default();
        tracing::subscriber::with_default(subscriber.clone(), calls);
        let seen = subscriber.seen.lock().unwrap().clone();
        assert!(seen.iter().all(|it| it.id == 0 || it.is_closed), "{seen:?}");
        assert!(subscriber.current.lock().unwrap().is_empty());
        seen
    }
}

impl Subscriber for InMemory {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, attributes: &Attributes<'_>) -> Id {
        let id = self.last.fetch_add(1, Ordering::SeqCst) + 1;
        self.add(id, attributes.metadata().level(), |seen| attributes.record(seen));
        Id::from_u64(id)
    }

    fn record(&self, span: &Id, values: &Record<'_>) {
        let mut seen = self.seen.lock().unwrap();
        values.record(seen.iter_mut().find(|it| it.id == span.into_u64()).unwrap());
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        self.add(0, event.metadata().level(), |seen| event.record(seen));
    }

    fn enter(&self, span: &Id) {
        self.current.lock().unwrap().push(span.into_u64());
    }

    fn exit(&self, span: &Id) {
        assert_eq!(self.current.lock().unwrap().pop(), Some(span.into_u64()));
    }

    fn try_close(&self, id: Id) -> bool {
        let mut seen = self.seen.lock().unwrap();
        seen.iter_mut().find(|it| it.id == id.into_u64()).unwrap().is_closed = true;
        true
    }
}

fn observed(config: Config) -> Client {
    Client::new(config.observer(Arc::new(TracingObserver))).unwrap()
}

/// The fields as `name=value`, in order.
fn fields(seen: &SpanRecord) -> Vec<String> {
    seen.fields.iter().map(|(name, value)| format!("{name}={value}")).collect()
}

#[test]
fn the_span_of_a_call_is_a_child_of_the_callers() {
    let server = RawServer::start(|mut connection| {
        while let Some(request) = connection.read_request() {
            let is_token = request.head.contains("oauth/token");
            let token = r#"{"access_token":"t0ken","token_type":"bearer","expires_in":3600}"#;
            connection.write(&if is_token { json(token) } else { created() });
        }
    });
    let url = server.base_url();
    let client = observed(calls::config(&url).client_credentials(&url, "spans", "secret"));
    let seen = InMemory::during(|| {
        let _callers = tracing::info_span!("checkout").entered();
        client.create_payment(&calls::payment("order-1")).unwrap();
    });
    let [callers, call, token, _] = &seen[..] else { panic!("{seen:#?}") };
    assert_eq!(call.parent, Some(callers.id));
    let duration = token.field("payments.duration_us").unwrap();
    assert!(duration.parse::<u64>().unwrap() > 0, "{duration}");
}

#[test]
fn a_failed_call_ends_with_an_event() {
    let refusal = r#"{"status":"ERROR","status_code":"BP-DR-13"}"#;
    for (response, level, outcome) in
        [(json("{"), "ERROR", "unknown"), (json(refusal), "INFO", "not_executed")]
    {
        let server = RawServer::responding(response);
        let client = observed(calls::config(&server.base_url()));
        let seen = InMemory::during(|| {
            client.create_payment(&calls::payment("order-1")).unwrap_err();
        });
        let [call, _, event] = &seen[..] else { panic!("{seen:#?}") };
        assert_eq!((&*event.level, event.parent), (level, Some(call.id)));
        assert_eq!(event.field("outcome"), Some(outcome));
        assert_eq!(event.field("reference"), Some("order-1"));
    }
}

#[test]
fn an_attempt_that_is_cancelled_ends_with_its_call() {
    let (arrived, arrives) = mpsc::channel();
    let server = RawServer::start(move |mut connection| {
        let _ = connection.read_request();
        arrived.send(()).unwrap();
        connection.wait_for_the_end();
    });
    let client = observed(calls::config(&server.base_url()));
    let cancel = CancelHandle::new();
    let context = CallContext::new(calls::SLACK, cancel.clone(), None);
    let seen = InMemory::during(|| {
        thread::scope(|scope| {
            scope.spawn(move || {
                arrives.recv().unwrap();
                cancel.cancel();
            });
            client.execute(&calls::payment("order-1"), &context).map(drop).unwrap_err();
        });
    });
    let [call, attempt, _] = &seen[..] else { panic!("{seen:#?}") };
    assert_eq!(attempt.field("error.type"), Some("cancelled"));
    assert_eq!(attempt.field("otel.status_code"), Some("ERROR"));
    assert_eq!((attempt.parent, call.field("payments.outcome")), (Some(call.id), Some("unknown")));
}

/// The events of a call that are not spans, each with its level and its fields
/// but the number of the call.
fn notes(seen: &[SpanRecord]) -> Vec<String> {
    let note = |it: &SpanRecord| {
        let fields = fields(it).into_iter().filter(|it| !it.starts_with("call="));
        format!("{} {}", it.level, fields.collect::<Vec<_>>().join(" "))
    };
    seen.iter().filter(|it| it.id == 0).map(note).collect()
}

#[test]
fn texts_of_a_store_or_a_journal_are_not_recorded() {
    let (service, clock, store) = (Service::new(), ManualClock::new(), TestStore::new());
    store.fail(Action::Load, Fault::Error);
    let client = observed(tokens::config(&service, &clock).token_store(store));
    let seen = InMemory::during(|| drop(call(&client).unwrap()));
    assert!(
        notes(&seen).contains(&"WARN message=store_bypassed action=load".to_owned()),
        "{seen:#?}"
    );

    let server = RawServer::responding(created());
    let journal = Arc::new(MemoryJournal::default());
    *journal.before_update.lock().unwrap() = Some(Box::new(|| Err(JournalError::new("CANARY"))));
    let client = observed(calls::config(&server.base_url()).journal(Arc::clone(&journal) as _));
    let pay = || client.execute(&calls::payment("order-1"), &calls::brief());
    let seen = InMemory::during(|| drop(pay().unwrap()));
    assert_eq!(
        notes(&seen),
        [format!("WARN message=journal_failed reference=order-1 id={}", journal.one().id)]
    );
    assert!(!format!("{seen:?}").contains("CANARY"));
}
