//! Keeps a callback from calling the client that it serves.

use std::cell::RefCell;

use crate::error::{Error, ErrorKind};

thread_local! {
    /// The addresses of the clients, and of the token managers, that this
    /// thread is inside of, innermost last.
    static INSIDE: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

/// This thread is inside of a client until this is dropped.
pub(crate) struct Entered(());

/// What a call is told that comes from within a callback.
pub(crate) fn refused() -> Error {
    Error::new(
        ErrorKind::Config,
        "reentrant_call",
        "a signer, token store, observer or transport called the client that it serves; use \
         another client in it",
    )
}

/// Whether this thread is inside of `client`.
pub(crate) fn is_inside(client: usize) -> bool {
    INSIDE.with_borrow(|inside| inside.contains(&client))
}

/// `None` when this thread is inside of `client` already.
pub(crate) fn enter(client: usize) -> Option<Entered> {
    INSIDE.with_borrow_mut(|inside| {
        if inside.contains(&client) {
            return None;
        }
        inside.push(client);
        Some(Entered(()))
    })
}

impl Drop for Entered {
    fn drop(&mut self) {
        INSIDE.with_borrow_mut(|inside| inside.pop());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_is_entered_once_at_a_time() {
        let outer = enter(1).unwrap();
        assert!(enter(1).is_none());
        let other = enter(2).unwrap();
        drop(other);
        drop(outer);
        assert!(enter(1).is_some());
    }
}
