//! The threads on which calls of `AsyncClient` run.

use std::sync::LazyLock;

use payments_host::CallThreads;

/// Callbacks are Python code and need a large stack. Untouched pages cost nothing.
const STACK_BYTES: usize = 1024 * 1024;

pub(crate) static THREADS: LazyLock<CallThreads> =
    LazyLock::new(|| CallThreads::new("libpayments", STACK_BYTES));

/// Initializes state that must not be initialized while another thread forks.
pub(crate) fn initialize() {
    LazyLock::force(&THREADS);
}
