//! Another library in Rust: it allocates, starts a thread, unwinds, and has its
//! own thread-local and standard library.

use std::cell::Cell;

thread_local! {
    static NUMBER: Cell<u32> = const { Cell::new(0) };
}

/// Returns the number, by way of a panic on a thread.
#[unsafe(no_mangle)]
pub extern "C" fn other_unwinds(number: u32) -> u32 {
    NUMBER.set(number);
    std::panic::set_hook(Box::new(|_| {}));
    let panicked = std::thread::spawn(move || std::panic::panic_any(Box::new(number))).join();
    let number = *panicked.unwrap_err().downcast::<Box<u32>>().unwrap();
    if NUMBER.get() == *number { *number } else { 0 }
}
