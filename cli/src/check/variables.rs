//! Checks of environment variables that start with `PAYMENTS_`.

use payments_core::bridge::nearest;
use payments_core::config::FIELDS;

use super::Report;
use crate::settings::{Sources, variable_of};

const PREFIX: &str = "PAYMENTS_";
const LOG: &str = "PAYMENTS_LOG";

pub(super) fn check(report: &mut Report, sources: &Sources) {
    let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    let mut names: Vec<_> = names.filter(|name| name.starts_with(PREFIX)).collect();
    names.sort();
    if let Some(note) = sources.note() {
        report.push(super::Level::Warning, "--config", note, None);
    }
    for name in names {
        let is_member = FIELDS.iter().any(|field| variable_of(field.name) == name);
        // The library already reported the ones it rejects.
        if is_member || report.has(&name) {
            continue;
        }
        if name == LOG {
            check_log(report);
            continue;
        }
        let member = name[PREFIX.len()..].to_ascii_lowercase();
        match nearest(&member, FIELDS.iter().map(|field| field.name)) {
            Some(known) => report.warn(
                &name,
                "unknown variable",
                format!("did you mean {}? if not, unset it", variable_of(known)),
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
