//! The demo's narration, at most 80 columns wide.

use std::fmt;
use std::time::{Duration, Instant};

use payments_host::commands::{WIDTH, wrapped};

use crate::output::{self, Style};

const INDENT: usize = 4;
const LABEL: usize = 18;

/// Prints the steps.
pub(super) struct Narrator {
    style: Style,
    started: Instant,
    /// The number of the step, and its beginning.
    step: (u32, Instant),
}

impl Narrator {
    pub(super) fn new() -> Self {
        let now = Instant::now();
        Self { style: Style::of_stdout(), started: now, step: (0, now) }
    }

    pub(super) fn style(&self) -> Style {
        self.style
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    pub(super) fn headline(&self, title: &str, text: &str) {
        print(&self.style.bold(title));
        for line in wrapped(text, WIDTH) {
            print(&line);
        }
    }

    /// Starts a step.
    pub(super) fn begin(&mut self, title: &str) {
        let number = self.step.0 + 1;
        print("");
        print(&self.style.bold(&format!("{number:>2}  {title}")));
        self.step = (number, Instant::now());
    }

    /// Prints a wrapped paragraph.
    pub(super) fn say(&self, text: &str) {
        for line in wrapped(text, WIDTH - INDENT) {
            self.show(&line);
        }
    }

    /// Prints a line unchanged; it must fit the width.
    pub(super) fn show(&self, line: &str) {
        print(&format!("{:INDENT$}{line}", ""));
    }

    /// Prints a labeled value.
    pub(super) fn tell(&self, label: &str, value: &str) {
        for (index, line) in wrapped(value, WIDTH - INDENT - LABEL).iter().enumerate() {
            let label = format!("{:<LABEL$}", if index == 0 { label } else { "" });
            self.show(&format!("{}{line}", self.style.dim(&label)));
        }
    }

    /// Ends a step that succeeded.
    pub(super) fn done(&self, result: impl fmt::Display) {
        let (_, begun) = self.step;
        self.show(&format!("{}  {result} ({})", self.style.green("ok"), in_words(begun.elapsed())));
    }
}

/// Prints a line to standard output. A closed reader is not an error.
pub(super) fn print(line: &str) {
    let _ = output::write(format!("{line}\n").as_bytes());
}

/// Formats a duration for people.
pub(super) fn in_words(duration: Duration) -> String {
    let milliseconds = duration.as_secs_f64() * 1000.0;
    if milliseconds < 1000.0 {
        format!("{milliseconds:.1} ms")
    } else {
        format!("{:.1} s", milliseconds / 1000.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_well() {
        assert_eq!(in_words(Duration::from_micros(1250)), "1.2 ms");
        assert_eq!(in_words(Duration::from_millis(2500)), "2.5 s");
    }
}
