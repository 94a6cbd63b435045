//! Checks of environment variables that start with `PAYMENTS_`.

use super::Report;
use crate::settings::{LOG, Sources, unknown_variables};

pub(super) fn check(report: &mut Report, sources: &Sources) {
    if let Some(note) = sources.note() {
        report.push(super::Level::Warning, "--config", note, None);
    }
    if std::env::var_os(LOG).is_some() {
        check_log(report);
    }
    // The library already reported the ones it rejects.
    let unknown = unknown_variables().into_iter().filter(|(name, _)| !report.has(name));
    for (name, meant) in unknown.collect::<Vec<_>>() {
        match meant {
            Some(known) => report.warn(
                &name,
                "unknown variable",
                format!("did you mean {known}? if not, unset it"),
            ),
            None => report.skip(&name, "unknown variable"),
        }
    }
}

fn check_log(report: &mut Report) {
    let level = std::env::var_os(LOG).unwrap_or_default();
    if level.eq_ignore_ascii_case("debug") {
        report.ok(LOG, "events are logged to standard error");
    } else if !level.is_empty() {
        report.warn(LOG, "is not a log level; nothing is logged", "set it to debug, or unset it");
    }
}
