//! Clients of a host that may not get to free them: PHP runs no destructor after a
//! fatal error, and at the end of a request in no order that fits.

use std::cell::RefCell;
use std::ffi::c_char;

use crate::boundary;
use crate::client::payments_client;
use crate::input;

thread_local! {
    /// The handles that are not freed yet, with the name of their owner.
    static TRACKED: RefCell<Vec<(String, *mut payments_client)>> = const { RefCell::new(Vec::new()) };
}

/// Tracks a client handle in this thread until it is freed, so that
/// `payments_client_free_tracked` frees it at the latest: for a host whose
/// program may end without freeing it, while the thread goes on. `owner` is any
/// text that names the host. NULL does nothing, and neither does a text that is
/// not UTF-8.
///
/// Ownership: none is taken; the text is copied.
/// Threads: the one that frees the handle.
/// Errors: none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_client_track(
    client: *mut payments_client,
    owner: *const c_char,
    owner_length: usize,
) {
    // SAFETY: the caller passes a readable text.
    boundary::value((), || unsafe {
        if let (false, Ok(owner)) = (client.is_null(), input::text("owner", owner, owner_length)) {
            TRACKED.with_borrow_mut(|all| all.push((owner.to_owned(), client)));
        }
    });
}

/// Frees the client handles of this owner that this thread tracks. Call it when
/// the program that used them has ended.
///
/// Ownership: takes these handles, which must not be used again.
/// Threads: any; no other thread may use the handles.
/// Errors: none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_client_free_tracked(owner: *const c_char, owner_length: usize) {
    // SAFETY: the caller passes a readable text; the handles were not freed, or
    // `forget` would have been called.
    boundary::value((), || unsafe {
        let Ok(owner) = input::text("owner", owner, owner_length) else { return };
        let is_of_owner = |(name, _): &mut (String, _)| name == owner;
        let left =
            TRACKED.with_borrow_mut(|all| all.extract_if(.., is_of_owner).collect::<Vec<_>>());
        left.into_iter().for_each(|(_, client)| input::take_back(client));
    });
}

/// The handle is being freed.
pub(crate) fn forget(client: *mut payments_client) {
    // A thread that ends may free a handle when its list is gone.
    let _ = TRACKED.try_with(|all| all.borrow_mut().retain(|(_, tracked)| *tracked != client));
}
