//! A subscriber that keeps the spans of calls, with the names of OpenTelemetry.

use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use serde_json::{Map, Value, json};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// Keeps spans in the order in which they began.
#[derive(Clone, Default)]
pub struct InMemory(Arc<Mutex<Kept>>);

#[derive(Default)]
struct Kept {
    spans: Vec<Span>,
    /// The spans that are entered, the innermost last.
    current: Vec<usize>,
}

#[derive(Default)]
struct Span {
    parent: Option<usize>,
    fields: Fields,
    events: Vec<Value>,
    is_closed: bool,
}

#[derive(Default)]
struct Fields(Map<String, Value>);

impl Visit for Fields {
    fn record_u64(&mut self, field: &Field, value: u64) {
        self.0.insert(field.name().to_owned(), value.into());
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name().to_owned(), value.into());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name().to_owned(), format!("{value:?}").into());
    }
}

impl Fields {
    fn take(&mut self, name: &str) -> Value {
        self.0.remove(name).unwrap_or(Value::Null)
    }
}

impl Span {
    fn as_json(&self) -> Value {
        let mut fields = Fields(self.fields.0.clone());
        let is_internal = !fields.0.contains_key("otel.kind");
        let has_failed = fields.take("otel.status_code") == "ERROR";
        // The crate tracing cannot say that a span began earlier.
        fields.take("payments.duration_us");
        json!({
            "name": fields.take("otel.name"),
            "kind": if is_internal { "internal".into() } else { fields.take("otel.kind") },
            "parent": self.parent,
            "status": if has_failed { "error" } else { "unset" },
            "description": fields.take("otel.status_description"),
            "attributes": fields.0,
            "events": self.events,
        })
    }
}

impl InMemory {
    pub fn as_json(&self) -> Value {
        let kept = self.0.lock().unwrap();
        assert!(kept.spans.iter().all(|span| span.is_closed), "a span is open");
        kept.spans.iter().map(Span::as_json).collect()
    }
}

fn index(id: &Id) -> usize {
    usize::try_from(id.into_u64()).unwrap() - 1
}

impl Subscriber for InMemory {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, attributes: &Attributes<'_>) -> Id {
        let mut kept = self.0.lock().unwrap();
        let current = kept.current.last().copied().filter(|_| attributes.is_contextual());
        let parent = attributes.parent().map(index).or(current);
        let mut span = Span { parent, ..Span::default() };
        attributes.record(&mut span.fields);
        kept.spans.push(span);
        Id::from_u64(kept.spans.len() as u64)
    }

    fn record(&self, span: &Id, values: &Record<'_>) {
        values.record(&mut self.0.lock().unwrap().spans[index(span)].fields);
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut kept = self.0.lock().unwrap();
        let mut fields = Fields::default();
        event.record(&mut fields);
        let name = fields.take("message").as_str().unwrap().to_owned();
        for of_the_span in ["call", "reference", "hash"] {
            fields.take(of_the_span);
        }
        // The event at the end of a failed call is a sentence, which only Rust has.
        if let Some(&span) = kept.current.last().filter(|_| !name.contains(' ')) {
            let named = |(name, value)| (format!("payments.{name}"), value);
            let attributes: Map<_, _> = fields.0.into_iter().map(named).collect();
            let event = json!({ "name": format!("payments.{name}"), "attributes": attributes });
            kept.spans[span].events.push(event);
        }
    }

    fn enter(&self, span: &Id) {
        self.0.lock().unwrap().current.push(index(span));
    }

    fn exit(&self, span: &Id) {
        assert_eq!(self.0.lock().unwrap().current.pop(), Some(index(span)));
    }

    fn try_close(&self, id: Id) -> bool {
        self.0.lock().unwrap().spans[index(&id)].is_closed = true;
        true
    }
}
