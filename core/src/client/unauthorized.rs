//! What the client does after a 401.

use super::Inner;
use super::call::{Prepared, RunningCall};
use super::facts::{BearerFacts, MissingCredential, Optional, SignatureFacts, UnauthorizedFacts};
use crate::client::auth;
use crate::model::diagnosis::Diagnosis;
use crate::model::observer::Event;
use crate::token::Challenge;
use crate::transport::{PreparedRequest, Received};

fn challenge_of(response: &Received) -> Challenge {
    Challenge::read(response.raw.headers_named("www-authenticate"))
}

impl RunningCall<'_> {
    /// Replaces the bearer token after a 401, once, if it may be the cause and
    /// the refusal leaves no doubt. The same signed bytes are then sent again.
    pub(super) fn has_another_token(
        &mut self,
        prepared: &mut Prepared,
        response: &Received,
        is_doubtful: bool,
    ) -> bool {
        let client = self.client;
        let Inner { settings, signing, tokens, .. } = &*client.0;
        let observe = |event: &Event<'_>| client.observe(&self.context, event);
        let dependencies = client.dependencies(&observe);
        if self.other_token.is_some() {
            if let Some(tokens) = tokens.as_ref().filter(|_| self.other_is_new) {
                tokens.note_refused(&prepared.request, &self.context, dependencies);
            }
            return false;
        }
        if is_doubtful {
            return false;
        }
        signing.iter().for_each(|signing| signing.note_refused());
        let Some((tokens, refused)) = tokens.as_ref().zip(prepared.bearer.clone()) else {
            return false;
        };
        if challenge_of(response) == Challenge::OtherError {
            return false;
        }
        let request = &prepared.request;
        match tokens.replace(&self.context, dependencies, &refused.value, request) {
            Ok(new) => {
                let bearer = auth::bearer(settings, &new.token.value);
                prepared.request.replace_header(&settings.options.bearer_header, bearer);
                prepared.bearer = Some(new.token);
                (self.other_token, self.other_is_new) = (Some(Ok(())), new.is_new);
                true
            }
            Err(reason) => {
                self.other_token = Some(Err(reason));
                false
            }
        }
    }

    /// Records that the service accepted this token.
    pub(super) fn note_accepted(&self, request: &PreparedRequest) {
        if let Some(tokens) = self.client.0.tokens.as_ref().filter(|_| self.chosen.bearer) {
            let observe = |event: &Event<'_>| self.client.observe(&self.context, event);
            tokens.note_accepted(request, &self.context, self.client.dependencies(&observe));
        }
    }

    /// Records what the credentials of an accepted call show.
    pub(super) fn note_credentials(&self, prepared: &Prepared) {
        self.client.0.history.note_accepted(self.operation, self.chosen);
        if let Some((tokens, token)) = self.client.0.tokens.as_ref().zip(prepared.bearer.as_ref()) {
            tokens.note_worked(token);
        }
    }

    /// What the client knows of a request that got a 401.
    pub(super) fn diagnose(&self, prepared: &Prepared, response: &Received) -> Diagnosis {
        let Inner { history, signing, tokens, clock, .. } = &*self.client.0;
        let missing = |is_configured, credential| MissingCredential {
            is_turned_off: is_configured,
            was_accepted: history.has_accepted_without(self.operation, credential),
        };
        let signature = match signing.as_deref().filter(|_| self.chosen.signature) {
            Some(signing) => SignatureFacts::Sent {
                is_verified: signing.is_verified(),
                kid_was_accepted: history.has_accepted_kid(),
            },
            None => SignatureFacts::Missing(missing(signing.is_some(), Optional::Signature)),
        };
        let bearer = match tokens.as_ref().zip(prepared.bearer.as_ref()) {
            Some((tokens, token)) => BearerFacts::Sent {
                acceptance: tokens.acceptance(token),
                is_expired: token.expires_at <= clock.unix().as_secs(),
                other: self.other_token.as_ref(),
            },
            None => BearerFacts::Missing(missing(tokens.is_some(), Optional::Bearer)),
        };
        let facts = UnauthorizedFacts {
            signature,
            bearer,
            challenge: challenge_of(response),
            has_passed_proxy: response.raw.header("via").is_some(),
        };
        facts.diagnosis()
    }
}
