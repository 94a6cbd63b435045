//! The events of a client, as objects, as lines of a log and as spans, compared
//! with the scenario.

use std::sync::Mutex;

use payments_core::inside::event_text;
use payments_core::observer::{Event, Level, Observer, TracingObserver};
use serde_json::Value;

use super::compare::{check, exact_differences, line_differences};
use super::format::Scenario;
use super::placeholders::Placeholders;
use super::run::value_of;
use super::spans::InMemory;

/// An observer that keeps its events.
#[derive(Default)]
pub struct EventRecorder {
    recorded: Mutex<RecordedEvents>,
    pub spans: InMemory,
}

#[derive(Default)]
struct RecordedEvents {
    calls: Vec<u64>,
    events: Vec<Value>,
    lines: Vec<String>,
}

impl Observer for EventRecorder {
    fn on_event(&self, event: &Event<'_>) {
        self.recorded.lock().unwrap().record(event);
        TracingObserver.on_event(event);
    }
}

impl RecordedEvents {
    /// The first call is 1, the second 2, and so on.
    fn record(&mut self, event: &Event<'_>) {
        if !self.calls.contains(&event.call()) {
            self.calls.push(event.call());
        }
        let call = 1 + self.calls.iter().position(|call| *call == event.call()).unwrap();
        let mut json = value_of(&event.to_json());
        json["call"] = call.into();
        self.events.push(json);
        let level = match event.level() {
            Level::Debug => "debug",
            Level::Info => "info",
            Level::Warning => "warning",
            other => panic!("{other:?}"),
        };
        let (of_process, own) = (format!(" call={} ", event.call()), format!(" call={call} "));
        let text = format!("{level} {} ", event_text(event)).replacen(&of_process, &own, 1);
        self.lines.push(text.trim_end().to_owned());
    }
}

impl EventRecorder {
    pub fn check(&self, scenario: &Scenario, placeholders: &Placeholders) -> Result<(), String> {
        let recorded = self.recorded.lock().unwrap();
        let mut found = Vec::new();
        if let Some(expected) = &scenario.events {
            let events = Value::Array(recorded.events.clone());
            exact_differences("events", &placeholders.fill_tree(expected), &events, &mut found);
        }
        if let Some(expected) = &scenario.log {
            let expected: Vec<_> = expected.iter().map(|line| placeholders.fill(line)).collect();
            line_differences(&expected, &recorded.lines, &mut found);
        }
        if let Some(expected) = &scenario.spans {
            let spans = self.spans.as_json();
            exact_differences("spans", &placeholders.fill_tree(expected), &spans, &mut found);
        }
        check(&found)
    }
}
