//! Progress on a terminal: a spinner and a bar.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressFinish, ProgressStyle};

/// Shows a spinner on a terminal (standard error) while `work` runs.
pub(crate) fn while_working<T>(message: &str, work: impl FnOnce() -> T) -> T {
    let sign = ProgressBar::new_spinner();
    sign.set_message(message.to_owned());
    sign.enable_steady_tick(Duration::from_millis(100));
    let result = work();
    sign.finish_and_clear();
    result
}

/// A bar on a terminal, which vanishes at the end.
pub(crate) fn bar(steps: usize) -> ProgressBar {
    // Shows nothing if standard error is not a terminal.
    let bar = ProgressBar::new(steps as u64).with_finish(ProgressFinish::AndClear);
    let style = ProgressStyle::with_template("{bar:24} {pos}/{len}  {msg}  {eta} left");
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
