//! A progress spinner.

use std::time::Duration;

use indicatif::ProgressBar;

/// Shows a spinner on a terminal (standard error) while `work` runs.
pub(crate) fn while_working<T>(message: &str, work: impl FnOnce() -> T) -> T {
    let sign = ProgressBar::new_spinner();
    sign.set_message(message.to_owned());
    sign.enable_steady_tick(Duration::from_millis(100));
    let result = work();
    sign.finish_and_clear();
    result
}
