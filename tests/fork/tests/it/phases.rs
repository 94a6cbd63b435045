//! The cells of `phases.txt` in which a callback of the call forks, or a wait that
//! asks whether the call continues.

use std::cell::RefCell;
use std::io::{PipeReader, PipeWriter, Read as _, Write as _};

use payments_fork_tests::{ChildEnd, fork_here, leave};

use crate::child::is_alone;
use crate::forking::LIMIT;
use crate::support::phases::{End, Forks, compare, run_all};

thread_local! {
    /// The output of the child, and its pipe.
    static PIPE: RefCell<Option<(PipeReader, PipeWriter)>> = const { RefCell::new(None) };
}

fn split() -> bool {
    PIPE.set(Some(std::io::pipe().unwrap()));
    match fork_here(LIMIT) {
        Some(child) => {
            assert_eq!(child.wait(), ChildEnd::Exited(0));
            false
        }
        None => true,
    }
}

fn leave_with(report: &str) -> ! {
    let (_, mut pipe) = PIPE.take().unwrap();
    // It fits into a pipe, which is read only at the end.
    leave(|| pipe.write_all(report.as_bytes()).is_ok())
}

fn report() -> String {
    let (mut pipe, writer) = PIPE.take().unwrap();
    drop(writer);
    let mut report = String::new();
    pipe.read_to_string(&mut report).unwrap();
    report
}

#[test]
fn a_call_that_forks_ends_as_the_table_says_in_each_phase() {
    if !is_alone(a_call_that_forks_ends_as_the_table_says_in_each_phase, &[]) {
        return;
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../core/tests/it/calls/phases.txt");
    let own = run_all(&[End::Fork], 1, Some(Forks { split, leave: leave_with, report }));
    compare(path, &own);
}
