//! `payments check`: finds values of a configuration that cannot work, or
//! probably do not.

mod clock;
mod files;
mod given;
mod members;
mod online;
mod secrets;
mod stored;
mod variables;

use std::process::ExitCode;
use std::sync::Arc;

use payments_core::json::{Json, Members};
use payments_host::commands::push_hanging;

use crate::args::Global;
use crate::args::tool::CheckArgs;
use crate::output::{self, Style};
use crate::process::failure::{EXIT_FAILED, Failure};
use crate::process::in_own_words;
use crate::settings;

use given::ConfiguredMembers;

/// Checks the configuration. `--online` also tries it with requests that do
/// not move money.
///
/// # Errors
/// Standard output cannot be written.
pub(crate) fn run(global: &Global, args: &CheckArgs) -> Result<ExitCode, Failure> {
    let sources = settings::sources(global);
    let mut report = Report::default();
    let mut recorder = None;
    let bypass = Arc::new(stored::Bypass::default());
    let client = settings::client_of(&sources, global, |config| {
        recorder = args.online.then(|| online::Recorder::of(&config)).flatten();
        match &recorder {
            Some(recorder) => config.transport(recorder.clone()),
            None => config,
        }
        .observer(bypass.clone())
    });
    members::check_sources(&mut report, &sources, client.as_ref().err());
    // Without the file, members that it may have would count as missing.
    if let Some(given) = ConfiguredMembers::read(&sources) {
        variables::check(&mut report, &sources);
        members::check(&mut report, &given, client.as_ref().ok());
        files::check(&mut report, &sources, &given);
        secrets::check(&mut report, &given);
        #[cfg(unix)]
        stored::check_disk(&mut report, &given);
        #[cfg(unix)]
        if let Ok(client) = &client {
            stored::check_journal(&mut report, &given, client);
        }
        if args.online {
            match (&client, &recorder) {
                (Ok(client), Some(recorder)) => {
                    online::check(&mut report, &given, client, recorder, &bypass)?;
                }
                _ => report.skip("online", "correct the configuration first"),
            }
        } else {
            if let Ok(client) = &client {
                stored::check_token_store(&mut report, &given, client, &bypass, false);
            }
            if given.text("proxy").is_some() {
                report.skip("proxy", "--online tries it");
            }
            report.skip(
                "online",
                "--online obtains a token and queries a payment that does not exist",
            );
        }
    }
    let text = if global.json { output::json_text(&report.to_json()) } else { report.to_text() };
    output::write_list(&text)?;
    Ok(if report.count(Level::Error) > 0 { ExitCode::from(EXIT_FAILED) } else { ExitCode::SUCCESS })
}

/// How severe a result is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Level {
    Ok,
    /// It is right, and good to know.
    Note,
    /// It was not checked.
    Skipped,
    Warning,
    Error,
}

impl Level {
    const fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Note => "note",
            Self::Skipped => "skipped",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// One result of a check.
struct CheckResult {
    level: Level,
    /// The member, variable or step.
    about: String,
    message: String,
    /// The remedy; `None` if nothing is wrong.
    advice: Option<String>,
}

/// The results, in the order they are printed.
#[derive(Default)]
struct Report {
    results: Vec<CheckResult>,
}

impl Report {
    /// Adds a note that `about` is right, unless there is an error about it.
    fn ok(&mut self, about: &str, message: impl Into<String>) {
        let is_about = |it: &CheckResult| it.about == about && it.level == Level::Error;
        if !self.results.iter().any(is_about) {
            self.push(Level::Ok, about, message.into(), None);
        }
    }

    /// Adds a check that was skipped, and why, or how to run it.
    fn skip(&mut self, about: &str, message: impl Into<String>) {
        self.push(Level::Skipped, about, message.into(), None);
    }

    fn note(&mut self, about: &str, message: impl Into<String>) {
        self.push(Level::Note, about, message.into(), None);
    }

    fn warn(&mut self, about: &str, message: impl Into<String>, advice: impl Into<String>) {
        self.push(Level::Warning, about, message.into(), Some(advice.into()));
    }

    fn error(&mut self, about: &str, message: impl Into<String>, advice: impl Into<String>) {
        self.push(Level::Error, about, message.into(), Some(advice.into()));
    }

    /// Adds an error whose message already has the remedy.
    fn failed(&mut self, about: &str, message: &str) {
        self.push(Level::Error, about, in_own_words(message), None);
    }

    fn push(&mut self, level: Level, about: &str, message: String, advice: Option<String>) {
        self.results.push(CheckResult { level, about: about.to_owned(), message, advice });
    }

    /// Whether there is a result about `about`.
    fn has(&self, about: &str) -> bool {
        self.results.iter().any(|result| result.about == about)
    }

    fn count(&self, level: Level) -> usize {
        self.results.iter().filter(|result| result.level == level).count()
    }

    fn to_json(&self) -> Json {
        let results = self.results.iter().map(|result| {
            Json::Object(Members::from([
                ("level", Json::from(result.level.name())),
                ("about", Json::from(result.about.as_str())),
                ("message", Json::from(result.message.as_str())),
                ("advice", Json::from(result.advice.as_deref())),
            ]))
        });
        let count = |level| Json::from(self.count(level) as u64);
        Json::Object(Members::from([
            ("errors", count(Level::Error)),
            ("warnings", count(Level::Warning)),
            ("findings", Json::Array(results.collect())),
        ]))
    }

    /// One line per result; long messages continue on indented lines.
    fn to_text(&self) -> String {
        const LEVEL: usize = 9;
        let style = Style::of_stdout();
        let about = self.results.iter().map(|it| it.about.chars().count()).max().unwrap_or(0) + 2;
        let start = LEVEL + about.min(24);
        let mut text = String::new();
        for CheckResult { level, about, message, advice } in &self.results {
            let message = advice.iter().fold(message.clone(), |text, it| format!("{text}; {it}"));
            let level = format!("{:<LEVEL$}", level.name());
            let level =
                if level.starts_with("ok") { style.green(&level) } else { style.bold(&level) };
            let width = start - LEVEL;
            let first = if about.chars().count() + 2 > width {
                text.push_str(&format!("{level}{about}\n"));
                " ".repeat(start)
            } else {
                format!("{level}{about:<width$}")
            };
            push_hanging(&mut text, &first, start, &message);
        }
        let (errors, warnings) = (self.count(Level::Error), self.count(Level::Warning));
        text.push_str(&format!("errors: {errors}, warnings: {warnings}\n"));
        text
    }
}
