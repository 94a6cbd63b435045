//! An observer that records events.

use std::sync::{Arc, Mutex, PoisonError};

use payments_core::observer::{Event, Observer};

/// Records the text of every event.
#[derive(Default)]
pub struct Witness(Mutex<Vec<String>>);

impl Witness {
    pub fn new() -> Arc<Self> {
        Arc::default()
    }

    pub fn events(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The number of events whose text begins with `name`.
    pub fn count(&self, name: &str) -> usize {
        self.events().iter().filter(|event| event.starts_with(name)).count()
    }
}

impl Observer for Witness {
    fn on_event(&self, event: &Event<'_>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(format!("{:?}", event.kind));
    }
}
