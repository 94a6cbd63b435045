//! Refuses a callback that calls the client it serves.
//!
//! A signer that uses a client which signs with it, or an observer that pays,
//! would recurse without end. But calls that take turns on one thread are fine:
//! coroutines, fibers and greenlets suspend one call within a callback and
//! start the next. Each has its own stack, or a copy of its part. So stack
//! addresses distinguish the two: a nested call is on the same stack, right
//! below the callback.

use std::cell::RefCell;
use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering};

/// The most stack between a callback and its nested call for the call to be
/// recognized at once.
const CALLBACK_STACK: usize = 64 * 1024;
/// Frames further apart are not on the same stack.
const LARGEST_STACK: usize = 8 * 1024 * 1024;
/// The most calls that may be suspended this close above another one. More are
/// probably a recursion that was not recognized.
const MOST_NESTED: usize = 64;
/// A host that leaves a callback without returning leaves its frame here.
const MOST_FRAMES: usize = 4096;

thread_local! {
    /// The calls and callbacks of this thread that have not returned.
    static FRAMES: RefCell<Vec<Frame>> = const { RefCell::new(Vec::new()) };
}

#[derive(Clone, Copy)]
struct Frame {
    serial: u64,
    stack_address: usize,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A call of the client with this number.
    Call(u64),
    Callback(Callback),
}

/// A callback, in which a call is nested.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Callback {
    /// One that asks whether a call goes on, such as one that runs signal handlers.
    InterruptHook,
    /// Any other.
    Other,
}

/// The number of a client. Its address may be reused.
pub struct Reentrancy(u64);

/// A call or callback in progress, until this is dropped.
pub struct ReentrancyGuard(u64);

impl Default for Reentrancy {
    fn default() -> Self {
        Self(next_number())
    }
}

impl Reentrancy {
    /// Begins a call of this client.
    ///
    /// # Errors
    /// The client's own callback that makes the call.
    #[inline(never)]
    pub fn enter(&self) -> Result<ReentrancyGuard, Callback> {
        let local = 0;
        let here = address_of(&local);
        match FRAMES.with_borrow(|frames| nested_in(frames, self.0, here)) {
            Some(kind) => Err(kind),
            None => Ok(push(Kind::Call(self.0), here)),
        }
    }
}

/// Runs the caller's code.
pub fn callback<R>(run: impl FnOnce() -> R) -> R {
    enter(Callback::Other, run)
}

/// Runs the caller's code that says whether a call goes on.
pub fn interrupt_hook<R>(run: impl FnOnce() -> R) -> R {
    enter(Callback::InterruptHook, run)
}

/// This function's frame is above everything that the code puts on the stack.
#[inline(never)]
fn enter<R>(callback: Callback, run: impl FnOnce() -> R) -> R {
    let local = 0;
    let _entered = push(Kind::Callback(callback), address_of(&local));
    run()
}

fn push(kind: Kind, stack_address: usize) -> ReentrancyGuard {
    let serial = next_number();
    FRAMES.with_borrow_mut(|frames| {
        if frames.len() >= MOST_FRAMES {
            frames.remove(0);
        }
        frames.push(Frame { serial, stack_address, kind });
    });
    ReentrancyGuard(serial)
}

impl Drop for ReentrancyGuard {
    fn drop(&mut self) {
        // The thread may be ending and have dropped its frames.
        let _ = FRAMES.try_with(|frames| {
            let mut frames = frames.borrow_mut();
            if let Some(index) = frames.iter().rposition(|frame| frame.serial == self.0) {
                frames.remove(index);
            }
        });
    }
}

/// The innermost of `client`'s own callbacks, if one makes the call at the
/// address `here`.
fn nested_in(frames: &[Frame], client: u64, here: usize) -> Option<Callback> {
    // The stack grows toward lower addresses.
    let above = |at: usize, reach: usize| {
        frames
            .iter()
            .filter(move |frame| frame.stack_address > at && frame.stack_address - at < reach)
    };
    let is_call = |frame: &&Frame| frame.kind == Kind::Call(client);
    let callbacks = above(here, CALLBACK_STACK).filter_map(|frame| match frame.kind {
        Kind::Callback(callback) => Some((frame.stack_address, callback)),
        Kind::Call(_) => None,
    });
    let innermost = callbacks
        .filter(|(at, _)| above(*at, LARGEST_STACK).any(|frame| is_call(&frame)))
        .min_by_key(|(at, _)| *at);
    let is_recursion = || above(here, LARGEST_STACK).filter(is_call).count() > MOST_NESTED;
    innermost.map(|(_, callback)| callback).or_else(|| is_recursion().then_some(Callback::Other))
}

fn address_of(local: &u8) -> usize {
    std::ptr::from_ref(black_box(local)).addr()
}

fn next_number() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    LAST.fetch_add(1, Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(client: u64, stack_address: usize) -> Frame {
        Frame { serial: next_number(), stack_address, kind: Kind::Call(client) }
    }

    fn in_callback(stack_address: usize) -> Frame {
        Frame { serial: next_number(), stack_address, kind: Kind::Callback(Callback::Other) }
    }

    #[test]
    fn a_callback_cannot_call_its_client_and_may_call_another() {
        let (client, other) = (Reentrancy::default(), Reentrancy::default());
        let entered = client.enter().unwrap();
        callback(|| {
            assert!(client.enter().is_err());
            let nested = other.enter().unwrap();
            callback(|| assert!(client.enter().is_err()));
            drop(nested);
        });
        drop(entered);
        assert!(client.enter().is_ok());
        assert!(FRAMES.with_borrow(Vec::is_empty), "nothing is left behind");
    }

    #[test]
    fn a_signal_handler_is_told_apart_from_what_it_interrupts() {
        let client = Reentrancy::default();
        let _entered = client.enter().unwrap();
        let nested_in = || client.enter().map(drop).unwrap_err();
        callback(|| {
            assert_eq!(nested_in(), Callback::Other);
            assert_eq!(interrupt_hook(nested_in), Callback::InterruptHook);
            assert_eq!(interrupt_hook(|| callback(nested_in)), Callback::Other);
        });
    }

    #[test]
    fn calls_that_take_turns_on_one_stretch_of_stack_are_not_nested() {
        // Greenlets copy the stack of a suspended one elsewhere.
        let mut frames = Vec::new();
        for _ in 0..1000 {
            assert!(nested_in(&frames, 1, 900_000).is_none());
            frames.extend([call(1, 900_000), in_callback(890_000)]);
        }
    }

    #[test]
    fn calls_on_separate_stacks_are_not_nested() {
        let mut frames = Vec::new();
        for number in (1..50_usize).rev() {
            let stack = number * 256 * 1024;
            assert!(nested_in(&frames, 1, stack - 100).is_none());
            frames.extend([call(1, stack - 100), in_callback(stack - 8000)]);
        }
    }

    #[test]
    fn a_nested_call_is_found_below_the_calls_of_other_clients() {
        let mut frames = vec![call(2, 900_000), in_callback(890_000)];
        assert!(nested_in(&frames, 1, 880_000).is_none());
        frames.extend([call(1, 880_000), in_callback(870_000)]);
        for (far, is_found) in [(CALLBACK_STACK - 1, true), (CALLBACK_STACK, false)] {
            assert_eq!(nested_in(&frames, 1, 870_000 - far).is_some(), is_found);
        }
    }

    #[test]
    fn a_recursion_with_large_frames_ends() {
        let (mut frames, mut here) = (Vec::new(), 16 * 1024 * 1024);
        while nested_in(&frames, 1, here).is_none() {
            frames.extend([call(1, here), in_callback(here - 8000)]);
            here -= 100_000;
            assert!(frames.len() <= 2 * (MOST_NESTED + 1));
        }
    }

    #[test]
    fn frames_that_never_returned_are_bounded() {
        for _ in 0..MOST_FRAMES + 10 {
            std::mem::forget(Reentrancy::default().enter().unwrap());
        }
        assert!(FRAMES.with_borrow(Vec::len) <= MOST_FRAMES);
    }
}
