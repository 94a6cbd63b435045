//! Checks of environment variables that start with `PAYMENTS_`.

use payments_core::observer::Level;

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
    let level = std::env::var(LOG).unwrap_or_default();
    if Level::of_name(&level).is_some() {
        report.ok(LOG, "events are logged to standard error");
    } else if !level.is_empty() {
        let advice = "set it to debug, info or warning, or unset it";
        report.warn(LOG, "is not a log level; nothing is logged", advice);
    }
}
