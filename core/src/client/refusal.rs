//! What the client does after a 401.

use super::call::{Prepared, RunningCall};
use crate::auth::{self, SIGNATURE_HEADER, Signing};
use crate::error::Error;
use crate::jws::{Cause, Diagnosis, Finding, KnownKey, doctor, verify};
use crate::observer::Event;
use crate::token::Challenge;
use crate::transport::{HttpResponse, PreparedRequest};

const CHALLENGE_HEADER: &str = "www-authenticate";
const NO_BEARER_EITHER: &str =
    "or the service also requires a bearer token: set client_id and client_secret";
const NO_KEY: &str = "the request was not signed; set key_file and kid";
const SIGNATURE_OFF: &str =
    "the request was not signed; auth turns the signature off for this operation";

impl RunningCall<'_> {
    /// Sends the same signed bytes once more, with another token, if the token
    /// may be the cause. Otherwise returns the 401, as it does after a second
    /// one.
    pub(super) fn response_refusal(
        &mut self,
        prepared: &mut Prepared,
        response: HttpResponse,
    ) -> Result<HttpResponse, Error> {
        self.client.0.signing.iter().for_each(Signing::note_refused);
        let Some((tokens, refused)) = self.client.0.tokens.as_ref().zip(prepared.bearer.clone())
        else {
            return Ok(response);
        };
        let challenge = Challenge::read(response.headers_named(CHALLENGE_HEADER));
        let token_may_be_to_blame = match challenge {
            Challenge::InvalidToken => true,
            Challenge::OtherError => false,
            Challenge::Silent => self.signature_is_good(prepared) != Some(false),
        };
        if !token_may_be_to_blame {
            return Ok(response);
        }
        let observe = |event: &Event<'_>| self.client.observe(&self.context, event);
        let dependencies = self.client.dependencies(&observe);
        let request = &prepared.request;
        let Some(new) =
            tokens.replace(&self.context, dependencies, &refused.value, request, challenge)
        else {
            return Ok(response);
        };
        let settings = &self.client.0.settings;
        prepared.request.replace_header(
            &settings.options.bearer_header,
            auth::bearer(settings, &new.token.value),
        );
        prepared.bearer = Some(new.token);
        let again = self.exchange(&prepared.request)?;
        if again.status == 401 && new.is_new {
            tokens.note_refused(&prepared.request, &*self.client.0.clock);
        }
        Ok(again)
    }

    /// Records that the service accepted this token.
    pub(super) fn note_accepted(&self, request: &PreparedRequest) {
        if let Some(tokens) = self.client.0.tokens.as_ref().filter(|_| self.chosen.bearer) {
            let observe = |event: &Event<'_>| self.client.observe(&self.context, event);
            tokens.note_accepted(request, &self.context, self.client.dependencies(&observe));
        }
    }

    /// Whether the request's signature verifies locally. `None` without a
    /// signature or a public key.
    fn signature_is_good(&self, prepared: &Prepared) -> Option<bool> {
        let key = self.client.0.signing.as_ref()?.public_key()?;
        let token = prepared.request.header(SIGNATURE_HEADER)?;
        let key_of = |_: &str| Some(key.clone());
        Some(verify(Some(token), prepared.request.body(), key_of).is_ok())
    }

    /// Finds out, as far as is possible locally, why the service responded with 401.
    pub(super) fn diagnose(&self, prepared: &Prepared, response: &HttpResponse) -> Diagnosis {
        let challenge = Challenge::read(response.headers_named(CHALLENGE_HEADER));
        let token = prepared.request.header(SIGNATURE_HEADER);
        let is_signed = token.is_some();
        // The token may have expired on the way, and no other was available.
        let now = self.client.0.clock.unix().as_secs();
        let is_expired = prepared.bearer.as_ref().is_some_and(|token| token.expires_at <= now);
        if challenge == Challenge::InvalidToken
            || is_expired
            || (prepared.bearer.is_some() && !is_signed)
        {
            return Diagnosis::new(Finding::BearerRefused, None);
        }
        match self.signature_is_good(prepared) {
            _ if !is_signed => {
                let reason = if self.client.0.signing.is_some() { SIGNATURE_OFF } else { NO_KEY };
                Diagnosis::new(Finding::SeeCause, Some(Cause::MissingSignature)).with_detail(reason)
            }
            None => Diagnosis::new(Finding::CannotTell, None),
            Some(false) => {
                let signing = self.client.0.signing.as_ref();
                let key = signing.and_then(|signing| signing.public_key().cloned());
                let known: Vec<KnownKey> = key.into_iter().map(KnownKey::from).collect();
                doctor(token, prepared.request.body(), &known)
            }
            Some(true) if response.header("via").is_some() => {
                Diagnosis::new(Finding::AlteredOnTheWay, None)
            }
            Some(true) if prepared.bearer.is_none() => {
                Diagnosis::new(Finding::KidUnregistered, None).with_detail(NO_BEARER_EITHER)
            }
            Some(true) => Diagnosis::new(Finding::KidUnregistered, None),
        }
    }
}
