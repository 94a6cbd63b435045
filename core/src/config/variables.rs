//! The names of environment variables.

use std::ffi::OsString;

use payments_base::spelling::{has_letters_of, has_slip_within, is_slip_of};

use super::generated::FIELDS;
use super::value::Field;
use crate::model::error::{Error, messages};

const PREFIX: &str = "PAYMENTS_";

/// The variable of a member.
pub(super) fn variable_of(field: &Field) -> String {
    format!("{PREFIX}{}", field.name.to_ascii_uppercase())
}

/// Refuses variables that are probably a mistyped member. Other variables with
/// the prefix are ignored: orchestrators set `PAYMENTS_SERVICE_HOST` and the
/// like.
///
/// # Errors
/// `config`, which names the variable and the one probably meant.
pub(super) fn refuse_mistyped(names: impl Iterator<Item = OsString>) -> Result<(), Error> {
    for name in names.filter_map(|name| name.into_string().ok()) {
        let Some(member) = name.strip_prefix(PREFIX) else {
            continue;
        };
        let is_meant = |field: &&Field| {
            has_letters_of(member, field.name)
                || has_slip_within(member, field.name)
                || is_slip_of(member, field.name, 1)
                || is_slip_of(member, field.name, 2)
        };
        if FIELDS.iter().any(|field| variable_of(field) == name) {
            continue;
        }
        if let Some(field) = FIELDS.iter().find(is_meant) {
            return Err(messages::variable_unknown(&name, variable_of(field)));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_variables_that_resemble_a_member_are_refused() {
        let refused = |name: &str| {
            let refused = refuse_mistyped(std::iter::once(name.into())).err();
            refused.map(|error| error.message().to_owned())
        };
        for name in [
            "PAYMENTS_BASE_URL",
            "PAYMENTS_SERVICE_HOST",
            "PAYMENTS_SERVICE_PORT_HTTPS",
            "PAYMENTS_PORT_443_TCP_PROTO",
            "PAYMENTS_PROXY_PORT",
            "PAYMENTS_API_KEY",
            "PAYMENTS_TEST_KEYS",
            "PAYMENTS_KEYS",
            "PAYMENTS_ID",
            "PAYMENTS_PID",
            "PAYMENTS_PORT",
            "PAYMENTS_",
            "BASEURL",
        ] {
            assert_eq!(refused(name), None, "{name}");
        }
        for (name, meant) in [
            ("PAYMENTS_BASEURL", "PAYMENTS_BASE_URL"),
            ("PAYMENTS_base_url", "PAYMENTS_BASE_URL"),
            ("PAYMENTS_INTEGRATION_KEYS", "PAYMENTS_INTEGRATION_KEY"),
            ("PAYMENTS_TIMEOUT", "PAYMENTS_TIMEOUT_MS"),
            ("PAYMENTS_KIDD", "PAYMENTS_KID"),
            ("PAYMENTS_KYE", "PAYMENTS_KEY"),
            ("PAYMENTS_ENVIROMENT", "PAYMENTS_ENVIRONMENT"),
        ] {
            assert!(refused(name).unwrap().contains(&format!("did you mean {meant}?")), "{name}");
        }
    }
}
