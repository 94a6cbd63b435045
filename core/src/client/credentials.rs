//! The credentials of a client: those that it and its calls must have, and those
//! with which the service accepted calls.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use payments_transport::context::CallContext;

use super::auth::{Chosen, Covered, Signing};
use crate::config::{AuthOverride, Resolved, SignedQuery};
use crate::model::error::{Error, ErrorCode};
use crate::model::operation::Operation;
use crate::model::rules::Rules;

/// Refuses a client that can do nothing: it has no credential, `auth` names no
/// operation that needs none, and there is no journal to read or settle.
pub(super) fn check_client(settings: &Resolved, has_signer: bool) -> Result<(), Error> {
    let is_useful = has_credential(settings, has_signer)
        || settings.options.auth.values().any(AuthOverride::needs_none)
        || settings.has_journal();
    if is_useful { Ok(()) } else { Err(no_credential()) }
}

/// Refuses a call of an operation that is off.
pub(super) fn check_switch(rules: &Rules, operation: Operation) -> Result<(), Error> {
    let Some(switch) = rules.missing_switch(operation) else { return Ok(()) };
    let message = format!(
        "is off, and without it there is no `{operation}()`; turn it on if the service has {} {}",
        operation.method(),
        operation.path()
    );
    Err(Error::config(switch, ErrorCode::REQUIRED, message))
}

/// Refuses a call without any credential, unless `auth` says that its operation
/// needs none.
pub(super) fn check_call(
    settings: &Resolved,
    has_signer: bool,
    operation: Operation,
) -> Result<(), Error> {
    let needs_none = settings.options.auth.get(&operation).is_some_and(AuthOverride::needs_none);
    if has_credential(settings, has_signer) || needs_none { Ok(()) } else { Err(no_credential()) }
}

/// Refuses an override that needs a missing credential.
pub(super) fn check_overrides(settings: &Resolved, has_signer: bool) -> Result<(), Error> {
    for (operation, wanted) in &settings.options.auth {
        let missing = |credential: &str, what: &str| {
            Err(Error::config(
                &format!("auth.{operation}.{credential}"),
                ErrorCode::CREDENTIAL_MISSING,
                format!("is true, but {what}"),
            ))
        };
        if wanted.integration_key == Some(true) {
            if *operation == Operation::Send {
                return missing(
                    "integration_key",
                    "send never adds an integration key to the body; remove this entry",
                );
            }
            if settings.integration_key.is_none() {
                return missing(
                    "integration_key",
                    "no integration_key is set; set it or remove this entry",
                );
            }
        }
        if wanted.signature == Some(true) && !has_signer {
            return missing(
                "signature",
                "neither a key nor an external signer is set; set one or remove this entry",
            );
        }
        if wanted.signature == Some(true)
            && settings.options.signed_query == SignedQuery::None
            && settings.rules.method_of(*operation) == "GET"
        {
            let message = "is true, but signed_query is none, and this operation has no body to \
                           sign; remove one of them";
            let path = format!("auth.{operation}.signature");
            return Err(Error::config(&path, ErrorCode::CONFLICTING_MEMBERS, message));
        }
        if wanted.bearer == Some(true) && settings.credentials.is_none() {
            return missing("bearer", "no client_id is set; set it or remove this entry");
        }
    }
    Ok(())
}

fn has_credential(settings: &Resolved, has_signer: bool) -> bool {
    has_signer || settings.integration_key.is_some() || settings.credentials.is_some()
}

fn no_credential() -> Error {
    let message = "no credential is set, so the service would refuse the calls; set key_file (or \
                   key, an HSM or a signer) and kid, or client_id with client_secret and auth_url, \
                   or integration_key";
    Error::config("key_file", ErrorCode::CREDENTIAL_MISSING, message)
}

/// The configured signer, if any. Validation allows at most one.
pub(super) fn signing_of(settings: &Resolved) -> Result<Option<Signing>, Error> {
    if let Some((key, kid)) = &settings.key {
        let threads = settings.options.signing_threads.and_then(NonZeroUsize::new);
        return Ok(Some(Signing::local(Arc::new(key.signer(kid)?), threads)));
    }
    let signer = match (&settings.pkcs11, &settings.components.signer) {
        (Some((key, kid)), _) => {
            let context = CallContext::with_timeout(settings.options.timeout);
            let public_key = settings.public_key.as_ref();
            key.signer(kid, public_key, &context)?
        }
        (None, Some(signer)) => Arc::clone(signer),
        (None, None) => return Ok(None),
    };
    let allow_small_keys = settings.options.allow_small_keys;
    Signing::external(signer, settings.public_key.clone(), allow_small_keys).map(Some)
}

/// The credentials with which, and without which, the service has accepted
/// calls of one client. A call is accepted if its response is a 2xx, and no web
/// page.
#[derive(Default)]
pub(super) struct History(AtomicU64);

/// A credential that calls may do without.
#[derive(Clone, Copy)]
pub(super) enum Optional {
    Signature,
    Bearer,
}

impl History {
    pub(super) fn note_accepted(&self, operation: Operation, sent: Chosen) {
        let mut seen = ANY
            | match sent.signature {
                None => 0,
                Some(Covered::Body) => KID,
                Some(Covered::Nothing | Covered::Query) => KID | BODILESS,
            };
        // Each path of `send` may need other credentials.
        if operation != Operation::Send {
            for (is_sent, credential) in
                [(sent.signature.is_some(), Optional::Signature), (sent.bearer, Optional::Bearer)]
            {
                seen |= if is_sent { 0 } else { without(operation, credential) };
            }
        }
        self.0.fetch_or(seen, Ordering::Relaxed);
    }

    pub(super) fn has_accepted_any(&self) -> bool {
        self.has(ANY)
    }

    pub(super) fn has_accepted_kid(&self) -> bool {
        self.has(KID)
    }

    /// Whether a signed request without a body was accepted.
    pub(super) fn has_accepted_bodiless(&self) -> bool {
        self.has(BODILESS)
    }

    /// Whether the operation was accepted without the credential.
    pub(super) fn has_accepted_without(&self, operation: Operation, credential: Optional) -> bool {
        self.has(without(operation, credential))
    }

    fn has(&self, bit: u64) -> bool {
        self.0.load(Ordering::Relaxed) & bit != 0
    }
}

const KID: u64 = 1;
const ANY: u64 = 1 << 63;
/// Signed requests without a body.
const BODILESS: u64 = 1 << 62;

fn without(operation: Operation, credential: Optional) -> u64 {
    KID << (1 + 2 * operation as u64 + credential as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signed_query_is_remembered() {
        for (signature, is_query) in [
            (None, false),
            (Some(Covered::Body), false),
            (Some(Covered::Nothing), true),
            (Some(Covered::Query), true),
        ] {
            let history = History::default();
            let sent = Chosen { integration_key: false, signature, bearer: false };
            history.note_accepted(Operation::QueryPayment, sent);
            assert_eq!(history.has_accepted_bodiless(), is_query, "{signature:?}");
            assert_eq!(history.has_accepted_kid(), signature.is_some(), "{signature:?}");
        }
    }

    #[test]
    fn acceptance_is_remembered_for_each_operation() {
        let history = History::default();
        let sent = |is_signed: bool, bearer| Chosen {
            integration_key: false,
            signature: is_signed.then_some(Covered::Body),
            bearer,
        };
        history.note_accepted(Operation::Send, sent(false, false));
        history.note_accepted(Operation::QueryPayment, sent(false, true));
        assert!(!history.has_accepted_kid());
        history.note_accepted(Operation::CreatePayout, sent(true, false));
        assert!(history.has_accepted_kid());
        for operation in Operation::ALL {
            let unsigned = history.has_accepted_without(operation, Optional::Signature);
            assert_eq!(unsigned, operation == Operation::QueryPayment, "{operation}");
            let bare = history.has_accepted_without(operation, Optional::Bearer);
            assert_eq!(bare, operation == Operation::CreatePayout, "{operation}");
        }
    }
}
