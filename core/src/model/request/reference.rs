//! Checks that a response is about the requested payment or payout.

use crate::model::error::{Error, ErrorKind, Outcome};
use crate::model::json::Json;
use crate::model::json::path::Path;
use crate::model::rules::{Rules, same_text};

/// The identifiers in a request, and the response object that repeats them.
pub(super) struct Asked<'r> {
    /// `payment` or `payout`.
    pub(super) object: &'static str,
    /// Members, and their values in the request. The first one present in the
    /// response decides: a payment queried by its hash may have any reference.
    pub(super) names: [(&'static str, Option<&'r str>); 2],
}

impl<'r> Asked<'r> {
    /// For a payment, identified by hash and merchant reference.
    pub(super) fn payment(hash: Option<&'r str>, reference: Option<&'r str>) -> Self {
        Self { object: "payment", names: [("hash", hash), ("merchant_payment_code", reference)] }
    }

    /// For a payout.
    pub(super) fn payout(reference: Option<&'r str>) -> Self {
        Self { object: "payout", names: [("external_reference", reference), ("", None)] }
    }

    /// For a request without identifiers.
    pub(super) fn nothing() -> Self {
        Self { object: "", names: [("", None); 2] }
    }

    /// Checks that the response names nothing else, at the top level or in its
    /// object.
    pub(super) fn check(&self, response: &Json, rules: &Rules) -> Result<(), Error> {
        if !rules.check_references {
            return Ok(());
        }
        let object = Path::Root.member(self.object);
        for (name, asked) in &self.names {
            let Some(asked) = asked else { continue };
            let mut is_named = false;
            for (holder, path) in
                [(response.get(self.object), object), (Some(response), Path::Root)]
            {
                let found = holder.and_then(|holder| holder.get(name));
                let Some(found) = found.and_then(Json::as_text_or_number) else { continue };
                if !same_text(found, asked) {
                    return Err(of_another(&path.member(name)));
                }
                is_named = true;
            }
            if is_named {
                return Ok(());
            }
        }
        Ok(())
    }
}

/// A response about something else leaves the outcome of this request open.
fn of_another(path: &Path<'_>) -> Error {
    let message = "the response names a different value than the request, so it may belong to \
                   another operation; if the service reformats references, set check_references \
                   to false";
    Error::new(ErrorKind::Protocol, Outcome::Unknown, "other_reference", message)
        .with_path(path.to_string())
}
