//! After a 401: another bearer token, or else the meaning of the 401 in the light
//! of what the client knows.

use std::time::Duration;

use payments_transport::Received;

use super::Inner;
use super::auth::{Covered, Signed};
use super::credentials::Optional;
use super::driver::Driver;
use crate::model::diagnosis::{Cause, Diagnosis, Finding};
use crate::model::observer::EventKind;
use crate::token::{Challenge, NoReplacement, TokenAcceptance};

/// The result of sending another bearer token after a 401.
pub(super) enum OtherToken {
    /// It was not tried.
    Untried,
    /// It was sent, and refused as well if the facts are asked for.
    Sent {
        /// Whether it was fetched after the refusal.
        is_new: bool,
    },
    /// There was none.
    Unavailable(NoReplacement),
}

impl OtherToken {
    /// When there may be one.
    pub(super) fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Unavailable(reason) => reason.retry_after(),
            Self::Untried | Self::Sent { .. } => None,
        }
    }
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
    if let Some(signing) = signing {
        signing.note_refused();
    }
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

fn challenge_of(response: &Received) -> Challenge {
    Challenge::read(response.raw.headers_named("www-authenticate"))
}

/// The facts about a request that got a 401.
struct UnauthorizedFacts<'a> {
    signature: SignatureFacts,
    bearer: BearerFacts<'a>,
    challenge: Challenge,
    /// Whether the response names a proxy.
    has_passed_proxy: bool,
}

enum SignatureFacts {
    Missing(MissingCredential),
    Sent {
        /// Whether it was verified before it was sent.
        is_verified: bool,
        kid_was_accepted: bool,
        /// Its payload, if the request has no body and no such signed request was
        /// accepted yet.
        untried: Option<Covered>,
    },
}

enum BearerFacts<'a> {
    Missing(MissingCredential),
    Sent { acceptance: TokenAcceptance, is_expired: bool, other: &'a OtherToken },
}

/// A credential that the request lacks.
struct MissingCredential {
    /// The switch that turns it off, if the configuration has it.
    turned_off_by: Option<&'static str>,
    /// Whether the operation was accepted without it before.
    was_accepted: bool,
}

/// Possible causes of a 401.
#[derive(Default)]
struct PossibleCauses {
    signature_missing: bool,
    bearer_missing: bool,
    kid: bool,
    bearer: bool,
    /// A cause without its own finding.
    other: bool,
}

impl UnauthorizedFacts<'_> {
    /// States the facts, missing credentials first. Names a cause only if they
    /// leave no other.
    fn diagnosis(&self) -> Diagnosis {
        let mut causes = PossibleCauses::default();
        let mut known = Vec::new();
        self.missing(&mut causes, &mut known);
        self.signature(&mut causes, &mut known);
        self.bearer(&mut causes, &mut known);
        if self.has_passed_proxy {
            known.push("the response came through a proxy, which may alter requests".to_owned());
        }
        let finding = self.finding(&causes);
        let cause = (finding == Finding::SeeCause).then_some(Cause::MissingSignature);
        Diagnosis::new(finding, cause, &known.join("; "))
    }

    fn finding(&self, causes: &PossibleCauses) -> Finding {
        let PossibleCauses { signature_missing, bearer_missing, kid, bearer, other } = *causes;
        let (is_sent, is_expired) = match self.bearer {
            BearerFacts::Sent { is_expired, .. } => (true, is_expired),
            BearerFacts::Missing(_) => (false, false),
        };
        match (bearer_missing, kid, bearer, other) {
            _ if is_sent && self.challenge == Challenge::InvalidToken => Finding::BearerRefused,
            _ if signature_missing => Finding::SeeCause,
            _ if is_expired => Finding::BearerRefused,
            (true, false, false, false) => Finding::BearerMissing,
            (false, true, false, false) => Finding::KidUnregistered,
            (false, false, true, false) => Finding::BearerRefused,
            _ => Finding::CannotTell,
        }
    }

    fn missing(&self, causes: &mut PossibleCauses, known: &mut Vec<String>) {
        if let SignatureFacts::Missing(missing) = &self.signature {
            causes.signature_missing = !missing.was_accepted;
            known.push(missing.text("the request was not signed", "set key_file and kid"));
        }
        if let BearerFacts::Missing(missing) = &self.bearer {
            causes.bearer_missing = !missing.was_accepted;
            let remedy = "set client_id and client_secret if the service requires one";
            known.push(missing.text("the request had no bearer token", remedy));
        }
    }

    fn signature(&self, causes: &mut PossibleCauses, known: &mut Vec<String>) {
        let SignatureFacts::Sent { is_verified, kid_was_accepted, untried } = self.signature else {
            return;
        };
        causes.kid = !kid_was_accepted;
        causes.other =
            untried.is_some() || (!kid_was_accepted && (!is_verified || self.has_passed_proxy));
        known.push(
            if kid_was_accepted {
                "a call with this kid was accepted before"
            } else {
                "no call of this client with this kid was accepted yet (check that the provider \
                 registered it for this public key, in this environment)"
            }
            .to_owned(),
        );
        if let Some(covered) = untried {
            let payload = if covered == Covered::Query { "query string" } else { "empty payload" };
            known.push(format!(
                "no signature over the {payload} was accepted yet (see signed_query and \
                 query_method)"
            ));
        }
        if !is_verified && !kid_was_accepted {
            known.push(
                "the signature could not be verified before it was sent (set public_key)"
                    .to_owned(),
            );
        }
    }

    fn bearer(&self, causes: &mut PossibleCauses, known: &mut Vec<String>) {
        let BearerFacts::Sent { acceptance, is_expired, other } = &self.bearer else { return };
        // A new token is as good as one that was accepted before it.
        let is_proven = match acceptance {
            TokenAcceptance::Accepted => true,
            TokenAcceptance::OtherAccepted => matches!(other, OtherToken::Sent { .. }),
            TokenAcceptance::NoneAccepted => false,
        };
        let is_alone = matches!(
            &self.signature,
            SignatureFacts::Missing(MissingCredential { was_accepted: true, .. })
        );
        causes.bearer = !is_proven || is_alone || self.challenge == Challenge::OtherError;
        known.push(acceptance.text().to_owned());
        if *is_expired {
            known.push("the bearer token has expired".to_owned());
        }
        match other {
            OtherToken::Untried => {}
            OtherToken::Sent { .. } => {
                known.push("another bearer token was refused as well".to_owned());
            }
            OtherToken::Unavailable(reason) => known.push(reason.text()),
        }
        match self.challenge {
            Challenge::Silent => {}
            Challenge::InvalidToken => {
                known.push("WWW-Authenticate calls the bearer token invalid".to_owned());
            }
            Challenge::OtherError => {
                known.push("WWW-Authenticate names another error of the bearer token".to_owned());
            }
        }
    }
}

impl MissingCredential {
    fn text(&self, what: &str, remedy: &str) -> String {
        let remedy = self.turned_off_by.unwrap_or(remedy);
        if self.was_accepted {
            format!("{what}, which was accepted for this operation before")
        } else {
            format!("{what}; {remedy}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::error::{Error, ErrorCode, ErrorKind, Outcome};
    use crate::token::{Rest, RestReason};

    fn missing(was_accepted: bool) -> MissingCredential {
        MissingCredential { turned_off_by: None, was_accepted }
    }

    fn signed(is_verified: bool, kid_was_accepted: bool) -> SignatureFacts {
        SignatureFacts::Sent { is_verified, kid_was_accepted, untried: None }
    }

    fn bearer(acceptance: TokenAcceptance) -> BearerFacts<'static> {
        BearerFacts::Sent { acceptance, is_expired: false, other: &OtherToken::Untried }
    }

    fn finding(signature: SignatureFacts, bearer: BearerFacts<'_>) -> Finding {
        let challenge = Challenge::Silent;
        let facts = UnauthorizedFacts { signature, bearer, challenge, has_passed_proxy: false };
        facts.diagnosis().finding()
    }

    #[test]
    fn a_cause_is_named_only_if_the_facts_leave_no_other() {
        use Finding::{BearerMissing, BearerRefused, CannotTell, KidUnregistered, SeeCause};
        use TokenAcceptance::{Accepted, NoneAccepted, OtherAccepted};

        for acceptance in [Accepted, OtherAccepted, NoneAccepted] {
            let unsigned = |before| SignatureFacts::Missing(missing(before));
            assert_eq!(finding(unsigned(false), bearer(acceptance)), SeeCause);
            assert_eq!(finding(unsigned(true), bearer(acceptance)), BearerRefused);
        }
        for (kid_was_accepted, acceptance, expected) in [
            (false, Accepted, KidUnregistered),
            (false, OtherAccepted, CannotTell),
            (false, NoneAccepted, CannotTell),
            (true, Accepted, CannotTell),
            (true, OtherAccepted, BearerRefused),
            (true, NoneAccepted, BearerRefused),
        ] {
            let found = finding(signed(true, kid_was_accepted), bearer(acceptance));
            assert_eq!(found, expected, "{kid_was_accepted} {acceptance:?}");
        }
        let without = |was_accepted| BearerFacts::Missing(missing(was_accepted));
        assert_eq!(finding(signed(true, true), without(false)), BearerMissing);
        assert_eq!(finding(signed(true, false), without(false)), CannotTell);
        assert_eq!(finding(signed(true, false), without(true)), KidUnregistered);
        assert_eq!(finding(signed(true, true), without(true)), CannotTell);
        assert_eq!(finding(signed(false, false), bearer(Accepted)), CannotTell);
    }

    #[test]
    fn a_second_refused_token_clears_the_first() {
        let other = OtherToken::Sent { is_new: true };
        let twice = |acceptance| BearerFacts::Sent { acceptance, is_expired: false, other: &other };
        let found = finding(signed(true, true), twice(TokenAcceptance::OtherAccepted));
        assert_eq!(found, Finding::CannotTell);
        let found = finding(signed(true, true), twice(TokenAcceptance::NoneAccepted));
        assert_eq!(found, Finding::BearerRefused);
    }

    #[test]
    fn service_and_clock_judge_the_token_first() {
        let of = |signature, is_expired, challenge| {
            let acceptance = TokenAcceptance::Accepted;
            let bearer = BearerFacts::Sent { acceptance, is_expired, other: &OtherToken::Untried };
            UnauthorizedFacts { signature, bearer, challenge, has_passed_proxy: false }.diagnosis()
        };
        let unsigned = || SignatureFacts::Missing(missing(false));
        for (diagnosis, finding) in [
            (of(unsigned(), true, Challenge::InvalidToken), Finding::BearerRefused),
            (of(unsigned(), true, Challenge::Silent), Finding::SeeCause),
            (of(signed(true, false), true, Challenge::Silent), Finding::BearerRefused),
            (of(signed(true, true), false, Challenge::OtherError), Finding::BearerRefused),
            (of(signed(true, false), false, Challenge::OtherError), Finding::CannotTell),
        ] {
            assert_eq!(diagnosis.finding(), finding, "{diagnosis}");
        }
    }

    #[test]
    fn a_proxy_may_have_altered_requests_never_accepted() {
        let of = |kid_was_accepted| {
            let signature = signed(true, kid_was_accepted);
            let bearer = bearer(TokenAcceptance::Accepted);
            let challenge = Challenge::Silent;
            UnauthorizedFacts { signature, bearer, challenge, has_passed_proxy: true }.diagnosis()
        };
        assert_eq!(of(false).finding(), Finding::CannotTell);
        assert!(of(true).message().contains("proxy"));
    }

    #[test]
    fn a_kid_that_signed_bodies_says_nothing_of_a_query() {
        let of = |untried, kid_was_accepted| {
            let signature = SignatureFacts::Sent { is_verified: true, kid_was_accepted, untried };
            let bearer = BearerFacts::Missing(missing(true));
            let challenge = Challenge::Silent;
            UnauthorizedFacts { signature, bearer, challenge, has_passed_proxy: false }.diagnosis()
        };
        assert_eq!(of(None, false).finding(), Finding::KidUnregistered);
        for (covered, said) in
            [(Covered::Nothing, "empty payload"), (Covered::Query, "query string")]
        {
            for kid_was_accepted in [false, true] {
                let diagnosis = of(Some(covered), kid_was_accepted);
                assert_eq!(diagnosis.finding(), Finding::CannotTell, "{diagnosis}");
                assert!(diagnosis.message().contains(said), "{diagnosis}");
            }
        }
    }

    #[test]
    fn the_message_has_the_facts_of_each_credential() {
        for (challenge, said) in [
            (Challenge::InvalidToken, "WWW-Authenticate calls the bearer token invalid"),
            (Challenge::OtherError, "WWW-Authenticate names another error of the bearer token"),
        ] {
            let (signature, bearer) = (signed(false, false), bearer(TokenAcceptance::Accepted));
            let facts = UnauthorizedFacts { signature, bearer, challenge, has_passed_proxy: false };
            let message = facts.diagnosis().message().to_owned();
            assert!(message.contains(said), "{message}");
            assert!(message.contains("the signature could not be verified"), "{message}");
        }
    }

    fn resting(reason: RestReason) -> NoReplacement {
        NoReplacement::Resting(Rest { left: Duration::from_secs(600), reason })
    }

    #[test]
    fn the_message_has_the_answer_of_the_token_server() {
        let failed = Error::new(
            ErrorKind::Token,
            Outcome::NotExecuted,
            ErrorCode::CREDENTIALS_REFUSED,
            "it is blocked",
        );
        for (reason, said) in [
            (NoReplacement::Same, "the same bearer token again"),
            (NoReplacement::Failed(failed), "issued no other: it is blocked"),
            (resting(RestReason::Unhelpful), "one did not help before"),
            (resting(RestReason::Contended), "share one token_store"),
            (resting(RestReason::Spent), "as many as may be"),
            (NoReplacement::Ended, "the call ended"),
        ] {
            let other = OtherToken::Unavailable(reason);
            let bearer = BearerFacts::Sent {
                acceptance: TokenAcceptance::Accepted,
                is_expired: false,
                other: &other,
            };
            let challenge = Challenge::Silent;
            let signature = signed(true, true);
            let facts = UnauthorizedFacts { signature, bearer, challenge, has_passed_proxy: false };
            assert!(facts.diagnosis().message().contains(said), "{}", facts.diagnosis());
        }
    }
}
