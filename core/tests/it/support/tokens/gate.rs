//! A gate that holds threads until it opens.

use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use payments_core::context::CallContext;

#[derive(Default)]
pub struct Gate {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    is_open: bool,
    arrivals: usize,
}

impl Gate {
    pub fn closed() -> Arc<Self> {
        Arc::default()
    }

    /// Waits until the gate opens or the call ends. Returns whether it opened.
    pub fn pass(&self, context: &CallContext) -> bool {
        let mut state = self.state.lock().expect("no panic under it");
        state.arrivals += 1;
        self.changed.notify_all();
        while !state.is_open {
            drop(state);
            if context.ended().is_some() {
                return false;
            }
            state = self.state.lock().expect("no panic under it");
            let slice = Duration::from_millis(5);
            state = self.changed.wait_timeout(state, slice).expect("no panic under it").0;
        }
        true
    }

    pub fn open(&self) {
        self.state.lock().expect("no panic under it").is_open = true;
        self.changed.notify_all();
    }

    pub fn arrivals(&self) -> usize {
        self.state.lock().expect("no panic under it").arrivals
    }

    pub fn wait_for_arrivals(&self, number: usize) {
        crate::support::wait::wait_until("arrival at the gate", || self.arrivals() >= number);
    }
}
