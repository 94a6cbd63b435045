//! The steps of the client after a 401.

use super::Inner;
use super::auth::{Covered, Signed};
use super::credentials::Optional;
use super::driver::Driver;
use super::facts::{BearerFacts, MissingCredential, OtherToken, SignatureFacts, UnauthorizedFacts};
use crate::model::diagnosis::Diagnosis;
use crate::model::observer::EventKind;
use crate::token::Challenge;
use crate::transport::Received;

fn challenge_of(response: &Received) -> Challenge {
    Challenge::read(response.raw.headers_named("www-authenticate"))
}

/// Replaces the bearer token after a 401, once, if it may be the cause and the
/// refusal leaves no doubt.
pub(super) fn has_another_token(
    driver: &Driver<'_>,
    signed: &mut Signed,
    other: &mut OtherToken,
    response: &Received,
    is_doubtful: bool,
) -> bool {
    let (client, context) = (driver.client(), driver.context());
    let Inner { settings, signing, tokens, .. } = &*client.0;
    let observe = |event: &EventKind<'_>| driver.observe(event);
    let dependencies = client.dependencies(&observe);
    match other {
        OtherToken::Untried => {}
        OtherToken::Sent { is_new } => {
            if let Some(tokens) = tokens.as_ref().filter(|_| *is_new) {
                tokens.note_refused(signed.request(), context, dependencies);
            }
            return false;
        }
        OtherToken::Unavailable(_) => return false,
    }
    if is_doubtful {
        return false;
    }
    signing.iter().for_each(|signing| signing.note_refused());
    let Some((tokens, refused)) = tokens.as_ref().zip(signed.bearer()) else {
        return false;
    };
    if challenge_of(response) == Challenge::OtherError {
        return false;
    }
    match tokens.replace(context, dependencies, &refused.value, signed.request()) {
        Ok(new) => {
            signed.carry(new.token, settings);
            *other = OtherToken::Sent { is_new: new.is_new };
            true
        }
        Err(reason) => {
            *other = OtherToken::Unavailable(reason);
            false
        }
    }
}

/// The client's facts about a request that got a 401.
pub(super) fn diagnose(
    driver: &Driver<'_>,
    signed: &Signed,
    other: &OtherToken,
    response: &Received,
) -> Diagnosis {
    let Inner { history, signing, tokens, clock, settings, .. } = &*driver.client().0;
    let operation = driver.operation();
    let missing = |turned_off_by, credential| MissingCredential {
        turned_off_by,
        was_accepted: history.has_accepted_without(operation, credential),
    };
    const BY_AUTH: &str = "auth turns it off for this operation";
    let signature = match (signing.as_deref(), signed.chosen().signature) {
        (Some(signing), Some(covered)) => SignatureFacts::Sent {
            is_verified: signing.is_verified(),
            kid_was_accepted: history.has_accepted_kid(),
            untried: Some(covered)
                .filter(|it| *it != Covered::Body && !history.has_accepted_bodiless()),
        },
        (signing, _) => {
            let wanted = settings.options.auth.get(&operation).and_then(|it| it.signature);
            let by = if wanted == Some(false) { BY_AUTH } else { "signed_query is none" };
            SignatureFacts::Missing(missing(signing.map(|_| by), Optional::Signature))
        }
    };
    let bearer = match tokens.as_ref().zip(signed.bearer()) {
        Some((tokens, token)) => BearerFacts::Sent {
            acceptance: tokens.acceptance(token),
            is_expired: token.expires_at <= clock.unix().as_secs(),
            other,
        },
        None => BearerFacts::Missing(missing(tokens.as_ref().map(|_| BY_AUTH), Optional::Bearer)),
    };
    let facts = UnauthorizedFacts {
        signature,
        bearer,
        challenge: challenge_of(response),
        has_passed_proxy: response.raw.header("via").is_some(),
    };
    facts.diagnosis()
}
