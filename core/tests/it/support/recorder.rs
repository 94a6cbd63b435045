//! Records every log line of the process, at every level.

use std::sync::{Mutex, Once};

use log::{Level, LevelFilter, Log, Metadata, Record};

static LINES: Mutex<Vec<(Level, String, String)>> = Mutex::new(Vec::new());

struct Recorder;

impl Log for Recorder {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &Record<'_>) {
        let line = (record.level(), record.target().to_owned(), record.args().to_string());
        LINES.lock().unwrap().push(line);
    }

    fn flush(&self) {}
}

/// Starts recording.
pub fn start() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        log::set_logger(&Recorder).unwrap();
        log::set_max_level(LevelFilter::Trace);
    });
}

/// Every line, followed by the decoded bytes of ureq-proto's hex dumps, joined
/// because a string may span several lines of a dump.
pub fn all() -> String {
    let lines = LINES.lock().unwrap();
    let mut text = String::new();
    let mut dumped = String::new();
    for (level, target, line) in lines.iter() {
        text.push_str(&format!("{level} {target} {line}\n"));
        if target.starts_with("ureq_proto") && *level == Level::Trace {
            dumped.extend(line.chars().skip(line.chars().count().saturating_sub(16)));
        }
    }
    text + "\n" + &dumped
}
