//! Events as lines on standard error: `PAYMENTS_LOG=debug`.

use crate::model::json::Json;
use crate::model::observer::{Event, Level, Observer};

/// The variable that turns the log on in every language, when it is a level.
const VARIABLE: &str = "PAYMENTS_LOG";

/// From this on, a duration is shown in seconds.
const LONG_US: u64 = 10_000_000;

/// Writes a line for each event of this level or a higher one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct StderrLog(pub(crate) Level);

impl StderrLog {
    /// The log that the environment asks for.
    pub(crate) fn of_environment() -> Option<Self> {
        Level::of_name(std::env::var(VARIABLE).ok()?.as_str()).map(Self)
    }
}

impl Observer for StderrLog {
    fn on_event(&self, event: &Event<'_>) {
        if event.level() >= self.0 {
            write(line(event).as_bytes());
        }
    }
}

fn line(event: &Event<'_>) -> String {
    format!("payments[{}] {}\n", std::process::id(), event_text(event))
}

/// The event's name, and its members as `name=value`, without those that are null.
pub fn event_text(event: &Event<'_>) -> String {
    let mut text = event.name().to_owned();
    if let Json::Object(members) = event.to_json() {
        let shown = members.iter().filter(|(name, value)| *name != "event" && !value.is_null());
        shown.for_each(|(name, value)| push_member(&mut text, name, value));
    }
    text
}

fn push_member(line: &mut String, name: &str, value: &Json) {
    let duration = name.strip_suffix("_us").zip(value.as_i64());
    let (name, text) = match (duration, value.as_str()) {
        (Some((name, us)), _) => (name, duration_text(us.unsigned_abs())),
        (None, Some(word)) if is_word(word) => (name, word.to_owned()),
        (None, _) => (name, value.to_text()),
    };
    line.push_str(&format!(" {name}={text}"));
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'"')
}

fn duration_text(us: u64) -> String {
    match us {
        LONG_US.. => format!("{}s", us / 1_000_000),
        _ => format!("{}.{:03}ms", us / 1000, us % 1000),
    }
}

/// One write for each line, so that lines of several processes do not mix,
/// and no lock, which a fork might leave locked.
#[cfg(unix)]
fn write(line: &[u8]) {
    let _ = rustix::io::write(std::io::stderr(), line);
}

#[cfg(not(unix))]
fn write(line: &[u8]) {
    let _ = std::io::Write::write_all(&mut std::io::stderr(), line);
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::model::error::{ErrorKind, Outcome};
    use crate::model::observer::{EventKind, Failure, Subject};
    use crate::model::operation::Operation;

    /// The line of an event after the number of its call.
    fn line(event: &EventKind<'_>) -> String {
        let subject = Subject::next(None);
        let line = super::line(&Event::new(&subject, event));
        let (start, rest) = line.split_once(" call=").unwrap();
        let (_, name) = start.split_once("] ").unwrap();
        format!("{name}{}", rest.trim_start_matches(|it: char| it.is_ascii_digit()))
    }

    #[test]
    fn members_follow_the_name() {
        let operation = Operation::CreatePayment;
        let started = EventKind::RequestStarted {
            operation,
            method: "POST",
            path: "/ws/direct",
            host: "api.example:8443",
        };
        assert_eq!(
            line(&started),
            "request_started operation=create_payment method=POST path=/ws/direct \
             host=api.example:8443\n"
        );
        let fetched = EventKind::TokenFetched {
            duration: Duration::from_micros(1_002_003),
            lifetime: Duration::from_secs(3599),
        };
        assert_eq!(line(&fetched), "token_fetched duration=1002.003ms lifetime=3599s\n");
        let ended = EventKind::RequestEnded {
            operation,
            http_status: None,
            failure: Some(Failure {
                kind: ErrorKind::Connect,
                code: "unreachable",
                outcome: Outcome::NotExecuted,
            }),
            attempts: 3,
            duration: Duration::from_millis(7),
            signing: Duration::ZERO,
        };
        assert_eq!(
            line(&ended),
            "request_ended operation=create_payment kind=connect code=unreachable \
             outcome=not_executed attempts=3 duration=7.000ms signing=0.000ms\n"
        );
    }

    #[test]
    fn a_line_says_which_call_and_which_payment() {
        let subject = Subject::next(Some("order\n\u{1b}[2J\u{202e}1".to_owned()));
        subject.note_hash("5a1c");
        let line = super::line(&Event::new(&subject, &EventKind::TokenInvalidated));
        let (_, line) = line.split_once("] token_invalidated call=").unwrap();
        let (_, line) = line.split_once(' ').unwrap();
        assert_eq!(line, "reference=order\\n\\u{1b}[2J\\u{202e}1 hash=5a1c\n");
    }

    #[test]
    fn a_level_includes_those_above_it() {
        let names = ["debug", "INFO", "warn", "Warning", "all", ""];
        let levels = [Some(Level::Debug), Some(Level::Info), Some(Level::Warning)];
        let [debug, info, warning] = levels;
        assert_eq!(names.map(Level::of_name), [debug, info, warning, warning, None, None]);
        assert!(debug < info && info < warning);
    }

    #[test]
    fn foreign_text_stays_on_its_line() {
        let event =
            EventKind::StoreBypassed { action: "load", reason: "it is\n\"down\"\u{1b}[0m".into() };
        let line = line(&event);
        assert!(
            line.starts_with(r#"store_bypassed action=load reason="it is\n\"down\""#),
            "{line}"
        );
        assert_eq!(line.matches(char::is_control).count(), 1, "{line}");
    }
}
