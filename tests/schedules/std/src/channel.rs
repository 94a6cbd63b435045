//! Channels without a bound.

pub use std::sync::mpsc::*;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::model;

struct Channel<T> {
    state: Mutex<State<T>>,
}

struct State<T> {
    messages: VecDeque<T>,
    senders: usize,
    has_receiver: bool,
}

pub struct Sender<T>(Arc<Channel<T>>);

/// Like a [`Sender`]: nothing in the core fills a channel with a bound.
pub type SyncSender<T> = Sender<T>;

pub struct Receiver<T>(Arc<Channel<T>>);

pub fn channel<T>() -> (Sender<T>, Receiver<T>) {
    let state = State { messages: VecDeque::new(), senders: 1, has_receiver: true };
    let channel = Arc::new(Channel { state: Mutex::new(state) });
    (Sender(Arc::clone(&channel)), Receiver(channel))
}

pub fn sync_channel<T>(_: usize) -> (SyncSender<T>, Receiver<T>) {
    channel()
}

impl<T> Channel<T> {
    /// Never held across a step.
    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn key(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }
}

impl<T> Sender<T> {
    pub fn send(&self, message: T) -> Result<(), SendError<T>> {
        model::step();
        {
            let mut state = self.0.state();
            if !state.has_receiver {
                return Err(SendError(message));
            }
            state.messages.push_back(message);
        }
        model::changed(self.0.key());
        Ok(())
    }
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Self {
        self.0.state().senders += 1;
        Self(Arc::clone(&self.0))
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        model::step();
        self.0.state().senders -= 1;
        model::changed(self.0.key());
    }
}

impl<T> Receiver<T> {
    fn take(&self) -> Result<T, TryRecvError> {
        let mut state = self.0.state();
        match state.messages.pop_front() {
            Some(message) => Ok(message),
            None if state.senders == 0 => Err(TryRecvError::Disconnected),
            None => Err(TryRecvError::Empty),
        }
    }

    fn take_within(&self, limit: Option<Duration>) -> Result<T, TryRecvError> {
        let mut taken = Err(TryRecvError::Empty);
        model::block_until(&[self.0.key()], limit, || {
            taken = self.take();
            !matches!(taken, Err(TryRecvError::Empty))
        });
        taken
    }

    pub fn recv(&self) -> Result<T, RecvError> {
        self.take_within(None).map_err(|_| RecvError)
    }

    pub fn recv_timeout(&self, limit: Duration) -> Result<T, RecvTimeoutError> {
        self.take_within(Some(limit)).map_err(|error| match error {
            TryRecvError::Empty => RecvTimeoutError::Timeout,
            TryRecvError::Disconnected => RecvTimeoutError::Disconnected,
        })
    }

    pub fn try_recv(&self) -> Result<T, TryRecvError> {
        model::step();
        self.take()
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        model::step();
        self.0.state().has_receiver = false;
    }
}
