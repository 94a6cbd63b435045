//! The queue of fault scripts.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use payments_core::operation::Operation;

use crate::faults::script::{FaultScript, Times};
use crate::faults::{At, Fault};

/// A script and its progress.
#[derive(Debug)]
struct QueuedScript {
    id: u64,
    script: FaultScript,
    next: usize,
    rounds: u64,
}

impl QueuedScript {
    fn peek(&self) -> Option<&Fault> {
        self.script.then.get(self.next)
    }

    fn advance(&mut self) {
        self.next += 1;
        if self.next >= self.script.then.len() {
            self.next = 0;
            self.rounds += 1;
        }
    }

    fn is_over(&self) -> bool {
        let exhausted = match self.script.times {
            Times::Count(count) => self.rounds >= count,
            Times::Always => false,
        };
        exhausted || self.script.then.is_empty()
    }
}

/// A script that has faults left.
#[derive(Debug)]
pub(crate) struct PendingScript {
    pub(crate) id: u64,
    pub(crate) next: Fault,
    pub(crate) operation: Option<Operation>,
    pub(crate) path: Option<String>,
    /// The number of faults left; `None` if it never ends.
    pub(crate) left: Option<u64>,
}

#[derive(Default, Debug)]
struct Scripts {
    revision: u64,
    last_id: u64,
    waiting: Vec<QueuedScript>,
}

/// The scripts in the order they were added; the first that matches wins.
#[derive(Default, Debug)]
pub(crate) struct FaultQueue {
    /// Lets requests skip the lock when no script is waiting.
    any: AtomicBool,
    scripts: Mutex<Scripts>,
}

impl FaultQueue {
    pub(crate) fn push(&self, script: FaultScript) -> u64 {
        let mut scripts = self.lock();
        scripts.last_id += 1;
        scripts.revision += 1;
        let id = scripts.last_id;
        let waiting = QueuedScript { id, script, next: 0, rounds: 0 };
        if !waiting.is_over() {
            scripts.waiting.push(waiting);
            self.any.store(true, Ordering::Release);
        }
        id
    }

    pub(crate) fn clear(&self) {
        let mut scripts = self.lock();
        scripts.revision += 1;
        scripts.waiting.clear();
        self.any.store(false, Ordering::Release);
    }

    /// Drops a script. Returns whether it was waiting.
    pub(crate) fn drop_script(&self, id: u64) -> bool {
        let mut scripts = self.lock();
        let before = scripts.waiting.len();
        scripts.revision += 1;
        scripts.waiting.retain(|waiting| waiting.id != id);
        self.any.store(!scripts.waiting.is_empty(), Ordering::Release);
        scripts.waiting.len() < before
    }

    /// A counter that every change increments.
    pub(crate) fn revision(&self) -> u64 {
        self.lock().revision
    }

    /// The scripts that have faults left.
    pub(crate) fn waiting(&self) -> Vec<PendingScript> {
        let scripts = self.lock();
        let pending = scripts.waiting.iter().filter_map(|waiting| {
            Some(PendingScript {
                id: waiting.id,
                next: waiting.peek()?.clone(),
                operation: waiting.script.operation,
                path: waiting.script.path.clone(),
                left: match waiting.script.times {
                    Times::Count(count) => {
                        let faults = waiting.script.then.len() as u64;
                        let left = count.saturating_sub(waiting.rounds).saturating_mul(faults);
                        Some(left.saturating_sub(waiting.next as u64))
                    }
                    Times::Always => None,
                },
            })
        });
        pending.collect()
    }

    pub(crate) fn take_for_connection(&self) -> Option<Fault> {
        self.take(|_, fault| fault.at == At::Accept)
    }

    pub(crate) fn take_for_request(
        &self,
        method: &str,
        path: &str,
        operation: Option<Operation>,
    ) -> Option<Fault> {
        self.take(|script, fault| fault.at != At::Accept && script.matches(method, path, operation))
    }

    fn take(&self, wanted: impl Fn(&FaultScript, &Fault) -> bool) -> Option<Fault> {
        if !self.any.load(Ordering::Acquire) {
            return None;
        }
        let mut scripts = self.lock();
        let index = scripts.waiting.iter().position(|waiting| {
            waiting.peek().is_some_and(|fault| wanted(&waiting.script, fault))
        })?;
        let waiting = &mut scripts.waiting[index];
        let fault = waiting.peek().cloned();
        waiting.advance();
        let is_over = waiting.is_over();
        scripts.revision += 1;
        if is_over {
            scripts.waiting.remove(index);
            self.any.store(!scripts.waiting.is_empty(), Ordering::Release);
        }
        fault
    }

    fn lock(&self) -> MutexGuard<'_, Scripts> {
        self.scripts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(fault: Option<Fault>) -> &'static str {
        fault.map_or("none", |fault| fault.name())
    }

    #[test]
    fn faults_come_in_order_and_as_often_as_asked() {
        let queue = FaultQueue::default();
        let then = vec![Fault::pass(), Fault::status(503)];
        queue.push(FaultScript::for_path("/ws/*", then).times(Times::Count(2)));
        let take = || name(queue.take_for_request("GET", "/ws/query", None));
        assert_eq!([take(), take(), take(), take()], ["pass", "response", "pass", "response"]);
        assert_eq!(take(), "none");
        assert!(queue.waiting().is_empty());
    }

    #[test]
    fn faults_at_accept_wait_for_a_connection() {
        let queue = FaultQueue::default();
        queue.push(FaultScript::for_any(vec![Fault::close(At::Accept), Fault::close(At::Head)]));
        assert_eq!(name(queue.take_for_request("GET", "/ws/query", None)), "none");
        assert_eq!(name(queue.take_for_connection()), "close");
        assert_eq!(name(queue.take_for_connection()), "none");
        assert_eq!(name(queue.take_for_request("GET", "/ws/query", None)), "close");
    }

    #[test]
    fn scripts_match_what_they_name() {
        let by_operation = FaultScript::for_operation(Operation::AccessToken, vec![]);
        assert!(by_operation.matches("POST", "/x", Some(Operation::AccessToken)));
        assert!(!by_operation.matches("POST", "/x", None));
        let mut any = FaultScript::for_any(vec![]);
        assert!(any.matches("GET", "/ws/a", None));
        assert!(!any.matches("POST", "/authorization-server/oauth/token", None));
        any.method = Some("post".to_owned());
        assert!(!any.matches("GET", "/ws/a", None));
    }
}
