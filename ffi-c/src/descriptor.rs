//! The descriptor in reserve.

use payments_base::spare_descriptor;

use crate::boundary;

/// Keeps a descriptor in reserve, or gives it up: for a host that must open a
/// file to report the outcome of a call, as PHP does to load a class, when no
/// other descriptor is left. The process has one; forked children have a copy.
///
/// keep is 1 to take one, unless one is kept, and 0 to close it. Returns 1 if one
/// is kept now, otherwise 0.
#[unsafe(no_mangle)]
pub extern "C" fn payments_spare_descriptor(keep: i32) -> i32 {
    boundary::value(0, || {
        if keep == 0 {
            spare_descriptor::give_up();
        }
        i32::from(keep != 0 && spare_descriptor::keep())
    })
}
