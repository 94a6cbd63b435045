//! Keeps a callback from calling the client that it serves.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::{Error, ErrorKind};

thread_local! {
    /// The numbers of the places that this thread is inside of, innermost
    /// last.
    static INSIDE: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

/// What a thread enters once at a time: a client, or a token manager.
///
/// It has a number of its own, not its address: a host whose callback never
/// came back has left it for ever, and the next client may have its address.
pub(crate) struct Place(u64);

/// This thread is inside of a place until this is dropped.
pub(crate) struct Entered(u64);

/// What a call is told that comes from within a callback.
pub(crate) fn refused() -> Error {
    Error::new(
        ErrorKind::Config,
        "reentrant_call",
        "a signer, token store, observer or transport called the client that it serves; use \
         another client in it",
    )
}

impl Place {
    pub(crate) fn new() -> Self {
        static LAST: AtomicU64 = AtomicU64::new(0);
        Self(LAST.fetch_add(1, Ordering::Relaxed))
    }

    /// Whether this thread is inside.
    pub(crate) fn is_mine(&self) -> bool {
        INSIDE.with_borrow(|inside| inside.contains(&self.0))
    }

    /// `None` when this thread is inside already.
    pub(crate) fn enter(&self) -> Option<Entered> {
        INSIDE.with_borrow_mut(|inside| {
            if inside.contains(&self.0) {
                return None;
            }
            inside.push(self.0);
            Some(Entered(self.0))
        })
    }
}

/// Nobody is inside any more, whoever never came back.
impl Drop for Place {
    fn drop(&mut self) {
        change(|inside| inside.retain(|known| *known != self.0));
    }
}

/// Leaves a place, and whatever was entered within it.
impl Drop for Entered {
    fn drop(&mut self) {
        change(|inside| {
            if let Some(position) = inside.iter().position(|known| *known == self.0) {
                inside.truncate(position);
            }
        });
    }
}

/// A thread that ends may have dropped its list already.
fn change(act: impl FnOnce(&mut Vec<u64>)) {
    let _ = INSIDE.try_with(|inside| act(&mut inside.borrow_mut()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_entered_once_at_a_time() {
        let (first, second) = (Place::new(), Place::new());
        let outer = first.enter().unwrap();
        assert!(first.is_mine() && first.enter().is_none());
        let other = second.enter().unwrap();
        drop(other);
        assert!(first.is_mine() && !second.is_mine());
        drop(outer);
        assert!(first.enter().is_some());
    }

    #[test]
    fn who_never_came_back_keeps_nobody_from_entering_another_place() {
        for _ in 0..3 {
            let (client, tokens) = (Place::new(), Place::new());
            std::mem::forget((client.enter().unwrap(), tokens.enter().unwrap()));
            assert!(client.is_mine() && tokens.is_mine());
        }
        assert!(INSIDE.with_borrow(Vec::is_empty), "nothing is left behind");

        let outer = Place::new();
        let entered = outer.enter().unwrap();
        let inner = Place::new();
        std::mem::forget(inner.enter().unwrap());
        drop(entered);
        assert!(!outer.is_mine() && !inner.is_mine());

        let gone = Place::new();
        std::mem::forget(gone.enter().unwrap());
        let _entered = outer.enter().unwrap();
        drop(gone);
        assert!(outer.is_mine());
    }
}
