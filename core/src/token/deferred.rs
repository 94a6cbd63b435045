//! Events deferred until the locks are released.

use std::cell::RefCell;

use super::Clock;
use crate::model::observer::Event;
use crate::transport::Transport;

/// Events that occur while this thread fetches a token or has the store's lock.
/// They are delivered later, because an observer may be slow, and one in
/// another language may end the thread's work and never return.
#[derive(Default)]
pub(super) struct DeferredEvents(RefCell<Vec<Event<'static>>>);

impl DeferredEvents {
    pub(super) fn note(&self, event: Event<'static>) {
        self.0.borrow_mut().push(event);
    }

    /// Why a store was last bypassed.
    pub(super) fn last_bypass(&self) -> Option<String> {
        self.0.borrow().iter().rev().find_map(|event| match event {
            Event::StoreBypassed { reason, .. } => Some(reason.to_string()),
            _ => None,
        })
    }

    pub(super) fn tell(self, observe: &dyn Fn(&Event<'_>)) {
        self.0.into_inner().iter().for_each(observe);
    }
}

/// References that the caller lends to the manager, since a shared manager
/// keeps nothing that belongs to one client.
#[derive(Clone, Copy)]
pub(crate) struct Dependencies<'a> {
    pub(crate) transport: &'a dyn Transport,
    pub(crate) clock: &'a dyn Clock,
    pub(crate) observe: &'a dyn Fn(&Event<'_>),
}

/// The means to fetch a token. It has no observer, so that nothing is observed
/// under a lock.
#[derive(Clone, Copy)]
pub(super) struct FetchContext<'a> {
    pub(super) transport: &'a dyn Transport,
    pub(super) clock: &'a dyn Clock,
    pub(super) events: &'a DeferredEvents,
}

impl<'a> Dependencies<'a> {
    pub(super) fn fetch_context(self, events: &'a DeferredEvents) -> FetchContext<'a> {
        FetchContext { transport: self.transport, clock: self.clock, events }
    }

    /// Runs `act`, then delivers the events that it deferred.
    pub(super) fn deferring_events<R>(self, act: impl FnOnce(FetchContext<'_>) -> R) -> R {
        let events = DeferredEvents::default();
        let result = act(self.fetch_context(&events));
        events.tell(self.observe);
        result
    }
}
