//! Each phase of a call ends in each way as `phases.txt` says. `tests/fork` has
//! the cells of forks.

use crate::support::child::is_alone;
use crate::support::phases::{End, compare, run_all};

/// Most of the time, a call waits for its deadline.
const THREADS: usize = 16;

#[test]
fn a_call_ends_as_the_table_says_in_each_phase_and_in_each_way() {
    if !is_alone(a_call_ends_as_the_table_says_in_each_phase_and_in_each_way, &[]) {
        return;
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/calls/phases.txt");
    let ends = [End::Error, End::Panic, End::Cancel, End::Deadline];
    let own = run_all(&ends, THREADS, None);
    compare(path, &own);
}
