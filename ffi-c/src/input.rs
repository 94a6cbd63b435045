//! Checks pointers from the caller. Apart from the functions, because every one of them
//! needs the same checks before it reads anything.

use crate::failure::CallFailure;

/// The largest length of a slice.
const LONGEST: usize = isize::MAX as usize;

/// Returns the bytes at `data`, which may be NULL if the length is zero.
///
/// # Safety
/// `data` is NULL or points to `length` bytes that do not change meanwhile.
pub(crate) unsafe fn bytes<'a>(
    name: &'static str,
    data: *const u8,
    length: usize,
) -> Result<&'a [u8], CallFailure> {
    if length == 0 {
        return Ok(&[]);
    }
    if data.is_null() {
        return Err(CallFailure::Argument { name, problem: "is NULL, but its length is not 0" });
    }
    if length > LONGEST {
        return Err(CallFailure::Argument { name, problem: "has a length beyond PTRDIFF_MAX" });
    }
    // SAFETY: not NULL; otherwise as this function's contract says.
    Ok(unsafe { std::slice::from_raw_parts(data, length) })
}

/// Returns the UTF-8 text at `data`.
///
/// # Safety
/// Same as [`bytes`].
pub(crate) unsafe fn text<'a>(
    name: &'static str,
    data: *const std::ffi::c_char,
    length: usize,
) -> Result<&'a str, CallFailure> {
    // SAFETY: the caller upholds this function's contract.
    let bytes = unsafe { bytes(name, data.cast(), length) }?;
    std::str::from_utf8(bytes).map_err(|_| CallFailure::Argument { name, problem: "is not UTF-8" })
}

/// Returns the UTF-8 text at `data`, or `None` if it is NULL.
///
/// # Safety
/// Same as [`bytes`].
pub(crate) unsafe fn optional_text<'a>(
    name: &'static str,
    data: *const std::ffi::c_char,
    length: usize,
) -> Result<Option<&'a str>, CallFailure> {
    if data.is_null() && length == 0 {
        return Ok(None);
    }
    // SAFETY: the caller upholds this function's contract.
    unsafe { text(name, data, length) }.map(Some)
}

/// Returns `value`, which must not be NULL.
pub(crate) fn given<T>(name: &'static str, value: Option<T>) -> Result<T, CallFailure> {
    value.ok_or(CallFailure::Argument { name, problem: "is NULL" })
}

/// Returns the value that `handle` points to.
///
/// # Safety
/// `handle` is NULL or a live handle of that type.
pub(crate) unsafe fn handle<'a, T: Handle>(
    name: &'static str,
    handle: *const T,
) -> Result<&'a T, CallFailure> {
    // SAFETY: the caller upholds this function's contract.
    given(name, unsafe { handle.as_ref() })
}

/// Returns the value that `handle` points to, mutably.
///
/// # Safety
/// `handle` is NULL or a live handle of that type that nothing else is using.
pub(crate) unsafe fn handle_mut<'a, T: Handle>(
    name: &'static str,
    handle: *mut T,
) -> Result<&'a mut T, CallFailure> {
    // SAFETY: the caller upholds this function's contract.
    given(name, unsafe { handle.as_mut() })
}

/// Copies the table of functions at `table`, which begins with its size. A
/// caller compiled with another version of the header may have fewer members,
/// in which case the rest come from `empty`, or more, which are ignored.
///
/// # Safety
/// `table` is NULL or points to a table as large as its first member says. `T`
/// is `repr(C)`, begins with a `usize`, and any pointers are valid in it.
pub(crate) unsafe fn table<T: Copy>(
    name: &'static str,
    table: *const T,
    empty: T,
) -> Result<T, CallFailure> {
    if table.is_null() {
        return Err(CallFailure::Argument { name, problem: "is NULL" });
    }
    // SAFETY: not NULL; otherwise as this function's contract says.
    let size = unsafe { table.cast::<usize>().read() };
    if size < size_of::<usize>() || !size.is_multiple_of(size_of::<usize>()) {
        let problem = "has a size that is not the size of a callback table";
        return Err(CallFailure::Argument { name, problem });
    }
    let mut copy = empty;
    // SAFETY: both are at least as large as the copied part.
    unsafe {
        let known = size.min(size_of::<T>());
        std::ptr::copy_nonoverlapping(table.cast::<u8>(), (&raw mut copy).cast(), known);
    }
    Ok(copy)
}

/// States the owner of values of a type.
pub(crate) trait Handle {
    /// [`Caller`] or [`Library`].
    type Owner;
}

/// Owned by the caller: made by [`give`], freed by
/// `boundary::take_back`.
pub(crate) enum Caller {}

/// Owned by the library, and valid while a callback runs.
pub(crate) enum Library {}

/// The caller's place for a result. A raw pointer, not a reference, because a
/// caller may pass the same place twice.
pub(crate) struct OutParam<T>(*mut T);

impl<T> OutParam<T> {
    pub(crate) fn fill(self, value: T) {
        // SAFETY: `place` demands a place for a `T`.
        unsafe { self.0.write(value) }
    }
}

impl<T: Handle<Owner = Caller>> OutParam<*mut T> {
    /// Passes a value to the caller, who frees it.
    pub(crate) fn give(self, value: T) {
        self.fill(give(value));
    }
}

/// Returns the place at `out`, after setting it to `empty`, so that a failure
/// leaves nothing that could be freed or read.
///
/// # Safety
/// `out` is NULL or points to a place for a `T`, initialized or not.
pub(crate) unsafe fn place<T>(
    name: &'static str,
    out: *mut T,
    empty: T,
) -> Result<OutParam<T>, CallFailure> {
    if out.is_null() {
        return Err(CallFailure::Argument { name, problem: "is NULL" });
    }
    // SAFETY: not NULL; otherwise as this function's contract says.
    unsafe { out.write(empty) };
    Ok(OutParam(out))
}

/// Like [`place`], for a handle.
///
/// # Safety
/// Same as [`place`].
pub(crate) unsafe fn out_handle<T: Handle<Owner = Caller>>(
    name: &'static str,
    out: *mut *mut T,
) -> Result<OutParam<*mut T>, CallFailure> {
    // SAFETY: the caller upholds this function's contract.
    unsafe { place(name, out, std::ptr::null_mut()) }
}

/// Writes an optional result to a place that may be NULL.
///
/// # Safety
/// Same as [`place`].
pub(crate) unsafe fn offer<T>(out: *mut T, value: T) {
    if !out.is_null() {
        // SAFETY: not NULL; otherwise as this function's contract says.
        unsafe { out.write(value) };
    }
}

/// Passes a value to the caller, who frees it.
pub(crate) fn give<T: Handle<Owner = Caller>>(value: T) -> *mut T {
    Box::into_raw(Box::new(value))
}
