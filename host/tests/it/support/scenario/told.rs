//! The events of a client, compared with the scenario.

use std::collections::BTreeMap;
use std::sync::Mutex;

use payments_core::observer::{Event, Observer};
use serde_json::Value;

use super::compare::{check, exact_differences};
use super::format::Scenario;
use super::placeholders::Placeholders;
use super::run::value_of;

/// The events of a client.
#[derive(Default)]
pub struct Told {
    events: Mutex<Vec<Value>>,
}

impl Observer for Told {
    fn on_event(&self, event: &Event<'_>) {
        self.events.lock().unwrap().push(value_of(&event.to_json()));
    }
}

impl Told {
    pub fn check(&self, scenario: &Scenario, placeholders: &Placeholders) -> Result<(), String> {
        let mut found = Vec::new();
        let events = Value::Array(self.events_by_own_numbers());
        if let Some(expected) = &scenario.events {
            let expected = placeholders.fill_tree(expected);
            exact_differences("events", &expected, &events, &mut found);
        }
        check(&found)
    }

    /// The events, with the first call as 1, the second as 2, and so on.
    fn events_by_own_numbers(&self) -> Vec<Value> {
        let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
        let mut events = self.events.lock().unwrap().clone();
        for event in &mut events {
            let next = numbers.len() + 1;
            let number = *numbers.entry(event["call"].to_string()).or_insert(next);
            event["call"] = number.into();
        }
        events
    }
}
